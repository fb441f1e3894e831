"""Moves of single rows after k-means: against brute force, and what they may not break."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import FunctionTransformer

from colonnade import ReducedKMeans, datasets, metrics
from colonnade.cluster import steps
from colonnade.cluster.steps import with_moves
from colonnade.operands import loops
from colonnade.operands.entrance import wrapped

CONTAINERS = [np.asarray, np.asfortranarray, np.float32, sp.csr_array]


def loss(X, labels, w):
    """The objective by its definition."""
    total = 0.0
    for c in np.unique(labels):
        inside = labels == c
        gaps = X[inside] - np.average(X[inside], axis=0, weights=w[inside])
        total += w[inside] @ (gaps**2).sum(axis=1)
    return total


def best_move(X, labels, k, w):
    """Return the least objective of all partitions that differ in the cluster of one row."""
    least = np.inf
    for i in range(len(X)):
        if np.count_nonzero(labels == labels[i]) == 1:
            continue
        for c in range(k):
            other = labels.copy()
            other[i] = c
            least = min(least, loss(X, other, w))
    return least


def moved_by_hand(X, labels, k, w):
    """Visit rows in order and move each to where the objective is least, until none moves."""
    labels, moved = labels.copy(), True
    while moved:
        moved = False
        for i in range(len(X)):
            if np.count_nonzero(labels == labels[i]) == 1:
                continue
            losses = [loss(X, np.r_[labels[:i], c, labels[i + 1 :]], w) for c in range(k)]
            if min(losses) < losses[labels[i]] * (1 - 1e-9):
                labels[i], moved = int(np.argmin(losses)), True
    return labels


@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_move_of_a_single_row_helps(put, weighted):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, labels = rng.integers(-9, 9, (30, 3)).astype(float), np.arange(30) % 5
        w = rng.uniform(0.2, 4.0, 30) if weighted else None
        loads = np.ones(30) if w is None else w
        found, centers = with_moves(wrapped(put(X)), labels, 5, 100, w)
        reached = loss(X, found, loads)
        assert reached < loss(X, labels, loads)
        assert best_move(X, found, 5, loads) >= reached * (1 - 1e-6)
        np.testing.assert_array_equal(found, moved_by_hand(X, labels, 5, loads))
        means = [np.average(X[found == c], axis=0, weights=loads[found == c]) for c in range(5)]
        np.testing.assert_allclose(centers, means, rtol=1e-5, atol=1e-5)
        # then every row is nearest to its own mean
        gaps = np.linalg.norm(X[:, None] - np.array(means), axis=2)
        np.testing.assert_array_equal(gaps.argmin(axis=1), found)


@pytest.mark.parametrize("put", CONTAINERS)
def test_many_rows_are_looked_through_first(put, monkeypatch):
    monkeypatch.setattr(steps, "FEW_ROWS", 10)
    monkeypatch.setattr(steps, "STRIP_ROWS", 7)
    monkeypatch.setattr(steps, "CENTERS", 2)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, w = rng.integers(-9, 9, (30, 3)).astype(float), rng.uniform(0.2, 4.0, 30)
        found, _ = with_moves(wrapped(put(X)), np.arange(30) % 5, 5, 100, w)
        assert best_move(X, found, 5, w) >= loss(X, found, w) * (1 - 1e-6)
    # where few move, only these are visited
    visited = []
    kept = loops.move_rows
    monkeypatch.setattr(
        loops, "move_rows", lambda X, *rest: visited.append(len(X)) or kept(X, *rest)
    )
    labels = found.copy()
    labels[3] = (labels[3] + 1) % 5
    with_moves(wrapped(put(X)), labels, 5, 100, w)
    assert visited[0] > 0
    assert sum(visited) < 30


def test_the_last_row_of_a_cluster_stays():
    X = np.array([[0.0], [1.0], [1.1], [5.0]])
    found, centers = with_moves(wrapped(X), np.array([0, 1, 1, 2]), 3, 10)
    assert found.tolist() == [0, 1, 1, 2]
    assert centers.ravel().tolist() == pytest.approx([0.0, 1.05, 5.0])


def test_rounds_are_counted():
    rng = np.random.default_rng(0)
    X, labels, w = rng.standard_normal((60, 2)), np.arange(60) % 6, np.ones(60)
    losses = [loss(X, with_moves(wrapped(X), labels, 6, rounds)[0], w) for rounds in (0, 1, 2, 50)]
    assert losses[0] == loss(X, labels, w)
    assert losses[0] > losses[1] > losses[2] >= losses[3]


@pytest.mark.parametrize("put", [np.asarray, np.float32, sp.csr_array])
@pytest.mark.parametrize("scale", [None, "std"])
def test_online_lowers_what_k_means_ends_at(put, scale):
    better = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, w = rng.standard_normal((40, 4)) + 3.0, rng.uniform(0.5, 2.0, 40)
        start = X[:8]
        plain = ReducedKMeans(8, init=start, n_polish=50, scale=scale)
        model = ReducedKMeans(8, init=start, n_polish=50, scale=scale, online=True)
        plain.fit(put(X), sample_weight=w)
        model.fit(put(X), sample_weight=w)
        assert model.inertia_ <= plain.inertia_ * (1 + 1e-6)
        better += model.inertia_ < 0.999 * plain.inertia_
        np.testing.assert_array_equal(model.predict(put(X)), model.labels_)
        Z = X if scale is None else X / model.units_
        assert model.inertia_ == pytest.approx(loss(Z, model.labels_, w), rel=1e-5)
        assert best_move(Z, model.labels_, 8, w) >= model.inertia_ * (1 - 1e-5)
    assert better >= 2


def test_online_is_true_or_false():
    with pytest.raises(TypeError, match="online must be True or False, got 'yes'"):
        ReducedKMeans(2, online="yes").fit(np.eye(5))


# -- Boutsidis, Zouzias & Drineas, Table 2 --------------------------------------------------------


@pytest.fixture(scope="module")
def faces():
    if "orl_64x64" not in datasets.names():
        pytest.skip("needs the faces of ORL in COLONNADE_DATA")
    data = datasets.load("orl_64x64")
    return np.asarray(data.X, dtype=float), data.y


@pytest.mark.parametrize(
    ("t", "accuracy", "share"),
    [(10, 0.59, 0.0262), (20, 0.675, 0.0268), (50, 0.765, 0.0269), (100, 0.65, 0.0324)],
)
def test_singular_vectors_of_faces(faces, t, accuracy, share):
    """Their column SVD to the digit; MATLAB's k-means ends with moves of single points."""
    X, y = faces
    U = np.linalg.svd(X, full_matrices=False)[0][:, :t]
    model = ReducedKMeans(40, FunctionTransformer(), init=U[::10], n_polish=0, online=True).fit(U)
    assert round(metrics.matched_accuracy(y, model.labels_), 4) == accuracy
    assert round(metrics.normalized_objective(X, model.labels_), 4) == share
