"""Columns drawn uniformly: the baseline that every method must beat."""

from __future__ import annotations

from ...pivoting.rules import Uniform
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable, Seeded

__all__ = ["UniformSelector"]


@method(
    "uniform",
    title="uniformly at random, without replacement",
    document="Farahat 2012, §3.5 (UniNoRep)",
    cost="m·n·l",
    guarantee="none without incoherence; before k-means, 10 columns for each cluster cost little "
    "more than by leverage",
    randomized=True,
    wide=True,
)
class UniformSelector(Adjustable, Seeded):
    """Draw columns uniformly without replacement.

    **Objective.** None: the baseline that any method should beat.

    **Algorithm.** Draw a column that was not drawn before, whatever it is worth; the pass over
    the data only serves the error path and the embedding. Columns that depend on others are
    drawn like any, so it never ends before ``n_select``.

    **Cost.** O(m n l).

    **When to use it.** To see what a better method is worth on the data at hand. Before k-means
    into k clusters 10 k of them cost little more than as many by leverage scores, on most data;
    the figures are in :class:`~colonnade.LeverageSelector`.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §3.5.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import UniformSelector
    >>> UniformSelector(n_select=2, random_state=0).fit(np.eye(4)).get_support().sum()
    np.int64(2)
    """

    def _passes_before(self, shape: tuple[int, int]) -> int:
        return 0

    def _select(self, problem: Problem) -> Selection:
        return problem.pivot(Uniform(problem.rng))
