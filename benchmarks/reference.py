"""What the library is measured against: plain NumPy and Python, and a brute force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def initial_scores(A: Array) -> Array:
    """Return ``f⁰_i = ‖AᵀA_i‖²``, with the whole of ``AᵀA`` held."""
    return np.square(A.T @ A).sum(axis=0)


def initial_scores_of(A: Array, columns: slice) -> Array:
    """Return f⁰ for some columns: for data of which ``AᵀA`` does not fit."""
    return np.square(A.T @ A[:, columns]).sum(axis=0)


def algorithm_4(A: Array, n_select: int, f: Array | None = None) -> list[int]:
    """Choose columns greedily by the recursion of the thesis (Algorithm 4, eq. 3.12).

    Three passes over A per choice, and two over the choices so far; no tricks.
    """
    f = initial_scores(A) if f is None else f.copy()
    g = np.square(A).sum(axis=0)
    W = np.zeros((n_select, A.shape[1]))
    chosen: list[int] = []
    free = np.ones(A.shape[1], dtype=bool)
    for t in range(n_select):
        score = np.full(A.shape[1], -np.inf)
        np.divide(f, g, out=score, where=free & (g > 0))
        p = int(np.argmax(score))
        delta = A.T @ A[:, p] - W[:t].T @ W[:t, p]
        omega = delta / np.sqrt(delta[p])
        y = A.T @ (A @ omega) - W[:t].T @ (W[:t] @ omega)
        f = f - 2.0 * omega * y + (omega @ omega) * omega * omega
        g = g - omega * omega
        W[t] = omega
        chosen.append(p)
        free[p] = False
    return chosen


def brute_force(A: Array, chosen: Sequence[int], dtype: Any) -> Iterator[tuple[Array, Array]]:
    """Before each of the choices, recompute the residual of A and all scores from scratch.

    Yields the scores ``‖EᵀE_i‖² / ‖E_i‖²`` and how far each can be trusted, relatively.
    """
    A = A.astype(dtype)
    norms = np.sqrt(np.square(A).sum(axis=0))
    for t in range(len(chosen)):
        Q = _orthonormal(A[:, list(chosen[:t])])
        E = A - Q @ (Q.T @ A)
        E = E - Q @ (Q.T @ E)
        yield _scores(E.T @ E, norms**2, list(chosen[:t]), rounding=1.0)


def brute_force_kernel(
    K: Array, chosen: Sequence[int], dtype: Any
) -> Iterator[tuple[Array, Array]]:
    """The same for a kernel: eliminate the choices so far from a fresh copy each time."""
    for t in range(len(chosen)):
        R = K.astype(dtype)
        for p in chosen[:t]:
            R = R - np.outer(R[:, p], R[p] / R[p, p])
        yield _scores(R, K.diagonal().astype(dtype), list(chosen[:t]), rounding=2.0)


def fsfs_pairs(A: Array, n_neighbors: int) -> list[int]:
    """FSFS with a loop over pairs of features; returns those that are left, sorted."""
    n = A.shape[1]
    Z = np.ascontiguousarray((A - A.mean(axis=0)).T)
    v = [float(z @ z) for z in Z]
    D = [[float("inf")] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            det = v[i] * v[j] - float(Z[i] @ Z[j]) ** 2
            total = v[i] + v[j]
            loss = 2 * det / (total + (total * total - 4 * det) ** 0.5) if total else 0.0
            D[i][j] = D[j][i] = max(loss, 0.0)
    left, k, limit = list(range(n)), n_neighbors, None
    while len(left) > 1:
        k = min(k, len(left) - 1)
        near = {i: sorted((D[i][j], j) for j in left if j != i) for i in left}
        while limit is not None and k and min(near[i][k - 1][0] for i in left) > limit:
            k -= 1
        if k == 0:
            break
        best = min(left, key=lambda i: near[i][k - 1][0])
        limit = near[best][k - 1][0] if limit is None else limit
        gone = {j for _, j in near[best][:k]}
        left = [i for i in left if i not in gone]
    return left


def _orthonormal(C: Array) -> Array:
    """Orthonormalize columns in order, each twice (Gram-Schmidt); any precision."""
    Q = np.zeros_like(C)
    for t in range(C.shape[1]):
        q = C[:, t]
        for _ in range(2):
            q = q - Q[:, :t] @ (Q[:, :t].T @ q)
        Q[:, t] = q / np.sqrt(q @ q)
    return Q


def _scores(G: Array, start: Array, chosen: list[int], rounding: float) -> tuple[Array, Array]:
    """Scores from the Gram matrix of residuals; ``start`` holds the squared norms at first.

    A residual errs by eps times the column it came from; inner products (``rounding=2``) do so
    when squared.
    """
    eps = float(np.finfo(G.dtype).eps)
    g = G.diagonal()
    free = g > 0
    free[chosen] = False
    score = np.full(len(g), -np.inf, dtype=G.dtype)
    np.divide(np.square(G).sum(axis=0), g, out=score, where=free)
    wear = np.ones(len(g), dtype=G.dtype)
    np.divide(start, g, out=wear, where=free)
    trust = 16 * eps * (wear.astype(float) ** (rounding / 2) + 1)
    overall = float(start.sum() / max(g.sum(), np.finfo(float).tiny)) ** (rounding / 2)
    return score.astype(float), trust + 16 * eps * overall


def sparsify_all(V: Array, n_picks: int) -> list[int]:
    """BSS (002, Algorithm 1) with both barriers evaluated for all vectors in every step.

    One eigendecomposition per step serves both; the largest new vector that fits is picked.
    """
    n, k = V.shape
    delta = (1 + np.sqrt(k / n_picks)) / (1 - np.sqrt(k / n_picks))
    S = np.zeros((k, k))
    norms = np.square(V).sum(axis=1)
    new = np.ones(n, dtype=bool)
    picks: list[int] = []
    for step in range(n_picks):
        values, basis = np.linalg.eigh(S)
        squares = np.square(V @ basis)
        low = step - np.sqrt(n_picks * k)
        top = delta * (step + np.sqrt(n_picks * k))
        below, above = 1 / (values - low - 1), 1 / (top + delta - values)
        rise = below.sum() - (1 / (values - low)).sum()
        fall = (1 / (top - values)).sum() - above.sum()
        lower = squares @ (np.square(below) / rise - below)
        upper = squares @ (np.square(above) / fall + above)
        fits = (lower > 0) & (upper <= lower)
        free = fits & new
        p = int(np.argmax(np.where(free if free.any() else fits, norms, -1.0)))
        S += 2.0 / (lower[p] + upper[p]) * np.outer(V[p], V[p])
        new[p] = False
        picks.append(p)
    return picks
