"""What the runs of Farahat (2012), chapter 4, found: accuracies and times by method and size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...comparison.ledger import Outcome
from ...comparison.significance import Summary
from ..experiment import Results
from ..findings import Cells, Claim, Figure, absent
from .farahat_kernels_data import TITLES
from .farahat_kernels_methods import FORMULAS

__all__ = [
    "Gathered",
    "agreements",
    "column",
    "formula_of",
    "gathered_kernels",
    "of_named",
    "range_text",
]

OWN_FORMULA = ("GreedyNyström", "PartGreedyNys", "random pivots", "signed groups")
"""Methods whose rank-k approximation is the best inside K̃; the thesis' own, and ours."""

SAME_DATA = ("reuters21578", "mnist_2k2k", "yaleb_32x32")
"""Where our data is that of the thesis, to the last entry as far as can be told."""


@dataclass
class Gathered:
    """Accuracies and times of all runs.

    Attributes
    ----------
    best : dict
        The best approximations, by data set.
    cells : Cells
        Values by (measure, data, method, per cent); "error" is the accuracy of rank l, a formula
        that of rank k, and "... time" a time.
    """

    best: dict[str, Outcome] = field(default_factory=dict)
    cells: Cells = field(default_factory=Cells)

    @property
    def data(self) -> list[str]:
        """The data sets that are there, in the order of the thesis."""
        return [name for name in TITLES if name in self.best]

    def summary(self, measure: str, data: str, label: str, percent: int) -> Summary | None:
        """Return what the runs gave: of times the median and half the range of the inner half."""
        place = (measure, data, label, percent)
        if not measure.endswith("time") or place not in self.cells.values:
            return self.cells.summary(*place)
        low, middle, high = np.quantile(self.cells.values[place], [0.25, 0.5, 0.75])
        runs = len(self.cells.values[place])
        return Summary(float(middle), float(high - low) / 2, runs)

    def mean(self, measure: str, data: str, label: str, percent: int) -> float:
        """Return the mean, or of times the median; NaN if there was no run."""
        found = self.summary(measure, data, label, percent)
        return float("nan") if found is None else found.mean

    def labels(self, measure: str) -> list[str]:
        """Return the methods that were measured, in the order of their runs."""
        return list(dict.fromkeys(place[2] for place in self.cells.values if place[0] == measure))

    def percents(self, measure: str, data: str, label: str) -> list[int]:
        """Return the sizes at which a method was measured."""
        return sorted(
            place[3] for place in self.cells.values if place[:3] == (measure, data, label)
        )


def formula_of(label: str) -> str:
    """Return the formula of rank k with which the thesis shows a method."""
    return FORMULAS[0] if label.startswith(OWN_FORMULA) else FORMULAS[1]


def gathered_kernels(results: Results) -> Gathered:
    """Return accuracies, by the best errors of the same kernel, and times."""
    found = Gathered()
    for job, outcome in results:
        if "best_rank" in outcome:
            found.best[str(job["data"])] = outcome
    for job, outcome in results:
        data, label = str(job["data"]), str(job["method"])
        if data not in found.best or "best_rank" in outcome:
            continue
        best = found.best[data]
        for measure, values in outcome.items():
            if not isinstance(values, dict):  # picks, and the time of all
                continue
            for percent, value in values.items():
                if not measure.endswith("time"):
                    least = best["best"][percent] if measure == "error" else best["best_rank"]
                    value = least / value if value > 0 else 1.0
                found.cells.add(measure, data, label, int(percent), value=value)
    return found


def of_named(claims: Iterable[Claim], found: Gathered, named: Sequence[str]) -> tuple[Claim, ...]:
    """Return claims about some data sets as they stand if not all of these are there."""
    ran = [(TITLES[data], "", "") for data in found.data]
    missing = absent([(TITLES[data], "", "") for data in named], ran)
    return tuple(claim.without(missing) for claim in claims)


def column(percent: int) -> str:
    """Return the title of a column of the tables."""
    return f"l/n = {percent} %"


def range_text(values: Iterable[float], digits: int = 3, sign: str = "+") -> str:
    """Return the least and the largest of some numbers.

    Examples
    --------
    >>> from colonnade.reproduction.experiments.farahat_kernels_gathered import range_text
    >>> range_text([0.5, -0.25])
    '-0.250 to +0.500'
    """
    found = sorted(values)
    if not found:
        return "no run"
    return f"{found[0]:{sign}.{digits}f} to {found[-1]:{sign}.{digits}f}"


def agreements(figures: Sequence[Figure], label: str) -> str:
    """Return in how many figures a method agrees to all printed digits, on the same data."""
    titles = {TITLES[name] for name in SAME_DATA}
    own = [f.difference for f in figures if f.row == label and f.group in titles]
    known = [difference for difference in own if difference is not None]
    same = sum(abs(difference) < 6e-5 for difference in known)
    return (
        f"{label} agrees in all four printed digits in {same} of {len(known)} figures where our "
        f"data is that of the thesis"
    )
