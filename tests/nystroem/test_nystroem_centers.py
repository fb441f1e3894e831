"""Landmarks that are worth their time: centres of a short k-means, and the usual rank-k formula."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from colonnade import Kernel, Nystroem
from colonnade.nystroem.centers import DENSE, SPARSE, sample_centers
from colonnade.operands.containers import largest_entries


@pytest.fixture(scope="module")
def digits():
    return load_digits().data / 16


def textbook(points, count, n_iter):
    """Lloyd's algorithm, a point and a centre at a time."""
    centers = points[:count].copy()
    for _ in range(n_iter):
        distances = [[np.square(x - c).sum() for c in centers] for x in points]
        nearest = [int(np.argmin(row)) for row in distances]
        far = sorted(range(len(points)), key=lambda i: -distances[i][nearest[i]])
        spare = iter(far)
        for c in range(count):
            group = [points[i] for i in range(len(points)) if nearest[i] == c]
            centers[c] = np.mean(group, axis=0) if group else points[next(spare)]
    return centers


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("n_iter", [1, 2, 4])
def test_centres_are_those_of_the_textbook(put, n_iter):
    X = np.random.default_rng(0).integers(0, 9, (60, 5)).astype(float)
    found = sample_centers(Kernel(put(X), "rbf"), 7, np.random.RandomState(0), n_iter=n_iter)
    order = np.random.RandomState(0).permutation(60)
    assert sp.issparse(found) == sp.issparse(put(X))
    found = found.toarray() if sp.issparse(found) else found
    np.testing.assert_allclose(found, textbook(X[order], 7, n_iter), rtol=1e-5)


def test_the_largest_entries_of_rows():
    X = np.array([[3.0, -5.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, -1.0], [4, 3, 2, 1]])
    for count in (1, 2, 3, 4, 9):
        expected = X.copy()
        for row in expected:
            row[np.argsort(-np.abs(row), kind="stable")[count:]] = 0.0
        found = largest_entries(sp.csr_array(X), count)
        np.testing.assert_array_equal(found.toarray(), expected)
        np.testing.assert_array_equal(largest_entries(X, count), expected)
    ties = np.array([[1.0, -1.0, 2.0, 1.0, 1.0]])
    np.testing.assert_array_equal(largest_entries(ties, 3), [[1.0, -1.0, 2.0, 0.0, 0.0]])


def test_centres_of_sparse_points_have_few_entries():
    """Twice those of a point; the other entries of the mean are left out, however it is stored."""
    X = sp.random_array((300, 400), density=0.02, rng=np.random.default_rng(0), format="csr")
    C = sample_centers(Kernel(X, "rbf"), 4, np.random.RandomState(0), n_iter=1)
    assert np.diff(C.indptr).max() == 16
    stored = sample_centers(Kernel(X.toarray(), "rbf"), 4, np.random.RandomState(0), n_iter=1)
    np.testing.assert_allclose(C.toarray(), stored, rtol=1e-12)
    points = X.toarray()[np.random.RandomState(0).permutation(300)]
    for found, mean in zip(C.toarray(), textbook(points, 4, 1), strict=True):
        kept = found != 0
        np.testing.assert_allclose(found[kept], mean[kept])
        assert np.abs(mean[kept]).min() >= np.abs(mean[~kept]).max()


def test_a_centre_without_points_takes_the_farthest():
    """Four equal starts: three of them have no points, which take those that are farthest."""
    X = np.array([[0.0, 0.0]] * 6 + [[5.0, 0.0], [0.0, 7.0], [9.0, 9.0]])
    rng = np.random.RandomState(0)
    while True:
        state = rng.get_state()
        if set(rng.permutation(9)[:4]) <= set(range(6)):
            break
    rng.set_state(state)
    order = rng.permutation(9)
    rng.set_state(state)
    found = sample_centers(Kernel(X, "rbf"), 4, rng, n_iter=1)
    np.testing.assert_allclose(found, textbook(X[order], 4, 1))
    assert {tuple(c) for c in found[1:].tolist()} == {(9.0, 9.0), (0.0, 7.0), (5.0, 0.0)}


