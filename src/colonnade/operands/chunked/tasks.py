"""What is done to a block, in whatever thread or process: pure functions that can be run again."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...foundation.typing import Floats
from ..adjusted import adjusted
from ..containers import canonical, compressed
from ..entrance import wrapped
from ..interface import Columns
from ..sums import Sums, Tile, sums_of
from .engine import BlockError

__all__ = [
    "Part",
    "Treatment",
    "Where",
    "add_sums",
    "added",
    "as_numbers",
    "assembled",
    "block_sums",
    "mark_of_blocks",
    "on_blocks",
    "size_of",
]

LARGEST = np.float64(2.0**250)
"""Entries beyond this have squares whose sums are out of range; with a type of its own, in which
float32 is compared with it."""


class Part(NamedTuple):
    """What a task found, and how many bytes of blocks it read for that."""

    value: Any
    read: int


class Where(NamedTuple):
    """Where blocks are: the numbers of the first, the row and column of its first entry.

    And how many rows and columns each line of blocks should have; None where nobody knows.
    """

    block: tuple[int, int]
    row: int | None
    column: int
    heights: tuple[int | None, ...]
    widths: tuple[int, ...]


@dataclass(frozen=True)
class Treatment:
    """What is done to the entries of a block: ``Ω(A − 1μᵀ)D``, and whether it is turned."""

    means: Floats | None = None
    factors: Floats | None = None
    roots: Floats | None = None
    turned: bool = False

    def applied(self, A: Columns) -> Columns:
        """Return a treated operand."""
        if not (self.means is None and self.factors is None and self.roots is None):
            n = A.shape[1]
            means = np.zeros(n) if self.means is None else self.means
            factors = np.ones(n) if self.factors is None else self.factors
            A = adjusted(A, means, factors, self.roots)
        return A.transposed() if self.turned else A


def on_blocks(
    function: Any,
    blocks: Sequence[Sequence[Any]],
    where: Where,
    check: bool,
    treatment: Treatment,
    *arguments: Any,
) -> Part:
    """Apply a function of an operand to blocks, as one matrix."""
    X, read = assembled(blocks, where, check)
    return Part(function(treatment.applied(wrapped(X)), *arguments), read)


def assembled(blocks: Sequence[Sequence[Any]], where: Where, check: bool) -> tuple[Any, int]:
    """Return rows of blocks as one array or sparse matrix, checked if so wished, and its size."""
    top, left = where.block
    taken = [
        [as_numbers(block, (top + i, left + j)) for j, block in enumerate(row)]
        for i, row in enumerate(blocks)
    ]
    _check_shapes(taken, where)
    read = sum(size_of(block) for row in taken for block in row)
    if check:
        _check_finite(taken, where)
    if len(taken) == 1 and len(taken[0]) == 1:
        return taken[0][0], read
    if any(sp.issparse(block) for row in taken for block in row):
        form = taken[0][0].format if sp.issparse(taken[0][0]) else "csr"
        parts = [[sp.csr_array(block) for block in row] for row in taken]  # some may be dense
        return canonical(sp.block_array(parts, format=form)), read
    return np.block(taken), read


def size_of(block: Any) -> int:
    """Return how many bytes a block takes."""
    if sp.issparse(block):
        return int(block.data.nbytes + block.indices.nbytes + block.indptr.nbytes)
    return int(block.nbytes)


def as_numbers(block: Any, number: tuple[int, int]) -> Any:
    """Return a block as an array or as CSR or CSC; raise BlockError if it holds no numbers."""
    if not sp.issparse(block) and hasattr(block, "tocsr"):
        block = block.tocsr()  # as that of the package sparse
    if isinstance(block, np.ma.MaskedArray):
        error = f"block {number} of the data is a masked array; fill the masked entries first"
        raise BlockError(number, TypeError(error))
    X = canonical(compressed(block)) if sp.issparse(block) else np.asarray(block)
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        error = (
            f"block {number} of the data has dtype {X.dtype} and {X.ndim} dimensions; only "
            "real numbers in two dimensions can be used: drop columns of text, encode categories"
        )
        raise BlockError(number, TypeError(error))
    return X


def _check_shapes(taken: Sequence[Sequence[Any]], where: Where) -> None:
    """Raise BlockError that names the first block that is not as large as was declared."""
    for i, (row, height) in enumerate(zip(taken, where.heights, strict=True)):
        for j, (block, width) in enumerate(zip(row, where.widths, strict=True)):
            # of unknown heights it is known that blocks side by side have the same
            declared = (row[0].shape[0] if height is None else height, width)
            if block.shape != declared:
                number = (where.block[0] + i, where.block[1] + j)
                error = (
                    f"block {number} of X has shape {block.shape}, but its chunks say {declared}; "
                    "whatever makes the blocks changes their shape: give it the true chunks (as in "
                    "map_blocks(..., chunks=...)), or call X.compute_chunk_sizes() first"
                )
                raise BlockError(number, ValueError(error))


def _check_finite(taken: Sequence[Sequence[Any]], where: Where) -> None:
    """Raise BlockError that names the first entry that is no number or out of range."""
    top = 0
    for i, row in enumerate(taken):
        left = 0
        for j, block in enumerate(row):
            values = block.data if sp.issparse(block) else block
            if not _in_range(values):
                _refuse(block, (where.block[0] + i, where.block[1] + j), where, top, left)
            left += block.shape[1]
        top += row[0].shape[0]


def _in_range(values: Any) -> bool:
    """Say whether entries are numbers with squares in range, without a copy of them."""
    if values.dtype.kind != "f" or not values.size:
        return True
    with np.errstate(invalid="ignore"):
        # in float64: narrower ones do not know so large a number
        low, high = np.float64(values.min()), np.float64(values.max())
    return bool(low >= -LARGEST and high <= LARGEST)  # NaN is neither


def _refuse(block: Any, number: tuple[int, int], where: Where, top: int, left: int) -> None:
    columns = block.shape[1]
    if sp.issparse(block):
        entries = block.tocoo()
        wrong = np.flatnonzero(_out_of_range(entries.data))
        rows = entries.coords[0][wrong].astype(np.int64)  # whose products are beyond 32 bits
        places = rows * columns + entries.coords[1][wrong]
        first = int(wrong[np.argmin(places)])
        i, j, value = entries.coords[0][first], entries.coords[1][first], entries.data[first]
    else:
        i, j = np.argwhere(_out_of_range(block))[0]
        value = block[i, j]
    if np.isfinite(value):
        what, cure = f"{value:.3g}", "divide the data by a large number first"
    else:
        what = "NaN" if np.isnan(value) else "infinity"
        cure = "fill or drop such entries first, for example with dask.array.nan_to_num"
    at = f"row {i} of that block" if where.row is None else f"row {where.row + top + i}"
    error = (
        f"X contains {what} in block {number}, at {at}, column {where.column + left + j}; {cure}"
    )
    raise BlockError(number, ValueError(error))


def _out_of_range(values: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return ~(np.abs(values.astype(np.float64)) <= LARGEST)


def added(*parts: Part) -> Part:
    """Return the sum of what tasks found, in their order."""
    total = parts[0].value
    for part in parts[1:]:
        total = total + part.value
    return Part(total, sum(part.read for part in parts))


def block_sums(
    before: Part | None,
    blocks: Sequence[Sequence[Any]],
    where: Where,
    check: bool,
    weights: Floats | None,
    tiles: Sequence[Tile],
    marked: bool,
) -> Part:
    """Add the sums over the rows of some blocks to those before them.

    Beside them are the number of rows of each line of blocks and, if it is asked for, a mark by
    which its entries are known again.
    """
    X, read = assembled(blocks, where, check)
    found: Sums | None = None
    if X.shape[0] and (weights is None or weights.any()):
        found = sums_of(wrapped(X), weights, tiles)
    counted = Part((found, [(X.shape[0], mark_of(X) if marked else 0)]), read)
    return counted if before is None else add_sums(before, counted)


def mark_of(X: Any) -> int:
    """Return a number that other entries would hardly have."""
    arrays = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
    mark = 0
    for array in arrays:
        mark = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, mark)
    return mark


def mark_of_blocks(blocks: Sequence[Sequence[Any]], where: Where) -> Part:
    """Return the height and the mark of some blocks."""
    X, read = assembled(blocks, where, check=False)
    return Part((X.shape[0], mark_of(X)), read)


def add_sums(first: Part, second: Part) -> Part:
    """Return the sums over the rows of both, and what is known of each line of blocks."""
    (a, counts), (b, more) = first.value, second.value
    sums = b if a is None else a if b is None else a + b
    return Part((sums, [*counts, *more]), first.read + second.read)
