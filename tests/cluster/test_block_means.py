"""k-means by blocks at its edges: weights, units, empty clusters, ranges, what it learns from.

Each answer is that of the definition, or that of the same rows in memory.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from colonnade import ReducedKMeans, resources
from colonnade.cluster import block_means
from colonnade.operands.chunked.array import Chunked
from colonnade.operands.chunked.grouping import drawn_rows
from colonnade.operands.chunked.source import Source
from colonnade.operands.entrance import wrapped
from colonnade.operands.sums import sums_of

da = pytest.importorskip("dask.array")

BLOBS = make_blobs(700, 4, centers=5, cluster_std=1.5, random_state=0)[0]
UNITS = np.array([1.0, 3.0, 30.0, 0.2])


def chunked(X, rows=150):
    return da.from_array(X, chunks=(rows, -1))


def means_of(X, labels, k, weights):
    return np.array(
        [np.average(X[labels == j], axis=0, weights=weights[labels == j]) for j in range(k)]
    )


@pytest.mark.parametrize("unit", [1e300, 1e-290])
def test_the_objective_has_the_unit_of_the_weights(unit):
    weights = np.random.default_rng(0).integers(1, 4, len(BLOBS)).astype(float)
    model = ReducedKMeans(5, random_state=0).fit(chunked(BLOBS), sample_weight=unit * weights)
    gaps = BLOBS - means_of(BLOBS, model.labels_, 5, weights)[model.labels_]
    np.testing.assert_allclose(model.inertia_ / unit, weights @ np.square(gaps).sum(axis=1))


@pytest.mark.parametrize("weighted", [False, True])
def test_given_centres_are_in_the_units_of_the_data(weighted):
    """One iteration from given centres is the definition: nearest in units, then means."""
    X, start = BLOBS * UNITS, (BLOBS * UNITS)[:5]
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    weights = weights if weighted else np.ones(len(X))
    model = ReducedKMeans(5, random_state=0, init=start, scale="std", max_iter=1, n_polish=0)
    model.fit(chunked(X), sample_weight=weights)
    mean = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    Z = X / spread
    first = ((Z[:, None] - (start / spread)[None]) ** 2).sum(axis=2).argmin(axis=1)
    means = means_of(Z, first, 5, weights)
    labels = ((Z[:, None] - means[None]) ** 2).sum(axis=2).argmin(axis=1)
    kept = weights > 0
    assert (model.labels_[kept] == labels[kept]).mean() > 0.95


def test_a_cluster_of_rows_without_weight_is_empty():
    """The farthest row with a weight takes the centre that only weightless rows are near to."""
    X = np.array([[0.0], [10.0], [10.5], [500.0], [14.0]])
    weights = np.array([1.0, 1.0, 1.0, 0.0, 1.0])
    labels = np.array([0, 1, 1, 2, 1])
    A = Chunked(Source(chunked(X, 2)))
    assert block_means._fill(A, labels, np.array([[0.0], [10.0], [500.0]]), weights)
    assert labels[[0, 1, 2, 4]].tolist() == [0, 1, 1, 2]
    assert not block_means._fill(A, labels, np.array([[0.0], [10.0], [14.0]]), weights)


def test_a_centre_that_loses_its_rows_while_polishing_takes_the_farthest():
    """Clusters of the reduced data that are no clusters of the data leave none empty."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(40, 2)), [[60.0, 0.0]], rng.normal(size=(9, 2)) + 9])
    for k in (4, 6, 9):
        for steps in (1, 2, 5):
            labels = rng.integers(0, 2, len(X))  # all others are empty
            labels[:k] = range(k)
            kept = []

            def as_kept(centers, kept=kept):
                kept.append(centers)
                return centers

            found, loss = block_means._polished(
                Chunked(Source(chunked(X, 17))), labels, k, steps, None, as_kept
            )
            assert set(found) == set(range(k))
            gaps = X - means_of(X, found, k, np.ones(len(X)))[found]
            np.testing.assert_allclose(loss, np.square(gaps).sum(), rtol=1e-9, atol=1e-9)


