"""Where k-means starts from: the best of several short runs on a sample of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.threads import one_blas_thread
from ..foundation.typing import Floats, Indices
from ..operands.blocks import float64
from ..operands.containers import dense, take_rows
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from .seeding import Seeds
from .steps import Partition, descended, nearest_two

__all__ = ["sample_rows", "sampled_start"]

ROWS_EACH = (40, 250)
"""Rows of a sample for each cluster: up to a half of all rows, and up to an eighth."""
FEWEST_EACH = 10
"""Where half of all rows would be fewer than so many for each cluster, all are taken."""
SIZES = (2500, 20_000)
"""Rows of a sample at least, and those above which there are no more than needed for each."""
RUNS = (2, 4)
"""How many short runs each start is the best of, where there are few clusters."""
MANY_ROWS = 20_000
"""From how many rows on it is the second number, whose cost hardly counts then."""
RUNS_UP_TO = 50
"""Up to how many clusters: with many, runs differ little, and exchanges make up for it."""
TOLERANCE = 1e-4
"""At what relative gain of an iteration a run on the sample ends."""
STEPS = (6, 20)
"""Iterations of a run on the sample at most; the second where it is a small part of all."""
EXCHANGES = (2, 5)
"""How often centres are exchanged at most; the second where the sample is a small part of all."""
EXCHANGE_STEPS = 4
"""Iterations after an exchange, before it is judged."""
LEAST_GAIN = 2e-3
"""What an exchange must bring, as a share of the loss, for another to be tried."""
FEWEST_CUT = 2
"""How many clusters are cut in two, to see what that brings; one in eight of many."""
CUT_STEPS = 4
"""Iterations for each."""


def sample_rows(
    A: Columns, size: int, weights: Floats | None, rng: np.random.RandomState, least: int = 1
) -> tuple[Indices, Floats] | None:
    """Return rows that stand for all and their weights; None where all are few enough.

    Half of the chance of a row is its share of the rows, half its share of their squared
    distances from the mean, and its weight makes up for it: sums over the sample, such as the
    objective of any centres, are those over all rows on average, and few rows far away, which
    hold much of it, are not missed [1]_.

    Parameters
    ----------
    A : Columns
        The rows.
    size : int
        How many to draw on average, or fewer where some are nearly certain.
    weights : ndarray of shape (m,) or None
        Their weights.
    rng : RandomState
        Draws them.
    least : int
        How many different ones there must be; if there are not, it is all rows again.

    References
    ----------
    .. [1] Bachem, Lucic & Krause, "Scalable k-means clustering via lightweight coresets",
       KDD 2018, Algorithm 1.
    """
    m = A.shape[0]
    if m <= size:
        return None
    w = np.ones(m) if weights is None else weights
    mean = A.group_sums(np.zeros(m, dtype=np.intp), 1, w) / w.sum()
    far = w * A.row_sq_distances(mean, np.zeros(m, dtype=np.intp))
    total = float(far.sum())
    odds = w / w.sum()
    if total > 0:
        odds = 0.5 * odds + 0.5 * far / total
    chances = np.minimum(size * odds, 1.0)
    rows = np.flatnonzero(rng.random_sample(m) < chances)
    if len(rows) < max(least, size // 4):
        return None
    return rows, w[rows] / chances[rows]


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
    n_rows = X.shape[0]
    runs = RUNS[n_rows >= MANY_ROWS] if n_clusters <= RUNS_UP_TO else 1
    A = wrapped(X)
    drawn = sample_rows(A, _sample_size(n_rows, n_clusters), weights, rng, 2 * n_clusters)
    if drawn is not None:
        X, weights = take_rows(X, drawn[0]), drawn[1]
        A = wrapped(X)
    small = 8 * X.shape[0] <= n_rows
    best: Partition | None = None
    seeds = Seeds(X, weights)
    for _ in range(n_init * runs):
        with one_blas_thread():  # many small products
            first = dense(take_rows(X, seeds.draw(n_clusters, rng)))
        found = descended(A, float64(first), STEPS[small], weights, TOLERANCE)
        if best is None or found.loss < best.loss:
            best = found
    assert best is not None
    return _exchanged(X, A, best, weights, rng, EXCHANGES[small]).centers


def _sample_size(n_rows: int, n_clusters: int) -> int:
    """Return how many rows to draw: enough for the means of clusters, and few beside all."""
    needed, wished = (each * n_clusters for each in ROWS_EACH)
    least, most = SIZES
    if FEWEST_EACH * n_clusters > n_rows // 2:
        return n_rows
    return max(least, min(needed, n_rows // 2), min(wished, most, n_rows // 8))


def _exchanged(
    X: Any,
    A: Columns,
    best: Partition,
    weights: Floats | None,
    rng: np.random.RandomState,
    rounds: int,
) -> Partition:
    """Return a better partition where centres that are hardly missed do more elsewhere.

    k-means itself never takes one of two centres out of a group of rows to where two such groups
    share one. So centres are taken where that costs least, to clusters that gain most if they are
    cut in two. A few iterations tell whether that was good; if not, half as many are tried.
    """
    width = len(best.centers)
    for _ in range(rounds):
        centers, width = _elsewhere(X, A, best.centers, width, weights, rng)
        if not width:
            break
        found = descended(A, centers, EXCHANGE_STEPS, weights)
        gain, best = best.loss - found.loss, min(best, found, key=lambda run: run.loss)
        if 0 < gain <= LEAST_GAIN * best.loss:
            break
        if gain <= 0:
            width //= 2
    return best


def _elsewhere(
    X: Any,
    A: Columns,
    centers: Floats,
    most: int,
    weights: Floats | None,
    rng: np.random.RandomState,
) -> tuple[Floats, int]:
    """Return centres of which at most so many were exchanged, and how many were.

    A centre without which the rows would lose little is taken for one half of a cluster that
    loses more as a whole.
    """
    k = len(centers)
    labels, near, next_one = nearest_two(A, centers)
    more = next_one - near
    if weights is not None:
        near, more = weights * near, weights * more
    cost, missed = (np.bincount(labels, values, minlength=k) for values in (near, more))
    costly = np.argsort(-cost, kind="stable")[: min(most, max(FEWEST_CUT, k // 8))]
    cuts = [_cut(X, np.flatnonzero(labels == there), near, weights, rng) for there in costly]
    gains = np.array([cost[there] - cut.loss for there, cut in zip(costly, cuts, strict=True)])
    taken = np.argsort(missed, kind="stable")
    out, gone = centers.copy(), 0
    cut_up: set[int] = set()
    for j in np.argsort(-gains, kind="stable"):
        there = int(costly[j])
        while gone < k and (taken[gone] == there or taken[gone] in cut_up):
            gone += 1
        if gone == k or gains[j] <= missed[taken[gone]]:
            break
        out[[there, taken[gone]]] = cuts[j].centers
        cut_up.update((there, int(taken[gone])))
        gone += 1
    return out, len(cut_up) // 2


def _cut(
    X: Any, rows: Indices, losses: Floats, weights: Floats | None, rng: np.random.RandomState
) -> Partition:
    """Return what k-means makes of some rows in two parts, from two of them drawn by loss."""
    loss = losses[rows]
    if np.count_nonzero(loss) < 2:
        return Partition(rows, np.empty((0, 0)), np.inf, 0)
    first = dense(take_rows(X, rng.choice(rows, 2, replace=False, p=loss / loss.sum())))
    weights = None if weights is None else weights[rows]
    return descended(wrapped(take_rows(X, rows)), float64(first), CUT_STEPS, weights)
