"""Nyström transformers: theorems of thesis chapter 4, scikit-learn's answers, bad input."""

from __future__ import annotations

import inspect
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matrices import NASTY, nasty
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import Nystroem as Theirs
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from colonnade import METHODS, EnsembleNystroem, Kernel, Nystroem, RankReachedWarning, select
from colonnade.metrics import kernel_accuracy
from colonnade.nystroem.landmarks import (
    CENTROIDS,
    OWN_WAYS,
    landmark_cholesky,
    partial_adaptive_sampling,
)

WAYS = [*(name for name, entry in METHODS.items() if "kernel" in entry.inputs), *OWN_WAYS]
NEEDS = {"dual-set": {"n_clusters": 3}, "randomized-dual-set": {"n_clusters": 3}}
EPS = float(np.finfo(float).eps)
POINTS = [name for name in NASTY if name not in ("huge", "tiny")]


@pytest.fixture(scope="module")
def digits():
    return load_digits().data[:300] / 16


def formula(K, S):
    """Eq. 4.2, with a pseudo-inverse."""
    return K[:, S] @ np.linalg.pinv(K[np.ix_(S, S)], rcond=1e-12, hermitian=True) @ K[:, S].T


def regularized(K, S, extra):
    """Eq. 4.2 with something on the diagonal, which a sum of squares solves for without loss."""
    values, vectors = np.linalg.eigh(K[np.ix_(S, S)])
    return product(K[:, S] @ vectors / np.sqrt(np.maximum(values, 0.0) + extra))


def product(Z):
    return Z @ Z.T


def projected(Phi, S):
    """``ΦᵀPΦ`` with P the projection onto the columns S, from an SVD of these."""
    U, s, _ = np.linalg.svd(Phi[:, S], full_matrices=False)
    return product((U[:, s > 1e-7 * s[0]].T @ Phi).T)


