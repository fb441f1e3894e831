"""The residual by way of the columns themselves: one pass over the data per choice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..linalg.projecting import span_floor
from ..operands import loops
from ..operands.blocks import block_slices
from ..operands.interface import Columns
from .residual import GrowingRows, Residual
from .spans import Span, span_of
from .targets import Target

__all__ = [
    "ColumnResidual",
]


class ColumnResidual(Residual):
    """Holds the span of the chosen columns, by an orthonormal basis Q if they are dense.

    Parameters
    ----------
    A : Columns
        The candidates.
    target : Target or None
        What the criterion reconstructs; None if no criterion is ever asked for.
    capacity : int
        How many choices to make room for.
    scored : bool
        Whether the criterion is kept for all columns.
    reversible : bool
        Whether choices will be withdrawn again; then no embedding is kept.
    """

    A: Columns
    basis: Span

    def __init__(
        self,
        A: Columns,
        target: Target | None,
        capacity: int,
        *,
        scored: bool = True,
        reversible: bool = False,
    ):
        super().__init__(
            A,
            basis=span_of(A, capacity, reversible=reversible),
            scored=scored,
            floor=span_floor(A),
            reversible=reversible,
        )
        self.target = target
        self.W = None if reversible else GrowingRows(A.shape[1], capacity, A.dtype)
        self._own_target = target is None or getattr(target, "A", None) is A
        self._accounted = 0  # how many choices the target's level already accounts for
        if target is not None:
            self.target_total = self.target_level = target.sq_norm()
        if scored:
            assert target is not None
            self._start_scores(target.initial(A))

    def target_error(self) -> float:
        if self._own_target:
            return self.error()
        return max(0.0, self.target_level - sum(self.gains[self._accounted :]))

    def project(self, E: Array) -> Array:
        """Return the residuals of the columns of E."""
        return self.basis.project_out(E)

    def lengths(self, j: Indices) -> Floats:
        out = np.empty(len(j))
        for part in self._blocks(j):
            out[part] = loops.column_sq_norms(self.project(self.A.columns(j[part])))
        return out

    def numerators(self, j: Indices) -> Floats:
        assert self.target is not None
        out = np.empty(len(j))
        for part in self._blocks(j):
            out[part] = self.target.numerators(self.project(self.A.columns(j[part])))
        return out

    def _blocks(self, j: Indices) -> Iterator[slice]:
        """Cut columns into blocks: small ones of sparse data, which counts on little beside it."""
        return block_slices(len(j), self.A.shape[0] * (1 if self.A.decomposes_directly else 16))

    def inner(self, j: Indices) -> Array:
        E = self.project(self.A.columns(j))
        return E.T @ E

    def rebase(self) -> None:
        level = self.target.rebase(self) if self.target is not None else None
        self.refresh(np.flatnonzero(self.alive))
        self.level = self.error()
        self.target_level = self.target_error() if level is None else level
        self._accounted = len(self.gains)

    def add(self, p: int, *, forced: bool = False) -> bool:
        # contiguous: it is read several times, and a column of rows in C order is far apart
        a = np.ascontiguousarray(self.A.columns(slice(p, p + 1))[:, 0])
        q = self.basis.project_out_vector(a)
        length = float(np.linalg.norm(q))
        least = self.floor * self.g_start[p] if forced else self.limit[p]
        taken = length * length > least
        if not taken:
            q, omega, gain = np.zeros_like(a), np.zeros(self.A.shape[1]), 0.0
        else:
            q = q / length
            omega, gain = self._take_out(q)
            # q errs by eps times how much longer the column was than its residual
            blur = 16 * float(np.finfo(self.A.dtype).eps) / length
            self.limit += self.g_start[p] * np.square(blur * omega)
        self.basis.extend(q, a)
        if self.W is not None:
            omega[self.chosen] = 0  # exactly: chosen columns are orthogonal to the new direction
            self.W.append(omega)
        self._record(p, gain)
        return taken

    def _take_out(self, q: Array) -> tuple[Array, float]:
        """Take the direction q out of the scores; return ω and the gain."""
        if self.scored:
            z, gain = self._reach(q)
            return self.A.sweep(q, z, gain, self.f, self.g), gain
        omega = self.A.sweep(q, None, 0.0, self.f, self.g)
        if self._own_target or self.target is None:
            return omega, float(omega @ omega)
        return omega, float(q @ self.target.outer(q))

    def _reach(self, q: Array) -> tuple[Array, float]:
        """Return z with ``y = Aᵀz``, and the gain of the direction q."""
        assert self.target is not None
        u = self.target.outer(q)
        return self.basis.project_out_vector(u), float(q @ u)

    def withdraw_last(self) -> None:
        super().withdraw_last()
        if self.W is not None:
            self.W.pop()

    def embedding(self) -> Array:
        assert self.W is not None, "a reversible residual keeps no embedding"
        return self.W.rows

    def _coordinates(self) -> Array:
        return self.basis.rows @ self.A.columns(np.array(self.chosen))

    def _put_back(self, direction: Array) -> float:
        z, gain = self._reach(direction)
        omega = self.A.sweep(direction, -z, -gain, self.f, self.g)
        self.g += 2.0 * np.square(omega)
        return gain
