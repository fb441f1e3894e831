"""Where data comes from when it is no file with a name of its own: standard input."""

from __future__ import annotations

import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..foundation.atomic import scratch_file
from .kinds import STANDARD_INPUT, FileError, extension_for
from .phrases import Spelling, as_keyword

__all__ = ["opened"]

_SystemPath: Any = type(Path())
_STARTS = (
    (b"PAR1", "Parquet", "parquet"),
    (b"ARROW1", "Feather", "feather"),
    (b"FEA1", "Feather", "feather"),
    (b"\xff\xff\xff\xff", "Feather", "feather"),
    (b"\x93NUMPY", "NPY", "npy"),
    (b"\x1f\x8b", "compressed", "csv.gz"),
    (b"%%MatrixMarket", "MatrixMarket", "mtx"),
    (b"\x89HDF\r\n", "AnnData or other HDF5", "h5ad"),
)
"""What files begin with that are no CSV, what they are, and the form to say."""


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
def opened(path: Path, form: str | None, spelled: Spelling = as_keyword) -> Iterator[Path]:
    """Give a path to a file that can be read more than once.

    Parameters
    ----------
    path : Path
        A file, or ``-`` for standard input, which is kept in a temporary file meanwhile.
    form : str, optional
        An extension or the name of a kind that takes the place of the extension of the file.
    spelled : callable
        How options are written where the user gives them.

    Yields
    ------
    Path
    """
    if os.fspath(path) != STANDARD_INPUT:
        if form is not None:
            path = NamedPath.of(path, str(path), f"{path.name}{extension_for(form)}")
        yield path
        return
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
        if form is None:
            _check_is_text(place, spelled)
        yield NamedPath.of(place, "standard input", f"input{extension_for(form or 'csv')}")


def _check_is_text(place: Path, spelled: Spelling) -> None:
    """Raise FileError for data that is no CSV by what it begins with, with the form to say."""
    with open(place, "rb") as file:
        start = file.read(4096)
    what, forms = "", [""]
    for mark, kind, form in _STARTS:
        # a header of CSV may begin with the same letters, but has no zero byte
        if start.startswith(mark) and (b"\0" in start or not mark.isalnum()):
            what, forms = f"{kind} data", [form]
    if start.startswith(b"PK\x03\x04"):
        what, forms = _in_zip(place)
    if what:
        ways = " or ".join(spelled("format", form) for form in forms)
        raise FileError(f"standard input: this is {what}, not CSV; say {ways}")


def _in_zip(place: Path) -> tuple[str, list[str]]:
    """Return what a ZIP archive holds, and the forms that it may be read as."""
    try:
        with zipfile.ZipFile(place) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError):  # cut off, which its reader will say
        names = []
    if any(name.startswith("xl/") for name in names):
        return "an Excel workbook", ["xlsx"]
    if names and all(name.endswith(".npy") for name in names):
        return "NPZ data", ["npz"]
    return "an archive (an Excel workbook or NPZ data)", ["xlsx", "npz"]
