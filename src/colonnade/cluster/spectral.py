"""Spectral clustering without the n × n matrix."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from ..foundation.alerts import RankReachedWarning
from ..foundation.parameters import Count, Flag, check_count
from ..foundation.typing import RandomState
from ..linalg.partitions import quiet_kmeans
from ..linalg.units import divided, learned_units
from ..nystroem.centers import sample_centers
from ..nystroem.landmarks import automatic
from ..nystroem.maps import landmark_embedding
from ..operands.containers import sklearn_ready, unit_rows
from ..operands.kernel import Kernel
from ..operands.preparing import Scale
from ..registry import METHODS, check_kernel_method, check_method_params
from ..selectors.door import select
from .affinities import affinity, affinity_params
from .baselines import BASELINES, OF_KERNELS, Embedded, embedded, lsc
from .cluster_counts import check_clusters, check_filled

__all__ = ["FastSpectralClustering"]


class FastSpectralClustering(ClusterMixin, BaseEstimator):
    """Cluster by the eigenvectors of a similarity graph, seen through a few representatives.

    **Objective.** The normalized cut of the graph of all similarities.

    **Algorithm.** Take l centres of a short k-means, or choose l representative points of the
    similarity matrix K by a method of the registry; either gives ``K̃ = WᵀW``. Take the degrees
    ``d = Wᵀ(W1)``; the k leading right singular vectors of ``W D^{-1/2}`` are those of the
    normalized graph; run k-means on their rows [1]_, made as long as one another [2]_. Nothing
    n × n is formed.

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
    affinity : str or callable, default="rbf"
        ``"rbf"`` with ``gamma`` (by default one over twice the mean squared distance),
        ``"self-tuning"`` (a width for each pair of points), ``"precomputed"``, or another
        kernel of scikit-learn with nonnegative values on the data, such as ``"linear"`` or
        ``"cosine"`` for counts; or a function of two rows that is such a kernel.
    gamma : float or None, default=None
        Inverse squared width of ``"rbf"``, ``exp(−gamma d²)``; the parameter of this name of
        other kernels that have one.
    kernel_params : dict or None, default=None
        Parameters of a function, or further ones of a named kernel: ``degree`` and ``coef0`` of
        ``"polynomial"``.
    method : str, default="auto"
        "auto" takes centres of a short k-means on a few thousand points where the affinity is rbf,
        linear, cosine or polynomial, and points by "random-pivot" elsewhere. Unlike
        :class:`colonnade.Nystroem` it takes centres of points of very different lengths, too,
        since each is divided by its degree. Or any method of :data:`colonnade.METHODS` that takes
        kernels, such as "partition-greedy", which reads all similarities. Baselines:
        ``"fowlkes"`` (Nyström spectral clustering from random points), ``"ssvd"`` (a stochastic
        SVD of all similarities) and ``"lsc"`` (landmark-based spectral clustering), which joins
        points to near landmarks alone, by ``affinity="rbf"``; its default gamma is one over twice
        the square of their mean distance.
    method_params : dict or None, default=None
        Its parameters, such as ``{"presample": 1.0}`` for the hybrids; none for "auto".
    normalize_rows : bool, default=True
        Whether the rows of the singular vectors are divided by their lengths before k-means,
        which finds better clusters on most data.
    n_init : int, default=5
        Starts of k-means on the singular vectors.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each feature by first: its standard deviation, its interquartile range,
        its largest distance from the mean, its given unit, or nothing.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.
    random_state : int, RandomState or None, default=None
        Random seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    indices_ : ndarray of int or None
        The representatives, in the order of choice; None for centres, which are no points of
        the data, and for ``"ssvd"``.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The singular vectors, before their rows are normalized; fewer if the similarities have a
        lower rank.
    singular_values_ : ndarray of shape (n_clusters,)
        Their singular values; the first is near 1 if K̃ is near K.
    n_features_in_ : int
        How many columns the data had.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis",
       Algorithm 9.
    .. [2] Ng, Jordan & Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001,
       step 4.

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
        affinity: Any = "rbf",
        gamma: float | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        method: str = "auto",
        method_params: Mapping[str, Any] | None = None,
        normalize_rows: bool = True,
        n_init: int = 5,
        scale: Any = None,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.n_representatives = n_representatives
        self.affinity = affinity
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.method = method
        self.method_params = method_params
        self.normalize_rows = normalize_rows
        self.n_init = n_init
        self.scale = scale
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
        params = affinity_params(self.affinity, self.gamma, self.kernel_params)
        self._check_method()
        # similarities in float32 would blur the small ones
        X = validate_data(self, sklearn_ready(X), accept_sparse="csr", dtype=np.float64)
        Scale().check("scale", self.scale)
        if self.scale is not None:
            if self.affinity == "precomputed":
                raise ValueError(
                    f"scale={self.scale!r} is for features, and similarities have none; scale the "
                    "points before"
                )
            names = getattr(self, "feature_names_in_", None)
            X = divided(X, learned_units(X, self.scale, None, names, center=True)[0])
        n = X.shape[0]
        k = check_clusters(self.n_clusters, n)
        by_distance = self.affinity in ("rbf", "laplacian", "self-tuning")
        if by_distance and isinstance(X, np.ndarray):
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
        Count(1).check("n_init", self.n_init)
        Flag().check("normalize_rows", self.normalize_rows)
        found = self._embedded(X, params, k, size, rng)
        self.singular_values_, self.embedding_, self.indices_ = found
        rows = unit_rows(self.embedding_) if self.normalize_rows else self.embedding_
        clusters = quiet_kmeans(rows, k, n_init=self.n_init, random_state=rng.randint(2**31 - 1))
        self.labels_ = clusters.labels_.astype(np.intp)
        check_filled(
            self.labels_, k,
            "the graph has too few points that differ, or its similarities are all but equal; "
            "try another affinity or gamma",
        )  # fmt: skip
        return self

    def _check_method(self) -> None:
        """Raise ValueError if the method, its parameters and the affinity do not go together."""
        check_kernel_method("method", self.method, ("auto", *BASELINES))
        params = check_method_params("method_params", self.method_params, "n_representatives")
        if self.method in ("auto", *BASELINES) and params:
            raise ValueError(
                f"method={self.method!r} takes no parameters, got method_params={params}"
            )
        if self.method == "lsc" and self.affinity != "rbf":
            raise ValueError(
                'method="lsc" joins points to near landmarks by a Gaussian of their distance, so '
                f'it takes affinity="rbf" alone, got affinity={self.affinity!r}'
            )

    def _embedded(
        self, X: Any, params: dict[str, Any], k: int, size: int, rng: np.random.RandomState
    ) -> Embedded:
        """Return what is clustered, by the method."""
        if self.method == "lsc":
            return lsc(X, params.get("gamma"), k, size, rng)
        K = affinity(X, self.affinity, params, rng)
        if self.method in OF_KERNELS:
            return OF_KERNELS[self.method](K, k, size, rng)
        method = automatic(K) if self.method == "auto" else self.method
        if method == "short-kmeans":
            W = landmark_embedding(X, K, sample_centers(K, size, rng))
            return *embedded(W, K, k), None
        return self._represented(K, method, k, size, rng)

    def _represented(
        self, K: Kernel, method: str, k: int, size: int, rng: np.random.RandomState
    ) -> Embedded:
        """Return what Algorithm 9 clusters."""
        params = dict(self.method_params or {})
        if "random_state" in METHODS[method].parameters:
            params.setdefault("random_state", rng.randint(2**31 - 1))
        if method == "partition-greedy":
            params.setdefault("n_groups", 10)
        with warnings.catch_warnings():
            # fewer representatives that are as good as all are no reason to worry
            warnings.simplefilter("ignore", RankReachedWarning)
            selection = select(K, size, method=method, **params)
        assert selection.embedding is not None
        return *embedded(selection.embedding, K, k), selection.indices

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.affinity != "precomputed"
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags
