"""What chosen columns explain of rows that they were not chosen on."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ..foundation.typing import Floats, Indices
from ..operands.adjusted import adjusted, over
from ..operands.blocks import block_slices
from ..operands.chunked.treating import chunks_as_seen
from ..operands.covariance import Covariance
from ..operands.entrance import as_operand
from ..operands.interface import Columns, Operand
from ..operands.preparing import prepare, without_gaps
from ..operands.row_weights import check_weights
from ..operands.statistics import moments
from ..operands.sums import Sums, sums_of
from ..selection import Selection

__all__ = ["explained_share", "operand_as_seen"]


def operand_as_seen(
    X: Any,
    selection: Any,
    *,
    center: bool | None = None,
    scale: Any = None,
    sample_weight: Any = None,
) -> Operand:
    """Return data as a method sees it: centred and scaled as asked or, by default, as it was.

    Parameters
    ----------
    X : Operand, array-like or sparse matrix of shape (m, n)
        The data as it was given to the method.
    selection : Selection or array of int
        The choice. Column numbers alone say nothing of centre and scale.
    center, scale
        As the parameters of selectors. If both are None, the means and units of the selection.
    sample_weight : array-like of shape (m,), optional
        Weights of the rows.
    """
    told = isinstance(selection, Selection)
    missing = selection.info.get("missing", "error") if told else "error"
    A = as_operand(X, gaps=missing != "error")
    weights = check_weights(sample_weight, A.shape[0])
    if missing != "error" and isinstance(A, Columns):
        A = without_gaps(A, "mean" if missing == "pairwise" else missing, weights)
    if not told or center is not None or scale is not None:
        return prepare(A, center=bool(center), scale=scale, weights=weights, quiet=True).A
    if selection.units is None or len(selection.units) != A.shape[1]:
        centred = bool(selection.info.get("center"))
        return prepare(A, center=centred, weights=weights, quiet=True).A
    if isinstance(A, Columns) and A.out_of_core and selection.means is not None:
        return chunks_as_seen(A, selection.means, selection.units, weights)
    factors = over(selection.units)
    if isinstance(A, Covariance):
        return A.times(factors)
    if not isinstance(A, Columns):
        raise TypeError(
            "the selection was made from columns with means and units, and a kernel has only "
            "inner products; pass the data itself"
        )
    means = selection.means
    if means is None:  # it was made from covariances, which do not tell
        means = moments(A, np.ones(A.shape[0]) if weights is None else weights)[0]
    return adjusted(A, means, factors, None if weights is None else np.sqrt(weights))


def explained_share(A: Columns, selection: Selection, weights: Floats | None = None) -> float:
    """Return the share of the variance of rows that the chosen columns explain.

    Parameters
    ----------
    A : Columns
        Rows with all columns, as they were given; those in chunks are read in one pass. Where an
        entry is missing, a chosen column counts as its mean, and any other takes no part.
    selection : Selection
        The choice, with its embedding.
    weights : ndarray of shape (m,), optional
        Weights of the rows.

    Returns
    -------
    float
        ``1 − ‖Z − Z_S C‖² / ‖Z − mean(Z)‖²``, where Z are the rows with the means and units of the
        selection and C its coefficients; without the mean if the selection was not centred.
        NaN if nothing varies.
    """
    means, units = selection.seen_as
    C = selection.coefficients
    assert C is not None, "every method follows its choice on the data"
    if A.out_of_core:
        return _share_in_parts(A, selection, C, weights)
    Z = adjusted(A, means, over(units))
    w = np.ones(A.shape[0]) if weights is None else weights
    chosen = np.nan_to_num(Z.columns(selection.indices), nan=0.0)
    missed = total = 0.0
    for block in block_slices(A.shape[1], A.shape[0]):
        part = Z.columns(block)
        there = ~np.isnan(part)
        part = np.where(there, part, 0.0)
        gap = np.where(there, part - chosen @ C[:, block], 0.0)
        missed += float(w @ np.square(gap).sum(axis=1))
        squares = w @ np.square(part)
        if selection.info.get("center"):
            seen = np.maximum(w @ there, np.finfo(float).tiny)
            origin = (w @ part) / seen
            squares = w @ np.where(there, np.square(part - origin), 0.0)
        total += float(squares.sum())
    return 1.0 - missed / total if total > 0 else float("nan")


def _share_in_parts(A: Columns, selection: Selection, C: Floats, weights: Floats | None) -> float:
    """Return the same from one pass over parts of the rows, which have no gaps."""
    means, units = selection.seen_as
    how = (means, over(units), selection.indices, C)
    loads: list[Floats] | None = None
    if weights is not None:
        loads = [weights[cut] for cut in A.row_parts("sample_weight")]
    parts = A.over_rows(
        _missed_and_seen, "score", lambda k: (how, None if loads is None else loads[k])
    )
    counted = [part for part in parts if part is not None]
    missed = sum(gap for gap, _ in counted)
    seen = reduce(add, (sums for _, sums in counted))
    squares = seen.squares
    if not selection.info.get("center"):
        squares = squares + seen.weight * np.square(seen.means - means)
    total = float(squares @ np.square(over(units)))
    return 1.0 - missed / total if total > 0 else float("nan")


def _missed_and_seen(
    A: Columns, how: tuple[Floats, Floats, Indices, Floats], weights: Floats | None
) -> tuple[float, Sums] | None:
    """Return what the chosen columns miss of some rows, and the sums over these; None for none."""
    means, factors, S, C = how
    w = np.ones(A.shape[0]) if weights is None else weights
    if not w.any():
        return None
    Z = adjusted(A, means, factors)
    chosen, missed = Z.columns(S), 0.0
    for block in block_slices(A.shape[1], A.shape[0]):
        missed += float(w @ np.square(Z.columns(block) - chosen @ C[:, block]).sum(axis=1))
    return missed, sums_of(A, weights, tiles=())
