"""The steps that k-means repeats, on data in any container."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..operands.interface import Columns

__all__ = ["centroids", "cluster_sums", "fill_empty", "nearest", "polished"]

CENTERS = 64
"""How many centres are looked at in one pass over the data."""


def centroids(A: Columns, labels: Indices, k: int, weights: Floats | None = None) -> Floats:
    """Return the means of the clusters (k × d), by weights of rows; zeros for an empty one."""
    sizes = np.bincount(labels, weights, minlength=k)
    sums = cluster_sums(A, labels, k, weights)
    return np.divide(sums, sizes[:, None], out=np.zeros_like(sums), where=sizes[:, None] > 0)


def cluster_sums(A: Columns, labels: Indices, k: int, weights: Floats | None = None) -> Floats:
    """Return the sums of the rows of each cluster (k × d), times their weights."""
    if weights is None:
        return A.group_sums(labels, k)
    member = np.zeros((A.shape[0], k))
    member[np.arange(len(labels)), labels] = weights
    return np.ascontiguousarray(A.rmatmat(member).T)


def nearest(A: Columns, centers: Array) -> Indices:
    """Return the nearest centre of each row, of equally near ones the first."""
    # measured from the middle of the centres, so that what all points share cancels once, not
    # in every product
    middle = centers.mean(axis=0, dtype=np.float64)
    moved = centers - middle
    offsets = moved @ middle + np.square(moved).sum(axis=1) / 2
    labels = np.zeros(A.shape[0], dtype=np.intp)
    most = np.full(A.shape[0], -np.inf)
    for start in range(0, len(centers), CENTERS):
        few = slice(start, start + CENTERS)
        scores = A.matmat(moved[few].T.astype(A.dtype)) - offsets[few]
        first = scores.argmax(axis=1)
        top = scores[np.arange(len(first)), first]
        closer = top > most
        labels[closer], most[closer] = start + first[closer], top[closer]
    return labels


def fill_empty(labels: Indices, fit: Array, k: int, *, perfect: float) -> None:
    """Give every empty cluster the row that fits worst where it is, in place.

    Alone in its cluster, such a row fits perfectly.
    """
    counts = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(counts == 0):
        movable = np.where(counts[labels] > 1, fit, np.inf)
        worst = int(np.argmin(movable))
        counts[labels[worst]] -= 1
        counts[empty] += 1
        labels[worst] = empty
        fit[worst] = perfect


def polished(
    A: Columns, labels: Indices, k: int, n_steps: int, weights: Floats | None = None
) -> tuple[Indices, Floats]:
    """Return labels and centres after at most so many iterations of k-means from the labels.

    After one or more, the labels are those of the nearest centres. The objective never rises.
    """

    def means(labels: Indices) -> Floats:
        # as they are kept, so that they give the same labels again
        return centroids(A, labels, k, weights).astype(A.dtype).astype(np.float64)

    centers = means(labels)
    for step in range(n_steps):
        labels, before = nearest(A, centers), labels
        empty = np.bincount(labels, minlength=k).min() == 0
        if empty:
            fill_empty(labels, -A.row_sq_distances(centers, labels), k, perfect=0.0)
        if (labels == before).all():
            break
        if empty or step < n_steps - 1:
            centers = means(labels)
        if empty and step == n_steps - 1:
            labels = nearest(A, centers)
    return labels, centers
