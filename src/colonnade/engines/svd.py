"""Leading singular vectors of an operand."""

from __future__ import annotations

import numpy as np

from .._typing import Array, Floats
from ..operand import Operand

__all__ = ["leading_right_singular_vectors"]

EXACT_SIDE = 2000
"""Up to this many rows or columns a full eigendecomposition is used."""


def leading_right_singular_vectors(
    A: Operand, rank: int, rng: np.random.RandomState, *, n_power: int = 4, n_extra: int = 10
) -> tuple[Floats, Array]:
    """Return the leading singular values and right singular vectors (n × k) of A.

    Exact for matrices with a side of at most 2000; for larger ones a stochastic SVD with
    ``n_power`` power iterations, re-orthogonalized at each half step [1]_. Directions whose
    singular value is zero to working precision are left out.

    References
    ----------
    .. [1] Halko, Martinsson & Tropp, "Finding structure with randomness", Algorithm 4.4.
    """
    m, n = A.shape
    if n <= EXACT_SIDE:
        values, vectors = np.linalg.eigh(A.gram())
    elif A.has_columns and m <= EXACT_SIDE:
        values, left = np.linalg.eigh(A.outer())
        keep = np.argsort(values)[::-1][:rank]
        keep = keep[values[keep] > values.max() * m * np.finfo(float).eps]
        roots = np.sqrt(values[keep])
        return roots, A.rmatmat(left[:, keep]) / roots
    else:
        V = np.linalg.qr(rng.standard_normal((n, min(n, rank + n_extra))))[0]
        for _ in range(n_power):
            V = np.linalg.qr(A.gram_matmat(V))[0]
        values, inner = np.linalg.eigh(V.T @ A.gram_matmat(V))
        vectors = V @ inner
    keep = np.argsort(values)[::-1][:rank]
    keep = keep[values[keep] > values.max() * n * np.finfo(float).eps]
    return np.sqrt(values[keep]), vectors[:, keep]
