"""Sampling: expectations, failure probabilities, repeats, rounds."""

from __future__ import annotations

import json
from functools import partial
from importlib import import_module
from itertools import permutations, product

import numpy as np
import pytest
import scipy.sparse as sp
from calls import run
from matrices import NASTY, nasty
from oracles.sampling import scores
from scipy.stats import chi2
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from colonnade import Kernel, LeverageSelector, RankReachedWarning, Selection, metrics, select
from colonnade.barriers.draws import draw, merge
from colonnade.pivoting.rules import RandomProposals

WEIGHTED = ["leverage", "approximate-leverage", "norm-sampling"]


class Scripted(np.random.RandomState):
    """Gives the shares of the interval that it was told to give."""

    def __init__(self, shares):
        super().__init__(0)
        self.shares = np.array(shares)

    def uniform(self, low=0.0, high=1.0, size=None):
        assert size == len(self.shares)
        return low + (high - low) * self.shares


def test_what_has_no_probability_is_never_drawn():
    """Even if the number drawn is the end of the interval, which rounding can make it."""
    picks, weights = draw(np.array([0.0, 0.25, 0.75, 0.0, 0.0]), 3, Scripted([0.0, 0.5, 1.0]))
    assert picks.tolist() == [1, 2, 2]
    np.testing.assert_allclose(weights, 1 / np.sqrt(3 * np.array([0.25, 0.75, 0.75])))


def probabilities(name, A, k):
    if name == "norm-sampling":
        return (A**2).sum(axis=0) / (A**2).sum()
    return scores(A, k)


def every_outcome(name, A, r, k):
    """All n^r outcomes of r draws with their probabilities."""
    p = probabilities(name, A, k)
    middles = np.cumsum(p) - p / 2
    params = {} if name == "norm-sampling" else {"rank": k}
    for picks in product(range(A.shape[1]), repeat=r):
        found = select(A, r, method=name, random_state=Scripted(middles[list(picks)]), **params)
        assert found.indices.tolist() == list(dict.fromkeys(picks))
        yield p[list(picks)].prod(), found


@pytest.mark.parametrize("name", WEIGHTED)
def test_expectations_are_exact(name):
    """Boutsidis & Magdon-Ismail, Lemma 9: E‖BΩS‖² = ‖B‖²; E[CCᵀ] = AAᵀ: over all outcomes."""
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((5, 4)) * [1.0, 2.0, 0.5, 1.0], rng.standard_normal((3, 4))
    outcomes = list(every_outcome(name, A, 3, 2))
    np.testing.assert_allclose(sum(p for p, _ in outcomes), 1.0)
    mean = sum(p * (found.apply(B) ** 2).sum() for p, found in outcomes)
    np.testing.assert_allclose(mean, (B**2).sum())
    products = [(p, found.apply(A) @ found.apply(A).T) for p, found in outcomes]
    np.testing.assert_allclose(sum(p * M for p, M in products), A @ A.T)
    if name == "norm-sampling":
        variance = sum(p * ((A @ A.T - M) ** 2).sum() for p, M in products)
        expected = ((A**2).sum() ** 2 - ((A @ A.T) ** 2).sum()) / 3
        np.testing.assert_allclose(variance, expected)


@pytest.mark.parametrize("k", [1, 2])
def test_projection_on_columns_drawn_by_norm(k):
    """E‖A − P_C A‖² ≤ ‖A − A_k‖² + (k/r)‖A‖², over all outcomes."""
    A = np.random.default_rng(1).standard_normal((4, 5)) * [3.0, 1.0, 1.0, 0.5, 0.1]
    mean = sum(p * found.errors[-1] for p, found in every_outcome("norm-sampling", A, 3, None))
    assert mean <= metrics.best_rank_error(A, k) + k / 3 * (A**2).sum()
    assert mean >= metrics.best_rank_error(A, 3)


