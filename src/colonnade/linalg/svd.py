"""Leading singular vectors of an operand."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from ..foundation.lapack import np_qr, svd
from ..foundation.typing import Array, Floats, Mask
from ..operands.interface import Columns, Gram
from .eigen import largest_eigenpairs

__all__ = ["leading_right_singular_vectors", "right_singular_vectors"]

EXACT_SIDE = 2000
"""Up to this many rows or columns a full decomposition is used."""

TRUSTED = 1e-10
"""Eigenvalues of a Gram matrix below this share of the largest are worn by squaring."""

STABLE = 1e-6
"""Above this share, vectors keep enough digits for what is decided by comparing their entries."""


def right_singular_vectors(A: Gram, rank: int | None = None) -> tuple[Floats, Array]:
    """Return the leading singular values and right singular vectors (n × k) of A, to rounding.

    Dense data with a side of at most 2000 is decomposed as it is. Other data is first tried by
    way of the smaller Gram matrix, whose eigenvalues have to be above 1e-10 of the largest to be
    believed; if one of those asked for is not, the triangular factor of a QR factorization is
    decomposed, for which strips of the longer side are made dense one at a time. Directions whose
    singular value is zero to working precision are left out.

    If both sides are above 2000 and fewer than half of all vectors are asked for, they come from
    products with the Gram matrix (Lanczos, with a fixed start), and kernels have nothing but that
    matrix. There singular values below about 1e-8 of the largest, more exactly √(n·eps), cannot
    be told from zero and are left out.

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
    if isinstance(A, Columns) and A.decomposes_directly and min(m, n) <= EXACT_SIDE:
        short = A.compressed().columns(slice(None))
        _, values, vectors = svd(short, full_matrices=False)
        keep = _sound(values, A, rank)
        return values[keep], vectors[keep].T
    if min(m, n) > EXACT_SIDE and rank < min(m, n) // 2:
        product = LinearOperator((n, n), matvec=A.gram_matmat, dtype=np.float64)
        start = np.random.RandomState(0).standard_normal(n)
        squares, vectors = eigsh(product, k=rank, which="LA", v0=start)
        squares, vectors = _above_rounding(squares[::-1], vectors[:, ::-1], n)
        return np.sqrt(squares), vectors
    if not isinstance(A, Columns):
        squares, vectors = _leading_eigenpairs(A.gram(), rank)
        return np.sqrt(squares), vectors
    tall = n <= m
    squares, vectors = _leading_eigenpairs(A.gram() if tall else A.outer(), rank)
    values = np.sqrt(squares)
    if len(values) < rank or squares[-1] < TRUSTED * squares[0]:
        _, values, right = svd(A.triangle(), overwrite_a=True, check_finite=False)
        keep = _sound(values, A, rank)
        # right ones of the triangle are those of AᵀA or, for wide data, of A Aᵀ: as above
        values, vectors = values[keep], right[keep].T
    # the products are orthogonal but for rounding, which QR takes care of
    return values, vectors if tall else np_qr(A.rmatmat(vectors))[0]


def _sound(values: Floats, A: Gram, rank: int) -> Mask:
    """Say which of the singular values are wanted and more than rounding."""
    keep: Mask = values > values[0] * max(A.shape) * np.finfo(float).eps
    keep[rank:] = False
    return keep


def leading_right_singular_vectors(
    A: Gram, rank: int, rng: np.random.RandomState, *, n_power: int = 4, n_extra: int = 10
) -> tuple[Floats, Array]:
    """Return the leading singular values and right singular vectors (n × k) of A.

    Exact for matrices with a side of at most 2000; for larger ones a stochastic SVD with
    ``n_power`` power iterations, re-orthogonalized at each half step [1]_. A kernel has only
    inner products: singular values below about 1e-8 of the largest, more exactly √(n·eps),
    cannot be told from zero there and are left out, and those not far above lose digits.

    References
    ----------
    .. [1] Halko, Martinsson & Tropp, "Finding structure with randomness", Algorithm 4.4.
    """
    m, n = A.shape
    if not isinstance(A, Columns) and n <= EXACT_SIDE:
        squares, vectors = _leading_eigenpairs(A.gram(), rank)
        return np.sqrt(squares), vectors
    if isinstance(A, Columns) and min(m, n) <= EXACT_SIDE:
        tall = n <= EXACT_SIDE
        squares, vectors = _leading_eigenpairs(A.gram() if tall else A.outer(), rank)
        if len(squares) < min(rank, m, n) or squares[-1] < STABLE * squares[0]:
            return right_singular_vectors(A, rank)
        values = np.sqrt(squares)
        return values, vectors if tall else A.rmatmat(vectors) / values
    V = np_qr(rng.standard_normal((n, min(n, rank + n_extra))))[0]
    if not isinstance(A, Columns):
        for _ in range(n_power):
            V = np_qr(A.gram_matmat(V))[0]
        squares, inner = _leading_eigenpairs(V.T @ A.gram_matmat(V), rank)
        return np.sqrt(squares), V @ inner
    for _ in range(n_power):
        V = np_qr(A.rmatmat(np_qr(A.matmat(V))[0]))[0]
    _, values, inner = svd(A.matmat(V), full_matrices=False)
    keep = _sound(values, A, rank)
    return values[keep], V @ inner[keep].T


def _leading_eigenpairs(M: Array, rank: int) -> tuple[Floats, Array]:
    """Return the largest eigenvalues above rounding, in falling order, and their vectors."""
    return _above_rounding(*largest_eigenpairs(M, rank), len(M))


def _above_rounding(values: Floats, vectors: Array, n: int) -> tuple[Floats, Array]:
    keep = values > values[0] * n * np.finfo(float).eps
    return values[keep], vectors[:, keep]
