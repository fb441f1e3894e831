"""How much room an Arrow file will take, from its messages, before pyarrow unpacks anything."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

from .limits import check_room

__all__ = ["check_messages"]

# numbers of the format: what a message may hold, and which field of a table is which
DICTIONARY, BATCH = 2, 3
HEADER_TYPE, HEADER = 1, 2
DICTIONARY_DATA = 1
LENGTH, NODES, BUFFERS, COMPRESSION = 0, 1, 2, 3


def check_messages(path: Path, arrow: Any, start: int) -> None:
    """Raise FileError if an Arrow file would take too much room once it is unpacked.

    A packed buffer begins with the size that it will have; rows without any buffer, as those of
    the type null, take room as numbers.

    Parameters
    ----------
    path : Path
        The file.
    arrow : module
        pyarrow.
    start : int
        Where the messages begin.
    """
    total = 0
    with arrow.OSFile(os.fspath(path), "rb") as file:
        file.seek(start)
        messages = arrow.ipc.MessageReader.open_stream(file)
        while True:
            try:
                message = messages.read_next_message()
            except StopIteration:
                return
            total += _unpacked(message.metadata.to_pybytes(), memoryview(message.body or b""))
            check_room(path, total, "the unpacked table")


def _unpacked(head: bytes, body: memoryview) -> int:
    """Return how many bytes the buffers of a message take."""
    message = _Fields(head, *struct.unpack_from("<I", head, 0))
    kind = message.number(HEADER_TYPE, "<B")
    if kind not in (DICTIONARY, BATCH):
        return 0
    batch = message.table(HEADER)
    if kind == DICTIONARY:
        batch = batch.table(DICTIONARY_DATA)
    rows, columns = batch.number(LENGTH, "<q"), batch.count(NODES)
    size = 0
    for place in range(batch.count(BUFFERS)):
        offset, length = batch.pair(BUFFERS, place)
        claimed = -1
        if batch.has(COMPRESSION) and length >= 8:
            (claimed,) = struct.unpack_from("<q", body, offset)
        size += length if claimed < 0 else claimed
    return max(size, 8 * max(rows, 0) * columns)


class _Fields:
    """A table of a flat buffer; what lies outside of it raises struct.error."""

    def __init__(self, data: bytes, place: int):
        self._data, self._place = data, place
        (back,) = struct.unpack_from("<i", data, place)
        self._layout = place - back
        (self._size,) = struct.unpack_from("<H", data, self._layout)

    def _at(self, field: int) -> int:
        """Return where a field is, 0 if it is not there."""
        entry = 4 + 2 * field
        if entry + 2 > self._size:
            return 0
        (offset,) = struct.unpack_from("<H", self._data, self._layout + entry)
        return self._place + offset if offset else 0

    def has(self, field: int) -> bool:
        return self._at(field) > 0

    def number(self, field: int, form: str) -> int:
        place = self._at(field)
        return int(struct.unpack_from(form, self._data, place)[0]) if place else 0

    def _follow(self, field: int) -> int:
        place = self._at(field)
        return place + int(struct.unpack_from("<I", self._data, place)[0])

    def table(self, field: int) -> _Fields:
        return _Fields(self._data, self._follow(field))

    def count(self, field: int) -> int:
        if not self.has(field):
            return 0
        return int(struct.unpack_from("<I", self._data, self._follow(field))[0])

    def pair(self, field: int, index: int) -> tuple[int, int]:
        first, second = struct.unpack_from("<qq", self._data, self._follow(field) + 4 + 16 * index)
        return int(first), int(second)