@pytest.mark.parametrize("matrix", NASTY)
def test_what_every_draw_keeps(matrix):
    """‖C‖ = ‖A‖ for norms, ‖VᵀΩS‖² = k for leverage: whatever is drawn."""
    A = nasty(matrix)
    A = A / np.abs(A).max()
    k = max(1, min(A.shape) // 3)
    V = np.linalg.svd(A, full_matrices=False)[2][:k].T
    for seed in range(10):
        by_norm = select(A, 0.6, method="norm-sampling", random_state=seed)
        np.testing.assert_allclose((by_norm.apply(A) ** 2).sum(), (A**2).sum())
        assert by_norm.info["n_draws"] >= len(by_norm)
        found = select(A, 0.6, method="leverage", rank=k, random_state=seed)
        assert (found.weights > 0).all()
        if matrix != "orthogonal":  # equal singular values: V is not determined
            found_k = found.info["rank"]
            np.testing.assert_allclose((found.apply(V[:, :found_k].T) ** 2).sum(), found_k)


@pytest.mark.parametrize("name", ["leverage", "norm-sampling"])
def test_merged_repeats_keep_the_products(name):
    A = np.random.default_rng(2).standard_normal((8, 30)) * np.geomspace(1, 20, 30)
    repeats = 0
    for seed in range(20):
        params = {} if name == "norm-sampling" else {"rank": 3}
        found = select(A, 20, method=name, random_state=seed, **params)
        p = probabilities(name, A, 3)
        u = np.random.RandomState(seed).uniform(0.0, np.cumsum(p)[-1], 20)
        picks = np.searchsorted(np.cumsum(p), u, side="right")
        C = A[:, picks] / np.sqrt(20 * p[picks])
        np.testing.assert_allclose(found.apply(A) @ found.apply(A).T, C @ C.T)
        repeats += 20 - len(found)
    assert repeats > 20


def sigma(V, picks, weights):
    return np.linalg.svd(V[picks].T * weights, compute_uv=False)[-1] if len(picks) else 0.0


@pytest.mark.parametrize("matrix", NASTY)
def test_smallest_singular_value(matrix):
    """Boutsidis & Magdon-Ismail, Lemma 9: σ_k² ≥ 1 − √(4k ln(20k)/r), 9 of 10 times."""
    A = nasty(matrix)
    A = A / np.abs(A).max()
    for k in {1, max(1, np.linalg.matrix_rank(A) // 3)}:
        V = np.linalg.svd(A, full_matrices=False)[2][:k].T
        p = (V**2).sum(axis=1) / k
        for share in (1.2, 4.0, 20.0):
            r = int(np.ceil(share * 4 * k * np.log(20 * k)))
            bound = 1 - np.sqrt(4 * k * np.log(20 * k) / r)
            kept = [
                sigma(V, *merge(*draw(p, r, np.random.RandomState(seed)))) ** 2 >= bound
                for seed in range(100)
            ]
            assert np.mean(kept) >= 0.9


@pytest.mark.parametrize("k", [1, 2, 3])
def test_smallest_singular_value_of_selections(k):
    """The same through the public function, on columns of very different scores."""
    rng = np.random.default_rng(3)
    A = rng.standard_normal((20, 300)) * rng.standard_t(1.0, 300)
    V = np.linalg.svd(A, full_matrices=False)[2][:k].T
    bound = 1 - np.sqrt(4 * k * np.log(20 * k) / 250)
    assert bound > 0.3
    values = []
    for seed in range(60):
        found = select(A, 250, method="leverage", rank=k, random_state=seed)
        values.append(sigma(V, found.indices, found.weights) ** 2)
    assert np.mean(np.array(values) >= bound) >= 0.9


def partitions(m, k):
    """The labels of all partitions of m rows into at most k clusters."""
    labels = np.array(list(product(range(k), repeat=m - 1)))
    return np.column_stack([np.zeros(len(labels), int), labels])


def objectives(A, labels, k):
    """The k-means objective of each row of labels: ‖A − XXᵀA‖²."""
    G, total = A @ A.T, (A**2).sum()
    between = np.zeros(len(labels))
    for c in range(k):
        members = (labels == c).astype(float)
        sums = np.einsum("pi,ij,pj->p", members, G, members, optimize=True)
        between += sums / np.maximum(members.sum(axis=1), 1.0)
    return total - between


@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.5), (3, 0.5), (3, 0.9)])
def test_clusters_of_the_drawn_features(k, epsilon):
    """Boutsidis, Mahoney & Drineas, Theorem 1: within 1 + (1+ε)γ, at least half of the time.

    The partition of the drawn features is the best of all, so γ = 1. r is 2 k ln(k/ε)/ε², the
    constant being free. Few features of many tell the clusters apart: a uniform choice fails.
    """
    rng = np.random.default_rng(k)
    m, n = 9, 400
    labels = partitions(m, k)
    r = int(np.ceil(2 * k * np.log(k / epsilon) / epsilon**2))
    kept = []
    for data in range(4):
        centres = np.zeros((k, n))
        centres[:, :4] = 6.0 * np.sqrt(n) * np.eye(k, 4)[rng.permutation(k)]
        A = centres[np.arange(m) % k] + rng.standard_normal((m, n))
        full = objectives(A, labels, k)
        for seed in range(10):
            C = select(A, r, method="leverage", rank=k, random_state=10 * data + seed).apply(A)
            best = np.argmin(objectives(C, labels, k))
            kept.append(full[best] <= (1 + (1 + epsilon)) * full.min())
    assert (full > (1 + (1 + epsilon)) * full.min()).mean() > 0.9  # what the bound forbids
    assert np.mean(kept) >= 0.5


