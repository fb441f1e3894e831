"""Principal feature analysis: clusters of columns by their loadings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ...foundation.parameters import check_count
from ...foundation.typing import Array, RandomState
from ...linalg.ties import rounded
from ...operands.centered import centered
from ...pivoting.loop import Progress
from ...pivoting.rules import Given
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run
from .components import in_play, principal_components

__all__ = ["PFASelector", "pfa"]

RETAINED = 0.9


@method(
    "pfa",
    kind="factors",
    title="principal feature analysis: clusters of columns by their loadings",
    estimator="PFASelector",
    document="Lu, Cohen, Zhou & Tian (2007); thesis §6.2",
    cost="m·n·q, then k-means of n points in q dimensions",
    guarantee="none: k-means finds a local optimum",
    inputs=("dense", "sparse"),
    randomized=True,
)
def pfa(
    A: Any,
    n_select: int | float | None = None,
    *,
    rank: int | None = None,
    standardize: bool = False,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Cluster the columns by their loadings and choose the one in the middle of each cluster.

    **Objective.** A column for each group of columns that load alike on the first q principal
    components, and so vary together.

    **Algorithm.** Take the absolute loadings on the first q components as a point for each
    column, cluster the points by k-means into ``n_select`` clusters, choose the column nearest
    to each centre, those of large clusters first. The columns that follow, if clusters are
    fewer because columns are equal, or if ``must_include`` names some, are the second nearest,
    and so on.

    **Cost.** O(m n q) for the components (for data with a short side of up to 2000, an SVD),
    O(n q l) for each of some hundred steps of k-means. Dense data is copied once in float64.

    **Guarantee.** None: k-means finds a local optimum, the best of ten starts.

    **When to use it.** As a baseline; when columns come in groups that vary together, with
    either sign.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    rank : int or None, default=None
        q; by default as many components as hold 0.9 of the variance, at most ``n_select``.
    standardize : bool, default=False
        Whether to give all columns unit variance first: components of the correlation matrix, or
        else of the covariance matrix.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or None
        Columns to choose first; the clustering does not depend on them.
    exclude : iterable of int or None
        Columns never to choose; they take no part in the analysis.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    random_state : int, RandomState or None
        Seed of k-means.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        ``info["rank"]`` is q, ``info["n_clusters"]`` how many clusters there are.

    References
    ----------
    .. [1] Lu, Cohen, Zhou & Tian, "Feature selection using principal feature analysis", ACM
       Multimedia 2007, §3, steps 1 to 5.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import pfa
    >>> x, y = np.random.default_rng(0).standard_normal((2, 30))
    >>> sorted(pfa(np.column_stack([x, x, -x, 3 * y, 3 * y]), 2, random_state=0).indices.tolist())
    [0, 3]
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    rng = check_random_state(random_state)
    data, numbers = in_play(wishes)
    Z = centered(data, standardize)
    size = min(len(numbers), wishes.n_select or max(1, wishes.n_candidates // 2))
    wanted = size if rank is None else check_count("rank", rank, 1, min(Z.shape))
    values, V = principal_components(Z, wanted)
    if rank is None:
        held = np.cumsum(np.square(values)) / float(Z.sq_norms().sum())
        V = V[:, : int(np.searchsorted(held, RETAINED)) + 1]
    order, n_clusters = _middle_first(V, size, rng)
    rule = Given(numbers[order].tolist())
    selection = run(wishes, rule, refine=refine, progress=progress)
    return selection.replace(info={**selection.info, "rank": V.shape[1], "n_clusters": n_clusters})


def _middle_first(V: Array, size: int, rng: np.random.RandomState) -> tuple[Array, int]:
    """Cluster the rows of V; return them by rank in their clusters, and how many there are."""
    # k-means squares distances, so nearer points are equal to it; rounding shall not lead it
    points = np.round(np.abs(V), 7)
    size = min(size, len(np.unique(points, axis=0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters are fine
        clusters = KMeans(size, n_init=10, random_state=rng).fit(points)
    label = clusters.labels_
    away = np.square(points - clusters.cluster_centers_[label]).sum(axis=1)
    away = rounded(np.where(away < 1e-14, 0.0, away))
    order = np.lexsort((away, label))  # stable: of equal ones the first is the nearest
    counts = np.bincount(label, minlength=size)
    place = np.empty(len(V), dtype=np.intp)
    place[order] = np.arange(len(V)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.lexsort((np.arange(len(V)), -counts[label], place)), int((counts > 0).sum())


class PFASelector(Selector):
    """Cluster the columns by their loadings and choose the one in the middle of each cluster.

    See :func:`colonnade.pfa` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    rank : int or None, default=None
        How many components; by default as many as hold 0.9 of the variance, at most
        ``n_select``.
    standardize : bool, default=False
        Whether to give all columns unit variance first.
    max_error : float or None, default=None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or name; the clustering does not depend on them.
    exclude : iterable of int or str, default=None
        Columns never to choose; they take no part in the analysis.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    random_state : int, RandomState or None, default=None
        Seed of k-means.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import PFASelector
    >>> PFASelector(2, random_state=0).fit(load_iris().data).get_support().sum()
    np.int64(2)
    """

    method = "pfa"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        rank: int | None = None,
        standardize: bool = False,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.rank = rank
        self.standardize = standardize
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.random_state = random_state
        self.verbose = verbose
