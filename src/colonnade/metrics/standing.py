"""What stands for what: every column by the chosen ones, and what each of these is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.lapack import np_svd
from ..foundation.typing import Array, Floats, Indices, Mask
from ..linalg.projecting import orthonormal_basis, project_out
from ..operands import loops
from ..operands.blocks import block_slices
from ..operands.containers import take_columns
from ..operands.entrance import as_columns, moderate
from ..operands.interface import Columns
from ..operands.naming import column_names
from ..operands.row_weights import check_weights
from ..operands.statistics import moments
from ..pivoting.rivals import best_exchanges
from ..selection import Selection
from ..selection.matching import found_by_name
from .approximations import chosen_indices
from .explained import operand_as_seen
from .explanation import Explanation

__all__ = ["explain"]

EPS = float(np.finfo(np.float64).eps)
SMALL = 1e-6
"""Below this share of its square, what is left of a column is computed from the column itself."""


def explain(
    X: Any,
    selection: Selection | Indices,
    *,
    sample_weight: Any = None,
    rivals: bool = True,
) -> Explanation:
    """Say what the chosen columns stand for.

    With Z the data as the method saw it (centred, scaled, weighted), S the chosen columns and
    ``Z ≈ Z_S C`` by least squares:

    - the *explained* share of column j is ``1 − ‖Z_j − Z_S C_j‖² / ‖Z_j‖²``: R², if the
      selection centres;
    - *contributions* to column j are ``|C_ij| ‖Z_i‖``, the coefficient times the spread of the
      chosen column; the largest is its main support;
    - *losing* the i-th chosen column raises the error by ``Σ_j C_ij² / (G⁻¹)_ii`` with
      ``G = Z_Sᵀ Z_S``: it is shared out in the direction that no other chosen column has;
    - its *rival* is the column for which it can be exchanged at the least cost.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (m, n)
        The data that the columns were chosen from; columns of a frame are found by name. Gaps
        are filled as for the choice, after ``missing="pairwise"`` with the means.
    selection : Selection or array of int
        The choice; column numbers alone are taken for a choice from the data as it is.
    sample_weight : array-like of shape (m,), optional
        The weights of the rows that the choice was made with.
    rivals : bool, default=True
        Whether to look for rivals, which takes a pass over the data for each chosen column.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from colonnade import explain, select
    >>> X = load_wine(as_frame=True).data
    >>> s = select(X, 3, center=True, scale="std")
    >>> standing = explain(X, s)
    >>> standing.chosen_table()[["name", "loss", "rival"]].round(3)
                    name   loss          rival
    0         flavanoids  0.244  total_phenols
    1    color_intensity  0.150        alcohol
    2  alcalinity_of_ash  0.104            ash
    >>> standing.formula(0)
    '12.6 + 0.208 color_intensity + 0.21 flavanoids - 0.0561 alcalinity_of_ash'
    """
    known = selection if isinstance(selection, Selection) else Selection(np.array([], int), 1)
    names = column_names(X)
    if known.candidates is not None:
        if names is not None and tuple(names) != known.candidates:
            X = take_columns(X, found_by_name(known.candidates, names, "column"))
        names = list(known.candidates)
    A = as_columns(
        operand_as_seen(X, selection, sample_weight=sample_weight), "an explanation of columns"
    )
    S = chosen_indices(selection, A, names)
    means, units = _units_of(X, selection, sample_weight, A.shape[1])
    A, _ = moderate(A, zero=True)
    squares = A.sq_norms()
    total = float(squares.sum())
    Q = orthonormal_basis(A, S)
    W = np.asarray(A.rmatmat(Q).T, dtype=np.float64)
    left = _left(A, Q, W, squares)
    left[S] = 0.0
    inverse, spare = _inverse(W[:, S])
    C = inverse @ W
    C[:, S] = np.where(spare, C[:, S], np.eye(len(S)))  # exactly, where there is one way only
    losses = _losses(inverse, W, spare)
    rival, change = np.full(len(S), -1), np.zeros(len(S))
    if rivals and len(S) and total > 0:
        found = best_exchanges(A, S.tolist())
        for i, p in enumerate(S.tolist()):
            if not spare[i] and p in found and found[p].rival is not None:
                rival[i] = found[p].rival
                change[i] = losses[i] - found[p].gain
    shares = np.divide(left, squares, out=np.full(len(squares), np.nan), where=squares > 0)
    scales = np.divide(1.0, units[S], out=np.zeros(len(S)), where=units[S] > 0)
    coefficients = C * scales[:, None] * units
    intercepts = means - means[S] @ coefficients
    coefficients[:, S] = np.where(spare, coefficients[:, S], np.eye(len(S)))
    intercepts[S] = np.where(spare, intercepts[S], 0.0)
    whole = total if total > 0 else 1.0
    return Explanation(
        indices=S,
        explained=1.0 - shares,
        coefficients=coefficients,
        intercepts=intercepts,
        contributions=_contributions(C, np.sqrt(squares), S),
        losses=losses / whole,
        rivals=rival,
        exchange_costs=change / whole,
        error=float(left.sum()) / whole,
        centered=bool(known.info.get("center")),
        names=None if names is None else tuple(names),
    )


def _units_of(X: Any, selection: Any, sample_weight: Any, n: int) -> tuple[Floats, Floats]:
    """Return what was subtracted from the columns, and what they were divided by."""
    if not isinstance(selection, Selection):
        return np.zeros(n), np.ones(n)
    means, units = selection.seen_as
    if selection.means is None and selection.info.get("center"):  # chosen from covariances
        A = as_columns(X)
        weights = check_weights(sample_weight, A.shape[0])
        means = moments(A, np.ones(A.shape[0]) if weights is None else weights)[0]
    return means, units


def _left(A: Columns, Q: Array, W: Floats, squares: Floats) -> Floats:
    """Return the squared lengths of what is left of all columns."""
    left = np.maximum(squares - loops.column_sq_norms(W), 0.0)
    doubtful = np.flatnonzero(left < SMALL * squares)  # the difference has lost digits
    for part in block_slices(len(doubtful), A.shape[0]):
        j = doubtful[part]
        left[j] = loops.column_sq_norms(project_out(A.columns(j), Q.T))
    # what is below rounding of the column is none of it
    floor = (16 * EPS) ** 2 * A.shape[0]
    return np.where(left > floor * squares, left, 0.0)


def _inverse(R: Floats) -> tuple[Floats, Mask]:
    """Return the pseudoinverse of the chosen columns, and which of them the others could replace.

    R holds the chosen columns in a basis of their span. In units of the lengths of the columns,
    so that these do not decide which directions count.
    """
    lengths = np.sqrt(np.square(R).sum(axis=0))
    over = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    U, s, Vt = np_svd(R * over, full_matrices=True)
    kept = s > len(R) * EPS * s.max(initial=0.0)
    inverse = (Vt[kept].T / s[kept]) @ U[:, kept].T
    spare = np.square(Vt[~kept]).sum(axis=0) > 1e-12 if len(R) else np.zeros(0, dtype=bool)
    return inverse * over[:, None], spare


def _losses(inverse: Floats, W: Floats, spare: Mask) -> Floats:
    """Return by how much the squared error rises without each of the chosen columns.

    The i-th row of the inverse is the direction in the basis that is orthogonal to all other
    chosen columns; its squared length is ``(G⁻¹)_ii``, and what the columns have along it are the
    coefficients ``C_i``.
    """
    lengths = np.sqrt(np.square(inverse).sum(axis=1))
    directions = inverse / np.where(lengths > 0, lengths, 1.0)[:, None]
    out = np.square(directions @ W).sum(axis=1)
    return np.where(spare, 0.0, out)


def _contributions(C: Floats, lengths: Floats, S: Indices) -> Floats:
    """Return the size of each chosen column's part in every column, as a share of its length."""
    out = np.abs(C)
    out *= lengths[S, None]
    out *= np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return out