def best_of(A, r, k, n_repeats, seed, n_clusters):
    """The documented loop: draws first, then k-means with one seed, judged on the data."""
    rng = np.random.RandomState(seed)
    p = scores(A, k)
    edges = np.cumsum(p)
    draws = [np.searchsorted(edges, rng.uniform(0, edges[-1], r)) for _ in range(n_repeats)]
    start = rng.randint(2**31 - 1)
    values = []
    for picks in draws:
        indices, weights = merge(picks, 1 / np.sqrt(r * p[picks]))
        means = KMeans(n_clusters, n_init=10, random_state=start).fit(A[:, indices] * weights)
        groups = [A[means.labels_ == c] for c in range(n_clusters)]
        values.append(sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups))
    return draws, np.array(values)


def objective(A, labels):
    groups = [A[np.array(labels) == c] for c in set(labels)]
    return sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups)


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("n_clusters", [None, 5])
def test_the_best_draw_is_kept(shift, n_clusters):
    A = load_digits().data[:150] + shift
    differ = 0
    for seed in range(4):
        found = select(
            A, 12, method="leverage", rank=4, n_repeats=6, n_clusters=n_clusters, random_state=seed
        )  # fmt: skip
        draws, values = best_of(A, 12, 4, 6, seed, n_clusters or 4)
        np.testing.assert_allclose(found.info["objectives"], values, rtol=1e-6)
        assert found.info["kept"] == np.argmin(values)
        assert objective(A, found.info["labels"]) == pytest.approx(values.min(), rel=1e-6)
        again = Selection.from_dict(json.loads(json.dumps(found.to_dict())))
        assert again.info["labels"] == found.info["labels"]
        assert found.indices.tolist() == list(dict.fromkeys(draws[np.argmin(values)].tolist()))
        differ += found.info["kept"] != 0
        once = select(A, 12, method="leverage", rank=4, random_state=seed)
        assert once.indices.tolist() == list(dict.fromkeys(draws[0].tolist()))
    assert differ


def test_repeats_on_sparse_scaled_and_equal_rows():
    A = np.random.default_rng(4).poisson(0.5, (40, 60)).astype(float)
    dense = select(A, 15, method="leverage", n_repeats=4, n_clusters=3, random_state=0)
    assert dense.info["rank"] == 3  # the number of clusters, unless another is given
    found = select(
        sp.csr_array(A), 15, method="leverage", n_repeats=4, n_clusters=3, random_state=0
    )
    assert found.indices.tolist() == dense.indices.tolist()
    np.testing.assert_allclose(found.info["objectives"], dense.info["objectives"])
    huge = select(A * 2.0**200, 15, method="leverage", n_repeats=4, n_clusters=3, random_state=0)
    assert huge.indices.tolist() == dense.indices.tolist()
    np.testing.assert_allclose(
        np.array(huge.info["objectives"]) / 2.0**400, dense.info["objectives"]
    )
    # fewer different rows than clusters: all draws are perfect, the first is kept
    twice = np.tile(A[:2], (10, 1))
    found = select(twice, 15, method="leverage", rank=2, n_repeats=3, n_clusters=6, random_state=0)
    assert found.info["kept"] == 0
    np.testing.assert_allclose(found.info["objectives"], 0.0, atol=1e-9)


