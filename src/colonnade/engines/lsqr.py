"""Damped least squares by products with the data alone: many targets, many λ, one iteration.

Golub & Kahan's bidiagonalization of the data, begun with a target, does not know λ. For each λ a
short recurrence on its two diagonals gives the step that LSQR takes (Paige & Saunders, "LSQR: an
algorithm for sparse linear equations and sparse least squares", ACM TOMS 8, 1982, §4 and §5).
All targets go into one product, whose cost grows far more slowly than their number, and a λ
costs a few vectors and no product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._typing import Array, Floats, Mask

__all__ = ["Solutions", "lsqr"]

EPS = float(np.finfo(np.float64).eps)
STRIP = 2**15
"""How many numbers of a vector update are worked on at a time, so that they stay in cache."""


@dataclass(frozen=True)
class Solutions:
    """What minimizes ``‖AX − Y‖² + λ‖X‖²``, for each λ.

    Attributes
    ----------
    coef : ndarray of shape (n_alphas, d, k)
    converged : ndarray of bool of shape (n_alphas, k)
        Whether the tests were met, for each λ and target.
    steps : int
        How many products with A and with its transpose were made.
    """

    coef: Floats
    converged: Mask
    steps: int


def lsqr(
    matmat: Callable[[Floats], Floats],
    rmatmat: Callable[[Floats], Floats],
    Y: Floats,
    alphas: Floats,
    *,
    tol: float,
    limit: int,
) -> Solutions:
    """Minimize ``‖AX − Y‖² + λ‖X‖²`` for all columns of Y and all λ.

    A column of X is done for a λ when its residual r of the longer system ``[A; √λ I]`` (here Ā)
    is a rounding of the data, ``‖r‖ ≤ tol (‖y‖ + ‖Ā‖ ‖x‖)``, or is orthogonal to it,
    ``‖Āᵀr‖ ≤ tol ‖Ā‖ ‖r‖``. The norm of Ā is that of the longest column of the bidiagonal
    matrix, which never exceeds the spectral norm. With λ = 0 the solution of minimum norm is found.

    Parameters
    ----------
    matmat, rmatmat : callable
        Return ``A @ V`` (n × k) and ``A.T @ U`` (d × k).
    Y : ndarray of shape (n, k)
    alphas : ndarray of shape (n_alphas,)
        λ ≥ 0.
    tol : float
    limit : int
        After so many steps what is not done stays as it is.
    """
    U, beta = _normalized(np.array(Y, dtype=np.float64))
    V, alpha = _normalized(np.array(rmatmat(U), dtype=np.float64))
    coef = np.zeros((len(alphas), *V.shape))
    converged = np.ones((len(alphas), V.shape[1]), dtype=bool)
    live = np.flatnonzero(alpha > 0)  # the others are orthogonal to the data, or nought
    converged[:, live] = False
    pairs = _Pairs(alphas, alpha[live], beta[live])
    U, V, alpha, norms = U[:, live], V[:, live], alpha[live], beta[live]
    X = np.zeros((len(V), pairs.count))
    W = V[:, pairs.target]
    steps = 0
    while steps < limit and pairs.count:
        steps += 1
        U *= -alpha
        U += matmat(V)
        U, beta = _normalized(U)
        V *= -beta
        V += rmatmat(U)
        before, (V, alpha) = alpha, _normalized(V)
        along, back = pairs.step(before, beta, alpha)
        _advance(X, W, V, pairs.target, along, back)
        pairs.judge(norms, tol)
        if pairs.done.all() or 8 * pairs.done.sum() > pairs.count or steps == limit:
            coef[pairs.level, :, live[pairs.target]] = X.T
            converged[pairs.level, live[pairs.target]] = pairs.done
            X, W = X[:, ~pairs.done], W[:, ~pairs.done]
            kept = pairs.drop()
            U, V, alpha, norms, live = U[:, kept], V[:, kept], alpha[kept], norms[kept], live[kept]
    return Solutions(coef, converged, steps)


class _Pairs:
    """The recurrences of all pairs of a λ and a target that are not done, side by side.

    ``level`` and ``target`` say which λ and which live target a pair is of.
    """

    def __init__(self, alphas: Floats, alpha: Floats, beta: Floats):
        self.level = np.repeat(np.arange(len(alphas)), len(alpha))
        self.target = np.tile(np.arange(len(alpha)), len(alphas))
        self.damp = np.sqrt(alphas)[self.level]
        self.rhobar, self.phibar = alpha[self.target], beta[self.target]
        self.damped = np.zeros(self.count)  # what √λ x adds to the residual
        self.size = np.zeros(self.count)  # of the data, as far as it is known
        # the turns that make the triangle a lower one, for the length of x
        self.cs, self.sn, self.z, self.length = -np.ones(self.count), *np.zeros((3, self.count))
        self.residual, self.gradient, self.norm = np.zeros((3, self.count))
        self.done = np.zeros(self.count, dtype=bool)

    @property
    def count(self) -> int:
        return len(self.target)

    def step(self, before: Floats, beta: Floats, alpha: Floats) -> tuple[Floats, Floats]:
        """Take in a column of the bidiagonal matrix; return the two factors of the updates."""
        j = self.target
        alpha_next, beta_j = alpha[j], beta[j]
        # a turn takes √λ out, a second one β
        root = np.hypot(self.rhobar, self.damp)
        psi = _share(self.damp, root) * self.phibar
        phibar = _share(self.rhobar, root) * self.phibar
        rho = np.hypot(root, beta_j)
        c, s = _share(root, rho), _share(beta_j, rho)
        theta, self.rhobar = s * alpha_next, -c * alpha_next
        phi, self.phibar = c * phibar, s * phibar
        self.damped = np.hypot(self.damped, psi)
        self.residual = np.hypot(self.phibar, self.damped)
        self.gradient = alpha_next * np.abs(s * phi)
        self.size = np.maximum(self.size, np.hypot(np.hypot(before[j], beta_j), self.damp))
        # the length of x
        rhs, gamma_bar = phi - self.sn * rho * self.z, -self.cs * rho
        self.norm = np.hypot(self.length, _share(rhs, gamma_bar))
        gamma = np.hypot(gamma_bar, theta)
        self.cs, self.sn, self.z = (_share(v, gamma) for v in (gamma_bar, theta, rhs))
        self.length = np.hypot(self.length, self.z)
        along = np.where(self.done, 0.0, _share(phi, rho))
        return along, -_share(theta, rho)

    def judge(self, norms: Floats, tol: float) -> None:
        """Note which pairs are done; what is done stays done."""
        tol = max(tol, EPS)
        fits = self.residual <= tol * (norms[self.target] + self.size * self.norm)
        flat = self.gradient <= tol * self.size * self.residual
        self.done |= fits | flat

    def drop(self) -> Array:
        """Forget what is done, and return the live targets that are left."""
        keep = ~self.done
        for name, value in vars(self).items():
            setattr(self, name, value[keep])
        kept, self.target = np.unique(self.target, return_inverse=True)
        return kept


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)


def _normalized(M: Floats) -> tuple[Floats, Floats]:
    """Return the columns at unit length, in place, and their lengths; zeros stay."""
    norms = np.sqrt(np.einsum("ij,ij->j", M, M))
    M *= _share(np.ones_like(norms), norms)
    return M, norms


def _advance(X: Floats, W: Floats, V: Floats, target: Array, along: Floats, back: Floats) -> None:
    """Update ``X += W·along`` and ``W = V[:, target] + W·back``, in place."""
    rows = max(1, STRIP // max(1, len(target)))
    for start in range(0, len(W), rows):
        part = slice(start, start + rows)
        w = W[part]
        X[part] += w * along
        w *= back
        w += V[part][:, target]
