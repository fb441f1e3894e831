"""Columns of a sparse matrix that were taken one at a time, as compactly as they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats
from . import sparse_loops as loops

__all__ = ["KeptColumns"]

TOGETHER = 16
"""How many columns are copied together: one by one, each product would call a loop for each."""


class KeptColumns:
    """Columns a₁, …, a_t of length m with few entries, held as positions and values.

    Parameters
    ----------
    length : int
        m.
    dtype : dtype
        Of the values: that of the matrix which they are columns of.
    """

    def __init__(self, length: int, dtype: Any):
        self._length = length
        # two bytes for a position do up to 65,536 rows; indices of the matrix itself have four
        self._empty = loops.Compressed(
            np.zeros(1, np.int64), np.empty(0, np.min_scalar_type(length - 1)), np.empty(0, dtype)
        )
        self._parts: list[loops.Compressed] = []

    def append(self, column: Array) -> None:
        """Add a column, given as a vector."""
        if not self._parts or len(self._parts[-1].indptr) > TOGETHER:
            self._parts.append(self._empty)
        last = self._parts[-1]
        there = np.flatnonzero(column)
        self._parts[-1] = loops.Compressed(
            np.append(last.indptr, last.indptr[-1] + len(there)),
            np.append(last.indices, there.astype(last.indices.dtype)),
            np.append(last.data, column[there].astype(last.data.dtype)),
        )

    def products(self, E: Array) -> Floats:
        """Return the inner products of the columns with a vector, or with the columns of E."""
        E = np.ascontiguousarray(E, dtype=np.float64)
        return np.concatenate([loops.gathered(part, E) for part in self._parts])

    def combined(self, C: Array) -> Floats:
        """Return the sum of the columns times the numbers, or times each column, of C."""
        C = np.ascontiguousarray(C, dtype=np.float64)
        out, start = np.zeros((self._length, *C.shape[1:])), 0
        for part in self._parts:
            stop = start + len(part.indptr) - 1
            whole = [(part.indptr[:-1], part.indptr[1:])]
            loops.add_scattered(part, whole, C[start:stop], out)
            start = stop
        return out
