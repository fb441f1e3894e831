"""FSFS: discard columns that are near a column that is kept."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from ...foundation.parameters import Count
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from .components import FactorSelector, central_order
from .similarity import Neighbours, closeness, information_loss

__all__ = ["FSFSSelector"]


@method(
    "fsfs",
    title="discard columns that are similar to a kept one (FSFS)",
    document="Mitra, Murthy & Pal (2002); Farahat 2012, §6.2",
    cost="m·n² + n²·log n; memory 16 n² bytes",
    guarantee="no two columns that are left are within a known distance",
    kernels=False,
)
class FSFSSelector(FactorSelector):
    """Discard columns for which a similar column stands.

    **Objective.** A column for each group of similar ones. The dissimilarity of two columns is
    the smaller eigenvalue λ₂ of their 2 × 2 covariance matrix (maximal information
    compression): what is lost when the pair is replaced by its first principal component. It
    is zero if they depend linearly on each other.

    **Algorithm.** Keep the column whose k-th nearest neighbour is nearest, and discard those k
    neighbours. That first distance is the limit for what follows: lower k until some column
    that is left has its k-th neighbour within the limit, discard its k neighbours, and so on
    until no two columns are within the limit. Columns that were kept stay in play, as centres
    and as neighbours (so they do in the listing of [1]_), and k = 1 is not the end if there
    are still neighbours within the limit (so the remark there has it).
    Number and limit thus follow from k. To reach ``n_select`` nevertheless, the columns are
    ranked: first those left whose neighbours were discarded, in order; then the others that
    are left, the most central first; then the discarded, the worst represented first.
    Constant columns come last: they are at distance 0 from everything, and say nothing. Of
    columns whose neighbours are equally near (any two that are each other's nearest are such)
    the most central is taken, that of the smallest sum of dissimilarities to all others, or
    else the longest; of equals the first.

    **Cost.** O(m n²) for all pairs at once, O(n² log n) to sort neighbours, O(n k) for each
    centre, and that some ten times to find k. Up to 16 n² bytes are held for
    the n columns that vary: above 4 GiB, that is for more than 16,384 columns, the data is
    refused.
    Data is neither copied nor made dense.

    **Guarantee.** λ₂ of any two columns that are left is above the limit, ``info["limit"]``
    (of the correlation matrix with ``scale="std"``, else of the covariance matrix), and
    every discarded column was within it of a column that was kept then.

    **When to use it.** When columns repeat each other and one of each group shall stay. It
    looks at pairs only: of three columns that depend on each other only together none goes.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, as many as ``n_neighbors`` leaves or, without that, half of the columns).
    n_neighbors : int or None, default=None
        k at the start; by default the k that leaves at most ``n_select`` columns while k − 1
        would leave more, found by doubling k and then halving the interval.

    Notes
    -----
    In ``selection_.info``, ``"n_neighbors"`` is k at the start, ``"n_left"`` how many columns it
    leaves.

    References
    ----------
    .. [1] Mitra, Murthy & Pal, "Unsupervised feature selection using feature similarity", IEEE
       Trans. PAMI 24 (2002), §3.2 and §4.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import FSFSSelector
    >>> x, y = np.random.default_rng(0).standard_normal((2, 30))
    >>> FSFSSelector(2).fit(np.column_stack([x, 2 * x, y, -y])).indices_
    array([0, 2])
    """

    _: KW_ONLY
    n_neighbors: Annotated[int | None, Count(1)] = None

    def _no_path(self) -> str:
        return "drops columns down to a size"

    def _select(self, problem: Problem) -> Selection:
        Z, numbers = problem.candidates()
        varies = Z.sq_norms() > 0
        still = np.flatnonzero(~varies)
        if len(still):
            Z = Z.subset(np.flatnonzero(varies))
        losses = information_loss(Z)
        central = central_order(closeness(losses), problem.spreads()[numbers][varies])
        neighbours = Neighbours(losses[np.ix_(central, central)])
        del losses
        if self.n_neighbors is None:
            size = problem.n_select or max(1, problem.n_candidates // 2)
            found, k = neighbours.reach(size)
        else:
            found, k = neighbours.eliminate(self.n_neighbors), self.n_neighbors
            if problem.asked is None and self.max_error is None:
                problem.n_select = max(found.size, len(problem.first))
        order = np.concatenate([np.flatnonzero(varies)[central[found.order]], still])
        unit = problem.weight / (problem.unit**2 * problem.n_rows)
        return problem.ranked(numbers[order]).with_info(
            n_neighbors=int(k), n_left=found.size, limit=found.limit * unit
        )
