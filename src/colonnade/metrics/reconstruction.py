"""What chosen columns cannot reconstruct, compared with the best of their rank."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from ..foundation.lapack import eigh, eigvalsh, np_svd
from ..foundation.parameters import check_count
from ..foundation.typing import Indices, RandomState
from ..linalg.projecting import orthonormal_basis, projection_error, residual_sq_norms
from ..linalg.svd import EXACT_SIDE, leading_right_singular_vectors
from ..operands.chunked.arriving import is_chunked
from ..operands.entrance import as_operand, check_scale
from ..operands.interface import Columns, Gram
from ..operands.preparing import prepare
from ..operands.row_weights import check_weights
from ..selection import Selection
from .approximations import chosen_indices, low_rank
from .explained import operand_as_seen

__all__ = ["EXACT_SIDE", "best_rank_error", "error_of", "reconstruction_error", "relative_accuracy"]

SMALL = 1e-6
"""Below this share of the total, a difference of squared norms has lost too many digits."""


def reconstruction_error(
    X: Any,
    selection: Selection | Indices,
    *,
    rank: int | None = None,
    relative: bool = True,
    center: bool | None = None,
    scale: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return what the chosen columns cannot reconstruct.

    Parameters
    ----------
    X : Operand, array-like, sparse matrix or dask array of shape (m, n)
        The matrix the columns were chosen from. Of a dask array one pass is made over the blocks,
        or a second one where little is left.
    selection : Selection or array of int
        The chosen columns; weights play no part in it.
    rank : int or None
        Use the best approximation of this rank in their span instead of the full span.
    relative : bool, default=True
        Whether to divide by ``‖A‖²_F``.
    center, scale, sample_weight
        What to do to the data first, as the parameters of selectors; by default what was done to
        it when the selection was made, but for weights of rows.

    Returns
    -------
    float
        ``‖A − P_S A‖²_F`` (for a kernel ``trace(K − K̃)``), as a share of the total by default.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.metrics import reconstruction_error
    >>> X = np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    >>> round(reconstruction_error(X, [0]), 6)
    0.285714
    >>> reconstruction_error(X, [0], relative=False)
    4.0
    """
    A = operand_as_seen(X, selection, center=center, scale=scale, sample_weight=sample_weight)
    return error_of(A, chosen_indices(selection, A), rank=rank, relative=relative)


def error_of(A: Gram, indices: Indices, *, rank: int | None = None, relative: bool = True) -> float:
    """Return what columns of an operand, taken as it is, cannot reconstruct."""
    _check_size(A)
    total = float(A.sq_norms().sum())
    if rank is not None:
        error = low_rank(A, indices, rank).error
    elif isinstance(A, Columns):
        error = _error_of_columns(A, indices, total)
    else:
        error = _trace_error(A, indices)[0]
    return error / total if relative else error


def _check_size(A: Gram) -> None:
    """Raise ValueError if squares of the data are out of range; chunks are checked when read."""
    if not (isinstance(A, Columns) and A.out_of_core):
        check_scale(A.max_abs())


def _error_of_columns(A: Columns, indices: Indices, total: float) -> float:
    if A.gram_is_held:
        # columns would take one more pass over the data
        error, condition = _trace_error(A, indices)
        if error > SMALL * total and condition < 1.0 / SMALL:
            return error
    return projection_error(A, orthonormal_basis(A, indices), total)


def _trace_error(K: Gram, indices: Indices) -> tuple[float, float]:
    """Return ``trace(K − K_S K_SS⁺ K_Sᵀ)``, and the condition of what of ``K_SS`` was inverted."""
    columns = K.gram_columns(indices)
    inner = columns[indices]
    values, vectors = eigh((inner + inner.T) / 2)
    keep = values > values.max(initial=0.0) * len(values) * np.finfo(K.dtype).eps
    roots = (columns @ vectors[:, keep]) / np.sqrt(values[keep])
    error = float(np.maximum(K.sq_norms() - np.square(roots).sum(axis=1), 0.0).sum())
    return error, float(values[keep].max(initial=1.0) / values[keep].min(initial=np.inf))


