"""Leading singular vectors of an operand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from ..foundation.lapack import np_qr, np_svd, svd
from ..foundation.typing import Array, Floats, Mask
from ..operands.interface import Columns, Gram
from .eigen import largest_eigenpairs

__all__ = [
    "leading_passes",
    "leading_right_singular_vectors",
    "orthonormal",
    "right_singular_vectors",
    "singular_passes",
    "stochastic_svd",
]

EXACT_SIDE = 2000
"""Up to this many rows or columns a full decomposition is used."""

TRUSTED = 1e-10
"""Eigenvalues of a Gram matrix below this share of the largest have lost digits to squaring."""

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
    ``n_power`` power iterations on vectors of length n. A kernel has only inner products:
    singular values below about 1e-8 of the largest, more exactly √(n·eps), cannot be told from
    zero there and are left out, and those not far above lose digits.
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
    V = orthonormal(rng.standard_normal((n, min(n, rank + n_extra))))
    if not isinstance(A, Columns):
        V = power_iterated(V, n_power, A.gram_matmat)
        squares, inner = _leading_eigenpairs(V.T @ A.gram_matmat(V), rank)
        return np.sqrt(squares), V @ inner
    V = power_iterated(V, n_power, A.matmat, A.rmatmat)
    _, values, inner = svd(A.matmat(V), full_matrices=False)
    keep = _sound(values, A, rank)
    return values[keep], V @ inner[keep].T


def singular_passes(shape: tuple[int, int], rank: int) -> int:
    """Return how many passes over a matrix :func:`right_singular_vectors` takes at least."""
    m, n = shape
    if min(m, n) > EXACT_SIDE and rank < min(m, n) // 2:
        return 2 * min(n, max(2 * rank + 1, 20))  # the vectors that Lanczos begins with
    return 1 if n <= m else 2


def leading_passes(shape: tuple[int, int], *, n_power: int = 4) -> int:
    """Return how many passes :func:`leading_right_singular_vectors` takes at least."""
    if min(shape) > EXACT_SIDE:
        return 2 * n_power + 1
    return 1 if shape[1] <= EXACT_SIDE else 2


def stochastic_svd(
    A: Columns, rank: int, rng: np.random.RandomState, *, n_power: int = 4, n_extra: int = 10
) -> tuple[Floats, Array]:
    """Return approximate leading singular values and right singular vectors (n × k) of A.

    As in Algorithm 1 of Farahat's thesis [1]_, after Halko, Martinsson & Tropp; in float32 for
    dense float32 data. Directions whose singular value is zero to working precision are left out.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §2.1.2.
    """
    m, n = A.shape
    omega = rng.standard_normal((n, min(rank + n_extra, m, n))).astype(A.dtype)
    Q = power_iterated(orthonormal(A.matmat(omega)), n_power, A.rmatmat, A.matmat)
    V, values, _ = np_svd(A.rmatmat(Q), full_matrices=False)
    # sums of float32 are off by about the root of their length: more would take real directions
    lost = max(m, n) ** (0.5 if V.dtype == np.float32 else 1.0) * np.finfo(V.dtype).eps
    keep = values > values[0] * lost
    keep[rank:] = False
    return values[keep].astype(np.float64), V[:, keep].astype(np.float64)


def power_iterated(Q: Array, n_power: int, *products: Callable[[Array], Array]) -> Array:
    """Return an orthonormal basis after so many rounds of products, the range finder of [1]_.

    It is orthogonalized after each product, that is at each half step of a power iteration with
    ``AᵀA``: otherwise all columns would turn to the first singular vector, and the squares of
    large or tiny float32 data would be out of range.

    References
    ----------
    .. [1] Halko, Martinsson & Tropp, "Finding structure with randomness", Algorithm 4.4.
    """
    for _ in range(n_power):
        for product in products:
            Q = orthonormal(product(Q))
    return Q


def orthonormal(Y: Array) -> Array:
    """Return an orthonormal basis of the columns of Y, factored by strips if Y is tall.

    A strip stays in cache while it is being factored; the factors R of all strips are stacked
    and factored in turn.
    """
    m, width = Y.shape
    height = 8 * width
    if m <= 2 * height:
        return np_qr(Y)[0]
    whole = m - m % height
    Q, R = np_qr(Y[:whole].reshape(-1, height, width))
    top = orthonormal(np.concatenate([R.reshape(-1, width), Y[whole:]]))
    inner = top[: len(R) * width].reshape(-1, width, width)
    return np.concatenate([(Q @ inner).reshape(-1, width), top[len(R) * width :]])


def _leading_eigenpairs(M: Array, rank: int) -> tuple[Floats, Array]:
    """Return the largest eigenvalues above rounding, in falling order, and their vectors."""
    return _above_rounding(*largest_eigenpairs(M, rank), len(M))


def _above_rounding(values: Floats, vectors: Array, n: int) -> tuple[Floats, Array]:
    keep = values > values[0] * n * np.finfo(float).eps
    return values[keep], vectors[:, keep]
