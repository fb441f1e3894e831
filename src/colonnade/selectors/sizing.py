"""``n_select="auto"``: explore the path of a method, and ask three rules how many to keep."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from ..foundation.alerts import DataWarning, warn_caller
from ..foundation.lapack import eigvalsh, np_qr
from ..foundation.typing import Floats, Indices
from ..foundation.wording import did_you_mean
from ..linalg.svd import leading_right_singular_vectors, stochastic_svd
from ..operands.interface import Columns, Operand
from ..operands.preparing import Preparation, prepare, without_gaps
from ..registry import entry_of
from ..selection import Selection
from ..sizes.curves import about_sizes
from ..sizes.held_out import folds, held_out_errors, taken_rows
from ..sizes.proposing import furthest_above, independent_gains, within_one_error
from .problem import Problem

if TYPE_CHECKING:
    from .base import Selector

__all__ = ["EXACT_BOUND", "SIZE_RULES", "proposed_size"]

SIZE_RULES = {"auto": "parallel", "parallel": "parallel", "elbow": "elbow", "held-out": "held_out"}
"""What ``n_select`` may be called, and the rule that decides."""
START = 64
"""How many choices are explored at first; four times as many until the first half is enough."""
LONGEST = 1024
"""Rules look no further than this for a size."""
SMALL_WORK = 1e6
FOLDS = 5
"""How often rows are held out; less often where that does not decide."""
FOLDS_SHOWN = 3
HELD_OUT_ROWS = 4000
"""Of how many rows at most, or ten for each choice if that is more, some are held out."""
EXACT_BOUND = 1000
"""Up to which shorter side the whole spectrum is computed for the bound."""
DRAWS = 3
"""Of how many random sets of columns a mean is shown; ten times as many of small data."""


def proposed_size(
    selector: Selector,
    A: Operand,
    y: Any,
    prepared: Preparation,
    weights: Floats | None,
    names: Any,
) -> tuple[int, dict[str, Any]]:
    """Return how many columns to choose, and what is to be said about it.

    Parameters
    ----------
    selector : Selector
        The method; its ``n_select`` names a rule.
    A : Operand
        The data as it was given.
    y : Any
        The labels or the target, for methods that need one.
    prepared : Preparation
        The data as the method sees it.
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    names : sequence of str or None
        What the columns are called.

    Returns
    -------
    size : int
    about : dict
        See ``docs/how_many.md``.
    """
    asked = selector.n_select
    _check_askable(selector)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever runs the method at the end has them
        rule = SIZE_RULES[str(asked)]
        found = _Exploration(selector, A, y, prepared, weights, names, rule)
        proposals = {"parallel": found.parallel, "elbow": found.elbow, "held_out": found.held_out}
        size = proposals[rule]
        if size is None:
            raise ValueError(_why_not(asked, rule, found))
        about = found.about(proposals, size)
    if rule == "parallel" and size == 0:
        warn_caller(
            f"n_select={asked!r}: no column tells more of the others than it would if all were "
            "independent, so the least number is chosen",
            DataWarning,
        )
    size = max(1, len(found.problem.first), size)
    return size, {"rule": rule, "n_select": size, **proposals, **about}


def _check_askable(selector: Selector) -> None:
    """Raise TypeError if a rule is unknown, ValueError if none can tell the size here."""
    asked = selector.n_select
    if asked not in SIZE_RULES:
        raise TypeError(
            f"n_select must be an integer, a fraction, None or one of {', '.join(SIZE_RULES)}, got "
            f"{asked!r}{did_you_mean(asked, SIZE_RULES)}"
        )
    max_error = getattr(selector, "max_error", None)
    if max_error is not None:
        raise ValueError(
            f"n_select={asked!r} and max_error={max_error} both say where to stop; leave "
            "one of them out"
        )
    reason = selector._no_path()
    if reason:
        raise ValueError(
            f"n_select={asked!r} reads the path of one choice after another, but "
            f"{entry_of(selector).name!r} {reason}; choose a number or a fraction, or another "
            "method such as 'greedy'"
        )


def _why_not(asked: Any, rule: str, found: _Exploration) -> str:
    """Say why a rule cannot tell the size."""
    if found.of_target:
        return (
            f"n_select={asked!r} is about the columns of the data, and here they reconstruct a "
            "target; choose a number, a max_error, or n_select='elbow'"
        )
    if not isinstance(found.A, Columns):
        return (
            f"n_select={asked!r} needs rows, and a kernel or a covariance matrix has none; choose "
            "a number, a max_error, or n_select='elbow'"
        )
    return (
        f"n_select={asked!r} needs rows to hold out, and {found.A.shape[0]} that differ are too "
        "few; choose a number, or n_select='auto'"
    )


@dataclass
class _Exploration:
    """A path that is long enough, and what the rules read off it."""

    selector: Selector
    A: Operand
    y: Any
    prepared: Preparation
    weights: Floats | None
    names: Any
    rule: str

    def __post_init__(self) -> None:
        size = START
        while True:
            self.__dict__.pop("held_out_paths", None)
            self.problem = self._problem(self.prepared, size)
            limit = self._limit(self.problem)
            path = self.selector._select(self.problem)
            self.of_target = path.info.get("errors_of") == "target"
            errors = path.relative_errors
            assert errors is not None, "every method follows its choice on the data"
            self.explained: Floats = 1.0 - errors
            self.count = len(errors)
            self.shown = self.count
            if size >= limit or self.count < size:
                break
            # the rule that decides; an elbow, or the best on other rows, may be at the very end
            wanted = max(getattr(self, self.rule) or 0, len(self.problem.first))
            if 2 * wanted <= size or size >= LONGEST:
                break
            size *= 4
        if self.rule != "held_out":  # what is only shown beside it need not go much further
            self.shown = min(self.count, max(START, 2 * (getattr(self, self.rule) or 0)))

    def _limit(self, problem: Problem) -> int:
        """Return how many columns could be chosen."""
        return int(problem.allowed.sum()) + len(problem.first)

    def _problem(self, prepared: Preparation, size: int) -> Problem:
        """Return the question for at most so many columns, with random numbers of its own."""
        given: Any = vars(self.selector)
        seed = copy.deepcopy(getattr(self.selector, "random_state", None))
        problem = Problem(
            prepared.A, 1.0, must_include=given["must_include"], exclude=given["exclude"],
            random_state=seed, y=self.y, names=self.names, preparation=prepared,
        )  # fmt: skip
        problem.n_select = min(max(size, len(problem.first)), self._limit(problem))
        return problem

    @property
    def has_rows(self) -> bool:
        """Whether rows of the data can be told apart, and the path is about them."""
        return isinstance(self.A, Columns) and not self.of_target

    @property
    def rng(self) -> np.random.RandomState:
        """Random numbers for rows and columns; without a seed they are the same every time."""
        seed = copy.deepcopy(getattr(self.selector, "random_state", None))
        return check_random_state(0 if seed is None else seed)

    @property
    def n_rows(self) -> float:
        """In how many directions the columns differ.

        Whole weights count as so many equal rows, others by how even they are.
        """
        w = self.weights
        if w is None:
            rows = float(self.A.shape[0])
        elif (w == np.round(w)).all():
            rows = float(w.sum())
        else:
            rows = float(w.sum()) ** 2 / float(w @ w)
        return max(1.0, rows - bool(self.prepared.center))

    @property
    def independent(self) -> Floats | None:
        """What as many choices would explain of independent columns."""
        if not self.has_rows:
            return None
        gains = independent_gains(
            self.problem.A.sq_norms(), self.n_rows, self.count,
            candidates=self.problem.allowed, first=self.problem.first,
        )  # fmt: skip
        return np.minimum(np.cumsum(gains), 1.0)

    @property
    def parallel(self) -> int | None:
        """Where the path is furthest above that of independent columns."""
        reference = self.independent
        return None if reference is None else furthest_above(self.explained, reference)

    @property
    def elbow(self) -> int:
        """Where the path is furthest above the straight line to the end of all choices."""
        end = float(self._limit(self.problem))
        if isinstance(self.A, Columns):
            w = self.weights
            rows = self.A.shape[0] if w is None else int(np.count_nonzero(w))
            end = max(1.0, min(end, rows - bool(self.prepared.center)))
        return furthest_above(self.explained, np.arange(1, self.count + 1) / end)

    @cached_property
    def held_out_paths(self) -> Floats | None:
        """The errors on each fold of rows that were held out: of all columns, of the others."""
        graph = getattr(self.selector, "affinity", "")  # a given one is of all rows
        if not self.has_rows or not isinstance(graph, str):
            return None
        assert isinstance(self.A, Columns)
        A, w, missing = self.A, self.weights, self.selector.missing
        if w is not None and not w.all():  # rows without weight are none
            A, w = taken_rows(A, np.flatnonzero(w)), w[w > 0]
        if missing != "error":
            A = without_gaps(A, "median" if missing == "median" else "mean", w)
        n_folds = min(FOLDS if self.rule == "held_out" else FOLDS_SHOWN, A.shape[0] // 2)
        if n_folds < 2:
            return None
        most = max(HELD_OUT_ROWS, 10 * self.shown)
        errors = []
        for learn, out in folds(A.shape[0], n_folds, most, self.rng):
            found = self._learned(A, w, learn)
            part = None if w is None else w[out]
            if found is not None and (part is None or part.any()):
                errors.append(held_out_errors(taken_rows(A, out), found, part))
        if len(errors) < 2:
            return None
        length = min(len(of_all) for of_all, _ in errors)
        paths = np.array([[path[:length] for path in pair] for pair in errors])
        return paths if length and np.isfinite(paths[:, 0]).all() else None

    def _learned(self, A: Columns, w: Floats | None, rows: Indices) -> Selection | None:
        """Return the path on some of the rows; None if nothing varies there."""
        given = self.selector
        part = taken_rows(A, rows)
        weights = None if w is None else w[rows]
        if part.max_abs() == 0 or (weights is not None and not weights.any()):
            return None
        try:
            prepared = prepare(part, center=given.center, scale=given.scale, weights=weights)
        except ValueError:  # all that varies was held out
            return None
        problem = self._problem(prepared, self.shown)
        if self.y is not None:
            problem.y = np.asarray(self.y)[rows]
        return given._select(problem)

    @property
    def held_out(self) -> int | None:
        """The least size whose error on rows that were held out is close to the best."""
        paths = self.held_out_paths
        return None if paths is None else within_one_error(paths[:, 1])

    def _bound(self) -> Floats | None:
        """Return what as many singular directions explain, which no columns can exceed."""
        if self.of_target:
            return None
        A = self.problem.A
        if not isinstance(A, Columns):
            squares = np.square(leading_right_singular_vectors(A, self.shown, self.rng)[0])
        elif min(A.shape) <= EXACT_BOUND:
            squares = eigvalsh(A.gram() if A.shape[1] <= A.shape[0] else A.outer())[::-1]
        else:
            squares = np.square(stochastic_svd(A, self.shown, self.rng, n_power=2)[0])
        shares = np.zeros(self.shown)
        shares[: len(squares)] = np.maximum(squares[: self.shown], 0.0) / A.sq_norms().sum()
        return np.clip(np.cumsum(shares), self.explained[: self.shown], 1.0)

    def _random(self) -> Floats | None:
        """Return what random columns explain, after those that must be included."""
        if self.of_target:
            return None
        A, first = self.problem.A, self.problem.first
        free = np.flatnonzero(self.problem.allowed)
        paths, rng = [], self.rng
        small = A.shape[0] * A.shape[1] * self.shown <= SMALL_WORK
        for _ in range(10 * DRAWS if small else DRAWS):
            order = np.concatenate([first, rng.permutation(free)])[: self.shown]
            paths.append(self._followed(A, order))
        return np.mean(paths, axis=0)

    def _followed(self, A: Operand, order: Indices) -> Floats:
        """Return what the first 1, 2, ... of some columns explain."""
        if not isinstance(A, Columns) or A.shape[0] > 8 * A.shape[1]:
            # one by one, with inner products: all there is of a kernel, and quick for tall data
            self.problem.n_select = len(order)
            errors = self.problem.ranked(order).relative_errors
            assert errors is not None, "every method follows its choice on the data"
            return 1.0 - errors
        squares = A.sq_norms()
        lengths = np.zeros(len(order))
        Q, R = np_qr(A.columns(order))
        lengths[: len(R)] = np.square(R.diagonal())
        free = lengths > 1e-9 * squares[order]
        if not free.all():  # without columns that depend on earlier ones
            Q = np_qr(A.columns(order[free]))[0]
        gains = np.zeros(len(order))
        gains[free] = np.square(A.rmatmat(Q)).sum(axis=0)
        return np.cumsum(gains) / squares.sum()

    def about(self, proposals: dict[str, int | None], size: int) -> dict[str, Any]:
        """Return what is to be said in addition to the proposals."""
        paths = self.held_out_paths
        curves = {
            "explained": self.explained,
            "bound": self._bound(),
            "held_out": None if paths is None else 1.0 - paths[:, 0].mean(axis=0),
            "random": self._random(),
            "independent": self.independent,
        }
        return {
            "explored": self.count,
            "n_folds": 0 if paths is None else len(paths),
            **about_sizes(curves, [*proposals.values(), size]),
        }
