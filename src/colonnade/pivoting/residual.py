"""What is left of a matrix after projecting out the chosen columns, as two score vectors.

Let ``E`` be the residual of ``A`` and ``F`` the residual of a target ``B``. The engine never
forms them; it keeps ``g_i = ‖E_i‖²`` and, when the rule asks for it, ``f_i = ‖FᵀE_i‖²`` for
every column, and updates both when a column joins or leaves the selection:

    f ← f − 2 ω∘y + ‖v‖² ω∘ω,   g ← g − ω∘ω,   ω = Eᵀq,  v = Fᵀq,  y = EᵀF v,

where ``q`` is the normalized residual of the column. Two subclasses differ in what they hold:
``columns.ColumnResidual`` an orthonormal basis of the chosen columns, ``products.GramResidual``
the inner products of all columns.

**Rounding.** The recursions lose relative accuracy as the residual shrinks: an entry of f
that was computed as ``f_ref`` carries an error near ``eps·f_ref`` from then on. Three
remedies, each applied only where it can change a choice: columns whose score is both
uncertain and competitive are recomputed (:meth:`Residual.refresh`); once the residual has
fallen far below the last exact one, everything is recomputed (:meth:`Residual.rebase`); and
columns that are zero to working precision stop being candidates, so that rounding noise is
never chosen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ..foundation.threads import one_blas_thread
from ..foundation.typing import Array, Floats, Indices, Mask
from ..linalg.ties import TIE
from ..operands import loops
from ..operands.interface import Gram

__all__ = ["GrowingRows", "PrecisionLostError", "Residual", "eliminator"]


SAFETY = 64.0
"""How many units of rounding a recomputed value is trusted to have gathered at most."""


class PrecisionLostError(ArithmeticError):
    """The inner products no longer resolve what is left; the columns themselves would."""


class GrowingRows:
    """Rows that are added one at a time to a growing matrix."""

    def __init__(self, width: int, capacity: int, dtype: Any = np.float64):
        self._rows = np.empty((0, width), dtype)  # until the first: what starts a choice needs room
        self._capacity = capacity
        self._height = 0

    def append(self, row: Array) -> None:
        """Add a row at the end."""
        if self._height == len(self._rows):
            height = 2 * self._height + 1 if self._height else max(1, self._capacity)
            grown = np.empty((height, self._rows.shape[1]), self._rows.dtype)
            grown[: self._height] = self._rows
            self._rows = grown
        self._rows[self._height] = row
        self._height += 1

    def pop(self) -> Array:
        """Take the last row off."""
        self._height -= 1
        return self._rows[self._height].copy()

    def clear(self) -> None:
        """Take all rows off."""
        self._height = 0

    @property
    def rows(self) -> Array:
        """The rows so far, as a view."""
        return self._rows[: self._height]


class Residual(ABC):
    """Scores of all columns, given those chosen so far.

    Parameters
    ----------
    A : Gram
        The candidates.
    basis : GrowingRows
        What represents the chosen columns: orthonormal vectors, or their inner products with
        all columns.
    scored : bool
        Whether f is kept.
    floor : float
        A column whose squared residual is below this share of its squared norm lies in the
        span of the chosen ones.
    reversible : bool
        Whether choices will be withdrawn again: then nothing chosen is folded into the data
        that is held.

    Attributes
    ----------
    f, g : ndarray of float64
        Numerator and denominator of the criterion for each column.
    chosen : list of int
        The chosen columns in order.
    gains : list of float
        By how much each choice lowered the error of the target (of A, if there is none).
    limit : ndarray of float64
        Squared residuals up to this are rounding: the column lies in the span of the chosen
        ones. It grows when a short residual is chosen, whose direction is known less exactly.
    tie : float
        Scores closer than this, relatively, count as equal; the lowest index wins.
    """

    def __init__(
        self,
        A: Gram,
        *,
        basis: GrowingRows,
        scored: bool,
        floor: float,
        reversible: bool = False,
    ):
        self.A = A
        self.basis = basis
        self.scored = scored
        self.floor = floor
        self.reversible = reversible
        self.eps = float(np.finfo(np.float64).eps)
        self.tie = TIE
        self.g: Floats = A.sq_norms()
        self.g_start = self.g.copy()
        self.g_ref = self.g.copy()
        self.drift = self._drift(slice(None))
        self.limit = floor * self.g_start
        self._error: float | None = None
        self._start_scores(np.zeros_like(self.g))
        self.level = self.error()
        self.target_total = self.level
        self.target_level = self.level
        self.alive: Mask = self.g > 0
        self.chosen: list[int] = []
        self.gains: list[float] = []
        self._undo: tuple[Floats, Floats, Mask, Array, int, float] | None = None

    # -- the algebra, which the subclasses supply ----------------------------------------------

    @abstractmethod
    def lengths(self, j: Indices) -> Floats:
        """Return ``g_j`` computed afresh."""

    @abstractmethod
    def numerators(self, j: Indices) -> Floats:
        """Return ``f_j`` computed afresh."""

    @abstractmethod
    def rebase(self) -> None:
        """Recompute everything whose digits rounding has taken."""

    @abstractmethod
    def add(self, p: int, *, forced: bool = False) -> bool:
        """Choose column p; return whether it adds a direction to the span of the others.

        If it does not, its direction is zero. A direction may well lower the target's error by
        nothing, so the gain does not tell.

        A column that is chosen whatever it is worth (``forced``) is taken at its word: what is
        left of it is a direction, unless it is rounding of the column itself. A rule, which
        looks for the best of all, must also tell it from what badly known directions leave.
        """

    @abstractmethod
    def inner(self, j: Indices) -> Array:
        """Return the inner products of what is left of the columns j."""

    def expect(self, j: Indices) -> None:  # noqa: B027
        """Look ahead at columns that will be added next, if that is cheaper than one by one."""

    @abstractmethod
    def embedding(self) -> Array:
        """Return the rows ω stacked: ``W = QᵀA``."""

    @abstractmethod
    def _coordinates(self) -> Array:
        """Return the chosen columns in the orthonormal basis of their span (t × t)."""

    @abstractmethod
    def _put_back(self, direction: Array) -> float:
        """Return a direction that was taken out to the scores; return its gain."""

    def threads(self) -> AbstractContextManager[Any]:
        """Return a context in which threads do not fight over the cores.

        Between two passes over the data there are only small products.
        """
        return one_blas_thread()

    # -- choosing --------------------------------------------------------------------------------

    def error(self) -> float:
        """Return the squared error of A, ``Σ g``."""
        if self._error is None:
            self._error = float(np.maximum(self.g, 0.0).sum())
        return self._error

    def target_error(self) -> float:
        """Return the squared error of the target; A is its own unless another was given."""
        return self.error()

    def exhausted(self) -> bool:
        """Whether nothing of A is left to working precision."""
        self._renew()
        return self.error() <= float(self.limit.sum())

    def target_exhausted(self) -> bool:
        """Whether nothing of the target is left to working precision."""
        self._renew()
        return self.target_error() <= self.floor * self.target_total

    def refresh(self, j: Indices) -> None:
        """Recompute the scores of the columns j and retire those that lie in the span."""
        lengths = self.lengths(j)
        self.g[j] = lengths
        self.g_ref[j] = np.maximum(lengths, 0.0)
        self.drift[j] = self._drift(j)
        self._error = None
        self.alive[j] = lengths > self.limit[j]
        if self.scored:
            j = j[self.alive[j]]
            self.f[j] = self.f_ref[j] = self.numerators(j)

    def live_candidates(self, candidates: Mask) -> Mask:
        """Return the candidates that are truly outside the span of the chosen columns."""
        self._renew()
        live = candidates & self.alive
        doubtful = self.g <= np.maximum(self.drift, self.limit)
        doubtful &= live
        if np.count_nonzero(doubtful):  # faster than any() for few columns
            self.refresh(np.flatnonzero(doubtful))
            live &= self.alive
        return np.zeros_like(live) if self.exhausted() else live

    def _drift(self, j: Indices | slice) -> Floats:
        """Return what rounding may have done to ``g_j`` since it was last computed.

        ω is a product with whole columns, so it errs by a share of those, not of the residuals.
        """
        return SAFETY * self.eps * np.sqrt(self.g_ref[j] * self.g_start[j])

    def _renew(self) -> None:
        """Recompute what has lost digits, before anything is concluded from how little is left."""
        if not self.reversible and self.needs_recomputing():
            self.rebase()

    def needs_recomputing(self) -> bool:
        """Whether so little is left of what was last computed exactly that rounding shows."""
        if self.error() < self.eps**0.375 * self.level:
            return True
        return self.scored and self.target_error() < self.eps**0.375 * self.target_level

    def error_is_uncertain(self) -> bool:
        """Whether so little is left that the error itself, which is kept by differences, is
        not known to many digits.
        """
        if self.error() < self.eps**0.75 * self.level:
            return True
        return self.target_error() < self.eps**0.75 * self.target_level

    def best_score(self, candidates: Mask) -> int | None:
        """Return the candidate of largest f/g, or None if none is left."""
        return self._argmax(candidates, self._criterion)

    def best_length(self, candidates: Mask) -> int | None:
        """Return the candidate of largest g, or None if none is left."""
        return self._argmax(candidates, self._lengths)

    def _criterion(self, live: Mask) -> tuple[Floats, Floats]:
        return loops.criterion(
            self.f, self.g, SAFETY * self.eps, self.f_ref, self.drift, self.target_level, live
        )

    def _lengths(self, live: Mask) -> tuple[Floats, Floats]:
        score = np.where(live, self.g, -np.inf)
        return score, self.drift

    def _argmax(
        self, candidates: Mask, scores: Callable[[Mask], tuple[Floats, Floats]]
    ) -> int | None:
        live = self.live_candidates(candidates)
        score, doubt = scores(live)
        best = int(score.argmax())
        if not live[best]:
            return None
        rivals = score + doubt >= score[best] - doubt[best]  # those that are not live have −∞
        if np.count_nonzero(rivals) > 1:
            rivals &= doubt > self.tie * score[best]
            if np.count_nonzero(rivals):
                self.refresh(np.flatnonzero(rivals))
                live &= self.alive
                score, _ = scores(live)
                best = int(score.argmax())
                if not live[best]:
                    return None
        top = score[best]
        return int((score >= top - self.tie * abs(top)).argmax())

    def _start_scores(self, f: Floats) -> None:
        """Set the numerators that hold before anything is chosen."""
        self.f: Floats = f
        self.f_ref: Floats = f.copy()
        # what choices can be made anew from
        self._f_start: Floats | None = f.copy() if self.reversible else None

    # -- changing the selection ------------------------------------------------------------------

    def _record(self, p: int, gain: float) -> None:
        self.chosen.append(p)
        self.gains.append(gain)
        self.f[p] = self.g[p] = 0.0
        self.alive[p] = False
        self._error = None

    def load(self, chosen: Iterable[int]) -> None:
        """Forget all choices and make these instead, but those that depend on earlier ones."""
        assert self._f_start is not None, "only a reversible residual can begin anew"
        self.f, self.g = self._f_start.copy(), self.g_start.copy()
        self.f_ref, self.g_ref = self._f_start.copy(), self.g_start.copy()
        self.drift = self._drift(slice(None))
        self.limit = self.floor * self.g_start
        self.alive = self.g > 0
        self._error = None
        self.basis.clear()
        self.chosen.clear()
        self.gains.clear()
        for p in chosen:
            self.add_if_outside(p)
        if self.needs_recomputing():
            others = self.g_start > 0
            others[self.chosen] = False
            self.refresh(np.flatnonzero(others))

    def add_if_outside(self, p: int) -> bool:
        """Choose column p unless it lies in the span of the others; return whether it was."""
        taken = self.add(p)
        if not taken:
            self.withdraw_last()
        return taken

    def withdraw_last(self) -> None:
        """Take back the last choice, which changed nothing."""
        self.basis.pop()
        del self.chosen[-1], self.gains[-1]

    def drop(self, p: int) -> float:
        """Withdraw the choice of p; return by how much the target's error rises."""
        k = self.chosen.index(p)
        h = eliminator(self._coordinates(), k)
        rows = self.basis.rows
        rows -= 2.0 * np.outer(h, h @ rows)
        direction = self.basis.pop()
        self._undo = (self.f.copy(), self.g.copy(), self.alive, direction, p, self.gains[k])
        del self.chosen[k], self.gains[k]
        gain = self._put_back(direction)
        self._error = None
        self.alive = self.g > SAFETY * self.eps * self.g_start
        self.alive[self.chosen] = False
        return gain

    def restore(self) -> None:
        """Undo the last :meth:`drop`."""
        assert self._undo is not None, "restore undoes one drop"
        self.f, self.g, self.alive, direction, p, gain = self._undo
        self._undo = None
        self._error = None
        self.basis.append(direction)
        self.chosen.append(p)
        self.gains.append(gain)


def eliminator(R: Array, k: int) -> Array:
    """Return the unit vector h of a reflection that isolates one column of a basis.

    R (t × t) holds the chosen columns in an orthonormal basis of their span. After the basis is
    reflected by ``I − 2hhᵀ``, its last vector is orthogonal to every chosen column but the k-th.
    """
    unit = np.zeros(len(R))
    unit[k] = 1.0
    u = np.linalg.solve(R.T, unit)
    u /= np.linalg.norm(u)
    u[-1] += np.copysign(1.0, u[-1])
    return u / np.linalg.norm(u)
