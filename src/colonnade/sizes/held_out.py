"""What a path explains of rows that it was not chosen on, after every choice at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..foundation.lapack import solve_triangular
from ..foundation.typing import Floats, Indices
from ..operands.adjusted import adjusted, over
from ..operands.interface import Columns
from ..selection import Selection

__all__ = ["folds", "held_out_errors", "taken_rows"]


def taken_rows(A: Columns, rows: Indices) -> Columns:
    """Return the operand of some rows, in the same container."""
    return A.transposed().subset(rows).transposed()


def folds(
    n_rows: int, n_folds: int, most: int, rng: np.random.RandomState
) -> Iterator[tuple[Indices, Indices]]:
    """Yield rows to learn from and rows to hold out, out of at most so many random ones."""
    order = rng.permutation(n_rows)[:most]
    for k in range(n_folds):
        out = np.arange(k, len(order), n_folds)
        yield np.sort(np.delete(order, out)), np.sort(order[out])


def held_out_errors(
    A: Columns, selection: Selection, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the relative squared errors on other rows after each choice.

    Parameters
    ----------
    A : Columns
        Rows with all columns, as they were given, without gaps.
    selection : Selection
        The choice, with its embedding.
    weights : ndarray of shape (m,), optional
        Weights of the rows.

    Returns
    -------
    of_all : ndarray of shape (len(selection),)
        ``‖Z − Z_S C‖² / ‖Z‖²`` for the first 1, 2, ... of the chosen columns S, where Z are the
        rows with the means and units of the selection and C the coefficients of the fit.
    of_others : ndarray of shape (len(selection),)
        The same as a share of the columns that are not chosen, which alone have an error;
        infinite where none are left.

    Notes
    -----
    The embedding is ``W = QᵀA`` with the triangle ``R = W_S``, and ``Y = Z_S R⁻¹`` are the
    coordinates of other rows. The error after t choices is

        ``‖Z − Y_t W_t‖² = ‖Z‖² − 2 tr(Y_tᵀ Z W_tᵀ) + tr(Y_tᵀ Y_t W_t W_tᵀ)``,

    sums over the leading parts of two products: one product with Z gives all t.
    """
    means, units = selection.seen_as
    Z = adjusted(A, means, over(units), None if weights is None else np.sqrt(weights))
    assert selection.embedding is not None, "every method follows its choice on the data"
    W = selection.embedding.astype(np.float64, copy=False)
    R = np.triu(W[:, selection.indices])
    dependent = ~W.any(axis=1)
    R[dependent, dependent] = 1.0  # takes no part: its row of W is zero
    Y = solve_triangular(R, Z.columns(selection.indices).T.astype(np.float64), trans="T").T
    squares = Z.sq_norms()
    total = float(squares.sum())
    linear = np.einsum("it,it->t", Y, Z.matmat(W.T))
    square = (Y.T @ Y) * (W @ W.T)
    pairs = 2.0 * np.tril(square, -1).sum(axis=1) + square.diagonal()
    missed = np.maximum(total - np.cumsum(2.0 * linear - pairs), 0.0)
    others = total - np.cumsum(squares[selection.indices])
    left = others > 1e-9 * total
    return missed / total, np.divide(missed, others, out=np.full_like(missed, np.inf), where=left)
