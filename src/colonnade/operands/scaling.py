"""Whether the units of columns would decide a choice: the rule behind ``scale="auto"``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..foundation.typing import Floats, Indices, Mask
from ..foundation.wording import listed

__all__ = ["ScaleDecision", "decide_scale"]

FEW = 1 / 3
"""Up to this share of the columns are few."""
MOST = 0.8
"""At least this share of the variance is most of it."""
NEARLY_ALL = 0.9
"""A column that holds more of the variance than this decides alone."""
ALIKE = 10.0
"""Ranges up to this factor apart, the outer tenths aside, are alike."""
ALIKE_FROM_ONE_END = 100.0
"""The same for columns that begin, or end, at one value: pixels, counts, their logarithms."""
SHARED_END = 0.9
"""This share of the columns must begin, or end, at one value."""
TABLE = 200
"""Up to so many columns are a table that somebody wrote, with a unit for each."""
FAR_OUT = 1000.0
"""A column with a range so many times the median is of another kind."""


@dataclass(frozen=True)
class ScaleDecision:
    """Whether columns were divided by their standard deviation, and why.

    Attributes
    ----------
    scale : str or None
        "std", or None if the columns stay in their units.
    reason : str
        A clause that goes on from "since".
    """

    scale: str | None
    reason: str


def decide_scale(
    ends: tuple[Floats, Floats] | None,
    squares: Floats,
    varying: Mask,
    names: Sequence[str] | None = None,
) -> ScaleDecision:
    """Say whether to divide columns by their standard deviation.

    They stay in their units if they are of one kind, which their ranges tell, or if most of the
    variance is not held by few of them.

    Parameters
    ----------
    ends : pair of ndarray of shape (n,) or None
        The smallest and the largest value of each column; None if only variances are known.
    squares : ndarray of shape (n,)
        Sums of squares about the means, up to a factor.
    varying : ndarray of bool
        Which columns vary; others take no part.
    names : sequence of str, optional
        What the columns are called.

    Returns
    -------
    ScaleDecision

    Notes
    -----
    1. Columns are of one kind if their ranges, the widest and the narrowest tenth aside, differ
       by a factor of 10 at most, unless a tenth of the columns hold 80 % of the variance; or by a
       factor of 100, if nine in ten of them begin or end at one value, as pixels and counts do
       (up to 200 columns with the same exception: words are counted by the thousands). No range
       may be above 1000 times the median.
    2. Otherwise, they are scaled if a third of them, or fewer, hold 80 % of the variance, or one
       of them holds more than 90 %.

    The ratio of the standard deviations tells nothing: it is 1,900 for the pixels of MNIST, of
    which many are nearly always dark, and 2,500 for the chemistry of wine.
    """
    numbers = np.flatnonzero(varying)
    if len(numbers) == 1:
        return ScaleDecision(None, "there is only one column that varies")
    order = numbers[np.argsort(-squares[numbers], kind="stable")]
    held = np.cumsum(squares[order]) / squares[order].sum()
    kind = None if ends is None else _one_kind(ends, numbers, held)
    if kind is not None:
        return ScaleDecision(None, kind)
    count, share = len(order), float(held[0])
    if share > NEARLY_ALL:
        return ScaleDecision(
            "std",
            f"otherwise 1 of {count} columns would hold {_percent(share)} of the variance: "
            f"{listed(order[:1], names)}",
        )
    # a column below the bound by rounding alone does not count
    few = int(np.searchsorted(held, MOST * (1 - 1e-9))) + 1
    if few <= FEW * count:
        return ScaleDecision(
            "std",
            f"otherwise {few} of {count} columns would hold {_percent(held[few - 1])} of the "
            f"variance: {listed(order[:few], names)}",
        )
    return ScaleDecision(
        None,
        f"no few columns hold most of the variance: {_percent(MOST)} of it takes {few} of {count}",
    )


def _one_kind(ends: tuple[Floats, Floats], numbers: Indices, held: Floats) -> str | None:
    """Return why columns are of one kind; None if they are not.

    ``held`` are the shares of the variance that the 1, 2, ... largest columns hold.
    """
    low, high = (end[numbers] for end in ends)
    ranges = high - low
    ranked = np.sort(ranges)
    outer = len(ranked) // 10
    narrow, wide = ranked[outer], ranked[-1 - outer]
    if ranked[-1] > FAR_OUT * np.median(ranked):
        return None
    few_decide = outer > 0 and held[outer - 1] > MOST
    if wide <= ALIKE_FROM_ONE_END * narrow and not (few_decide and len(ranked) <= TABLE):
        for end, word in ((low, "smallest"), (high, "largest")):
            values, counts = np.unique(end, return_counts=True)
            most = counts.argmax()
            if counts[most] >= SHARED_END * len(end):
                every = "all" if counts[most] == len(end) else f"{counts[most]} of"
                which = "that vary " if len(end) < len(ends[0]) else ""
                return (
                    f"they are of one kind: {every} {len(end)} {which}have the {word} value "
                    f"{values[most]:g}"
                )
    if wide <= ALIKE * narrow and not few_decide:
        return f"their ranges are alike, most within a factor of {wide / narrow:.2g}"
    return None


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")
