"""Leading singular vectors of an operand."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

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
        values, vectors = _leading_eigenpairs(A.gram(), rank)
    elif A.has_columns and m <= EXACT_SIDE:
        values, left = _leading_eigenpairs(A.outer(), rank)
        vectors = A.rmatmat(left) / np.sqrt(values)
    else:
        V = np.linalg.qr(rng.standard_normal((n, min(n, rank + n_extra))))[0]
        for _ in range(n_power):
            V = np.linalg.qr(A.gram_matmat(V))[0]
        values, inner = _leading_eigenpairs(V.T @ A.gram_matmat(V), rank)
        vectors = V @ inner
    return np.sqrt(values), vectors


def _leading_eigenpairs(M: Array, rank: int) -> tuple[Floats, Array]:
    """Return the largest eigenvalues above rounding, in falling order, and their vectors."""
    n = len(M)
    values, vectors = eigh(M, subset_by_index=[max(0, n - rank), n - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    keep = values > values[0] * n * np.finfo(float).eps
    return values[keep], vectors[:, keep]
