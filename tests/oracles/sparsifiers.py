"""Sparsification by evaluating both barriers for every column from eigendecompositions."""

from __future__ import annotations

import numpy as np

from .textbook import NEAR


def lower(V, S, L):
    values, basis = np.linalg.eigh(S)
    squares = (V @ basis) ** 2
    up = L + 1.0
    rise = (1 / (values - up)).sum() - (1 / (values - L)).sum()
    return squares @ (values - up) ** -2.0 / rise - squares @ (1 / (values - up))


def upper_spectral(Q, S, U, delta):
    values, basis = np.linalg.eigh(S)
    squares = (Q @ basis) ** 2
    up = U + delta
    fall = (1 / (U - values)).sum() - (1 / (up - values)).sum()
    return squares @ (up - values) ** -2.0 / fall + squares @ (1 / (up - values))


def upper_identity(diagonal, U, delta):
    """The same for Q = I, where the eigenvalues are the entries and the vectors unit vectors."""
    up = U + delta
    fall = (1 / (U - diagonal)).sum() - (1 / (up - diagonal)).sum()
    return (up - diagonal) ** -2.0 / fall + 1 / (up - diagonal)


def sparsify(V, r, Q=None, B=None):
    """Boutsidis & Magdon-Ismail, Algorithms 1 (with B) and 2 (with Q), errata applied.

    Repeats only if nothing else will do.
    """
    n, k = V.shape
    S, T = np.zeros((k, k)), None if Q is None else np.zeros((Q.shape[1],) * 2)
    norms = (V**2).sum(axis=1)
    norms = norms / norms.max()
    solid = norms > (n * np.finfo(float).eps) ** 2
    norms = np.round(norms, 10)  # so that equal columns are a tie, which the first wins
    picks, factors = [], []
    for tau in range(r):
        low = lower(V, S, tau - np.sqrt(r * k))
        if Q is None:
            total = (B**2).sum()
            high = np.zeros(n)
            if total > 0:
                high = (B**2).sum(axis=0) * (1 - np.sqrt(k / r)) / total
        else:
            side = Q.shape[1]
            delta = (1 + np.sqrt(side / r)) / (1 - np.sqrt(k / r))
            level = delta * (tau + np.sqrt(side * r))
            identity = side == n and (np.eye(n) == Q).all()
            high = (
                upper_identity(np.diag(T), level, delta)
                if identity
                else upper_spectral(Q, T, level, delta)
            )
        fits = solid & (low > 0) & (high <= low * (1 + 1e-10))
        new = fits & ~np.isin(np.arange(n), picks)
        among = np.flatnonzero(new if new.any() else fits)
        i = int(among[np.argmax(norms[among])])
        t = 2.0 / (low[i] + high[i])
        S += t * np.outer(V[i], V[i])
        if Q is not None:
            T += t * np.outer(Q[i], Q[i])
        picks.append(i)
        factors.append(np.sqrt(t * (1 - np.sqrt(k / r)) / r))
    return picks, factors


def merged(picks, factors):
    order = list(dict.fromkeys(picks))
    weights = [
        np.sqrt(sum(f * f for p, f in zip(picks, factors, strict=True) if p == i)) for i in order
    ]
    return order, weights


def leading(A, k):
    _, s, Vt = np.linalg.svd(A, full_matrices=False)
    return Vt[:k][s[:k] > s[0] * max(A.shape) * np.finfo(float).eps].T


def rank_for(A, n_select):
    return max(1, min(n_select // 2, min(A.shape) // 2))


def bss(A, n_select, seed):
    V = leading(A, rank_for(A, n_select))
    return merged(*sparsify(V, n_select, Q=V))


def dual_set(A, n_select, seed):
    V = leading(A, rank_for(A, n_select))
    return merged(*sparsify(V, n_select, Q=np.eye(len(V))))


def labels_for(A, n_select):
    return np.arange(len(A)) % min(rank_for(A, n_select), len(A))


def supervised_dual_set(A, n_select, seed):
    y = labels_for(A, n_select)
    V = leading(A, len(np.unique(y)))
    means = np.array([A[y == c].mean(axis=0) for c in y])
    return merged(*sparsify(V, n_select, B=np.vstack([A - A @ V @ V.T, A - means])))


def randomized_dual_set(A, n_select, seed):
    rng = np.random.RandomState(seed)
    k = rank_for(A, n_select)
    Z = leading(A, k)
    c = max(n_select, int(np.ceil(16 * k * np.log(20 * k))))
    p = (Z**2).sum(axis=1) / (Z**2).sum()
    drawn = np.searchsorted(np.cumsum(p), rng.uniform(0.0, np.cumsum(p)[-1], c), side="right")
    # a column that came t times stands for t: its outer product t times as heavy
    columns = list(dict.fromkeys(drawn.tolist()))
    scale = np.array([np.sqrt(np.sum(drawn == i) / (c * p[i])) for i in columns])
    if len(columns) <= n_select:
        return columns, scale.tolist()
    V = leading((Z[columns] * scale[:, None]).T, k)
    picks, factors = sparsify(V, n_select, Q=np.eye(len(columns)))
    return merged([columns[p] for p in picks], (scale[picks] * np.array(factors)).tolist())


ORACLES = {
    "bss": bss,
    "dual-set": dual_set,
    "randomized-dual-set": randomized_dual_set,
    "supervised-dual-set": supervised_dual_set,
}

PARAMS = {
    "bss": lambda A, n: {"rank": rank_for(A, n)},
    "dual-set": lambda A, n: {"n_clusters": rank_for(A, n)},
    "randomized-dual-set": lambda A, n: {"n_clusters": rank_for(A, n)},
    "supervised-dual-set": lambda A, n: {"labels": labels_for(A, n)},
}

_TIES = "equal singular values: leading singular vectors are not determined"
_SMALL = "too few columns or rows for more picks than directions"

UNFIT = {(name, "orthogonal"): _TIES for name in ORACLES}
UNFIT |= {
    (name, "columns of all sizes"): "rows of V that are rounding decide the last picks"
    for name in ("bss", "supervised-dual-set")
}
UNFIT |= {(name, "near duplicates"): NEAR for name in ORACLES}
UNFIT |= {(name, matrix): _SMALL for name in ORACLES for matrix in ("one column", "one row")}
