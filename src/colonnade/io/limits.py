"""How much a file may ask for: sizes are compared before anything is allocated."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..foundation.memory import free_memory
from .phrases import counted
from .table import FileError

__all__ = ["RoomError", "check_room", "encoding", "free_memory", "open_bytes"]

_ALWAYS = 2**30
_RATIO = 1000
"""What a file may ask for: a GiB, or this many times its own size if that is more.

Packing saves less than that unless the data is nearly constant; a file that asks for more is
damaged, or made to do harm.
"""
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class RoomError(FileError):
    """A file takes more memory than there is."""


def check_room(path: Path, needed: int, what: str) -> None:
    """Raise RoomError for more than is free, FileError if out of proportion to the file's size.

    Parameters
    ----------
    path : Path
        The file.
    needed : int
        How many bytes it would take at least.
    what : str
        What takes them, for the message.
    """
    size = _size(path)
    if needed > max(_ALWAYS, _RATIO * size):
        raise FileError(
            f"{path}: {what} would take {_bytes(needed)} of memory, out of all proportion to a "
            f"file of {_bytes(size)}; it is damaged, or made to do harm"
        )
    free = free_memory()
    if needed > free:
        raise RoomError(
            f"{path}: {what} would take {_bytes(needed)} of memory, but only {_bytes(free)} are "
            "free; use a larger machine, or store fewer rows or columns"
        )


def _size(path: Path) -> int:
    """Return how many bytes a file has, or all files in a folder."""
    if not path.is_dir():
        return path.stat().st_size
    folders = os.walk(path)
    return sum(
        os.stat(os.path.join(top, name)).st_size for top, _, names in folders for name in names
    )


def _bytes(count: int) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> _bytes(1), _bytes(1536), _bytes(8 * 2**30)
    ('1 byte', '1.5 KiB', '8 GiB')
    """
    units = ("byte", "KiB", "MiB", "GiB", "TiB")
    power = min(max(count.bit_length() - 1, 0) // 10, len(units) - 1)
    if power == 0:
        return counted(count, "byte")
    return f"{count / 1024**power:.4g} {units[power]}"


def encoding(path: Path) -> str:
    """Return how a text file is encoded, by the mark at its beginning: UTF-8 unless it says so."""
    with open_bytes(path) as file:
        start = file.read(1000)
    found = next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8-sig")
    if found == "utf-8-sig" and b"\0" in start:
        raise FileError(
            f"{path}: this holds NUL characters, as UTF-16 text without a mark at its beginning "
            "does; convert it first, for example with iconv -f utf-16le -t utf-8"
        )
    return found


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading, unpacked if it is packed.

    What a packed file holds is not known before it is read: its room is checked as it grows.
    """
    if not path.name.lower().endswith(".gz"):
        return path.open("rb")
    return cast(BinaryIO, io.BufferedReader(_Growing(path), 2**20))


class _Growing(io.RawIOBase):
    """The content of a gzip file; raises FileError when it becomes too much."""

    def __init__(self, path: Path):
        self._path = path
        self._file = gzip.GzipFile(path)
        self._count, self._next = 0, _ALWAYS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._count += count
        if self._count > self._next:
            check_room(self._path, self._count, "the unpacked text")
            self._next = self._count + _ALWAYS // 16
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