def test_more_iterations_come_near_to_k_means(digits):
    K = Kernel(digits, "rbf")

    def objective(centers):
        return rbf_distances(digits, centers).min(axis=1).sum()

    few, many = (
        objective(sample_centers(K, 20, np.random.RandomState(1), n_sample=1797, n_iter=t))
        for t in (3, 50)
    )
    best = KMeans(20, n_init=5, random_state=0).fit(digits).inertia_
    start = objective(digits[np.random.RandomState(1).permutation(1797)[:20]])
    assert many < few < start
    assert few < 1.1 * best
    assert many < 1.05 * best


def rbf_distances(X, centers):
    return np.square(X).sum(axis=1)[:, None] - 2 * X @ centers.T + np.square(centers).sum(axis=1)


def test_how_many_points_are_looked_at():
    sizes = [(500, 10), (5000, 10), (12_000, 10), (10**6, 10), (10**6, 1000)]
    assert [DENSE.n_sample(*size) for size in sizes] == [500, 2000, 3000, 5000, 10_000]
    assert [SPARSE.n_sample(*size) for size in sizes] == [400, 400, 750, 5000, 6000]
    X = np.random.default_rng(0).standard_normal((4000, 3))
    few = Nystroem(n_components=3, landmarks="short-kmeans", landmarks_params={"n_sample": 3},
                   random_state=0).fit(X)  # fmt: skip
    drawn = np.random.RandomState(0).permutation(4000)[:3]
    np.testing.assert_allclose(few.components_, X[drawn])  # each is the only point of its centre


# -- the default ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "poly", "linear", "cosine"])
@pytest.mark.parametrize("n_components", [10, 40])
def test_the_default_leaves_less_than_uniform_landmarks(kernel, n_components, digits):
    """By more than two standard errors, over ten seeds."""
    X = digits[:600]
    params = {"gamma": 0.05} if kernel == "rbf" else {}
    total = pairwise_kernels(X, metric=kernel, **params).trace()
    left = {}
    for landmarks in ("auto", "uniform"):
        models = [
            Nystroem(kernel, **params, n_components=n_components, landmarks=landmarks,
                     random_state=seed)
            for seed in range(10)
        ]  # fmt: skip
        left[landmarks] = [1 - np.square(m.fit_transform(X)).sum() / total for m in models]
        for model, error in zip(models, left[landmarks], strict=True):
            assert model.relative_errors_ == pytest.approx([error], abs=1e-9)
            assert (model.component_indices_ is None) == (landmarks == "auto")
    gap = np.mean(left["uniform"]) - np.mean(left["auto"])
    noise = np.sqrt((np.var(left["uniform"], ddof=1) + np.var(left["auto"], ddof=1)) / 10)
    assert gap > 2 * noise


def lengths_of(spread, seed=0):
    """Points in 40 dimensions whose lengths differ as much as is said."""
    rng = np.random.default_rng(seed)
    X = np.abs(rng.standard_normal((800, 40)))
    return X * np.exp(spread * rng.standard_normal(800))[:, None]


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "poly"])
def test_where_few_points_hold_the_kernel_they_are_landmarks(kernel, put):
    """No mean stands for a point that is much longer than all others."""
    params = {} if kernel == "linear" else {"degree": 2, "gamma": 1e-2}
    for spread, centres in ((0.1, True), (1.5, False)):
        X = put(lengths_of(spread))
        left = {}
        for landmarks in ("auto", "short-kmeans", "random-pivot"):
            models = [
                Nystroem(kernel, **params, n_components=20, landmarks=landmarks, random_state=seed)
                for seed in range(5)
            ]
            for model in models:
                model.fit_transform(X)
            left[landmarks] = np.mean([model.relative_errors_[-1] for model in models])
        kept, other = ("short-kmeans", "random-pivot")[:: 1 if centres else -1]
        assert left["auto"] == pytest.approx(left[kept])
        assert left["auto"] < left[other]
        # kernels that do not grow with lengths keep their centres
        assert Nystroem("cosine", n_components=20).fit(X).component_indices_ is None


@pytest.mark.parametrize(("share", "centres"), [(0.21, True), (0.19, False)])
def test_how_even_a_diagonal_must_be(share, centres):
    """Points of squared length 1 or x, as many as make the share what it is said to be."""
    n, longer = 1000, 100
    x = np.linspace(1.0, 100.0, 100_000)
    shares = (n - longer + longer * x) ** 2 / (n * (n - longer + longer * x**2))
    x = x[np.argmin(np.abs(shares - share))]
    X = np.zeros((n, 8))
    X[np.arange(n), np.arange(n) % 8] = 1.0
    X[:longer] *= np.sqrt(x)
    for factor in (1e-120, 1.0, 1e120):  # squares of these have no room
        model = Nystroem("linear", n_components=4, random_state=0).fit(factor * X)
        assert (model.component_indices_ is None) == centres


