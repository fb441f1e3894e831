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
from ..foundation.typing import Array, Indices, RandomState
from ..operands.containers import dense, sklearn_ready, unit_rows
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from .cluster_counts import check_clusters, check_filled
from .steps import fill_empty

__all__ = ["SphericalKMeans"]


class SphericalKMeans(ClusterMixin, BaseEstimator):
    """Cluster rows by the angle between them.

    **Objective.** The largest sum of cosines between the rows and the unit vectors that stand
    for their clusters.

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
        How many starts.
    max_iter : int, default=100
        How many iterations per start at most.
    tol : float, default=1e-5
        The relative gain at which to stop.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row; rows of zeros, which have no direction, are in the first and
        count for nothing.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Unit vectors.
    objective_ : float
        The mean cosine of rows that are not zero.
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
    ):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

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
        X = self._checked(X, reset=True)
        k = check_clusters(self.n_clusters, X.shape[0])
        Count(1).check("n_init", self.n_init)
        Count(1).check("max_iter", self.max_iter)
        Real(0.0).check("tol", self.tol)
        rng = check_random_state(self.random_state)
        unit = unit_rows(X)
        directed = row_norms(unit) > 0
        count = int(directed.sum())
        if not count:
            raise ValueError("all rows are zero, so none has a direction; give other data")
        if count < k:
            raise ValueError(
                f"n_clusters={k}, but only {count} of {len(directed)} rows have a direction, the "
                f"others are zero; choose n_clusters at most {count}"
            )
        unit = unit if count == len(directed) else unit[directed]
        A = wrapped(unit)
        climbs = [self._climb(unit, A, k, rng) for _ in range(self.n_init)]
        best = max(climbs, key=lambda found: found[0])
        self.objective_, labels, self.cluster_centers_, self.n_iter_ = best
        check_filled(labels, k, "the rows have too few distinct directions; give other data")
        self.labels_ = np.zeros(X.shape[0], dtype=np.intp)
        self.labels_[directed] = labels
        return self

    def _climb(
        self, unit: Any, A: Columns, k: int, rng: np.random.RandomState
    ) -> tuple[float, Array, Array, int]:
        seeds, _ = kmeans_plusplus(unit, k, random_state=rng)
        centers = dense(seeds)
        labels, fit = _assigned(unit, centers)
        for step in range(1, self.max_iter + 1):  # noqa: B007
            before = float(fit.mean())
            fill_empty(labels, fit, k, perfect=1.0)
            means = unit_rows(A.group_sums(labels, k)).astype(unit.dtype)
            # rows that cancel have no mean direction: theirs stays
            centers = np.where(means.any(axis=1, keepdims=True), means, centers)
            labels, fit = _assigned(unit, centers)
            filled = np.bincount(labels, minlength=k).min() > 0
            if filled and float(fit.mean()) - before <= self.tol * abs(before):
                break
        return float(fit.mean()), labels, centers, step

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
        return _assigned(unit_rows(self._checked(X, reset=False)), self.cluster_centers_)[0]

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean cosine between the rows of X and their centres, larger for better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of zeros count for nothing.
        y : None
            Ignored.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        unit = unit_rows(self._checked(X, reset=False))
        fit = _assigned(unit, self.cluster_centers_)[1]
        return float(fit.sum() / max(1, np.count_nonzero(row_norms(unit))))

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return validate_data(
            self, sklearn_ready(X), accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _assigned(unit: Any, centers: Array) -> tuple[Indices, Array]:
    """Return the centre of largest cosine for each row, and that cosine."""
    cosines = unit @ centers.T
    labels = np.argmax(cosines, axis=1)
    return labels, cosines[np.arange(len(labels)), labels]
