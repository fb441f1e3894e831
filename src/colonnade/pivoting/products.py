"""The residual by way of inner products: for tall data and for kernels."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from scipy.linalg.blas import get_blas_funcs

from ..foundation.typing import Array, Floats, Indices
from ..linalg.projecting import orthogonalize, project_out, span_floor
from ..operands import loops
from ..operands.blocks import block_slices
from ..operands.interface import Columns, Gram
from .residual import GrowingRows, PrecisionLostError, Residual

__all__ = ["GramResidual"]


SMALL_PIVOT = 1e-6
"""A pivot below this share of its column magnifies rounding: a million times."""


class GramResidual(Residual):
    """Holds the rows ω of the partial Cholesky factor, and the Gram matrix if it fits.

    Parameters
    ----------
    A : Gram
        The candidates; a kernel, or data with few columns.
    capacity : int
        How many choices to make room for.
    scored : bool
        Whether the criterion is needed.
    target : ndarray of shape (c, n) or None
        Inner products ``H = BᵀA`` of a target with the candidates; None for A itself.
    target_total : float or None
        ``‖B‖²``, with a target.
    held : bool
        Whether to hold the n × n Gram matrix, or to ask the operand for its products.
    reversible : bool
        Whether choices will be withdrawn again.

    Notes
    -----
    Inner products square the condition: what is left cannot be told from rounding once it is
    below √eps of a column. For a kernel that is the end. For data,
    :class:`PrecisionLostError` asks the caller to go on with the columns themselves.
    """

    def __init__(
        self,
        A: Gram,
        capacity: int,
        *,
        scored: bool,
        target: Array | None = None,
        target_total: float | None = None,
        held: bool = True,
        reversible: bool = False,
    ):
        n = A.shape[1]
        # what can be looked at where inner products cannot tell; a kernel has nothing more
        self._columns = A if isinstance(A, Columns) else None
        super().__init__(
            A,
            basis=GrowingRows(n, capacity),
            scored=scored,
            # a pivot passes the rounding of its column on to all others, magnified by how much
            # it shrank; data can be looked at again, a kernel cannot, so it keeps a margin
            floor=max(n, 64) * float(np.finfo(A.dtype).eps) * (100 if self._columns is None else 1),
            reversible=reversible,
        )
        self._combinations: GrowingRows | None = None
        self._used: list[int] = []
        if self._columns is None:
            self._check_positive(np.arange(n), self.g)
        self.G = A.gram() if held else None
        self._symv = None if self.G is None else get_blas_funcs("symv", (self.G,))
        self._start_lengths = np.sqrt(self.g_start)
        self.H = target
        self.V = None if target is None else GrowingRows(len(target), capacity)
        self._ahead: dict[int, Array] = {}
        self._seen = 0
        watch = self._columns is not None and not reversible
        self._Q = GrowingRows(A.shape[0], 0) if watch else None
        if target_total is not None:
            self.target_total = self.target_level = target_total
        if scored:
            self._start_scores(self._initial())

    def threads(self) -> AbstractContextManager[Any]:
        # a product with a Gram matrix beyond the caches is worth several threads
        large = self.G is not None and self.G.nbytes > 2**25
        return nullcontext() if large else super().threads()

    def _initial(self) -> Floats:
        if self.H is not None:
            return loops.column_sq_norms(self.H)
        return self.A.gram_sq_norms() if self.G is None else loops.column_sq_norms(self.G)

    def target_error(self) -> float:
        if self.H is None:
            return self.error()
        return max(0.0, self.target_total - sum(self.gains))

    def exhausted(self) -> bool:
        # for data, inner products cannot tell: live_candidates will ask for the columns
        return self._Q is None and super().exhausted()

    def _gram_columns(self, j: Indices | slice) -> Array:
        return self.A.gram_columns(j) if self.G is None else self.G[:, j]

    def inner(self, j: Indices) -> Array:
        W = self.basis.rows[:, j]
        G = self.A.subset(j).gram() if self.G is None else self.G[np.ix_(j, j)]
        return G - W.T @ W

    def expect(self, j: Indices) -> None:
        if self.G is None:
            W = self.basis.rows
            left = self.A.gram_columns(j) - W.T @ W[:, j]
            self._ahead = dict(zip(j.tolist(), left.T, strict=True))
            self._seen = len(W)

    def _left(self, p: int) -> Array:
        """Return the inner products of all columns with what is left of column p."""
        W = self.basis.rows
        if p in self._ahead:
            later = W[self._seen :]
            return self._ahead.pop(p) - later.T @ later[:, p]
        return self._gram_columns(slice(p, p + 1))[:, 0] - W.T @ W[:, p]

    def add(self, p: int, *, forced: bool = False) -> bool:
        delta = self._left(p)
        pivot = float(delta[p])
        taken = pivot > self.limit[p] and not self._is_noise(delta, pivot)
        if not taken:
            known = self._columns is not None
            if known and (self.reversible or not self._spanned(np.array([p]))):
                raise PrecisionLostError
            omega = np.zeros(len(self.g))
        elif forced and self._Q is not None and pivot < SMALL_PIVOT * self.g_start[p]:
            # a rule avoids such columns; one that is taken all the same has a direction that only
            # the columns themselves know to all digits
            raise PrecisionLostError
        else:
            omega = delta / math.sqrt(pivot)
            # δ errs by eps of what the columns were, so ω² by this much
            reach = np.abs(omega)
            reach *= math.sqrt(self.g_start[p] / pivot)
            wear = self._start_lengths + reach
            wear *= reach
            wear *= 16 * float(np.finfo(self.A.dtype).eps)
            self.limit += wear
            omega[self.chosen] = 0  # exactly: orthogonal to the chosen columns
            if self._columns is None and not self.reversible:
                self._watch_extrapolation(p, omega)
        self._record(p, self._update(omega, sign=1, p=p))
        self.basis.append(omega)
        return taken

    def _watch_extrapolation(self, p: int, omega: Array) -> None:
        """Raise the limit where columns are large combinations of the chosen ones.

        What is left of a column is ``K_xx`` less what its combination X of chosen columns makes
        of their kernel values, so it errs by eps of ``(1 + Σ|X|)²`` of these. The combinations
        are looked at once a pivot is small: before that they are moderate.
        """
        if self._combinations is None:
            if omega[p] ** 2 >= SMALL_PIVOT * self.g_start[p]:
                return
            W = self.basis.rows
            used = [i for i, q in enumerate(self.chosen) if W[i, q] > 0]
            self._used = [self.chosen[i] for i in used]
            self._combinations = GrowingRows(len(self.g), len(used) + 16)
            for row in np.linalg.solve(W[np.ix_(used, self._used)], W[used]):
                self._combinations.append(row)
        share = omega / omega[p]
        X = self._combinations.rows
        X -= np.outer(X[:, p], share)
        self._combinations.append(share)
        self._used.append(p)
        lengths = self._start_lengths
        reach = lengths + lengths[self._used] @ np.abs(self._combinations.rows)
        blur = 16 * float(np.finfo(self.A.dtype).eps) * np.square(reach)
        np.maximum(self.limit, blur, out=self.limit)

    def _is_noise(self, delta: Array, pivot: float) -> bool:
        """Whether a pivot is rounding: no true one takes more from a column than it has."""
        taken = np.square(delta)
        taken /= pivot
        there = np.maximum(self.g, 0.0)
        there *= 1.001
        there += 16 * self.limit
        return bool(np.count_nonzero(taken > there))

    def _update(self, omega: Array, sign: int, p: int) -> float:
        """Take ω out of the scores (sign 1) or put it back (sign −1); return its gain.

        The rows of the basis must not contain ω.
        """
        W = self.basis.rows
        v, V = omega, W  # for A as its own target both are the same
        if self.H is not None and self.V is not None:
            V = self.V.rows
            v = np.zeros(len(self.H))
            if omega[p] > 0:
                v = (self.H[:, p] - V.T @ W[:, p]) / omega[p]
        gain = float(v @ v)
        change = np.square(omega)
        change *= sign
        self.g -= change
        if self.scored:
            y = self._product(v) - W.T @ (V @ v)
            change *= gain
            self.f += change
            y *= omega
            y *= 2.0 * sign
            self.f -= y
        if self.V is not None:
            self.V.append(v)
        return gain

    def _product(self, v: Array) -> Array:
        """Return the inner products of all columns with the target's combination v."""
        if self.H is not None:
            return self.H.T @ v
        if self._symv is None:
            return self.A.gram_matmat(v)
        return np.asarray(self._symv(1.0, self.G, v))

    def lengths(self, j: Indices) -> Floats:
        W = self.basis.rows[:, j]
        out = self.g_start[j] - np.square(W).sum(axis=0)
        if self._columns is None and not self.reversible:
            self._check_positive(j, out)
        if self._Q is None:
            return out
        # inner products cannot tell a short column from rounding: look at the columns themselves
        short = out <= self.limit[j]
        if short.any():
            if not self._spanned(j[short]):
                raise PrecisionLostError
            out[short] = 0.0
        return out

    def _check_positive(self, j: Indices, lengths: Floats) -> None:
        below = lengths < -100 * self.limit[j]
        if below.any() and not self.A.definite:
            np.maximum(self.limit, -2.0 * float(lengths.min()), out=self.limit)
        elif below.any():
            worst = int(np.argmin(lengths))
            raise ValueError(
                f"the kernel is not positive semidefinite: after {len(self.chosen)} choices the "
                f"squared length of point {j[worst]} is {lengths[worst]:.6g}; use a positive "
                "semidefinite kernel, such as 'rbf'"
            )

    def _spanned(self, j: Indices) -> bool:
        """Whether the columns j all lie in the span of the chosen ones."""
        assert self._Q is not None
        assert self._columns is not None
        for p in self.chosen[len(self._Q.rows) :]:
            a = self._columns.columns(slice(p, p + 1))[:, 0]
            self._Q.append(orthogonalize(a, self._Q.rows)[0])
        E = project_out(self._columns.columns(j), self._Q.rows)
        return bool((loops.column_sq_norms(E) <= span_floor(self._columns) * self.g_start[j]).all())

    def numerators(self, j: Indices) -> Floats:
        W = self.basis.rows
        out = np.empty(len(j))
        for part in block_slices(len(j), len(self.g)):
            k = j[part]
            if self.H is None or self.V is None:
                R = self._gram_columns(k) - W.T @ W[:, k]
            else:
                R = self.H[:, k] - self.V.rows.T @ W[:, k]
            out[part] = loops.column_sq_norms(R)
        return out

    def rebase(self) -> None:
        if self._Q is not None:
            raise PrecisionLostError
        self.refresh(np.flatnonzero(self.alive))
        self.level = self.error()
        self.target_level = self.target_error()

    def withdraw_last(self) -> None:
        super().withdraw_last()
        if self.V is not None:
            self.V.pop()

    def embedding(self) -> Array:
        return self.basis.rows.astype(self.A.dtype, copy=False)

    def _coordinates(self) -> Array:
        return self.basis.rows[:, self.chosen]

    def _put_back(self, direction: Array) -> float:
        return self._update(direction, sign=-1, p=-1)
