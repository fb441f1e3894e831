"""Principal components and correlations, from textbook formulas, with loops over pairs."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.linalg import norm, svd
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from .textbook import NEAR, first_max, outside, residual

EPS = np.finfo(float).eps


def centered(A, standardize):
    """A less its means; constant columns become zero."""
    Z = A - A.mean(axis=0)
    constant = norm(Z, axis=0) <= 16 * EPS * np.sqrt(len(A)) * norm(A, axis=0)
    Z[:, constant] = 0.0
    if standardize:
        Z = Z / np.where(constant, 1.0, norm(Z, axis=0))
    return Z


def components(Z):
    """All n loadings vectors in the columns of V, and how many components have variance."""
    _, s, Vt = svd(Z, full_matrices=True)
    return Vt.T, int((s > s[0] * max(Z.shape) * EPS).sum()), s


def last_max(scores):
    return int(np.flatnonzero(scores >= scores.max() - 1e-9)[-1])


def largest_share(V, among):
    """Of the columns ``among``, the one with the largest share in the span of V's columns."""
    return among[last_max((V[among] ** 2).sum(axis=1))]


def six(number):
    """A number to six significant digits."""
    return float(f"{number:.5e}")


def central(A, Z, count=None):
    """The columns by falling sum of squared inner products with the others, along the first
    components, then by their length: which of two that load alike is kept."""
    V, rank, s = components(Z)
    keep = rank if count is None else min(count, rank)
    near = (V[:, :keep] * (s[:keep] / s[0]) ** 2) @ V[:, :keep].T
    sums = (near**2).sum(axis=0)
    sums[sums < 1e-28 * sums.max()] = 0.0
    return sorted(range(Z.shape[1]), key=lambda i: (-six(sums[i]), -six(A[:, i].var())))


def b1(A, n_select, seed):
    Z = centered(A, True)
    left = central(A, Z)
    dropped = []
    while len(left) > 1:
        V, rank, s = components(Z[:, left])
        # the last component or, if several have the same variance or none, all of these
        same = s > s[rank - 1] * (1 + 1e-9)
        V = V[:, rank:] if rank < len(left) else V[:, same.sum() :]
        gone = left[last_max((V**2).sum(axis=1))]
        left.remove(gone)
        dropped.append(gone)
    return [*left, *dropped[::-1]][:n_select]


def b2(A, n_select, seed):
    Z = centered(A, True)
    V, rank, _ = components(Z)
    left, dropped = central(A, Z), []
    empty = V[:, rank:]
    while empty.shape[1]:
        p = largest_share(empty, left)
        left.remove(p)
        dropped.append(p)
        # turn the basis such that only one vector has a part in p, and leave that one out
        empty = empty @ svd(empty[p : p + 1])[2][1:].T
    for j in range(rank)[::-1]:
        p = largest_share(V[:, [j]], left)
        left.remove(p)
        dropped.append(p)
    return dropped[::-1][:n_select]


def b3(A, n_select, seed):
    Z = centered(A, True)
    V, rank, _ = components(Z)
    last = (V[:, min(rank, n_select) :] ** 2).sum(axis=1)
    return sorted(central(A, Z, n_select), key=lambda i: round(last[i], 11))[:n_select]


def b4(A, n_select, seed, standardize=True):
    Z = centered(A, standardize)
    V, rank, _ = components(Z)
    left, chosen = central(A, Z, n_select), []
    for t in range(n_select):
        loadings = np.abs(V[left, t % rank])
        loadings[loadings < 1e-12] = 0.0
        chosen.append(left.pop(first_max(loadings)))
    return chosen


