"""Distances between rows as they were given, for those who ask for the distances themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from ...foundation.typing import Array, Indices
from ...linalg.ties import TIE

__all__ = ["first_nearest", "rows_apart"]

NOTHING = 32 * float(np.finfo(float).eps)
"""Squared distances below this share of the squared norms are zero."""


def rows_apart(rows: Any, others: Any) -> Array:
    """Return the distances of rows from others; what is below the rounding of norms is zero."""
    D = np.asarray(euclidean_distances(rows, others, squared=True), dtype=np.float64)
    sizes = np.add.outer(row_norms(rows, squared=True), row_norms(others, squared=True))
    D[NOTHING * sizes >= D] = 0.0
    return np.sqrt(D, out=D)


def first_nearest(D: Array) -> Indices:
    """Return the nearest of each row: the first of those that rounding cannot tell apart."""
    least = D.min(axis=1, keepdims=True)
    return np.asarray(np.argmax(least * (1.0 + TIE) >= D, axis=1))
