"""That the start of k-means is the best of its runs, that exchanges help, and that weights count.

All rows are few enough to be started on, so that nothing depends on how a sample is drawn.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade.cluster import starts
from colonnade.cluster.iterations import first_means
from colonnade.cluster.seeding import Seeds
from colonnade.cluster.starts import sampled_start
from colonnade.cluster.steps import descended
from colonnade.operands.entrance import wrapped

GOOD = np.array([[0.0, 0.5], [9.0, 0.5]])
"""The better of the two ways to halve the corners of a flat rectangle where k-means stays."""


def loss(X, centers, weights=None):
    """The objective, a row and a centre at a time."""
    weights = np.ones(len(X)) if weights is None else weights
    return sum(
        w * min(np.square(x - c).sum() for c in centers) for x, w in zip(X, weights, strict=True)
    )


def exchanged(X, centers, weights, rounds, put=np.asarray):
    A = wrapped(put(X))
    best = descended(A, np.asarray(centers, dtype=float), 1, weights)
    rng = np.random.RandomState(0)
    found = starts._exchanged(put(X), A, best, weights, rng, rounds)
    assert found.loss == pytest.approx(loss(X, found.centers, weights), rel=1e-9, abs=1e-12)
    return found, best


@pytest.fixture
def _no_exchanges(monkeypatch):
    monkeypatch.setattr(starts, "EXCHANGES", (0, 0))


# -- k-means++ -----------------------------------------------------------------------------------


def spread_slowly(X, k, weights, rng):
    """Rows drawn by their squared distance from those before, from all differences."""
    n = len(X)
    picks = [np.searchsorted(np.cumsum(weights), weights.sum() * rng.random_sample(), "right")]
    for _ in range(1, k):
        closest = np.square(X[:, None] - X[picks]).sum(axis=2).min(axis=1)
        odds = np.cumsum(weights * closest)
        tried = np.searchsorted(odds, odds[-1] * rng.random_sample(2 + int(np.log(k))), "right")
        left = [weights @ np.minimum(closest, np.square(X - X[i]).sum(axis=1)) for i in tried]
        picks.append(tried[int(np.argmin(left))])
    assert max(picks) < n
    return picks


@pytest.mark.parametrize("put", [np.asarray, np.float32, np.asfortranarray, sp.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_to_start_from_are_far_from_one_another(put, weighted):
    data = np.random.default_rng(0)
    X = np.float32(data.standard_normal((300, 4)) + 10.0)
    weights = data.uniform(0.1, 5.0, 300) if weighted else None
    loads = np.ones(300) if weights is None else weights
    seeds = Seeds(put(X), weights)
    for k in (1, 2, 12):
        found = seeds.draw(k, np.random.RandomState(k))
        expected = spread_slowly(X.astype(float), k, loads, np.random.RandomState(k))
        np.testing.assert_array_equal(found, expected)


def test_more_to_start_from_than_different_rows():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    found = Seeds(X, None).draw(4, np.random.RandomState(0))
    assert set(X[found].ravel()) == {0.0, 1.0}


# -- runs ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_no_exchanges")
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_init", [1, 3])
def test_the_best_of_all_runs_is_the_start(put, n_init, monkeypatch):
    """Two runs for each start, whichever of them is the best."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
    for best in range(2 * n_init):
        queue = [[0, 2] if run == best else [0, 1] for run in range(2 * n_init)]
        monkeypatch.setattr(Seeds, "draw", lambda *_, queue=queue: np.array(queue.pop(0)))
        centers = sampled_start(put(X), 2, None, n_init, np.random.RandomState(0))
        np.testing.assert_allclose(np.sort(centers, axis=0), GOOD, atol=1e-12)
        assert not queue


@pytest.mark.usefixtures("_no_exchanges")
@pytest.mark.parametrize(("k", "runs"), [(50, 2), (51, 1)])
def test_many_clusters_have_one_run(k, runs, monkeypatch):
    X = np.arange(60.0)[:, None]
    calls = []

    def first(self, count, _):
        calls.append(count)
        return np.arange(count)

    monkeypatch.setattr(Seeds, "draw", first)
    sampled_start(X, k, None, 2, np.random.RandomState(0))
    assert calls == [k] * (2 * runs)


