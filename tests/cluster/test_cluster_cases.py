"""k-means on few columns, rows or directions: hard data, exact bounds, seeds and iterations."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from colonnade import (
    DualSetSelector,
    GreedySelector,
    Nystroem,
    ReducedKMeans,
    RepresentativeKMeans,
    RLSClassifier,
    RowSelector,
    SignProjection,
    SphericalKMeans,
    UniformSelector,
    certify,
    metrics,
)
from colonnade.cluster.steps import fill_empty, polished
from colonnade.operands.entrance import as_operand

COUNTS = np.random.default_rng(3).poisson(0.6, (80, 30)).astype(float)
COUNTS[:, 0] += 1.0  # no row of zeros
BLOBS = make_blobs(90, n_features=30, centers=4, cluster_std=4.0, random_state=0)[0]


def doubled(A):
    """Return A with every entry stored as two halves."""
    C = sp.csr_array(A)
    return sp.csr_array(
        (np.repeat(C.data / 2, 2), np.repeat(C.indices, 2), C.indptr * 2), shape=C.shape
    )


def wide(A):
    """Return A with indices of 64 bits."""
    C = sp.csr_array(A)
    C.indices, C.indptr = C.indices.astype(np.int64), C.indptr.astype(np.int64)
    return C


def wide_doubled(A):
    """Return A with both."""
    C = doubled(A)
    C.indices, C.indptr = C.indices.astype(np.int64), C.indptr.astype(np.int64)
    return C


# -- sparse matrices as they come ----------------------------------------------------------------


@pytest.mark.parametrize("store", [doubled, wide, wide_doubled])
@pytest.mark.parametrize(
    "model",
    [
        ReducedKMeans(4, DualSetSelector(10, 4), random_state=0),
        ReducedKMeans(4, random_state=0),
        RepresentativeKMeans(4, 12, random_state=0),
        RepresentativeKMeans(4, 12, n_polish=2, random_state=0),
        SphericalKMeans(4, random_state=0),
    ],
    ids=repr,
)
def test_sparse_matrices_count_for_what_they_mean(model, store):
    given = store(COUNTS)
    assert given.nnz == np.count_nonzero(COUNTS) * (1 if store is wide else 2)
    before = [part.copy() for part in (given.data, given.indices, given.indptr)]
    expected = model.fit(COUNTS).labels_.copy()
    expected_seen = model.predict(COUNTS[::-1])
    found = model.fit(given).labels_
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(model.predict(store(COUNTS[::-1])), expected_seen)
    for part, old in zip((given.data, given.indices, given.indptr), before, strict=True):
        assert part.dtype == old.dtype
        np.testing.assert_array_equal(part, old)


@pytest.mark.parametrize("store", [doubled, wide])
def test_the_objective_of_sparse_matrices_as_they_come(store):
    model = ReducedKMeans(4, random_state=0).fit(store(COUNTS))
    assert model.inertia_ == pytest.approx(metrics.kmeans_objective(COUNTS, model.labels_))
    assert model.approximation_ratio(store(COUNTS)) == pytest.approx(
        model.approximation_ratio(COUNTS)
    )


# -- reduced k-means: bounds ---------------------------------------------------------------------


def optimum(data, k):
    """Return the least k-means objective of all partitions."""
    n = len(data)
    costs = []
    for labels in itertools.product(range(k), repeat=n - 1):
        codes = np.array((0, *labels))
        groups = [data[codes == c] for c in range(k)]
        costs.append(sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups if len(g)))
    return min(costs)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("n", "k"), [(8, 2), (7, 3)])
def test_the_ratio_bounds_the_true_one(n, k, convert):
    for seed in range(4):
        # far from the origin, where the data as they are have one direction more
        data = np.random.default_rng(seed).standard_normal((n, 5)) + 20.0 * (seed % 2)
        model = ReducedKMeans(k, SignProjection(1), n_polish=seed % 3, random_state=seed)
        ratio = model.fit(convert(data)).approximation_ratio(convert(data))
        values = np.linalg.svd(data - data.mean(axis=0), compute_uv=False)
        assert ratio == pytest.approx(model.inertia_ / (values[k - 1 :] ** 2).sum(), rel=1e-9)
        assert ratio >= model.inertia_ / optimum(data, k) * (1 - 1e-9)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_a_perfect_partition_has_the_ratio_1(convert):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 6))
        offset = 1000.0 * (seed % 3)
        data = rng.standard_normal((k, 8))[np.arange(40) % k] + offset
        model = ReducedKMeans(k, random_state=seed).fit(convert(data))
        assert metrics.matched_accuracy(np.arange(40) % k, model.labels_) == 1.0
        assert model.approximation_ratio(convert(data)) == 1.0


@pytest.mark.parametrize("rank", [1, 2])
def test_a_bound_that_says_nothing_is_infinite(rank):
    rng = np.random.default_rng(0)
    data = rng.standard_normal((20, rank)) @ rng.standard_normal((rank, 6)) + 3.0
    for k in (rank + 1, rank + 2):
        model = ReducedKMeans(k, random_state=0).fit(data)
        assert model.approximation_ratio(data) == np.inf
    assert 1.0 <= ReducedKMeans(rank, random_state=0).fit(data).approximation_ratio(data) < np.inf


def test_the_ratio_is_that_of_the_data_of_the_fit():
    model = ReducedKMeans(3, random_state=0).fit(BLOBS)
    with pytest.raises(ValueError, match="X has 89 rows, but the model was fitted to 90"):
        model.approximation_ratio(BLOBS[:-1])


# -- reduced k-means: reducers -------------------------------------------------------------------


@pytest.mark.parametrize(
    "reducer",
    [
        SignProjection(5),
        make_pipeline(StandardScaler(), SignProjection(5)),
        RowSelector(UniformSelector(5)),
        make_pipeline(StandardScaler(), RowSelector(UniformSelector(5))),
    ],
    ids=repr,
)
def test_a_seed_reaches_what_is_inside_a_reducer(reducer):
    noise = np.random.default_rng(0).standard_normal((90, 30))
    model = ReducedKMeans(6, reducer, n_polish=0, n_init=1, random_state=0)
    labels = [model.fit(noise).labels_.copy() for _ in range(4)]
    for other in labels[1:]:
        np.testing.assert_array_equal(other, labels[0])
    assert (model.set_params(random_state=1).fit(noise).labels_ != labels[0]).any()


def test_a_seed_of_the_reducers_own_stays():
    own = ReducedKMeans(6, make_pipeline(SignProjection(5, random_state=7)), random_state=0)
    plain = SignProjection(5, random_state=7).fit(BLOBS).transform(BLOBS)
    np.testing.assert_allclose(own.fit(BLOBS).reducer_.transform(BLOBS), plain)
    assert own.reducer[0].random_state == 7


def test_a_seed_reaches_the_selector_of_representatives():
    for selector in (UniformSelector(), GreedySelector(presample=0.3), None):
        model = RepresentativeKMeans(4, 6, selector=selector, random_state=0)
        chosen = [model.fit(BLOBS).indices_.tolist() for _ in range(4)]
        assert all(other == chosen[0] for other in chosen)


def test_names_of_columns_reach_the_reducer():
    frame = pd.DataFrame(BLOBS, columns=[f"c{i}" for i in range(30)])
    frame["c5"] *= 1e-3  # no greedy choice
    model = ReducedKMeans(4, GreedySelector(3, must_include=["c5"]), random_state=0).fit(frame)
    names = model.reducer_.get_feature_names_out().tolist()
    assert len(names) == 3
    assert "c5" in names
    bare = ReducedKMeans(4, GreedySelector(3, must_include=[5]), random_state=0)
    np.testing.assert_array_equal(bare.fit(frame.to_numpy()).labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)


def test_reduced_data_must_tell_the_rows_apart():
    collapse = FunctionTransformer(lambda z: np.sign(z[:, :1]))
    with pytest.raises(ValueError, match=r"only 2 can.* the reduced data has too few"):
        ReducedKMeans(3, collapse, random_state=0).fit(np.vstack([BLOBS, -BLOBS]))


def test_a_selector_of_representatives_is_a_selector():
    with pytest.raises(TypeError, match=r"selector must be a selector .* got StandardScaler"):
        RepresentativeKMeans(3, selector=StandardScaler()).fit(BLOBS)


def test_certificate_of_representatives():
    model = RepresentativeKMeans(4, 6, random_state=0).fit(BLOBS)
    certificate = model.certificate(BLOBS)
    assert certificate.holds
    basis = np.linalg.qr(BLOBS[model.indices_].T)[0]
    lost = np.sum((BLOBS - BLOBS @ basis @ basis.T) ** 2) / np.sum(BLOBS**2)
    assert certificate["lost_share"].measured == pytest.approx(lost, rel=1e-9)
    expected = certify(BLOBS.T, model.reducer_.selection_)
    assert str(certificate) == str(expected)


def test_a_certificate_of_other_clusters():
    model = ReducedKMeans(4, DualSetSelector(10, 4), random_state=0).fit(BLOBS)
    other = np.arange(90) % 4
    certificate = model.certificate(BLOBS, clusters=other)
    expected = metrics.kmeans_objective(BLOBS, other)
    assert certificate["kmeans_cost"].measured == pytest.approx(expected)
    assert expected > 1.1 * model.inertia_


# -- reduced k-means: iterations -----------------------------------------------------------------


def test_labels_are_those_of_the_centres_when_clusters_run_empty():
    narrow = FunctionTransformer(lambda z: z[:, :1])
    for seed in range(100):
        data = np.random.default_rng(seed).standard_normal((30, 5))
        data[:, 0] *= 0.01
        model = ReducedKMeans(8, narrow, n_init=1, n_polish=1, random_state=0).fit(data)
        np.testing.assert_array_equal(model.predict(data), model.labels_)


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e6])
@pytest.mark.parametrize("k", [4, 12])
def test_labels_are_those_of_the_centres_in_float32(offset, k):
    data = (BLOBS + offset).astype(np.float32)
    for seed in range(5):
        model = ReducedKMeans(k, SignProjection(5), n_init=1, random_state=seed).fit(data)
        # float32 cannot tell points apart that are far from zero
        assert model.cluster_centers_.dtype == (np.float64 if offset else np.float32)
        np.testing.assert_array_equal(model.predict(data), model.labels_)
        np.testing.assert_array_equal(model.predict(data[:1]), model.labels_[:1])


def test_max_iter_is_the_number_of_iterations():
    noise = np.random.default_rng(0).standard_normal((300, 10))
    for steps in (1, 2, 5):
        model = ReducedKMeans(9, n_init=1, n_polish=0, max_iter=steps, random_state=0).fit(noise)
        assert model.n_iter_ == steps
    assert ReducedKMeans(9, n_init=1, random_state=0).fit(noise).n_iter_ > 5
    seed = np.random.RandomState(0).randint(2**31 - 1)
    plain = KMeans(9, n_init=1, max_iter=5, random_state=seed).fit_predict(noise)
    np.testing.assert_array_equal(model.labels_, plain)
    with pytest.raises(ValueError, match="max_iter=0"):
        ReducedKMeans(9, max_iter=0).fit(noise)


@pytest.mark.parametrize("factor", [1e18, 1e-25])
@pytest.mark.parametrize("reducer", [None, DualSetSelector(10, 4), SignProjection(8)], ids=repr)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_very_large_and_small_float32(factor, reducer, convert):
    model = ReducedKMeans(4, reducer, random_state=0)
    expected = model.fit(BLOBS).labels_.copy()
    inertia = model.inertia_
    data = convert((BLOBS * factor).astype(np.float32))
    np.testing.assert_array_equal(model.fit(data).labels_, expected)
    assert model.inertia_ == pytest.approx(inertia * factor**2, rel=1e-5)
    np.testing.assert_array_equal(model.predict(data), expected)


def test_an_empty_cluster_never_empties_another():
    labels, fit = np.array([0, 1, 1, 1]), np.array([-9.0, -1.0, -2.0, -3.0])
    fill_empty(labels, fit, 3, perfect=0.0)
    assert labels.tolist() == [0, 1, 1, 2]
    assert fit.tolist() == [-9.0, -1.0, -2.0, 0.0]


def test_the_farthest_row_fills_a_cluster_that_runs_empty():
    # the second cluster's mean, 5.1, loses both its points; −4 is the farthest from its centre
    data = np.array([[0.0], [0.2], [10.0], [10.2], [0.1], [10.1], [-4.0]])
    for steps in (1, 2):
        labels, centers = polished(as_operand(data), np.array([0, 0, 2, 2, 1, 1, 0]), 3, steps)
        assert labels.tolist() == [0, 0, 2, 2, 0, 2, 1]
        np.testing.assert_allclose(centers.ravel(), [0.1, -4.0, 10.1], atol=1e-12)


# -- as scikit-learn's clusterers are used -------------------------------------------------------


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distances_and_score_by_the_formula(convert, dtype):
    X = np.random.RandomState(0).rand(60, 30).astype(dtype)
    model = ReducedKMeans(4, random_state=0).fit(convert(X))
    new = np.random.RandomState(1).rand(9, 30).astype(dtype)
    expected = np.linalg.norm(new[:, None] - model.cluster_centers_, axis=2)
    found = model.transform(convert(new))
    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype == np.float32 else 1e-9)
    assert found.dtype == dtype
    np.testing.assert_array_equal(model.predict(convert(new)), expected.argmin(axis=1))
    loss = np.square(expected.astype(float).min(axis=1)).sum()
    assert model.score(convert(new)) == pytest.approx(-loss, rel=1e-5)
    assert list(model.get_feature_names_out()) == [f"reducedkmeans{j}" for j in range(4)]


def test_score_of_directions_by_the_formula():
    X = np.random.RandomState(0).rand(40, 6)
    X[3] = 0
    model = SphericalKMeans(3, random_state=0).fit(X)
    assert model.score(X) == pytest.approx(model.objective_)
    units = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    cosines = (units @ model.cluster_centers_.T).max(axis=1)
    assert model.score(X) == pytest.approx(cosines[units.any(axis=1)].mean())
    assert model.score(np.zeros((2, 6))) == 0.0


@pytest.mark.parametrize("model", [ReducedKMeans(random_state=0), SphericalKMeans(random_state=0)])
def test_a_grid_is_searched(model):
    found = GridSearchCV(model, {"n_clusters": [1, 4]}, cv=3).fit(BLOBS)
    assert found.best_params_ == {"n_clusters": 4}


def test_a_reducer_of_others_checks_what_it_makes():
    X = np.random.RandomState(0).rand(30, 4)
    X[0, 0] = 0
    logarithm = FunctionTransformer(lambda X: np.log(np.maximum(X, 0)))
    with (
        np.errstate(divide="ignore"),
        pytest.raises(ValueError, match="Input X contains infinity"),
    ):
        ReducedKMeans(3, make_pipeline(logarithm, PCA(2))).fit(X)


def test_the_ratio_is_of_the_data_that_is_given():
    X = np.random.RandomState(0).rand(30, 4)
    model = ReducedKMeans(3, random_state=0).fit(X)
    other = np.random.RandomState(1).rand(30, 4)
    by_hand = metrics.kmeans_objective(other, model.labels_)
    least = metrics.best_rank_error(other - other.mean(axis=0), 2)
    assert model.approximation_ratio(other) == pytest.approx(by_hand / least)


def test_a_certificate_of_rows_takes_no_options():
    X = np.random.RandomState(0).rand(30, 4)
    model = RepresentativeKMeans(3, 4, random_state=0).fit(X)
    with pytest.raises(TypeError, match="takes no options, got n_clusters"):
        model.certificate(X, n_clusters=3)


LEARNERS = [ReducedKMeans(2), SphericalKMeans(2), SignProjection(2), GreedySelector(2)]


@pytest.mark.parametrize("learner", [*LEARNERS, RLSClassifier(), Nystroem()], ids=repr)
def test_masked_arrays_are_refused(learner):
    X = np.ma.masked_less(np.random.RandomState(0).rand(30, 4), 0.1)
    with pytest.raises(TypeError, match="X is a masked array; fill the masked entries first"):
        learner.fit(X, np.arange(30) % 2)


def test_no_row_has_a_direction():
    with pytest.raises(ValueError, match="all rows are zero, so none has a direction"):
        SphericalKMeans(1).fit(np.zeros((5, 2)))


# -- what is promised of the defaults ------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_polishing_never_hurts_far_from_zero_in_float32(seed):
    rng = np.random.default_rng(seed)
    X = (10.0 ** rng.uniform(2, 6) + rng.standard_normal((300, 2))).astype(np.float32)
    losses = [
        ReducedKMeans(10, n_polish=steps, n_init=1, random_state=0).fit(X).inertia_
        for steps in (0, 1, 2, 4)
    ]
    assert (np.diff(losses) <= 1e-9 * losses[0]).all()


@pytest.mark.parametrize("n_features", [5, 20])
def test_one_cluster_of_anything(n_features):
    model = ReducedKMeans(1).fit(np.zeros((30, n_features)))
    assert model.inertia_ == 0.0
    X = np.random.RandomState(0).rand(30, n_features)
    assert ReducedKMeans(1).fit(X).inertia_ == pytest.approx(30 * X.var(axis=0).sum())


def test_the_default_reducer():
    X = np.random.RandomState(0).rand(60, 40)
    reducer = ReducedKMeans(4, random_state=0).fit(X).reducer_
    assert (reducer.n_components_, reducer.algorithm, reducer.n_power) == (14, "stochastic", 1)


def test_at_most_one_row_in_two_is_a_representative():
    X = np.random.RandomState(0).rand(31, 40)
    assert len(RepresentativeKMeans(4, random_state=0).fit(X).indices_) == 15
    assert len(RepresentativeKMeans(1, random_state=0).fit(X).indices_) == 10
