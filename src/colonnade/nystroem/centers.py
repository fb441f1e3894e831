"""Landmarks that are no points of the data: centres of a short k-means on some of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from ..foundation.parameters import Count
from ..operands.kernel import Kernel

__all__ = ["AVERAGED", "sample_centers", "sample_size"]

AVERAGED = ("rbf", "polynomial", "poly", "linear", "cosine")
"""Kernels for which a mean of near points stands for them: those of inner products.

By sums of absolute differences (laplacian) a mean is no nearer to its points than these are to
each other, and leaves more of the kernel than random points do.
"""

LEAST, MOST = 2000, 5000
"""How many points are drawn: more than this costs more than it gains."""

PER_CENTER = 10
"""How many points are drawn for each centre, whatever the above says."""


def sample_size(n: int, count: int) -> int:
    """Return from how many of n points ``count`` centres are found.

    A quarter of them, within bounds, so that three passes over the sample take less than one over
    the data.
    """
    return min(n, max(LEAST, min(MOST, n // 4), PER_CENTER * count))


def sample_centers(
    kernel: Kernel, count: int, rng: Any, n_sample: int | None = None, n_iter: int = 3
) -> Any:
    """Return centres of a few iterations of Lloyd's algorithm on some of the points.

    They start from random points. A centre to which no point is nearest becomes the point that is
    farthest from its own. Centres of sparse points are sparse, since few points share each.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with its points.
    count : int
        How many centres, at most as many as there are points.
    rng : RandomState
        Draws the points.
    n_sample : int, optional
        How many points; by default those of :func:`sample_size`, and never fewer than centres.
    n_iter : int, default=3
        How many iterations.

    Returns
    -------
    ndarray or sparse matrix of shape (count, n_features)

    References
    ----------
    .. [1] Zhang, Tsang & Kwok, "Improved Nyström low-rank approximation and error analysis",
       ICML 2008: the error is bounded by the distances of the points from the nearest landmarks.
    """
    Count(1).check("n_iter", n_iter)
    n = kernel.shape[0]
    if n_sample is None:
        n_sample = sample_size(n, count)
    else:
        Count(1).check("n_sample", n_sample)
    drawn = rng.permutation(n)[: min(n, max(n_sample, count))]
    points = kernel.data[drawn]
    if points.dtype != np.float32:
        points = points.astype(np.float64)
    sq_norms = row_norms(points, squared=True)
    centers = points[:count]
    for _ in range(n_iter):
        scores = safe_sparse_dot(points, centers.T, dense_output=True)
        scores *= -2
        scores += row_norms(centers, squared=True)
        nearest = scores.argmin(axis=1)
        sizes = np.bincount(nearest, minlength=count)
        groups, members, shares = nearest, np.arange(len(drawn)), 1.0 / sizes[nearest]
        empty = np.flatnonzero(sizes == 0)
        if len(empty):
            distances = scores[members, nearest] + sq_norms
            farthest = np.argsort(-distances, kind="stable")[: len(empty)]
            groups, members = np.append(groups, empty), np.append(members, farthest)
            shares = np.append(shares, np.ones(len(empty)))
        means = (shares.astype(points.dtype), (groups, members))
        centers = sp.coo_array(means, shape=(count, len(drawn))).tocsr() @ points
    return centers if kernel.origin is None else centers + kernel.origin
