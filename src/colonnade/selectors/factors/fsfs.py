"""FSFS: discard columns that are near a column that is kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...foundation.parameters import check_count
from ...operands.centered import centered
from ...pivoting.loop import Progress
from ...pivoting.rules import Given
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run
from .components import central_order, in_play
from .similarity import Neighbours, closeness, information_loss

__all__ = ["FSFSSelector", "fsfs"]


@method(
    "fsfs",
    kind="factors",
    title="discard columns that are similar to a kept one (FSFS)",
    estimator="FSFSSelector",
    document="Mitra, Murthy & Pal (2002); thesis §6.2",
    cost="m·n² + n²·log n; memory 16 n² bytes",
    guarantee="no two columns that are left are within a known distance",
    inputs=("dense", "sparse"),
)
def fsfs(
    A: Any,
    n_select: int | float | None = None,
    *,
    n_neighbors: int | None = None,
    standardize: bool = False,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
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
    Sparse data is not made dense; dense data is copied once in float64.

    **Guarantee.** λ₂ of any two columns that are left is above the limit, ``info["limit"]``
    (of columns of unit sum of squares if standardized, else of the covariance matrix), and
    every discarded column was within it of a column that was kept then.

    **When to use it.** When columns repeat each other and one of each group shall stay. It
    looks at pairs only: of three columns that depend on each other only together none goes.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, as many as ``n_neighbors`` leaves or, without that, half of the columns).
    n_neighbors : int or None, default=None
        k at the start; by default the k that leaves at most ``n_select`` columns while k − 1
        would leave more, found by doubling k and then halving the interval.
    standardize : bool, default=False
        Whether to give all columns unit variance first: λ₂ of the correlation matrix, or
        else of the covariance matrix.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or None
        Columns to choose first; the ranking does not depend on them.
    exclude : iterable of int or None
        Columns never to choose; they take no part in the analysis.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        ``info["n_neighbors"]`` is k at the start, ``info["n_left"]`` how many columns it leaves.

    References
    ----------
    .. [1] Mitra, Murthy & Pal, "Unsupervised feature selection using feature similarity", IEEE
       Trans. PAMI 24 (2002), §3.2 and §4.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import fsfs
    >>> x, y = np.random.default_rng(0).standard_normal((2, 30))
    >>> fsfs(np.column_stack([x, 2 * x, y, -y]), 2).indices.tolist()
    [0, 2]
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    data, numbers = in_play(wishes)
    if n_neighbors is not None:
        check_count("n_neighbors", n_neighbors, 1, None)
    Z = centered(data, standardize)
    varies = Z.sq_norms() > 0
    still = np.flatnonzero(~varies)
    if len(still):
        Z = Z.subset(np.flatnonzero(varies))
    losses = information_loss(Z)
    central = central_order(closeness(losses), data.sq_norms()[varies])
    neighbours = Neighbours(losses[np.ix_(central, central)])
    del losses
    if n_neighbors is None:
        size = wishes.n_select or max(1, wishes.n_candidates // 2)
        found, k = neighbours.reach(size)
    else:
        found, k = neighbours.eliminate(n_neighbors), n_neighbors
        if n_select is None and max_error is None:
            wishes.n_select = max(found.size, len(wishes.first))
    order = np.concatenate([np.flatnonzero(varies)[central[found.order]], still])
    rule = Given(numbers[order].tolist())
    selection = run(wishes, rule, refine=refine, progress=progress)
    unit = 1.0 if standardize else 1.0 / (wishes.unit**2 * Z.shape[0])
    about = {"n_neighbors": k, "n_left": found.size, "limit": found.limit * unit}
    return selection.replace(info={**selection.info, **about})


class FSFSSelector(Selector):
    """Discard columns that are similar to a column that is kept.

    See :func:`colonnade.fsfs` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, as many as ``n_neighbors`` leaves or, without that, half of the columns).
    n_neighbors : int or None, default=None
        k at the start; by default the k that leaves at most ``n_select`` columns while k − 1
        would leave more, found by doubling k and then halving the interval.
    standardize : bool, default=False
        Whether to give all columns unit variance first.
    max_error : float or None, default=None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or name; the ranking does not depend on them.
    exclude : iterable of int or str, default=None
        Columns never to choose; they take no part in the analysis.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import FSFSSelector
    >>> x, y = np.random.default_rng(0).standard_normal((2, 30))
    >>> FSFSSelector(2).fit(np.column_stack([x, 2 * x, y, -y])).indices_
    array([0, 2])
    """

    method = "fsfs"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        n_neighbors: int | None = None,
        standardize: bool = False,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.n_neighbors = n_neighbors
        self.standardize = standardize
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
