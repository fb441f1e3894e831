"""Columns less their means, divided by their units, with weights of rows: ``Ω(A − 1μᵀ)D``.

The mean and the unit of a column enter when its entries are read (:class:`AdjustedDense`) or as
a correction of rank one (:class:`AdjustedSparse`), so the data is neither copied nor filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from . import loops
from .blocks import BLOCK_BYTES, block_slices
from .containers import times_columns, unit_rows
from .dense import SMALL, Dense
from .interface import Columns
from .sparse import Sparse

__all__ = ["AdjustedDense", "AdjustedSparse", "adjusted", "adjusted_like", "centered", "over"]

FAR = 1e-4
"""A column that keeps less of its square than this share when its mean is taken out is far from
zero: its mean is taken out of the entries, not out of products, which would lose digits."""
HELD = 16 * BLOCK_BYTES
"""How much the dense columns that are far from zero may take; more are made when needed."""


def over(units: Floats) -> Floats:
    """Return one over each unit; zero where there is none, as for columns that do not vary."""
    return np.divide(1.0, units, out=np.zeros_like(units), where=units > 0)


def adjusted(A: Columns, means: Floats, factors: Floats, roots: Floats | None = None) -> Columns:
    """Return ``diag(roots) (A − 1 meansᵀ) diag(factors)`` without a copy of dense data.

    Parameters
    ----------
    A : Dense, Sparse or Chunked
        The data as it was given.
    means, factors : ndarray of shape (n,)
        What is subtracted from each column, and what it is multiplied by then.
    roots : ndarray of shape (m,), optional
        Square roots of the weights of the rows. Sparse data is copied for them.
    """
    if A.out_of_core:
        return A.adjusted_by(means, factors, roots)
    if isinstance(A, Dense):
        return AdjustedDense(A.array, means, factors, roots)
    assert isinstance(A, Sparse), "there is no other container"
    if roots is None:
        return AdjustedSparse(A, np.ones(A.shape[0]), means, factors)
    return AdjustedSparse(A.times(rows=roots), roots, means, factors)


def adjusted_like(A: Columns, rows: Columns) -> Columns:
    """Return other rows with what was done to the columns of A, without weights."""
    if isinstance(A, AdjustedDense | AdjustedSparse):
        return adjusted(rows, A.means, A.factors)
    return rows


def centered(A: Columns) -> Columns:
    """Return A less the means of its columns, without a copy of dense data.

    For rows without weights, or weighted rows that have their mean taken out already.
    """
    m, n = A.shape
    if isinstance(A, AdjustedDense | AdjustedSparse):
        means = A.rmatmat(A.left / (A.left @ A.left))
        moved = A.means + np.divide(means, A.factors, out=np.zeros(n), where=A.factors != 0)
        return A.with_means(moved)
    return adjusted(A, A.rmatmat(np.ones(m)) / m, np.ones(n))


class AdjustedDense(Dense):
    """``Ω(A − 1μᵀ)D`` of an array; every part of it is adjusted when it is read.

    Parameters
    ----------
    array : ndarray
        A, or its transpose.
    means, factors : ndarray
        μ and the diagonal of D.
    roots : ndarray or None
        The diagonal of Ω.
    turned : bool
        Whether this is the transpose of the matrix above, and ``array`` that of A.
    """

    as_stored = False

    def __init__(
        self,
        array: Array,
        means: Floats,
        factors: Floats,
        roots: Floats | None = None,
        turned: bool = False,
    ):
        super().__init__(array, np.float64)
        self.means, self.factors, self.roots, self.turned = means, factors, roots, turned
        self._sq_norms: Floats | None = None

    def part(self, rows: slice, cols: Indices | slice) -> Array:
        features, samples = (rows, cols) if self.turned else (cols, rows)
        means, factors = self.means[features], self.factors[features]
        if self.turned:
            means, factors = means[:, None], factors[:, None]
        out: Array = self.array[rows, cols] - means
        out *= factors
        if self.roots is not None:
            roots = self.roots[samples]
            out *= roots if self.turned else roots[:, None]
        return out

    @property
    def left(self) -> Floats:
        """What the means of an untransposed matrix are multiplied by: u in ``ΩA − uμᵀ``."""
        return np.ones(self.shape[0]) if self.roots is None else self.roots

    def with_means(self, means: Floats) -> Columns:
        """Return the operand with other means."""
        return AdjustedDense(self.array, means, self.factors, self.roots, self.turned)

    def sq_norms(self) -> Array:
        if self._sq_norms is None:
            out = np.zeros(self.shape[1])
            for rows, cols in self._tiles():
                out[cols] += loops.column_sq_norms(self.part(rows, cols))
            self._sq_norms = out
        return self._sq_norms.copy()

    def points(self, *, unit_length: bool = False) -> Any:
        if unit_length:
            plain = AdjustedDense(
                self.array, np.zeros_like(self.means), self.factors, self.roots, self.turned
            )
            return unit_rows(plain.part(slice(None), slice(None)))
        out = self.part(slice(None), slice(None))
        return out - out.mean(axis=0)

    def subset(self, j: Indices) -> Columns:
        array = super().subset(j).array  # type: ignore[attr-defined]
        if self.turned:
            roots = None if self.roots is None else self.roots[j]
            return AdjustedDense(array, self.means, self.factors, roots, turned=True)
        return AdjustedDense(array, self.means[j], self.factors[j], self.roots)

    def transposed(self) -> Columns:
        return AdjustedDense(self.array.T, self.means, self.factors, self.roots, not self.turned)

    def scaled(self, factor: float) -> Columns:
        return AdjustedDense(self.array, self.means, self.factors * factor, self.roots, self.turned)

    def group_sums(self, groups: Indices, n_groups: int, weights: Floats | None = None) -> Array:
        return Columns.group_sums(self, groups, n_groups, weights)

    def row_sq_distances(self, centers: Array, groups: Indices) -> Array:
        return Columns.row_sq_distances(self, centers, groups)

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        if self.turned or self.array.size <= SMALL:
            return Columns.sweep(self, q, z, gain, f, g)
        y = q if z is None else z
        if self.roots is not None:
            q, y = q * self.roots, y * self.roots
        if z is None:
            gain, f = 0.0, np.zeros_like(g)
        return loops.sweep(self.array, q, y, gain, f, g, self.means, self.factors)

    def max_abs(self) -> float:
        return max(float(np.abs(self.part(*tile)).max()) for tile in self._tiles())


class AdjustedSparse(Columns):
    """``(B − uμᵀ)D`` by way of a sparse B: sparse data stays so.

    Columns whose mean is far above their spread are made dense, a few at a time.

    Parameters
    ----------
    B : Sparse
        The data, with weights of rows if there are any: ``ΩA``.
    left : ndarray of shape (m,)
        u: ones, or the square roots of the weights.
    means, factors : ndarray of shape (n,)
        μ and the diagonal of D.
    """

    def __init__(self, B: Sparse, left: Floats, means: Floats, factors: Floats):
        self.B, self.left, self.means, self.factors = B, left, means, factors
        self.shape = B.shape
        self.dtype = np.dtype(np.float64)
        self.sums = B.rmatmat(left)
        self.weight = float(left @ left)
        before = B.sq_norms()
        spread = before - 2.0 * means * self.sums + self.weight * means * means
        doubtful = np.flatnonzero(spread < 1e-3 * before)  # the difference has lost digits
        for part in block_slices(len(doubtful), self.shape[0]):
            spread[doubtful[part]] = loops.column_sq_norms(self._explicit(doubtful[part]))
        self.spread = spread
        """The squared norms of the columns of ``B − uμᵀ``, without the factors."""
        self.far = np.flatnonzero((spread < FAR * before) & (factors != 0))
        self._held: list[tuple[Indices, Array]] | None = None

    def with_means(self, means: Floats) -> Columns:
        """Return the operand with other means."""
        return AdjustedSparse(self.B, self.left, means, self.factors)

    def _explicit(self, j: Indices | slice) -> Array:
        """Return the columns j of ``B − uμᵀ``."""
        return np.asarray(self.B.columns(j) - np.multiply.outer(self.left, self.means[j]))

    def _far_columns(self) -> Iterator[tuple[Indices, Array]]:
        """Yield the columns of ``B − uμᵀ`` that are far from zero, a block at a time."""
        if self._held is not None:
            yield from self._held
            return
        blocks = (self.far[part] for part in block_slices(len(self.far), self.shape[0]))
        found = ((j, self._explicit(j)) for j in blocks)
        if 8 * self.shape[0] * len(self.far) <= HELD:
            self._held = list(found)
            yield from self._held
        else:
            yield from found

    def _times(self, V: Array) -> Array:
        """Return ``(B − uμᵀ) V``."""
        near = V
        if len(self.far):
            near = V.copy()
            near[self.far] = 0.0
        out = self.B.matmat(near) - np.multiply.outer(self.left, self.means @ near)
        for j, F in self._far_columns():
            out += F @ V[j]
        return np.asarray(out)

    def _transpose_times(self, U: Array) -> Array:
        """Return ``(B − uμᵀ)ᵀ U``."""
        out = self.B.rmatmat(U) - np.multiply.outer(self.means, self.left @ U)
        for j, F in self._far_columns():
            out[j] = F.T @ U
        return np.asarray(out)

    def matmat(self, V: Array) -> Array:
        return self._times((V.T * self.factors).T)

    def rmatmat(self, U: Array) -> Array:
        return np.asarray((self._transpose_times(U).T * self.factors).T)

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        if z is None:
            return super().sweep(q, z, gain, f, g)
        omega, y = np.ascontiguousarray(self.rmatmat(np.column_stack([q, z])).T)
        loops.update_scores(omega, y, gain, f, g)
        return np.asarray(omega)

    def columns(self, j: Indices | slice) -> Array:
        return np.asarray(self._explicit(j) * self.factors[j])

    def row_strips(self, height: int) -> Iterator[Array]:
        for start, strip in enumerate(self.B.row_strips(height)):
            left = self.left[start * height : start * height + len(strip)]
            yield (strip - np.multiply.outer(left, self.means)) * self.factors

    def points(self, *, unit_length: bool = False) -> Any:
        if not unit_length and np.ptp(self.left) > 0:
            # each row has lost a multiple of its own, as where samples are columns: what that
            # takes from the distances has no sparse form
            explicit = np.vstack(list(self.row_strips(256)))
            return np.asarray(explicit - explicit.mean(axis=0))
        rows = times_columns(self.B.points(), self.factors)  # distances know no common means
        return unit_rows(rows) if unit_length else rows

    def subset(self, j: Indices) -> Columns:
        return AdjustedSparse(self.B.subset(j), self.left, self.means[j], self.factors[j])

    def transposed(self) -> Columns:
        B = self.B.times(columns=self.factors).transposed()
        ones = np.ones(self.shape[0])
        return AdjustedSparse(B, self.means * self.factors, self.left, ones)

    def outer(self) -> Array:
        factors = self.factors.copy()
        factors[self.far] = 0.0
        scaled = self.means * factors
        h = self.B.matmat(scaled * factors)
        out = self.B.times(columns=factors).outer()
        out -= np.multiply.outer(h, self.left)
        out -= np.multiply.outer(self.left, h - float(scaled @ scaled) * self.left)
        for j, F in self._far_columns():
            F = F * self.factors[j]
            out += F @ F.T
        return out

    def gram(self) -> Array:
        out = self.B.gram()
        out -= np.multiply.outer(self.means, self.sums)
        out -= np.multiply.outer(self.sums - self.weight * self.means, self.means)
        for j, F in self._far_columns():
            out[:, j] = self._transpose_times(F)
            out[j] = out[:, j].T
        out *= self.factors
        out *= self.factors[:, None]
        return out

    def gram_tile(self, left: slice, right: slice) -> Array:
        out = self.B.gram_tile(left, right)
        kept = self.sums[left] - self.weight * self.means[left]
        # both corrections at once: each would be another pass over the tile
        ours = np.column_stack([self.means[left], kept])
        out -= ours @ np.stack([self.sums[right], self.means[right]])
        for j, F in self._far_columns():
            for side, other, tile in ((left, right, out), (right, left, out.T)):
                there = np.flatnonzero((j >= side.start) & (j < side.stop))
                if len(there):
                    tile[j[there] - side.start] = self._transpose_times(F[:, there])[other].T
        if not (self.factors == 1.0).all():
            out *= self.factors[right]
            out *= self.factors[left][:, None]
        return out

    def gram_sq_norms(self) -> Array:
        # of ZᵀZ = D(G − μpᵀ − bμᵀ)D with G = BᵀB, b = Bᵀu and p = b − (uᵀu)μ
        factors = self.factors.copy()
        factors[self.far] = 0.0
        squares = np.square(factors)
        mu, b = self.means, self.sums
        p = b - self.weight * mu
        first = self.B.gram_sq_norms(factors)
        by_mu, by_b = self.B.rmatmat(self.B.matmat(np.stack([squares * mu, squares * b]).T)).T
        rest = p * p * (mu @ (squares * mu)) + mu * mu * (b @ (squares * b))
        rest += 2.0 * p * mu * (mu @ (squares * b)) - 2.0 * (p * by_mu + mu * by_b)
        out = first + squares * rest
        for j, F in self._far_columns():
            products = self._transpose_times(F * self.factors[j])
            out += squares * np.square(products).sum(axis=1)
        lost = np.flatnonzero(out < 1e-3 * first)
        lost = np.union1d(lost, self.far)
        for part in block_slices(len(lost), self.shape[1]):
            out[lost[part]] = loops.column_sq_norms(self.gram_columns(lost[part]))
        return np.asarray(out)

    def sq_norms(self) -> Array:
        return self.spread * np.square(self.factors)

    def scaled(self, factor: float) -> Columns:
        return AdjustedSparse(self.B, self.left, self.means, self.factors * factor)

    def max_abs(self) -> float:
        # the longest column tells the size as well, and its entries need not be looked at
        return float(np.sqrt(self.sq_norms().max()))

    @property
    def pass_bytes(self) -> int:
        return self.B.pass_bytes

    @property
    def square_flops(self) -> tuple[float, float]:
        return self.B.square_flops
