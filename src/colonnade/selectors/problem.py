"""A checked question, and the steps that lead from it to a :class:`Selection`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..foundation.alerts import warn_rank
from ..foundation.parameters import INTEGERS, REALS, check_columns
from ..foundation.typing import Array, Floats, Indices, Mask
from ..operands.entrance import as_columns, moderate
from ..operands.interface import Columns, Operand
from ..operands.preparing import Preparation
from ..pivoting.loop import Pivots, Progress, pivot
from ..pivoting.rules import Criterion, FixedOrder, LargestDiagonal, Rule
from ..pivoting.swaps import refine
from ..pivoting.targets import KernelTarget
from ..registry import METHODS
from ..selection import Selection
from .chunks import pivot_chunks

__all__ = ["Problem", "resolve_size"]

MANY_SWEEPS = 100
"""As many sweeps of exchanges as ``refine=True`` allows."""


class Problem:
    """The data and what the user asks for, checked against each other: what a method gets.

    Parameters
    ----------
    A : Operand
        The data.
    n_select : int, float or None
        How many columns to choose.
    max_error, must_include, exclude, refine, random_state
        As the parameters of selectors.
    y : Any
        The second argument of ``fit``.
    names : list of str or None
        What the columns are called, if they have names.
    progress : callable or None
        Called after each choice.
    preparation : Preparation or None
        What was done to the data. Columns that do not vary are no candidates.
    weight : float
        The unit that weights of rows are given in.

    Attributes
    ----------
    A : Operand
        The data, scaled if its entries are of an extreme size.
    unit : float
        The factor by which it was scaled.
    asked : int, float or None
        ``n_select`` as it was given.
    n_select : int or None
        How many columns to choose; None if the error alone decides.
    max_error : float or None
        At which relative error to stop.
    first : ndarray of int
        Columns to choose before all others.
    allowed : ndarray of bool
        Columns that may be chosen in addition to those.
    sweeps : int
        How often to go through the choice for exchanges afterwards.
    rng : RandomState
        The source of random numbers.
    """

    def __init__(
        self,
        A: Operand,
        n_select: Any = None,
        *,
        max_error: Any = None,
        must_include: Any = None,
        exclude: Any = None,
        refine: Any = False,
        random_state: Any = None,
        y: Any = None,
        names: Sequence[str] | None = None,
        progress: Progress | None = None,
        preparation: Preparation | None = None,
        weight: float = 1.0,
    ):
        self.A, self.unit = moderate(A)
        self.preparation = Preparation(A) if preparation is None else preparation
        self.weight = weight
        self.y, self.progress = y, progress
        self.asked, self.n_candidates = n_select, A.shape[1]
        self.varying = self.preparation.varying
        left = self.n_candidates if self.varying is None else int(self.varying.sum())
        constant = self.n_candidates - left
        self.n_select, self.max_error = resolve_size(n_select, max_error, left, constant)
        self.sweeps = _resolve_sweeps(refine)
        self.rng = check_random_state(random_state)
        self.first = check_columns("must_include", must_include, self.n_candidates, names)
        self.allowed = self._allowed(check_columns("exclude", exclude, self.n_candidates, names))

    def _allowed(self, out: Indices) -> Mask:
        """Return which columns may be chosen; raise ValueError if they contradict."""
        both = np.intersect1d(self.first, out)
        if len(both):
            raise ValueError(f"column {both[0]} is in must_include and in exclude")
        if self.n_select is not None and len(self.first) > self.n_select:
            raise ValueError(
                f"must_include holds {len(self.first)} columns but n_select={self.n_select}; "
                f"choose n_select at least {len(self.first)}"
            )
        allowed: Mask = np.ones(self.n_candidates, dtype=bool)
        if self.varying is not None:
            allowed = self.varying.copy()
            if not allowed[self.first].all():
                wrong = self.first[~allowed[self.first]][0]
                raise ValueError(
                    f"must_include holds column {wrong}, which is constant and explains nothing; "
                    "leave it out"
                )
        allowed[out] = False
        allowed[self.first] = False
        left = int(allowed.sum()) + len(self.first)
        if left == 0:
            raise ValueError("exclude leaves no columns to choose from; exclude fewer")
        if self.n_select is not None and self.n_select > left:
            if isinstance(self.asked, INTEGERS):
                raise ValueError(
                    f"n_select={self.asked} but exclude leaves {left} columns; choose 1 to {left}"
                )
            self.n_select = left
        return allowed

    @property
    def columns(self) -> Columns:
        """The data, for methods that need more than inner products of its columns."""
        return as_columns(self.A, "this method", "use a method for kernels such as 'greedy'")

    @property
    def n_rows(self) -> float:
        """How many rows there are, or what they weigh together."""
        weights, rows = self.preparation.weights, self.preparation.n_rows
        if weights is not None:
            return self.weight * float(weights.sum())
        return float(self.A.shape[0] if rows is None else rows)

    def spreads(self) -> Floats:
        """Return the squared norms of the columns in the units in which they were given."""
        units = self.preparation.units
        return self.A.sq_norms() * (1.0 if units is None else np.square(units))

    def candidates(self) -> tuple[Columns, Indices]:
        """Return the columns that are not excluded, as an operand, and their numbers."""
        among = self.allowed.copy()
        among[self.first] = True
        numbers = np.flatnonzero(among)
        return (self.columns if among.all() else self.columns.subset(numbers)), numbers

    # -- from a rule, an order or weighted columns to a selection -------------------------------

    def pivot(
        self,
        rule: Rule,
        *,
        target: Array | KernelTarget | None = None,
        target_unit: float | None = None,
        source: Indices | None = None,
    ) -> Selection:
        """Choose by a rule, exchange columns if asked, warn if the rank was reached.

        Parameters
        ----------
        rule : Rule
            How to choose.
        target : ndarray or KernelTarget, optional
            What to reconstruct; the data itself by default.
        target_unit : float, optional
            If given, the error path is that of the target, which was scaled by this factor.
        source : ndarray of int, optional
            Choose among these columns only, and look at no others while choosing.

        Returns
        -------
        Selection
        """
        of_target = target_unit is not None
        info: dict[str, Any] = {"errors_of": "target" if of_target else "data"}
        if isinstance(self.A, Columns) and self.A.out_of_core:
            pivots, more = pivot_chunks(self, rule, target, source)
            info |= more
        elif source is None:
            pivots = pivot(
                self.A, rule, n_select=self.n_select, max_error=self.max_error, target=target,
                first=self.first.tolist(), candidates=self.allowed, of_target=of_target,
                progress=self.progress,
            )  # fmt: skip
        else:
            info["n_presampled"] = len(source)
            pivots = self._pivot_among(rule, source, target, of_target)
        if self.sweeps and len(pivots.indices) and "n_swaps" not in info:
            matrix = target if of_target and isinstance(target, np.ndarray) else None
            pivots, info["n_swaps"] = self._refined(pivots, matrix)
        self._warn_if_short(pivots, of_target)
        root = float(np.sqrt(self.weight))
        scale = root / (self.unit if target_unit is None else target_unit)
        W, factor = pivots.embedding, root / self.unit
        return Selection(
            indices=np.array(pivots.indices, dtype=np.intp),
            n_candidates=self.n_candidates,
            errors=pivots.errors * scale * scale,
            total=pivots.total * scale * scale,
            embedding=W if W is None or factor == 1.0 else W * W.dtype.type(factor),
            residuals=pivots.residuals * factor * factor,
            means=self.preparation.means,
            units=self.preparation.units,
            info=info,
        )

    def ranked(self, order: Sequence[int] | Indices) -> Selection:
        """Choose the columns of a ranking in its order, whatever they are worth."""
        return self.pivot(FixedOrder([int(p) for p in order]))

    def weighted(self, chosen: Indices, weights: Floats, **info: Any) -> Selection:
        """Return the selection of given, weighted columns, with its error path and embedding."""
        self.n_select = len(chosen)
        return self.ranked(chosen).replace(weights=weights).with_info(**info)

    def _pivot_among(
        self, rule: Rule, source: Indices, target: Array | KernelTarget | None, of_target: bool
    ) -> Pivots:
        """Choose among a few columns, then follow the choice on all of them."""
        A = self.A
        position = {int(p): i for i, p in enumerate(source)}
        whole: Array | Columns | KernelTarget | None = target
        if target is None and isinstance(A, Columns):
            whole = A
        elif target is None:
            whole = KernelTarget(A.gram_columns(source), float(A.sq_norms().sum()))
        elif isinstance(target, KernelTarget):
            whole = KernelTarget(target.products[:, source], target.sq_norm)
        pivots = pivot(
            A.subset(source), rule, n_select=self.n_select, target=whole,
            first=[position[p] for p in self.first.tolist()], of_target=of_target,
            progress=self.progress,
        )  # fmt: skip
        chosen = [int(source[i]) for i in pivots.indices]
        return self._followed(chosen, target if of_target else None, pivots.exhausted)

    def _followed(self, chosen: list[int], target: Any, exhausted: bool) -> Pivots:
        """Return the errors and the embedding that given choices have, up to ``max_error``."""
        pivots = pivot(
            self.A, LargestDiagonal() if target is None else Criterion(), n_select=len(chosen),
            first=chosen, target=target, of_target=target is not None,
        )  # fmt: skip
        size = len(chosen)
        if self.max_error is not None:
            enough = np.flatnonzero(pivots.errors <= self.max_error * pivots.total)
            size = max(int(enough[0]) + 1 if len(enough) else size, len(self.first))
        assert pivots.embedding is not None, "which only choices from chunks may leave out"
        left = pivots.residuals + np.square(pivots.embedding[size:], dtype=float).sum(axis=0)
        return Pivots(
            pivots.indices[:size], pivots.errors[:size], pivots.total, pivots.embedding[:size],
            left, exhausted,
        )  # fmt: skip

    def _refined(self, pivots: Pivots, target: Array | None) -> tuple[Pivots, int]:
        """Exchange columns while that lowers the error; return what came of it, and how many."""
        A = self.A
        rounding = (16 * float(np.finfo(A.dtype).eps)) ** 2 * max(A.shape) * pivots.total
        assert pivots.embedding is not None
        independent = pivots.embedding.any(axis=1).all()
        if independent and pivots.errors[-1] <= rounding:
            return pivots, 0  # nothing is left to gain, nor to leave out
        mask = self.allowed.copy()
        mask[pivots.indices] = True
        chosen, n_swaps = refine(
            A, pivots.indices, sweeps=self.sweeps, target=target,
            locked=set(self.first.tolist()), candidates=mask, progress=self.progress,
        )  # fmt: skip
        if not n_swaps and len(chosen) == len(pivots.indices):
            return pivots, 0
        among = np.zeros(self.n_candidates, dtype=bool)
        among[chosen] = True
        # in greedy order, so that the beginnings of the set are good sets too
        refined = pivot(
            A, Criterion(), n_select=len(chosen), target=target, first=self.first.tolist(),
            candidates=among, of_target=target is not None,
        )  # fmt: skip
        if refined.errors[-1] <= max(float(pivots.errors[-1]), rounding):
            return refined, n_swaps
        return pivots, 0  # what looked like a gain was rounding

    def _warn_if_short(self, pivots: Pivots, of_target: bool) -> None:
        """Warn if fewer columns were chosen, or more error is left, than was asked for."""
        found = len(pivots.indices)
        left = float(pivots.errors[-1]) if found else pivots.total
        share = left / pivots.total if pivots.total > 0 else 0.0
        short = self.n_select is not None and found < self.n_select
        enough = self.max_error is not None and share <= self.max_error
        if enough or not (short or self.n_select is None):
            return
        what = "the target" if of_target else "the data"
        asked = f" of the {self.n_select} choices asked for" if short else " choices"
        others = [name for name, entry in METHODS.items() if entry.kind == "representatives"]
        on = "; methods that go on: " + ", ".join(others)
        on *= short and not of_target and isinstance(self.A, Columns)
        if share < 1e-9:
            warn_rank(
                f"{found}{asked} already reconstruct {what} to working precision (numerical rank "
                f"reached); returning {found}{on}"
            )
        else:
            warn_rank(
                f"{found}{asked} were made: no other candidate is outside their span (numerical "
                f"rank reached), and {share:.3g} of {what} is left{on}"
            )


def _resolve_sweeps(refine: bool | int) -> int:
    if isinstance(refine, bool | np.bool_):
        return MANY_SWEEPS if refine else 0
    return int(refine)


def resolve_size(
    n_select: Any, max_error: Any, n_candidates: int, n_constant: int
) -> tuple[int | None, Any]:
    """Return how many columns to choose, or None if the error alone decides.

    Parameters
    ----------
    n_select : int, float or None
        A number, a fraction of the columns, or None.
    max_error : float or None
        The relative squared error at which to stop.
    n_candidates : int
        How many columns there are.
    n_constant : int
        How many more there are that do not vary, for the message.

    Returns
    -------
    n_select : int or None
    max_error : float or None
    """
    if max_error is not None:
        if isinstance(max_error, bool) or not isinstance(max_error, REALS):
            raise TypeError(f"max_error must be a number from 0 to 1, got {max_error!r}")
        if not 0 <= max_error < 1:
            raise ValueError(
                f"max_error={max_error}; choose a share of the squared norm of the data, at "
                "least 0 and below 1, for example 0.1"
            )
        max_error = float(max_error)
    if n_select is None:
        return (None if max_error is not None else max(1, n_candidates // 2)), max_error
    if isinstance(n_select, bool | np.bool_) or not isinstance(n_select, REALS):
        raise TypeError(
            f"n_select must be an integer, a fraction, 'auto' or None, got {n_select!r} "
            f"({type(n_select).__name__})"
        )
    if isinstance(n_select, INTEGERS):
        if not 1 <= n_select <= n_candidates:
            plural = "column" if n_candidates == 1 else "columns"
            plural += f" that {'varies' if n_candidates == 1 else 'vary'}" * bool(n_constant)
            raise ValueError(
                f"n_select={n_select} but there are {n_candidates} {plural} to choose from; "
                f"choose 1 to {n_candidates}, or a fraction such as 0.1"
            )
        return int(n_select), max_error
    if not 0 < n_select <= 1:
        raise ValueError(
            f"n_select={n_select}; a fraction must be above 0 and at most 1 (for a number of "
            f"columns pass an integer from 1 to {n_candidates})"
        )
    return max(1, round(float(n_select) * n_candidates)), max_error
