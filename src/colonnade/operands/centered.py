"""Kernels of points less their mean, in the feature space."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from .adjusted import centered
from .entrance import wrapped
from .interface import Gram
from .kernel import Kernel

__all__ = ["CenteredKernel"]


class CenteredKernel(Gram):
    """``HKH`` with ``H = I − 11ᵀ/n``: inner products of feature vectors less their mean.

    The feature vectors of a linear kernel are its points: the mean is taken out of them, not out
    of products, which would lose the digits of points far from zero. A point that cannot be told
    from the mean is zero: what rounding leaves of it would look like a direction of its own.

    Parameters
    ----------
    K : Gram
        A kernel.
    means : ndarray, optional
        The mean of each column of K, over all points.
    mean : float, optional
        The mean of those, over all points.
    norms : ndarray, optional
        The squared norms of the points less their mean.
    """

    definite = False  # what is left of points near the mean is a difference

    def __init__(
        self,
        K: Gram,
        means: Floats | None = None,
        mean: float | None = None,
        norms: Floats | None = None,
    ):
        n = K.shape[1]
        self.shape, self.dtype = (n, n), K.dtype
        if isinstance(K, Kernel) and K.kernel == "linear":
            K = centered(wrapped(K.data)).transposed()
        self.K = K
        self.means = K.gram_matmat(np.ones(n)) / n if means is None else means
        self.mean = float(self.means.mean()) if mean is None else mean
        self.norms = self._norms() if norms is None else norms
        self.at_mean = np.flatnonzero(self.norms == 0)

    def _norms(self) -> Floats:
        before = self.K.sq_norms()
        out = before - 2.0 * self.means + self.mean
        # the mean of the products of a point errs by their rounding, and so does that of all
        lengths = np.sqrt(np.abs(before))
        sizes = np.square(lengths + np.sqrt(np.square(lengths).mean()))
        rounding = 4.0 * float(np.finfo(np.float64).eps) * np.sqrt(self.shape[1])
        return np.where(out > rounding * sizes, out, 0.0)

    def gram(self) -> Array:
        out = self.K.gram() - self.means
        out -= (self.means - self.mean)[:, None]
        out[self.at_mean] = 0.0
        out[:, self.at_mean] = 0.0
        return out

    def gram_columns(self, j: Indices | slice) -> Array:
        out = self.K.gram_columns(j) - self.means[j] - (self.means - self.mean)[:, None]
        out[self.at_mean] = 0.0
        out[:, self.norms[j] == 0] = 0.0
        return out

    def gram_matmat(self, V: Array) -> Array:
        ones = np.ones(self.shape[1])
        if len(self.at_mean):
            V = V.copy()
            V[self.at_mean] = 0.0
        out = self.K.gram_matmat(V) - np.multiply.outer(ones, self.means @ V)
        out -= np.multiply.outer(self.means - self.mean, ones @ V)
        out[self.at_mean] = 0.0
        return np.asarray(out)

    def sq_norms(self) -> Array:
        return self.norms.copy()

    def subset(self, j: Indices) -> Gram:
        return CenteredKernel(self.K.subset(j), self.means[j], self.mean, self.norms[j])

    def scaled(self, factor: float) -> Gram:
        return Kernel(self.gram() * (factor * factor), check=False)

    def max_abs(self) -> float:
        return float(np.sqrt(self.norms.max()))
