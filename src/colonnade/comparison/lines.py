"""Runs of a comparison summed up: a line for each method and size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .ledger import Job, Outcome
from .measures import MEASURES
from .significance import Summary, significance_groups

__all__ = ["Line", "leaves_nothing", "lines_of"]

DIRECTIONS, EVERYTHING = "directions (PCA)", "all columns"
"""What methods are compared with."""
NOTHING = 1e-12
"""What is left by as many clusters as there are different rows, as a share of all, but for
rounding."""


@dataclass(frozen=True)
class Line:
    """What all splits gave for a method and a size.

    Attributes
    ----------
    method : str
        Its name.
    n_select : int
        How many columns were asked for.
    columns : Summary
        How many it kept.
    summaries : dict of str to Summary
        By the keys of measures.
    groups : dict of str to int
        The group of significance, 1 for the best; without one where it cannot be compared.
    failures : dict of str to int
        Reasons, and how many splits it failed for them.
    yardstick : bool
        Whether it is no method that was asked for, but what these are compared with.
    chooses : bool
        Whether it chooses columns, and does not make others of them.
    """

    method: str
    n_select: int
    columns: Summary
    summaries: Mapping[str, Summary]
    groups: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    yardstick: bool = False
    chooses: bool = True

    @property
    def comparable(self) -> bool:
        """Whether it kept no more columns than others, and never failed."""
        return not self.failures and self.columns.runs > 0 and self.columns.mean <= self.n_select

    def mean(self, key: str) -> float | None:
        """Return the mean of a measure, if there is one."""
        return self.summaries[key].mean if key in self.summaries else None


def lines_of(
    results: Iterable[tuple[Job, Outcome]], methods: Sequence[str], sizes: Sequence[int]
) -> tuple[Line, ...]:
    """Return a line for each method and size, and those of the yardsticks.

    Parameters
    ----------
    results : iterable of (job, outcome)
        What runs found.
    methods : sequence of str
        In the order of lines.
    sizes : sequence of int
        Likewise.
    """
    runs: dict[tuple[str, int], list[Outcome]] = {}
    marks: dict[int, Outcome] = {}
    for job, outcome in results:
        if "method" in job:
            found = {**outcome, "seed": job["seed"]}
            runs.setdefault((job["method"], job["n"]), []).append(found)
        else:
            marks[job["seed"]] = outcome
    lines = []
    for n in sizes:
        some = [_line(method, n, runs.get((method, n), []), marks) for method in methods]
        groups = {key: _groups(some, key) for key in MEASURES}
        for line in some:
            own = {key: found[line.method] for key, found in groups.items() if line.method in found}
            lines.append(replace(line, groups=own))
        lines += _yardsticks(n, list(marks.values()))
    return tuple(lines)


def _line(method: str, n: int, outcomes: Sequence[Outcome], marks: Mapping[int, Outcome]) -> Line:
    failures = Counter(str(outcome["failed"]) for outcome in outcomes if "failed" in outcome)
    fine = [_relative(outcome, marks) for outcome in outcomes if "failed" not in outcome]
    summaries = {
        key: Summary.of(outcome[key] for outcome in fine if key in outcome)
        for key in MEASURES
        if any(key in outcome for outcome in fine)
    }
    columns = Summary.of(outcome["columns"] for outcome in fine)
    chooses = all("chosen" in outcome for outcome in fine)
    return Line(method, n, columns, summaries, failures=dict(failures), chooses=chooses)


def _relative(outcome: Outcome, marks: Mapping[int, Outcome]) -> Outcome:
    """Return an outcome with the objective of k-means over that on all columns."""
    if "cost" not in outcome:
        return outcome
    full = marks.get(outcome["seed"], {}).get("cost")
    if full is None or leaves_nothing(full):
        return {key: value for key, value in outcome.items() if key != "cost"}
    return {**outcome, "cost": outcome["cost"] / full}


def leaves_nothing(cost: float) -> bool:
    """Return whether an objective is too small to compare others with."""
    return cost < NOTHING


def _groups(lines: Sequence[Line], key: str) -> dict[str, int]:
    given = {
        line.method: line.summaries[key]
        for line in lines
        if line.comparable and key in line.summaries
    }
    if len(given) < 2:
        return {}
    return significance_groups(given, larger_is_better=MEASURES[key].larger_is_better)


def _yardsticks(n: int, marks: Sequence[Outcome]) -> Iterable[Line]:
    if not marks:
        return
    explained = Summary.of(mark["held_out"][str(n)] for mark in marks)
    kept = Summary(float(n), 0.0, len(marks))
    yield Line(DIRECTIONS, n, kept, {"held_out": explained}, yardstick=True)
    about: dict[str, Any] = {
        key: Summary.of(mark[key] for mark in marks)
        for key in ("accuracy", "nmi")
        if key in marks[0]
    }
    if about:
        yield Line(EVERYTHING, n, kept, about, yardstick=True)
