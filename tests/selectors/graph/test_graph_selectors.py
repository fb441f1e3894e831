"""Methods on a neighbour graph: the graph, the scores, the regression, bad input."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import NASTY, nasty
from oracles import BY_KIND
from scipy.linalg import eigh
from sklearn.datasets import make_blobs
from sklearn.linear_model import lars_path

import colonnade
from colonnade import Kernel, RankReachedWarning, as_operand, select
from colonnade.operands.loops import first_to_join
from colonnade.selectors.graph import laplacians, lars, neighbours
from colonnade.selectors.graph.laplacians import Graph, roughness
from colonnade.selectors.graph.lars import sparse_regression
from colonnade.selectors.graph.neighbours import joined, nearest, neighbour_graph
from colonnade.selectors.problem import Problem

ORACLE = BY_KIND["graph"]
SAMPLES = [name for name in NASTY if name != "one row"]
laplacian_score = partial(select, method="laplacian-score")
mcfs = partial(select, method="mcfs")
spec = partial(select, method="spec")
FUNCTIONS = (laplacian_score, mcfs, spec)


def moderate(name, seed=0):
    A = nasty(name, seed)
    return A / np.abs(A).max()


def graph_of(A, n_neighbors=5, affinity="self-tuning", width=None):
    return neighbour_graph(Problem(as_operand(A), 1), n_neighbors, affinity, width)


def quietly(function, *args, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankReachedWarning)
        return function(*args, **params)


# ---- the graph


@pytest.mark.parametrize("put", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("matrix", SAMPLES)
def test_graph_is_that_of_the_formula(matrix, put):
    A = moderate(matrix)
    expected, _ = ORACLE.graph(A, 5)
    found = graph_of(put(A))
    assert sp.issparse(found.W)
    np.testing.assert_allclose(found.W.toarray(), expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.degrees, expected.sum(axis=1), rtol=1e-6)
    assert found.n_components == len(ORACLE.components(expected))
    B = found.incidence()
    L = np.diag(expected.sum(axis=1)) - expected
    np.testing.assert_allclose((B.T @ B).toarray(), L, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_of_equally_near_samples_the_first_count(seed, put):
    """Small integers: many equal distances, more than the search looks at, and equal samples."""
    A = np.random.default_rng(seed).integers(0, 2, (60, 4)).astype(float)
    near, D = nearest(as_operand(put(A)).points(), 3)
    full = ((A[:, None] - A[None]) ** 2).sum(axis=2)
    for i in range(len(A)):
        rest = sorted((full[i, j], j) for j in range(len(A)) if j != i)[:3]
        assert near[i].tolist() == [j for _, j in rest]
        np.testing.assert_allclose(D[i] ** 2, [d for d, _ in rest], atol=1e-12)


def test_a_large_common_part_does_not_blur_the_distances():
    A = np.random.default_rng(0).standard_normal((50, 6))
    expected = nearest(A, 5)[0]
    assert (nearest(as_operand(A + 1e7).points(), 5)[0] == expected).all()


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_an_outlier_does_not_make_the_others_be_measured_again(put, monkeypatch):
    A = np.random.default_rng(0).standard_normal((400, 50))
    A[17] *= 3e6
    measured = []
    first = neighbours._first

    def counted(samples, i, j, X, k):
        measured.append(len(i))
        return first(samples, i, j, X, k)

    monkeypatch.setattr(neighbours, "_first", counted)
    near, _ = nearest(put(A), 5)
    assert sum(measured) < 400 * (5 + neighbours.SPARE) + 400 + 1
    full = ((A[:, None] - A[None]) ** 2).sum(axis=2)
    np.fill_diagonal(full, np.inf)
    np.testing.assert_array_equal(near, np.argsort(full, axis=1)[:, :5])


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(3))
def test_ties_beside_an_outlier(seed, put):
    A = np.random.default_rng(seed).integers(0, 2, (80, 20)).astype(float)
    A[40] *= 2.0**22
    near, _ = nearest(put(A), 3)
    full = ((A[:, None] - A[None]) ** 2).sum(axis=2)
    np.fill_diagonal(full, np.inf)
    rest = np.delete(np.arange(80), 40)
    expected = np.argsort(full, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(near[rest], expected[rest])


@pytest.mark.parametrize(("affinity", "width"), [("binary", None), ("heat", 0.7), ("heat", 3)])
def test_other_weights(affinity, width):
    A = np.random.default_rng(1).standard_normal((30, 4))
    W = graph_of(A, 4, affinity, width).W.toarray()
    edges = W > 0
    assert (edges == (graph_of(A, 4).W.toarray() > 0)).all()
    D2 = ((A[:, None] - A[None]) ** 2).sum(axis=2)
    expected = np.ones_like(D2) if affinity == "binary" else np.exp(-D2 / (2 * width**2))
    np.testing.assert_allclose(W[edges], expected[edges])
    big = graph_of(A * 1e100, 4, affinity, None if width is None else width * 1e100).W.toarray()
    np.testing.assert_allclose(big, W)


def test_what_rounding_would_swallow_is_no_edge():
    """Three neighbours in groups of three: one of them is in the other group."""
    A = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [10.2]])
    assert graph_of(A, 3, "heat", 1.0).n_components == 2  # weights of about exp(−50)
    assert graph_of(A, 3, "heat", 2.0).n_components == 1


def test_samples_that_are_all_alike():
    A = np.vstack([np.zeros((8, 3)), np.ones((8, 3)), np.full((1, 3), 0.4)])
    W = graph_of(A).W.toarray()
    assert set(np.unique(W)) == {0.0, 1.0}  # exp(−∞) between different ones
    assert graph_of(A).n_components == 3
    assert graph_of(np.ones((9, 3))).n_components >= 1


def test_a_graph_can_be_given():
    A = np.random.default_rng(2).standard_normal((40, 7))
    W = graph_of(A, 4).W
    before = W.copy()
    for function in FUNCTIONS:
        expected = function(A, 3, n_neighbors=4)
        for given in (W, sp.coo_matrix(W), W + sp.eye_array(40)):
            assert function(A, 3, affinity=given).indices.tolist() == expected.indices.tolist()
    assert abs(W - before).max() == 0


@pytest.mark.parametrize("seed", range(6))
def test_joining_makes_one_component_with_few_weak_edges(seed):
    X, _ = make_blobs(60, 3, centers=6, cluster_std=0.1, random_state=seed)
    problem = Problem(as_operand(X), 1)
    graph = neighbour_graph(problem, 3, "self-tuning", None)
    assert graph.n_components >= 5
    whole = joined(graph, problem)
    assert whole.n_components == 1
    W, D = ORACLE.graph(X, 3)
    np.testing.assert_allclose(whole.W.toarray(), ORACLE.connect(W, D), rtol=1e-9)
    new = (whole.W - graph.W).data
    new = new[new != 0]
    assert graph.n_components - 1 <= len(new) / 2 < graph.n_components
    np.testing.assert_allclose(new, graph.W.data.min())


def test_of_equally_short_bridges_the_smaller_component_chooses():
    """Two lines side by side, numbered in opposite directions: the first sample of a line is
    not opposite the first of the other, so it matters whose turn it is."""
    long = np.column_stack([np.arange(7.0), np.zeros(7)])
    short = np.column_stack([np.arange(4.0, -1.0, -1.0), np.full(5, 9.0)])
    X = np.vstack([long, short])
    problem = Problem(as_operand(X), 1)
    graph = neighbour_graph(problem, 2, "heat", 1.0)
    assert graph.n_components == 2
    new = (joined(graph, problem).W - graph.W).tocoo()
    new.eliminate_zeros()
    assert sorted(zip(new.row.tolist(), new.col.tolist(), strict=True)) == [(4, 7), (7, 4)]
    np.testing.assert_allclose(new.data, graph.W.data.min())
    assert graph.W.data.min() < 0.5


# ---- scores


@pytest.mark.parametrize("matrix", SAMPLES)
def test_scores_lie_between_eigenvalues(matrix):
    """λ₂ ≤ Laplacian score ≤ λ_max ≤ 2, and 0 ≤ φ1 ≤ φ2, since these are Rayleigh quotients."""
    for seed in range(4):
        A = moderate(matrix, seed)
        W = ORACLE.graph(A, 5)[0]
        values = np.linalg.eigvalsh(ORACLE.normalized_laplacian(W))
        found = roughness(as_operand(A), graph_of(A))
        varies = ~found.constant
        score = found.edges[varies] / found.about_mean[varies]
        assert (score >= values[1] - 1e-9).all()
        assert (score <= values[-1] + 1e-9).all()
        assert values[-1] <= 2 + 1e-12
        phi1 = found.edges[varies] / found.size[varies]
        assert (phi1 >= 0).all()
        assert (phi1 <= score * (1 + 1e-9)).all()
        expected = ORACLE.laplacian_scores(A, W)
        np.testing.assert_allclose(score, expected[np.isfinite(expected)], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("matrix", SAMPLES)
def test_phi2_is_the_laplacian_score(matrix):
    A = nasty(matrix)
    n = A.shape[1]
    one, other = quietly(spec, A, n, style="phi2"), quietly(laplacian_score, A, n)
    assert one.indices.tolist() == other.indices.tolist()


@pytest.mark.parametrize("matrix", ["tall", "square", "rank deficient", "positive integers"])
def test_spec_is_the_sum_over_eigenvectors(matrix):
    A = moderate(matrix)
    W = ORACLE.graph(A, 5)[0]
    n = A.shape[1]
    for style in (1, 2):
        expected = ORACLE.ordered(ORACLE.spec_scores(A, W, style), n)
        assert quietly(spec, A, n, style=f"phi{style}").indices.tolist() == expected
    for k in (3, 6):
        scores = ORACLE.spec_scores(A, W, 3, k)
        assert (scores <= 2 + 1e-9).all()
        assert (scores >= 0).all()
        found = quietly(spec, A, n, style="phi3", n_vectors=k)
        assert found.indices.tolist() == ORACLE.ordered(-scores, n)


def test_phi3_on_a_graph_in_parts():
    """All eigenvectors of the eigenvalue 0 together do not depend on how they were chosen."""
    X, y = make_blobs(60, 4, centers=3, cluster_std=0.1, random_state=1)
    X[:, 3] = np.random.default_rng(0).standard_normal(60) * 0.1
    assert graph_of(X).n_components == 3
    with pytest.raises(ValueError, match=r"has 3 components, but n_vectors=2; .* at least 3"):
        spec(X, 2, style="phi3", n_vectors=2)
    D = graph_of(X).degrees
    scores = []
    for f in X.T:
        f = f - (D @ f) / D.sum()
        means = np.array([D[y == c] @ f[y == c] / D[y == c].sum() for c in y])
        scores.append(2 * (D @ means**2) / (D @ (f + (D @ X[:, len(scores)]) / D.sum()) ** 2))
    found = spec(X, 4, style="phi3", n_vectors=3)
    assert found.indices.tolist() == np.argsort(-np.array(scores)).tolist()
    assert found.info["n_components"] == 3


def test_constant_columns_come_last():
    A = np.random.default_rng(3).standard_normal((40, 8)) + 5
    A[:, 2], A[:, 5], A[:, 6] = 0.0, 1e6 / 3, -1e-9 / 7
    for function, params in ((laplacian_score, {}), (mcfs, {}), *((spec, {"style": s}) for s in (
        "phi1", "phi2", "phi3"))):  # fmt: skip
        found = quietly(function, A, 8, **params).indices.tolist()
        assert found[-3:] == [2, 5, 6], params


@pytest.mark.filterwarnings("ignore:the graph of the samples has 4 components")
def test_features_of_the_clusters_come_first():
    X, _ = make_blobs(300, 3, centers=4, cluster_std=1.0, random_state=3)
    noise = np.random.default_rng(0).standard_normal((300, 30))
    X = np.hstack([noise[:, :10], X, noise[:, 10:]])
    assert sorted(laplacian_score(X, 3).indices) == [10, 11, 12]
    assert sorted(mcfs(X, 3).indices) == [10, 11, 12]


def test_eigenvectors_of_many_samples_are_those_of_few(monkeypatch):
    graph = graph_of(np.random.default_rng(0).standard_normal((300, 5)), 8)
    values, vectors = graph.leading(6)
    monkeypatch.setattr(laplacians, "SMALL", 0)
    by_lanczos, others = graph.leading(6)
    np.testing.assert_allclose(by_lanczos, values, atol=1e-12)
    np.testing.assert_allclose(np.abs(others.T @ vectors), np.eye(6), atol=1e-6)
    D = np.diag(graph.degrees)
    expected = eigh(D - graph.W.toarray(), D, eigvals_only=True)[:6]
    np.testing.assert_allclose(1 - values, expected, atol=1e-12)


def test_all_eigenvectors_of_many_samples(monkeypatch):
    """Lanczos cannot find as many as there are samples."""
    A = np.random.default_rng(0).standard_normal((40, 5))
    expected = mcfs(A, 3, n_clusters=39, n_neighbors=8).indices.tolist()
    graph = graph_of(A, 8)
    values = graph.leading(40)[0]
    monkeypatch.setattr(laplacians, "SMALL", 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = mcfs(A, 3, n_clusters=39, n_neighbors=8)
        for k in (19, 20, 38, 39, 40):
            np.testing.assert_allclose(graph.leading(k)[0], values[:k], atol=1e-10)
    assert found.indices.tolist() == expected


# ---- L1-regularized regression


@pytest.mark.parametrize("budget", [0, 2**30])
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(12))
def test_regression_is_on_the_lasso_path(seed, put, budget, monkeypatch):
    """A breakpoint of scikit-learn's path, with as many nonzeros as asked for."""
    monkeypatch.setattr(lars, "GRAM_BYTES", budget)
    rng = np.random.default_rng(seed)
    m, n = rng.integers(20, 60), rng.integers(5, 80)
    X, Y = rng.standard_normal((m, n)) + 3.0, rng.standard_normal((m, 2))
    size = int(rng.integers(1, min(m - 1, n) + 1))
    found = sparse_regression(as_operand(put(X)), Y, size)
    for b, y in zip(found.T, Y.T, strict=True):
        path = lars_path(X - X.mean(axis=0), y - y.mean(), method="lasso")[2]
        assert np.abs(path - b[:, None]).max(axis=0).min() < 1e-10
        assert np.count_nonzero(b) == size


