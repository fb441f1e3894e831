"""Other ways to the eigenvectors of a large graph, to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from ..foundation.lapack import eigh
from ..foundation.typing import Array, Floats, Indices
from ..linalg.svd import leading_right_singular_vectors
from ..operands.containers import dense
from ..operands.kernel import Kernel

__all__ = ["BASELINES", "OF_KERNELS", "Embedded", "embedded", "lsc"]

Embedded = tuple[Floats, Array, Indices | None]
"""Singular values, vectors (n × k) and the points that were used."""

NEIGHBOURS = 5
"""To how many landmarks LSC joins a point."""


def fowlkes(K: Kernel, k: int, size: int, rng: np.random.RandomState) -> Embedded:
    """Return leading eigenvectors of the normalized graph by one shot of the Nyström method.

    From random points S and ``A = K_SS``, ``B = K_SR``: degrees by ``K̃1``, and the eigenvectors
    of ``A + A^{-1/2} B Bᵀ A^{-1/2}`` of the normalized matrices, extended to all points.

    References
    ----------
    .. [1] Fowlkes, Belongie, Chung & Malik, "Spectral grouping using the Nyström method", §3.
    """
    sample = np.sort(rng.choice(K.shape[0], size, replace=False))
    C = K.gram_columns(sample)
    return *embedded((C @ _inverse_root(C[sample])).T, K, k), sample


def ssvd(K: Kernel, k: int, size: int, rng: np.random.RandomState) -> Embedded:
    """Return leading eigenvectors of the normalized graph by way of a stochastic SVD of K.

    K is replaced by the best approximation of rank l that two steps of a power iteration with
    ten more directions find, in place of that by l of its columns.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §2.1.2,
       Algorithm 1, and §5.4.
    """
    # the columns whose inner products K holds have K's eigenvectors, and roots of its values
    values, vectors = leading_right_singular_vectors(K, size, rng, n_power=2, n_extra=10)
    return *embedded((vectors * values).T, K, k), None


def lsc(X: Any, gamma: float | None, k: int, size: int, rng: np.random.RandomState) -> Embedded:
    """Return leading singular vectors of the graph that joins points to their nearest landmarks.

    Random landmarks; each point is a combination of its five nearest, weighted by a Gaussian of
    their distance, ``exp(−gamma d²)``, with sum 1; columns are divided by the roots of their
    sums. Gamma is by default one over twice the square of the mean of these distances.

    References
    ----------
    .. [1] Chen & Cai, "Large scale spectral clustering with landmark-based representation",
       AAAI 2011, Algorithm 1 (LSC-R).
    """
    landmarks = np.sort(rng.choice(X.shape[0], size, replace=False))
    width = min(NEIGHBOURS, size)
    near = NearestNeighbors(n_neighbors=width).fit(X[landmarks])
    distances, places = near.kneighbors(X)
    scale = (float(distances.mean()) or 1.0) if gamma is None else np.sqrt(0.5 / gamma)
    squares = np.square(distances / scale)
    # the sum is 1, so the nearest may count as 1: all weights of an outlier would be zero
    weights = np.exp((squares.min(axis=1, keepdims=True) - squares) / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    Z = sp.csr_array(
        (weights.ravel(), (np.repeat(np.arange(len(weights)), width), places.ravel())),
        shape=(len(weights), size),
    )
    sums = np.asarray(Z.sum(axis=0)).ravel()
    scaled = Z @ sp.diags_array(1.0 / np.sqrt(np.maximum(sums, np.finfo(float).tiny)))
    return *_right_singular_vectors(scaled.T, k), landmarks


OF_KERNELS: dict[str, Callable[[Kernel, int, int, np.random.RandomState], Embedded]] = {
    "fowlkes": fowlkes,
    "ssvd": ssvd,
}
"""Baselines that take any similarity."""

BASELINES = (*OF_KERNELS, "lsc")
"""What ``FastSpectralClustering(method=...)`` calls the baselines."""


def embedded(W: Array, K: Kernel, k: int) -> tuple[Floats, Array]:
    """Return the k leading eigenvectors of the normalized graph of ``K̃ = WᵀW``, and values."""
    return _right_singular_vectors(W / np.sqrt(_degrees(W, K)), k)


def _degrees(W: Array, K: Kernel) -> Floats:
    """Return the degrees ``Wᵀ(W1)``; where these are not positive, those of K itself."""
    degrees = np.asarray(W.T @ W.sum(axis=1), dtype=np.float64)
    poor = np.flatnonzero(degrees <= 0)
    if len(poor):
        degrees[poor] = K.gram_columns(poor).sum(axis=0)
        wrong = poor[degrees[poor] <= 0]
        if len(wrong):
            degree = degrees[wrong[0]]
            what = (
                "it is similar to no point, as a row of zeros is in a linear kernel; leave such "
                "points out"
                if degree == 0
                else 'use an affinity without negative values, such as "rbf"'
            )
            raise ValueError(
                f"point {wrong[0]} has the degree {degree:.4g}, the sum of its similarities, but "
                f"degrees must be positive: {what}"
            )
    return degrees


def _right_singular_vectors(W: Any, k: int) -> tuple[Floats, Array]:
    """Return the k leading singular values of W (l × n) and right vectors (n × k)."""
    squares, left = eigh(dense(W @ W.T))
    squares, left = squares[::-1][:k], left[:, ::-1][:, :k]
    values = np.sqrt(np.maximum(squares, 0.0))
    scale = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    return values, np.asarray((W.T @ left) * scale)


def _inverse_root(A: Array) -> Array:
    """Return a root of the pseudo-inverse of a positive semidefinite matrix."""
    values, vectors = eigh((A + A.T) / 2)
    keep = values > values[-1] * len(A) * np.finfo(float).eps
    return np.asarray(vectors[:, keep] / np.sqrt(values[keep]))
