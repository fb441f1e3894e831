"""The examples in the documentation: find them, run them, hold them to what they say."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


def blocks(language: str, text: str) -> list[str]:
    """The contents of all fenced blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def check_printed(code: str, out: str) -> int:
    """Compare what an example printed with the comments behind its prints.

    A comment that begins with a number, a truth value or a parenthesis says what is printed, up
    to a semicolon, a colon or its end; a number is compared to as many decimals as it is given.

    Parameters
    ----------
    code : str
        The example; every call of ``print`` is a line and prints a line.
    out : str
        What it printed.

    Returns
    -------
    int
        How many lines had such a comment.
    """
    calls = [line for line in code.splitlines() if "print(" in line]
    lines = out.splitlines()
    assert len(lines) == len(calls), f"{len(calls)} calls of print printed {len(lines)} lines"
    promises = 0
    for call, line in zip(calls, lines, strict=True):
        promise = re.search(r"# ((?:True|False|[-(\d]).*?)(?:[;:]|$)", call)
        if promise:
            promises += 1
            said, printed = promise[1].split(), line.split()
            same = len(said) == len(printed) and all(map(_agrees, said, printed))
            assert same, f"{call.strip()}\nprinted {line}"
    return promises


def _agrees(said: str, printed: str) -> bool:
    if not re.fullmatch(r"-?\d+\.\d+", said):
        return said == printed
    return f"{float(printed):.{len(said.partition('.')[2])}f}" == said


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
