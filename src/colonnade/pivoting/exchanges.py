"""Exchanges of columns that raise the volume of a selection: strong rank-revealing QR.

The volume of k columns is the product of the diagonal of their triangular factor. Exchanging
the i-th chosen column for column j multiplies it by ``ρ_ij``, which is known for all pairs at
once from the columns in an orthonormal basis of the chosen ones and from what is left of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..foundation.lapack import inv, np_qr
from ..foundation.parameters import REALS
from ..foundation.typing import Array, Floats, Mask
from ..linalg.projecting import project_out, span_floor
from ..linalg.ties import TIE
from ..operands import loops
from ..operands.blocks import block_slices
from ..operands.interface import Columns
from .loop import Progress
from .residual import eliminator

__all__ = ["check_factor", "raise_volume"]

EPS = float(np.finfo(np.float64).eps)


def check_factor(value: Any) -> float:
    """Return the factor by which an exchange must raise the volume, or say what is allowed."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, REALS):
        raise TypeError(f"factor must be a number of at least 1, got {value!r}")
    if not 1.0 <= value < np.inf:
        raise ValueError(f"factor={value}; choose a finite number of at least 1, for example 2.0")
    return float(value)


def raise_volume(
    A: Columns,
    chosen: Sequence[int],
    factor: float,
    *,
    locked: Collection[int] = (),
    candidates: Mask | None = None,
    progress: Progress | None = None,
) -> tuple[list[int], int]:
    """Exchange columns while one exchange multiplies the volume by more than ``factor``.

    Parameters
    ----------
    A : Columns
        The candidates.
    chosen : sequence of int
        Where to start: linearly independent columns.
    factor : float
        At least 1; the exchange of largest factor is made first.
    locked : collection of int
        Columns that stay.
    candidates : ndarray of bool, optional
        Columns that may come in; all by default.
    progress : callable, optional
        Called after each exchange with the size, twice, and the relative error.

    Returns
    -------
    chosen : list of int
        A column that came in stands where the one that left did.
    swaps : int
        How many exchanges were made; after pivoted QR at most ``log(k!) / log(factor)``, since
        its volume is at least 1/k! of the largest.

    Notes
    -----
    An exchange costs one product of the data with a vector and O(k² n) for the factors of all
    pairs. In addition to the data, three k × n matrices and an m × k one are held. Before it ends,
    everything is computed afresh, so that no rounding has gathered in what is decided on.
    """
    barred = np.zeros(A.shape[1], dtype=bool) if candidates is None else ~candidates
    fixed = np.isin(chosen, list(locked))
    frame = _Frame(A, list(chosen))
    # the volume rises each time, so a set that comes again is the work of rounding
    seen = {frozenset(chosen)}
    swaps, fresh = 0, True
    while True:
        squares = frame.squared_factors()
        squares[fixed] = 0.0
        squares[:, barred] = 0.0
        squares[:, frame.chosen] = 0.0
        best = float(squares.max())
        if best <= (factor * (1 + TIE)) ** 2:
            if fresh:
                return frame.chosen, swaps
            frame.load()
            fresh = True
            continue
        at = int(np.argmax(squares >= best * (1 - TIE)))
        i, j = divmod(at, A.shape[1])
        after = frozenset(frame.chosen) - {frame.chosen[i]} | {j}
        if after in seen:
            return frame.chosen, swaps
        seen.add(after)
        frame.exchange(i, j)
        swaps, fresh = swaps + 1, False
        if progress is not None:
            size, total = len(frame.chosen), float(frame.sq_norms.sum())
            progress(size, size, float(frame.left().sum()) / total)


class _Frame:
    """All columns in an orthonormal basis of the chosen ones.

    Attributes
    ----------
    chosen : list of int
        The chosen columns.
    Q : ndarray of shape (k, m)
        The basis, by rows.
    W : ndarray of shape (k, n)
        ``Q A``.
    """

    def __init__(self, A: Columns, chosen: list[int]):
        self.A = A
        self.chosen = chosen
        self.sq_norms = A.sq_norms()
        self.load()

    def load(self) -> None:
        """Compute basis and coordinates from the data."""
        Q, R = np_qr(self.A.columns(np.array(self.chosen)))
        self.Q = np.ascontiguousarray(Q.T)
        self.W = np.ascontiguousarray(self.A.rmatmat(Q).T)
        self.W[:, self.chosen] = R

    def left(self) -> Floats:
        """Return the squared lengths of what is left of the columns, as subtraction gives them."""
        return np.maximum(self.sq_norms - loops.column_sq_norms(self.W), 0.0)

    def squared_factors(self) -> Array:
        """Return for all i and j by what exchanging them multiplies the squared volume."""
        inverse = inv(self.W[:, self.chosen])
        lengths = np.square(inverse).sum(axis=1)
        left = self.left()
        # subtraction errs by eps of the whole column: look again where that would show
        doubt = 64 * EPS * self.sq_norms
        doubtful = (doubt > TIE * left) & (doubt * lengths.max() > TIE)
        doubtful[self.chosen] = False
        left[doubtful] = self._lengths(np.flatnonzero(doubtful))
        out = inverse @ self.W
        np.square(out, out=out)
        out += np.outer(lengths, left)
        return out

    def _lengths(self, j: Array) -> Floats:
        """Return squared lengths of residuals, computed from the columns; rounding becomes 0."""
        out = np.empty(len(j))
        for part in block_slices(len(j), self.A.shape[0]):
            out[part] = loops.column_sq_norms(project_out(self.A.columns(j[part]), self.Q))
        return np.where(out > span_floor(self.A) * self.sq_norms[j], out, 0.0)

    def exchange(self, i: int, j: int) -> None:
        """Put column j in the place of the i-th chosen one."""
        # turn the basis until its last vector is orthogonal to all chosen columns but the i-th
        h = eliminator(self.W[:, self.chosen], i)
        for rows in (self.Q, self.W):
            rows -= 2.0 * np.outer(h, h @ rows)
        q = project_out(self.A.columns(slice(j, j + 1))[:, 0], self.Q[:-1])
        q = q / np.linalg.norm(q)
        self.Q[-1] = q
        self.W[-1] = self.A.rmatmat(q)
        self.chosen[i] = j
        self.W[-1, [p for p in self.chosen if p != j]] = 0.0  # exactly
