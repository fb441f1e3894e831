"""The examples in the documentation: find them, run them, hold them to what they say."""

from __future__ import annotations

import os
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
    """Run all commands as a reader would, in a real shell, and compare what is shown below them.

    Parameters
    ----------
    python : str
        The interpreter of the environment in which colonnade is installed.
    folder : Path
        Where the reader is.
    *texts : str
        Documents with console blocks. A line that begins with ``$`` is a command; the lines below
        it are what it prints, in order, and ``...`` stands for some that are left out.

    Returns
    -------
    int
        How many were run.
    """
    programs = {"python": Path(python), "colonnade": Path(python).parent / "colonnade"}
    assert programs["colonnade"].exists(), f"there is no colonnade beside {python}"
    ran = 0
    for command, shown in _commands(texts):
        program, arguments = command.split(" ", 1)
        done = subprocess.run(
            f"'{programs[program]}' {arguments}",
            shell=True, cwd=folder, capture_output=True, text=True, check=False,
            env=os.environ | {"COLUMNS": "80"},
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stderr)
        assert "error" not in done.stderr, (command, done.stderr)
        assert "warning" not in done.stderr, (command, done.stderr)
        assert bool(done.stdout) == (program == "colonnade"), command
        if shown:
            check_shown(shown, done.stdout)
        ran += 1
    return ran


def _commands(texts: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Return all commands, each with the lines that are shown below it."""
    out: list[tuple[str, list[str]]] = []
    for text in texts:
        for block in blocks("console", text):
            assert block.startswith("$ "), block
            for line in block.splitlines():
                if line.startswith("$ "):
                    out.append((line[2:], []))
                else:
                    out[-1][1].append(line)
    return out


def check_shown(shown: list[str], printed: str) -> None:
    """Raise AssertionError unless lines are shown as they were printed, but for ``...``."""
    lines = [line.rstrip() for line in printed.splitlines()]
    place, free = 0, False
    for line in shown:
        if line == "...":
            free = True
            continue
        found = lines.index(line, place) if line in lines[place:] else -1
        assert found == place or (free and found > place), f"not printed there: {line}\n{printed}"
        place, free = found + 1, False
    assert free or place == len(lines), f"more is printed than is shown:\n{printed}"