@pytest.mark.parametrize("budget", [0, 2**30])
@pytest.mark.parametrize("matrix", SAMPLES)
def test_regression_is_optimal(matrix, budget, monkeypatch):
    """Equal correlation of what is left with the chosen columns, no more with the others."""
    monkeypatch.setattr(lars, "GRAM_BYTES", budget)
    A = moderate(matrix)
    m, n = A.shape
    Y = np.random.default_rng(0).standard_normal((m, 3))
    C, Z = A - A.mean(axis=0), Y - Y.mean(axis=0)
    for size in {1, min(3, n), min(m, n)}:
        for b, z in zip(sparse_regression(as_operand(A), Y, size).T, Z.T, strict=True):
            assert np.count_nonzero(b) <= size
            c = C.T @ (z - C @ b)
            chosen = b != 0
            top = np.abs(c[chosen]).max()
            slack = 1e-5 * np.abs(C.T @ z).max()
            np.testing.assert_allclose(c[chosen], top * np.sign(b[chosen]), atol=slack)
            assert (np.abs(c) <= top + slack).all()


def test_regression_does_not_depend_on_the_unit():
    rng = np.random.default_rng(5)
    X, Y = rng.standard_normal((40, 30)), rng.standard_normal((40, 2))
    plain = sparse_regression(as_operand(X), Y, 12)
    for unit in (2.0**-60, 2.0**60):
        found = sparse_regression(as_operand(X * unit), Y, 12)
        np.testing.assert_allclose(found * unit, plain, rtol=1e-9, atol=1e-14)


