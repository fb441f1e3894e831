"""Values of the runs of chapter 6 of Farahat (2012), by data, method, percentage and measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...comparison.pictured import Curve
from ...comparison.significance import Summary
from ..experiment import Results
from ..findings import Case, Cells, Figure, absent
from .farahat_features_printed import DATA, METHODS, PERCENTS, UNSCALED

__all__ = [
    "BEST",
    "GREEDY",
    "IMAGES_AND_SOUNDS",
    "LARGE",
    "ONE",
    "Pair",
    "Values",
    "curves",
    "grid",
    "has",
    "mean_at",
    "missing_of",
    "pairs_of",
    "percents_of",
    "values_of",
]

BEST, ONE = "best of ten starts", "one start"
GREEDY = ("GreedyFS", "PartGreedyFS")
IMAGES_AND_SOUNDS = ("orl_32x32", "coil20", "isolet")
LARGE = ("usps", "tdt2", "20news_full")

Pair = tuple[str, str, str, int]
"""Data, the method that is said to be better, the other one, and the percentage."""


@dataclass
class Values(Cells):
    """All values by data, method, percentage (100: all features) and measure.

    Attributes
    ----------
    reduced : set of str
        Data sets of which only some rows were taken.
    """

    reduced: set[str] = field(default_factory=set)


def values_of(results: Results) -> Values:
    """Return what runs gave, but for those that try other preparations."""
    cells = Values()
    measures = {"nmi": BEST, "one_start": ONE, "choice_seconds": "seconds", "clusters": "clusters"}
    for job, outcome in results:
        if "preparation" in job:
            continue
        if job.get("every", 1) > 1:
            cells.reduced.add(job["data"])
        for key, measure in measures.items():
            for percent, value in outcome.get(key, {}).items():
                cells.add(job["data"], job["method"], int(percent), measure, value=value)
    return cells


def mean_at(cells: Cells, data: str, method: str, percent: int, measure: str = BEST) -> float:
    """Return the mean of a method, NaN if it was not run; all features are of no percentage."""
    return cells.mean(data, method, 100 if method == "All Features" else percent, measure)


def percents_of(cells: Cells, data: str) -> list[int]:
    """Return the percentages of features that occur for a data set, in order."""
    return sorted({place[2] for place in cells.values if place[0] == data} - {100})


def pairs_of(
    cells: Cells, datas: Iterable[str], better: Iterable[str], worse: Iterable[str]
) -> list[Pair]:
    """Return all pairs of methods that are to be compared, whether they ran or not.

    They are compared at the percentages of the tables and at others that ran.
    """
    worse = tuple(worse)
    return [
        (data, one, other, percent)
        for data in datas
        for one in better
        for other in worse
        if not {one, other} & UNSCALED.get(data, frozenset())
        for percent in sorted({*PERCENTS, *percents_of(cells, data)})
    ]


def has(cells: Cells, pair: Pair, measure: str = BEST) -> bool:
    """Return whether both methods of a pair ran."""
    data, one, other, percent = pair
    return all(bool(np.isfinite(mean_at(cells, data, m, percent, measure))) for m in (one, other))


def missing_of(cells: Values, pairs: Sequence[Pair], measure: str = BEST) -> list[str]:
    """Return in words what of some pairs was not run."""
    named = [(data, m, percent) for data, *both, percent in pairs for m in both]
    ran = {_case(*place[:3]) for place in cells.values}
    ran |= {_case(*one) for one in named if np.isfinite(mean_at(cells, *one, measure))}
    reduced = [DATA[d] for d in dict.fromkeys(pair[0] for pair in pairs) if d in cells.reduced]
    told = [f"the other rows of {data} (reduced run)" for data in reduced]
    return absent((_case(*one) for one in named), ran) + told


def _case(data: str, method: str, percent: int) -> Case:
    return DATA[data], method, f"{percent} %"


def grid(
    cells: Cells, measure: str, methods: Sequence[str] = METHODS, label: str = ""
) -> Iterator[Figure]:
    """Yield all values of a measure, as a table for each data set."""
    for data, method, found in _rows(cells, measure, methods):
        for percent, ours in found.items():
            yield Figure(DATA[data], method, f"{percent} %", ours, measure=label or measure)


def curves(cells: Cells, measure: str, methods: Sequence[str] = METHODS) -> Iterator[Curve]:
    """Yield a line for each data set and method."""
    for data, method, found in _rows(cells, measure, methods):
        yield Curve(
            DATA[data], method, tuple(float(percent) for percent in found),
            tuple(ours.mean for ours in found.values()),
            tuple(ours.deviation for ours in found.values()),
        )  # fmt: skip


def _rows(
    cells: Cells, measure: str, methods: Sequence[str]
) -> Iterator[tuple[str, str, dict[int, Summary]]]:
    """Yield data, a method that ran on it, and what it gave by percentage."""
    for data in DATA:
        for method in methods:
            found = {}
            for percent in percents_of(cells, data):
                share = 100 if method == "All Features" else percent
                ours = cells.summary(data, method, share, measure)
                if ours is not None:
                    found[percent] = ours
            if found:
                yield data, method, found