@pytest.mark.parametrize("matrix", NASTY)
def test_largest_scores(matrix):
    A = nasty(matrix)
    A = A / np.abs(A).max()
    n_select = max(1, A.shape[1] // 2)
    k = max(1, min(A.shape) // 3)
    found = run("leverage-top", A, n_select, rank=k)
    assert found.weights is None
    assert len(found) == n_select
    if matrix != "orthogonal":  # equal singular values: V is not determined
        p = scores(A, k)
        left = np.delete(p, found.indices)
        assert p[found.indices].min() >= left.max(initial=0.0) - 1e-9
        assert (np.diff(p[found.indices]) <= 1e-9).all()


def test_equal_scores_go_to_the_lowest_index():
    A = np.repeat(np.random.default_rng(5).standard_normal((9, 4)), 3, axis=1)
    found = select(A, 6, method="leverage-top", rank=2).indices
    assert (np.diff(found.reshape(2, 3), axis=1) == 1).all()
    assert (found[[0, 3]] % 3 == 0).all()


def test_deterministic_estimator_does_not_rescale():
    A = np.random.default_rng(6).standard_normal((20, 10))
    found = LeverageSelector(4, 2, deterministic=True).fit(A)
    assert found.weights_ is None
    np.testing.assert_array_equal(found.transform(A), A[:, np.sort(found.indices_)])
    drawn = LeverageSelector(8, 2, random_state=0).fit(A)
    order = np.argsort(drawn.indices_)
    expected = A[:, drawn.indices_[order]] * drawn.weights_[order]
    np.testing.assert_array_equal(drawn.transform(A), expected)
    drawn.set_params(rescale=False)
    np.testing.assert_array_equal(drawn.transform(A), A[:, drawn.indices_[order]])


@pytest.mark.slow
def test_randomized_svd_finds_the_same_scores():
    """Above 2000 rows and columns the two differ in how V is found."""
    rng = np.random.default_rng(7)
    A = (rng.standard_normal((2001, 4)) * [8.0, 4.0, 2.0, 1.0]) @ rng.standard_normal((4, 2002))
    A += 0.01 * rng.standard_normal(A.shape)
    exact = select(A, 30, method="leverage", rank=4, deterministic=True)
    found = select(
        A, 30, method="leverage", rank=4, deterministic=True, approximate=True, random_state=0
    )
    assert found.indices.tolist() == exact.indices.tolist()
    again = select(A, 30, method="approximate-leverage", rank=4, random_state=0)
    assert again.info["rank"] == 4
    p = scores(A, 4)[again.indices]
    counts = again.weights**2 * 30 * p
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-3)


@pytest.mark.parametrize("name", ["leverage", "leverage-top", "norm-sampling", "adaptive-sampling"])
def test_kernels_are_columns(name):
    A = np.random.default_rng(8).standard_normal((25, 18)) * np.geomspace(1, 5, 18)
    expected = run(name, A, 7)
    found = run(name, Kernel(A.T @ A), 7, data=A)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors)
    if expected.weights is not None:
        np.testing.assert_allclose(found.weights, expected.weights)


@pytest.mark.parametrize("matrix", NASTY)
def test_one_column_per_round_is_randomly_pivoted_cholesky(matrix):
    A = nasty(matrix)
    n_select = min(A.shape)
    forms = [A, sp.csc_array(A)]
    if matrix in ("tall", "wide", "square", "duplicated", "positive integers"):
        forms.append(Kernel(A.T @ A))
    for form in forms:
        expected = run("random-pivot", form, n_select, data=A, block_size=1)
        for n_rounds in (n_select, 1000):
            found = run("adaptive-sampling", form, n_select, data=A, n_rounds=n_rounds)
            assert found.indices.tolist() == expected.indices.tolist()
            np.testing.assert_array_equal(found.errors, expected.errors)


@pytest.mark.parametrize("matrix", NASTY)
def test_rounds_lower_the_error_as_promised(matrix):
    """E e_t ≤ ‖A − A_k‖² + (k/s) E e_{t−1}; so t rounds leave opt/(1−ε) + ε^t‖A‖², ε = k/s."""
    A = nasty(matrix)
    A = A / np.abs(A).max()
    total = (A**2).sum()
    for s in (2, 3):
        if 3 * s > A.shape[1]:
            continue
        paths = np.zeros((40, 4))
        for seed in range(40):
            found = run("adaptive-sampling", A, 3 * s, n_rounds=3, random_state=seed)
            ends = np.minimum(s * np.arange(1, 4), len(found)) - 1
            paths[seed] = [total, *found.errors[ends]]
        mean = paths.mean(axis=0)
        for k in range(1, min(s, *A.shape) + 1):
            best = metrics.best_rank_error(A, k)
            assert (mean[1:] <= best + k / s * mean[:-1] + 1e-9 * total).all()
            if k < s:
                powers = (k / s) ** np.arange(1, 4)
                assert (mean[1:] <= best / (1 - k / s) + powers * total + 1e-9 * total).all()


