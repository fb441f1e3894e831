"""k-means on the sphere: documents by the direction of their word counts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import kmeans_plusplus
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted, validate_data

from ..foundation.parameters import Count, Real
from ..foundation.typing import Array, Floats, Indices, RandomState
from ..linalg.units import divided, learned_units, near_one, with_weight
from ..operands.blocks import float64
from ..operands.containers import dense, sklearn_ready, unit_rows
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from ..operands.preparing import Scale
from ..operands.row_weights import check_weights
from .cluster_counts import STARTS, check_clusters, check_filled, check_init
from .steps import fill_empty

__all__ = ["SphericalKMeans"]


class SphericalKMeans(ClusterMixin, BaseEstimator):
    """Cluster rows by the angle between them.

    **Objective.** The largest sum of cosines between the rows and the unit vectors that stand
    for their clusters; each cosine times the weight of its row, if rows have weights.

    **Algorithm.** Bring rows to unit length; assign each to the centre of largest cosine; bring
    the sum of each cluster to unit length for its new centre; repeat until the objective
    rises by less than ``tol``. A cluster that runs empty takes the row that fits worst. The best
    of ``n_init`` starts (k-means++) counts.

    **Cost.** O(nnz · k) per iteration; sparse data stay sparse.

    **Guarantee.** The objective never falls.

    **When to use it.** For documents and other counts, where length is not meaning.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters.
    n_init : int, default=5
        How many starts; one if ``init`` gives it.
    max_iter : int, default=100
        How many iterations per start at most.
    tol : float, default=1e-5
        The relative gain at which to stop.
    random_state : int, RandomState or None, default=None
        Seed of the starts.
    init : "k-means++" or array-like of shape (n_clusters, n_features), default="k-means++"
        Where to start: from random rows, or from the directions of given centres.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each feature by first: its standard deviation, its interquartile range
        (the standard deviation where that is zero), its largest absolute value, its given unit,
        or nothing. Zero stays zero. Features that do not vary take no part.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row; rows of zeros, which have no direction, are in the first and
        count for nothing.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Unit vectors; with ``scale`` these times ``units_``, which has them in the user's units.
    objective_ : float
        The mean cosine of rows that are not zero, by their weights.
    units_ : ndarray of shape (n_features,) or None
        What each feature was divided by, 0 for those that do not vary; None without ``scale``.
    n_iter_ : int
        Iterations of the best start.
    n_features_in_ : int
        How many features the data had.
    feature_names_in_ : ndarray of str
        Their names, if the data had names.

    References
    ----------
    .. [1] Dhillon & Modha, "Concept decompositions for large sparse text data using
       clustering", Machine Learning 42, 2001, Algorithm SPKMeans.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import SphericalKMeans
    >>> X = np.array([[1.0, 0.1], [9.0, 1.0], [0.2, 3.0], [0.0, 1.0]])
    >>> labels = SphericalKMeans(2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 5,
        max_iter: int = 100,
        tol: float = 1e-5,
        random_state: RandomState = None,
        init: Any = STARTS,
        scale: Any = None,
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.init = init
        self.scale = scale

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a whole number counts as so many equal rows.

        Returns
        -------
        self : object
        """
        X = self._checked(X, reset=True)
        given, n_rows = X, X.shape[0]
        weights, kept = with_weight(sample_weight, n_rows)
        X = X if kept is None else X[kept]  # the others are as if they were not there
        k = check_clusters(self.n_clusters, X.shape[0], n_rows)
        Count(1).check("n_init", self.n_init)
        Count(1).check("max_iter", self.max_iter)
        Real(0.0).check("tol", self.tol)
        Scale().check("scale", self.scale)
        start = check_init(self.init, k, X.shape[1])
        rng = check_random_state(self.random_state)
        self.units_: Floats | None = None
        if self.scale is not None:
            names = getattr(self, "feature_names_in_", None)
            self.units_, _ = learned_units(X, self.scale, weights, names, center=False)
        unit = unit_rows(divided(X, self.units_))
        directed = row_norms(unit) > 0
        count = int(directed.sum())
        if not count:
            raise ValueError("all rows are zero, so none has a direction; give other data")
        if count < k:
            raise ValueError(
                f"n_clusters={k}, but only {count} of {len(directed)} rows have a direction, the "
                f"others are zero; choose n_clusters at most {count}"
            )
        if count < len(directed):
            unit, weights = unit[directed], None if weights is None else weights[directed]
        weights, _ = near_one(weights)
        A = wrapped(unit)
        if start is None:
            climbs = [
                self._climb(unit, A, dense(kmeans_plusplus(unit, k, **how)[0]), weights)
                for how in [{"random_state": rng, "sample_weight": weights}] * self.n_init
            ]
        else:
            start = unit_rows(divided(start, self.units_))
            if not row_norms(start).all():
                raise ValueError("init holds a centre that is zero, without a direction")
            climbs = [self._climb(unit, A, start.astype(unit.dtype), weights)]
        best = max(climbs, key=lambda found: found[0])
        self.objective_, labels, centers, self.n_iter_ = best
        check_filled(labels, k, "the rows have too few distinct directions; give other data")
        if self.units_ is not None:
            centers = (centers * self.units_).astype(X.dtype)
        self.cluster_centers_ = centers
        if self.units_ is not None:
            labels, fit = self._assigned(unit)  # as predict sees them, to the last digit
            self.objective_ = float(np.average(fit, weights=weights))
        self.labels_ = np.zeros(n_rows, dtype=np.intp)
        rows = directed if kept is None else kept[directed]
        if kept is not None:
            self.labels_[:] = self._assigned(unit_rows(divided(given, self.units_)))[0]
        self.labels_[rows] = labels
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Cluster the rows of X, and return the cluster of each.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        ndarray of int
        """
        return self.fit(X, y, sample_weight).labels_

    def _climb(
        self, unit: Any, A: Columns, centers: Array, weights: Floats | None
    ) -> tuple[float, Array, Array, int]:
        k = len(centers)
        labels, fit = _nearest(unit, centers)
        for step in range(1, self.max_iter + 1):  # noqa: B007
            before = float(np.average(fit, weights=weights))
            fill_empty(labels, fit, k, perfect=1.0)
            means = unit_rows(A.group_sums(labels, k, weights)).astype(unit.dtype)
            # rows that cancel have no mean direction: theirs stays
            centers = np.where(means.any(axis=1, keepdims=True), means, centers)
            labels, fit = _nearest(unit, centers)
            reached = float(np.average(fit, weights=weights))
            filled = np.bincount(labels, minlength=k).min() > 0
            if filled and reached - before <= self.tol * abs(before):
                break
        return reached, labels, centers, step

    def predict(self, X: Any) -> Array:
        """Return the cluster of each row of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int
        """
        check_is_fitted(self)
        return self._assigned(self._seen(X))[0]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the mean cosine between the rows of X and their centres, larger for better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of zeros count for nothing.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        unit = self._seen(X)
        directed = row_norms(unit) > 0
        weights = check_weights(sample_weight, unit.shape[0])
        counted = directed * (1.0 if weights is None else weights)
        total = float(counted.sum())
        return float(counted @ self._assigned(unit)[1]) / total if total > 0 else 0.0

    def _seen(self, X: Any) -> Any:
        """Return rows in units of the features, of unit length."""
        return unit_rows(divided(self._checked(X, reset=False), self.units_))

    def _assigned(self, unit: Any) -> tuple[Indices, Array]:
        """Return the centre of largest cosine for each row, and that cosine."""
        centers = self.cluster_centers_
        if self.units_ is not None:
            centers = unit_rows(divided(float64(centers), self.units_)).astype(centers.dtype)
        return _nearest(unit, centers)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return validate_data(
            self, sklearn_ready(X), accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _nearest(unit: Any, centers: Array) -> tuple[Indices, Array]:
    """Return the centre of largest cosine for each row, and that cosine."""
    cosines = unit @ centers.T
    labels = np.argmax(cosines, axis=1)
    return labels, cosines[np.arange(len(labels)), labels]
