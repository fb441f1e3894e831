"""Spectral clustering without the n × n matrix."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .._typing import RandomState
from ..kernel_operand import Kernel
from ..registry import METHODS, check_kernel_method
from ..selecting import select
from ..validation import RankReachedWarning, check_count, tidy
from .affinities import affinity
from .baselines import BASELINES, Embedded, embedded
from .checks import check_clusters, check_filled
from .steps import kmeans

__all__ = ["FastSpectralClustering"]


class FastSpectralClustering(ClusterMixin, BaseEstimator):
    """Cluster by the eigenvectors of a similarity graph, seen through a few representatives.

    **Objective.** The normalized cut of the graph of all similarities.

    **Algorithm.** Choose l representative points of the similarity matrix K by a method of the
    registry, which gives ``K̃ = WᵀW``; take the degrees ``d = Wᵀ(W1)``; the k leading right
    singular vectors of ``W D^{-1/2}`` are those of the normalized graph; run k-means on their
    rows [1]_. Nothing n × n is formed.

    **Cost.** l columns of K (partition-based greedy: also 10 sums of columns, which reads K
    once, in blocks), O(n l²) for the singular vectors; O(n l) memory.

    **Guarantee.** Exact spectral clustering when the representatives reconstruct K.

    **When to use it.** For clusters that are not round, on data with too many points for
    :class:`sklearn.cluster.SpectralClustering`, which needs an n × n matrix.

    Parameters
    ----------
    n_clusters : int, default=8
        k.
    n_representatives : int or None, default=None
        l; 30 for each cluster by default, at most the number of points.
    affinity : str, default="rbf"
        ``"rbf"`` with ``gamma`` (by default one over twice the mean squared distance),
        ``"self-tuning"`` (a width for each pair of points), ``"precomputed"``, or another
        kernel of scikit-learn with nonnegative values on the data, such as ``"linear"`` or
        ``"cosine"`` for counts.
    gamma : float or None, default=None
        Width of ``"rbf"``, ``exp(−gamma d²)``, and of other kernels that have one.
    method : str, default="partition-greedy"
        Any method of :data:`colonnade.METHODS` that takes kernels. Baselines to compare with:
        ``"fowlkes"`` (Nyström spectral clustering from random points), ``"ssvd"`` (a stochastic
        SVD of all similarities) and ``"lsc"`` (landmark-based spectral clustering).
    method_params : dict or None, default=None
        Its parameters, such as ``{"presample": 1.0}`` for the hybrids.
    n_init : int, default=5
        Starts of k-means on the singular vectors.
    random_state : int, RandomState or None, default=None
        Seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    indices_ : ndarray of int or None
        The representatives, in the order of choice; None for ``"ssvd"``.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The singular vectors that were clustered; fewer if the similarities have a lower rank.
    singular_values_ : ndarray of shape (n_clusters,)
        Their singular values; the first is near 1 if K̃ is near K.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis",
       Algorithm 9.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from colonnade import FastSpectralClustering
    >>> from colonnade.metrics import matched_accuracy
    >>> X, y = make_moons(500, noise=0.05, random_state=0)
    >>> model = FastSpectralClustering(2, 60, gamma=30.0, random_state=0).fit(X)
    >>> matched_accuracy(y, model.labels_)
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_representatives: int | None = None,
        *,
        affinity: str = "rbf",
        gamma: float | None = None,
        method: str = "partition-greedy",
        method_params: Mapping[str, Any] | None = None,
        n_init: int = 5,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.n_representatives = n_representatives
        self.affinity = affinity
        self.gamma = gamma
        self.method = method
        self.method_params = method_params
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data, or a square matrix of similarities with ``affinity="precomputed"``.
        y : None
            Ignored.

        Returns
        -------
        self : object
        """
        # similarities in float32 would blur the small ones
        X = validate_data(self, tidy(X), accept_sparse="csr", dtype=np.float64)
        n = X.shape[0]
        k = check_clusters(self.n_clusters, n)
        by_distance = self.affinity in ("rbf", "laplacian", "self-tuning")
        if (by_distance or self.method == "lsc") and isinstance(X, np.ndarray):
            X = X - X.mean(axis=0)  # keeps the digits that a common part would take from distances
        size = min(n, 30 * k)
        if self.n_representatives is not None:
            size = check_count(
                "n_representatives", self.n_representatives, 1, n, f" but n_samples={n}"
            )
        if size < k:
            raise ValueError(
                f"n_representatives={size} span fewer directions than n_clusters={k}; choose at "
                f"least {k}"
            )
        rng = check_random_state(self.random_state)
        starts = check_count("n_init", self.n_init, 1, None)

        def kernel() -> Kernel:
            return affinity(X, self.affinity, self.gamma, rng)

        if self._is_baseline():
            found = BASELINES[self.method](X, kernel, k, size, rng)
        else:
            found = self._embedded(kernel(), k, size, rng)
        self.singular_values_, self.embedding_, self.indices_ = found
        self.labels_ = kmeans(self.embedding_, k, rng, n_init=starts).labels_
        check_filled(
            self.labels_, k,
            "the graph has too few points that differ, or its similarities are all but equal; "
            "try another affinity or gamma",
        )  # fmt: skip
        return self

    def _is_baseline(self) -> bool:
        """Check the method, and whether it is one of those that are no choice of columns."""
        check_kernel_method("method", self.method, list(BASELINES))
        if not isinstance(self.method_params, Mapping | None):
            raise TypeError(
                f"method_params must be a dict of parameters or None, got {self.method_params!r}"
            )
        if self.method not in BASELINES:
            return False
        if self.method_params:
            raise ValueError(
                f"method={self.method!r} takes no parameters, got method_params="
                f"{dict(self.method_params)}"
            )
        if self.method == "lsc" and self.affinity == "precomputed":
            raise TypeError(
                'method="lsc" looks for near points, so it needs data, not affinity="precomputed"'
            )
        return True

    def _embedded(self, K: Kernel, k: int, size: int, rng: np.random.RandomState) -> Embedded:
        """Return what Algorithm 9 clusters."""
        params = dict(self.method_params or {})
        if "random_state" in METHODS[self.method].parameters:
            params.setdefault("random_state", rng.randint(2**31 - 1))
        if self.method == "partition-greedy":
            params.setdefault("n_groups", 10)
        with warnings.catch_warnings():
            # fewer representatives that are as good as all are no reason to worry
            warnings.simplefilter("ignore", RankReachedWarning)
            selection = select(K, size, method=self.method, **params)
        assert selection.embedding is not None
        return *embedded(selection.embedding, K, k), selection.indices

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.affinity != "precomputed"
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags
