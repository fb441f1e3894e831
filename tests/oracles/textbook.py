"""What several references share: residuals and errors from their definitions."""

from __future__ import annotations

import numpy as np
from numpy.linalg import norm

NEAR = "scores of columns that differ by 1e-9 are equal or not by how near a tie is"
"""Why a method cannot be compared on near duplicates."""


def residual(A, chosen, times=2):
    """Return A minus its projection on the chosen columns, recomputed from scratch."""
    A = np.asarray(A)
    if not len(chosen):
        return A.copy()
    Q = np.zeros((A.shape[0], 0), A.dtype)
    for p in chosen:
        e = A[:, p]
        for _ in range(times):
            e = e - Q @ (Q.T @ e)
        length = norm(e)
        if length > 64 * np.finfo(A.dtype).eps * norm(A[:, p]):
            Q = np.column_stack([Q, e / length])
    E = A.copy()
    for _ in range(times):
        E = E - Q @ (Q.T @ E)
    return E


def error(A, chosen):
    return float((residual(A, chosen).astype(float) ** 2).sum())


def error_path(A, chosen):
    return np.array([error(A, chosen[: t + 1]) for t in range(len(chosen))])


def first_max(score, tie=1e-11):
    """argmax with ties, up to rounding, going to the lowest index."""
    best = score.max()
    return int(np.argmax(score >= best - tie * abs(best)))


def outside(E, A, chosen):
    """Which columns still have a residual above rounding, and are not chosen."""
    eps = np.finfo(A.dtype).eps
    inside = norm(E, axis=0) <= 16 * eps * np.sqrt(len(A)) * norm(A, axis=0)
    inside[list(chosen)] = True
    return ~inside


def best_loss(A, k):
    """The share of ‖A‖² that the best approximation of rank k loses."""
    squares = np.linalg.svd(A, compute_uv=False) ** 2
    return squares[k:].sum() / squares.sum()


def target_for(A):
    """A fixed target for supervised methods, outside the span of the columns where it can be."""
    rng = np.random.RandomState(7)
    return A @ rng.standard_normal((A.shape[1], 2)) + 0.1 * rng.standard_normal((A.shape[0], 2))
