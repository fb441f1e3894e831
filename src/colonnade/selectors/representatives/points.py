"""The columns of an operand as points: squared distances between them, a tile at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ...foundation.threads import in_parallel, shares
from ...foundation.typing import Array, Floats, Indices
from ...linalg.svd import stochastic_svd
from ...linalg.ties import rounded_each
from ...operands.blocks import BLOCK_BYTES, block_slices
from ...operands.entrance import wrapped
from ...operands.interface import Columns

__all__ = ["HeldPoints", "Places", "Points", "in_few_directions", "points_of"]

ROUNDING = (16 * float(np.finfo(float).eps)) ** 2
"""Squared distances below this share of the squared norms are zero."""
TINY = float(np.finfo(float).tiny)
FEW, SMALL = 2000, 2**18
"""Up to so many points, of so many entries together, distances are sums of squared differences."""
TILE = 4 * BLOCK_BYTES
"""How many bytes of distances are held at a time."""
WIDE = 4096
"""How many places are compared at a time, where these are no copies of sparse points."""
SAMPLE = 5000
"""From how many points directions are learned."""


@dataclass(frozen=True)
class Places:
    """Some places in the space of the points, with their squared norms."""

    rows: Array
    squares: Array


class Points(ABC):
    """Points that can be asked how far they are from places.

    Attributes
    ----------
    count : int
        How many.
    n_coordinates : int
        How many coordinates they have.
    exact : bool
        Whether distances are known to all their digits; then what differs by less than rounding
        counts as equal.
    """

    count: int
    n_coordinates: int
    exact: bool = False

    @abstractmethod
    def places(self, j: Indices) -> Places:
        """Return where the points ``j`` are."""

    @abstractmethod
    def subset(self, j: Indices) -> Points:
        """Return some of the points alone."""

    @abstractmethod
    def projected(
        self, n_directions: int, rng: np.random.RandomState, *, full: bool = False
    ) -> HeldPoints:
        """Return the points in their leading directions, learned from some of them.

        Parameters
        ----------
        n_directions : int
            How many.
        rng : RandomState
            For which points they are learned from.
        full : bool
            Whether norms stay those in all directions, so that inner products alone are taken in
            few: what lies outside of these counts as orthogonal from point to point.
        """

    @abstractmethod
    def from_mean(self, weights: Floats) -> Floats:
        """Return the squared distance of each point from the weighted mean of all."""

    @abstractmethod
    def parts(self, width: int) -> list[slice]:
        """Cut the points such that distances of each part from ``width`` places fit in a tile."""

    @abstractmethod
    def at_once(self) -> int:
        """Return of how many points the places may be held at a time."""

    @abstractmethod
    def from_places(self, places: Places, part: slice) -> Array:
        """Return the squared distances of a part of the points from places."""

    def nearest(self, j: Indices, source: Points | None = None) -> tuple[Indices, Floats]:
        """Return which of some points is nearest to each point, and how far in squares it is.

        Of equally near ones it is the first.

        Parameters
        ----------
        j : ndarray of int
            Numbers of points.
        source : Points, optional
            Where these are, in the same space; here by default.
        """
        home = self if source is None else source
        width = home.at_once()
        blocks = [slice(start, start + width) for start in range(0, len(j), width)]
        return self._nearest((part.start, home.places(j[part])) for part in blocks)

    def _nearest(self, groups: Iterable[tuple[int, Places]]) -> tuple[Indices, Floats]:
        which = np.zeros(self.count, dtype=np.intp)
        far = np.full(self.count, np.inf)
        for start, places in groups:

            def measure(part: slice, places: Places = places, start: int = start) -> None:
                D = self.from_places(places, part)
                near = np.argmin(rounded_each(D) if self.exact else D, axis=1)
                least = D[np.arange(len(D)), near]
                nearer = least < far[part]
                which[part] = np.where(nearer, near + start, which[part])
                far[part] = np.where(nearer, least, far[part])

            work = self.count * places.rows.size
            in_parallel(measure, self.parts(len(places.squares)), work)
        return which, far

    def bound(self, weights: Floats) -> float:
        """Return a number that no squared distance between two of the points exceeds.

        Two points are at most twice as far apart as the farther one is from any place: here the
        weighted mean.
        """
        return 4.0 * float(self.from_mean(weights).max())

    def distances(self, place: Places) -> Floats:
        """Return the squared distance of each point from one place."""
        out = np.empty(self.count)

        def measure(part: slice) -> None:
            out[part] = self.from_places(place, part)[:, 0]

        in_parallel(measure, self.parts(1), work=out.size * place.rows.shape[1])
        return out


class HeldPoints(Points):
    """Points held as the rows of a dense array of our own.

    Parameters
    ----------
    rows : ndarray of shape (count, n_coordinates)
        The points.
    exact : bool
        Whether to sum squared differences, which loses no digits, in place of inner products.
    squares : ndarray of shape (count,), optional
        What to take for the squared norms of the points; those of the rows by default.
    """

    def __init__(self, rows: Array, exact: bool = False, squares: Array | None = None):
        self.rows, self.exact = rows, exact
        self.count, self.n_coordinates = rows.shape
        self.squares = np.einsum("ij,ij->i", rows, rows) if squares is None else squares

    def places(self, j: Indices) -> Places:
        return Places(self.rows[j], self.squares[j])

    def at(self, rows: Array) -> Places:
        """Return any places that are given by coordinates."""
        return Places(rows, np.einsum("ij,ij->i", rows, rows))

    def nearest_of(self, rows: Array) -> tuple[Indices, Floats]:
        """Return which of some places, given by coordinates, is nearest, and its square."""
        return self._nearest([(0, self.at(rows))])

    def at_once(self) -> int:
        return WIDE

    def from_mean(self, weights: Floats) -> Floats:
        mean = (weights.astype(self.rows.dtype) @ self.rows) / max(weights.sum(), TINY)
        return self.distances(self.at(mean[None].astype(self.rows.dtype)))

    def subset(self, j: Indices) -> HeldPoints:
        return HeldPoints(self.rows[j], self.exact, self.squares[j])

    def projected(
        self, n_directions: int, rng: np.random.RandomState, *, full: bool = False
    ) -> HeldPoints:
        sample = rng.permutation(self.count)[:SAMPLE]
        V = stochastic_svd(wrapped(self.rows[sample]), n_directions, rng, n_power=2)[1]
        V = V.astype(self.rows.dtype)
        out = np.empty((self.count, V.shape[1]), dtype=self.rows.dtype)

        def fill(part: slice) -> None:
            out[part] = self.rows[part] @ V

        in_parallel(fill, shares(self.count))
        return HeldPoints(out, squares=self.squares if full else None)

    def parts(self, width: int) -> list[slice]:
        return shares(self.count, max(1, TILE // (8 * max(1, width))))

    def from_places(self, places: Places, part: slice) -> Array:
        if self.exact:
            D = cdist(self.rows[part], places.rows, "sqeuclidean")
            # the mean of equal points is one of them, but for its last digit
            D[ROUNDING * (self.squares[part, None] + places.squares) >= D] = 0.0
            return D
        D = self.rows[part] @ (-2.0 * places.rows.T).astype(self.rows.dtype, copy=False)
        D += self.squares[part, None]
        D += places.squares
        return np.maximum(D, 0.0, out=D)


class OperandPoints(Points):
    """Points that stay in their operand, such as sparse ones.

    Parameters
    ----------
    A : Columns
        Its columns are the points.
    unit_length : bool
        Whether their directions alone count.
    """

    def __init__(self, A: Columns, unit_length: bool = False):
        self.A, self.unit_length = A, unit_length
        self.n_coordinates, self.count = A.shape
        self.lengths = np.sqrt(np.maximum(A.sq_norms(), 0.0))
        # a point without length has no direction: it counts as orthogonal to all others
        self.squares = np.ones(self.count) if unit_length else np.square(self.lengths)

    def _over(self, lengths: Floats) -> Floats:
        return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)

    def places(self, j: Indices) -> Places:
        rows = self.A.columns(j).T
        if self.unit_length:
            rows = rows * self._over(self.lengths[j])[:, None]
        return Places(rows, self.squares[j])

    def subset(self, j: Indices) -> OperandPoints:
        return OperandPoints(self.A.subset(j), self.unit_length)

    def projected(
        self, n_directions: int, rng: np.random.RandomState, *, full: bool = False
    ) -> HeldPoints:
        sample = np.sort(rng.permutation(self.count)[:SAMPLE])
        V = stochastic_svd(self.A.subset(sample).transposed(), n_directions, rng, n_power=2)[1]
        Z = self.A.rmatmat(V)
        if self.unit_length:
            Z *= self._over(self.lengths)[:, None]
        return HeldPoints(Z, squares=self.squares if full else None)

    def parts(self, width: int) -> list[slice]:
        return [slice(0, self.count)]  # all at once: a part would be a copy

    def from_mean(self, weights: Floats) -> Floats:
        factors = self._over(self.lengths) if self.unit_length else np.ones(self.count)
        mean = self.A.matmat(factors * weights) / max(weights.sum(), TINY)
        return self.distances(Places(mean[None], np.array([mean @ mean])))

    def at_once(self) -> int:
        return max(1, TILE // (8 * max(self.A.shape)))

    def from_places(self, places: Places, part: slice) -> Array:
        D = self.A.rmatmat(np.ascontiguousarray(places.rows.T))
        if self.unit_length:
            D *= self._over(self.lengths)[:, None]
        D *= -2.0
        D += self.squares[:, None]
        D += places.squares
        if self.unit_length:  # points without a direction are equal
            D[np.ix_(self.lengths == 0, ~places.rows.any(axis=1))] = 0.0
        return np.maximum(D, 0.0, out=D)


def points_of(A: Columns, *, unit_length: bool = False) -> Points:
    """Return the columns of an operand as points.

    Dense ones are copied, less their mean, which takes no digits from the distances then; in
    float32 if that is what they are, or integers of at most 16 bits. Few of any kind are held
    in float64. Others stay where they are.

    Parameters
    ----------
    A : Columns
        The operand.
    unit_length : bool
        Whether directions alone count: points are divided by their length.
    """
    m, n = A.shape
    few = n <= FEW and n * m <= SMALL
    if not few and not A.decomposes_directly:
        return OperandPoints(A, unit_length)
    short = A.dtype == np.float32 or A.pass_bytes <= 2 * m * n
    rows = np.empty((n, m), dtype=np.float32 if short and not few else np.float64)
    # where differences are summed, nothing is to be gained by it
    mean = np.zeros(m) if unit_length or few else A.matmat(np.ones(n, dtype=A.dtype)) / n
    for part in block_slices(n, m):
        rows[part] = (A.columns(part) - mean[:, None]).T
    if unit_length:
        rows = _directions(rows)
    return HeldPoints(rows, few)


def _directions(rows: Any) -> Array:
    """Return rows of unit length; those of length zero get a direction of their own."""
    lengths = np.linalg.norm(rows, axis=1)
    empty = lengths == 0
    rows /= np.where(empty, 1.0, lengths)[:, None]
    return np.column_stack([rows, empty.astype(rows.dtype)]) if empty.any() else rows


def in_few_directions(
    points: Points, n_directions: int | None, rng: np.random.RandomState, *, full: bool = False
) -> Points:
    """Return points that are long in their leading directions, others as they are.

    Parameters
    ----------
    points : Points
        The points.
    n_directions : int or None
        How many directions; None leaves all as they are.
    rng : RandomState
        For the points that directions are learned from.
    full : bool
        Whether norms stay those in all directions.
    """
    if n_directions is None or points.exact or points.n_coordinates <= 2 * n_directions:
        return points
    return points.projected(n_directions, rng, full=full)
