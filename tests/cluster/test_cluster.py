"""Clusterers: against the formulas, scikit-learn, and the theorem that makes them exact."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import check_estimator

from colonnade import (
    METHODS,
    DualSetSelector,
    FastSpectralClustering,
    GreedySelector,
    PivotedQRSelector,
    ReducedKMeans,
    RepresentativeKMeans,
    SignProjection,
    SphericalKMeans,
    SVDProjection,
    metrics,
)
from colonnade.cluster.baselines import _degrees

ESTIMATORS = [
    ReducedKMeans(3, random_state=0),
    ReducedKMeans(2, reducer=SVDProjection(1), n_polish=0, random_state=0),
    ReducedKMeans(3, scale="std", random_state=0),
    RepresentativeKMeans(3, random_state=0),
    RepresentativeKMeans(2, 2, selector=PivotedQRSelector(), n_polish=1, random_state=0),
    SphericalKMeans(3, random_state=0),
    SphericalKMeans(3, scale="max", random_state=0),
    FastSpectralClustering(3, random_state=0),
    FastSpectralClustering(3, affinity="self-tuning", method="uniform", random_state=0),
]
DRAWN = "starts are drawn among the rows, which are others if rows are repeated or removed"
EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": DRAWN for kind in ("dense", "sparse")
}
"""As scikit-learn declares for its own k-means."""


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.slow
def test_scikit_learn_contract(estimator):
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=EXPECTED
    )
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []
    assert sum(r["status"] == "passed" for r in results) > 40


@pytest.mark.parametrize(
    "cls", [ReducedKMeans, RepresentativeKMeans, SphericalKMeans, FastSpectralClustering]
)
def test_documented(cls):
    doc = inspect.getdoc(cls)
    for part in ("**Objective.**", "**Algorithm.**", "**Cost.**", "**When to use it.**"):
        assert part in doc
    for parameter in inspect.signature(cls).parameters:
        assert f"\n{parameter} : " in doc, parameter


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


# -- reduced k-means -----------------------------------------------------------------------------


def test_the_objective_is_that_of_the_original_data(digits):
    X, _ = digits
    for reducer in (DualSetSelector(20, 10), SignProjection(15), SVDProjection(8), None):
        model = ReducedKMeans(10, reducer, random_state=0).fit(X)
        assert model.inertia_ == pytest.approx(metrics.kmeans_objective(X, model.labels_))
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        assert model.approximation_ratio(X) == pytest.approx(
            model.inertia_ / metrics.best_rank_error(X - X.mean(axis=0), 9)
        )


def test_polishing_never_hurts_and_comes_near_to_k_means(digits):
    X, _ = digits
    best = KMeans(10, n_init=10, random_state=0).fit(X).inertia_
    rough = ReducedKMeans(10, SignProjection(15), n_polish=0, random_state=0).fit(X)
    fine = clone(rough).set_params(n_polish=20).fit(X)
    assert fine.inertia_ < rough.inertia_
    assert fine.inertia_ <= 1.03 * best
    assert rough.n_iter_ == fine.n_iter_


def test_without_polishing_it_is_k_means_on_the_reduced_data(digits):
    X, _ = digits
    reducer = DualSetSelector(20, 10)
    model = ReducedKMeans(10, reducer, n_polish=0, n_init=1, random_state=0).fit(X)
    rng = np.random.RandomState(0)
    plain = KMeans(10, n_init=1, random_state=rng.randint(2**31 - 1))
    np.testing.assert_array_equal(model.labels_, plain.fit_predict(reducer.fit_transform(X)))
    for c in range(10):
        np.testing.assert_allclose(model.cluster_centers_[c], X[model.labels_ == c].mean(axis=0))


def test_certificates(digits):
    X, _ = digits
    model = ReducedKMeans(10, DualSetSelector(20, 10), random_state=0).fit(X)
    certificate = model.certificate(X)
    assert certificate.holds
    assert certificate["kmeans_cost"].measured == pytest.approx(model.inertia_)
    with pytest.raises(TypeError, match="a certificate needs a selector as reducer"):
        ReducedKMeans(10, SignProjection(5), random_state=0).fit(X).certificate(X)


def test_integers_sparse_and_float32_give_the_same(digits):
    X, _ = digits
    expected = ReducedKMeans(10, SVDProjection(8), random_state=0).fit(X)
    for given in (X.astype(np.uint8), X.astype(np.float32), sp.csr_array(X), sp.csc_matrix(X)):
        before = given.copy()
        found = ReducedKMeans(10, SVDProjection(8), random_state=0).fit(given)
        assert metrics.nmi(expected.labels_, found.labels_) > 0.95
        assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-2)
        assert (given != before).sum() == 0


# -- representatives -----------------------------------------------------------------------------


def test_theorem_5_1_k_means_on_the_embedding_is_k_means_on_the_approximation(digits):
    """Distances of rows of W are those of the rows it stands for (thesis, Theorem 5.1)."""
    X = digits[0][:300]
    model = RepresentativeKMeans(5, 20, selector=GreedySelector(), n_init=1, random_state=0).fit(X)
    W = model.reducer_.transform(X)
    approximated = W @ model.reducer_.components_
    start = W[:5]
    on_w = KMeans(5, init=start, n_init=1, max_iter=30).fit(W)
    on_x = KMeans(5, init=start @ model.reducer_.components_, n_init=1, max_iter=30).fit(
        approximated
    )
    np.testing.assert_array_equal(on_w.labels_, on_x.labels_)
    assert on_w.inertia_ == pytest.approx(on_x.inertia_)
    assert len(model.indices_) == 20
    # and it stands for combinations of the representatives, the best ones
    rows = X[model.indices_]
    best = np.linalg.lstsq(rows.T, X.T, rcond=None)[0].T @ rows
    np.testing.assert_allclose(approximated, best, atol=1e-8)


def test_representatives_by_default_and_by_number(digits):
    X = digits[0][:200]
    assert len(RepresentativeKMeans(4, random_state=0).fit(X).indices_) == 40
    own = RepresentativeKMeans(4, selector=PivotedQRSelector(n_select=7), random_state=0).fit(X)
    assert len(own.indices_) == 7


# -- spherical k-means ---------------------------------------------------------------------------


def spherical_by_hand(X, centers, steps):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    for _ in range(steps):
        labels = np.argmax(unit @ centers.T, axis=1)
        centers = np.array([unit[labels == c].sum(axis=0) for c in range(len(centers))])
        centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    return labels, centers


def test_spherical_k_means_ends_at_a_fixed_point(digits):
    X, y = digits
    model = SphericalKMeans(10, tol=0.0, max_iter=300, random_state=0).fit(X)
    labels, centers = spherical_by_hand(X, model.cluster_centers_, 1)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_allclose(centers, model.cluster_centers_, atol=1e-12)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosines = (unit * model.cluster_centers_[model.labels_]).sum(axis=1)
    assert model.objective_ == pytest.approx(cosines.mean())
    assert metrics.nmi(y, model.labels_) > 0.6
    np.testing.assert_array_equal(model.predict(5.0 * X), model.labels_)


def test_spherical_k_means_on_sparse_counts_and_zero_rows():
    counts = sp.random_array((60, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    counts = sp.vstack([counts, sp.csr_array((1, 30))]).tocsr()
    dense = SphericalKMeans(4, random_state=0).fit(counts.toarray())
    sparse = SphericalKMeans(4, random_state=0).fit(counts)
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    assert set(sparse.labels_) == {0, 1, 2, 3}


# -- spectral clustering -------------------------------------------------------------------------


def test_algorithm_9_by_the_dense_formula():
    """With all points as representatives it is spectral clustering of K itself."""
    X, _ = make_blobs(60, centers=3, random_state=0)
    model = FastSpectralClustering(3, 60, gamma=0.05, method="greedy", random_state=0).fit(X)
    K = rbf_kernel(X, gamma=0.05)
    d = 1 / np.sqrt(K.sum(axis=1))
    values, vectors = np.linalg.eigh(K * d[:, None] * d)
    np.testing.assert_allclose(model.singular_values_**2, values[::-1][:3], rtol=1e-6)
    overlap = np.abs((vectors[:, ::-1][:, :3] * model.embedding_).sum(axis=0))
    np.testing.assert_allclose(overlap, 1.0, atol=1e-5)


@pytest.mark.parametrize(
    "method", [m.name for m in METHODS.values() if "kernel" in m.inputs and m.kind != "sparsifiers"]
)
def test_any_method_for_kernels_finds_the_moons(method):
    X, _ = make_moons(300, noise=0.05, random_state=0)
    model = FastSpectralClustering(2, 60, gamma=30.0, method=method, random_state=0).fit(X)
    exact = SpectralClustering(2, gamma=30.0, random_state=0).fit_predict(X)
    assert metrics.matched_accuracy(exact, model.labels_) > 0.9
    assert len(model.indices_) <= 60


@pytest.mark.parametrize("method", ["fowlkes", "lsc"])
def test_baselines_find_the_moons(method):
    X, y = make_moons(400, noise=0.05, random_state=0)
    model = FastSpectralClustering(2, 100, gamma=30.0, method=method, random_state=0).fit(X)
    assert metrics.matched_accuracy(y, model.labels_) > 0.9
    assert len(model.indices_) == 100


def test_fowlkes_with_all_points_is_exact():
    X, _ = make_blobs(60, centers=3, random_state=0)
    model = FastSpectralClustering(3, 60, gamma=0.05, method="fowlkes", random_state=0).fit(X)
    K = rbf_kernel(X, gamma=0.05)
    d = 1 / np.sqrt(K.sum(axis=1))
    values = np.linalg.eigvalsh(K * d[:, None] * d)[::-1]
    np.testing.assert_allclose(model.singular_values_**2, values[:3], rtol=1e-6)


def test_lsc_by_the_dense_formula():
    X, _ = make_blobs(50, centers=3, random_state=0)
    model = FastSpectralClustering(3, 20, method="lsc", random_state=0).fit(X)
    D = np.linalg.norm(X[:, None] - X[model.indices_], axis=2)
    near = np.sort(D, axis=1)[:, :5]
    Z = np.where(near[:, -1:] >= D, np.exp(-(D**2) / (2 * near.mean() ** 2)), 0.0)
    Z /= Z.sum(axis=1, keepdims=True)
    expected = np.linalg.svd(Z / np.sqrt(Z.sum(axis=0)), compute_uv=False)
    np.testing.assert_allclose(model.singular_values_, expected[:3], rtol=1e-8)
    np.testing.assert_allclose(expected[0], 1.0)
    for gamma in (0.05, 0.5, 5.0):
        model = FastSpectralClustering(3, 20, gamma=gamma, method="lsc", random_state=0).fit(X)
        D = np.linalg.norm(X[:, None] - X[model.indices_], axis=2)
        near = np.sort(D, axis=1)[:, :5]
        Z = np.where(near[:, -1:] >= D, np.exp(-gamma * D**2), 0.0)
        Z /= Z.sum(axis=1, keepdims=True)
        expected = np.linalg.svd(Z / np.sqrt(Z.sum(axis=0)), compute_uv=False)
        np.testing.assert_allclose(model.singular_values_, expected[:3], rtol=1e-8)


def test_self_tuning_and_precomputed():
    X, y = make_blobs(200, centers=4, cluster_std=0.5, random_state=0)
    tuned = FastSpectralClustering(4, affinity="self-tuning", random_state=0).fit(X)
    assert metrics.matched_accuracy(y, tuned.labels_) == 1.0
    given = FastSpectralClustering(4, affinity="precomputed", random_state=0)
    assert metrics.matched_accuracy(y, given.fit(rbf_kernel(X)).labels_) == 1.0


def test_documents_by_the_linear_kernel():
    rng = np.random.default_rng(0)
    words = np.kron(np.eye(3), np.ones((1, 20))) + 0.05
    y = np.repeat([0, 1, 2], 40)
    X = sp.csr_array(rng.poisson(words[y]).astype(float))
    model = FastSpectralClustering(3, affinity="linear", random_state=0).fit(X)
    assert metrics.matched_accuracy(y, model.labels_) > 0.95


def test_degrees_that_the_approximation_makes_negative_are_computed_exactly():
    class K:
        @staticmethod
        def gram_columns(j):
            return np.full((3, len(j)), 0.5)

    W = np.array([[1.0, 1.0, -3.0]])
    degrees = _degrees(W, K())
    np.testing.assert_allclose(degrees, [1.5, 1.5, 3.0])  # W1 = −1


# -- bad input -----------------------------------------------------------------------------------

SAME = np.ones((10, 3))
GOOD = np.random.default_rng(0).standard_normal((10, 3))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ReducedKMeans(11).fit(GOOD), ValueError, "n_clusters=11 but n_samples=10"),
        (lambda: ReducedKMeans(0).fit(GOOD), ValueError, "n_clusters=0"),
        (lambda: ReducedKMeans(2.5).fit(GOOD), TypeError, "n_clusters must be an integer"),
        (lambda: ReducedKMeans(3).fit(SAME), ValueError, "only 1 can be told apart: the data"),
        (lambda: ReducedKMeans(3, n_init=0).fit(GOOD), ValueError, "n_init=0"),
        (lambda: ReducedKMeans(3, n_polish=-1).fit(GOOD), ValueError, "n_polish=-1"),
        (lambda: ReducedKMeans(3, KMeans).fit(GOOD), TypeError, "reducer must be a selector"),
        (lambda: ReducedKMeans(3, "svd").fit(GOOD), TypeError, "or transformer, got 'svd'; for"),
        (lambda: RepresentativeKMeans(3, 11).fit(GOOD), ValueError, "n_representatives=11 but"),
        (lambda: SphericalKMeans(3, tol=-1.0).fit(GOOD), ValueError, "tol=-1.0; .* of at least 0"),
        (lambda: SphericalKMeans(11).fit(GOOD), ValueError, "n_clusters=11 but n_samples=10"),
        (
            lambda: FastSpectralClustering(3, 2).fit(GOOD), ValueError,
            "n_representatives=2 span fewer directions than n_clusters=3",
        ),
        (
            lambda: FastSpectralClustering(2, affinity="linear").fit(GOOD), ValueError,
            "has the degree .* degrees must be positive",
        ),
        (
            lambda: FastSpectralClustering(2, affinity="precomputed").fit(GOOD), ValueError,
            r'affinity="precomputed" needs a square .* got shape \(10, 3\); .* such as "rbf"$',
        ),
        (lambda: FastSpectralClustering(2, gamma=-1.0).fit(GOOD), ValueError, "gamma=-1.0"),
        (
            lambda: FastSpectralClustering(2, affinity="magic").fit(GOOD), ValueError,
            "^affinity='magic' is unknown; choose one of .*, self-tuning, sigmoid, or a function",
        ),
        (
            lambda: FastSpectralClustering(2, method="fsfs").fit(GOOD), ValueError,
            "needs the columns themselves",
        ),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
