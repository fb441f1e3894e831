"""Values of the runs of chapter 6 of Farahat (2012), by data, method, percentage and measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ...comparison.pictured import Curve
from ...comparison.significance import Summary
from ..experiment import Results
from ..findings import Cells, Figure
from .farahat_features_printed import DATA, METHODS

__all__ = [
    "BEST",
    "GREEDY",
    "IMAGES_AND_SOUNDS",
    "LARGE",
    "ONE",
    "Pair",
    "curves",
    "gathered",
    "grid",
    "mean_at",
    "pairs_of",
    "percents_of",
]

BEST, ONE = "best of ten starts", "one start"
GREEDY = ("GreedyFS", "PartGreedyFS")
IMAGES_AND_SOUNDS = ("orl_32x32", "coil20", "isolet")
LARGE = ("usps", "tdt2", "20news_full")

Pair = tuple[str, str, str, int]
"""Data, the method that is said to be better, the other one, and the percentage."""


def gathered(results: Results) -> Cells:
    """Return all values by data, method, percentage (100: all features) and measure."""
    cells = Cells()
    measures = {"nmi": BEST, "one_start": ONE, "choice_seconds": "seconds", "clusters": "clusters"}
    for job, outcome in results:
        if "preparation" in job:
            continue
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
    cells: Cells, datas: Iterable[str], better: Iterable[str], worse: Iterable[str],
    measure: str = BEST,
) -> list[Pair]:  # fmt: skip
    """Return all pairs of methods that ran, to be compared."""
    worse = tuple(worse)
    return [
        (data, one, other, percent)
        for data in datas
        for one in better
        for other in worse
        for percent in percents_of(cells, data)
        if np.isfinite(mean_at(cells, data, one, percent, measure))
        and np.isfinite(mean_at(cells, data, other, percent, measure))
    ]


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