@pytest.mark.slow
def test_rounds_are_drawn_from_what_was_left_when_they_began():
    """One round of two from three: all outcomes have the probabilities of sampling by norm."""
    A = np.array([[3.0, 3.0, 0.0], [0.0, 1.0, 1.0]])
    g = np.array([9.0, 10.0, 1.0])
    counts = np.zeros((3, 3))
    for seed in range(3000):
        i, j = select(A, 2, method="adaptive-sampling", n_rounds=1, random_state=seed).indices
        counts[i, j] += 1
    p = g / g.sum()
    expected = p[:, None] * p / (1 - p[:, None]) * (1 - np.eye(3))
    deviation = np.sqrt(expected * (1 - expected) / 3000)
    assert (np.abs(counts / 3000 - expected) <= 4 * deviation).all()
    # in rounds of one the residual decides instead, and the second column is another one
    left = [
        select(A, 2, method="adaptive-sampling", n_rounds=2, random_state=s).indices[1]
        for s in range(300)
    ]
    both = [
        select(A, 2, method="adaptive-sampling", n_rounds=1, random_state=s).indices[1]
        for s in range(300)
    ]
    assert np.mean(np.array(left) == 2) > np.mean(np.array(both) == 2) + 0.1


def test_twins_of_one_round_are_not_both_taken():
    A = np.diag([100.0, 0.0, 1.0, 1.0])
    A[:, 1] = [100.0, 1e-8, 0.0, 0.0]
    for seed in range(20):
        found = select(A, 3, method="adaptive-sampling", n_rounds=1, random_state=seed)
        assert not {0, 1} <= set(found.indices.tolist())
        assert {2, 3} <= set(found.indices.tolist())
        assert found.relative_errors[-1] < 1e-19


def test_adaptive_sampling_reaches_the_rank():
    A = nasty("rank deficient")
    for n_rounds in (1, 2, 10):
        with pytest.warns(RankReachedWarning, match="5 of the 12 choices asked for"):
            found = select(A, 12, method="adaptive-sampling", n_rounds=n_rounds, random_state=0)
        assert len(found) == 5
        assert found.relative_errors[-1] < 1e-28


def test_adaptive_sampling_with_inclusions_and_exclusions():
    A = np.random.default_rng(9).standard_normal((40, 30)) * np.geomspace(1, 20, 30)
    for n_rounds in (1, 3):
        found = select(
            A, 8, method="adaptive-sampling", n_rounds=n_rounds, must_include=[4, 2],
            exclude=[29, 28], random_state=0,
        )  # fmt: skip
        assert found.indices[:2].tolist() == [4, 2]
        assert len(found) == 8
        assert not {28, 29} & set(found.indices.tolist())
        enough = select(
            A, method="adaptive-sampling", max_error=0.2, n_rounds=n_rounds, random_state=0
        )
        assert enough.relative_errors[-1] <= 0.2 < enough.relative_errors[-2]
        even = A / np.geomspace(1, 20, 30)
        refined = select(
            even, 8, method="adaptive-sampling", n_rounds=n_rounds, refine=True, random_state=0
        )
        plain = select(even, 8, method="adaptive-sampling", n_rounds=n_rounds, random_state=0)
        assert refined.errors[-1] < plain.errors[-1]
    # the rounds share what is left to choose: six rounds for six columns
    wide = np.random.default_rng(9).standard_normal((10, 30))
    wish = {"must_include": [4, 2], "random_state": 1}
    one_by_one = select(wide, 8, method="random-pivot", block_size=1, **wish).indices.tolist()
    assert (
        select(wide, 8, method="adaptive-sampling", n_rounds=6, **wish).indices.tolist()
        == one_by_one
    )
    assert (
        select(wide, 8, method="adaptive-sampling", n_rounds=5, **wish).indices.tolist()
        != one_by_one
    )
    only = select(A, 2, method="adaptive-sampling", must_include=[4, 2], random_state=0)
    assert only.indices.tolist() == [4, 2]