# -- the theorems --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POINTS)
def test_theorem_4_1(name):
    """K̃_S is the kernel of the points projected onto the span of the landmarks."""
    Phi = nasty(name)
    # columns of one size, since inner products square the differences
    Phi = Phi / np.maximum(np.linalg.norm(Phi, axis=0), 1e-300)
    n = Phi.shape[1]
    S = np.random.default_rng(0).permutation(n)[: max(1, n // 3)]
    Z = Nystroem("linear", landmarks=S).fit_transform(Phi.T)
    if not Phi[:, S].any():
        return
    # squared, 1e-6 is 1e-12, of which inner products know four digits
    atol = 1e-2 if name == "similar columns" else 1e-5
    np.testing.assert_allclose(product(Z), projected(Phi, S), atol=atol)
    # the criterion of Definition 4.1: trace(K − K̃) = ‖Φ − PΦ‖²
    errors = np.square(Phi).sum() - np.square(Z).sum()
    assert errors == pytest.approx(np.trace(Phi.T @ Phi - projected(Phi, S)), abs=atol)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial", "linear"])
def test_theorems_4_2_and_4_4(kernel, digits):
    """K̃_S = K̃_P + G̃_R and F(S) = F(P) − trace(G̃_R), for G = K − K̃_P and R = S without P."""
    K = pairwise_kernels(digits, metric=kernel)
    S = np.random.default_rng(1).permutation(len(K))[:20]
    for size in (1, 7, 19):
        P, R = S[:size], S[size:]
        whole = product(Nystroem(kernel, landmarks=S).fit_transform(digits))
        part = product(Nystroem(kernel, landmarks=P).fit_transform(digits))
        rest = formula(K - part, R)
        np.testing.assert_allclose(whole, part + rest, atol=1e-8 * K.max())
        error, before = np.trace(K - whole), np.trace(K - part)
        assert error == pytest.approx(before - np.trace(rest), abs=1e-8 * np.trace(K))


def test_error_path_is_the_trace(digits):
    """Eq. 4.6 after each choice."""
    K = rbf_kernel(digits, gamma=0.1)
    mapped = Nystroem(gamma=0.1, n_components=12, landmarks="partition-greedy", random_state=0)
    S = mapped.fit(digits).component_indices_
    expected = [np.trace(K - formula(K, S[: t + 1])) / np.trace(K) for t in range(12)]
    np.testing.assert_allclose(mapped.relative_errors_, expected, rtol=1e-9)


@pytest.mark.parametrize("landmarks", ["greedy", "uniform", "kmeans"])
def test_rank_is_the_best_inside(landmarks, digits):
    """Eq. 4.12 is the best rank-k approximation of K̃_S; eq. 4.5 is not."""
    params = {"gamma": 0.1, "n_components": 20, "landmarks": landmarks, "random_state": 0}
    whole = Nystroem(**params).fit(digits)
    few = Nystroem(**params, rank=5)
    Z = few.fit_transform(digits)
    assert Z.shape == (300, 5)
    values, vectors = np.linalg.eigh(product(whole.transform(digits)))
    best = (vectors[:, -5:] * values[-5:]) @ vectors[:, -5:].T
    np.testing.assert_allclose(product(Z), best, atol=1e-10)
    np.testing.assert_allclose(few.transform(digits), Z, atol=1e-10)
    C = rbf_kernel(digits, whole.components_, gamma=0.1)
    small, V = np.linalg.eigh(rbf_kernel(whole.components_, gamma=0.1))
    usual = product(C @ V[:, -5:] / np.sqrt(small[-5:]))
    K = rbf_kernel(digits, gamma=0.1)
    inside = product(whole.transform(digits))
    assert np.linalg.norm(inside - product(Z)) <= np.linalg.norm(inside - usual)
    assert np.linalg.norm(K - product(Z)) < np.linalg.norm(K - usual)


# -- scikit-learn and the dense formula -----------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "params"),
    [
        ("rbf", {}), ("rbf", {"gamma": 0.2}), ("laplacian", {"gamma": 0.1}), ("linear", {}),
        ("poly", {"degree": 2, "coef0": 0.5}), ("polynomial", {"gamma": 0.1}), ("cosine", {}),
        ("chi2", {"gamma": 0.1}), ("linear", {"gamma": 3.0}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_uniform_landmarks_are_those_of_scikit_learn(kernel, params, put, digits):
    if kernel == "chi2" and put is not np.asarray:
        with pytest.raises(ValueError, match="cannot be evaluated"):
            Nystroem(kernel, **params).fit(put(digits))
        return
    X = put(digits)
    theirs = Theirs(kernel, **params, n_components=25, random_state=3).fit(X)
    ours = Nystroem(kernel, **params, n_components=25, landmarks="uniform", random_state=3).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    assert np.abs(ours.components_ - theirs.components_).max() == 0
    for new in (X[:60], X[100:160]):
        expected = theirs.transform(new) @ theirs.transform(X).T
        found = ours.transform(new) @ ours.transform(X).T
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    C = pairwise_kernels(digits[:5], digits[ours.component_indices_], metric=kernel,
                         filter_params=True, **params)  # fmt: skip
    np.testing.assert_allclose(C @ ours.normalization_.T, ours.transform(X[:5]), atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine", "polynomial"])
def test_parameters_that_a_named_kernel_does_not_know(kernel, digits):
    """They are left out, as scikit-learn does; and its parameters are all taken."""
    params = {"kernel_params": {"gamma": 0.2, "degree": 2, "scale": 3.0}, "n_jobs": 2,
              "n_components": 9, "random_state": 0}  # fmt: skip
    theirs = Theirs(kernel, **params).fit_transform(digits)
    ours = Nystroem(kernel, landmarks="uniform", **params)
    np.testing.assert_allclose(product(ours.fit_transform(digits)), product(theirs), atol=1e-9)
    assert ours.n_jobs == 2
    assert set(Theirs().get_params()) <= set(Nystroem().get_params())
    both = Nystroem(kernel, gamma=0.3, kernel_params={"gamma": 0.1})._parameters()
    assert both == ({"gamma": 0.3} if kernel in ("rbf", "polynomial") else {})


@pytest.mark.parametrize("landmarks", WAYS)
def test_all_landmarks(landmarks, digits):
    """The features of the data are those of new points, and K̃ is the dense formula."""
    given = NEEDS.get(landmarks)
    mapped = Nystroem(
        gamma=0.1, n_components=15, landmarks=landmarks, landmarks_params=given, random_state=0
    )
    before = digits.copy()
    Z = mapped.fit_transform(digits)
    np.testing.assert_allclose(mapped.transform(digits), Z, atol=1e-9)
    np.testing.assert_allclose(clone(mapped).fit(digits).transform(digits), Z, atol=1e-9)
    L = mapped.factor_
    np.testing.assert_array_equal(L, np.tril(L))
    np.testing.assert_allclose(L @ L.T, rbf_kernel(mapped.components_, gamma=0.1), atol=1e-12)
    if landmarks in CENTROIDS:
        assert mapped.component_indices_ is None
        return
    K = rbf_kernel(digits, gamma=0.1)
    S = mapped.component_indices_
    np.testing.assert_array_equal(mapped.components_, digits[S])
    np.testing.assert_allclose(product(Z), formula(K, S), atol=1e-9)
    np.testing.assert_array_equal(digits, before)
    if landmarks not in ("uniform", *OWN_WAYS):
        method = METHODS[landmarks]
        seed = {"random_state": 0} if "random_state" in method.parameters else {}
        chosen = select(Kernel(digits, "rbf", gamma=0.1), 15, method=landmarks,
                        **(given or {}), **seed)  # fmt: skip
        np.testing.assert_array_equal(S, chosen.indices)


@pytest.mark.parametrize("landmarks", ["greedy", "partition-greedy", "random-pivot", "kmeans"])
def test_chosen_landmarks_beat_uniform_ones(landmarks):
    X = load_digits().data[:800] / 16
    K = rbf_kernel(X, gamma=0.1)

    def accuracy(how):
        return np.mean([
            kernel_accuracy(K, Nystroem(gamma=0.1, n_components=40, landmarks=how,
                                        random_state=seed).fit_transform(X))
            for seed in range(4)
        ])  # fmt: skip

    margin = {"random-pivot": 0.95}.get(landmarks, 1.2)
    assert accuracy(landmarks) > margin * accuracy("uniform")


def test_dependent_landmarks_are_a_pseudo_inverse(digits):
    X = np.vstack([digits[:20], digits[:20]])
    K = rbf_kernel(X, gamma=0.1)
    S = np.array([3, 23, 5, 7, 27, 25])
    mapped = Nystroem(gamma=0.1, landmarks=S).fit(X)
    Z = mapped.transform(X)
    assert Z.shape == (40, 6)
    assert (Z == 0).all(axis=0).tolist() == [False] * 3 + [True] * 3
    np.testing.assert_allclose(product(Z), formula(K, S), atol=1e-12)
    few = Nystroem(gamma=0.1, landmarks=S, rank=4).fit_transform(X)
    np.testing.assert_allclose(product(few), product(Z), atol=1e-12)
    for rank in (2, 4):
        short = Nystroem(gamma=0.1, landmarks=S, rank=rank)
        np.testing.assert_allclose(short.fit_transform(X), short.transform(X), atol=1e-12)
    with pytest.warns(RankReachedWarning):
        short = Nystroem(gamma=0.1, n_components=30, landmarks="greedy").fit(X)
    assert short.transform(X).shape == (40, 20)
    assert len(short.get_feature_names_out()) == 20


def test_centroids_lie_among_points_far_from_zero():
    """Points are moved to zero for the kernel's sake, and landmarks back to the points."""
    X = np.random.default_rng(0).standard_normal((60, 3))
    near, far = (
        Nystroem(gamma=0.1, n_components=8, landmarks="kmeans", random_state=0).fit(Z)
        for Z in (X, X + 1000.0)
    )
    np.testing.assert_allclose(far.components_, near.components_ + 1000.0, atol=1e-6)
    np.testing.assert_allclose(
        product(far.transform(X + 1000.0)), product(near.transform(X)), atol=1e-6
    )


def test_landmark_cholesky():
    """In order where that is safe, pivoted and short else."""
    rng = np.random.default_rng(0)
    K = rbf_kernel(rng.standard_normal((12, 3)))
    mixed = np.pad(K, (0, 1))
    mixed[12, :12] = mixed[:12, 12] = K[4]
    mixed[12, 12] = K[4, 4]
    plain, order = landmark_cholesky(K)
    assert order.tolist() == list(range(12))
    np.testing.assert_allclose(plain, np.linalg.cholesky(K))
    L, pivots = landmark_cholesky(mixed)
    assert L.shape == (13, 12)
    np.testing.assert_allclose(L[pivots], np.tril(L[pivots]), atol=1e-15)
    np.testing.assert_allclose(L @ L.T, mixed, atol=1e-13)


def test_landmark_cholesky_of_noisy_values_and_short_points():
    """More rounding than the type tells is allowed for; short points are as exact as long ones."""
    excess = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        K = rbf_kernel(rng.standard_normal((60, 1)), gamma=1.0)
        noise = 1e-9 * rng.standard_normal((60, 60))
        for size in (12, 15, 20, 40):
            L, pivots = landmark_cholesky((K + noise + noise.T)[:size, :size])
            Z = np.linalg.solve(L[pivots], (K + noise + noise.T)[:, pivots].T)
            excess.append(np.square(Z).sum(axis=0).max() - 1.0)
            lengths = np.geomspace(1.0, 1e-9, size)
            L, pivots = landmark_cholesky(K[:size, :size] * lengths * lengths[:, None])
            close = L / lengths[:, None]
            np.testing.assert_allclose(close @ close.T, K[:size, :size], atol=1e-11)
    assert np.median(excess) < 1e-8
    L, pivots = landmark_cholesky(np.zeros((3, 3)))
    assert L.shape == (3, 0)
    assert len(pivots) == 0


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize(("dim", "shift"), [(1, 0.0), (2, 0.0), (1, 10.0)])
@pytest.mark.parametrize("landmarks", [way for way in WAYS if way not in CENTROIDS])
@pytest.mark.slow
def test_the_map_of_dependent_landmarks(landmarks, dim, shift):
    """Smooth kernels of few dimensions: errors are those of the map, which is never too large.

    Far from the origin squared distances, and so the kernel, are rounded more.
    """
    for seed in range(6):
        X = np.random.default_rng(seed).standard_normal((80, dim)) + shift
        K = rbf_kernel(X, gamma=1.0)
        for count in (15, 30):
            mapped = Nystroem(
                gamma=1.0, n_components=count, landmarks=landmarks, random_state=seed,
                landmarks_params=NEEDS.get(landmarks),
            )  # fmt: skip
            Z = mapped.fit_transform(X)
            np.testing.assert_allclose(mapped.transform(X), Z, atol=1e-7)
            left = K - product(Z)
            assert np.linalg.eigvalsh(left)[0] > -1e-6
            assert np.square(Z).sum(axis=1).max() < 1 + 1e-6
            error = np.trace(left) / 80
            if mapped.relative_errors_ is not None:
                assert mapped.relative_errors_[-1] == pytest.approx(error, abs=1e-6)
                assert (np.diff(mapped.relative_errors_) <= 1e-12).all()
            size = len(mapped.component_indices_)
            rounding = EPS * (1.0 + np.square(X - X.mean(axis=0)).sum(axis=1).max())
            known = regularized(K, mapped.component_indices_, 320 * size**2 * rounding)
            assert error <= 1.05 * np.trace(K - known) / 80 + 1e-7


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
def test_errors_are_those_of_the_map_that_is_used():
    """A case of fifteen landmarks of which a cautious factor keeps twelve."""
    X = np.random.default_rng(6).standard_normal((120, 1))
    K = rbf_kernel(X, gamma=1.0)
    for landmarks in ("leverage-top", "hybrid-greedy"):
        mapped = Nystroem(gamma=1.0, n_components=15, landmarks=landmarks, random_state=6)
        left = K - product(mapped.fit_transform(X))
        assert mapped.relative_errors_[-1] == pytest.approx(np.trace(left) / 120, abs=1e-9)
        assert np.linalg.eigvalsh(left)[0] > -1e-9
        theirs = formula(K, mapped.component_indices_)
        assert np.trace(left) <= 1.05 * np.trace(K - theirs)


@pytest.mark.parametrize("landmarks", ["uniform", "engine", "norm-sampling", "given"])
def test_nearly_dependent_landmarks_in_a_bad_order(landmarks):
    """A smooth kernel, whose small pivots would magnify the rounding of later ones."""
    X = np.random.default_rng(0).uniform(size=(60, 2))
    how = {"given": np.arange(40), "engine": "uniform"}.get(landmarks, landmarks)
    params = {"refine": False} if landmarks == "engine" else None  # the method's own embedding
    mapped = Nystroem(
        gamma=0.5, n_components=40, landmarks=how, landmarks_params=params, random_state=0
    )
    Z = mapped.fit_transform(X)
    K = rbf_kernel(X, gamma=0.5)
    np.testing.assert_allclose(product(Z), K, atol=1e-6)
    np.testing.assert_allclose(mapped.transform(X), Z, atol=1e-9)


@pytest.mark.slow
def test_partial_adaptive_sampling_follows_its_formula(digits):
    """Points drawn in the second round have the odds of the explicit residual."""
    kernel = Kernel(digits[:30], "rbf", gamma=0.1)
    K = kernel.gram()
    rng = np.random.RandomState(0)
    counts, expected = np.zeros(30), np.zeros(30)
    for _ in range(4000):
        first, second = np.split(partial_adaptive_sampling(kernel, 4, rng, n_rounds=2), 2)
        assert len({*first, *second}) == 4
        counts[second[0]] += 1
        C = K[:, first]
        values, V = np.linalg.eigh(C[first])
        v = V[:, 1:]  # rank one of two
        rest = C - C @ v / values[1] @ v.T @ C[first]
        odds = np.square(rest).sum(axis=1)
        odds[first] = 0
        expected += odds / odds.sum()
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected.max())


def test_partial_adaptive_sampling_keeps_the_smaller_half_of_an_odd_number():
    """Of three columns one direction is kept: the draw is that of the explicit residual."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((9, 4)) * np.geomspace(1.0, 4.0, 9)[:, None]
    K = X @ X.T
    state = np.random.RandomState(0)
    counts, expected = np.zeros(9), np.zeros(9)
    for _ in range(3000):
        drawn = partial_adaptive_sampling(Kernel(K, check=False), 5, state, n_rounds=2)
        first = drawn[:3]
        counts[drawn[3]] += 1
        C = K[:, first]
        v = np.linalg.eigh(C[first])[1][:, :2]  # what rank one of three leaves
        odds = np.square(C @ v).sum(axis=1)
        odds[first] = 0
        expected += odds / odds.sum()
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected)).all()


def test_partial_adaptive_sampling_of_unequal_points():
    """Points of very different lengths, so that the odds are far from even."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((7, 3)) * np.geomspace(1.0, 4.0, 7)[:, None]
    K = X @ X.T
    state = np.random.RandomState(0)
    counts, expected = np.zeros(7), np.zeros(7)
    for _ in range(3000):
        *first, last = partial_adaptive_sampling(Kernel(K, check=False), 3, state, n_rounds=2)
        counts[last] += 1
        C = K[:, first]
        v = np.linalg.eigh(C[first])[1][:, :1]  # what rank one of two leaves
        odds = np.square(C @ v)[:, 0]
        odds[first] = 0
        expected += odds / odds.sum()
    assert expected.max() > 3 * expected.min()
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected)).all()


def test_features_of_a_rank_have_an_order_and_signs(digits):
    mapped = Nystroem(gamma=0.1, n_components=20, rank=5, random_state=0).fit(digits)
    whole = Nystroem(gamma=0.1, n_components=20, random_state=0).fit_transform(digits)
    sizes = np.linalg.norm(mapped.transform(digits), axis=0)
    np.testing.assert_allclose(sizes, np.linalg.svd(whole, compute_uv=False)[:5])
    basis = mapped.basis_
    assert (basis[np.abs(basis).argmax(axis=0), range(5)] > 0).all()
    np.testing.assert_allclose(basis.T @ basis, np.eye(5), atol=1e-12)


@pytest.mark.parametrize("landmarks", ["uniform", [3, 1, 4, 15, 9, 2, 6, 5]])
def test_kernel_values_of_landmarks_are_computed_once(landmarks, digits):
    calls = []

    def kernel(x, y):
        calls.append(1)
        return np.exp(-0.1 * np.square(x - y).sum())

    Nystroem(kernel, n_components=8, landmarks=landmarks, random_state=0).fit(digits)
    assert len(calls) <= 8 * 8 + 2  # one to try the kernel, and one for that of the landmarks


# -- containers, types, memory ---------------------------------------------------------------------


@pytest.mark.parametrize("landmarks", ["partition-greedy", "random-pivot", "greedy", "uniform"])
def test_float32_and_integers_choose_as_float64(landmarks):
    X = load_digits().data[:200]
    params = {"gamma": 1e-5, "n_components": 60, "landmarks": landmarks, "random_state": 0}
    expected = Nystroem(**params).fit(X)
    Z = expected.transform(X)
    for dtype in (np.float32, np.uint8, np.int64):
        found = Nystroem(**params).fit(X.astype(dtype))
        np.testing.assert_array_equal(found.component_indices_, expected.component_indices_)
        again = found.transform(X.astype(dtype))
        assert again.dtype == (np.float32 if dtype == np.float32 else np.float64)
        np.testing.assert_allclose(again, Z, atol=1e-6)
    assert Nystroem(**params).fit_transform(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_sparse_is_dense(make, digits):
    dense = Nystroem(gamma=0.1, n_components=20, random_state=0).fit(digits)
    sparse = Nystroem(gamma=0.1, n_components=20, random_state=0).fit(make(digits))
    np.testing.assert_array_equal(sparse.component_indices_, dense.component_indices_)
    np.testing.assert_allclose(sparse.transform(make(digits)), dense.transform(digits), atol=1e-9)
    means = Nystroem(gamma=0.1, n_components=5, landmarks="kmeans", random_state=0)
    assert means.fit_transform(make(digits)).shape == (300, 5)


@pytest.mark.parametrize("landmarks", ["partition-greedy", "random-pivot", "uniform"])
def test_nothing_square_is_held(landmarks):
    X = np.random.default_rng(0).standard_normal((4000, 3)).astype(np.float32)
    mapped = Nystroem(n_components=10, landmarks=landmarks, random_state=0)
    tracemalloc.start()
    try:
        mapped.fit_transform(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * 4000 * 4000 / 4


def test_precomputed_with_few_components_and_new_points(digits):
    train, new = digits[:200], digits[200:]
    points = Nystroem(gamma=0.1, n_components=15, landmarks="random-pivot", random_state=0)
    points.fit(train)
    given = Nystroem("precomputed", n_components=15, random_state=0)
    given.fit(rbf_kernel(train, gamma=0.1))
    np.testing.assert_array_equal(given.component_indices_, points.component_indices_)
    for X in (train, new):
        found = given.transform(rbf_kernel(X, train, gamma=0.1))
        np.testing.assert_allclose(found, points.transform(X), atol=1e-9)
    with pytest.raises(ValueError, match="expecting 200 features"):
        given.transform(rbf_kernel(new, train[:15]))
    mix = EnsembleNystroem("precomputed", n_components=5, n_experts=3, random_state=0)
    Z = mix.fit(rbf_kernel(train, gamma=0.1)).transform(rbf_kernel(new, train, gamma=0.1))
    same = EnsembleNystroem(gamma=0.1, n_components=5, n_experts=3, random_state=0)
    np.testing.assert_allclose(Z, same.fit(train).transform(new), atol=1e-9)


def test_precomputed_in_a_search(digits):
    y = load_digits().target[:300]
    search = GridSearchCV(
        make_pipeline(Nystroem("precomputed", random_state=0), RidgeClassifier()),
        {"nystroem__n_components": [2, 60]}, cv=3,
    )  # fmt: skip
    search.fit(rbf_kernel(digits, gamma=0.05), y)
    assert search.best_params_ == {"nystroem__n_components": 60}
    assert search.best_score_ > 0.8


def test_callable_kernels(digits):
    calls = []

    def kernel(x, y, scale=1.0):
        calls.append(1)
        return np.exp(-0.1 * scale * np.square(x - y).sum())

    X = digits[:60]
    params = {"kernel_params": {"scale": 2.0}, "n_components": 8, "random_state": 0}
    expected = Nystroem(gamma=0.2, n_components=8, random_state=0, landmarks="random-pivot").fit(X)
    found = Nystroem(kernel, landmarks="random-pivot", **params).fit(X)
    assert len(calls) < 60 * 60 / 2  # a slow kernel is not evaluated for all pairs
    np.testing.assert_array_equal(found.component_indices_, expected.component_indices_)
    np.testing.assert_allclose(found.transform(X), expected.transform(X), atol=1e-9)
    theirs = Theirs(kernel, **params).fit(X).transform(X)
    ours = Nystroem(kernel, landmarks="uniform", **params).fit_transform(X)
    np.testing.assert_allclose(product(ours), product(theirs), atol=1e-9)


def test_tiles_are_the_kernel():
    """More points than a tile has, so that tiles on, below and at the end of it are seen."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1100, 4))
    V = rng.standard_normal((1100, 3))
    K = rbf_kernel(X)
    for points in (X, sp.csr_array(X), X.astype(np.float32)):
        kernel = Kernel(points, "rbf")
        tolerance = 1e-5 if points.dtype == np.float32 else 1e-10
        np.testing.assert_allclose(kernel.gram(), K, atol=tolerance)
        np.testing.assert_allclose(kernel.gram_matmat(V), K @ V, atol=100 * tolerance)
        np.testing.assert_allclose(kernel.gram_matmat(V[:, 0]), K @ V[:, 0], atol=100 * tolerance)
        picked = sp.csr_array((np.ones(1100), (np.arange(1100), np.arange(1100) % 7)))
        np.testing.assert_allclose(kernel.gram_matmat(picked), K @ picked, atol=100 * tolerance)


# -- accuracy --------------------------------------------------------------------------------------


def test_kernel_accuracy_is_equation_4_17(digits):
    K = rbf_kernel(digits, gamma=0.1)
    selection = select(Kernel(K), 10)
    values = np.linalg.eigvalsh(K)[::-1]
    S = selection.indices
    expected = np.linalg.norm(values[10:]) / np.linalg.norm(K - formula(K, S))
    assert kernel_accuracy(K, selection) == pytest.approx(expected, rel=1e-6)
    Z = Nystroem(gamma=0.1, landmarks=S).fit_transform(digits)
    assert kernel_accuracy(Kernel(digits, "rbf", gamma=0.1), Z) == pytest.approx(expected)
    few = Nystroem(gamma=0.1, landmarks=S, rank=3).fit_transform(digits)
    assert 0 < kernel_accuracy(K, few) <= 1
    assert kernel_accuracy(np.eye(3), np.eye(3)) == 1.0
    with pytest.raises(ValueError, match=r"features have shape \(299, 10\)"):
        kernel_accuracy(K, Z[1:])


def test_kernel_accuracy_of_many_points():
    X = load_digits().data[:, :40] / 16
    X = np.vstack([X, X[:300] + 0.1])
    kernel = Kernel(X, "rbf", gamma=0.1)
    Z = Nystroem(gamma=0.1, n_components=20, random_state=0).fit_transform(X)
    K = kernel.gram()
    expected = np.linalg.norm(np.linalg.eigvalsh(K)[:-20]) / np.linalg.norm(K - product(Z))
    assert kernel_accuracy(kernel, Z) == pytest.approx(expected, rel=1e-2)


# -- the scikit-learn side -------------------------------------------------------------------------

ESTIMATORS = [
    Nystroem(random_state=0),
    Nystroem("linear", n_components=3, landmarks="greedy"),
    Nystroem("polynomial", n_components=4, landmarks="random-pivot", rank=1, random_state=0),
    Nystroem(landmarks="kmeans", random_state=0),
    EnsembleNystroem(n_experts=3, random_state=0),
    EnsembleNystroem("laplacian", weights="exponential", n_components=2, random_state=0),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.slow
def test_scikit_learn_contract(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []
    assert sum(r["status"] == "passed" for r in results) > 40


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_contract_of_precomputed_kernels():
    """Two checks pass indefinite matrices as kernels, which are refused."""
    results = check_estimator(Nystroem("precomputed"), on_skip=None, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert set(failed) <= {"check_positive_only_tag_during_fit", "check_estimators_dtypes"}


@pytest.mark.parametrize("make", [Nystroem, EnsembleNystroem])
def test_names_pickles_and_frames(make, digits):
    frame = pd.DataFrame(digits, columns=[f"p{i}" for i in range(64)])
    mapped = make(n_components=3, random_state=0).set_output(transform="pandas").fit(frame)
    out = mapped.transform(frame)
    assert list(out.columns) == list(mapped.get_feature_names_out())
    assert out.columns[0] == f"{make.__name__.lower()}0"
    assert list(mapped.feature_names_in_) == list(frame.columns)
    again = pickle.loads(pickle.dumps(mapped)).transform(frame)
    np.testing.assert_array_equal(again, out)
    same = make(n_components=3, random_state=0).fit_transform(digits)
    np.testing.assert_allclose(same, out, atol=1e-12)


@pytest.mark.parametrize("make", [Nystroem, EnsembleNystroem])
def test_every_attribute_is_described(make, digits):
    frame = pd.DataFrame(digits, columns=[f"p{i}" for i in range(64)])
    mapped = make(n_components=3, random_state=0).fit(frame)
    described = inspect.getdoc(make).split("Attributes\n")[1]
    for name in (*vars(mapped), *vars(make)):
        if name.endswith("_") and not name.startswith("_"):
            assert f"\n{name} : " in described


# -- bad input -------------------------------------------------------------------------------------

GOOD = np.random.default_rng(0).standard_normal((12, 3))


def nan_off_the_diagonal(x, y):
    return 1.0 if (x == y).all() else np.nan


BAD = [
    (lambda: Nystroem(landmarks="gredy").fit(GOOD), ValueError, "did you mean 'greedy'"),
    (lambda: Nystroem(landmarks="strong-rrqr").fit(GOOD), ValueError, "needs the columns"),
    (lambda: Nystroem(landmarks=[0, 12]).fit(GOOD), ValueError, "holds 12; rows are numb"),
    (lambda: Nystroem(landmarks=[-1]).fit(GOOD), ValueError, "holds -1; rows are"),
    (lambda: Nystroem(landmarks=[1, 1]).fit(GOOD), ValueError, "repeats a row"),
    (lambda: Nystroem(landmarks=[0.5]).fit(GOOD), ValueError, "list of row numbers"),
    (lambda: Nystroem(landmarks=[]).fit(GOOD), ValueError, "list of row numbers"),
    (lambda: Nystroem(landmarks=None).fit(GOOD), ValueError, "got None"),
    (lambda: Nystroem(n_components=0).fit(GOOD), ValueError, "n_components=0"),
    (lambda: Nystroem(n_components=3, gamma=True).fit(GOOD), TypeError, "gamma must be .* True"),
    (lambda: Nystroem(n_components=2.5).fit(GOOD), TypeError, "n_components must be an integer"),
    (lambda: Nystroem(n_components=4, rank=5).fit(GOOD), ValueError, "rank=5 for 4 landmarks"),
    (lambda: Nystroem(n_components=4, rank=0).fit(GOOD), ValueError, "rank=0"),
    (lambda: Nystroem("rfb", n_components=2).fit(GOOD), ValueError,
     r"^kernel='rfb' is unknown \(did you mean 'rbf'\?\); choose one of chi2, cosine, laplacian, "
     "linear, poly, polynomial, precomputed, rbf, or a function of two rows$"),
    (lambda: EnsembleNystroem("x", n_components=2).fit(GOOD), ValueError,
     "^kernel='x' is unknown; choose one of chi2, cos"),
    (lambda: Nystroem(["rbf"], n_components=2).fit(GOOD), ValueError,
     r"^kernel=\['rbf'\] is unknown; choose"),
    (lambda: Nystroem(None, n_components=2).fit(GOOD), ValueError, "^kernel=None is unknown"),
    (lambda: Nystroem("chi2", n_components=2).fit(GOOD), ValueError,
     "^the kernel 'chi2' cannot be evaluated"),
    (lambda: Nystroem("precomputed", gamma=1.0).fit(np.eye(3)), ValueError, "Don't pass gamma"),
    (lambda: Nystroem(np.dot, degree=2).fit(GOOD), ValueError, "Don't pass gamma"),
    (lambda: Nystroem("precomputed", n_components=2).fit(GOOD), ValueError,
     'must be square, .* for example kernel="rbf"$'),
    (lambda: Nystroem("precomputed", n_components=2).fit(np.triu(np.ones((3, 3)))), ValueError,
     "must be symmetric"),
    (lambda: Nystroem("precomputed", n_components=2).fit(np.eye(3) - 0.6), ValueError,
     "positive semidefinite"),
    (lambda: Nystroem("precomputed", n_components=2).fit(sp.eye_array(3)), TypeError, "parse"),
    (lambda: Nystroem("precomputed", n_components=2, landmarks="kmeans").fit(np.eye(3)),
     ValueError, "kernel is precomputed"),
    (lambda: Nystroem("sigmoid", gamma=2.0, coef0=-1.0, landmarks="uniform",
                      n_components=9).fit(GOOD), ValueError, "not positive semidefinite"),
    (lambda: Nystroem(lambda x, y: 1.0 if (x == y).all() else 2.0, landmarks=[0, 1]).fit(GOOD),
     ValueError, "do not reconstruct their own kernel"),
    (lambda: Nystroem("additive_chi2", n_components=3, landmarks="uniform").fit(np.abs(GOOD)),
     ValueError, "'additive_chi2' is not positive semidefinite.* 'chi2'"),
    (lambda: Nystroem("sigmoid", n_components=3).fit(GOOD), ValueError,
     "'sigmoid' is not positive semidefinite.* 'rbf'"),
    (lambda: EnsembleNystroem("sigmoid", n_components=3).fit(GOOD), ValueError, "'sigmoid' is"),
    (lambda: Nystroem(gamma=-1.0, n_components=3).fit(GOOD), ValueError,
     "gamma=-1.0; it must be positive"),
    (lambda: Nystroem(gamma=np.nan, n_components=3).fit(GOOD), ValueError,
     "gamma=nan; it must be positive and finite"),
    (lambda: Nystroem("laplacian", gamma=np.inf, n_components=3).fit(GOOD), ValueError,
     "gamma=inf; it must be positive and finite"),
    (lambda: Nystroem(kernel_params={"gamma": -2}, n_components=3).fit(GOOD), ValueError,
     "gamma=-2; it"),
    (lambda: Nystroem(gamma="scale", n_components=3).fit(GOOD), TypeError, "gamma must be"),
    (lambda: Nystroem(kernel_params=[1], n_components=3).fit(GOOD), TypeError,
     "kernel_params must be a dict"),
    (lambda: Nystroem(nan_off_the_diagonal, n_components=3).fit(GOOD), ValueError,
     "values that are not finite, such as nan"),
    (lambda: Nystroem(nan_off_the_diagonal, landmarks=[0, 1]).fit(GOOD), ValueError,
     "not finite, such as nan"),
    (lambda: Nystroem(nan_off_the_diagonal, landmarks=[0]).fit(GOOD).transform(GOOD), ValueError,
     "not finite, such as na"),
    (lambda: Nystroem("polynomial", degree=200, n_components=3).fit(1e9 * GOOD), ValueError,
     "values that are not finite, such as inf"),
    (lambda: Nystroem(n_components=2, landmarks="kmeans", landmarks_params={"foo": 1}).fit(GOOD),
     TypeError, "landmarks='kmeans' has no parameter 'foo'; landmarks_params may have init, n_in"),
    (lambda: Nystroem(n_components=2, landmarks="partial-adaptive-sampling",
                      landmarks_params={"foo": 1}).fit(GOOD), TypeError,
     "no parameter 'foo'; landmarks_params may have n_rounds$"),
    (lambda: Nystroem(n_components=2, landmarks_params={"n_select": 3}).fit(GOOD), ValueError,
     "n_select=3, but n_components says how many"),
    (lambda: Nystroem(n_components=2, landmarks="kmeans",
                      landmarks_params={"n_clusters": 3}).fit(GOOD), ValueError,
     "n_clusters=3, but n_components says how many"),
    (lambda: Nystroem(n_components=2, landmarks_params=[1]).fit(GOOD), TypeError, "must be a dict"),
    (lambda: Nystroem(n_components=2, landmarks="greedy", landmarks_params={"groups": 1}).fit(GOOD),
     TypeError, "no parameter 'groups'"),
    (lambda: Nystroem(n_components=2, landmarks_params={"groups": 1}).fit(GOOD), ValueError,
     'landmarks="auto" takes no parameters, got'),
    (lambda: Nystroem(landmarks=[0], landmarks_params={"rank": 1}).fit(GOOD), ValueError,
     "leave them out"),
    (lambda: Nystroem(n_components=2).fit_transform(GOOD, sample_weight=1), TypeError,
     "sample_weight"),
    (lambda: EnsembleNystroem(n_components=2, n_experts=0).fit(GOOD), ValueError, "n_experts=0"),
    (lambda: EnsembleNystroem(n_components=2, weights="best").fit(GOOD), ValueError,
     "weights='best'; choose one of uniform, ridge, exponential"),
    (lambda: EnsembleNystroem(n_components=2, penalty=-1.0).fit(GOOD), ValueError, "penalty=-1"),
    (lambda: EnsembleNystroem(n_components=2, n_holdout=0).fit(GOOD), ValueError, "n_holdout=0"),
    (lambda: EnsembleNystroem(n_components=2, rank=3).fit(GOOD), ValueError, "rank=3 for 2"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[b[2] for b in BAD])
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.filterwarnings("error")
def test_given_landmarks_need_no_number_of_components():
    expected = Nystroem(landmarks=[0, 1, 2]).fit_transform(GOOD)
    for count in (0, None, 2.5, 10**6):
        mapped = Nystroem(landmarks=[0, 1, 2], n_components=count, rank=3).fit(GOOD)
        np.testing.assert_allclose(product(mapped.transform(GOOD)), product(expected), atol=1e-12)


def test_more_landmarks_than_points():
    with pytest.warns(UserWarning, match="n_components=100 but there are only 12 points"):
        Z = Nystroem(gamma=0.5).fit_transform(GOOD)
    np.testing.assert_allclose(product(Z), rbf_kernel(GOOD, gamma=0.5), atol=1e-12)
