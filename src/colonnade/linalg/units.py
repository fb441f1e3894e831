"""Units of columns and weights of rows, for learners that look at all of them at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Floats, Indices
from ..operands.adjusted import over
from ..operands.containers import times_columns
from ..operands.entrance import wrapped
from ..operands.preparing import Preparation, prepare
from ..operands.row_weights import check_weights, near_one
from ..operands.statistics import largest_sizes
from ..operands.sums import Sums

__all__ = ["divided", "learned_units", "near_one", "summed_units", "with_weight"]

FLOAT32 = 2.0**-100, 2.0**100
"""Factors outside of this range would leave that of float32."""


def learned_units(
    X: Any, scale: Any, weights: Floats | None, names: Any, *, center: bool
) -> tuple[Floats, Floats]:
    """Return the unit of each column, 0 for those that do not vary, and what these hold.

    Parameters
    ----------
    X : ndarray or sparse matrix
        Data that was checked.
    scale : {"std", "robust", "max"} or array-like of shape (n_features,)
        What the units are.
    weights : ndarray of shape (n_samples,) or None
        Weights of the rows.
    names : ndarray of str or None
        Names of the columns, for messages.
    center : bool
        Whether "max" is the largest distance from the mean, or from zero.

    Returns
    -------
    units : ndarray of shape (n_features,)
    constants : ndarray of shape (n_features,)
        The value of each column that does not vary, zero for all others.
    """
    A = wrapped(X)
    weights, _ = near_one(weights)
    found = prepare(
        A, center=center, scale=scale, weights=weights, names=None if names is None else list(names)
    )
    sizes = None
    if not isinstance(scale, str):
        sizes = largest_sizes(A, np.zeros(A.shape[1]), np.ones(A.shape[0]))
    return _units_and_constants(found, sizes)


def summed_units(sums: Sums, scale: Any, names: Any, *, center: bool) -> tuple[Floats, Floats]:
    """Return what :func:`learned_units` does, from sums over the rows.

    Parameters
    ----------
    sums : Sums
        Those of all rows, by their weights.
    scale, names, center
        As for :func:`learned_units`; for "robust" rows would be needed.
    """
    if isinstance(scale, str) and scale == "robust":
        raise ValueError(
            "scale='robust' needs medians of all rows, which data in chunks never has together in "
            'memory; choose "std", "max", "auto" or units'
        )
    names = None if names is None else list(names)
    found = sums.treatment(center=center, scale=scale, names=names)
    given = not isinstance(scale, str)
    return _units_and_constants(found, np.maximum(-sums.low, sums.high) if given else None)


def _units_and_constants(found: Preparation, sizes: Floats | None) -> tuple[Floats, Floats]:
    """Return units and what columns without one hold; sizes of columns are those to be divided."""
    units, means = found.units, found.means
    assert units is not None
    assert means is not None
    if sizes is not None:
        out = np.flatnonzero(~(sizes < 1e140 * np.minimum(units, 1.0)) & (units > 0))
        if len(out):
            raise ValueError(
                f"scale[{out[0]}] = {units[out[0]]:g}, a unit in which the column is as large as "
                f"{sizes[out[0]]:.3g} / {units[out[0]]:g}: out of range; give a larger one"
            )
    return units, np.where(units > 0, 0.0, means)


def divided(X: Any, units: Floats | None) -> Any:
    """Return data in units of its columns; those without a unit become zero.

    Parameters
    ----------
    X : ndarray, sparse matrix or frame
    units : ndarray of shape (n_features,) or None
        None leaves the data as it is.
    """
    if units is None:
        return X
    factors = over(units)
    used = factors[factors > 0]
    low, high = FLOAT32
    if getattr(X, "dtype", None) == np.float32 and not ((low < used) & (used < high)).all():
        X = X.astype(np.float64)
    return times_columns(X, factors)


def with_weight(sample_weight: Any, n_rows: int) -> tuple[Floats | None, Indices | None]:
    """Return the weights of the rows that have one above 0, and which rows these are.

    None stands for no weights at all, and for all rows.
    """
    weights = check_weights(sample_weight, n_rows)
    if weights is None or weights.all():
        return weights, None
    kept = np.flatnonzero(weights)
    return weights[kept], kept
