"""Mutants as they are stored: patches of one place, with two lines above."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Mutant(NamedTuple):
    """A patch, taken apart: the lines ``old`` become ``new`` in the file ``path``."""

    name: str
    what: str
    tests: tuple[str, ...]
    path: str
    old: str
    new: str

    def mutated(self, root: Path) -> str:
        """Return the file with the change; its place may have moved but must be found once."""
        file = root / self.path
        text = file.read_text() if file.is_file() else ""
        found = text.count("\n" + self.old)
        if found != 1:
            raise ValueError(
                f"{self.name}: the lines to change should be in {self.path} once, but are there "
                f"{found} times; write the patch anew"
            )
        return text.replace("\n" + self.old, "\n" + self.new)


def read(patch: Path) -> Mutant:
    """Read a patch of one hunk and its header."""
    name = patch.relative_to(HERE).with_suffix("").as_posix()
    head, *hunks = re.split(r"^@@.*\n", patch.read_text(), flags=re.M)
    fields = dict(re.findall(r"^# (what|tests): (.+)$", head, re.M))
    file = re.search(r"^--- a/(.+)\n\+\+\+ b/\1$", head, re.M)
    if len(fields) != 2 or file is None or len(hunks) != 1:
        raise ValueError(f"{name}: needs '# what:', '# tests:' and one hunk for one file")
    lines = hunks[0].splitlines(keepends=True)
    old, new = ("".join(line[1:] for line in lines if line[0] in " " + sign) for sign in "-+")
    return Mutant(name, fields["what"], tuple(fields["tests"].split()), file[1], old, new)


def collection() -> list[Mutant]:
    """Return all mutants by name."""
    return [read(patch) for patch in sorted(HERE.glob("*/*.patch"))]


def argued() -> set[str]:
    """Return the names of those that may survive: the headings of SURVIVORS.md."""
    return set(re.findall(r"^## (\S+)$", (HERE / "SURVIVORS.md").read_text(), re.M))
