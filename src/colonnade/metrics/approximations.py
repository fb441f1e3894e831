"""Low-rank approximations in the span of chosen columns, and the SVD they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.lapack import np_svd
from ..foundation.parameters import check_columns, check_count
from ..foundation.typing import Array, Floats, Indices
from ..linalg.projecting import orthonormal_basis, projection_error
from ..operands.chunked.arriving import is_chunked
from ..operands.entrance import as_columns
from ..operands.interface import Gram
from ..selection import Selection
from .explained import operand_as_seen

__all__ = [
    "ColumnApproximation",
    "chosen_indices",
    "low_rank",
]


@dataclass(frozen=True, eq=False)
class ColumnApproximation:
    """``A ≈ U diag(s) Vᵀ`` with U in the span of the chosen columns.

    Attributes
    ----------
    left : ndarray of shape (m, k)
        U: approximate left singular vectors, orthonormal.
    singular_values : ndarray of shape (k,)
        s: approximate singular values, never above the true ones.
    right : ndarray of shape (n, k)
        V: approximate right singular vectors, orthonormal.
    error : float
        ``‖A − U diag(s) Vᵀ‖²_F``.

    Examples
    --------
    >>> from colonnade import low_rank
    >>> approximation = low_rank([[3.0, 0.0, 3.0], [0.0, 1.0, 0.0]], [0])
    >>> approximation.toarray().round(6) + 0.0
    array([[3., 0., 3.],
           [0., 0., 0.]])
    """

    left: Array
    singular_values: Floats
    right: Array
    error: float

    def toarray(self) -> Array:
        """Return the approximation as a dense m × n array."""
        return (self.left * self.singular_values) @ self.right.T


def low_rank(
    X: Any,
    selection: Selection | Indices,
    rank: int | None = None,
    *,
    center: bool | None = None,
    scale: Any = None,
    sample_weight: Any = None,
) -> ColumnApproximation:
    """Approximate a matrix in the span of chosen columns.

    With Q an orthonormal basis of the chosen columns and ``W = QᵀA``, the best approximation of
    rank k in their span is ``Q W_k``, and the singular values and vectors of W approximate
    those of A [1]_.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (m, n)
        The matrix.
    selection : Selection or array of int
        Which columns were chosen.
    rank : int or None
        k; by default as many as there are chosen columns (at most the rank of these).
    center, scale, sample_weight
        What to do to the data first, as the parameters of selectors; by default what was done to
        it when the selection was made, but for weights. It is that matrix which is approximated.

    Returns
    -------
    ColumnApproximation

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §3.1,
       eq. 3.4 and 3.5.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import low_rank, select
    >>> X = np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    >>> approximation = low_rank(X, select(X, 2), rank=1)
    >>> approximation.singular_values.round(3)
    array([3.162])
    >>> round(approximation.error, 6)
    4.0
    """
    if is_chunked(X):
        raise TypeError(
            "an approximation of low rank has a value for each row, and data in chunks never is in "
            "memory together; pass an array, or measure what it would leave with "
            "reconstruction_error(X, selection, rank=rank)"
        )
    A = as_columns(
        operand_as_seen(X, selection, center=center, scale=scale, sample_weight=sample_weight),
        "an approximation of low rank",
    )
    indices = chosen_indices(selection, A)
    Q = orthonormal_basis(A, indices)
    Q = Q[:, np.any(Q != 0, axis=0)]
    size = Q.shape[1]
    if rank is not None:
        size = check_count("rank", rank, 1, size, f" but the chosen columns have rank {size}")
    U, s, Vt = np_svd(A.rmatmat(Q).T, full_matrices=False)
    left, values, right = Q @ U[:, :size], s[:size], np.ascontiguousarray(Vt[:size].T)
    return ColumnApproximation(left, values, right, projection_error(A, left))


def chosen_indices(
    selection: Selection | Indices, A: Gram, names: Sequence[str] | None = None
) -> Indices:
    """Return the column numbers of a selection, or of names, checked against the matrix."""
    chosen = selection.indices if isinstance(selection, Selection) else selection
    if isinstance(selection, Selection) and selection.n_candidates != A.shape[1]:
        raise ValueError(
            f"this selection is from {selection.n_candidates} columns, the data has {A.shape[1]}"
        )
    return check_columns("selection", chosen, A.shape[1], names)