def test_same_seed_same_draws():
    A = np.random.default_rng(10).standard_normal((20, 30))
    for function in (
        partial(select, method="leverage"),
        partial(select, method="norm-sampling"),
        partial(select, method="adaptive-sampling"),
    ):
        draws = [function(A, 8, random_state=s).indices.tolist() for s in (0, 0, 1)]
        assert draws[0] == draws[1] != draws[2]


def test_default_rank():
    A = np.random.default_rng(11).standard_normal((20, 30))
    assert select(A, 10, method="leverage", random_state=0).info["rank"] == 5
    assert select(A, 1, method="leverage", random_state=0).info["rank"] == 1
    assert select(A, 30, method="leverage", random_state=0).info["rank"] == 15
    assert select(A, 10, method="leverage", n_clusters=7, random_state=0).info["rank"] == 7
    deficient = nasty("rank deficient")
    assert select(deficient, 20, method="leverage", random_state=0).info["rank"] == 5
    assert select(deficient, 20, method="leverage", rank=9, random_state=0).info["rank"] == 5


GOOD = np.random.default_rng(12).standard_normal((8, 12))


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"rank": 0}, ValueError, r"rank=0; choose at least 1"),
        ({"rank": 9}, ValueError, r"rank=9 for data of shape \(8, 12\); choose 1 to 8"),
        ({"rank": 2.0}, TypeError, "rank must be an integer, got 2.0"),
        ({"n_repeats": 0}, ValueError, "n_repeats=0; choose at least 1"),
        ({"n_repeats": True}, TypeError, "n_repeats must be an integer, got True"),
        ({"n_clusters": 3, "rank": 2}, ValueError, "n_clusters=3 with rank=2 and n_repeats=1"),
        ({"n_clusters": 9}, ValueError, "n_clusters=9 for 8 rows; choose 1 to 8"),
        ({"n_clusters": 0, "n_repeats": 2}, ValueError, "n_clusters=0; choose at least 1"),
        ({"n_clusters": "a", "n_repeats": 2}, TypeError, "n_clusters must be an integer"),
        ({"deterministic": True, "n_repeats": 2}, ValueError, "every repeat would be the same"),
    ],
)
def test_bad_parameters_of_leverage(params, error, words):
    with pytest.raises(error, match=words):
        select(GOOD, 4, method="leverage", **params)
    with pytest.raises(error, match=words):
        LeverageSelector(4, **params).fit(GOOD)


def test_other_bad_parameters():
    with pytest.raises(TypeError, match="only their inner products; choose n_repeats=1"):
        select(Kernel(GOOD.T @ GOOD), 4, method="leverage", n_repeats=2)
    with pytest.raises(ValueError, match="n_rounds=0; choose at least 1"):
        select(GOOD, 4, method="adaptive-sampling", n_rounds=0)
    with pytest.raises(TypeError, match=r"n_rounds must be an integer, got 2\.5"):
        select(GOOD, 4, method="adaptive-sampling", n_rounds=2.5)
    with pytest.raises(ValueError, match="the data is zero everywhere"):
        select(np.zeros((3, 3)), 2, method="norm-sampling")
    with pytest.raises(TypeError, match="has no parameter 'deterministic'"):
        select(GOOD, 4, method="leverage-top", deterministic=False)


@pytest.mark.parametrize("as_kernel", [False, True])
@pytest.mark.parametrize("block_size", [2, 20])
def test_proposals_in_blocks_are_distributed_as_one_at_a_time(block_size, as_kernel):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((6, 5)) @ np.diag([3.0, 2.0, 1.0, 1.0, 0.3])
    A[:, 3] = A[:, 2] + 0.1 * A[:, 3]  # nearly a twin: rejected once the other is taken
    X = Kernel(A.T @ A) if as_kernel else A
    draws = 1000
    found: dict[tuple[int, ...], int] = {}
    shared = np.random.RandomState(1)
    for _ in range(draws):
        picks = tuple(
            select(X, 3, method="random-pivot", block_size=block_size, random_state=shared).indices
        )
        found[picks] = found.get(picks, 0) + 1
    expected = {}
    for order in permutations(range(5), 3):
        left, chance = A.T @ A, 1.0
        for p in order:
            chance *= left[p, p] / left.trace()
            left = left - np.outer(left[p], left[p]) / left[p, p]
        expected[order] = draws * chance
    large = {order: count for order, count in expected.items() if count >= 5}
    observed = np.array([found.get(order, 0) for order in large])
    counts = np.array(list(large.values()))
    rest = draws - counts.sum()
    statistic = np.sum((observed - counts) ** 2 / counts)
    statistic += (draws - observed.sum() - rest) ** 2 / rest
    assert statistic < chi2.ppf(0.999, len(counts))