def test_a_few_dense_points_among_sparse_ones():
    """Those that are looked at first have few entries, but the others hold a third of all."""
    rng = np.random.default_rng(0)
    sparse = sp.random_array((3000, 500), density=0.01, rng=rng, format="csr")
    X = sp.vstack([sparse, sp.csr_array(rng.random((60, 500)))]).tocsr()
    for kernel in ("linear", "polynomial"):
        left = []
        for landmarks in ("auto", "uniform"):
            model = Nystroem(kernel, n_components=60, landmarks=landmarks, random_state=0)
            model.fit_transform(X)
            left.append(model.relative_errors_[-1])
        assert left[0] < 0.9 * left[1]


def test_where_there_are_no_centres_random_pivots_are_landmarks(digits):
    X = digits[:200]
    K = rbf_kernel(X, gamma=0.1)
    cases = [
        (K, {"kernel": "precomputed"}),
        (X, {"kernel": lambda x, y: np.exp(-0.1 * np.square(x - y).sum())}),
        (X, {"kernel": "chi2", "gamma": 0.1}),
        (X, {"kernel": "laplacian", "gamma": 0.1}),
    ]
    for data, params in cases:
        found = Nystroem(**params, n_components=8, random_state=0).fit(data)
        named = Nystroem(**params, n_components=8, landmarks="random-pivot", random_state=0)
        np.testing.assert_array_equal(found.component_indices_, named.fit(data).component_indices_)


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_as_many_landmarks_as_points_are_the_points(put, digits):
    X = digits[:30]
    model = Nystroem(gamma=0.1, n_components=30, random_state=0)
    Z = model.fit_transform(put(X))
    np.testing.assert_array_equal(model.component_indices_, np.arange(30))
    np.testing.assert_allclose(Z @ Z.T, rbf_kernel(X, gamma=0.1), atol=1e-9)


def test_sparse_points_have_sparse_landmarks(digits):
    """The same features, whatever the container."""
    X = digits[:400]
    for kernel in ("rbf", "linear", "cosine", "polynomial"):
        plain = Nystroem(kernel, n_components=12, random_state=0).fit(X)
        found = Nystroem(kernel, n_components=12, random_state=0).fit(sp.csr_array(X))
        assert sp.issparse(found.components_)
        np.testing.assert_allclose(found.components_.toarray(), plain.components_, atol=1e-12)
        Z, expected = found.transform(sp.csr_array(X)), plain.transform(X)
        np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-6)


def test_integers_and_points_far_from_zero(digits):
    X = (16 * digits[:300]).astype(np.uint8)
    models = [Nystroem(gamma=1e-3, n_components=9, random_state=0) for _ in range(3)]
    Z = models[0].fit_transform(X)
    np.testing.assert_allclose(models[1].fit_transform(X.astype(float)), Z, atol=1e-9)
    far = models[2].fit_transform(X + 1e6)
    np.testing.assert_allclose(far @ far.T, Z @ Z.T, atol=1e-6)


def test_points_that_repeat():
    X = np.repeat(np.eye(3), 20, axis=0)
    model = Nystroem(gamma=1.0, n_components=6, random_state=0)
    Z = model.fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, rbf_kernel(X, gamma=1.0), atol=1e-6)
    assert model.relative_errors_[-1] < 1e-6


def test_errors_are_known_once_the_features_are(digits):
    """After fit alone they would cost as much as the features."""
    X = digits[:200]
    for landmarks in ("auto", "uniform", [3, 1, 2]):
        model = Nystroem(gamma=0.1, n_components=5, landmarks=landmarks, random_state=0)
        assert model.fit(X).relative_errors_ is None
        Z = model.fit_transform(X)
        assert model.relative_errors_ == pytest.approx([1 - np.square(Z).sum() / 200], abs=1e-12)
    whole = Nystroem(gamma=0.1, n_components=5, random_state=0)
    whole.fit_transform(X)
    # the best of lower rank is found from the features
    few = Nystroem(gamma=0.1, n_components=5, rank=2, random_state=0).fit(X)
    assert few.relative_errors_ == pytest.approx(whole.relative_errors_)


