"""Blocks of files, read when they are needed: what all kinds of large files share.

A dask array is a table of tasks, each of which is sent to whatever process has time for it, and is
run again if that process dies. So a task is one :class:`Piece`: a file by its name, and which part
of it. Nothing that is open, and nothing that is large, is in the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array, Indices
from ..operands.chunked.grid import Stamped
from ..operands.chunked.resources import as_bytes
from ..operands.containers import dense
from .kinds import FileError
from .table import Options, Plan
from .unreadable import reading

__all__ = [
    "Layout",
    "Piece",
    "Source",
    "Span",
    "as_array",
    "bytes_of",
    "column_of",
    "import_dask",
    "kept_as",
    "laid_out",
    "load",
    "spans",
    "stamp_of",
    "steps",
]

Span = tuple[int, int]
"""From the first on, before the second."""
Stamp = tuple[tuple[str, int, int], ...]
Layout = Literal["as stored", "columns", "both"]
"""How a matrix is cut: as it is stored, by columns, or by both, for passes over either."""
MOST_BLOCKS = 4096
"""How many blocks there may be of what is cut by both: larger ones are better than more."""


@dataclass(frozen=True)
class Source:
    """A file, or a part of one, that can be read in blocks, in any process.

    Attributes
    ----------
    path : str
        Where it is, from the root on: other processes may run in other folders.
    stamp : tuple
        How large each of its files was, and when it was last written; see :func:`stamp_of`.
    made_from : str
        For a file that was made for this of another one: which part of that, and of what size and
        time it was. The file itself is another one, at another place, whenever it is made.
    """

    kind: ClassVar[str]
    path: str
    stamp: Stamp
    made_from: str = field(default="", kw_only=True)

    def read(self, rows: Span, columns: Indices) -> Any:
        """Return some rows and columns, in their order, as an array or a CSR matrix."""
        left, right = int(columns[0]), int(columns[-1]) + 1
        X = self.block(rows, (left, right))
        return X if len(columns) == right - left else X[:, columns - left]

    def block(self, rows: Span, columns: Span) -> Any:
        """Return some rows, and columns that lie side by side."""
        raise NotImplementedError

    def mark(self, rows: Span, columns: Span) -> str:
        """Return what tells whether files of a block were written again that the stamp leaves out.

        Of data in a file for each of many blocks the stamp would be long, and slow to compare.
        """
        return ""


@dataclass(frozen=True)
class Piece(Stamped):
    """A block of a matrix: where its rows and columns are, and what becomes of them.

    Attributes
    ----------
    source : Source
        What to read.
    rows, columns : tuple of int
        From where on and up to where, in the source.
    left_out : tuple of int
        Which of these columns are no data, numbered from the first of them on.
    dtype : str
        What the numbers become.
    mark : str
        What :meth:`Source.mark` said when the file was opened.
    """

    source: Source
    rows: Span
    columns: Span
    left_out: tuple[int, ...]
    dtype: str
    mark: str

    def __str__(self) -> str:
        if not self.source.made_from:
            return repr(self)
        of = f"{self.source.kind} {self.source.made_from}"
        return f"Piece({of}, {self.rows}, {self.columns}, {self.left_out}, {self.dtype!r})"

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns the block has."""
        (top, bottom), (left, right) = self.rows, self.columns
        return bottom - top, right - left - len(self.left_out)


def load(piece: Piece) -> Any:
    """Read a block; raise FileError if the file is damaged, or is not what it was."""
    source = piece.source
    path = Path(source.path)
    with reading(path, source.kind):
        now = stamp_of([name for name, _, _ in source.stamp])
        if (now, source.mark(piece.rows, piece.columns)) != (source.stamp, piece.mark):
            raise FileError(f"{path}: this was changed since it was opened; open it again")
        columns = np.arange(*piece.columns)
        X = source.read(piece.rows, np.delete(columns, piece.left_out))
        if X.shape != piece.shape:
            raise FileError(
                f"{path}: a block of shape {piece.shape} was promised, and one of shape {X.shape} "
                "is there; the file is damaged"
            )
        if not np.can_cast(X.dtype, piece.dtype, "same_kind"):
            raise FileError(
                f"{path}: a block holds {X.dtype}, but {np.dtype(piece.dtype)} was promised; the "
                "file is damaged"
            )
        return X.astype(piece.dtype, copy=False)


def stamp_of(files: Iterable[str]) -> Stamp:
    """Return sizes and times of files, which tell whether they were written again."""
    found = ((name, os.stat(name)) for name in files)
    return tuple((name, about.st_size, about.st_mtime_ns) for name, about in found)


def as_array(
    parts: Sequence[tuple[Source, Span]],
    columns: Sequence[Span],
    plan: Plan,
    dtype: Any,
    *,
    sparse: bool = False,
) -> Any:
    """Return the dask array of a file; see :class:`Piece`.

    Parameters
    ----------
    parts : sequence of (Source, rows)
        Blocks of rows, from the first to the last.
    columns : sequence of columns
        How these are cut, from the first to the last.
    plan : Plan
        Which columns are data.
    dtype : dtype
        What the numbers become.
    sparse : bool
        Whether the blocks are CSR matrices.

    Returns
    -------
    dask.array.Array
        Its name tells the file, its time, and all parameters, so that equal arrays are known to
        be equal.
    """
    da, tokenize = import_dask()
    dtype = np.dtype(dtype)
    kept = np.arange(plan.n_columns) if plan.keep is None else plan.keep
    out = np.setdiff1d(np.arange(plan.n_columns), kept)
    strips = [
        ((left, right), tuple((out[(out >= left) & (out < right)] - left).tolist()))
        for left, right in columns
    ]
    strips = [(span, lost) for span, lost in strips if len(lost) < span[1] - span[0]]
    pieces = [[_piece(*part, *strip, dtype) for strip in strips] for part in parts]
    chunks = (
        tuple(row[0].shape[0] for row in pieces),
        tuple(piece.shape[1] for piece in pieces[0]),
    )
    kind = parts[0][0].kind.lower()
    marks = [piece.mark for row in pieces for piece in row]
    name = f"{kind}-{tokenize([parts, strips, dtype.str, sparse, marks])}"
    graph = {
        (name, i, j): (load, piece) for i, row in enumerate(pieces) for j, piece in enumerate(row)
    }
    meta = sp.csr_array((0, 0), dtype=dtype) if sparse else np.empty((0, 0), dtype=dtype)
    return da.Array(graph, name, chunks, meta=meta)


