"""Kernels of points wherever they are, and of any size."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from colonnade import Kernel, Nystroem, RLSClassifier, select
from colonnade.operands.kernel import kernel_values


@pytest.mark.parametrize("offset", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("landmarks", ["partition-greedy", "greedy", "random-pivot"])
@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
def test_distances_do_not_depend_on_where_zero_is(offset, dtype, landmarks):
    # whole numbers, so that moving them costs them nothing
    steps = np.random.default_rng(0).integers(-8, 9, (150, 2)) * (8.0 if offset == 1e8 else 1.0)
    X = (steps + offset).astype(dtype)
    gamma = 0.02 / np.square(steps).mean() * 50
    K = rbf_kernel(steps, gamma=gamma)
    model = Nystroem(gamma=gamma, n_components=80, landmarks=landmarks, random_state=0)
    Z = model.fit_transform(X).astype(np.float64)
    there = Nystroem(gamma=gamma, n_components=80, landmarks=landmarks, random_state=0)
    expected = there.fit_transform(steps)
    lost, usual = (np.trace(K) - np.square(z).sum() for z in (Z, expected))
    assert lost == pytest.approx(usual, rel=1e-3, abs=1e-3 if dtype == np.float32 else 1e-6)
    if model.relative_errors_ is not None:
        assert model.relative_errors_[-1] == pytest.approx(lost / np.trace(K), abs=1e-6)
    np.testing.assert_allclose(model.transform(X), Z, atol=1e-5)


@pytest.mark.parametrize("offset", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_centroids_do_not_depend_on_where_zero_is(offset, dtype):
    """Thirty groups far apart, so that there is one best partition, which any start leads to."""
    unit = 8.0 if offset == 1e8 else 1.0
    groups = 64 * np.stack(np.divmod(np.arange(150) % 30, 6), axis=1)
    steps = unit * (groups + np.random.default_rng(0).integers(-2, 3, (150, 2)))
    gamma = 0.1 / unit**2
    lost = []
    for X in ((steps + offset).astype(dtype), steps):
        model = Nystroem(gamma=gamma, n_components=30, landmarks="kmeans", random_state=0)
        Z = model.fit_transform(X).astype(np.float64)
        np.testing.assert_allclose(model.transform(X), Z, atol=1e-5)
        lost.append(150 - np.square(Z).sum())
    assert lost[0] == pytest.approx(lost[1], rel=1e-3)
    assert 10 < lost[1] < 140


def test_a_kernel_between_points_far_from_zero():
    steps = np.random.default_rng(0).integers(-8, 9, (20, 2)).astype(float)
    K = rbf_kernel(steps, gamma=0.3)
    far = steps + 1e7
    found = kernel_values(far, far[:7], "rbf", {"gamma": 0.3})
    np.testing.assert_allclose(found, K[:, :7], rtol=1e-12)
    np.testing.assert_allclose(Kernel(far, kernel="rbf", gamma=0.3).gram(), K, rtol=1e-12)
    labels = np.arange(20) % 2
    model = RLSClassifier(1e-6, kernel="rbf", gamma=0.3).fit(far, labels)
    near = RLSClassifier(1e-6, kernel="rbf", gamma=0.3).fit(steps, labels)
    np.testing.assert_allclose(
        model.decision_function(far), near.decision_function(steps), rtol=1e-6
    )


def test_a_kernel_that_overflows_says_so():
    X = np.random.default_rng(0).integers(-2, 3, (9, 3)) * 1e80
    with pytest.raises(ValueError, match="not finite, such as inf; check its parameters, or scale"):
        Nystroem("polynomial", n_components=3).fit(X)


@pytest.mark.parametrize("size", [1e-140, 1e140, 1e200])
def test_kernels_of_any_size(size):
    K = rbf_kernel(np.random.default_rng(0).standard_normal((30, 3)))
    usual, found = select(Kernel(K), 8), select(Kernel(K * size), 8)
    np.testing.assert_array_equal(found.indices, usual.indices)
    np.testing.assert_allclose(found.embedding / np.sqrt(size), usual.embedding, atol=1e-10)


def test_a_slightly_negative_eigenvalue_is_seen():
    vectors = np.linalg.qr(np.random.default_rng(0).standard_normal((20, 20)))[0]
    values = np.linspace(0.1, 1, 20)
    values[0] = -1e-9
    K = (vectors * values) @ vectors.T
    with pytest.raises(ValueError, match="its smallest eigenvalue is -1e-09"):
        Kernel((K + K.T) / 2)
