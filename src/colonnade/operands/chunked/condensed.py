"""Tall data by what all its rows add up to: inner products, and a triangle that has the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...foundation.typing import Array, Floats, Indices
from .. import loops
from ..dense import Dense
from ..interface import Columns

__all__ = ["Condensed"]


class Condensed(Columns):
    """``AᵀA`` of data with few columns, in place of the data.

    What methods see of the rows is, for all but those that look at rows one by one, their inner
    products; so any matrix with the same inner products stands for the data. Where these have
    lost digits, that is R of a QR factorization, which takes one more pass over the data.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        The inner products; kept, not copied.
    triangle : callable
        Returns R, with n columns.
    dtype : numpy.dtype
        What the entries of the data are stored as.
    """

    gram_is_held = True
    has_rows = False

    def __init__(self, gram: Array, triangle: Callable[[], Floats], dtype: Any, height: int):
        self._gram = gram
        self._triangle = triangle
        self._R: Dense | None = None
        self._height = height
        self.shape = (height, len(gram))
        self.dtype = np.dtype(dtype)

    @property
    def R(self) -> Dense:
        """The triangle, made when it is first asked for."""
        if self._R is None:
            self._R = Dense(self._triangle())
        return self._R

    def gram(self) -> Array:
        return self._gram

    def gram_columns(self, j: Indices | slice) -> Array:
        return self._gram[:, j].copy()  # whoever asks for some may write to them

    def gram_matmat(self, V: Array) -> Array:
        return np.asarray(self._gram @ V)

    def gram_tile(self, left: slice, right: slice) -> Array:
        return self._gram[left, right].copy()

    def sq_norms(self) -> Array:
        return self._gram.diagonal().copy()

    def gram_sq_norms(self) -> Array:
        return loops.column_sq_norms(self._gram)

    def subset(self, j: Indices) -> Columns:
        part = np.asfortranarray(self._gram[np.ix_(j, j)])
        return Condensed(part, lambda: self.R.array[:, j], self.dtype, self._height)

    def scaled(self, factor: float) -> Columns:
        return Condensed(
            self._gram * factor**2, lambda: self.R.array * factor, self.dtype, self._height
        )

    def max_abs(self) -> float:
        return float(np.sqrt(max(self._gram.diagonal().max(), 0.0)))

    def matmat(self, V: Array) -> Array:
        return self.R.matmat(V)

    def rmatmat(self, U: Array) -> Array:
        return self.R.rmatmat(U)

    def columns(self, j: Indices | slice) -> Array:
        return self.R.columns(j)

    def row_strips(self, height: int) -> Iterator[Array]:
        return self.R.row_strips(height)

    def points(self, *, unit_length: bool = False) -> Any:
        raise TypeError(
            "this looks at rows one by one, and of data in chunks only sums over all rows are at "
            "hand; pass an array, such as some of the rows"
        )

    def transposed(self) -> Columns:
        return self.R.transposed()

    def outer(self) -> Array:
        return self.R.outer()

    def compressed(self) -> Columns:
        return Dense(self.R.array, self.dtype)

    def triangle(self) -> Floats:
        return self.R.triangle()

    @property
    def pass_bytes(self) -> int:
        return self._gram.nbytes

    @property
    def square_flops(self) -> tuple[float, float]:
        # products of rows would need the triangle, which takes a pass over the data
        return 0.0, np.inf if self._R is None else float(len(self._gram)) ** 3
