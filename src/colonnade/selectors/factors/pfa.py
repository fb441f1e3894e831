"""Principal feature analysis: clusters of columns by their loadings."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from ...foundation.parameters import Count, check_count
from ...foundation.typing import Array
from ...linalg.partitions import quiet_kmeans
from ...linalg.ties import rounded_each
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Seeded
from .components import FactorSelector, principal_components

__all__ = ["PFASelector"]
RETAINED = 0.9


@method(
    "pfa",
    title="principal feature analysis: clusters of columns by their loadings",
    document="Lu, Cohen, Zhou & Tian (2007); Farahat 2012, §6.2",
    cost="m·n·q, then k-means of n points in q dimensions",
    guarantee="none: k-means finds a local optimum",
    kernels=False,
    randomized=True,
)
class PFASelector(FactorSelector, Seeded):
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
    rank : int or None, default=None
        q; by default as many components as hold 0.9 of the variance, at most ``n_select``.

    Notes
    -----
    In ``selection_.info``, ``"rank"`` is q and ``"n_clusters"`` how many clusters there are.

    References
    ----------
    .. [1] Lu, Cohen, Zhou & Tian, "Feature selection using principal feature analysis", ACM
       Multimedia 2007, §3, steps 1 to 5.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import PFASelector
    >>> PFASelector(2, random_state=0).fit(load_iris().data).get_support().sum()
    np.int64(2)
    """

    _: KW_ONLY
    rank: Annotated[int | None, Count(1)] = None

    def _no_path(self) -> str:
        return "clusters the columns anew for each size"

    def _select(self, problem: Problem) -> Selection:
        Z, numbers = problem.candidates()
        size = min(len(numbers), problem.n_select or max(1, problem.n_candidates // 2))
        wanted = size if self.rank is None else check_count("rank", self.rank, 1, min(Z.shape))
        values, V = principal_components(Z, wanted)
        if self.rank is None:
            held = np.cumsum(np.square(values)) / float(Z.sq_norms().sum())
            V = V[:, : int(np.searchsorted(held, RETAINED)) + 1]
        order, n_clusters = _middle_first(V, size, problem.rng)
        return problem.ranked(numbers[order]).with_info(rank=V.shape[1], n_clusters=n_clusters)


def _middle_first(V: Array, size: int, rng: np.random.RandomState) -> tuple[Array, int]:
    """Cluster the rows of V; return them by rank in their clusters, and how many there are."""
    # k-means squares distances, so nearer points are equal to it; rounding shall not lead it
    points = np.round(np.abs(V), 7)
    size = min(size, len(np.unique(points, axis=0)))
    clusters = quiet_kmeans(points, size, n_init=10, random_state=rng)
    label = clusters.labels_
    away = np.square(points - clusters.cluster_centers_[label]).sum(axis=1)
    away = rounded_each(np.where(away < 1e-14, 0.0, away))
    order = np.lexsort((away, label))  # stable: of equal ones the first is the nearest
    counts = np.bincount(label, minlength=size)
    place = np.empty(len(V), dtype=np.intp)
    place[order] = np.arange(len(V)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.lexsort((np.arange(len(V)), -counts[label], place)), int((counts > 0).sum())
