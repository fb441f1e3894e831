"""k-means on reduced data, judged on the original."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..certificates import certify
from ..foundation.alerts import RankReachedWarning
from ..foundation.parameters import Count
from ..foundation.typing import Array, Indices, RandomState
from ..linalg.partitions import quiet_kmeans
from ..metrics import best_rank_error
from ..operands.adjusted import centered
from ..operands.blocks import float64
from ..operands.containers import distant_mean, sklearn_ready
from ..operands.entrance import check_scale, wrapped
from ..operands.interface import Columns
from ..projections import SVDProjection
from ..projections.projection import Projection
from ..selectors.base import Selector
from ..selectors.rows import RowSelector
from .cluster_counts import check_clusters, check_filled
from .steps import centroids, nearest, polished

__all__ = ["ReducedKMeans", "seed"]

EXTRA_DIMENSIONS = 10
"""How many more dimensions than clusters the default reducer keeps."""


class ReducedKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Cluster by k-means on few features or directions, then polish on the original data.

    **Objective.** ``F(A, X) = ‖A − XXᵀA‖²_F``, the k-means objective on the *original* data.

    **Algorithm.** Reduce the data; run scikit-learn's k-means from ``n_init`` starts there, where
    an iteration is cheap; take the centroids of the best partition in the original space, and
    go on from them for ``n_polish`` iterations.

    **Cost.** The reduction (by default five products of the data with k + 20 columns), O(n t k)
    per reduced iteration, and ``n_polish + 1`` iterations of O(nnz(A) k) on the original data.

    **Guarantee.** Those of the reducer: the best partition in the k leading singular directions
    is at most twice as costly as the best of all [1]_ (the default finds these directions up to
    what one step of a power iteration leaves); with t = O(log(k/ε)/ε²) random directions
    every partition costs what it costs in full, up to 1 + ε [3]_; for selectors see their
    certificates. ``certificate`` bounds what was reached on the data at hand. Polishing never
    makes it worse.

    **When to use it.** Instead of ``KMeans`` when there are hundreds of features or more.

    Parameters
    ----------
    n_clusters : int, default=8
        k.
    reducer : transformer or None, default=None
        Any selector or projection, or scikit-learn transformer; it is cloned. By default a
        stochastic :class:`colonnade.SVDProjection` to ``n_clusters + 10`` dimensions (none for
        data with fewer features, or for one cluster).
    n_init : int, default=5
        How many starts on the reduced data.
    n_polish : int, default=3
        How many iterations on the original data; 0 for none.
    max_iter : int, default=300
        How many iterations on the reduced data at most.
    random_state : int, RandomState or None, default=None
        Seed of the starts, and of a reducer that has none of its own.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres in the original space, which ``predict`` takes the nearest of: the means of
        the clusters before the last assignment, or of ``labels_`` without polishing.
    inertia_ : float
        The objective on the original data, of ``labels_``.
    reducer_ : transformer
        The fitted reducer, or None if none was needed.
    n_iter_ : int
        Iterations of the best start on the reduced data.
    n_features_in_ : int
        How many features the data had.
    feature_names_in_ : ndarray of str
        Their names, if the data had names.

    References
    ----------
    .. [1] Boutsidis, Zouzias & Drineas, "Random projections for k-means clustering".
    .. [2] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering".
    .. [3] Makarychev, Makarychev & Razenshteyn, "Performance of Johnson-Lindenstrauss transform
       for k-means and k-medians clustering", STOC 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import DualSetSelector, ReducedKMeans
    >>> X = load_digits().data
    >>> model = ReducedKMeans(10, reducer=DualSetSelector(20, 10), random_state=0).fit(X)
    >>> len(model.predict(X[:5]))
    5
    """

    def __init__(
        self,
        n_clusters: int = 8,
        reducer: Any = None,
        *,
        n_init: int = 5,
        n_polish: int = 3,
        max_iter: int = 300,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.reducer = reducer
        self.n_init = n_init
        self.n_polish = n_polish
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Passed on to a reducer that needs labels.

        Returns
        -------
        self : object
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Cluster the rows of X, and return their distances to all centres.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Passed on to a reducer that needs labels.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        return self._distances(self._learn(X, y))

    def _learn(self, X: Any, y: Any) -> Any:
        """Cluster the rows of X; return them checked."""
        given = sklearn_ready(X)
        X, A = self._checked(given, reset=True)
        k = check_clusters(self.n_clusters, X.shape[0])
        Count(1).check("n_init", self.n_init)
        Count(0).check("n_polish", self.n_polish)
        Count(1).check("max_iter", self.max_iter)
        rng = check_random_state(self.random_state)
        self.reducer_ = self._reducer(X.shape, rng)
        reduced, reason = X, "the data has too few distinct points; give other data"
        if self.reducer_ is not None:
            reduced = self._reduced(given, X, y)
            reason = "the reduced data has too few distinct rows; reduce less"
        found = quiet_kmeans(
            reduced, k, n_init=self.n_init, max_iter=self.max_iter,
            random_state=rng.randint(2**31 - 1),
        )  # fmt: skip
        check_filled(found.labels_, k, reason)
        self.n_iter_ = int(found.n_iter_)
        labels = found.labels_.astype(np.intp)
        self.labels_, centers = polished(A, labels, k, self.n_polish)
        self.cluster_centers_ = centers.astype(X.dtype, copy=False)
        self.inertia_ = _objective(A, self.labels_, k)
        return X

    def _reduced(self, given: Any, X: Any, y: Any) -> Any:
        """Fit the reducer to the data, given with its names and checked; return what it makes."""
        names = getattr(self, "feature_names_in_", None)
        with warnings.catch_warnings():
            # fewer directions that are as good as all are no reason to worry
            warnings.simplefilter("ignore", RankReachedWarning)
            if isinstance(self.reducer_, Projection):
                return self.reducer_.fit_transform_checked(X, names)
            if isinstance(self.reducer_, Selector | RowSelector):
                return self.reducer_.fit_transform_checked(X, names, y)
            return self.reducer_.fit_transform(X if names is None else given, y)

    def _reducer(self, shape: tuple[int, int], rng: np.random.RandomState) -> Any:
        if self.reducer is None:
            dimensions = self.n_clusters + EXTRA_DIMENSIONS
            if shape[1] <= dimensions or self.n_clusters == 1:
                return None
            # polishing makes up for what more power steps would bring
            return SVDProjection(
                min(dimensions, shape[0]), algorithm="stochastic", n_power=1,
                random_state=rng.randint(2**31 - 1),
            )  # fmt: skip
        if isinstance(self.reducer, type) or not hasattr(self.reducer, "fit_transform"):
            raise TypeError(
                f"reducer must be a selector or transformer, got {self.reducer!r}; for example "
                "SignProjection(50) or DualSetSelector(20, n_clusters=10)"
            )
        reducer = clone(self.reducer)
        seed(reducer, rng)
        return reducer

    def predict(self, X: Any) -> Array:
        """Return the cluster of the nearest centroid for each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int
        """
        check_is_fitted(self)
        return nearest(self._checked(sklearn_ready(X), reset=False)[1], self.cluster_centers_)

    def transform(self, X: Any) -> Array:
        """Return the distances of the rows of X to all centres.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        return self._distances(self._checked(sklearn_ready(X), reset=False)[0])

    def _distances(self, X: Any) -> Array:
        return np.asarray(euclidean_distances(X, self.cluster_centers_))

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the objective of X, larger for better, each row with its nearest centre.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        _, A = self._checked(sklearn_ready(X), reset=False)
        centers = float64(self.cluster_centers_)
        return -float(A.row_sq_distances(centers, nearest(A, centers)).sum())

    def approximation_ratio(self, X: Any) -> float:
        """Return an upper bound on how much worse this partition is than the best there is.

        ``F(A, X_out) / ‖C − C_{k−1}‖²_F`` for the data C less its mean row. The denominator is at
        most the optimum: moving all points changes no partition's cost, and the centroids of k
        clusters of centred data span at most k − 1 directions. Where both sides of the data are
        above 2000 it comes from a stochastic SVD, and the bound may be slightly too low.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data that the model was fitted to.

        Returns
        -------
        float
            At least 1; infinite where k − 1 directions hold all of the data, so that the bound
            says nothing.
        """
        check_is_fitted(self)
        _, A = self._checked(sklearn_ready(X), reset=False)
        n, k = A.shape[0], len(self.cluster_centers_)
        if n != len(self.labels_):
            raise ValueError(
                f"X has {n} rows, but the model was fitted to {len(self.labels_)}; pass the data "
                "of the fit"
            )
        rounding = n * float(np.finfo(float).eps) * float(A.sq_norms().sum())
        reached = _objective(A, self.labels_, k)
        if reached <= rounding:
            return 1.0
        best = best_rank_error(centered(A), min(k - 1, *A.shape))
        return max(1.0, reached / best) if best > rounding else float("inf")

    def certificate(self, X: Any, **options: Any) -> Any:
        """Return what was lost, measured on the data, for a selector as reducer.

        For chosen columns that includes the clusters; for representative rows it is how well
        their span holds the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data that the model was fitted to.
        **options
            See :func:`colonnade.certify`; ``clusters`` are ``labels_`` by default. None for
            representative rows.

        Returns
        -------
        Certificate
        """
        check_is_fitted(self)
        if isinstance(self.reducer_, RowSelector):
            if options:
                raise TypeError(
                    "the certificate of representative rows is about their span alone and takes "
                    f"no options, got {', '.join(sorted(options))}"
                )
            X, _ = self._checked(sklearn_ready(X), reset=False)
            return certify(wrapped(X.T), self.reducer_.selection_)
        if not isinstance(self.reducer_, Selector):
            raise TypeError(
                f"a certificate needs a selector as reducer, got {self.reducer_!r}; for others "
                "see approximation_ratio"
            )
        return self.reducer_.certificate(X, **{"clusters": self.labels_, **options})

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _checked(self, X: Any, *, reset: bool) -> tuple[Any, Columns]:
        """Return the data in the type that it is worked on in, and the same as an operand."""
        # float32 holds small integers exactly, in half of the memory
        small = getattr(X, "dtype", None) in (np.uint8, np.int8, np.uint16, np.int16)
        X = validate_data(
            self, X, accept_sparse="csr", reset=reset,
            dtype=np.float32 if small else [np.float64, np.float32],
        )  # fmt: skip
        A = wrapped(X)
        largest = A.max_abs()
        if largest > 0:
            check_scale(largest)
            # new rows as those of the fit were, however few they are
            far = (
                distant_mean(X) is not None if reset else self.cluster_centers_.dtype == np.float64
            )
            if X.dtype == np.float32 and (far or not 2.0**-40 < largest < 2.0**40):
                X = X.astype(np.float64)  # whose squares are in range, and differences exact
                A = wrapped(X)
        return X, A

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _objective(A: Columns, labels: Indices, k: int) -> float:
    """Return the k-means objective of a partition."""
    return float(A.row_sq_distances(centroids(A, labels, k), labels).sum())


def seed(estimator: Any, rng: np.random.RandomState) -> None:
    """Give seeds to an estimator, and to those inside it, that are random and have none."""
    for name, value in sorted(estimator.get_params().items()):
        if name.split("__")[-1] == "random_state" and value is None:
            estimator.set_params(**{name: rng.randint(2**31 - 1)})
