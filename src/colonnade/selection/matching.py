"""A selection and another table: which columns are the chosen ones, and how they have moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..foundation.wording import did_you_mean
from ..operands.blocks import block_slices
from ..operands.interface import Columns

__all__ = ["far_columns", "found_by_name", "usual_values"]

SHIFT = 3.0
"""A mean that moved by more standard deviations than this is far from what it was."""
RATIO = 3.0
"""So is a standard deviation that grew, or shrank, by more than this factor."""


def found_by_name(
    wanted: Sequence[str], there: Sequence[str], kind: str = "chosen column"
) -> Indices:
    """Return the places of some names among others; raise ValueError that lists the missing.

    Parameters
    ----------
    wanted : sequence of str
        The names to find.
    there : sequence of str
        The names of the columns of a table.
    kind : str
        What the wanted ones are, for the message.
    """
    places: dict[str, int] = {}
    for j, name in enumerate(there):
        places.setdefault(name, j)
    counts = Counter(there)
    several = [name for name in wanted if counts[name] > 1]
    if several or len(set(wanted)) < len(wanted):
        name = several[0] if several else Counter(wanted).most_common(1)[0][0]
        raise ValueError(
            f"several columns are named {name!r}, so that the {kind} cannot be told from the "
            "others by its name; give each a name of its own"
        )
    missing = [name for name in wanted if name not in places]
    if missing:
        shown = [f"{name!r}{did_you_mean(name, places)}" for name in missing[:8]]
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        what = f"{kind} is" if len(missing) == 1 else f"{kind}s are"
        raise ValueError(
            f"{len(missing)} {what} missing: {', '.join(shown)}{more}; rename or add what "
            "is missing, or choose again"
        )
    return np.array([places[name] for name in wanted], dtype=np.intp)


def usual_values(
    A: Columns, indices: Indices, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the means and the standard deviations of some columns; gaps apart.

    Parameters
    ----------
    A : Columns
        The data as it was given.
    indices : ndarray of int
        The columns.
    weights : ndarray of shape (m,), optional
        Weights of the rows.
    """
    if A.out_of_core:
        known = A.known_sums()
        if known is None:
            return np.full(len(indices), np.nan), np.full(len(indices), np.nan)
        weight, sums, squares = (np.asarray(values) for values in known)
        means = sums[indices] / weight
        return means, np.sqrt(np.maximum(squares[indices] / weight - means * means, 0.0))
    means, spreads = np.zeros(len(indices)), np.zeros(len(indices))
    w = np.ones(A.shape[0]) if weights is None else weights
    # small blocks of sparse data, which counts on little beside it
    height = A.shape[0] * (1 if A.decomposes_directly else 32)
    for part in block_slices(len(indices), height):
        means[part], spreads[part] = _moments(A.columns(indices[part]), w)
    return means, spreads


def _moments(block: Array, w: Floats) -> tuple[Floats, Floats]:
    there = ~np.isnan(block)
    total = np.maximum(w @ there, np.finfo(float).tiny)
    size = np.nanmax(np.abs(block), axis=0, initial=0.0)
    unit = np.where(size > 0, size, 1.0)  # squares of very large and small entries leave the range
    scaled = np.where(there, block, 0.0) / unit
    means = (w @ scaled) / total
    gaps = np.where(there, scaled - means, 0.0)
    means = means + (w @ gaps) / total  # so the digits of a spread far below its mean stay
    gaps = np.where(there, scaled - means, 0.0)
    return means * unit, np.sqrt((w @ np.square(gaps)) / total) * unit


def far_columns(
    names: Sequence[str], then: tuple[Floats, Floats], now: tuple[Floats, Floats]
) -> list[Mapping[str, Any]]:
    """Return the columns whose mean or standard deviation is far from what it was.

    Parameters
    ----------
    names : sequence of str
        What they are called.
    then, now : tuple of two ndarrays
        Means and standard deviations.

    Returns
    -------
    list of dict
        ``name``, ``mean_then``, ``mean_now``, ``spread_then`` and ``spread_now``, those that moved
        most first: a mean by more than 3 standard deviations, or a standard deviation by more than
        a factor of 3.
    """
    (means, spreads), (new_means, new_spreads) = then, now
    floor = 1e-9 * np.abs(means)  # what did not vary may not move by more than rounding
    moved = np.abs(new_means - means) / np.maximum(np.maximum(spreads, floor), np.finfo(float).tiny)
    low, high = np.minimum(spreads, new_spreads), np.maximum(spreads, new_spreads)
    grown = np.where(high > floor, high / np.maximum(low, np.finfo(float).tiny), 1.0)
    far = np.flatnonzero((moved > SHIFT) | (grown > RATIO))
    worst = np.maximum(moved / SHIFT, grown / RATIO)
    return [
        {
            "name": names[j],
            "mean_then": float(means[j]),
            "mean_now": float(new_means[j]),
            "spread_then": float(spreads[j]),
            "spread_now": float(new_spreads[j]),
        }
        for j in far[np.argsort(-worst[far], kind="stable")]
    ]
