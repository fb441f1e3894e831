"""Regularized least squares from sums over the rows, which stand for rows that are far away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.lapack import cho_factor, cho_solve, eigh, svd
from ..foundation.typing import Floats
from ..operands.adjusted import over
from ..operands.preparing import Preparation
from ..operands.sums import Sums
from .ridge import SQUARED, TRUSTED, Model
from .spectrum import EPS

__all__ = ["Directions", "SummedRidge"]


@dataclass(frozen=True)
class Directions:
    """Singular vectors of the data, from which fits for every λ follow.

    Attributes
    ----------
    V : ndarray of shape (d, r)
        On the side of the features.
    values : ndarray of shape (r,)
        The singular values.
    inside : ndarray of shape (r, k)
        The targets along the singular vectors on the side of the rows.
    blur : ndarray of shape (r,)
        How far rounding may have turned each.
    """

    V: Floats
    values: Floats
    inside: Floats
    blur: Floats


class SummedRidge:
    """Rows of features with targets, by their sums and products.

    Parameters
    ----------
    sums : Sums
        Of the features and, to the right, of the targets, with all products.
    n_targets : int
        How many targets there are.
    intercept : bool
        Whether a constant is fitted, too.
    units : ndarray of shape (d,) or None
        What features are divided by first; 0 for those that take no part.
    triangle : callable or None
        Of means and factors of all columns; returns R of a QR factorization, for λ that are so
        small that products have too few digits.

    Attributes
    ----------
    mean, offset : ndarray
        What is taken out of the features, in their units, and of the targets.
    size : float
        The squared size of the data, to compare λ with.
    """

    def __init__(
        self,
        sums: Sums,
        n_targets: int,
        intercept: bool,
        units: Floats | None,
        triangle: Callable[[Floats, Floats], Floats] | None = None,
    ):
        self.intercept = intercept
        d = len(sums.means) - n_targets
        ones = np.ones(n_targets)
        self.means = sums.means if intercept else np.zeros(len(sums.means))
        self.factors = np.append(np.ones(d) if units is None else over(units), ones)
        divisors = np.append(np.ones(d) if units is None else units, ones)
        nothing: Any = None
        products = sums.gram(Preparation(nothing, self.means, divisors))
        self.gram, self.cross = np.asfortranarray(products[:d, :d]), products[:d, d:]
        self.mean, self.offset = (self.means * self.factors)[:d], self.means[d:]
        self.size = float(self.gram.trace())
        raw = self.size + sums.weight * float(self.mean @ self.mean)
        self.length = max(d, sums.n_rows)
        # means that were subtracted leave rounding of their own size behind
        self.nought = self.length * EPS * (np.sqrt(raw) if intercept else 0.0)
        self._triangle = triangle

    @property
    def smallest(self) -> float:
        """The smallest λ for which products of the data are good enough."""
        return TRUSTED * self.size

    def solve(self, alpha: float) -> Model:
        """Return the coefficients for one λ."""
        if alpha <= self.smallest:
            return self.from_directions(self._from_triangle(), alpha)
        square = self.gram.copy(order="F")
        square.flat[:: len(square) + 1] += alpha
        factor = cho_factor(square, lower=True, overwrite_a=True, check_finite=False)
        return self._model(cho_solve(factor, self.cross, check_finite=False))

    def directions(self, alpha: float, share: float = SQUARED) -> Directions:
        """Return singular vectors for all λ from ``alpha`` on.

        They come from products if λ is more than a share of the size of the data.
        """
        if alpha <= share * self.size:
            return self._from_triangle()
        s, V = eigh(self.gram, check_finite=False)
        keep = s > self.size * len(s) * EPS
        values, V = np.sqrt(s[keep]), V[:, keep]
        inside = (V.T @ self.cross) / values[:, None]
        return Directions(V, values, inside, self._least(values) / values)

    def from_directions(self, found: Directions, alpha: float) -> Model:
        """Return the coefficients for one λ, given the singular vectors."""
        shares = found.values / (found.values**2 + alpha)
        return self._model(found.V @ (shares[:, None] * found.inside))

    def _from_triangle(self) -> Directions:
        assert self._triangle is not None
        d = len(self.mean)
        R = self._triangle(self.means, self.factors)
        U, values, Vt = svd(R[:d, :d], check_finite=False)
        least = self._least(values)
        keep = values > least
        values = values[keep]
        return Directions(Vt[keep].T, values, U[:, keep].T @ R[:d, d:], least / values)

    def _least(self, values: Floats) -> float:
        """Return the singular value up to which they are rounding."""
        return max(float(values.max(initial=0.0)) * self.length * EPS, self.nought)

    def _model(self, W: Floats) -> Model:
        return Model(W, self.offset - self.mean @ W)
