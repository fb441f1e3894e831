"""Columns less their means: what principal components and correlations are computed from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._typing import Array, Floats, Indices, Mask
from ..blocks import cut
from ..operand import Dense, Operand
from .pivoting import MEMORY_BUDGET
from .selecting import Wishes
from .svd import EXACT_SIDE, right_singular_vectors

__all__ = [
    "Centered",
    "centered",
    "central_order",
    "in_play",
    "principal_components",
    "rounded",
]


class Centered(Operand):
    """``(A − 1μᵀ) D`` by way of A, so that sparse data stays sparse.

    Parameters
    ----------
    A : Operand
        The data; must have columns.
    means : ndarray
        μ.
    factors : ndarray
        The diagonal of D; 0 for constant columns.
    sq_norms : ndarray
        The squared norms of the columns of the result.
    """

    def __init__(self, A: Operand, means: Floats, factors: Floats, sq_norms: Floats):
        self.A = A
        self.shape = A.shape
        self.dtype = np.dtype(np.float64)
        self.means = means
        self.factors = factors
        self._sq_norms = sq_norms

    def matmat(self, V: Array) -> Array:
        V = (V.T * self.factors).T
        return np.asarray(self.A.matmat(V) - self.means @ V)

    def rmatmat(self, U: Array) -> Array:
        product = self.A.rmatmat(U) - np.multiply.outer(self.means, U.sum(axis=0))
        return np.asarray((product.T * self.factors).T)

    def columns(self, j: Indices | slice) -> Array:
        return np.asarray((self.A.columns(j) - self.means[j]) * self.factors[j])

    def row_strips(self, height: int) -> Iterator[Array]:
        for strip in self.A.row_strips(height):
            yield (strip - self.means) * self.factors

    def subset(self, j: Indices) -> Operand:
        return Centered(self.A.subset(j), self.means[j], self.factors[j], self._sq_norms[j])

    def outer(self) -> Array:
        out = np.zeros((self.shape[0],) * 2)
        for block in cut(self.shape[1], self.shape[0]):
            part = self.columns(block)
            out += part @ part.T
        return out

    def gram(self) -> Array:
        out = np.multiply.outer(-self.shape[0] * self.means, self.means)
        out += self.A.gram()
        out *= self.factors
        out *= self.factors[:, None]
        return out

    def sq_norms(self) -> Array:
        return self._sq_norms

    def scaled(self, factor: float) -> Operand:
        return Centered(self.A, self.means, self.factors * factor, self._sq_norms * factor**2)

    def max_abs(self) -> float:
        return max(
            float(np.abs(self.columns(block)).max()) for block in cut(self.shape[1], self.shape[0])
        )

    @property
    def pass_bytes(self) -> int:
        return self.A.pass_bytes

    @property
    def square_flops(self) -> tuple[float, float]:
        return self.A.square_flops


def centered(A: Operand, standardize: bool) -> Operand:
    """Return A less the means of its columns, and with columns of unit length if so wished.

    Constant columns become exactly zero. Dense data is copied; sparse data is not.
    """
    if not A.has_columns:
        raise TypeError(
            "means and correlations need the columns themselves, but a kernel has only their "
            "inner products; pass the data, or use a method for kernels such as 'greedy'"
        )
    m = A.shape[0]
    means = A.rmatmat(np.ones(m)) / m
    before = A.sq_norms()
    if isinstance(A, Dense):
        Z = A.columns(slice(None)) - means
        squares = np.einsum("ij,ij->j", Z, Z)
    else:
        squares = before - m * means * means
        doubtful = np.flatnonzero(squares <= 1e-3 * before)  # the difference has lost digits
        for part in cut(len(doubtful), m):
            j = doubtful[part]
            squares[j] = np.square(A.columns(j) - means[j]).sum(axis=0)
    # a mean errs by about eps·√m of the size of the column
    constant = squares <= (16 * float(np.finfo(float).eps)) ** 2 * m * before
    if constant.all():
        what = "n_samples=1" if m == 1 else "all columns are constant"
        raise ValueError(
            f"{what}: nothing varies, so there are no principal components and no correlations; "
            "give rows that differ"
        )
    factors = np.where(constant, 0.0, 1.0)
    if standardize:
        factors /= np.sqrt(np.where(constant, 1.0, squares))
    squares = squares * factors**2
    if isinstance(A, Dense):
        Z *= factors
        return Dense(Z)
    return Centered(A, means, factors, squares)


LARGEST_SIDE = 8000
"""Up to which shorter side more than half of the components are computed: minutes."""


def principal_components(Z: Operand, rank: int | None) -> tuple[Floats, Array]:
    """Return standard deviations times √m and loadings (n × k) of centred data.

    Components without variance are left out, so k may be less than ``rank``.
    """
    short = min(Z.shape)
    lanczos = short > EXACT_SIDE and rank is not None and rank < short // 2
    if not lanczos and short > LARGEST_SIDE:
        raise ValueError(
            f"so many components ({'all' if rank is None else rank}) of a matrix of shape "
            f"{Z.shape} take hours; ask for fewer than {short // 2} components: pass a smaller "
            "n_select, also beside max_error"
        )
    if not lanczos and not isinstance(Z, Dense) and 8 * short * short > MEMORY_BUDGET:
        raise ValueError(
            f"so many components of a matrix of shape {Z.shape} need a square matrix of "
            f"{8 * short * short / 2**30:.1f} GiB, above {MEMORY_BUDGET / 2**30:.0f} GiB; ask "
            f"for fewer than {short // 2} components (a smaller n_select, and no B1, B2)"
        )
    return right_singular_vectors(Z, rank)


def in_play(wishes: Wishes) -> tuple[Operand, Indices]:
    """Return the columns that are not excluded, and their numbers."""
    play: Mask = wishes.allowed.copy()
    play[wishes.first] = True
    numbers = np.flatnonzero(play)
    return (wishes.A if play.all() else wishes.A.subset(numbers)), numbers


def central_order(closeness: Floats, sq_norms: Floats) -> Indices:
    """Return the columns by falling closeness to all others, equally close ones by their length.

    Two columns load alike on both of their components, and two that are each other's nearest are
    equally near: such ties are the rule. Which of the two is kept must depend on the data, not on
    how its columns happen to be arranged.

    Parameters
    ----------
    closeness : ndarray of shape (n,)
        How well each column stands for all others.
    sq_norms : ndarray of shape (n,)
        The squared norms of the columns as they were given.
    """
    size = np.abs(closeness)
    closeness = np.where(size > 1e-28 * size.max(), closeness, 0.0)  # nothing, but for rounding
    return np.lexsort((-rounded(sq_norms, SIX_DIGITS), -rounded(closeness, SIX_DIGITS)))


TEN_DIGITS, SIX_DIGITS = 19, 32
"""How many of the 52 bits of a mantissa are spared for so many significant digits to be left."""


def rounded(scores: Array, spare: int = TEN_DIGITS) -> Array:
    """Return scores to ten significant digits, so that equal columns tie whatever the rounding."""
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    bits = (bits + (1 << (spare - 1))) >> spare << spare
    return bits.view(np.float64)
