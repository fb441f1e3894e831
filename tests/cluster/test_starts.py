"""Where k-means of many rows starts from, and when it ends."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

from colonnade import ReducedKMeans, metrics
from colonnade.cluster.starts import sample_rows, sampled_start
from colonnade.cluster.steps import descended, nearest, nearest_two
from colonnade.operands.entrance import wrapped


def groups(n, d, k, seed=0, far=1.0):
    rng = np.random.default_rng(seed)
    centers, y = far * rng.standard_normal((k, d)), rng.integers(k, size=n)
    return centers[y] + rng.standard_normal((n, d)), y, centers


MANY, GROUP, MIDDLES = groups(8000, 30, 25, far=2.0)


@pytest.mark.parametrize("put", [np.asarray, np.float32, sp.csr_array])
def test_every_group_gets_a_centre(put):
    """k-means++ alone leaves some groups out, from which k-means does not recover."""
    least = descended(wrapped(MANY), MIDDLES, 50).loss
    plain = [KMeans(25, n_init=1, random_state=s).fit(MANY).inertia_ for s in range(4)]
    assert np.median(plain) > 1.01 * least
    for seed in range(4):
        model = ReducedKMeans(25, n_init=1, random_state=seed).fit(put(MANY))
        assert model.inertia_ == pytest.approx(least, rel=1e-3)
        assert metrics.nmi(GROUP, model.labels_) > 0.99
        np.testing.assert_array_equal(model.predict(put(MANY)), model.labels_)


def test_centres_are_near_rows_that_have_weight():
    w = np.where(GROUP < 20, 1.0, 1e-9)
    centers = sampled_start(MANY, 20, w, 1, np.random.RandomState(0))
    gaps = np.linalg.norm(MIDDLES[:, None] - centers, axis=2).min(axis=1)
    assert gaps[:20].max() < 2.0 < gaps[20:].min()
    model = ReducedKMeans(20, n_init=1, random_state=0).fit(MANY, sample_weight=w)
    alone = ReducedKMeans(20, n_init=1, random_state=1).fit(MANY[w == 1])
    assert model.inertia_ == pytest.approx(alone.inertia_, rel=1e-3)


def test_rows_are_drawn():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((1000, 3))
    A = wrapped(X)
    assert sample_rows(wrapped(X[:100]), 100, None, rng) is None
    w = np.where(np.arange(1000) < 500, 3.0, 1.0)
    for weights in (None, w):
        loads = np.ones(1000) if weights is None else weights
        centers = rng.standard_normal((4, 3))
        losses = np.square(X[:, None] - centers).sum(axis=2).min(axis=1)
        sums, totals = [], []
        for _ in range(200):
            rows, drawn = sample_rows(A, 400, weights, rng)
            assert (np.diff(rows) > 0).all()
            assert 320 < len(rows) < 480
            totals.append(drawn.sum())
            sums.append(drawn @ losses[rows])
        # what is summed over a sample is on average what is summed over all rows
        assert np.mean(totals) == pytest.approx(loads.sum(), rel=0.01)
        assert np.mean(sums) == pytest.approx(loads @ losses, rel=0.01)
    # few rows have nearly all weight: all are needed
    assert sample_rows(A, 400, np.r_[np.full(50, 1e6), np.ones(950)], rng) is None
    assert sample_rows(A, 400, None, rng, least=600) is None


def test_few_rows_have_the_weight():
    X = np.random.RandomState(0).standard_normal((4000, 2))
    w = np.where(np.arange(4000) < 400, 1.0, 1e-3)
    rows, drawn = sample_rows(wrapped(X), 300, w, np.random.RandomState(0))
    assert (rows < 400).mean() > 0.9
    assert drawn.sum() == pytest.approx(w.sum(), rel=0.15)


def test_few_rows_far_away_are_not_missed():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((20_000, 6))
    X[:8] += 1e3
    for seed in range(5):
        rows, _ = sample_rows(wrapped(X), 2500, None, np.random.RandomState(seed))
        assert (rows < 8).sum() == 8
        model = ReducedKMeans(4, n_init=1, random_state=seed).fit(X)
        assert model.inertia_ < 6 * len(X)  # without a centre there: 8e6 x 6 more
    # nor do they take the digits of the others, reduced or not
    for far in (1e7, 1e8):
        Y = np.vstack(
            [rng.randn(5999, 100) + 20 * rng.randint(4, size=(5999, 1)), far * np.ones(100)]
        )
        model = ReducedKMeans(5, random_state=0).fit(Y)
        assert model.inertia_ < 1.1 * 5999 * 100
        assert np.bincount(model.labels_).min() == 1


@pytest.mark.parametrize("k", [3001, 5900])
def test_nearly_as_many_clusters_as_rows(k):
    X = np.random.RandomState(0).standard_normal((6000, 3))
    model = ReducedKMeans(k, n_init=1, max_iter=2, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == k


def test_as_many_clusters_as_different_rows():
    X = np.repeat(np.random.RandomState(0).standard_normal((1500, 3)), 4, axis=0)
    model = ReducedKMeans(1500, n_init=1, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(0.0, abs=1e-9)


def test_few_entries_are_not_reduced():
    X = sp.random_array((6000, 3000), density=2e-3, random_state=0, format="csr")
    assert ReducedKMeans(5, n_init=1, random_state=0).fit(X).reducer_ is None
    X = sp.random_array((6000, 600), density=0.1, random_state=0, format="csr")
    assert ReducedKMeans(5, n_init=1, random_state=0).fit(X).reducer_ is not None


def test_a_seed_means_the_same():
    models = [ReducedKMeans(9, n_init=2, random_state=5).fit(MANY) for _ in range(2)]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)


@pytest.mark.parametrize("put", [np.asarray, np.asfortranarray, np.float32, sp.csr_array])
@pytest.mark.parametrize("k", [1, 3, 70])
def test_two_nearest_centres(put, k):
    rng = np.random.default_rng(0)
    for n in (40, 3000):  # by products of all rows, and by blocks
        X, centers = rng.standard_normal((n, 20)) + 5.0, rng.standard_normal((k, 20)) + 5.0
        labels, near, second = nearest_two(wrapped(put(X)), centers)
        squares = np.sort(np.square(X[:, None] - centers).sum(axis=2), axis=1)
        np.testing.assert_allclose(near, squares[:, 0], rtol=1e-4)
        if k > 1:
            np.testing.assert_allclose(second, squares[:, 1], rtol=1e-4)
        np.testing.assert_array_equal(labels, nearest(wrapped(put(X)), centers))


@pytest.mark.parametrize("put", [np.asarray, np.float32, sp.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_iterations_end_when_they_bring_little(put, weighted):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 5)) + 100.0
    w = rng.uniform(0.5, 2.0, 3000) if weighted else None
    runs = [descended(wrapped(put(X)), X[:30], steps, w) for steps in range(1, 41)]
    losses = np.array([run.loss for run in runs])
    for run in runs[::13]:
        squares = np.square(X - run.centers[run.labels]).sum(axis=1)
        exact = squares.sum() if w is None else w @ squares
        assert run.loss == pytest.approx(exact, rel=1e-3 if put is np.float32 else 1e-9)
    ended = descended(wrapped(put(X)), X[:30], 300, w, tol=1e-3)
    gains = -np.diff(losses) / losses[1:]
    assert ended.n_iter == 2 + int(np.argmax(gains <= 1e-3))
    assert ended.loss == pytest.approx(losses[ended.n_iter - 1])


def test_from_given_centres_many_rows_go_on_as_few_do():
    start = MANY[:6]
    model = ReducedKMeans(6, init=start).fit(MANY)
    theirs = KMeans(6, init=start, n_init=1, tol=0).fit(MANY)
    assert model.reducer_ is None
    assert theirs.inertia_ <= model.inertia_ <= 1.003 * theirs.inertia_


def test_too_few_points_to_tell_apart_among_many_rows():
    X = np.repeat(np.arange(3.0), 2500)[:, None]
    with pytest.raises(ValueError, match="n_clusters=4, but only 3 can be told apart: the data"):
        ReducedKMeans(4, random_state=0).fit(X)
    assert ReducedKMeans(3, random_state=0).fit(X).inertia_ == pytest.approx(0.0, abs=1e-9)


# -- how far to reduce ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "features", "k", "dimensions"),
    [
        (6000, 200, 5, 15),  # ten more than clusters
        (6000, 200, 100, 50),  # but not above fifty
        (6000, 199, 100, None),  # four features for each, or it does not pay
        (6000, 59, 5, None),
        (6000, 60, 5, 15),
        (300, 60, 45, 50),  # sooner for few rows, of which all starts are run to their end
        (300, 16, 5, 15),
        (300, 15, 5, None),
        (300, 60, 1, None),
    ],
)
def test_dimensions_by_what_they_are_worth(rows, features, k, dimensions):
    X = np.random.default_rng(0).standard_normal((rows, features)).astype(np.float32)
    model = ReducedKMeans(k, n_init=1, max_iter=1, n_polish=0, random_state=0).fit(X)
    assert getattr(model.reducer_, "n_components_", None) == dimensions


def test_directions_of_a_sample_hold_the_groups():
    X, y, centers = groups(6000, 80, 6, far=3.0)
    X = X + 1e8  # far more than float32 could hold beside the groups
    model = ReducedKMeans(6, n_init=1, random_state=0).fit(X)
    assert model.reducer_.n_components_ == 16
    assert metrics.nmi(y, model.labels_) == pytest.approx(1.0)
    apart = centers[1:] - centers[0]
    inside = np.linalg.norm(apart @ model.reducer_.components_.T, axis=1)
    np.testing.assert_allclose(inside, np.linalg.norm(apart, axis=1), rtol=0.02)
    assert model.inertia_ == pytest.approx(metrics.kmeans_objective(X, model.labels_))


def test_polishing_as_much_as_is_worth_it():
    X = np.random.default_rng(0).standard_normal((6000, 100)).astype(np.float32)
    losses = {
        steps: ReducedKMeans(10, n_init=1, n_polish=steps, random_state=0).fit(X).inertia_
        for steps in (0, 1, 8, None)
    }
    assert losses[0] > losses[1] > losses[8]
    assert losses[8] <= losses[None] <= 1.0005 * losses[8]
