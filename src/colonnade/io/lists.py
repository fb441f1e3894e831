"""MatrixMarket and svmlight: lists of entries, as text."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp

from .limits import check_room, encoding, open_bytes
from .settling import from_array
from .sparse_parts import by_columns
from .table import INSTEAD, NUMBERS, FileError, Options, Table, check_not_empty

__all__ = [
    "Header",
    "check_entries",
    "mtx_header",
    "not_numbers",
    "not_svmlight",
    "read_mtx",
    "read_svmlight",
    "refuse_wide_text",
    "write_mtx",
    "write_svmlight",
]

_BANNER = re.compile(
    rb"%%MatrixMarket\s+matrix\s+(coordinate|array)\s+"
    rb"(real|double|integer|unsigned-integer|pattern|complex)\s+"
    rb"(general|symmetric|skew-symmetric|hermitian)\s*",
    re.IGNORECASE,
)
_REAL = rb"-?+(?:(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+|(?i:nan|inf(?:inity)?+))"
_VALUES = {
    b"real": (_REAL, "number"),
    b"double": (_REAL, "number"),
    b"integer": (rb"-?+[0-9]++", "whole-number"),
    b"unsigned-integer": (rb"[0-9]++", "whole-number"),
}
"""What the values of a MatrixMarket file look like; those of a pattern are left out."""


def read_mtx(path: Path, options: Options) -> Table:
    """Read a sparse or dense matrix."""
    from scipy.io import mmread

    refuse_wide_text(path)
    check_room(path, path.stat().st_size, "the text")
    with open_bytes(path) as packed:
        # SciPy's reader may go on beyond the last line if it has no end
        text = packed.read() + b"\n"
    _check_mtx(path, text)
    X: Any = mmread(io.BytesIO(text))
    return from_array(path, by_columns(path, X) if sp.issparse(X) else X, options)


class Header(NamedTuple):
    """What a MatrixMarket file says before its entries come.

    Attributes
    ----------
    banner : bytes
        The first line.
    sparse : bool
        Whether entries come with their places.
    field, symmetry : bytes
        What the values are, and which half of them is left out.
    shape : tuple of int
        Of the matrix.
    entries : int
        How many there are in the file; of a dense matrix that is not general, in the matrix.
    line : int
        The number of the line with the first.
    """

    banner: bytes
    sparse: bool
    field: bytes
    symmetry: bytes
    shape: tuple[int, int]
    entries: int
    line: int


def _check_mtx(path: Path, text: bytes) -> None:
    """Raise FileError if a MatrixMarket file is not complete.

    SciPy's reader is fast and trusting: it takes ``3,7`` for 3, allocates what the file
    claims to hold, and a file that ends within a number can end the process.
    """
    file = io.BytesIO(text)
    header = mtx_header(path, file)
    check_room(path, 8 * header.entries, f"a matrix of {header.entries} entries")
    check_entries(path, memoryview(text)[file.tell() :], header, header.line)


def mtx_header(path: Path, file: IO[bytes]) -> Header:
    """Return what a MatrixMarket file says that it holds; raise FileError if that is no matrix."""
    first = file.readline(1000)
    banner = _BANNER.fullmatch(first)
    if banner is None:
        raise FileError(
            f"{path}: this is not a complete MatrixMarket file: line 1 must read like "
            "'%%MatrixMarket matrix coordinate real general'"
        )
    layout, field, symmetry = (word.lower() for word in banner.groups())
    if field == b"complex":
        raise FileError(
            f"{path}: this file holds complex numbers; split them into real and imaginary part"
        )
    if layout == b"array" and field == b"pattern":
        raise FileError(f"{path}: an array without values is no matrix; write 'real'")
    number, line = 2, file.readline()
    while line.startswith(b"%") or (line and not line.strip()):
        number, line = number + 1, file.readline()
    sparse = layout == b"coordinate"
    wanted = "rows columns entries" if sparse else "rows columns"
    sizes = [int(word) for word in line.split() if re.fullmatch(rb"[0-9]{1,18}", word)]
    if len(sizes) != len(line.split()) or len(sizes) != len(wanted.split()):
        raise _wrong(path, number, line, wanted)
    m, n = sizes[:2]
    check_not_empty(path, (m, n))
    if symmetry != b"general" and m != n:
        raise FileError(f"{path}: a {symmetry.decode()} matrix is square, but this is {m} x {n}")
    entries = sizes[2] if sparse else m * n
    return Header(first, sparse, field, symmetry, (m, n), entries, number + 1)


def check_entries(path: Path, text: memoryview, header: Header, number: int) -> None:
    """Raise FileError if a line is no entry, or is cut off; the first one has this number."""
    whole = (rb"[0-9]++", "row"), (rb"[0-9]++", "column")
    value = [_VALUES[header.field]] if header.field in _VALUES else []
    patterns, names = zip(*(whole if header.sparse else ()), *value, strict=True)
    entry, wanted = rb"[ \t]++".join(patterns), " ".join(names)
    match = re.match(rb"(?:[ \t]*+(?:" + entry + rb"[ \t]*+)?+\r?+\n)*+", text)
    end = match.end() if match else 0
    if end < len(text):
        before, rest = bytes(text[:end]), bytes(text[end : end + 1000])
        raise _wrong(path, number + before.count(b"\n"), rest.split(b"\n")[0], wanted)


def _wrong(path: Path, number: int, line: bytes, wanted: str) -> FileError:
    shown = line.strip()[:60].decode("utf-8", "replace")
    return FileError(
        f"{path}: this is not a complete MatrixMarket file: line {number} reads "
        f"{shown!r}, not '{wanted}'"
    )


def write_mtx(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write the numbers alone."""
    from scipy.io import mmwrite

    mmwrite(file, table.X)


def read_svmlight(path: Path, options: Options) -> Table:
    """Read a sparse matrix and its labels."""
    from sklearn.datasets import load_svmlight_file

    refuse_wide_text(path)
    X, y = load_svmlight_file(os.fspath(path))
    return from_array(path, by_columns(path, X), options, labels=y)


def write_svmlight(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write numbers and labels, zeros if there are none, counting columns from 1."""
    from sklearn.datasets import dump_svmlight_file

    labels = np.zeros(table.X.shape[0]) if table.labels is None else table.labels
    dump_svmlight_file(table.X, labels, file, zero_based=False)


def refuse_wide_text(path: Path) -> None:
    """Raise FileError for text in an encoding that lists of numbers are not read in."""
    name = encoding(path)
    if name != "utf-8-sig":
        raise FileError(
            f"{path}: this is {name.upper()} text; convert it to UTF-8 first, for example with "
            f"iconv -f {name} -t utf-8"
        )


def not_numbers(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    """Return why a format for numbers alone cannot hold this; empty if it can."""
    if table is None or table.X.dtype.kind in NUMBERS:
        return ""
    return f"this kind of file holds numbers, not text; {INSTEAD}"


def not_svmlight(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    """Return why svmlight cannot hold this; empty if it can."""
    if table is None or table.labels is None or table.labels.dtype.kind in NUMBERS:
        return not_numbers(table, selection)
    return f"svmlight has numbers as labels, not text such as {table.label_name!r}; {INSTEAD}"
