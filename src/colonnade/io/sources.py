"""Where data comes from when it is no file with a name of its own: standard input."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..foundation.atomic import scratch_file
from .kinds import STANDARD_INPUT, FileError

__all__ = ["opened"]

_SystemPath: Any = type(Path())


class NamedPath(_SystemPath):
    """A path that messages call something else, or whose name is read as another one."""

    shown: str
    called: str

    @classmethod
    def of(cls, path: Path, shown: str, called: str) -> Path:
        """Return a path to a file, what messages call it, and the name that tells its kind."""
        made = cls(path)
        made.shown, made.called = shown, called
        return made

    def __str__(self) -> str:
        return self.shown

    def __fspath__(self) -> str:
        return str(super().__str__())

    @property
    def name(self) -> str:
        """What tells the kind of the file."""
        return self.called


@contextmanager
def opened(path: Path, form: str | None) -> Iterator[Path]:
    """Give a path to a file that can be read more than once.

    Parameters
    ----------
    path : Path
        A file, or ``-`` for standard input, which is kept in a temporary file meanwhile.
    form : str, optional
        An extension without its dot that takes the place of that of the file.

    Yields
    ------
    Path
    """
    if os.fspath(path) != STANDARD_INPUT:
        yield path if form is None else NamedPath.of(path, str(path), f"{path.name}.{form}")
        return
    form = form or "csv"
    if sys.stdin is None or sys.stdin.isatty():
        raise FileError(
            "standard input: nothing is sent to it; name a file, or send one, as in "
            "cat data.csv | colonnade select - -n 3"
        )
    with scratch_file() as (file, place):
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        if not file.tell():
            raise FileError("standard input: nothing came from it")
        yield NamedPath.of(place, "standard input", f"input.{form}")
