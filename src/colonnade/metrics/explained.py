"""What chosen columns explain of rows that they were not chosen on."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Floats
from ..operands.adjusted import adjusted
from ..operands.blocks import block_slices
from ..operands.interface import Columns
from ..selection import Selection

__all__ = ["as_seen", "explained_share"]


def as_seen(selection: Selection) -> tuple[Floats, Floats]:
    """Return the means and units of a selection; zeros and ones where there are none."""
    n = selection.n_candidates
    means = np.zeros(n) if selection.means is None else selection.means
    return means, np.ones(n) if selection.units is None else selection.units


def explained_share(A: Columns, selection: Selection, weights: Floats | None = None) -> float:
    """Return the share of the variance of rows that the chosen columns explain.

    Parameters
    ----------
    A : Columns
        Rows with all columns, as they were given. Where an entry is missing, a chosen column
        counts as its mean, and any other takes no part.
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
    means, units = as_seen(selection)
    factors = np.divide(1.0, units, out=np.zeros_like(units), where=units > 0)
    Z = adjusted(A, means, factors)
    w = np.ones(A.shape[0]) if weights is None else weights
    chosen = np.nan_to_num(Z.columns(selection.indices), nan=0.0)
    missed = total = 0.0
    C = selection.coefficients
    assert C is not None, "every method follows its choice on the data"
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
