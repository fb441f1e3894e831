"""What products and other sums ask of a block: functions that every worker can import."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.typing import Array, Floats, Indices
from ..interface import Columns

__all__ = [
    "Largest",
    "all_rows",
    "columns",
    "group_sums",
    "matmat",
    "max_abs",
    "outer",
    "rmatmat",
    "row_sq_distances",
    "sq_norms",
    "top_products",
    "width_of",
]


class Largest:
    """A number of which the largest counts where others are added."""

    def __init__(self, value: float):
        self.value = value

    def __add__(self, other: Largest) -> Largest:
        return Largest(max(self.value, other.value))


def width_of(V: Any) -> int:
    """Return how many columns a factor has."""
    return int(V.shape[1]) if V.ndim > 1 else 1


def matmat(A: Columns, V: Any) -> Array:
    """Return A V."""
    return A.matmat(V)


def rmatmat(A: Columns, U: Array) -> Array:
    """Return Aᵀ U."""
    return A.rmatmat(U)


def sq_norms(A: Columns) -> Array:
    """Return the squared lengths of the columns."""
    return A.sq_norms()


def group_sums(A: Columns, groups: Indices, n_groups: int, weights: Floats | None) -> Array:
    """Return sums of rows by group, a line for each column."""
    return A.group_sums(groups, n_groups, weights).T


def row_sq_distances(A: Columns, centers: Array, groups: Indices) -> Array:
    """Return squared distances of the rows from the centres of their groups."""
    return A.row_sq_distances(centers, groups)


def top_products(A: Columns, V: Array, offsets: Floats) -> tuple[Indices, Floats, Floats]:
    """Return the best centre of each row, and the two largest products."""
    return A.top_products(V, offsets)


def columns(A: Columns, j: Indices) -> Array:
    """Return some columns."""
    return A.columns(j)


def all_rows(A: Columns) -> Array:
    """Return all rows, dense."""
    return np.concatenate(list(A.row_strips(A.shape[0]))) if A.shape[0] else A.columns(slice(None))


def outer(A: Columns) -> Array:
    """Return A Aᵀ."""
    return A.outer()


def max_abs(A: Columns) -> Largest:
    """Return the largest absolute entry."""
    return Largest(A.max_abs() if min(A.shape) else 0.0)