def test_rejected_proposals_cost_no_kernel_columns():
    points = np.repeat(np.random.default_rng(0).standard_normal((6, 3)), 50, axis=0)
    K = Kernel(points, "rbf", gamma=0.5)
    asked: list[int] = []
    columns = K.gram_columns

    def counted(j):
        asked.append(len(points[j]))
        return columns(j)

    K.gram_columns = counted  # type: ignore[method-assign]
    chosen = select(K, 6, method="random-pivot", block_size=64, random_state=0).indices
    assert len(set(chosen // 50)) == 6
    assert sum(asked) == 6
    assert len(asked) < 6


@pytest.mark.parametrize("size", [0, -1, 2.5, "many"])
def test_block_sizes_are_counts(size):
    with pytest.raises((ValueError, TypeError), match="block_size"):
        select(np.eye(3), 2, method="random-pivot", block_size=size)


def test_a_seed_means_the_same_for_data_and_kernels():
    A = np.random.default_rng(0).standard_normal((60, 100))
    chosen = select(A, 40, method="random-pivot", random_state=3).indices.tolist()
    assert (
        select(Kernel(A.T @ A), 40, method="random-pivot", random_state=3).indices.tolist()
        == chosen
    )
    assert (
        select(Kernel(A.T, "linear"), 40, method="random-pivot", random_state=3).indices.tolist()
        == chosen
    )
    assert (
        select(A, 40, method="random-pivot", random_state=3, block_size=10).indices.tolist()
        == chosen
    )


@pytest.mark.parametrize(("wish", "size"), [
    ({"n_select": 3}, None), ({"n_select": 7}, None), ({"n_select": 8}, 2), ({"n_select": 40}, 10),
    ({"n_select": 510}, 127), ({"n_select": 512}, 128), ({"n_select": 600}, 128),
    ({"max_error": 0.5}, 64),
])  # fmt: skip
def test_the_default_block_is_a_quarter_of_what_is_wanted(wish, size, monkeypatch):
    module = import_module("colonnade.selectors.pivoted.random_pivot")
    sizes = []

    def noted(rng, size):
        sizes.append(size)
        return RandomProposals(rng, size)

    monkeypatch.setattr(module, "RandomProposals", noted)
    A = np.random.default_rng(0).standard_normal((620, 610))
    found = select(A, method="random-pivot", **wish, random_state=0)
    assert sizes == ([] if size is None else [size])
    again = select(A, method="random-pivot", **wish, block_size=size or 1, random_state=0)
    assert again.indices.tolist() == found.indices.tolist()


class Left:
    """What a rule asks of a residual, with inner products that are told."""

    def __init__(self, K):
        self.K, self.g = K, K.diagonal()

    def live_candidates(self, candidates):
        return candidates

    def inner(self, drawn):
        return self.K[np.ix_(drawn, drawn)]

    def expect(self, chosen):
        pass


def test_no_proposal_is_accepted_twice():
    """Rounding may leave a little of what was taken, and luck may be zero."""
    rounded = 0
    for a in np.random.default_rng(0).uniform(1.0, 2.0, 50):
        rounded += a - (a / np.sqrt(a)) ** 2 > 0
        rule = RandomProposals(Scripted(np.zeros(4)), 4)
        assert rule._propose(Left(np.diag([a, 1.0])), np.array([True, True])) == [0]
    assert rounded > 5


def test_what_was_accepted_is_taken_only_while_it_is_live():
    """Accepted with the block, but excluded or spent to rounding before its turn."""
    rule = RandomProposals(Scripted([0.1, 0.5, 0.9]), 3)
    left = Left(np.diag([1.0, 1.0, 1.0]))
    live = np.array([True, True, True])
    assert rule.choose(left, live) == 0
    live[:2] = False
    assert rule.choose(left, live) == 2
    live[2] = False
    assert rule.choose(left, live) is None
