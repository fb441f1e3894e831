"""Points in the middle of clusters: k-medoids by way of a cheap k-means."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np

from ...foundation.parameters import Count
from ...foundation.typing import Array, Floats, Indices
from ...registry import method
from ..traits import Seeded
from .greedy_cover import Cover, lazy_greedy
from .point_selector import RepresentativeSelector, Task
from .points import HeldPoints, in_few_directions
from .voronoi import lloyd, medoids_of, settled

__all__ = ["MedoidSelector"]

SAMPLE, PER_CHOICE, MOST = 5000, 3, 12000
"""The first medoids come from a sample of so many points, or so many for each choice; where that
is more than the last number, they are drawn at random."""
SPARSE_DIRECTIONS = 200
"""To how many directions sparse points are reduced at least where no number was given."""


@method(
    "medoids",
    title="in the middle of clusters (k-medoids for squared distances)",
    document="Kaufman & Rousseeuw 1990; Park & Jun 2009",
    cost="m·n·r for r directions, then r·n·l for each iteration",
    guarantee="none on all; greedy start within 1 − 1/e of the best gain on its sample",
    kernels=False,
    randomized=True,
)
class MedoidSelector(RepresentativeSelector, Seeded):
    """Choose columns in the middle of clusters of columns.

    **Objective.** The least ``Σ_i w_i min_{s∈S} ‖a_i − a_s‖²``: k-means with actual columns in
    place of means.

    **Algorithm.** Reduce the columns to a few leading directions, if they are long; choose the
    first medoids greedily on a sample (the BUILD step of Kaufman & Rousseeuw [1]_); go on with a
    few iterations of k-means, on the sample and then on all; take the column of each cluster
    with the least sum of squared distances to the others, which is the nearest to its mean; then
    assign all to the nearest medoid and update the medoids, as long as that helps [2]_. Up to
    2000 short columns are all looked at, in all directions, and nothing is random.

    **Cost.** O(m n r) to reduce to r directions, O(n l r) for each of ``n_iter`` iterations, and
    O(m n l) to measure the result.

    **Guarantee.** None on the result; no step makes the objective of the medoids larger.

    **When to use it.** To label few points, to sum up what there is, as prototypes for nearest
    neighbours. It may choose more columns than the rank of the data.

    Parameters
    ----------
    n_directions : int or None, default=50
        To how many directions long columns are reduced while choosing; None for no reduction.
    n_iter : int, default=10
        How many iterations of k-means at most, and as many of medoids.
    point_weights : array-like of shape (n_columns,), default=None
        How much each column counts as one to be represented.

    Notes
    -----
    The order of choice is by how many columns, or how much weight, each stands for; what must be
    included comes first. ``selection_.info`` holds the objective, measured on all in full
    ("objective"), the mean of that of a few random choices of the same size
    ("objective_of_random"), and for how many columns, itself included, each chosen one is the
    nearest ("stands_for"; the sum of their weights, if there are any).

    References
    ----------
    .. [1] Kaufman & Rousseeuw, "Finding groups in data", 1990, chapter 2.
    .. [2] Park & Jun, "A simple and fast algorithm for K-medoids clustering", 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import MedoidSelector
    >>> X = np.array([[0.0, 0.1, 0.2, 5.0, 5.1, 5.3, 5.2]])  # seven points on a line
    >>> selector = MedoidSelector(2, random_state=0).fit(X)
    >>> selector.indices_
    array([4, 1])
    >>> selector.selection_.info["stands_for"]
    [4, 3]
    """

    objective_words: ClassVar[str] = "sum of squared distances to the nearest"

    _: KW_ONLY
    n_directions: Annotated[int | None, Count(1)] = 50
    n_iter: Annotated[int, Count(0)] = 10
    point_weights: Any = None

    def _pick(self, task: Task) -> Indices:
        points = self._held(task)
        weights, first, allowed = task.weights, task.first, task.allowed
        centers = self._start(points, task)
        centers, labels = lloyd(points, centers, weights, self.n_iter, len(first))
        medoids = medoids_of(points, labels, centers, weights, allowed, first)
        medoids = settled(points, medoids, weights, allowed, first, self.n_iter)
        rest = medoids[len(first) :]
        stands = np.bincount(points.nearest(medoids)[0], weights, minlength=len(medoids))
        return np.concatenate([first, rest[np.lexsort((rest, -stands[len(first) :]))]])

    def _held(self, task: Task) -> HeldPoints:
        """Return the points in the directions in which they are compared."""
        points = in_few_directions(task.points, self.n_directions, task.rng)
        if not isinstance(points, HeldPoints):  # means of sparse points are not sparse
            return points.projected(min(SPARSE_DIRECTIONS, points.n_coordinates), task.rng)
        return points

    def _start(self, points: HeldPoints, task: Task) -> Array:
        """Return the first centres: greedy medoids of a sample, moved to the means there."""
        wanted = max(SAMPLE, PER_CHOICE * task.size)
        n, first = points.count, task.first
        if n > wanted:
            free = task.rng.permutation(np.flatnonzero(task.allowed))
            sample = np.sort(np.concatenate([first, free[: wanted - len(first)]]))
        else:
            sample = np.arange(n)
        if len(sample) > MOST:
            free = task.rng.permutation(np.flatnonzero(task.allowed))
            return points.rows[np.concatenate([first, free])[: task.size]]
        part, weights = points.subset(sample), task.weights[sample]
        cover = Cover(part, part, weights, part.bound(weights))
        ahead = np.searchsorted(sample, first)
        start = lazy_greedy(cover, task.size, ahead, task.allowed[sample])
        if len(sample) == n:
            return points.rows[start]
        return lloyd(part, part.rows[start], weights, self.n_iter, len(first))[0]

    def _figure(self, squares: Floats, weights: Floats, task: Task) -> float:
        return float(weights @ squares)

    def _in_units(self, figure: float, unit: float) -> float:
        return figure * unit * unit
