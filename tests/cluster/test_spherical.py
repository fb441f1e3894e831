"""k-means on the sphere: length, zeros, empty clusters and the climb of the objective."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade import SphericalKMeans

COUNTS = np.random.default_rng(3).poisson(0.6, (80, 30)).astype(float)
COUNTS[:, 0] += 1.0  # no row of zeros


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("factor", [1e-16, 1e-22, 1e-170, 1e160])
def test_directions_have_no_length(factor, convert):
    expected = SphericalKMeans(5, random_state=0).fit(COUNTS)
    model = SphericalKMeans(5, random_state=0).fit(convert(COUNTS * factor))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(convert(COUNTS * factor)), model.labels_)
    np.testing.assert_array_equal(model.predict(COUNTS), model.labels_)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("max_iter", [1, 2, 100])
@pytest.mark.parametrize("seed", range(5))
def test_labels_centres_and_objective_belong_together(seed, max_iter, dtype):
    data = COUNTS.astype(dtype)
    model = SphericalKMeans(6, max_iter=max_iter, n_init=1, random_state=seed).fit(data)
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    unit = COUNTS / np.linalg.norm(COUNTS, axis=1, keepdims=True)
    cosines = unit @ model.cluster_centers_.T
    rtol = 1e-12 if dtype is np.float64 else 1e-6
    assert model.objective_ == pytest.approx(cosines.max(axis=1).mean(), rel=rtol)
    own = cosines[np.arange(len(unit)), model.labels_]
    assert model.objective_ == pytest.approx(own.mean(), rel=rtol)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_rows_of_zeros_count_for_nothing(convert):
    places = [0, 7, 40, 80]
    data = np.insert(COUNTS, places, 0.0, axis=0)
    zero = ~data.any(axis=1)
    expected = SphericalKMeans(5, random_state=0).fit(COUNTS)
    model = SphericalKMeans(5, random_state=0).fit(convert(data))
    assert zero.sum() == len(places)
    assert not model.labels_[zero].any()
    np.testing.assert_array_equal(model.labels_[~zero], expected.labels_)
    np.testing.assert_array_equal(model.predict(convert(data)), model.labels_)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-12)


def test_no_more_clusters_than_directions():
    data = np.outer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 1.0])
    data[3:] = np.outer([1.0, 2.0, 3.0], [0.0, 1.0, 1.0])
    assert len(set(SphericalKMeans(2, random_state=0).fit(data).labels_)) == 2
    with pytest.raises(ValueError, match="n_clusters=3, but only 2 can be told apart: the rows"):
        SphericalKMeans(3, random_state=0).fit(data)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_no_more_clusters_than_rows_with_a_direction(convert):
    data = np.zeros((8, 3))
    data[[1, 4, 6]] = np.eye(3)
    assert set(SphericalKMeans(3, random_state=0).fit(convert(data)).labels_) == {0, 1, 2}
    with pytest.raises(ValueError, match=r"only 3 of 8 rows have .* n_clusters at most 3"):
        SphericalKMeans(4, random_state=0).fit(convert(data))


@pytest.mark.parametrize("tol", [0.0, 1e-5])
def test_the_objective_never_falls(tol):
    gains = 0
    for seed in range(10):
        path = climb(np.random.default_rng(seed).standard_normal((50, 6)), 8, seed, tol)
        assert all(np.diff(path) >= -1e-12)
        gains += path[-1] > path[0] + 1e-3
    assert gains > 5


def climb(data, k, seed, tol=0.0):
    """Return the objective after 1, 2, … 14 iterations."""
    return [
        SphericalKMeans(k, max_iter=i, n_init=1, tol=tol, random_state=seed).fit(data).objective_
        for i in range(1, 15)
    ]


def test_it_stops_at_a_relative_gain():
    # cosines of 0.1, so that a share of them and an absolute gain are ten times apart
    data = np.random.default_rng(0).standard_normal((150, 500))
    stops = set()
    for seed in range(5):
        path = climb(data, 4, seed)
        assert path[0] < 0.2
        for tol in (0.3, 0.1, 0.03, 0.003):
            gains = np.diff(path) / path[:-1]
            expected = 2 + int(np.argmax(gains <= tol))
            model = SphericalKMeans(4, n_init=1, tol=tol, random_state=seed).fit(data)
            assert model.n_iter_ == expected
            assert model.objective_ == path[expected - 1]
            stops.add(expected)
    assert len(stops) > 1


def test_the_best_start_counts():
    data = np.random.default_rng(0).standard_normal((60, 8))
    rng = np.random.RandomState(0)
    singles = [SphericalKMeans(6, n_init=1, random_state=rng).fit(data) for _ in range(6)]
    best = max(singles, key=lambda model: model.objective_)
    model = SphericalKMeans(6, n_init=6, random_state=0).fit(data)
    assert model.objective_ == best.objective_ > min(m.objective_ for m in singles) + 1e-3
    np.testing.assert_array_equal(model.labels_, best.labels_)
    assert model.n_iter_ == best.n_iter_


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_starts_that_coincide_still_give_all_clusters(convert, monkeypatch):
    monkeypatch.setattr(
        "colonnade.cluster.spherical.kmeans_plusplus",
        lambda unit, k, **how: (unit[[5] * k], [5] * k),
    )
    model = SphericalKMeans(6, n_init=1, random_state=0).fit(convert(COUNTS))
    assert set(model.labels_) == set(range(6))
    np.testing.assert_array_equal(model.predict(COUNTS), model.labels_)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_rows_that_cancel_leave_unit_centres(convert):
    opposite = convert(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    model = SphericalKMeans(1, random_state=0).fit(opposite)
    np.testing.assert_allclose(np.abs(model.cluster_centers_), [[1.0, 0.0]])
    assert model.objective_ == 0.0
    cross = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    for seed in range(5):
        for k in (1, 2, 3):
            model = SphericalKMeans(k, n_init=1, random_state=seed).fit(convert(cross))
            lengths = np.linalg.norm(model.cluster_centers_, axis=1)
            np.testing.assert_allclose(lengths, 1.0, rtol=1e-12)
