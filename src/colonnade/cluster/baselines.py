"""Other ways to the eigenvectors of a large graph, to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.neighbors import NearestNeighbors

from .._typing import Array, Floats, Indices
from ..kernel_operand import Kernel

__all__ = ["BASELINES", "Embedded", "right_singular_vectors"]

Embedded = tuple[Floats, Array, Indices]
"""Singular values, vectors (n × k) and the points that were used."""

NEIGHBOURS = 5
"""To how many landmarks LSC joins a point."""


def fowlkes(X: Any, K: Kernel, k: int, size: int, rng: np.random.RandomState) -> Embedded:
    """Return leading eigenvectors of the normalized graph by one shot of the Nyström method.

    From random points S and ``A = K_SS``, ``B = K_SR``: degrees by ``K̃1``, and the eigenvectors
    of ``A + A^{-1/2} B Bᵀ A^{-1/2}`` of the normalized matrices, extended to all points.

    References
    ----------
    .. [1] Fowlkes, Belongie, Chung & Malik, "Spectral grouping using the Nyström method", §3.
    """
    sample = np.sort(rng.choice(K.shape[0], size, replace=False))
    C = K.gram_columns(sample)
    root = _root(C[sample])
    W = (C @ root).T  # K̃ = WᵀW
    degrees = W.T @ W.sum(axis=1)
    if (degrees <= 0).any():
        point = int(np.argmin(degrees))
        raise ValueError(
            f"point {point} has the degree {degrees[point]:.4g}, but degrees must be positive; "
            'use an affinity without negative values, such as "rbf"'
        )
    values, vectors = right_singular_vectors(W / np.sqrt(degrees), k)
    return values, vectors, sample


def lsc(X: Any, K: Kernel, k: int, size: int, rng: np.random.RandomState) -> Embedded:
    """Return leading singular vectors of the graph that joins points to their nearest landmarks.

    Random landmarks; each point is a combination of its five nearest, weighted by their
    similarity, with sum 1; columns are divided by the roots of their sums.

    References
    ----------
    .. [1] Chen & Cai, "Large scale spectral clustering with landmark-based representation",
       AAAI 2011, Algorithm 1 (LSC-R).
    """
    if K.kernel == "precomputed":
        raise TypeError("lsc looks for near points, so it needs data, not a precomputed affinity")
    landmarks = np.sort(rng.choice(K.shape[0], size, replace=False))
    width = min(NEIGHBOURS, size)
    near = NearestNeighbors(n_neighbors=width).fit(X[landmarks])
    distances, places = near.kneighbors(X)
    scale = float(distances.mean()) or 1.0
    weights = np.exp(-np.square(distances) / (2 * scale * scale))
    weights /= weights.sum(axis=1, keepdims=True)
    Z = sp.csr_array(
        (weights.ravel(), (np.repeat(np.arange(len(weights)), width), places.ravel())),
        shape=(len(weights), size),
    )
    sums = np.asarray(Z.sum(axis=0)).ravel()
    scaled = Z @ sp.diags_array(1.0 / np.sqrt(np.maximum(sums, np.finfo(float).tiny)))
    squares, right = eigh((scaled.T @ scaled).toarray())
    squares, right = squares[::-1][:k], right[:, ::-1][:, :k]
    values = np.sqrt(np.maximum(squares, 0.0))
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    return values, np.asarray(scaled @ right) * inverse, landmarks


BASELINES: dict[str, Callable[[Any, Kernel, int, int, np.random.RandomState], Embedded]] = {
    "fowlkes": fowlkes,
    "lsc": lsc,
}
"""Baselines by the name that ``FastSpectralClustering(method=...)`` knows them by."""


def right_singular_vectors(W: Array, k: int) -> tuple[Floats, Array]:
    """Return the k leading singular values of W (l × n) and right vectors (n × k)."""
    squares, left = eigh(W @ W.T)
    squares, left = squares[::-1][:k], left[:, ::-1][:, :k]
    values = np.sqrt(np.maximum(squares, 0.0))
    scale = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    return values, np.asarray((W.T @ left) * scale)


def _root(A: Array) -> Array:
    """Return a root of the pseudo-inverse of a positive semidefinite matrix."""
    values, vectors = eigh((A + A.T) / 2)
    keep = values > values[-1] * len(A) * np.finfo(float).eps
    return np.asarray(vectors[:, keep] / np.sqrt(values[keep]))
