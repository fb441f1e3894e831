"""Columns that are known by their covariances alone, and covariances of data with gaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.lapack import cholesky, eigh
from ..foundation.parameters import check_count
from ..foundation.typing import Floats
from .blocks import block_slices
from .interface import Columns, Gram
from .kernel import Kernel

__all__ = ["Covariance", "nearest_semidefinite", "pairwise_products"]


class Covariance(Kernel):
    """Columns known by their covariance or correlation matrix alone.

    Greedy selection, pivoted QR, random pivots and BSS need no more. Whatever takes a
    :class:`Kernel` takes it.

    Parameters
    ----------
    S : array-like of shape (n, n)
        The covariance or correlation matrix: symmetric and positive semidefinite.
    n_samples : int, default=1
        What the sums of products were divided by, for errors in the units of the data:
        ``n_samples · S`` are the inner products of the centred columns.
    check : bool, default=True
        Whether to check for symmetry and, by one Cholesky factorization, for positive
        semidefiniteness.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from colonnade import Covariance, select
    >>> X = load_wine().data
    >>> S = Covariance(np.cov(X.T, ddof=0), n_samples=len(X))
    >>> select(S, 3, scale="std").indices
    array([6, 9, 3])
    >>> select(X, 3, center=True, scale="std").indices
    array([6, 9, 3])
    """

    def __init__(self, S: Any, n_samples: int = 1, *, check: bool = True):
        n_samples = check_count("n_samples", n_samples, 1, None)
        super().__init__(S, check=check)
        self.n_samples = n_samples
        if n_samples != 1:
            self.data = self.data * self.dtype.type(n_samples)

    def times(self, factors: Floats) -> Gram:
        """Return the operand with each column multiplied by its factor."""
        return Kernel(self.data * factors * factors[:, None], check=False)


def pairwise_products(A: Columns, means: Floats, weights: Floats) -> Floats:
    """Return inner products of the columns of ``A − 1 meansᵀ`` from the entries that are there.

    That of two columns is the mean over the rows in which neither has a gap, times the weight of
    all rows; zero if there is no such row. It need not be positive semidefinite.
    """
    n = A.shape[1]
    products, counts = np.zeros((n, n)), np.zeros((n, n))
    height = next(block_slices(A.shape[0], n)).stop
    for start, strip in enumerate(A.row_strips(height)):
        roots = np.sqrt(weights[start * height : start * height + len(strip)])[:, None]
        there = ~np.isnan(strip)
        Z = np.where(there, strip - means, 0.0) * roots
        products += Z.T @ Z
        seen = there * roots
        counts += seen.T @ seen
    counts /= float(weights.sum())
    return np.divide(products, counts, out=np.zeros((n, n)), where=counts > 0)


def nearest_semidefinite(S: Floats) -> Floats:
    """Return the positive semidefinite matrix that is nearest to a symmetric one.

    In the Frobenius norm: negative eigenvalues become zero.
    """
    try:
        cholesky(S)
    except np.linalg.LinAlgError:
        values, vectors = eigh(S)
        left = vectors * np.sqrt(np.maximum(values, 0.0))
        S = left @ left.T
    return S
