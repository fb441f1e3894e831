"""The span of the chosen columns: an orthonormal basis of it, or the sparse columns themselves."""

from __future__ import annotations

import numpy as np

from ..foundation.lapack import dtrcon, solve_triangular
from ..foundation.typing import Array, Floats
from ..linalg.projecting import orthogonalize, project_out, project_out_vector
from ..operands.blocks import BLOCK_BYTES
from ..operands.interface import Columns
from ..operands.kept_columns import KeptColumns
from .residual import GrowingRows

__all__ = ["CompactSpan", "Span", "span_of"]

WELL_CONDITIONED = 1e-3
"""At least this must one over the condition be for the columns to serve without a basis."""


def span_of(A: Columns, capacity: int, *, reversible: bool) -> Span:
    """Return room for the span of some columns of A, in whichever way takes little beside A.

    Parameters
    ----------
    A : Columns
        The candidates.
    capacity : int
        How many columns to make room for.
    reversible : bool
        Whether directions will be taken off again, which takes a basis.
    """
    m = A.shape[0]
    room = min(BLOCK_BYTES, A.pass_bytes / 16)
    kept = None if reversible or 8 * m * capacity <= room else A.room_for_columns()
    return Span(m, capacity) if kept is None else CompactSpan(kept, m, capacity)


class Span(GrowingRows):
    """An orthonormal basis, by rows; rows of zeros stand for columns that added nothing."""

    def extend(self, q: Array, a: Array) -> None:
        """Add a column a, of which the unit vector q is new; q is zero if nothing is."""
        self.append(q)

    def project_out(self, E: Array) -> Array:
        """Return what the span leaves of the columns of E."""
        return project_out(E, self.rows)

    def project_out_vector(self, a: Array) -> Array:
        """Return what the span leaves of one vector."""
        return project_out_vector(a, self.rows)


class CompactSpan(Span):
    """Sparse columns ``C = QR`` with R in place of Q: ``QQᵀe = C R⁻¹R⁻ᵀCᵀe``, taken out twice.

    These are the corrected seminormal equations. They lose as many digits as the condition of R
    has; once that is above a thousand, an orthonormal basis takes over.

    Parameters
    ----------
    kept : KeptColumns
        Room for C.
    length : int
        How long the columns are.
    capacity : int
        How many there may be.

    References
    ----------
    Björck (1987), "Stability analysis of the method of seminormal equations for linear least
    squares problems", Linear Algebra and its Applications 88/89.
    """

    def __init__(self, kept: KeptColumns, length: int, capacity: int):
        super().__init__(length, capacity)
        self._kept: KeptColumns | None = kept
        self._length = length
        self._R = np.zeros((0, 0), order="F")
        self._added: list[bool] = []  # whether each column added a direction

    def extend(self, q: Array, a: Array) -> None:
        if self._kept is None:
            super().extend(q, a)
            return
        self._added.append(bool(q.any()))
        if not self._added[-1]:
            return
        t, new = len(self._R), float(q @ a)
        R = np.zeros((t + 1, t + 1), order="F")
        R[:t, :t] = self._R
        if t:
            R[:t, t] = self._coordinates(self._kept, a - new * q)
        R[t, t] = new
        self._R = R
        self._kept.append(a)
        lengths = np.sqrt(np.square(R).sum(axis=0))
        if dtrcon(R / lengths)[0] < WELL_CONDITIONED:
            self._orthonormalize(self._kept, q)

    def pop(self) -> Array:
        if self._kept is None:
            return super().pop()
        assert not self._added.pop(), "a direction can be taken off a basis only"
        return np.zeros(self._length)

    def project_out(self, E: Array) -> Array:
        if self._kept is None:
            return super().project_out(E)
        return self._once(self._kept, self._once(self._kept, E)) if len(self._R) else E

    def project_out_vector(self, a: Array) -> Array:
        return super().project_out_vector(a) if self._kept is None else self.project_out(a)

    def _coordinates(self, kept: KeptColumns, E: Array) -> Floats:
        """Return ``QᵀE = R⁻ᵀCᵀE``."""
        products = kept.products(E)
        return np.asarray(solve_triangular(self._R, products, trans="T", check_finite=False))

    def _once(self, kept: KeptColumns, E: Array) -> Array:
        combination = solve_triangular(self._R, self._coordinates(kept, E), check_finite=False)
        return np.asarray(E - kept.combined(combination))

    def _orthonormalize(self, kept: KeptColumns, q: Array) -> None:
        """Hold an orthonormal basis from here on; q is its last vector.

        That was taken out of the scores already, and another that differs by rounding would not be
        what later ones are orthogonal to.
        """
        units = iter(np.eye(len(self._R)))
        for added in self._added[:-1]:
            a = kept.combined(next(units)) if added else np.zeros(self._length)
            self.append(orthogonalize(a, self.rows)[0])
        self.append(q)
        self._kept = None
