"""Columns drawn in rounds, each by what the rounds before it left over."""

from __future__ import annotations

from typing import Annotated

from ...foundation.parameters import Count
from ...pivoting.rules import RandomDiagonal
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable, Seeded

__all__ = ["AdaptiveSelector"]


@method(
    "adaptive-sampling",
    title="in rounds, each in proportion to what is left (adaptive sampling)",
    document="Deshpande, Rademacher, Vempala & Wang 2006; Farahat 2012, §4.6 (AdaptFull)",
    cost="m·n·l",
    guarantee="expected error within 1/(1−ε) of the best rank k plus ε^t·‖A‖², for l = t·k/ε",
    randomized=True,
)
class AdaptiveSelector(Adjustable, Seeded):
    """Draw columns in rounds, with probability proportional to their squared residual.

    **Objective.** A near-optimal low-rank approximation, in expectation.

    **Algorithm.** In each round, draw ``l / n_rounds`` different columns with probability
    ``g_i / Σ g``, where ``g`` are the squared residual norms at the start of the round; then
    project them out of all others. A column that others of its round already span, up to 4e-10
    of its squared residual, is passed over, and more rounds follow until there are l. One column
    per round is ``random-pivot``; one round is sampling by squared norms without
    replacement.

    **Cost.** One pass over the data per choice, O(m n l); O(n l²) and l kernel columns for a
    kernel.

    **Guarantee.** A round of s draws leaves an expected squared error of at most
    ``‖A − A_k‖² + (k/s) e``, where e is the error before it; so t rounds of ``k/ε`` leave at most
    ``‖A − A_k‖²/(1−ε) + ε^t ‖A‖²`` [1]_. Drawing without repeats can only lower it.

    **When to use it.** To compare with the literature; ``random-pivot`` costs the
    same here and adapts after every column.

    Parameters
    ----------
    n_rounds : int, default=10
        In how many rounds, as equal as can be. If ``max_error`` alone decides, a round is as
        large as if half of the columns were wanted.
    must_include : iterable of int or str, default=None
        Columns to choose first, before the first round.

    References
    ----------
    .. [1] Deshpande, Rademacher, Vempala & Wang, "Matrix approximation and projective clustering
       via volume sampling", the section on adaptive sampling.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §3.4.1
       and §4.6.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import AdaptiveSelector
    >>> AdaptiveSelector(2, 2, random_state=0).fit(np.diag([1.0, 3.0, 0.0])).indices_
    array([1, 0])
    """

    n_rounds: Annotated[int, Count(1)] = 10

    def _no_path(self) -> str:
        return "divides the size into rounds"

    def _select(self, problem: Problem) -> Selection:
        wanted = problem.n_select or max(1, problem.n_candidates // 2)
        each, more = divmod(max(1, wanted - len(problem.first)), self.n_rounds)
        # the larger rounds first; with more rounds than columns, one column each
        sizes = [each + 1] * more + [each] * (self.n_rounds - more if each else 0)
        return problem.pivot(RandomDiagonal(problem.rng, sizes))
