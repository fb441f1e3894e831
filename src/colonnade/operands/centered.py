"""Kernels of points less their mean, in the feature space."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from .interface import Gram
from .kernel import Kernel

__all__ = ["CenteredKernel"]


class CenteredKernel(Gram):
    """``HKH`` with ``H = I − 11ᵀ/n``: inner products of feature vectors less their mean.

    Parameters
    ----------
    K : Gram
        A kernel.
    means : ndarray, optional
        The mean of each column of K, over all points.
    mean : float, optional
        The mean of those, over all points.
    """

    definite = False  # what is left of points near the mean is a difference

    def __init__(self, K: Gram, means: Floats | None = None, mean: float | None = None):
        n = K.shape[1]
        self.K, self.shape, self.dtype = K, K.shape, K.dtype
        self.means = K.gram_matmat(np.ones(n)) / n if means is None else means
        self.mean = float(self.means.mean()) if mean is None else mean

    def gram(self) -> Array:
        out = self.K.gram() - self.means
        out -= (self.means - self.mean)[:, None]
        return out

    def gram_columns(self, j: Indices | slice) -> Array:
        return self.K.gram_columns(j) - self.means[j] - (self.means - self.mean)[:, None]

    def gram_matmat(self, V: Array) -> Array:
        ones = np.ones(self.shape[1])
        out = self.K.gram_matmat(V) - np.multiply.outer(ones, self.means @ V)
        return np.asarray(out - np.multiply.outer(self.means - self.mean, ones @ V))

    def sq_norms(self) -> Array:
        return np.maximum(self.K.sq_norms() - 2.0 * self.means + self.mean, 0.0)

    def subset(self, j: Indices) -> Gram:
        return CenteredKernel(self.K.subset(j), self.means[j], self.mean)

    def scaled(self, factor: float) -> Gram:
        return Kernel(self.gram() * (factor * factor), check=False)

    def max_abs(self) -> float:
        return float(np.sqrt(self.sq_norms().max()))
