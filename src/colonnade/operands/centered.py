"""Columns less their means: what principal components and correlations are computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from .blocks import block_slices
from .containers import times_columns
from .dense import Dense
from .interface import Columns

__all__ = [
    "Centered",
    "centered",
]


class Centered(Columns):
    """``(A − 1μᵀ) D`` by way of A, so that sparse data stays sparse.

    Parameters
    ----------
    A : Columns
        The data.
    means : ndarray
        μ.
    factors : ndarray, optional
        The diagonal of D, 1 by default; 0 for columns that count as constant.
    """

    def __init__(self, A: Columns, means: Floats, factors: Floats | None = None):
        self.A = A
        self.shape = A.shape
        self.dtype = np.dtype(np.float64)
        self.means = means
        self.factors = np.ones(A.shape[1]) if factors is None else factors
        self._spread: Floats | None = None

    @property
    def spread(self) -> Floats:
        """The squared norms of the columns of ``A − 1μᵀ``, without the factors."""
        if self._spread is None:
            m, before = self.shape[0], self.A.sq_norms()
            squares = before - m * self.means * self.means
            doubtful = np.flatnonzero(squares < 1e-3 * before)  # the difference has lost digits
            for part in block_slices(len(doubtful), m):
                j = doubtful[part]
                squares[j] = np.square(self.A.columns(j) - self.means[j]).sum(axis=0)
            self._spread = squares
        return self._spread

    def far(self) -> Indices:
        """Return the columns too far from zero to take means out of their products."""
        return np.flatnonzero((self.spread < 1e-4 * self.A.sq_norms()) & (self.factors != 0))

    def matmat(self, V: Array) -> Array:
        V = (V.T * self.factors).T
        return np.asarray(self.A.matmat(V) - self.means @ V)

    def rmatmat(self, U: Array) -> Array:
        # columns of U often sum to zero but for rounding, which large means would magnify
        product = self.A.rmatmat(U) - np.multiply.outer(self.means, U.sum(axis=0))
        return np.asarray((product.T * self.factors).T)

    def columns(self, j: Indices | slice) -> Array:
        return np.asarray((self.A.columns(j) - self.means[j]) * self.factors[j])

    def row_strips(self, height: int) -> Iterator[Array]:
        for strip in self.A.row_strips(height):
            yield (strip - self.means) * self.factors

    def points(self) -> Any:
        return times_columns(self.A.points(), self.factors)  # distances know no means

    def subset(self, j: Indices) -> Columns:
        return Centered(self.A.subset(j), self.means[j], self.factors[j])

    def outer(self) -> Array:
        out = np.zeros((self.shape[0],) * 2)
        for block in block_slices(self.shape[1], self.shape[0]):
            part = self.columns(block)
            out += part @ part.T
        return out

    def gram(self) -> Array:
        out = np.multiply.outer(-self.shape[0] * self.means, self.means)
        out += self.A.gram()
        far = self.far()
        for block in block_slices(len(far), self.shape[0]):
            j = far[block]
            F = self.A.columns(j) - self.means[j]  # sums to zero, so the others need no means
            out[:, j] = self.A.rmatmat(F)
            for other in block_slices(len(far), self.shape[0]):
                i = far[other]
                out[np.ix_(i, j)] = (self.A.columns(i) - self.means[i]).T @ F
            out[j] = out[:, j].T
        out *= self.factors
        out *= self.factors[:, None]
        return out

    def sq_norms(self) -> Array:
        return self.spread * np.square(self.factors)

    def scaled(self, factor: float) -> Columns:
        return Centered(self.A, self.means, self.factors * factor)

    def max_abs(self) -> float:
        return max(
            float(np.abs(self.columns(block)).max())
            for block in block_slices(self.shape[1], self.shape[0])
        )

    @property
    def pass_bytes(self) -> int:
        return self.A.pass_bytes

    @property
    def square_flops(self) -> tuple[float, float]:
        return self.A.square_flops


def centered(A: Columns, standardize: bool) -> Columns:
    """Return A less the means of its columns, and with columns of unit length if so wished.

    Constant columns become exactly zero. Dense data is copied; sparse data is not.
    """
    m = A.shape[0]
    means = A.rmatmat(np.ones(m)) / m
    if A.decomposes_directly:
        Z = A.columns(slice(None)) - means
        squares = np.einsum("ij,ij->j", Z, Z)
    else:
        squares = Centered(A, means).spread
    # a mean errs by about eps·√m of the size of the column
    constant = squares <= (16 * float(np.finfo(float).eps)) ** 2 * m * A.sq_norms()
    if constant.all():
        what = "n_samples=1" if m == 1 else "all columns are constant"
        raise ValueError(
            f"{what}: nothing varies, so there are no principal components and no correlations; "
            "give rows that differ"
        )
    factors = np.where(constant, 0.0, 1.0)
    if standardize:
        factors /= np.sqrt(np.where(constant, 1.0, squares))
    if A.decomposes_directly:
        Z *= factors
        return Dense(Z)
    return Centered(A, means, factors)
