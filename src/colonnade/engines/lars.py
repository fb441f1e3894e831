"""Least angle regression of a few vectors on all columns, by partial Cholesky factorization.

The columns chosen so far have orthonormal directions q_1, …, q_t, and the inner products
``ω_s = Aᵀq_s`` of all columns with them are kept. The direction in which all of the chosen
columns lose correlation at the same rate is ``Σ z_s q_s``, and a new column appends one z and
leaves the others; so a step costs one new ω. The columns are centred, which is an intercept.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from .._typing import Array, Floats
from ..blocks import cut
from ..kernels import column_sq_norms
from ..operand import Operand

__all__ = ["least_angle"]

GRAM_BYTES = 512 * 2**20
"""How much the inner products of all centred columns may take."""
DEPENDENT = 1e-10
"""Share of its square that must be left of a column, else the chosen ones stand for it."""
TIE = 4e-10


def least_angle(A: Operand, Y: Array, n_steps: int) -> Floats:
    """Return coefficients of n_steps steps of least angle regression for every column of Y.

    Parameters
    ----------
    A : Operand
        The regressors.
    Y : ndarray of shape (m, k)
        The responses.
    n_steps : int
        How many coefficients of each may be other than zero. It may end with fewer if the
        other columns depend on those.

    Returns
    -------
    ndarray of shape (n, k)

    Notes
    -----
    The same as ``sklearn.linear_model.Lars(n_nonzero_coefs=n_steps)``, which takes neither
    sparse data nor, since its thresholds are absolute, data of any scale.
    """
    m, n = A.shape
    means, squares, sizes = np.empty(n), np.empty(n), A.sq_norms()
    for block in cut(n, m):
        F = A.columns(block)
        means[block] = F.mean(axis=0)
        squares[block] = column_sq_norms(F - means[block])
    varies = squares > 1e-24 * sizes
    n_steps = min(n_steps, m - 1, n)
    held = n <= 2 * n_steps * Y.shape[1] and 8 * n * n <= GRAM_BYTES
    G = _gram(A, means) if held else None
    correlations = A.rmatmat(Y - Y.mean(axis=0))
    out = np.zeros((n, Y.shape[1]))
    for k in range(Y.shape[1]):
        basis = _HeldGram(G, n_steps) if G is not None else _Columns(A, means, n_steps)
        chosen, values = _path(basis, correlations[:, k], squares, varies, n_steps)
        out[chosen, k] = values
    return out


def _gram(A: Operand, means: Array) -> Array:
    m, n = A.shape
    G = np.empty((n, n), order="F")
    for block in cut(n, m):
        # products with centred columns are those of centred columns
        G[:, block] = A.rmatmat(A.columns(block) - means[block])
    return G


class _HeldGram:
    """Directions by the inner products of all columns."""

    def __init__(self, G: Array, n_steps: int):
        self.G = G
        self.W = np.empty((n_steps, len(G)))
        self.count = 0

    def add(self, p: int, square: float) -> tuple[Array, float]:
        """Return ω of the direction that column p adds, and the length it has left."""
        seen = self.W[: self.count]
        rho = float(np.sqrt(square))
        omega = self.G[:, p] - seen[:, p] @ seen
        omega /= rho
        self.W[self.count] = omega
        self.count += 1
        return omega, rho


class _Columns:
    """Directions by the columns themselves: a pass over the data for each."""

    def __init__(self, A: Operand, means: Array, n_steps: int):
        self.A, self.means = A, means
        self.W = np.empty((n_steps, A.shape[1]))
        self.Q = np.empty((n_steps, A.shape[0]))
        self.count = 0

    def add(self, p: int, square: float) -> tuple[Array, float]:
        """Return ω of the direction that column p adds, and the length it has left."""
        q = self.A.columns(np.array([p]))[:, 0] - self.means[p]
        seen = self.Q[: self.count]
        for _ in range(2):  # once leaves rounding in the span of the others
            q = q - (seen @ q) @ seen
        rho = float(np.linalg.norm(q))
        q /= rho
        omega = self.A.rmatmat(q)
        self.Q[self.count], self.W[self.count] = q, omega
        self.count += 1
        return omega, rho


def _path(
    basis: _HeldGram | _Columns, c: Array, squares: Array, varies: Array, n_steps: int
) -> tuple[list[int], Array]:
    """Return the columns in the order in which they joined, and their coefficients."""
    c, g, live = c.copy(), squares.copy(), varies.copy()
    a = np.zeros(len(c))
    L = np.zeros((n_steps, n_steps))
    z, steps = np.zeros(n_steps), np.zeros(n_steps)
    chosen: list[int] = []
    size = np.where(live, np.abs(c), 0.0)
    top = first = float(size.max())
    p = int(np.argmax(size >= top * (1 - TIE)))
    while top > 1e-12 * first:
        t = len(chosen)
        chosen.append(p)
        L[t, :t] = basis.W[:t, p]
        omega, L[t, t] = basis.add(p, float(g[p]))
        z[t] = (np.sign(c[p]) - L[t, :t] @ z[:t]) / L[t, t]
        a += z[t] * omega
        g -= omega * omega
        live &= g > DEPENDENT * squares
        live[p] = False
        # how far until a column is as correlated as the chosen ones, on either side
        with np.errstate(divide="ignore", invalid="ignore"):
            up = np.where(a < 1 - 1e-12, np.maximum(top - c, 0.0) / (1 - a), np.inf)
            down = np.where(a > -1 + 1e-12, np.maximum(top + c, 0.0) / (1 + a), np.inf)
        until = np.where(live, np.minimum(up, down), np.inf)
        step = min(float(until.min()), top)
        steps[t] = step
        if len(chosen) == n_steps or step >= top * (1 - 1e-12):
            break
        p = int(np.argmax(until <= step + TIE * top))
        c -= step * a
        top -= step
    t = len(chosen)
    reached = z[:t] * np.cumsum(steps[:t][::-1])[::-1]
    return chosen, solve_triangular(L[:t, :t], reached, lower=True, trans="T")
