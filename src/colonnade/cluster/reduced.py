"""k-means on reduced data, judged on the original."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .._typing import Array, RandomState
from ..base import Selector
from ..certify import certify
from ..engines.centering import centered
from ..methods import GreedySelector, RowSelector
from ..metrics import best_rank_error
from ..operand import wrapped
from ..projections import SVDProjection
from ..validation import RankReachedWarning, check_count, check_scale, tidy
from .checks import check_clusters, check_filled
from .steps import centroids, kmeans, nearest, polished

__all__ = ["ReducedKMeans", "RepresentativeKMeans"]

EXTRA_DIMENSIONS = 10
"""How many more dimensions than clusters the default reducer keeps."""


class ReducedKMeans(ClusterMixin, BaseEstimator):
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
        data with fewer features).
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
        given = tidy(X)
        X = self._checked(given, reset=True)
        k = check_clusters(self.n_clusters, X.shape[0])
        check_count("n_init", self.n_init, 1, None)
        check_count("n_polish", self.n_polish, 0, None)
        check_count("max_iter", self.max_iter, 1, None)
        rng = check_random_state(self.random_state)
        A = wrapped(X)
        self.reducer_ = self._reducer(X.shape, rng)
        reduced, reason = X, "the data has too few distinct points; give other data"
        if self.reducer_ is not None:
            named = hasattr(self, "feature_names_in_")
            with warnings.catch_warnings(), config_context(assume_finite=True):  # it was checked
                # fewer directions that are as good as all are no reason to worry
                warnings.simplefilter("ignore", RankReachedWarning)
                reduced = self.reducer_.fit_transform(given if named else X, y)
            reason = "the reduced data has too few distinct rows; reduce less"
        found = kmeans(reduced, k, rng, n_init=self.n_init, max_iter=self.max_iter)
        check_filled(found.labels_, k, reason)
        self.n_iter_ = int(found.n_iter_)
        labels = found.labels_.astype(np.intp)
        self.labels_, centers = polished(A, labels, k, self.n_polish)
        self.cluster_centers_ = centers.astype(X.dtype, copy=False)
        means = centroids(A, self.labels_, k)
        self.inertia_ = float(A.row_sq_distances(means, self.labels_).sum())
        return self

    def _reducer(self, shape: tuple[int, int], rng: np.random.RandomState) -> Any:
        if self.reducer is None:
            dimensions = self.n_clusters + EXTRA_DIMENSIONS
            if shape[1] <= dimensions:
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
        _seed(reducer, rng)
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
        X = self._checked(X, reset=False)
        return nearest(wrapped(X), self.cluster_centers_)

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
        X = self._checked(X, reset=False)
        if X.shape[0] != len(self.labels_):
            raise ValueError(
                f"X has {X.shape[0]} rows, but the model was fitted to {len(self.labels_)}; pass "
                "the data of the fit"
            )
        A = wrapped(X)
        rounding = X.shape[0] * float(np.finfo(float).eps) * float(A.sq_norms().sum())
        if self.inertia_ <= rounding:
            return 1.0
        best = best_rank_error(centered(A, False), min(len(self.cluster_centers_) - 1, *X.shape))
        return max(1.0, self.inertia_ / best) if best > rounding else float("inf")

    def certificate(self, X: Any, **options: Any) -> Any:
        """Return what was lost, measured on the data, for a selector as reducer.

        For chosen columns that includes the clusters; for representative rows it is how well
        their span holds the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data that the model was fitted to.
        **options
            See :func:`colonnade.certify`; ``clusters`` are ``labels_`` by default.

        Returns
        -------
        Certificate
        """
        check_is_fitted(self)
        if isinstance(self.reducer_, RowSelector):
            return certify(self._checked(X, reset=False).T, self.reducer_.selection_, **options)
        if not isinstance(self.reducer_, Selector):
            raise TypeError(
                f"a certificate needs a selector as reducer, got {self.reducer_!r}; for others "
                "see approximation_ratio"
            )
        return self.reducer_.certificate(X, **{"clusters": self.labels_, **options})

    def _checked(self, X: Any, *, reset: bool) -> Any:
        # float32 holds small integers exactly, in half of the memory
        X = tidy(X)
        small = getattr(X, "dtype", None) in (np.uint8, np.int8, np.uint16, np.int16)
        X = validate_data(
            self, X, accept_sparse="csr", reset=reset,
            dtype=np.float32 if small else [np.float64, np.float32],
        )  # fmt: skip
        largest = wrapped(X).max_abs()
        if largest > 0:
            check_scale(largest)
            if X.dtype == np.float32 and not 2.0**-40 < largest < 2.0**40:
                X = X.astype(np.float64)  # whose squares are in range
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class RepresentativeKMeans(ReducedKMeans):
    """Cluster by k-means in the span of a few representative rows.

    **Objective.** That of k-means, on the best approximation of the rows by combinations of
    the representatives.

    **Algorithm.** Choose l representative rows; describe all rows by their coordinates W in an
    orthonormal basis of the representatives; run k-means on W, which gives the same partition
    as k-means on the approximated rows would [1]_.

    **Cost.** That of the selector on the transposed data, and O(n l k) per iteration.

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
    random_state : int, RandomState or None, default=None
        Seed of the starts and of a selector that has none of its own.

    Attributes
    ----------
    labels_, cluster_centers_, inertia_, reducer_, n_iter_
        As in :class:`colonnade.ReducedKMeans`; ``reducer_`` is a :class:`colonnade.RowSelector`.
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
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.n_representatives = n_representatives
        self.selector = selector
        self.n_init = n_init
        self.n_polish = n_polish
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose representatives and cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : None
            Ignored.

        Returns
        -------
        self : object
        """
        super().fit(X)
        self.indices_ = self.reducer_.indices_
        return self

    def _reducer(self, shape: tuple[int, int], rng: np.random.RandomState) -> RowSelector:
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
            check_count("n_representatives", size, 1, shape[0], f" but n_samples={shape[0]}")
        elif selector.n_select is None:
            size = min(10 * self.n_clusters, max(1, shape[0] // 2))
        if size is not None:
            selector.set_params(n_select=size)
        _seed(selector, rng)
        return RowSelector(selector)


def _seed(estimator: Any, rng: np.random.RandomState) -> None:
    """Give seeds to an estimator, and to those inside it, that draw lots and have none."""
    for name, value in sorted(estimator.get_params().items()):
        if name.split("__")[-1] == "random_state" and value is None:
            estimator.set_params(**{name: rng.randint(2**31 - 1)})