@pytest.mark.usefixtures("_no_exchanges")
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_rows_that_hardly_weigh_are_no_starts(put):
    """By distance alone k-means++ would start from them, and k-means would stay there."""
    X = np.r_[np.tile([0.0, 1.0, 10.0, 11.0], 25), 1000.0 * np.arange(1, 51)][:, None]
    w = np.r_[np.tile([3.0, 1.0, 3.0, 1.0], 25), np.full(50, 1e-15)]
    for seed in range(5):
        centers = sampled_start(put(X), 2, w, 1, np.random.RandomState(seed))
        np.testing.assert_allclose(np.sort(centers.ravel()), [0.25, 10.25], atol=1e-6)


# -- exchanges -----------------------------------------------------------------------------------


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_an_exchange_that_costs_more_is_not_kept(put):
    """Two centres near each other are each hardly missed, but both together are.

    Where one is taken, the other stands for its row; where both are, the rows at 0 and 1 are left
    to a centre at 95, which has too many of its own to come nearer.
    """
    X = np.repeat([0.0, 1.0, 95.0, 105.0, 195.0, 205.0], [1, 1, 100, 100, 100, 100])[:, None]
    centers = np.array([0.0, 1.0, 100.0, 200.0])[:, None]
    assert loss(X, centers) == 10_000.0
    both = descended(wrapped(X), np.array([95.0, 105.0, 195.0, 205.0])[:, None], 50).loss
    assert both > 17_000.0
    found, best = exchanged(X, centers, None, 1, put)
    assert found.loss == pytest.approx(best.loss)
    np.testing.assert_allclose(found.centers, centers)
    # half as many, then: one centre of the pair for one of the wide clusters
    found, _ = exchanged(X, centers, None, 2, put)
    assert found.loss == pytest.approx(5000.5)


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_exchanges_go_by_weight(put, unit):
    """A heavy cluster is cut, not wider ones of light rows; a light centre goes, not a near one."""
    pairs = np.array([[0.0, 0.0], [0.0, 1.0], [500.0, 0.0], [500.0, 10.0]])
    square = np.array([[9.0, 1.0], [9.0, -1.0], [-9.0, 1.0], [-9.0, -1.0]])
    wide = np.array([[0.0, 40.0], [0.0, -40.0]])
    right = np.array([1000.0, 0.0])
    heavy, light = square + right, [wide + 2 * right, wide + 3 * right]
    X = np.vstack([pairs, heavy, *light])
    w = unit * np.r_[[1.0, 1.0, 1e-6, 1e-6], np.ones(4), np.full(4, 1e-9)]
    centers = np.vstack([pairs, [[1000.0, 0.0], [2000.0, 0.0], [3000.0, 0.0]]])
    found, best = exchanged(X, centers, w, 1, put)
    assert best.loss == pytest.approx(unit * (4 * 82 + 4e-9 * 1600))
    # the halves of the heavy rows, and the middle of the light pair
    assert found.loss == pytest.approx(unit * (4 + 4e-9 * 1600 + 50e-6))
    for point in ([991.0, 0.0], [1009.0, 0.0], [500.0, 5.0], [0.0, 0.0], [0.0, 1.0]):
        assert np.abs(found.centers - point).max(axis=1).min() < 1e-6


# -- means of given centres ------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, np.array([1.0, 3.0, 2.0, 2.0, 5.0])])
def test_a_given_centre_without_rows_takes_the_farthest(weights):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 0.0], [11.0, 0.0], [10.0, 7.0]])
    reduced = np.array([[4.0], [8.0], [1.0], [3.0], [-5.0]])
    start = np.array([[0.0, 0.0], [-900.0, 0.0], [10.0, 0.0]])
    means = first_means(wrapped(X), start, wrapped(reduced), weights)
    first = 6.0 if weights is None else 7.0
    np.testing.assert_allclose(means, [[first], [-5.0], [2.0]])
