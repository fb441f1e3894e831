"""Which of several methods are better than others, and not by chance: groups by t-tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isnan, nan, sqrt
from typing import Self

import numpy as np

__all__ = ["Summary", "significance_groups", "welch_p_value"]

LEVEL = 0.95
ROUNDING = 1e-12
"""Relative differences of means below this are rounding."""


@dataclass(frozen=True)
class Summary:
    """What several runs gave.

    Attributes
    ----------
    mean : float
        Their mean; NaN if there was none.
    deviation : float
        Their standard deviation, with n − 1 in the denominator; 0 for a single run.
    runs : int
        How many there were.

    Examples
    --------
    >>> from colonnade.comparison.significance import Summary
    >>> Summary.of([1.0, 2.0, 3.0])
    Summary(mean=2.0, deviation=1.0, runs=3)
    """

    mean: float
    deviation: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Self:
        """Return the summary of some values."""
        given = np.array([float(value) for value in values])
        if not len(given):
            return cls(nan, nan, 0)
        deviation = float(np.std(given, ddof=1)) if len(given) > 1 else 0.0
        return cls(float(given.mean()), deviation, len(given))


def welch_p_value(better: Summary, worse: Summary) -> float:
    """Return how likely a difference of means as large as this is if there is none.

    The one-tailed test of Welch, which does not suppose equal variances: with
    ``v_i = s_i² / r_i``, ``t = (q₁ − q₂) / √(v₁ + v₂)`` and the degrees of freedom of
    Satterthwaite, ``(v₁ + v₂)² / (v₁² / (r₁ − 1) + v₂² / (r₂ − 1))``.

    Parameters
    ----------
    better, worse : Summary
        The first is asked to have the larger mean. One without any deviation counts as exact:
        two such differ if their means do.

    References
    ----------
    Farahat (2012), "Greedy Representative Selection for Unsupervised Data Analysis", section 3.5.

    Examples
    --------
    >>> from colonnade.comparison.significance import Summary, welch_p_value
    >>> round(welch_p_value(Summary(0.9, 0.1, 10), Summary(0.8, 0.1, 10)), 3)
    0.019
    """
    difference = better.mean - worse.mean
    if isnan(difference):
        return nan
    first, second = (s.deviation**2 / max(s.runs, 1) for s in (better, worse))
    scale = max(abs(better.mean), abs(worse.mean))
    if sqrt(first + second) <= ROUNDING * scale:
        return 0.5 if abs(difference) <= ROUNDING * scale else 0.0 if difference > 0 else 1.0
    parts = [v**2 / (s.runs - 1) for v, s in ((first, better), (second, worse)) if v and s.runs > 1]
    freedom = (first + second) ** 2 / sum(parts) if parts else inf
    from scipy import stats

    return float(stats.t.sf(difference / sqrt(first + second), freedom))


def significance_groups(
    summaries: Mapping[str, Summary], *, larger_is_better: bool = True, level: float = LEVEL
) -> dict[str, int]:
    """Sort methods into groups of which each is better than the next.

    Methods are sorted by their means, and each is compared with its successor: if it is better
    by :func:`welch_p_value` at the given level, a new group begins.

    Parameters
    ----------
    summaries : dict of str to Summary
        What the runs of each method gave.
    larger_is_better : bool, default=True
        Whether large values are good.
    level : float, default=0.95
        How sure to be.

    Returns
    -------
    dict of str to int
        The number of the group, 1 for the best; methods without a mean are left out.

    References
    ----------
    Farahat (2012), "Greedy Representative Selection for Unsupervised Data Analysis", section 3.5.

    Examples
    --------
    >>> from colonnade.comparison.significance import Summary, significance_groups
    >>> runs = {"a": Summary(0.5, 0.1, 9), "b": Summary(0.9, 0.01, 9), "c": Summary(0.89, 0.1, 9)}
    >>> significance_groups(runs)
    {'b': 1, 'c': 1, 'a': 2}
    """
    sign = 1.0 if larger_is_better else -1.0
    ranked = sorted(
        ((name, Summary(sign * s.mean, s.deviation, s.runs)) for name, s in summaries.items()
         if not isnan(s.mean)),
        key=lambda item: -item[1].mean,
    )  # fmt: skip
    groups: dict[str, int] = {}
    number = 1
    for place, (name, summary) in enumerate(ranked):
        if place and welch_p_value(ranked[place - 1][1], summary) < 1 - level:
            number += 1
        groups[name] = number
    return groups
