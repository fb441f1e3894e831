"""The best column one after another: residuals are computed from scratch each time."""

from __future__ import annotations

import numpy as np

from .textbook import NEAR, error, first_max, outside, residual, target_for


def greedy(A, n_select, B=None, candidates=None, tie=1e-11):
    """argmax ‖FᵀE_i‖²/‖E_i‖² with E and F recomputed for each choice (thesis, Problem 3.3)."""
    chosen = []
    while len(chosen) < n_select:
        E = residual(A, chosen)
        F = E if B is None else residual(np.column_stack([A, B]), chosen)[:, A.shape[1] :]
        ok = outside(E, A, chosen)
        if candidates is not None:
            ok &= np.isin(np.arange(A.shape[1]), candidates)
        if not ok.any():
            break
        score = np.full(A.shape[1], -np.inf)
        for i in np.flatnonzero(ok):
            score[i] = (F.T @ E[:, i]) @ (F.T @ E[:, i]) / (E[:, i] @ E[:, i])
        chosen.append(first_max(score, tie))
    return chosen


def greedy_by_definition(A, n_select):
    """argmin F(S ∪ {i}) by trying every column: the definition itself (thesis, eq. 3.10)."""
    chosen = []
    for _ in range(n_select):
        trial = np.array(
            [np.inf if i in chosen else error(A, [*chosen, i]) for i in range(A.shape[1])]
        )
        chosen.append(int(np.argmin(trial - trial.min() > 1e-9 * error(A, chosen))))
    return chosen


def group_sums(A, n_groups, random_state, signed):
    """Random groups of almost equal size, summed; drawn exactly as documented."""
    rng = np.random.RandomState(random_state)
    n = A.shape[1]
    labels = rng.permutation(np.arange(n) % min(n_groups, n))
    signs = rng.choice([-1.0, 1.0], size=n) if signed else np.ones(n)
    B = np.zeros((A.shape[0], min(n_groups, n)))
    for i in range(n):
        B[:, labels[i]] += signs[i] * A[:, i]
    return B


def partition_greedy(A, n_select, random_state, n_groups=100):
    return greedy(A, n_select, group_sums(A, n_groups, random_state, signed=False))


def signed_greedy(A, n_select, random_state, n_groups=100):
    return greedy(A, n_select, group_sums(A, n_groups, random_state, signed=True))


def approx_svd(A, n_select, random_state):
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return greedy(A, n_select, U[:, :n_select] * s[:n_select])


def whitened_greedy(A, n_select, random_state):
    U, _, _ = np.linalg.svd(A, full_matrices=False)
    return greedy(A, n_select, U[:, :n_select])


def hybrid_greedy(A, n_select, random_state):
    rng = np.random.RandomState(random_state)
    count = max(2, n_select)
    size = min(A.shape[1], max(n_select, int(np.ceil(count * np.log(count)))))
    drawn = np.sort(rng.choice(np.arange(A.shape[1]), size, replace=False))
    return greedy(A, n_select, candidates=drawn)


def sgma(A, n_select, random_state, size=59):
    rng = np.random.RandomState(random_state)
    chosen = []
    while len(chosen) < n_select:
        E = residual(A, chosen)
        left = np.flatnonzero(outside(E, A, chosen))
        if not len(left):
            break
        drawn = np.sort(rng.choice(left, min(size, len(left)), replace=False))
        score = ((E.T @ E[:, drawn]) ** 2).sum(axis=0) / (E[:, drawn] ** 2).sum(axis=0)
        chosen.append(int(drawn[first_max(score)]))
    return chosen


ORACLES = {
    "greedy": lambda A, n, seed: greedy(A, n),
    "partition-greedy": partition_greedy,
    "signed-greedy": signed_greedy,
    "approx-svd": approx_svd,
    "whitened-greedy": whitened_greedy,
    "hybrid-greedy": hybrid_greedy,
    "sgma": sgma,
    "sparse-approximation": lambda A, n, seed: greedy(A, n, target_for(A)),
}

_SAME = "equal singular values: leading singular vectors are not determined"
UNFIT = {("approx-svd", "orthogonal"): _SAME, ("whitened-greedy", "orthogonal"): _SAME}
UNFIT |= {(name, "near duplicates"): NEAR for name in ORACLES}
