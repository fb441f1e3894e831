"""k-means on reduced data: what all clusterers by it have in common."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ..foundation.alerts import RankReachedWarning
from ..foundation.parameters import Count, Flag
from ..foundation.typing import Array, Floats, Indices
from ..linalg.units import divided, learned_units, near_one, with_weight
from ..metrics import best_rank_error
from ..operands.adjusted import adjusted, centered
from ..operands.blocks import float64
from ..operands.chunked.arriving import is_chunked, validated_chunks
from ..operands.chunked.lazy import by_blocks
from ..operands.containers import distant_mean, sklearn_ready, take_rows
from ..operands.entrance import check_scale, wrapped
from ..operands.interface import Columns
from ..operands.preparing import Scale
from ..operands.row_weights import check_weights
from ..projections.projection import Projection
from ..selectors.base import Selector
from ..selectors.rows import RowSelector
from .block_means import blocks_dtype, score_by_blocks, without_rows
from .cluster_counts import STARTS, check_clusters, check_filled, check_init
from .iterations import clustered, finished, first_means
from .profiles import ClusterProfiles, describe_clusters
from .steps import centroids, nearest, with_moves

__all__ = ["ReducingKMeans", "seed"]


class ReducingKMeans(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """k-means on what a reducer makes of the data, then on the data itself."""

    n_clusters: int
    n_init: int
    n_polish: int | None
    max_iter: int
    random_state: Any
    init: Any = STARTS
    scale: Any = None
    online: bool = False

    @abstractmethod
    def _reducer(self, X: Any, rng: np.random.RandomState) -> Any:
        """Return what reduces such data, not fitted yet, or None for nothing."""

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

    def _learn(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Cluster the rows of X; return them checked, in their units."""
        given = sklearn_ready(X)
        X, A = self._checked(given, reset=True)
        n_rows, names = X.shape[0], getattr(self, "feature_names_in_", None)
        weights, kept = with_weight(sample_weight, n_rows)
        everything = X
        if kept is not None:  # rows without weight are as if they were not there
            given, y = (rows if rows is None else _safe_indexing(rows, kept) for rows in (given, y))
            X = take_rows(X, kept)
        k = check_clusters(self.n_clusters, X.shape[0], n_rows)
        self._check_parameters()
        start = check_init(self.init, k, X.shape[1])
        self.units_: Floats | None = None
        constants: Any = 0.0
        if self.scale is not None:
            # clusters know no origin, so that "max" is not measured from one
            self.units_, constants = learned_units(X, self.scale, weights, names, center=True)
            X, everything = divided(X, self.units_), divided(everything, self.units_)
            given = divided(given, self.units_) if names is not None else given
        if kept is not None or self.units_ is not None:
            A = wrapped(X)
        weights, unit = near_one(weights)
        rng = check_random_state(self.random_state)
        self.reducer_ = self._reducer(X, rng)
        reduced, reason = X, "the data has too few distinct points; give other data"
        if self.reducer_ is not None:
            reduced = self._reduced(given, X, y, weights)
            reason = "the reduced data has too few distinct rows; reduce less"
        if start is not None:
            start = first_means(A, divided(start, self.units_), wrapped(reduced), weights)
        found = clustered(
            reduced, k, weights, start, rng, n_init=self.n_init, max_iter=self.max_iter
        )
        check_filled(found.labels, k, reason)
        self.n_iter_ = found.n_iter
        labels, centers = finished(A, found, self.n_polish, weights, in_full=reduced is X)
        if self.online:
            _, centers = with_moves(A, labels, k, self.max_iter, weights)
            labels = nearest(A, centers)
        if self.units_ is not None:
            centers = centers * self.units_ + constants
        self.cluster_centers_ = centers.astype(X.dtype, copy=False)
        if self.units_ is not None and (self.n_polish != 0 or self.online):
            labels = nearest(A, self._centers())  # as predict sees them, to the last digit
        self.inertia_ = unit * _objective(A, labels, k, weights)
        self.labels_ = labels
        if kept is not None:
            self.labels_ = nearest(wrapped(everything), self._centers())
            self.labels_[kept] = labels
        self._kept = kept
        return everything

    def _check_parameters(self) -> None:
        Count(1).check("n_init", self.n_init)
        if self.n_polish is not None:
            Count(0).check("n_polish", self.n_polish)
        Flag().check("online", self.online)
        Count(1).check("max_iter", self.max_iter)
        Scale().check("scale", self.scale)

    def _reduced(self, given: Any, X: Any, y: Any, weights: Floats | None) -> Any:
        """Fit the reducer to the data, given with its names and checked; return what it makes."""
        names = getattr(self, "feature_names_in_", None)
        with warnings.catch_warnings():
            # fewer directions that are as good as all are no reason to worry
            warnings.simplefilter("ignore", RankReachedWarning)
            if isinstance(self.reducer_, Projection):
                return self.reducer_.fit_transform_checked(X, names, weights)
            if weights is not None and (weights == weights[0]).all():
                weights = None  # none that tell rows apart, which some selectors cannot bear
            if isinstance(self.reducer_, Selector | RowSelector):
                return self.reducer_.fit_transform_checked(X, names, y, weights)
            takes = weights is not None and has_fit_parameter(self.reducer_, "sample_weight")
            more = {"sample_weight": weights} if takes else {}
            return self.reducer_.fit_transform(X if names is None else given, y, **more)

    def predict(self, X: Any) -> Array:
        """Return the cluster of the nearest centroid for each row of X.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int
            Of a dask array a dask array, of which nothing is computed yet.
        """
        check_is_fitted(self)
        if is_chunked(X):
            return self._lazily(X, "predict")
        return nearest(self._seen(X)[1], self._centers())

    def transform(self, X: Any) -> Array:
        """Return the distances of the rows of X to all centres, in units of the features.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Of a dask array a dask array, of which nothing is computed yet.
        """
        check_is_fitted(self)
        if is_chunked(X):
            return self._lazily(X, "transform")
        return self._distances(self._seen(X)[0])

    def _lazily(self, X: Any, method: str) -> Any:
        """Return a dask array of what a method says about the rows of one."""
        array, columns, dtype = validated_chunks(self, X, reset=False), None, np.dtype(np.intp)
        if method == "transform":
            columns = len(self.cluster_centers_)
            dtype = np.result_type(blocks_dtype(array.dtype), self.cluster_centers_)
        return by_blocks(array, without_rows(self), method, columns=columns, dtype=dtype)

    def _distances(self, X: Any) -> Array:
        if is_chunked(X):
            return self.transform(X)
        return np.asarray(euclidean_distances(X, divided(self.cluster_centers_, self.units_)))

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
        return self._score(X, None)

    def _score(self, X: Any, sample_weight: Any) -> float:
        check_is_fitted(self)
        if is_chunked(X):
            return score_by_blocks(self, X, sample_weight)
        _, A = self._seen(X)
        weights, centers = check_weights(sample_weight, A.shape[0]), self._centers()
        squares = A.row_sq_distances(centers, nearest(A, centers))
        return -float(squares.sum() if weights is None else weights @ squares)

    def approximation_ratio(self, X: Any, sample_weight: Any = None) -> float:
        """Return an upper bound on how much worse this partition is than the best there is.

        ``F(A, X_out) / ‖C − C_{k−1}‖²_F`` for the data C less its mean row. The denominator is at
        most the optimum: moving all points changes no partition's cost, and the centroids of k
        clusters of centred data span at most k − 1 directions. Where both sides of the data are
        above 2000 it comes from a stochastic SVD, and the bound may be slightly too low.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data that the model was fitted to.
        sample_weight : array-like of shape (n_samples,), optional
            The weights that the model was fitted with.

        Returns
        -------
        float
            At least 1; infinite where k − 1 directions hold all of the data, so that the bound
            says nothing.
        """
        check_is_fitted(self)
        _, A = self._seen(X)
        n, k = A.shape[0], len(self.cluster_centers_)
        if n != len(self.labels_):
            raise ValueError(
                f"X has {n} rows, but the model was fitted to {len(self.labels_)}; pass the data "
                "of the fit"
            )
        weights, _ = near_one(check_weights(sample_weight, n))
        reached = _objective(A, self.labels_, k, weights)
        if weights is not None:
            A = adjusted(A, np.zeros(A.shape[1]), np.ones(A.shape[1]), np.sqrt(weights))
        rounding = n * float(np.finfo(float).eps) * float(A.sq_norms().sum())
        if reached <= rounding:
            return 1.0
        best = best_rank_error(centered(A), min(k - 1, *A.shape))
        return max(1.0, reached / best) if best > rounding else float("inf")

    def describe(self, X: Any, **options: Any) -> ClusterProfiles:
        """Say what sets the clusters apart: :func:`colonnade.describe_clusters` of ``labels_``.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The data that the model was fitted to.
        **options
            Of :func:`colonnade.describe_clusters`, such as ``names`` and ``n_columns``.

        Returns
        -------
        ClusterProfiles
        """
        check_is_fitted(self)
        return describe_clusters(X, self.labels_, **{"units": self.units_, **options})

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
            X, _ = self._seen(X)
            X = X if self._kept is None else take_rows(X, self._kept)
            return self.reducer_.certificate(X)
        if not isinstance(self.reducer_, Selector):
            raise TypeError(
                f"a certificate needs a selector as reducer, got {self.reducer_!r}; for others "
                "see approximation_ratio"
            )
        X = divided(X if is_chunked(X) else sklearn_ready(X), self.units_)
        return self.reducer_.certificate(X, **{"clusters": self.labels_, **options})

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _centers(self) -> Floats:
        """Return the centres in units of the features, as rows are compared with them."""
        return np.asarray(divided(float64(self.cluster_centers_), self.units_))

    def _seen(self, X: Any) -> tuple[Any, Columns]:
        """Return rows in units of the features, and the same as an operand."""
        X, A = self._checked(sklearn_ready(X), reset=False)
        if self.units_ is None:
            return X, A
        X = divided(X, self.units_)
        return X, wrapped(X)

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


def _objective(A: Columns, labels: Indices, k: int, weights: Floats | None) -> float:
    """Return the k-means objective of a partition."""
    squares = A.row_sq_distances(centroids(A, labels, k, weights), labels)
    return float(squares.sum() if weights is None else weights @ squares)


def seed(estimator: Any, rng: np.random.RandomState) -> None:
    """Give seeds to an estimator, and to those inside it, that are random and have none."""
    for name, value in sorted(estimator.get_params().items()):
        if name.split("__")[-1] == "random_state" and value is None:
            estimator.set_params(**{name: rng.randint(2**31 - 1)})
