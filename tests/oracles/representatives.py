"""Representative points by loops over all of them, from the definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .graph import digits
from .textbook import NEAR, first_max


def squares_between(A):
    """Squared distances between all columns, from differences."""
    n = A.shape[1]
    return np.array([[((A[:, i] - A[:, j]) ** 2).sum() for j in range(n)] for i in range(n)])


def loss(D, chosen):
    """The sum of the squared distances to the nearest of the chosen."""
    return sum(min(row[s] for s in chosen) for row in D)


def radius(D, chosen):
    return max(min(row[s] for s in chosen) for row in D) ** 0.5


def greedy_value(S, n_select):
    """Naive greedy for Σ max sim, with all gains computed afresh."""
    n, chosen = len(S), []
    while len(chosen) < n_select:
        best = S[:, chosen].max(axis=1) if chosen else np.zeros(n)
        gains = np.array([sum(max(0.0, S[i, j] - best[i]) for i in range(n)) for j in range(n)])
        gains[chosen] = -1.0
        chosen.append(first_max(gains, tie=1e-10))
    return chosen


def similarities(A):
    mean = A.mean(axis=1, keepdims=True)
    return 4 * ((A - mean) ** 2).sum(axis=0).max() - squares_between(A)


def best_sets(n, n_select):
    return combinations(range(n), n_select)


def facility_location(A, n_select, seed):
    return greedy_value(similarities(A), n_select)


def coverage(A, n_select, seed):
    D = squares_between(A)
    chosen = [int(np.argmin(digits(D.sum(axis=1))))]
    while len(chosen) < n_select:
        far = D[:, chosen].min(axis=1)
        far[chosen] = -1.0
        chosen.append(first_max(far, tie=1e-10))
    return chosen


def nearest(A, centers):
    D = np.array([[((a - c) ** 2).sum() for c in centers] for a in A.T])
    # the mean of equal columns is one of them, but for its last digit
    D[1e-29 * (A**2).sum(axis=0)[:, None] > D] = 0.0
    return np.argmin(digits(D), axis=1), D.min(axis=1).sum()


def middles(A, D, labels, k):
    """The member of each cluster with the least sum of squared distances to the others."""
    n = A.shape[1]
    out = [None] * k
    for c in range(k):
        members = [i for i in range(n) if labels[i] == c]
        if members:
            sums = digits([sum(D[i, j] for j in members) for i in members])
            out[c] = members[int(np.argmin(sums))]
    for c in range(k):
        if out[c] is None:
            taken = [p for p in out if p is not None]
            far = D[:, taken].min(axis=1)
            far[taken] = -1.0
            out[c] = first_max(far, tie=1e-10)
    return out


def medoids(A, n_select, seed, n_iter=10):
    D, n = squares_between(A), A.shape[1]
    centers = [A[:, p] for p in greedy_value(similarities(A), n_select)]
    labels, objective = nearest(A, centers)
    for _ in range(n_iter):
        for c in range(n_select):
            members = [i for i in range(n) if labels[i] == c]
            if members:
                centers[c] = A[:, members].mean(axis=1)
        before = objective
        labels, objective = nearest(A, centers)
        if objective >= before * (1 - 1e-4):
            break
    chosen = middles(A, D, labels, n_select)
    for _ in range(n_iter):
        labels = np.argmin(digits(D[:, chosen]), axis=1)
        labels[chosen] = np.arange(n_select)
        proposed = middles(A, D, labels, n_select)
        if not loss(D, proposed) < loss(D, chosen) * (1 - 1e-9):
            break
        chosen = proposed
    labels = np.argmin(digits(D[:, chosen]), axis=1).tolist()
    return sorted(chosen, key=lambda p: (-labels.count(chosen.index(p)), p))


ORACLES = {
    "medoids": medoids,
    "facility-location": facility_location,
    "coverage": coverage,
}

UNFIT = {(name, "near duplicates"): NEAR for name in ORACLES}
_SIZES = "what a tiny column gains is below the rounding of distances between large ones"
UNFIT |= {(name, "columns of all sizes"): _SIZES for name in ("medoids", "facility-location")}
