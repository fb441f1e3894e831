"""Distances between rows as they were given, for those who ask for the distances themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from ...foundation.typing import Array

__all__ = ["rows_apart"]

NOTHING = 32 * float(np.finfo(float).eps)
"""Squared distances below this share of the squared norms are zero."""


def rows_apart(rows: Any, others: Any) -> Array:
    """Return the distances of rows from others; what is below the rounding of norms is zero."""
    D = np.asarray(euclidean_distances(rows, others, squared=True), dtype=np.float64)
    sizes = np.add.outer(row_norms(rows, squared=True), row_norms(others, squared=True))
    D[NOTHING * sizes >= D] = 0.0
    return np.sqrt(D, out=D)