def pfa(A, n_select, seed):
    Z = centered(A, False)
    V, rank, s = components(Z)
    q = 1
    while q < min(rank, n_select) and (s[:q] ** 2).sum() < 0.9 * (s**2).sum():
        q += 1
    points = np.round(np.abs(V[:, :q]), 7)
    count = min(n_select, len({tuple(point) for point in points}))
    rng = np.random.RandomState(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters = KMeans(count, n_init=10, random_state=rng).fit(points)
    ranked = []
    for c in range(count):
        members = np.flatnonzero(clusters.labels_ == c).tolist()
        away = {i: norm(points[i] - clusters.cluster_centers_[c]) for i in members}
        members.sort(key=lambda i: (float(f"{away[i]:.5e}") if away[i] > 1e-7 else 0.0, i))
        ranked += [(place, -len(members), i) for place, i in enumerate(members)]
    return [i for _, _, i in sorted(ranked)][:n_select]


def orthogonal_pfs(A, n_select, seed):
    Z = centered(A, False)
    chosen = []
    while len(chosen) < n_select:
        E = residual(Z, chosen)
        ok = outside(E, Z, chosen)
        if not ok.any():
            break
        u = svd(E)[0][:, 0]
        score = np.full(Z.shape[1], -np.inf)
        for i in np.flatnonzero(ok):
            score[i] = (u @ E[:, i]) ** 2 / (E[:, i] @ E[:, i])
        chosen.append(first_max(score))
    return chosen


def information_loss(x, y):
    """The smaller eigenvalue of the covariance matrix of two variables [Mitra et al., §3.2]."""
    x, y = x - x.mean(), y - y.mean()
    vx, vy, c = x @ x, y @ y, x @ y
    if vx * vy - c * c <= 1e-10 * vx * vy:
        return 0.0
    total = vx + vy
    return float(
        f"{2 * (vx * vy - c * c) / (total + np.sqrt(total**2 - 4 * (vx * vy - c * c))):.8e}"
    )


def discard(D, k):
    """Mitra et al., §4: return all columns in order, how many are left, and the limit."""
    left = list(range(len(D)))
    centres, gone = [], []
    limit = None
    while len(left) > 1:
        k = min(k, len(left) - 1)
        near = {i: sorted((D[i][j], j) for j in left if j != i) for i in left}
        while limit is not None and k and min(near[i][k - 1][0] for i in left) > limit:
            k -= 1
        if k == 0:
            break
        best = min(left, key=lambda i: (near[i][k - 1][0], i))
        if limit is None:
            limit = near[best][k - 1][0]
        if best not in centres:
            centres.append(best)
        gone += [(-d, j) for d, j in near[best][:k]]
        left = [i for i in left if i not in [j for _, j in near[best][:k]]]
    kept = [i for i in centres if i in left]
    alone = [i for i in left if i not in kept]
    return [*kept, *alone, *(j for _, j in sorted(gone))], len(left), limit


def fsfs(A, n_select, seed):
    Z = centered(A, False)
    varies = list(range(A.shape[1]))
    # the most central first, so that of equals it is taken
    far = {i: sum(information_loss(Z[:, i], Z[:, j]) for j in varies) for i in varies}
    varies.sort(key=lambda i: (six(far[i]), -six(A[:, i].var())))
    D = [[information_loss(Z[:, i], Z[:, j]) for j in varies] for i in varies]
    n = len(varies)
    low, high = 0, 1
    while discard(D, high)[1] > n_select and high < n - 1:
        low, high = high, min(2 * high, n - 1)
    while high - low > 1:
        middle = (low + high) // 2
        if discard(D, middle)[1] > n_select:
            low = middle
        else:
            high = middle
    return [varies[i] for i in discard(D, high)[0]][:n_select]


def of_varying(oracle):
    """The oracle without constant columns, which are no candidates; at most all others."""

    def choose(A, n_select, seed):
        varying = np.flatnonzero(norm(centered(A, False), axis=0) > 0)
        chosen = oracle(A[:, varying], min(n_select, len(varying)), seed)
        return varying[chosen].tolist()

    return choose


ORACLES = {
    "jolliffe-b1": of_varying(b1),
    "jolliffe-b2": of_varying(b2),
    "jolliffe-b3": of_varying(b3),
    "jolliffe-b4": of_varying(b4),
    "pca-lrg": of_varying(lambda A, n, seed: b4(A, n, seed, standardize=False)),
    "pfa": of_varying(pfa),
    "orthogonal-pfs": of_varying(orthogonal_pfs),
    "fsfs": of_varying(fsfs),
}

_STILL = "one row: nothing varies, which is an error"
_PAIRS = "components that only tell columns apart that are equal to 1e-9 are known to 1e-7"
_TIES = "equal singular values: principal components are not determined"
UNFIT = {(name, "one row"): _STILL for name in ORACLES}
UNFIT |= {
    (name, "near duplicates"): _PAIRS
    for name in ("jolliffe-b1", "jolliffe-b2", "jolliffe-b3", "jolliffe-b4", "pca-lrg")
}
UNFIT |= {(name, "orthogonal"): _TIES for name in ("orthogonal-pfs", "pca-lrg", "pfa")}
UNFIT["orthogonal-pfs", "near duplicates"] = UNFIT["fsfs", "near duplicates"] = NEAR
UNFIT["fsfs", "similar columns"] = "columns that differ by 1e-6 are equally central or not"