# -- the usual formula of rank k -------------------------------------------------------------------


@pytest.mark.parametrize("landmarks", ["auto", "uniform", "greedy"])
@pytest.mark.parametrize("rank", [1, 5, 20])
def test_the_traditional_formula(landmarks, rank, digits):
    """Eq. 4.5: ``K_S (K_SS)_k⁺ K_Sᵀ``, with the best approximation of K_SS of rank k."""
    X = digits[:300]
    model = Nystroem(gamma=0.1, n_components=20, landmarks=landmarks, rank=rank,
                     rank_formula="traditional", random_state=0)  # fmt: skip
    Z = model.fit_transform(X)
    assert Z.shape == (300, rank)
    C = rbf_kernel(X, model.components_, gamma=0.1)
    values, vectors = np.linalg.eigh(rbf_kernel(model.components_, gamma=0.1))
    inverse = (vectors[:, -rank:] / values[-rank:]) @ vectors[:, -rank:].T
    np.testing.assert_allclose(Z @ Z.T, C @ inverse @ C.T, atol=1e-9)
    np.testing.assert_allclose(model.transform(X), Z, atol=1e-9)
    best = Nystroem(gamma=0.1, n_components=20, landmarks=landmarks, rank=rank, random_state=0)
    Y = best.fit_transform(X)
    K = rbf_kernel(X, gamma=0.1)
    if rank == 20:
        np.testing.assert_allclose(Y @ Y.T, Z @ Z.T, atol=1e-9)
    else:
        assert np.trace(K - Y @ Y.T) < np.trace(K - Z @ Z.T)


def test_the_traditional_formula_of_landmarks_that_depend():
    X = np.random.default_rng(0).standard_normal((40, 2))
    S = np.array([0, 1, 2, 3, 4])  # in a plane
    Z = Nystroem("linear", landmarks=S, rank=2, rank_formula="traditional").fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, X @ X.T, atol=1e-9)


@pytest.mark.parametrize("formula", ["best", "traditional"])
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("landmarks", ["auto", "short-kmeans", "uniform", "random-pivot"])
def test_features_that_nothing_is_left_for_are_zeros(formula, put, landmarks):
    """As many as ``rank`` says, whichever the formula: points that are zeros, and on a line."""
    params = {"n_components": 5, "rank_formula": formula, "random_state": 0, "landmarks": landmarks}
    model = Nystroem("linear", rank=2, **params)
    X = put(np.zeros((50, 6)))
    if landmarks != "random-pivot":
        np.testing.assert_array_equal(model.fit_transform(X), np.zeros((50, 2)))
        np.testing.assert_array_equal(model.transform(X), np.zeros((50, 2)))
        assert model.basis_.shape == (5, 2)
        assert model.relative_errors_ is None or model.relative_errors_[-1] == 0.0
    line = np.outer(np.arange(1.0, 51.0), np.arange(6.0))
    given = {**params, "landmarks": [0, 1, 2]}
    model = Nystroem("linear", rank=3, **given)
    Z = model.fit_transform(put(line))
    assert Z.shape == (50, 3)
    np.testing.assert_allclose(Z @ Z.T, line @ line.T, rtol=1e-9)
    np.testing.assert_allclose(model.transform(put(line)), Z, atol=1e-9)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rank_formula": "usual"}, "rank_formula='usual'.*best"),
        ({"rank_formula": "traditional"}, 'rank_formula="traditional".*rank=None.*give rank'),
        ({"landmarks": "short-kmeans", "landmarks_params": {"n_iter": 0}}, "n_iter=0"),
        ({"landmarks": "short-kmeans", "landmarks_params": {"n_sample": 0}}, "n_sample=0"),
        ({"landmarks": "short-kmeans", "kernel": "precomputed"}, "needs the points"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        Nystroem(n_components=2, **params).fit(np.eye(4))


def test_short_k_means_says_which_parameters_it_has():
    with pytest.raises(TypeError, match="landmarks_params may have n_sample, n_iter"):
        Nystroem(n_components=2, landmarks="short-kmeans", landmarks_params={"max_iter": 3}).fit(
            np.eye(4)
        )