def test_kernel_for_the_next_column_is_its_twin():
    rng = np.random.default_rng(7)
    for _ in range(50):
        c, a, live = rng.uniform(-1, 1, 20), rng.standard_normal(20), rng.random(20) > 0.3
        with np.errstate(divide="ignore"):
            up = np.where(a < 1, (1 - c) / (1 - a), np.inf)
            down = np.where(a > -1, (1 + c) / (1 + a), np.inf)
        until = np.where(live, np.minimum(up, down), np.inf)
        step, p = first_to_join(c, a, live.astype(float), np.full(20, 0.5), 1.0, 1e-9)
        assert step == pytest.approx(min(until.min(), 1.0))
        if until.min() < 1:
            assert p == until.argmin()


def test_mcfs_without_inner_products_gives_the_same(monkeypatch):
    A = np.random.default_rng(8).poisson(0.3, (80, 120)).astype(float)
    expected = mcfs(A, 20, n_neighbors=10)
    monkeypatch.setattr(lars, "GRAM_BYTES", 0)
    for put in (np.asarray, sp.csr_array):
        assert mcfs(put(A), 20, n_neighbors=10).indices.tolist() == expected.indices.tolist()


def test_inner_products_serve_where_they_cost_less_than_passes(monkeypatch):
    """A few columns for each of many clusters are many passes: 11 for each of 40 are 440."""
    rng = np.random.default_rng(0)
    faces = as_operand(rng.standard_normal((400, 1024)))
    assert lars.by_inner_products(faces, 11 * 40)
    assert lars.by_inner_products(faces, 100)
    assert not lars.by_inner_products(faces, 10)
    few = as_operand(sp.random_array((300, 900), density=0.02, rng=rng, format="csr"))
    assert lars.by_inner_products(few, 9000)
    assert not lars.by_inner_products(few, 450)  # a pass over few entries is quick
    monkeypatch.setattr(lars, "GRAM_BYTES", 8 * 1024**2 - 1)
    assert not lars.by_inner_products(faces, 440)


