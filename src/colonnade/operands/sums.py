"""What batches of rows add up to: all that methods for inner products see of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats
from .adjusted import adjusted, over
from .blocks import float64
from .dense import Dense
from .entrance import check_scale
from .interface import Columns
from .kernel import Kernel
from .preparing import Preparation, given_units, report_constant, varying_columns
from .scaling import decide_scale
from .statistics import extremes, moments

__all__ = ["Sums", "Tile", "strip_height", "sums_of"]

Tile = tuple[slice, slice]
"""Which columns are multiplied with which others; the first are not to the left of the second."""
STRIP_BYTES = 16 * 2**20
"""How much of an array is copied at a time to take the means out."""
STRIP_ROWS = 512
"""Of how many rows products are formed at least, since fewer are slower to multiply."""


@dataclass(frozen=True)
class Sums:
    """Weight, means, extremes, squares and products about the means of some rows.

    Attributes
    ----------
    n_rows : int
        How many rows with a weight there were.
    weight : float
        The sum of their weights.
    means : ndarray of shape (n,)
        The mean of each column.
    squares : ndarray of shape (n,)
        The sum of squares about it.
    low, high : ndarray of shape (n,)
        The smallest and the largest value of each column.
    tiles : tuple of pairs of slices
        Of which columns with which others there are products.
    parts : tuple of ndarray
        For each tile the inner products of the columns less their means.
    weighted : bool
        Whether any rows had weights.
    """

    n_rows: int
    weight: float
    means: Floats
    squares: Floats
    low: Floats
    high: Floats
    tiles: tuple[Tile, ...] = ()
    parts: tuple[Floats, ...] = ()
    weighted: bool = False

    def __add__(self, other: Sums) -> Sums:
        """Return the sums over the rows of both.

        About the common mean, by way of the difference of the means [1]_: products of columns
        that are far from zero keep their digits.

        References
        ----------
        .. [1] Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm for computing
           sample variances", 1979, eq. 2.1.
        """
        weight = self.weight + other.weight
        gap = other.means - self.means
        between = self.weight / weight * other.weight
        return Sums(
            self.n_rows + other.n_rows,
            weight,
            self.means + gap * (other.weight / weight),
            self.squares + other.squares + between * gap * gap,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.tiles,
            tuple(
                _merged(mine, theirs, between * gap[a], gap[b])
                for (a, b), mine, theirs in zip(self.tiles, self.parts, other.parts, strict=True)
            ),
            self.weighted or other.weighted,
        )

    @property
    def products(self) -> Floats:
        """All inner products of the columns less their means, n × n and symmetric."""
        n = len(self.means)
        if self.tiles == ((slice(0, n), slice(0, n)),):
            return self.parts[0]
        out = np.empty((n, n))
        for (a, b), part in zip(self.tiles, self.parts, strict=True):
            out[a, b] = part
            out[b, a] = part.T
        return out

    @property
    def spreads(self) -> Floats:
        """The standard deviation of each column."""
        return np.sqrt(np.maximum(self.squares, 0.0) / self.weight)

    def check_size(self) -> None:
        """Raise ValueError if squares of the entries would be out of range."""
        if (largest := _largest(self.low, self.high)) > 0:
            check_scale(largest)

    def treatment(
        self, *, center: bool, scale: Any, names: Sequence[str] | None, candidates: bool = True
    ) -> Preparation:
        """Return the means and units of the columns, as ``prepare`` finds them; no data.

        Parameters
        ----------
        center : bool
            Whether to take the means out.
        scale : {"std", "max", "auto"}, array-like of shape (n,) or None
            What to divide the columns by.
        names : sequence of str or None
            What the columns are called, for messages.
        candidates : bool
            Whether columns are candidates, so that it matters which of them do not vary.
        """
        if isinstance(scale, str) and scale not in ("std", "max", "auto"):
            raise ValueError(
                f"scale={scale!r} needs all rows at once, and here they come in batches; "
                'choose "std", "max", "auto", units or None'
            )
        self.check_size()
        nothing: Any = None
        if not center and scale is None:
            return Preparation(nothing, n_rows=self.weight)
        squares = np.maximum(self.squares, 0.0)
        of_means = self.weight * np.square(self.means)
        varying = varying_columns(squares, of_means, self.n_rows) & (self.low < self.high)
        report_constant(varying, self.n_rows, names, candidates)
        scaled = None
        if isinstance(scale, str) and scale == "auto":
            scaled = decide_scale((self.low, self.high), squares, varying, names)
            scale = scaled.scale
        means = self.means if center else np.where(varying, 0.0, self.means)
        units = np.where(varying, self._units(scale, means), 0.0)
        return Preparation(
            nothing, means, units, varying, center=bool(center), n_rows=self.weight, scaled=scaled
        )

    def gram(self, done: Preparation) -> Floats:
        """Return the inner products of the columns, n × n, treated as it is said."""
        left = self.means if done.means is None else self.means - done.means
        factors = np.ones(len(left)) if done.units is None else over(done.units)
        n = len(left)
        out = np.empty((n, n), order="F")
        for (a, b), part in zip(self.tiles, self.parts, strict=True):
            tile = part + np.multiply.outer(self.weight * left[a], left[b])
            tile *= factors[b]
            tile *= factors[a][:, None]
            out[a, b] = tile
            out[b, a] = tile.T
        return out

    def prepared(self, *, center: bool, scale: Any, names: Sequence[str] | None) -> Preparation:
        """Return inner products of the columns, centred and scaled, as ``prepare`` does it.

        Parameters are those of :meth:`treatment`.
        """
        done = self.treatment(center=center, scale=scale, names=names)
        return replace(done, A=Kernel(self.gram(done), check=False))

    def _units(self, scale: Any, origin: Floats) -> Floats:
        if scale is None:
            return np.ones(len(self.means))
        if not isinstance(scale, str):
            return given_units(scale, len(self.means))
        if scale == "std":
            return self.spreads
        return np.maximum(self.high - origin, origin - self.low)


def _largest(low: Floats, high: Floats) -> float:
    return float(np.maximum(-low, high).max(initial=0.0))


def _merged(mine: Floats, theirs: Floats, between: Floats, gap: Floats) -> Floats:
    out = np.multiply.outer(between, gap)
    out += theirs
    out += mine
    return out


def strip_height(n: int) -> int:
    """Return how many rows of n columns are copied at a time to take the means out."""
    return max(STRIP_ROWS, STRIP_BYTES // (8 * max(n, 1)))


def sums_of(A: Columns, weights: Floats | None = None, tiles: Sequence[Tile] | None = None) -> Sums:
    """Return the sums over the rows of an operand.

    Parameters
    ----------
    A : Columns
        The rows; those in chunks are read in one pass.
    weights : ndarray of shape (m,), optional
        Their weights.
    tiles : sequence of pairs of slices, optional
        Of which columns with which others to form products; of all with all by default. Of
        chunks either of all or of none.
    """
    n = A.shape[1]
    if A.out_of_core:
        from .chunked.treating import sums_of_chunks

        return sums_of_chunks(A, weights, products=tiles is None)
    tiles = ((slice(0, n), slice(0, n)),) if tiles is None else tuple(tiles)
    w = np.ones(A.shape[0]) if weights is None else weights
    low, high = extremes(A, weights)
    if (largest := _largest(low, high)) > 1.0:  # whether all rows are too small is known later
        check_scale(largest)
    roots = None if weights is None else np.sqrt(weights)
    if isinstance(A, Dense):
        means, squares, parts = _dense_sums(A.array, w, roots, tiles)
    else:
        means, squares = moments(A, w)
        Z = adjusted(A, means, np.ones(n), roots)
        whole = tiles == ((slice(0, n), slice(0, n)),)
        parts = (np.asarray(Z.gram()),) if whole else tuple(Z.gram_tile(a, b) for a, b in tiles)
    return Sums(
        int(np.count_nonzero(w)), float(w.sum()), means, squares, low, high, tiles, parts,
        weights is not None,
    )  # fmt: skip


def _dense_sums(
    array: Array, w: Floats, roots: Floats | None, tiles: Sequence[Tile]
) -> tuple[Floats, Floats, tuple[Floats, ...]]:
    """Return means, and squares and products about them, by way of centred strips of an array."""
    m, n = array.shape
    total = float(w.sum())
    means = np.array(w @ float64(array) if roots is not None else array.sum(axis=0, dtype=float))
    means /= total
    left, squares = np.zeros(n), np.zeros(n)
    parts = [np.zeros((a.stop - a.start, b.stop - b.start)) for a, b in tiles]
    height = strip_height(n)
    for start in range(0, m, height):
        rows = slice(start, start + height)
        Z = array[rows] - means
        if roots is not None:
            Z *= roots[rows, None]
        left += Z.sum(axis=0) if roots is None else roots[rows] @ Z
        B = Dense(Z)
        squares += B.sq_norms()
        for part, (a, b) in zip(parts, tiles, strict=True):
            part += B.gram_tile(a, b)
    # the means are corrected by what is left when they are taken out
    left /= total
    squares = np.maximum(squares - total * np.square(left), 0.0)
    for part, (a, b) in zip(parts, tiles, strict=True):
        part -= np.multiply.outer(total * left[a], left[b])
    return means + left, squares, tuple(parts)
