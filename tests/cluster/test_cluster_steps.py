"""The steps of k-means against scikit-learn's and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise_distances_argmin

from colonnade import ReducedKMeans, as_operand, metrics
from colonnade.cluster.steps import centroids, fill_empty, nearest, polished
from colonnade.linalg.svd import orthonormal

DIGITS = load_digits().data


@pytest.mark.parametrize("k", [1, 7, 64, 65, 150])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("convert", [np.asarray, np.asfortranarray, sp.csr_array, np.float32])
def test_nearest_is_scikit_learns(k, offset, convert):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 6)) + offset
    centers = rng.standard_normal((k, 6)) + offset
    found = nearest(as_operand(convert(X)), centers)
    expected = pairwise_distances_argmin(X, centers)
    # in float32 the data themselves move by 1e-3 when there is a large common part
    wrong = np.count_nonzero(found != expected)
    assert wrong <= (5 if convert is np.float32 else 0)


def test_nearest_takes_the_first_of_equally_near_centres():
    centers = np.repeat([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], 40, axis=0)
    assert set(nearest(as_operand([[2.0, 0.0], [-3.0, 1.0]]), centers)) == {0, 80}


def test_an_empty_cluster_gets_the_row_that_fits_worst():
    labels, fit = np.array([0, 0, 0, 2, 2]), np.array([-1.0, -9.0, -2.0, -10.0, -1.0])
    fill_empty(labels, fit, 4, perfect=0.0)
    assert labels.tolist() == [0, 3, 0, 1, 2]
    assert fit.tolist() == [-1.0, 0.0, -2.0, 0.0, -1.0]


def test_a_cluster_that_runs_empty_while_polishing_is_filled():
    # the second cluster's mean lies between the two others, which take all its points
    X = np.array([[0.0], [0.2], [10.0], [10.2], [0.1], [10.1], [4.0]])
    labels = np.array([0, 0, 2, 2, 1, 1, 0])
    found, centers = polished(as_operand(X), labels, 3, 1)
    assert np.bincount(found, minlength=3).min() == 1
    assert metrics.kmeans_objective(X, found) < metrics.kmeans_objective(X, labels)
    assert centers.shape == (3, 1)


@pytest.mark.parametrize("steps", [1, 2, 3, 500])
def test_polishing_is_lloyds_iteration(steps):
    A, labels = as_operand(DIGITS), np.arange(len(DIGITS)) % 10
    found, centers = polished(A, labels, 10, steps)
    model = KMeans(
        10, init=centroids(A, labels, 10), n_init=1, max_iter=max(steps - 1, 1), tol=0,
        algorithm="lloyd",
    ).fit(DIGITS)  # fmt: skip
    if steps > 1:
        assert found.tolist() == model.labels_.tolist()
        np.testing.assert_allclose(centers, model.cluster_centers_, atol=1e-12)
    assert found.tolist() == pairwise_distances_argmin(DIGITS, centers).tolist()


def test_every_step_of_polishing_helps():
    A, labels = as_operand(DIGITS), np.arange(len(DIGITS)) % 10
    costs = [metrics.kmeans_objective(DIGITS, polished(A, labels, 10, s)[0]) for s in range(6)]
    assert all(np.diff(costs) < 0)


@pytest.mark.parametrize("convert", [np.asarray, np.float32, sp.csr_array])
def test_labels_are_those_that_predict_gives(convert):
    X = convert(DIGITS)
    model = ReducedKMeans(12, random_state=0).fit(X)
    assert model.labels_.tolist() == model.predict(X).tolist()
    assert model.reducer_.n_components_ == 22
    best = KMeans(12, n_init=5, random_state=0).fit(DIGITS).inertia_
    assert model.inertia_ <= 1.01 * best


def test_no_more_directions_than_rows():
    X = np.random.default_rng(0).standard_normal((6, 40))
    model = ReducedKMeans(2, random_state=0).fit(X)
    assert model.reducer_.n_components_ <= 6


@pytest.mark.parametrize("shape", [(5, 3), (47, 3), (48, 3), (49, 3), (5000, 7), (9000, 1)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_orthonormal_bases_of_tall_matrices(shape, dtype):
    Y = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    Y[:, 0] *= 1e3
    Q = orthonormal(Y)
    assert Q.dtype == dtype
    tolerance = 20 * np.finfo(dtype).eps
    np.testing.assert_allclose(Q.T @ Q, np.eye(shape[1]), atol=tolerance)
    np.testing.assert_allclose(Q @ (Q.T @ Y), Y, atol=1e5 * tolerance)
