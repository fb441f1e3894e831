"""Columns drawn in proportion to their residuals: randomly pivoted Cholesky."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from ...foundation.parameters import Count
from ...pivoting.rules import RandomDiagonal, RandomProposals, Rule
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable, Seeded

__all__ = ["RandomPivotSelector"]


@method(
    "random-pivot",
    title="random, in proportion to the residual (randomly pivoted Cholesky)",
    document="Chen, Epperly, Tropp & Webber 2022 (arXiv 2207.06503)",
    cost="m·n·l",
    guarantee="expected error within 1+ε of the best rank k for l ≈ k/ε + k log(1/(εη))",
    randomized=True,
)
class RandomPivotSelector(Adjustable, Seeded):
    """Draw columns with probability proportional to their squared residual.

    **Objective.** A near-optimal low-rank approximation, in expectation.

    **Algorithm.** Draw a column with probability ``g_i / Σ g``, where ``g`` are the squared
    residual norms; project it out of all others; repeat. On a kernel this is randomly pivoted
    Cholesky, which looks at l columns of the kernel and its diagonal only. In blocks: propose
    several at once, and accept each with the probability ``g_i now / g_i when proposed``;
    the choices are distributed as before, but kernel columns are computed together [2]_.

    **Cost.** One pass over the data per choice, O(m n l); O(n l²) and l kernel columns for a
    kernel, in blocks with one pass over its points per block.

    **Guarantee.** The expected trace error is within 1 + ε of the best rank-k error after
    about ``k/ε + k log(1/(ε η))`` draws, where η is the relative error of rank k [1]_.

    **When to use it.** For landmarks of a large kernel; when ties and outliers mislead
    deterministic rules; as a strong cheap baseline.

    Parameters
    ----------
    block_size : int or None, default=None
        How many columns to propose at once; 1 for none but the next. By default a quarter of
        what is to be chosen, at most 128.

    References
    ----------
    .. [1] Chen, Epperly, Tropp & Webber, "Randomly pivoted Cholesky: practical approximation
       of a kernel matrix with few entry evaluations", Algorithm 2.1 and Theorem 2.3.
    .. [2] Epperly, Tropp & Webber, "Embrace rejection: kernel matrix approximation by
       accelerated randomly pivoted Cholesky", 2024 (arXiv 2410.03969).

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import RandomPivotSelector
    >>> RandomPivotSelector(n_select=2, random_state=0).fit(np.diag([1.0, 3.0, 0.0])).indices_
    array([1, 0])
    """

    _: KW_ONLY
    block_size: Annotated[int | None, Count(1)] = None

    def _select(self, problem: Problem) -> Selection:
        # the same for data and kernels, so that a seed means the same
        size = self.block_size or min(128, max(1, (problem.n_select or 256) // 4))
        rule: Rule = (
            RandomDiagonal(problem.rng) if size == 1 else RandomProposals(problem.rng, size)
        )
        return problem.pivot(rule)
