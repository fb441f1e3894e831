"""Landmarks that are no points of the data: centres of a short k-means on some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from ..foundation.parameters import Count
from ..foundation.typing import Indices
from ..operands.containers import count_entries, largest_entries
from ..operands.kernel import Kernel

__all__ = [
    "AVERAGED",
    "DENSE",
    "EVEN",
    "LOOKED_AT",
    "OF_LENGTHS",
    "SPARSE",
    "centers_among",
    "sample_centers",
]

AVERAGED = ("rbf", "polynomial", "poly", "linear", "cosine")
"""Kernels for which a mean of near points stands for them: those of inner products.

By sums of absolute differences (laplacian) a mean is no nearer to its points than these are to
each other, and leaves more of the kernel than random points do.
"""

OF_LENGTHS = ("polynomial", "poly", "linear")
"""Those of them whose values grow with the lengths of the points."""

EVEN = 0.2
"""From what ``(Σd)² / (n Σd²)`` of the diagonal d of such a kernel on centres leave less.

It is 1 where all points are as long as each other, and 1/n where one holds the whole kernel, for
which no mean can stand. On pixels, sounds and counts, with linear and polynomial kernels of degree
2 and 3, centres left less than random pivots above 0.4, by up to a third; now these and now those
left less from 0.15 to 0.4; below, random pivots did, by a factor of up to several hundred.
"""

MOST = 5000
"""How many points are drawn at most for few centres: more cost more than they gain."""


@dataclass(frozen=True)
class Effort:
    """How much is done for centres: so much that they take less time than the features."""

    least: int
    share: int
    per_center: int
    n_iter: int

    def n_sample(self, n: int, count: int) -> int:
        """Return from how many of n points ``count`` centres are found."""
        return min(n, max(self.least, min(MOST, n // self.share), self.per_center * count))


FEW = 0.05
"""Points with a smaller share of entries that are not zero count as sparse, stored so or not."""

LOOKED_AT = 100
"""How many points tell whether they have few entries."""

DENSE = Effort(least=2000, share=4, per_center=10, n_iter=3)
SPARSE = Effort(least=400, share=16, per_center=6, n_iter=2)
"""The features of points with few entries take little time, so less is done."""

ENTRIES = 2
"""How many times the entries of a usual sparse point a centre may have: its largest.

Those of all its points would be many more, and the others hardly count.
"""


def sample_centers(
    kernel: Kernel,
    count: int,
    rng: Any,
    n_sample: int | None = None,
    n_iter: int | None = None,
) -> Any:
    """Return centres of a few iterations of Lloyd's algorithm on some of the points.

    They start from random points. A centre to which no point is nearest becomes the point that is
    farthest from its own. Of centres of points with few entries, less than one in twenty,
    the largest entries are kept, twice as many as points have on average. A sparse matrix has
    sparse centres.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with its points.
    count : int
        How many centres, at most as many as there are points.
    rng : RandomState
        Draws the points.
    n_sample : int, optional
        How many points, never fewer than centres. By default a quarter of all, within 2,000 and
        5,000, or ten for each centre if that is more; for points with few entries a
        sixteenth of all, within 400 and 5,000, or six for each centre.
    n_iter : int, optional
        How many iterations; by default three, or two for points with few entries.

    Returns
    -------
    ndarray or sparse matrix of shape (count, n_features)

    References
    ----------
    .. [1] Zhang, Tsang & Kwok, "Improved Nyström low-rank approximation and error analysis",
       ICML 2008: the error is bounded by the distances of the points from the nearest landmarks.
    """
    order = rng.permutation(kernel.shape[0])
    return centers_among(kernel, order, len(order), count, n_sample, n_iter)


def centers_among(
    kernel: Kernel,
    order: Indices,
    n: int,
    count: int,
    n_sample: int | None = None,
    n_iter: int | None = None,
) -> Any:
    """Return centres of the first points of a random order, as :func:`sample_centers` does it.

    Parameters
    ----------
    kernel : Kernel
        The kernel of all points, or of those that were drawn.
    order : ndarray of int
        Its points in random order.
    n : int
        How many points there are in all.
    count, n_sample, n_iter
        As for :func:`sample_centers`.
    """
    for name, value in (("n_sample", n_sample), ("n_iter", n_iter)):
        if value is not None:
            Count(1).check(name, value)
    some = kernel.data[order[:LOOKED_AT]]
    entries = count_entries(some) / some.shape[0]  # of a point
    few = entries < FEW * some.shape[1]
    effort = SPARSE if few else DENSE
    n_sample = effort.n_sample(n, count) if n_sample is None else n_sample
    drawn = order[: max(n_sample, count)]
    points = kernel.data[drawn]
    if points.dtype != np.float32:
        points = points.astype(np.float64)
    sq_norms = row_norms(points, squared=True)
    centers = points[:count]
    for _ in range(effort.n_iter if n_iter is None else n_iter):
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
        if few:
            centers = largest_entries(centers, max(1, round(ENTRIES * entries)))
    return centers if kernel.origin is None else centers + kernel.origin
