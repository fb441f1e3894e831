"""The examples in the documentation: find them, run them, hold them to what they say."""

from __future__ import annotations

import re
import subprocess
from itertools import takewhile
from pathlib import Path


def blocks(language: str, text: str) -> list[str]:
    """The contents of all fenced blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def check_printed(code: str, out: str) -> int:
    """Compare what an example printed with the comments that say so.

    Every call of ``print`` is a line. The comment behind it says what it prints, up to a semicolon,
    a colon or its end; without one, as in a loop, each of the lines below it that are comments says
    what a line of the output is. Numbers with a point are compared to as many digits as are given.

    Parameters
    ----------
    code : str
        The example.
    out : str
        What it printed.

    Returns
    -------
    int
        How many lines were printed.
    """
    said: list[str] = []
    lines = code.splitlines()
    for place, line in enumerate(lines):
        if "print(" not in line:
            continue
        behind = [line.partition("#")[2]] if "#" in line else []
        below = takewhile(lambda other: other.lstrip().startswith("#"), lines[place + 1 :])
        found = behind or [other.lstrip(" #") for other in below]
        assert found, f"no comment says what is printed by\n{line}"
        said += [re.split("[;:]", comment)[0].strip() for comment in found]
    printed = out.splitlines()
    assert len(said) == len(printed), f"{len(said)} lines are said to be printed, not\n{out}"
    for promise, line in zip(said, printed, strict=True):
        words, found = _words(promise), _words(line)
        same = len(words) == len(found) and all(map(_agrees, words, found))
        assert same, f"said to be printed: {promise}\nprinted: {line}"
    return len(said)


def _words(line: str) -> list[str]:
    return re.sub(r"[\[\](),]", " ", line).split()


def _agrees(said: str, printed: str) -> bool:
    number = re.fullmatch(r"-?\d+\.(\d+)(e\d+)?", said)
    if not number:
        return said == printed
    rounded = f"{float(printed):.{len(number[1])}{'e' if number[2] else 'f'}}"
    return float(rounded) == float(said)


def run_commands(python: str, folder: Path, *texts: str) -> int:
    """Run all commands as a reader would, in a real shell.

    Parameters
    ----------
    python : str
        The interpreter of the environment in which colonnade is installed.
    folder : Path
        Where the reader is.
    *texts : str
        Documents with console blocks.

    Returns
    -------
    int
        How many were run.
    """
    programs = {"python": Path(python), "colonnade": Path(python).parent / "colonnade"}
    assert programs["colonnade"].exists(), f"there is no colonnade beside {python}"
    ran = 0
    for text in texts:
        for line in "".join(blocks("console", text)).splitlines():
            assert line.startswith("$ "), line
            program, arguments = line[2:].split(" ", 1)
            done = subprocess.run(
                f"'{programs[program]}' {arguments}",
                shell=True, cwd=folder, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, (line, done.stderr)
            assert "error" not in done.stderr, (line, done.stderr)
            assert "warning" not in done.stderr, (line, done.stderr)
            assert bool(done.stdout) == (program == "colonnade"), line
            ran += 1
    return ran