def column_of(parts: Sequence[tuple[Source, Span]], plan: Plan, dtype: Any) -> Array | None:
    """Return the column that is the label, which takes a pass through the file; None for none."""
    if plan.label is None:
        return None
    span = (plan.label, plan.label + 1)
    pieces = (_piece(source, rows, span, (), np.dtype(dtype)) for source, rows in parts)
    return np.concatenate([dense(load(piece)).ravel() for piece in pieces])


def _piece(
    source: Source, rows: Span, columns: Span, left_out: tuple[int, ...], dtype: np.dtype[Any]
) -> Piece:
    return Piece(source, rows, columns, left_out, dtype.str, source.mark(rows, columns))


def kept_as(dtype: Any) -> np.dtype[Any]:
    """Return what numbers of a type become: what BLAS or an integer sum takes, in native order.

    Examples
    --------
    >>> [kept_as(np.dtype(name)).name for name in ("f4", ">i2", "f2", "?")]
    ['float32', 'int16', 'float32', 'uint8']
    """
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "b":
        return np.dtype(np.uint8)
    if dtype.kind == "f":
        return np.dtype(np.float64 if dtype.itemsize > 4 else np.float32)
    return dtype


def bytes_of(path: Path, value: str | int, options: Options) -> int:
    """Return a number of bytes that is given as a number or as text; raise FileError for others.

    Examples
    --------
    >>> bytes_of(Path("a.npy"), "1.5 KiB", Options()), bytes_of(Path("a.npy"), "64MB", Options())
    (1536, 64000000)
    """
    try:
        return as_bytes(value)
    except (TypeError, ValueError) as error:
        raise FileError(
            f"{path}: {options.spelled('chunk_bytes', value)}: give a number of bytes from 1 on, "
            "such as 67108864 or '64MiB'"
        ) from error


def spans(length: int, step: int) -> list[Span]:
    """Return how a length is cut into steps.

    Examples
    --------
    >>> spans(7, 3)
    [(0, 3), (3, 6), (6, 7)]
    """
    return list(pairwise([*range(0, length, step), length]))


def steps(
    shape: tuple[int, int], itemsize: int, room: int, unit: tuple[int, int], *, across: bool = False
) -> tuple[int, int]:
    """Return how many rows and columns a block has.

    Parameters
    ----------
    shape : tuple of int
        Of the matrix.
    itemsize : int
        How many bytes a number takes.
    room : int
        How many bytes a block may take.
    unit : tuple of int
        What is stored together: less of it takes as long to read. A block is one of these at
        least.
    across : bool
        Whether blocks are columns, because these are stored one after the other, and not rows.

    Examples
    --------
    >>> steps((1000, 10), 8, 8000, (1, 1)), steps((1000, 10), 8, 8000, (1, 1), across=True)
    ((100, 10), (1000, 1))
    >>> steps((1000, 10), 8, 8000, (300, 2))
    (300, 2)
    """
    if across:
        columns, rows = steps(shape[::-1], itemsize, room, unit[::-1])
        return rows, columns
    (m, n), (height, width) = shape, unit
    height, width = min(height, m), min(width, n)
    rows = max(1, room // (n * itemsize * height)) * height
    columns = n
    if height * n * itemsize > room:
        columns = max(1, room // (height * width * itemsize)) * width
    return min(rows, m), min(columns, n)


def laid_out(
    layout: Layout,
    shape: tuple[int, int],
    itemsize: int,
    room: int,
    unit: tuple[int, int],
    *,
    across: bool = False,
) -> tuple[int, int]:
    """Return how many rows and columns a block has in a layout.

    By columns, all blocks below each other take so many bytes together, and by both also all beside
    each other; more, where there would be very many blocks, or where more is stored together.

    Parameters
    ----------
    layout : str
        Which.
    shape, itemsize, room, unit, across
        See :func:`steps`.

    Examples
    --------
    >>> [laid_out(how, (100, 1000), 8, 80_000, (1, 1)) for how in ("as stored", "columns", "both")]
    [(10, 1000), (100, 100), (10, 100)]
    """
    if layout == "as stored":
        return steps(shape, itemsize, room, unit, across=across)
    while True:
        height, _ = steps(shape, itemsize, room, unit)
        rows, width = steps(shape, itemsize, room, unit, across=True)
        if layout == "columns":
            return rows, width
        if -(-shape[0] // height) * -(-shape[1] // width) <= MOST_BLOCKS:
            return height, width
        room *= 2


def import_dask() -> tuple[Any, Any]:
    """Return dask.array and dask's tokenize; raise FileError with how to install them."""
    try:
        import dask.array as da
        from dask.base import tokenize
    except ModuleNotFoundError as error:
        raise FileError(
            'files larger than memory need dask; install it with pip install "colonnade[dask]"'
        ) from error
    return da, tokenize
