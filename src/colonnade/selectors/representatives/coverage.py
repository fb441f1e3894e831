"""Points that leave none far away: farthest-first traversal."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...foundation.typing import Floats, Indices
from ...linalg.ties import TIE
from ...registry import method
from .central import most_central
from .point_selector import RepresentativeSelector, Task

__all__ = ["CoverageSelector"]


@method(
    "coverage",
    title="none far away: the farthest from those chosen comes next (k-centre)",
    document="Gonzalez 1985",
    cost="m·n·l",
    guarantee="radius within twice the best",
    kernels=False,
)
class CoverageSelector(RepresentativeSelector):
    """Choose columns such that no other is far from all of them.

    **Objective.** The least radius ``max_i min_{s∈S} ‖a_i − a_s‖``.

    **Algorithm.** Begin with the column nearest to the mean of all; then always choose the one
    that is farthest from its nearest choice [1]_. Beginnings of the choice are choices.

    **Cost.** One pass over the data for each choice, O(m n l).

    **Guarantee.** The radius is at most twice the least that any so many columns have, if none
    must be included; no algorithm in polynomial time guarantees less, unless P = NP [1]_.

    **When to use it.** To see all kinds of points there are, the rare and the odd ones too; to
    find outliers. To label points, or to sum up what is frequent, take "medoids": outliers stand
    for few others.

    Notes
    -----
    ``selection_.info`` holds the radius ("objective"), the mean radius of a few random choices
    of the same size ("objective_of_random"), and for how many columns, itself included, each
    chosen one is the nearest ("stands_for").

    References
    ----------
    .. [1] Gonzalez, "Clustering to minimize the maximum intercluster distance", 1985.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import CoverageSelector
    >>> X = np.array([[0.0, 0.1, 5.0, 5.2, 9.0]])  # five points on a line
    >>> selector = CoverageSelector(3).fit(X)
    >>> selector.indices_
    array([2, 0, 4])
    >>> selector.selection_.info["stands_for"]
    [2, 2, 1]
    """

    objective_words: ClassVar[str] = "largest distance to the nearest"

    def _pick(self, task: Task) -> Indices:
        points = task.points
        chosen = [int(p) for p in task.first] or [most_central(points, task.weights, task.allowed)]
        allowed = task.allowed.copy()
        left = np.full(points.count, np.inf)
        for count in range(task.size):
            if count == len(chosen):
                # excluded ones are to be near to a choice as well, but cannot be one
                far = np.where(allowed, left, -1.0)
                chosen.append(int(np.argmax(far >= far.max() * (1.0 - TIE))))
            allowed[chosen[count]] = False
            place = points.places(np.array(chosen[count : count + 1]))
            np.minimum(left, points.distances(place), out=left)
        return np.array(chosen, dtype=np.intp)

    def _figure(self, squares: Floats, weights: Floats, task: Task) -> float:
        return float(np.sqrt(squares.max()))

    def _in_units(self, figure: float, unit: float) -> float:
        return figure * unit
