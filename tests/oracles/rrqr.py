"""Rank-revealing choices: volumes of all neighbours of a selection, computed one by one."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .pivoting import error, outside, pivoted_qr, residual

FACTOR = 1.01  # near 1, so that there is something to exchange


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


def hybrid_css(A, n_select, seed):
    """Thesis §3.5: l log l draws by leverage, pivoted QR on what was drawn, best of 40."""
    rng = np.random.RandomState(seed)
    _, s, Vt = np.linalg.svd(A, full_matrices=False)
    V = Vt[:n_select][s[:n_select] > s[0] * max(A.shape) * np.finfo(float).eps].T
    p = (V**2).sum(axis=1) / V.shape[1]
    count = max(2, n_select)
    c = max(n_select, int(np.ceil(count * np.log(count))))
    found = []
    for _ in range(40):
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
            lengths = np.where(ok, (E**2).sum(axis=0), -np.inf)
            chosen.append(int(np.argmax(lengths >= lengths.max() * (1 - 4e-10))))
        left = error(A, chosen)
        if not found or left < found[-1][0] * (1 - 1e-6) - 1e-26 * (A**2).sum():
            found.append((left, chosen))
    chosen = sorted(found[-1][1])
    return [chosen[p] for p in pivoted_qr(A[:, chosen], len(chosen))]


ORACLES = {"strong-rrqr": strong_rrqr, "hybrid-css": hybrid_css}

PARAMS = {"strong-rrqr": lambda A, n: {"factor": FACTOR}}

UNFIT = {
    ("hybrid-css", "orthogonal"): (
        "equal singular values: leading singular vectors are not determined"
    )
}
