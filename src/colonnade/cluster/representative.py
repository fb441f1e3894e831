"""k-means in the span of representative rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ..foundation.parameters import check_count
from ..foundation.typing import RandomState
from ..selectors.base import Selector
from ..selectors.greedy.greedy import GreedySelector
from ..selectors.rows import RowSelector
from .reducing import ReducingKMeans, seed

__all__ = ["RepresentativeKMeans"]


class RepresentativeKMeans(ReducingKMeans):
    """Cluster by k-means in the span of a few representative rows.

    **Objective.** That of k-means, on the best approximation of the rows by combinations of
    the representatives.

    **Algorithm.** Choose l representative rows; describe all rows by their coordinates W in an
    orthonormal basis of the representatives; run k-means on W, which gives the same partition
    as k-means on the approximated rows would [1]_.

    **Cost.** That of the selector on the transposed data, and O(n l k) per iteration.

    **Guarantee.** Distances between rows of W are those of the approximated rows, and so is the
    objective of every partition (Theorem 5.1 of [1]_).

    **When to use it.** When the representatives themselves are of interest, or for wide sparse
    data such as documents. For random rows pass a ``UniformSelector``, for the hybrids a
    ``GreedySelector`` with ``presample``; for a stochastic SVD in place of rows see
    :class:`colonnade.ReducedKMeans`.

    Parameters
    ----------
    n_clusters : int, default=8
        k.
    n_representatives : int or None, default=None
        l; ten for each cluster by default, at most one in two rows.
    selector : Selector or None, default=None
        How to choose them; ``n_representatives`` overrides its ``n_select`` if given. By default
        a greedy selector with 10 random groups as target (partition-based greedy).
    n_init : int, default=5
        How many starts.
    n_polish : int, default=0
        How many iterations on the original data afterwards.
    max_iter : int, default=300
        How many iterations on the reduced data at most.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each feature by first, as for :class:`colonnade.ReducedKMeans`.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.
    random_state : int, RandomState or None, default=None
        Seed of the starts and of a selector that has none of its own.

    Attributes
    ----------
    labels_, cluster_centers_, inertia_, reducer_, n_iter_, n_features_in_, feature_names_in_
        As in :class:`colonnade.ReducedKMeans`; ``reducer_`` is a :class:`colonnade.RowSelector`.
        ``labels_`` go by distances in the span, ``predict`` by those in full: for a few rows they
        differ unless ``n_polish`` is above 0.
    indices_ : ndarray of int
        The representatives, in the order of choice.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis",
       Algorithm 8 and Theorem 5.1.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import RepresentativeKMeans
    >>> X = load_digits().data
    >>> model = RepresentativeKMeans(10, 50, random_state=0).fit(X)
    >>> len(model.indices_)
    50
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_representatives: int | None = None,
        *,
        selector: Selector | None = None,
        n_init: int = 5,
        n_polish: int = 0,
        max_iter: int = 300,
        scale: Any = None,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.n_representatives = n_representatives
        self.selector = selector
        self.n_init = n_init
        self.n_polish = n_polish
        self.max_iter = max_iter
        self.scale = scale
        self.random_state = random_state

    def _learn(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        X = super()._learn(X, None)
        self.indices_ = self.reducer_.indices_
        return X

    def _reducer(self, X: Any, rng: np.random.RandomState) -> RowSelector:
        selector: Selector = GreedySelector(target="groups", n_groups=10)
        if self.selector is not None:
            if not isinstance(self.selector, Selector):
                raise TypeError(
                    f"selector must be a selector such as GreedySelector(), got "
                    f"{self.selector!r}; ReducedKMeans takes projections as reducer"
                )
            selector = clone(self.selector)
        size = self.n_representatives
        if size is not None:
            check_count("n_representatives", size, 1, X.shape[0], f" but n_samples={X.shape[0]}")
        elif selector.n_select is None:
            size = min(10 * self.n_clusters, max(1, X.shape[0] // 2))
        if size is not None:
            selector.set_params(n_select=size)
        seed(selector, rng)
        return RowSelector(selector)
