"""What batches of rows add up to: all that methods for inner products see of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.typing import Floats
from .adjusted import adjusted, over
from .interface import Columns
from .kernel import Kernel
from .preparing import Preparation, given_units, report_constant, varying_columns
from .statistics import extremes, moments

__all__ = ["Sums", "sums_of"]


@dataclass(frozen=True)
class Sums:
    """Weight, means, extremes and products about the means of some rows.

    Attributes
    ----------
    n_rows : int
        How many rows with a weight there were.
    weight : float
        The sum of their weights.
    means : ndarray of shape (n,)
        The mean of each column.
    products : ndarray of shape (n, n)
        Inner products of the columns less their means.
    low, high : ndarray of shape (n,)
        The smallest and the largest value of each column.
    weighted : bool
        Whether any rows had weights.
    """

    n_rows: int
    weight: float
    means: Floats
    products: Floats
    low: Floats
    high: Floats
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
            self.products + other.products + np.multiply.outer(between * gap, gap),
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.weighted or other.weighted,
        )

    @property
    def spreads(self) -> Floats:
        """The standard deviation of each column."""
        return np.sqrt(np.maximum(self.products.diagonal(), 0.0) / self.weight)

    def prepared(self, *, center: bool, scale: Any, names: Sequence[str] | None) -> Preparation:
        """Return inner products of the columns, centred and scaled, as ``prepare`` does it.

        Parameters
        ----------
        center : bool
            Whether to take the means out.
        scale : {"std", "max"}, array-like of shape (n,) or None
            What to divide the columns by.
        names : sequence of str or None
            What the columns are called, for messages.
        """
        if isinstance(scale, str) and scale not in ("std", "max"):
            raise ValueError(
                f"scale={scale!r} needs all rows at once, and partial_fit sees them in batches; "
                'choose "std", "max", units or None'
            )
        n = len(self.means)
        if not center and scale is None:
            P = self.products + self.weight * np.multiply.outer(self.means, self.means)
            return Preparation(Kernel(P, check=False), n_rows=self.weight)
        squares = np.maximum(self.products.diagonal(), 0.0)
        of_means = self.weight * np.square(self.means)
        varying = varying_columns(squares, of_means, self.n_rows) & (self.low < self.high)
        report_constant(varying, self.n_rows, names)
        means = self.means if center else np.where(varying, 0.0, self.means)
        units = np.where(varying, self._units(scale, means), 0.0)
        left = self.means - means
        P = self.products + self.weight * np.multiply.outer(left, left)
        factors = over(units)
        P *= factors
        P *= factors[:, None]
        assert P.shape == (n, n)
        return Preparation(
            Kernel(P, check=False), means, units, varying, center=bool(center), n_rows=self.weight
        )

    def _units(self, scale: Any, origin: Floats) -> Floats:
        if scale is None:
            return np.ones(len(self.means))
        if not isinstance(scale, str):
            return given_units(scale, len(self.means))
        if scale == "std":
            return self.spreads
        return np.maximum(self.high - origin, origin - self.low)


def sums_of(A: Columns, weights: Floats | None = None) -> Sums:
    """Return the sums over the rows of an operand.

    Parameters
    ----------
    A : Columns
        The rows.
    weights : ndarray of shape (m,), optional
        Their weights.
    """
    w = np.ones(A.shape[0]) if weights is None else weights
    means, _ = moments(A, w)
    roots = None if weights is None else np.sqrt(weights)
    products = np.array(adjusted(A, means, np.ones(A.shape[1]), roots).gram(), dtype=np.float64)
    low, high = extremes(A, weights)
    return Sums(
        int(np.count_nonzero(w)), float(w.sum()), means, products, low, high, weights is not None
    )
