"""Where k-means starts from: the best of several short runs on a sample of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import kmeans_plusplus

from ..foundation.typing import Floats, Indices
from ..operands.containers import dense, take_rows
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from .steps import Partition, descended, nearest_two

__all__ = ["sample_rows", "sampled_start"]

ROWS_EACH = 40
"""Rows of a sample for each cluster."""
LEAST_ROWS = 2500
"""Rows of a sample at least."""
RUNS = 4
"""How many short runs each start is the best of, where there are few clusters."""
RUNS_UP_TO = 50
"""Up to how many clusters: with many, runs differ little, and exchanges make up for it."""
TOLERANCE = 1e-4
"""At what relative gain of an iteration a run on the sample ends."""
STEPS = 20
"""Iterations of a run on the sample at most."""
EXCHANGE_STEPS = 4
"""Iterations after an exchange, before it is judged."""
WORTH = 0.1
"""What an exchange must bring to be tried again: so much of the loss of a mean cluster each."""
FAILURES = 3
"""How many exchanges of a single centre may fail before it is given up."""


def sample_rows(
    n_rows: int, size: int, weights: Floats | None, rng: np.random.RandomState
) -> tuple[Indices, Floats | None] | None:
    """Return rows to start on and their weights, or None where all are few enough.

    Rows without weights are drawn without repeats. Others are drawn by weight, and weigh as much
    as they were drawn; where that gives few, it is all rows again.
    """
    if n_rows <= size:
        return None
    if weights is None:
        return np.sort(rng.choice(n_rows, size, replace=False)), None
    drawn = rng.choice(n_rows, size, p=weights / weights.sum())
    rows, counts = np.unique(drawn, return_counts=True)
    return None if len(rows) < size // 2 else (rows, counts.astype(np.float64))


def sampled_start(
    X: Any, n_clusters: int, weights: Floats | None, n_init: int, rng: np.random.RandomState
) -> Floats:
    """Return centres to start k-means on X from.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        The rows.
    n_clusters : int
        How many centres.
    weights : ndarray of shape (n_rows,) or None
        Their weights.
    n_init : int
        How many starts; each is the best of a few runs of k-means on a sample of the rows.
    rng : RandomState
        Draws the sample and the starts.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
    """
    drawn = sample_rows(X.shape[0], max(LEAST_ROWS, ROWS_EACH * n_clusters), weights, rng)
    if drawn is not None:
        X, weights = take_rows(X, drawn[0]), drawn[1]
    A = wrapped(X)
    runs = RUNS if n_clusters <= RUNS_UP_TO else 1
    best: Partition | None = None
    for _ in range(n_init * runs):
        first, _ = kmeans_plusplus(X, n_clusters, sample_weight=weights, random_state=rng)
        found = descended(A, np.asarray(dense(first), dtype=np.float64), STEPS, weights, TOLERANCE)
        if best is None or found.loss < best.loss:
            best = found
    assert best is not None
    return _exchanged(X, A, best, weights, rng).centers


def _exchanged(
    X: Any, A: Columns, best: Partition, weights: Floats | None, rng: np.random.RandomState
) -> Partition:
    """Return a better partition where centres that are hardly missed do more elsewhere.

    k-means itself never takes one of two centres out of a cluster of rows to where two such
    clusters share one. So some are taken where that costs least, and put among the rows that
    cost most; a few iterations tell whether this was good. First one in eight of them at a time,
    and fewer when that fails.
    """
    k = len(best.centers)
    width, failures = max(1, k // 8), 0
    while failures < FAILURES and k > 1:
        taken, rows = _elsewhere(A, best.centers, width, weights, rng, skip=failures)
        centers = best.centers.copy()
        centers[taken] = dense(take_rows(X, rows))
        found = descended(A, centers, EXCHANGE_STEPS, weights)
        gain, needed = best.loss - found.loss, WORTH * width / k * best.loss
        if gain > 0:
            best = found
        if gain > needed:
            failures = 0
        elif width == 1:
            failures += 1
        else:
            width //= 2
    return best


def _elsewhere(
    A: Columns,
    centers: Floats,
    width: int,
    weights: Floats | None,
    rng: np.random.RandomState,
    skip: int,
) -> tuple[Indices, Indices]:
    """Return centres to take away, and as many rows to put them at.

    Those without which the rows would lose least; and from each of the other clusters that lose
    most a row, drawn by what it loses. ``skip`` of the latter clusters are passed over.
    """
    k = len(centers)
    labels, near, next_one = nearest_two(A, centers)
    more = next_one - near
    if weights is not None:
        near, more = weights * near, weights * more
    cost, missed = (np.bincount(labels, values, minlength=k) for values in (near, more))
    taken = np.argsort(missed, kind="stable")[:width]
    cost[taken] = 0.0
    costly = np.argsort(-cost, kind="stable")[skip : skip + width]
    costly = costly[cost[costly] > 0]
    rows = []
    for there in costly:
        inside = np.flatnonzero(labels == there)
        rows.append(rng.choice(inside, p=near[inside] / cost[there]))
    return taken[: len(rows)], np.array(rows, dtype=np.intp)