def test_mcfs_joins_its_graph_or_refuses_to():
    X, _ = make_blobs(60, 3, centers=4, cluster_std=0.1, random_state=0)
    W = graph_of(X).W
    for params, cure in (({}, "raise n_neighbors=5"), ({"affinity": W}, "add edges to affinity")):
        with pytest.raises(ValueError, match=rf"has 4 components.*; {cure}, or pass"):
            mcfs(X, 2, on_disconnected="error", **params)
        with pytest.warns(UserWarning, match=rf"has 4 components.* joined.*; {cure}") as caught:
            assert mcfs(X, 2, **params).info["n_components"] == 4
        assert caught[0].filename == __file__
    with pytest.raises(ValueError, match=r"n_vectors at least 4, or add edges to affinity"):
        spec(X, 2, style="phi3", n_vectors=3, affinity=W)
    assert len(mcfs(X, 2, n_neighbors=20)) == 2


def test_size_by_error():
    A = np.random.default_rng(9).standard_normal((50, 10))
    for function in FUNCTIONS:
        found = function(A, None, max_error=0.3, must_include=[4], exclude=[1])
        assert found.indices[0] == 4
        assert 1 not in found.indices
        assert found.relative_errors[-1] <= 0.3 < found.relative_errors[-2]


# ---- bad input

