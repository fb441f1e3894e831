"""How good a partition is: by itself, and compared with known classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from ..foundation.typing import Array, Floats
from ..linalg.partitions import as_labels
from ..operands.entrance import as_columns, moderate
from ..operands.interface import Columns
from ..operands.preparing import prepare

__all__ = [
    "entropy",
    "f_measure",
    "kmeans_objective",
    "matched_accuracy",
    "nmi",
    "normalized_objective",
    "overall_similarity",
    "partition_index",
    "purity",
    "separation_index",
]


# -- compared with known classes ------------------------------------------------------------------


def nmi(classes: Any, labels: Any) -> float:
    """Return the mutual information of classes and clusters over the geometric mean of entropies.

    Parameters
    ----------
    classes : array-like of shape (n_samples,)
        The known classes.
    labels : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float
        From 0 to 1; higher is better.

    Examples
    --------
    >>> from colonnade.metrics import nmi
    >>> nmi([0, 0, 1, 1], [5, 5, 3, 3])
    1.0
    """
    return float(normalized_mutual_info_score(*_codes(classes, labels), average_method="geometric"))


def matched_accuracy(classes: Any, labels: Any) -> float:
    """Return the share of points whose cluster is matched to their class, at the best matching.

    Every cluster is matched to at most one class and the other way round (Hungarian algorithm).

    Parameters
    ----------
    classes, labels : array-like of shape (n_samples,)
        The known classes, and the clusters.

    Returns
    -------
    float
        From 0 to 1; higher is better.

    Examples
    --------
    >>> from colonnade.metrics import matched_accuracy
    >>> matched_accuracy([0, 0, 1, 1], [1, 1, 1, 0])
    0.75
    """
    counts = _contingency(classes, labels)
    rows, cols = linear_sum_assignment(-counts)
    return float(counts[rows, cols].sum() / counts.sum())


def purity(classes: Any, labels: Any) -> float:
    """Return the share of points that are of the commonest class of their cluster.

    Parameters
    ----------
    classes, labels : array-like of shape (n_samples,)
        The known classes, and the clusters.

    Returns
    -------
    float
        From 0 to 1; higher is better, and many small clusters are always pure.

    Examples
    --------
    >>> from colonnade.metrics import purity
    >>> purity([0, 0, 1, 1], [1, 1, 1, 0])
    0.75
    """
    counts = _contingency(classes, labels)
    return float(counts.max(axis=0).sum() / counts.sum())


def f_measure(classes: Any, labels: Any) -> float:
    """Return the F-measure of each class in the cluster that suits it best, weighted by size.

    Precision is the share of the cluster that is of the class, recall the share of the class
    that is in the cluster.

    Parameters
    ----------
    classes, labels : array-like of shape (n_samples,)
        The known classes, and the clusters.

    Returns
    -------
    float
        From 0 to 1; higher is better.

    Examples
    --------
    >>> from colonnade.metrics import f_measure
    >>> round(f_measure([0, 0, 1, 1], [1, 1, 1, 0]), 4)
    0.7333
    """
    counts = _contingency(classes, labels)
    sizes = counts.sum(axis=1)
    both = sizes[:, None] + counts.sum(axis=0)
    best = (2.0 * counts / both).max(axis=1)  # 2PR/(P+R) with P = c/|cluster|, R = c/|class|
    return float(best @ sizes / sizes.sum())


def entropy(classes: Any, labels: Any) -> float:
    """Return the entropy of the classes within a cluster, averaged by size, in nats.

    Parameters
    ----------
    classes, labels : array-like of shape (n_samples,)
        The known classes, and the clusters.

    Returns
    -------
    float
        At least 0; lower is better.

    Examples
    --------
    >>> from colonnade.metrics import entropy
    >>> round(entropy([0, 0, 1, 1], [0, 0, 0, 1]), 4)
    0.4774
    """
    counts = _contingency(classes, labels)
    sizes = counts.sum(axis=0)
    shares = counts / sizes
    terms = np.zeros_like(shares)
    np.multiply(shares, np.log(shares, where=shares > 0, out=terms), out=terms)
    return float(-terms.sum(axis=0) @ sizes / sizes.sum())


def _contingency(classes: Any, labels: Any) -> Floats:
    """Return how many points of each class (rows) are in each cluster (columns)."""
    return np.asarray(contingency_matrix(*_codes(classes, labels)), dtype=np.float64)


def _codes(classes: Any, labels: Any) -> tuple[Array, Array]:
    first = np.atleast_1d(np.asarray(classes))
    if not len(first):
        raise ValueError("there are no labels; give one for each point")
    return as_labels(first, len(first))[0], as_labels(labels, len(first))[0]


# -- by itself -----------------------------------------------------------------------------------


def kmeans_objective(X: Any, labels: Any, *, scale: Any = None) -> float:
    """Return ``F(A, X) = ‖A − XXᵀA‖²_F``: squared distances of all points from their centroids.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    labels : array-like of shape (n_samples,)
        The clusters.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide the features by first, as for :class:`colonnade.ReducedKMeans`.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.

    Returns
    -------
    float

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       §3.3.

    Examples
    --------
    >>> from colonnade.metrics import kmeans_objective
    >>> kmeans_objective([[0.0], [2.0], [5.0]], [0, 0, 1])
    2.0
    """
    A, unit = _moderate(X, scale)
    return float(_scatter(A, labels)[0].sum() / unit / unit)


def normalized_objective(X: Any, labels: Any, *, scale: Any = None) -> float:
    """Return the k-means objective as a share of ``‖A‖²_F``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    labels : array-like of shape (n_samples,)
        The clusters.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide the features by first, as for :class:`colonnade.ReducedKMeans`.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.

    Returns
    -------
    float

    Examples
    --------
    >>> from colonnade.metrics import normalized_objective
    >>> normalized_objective([[1.0], [3.0]], [0, 0])
    0.2
    """
    A, _ = _moderate(X, scale)
    total = float(A.sq_norms().sum())
    return kmeans_objective(A, labels) / total if total > 0 else 0.0


def overall_similarity(X: Any, labels: Any) -> float:
    """Return the mean cosine within a cluster, summed over clusters.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data; rows of zeros count as similar to nothing.
    labels : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float
        Higher is better.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §2.2.6.

    Examples
    --------
    >>> from colonnade.metrics import overall_similarity
    >>> overall_similarity([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]], [0, 0, 1])
    1.5
    """
    A, _ = _moderate(X)
    codes, classes = as_labels(labels, A.shape[0])
    counts = np.bincount(codes)
    lengths = np.sqrt(A.row_sq_distances(np.zeros((1, A.shape[1])), np.zeros_like(codes)))
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    weighted = np.zeros((A.shape[0], len(classes)))
    weighted[np.arange(len(codes)), codes] = scale
    means = A.rmatmat(weighted) / counts
    return float(np.square(means).sum())


def partition_index(X: Any, labels: Any) -> float:
    """Return, summed over clusters, the mean spread over the distance to the other centroids.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    labels : array-like of shape (n_samples,)
        At least two clusters.

    Returns
    -------
    float
        Lower is better.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §2.2.6.

    Examples
    --------
    >>> from colonnade.metrics import partition_index
    >>> partition_index([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.02
    """
    spread, counts, distances = _spread_and_distances(X, labels)
    return float((spread / counts / distances.sum(axis=1)).sum())


def separation_index(X: Any, labels: Any) -> float:
    """Return the mean spread over the smallest squared distance of two centroids.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    labels : array-like of shape (n_samples,)
        At least two clusters.

    Returns
    -------
    float
        Lower is better.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §2.2.6.

    Examples
    --------
    >>> from colonnade.metrics import separation_index
    >>> separation_index([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.01
    """
    spread, counts, distances = _spread_and_distances(X, labels)
    apart = distances[~np.eye(len(distances), dtype=bool)].min()
    return float(spread.sum() / counts.sum() / apart)


def _spread_and_distances(X: Any, labels: Any) -> tuple[Floats, Floats, Floats]:
    spread, counts, centroids = _scatter(_moderate(X)[0], labels)
    if len(spread) < 2:
        raise ValueError("there is one cluster only; this index compares at least two")
    distances = cdist(centroids, centroids, "sqeuclidean")
    if (distances[~np.eye(len(spread), dtype=bool)] == 0).any():
        raise ValueError("two clusters have the same centroid, so nothing separates them")
    return spread, counts, distances


def _moderate(X: Any, scale: Any = None) -> tuple[Columns, float]:
    """Return the data scaled to moderate size, so that squares are in range, and the factor."""
    A = as_columns(X, "a measure of a partition")
    if scale is not None:
        A = as_columns(prepare(A, scale=scale, quiet=True).A)
    return moderate(A, zero=True)


def _scatter(A: Columns, labels: Any) -> tuple[Floats, Floats, Array]:
    """Return the squared distances within each cluster, its size, and the centroids (k × d)."""
    codes, classes = as_labels(labels, A.shape[0])
    counts = np.bincount(codes).astype(float)
    centroids = A.group_sums(codes, len(classes)) / counts[:, None]
    spread = np.bincount(codes, A.row_sq_distances(centroids, codes)).astype(float)
    return spread, counts, centroids
