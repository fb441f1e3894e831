"""Measures of partitions against loops over points, and scikit-learn's where it has them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from colonnade import as_operand, metrics

RNG = np.random.default_rng(0)
X = np.abs(RNG.standard_normal((60, 7))) * [1, 1, 5, 1, 0, 1, 1]
CLASSES = RNG.integers(0, 4, 60)
LABELS = RNG.integers(0, 5, 60)


def clusters():
    return [np.flatnonzero(c == LABELS) for c in range(5)]


def test_objective_is_the_sum_of_squared_distances():
    expected = sum(((X[c] - X[c].mean(axis=0)) ** 2).sum() for c in clusters())
    assert metrics.kmeans_objective(X, LABELS) == pytest.approx(expected)
    assert metrics.normalized_objective(X, LABELS) == pytest.approx(expected / (X**2).sum())
    model = KMeans(5, n_init=1, random_state=0).fit(X)
    assert metrics.kmeans_objective(X, model.labels_) == pytest.approx(model.inertia_)


def test_objective_does_not_cancel():
    far = X + 1e8
    expected = sum(((far[c] - far[c].mean(axis=0)) ** 2).sum() for c in clusters())
    assert metrics.kmeans_objective(far, LABELS) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("large", [1e7, 1e9])
@pytest.mark.parametrize("sparse", [sp.csr_array, sp.csc_array])
def test_a_column_of_large_numbers_hides_no_other(large, sparse):
    wide = np.column_stack([X * (X > 0.5), np.full(60, large)])
    expected = sum(((wide[c, :-1] - wide[c, :-1].mean(axis=0)) ** 2).sum() for c in clusters())
    assert metrics.kmeans_objective(sparse(wide), LABELS) == pytest.approx(expected, rel=1e-9)
    assert metrics.kmeans_objective(wide, LABELS) == pytest.approx(expected, rel=1e-9)


def test_zero_data_has_no_objective():
    for zeros in (np.zeros((4, 2)), sp.csr_array((4, 2))):
        assert metrics.normalized_objective(zeros, [0, 0, 1, 1]) == 0.0
        assert metrics.kmeans_objective(zeros, [0, 0, 1, 1]) == 0.0


def test_accuracy_tries_every_matching():
    table = np.array([[((i == CLASSES) & (j == LABELS)).sum() for j in range(5)] for i in range(4)])
    best = max(sum(table[i, p[i]] for i in range(4)) for p in itertools.permutations(range(5), 4))
    assert metrics.matched_accuracy(CLASSES, LABELS) == pytest.approx(best / 60)
    assert metrics.purity(CLASSES, LABELS) == pytest.approx(table.max(axis=0).sum() / 60)


def test_f_measure_and_entropy_by_their_definitions():
    total, disorder = 0.0, 0.0
    for i in range(4):
        of_class = i == CLASSES
        scores = []
        for j in range(5):
            both = (of_class & (j == LABELS)).sum()
            precision, recall = both / (j == LABELS).sum(), both / of_class.sum()
            scores.append(2 * precision * recall / (precision + recall) if both else 0.0)
        total += max(scores) * of_class.sum() / 60
    for c in clusters():
        shares = [(CLASSES[c] == i).mean() for i in range(4)]
        disorder -= sum(p * math.log(p) for p in shares if p > 0) * len(c) / 60
    assert metrics.f_measure(CLASSES, LABELS) == pytest.approx(total)
    assert metrics.entropy(CLASSES, LABELS) == pytest.approx(disorder)
    assert metrics.entropy(CLASSES, CLASSES) == 0.0


def test_nmi_is_scikit_learns_with_the_geometric_mean():
    expected = normalized_mutual_info_score(CLASSES, LABELS, average_method="geometric")
    assert metrics.nmi(CLASSES, LABELS) == pytest.approx(expected)
    assert metrics.nmi(np.array(list("abcd"))[CLASSES], LABELS) == pytest.approx(expected)


def test_internal_indices_by_loops():
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    similarity = sum((unit[c] @ unit[c].T).mean() for c in clusters())
    assert metrics.overall_similarity(X, LABELS) == pytest.approx(similarity)
    means = [X[c].mean(axis=0) for c in clusters()]
    compact = [((X[c] - m) ** 2).sum() for c, m in zip(clusters(), means, strict=True)]
    index = sum(
        compact[j] / len(clusters()[j]) / sum(((means[j] - m) ** 2).sum() for m in means)
        for j in range(5)
    )
    nearest = min(((a - b) ** 2).sum() for a, b in itertools.combinations(means, 2))
    assert metrics.partition_index(X, LABELS) == pytest.approx(index)
    assert metrics.separation_index(X, LABELS) == pytest.approx(sum(compact) / 60 / nearest)


def test_sparse_gives_the_same(container):
    given = container(X)
    for name in ("kmeans_objective", "overall_similarity", "partition_index", "separation_index"):
        measure = getattr(metrics, name)
        assert measure(given, LABELS) == pytest.approx(measure(X, LABELS))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("factor", [1e120, 1e-120, 2.0**300])
def test_units_do_not_matter(factor, convert):
    given = convert(X * factor)
    for name in (
        "normalized_objective", "overall_similarity", "partition_index", "separation_index"
    ):  # fmt: skip
        measure = getattr(metrics, name)
        assert measure(given, LABELS) == pytest.approx(measure(X, LABELS), rel=1e-9), name
    expected = metrics.kmeans_objective(X, LABELS) * factor * factor
    assert metrics.kmeans_objective(given, LABELS) == pytest.approx(expected, rel=1e-9, abs=0.0)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_operands_are_data(convert):
    for name in (
        "kmeans_objective", "normalized_objective", "overall_similarity", "partition_index",
        "separation_index",
    ):  # fmt: skip
        measure = getattr(metrics, name)
        assert measure(as_operand(convert(X)), LABELS) == pytest.approx(measure(X, LABELS)), name


def test_entries_in_several_parts_are_added():
    C = sp.csr_array(X)
    parts = (np.repeat(C.data / 2, 2), np.repeat(C.indices, 2), C.indptr * 2)
    given = sp.csr_array(parts, shape=C.shape)
    for name in ("kmeans_objective", "normalized_objective", "overall_similarity"):
        measure = getattr(metrics, name)
        assert measure(given, LABELS) == pytest.approx(measure(X, LABELS)), name
    assert given.nnz == 2 * C.nnz


def test_zero_rows_are_similar_to_nothing():
    A = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert metrics.overall_similarity(sp.csr_array(A), [0, 0]) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.nmi([0, 1], [0]), r"labels have shape \(1,\), but the data has 2 rows"),
        (lambda: metrics.nmi([], []), "there are no labels; give one for each point"),
        (lambda: metrics.matched_accuracy([], []), "there are no labels"),
        (lambda: metrics.purity([], []), "there are no labels"),
        (lambda: metrics.f_measure([], []), "there are no labels"),
        (lambda: metrics.entropy([], []), "there are no labels"),
        (lambda: metrics.purity([0, None], [0, 1]), "the label of row 1 is missing"),
        (lambda: metrics.kmeans_objective(X, LABELS[:-1]), "the data has 60 rows"),
        (lambda: metrics.partition_index(X, np.zeros(60)), "one cluster only"),
        (lambda: metrics.separation_index([[1.0], [1.0]], [0, 1]), "the same centroid"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
