"""Points that are alike to all others: facility location, a submodular objective."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ...foundation.parameters import Choice, Count, Real
from ...foundation.typing import Array, Floats, Indices
from ...registry import method
from ..traits import Seeded
from .greedy_cover import Cover, lazy_greedy, stochastic_greedy
from .point_selector import RepresentativeSelector, Task
from .points import Points, in_few_directions

__all__ = ["FacilityLocationSelector"]

LAZY = 5000
"""Up to how many points all candidates are compared by default."""
REFERENCE = 20_000
"""How many points gains are measured on at most."""
LEAST, PER_CHOICE, WORK = 5000, 5, 1_200_000_000
"""How many they are at least, also for each choice; between, so many that there are so many pairs
of a point and a candidate."""


@dataclass(frozen=True)
class Similarity:
    """A similarity of points as one minus a loss, in units of ``start``."""

    start: float
    rate: float | None = None

    def loss(self, squares: Array) -> Array:
        """Return what a point at given squared distances lacks of the largest similarity."""
        if self.rate is None:
            return squares
        return -np.expm1(-self.rate * squares)


@method(
    "facility-location",
    title="alike to all others: the sum of largest similarities (lazy or stochastic greedy)",
    document="Cornuéjols, Fisher & Nemhauser 1977; Mirzasoleiman et al. 2015",
    cost="m·n² at most up to 5000 columns, r·n·20000·ln(1/ε) above for r directions",
    guarantee="at least 1 − 1/e of the best value (lazy)",
    kernels=False,
    randomized=True,
)
class FacilityLocationSelector(RepresentativeSelector, Seeded):
    """Choose columns such that each column is alike to one of them.

    **Objective.** The largest ``Σ_i w_i max_{s∈S} sim(a_i, a_s)``, where ``sim ≥ 0``.

    **Algorithm.** Choose the column that adds most, one after another. "lazy" finds it among all
    by bounds from before [2]_; "stochastic" among ``(n/l) ln(1/ε)`` random ones [3]_, of columns
    reduced to a few directions. Similarities are computed a tile at a time, when they are
    needed. Above 20,000 columns gains are measured on so many random ones, or on fewer, but at
    least 5000, where there are more than 60,000; what is reported is measured on all.

    **Cost.** "lazy": O(m n²) for the first choice, and little for each of the others;
    "stochastic": O(r n min(n, 20000) ln(1/ε)) for r directions, however many are chosen.

    **Guarantee.** "lazy" reaches 1 − 1/e = 63 % of the best value of any so many columns [1]_, if
    gains are measured on all and none must be included; "stochastic" 1 − 1/e − ε in expectation,
    of the value in few directions on the reference set.

    **When to use it.** As "medoids", where beginnings of the choice should be choices, with a
    guarantee, or by another similarity: "cosine" for documents.

    Parameters
    ----------
    similarity : {"squared-distance", "rbf", "cosine"}, default="squared-distance"
        ``c − ‖a_i − a_s‖²`` where c is four times the largest squared distance of a column from
        the mean of all, which no squared distance exceeds; ``exp(−gamma ‖a_i − a_s‖²)``; or
        ``(1 + cos(a_i, a_s)) / 2``.
    gamma : float or None, default=None
        For "rbf"; by default one over the mean squared distance between two columns.
    algorithm : {"auto", "lazy", "stochastic"}, default="auto"
        "auto" is "lazy" up to 5000 columns, and "stochastic" above.
    tolerance : float, default=0.1
        ε of "stochastic".
    n_directions : int or None, default=50
        To how many directions "stochastic" reduces long columns; None for no reduction.
    point_weights : array-like of shape (n_columns,), default=None
        How much each column counts as one to be represented.

    Notes
    -----
    ``selection_.info`` holds the value ("objective"), the mean value of a few random choices of
    the same size ("objective_of_random"), and for how many columns, itself included, each chosen
    one is the nearest ("stands_for"; the sum of their weights, if there are any).

    References
    ----------
    .. [1] Nemhauser, Wolsey & Fisher, "An analysis of approximations for maximizing submodular
       set functions", 1978, §4.
    .. [2] Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978.
    .. [3] Mirzasoleiman et al., "Lazier than lazy greedy", AAAI 2015, Theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import FacilityLocationSelector
    >>> X = np.array([[0.0, 0.1, 0.2, 5.0, 5.1, 5.3]])  # six points on a line
    >>> selector = FacilityLocationSelector(2).fit(X)
    >>> selector.indices_
    array([3, 1])
    """

    objective_words: ClassVar[str] = "sum of similarities to the most similar"

    _: KW_ONLY
    similarity: Annotated[str, Choice("squared-distance", "rbf", "cosine")] = "squared-distance"
    gamma: Annotated[float | None, Real(0, above=True, example=0.1)] = None
    algorithm: Annotated[str, Choice("auto", "lazy", "stochastic")] = "auto"
    tolerance: Annotated[float, Real(0, 0.9, above=True, example=0.1)] = 0.1
    n_directions: Annotated[int | None, Count(1)] = 50
    point_weights: Any = None

    @property
    def directions_alone(self) -> bool:
        return self.similarity == "cosine"

    def _similarity(self, points: Points, task: Task) -> Similarity:
        if self.similarity == "cosine":  # of points of length one: the cosine is 1 − d²/2
            return Similarity(4.0)
        if self.similarity == "squared-distance":
            return Similarity(points.bound(task.weights))
        if self.gamma is not None:
            return Similarity(1.0, self.gamma * task.unit**2)
        share = task.weights / task.weights.sum()
        spread = 2.0 * float(share @ points.from_mean(task.weights))
        return Similarity(1.0, 1.0 / spread if spread > 0 else 1.0)

    def _pick(self, task: Task) -> Indices:
        points, rng, n = task.points, task.rng, task.points.count
        lazy = self.algorithm == "lazy" or (self.algorithm == "auto" and n <= LAZY)
        if not lazy:
            # in few directions alone, what lies outside of all would look near to everything
            points = in_few_directions(points, self.n_directions, rng, full=True)
        some = np.arange(n)
        if n > REFERENCE:
            fewer = max(LEAST, PER_CHOICE * task.size, WORK // n)
            some = np.sort(rng.permutation(n)[: min(REFERENCE, fewer)])
        reference = points if len(some) == n else points.subset(some)
        similarity = self._similarity(points, task)
        cover = Cover(points, reference, task.weights[some], similarity.start, similarity.loss)
        if lazy:
            return lazy_greedy(cover, task.size, task.first, task.allowed)
        return stochastic_greedy(cover, task.size, task.first, task.allowed, rng, self.tolerance)

    def _figure(self, squares: Floats, weights: Floats, task: Task) -> float:
        similarity = self._similarity(task.points, task)
        value = float(weights @ (similarity.start - similarity.loss(squares)))
        return value / 4.0 if self.similarity == "cosine" else value

    def _in_units(self, figure: float, unit: float) -> float:
        return figure * unit * unit if self.similarity == "squared-distance" else figure
