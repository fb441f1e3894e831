"""L1-regularized regression of a few vectors on all columns: the homotopy of least angles.

The columns chosen so far have orthonormal directions q_1, …, q_t, and the inner products
``ω_s = Aᵀq_s`` of all columns with them are kept. The direction in which all of the chosen
columns lose correlation at the same rate is ``Σ z_s q_s``; a new column appends one z and leaves
the others, so a step costs one new ω. When a column whose coefficient returns to zero is given
up, the directions are turned such that one of them is what it added. The columns are centred,
which is an intercept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtrs

from ...foundation.lapack import np_qr
from ...foundation.threads import in_parallel, one_blas_thread
from ...foundation.typing import Array, Floats
from ...linalg.projecting import project_out
from ...linalg.ties import TIE
from ...operands.adjusted import centered
from ...operands.interface import Columns
from ...operands.loops import first_to_join
from .lasso_path import lasso_path

__all__ = ["sparse_regression"]

GRAM_BYTES = 512 * 2**20
"""How much the inner products of all centred columns may take."""
GRAM_READS = 5
"""About how often each is read or written until they are centred and in order."""
DEPENDENT = 1e-10
"""Share of its square that must be left of a column, else the chosen ones stand for it."""
MOST_STEPS = 8
"""How many steps per coefficient at most: each drop costs two."""


def sparse_regression(A: Columns, Y: Array, n_nonzero: int) -> Floats:
    """Return L1-regularized coefficients for every column of Y, of given number.

    Parameters
    ----------
    A : Columns
        The regressors.
    Y : ndarray of shape (m, k)
        The responses.
    n_nonzero : int
        The penalty is lowered until so many coefficients of a response are other than zero,
        and one more would be. There may be fewer if the other columns depend on those.

    Returns
    -------
    ndarray of shape (n, k)

    Notes
    -----
    ``sklearn.linear_model.lars_path(method="lasso")`` follows the same path, but takes no sparse
    data and, since its thresholds are absolute, not data of any scale. Its ``method="lar"``
    leaves the path of least angles after the first change of a sign.
    """
    m, n = A.shape
    Z = centered(A)
    squares = Z.sq_norms()
    varies = squares > 1e-24 * A.sq_norms()
    n_nonzero = min(n_nonzero, m - 1, n)
    held = by_inner_products(Z, n_nonzero * Y.shape[1])
    G = np.ascontiguousarray(Z.gram()) if held else None
    Y = Y - Y.mean(axis=0)
    correlations = Z.rmatmat(Y)
    out = np.zeros((n, Y.shape[1]))
    # what must be left of a column that may join: infinite for those that may not
    floors = np.where(varies, DEPENDENT * squares, np.inf)

    def follow(k: int) -> tuple[Any, Array]:
        c = correlations[:, k].copy()
        if G is not None:
            return lasso_path(G, c, squares, floors, n_nonzero, TIE, MOST_STEPS)
        with np.errstate(divide="ignore", invalid="ignore"):
            return _Path(_Directions(Z, n_nonzero), c, squares, floors, n_nonzero).follow()

    ks = range(Y.shape[1])
    with one_blas_thread():  # thousands of small products
        paths = [follow(k) for k in ks] if G is None else in_parallel(follow, ks)
    for k, (chosen, values) in enumerate(paths):
        out[chosen, k] = values
    return out


def by_inner_products(Z: Columns, n_steps: int) -> bool:
    """Return whether all inner products fit, and cost less than so many passes over the data.

    A multiplication counts as a fourth of a byte that is read, as in ``pivoting/loop.py``, and
    inner products are read or written a few times before they serve.
    """
    size = 8 * Z.shape[1] ** 2
    cost = Z.square_flops[0] / 4 + GRAM_READS * size
    return size <= GRAM_BYTES and cost <= n_steps * Z.product_bytes


class _Directions:
    """Directions by the columns themselves: a pass over the data for each."""

    def __init__(self, Z: Columns, size: int):
        self.Z = Z
        self.W = np.empty((size, Z.shape[1]))
        self.Q = np.empty((size, Z.shape[0]))
        self.directions = [self.W, self.Q]

    def add(self, t: int, p: int, square: float) -> tuple[Array, float]:
        """Return ω of the direction that column p adds to t others, and the length it has."""
        q = project_out(self.Z.columns(np.array([p]))[:, 0], self.Q[:t])
        rho = float(np.linalg.norm(q))
        self.Q[t] = q / rho
        self.W[t] = self.Z.rmatmat(self.Q[t])
        return self.W[t], rho


class _Path:
    """The coefficients of one response while the penalty falls."""

    def __init__(self, basis: _Directions, c: Array, squares: Array, floors: Array, size: int):
        self.basis, self.size = basis, size
        self.floors = floors
        self.floor = floors.copy()
        self.c = c  # correlations with what is left of the response
        self.g = squares.copy()  # what is left of the columns
        self.a = np.zeros(len(c))  # how fast the correlations fall
        self.L = np.zeros((size, size), order="F")
        self.z, self.signs, self.coefficients = np.zeros(size), np.zeros(size), np.zeros(size)
        self.chosen: list[int] = []

    def follow(self) -> tuple[list[int], Array]:
        """Return the columns with coefficients other than zero, and these."""
        sizes = np.where(np.isfinite(self.floors), np.abs(self.c), 0.0)
        top = first = float(sizes.max())
        p: int | None = int(np.argmax(sizes >= top * (1 - TIE)))
        for _ in range(MOST_STEPS * self.size):
            if top <= 1e-12 * first:
                break
            if p is not None:
                self._add(p, float(np.sign(self.c[p])))
            t = len(self.chosen)
            w = dtrtrs(self.L[:t, :t], self.z[:t], lower=1, trans=1)[0]
            step, joins = first_to_join(self.c, self.a, self.g, self.floor, top, TIE * top)
            crossing = self.coefficients[:t] / -w
            crossing[~(crossing > 0)] = np.inf
            s = int(crossing.argmin())
            drops = bool(crossing[s] < step)
            if drops:
                step = float(crossing[s])
            self.coefficients[:t] += step * w
            if (t == self.size and not drops) or step >= top * (1 - 1e-12):
                break
            self.c -= step * self.a
            p = None if drops else joins
            top -= step
            if drops:
                self._drop(s)
        return self.chosen, self.coefficients[: len(self.chosen)]

    def _add(self, p: int, sign: float) -> None:
        t = len(self.chosen)
        self.L[t, :t] = self.basis.W[:t, p]
        omega, self.L[t, t] = self.basis.add(t, p, float(self.g[p]))
        self.signs[t] = sign
        self.z[t] = (sign - self.L[t, :t] @ self.z[:t]) / self.L[t, t]
        self.a += self.z[t] * omega
        self.g -= omega * omega
        self.floor[p] = np.inf
        self.chosen.append(p)

    def _drop(self, s: int) -> None:
        """Give up the s-th of the chosen columns: turn the directions from there on."""
        t = len(self.chosen)
        turn, R = np_qr(self.L[s + 1 : t, s:t].T, mode="complete")
        self.L[s : t - 1, :s] = self.L[s + 1 : t, :s]
        self.L[s : t - 1, s : t - 1] = R[:-1].T
        for kept in self.basis.directions:
            kept[s:t] = turn.T @ kept[s:t]
        W = self.basis.W
        self.g += W[t - 1] * W[t - 1]  # the last one is that of the column given up
        p = self.chosen.pop(s)
        self.floor[p] = self.floors[p]
        self.signs[s:-1] = self.signs[s + 1 :].copy()
        self.coefficients[s:-1] = self.coefficients[s + 1 :].copy()
        self.coefficients[t - 1 :] = 0.0
        t -= 1
        self.z[:t] = dtrtrs(self.L[:t, :t], self.signs[:t], lower=1)[0]
        self.a = self.z[:t] @ W[:t]