def best_rank_error(
    X: Any,
    rank: int,
    *,
    svd: Literal["auto", "exact", "randomized"] = "auto",
    random_state: RandomState = 0,
    center: bool = False,
    scale: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return ``‖A − A_k‖²_F``, the smallest squared error of any rank-k approximation.

    Parameters
    ----------
    X : array-like, sparse matrix or dask array of shape (m, n)
        The matrix; passes over the blocks of a dask array as for :func:`reconstruction_error`.
    rank : int
        k.
    svd : {"auto", "exact", "randomized"}, default="auto"
        How to find the leading singular values: exactly if the shorter side is at most 2000,
        by a stochastic SVD otherwise. A stochastic SVD errs upwards, and errors below about
        1e-12 of ``‖A‖²`` are out of its reach, as they are for kernels.
    random_state : int, RandomState or None, default=0
        Seed of the stochastic SVD.
    center, scale, sample_weight
        What to do to the data first, as the parameters of selectors.

    Returns
    -------
    float

    Examples
    --------
    >>> from colonnade.metrics import best_rank_error
    >>> round(best_rank_error([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]], 1), 6)
    5.0
    """
    A = as_operand(X)
    if center or scale is not None or sample_weight is not None or is_chunked(X):
        weights = check_weights(sample_weight, A.shape[0])
        A = prepare(A, center=center, scale=scale, weights=weights, quiet=True).A
    rank = check_count("rank", rank, 0, None)
    _check_size(A)
    if svd not in ("auto", "exact", "randomized"):
        raise ValueError(f"svd={svd!r}; choose 'auto', 'exact' or 'randomized'")
    total = float(A.sq_norms().sum())
    if rank == 0:
        return total
    if rank >= min(A.shape):
        return 0.0
    if svd == "exact" or (svd == "auto" and min(A.shape) <= EXACT_SIDE):
        return _tail(A, rank, total)
    leading, V = leading_right_singular_vectors(A, rank, check_random_state(random_state))
    error = total - float(np.square(leading).sum())
    if error < SMALL * total and isinstance(A, Columns):
        return float(residual_sq_norms(A, A.matmat(V), V).sum())
    return max(0.0, error)


def _tail(A: Gram, rank: int, total: float) -> float:
    """Return the sum of the squared singular values beyond the rank, from a full decomposition."""
    if isinstance(A, Columns) and A.decomposes_directly:
        thin = A.compressed().columns(slice(None))
    else:
        wide = A.shape[0] < A.shape[1]
        squares = A.outer() if wide and isinstance(A, Columns) else A.gram()
        error = float(np.maximum(eigvalsh(squares)[::-1], 0.0)[rank:].sum())
        if error > SMALL * total or not isinstance(A, Columns):
            return error
        thin = A.triangle()  # squared singular values were good to rounding of the total only
    return float(np.square(np_svd(thin, compute_uv=False))[rank:].sum())


def relative_accuracy(
    X: Any,
    selection: Selection | Indices,
    *,
    svd: Literal["auto", "exact", "randomized"] = "auto",
    random_state: RandomState = 0,
    center: bool | None = None,
    scale: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return how near the chosen columns come to the best approximation of the same rank.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (m, n)
        The matrix the columns were chosen from.
    selection : Selection or array of int
        The chosen columns.
    svd : {"auto", "exact", "randomized"}, default="auto"
        How to find the best approximation, see :func:`best_rank_error`.
    random_state : int, RandomState or None, default=0
        Seed of the stochastic SVD.
    center, scale, sample_weight
        What to do to the data first, as the parameters of selectors; by default what was done to
        it when the selection was made, but for weights of rows.

    Returns
    -------
    float
        ``‖A − A_l‖_F / ‖A − P_S A‖_F`` with l chosen columns: 1 is unbeatable [1]_. It is 1.0
        when both are zero.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", eq. 3.24.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.metrics import relative_accuracy
    >>> round(relative_accuracy(np.diag([3.0, 2.0, 1.0]), [0, 2]), 3)
    0.5
    """
    A = operand_as_seen(X, selection, center=center, scale=scale, sample_weight=sample_weight)
    indices = chosen_indices(selection, A)
    error = error_of(A, indices, relative=False)
    total = float(A.sq_norms().sum())
    if error <= total * np.finfo(A.dtype).eps ** 2 * 256 * max(A.shape):
        return 1.0
    best = best_rank_error(A, len(indices), svd=svd, random_state=random_state)
    return float(np.sqrt(best / error))
