"""What methods that choose representative points share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ...foundation.typing import Floats, Indices, Mask
from ...linalg.partitions import as_labels
from ...operands.row_weights import check_weights
from ...selection import Selection
from ..base import Selector
from ..problem import Problem
from .points import Points, points_of
from .strata import quotas

__all__ = ["RepresentativeSelector", "Task"]

FOLLOWED = 2**32
"""Up to how many multiply-adds the choice is followed on the data for its error path."""
DRAWS, JUDGED = 3, 5000
"""How many random choices are measured for comparison, and on how many of the points."""


@dataclass(frozen=True)
class Task:
    """Points, and what is asked of them.

    Attributes
    ----------
    points : Points
        The points.
    size : int
        How many to choose.
    first : ndarray of int
        Those to choose before all others.
    allowed : ndarray of bool
        Those that may be chosen in addition.
    weights : ndarray of float
        How much each counts.
    rng : RandomState
        The source of random numbers.
    unit : float
        What distances are to be multiplied by to be those of the data.
    """

    points: Points
    size: int
    first: Indices
    allowed: Mask
    weights: Floats
    rng: np.random.RandomState
    unit: float


@dataclass(eq=False, repr=False)
class RepresentativeSelector(Selector):
    """A method that chooses points to stand for those that are near to them.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction of the columns, or None for half of them. It may
        be above the rank of the data.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or by name.
    exclude : iterable of int or str, default=None
        Columns never to choose; others stand for them.
    stratify : array-like of shape (n_columns,), default=None
        A class for each column: so many are chosen of each as is its share, but at least one,
        and each column is represented by one of its own class, as ``info["stands_for"]`` counts
        them. :meth:`colonnade.RowSelector.predict` takes the nearest of any class instead.
    """

    objective_words: ClassVar[str]
    """What ``info["objective"]`` is, in words."""

    _: KW_ONLY
    must_include: Iterable[Any] | None = None
    exclude: Iterable[Any] | None = None
    stratify: Any = None

    @abstractmethod
    def _pick(self, task: Task) -> Indices:
        """Choose points."""

    @abstractmethod
    def _figure(self, squares: Floats, weights: Floats, task: Task) -> float:
        """Return the objective, given the squared distance of each point from its nearest."""

    @abstractmethod
    def _in_units(self, figure: float, unit: float) -> float:
        """Return the objective for data whose distances are so many times as large."""

    def _no_path(self) -> str:
        return "follows another objective than the reconstruction error"

    def _points(self, problem: Problem, among: Indices) -> Points:
        return points_of(_part(problem, among), unit_length=self.directions_alone)

    @property
    def directions_alone(self) -> bool:
        """Whether the lengths of points do not count."""
        return False

    def _counts(self, n: int) -> Floats:
        """Return how much each of all columns counts."""
        given = check_weights(getattr(self, "point_weights", None), n, "point_weights", "column")
        return np.ones(n) if given is None else given

    def _stands_for(self, labels: Indices, weights: Floats, size: int) -> list[Any]:
        """Return how many points, or how much weight, each choice stands for."""
        if getattr(self, "point_weights", None) is None:
            return np.bincount(labels, minlength=size).tolist()
        return np.bincount(labels, weights, minlength=size).tolist()

    def _select(self, problem: Problem) -> Selection:
        n = problem.n_candidates
        # what does not vary is no candidate, and needs nobody to stand for it
        among = np.arange(n) if problem.varying is None else np.flatnonzero(problem.varying)
        weights = self._counts(n)[among]
        position = np.zeros(n, dtype=np.intp)
        position[among] = np.arange(len(among))
        assert problem.n_select is not None, "nothing else says how many"
        task = Task(
            self._points(problem, among), problem.n_select, position[problem.first],
            problem.allowed[among], weights, problem.rng,
            float(np.sqrt(problem.weight)) / problem.unit,
        )  # fmt: skip
        codes = self._codes(n)
        chosen = self._pick(task) if codes is None else self._by_class(task, codes[among])
        labels, squares = _represented(task.points, chosen, None if codes is None else codes[among])
        value = self._figure(squares, weights, task)
        info = {
            "stands_for": self._stands_for(labels, weights, len(chosen)),
            "objective": self._in_units(value, task.unit),
            "objective_of_random": self._in_units(self._of_random(task), task.unit),
        }
        return _followed(problem, among[chosen]).with_info(**info)

    def _codes(self, n: int) -> Indices | None:
        if self.stratify is None:
            return None
        if np.shape(self.stratify)[:1] != (n,):
            raise ValueError(
                f"stratify has shape {np.shape(self.stratify)}, but there are {n} columns to "
                "choose from; give a class for each (of rows, if rows are chosen)"
            )
        return as_labels(self.stratify, n)[0]

    def _by_class(self, task: Task, codes: Indices) -> Indices:
        """Choose in each class by itself, and mix the choices evenly."""
        found: list[tuple[float, int, int]] = []
        sizes = quotas(codes, task.size, task.first, task.allowed)
        for code, size in sizes.items():
            members = np.flatnonzero(codes == code)
            first = np.flatnonzero(np.isin(members, task.first))
            part = Task(
                task.points.subset(members), size, first, task.allowed[members],
                task.weights[members], task.rng, task.unit,
            )  # fmt: skip
            picks = members[self._pick(part)]
            found += [((i + 0.5) / size, code, int(p)) for i, p in enumerate(picks)]
        mixed = [p for _, _, p in sorted(found)]
        ahead = [int(p) for p in task.first]
        return np.array(ahead + [p for p in mixed if p not in set(ahead)], dtype=np.intp)

    def _of_random(self, task: Task) -> float:
        """Return the mean objective of a few random choices, on some of the points.

        The radius on some is at most that on all, so a random choice is never made to look
        worse than it is.
        """
        rng = np.random.RandomState(0)
        judged = np.sort(rng.permutation(task.points.count)[:JUDGED])
        some, weights = task.points.subset(judged), task.weights[judged]
        total = weights.sum()
        weights = weights * (task.weights.sum() / total if total > 0 else 1.0)
        mask = task.allowed.copy()
        mask[task.first] = True
        candidates = np.flatnonzero(mask)
        figures = []
        for _ in range(DRAWS):
            drawn = rng.permutation(candidates)[: task.size]
            squares = some.nearest(drawn, task.points)[1]
            figures.append(self._figure(squares, weights, task))
        return float(np.mean(figures))


def _part(problem: Problem, among: Indices) -> Any:
    A = problem.columns
    return A if len(among) == A.shape[1] else A.subset(among)


def _represented(points: Points, chosen: Indices, codes: Indices | None) -> tuple[Indices, Floats]:
    """Return the nearest choice of each point, of its own class, and how far it is in squares.

    Every choice stands for itself, also where others are equal to it.
    """
    if codes is None:
        labels, squares = points.nearest(chosen)
    else:
        labels, squares = np.zeros(points.count, dtype=np.intp), np.zeros(points.count)
        for code in np.unique(codes):
            members, own = np.flatnonzero(codes == code), np.flatnonzero(codes[chosen] == code)
            near, far = points.subset(members).nearest(chosen[own], points)
            labels[members], squares[members] = own[near], far
    labels[chosen] = np.arange(len(chosen))
    squares[chosen] = 0.0
    return labels, squares


def _followed(problem: Problem, chosen: Indices) -> Selection:
    """Return the selection, with its error path unless that would take many passes."""
    m, n = problem.A.shape
    problem.n_select = len(chosen)
    if float(m) * n * len(chosen) <= FOLLOWED:
        return problem.ranked(chosen)
    return Selection(
        indices=chosen,
        n_candidates=problem.n_candidates,
        means=problem.preparation.means,
        units=problem.preparation.units,
        info={"errors_of": "data"},
    )
