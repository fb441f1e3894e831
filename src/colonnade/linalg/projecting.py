"""Projecting out: bases of chosen columns, and what they leave."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..operands.blocks import block_slices
from ..operands.entrance import as_columns
from ..operands.interface import Columns
from ..operands.loops import column_sq_norms

__all__ = [
    "orthogonalize",
    "orthonormal_basis",
    "project_out",
    "project_out_vector",
    "projection_error",
    "residual_sq_norms",
    "span_floor",
]

SMALL = 1e-6
"""Below this share of the total, a difference of squared norms has lost too many digits."""


def span_floor(A: Columns) -> float:
    """Return the share of its squared norm that a column in the span of others may have left.

    Projecting twice leaves about eps·√m of such a column. Wherever columns themselves are
    looked at, this decides whether one lies in the span of others.
    """
    return (16 * float(np.finfo(A.dtype).eps)) ** 2 * A.shape[0]


def project_out(E: Array, Q: Array) -> Array:
    """Return what the orthonormal rows of Q leave of a vector, or of the columns of E.

    A projection errs by a share of what it takes away, which may be much more than what it
    leaves; a second one takes that out as well, and is enough for working precision. Rows of
    zeros take nothing away.
    """
    if not len(Q):
        return E
    E = E - Q.T @ (Q @ E)
    E -= Q.T @ (Q @ E)
    return E


def project_out_vector(a: Array, Q: Array) -> Array:
    """Return what the orthonormal rows of Q leave of one vector, as :func:`project_out` does.

    The second projection, half of the cost, is left out where the first took little away.
    """
    if not len(Q):
        return a
    size = a @ a
    a = a - Q.T @ (Q @ a)
    if a @ a < 0.5 * size:
        a = a - Q.T @ (Q @ a)
    return a


def orthogonalize(a: Array, basis: Array) -> tuple[Array, float]:
    """Return the unit residual of ``a`` against the rows of ``basis``, and its length."""
    a = project_out_vector(a, basis)
    length = float(np.linalg.norm(a))
    return (a / length if length > 0 else np.zeros_like(a)), length


def residual_sq_norms(A: Columns, left: Array, right: Array) -> Floats:
    """Return the squared norms of the columns of ``A − left · rightᵀ``, block by block."""
    out = np.empty(A.shape[1])
    for block in block_slices(A.shape[1], A.shape[0]):
        out[block] = column_sq_norms(A.columns(block) - left @ right[block].T)
    return out


def orthonormal_basis(X: Any, indices: Indices) -> Array:
    """Return the chosen columns orthonormalized in order (m × l).

    A column that depends on earlier ones gives a zero column.
    """
    A = as_columns(X, "a basis of columns")
    columns = A.columns(np.asarray(indices, dtype=np.intp))
    basis = np.zeros((columns.shape[1], columns.shape[0]))
    for t, a in enumerate(columns.T):
        q, length = orthogonalize(a, basis[:t])
        if length * length > span_floor(A) * (a @ a):
            basis[t] = q
    return basis.T


def projection_error(A: Columns, Q: Array, total: float | None = None) -> float:
    """Return ``‖A − Q QᵀA‖²`` from the explicit residual, a block of columns at a time.

    Of columns out of core it is what is missing from ``total``, which is ``‖A‖²``, if that is
    not too little of it: all columns are at hand together only where blocks hold few of them.
    """
    if A.out_of_core and total is not None:
        left = total - float(np.square(A.rmatmat(Q)).sum())
        if left > SMALL * total:
            return left
    error = 0.0
    for block in block_slices(A.shape[1], A.shape[0]):
        error += float(np.square(project_out(A.columns(block), Q.T)).sum())
    return error
