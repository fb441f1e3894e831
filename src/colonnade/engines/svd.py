"""Leading singular vectors of an operand."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, svd
from scipy.sparse.linalg import LinearOperator, eigsh

from .._typing import Array, Floats
from ..operand import Dense, Operand

__all__ = ["leading_right_singular_vectors", "right_singular_vectors"]

EXACT_SIDE = 2000
"""Up to this many rows or columns a full decomposition is used."""


def right_singular_vectors(A: Operand, rank: int | None = None) -> tuple[Floats, Array]:
    """Return the leading singular values and right singular vectors (n × k) of A, to rounding.

    Dense data with a short side is decomposed as it is. Otherwise the vectors are eigenvectors
    of the smaller Gram matrix or, if both sides are long, of products with it (Lanczos, with a
    fixed start), so singular values below about 1e-8 of the largest cannot be told from zero.
    Directions whose singular value is zero to working precision are left out.

    Parameters
    ----------
    A : Operand
        The matrix.
    rank : int or None
        How many at most; all by default.

    Returns
    -------
    values : ndarray of shape (k,)
    vectors : ndarray of shape (n, k)
        With orthonormal columns.
    """
    m, n = A.shape
    rank = min(m, n) if rank is None else min(rank, m, n)
    if isinstance(A, Dense) and min(m, n) <= EXACT_SIDE:
        short = A.compressed()
        _, values, vectors = svd(short.columns(slice(None)), full_matrices=False)
        keep = values > values[0] * max(m, n) * np.finfo(float).eps
        keep[rank:] = False
        return values[keep], vectors[keep].T
    if min(m, n) > EXACT_SIDE and rank < min(m, n) // 2:
        product = LinearOperator((n, n), matvec=A.gram_matmat, dtype=np.float64)
        start = np.random.RandomState(0).standard_normal(n)
        squares, vectors = eigsh(product, k=rank, which="LA", v0=start)
        squares, vectors = _above_rounding(squares[::-1], vectors[:, ::-1], n)
        return np.sqrt(squares), vectors
    if n <= m or not A.has_columns:
        squares, vectors = _leading_eigenpairs(A.gram(), rank)
        return np.sqrt(squares), vectors
    squares, left = _leading_eigenpairs(A.outer(), rank)
    # the products are orthogonal but for rounding, which QR takes care of
    return np.sqrt(squares), np.linalg.qr(A.rmatmat(left))[0]


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
    return _above_rounding(values[::-1], vectors[:, ::-1], n)


def _above_rounding(values: Floats, vectors: Array, n: int) -> tuple[Floats, Array]:
    keep = values > values[0] * n * np.finfo(float).eps
    return values[keep], vectors[:, keep]
