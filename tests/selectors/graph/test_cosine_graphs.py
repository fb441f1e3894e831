"""Graphs of samples by their angles: neighbours, weights, samples without a direction."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import BY_KIND

from colonnade import MCFSSelector, as_operand, select
from colonnade.operands import blocks
from colonnade.selectors.graph import neighbours
from colonnade.selectors.graph.neighbours import joined, neighbour_graph
from colonnade.selectors.problem import Problem

ORACLE = BY_KIND["graph"]
WEIGHTS = [("self-tuning", None), ("heat", 0.4), ("binary", None), ("cosine", None)]


def documents(seed, m=50, n=30):
    """Counts of words, the samples of very different lengths, two of them empty."""
    rng = np.random.default_rng(seed)
    A = rng.poisson(rng.gamma(0.3, 2.0, (m, n))).astype(float)
    A[np.arange(m), rng.integers(0, n, m)] += 1.0
    A *= rng.integers(1, 40, (m, 1))
    A[[7, 31]] = 0.0
    return A


def cosine_graph(A, k, affinity, width=None, **preparation):
    problem = Problem(as_operand(A), 1, **preparation)
    return neighbour_graph(problem, k, affinity, width, "cosine")


@pytest.mark.parametrize("put", [np.asarray, np.float32, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize(("affinity", "width"), WEIGHTS)
@pytest.mark.parametrize("seed", range(3))
def test_graph_is_that_of_the_cosines(seed, affinity, width, put):
    A = documents(seed)
    expected = ORACLE.cosine_graph(A, 4, affinity, width)
    found = cosine_graph(put(A), 4, affinity, width)
    np.testing.assert_allclose(found.W.toarray(), expected, atol=1e-9)
    assert not found.degrees[[7, 31]].any()


def test_lengths_and_units_do_not_matter():
    A = documents(3)
    expected = cosine_graph(A, 4, "heat", 0.4).W.toarray()
    lengths = np.random.default_rng(0).uniform(0.1, 9.0, (len(A), 1))
    for other in (A * lengths, A * 1e80, A * 1e-80):
        np.testing.assert_allclose(cosine_graph(other, 4, "heat", 0.4).W.toarray(), expected)


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_angles_are_those_before_centring_and_after_scaling(put):
    A = documents(4)
    plain = ORACLE.cosine_graph(A, 4, "cosine")
    scaled = ORACLE.cosine_graph(A / A.std(axis=0, ddof=1), 4, "cosine")
    with np.errstate(all="raise"):
        for params, expected in (
            ({"center": True}, plain),
            ({"center": True, "scale": "std"}, scaled),
            ({"scale": "std"}, scaled),
        ):
            for method in ("laplacian-score", "spec"):
                found = select(put(A), 6, method=method, metric="cosine", affinity="cosine",
                               n_neighbors=4, **params)  # fmt: skip
                given = select(put(A), 6, method=method, affinity=sp.csr_array(expected), **params)
                assert found.indices.tolist() == given.indices.tolist()


def test_samples_without_neighbours_of_a_positive_cosine_are_no_edges():
    A = np.eye(6)
    A[4, 3] = 1.0
    found = cosine_graph(A, 2, "cosine").W.toarray()
    expected = np.zeros((6, 6))
    expected[3, 4] = expected[4, 3] = np.sqrt(0.5)
    np.testing.assert_allclose(found, expected)
    with pytest.raises(ValueError, match="no two samples have a cosine above 0; choose another"):
        cosine_graph(np.eye(6), 2, "cosine")


def test_empty_samples_do_not_count_as_neighbours():
    A = documents(5)
    A[4:] = 0.0
    with pytest.raises(ValueError, match=r"n_samples=4 that are not all zeros; choose .* 1 to 3"):
        cosine_graph(A, 4, "binary")


@pytest.mark.parametrize("seed", range(3))
def test_bridges_follow_the_angles(seed):
    """Three directions far apart: each is joined to what has the next smallest angle."""
    rng = np.random.default_rng(seed)
    A = np.repeat(10.0 * np.eye(3, 6), 8, axis=0) + rng.uniform(0, 0.5, (24, 6))
    A *= rng.uniform(0.01, 100.0, (24, 1))
    problem = Problem(as_operand(A), 1)
    graph = neighbour_graph(problem, 3, "cosine", None, "cosine")
    assert graph.n_components >= 3
    rows = A / np.sqrt((A**2).sum(axis=1))[:, None]
    expected = ORACLE.connect(ORACLE.cosine_graph(A, 3, "cosine"), ORACLE.distances(rows))
    np.testing.assert_allclose(joined(graph, problem, "cosine").W.toarray(), expected, atol=1e-9)
    with pytest.warns(UserWarning, match="components"):
        found = select(A, 3, method="mcfs", metric="cosine", affinity="cosine", n_neighbors=3)
    with pytest.warns(UserWarning, match="components"):
        other = select(A, 3, method="mcfs", metric="cosine", affinity=graph.W)
    assert found.indices.tolist() == other.indices.tolist()


@pytest.mark.parametrize("method", ["laplacian-score", "spec", "mcfs"])
def test_words_of_the_topics_come_first(method):
    """Whatever the lengths of the documents."""
    rng = np.random.default_rng(0)
    topic = np.repeat(np.arange(3), 40)
    rates = np.full((3, 60), 0.2)
    rates[np.arange(3), [11, 30, 52]] = 12.0
    A = sp.csr_array(rng.poisson(rates[topic]) * rng.choice([1.0, 5.0, 50.0], (120, 1)))
    params = {"spec": {"style": "phi2"}, "mcfs": {"n_clusters": 2}}.get(method, {})
    found = select(A, 3, method=method, metric="cosine", n_neighbors=60, **params)
    assert sorted(found.indices.tolist()) == [11, 30, 52]


def with_empty_rows(seed):
    rng = np.random.default_rng(seed)
    Z = np.abs(rng.standard_normal((120, 15))) * (rng.random((120, 15)) < 0.4)
    Z[[5, 17]] = 0.0
    return Z


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore:the graph of the samples has")
def test_empty_samples_are_joined_to_the_first_sample(seed):
    """They are as far from every other: not rounding, but the order decides."""
    Z = with_empty_rows(seed)
    lengths = np.random.default_rng(seed + 100).uniform(0.1, 9.0, (len(Z), 1))
    first = int(np.flatnonzero(Z.any(axis=1))[0])
    for other in (Z, sp.csr_array(Z), sp.csc_array(Z), 3.7 * Z, Z * lengths):
        problem = Problem(as_operand(other), 1)
        graph = neighbour_graph(problem, 5, "cosine", None, "cosine")
        assert graph.n_components == 3
        W = joined(graph, problem, "cosine").W.toarray()
        for empty, nearest in ((5, 17), (17, 5)):  # two empty samples are at no distance
            assert W[empty, nearest] > 0
        assert set(np.flatnonzero(W[[5, 17]].any(axis=0))) == {5, 17, first}
    expected = MCFSSelector(6, metric="cosine").fit(Z)
    for other in (sp.csr_array(Z), sp.csc_array(Z), 3.7 * Z):
        found = MCFSSelector(6, metric="cosine").fit(other)
        assert found.indices_.tolist() == expected.indices_.tolist()


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("block", [2**3, 2**9, 2**22])
def test_the_nearest_pair_is_the_first_of_equals_in_any_strips(block, put, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, 3, (40, 3)) + 0.0  # many pairs are equally near
        inside = np.sort(rng.permutation(40)[:15])
        outside = np.setdiff1d(np.arange(40), inside)
        rows[inside] += 4.0
        pairs = [(round(((rows[i] - rows[j]) ** 2).sum()), i, j) for i in inside for j in outside]
        assert neighbours._nearest_pair(put(rows), inside, outside) == min(pairs)[1:]


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_pair_is_right_where_inner_products_lose_its_distance(seed, put):
    rows = 1e4 + 1e-5 * np.random.default_rng(seed).standard_normal((40, 3))
    inside, outside = np.arange(3), np.arange(3, 40)
    lengths = {(i, j): ((rows[i] - rows[j]) ** 2).sum() for i in inside for j in outside}
    found = neighbours._nearest_pair(put(rows), inside, outside)
    assert found == min(lengths, key=lengths.get)
