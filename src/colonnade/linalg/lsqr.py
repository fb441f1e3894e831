"""Damped least squares by products with the data alone: many targets and many λ at once.

LSQR (Paige & Saunders, "LSQR: an algorithm for sparse linear equations and sparse least
squares", ACM TOMS 8, 1982, §4 and §5) rests on Golub & Kahan's bidiagonalization of the data,
begun with the target. It does not know λ: for each λ a short recurrence on the two diagonals
gives the steps. Here it begins with all targets together, and numbers become small square
blocks (Golub, Luk & Overton, "A block Lanczos method for computing the singular values and
corresponding singular vectors of a matrix", ACM TOMS 7, 1981). All targets then draw on one
space, which grows by as many dimensions in a step as there are targets: counts of words with
twenty classes take a fifth to a tenth of the steps that each class would take alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..foundation.lapack import np_qr, np_svd, pinv
from ..foundation.typing import Floats, Mask

__all__ = ["Solutions", "lsqr", "warn_slow"]

EPS = float(np.finfo(np.float64).eps)
FLOOR = 1e-13
"""A direction that is a smaller share of the data than this is rounding, and left out."""
WIDEST = 32
"""So many targets at most go together: the work within a block grows with their square."""
ROOM = 2**26
"""How many numbers the directions of all λ may take."""

Product = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Solutions:
    """What minimizes ``‖AX − Y‖² + λ‖X‖²``, for each λ.

    Attributes
    ----------
    coef : ndarray of shape (n_alphas, d, k)
    converged : ndarray of bool of shape (n_alphas, k)
        Whether a test was met, for each λ and target.
    steps : int
        How often a block was multiplied by A and by its transpose.
    """

    coef: Floats
    converged: Mask
    steps: int


def lsqr(
    matmat: Product,
    rmatmat: Product,
    Y: Floats,
    alphas: Floats,
    *,
    size: float,
    tol: float,
    limit: int,
    width: int | None = None,
) -> Solutions:
    """Minimize ``‖AX − Y‖² + λ‖X‖²`` for all columns of Y and all λ.

    With Ā for A above √λ I, a column x is done when its residual r in that longer system is a
    rounding of the data, ``‖r‖ ≤ tol (‖y‖ + ‖Ā‖ ‖x‖)``, or orthogonal to it,
    ``‖Āᵀr‖ ≤ tol ‖Ā‖ ‖r‖``. The norm of Ā is estimated from below, by the columns of the
    bidiagonal matrix. A λ leaves when all columns are done. With λ = 0 the solution of minimum
    norm is found.

    Parameters
    ----------
    matmat, rmatmat : callable
        Return ``A @ V`` (n × k) and ``A.T @ U`` (d × k).
    Y : ndarray of shape (n, k)
    alphas : ndarray of shape (n_alphas,)
        λ ≥ 0.
    size : float
        The norm of A, or of what A was made of, to tell what is rounding.
    tol : float
    limit : int
        After so many steps what is not done stays as it is.
    width : int, optional
        The number of columns of A, if a product to find it out would take long.
    """
    norms = np.sqrt(np.einsum("ij,ij->j", Y, Y))
    units = Y * _inverse(norms)
    d = len(rmatmat(units[:, :1])) if width is None else width
    together = min(WIDEST, max(1, ROOM // (len(alphas) * d)))
    coef = np.empty((len(alphas), d, Y.shape[1]))
    converged = np.empty((len(alphas), Y.shape[1]), dtype=bool)
    steps = 0
    for start in range(0, Y.shape[1], together):
        part = slice(start, start + together)
        block = _Block(matmat, rmatmat, units[:, part], d, alphas, size)
        while len(block.live) and block.steps < limit:
            block.step(max(tol, EPS))
        coef[:, :, part] = block.X * norms[part]
        converged[:, part] = block.done
        steps += block.steps
    return Solutions(coef, converged, steps)


def warn_slow(found: Solutions, alphas: list[float], limit: int) -> None:
    """Warn if any λ needed more steps than there might be."""
    if not found.converged.all():
        slow = np.asarray(alphas)[~found.converged.all(axis=1)]
        warnings.warn(
            f"LSQR has not converged after {limit} steps for alpha={slow.max():g}; choose a "
            'larger alpha, or solver="direct"',
            ConvergenceWarning,
            stacklevel=3,
        )


class _Block:
    """Targets that go together, and the recurrences of the λ that are not done (``live``).

    The names of the recurrences are those of Paige & Saunders. Blocks shrink where directions
    run out: targets that depend on one another, or a space that is exhausted.
    """

    def __init__(
        self, matmat: Product, rmatmat: Product, Y: Floats, d: int, alphas: Floats, size: float
    ):
        self.matmat, self.rmatmat = matmat, rmatmat
        self.floor = FLOOR * size
        k, count = Y.shape[1], len(alphas)
        self.U, beta = _directions(Y, FLOOR)
        V, alpha = _directions(rmatmat(self.U), self.floor)
        self.V, self.alpha = V, alpha.T
        self.norms = np.linalg.norm(beta, axis=0)
        self.rhobar = np.repeat(self.alpha[None], count, axis=0)
        self.phibar = np.repeat(beta[None], count, axis=0)
        self.W = np.repeat(V[None], count, axis=0)
        self.X = np.zeros((count, d, k))
        self.damp = np.sqrt(alphas)
        self.damped = np.zeros((count, k))  # what √λ x adds to the residual
        self.done = np.full((count, k), V.shape[1] == 0)  # all orthogonal to the data
        self.live = np.flatnonzero(~self.done.all(axis=1))
        self.norm = 0.0
        self.steps = 0

    def step(self, tol: float) -> None:
        """Extend the bidiagonal matrix by a block, and take the step of each λ in it."""
        self.steps += 1
        alpha, width = self.alpha, self.V.shape[1]
        self.U, beta = _directions(self.matmat(self.V) - self.U @ alpha, self.floor)
        V, after = _directions(self.rmatmat(self.U) - self.V @ beta.T, self.floor)
        self.V, self.alpha = V, after.T
        self.norm = max(self.norm, float(np.linalg.norm(np.vstack([alpha, beta]), 2)))

        # a turn takes √λ out, a second one β
        damp = self.damp[self.live, None, None]
        turn, root = _turned(self.rhobar, damp * np.eye(width))
        phibar = turn[:, :, : self.rhobar.shape[1]] @ self.phibar
        psi, phibar = phibar[:, width:], phibar[:, :width]
        turn, rho = _turned(root, np.broadcast_to(beta, (len(root), *beta.shape)))
        theta, self.rhobar = np.split(turn[:, :, width:] @ self.alpha, [width], axis=1)
        phi, self.phibar = np.split(turn[:, :, :width] @ phibar, [width], axis=1)

        # for λ = 0 rounding may have made a direction in which there is no data
        factors = pinv(rho, rcond=FLOOR / 10) @ np.concatenate([phi, theta], axis=2)
        k = phi.shape[2]
        for i, level in enumerate(self.live):
            move = self.W[i] @ factors[i]
            self.X[level] += move[:, :k]
            np.subtract(V, move[:, k:], out=self.W[i, :, : V.shape[1]])
        self.W = self.W[:, :, : V.shape[1]]

        self.damped[self.live] = np.hypot(self.damped[self.live], np.linalg.norm(psi, axis=1))
        residual = np.hypot(self.damped[self.live], np.linalg.norm(self.phibar, axis=1))
        gradient = np.linalg.norm(self.rhobar.transpose(0, 2, 1) @ self.phibar, axis=1)
        norm = np.hypot(self.norm, damp[:, :, 0])
        fits = residual <= tol * (self.norms + norm * np.linalg.norm(self.X[self.live], axis=1))
        self.done[self.live] |= fits | (gradient <= tol * norm * residual)
        keep = ~self.done[self.live].all(axis=1)
        if not keep.all():
            self.live, self.W = self.live[keep], self.W[keep]
            self.rhobar, self.phibar = self.rhobar[keep], self.phibar[keep]


def _inverse(norms: Floats) -> Floats:
    return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)


def _directions(M: Floats, floor: float) -> tuple[Floats, Floats]:
    """Return ``M = QR`` with orthonormal columns in Q, without directions up to the floor."""
    Q, R = np_qr(M)
    P, values, Vt = np_svd(R, full_matrices=False)
    keep = values > floor
    if keep.all():
        return Q, R
    return Q @ P[:, keep], values[keep, None] * Vt[keep]


def _turned(above: Floats, below: Floats) -> tuple[Floats, Floats]:
    """Return the turns that make two blocks on top of each other a triangle, and that."""
    Q, R = np_qr(np.concatenate([above, below], axis=1), mode="complete")
    return Q.transpose(0, 2, 1), R[:, : above.shape[2]]
