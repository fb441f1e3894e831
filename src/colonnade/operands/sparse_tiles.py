"""Inner products of some columns of a sparse matrix with some others: a tile of ``AᵀA``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..foundation.typing import Floats
from .sparse_loops import Compressed, U

__all__ = ["add_tile"]


def add_tile(A: Compressed, left: slice, right: slice, out: Floats) -> None:
    """Add the inner products of two ranges of the minor axis to a dense tile.

    Twin: ``out += (A[:, left].T @ A[:, right]).toarray()`` for a CSR matrix. Row by row, so that
    nothing is copied and the sums are in the order of the rows.
    """
    _add_tile(*A, left.start, left.stop, right.start, right.stop, out)


@njit(nogil=True, cache=True)
def _add_tile(
    indptr: Any, indices: Any, data: Any, a: Any, b: Any, c: Any, d: Any, out: Any
) -> None:
    for i in range(len(indptr) - 1):
        row = indices[indptr[i] : indptr[i + 1]]
        first, last = np.searchsorted(row, c), np.searchsorted(row, d)
        if first == last:
            continue
        start = U(indptr[i])
        for h in range(np.searchsorted(row, a), np.searchsorted(row, b)):
            x, sums = np.float64(data[start + U(h)]), out[U(row[h] - a)]
            for k in range(U(first), U(last)):
                sums[U(row[k] - c)] += x * np.float64(data[start + k])
