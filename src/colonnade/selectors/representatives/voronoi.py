"""k-means and k-medoids on points that are held: assign, move, and again."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from ...foundation.typing import Array, Floats, Indices, Mask
from ...linalg.ties import TIE, rounded_each
from .points import HeldPoints

__all__ = ["lloyd", "medoids_of", "settled"]

STILL = 1e-4
"""Iterations end when the objective falls by less than this share of it."""


def _means(points: HeldPoints, labels: Indices, weights: Floats, centers: Array) -> Array:
    """Return the weighted mean of each cluster; one that weighs nothing stays where it is."""
    n, k = points.count, len(centers)
    dtype = points.rows.dtype
    member = sp.csr_array((weights.astype(dtype), (labels, np.arange(n))), shape=(k, n))
    mass = np.bincount(labels, weights, minlength=k)
    means = (member @ points.rows) / np.where(mass > 0, mass, 1.0)[:, None]
    return np.where(mass[:, None] > 0, means, centers).astype(dtype, copy=False)


def lloyd(
    points: HeldPoints, centers: Array, weights: Floats, n_iter: int, n_fixed: int = 0
) -> tuple[Array, Indices]:
    """Return centres by k-means from given ones, and the nearest centre of each point.

    Parameters
    ----------
    points : HeldPoints
        The points.
    centers : ndarray of shape (k, n_coordinates)
        Where to begin.
    weights : ndarray
        How much each point counts.
    n_iter : int
        How many iterations at most.
    n_fixed : int
        How many of the first centres stay where they are.
    """
    labels, squares = points.nearest_of(centers)
    objective = float(weights @ squares)
    for _ in range(n_iter):
        means = _means(points, labels, weights, centers)
        means[:n_fixed] = centers[:n_fixed]
        centers = means
        labels, squares = points.nearest_of(centers)
        before, objective = objective, float(weights @ squares)
        if objective >= before * (1.0 - STILL):
            break
    return centers, labels


def medoids_of(
    points: HeldPoints, labels: Indices, centers: Array, weights: Floats, allowed: Mask,
    first: Indices,
) -> Indices:  # fmt: skip
    """Return for each cluster its point of least sum of squared distances to the others.

    The first clusters are those of ``first``, which are not among those allowed. A cluster
    without a point that may be chosen gets the one that is farthest from its nearest medoid.
    """
    k = len(centers)
    cost = _within(points, labels, centers, weights)
    order = np.lexsort((rounded_each(cost) if points.exact else cost, labels))
    order = order[allowed[order]]
    found, at = np.unique(labels[order], return_index=True)
    medoids = np.full(k, -1, dtype=np.intp)
    medoids[found] = order[at]
    medoids[: len(first)] = first
    lacking = np.flatnonzero(medoids < 0)
    if len(lacking):
        free = allowed.copy()
        free[medoids[medoids >= 0]] = False
        held = medoids[medoids >= 0]
        left = points.nearest(held)[1] if len(held) else np.full(points.count, np.inf)
        for c in lacking:
            far = np.where(free, left, -1.0)
            p = int(np.argmax(far >= far.max() * (1.0 - TIE)))
            medoids[c], free[p] = p, False
            np.minimum(left, points.distances(points.places(np.array([p]))), out=left)
    return medoids


def _within(points: HeldPoints, labels: Indices, centers: Array, weights: Floats) -> Floats:
    """Return what orders the points of each cluster by their distances to its others."""
    if not points.exact:
        # the sum is the squared distance from the mean, but for a factor and a constant
        means = _means(points, labels, weights, centers)
        gaps = points.rows - means[labels]
        return np.einsum("ij,ij->i", gaps, gaps, dtype=np.float64)
    cost = np.empty(points.count)
    for c in np.unique(labels):
        i = np.flatnonzero(labels == c)
        cost[i] = cdist(points.rows[i], points.rows[i], "sqeuclidean") @ weights[i]
    return cost


def settled(
    points: HeldPoints,
    medoids: Indices,
    weights: Floats,
    allowed: Mask,
    first: Indices,
    n_iter: int,
) -> Indices:
    """Return medoids after a few rounds of assignment and update, as long as these help."""
    labels, squares = points.nearest(medoids)
    objective = float(weights @ squares)
    for _ in range(n_iter):
        labels[medoids] = np.arange(len(medoids))  # each stands for itself
        places = points.rows[medoids]
        proposed = medoids_of(points, labels, places, weights, allowed, first)
        labels, squares = points.nearest(proposed)
        if not float(weights @ squares) < objective * (1.0 - TIE):
            break
        medoids, objective = proposed, float(weights @ squares)
    return medoids
