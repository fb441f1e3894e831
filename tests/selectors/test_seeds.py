"""Which methods are random, and what a seed is."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from calls import needs
from sklearn.base import BaseEstimator

import colonnade
from colonnade import METHODS, datasets, metrics, select
from colonnade.linalg import svd
from colonnade.metrics import kernel_features as metrics_kernel
from colonnade.selectors.representatives import facility_location, medoids

SEEDED = [
    item
    for item in (getattr(colonnade, name) for name in colonnade.__all__)
    if inspect.isclass(item)
    and issubclass(item, BaseEstimator)
    and "random_state" in inspect.signature(item).parameters
]
MEASURES = [
    item
    for item in vars(metrics).values()
    if inspect.isfunction(item) and "random_state" in inspect.signature(item).parameters
]


def data():
    rng = np.random.default_rng(0)
    return np.abs(rng.standard_normal((40, 30))) @ np.diag(np.linspace(2.0, 0.5, 30))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", METHODS)
def test_random_methods_say_so(name, monkeypatch):
    """Also those that do so for large data only."""
    monkeypatch.setattr(svd, "EXACT_SIDE", 5)
    monkeypatch.setattr(facility_location, "LAZY", 5)
    monkeypatch.setattr(medoids, "SAMPLE", 5)
    X = data()
    params = needs(name, X, 4)
    params.pop("random_state", None)
    before = np.random.get_state()  # noqa: NPY002
    select(X, 4, method=name, **params)
    after = np.random.get_state()  # noqa: NPY002
    drawn = before[2] != after[2] or (before[1] != after[1]).any()
    assert drawn == METHODS[name].randomized


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("make", SEEDED)
def test_a_numpy_integer_is_a_seed_of_estimators(make):
    X, y = data(), np.arange(40) % 3
    found = []
    for seed in (3, np.int64(3), np.uint8(3)):
        fitted = make(random_state=seed).fit(X, y)
        found.append(fitted.transform(X) if hasattr(fitted, "transform") else fitted.labels_)
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], atol=1e-10)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_numpy_integer_is_a_seed_of_measures(measure, monkeypatch):
    X = data()
    given = {"X": X, "K": X @ X.T, "rank": 3, "svd": "randomized", "features": X[:, :3],
             "selection": select(X, 3), "columns": select(X, 3)}  # fmt: skip
    params = {key: given[key] for key in inspect.signature(measure).parameters if key in given}
    monkeypatch.setattr(metrics_kernel, "EXACT_SIDE", 5)
    drawn = []

    def spy(A, rank, rng):
        drawn.append(rng.randint(2**31))
        return svd.leading_right_singular_vectors(A, rank, rng)

    for module in (metrics.reconstruction, metrics_kernel):
        monkeypatch.setattr(module, "leading_right_singular_vectors", spy)
    for seed in (0, np.int64(0), np.uint8(0), 3, np.int64(3)):
        measure(random_state=seed, **params)
    assert drawn[0] == drawn[1] == drawn[2] != drawn[3] == drawn[4]


def test_a_numpy_integer_is_a_seed_of_made_data():
    one, other = (datasets.load("graded", random_state=seed).X for seed in (3, np.int64(3)))
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_something_is_tested():
    assert len(SEEDED) > 10
    assert {"best_rank_error", "relative_accuracy", "kernel_accuracy"} <= {
        measure.__name__ for measure in MEASURES
    }