def test_labels_of_an_emptied_cluster_are_those_of_the_centres_that_are_kept():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [100.0], [101.0]])
    last = []

    def as_kept(centers):
        last.append(centers)
        return centers

    # the third centre is far from all rows, so that the first step leaves it without any
    labels = np.array([0, 0, 1, 1, 2, 0])
    found, loss = block_means._polished(Chunked(Source(chunked(X, 2))), labels, 3, 1, None, as_kept)
    nearest = np.abs(X - last[-1].T).argmin(axis=1)
    assert (found == nearest).all()
    assert loss == pytest.approx(
        sum(np.square(X[found == j] - X[found == j].mean()).sum() for j in set(found))
    )


@pytest.mark.parametrize("size", [2.0**60, 2.0**-60])
def test_float32_out_of_the_range_of_its_squares(size):
    X = (BLOBS * size).astype(np.float32)
    model = ReducedKMeans(5, random_state=0).fit(chunked(X))
    plain = ReducedKMeans(5, random_state=0).fit(BLOBS)
    assert model.inertia_ / size**2 == pytest.approx(plain.inertia_, rel=0.005)


def test_a_row_that_is_far_away_does_not_take_the_digits_of_others():
    """Clusters of size 1e-3 beside a row at 1e7: float32 would put them into one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) * 1e-5 + np.repeat(
        [[0.0, 0], [1e-2, 0], [0, 1e-2]], [150, 150, 100], axis=0
    )
    X = np.concatenate([X, [[3e7, 3e7]]])
    model = ReducedKMeans(4, random_state=0, n_init=5, n_polish=0).fit(chunked(X))
    assert len({tuple(model.labels_[a:b]) for a, b in ((0, 150), (150, 300), (300, 400))}) == 3
    for a, b in ((0, 150), (150, 300), (300, 400)):
        assert len(set(model.labels_[a:b])) == 1


@pytest.mark.parametrize("units", [None, UNITS])
def test_squares_about_the_mean_are_in_units(units):
    X = BLOBS + np.array([5.0, 0.0, -3.0, 1.0])
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    mean, weight, spread = block_means._about(sums_of(wrapped(X), weights, ()), units)
    Z = X if units is None else X / units
    center = np.average(Z, axis=0, weights=weights)
    np.testing.assert_allclose(mean, center, rtol=1e-12)
    assert weight == weights.sum()
    assert spread == pytest.approx(weights @ np.square(Z - center).sum(axis=1), rel=1e-12)


def test_rows_that_are_drawn_stand_for_all():
    """Weights are those of the rows over their chances, which the definition gives."""
    weights = np.random.default_rng(0).integers(0, 4, len(BLOBS)).astype(float)
    mean = np.average(BLOBS, axis=0, weights=weights)
    far = np.square(BLOBS - mean).sum(axis=1)
    spread = float(weights @ far)
    odds = 0.5 * weights / weights.sum() + 0.5 * weights * far / spread
    chances = np.minimum(100.0 * odds, 1.0)
    draws = np.random.default_rng(1).random(len(BLOBS))
    A = Chunked(Source(chunked(BLOBS)))
    rows, loads = drawn_rows(A, 100.0, weights, (mean, weights.sum(), spread), draws)
    there = draws < chances
    np.testing.assert_array_equal(rows, BLOBS[there])
    np.testing.assert_allclose(loads, weights[there] / chances[there], rtol=1e-12)


def test_the_sample_counts_by_its_weights(monkeypatch):
    """Directions are those of weighted rows: of a sample that leaves rare rows out, others."""
    seen = []
    fit = block_means.SVDProjection.fit_transform_checked

    def watched(self, X, names, weights):
        seen.append((X.shape[0], weights))
        return fit(self, X, names, weights)

    monkeypatch.setattr(block_means.SVDProjection, "fit_transform_checked", watched)
    X = make_blobs(7000, 80, centers=5, random_state=0)[0]
    ReducedKMeans(5, random_state=0).fit(chunked(X, 2000))
    ((count, loads),) = seen
    assert count < len(X)
    assert loads.sum() == pytest.approx(len(X), rel=0.1)


def test_directions_are_measured_from_the_mean():
    """What is projected has mean zero, so that float32 tells rows far from zero apart at once."""
    X = make_blobs(3000, 60, centers=4, random_state=0)[0]
    found, passes = [], []
    for offset in (0.0, 3e6):
        with resources() as given:
            model = ReducedKMeans(4, random_state=0, n_polish=0).fit(chunked(X + offset, 1000))
        found.append(model.inertia_)
        passes.append(given.used.passes)
    assert found[1] == pytest.approx(found[0], rel=1e-3)
    assert passes[0] == passes[1]
