"""Random columns: the probabilities from their definitions, the same random numbers."""

from __future__ import annotations

import numpy as np

from .pivoted import pivoted_qr
from .textbook import NEAR, best_loss, error, first_max, outside, residual


def draws(p, r, seed):
    """r independent draws; every column once, with √(count/(r p_i)) (Boutsidis & Magdon-Ismail)."""
    rng = np.random.RandomState(seed)
    edges = np.cumsum(p)
    numbers = rng.uniform(0.0, edges[-1], r)
    drawn = [int(np.sum(edges <= u)) for u in numbers]
    order = list(dict.fromkeys(drawn))
    return order, [np.sqrt(drawn.count(i) / (r * p[i])) for i in order]


def scores(A, k):
    """‖(V_k)_i‖²/k, without the directions that are rounding."""
    _, s, Vt = np.linalg.svd(A, full_matrices=False)
    Vt = Vt[: max(1, min(k, int(np.sum(s > s[0] * max(A.shape) * np.finfo(float).eps))))]
    return (Vt**2).sum(axis=0) / len(Vt)


def rank_for(A, n_select):
    return max(1, n_select // 2)


def leverage(A, n_select, seed):
    return draws(scores(A, rank_for(A, n_select)), n_select, seed)


def leverage_top(A, n_select, seed):
    p = scores(A, rank_for(A, n_select))
    p = np.round(p / p.max(), 10)  # equal columns are a tie
    return sorted(range(len(p)), key=lambda i: (-p[i], i))[:n_select]


def norm_sampling(A, n_select, seed):
    squares = (A**2).sum(axis=0)
    return draws(squares / squares.sum(), n_select, seed)


def adaptive_sampling(A, n_select, seed, n_rounds=10):
    rng = np.random.RandomState(seed)
    sizes = [len(part) for part in np.array_split(np.arange(n_select), min(n_rounds, n_select))]
    chosen = []
    while len(chosen) < n_select:
        E = residual(A, chosen)
        mass = np.where(outside(E, A, chosen), (E**2).sum(axis=0), 0.0)
        batch = []
        for _ in range(sizes.pop(0) if len(sizes) > 1 else sizes[0]):
            if mass.any():
                u = rng.uniform(0.0, np.cumsum(mass)[-1])
                batch.append(int(np.searchsorted(np.cumsum(mass), u, side="right")))
                mass[batch[-1]] = 0.0
        if not batch:
            break
        for p in batch:
            now = residual(A, chosen)
            new = (now[:, p] ** 2).sum() > 1e-11 * (E[:, p] ** 2).sum()
            if len(chosen) < n_select and new and outside(now, A, chosen)[p]:
                chosen.append(p)
    return chosen


def uniform(A, n_select, random_state):
    rng = np.random.RandomState(random_state)
    chosen = []
    while len(chosen) < n_select:
        left = [i for i in range(A.shape[1]) if i not in chosen]
        chosen.append(int(rng.choice(left)))
    return chosen


def hybrid_css(A, n_select, seed, n_repeats=40):
    """Thesis §3.5: l log l draws by leverage, pivoted QR on what was drawn, best of some."""
    rng = np.random.RandomState(seed)
    _, s, Vt = np.linalg.svd(A, full_matrices=False)
    V = Vt[:n_select][s[:n_select] > s[0] * max(A.shape) * np.finfo(float).eps].T
    p = (V**2).sum(axis=1) / V.shape[1]
    count = max(2, n_select)
    c = max(n_select, int(np.ceil(count * np.log(count))))
    found = []
    for _ in range(n_repeats):
        mass = np.cumsum(p)
        drawn = np.searchsorted(mass, rng.uniform(0.0, mass[-1], c), side="right")
        drawn = np.unique(drawn)
        sample = (V[drawn] / np.sqrt(c * p[drawn])[:, None]).T
        chosen = drawn[pivoted_qr(sample, V.shape[1])].tolist()
        while len(chosen) < n_select:
            E = residual(A, chosen)
            ok = outside(E, A, chosen)
            if not ok.any():
                break
            chosen.append(first_max(np.where(ok, (E**2).sum(axis=0), -np.inf)))
        left = error(A, chosen)
        if not found or left < found[-1][0] * (1 - 1e-6) - 1e-26 * (A**2).sum():
            found.append((left, chosen))
    chosen = sorted(found[-1][1])
    return [chosen[p] for p in pivoted_qr(A[:, chosen], len(chosen))]


ORACLES = {
    "leverage": leverage,
    "approximate-leverage": leverage,
    "leverage-top": leverage_top,
    "norm-sampling": norm_sampling,
    "adaptive-sampling": adaptive_sampling,
    "uniform": uniform,
    "hybrid-css": hybrid_css,
}

_TIES = "equal singular values: leading singular vectors are not determined"
UNFIT = {
    (name, "orthogonal"): _TIES
    for name in ("leverage", "approximate-leverage", "leverage-top", "hybrid-css")
}
UNFIT |= {(name, "near duplicates"): NEAR for name in ("leverage-top", "hybrid-css")}

EXPECTED_LOSS = {
    # Frieze, Kannan & Vempala, for the rank that makes it least
    "norm-sampling": lambda A, r: min(best_loss(A, k) + k / r for k in range(r + 1)),
}