GOOD = np.random.default_rng(0).standard_normal((12, 5))
LOPSIDED = sp.csr_array(np.triu(np.ones((12, 12)), 1))


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"n_neighbors": 12}, ValueError, "n_neighbors=12 but n_samples=12; choose .* 1 to 11"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors=0; choose at least 1"),
        ({"n_neighbors": 2.0}, TypeError, "n_neighbors must be an integer, got 2.0"),
        ({"affinity": "angle"}, ValueError, "affinity='angle' is unknown; choose one of self"),
        ({"affinity": "cosine"}, ValueError, "with metric='euclidean'; pass metric='cosine'"),
        ({"metric": "angle"}, ValueError, "metric='angle'; choose one of euclidean, cosine"),
        ({"affinity": "heat"}, TypeError, "needs a width, a number above 0; got None"),
        ({"affinity": "heat", "width": 0.0}, ValueError, "width=0.0; choose a number above 0"),
        ({"affinity": "heat", "width": 1e-3}, ValueError, "width=0.001 is too small.*distance is"),
        ({"affinity": np.eye(12)}, TypeError, "or a sparse matrix, got ndarray"),
        ({"affinity": sp.eye_array(5)}, ValueError, r"shape \(5, 5\), but the data has n_samples"),
        ({"affinity": sp.eye_array(12)}, ValueError, "no edges between different samples"),
        ({"affinity": -LOPSIDED - LOPSIDED.T}, ValueError, "negative or not finite"),
        ({"affinity": LOPSIDED}, ValueError, "affinity is not symmetric; pass"),
    ],
)  # fmt: skip
def test_bad_graphs(params, error, words):
    for function in FUNCTIONS:
        with pytest.raises(error, match=words):
            function(GOOD, 2, **params)


@pytest.mark.parametrize(
    ("function", "params", "error", "words"),
    [
        (spec, {"style": 1}, ValueError, "style=1; choose one of phi1, phi2, phi3"),
        (spec, {"style": "phi3", "n_vectors": 12}, ValueError, "n_vectors=12 with n_samples=12"),
        (spec, {"style": "phi3", "n_vectors": 1}, ValueError, "n_vectors=1 .*; choose 2 to 11"),
        (mcfs, {"n_clusters": 12}, ValueError, "n_clusters=12 with n_samples=12; choose 1 to 11"),
        (mcfs, {"n_clusters": 2.0}, TypeError, "n_clusters must be an integer, got 2.0"),
        (mcfs, {"on_disconnected": "split"}, ValueError, "'split'; choose one of join, error"),
    ],
)  # fmt: skip
def test_bad_parameters(function, params, error, words):
    with pytest.raises(error, match=words):
        function(GOOD, 2, **params)


def test_a_kernel_and_one_sample_are_refused():
    for function in FUNCTIONS:
        with pytest.raises(TypeError, match="needs the columns themselves"):
            function(Kernel(GOOD.T @ GOOD), 2)
        with pytest.raises(ValueError, match="n_samples=1; more samples are needed"):
            function(GOOD[:1], 2)


def test_graph_of_one_pair():
    assert Graph.of(sp.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))).n_components == 1
    assert colonnade.METHODS["mcfs"].kind == "graph"
