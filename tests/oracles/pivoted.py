"""By what is left of each column, from scratch each time; and volumes, computed one by one."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .textbook import NEAR, best_loss, first_max, outside, residual

EPS = np.finfo(float).eps
FACTOR = 1.01  # near 1, so that there is something to exchange


def pivoted_qr(A, n_select, random_state=None):
    chosen = []
    while len(chosen) < n_select:
        E = residual(A, chosen)
        ok = outside(E, A, chosen)
        if not ok.any():
            break
        chosen.append(first_max(np.where(ok, (E**2).sum(axis=0), -np.inf)))
    return chosen


def random_pivot(A, n_select, random_state):
    """Proposals in blocks of a quarter; each is looked at after all that were accepted before."""
    rng = np.random.RandomState(random_state)
    size = max(1, n_select // 4)
    chosen = []
    while len(chosen) < n_select:
        E = residual(A, chosen)
        ok = outside(E, A, chosen)
        if not ok.any():
            break
        then = np.where(ok, (E**2).sum(axis=0), 0.0)
        mass = np.cumsum(then)
        drawn = np.searchsorted(mass, rng.uniform(0.0, mass[-1], size), side="right")
        lucks = rng.uniform(size=size) if size > 1 else [0.0]
        for p, luck in zip(drawn.tolist(), lucks, strict=True):
            E = residual(A, chosen)
            if outside(E, A, chosen)[p] and luck * then[p] < (E[:, p] ** 2).sum():
                chosen.append(p)
    return chosen[:n_select]


def adaptive_randomized_pivoting(A, n_select, random_state):
    """A draw by what is left of each row of V, l times (Cortinovis & Kressner 2024)."""
    rng = np.random.RandomState(random_state)
    values, Vt = np.linalg.svd(A, full_matrices=False)[1:]
    Vt = Vt[: min(n_select, int((values > values[0] * max(A.shape) * EPS).sum()))]
    chosen = []
    while len(chosen) < len(Vt):
        mass = np.cumsum((residual(Vt, chosen) ** 2).sum(axis=0))
        chosen.append(int(np.searchsorted(mass, rng.uniform(0.0, mass[-1]), side="right")))
    return chosen


def log_volume(A, chosen):
    """The logarithm of the product of the distances of each column from those before it."""
    R = scipy.linalg.qr(A[:, chosen], mode="r", pivoting=True)[0]
    with np.errstate(divide="ignore"):
        return float(np.log(np.abs(np.diag(R))).sum())


def raise_volume(A, chosen, factor):
    """Make the exchange that multiplies the volume most, while that is by more than a factor."""
    chosen = list(chosen)
    while True:
        gains = np.full((len(chosen), A.shape[1]), -np.inf)
        for i in range(len(chosen)):
            for j in set(range(A.shape[1])) - set(chosen):
                trial = [j if t == i else p for t, p in enumerate(chosen)]
                gains[i, j] = log_volume(A, trial) - log_volume(A, chosen)
        if gains.max() <= np.log(factor) + 1e-9:
            return chosen
        i, j = np.argwhere(gains >= gains.max() - 1e-9)[0]
        chosen[i] = int(j)


def strong_rrqr(A, n_select, seed):
    """Gu & Eisenstat, Algorithm 4: the set, then in the order of pivoted QR."""
    chosen = sorted(raise_volume(A, pivoted_qr(A, n_select), FACTOR))
    return [chosen[p] for p in pivoted_qr(A[:, chosen], len(chosen))]


ORACLES = {
    "adaptive-randomized-pivoting": adaptive_randomized_pivoting,
    "pivoted-qr": pivoted_qr,
    "random-pivot": random_pivot,
    "strong-rrqr": strong_rrqr,
}

PARAMS = {"strong-rrqr": lambda A, n: {"factor": FACTOR}}
UNFIT = {(name, "near duplicates"): NEAR for name in ("pivoted-qr", "strong-rrqr")}
UNFIT["adaptive-randomized-pivoting", "orthogonal"] = (
    "equal singular values: leading singular vectors are not determined"
)

EXPECTED_LOSS = {
    "adaptive-randomized-pivoting": lambda A, size: (size + 1) * best_loss(A, size),
}
