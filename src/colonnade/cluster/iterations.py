"""Which iterations of k-means are run, on reduced data and on the original, and when they end."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Floats, Indices
from ..linalg.partitions import quiet_kmeans
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from .starts import sampled_start
from .steps import FEW_ROWS, Partition, centroids, descended, fill_empty, nearest, polished

__all__ = ["clustered", "finished", "first_means"]

TOLERANCE = 5e-5
"""At what relative gain of an iteration on many rows k-means ends, or goes on in full."""
POLISH = 8
"""How many iterations on the original data at most, if that is not said."""


def first_means(A: Columns, start: Floats, reduced: Columns, weights: Floats | None) -> Floats:
    """Return the means, in the reduced data, of the rows that are nearest to given centres."""
    k = len(start)
    labels = nearest(A, start)
    if np.bincount(labels, minlength=k).min() == 0:
        fill_empty(labels, -A.row_sq_distances(start, labels), k, perfect=0.0)
    return centroids(reduced, labels, k, weights)


def clustered(
    reduced: Any,
    n_clusters: int,
    weights: Floats | None,
    start: Floats | None,
    rng: np.random.RandomState,
    *,
    n_init: int,
    max_iter: int,
) -> Partition:
    """Return what k-means makes of reduced data.

    Parameters
    ----------
    reduced : ndarray or sparse matrix of shape (n_rows, n_features)
        The data.
    n_clusters : int
        How many clusters.
    weights : ndarray of shape (n_rows,) or None
        Weights of the rows.
    start : ndarray of shape (n_clusters, n_features) or None
        Centres to start from, if they are given.
    rng : RandomState
        Draws starts.
    n_init, max_iter : int
        How many starts, and how many iterations at most.
    """
    if reduced.shape[0] > FEW_ROWS:
        given = start
        if start is None:
            start = sampled_start(reduced, n_clusters, weights, n_init, rng)
        found = descended(wrapped(reduced), start, max_iter, weights, TOLERANCE)
        if len(np.unique(found.centers, axis=0)) == n_clusters:
            return found
        start = given  # hardly more different rows than clusters: a sample does not have all
    how: dict[str, Any] = {"n_init": n_init, "random_state": rng.randint(2**31 - 1)}
    if start is not None:
        how = {"n_init": 1, "init": start}
    means = quiet_kmeans(reduced, n_clusters, weights, max_iter=max_iter, **how)
    labels = means.labels_.astype(np.intp)
    return Partition(labels, means.cluster_centers_, means.inertia_, int(means.n_iter_))


def finished(
    A: Columns, found: Partition, n_polish: int | None, weights: Floats | None, *, in_full: bool
) -> tuple[Indices, Floats]:
    """Return labels and centres after iterations on the original data.

    Parameters
    ----------
    A : Columns
        The original data.
    found : Partition
        What k-means ended at, on reduced data unless ``in_full``.
    n_polish : int or None
        How many iterations; None for as many as are worth it.
    weights : ndarray or None
        Weights of the rows.
    in_full : bool
        Whether the partition was found on the original data.
    """
    k = len(found.centers)
    if n_polish is not None:
        return polished(A, found.labels, k, n_polish, weights)
    if in_full and A.shape[0] > FEW_ROWS:
        return found.labels, found.centers
    return polished(A, found.labels, k, POLISH, weights, TOLERANCE)
