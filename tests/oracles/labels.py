"""Features that tell classes apart: entropies from the definition, one feature at a time."""

from __future__ import annotations

import numpy as np


def entropy(labels):
    """H in nats, by counting."""
    shares = [np.mean(labels == c) for c in np.unique(labels)]
    return -sum(p * np.log(p) for p in shares)


def mutual_information(x, y):
    """H(y) − Σ P(x = v) H(y | x = v)."""
    return entropy(y) - sum(np.mean(x == v) * entropy(y[x == v]) for v in np.unique(x))


def labels_for(A, n_select):
    """Three classes (or as many as there are rows) that go with the data, but not quite."""
    if len(A) == 1:
        return np.zeros(1, dtype=int)
    y = np.argsort(np.argsort(A[:, 0] + 0.5 * A[:, -1])) * 3 // len(A)
    y[::4] = 0
    y[-1] = 1
    return y


def information_gain(A, n_select, seed):
    y = labels_for(A, n_select)
    scores = np.array([mutual_information(column > 0, y) for column in A.T])
    return np.argsort(-np.round(scores, 9), kind="stable")[:n_select].tolist()


ORACLES = {"information-gain": information_gain}

PARAMS = {"information-gain": lambda A, n: {"labels": labels_for(A, n)}}

UNFIT = {("information-gain", "one row"): "one row is one class, which is refused"}
