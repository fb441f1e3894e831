"""The residual by way of the columns themselves: one pass over the data per choice."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg.blas import get_blas_funcs

from .. import kernels
from .._threads import in_parallel
from .._typing import Array, Floats, Indices
from ..blocks import cut
from ..operand import Operand
from .residual import Residual, Stack

__all__ = [
    "ColumnResidual",
    "HeldOuter",
    "MatrixTarget",
    "Products",
    "Target",
    "orthogonalize",
    "span_floor",
]


class Target(Protocol):
    """A matrix B that the choice shall reconstruct, known through ``F Fᵀ``, F its residual."""

    def outer(self, q: Array) -> Array:
        """Return ``F (Fᵀ q)`` up to a part in the span of the chosen columns."""

    def numerators(self, E: Array) -> Floats:
        """Return ``‖Fᵀ e‖²`` for the columns e of E."""

    def initial(self, A: Operand) -> Floats:
        """Return ``‖Bᵀ a‖²`` for the columns a of A."""

    def sq_norm(self) -> float:
        """Return ``‖F‖²``, as it was when last computed from the data."""

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Work with the residual of B from here on; return ``‖F‖²`` if it was computed."""


class HeldOuter:
    """The matrix A as its own target, by way of ``A Aᵀ`` (m × m) held in memory."""

    def __init__(self, A: Operand):
        self.A = A
        self._hold(A.outer())

    def _hold(self, M: Array) -> None:
        self._M = M.T if M.flags.c_contiguous else M  # symmetric; symv wants Fortran order
        self._symv = get_blas_funcs("symv", (self._M,))

    def outer(self, q: Array) -> Array:
        """Return ``A Aᵀ q``, reading one triangle."""
        return np.asarray(self._symv(1.0, self._M, q))

    def numerators(self, E: Array) -> Floats:
        """Return ``eᵀ (A Aᵀ) e`` for the columns e of E.

        By strips of rows: what lies left of the diagonal counts twice, so that the part right
        of it need not be multiplied.
        """
        out = np.zeros(E.shape[1])
        height = -(-len(E) // 8)
        for start in range(0, len(E), height):
            strip = slice(start, start + height)
            product = 2.0 * (self._M[strip, :start] @ E[:start])
            product += self._M[strip, strip] @ E[strip]
            out += np.einsum("ij,ij->j", E[strip], product)
        return out

    def initial(self, A: Operand) -> Floats:
        """Return the numerators of the columns of A, block by block."""
        blocks = cut(A.shape[1], 4 * A.shape[0])  # small, since every thread holds one
        scores = in_parallel(lambda block: self.numerators(A.columns(block)), blocks)
        return np.concatenate(scores)

    def sq_norm(self) -> float:
        """Return the trace of ``A Aᵀ``."""
        return float(self._M.trace())

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Replace ``A Aᵀ`` by ``E Eᵀ`` with E computed explicitly, block by block."""
        M = np.zeros_like(self._M)
        for block in cut(self.A.shape[1], self.A.shape[0]):
            E = residual.project(self.A.columns(block))
            M += E @ E.T
        self._hold(M)
        return self.sq_norm()


class Products:
    """A matrix as target by products with it alone: for data of which nothing square fits."""

    def __init__(self, A: Operand):
        self.A = A

    def outer(self, q: Array) -> Array:
        """Return ``B (Bᵀ q)``."""
        return self.A.matmat(self.A.rmatmat(q))

    def numerators(self, E: Array) -> Floats:
        """Return ``‖Bᵀ e‖²`` for the columns e of E."""
        out = np.empty(E.shape[1])
        for part in cut(E.shape[1], self.A.shape[1]):
            out[part] = kernels.column_sq_norms(self.A.rmatmat(E[:, part]))
        return out

    def initial(self, A: Operand) -> Floats:
        """Return the numerators of the columns of A, with a short cut for its own."""
        if A is self.A:
            return A.gram_sq_norms()
        out = np.empty(A.shape[1])
        for block in cut(A.shape[1], A.shape[0]):
            out[block] = self.numerators(A.columns(block))
        return out

    def sq_norm(self) -> float:
        """Return ``‖B‖²``."""
        return float(self.A.sq_norms().sum())

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Do nothing: products with vectors orthogonal to the chosen columns stay accurate."""
        return None


class MatrixTarget:
    """A given target of few columns, held as a dense m × c matrix."""

    def __init__(self, B: Array):
        self.B = B

    def outer(self, q: Array) -> Array:
        """Return ``B (Bᵀ q)``."""
        return self.B @ (self.B.T @ q)

    def numerators(self, E: Array) -> Floats:
        """Return ``‖Bᵀ e‖²`` for the columns e of E."""
        return kernels.column_sq_norms(self.B.T @ E)

    def initial(self, A: Operand) -> Floats:
        """Return the numerators of the columns of A, a few targets at a time."""
        out = np.zeros(A.shape[1])
        for part in cut(self.B.shape[1], A.shape[1]):
            out += kernels.column_sq_norms(A.rmatmat(self.B[:, part]).T)
        return out

    def sq_norm(self) -> float:
        """Return ``‖B‖²``."""
        return float(np.square(self.B).sum())

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Replace B by its residual."""
        self.B = residual.project(self.B)
        return self.sq_norm()


class ColumnResidual(Residual):
    """Holds an orthonormal basis Q of the chosen columns.

    Parameters
    ----------
    A : Operand
        The candidates; must have columns.
    target : Target or None
        What the criterion reconstructs; None if no criterion is ever asked for.
    capacity : int
        How many choices to make room for.
    scored : bool
        Whether the criterion is kept for all columns.
    reversible : bool
        Whether choices will be withdrawn again; then no embedding is kept.
    """

    def __init__(
        self,
        A: Operand,
        target: Target | None,
        capacity: int,
        *,
        scored: bool = True,
        reversible: bool = False,
    ):
        super().__init__(
            A,
            basis=Stack(A.shape[0], capacity),
            scored=scored,
            floor=span_floor(A),
            reversible=reversible,
        )
        self.target = target
        self.W = None if reversible else Stack(A.shape[1], capacity, A.dtype)
        self._own_target = target is None or getattr(target, "A", None) is A
        self._settled = 0  # how many choices the target's level already accounts for
        if target is not None:
            self.target_total = self.target_level = target.sq_norm()
        if scored:
            assert target is not None
            self._start_scores(target.initial(A))

    def target_error(self) -> float:
        if self._own_target:
            return self.error()
        return max(0.0, self.target_level - sum(self.gains[self._settled :]))

    def project(self, E: Array) -> Array:
        """Return the residuals of the columns of E."""
        Q = self.basis.rows
        if len(Q):
            E = E - Q.T @ (Q @ E)
            E -= Q.T @ (Q @ E)
        return E

    def lengths(self, j: Indices) -> Floats:
        out = np.empty(len(j))
        for part in cut(len(j), self.A.shape[0]):
            out[part] = kernels.column_sq_norms(self.project(self.A.columns(j[part])))
        return out

    def numerators(self, j: Indices) -> Floats:
        assert self.target is not None
        out = np.empty(len(j))
        for part in cut(len(j), self.A.shape[0]):
            out[part] = self.target.numerators(self.project(self.A.columns(j[part])))
        return out

    def inner(self, j: Indices) -> Array:
        E = self.project(self.A.columns(j))
        return E.T @ E

    def rebase(self) -> None:
        level = self.target.rebase(self) if self.target is not None else None
        self.refresh(np.flatnonzero(self.alive))
        self.level = self.error()
        self.target_level = self.target_error() if level is None else level
        self._settled = len(self.gains)

    def add(self, p: int, *, forced: bool = False) -> bool:
        # contiguous: it is read several times, and a column of rows in C order is far apart
        a = np.ascontiguousarray(self.A.columns(slice(p, p + 1))[:, 0])
        q, length = orthogonalize(a, self.basis.rows)
        least = self.floor * self.g_start[p] if forced else self.limit[p]
        taken = length * length > least
        if not taken:
            q, omega, gain = np.zeros_like(a), np.zeros(self.A.shape[1]), 0.0
        else:
            omega, gain = self._take_out(q)
            # q errs by eps times how much longer the column was than its residual
            blur = 16 * float(np.finfo(self.A.dtype).eps) / length
            self.limit += self.g_start[p] * np.square(blur * omega)
        self.basis.append(q)
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
        Q = self.basis.rows
        u = self.target.outer(q)
        return _outside(u, Q), float(q @ u)

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


def span_floor(A: Operand) -> float:
    """Return the share of its squared norm that a column in the span of others may have left.

    Projecting twice leaves about eps·√m of such a column. Wherever columns themselves are
    looked at, this decides whether one lies in the span of others.
    """
    return (16 * float(np.finfo(A.dtype).eps)) ** 2 * A.shape[0]


def orthogonalize(a: Array, basis: Array) -> tuple[Array, float]:
    """Return the unit residual of ``a`` against the rows of ``basis``, and its length."""
    a = _outside(a, basis)
    length = float(np.linalg.norm(a))
    return (a / length if length > 0 else np.zeros_like(a)), length


def _outside(a: Array, basis: Array) -> Array:
    """Return the part of ``a`` that is orthogonal to the rows of ``basis``.

    A projection errs by a share of what it takes away, so if that was much it is repeated;
    twice is enough for working precision.
    """
    if not len(basis):
        return a
    size = a @ a
    a = a - basis.T @ (basis @ a)
    if a @ a < 0.5 * size:
        a = a - basis.T @ (basis @ a)
    return a
