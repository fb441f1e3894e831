"""Compiled loops for the distances of sparse rows from dense centres; see ``sparse_loops.py``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from ..foundation.threads import cores, in_parallel
from ..foundation.typing import Floats, Indices
from .sparse_loops import Compressed, even_cuts

__all__ = ["add_row_gaps"]


def add_row_gaps(
    A: Compressed, centers: Floats, groups: Indices, by_rows: bool, near: Floats, there: Floats
) -> None:
    """Add, over the entries of each row, squares of their gaps from its centre and of the centre.

    Twin: ``near[i] += ((X[i, j] - c[j]) ** 2).sum()`` and ``there[i] += (c[j] ** 2).sum()`` over
    the entries j of row i, with ``c = centers[groups[i]]``.
    """
    if not by_rows:
        _column_gaps(*A, centers, groups, near, there)
        return
    in_parallel(
        lambda part: _row_gaps(*A, *part, centers, groups, near, there),
        pairwise(even_cuts(A.indptr, cores())),
        len(A.data),
    )


@njit(nogil=True, cache=True)
def _row_gaps(
    indptr: Any, indices: Any, data: Any, start: Any, stop: Any,
    centers: Any, groups: Any, near: Any, there: Any,
) -> None:  # fmt: skip
    for i in range(start, stop):
        center = centers[groups[i]]
        a = 0.0
        b = 0.0
        for h in range(indptr[i], indptr[i + 1]):
            c = center[np.uint64(indices[h])]
            gap = np.float64(data[h]) - c
            a += gap * gap
            b += c * c
        near[i] += a
        there[i] += b


@njit(nogil=True, cache=True)
def _column_gaps(
    indptr: Any, indices: Any, data: Any, centers: Any, groups: Any, near: Any, there: Any
) -> None:
    for j in range(len(indptr) - 1):
        for h in range(indptr[j], indptr[j + 1]):
            i = indices[h]
            c = centers[groups[i], j]
            gap = np.float64(data[h]) - c
            near[i] += gap * gap
            there[i] += c * c
