"""Weights of rows, given starts and units of features in k-means and in k-means on the sphere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine, make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from colonnade import (
    FastSpectralClustering,
    GreedySelector,
    LaplacianScoreSelector,
    ReducedKMeans,
    RepresentativeKMeans,
    RowSelector,
    SignProjection,
    SphericalKMeans,
    SVDProjection,
    metrics,
)
from colonnade.cluster.steps import centroids, polished
from colonnade.foundation.alerts import DataWarning
from colonnade.linalg.partitions import quiet_kmeans
from colonnade.operands.entrance import wrapped

CONTAINERS = [np.asarray, sp.csr_array]
SCALES = [None, "std", "robust", "max"]


def blobs(seed=0, n=60, d=6, k=3, spread=2.0):
    """Points around centres, weights, and one point of each cluster to start from."""
    X, y = make_blobs(n, d, centers=k, cluster_std=spread, random_state=seed % 2**32)
    rng = np.random.default_rng(seed)
    start = X[[rng.choice(np.flatnonzero(y == c)) for c in range(k)]]
    return X, rng.uniform(0.2, 3.0, n), start


def assert_same(found, expected, rows=slice(None), rtol=1e-8):
    np.testing.assert_array_equal(found.labels_, expected.labels_[rows])
    size = np.abs(expected.cluster_centers_).max()
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=rtol * size)
    if hasattr(found, "inertia_"):
        assert found.inertia_ == pytest.approx(expected.inertia_, rel=rtol)
    else:
        assert found.objective_ == pytest.approx(expected.objective_, rel=rtol)


REDUCERS = [
    None,
    SVDProjection(3),
    SVDProjection(4, algorithm="stochastic"),
    SignProjection(4),
    GreedySelector(4),
    LaplacianScoreSelector(4, n_neighbors=3),
    StandardScaler(),
]
TAKES = [reducer for reducer in REDUCERS if not isinstance(reducer, LaplacianScoreSelector)]


# --- weights ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(TAKES), st.sampled_from(SCALES),
    st.sampled_from(CONTAINERS), st.integers(0, 3),
)  # fmt: skip
def test_whole_weights_are_repeated_rows(seed, reducer, scale, put, n_polish):
    if isinstance(reducer, StandardScaler):
        put = np.asarray  # it does not centre sparse data
    X, _, start = blobs(seed)
    w = np.random.default_rng(seed).integers(1, 5, len(X))
    model = ReducedKMeans(
        3, reducer, init=start, scale=scale, n_polish=n_polish, random_state=seed % 2**31
    )
    repeated = sklearn.clone(model).fit(put(np.repeat(X, w, axis=0)))
    weighted = model.fit(put(X), sample_weight=w)
    assert_same(weighted, repeated, np.cumsum(w) - 1)
    assert weighted.n_iter_ == repeated.n_iter_
    assert weighted.score(put(X), sample_weight=w) == pytest.approx(
        repeated.score(put(np.repeat(X, w, axis=0)))
    )
    assert weighted.approximation_ratio(put(X), w) == pytest.approx(
        repeated.approximation_ratio(put(np.repeat(X, w, axis=0)))
    )


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(SCALES), st.sampled_from(CONTAINERS),
    st.integers(1, 6),
)  # fmt: skip
def test_whole_weights_are_repeated_rows_on_the_sphere(seed, scale, put, max_iter):
    X, _, start = blobs(seed, spread=4.0)
    w = np.random.default_rng(seed).integers(1, 5, len(X))
    model = SphericalKMeans(3, init=start, scale=scale, max_iter=max_iter)
    repeated = sklearn.clone(model).fit(put(np.repeat(X, w, axis=0)))
    weighted = model.fit(put(X), sample_weight=w)
    assert_same(weighted, repeated, np.cumsum(w) - 1)
    assert weighted.n_iter_ == repeated.n_iter_
    assert weighted.score(put(X), sample_weight=w) == pytest.approx(weighted.objective_)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from(REDUCERS), st.sampled_from(SCALES),
    st.sampled_from(CONTAINERS), st.booleans(),
)  # fmt: skip
def test_rows_without_weight_are_as_if_they_were_not_there(seed, reducer, scale, put, starts):
    """With random starts too: the seed means the same."""
    if isinstance(reducer, StandardScaler):
        put = np.asarray
    X, w, start = blobs(seed, d=20)
    if isinstance(reducer, LaplacianScoreSelector):
        w = np.ones(len(X))  # others it refuses
    w[np.random.default_rng(seed).random(len(X)) < 0.3] = 0.0
    there = w > 0
    X[~there] *= 30.0
    for cls in (ReducedKMeans, SphericalKMeans):
        more = {"reducer": reducer} if cls is ReducedKMeans else {}
        init = start if starts else "k-means++"
        model = cls(3, init=init, scale=scale, random_state=seed % 2**31, **more)
        fewer = sklearn.clone(model).fit(put(X[there]), sample_weight=w[there])
        model.fit(put(X), sample_weight=w)
        np.testing.assert_allclose(model.cluster_centers_, fewer.cluster_centers_, rtol=1e-10)
        np.testing.assert_array_equal(model.labels_[there], fewer.labels_)
        np.testing.assert_array_equal(model.labels_[~there], fewer.predict(put(X[~there])))
        if cls is ReducedKMeans:
            assert model.inertia_ == pytest.approx(fewer.inertia_, rel=1e-10)


@pytest.mark.parametrize("n_polish", [0, 50])
@pytest.mark.parametrize("put", CONTAINERS)
def test_from_given_centres_it_is_scikit_learns(put, n_polish):
    for seed in range(10):
        X, w, start = blobs(seed)
        mine = ReducedKMeans(3, init=start, n_polish=n_polish).fit(put(X), sample_weight=w)
        theirs = KMeans(3, init=start, n_init=1, tol=0).fit(X, sample_weight=w)
        assert_same(mine, theirs)
        np.testing.assert_array_equal(mine.predict(put(X)), theirs.predict(X))
        np.testing.assert_allclose(mine.transform(put(X)), theirs.transform(X), atol=1e-9)
        assert mine.score(X, None, w) == pytest.approx(theirs.score(X, None, w))


def test_starts_on_the_sphere():
    """One assignment and one mean, by hand."""
    X, w, start = blobs(spread=5.0)
    unit, first = (M / np.linalg.norm(M, axis=1, keepdims=True) for M in (X, start))
    labels = (unit @ first.T).argmax(axis=1)
    centers = np.array([w[labels == c] @ unit[labels == c] for c in range(3)])
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    model = SphericalKMeans(3, init=start * 7.0, max_iter=1).fit(X, sample_weight=w)
    np.testing.assert_allclose(model.cluster_centers_, centers, rtol=1e-12)
    cosines = (unit @ centers.T).max(axis=1)
    assert model.objective_ == pytest.approx(np.average(cosines, weights=w))
    assert model.score(X) == pytest.approx(cosines.mean())
    assert model.n_iter_ == 1


def test_centres_of_which_one_is_nobodys_nearest():
    X, w, start = blobs()
    start[2] = 1e6
    model = ReducedKMeans(3, SVDProjection(2), init=start).fit(X, sample_weight=w)
    assert set(model.labels_) == {0, 1, 2}
    assert set(SphericalKMeans(3, init=[start[0], start[0], start[1]]).fit(X).labels_) == {0, 1, 2}


@pytest.mark.parametrize("put", [np.asarray, np.asfortranarray, np.float32, sp.csr_array])
def test_weighted_steps(put):
    X, w, _ = blobs(n=3000)  # enough for compiled loops, where there are no weights
    labels = np.arange(len(X)) % 3
    A = wrapped(put(X))
    rtol = 1e-5 if put is np.float32 else 1e-12
    expected = [np.average(X[labels == c], axis=0, weights=w[labels == c]) for c in range(3)]
    np.testing.assert_allclose(centroids(A, labels, 3, w), expected, rtol=rtol)
    np.testing.assert_allclose(centroids(A, labels, 4, w)[3], 0.0)
    model = KMeans(3, init=np.array(expected), n_init=1, max_iter=2, tol=0).fit(X, sample_weight=w)
    found, centers = polished(A, labels, 3, 3, w)
    assert found.tolist() == model.labels_.tolist()
    np.testing.assert_allclose(centers, model.cluster_centers_, rtol=rtol)


def test_it_ends_where_weighted_rows_have_moved_little():
    """By a share of their variance, not by that of rows that hardly count."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    X[200:] *= 1e3
    w = np.r_[np.ones(200), np.full(200, 1e-9)]
    start = X[:3]
    rough = KMeans(3, init=start, n_init=1).fit(X, sample_weight=w)
    found = quiet_kmeans(X, 3, w, init=start, n_init=1)
    exact = KMeans(3, init=start, n_init=1, tol=0).fit(X, sample_weight=w)
    assert found.n_iter_ > rough.n_iter_
    assert found.inertia_ == pytest.approx(exact.inertia_, rel=1e-3)


@pytest.mark.parametrize("unit", [1e250, 1e-250])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_common_weight_changes_nothing(dtype, unit):
    X, w, start = blobs(d=30)
    X = X.astype(dtype)
    for init in (start, "k-means++"):
        plain = ReducedKMeans(3, init=init, random_state=0).fit(X, sample_weight=w)
        model = ReducedKMeans(3, init=init, random_state=0).fit(X, sample_weight=w * unit)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        assert model.inertia_ == pytest.approx(plain.inertia_ * unit)
        assert model.approximation_ratio(X, w * unit) == pytest.approx(
            plain.approximation_ratio(X, w)
        )
        round_one = SphericalKMeans(3, init=init, random_state=0).fit(X, sample_weight=w * unit)
        assert 0 < round_one.objective_ <= 1 + 1e-6


def test_the_default_reducer_sees_the_directions_of_weighted_rows():
    X, w, _ = blobs(d=40, k=5, n=200)
    w = np.where(np.arange(len(X)) < 20, 1e6, 1e-6)
    model = ReducedKMeans(3, random_state=0).fit(X, sample_weight=w)
    V = np.linalg.svd(X[:20], full_matrices=False)[2][:3]
    inside = np.linalg.norm(V @ model.reducer_.components_.T, axis=1)
    np.testing.assert_allclose(inside, 1.0, rtol=1e-6)


@pytest.mark.parametrize("cls", [ReducedKMeans, SphericalKMeans])
def test_starts_are_drawn_by_weight(cls):
    """Two kinds of rows make two clusters; those far off hardly count."""
    rng = np.random.default_rng(0)
    codes = np.arange(150) % 3
    X = np.array([[5.0, 0.0, 0.0], [4.7, 1.7, 0.0], [-5.0, 0.0, 0.0]])[codes]
    X += 0.01 * rng.standard_normal(X.shape)
    w = np.where(codes == 2, 1e-9, 1.0)
    for seed in range(10):
        labels = cls(2, n_init=1, random_state=seed).fit(X, sample_weight=w).labels_
        assert set(labels[codes < 2]) == {0, 1}


def test_a_transformer_that_takes_weights_gets_them():
    X, w, start = blobs()
    model = ReducedKMeans(3, StandardScaler(), init=start).fit(X, sample_weight=w)
    np.testing.assert_allclose(model.reducer_.mean_, np.average(X, axis=0, weights=w))


def test_representatives_of_rows_that_have_weight():
    X, w, _ = blobs()
    w[::3] = 0.0
    model = ReducedKMeans(3, RowSelector(GreedySelector(4)), random_state=0)
    model.fit(X, sample_weight=w)
    assert model.certificate(X).holds
    with pytest.raises(TypeError, match="sample_weight"):
        RepresentativeKMeans(3).fit(X, sample_weight=w)


def test_weights_can_be_routed_and_are_not_changed():
    X, w, _ = blobs()
    before = w.copy()
    for cls in (ReducedKMeans, SphericalKMeans):
        expected = cls(3, random_state=0).fit(X, sample_weight=w)
        with sklearn.config_context(enable_metadata_routing=True):
            model = cls(3, random_state=0).set_fit_request(sample_weight=True)
            labels = make_pipeline(model).fit_predict(X, sample_weight=w)
            assert hasattr(model, "set_score_request")
        np.testing.assert_array_equal(labels, expected.labels_)
        series = cls(3, random_state=0).fit_predict(X, sample_weight=pd.Series(w))
        np.testing.assert_array_equal(series, expected.labels_)
    distances = ReducedKMeans(3, random_state=0).fit_transform(X, sample_weight=w)
    expected = ReducedKMeans(3, random_state=0).fit(X, sample_weight=w).transform(X)
    np.testing.assert_array_equal(distances, expected)
    np.testing.assert_array_equal(w, before)
    assert not hasattr(RepresentativeKMeans(), "set_fit_request")


# --- units --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("put", CONTAINERS)
def test_scaling_is_that_of_scikit_learn(put, dtype):
    X, w, _ = blobs(d=30)
    X = (X * 10.0 ** np.linspace(-3, 3, 30)).astype(dtype)
    rtol = 1e-9 if dtype is np.float64 else 1e-4
    model = ReducedKMeans(3, SVDProjection(8), scale="std", random_state=0)
    model.fit(put(X), sample_weight=w)
    scaler = StandardScaler(with_mean=False).fit(X.astype(float), sample_weight=w)
    Z = scaler.transform(X.astype(float))
    plain = ReducedKMeans(3, SVDProjection(8), random_state=0).fit(Z, sample_weight=w)
    np.testing.assert_allclose(model.units_, scaler.scale_, rtol=1e-9)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.cluster_centers_.dtype == dtype
    centers = scaler.inverse_transform(plain.cluster_centers_)
    np.testing.assert_allclose(model.cluster_centers_, centers, rtol=rtol)
    assert model.inertia_ == pytest.approx(plain.inertia_, rel=rtol)
    np.testing.assert_array_equal(model.predict(put(X)), model.labels_)
    np.testing.assert_allclose(model.transform(put(X)), plain.transform(Z), rtol=rtol)
    assert model.transform(put(X)).dtype == dtype
    assert model.score(put(X), None, w) == pytest.approx(-plain.inertia_, rel=rtol)
    ratio = plain.approximation_ratio(Z, w)
    assert model.approximation_ratio(put(X), w) == pytest.approx(ratio, rel=rtol)


@pytest.mark.parametrize("put", CONTAINERS)
def test_scaling_on_the_sphere(put):
    X, w, _ = blobs(spread=5.0)
    X = X * 10.0 ** np.arange(-3, 3)
    model = SphericalKMeans(3, scale="std", random_state=0).fit(put(X), sample_weight=w)
    scaler = StandardScaler(with_mean=False).fit(X, sample_weight=w)
    plain = SphericalKMeans(3, random_state=0).fit(scaler.transform(X), sample_weight=w)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_allclose(
        model.cluster_centers_, plain.cluster_centers_ * scaler.scale_, rtol=1e-9
    )
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-12)
    np.testing.assert_array_equal(model.predict(put(X)), model.labels_)
    assert model.score(put(X), None, w) == pytest.approx(model.objective_, rel=1e-12)


def test_ties_go_to_where_predict_puts_them():
    """Whole numbers, whose centres in other units and back are not the same to the last digit."""
    cases = [(72, 49.0, 3), (159, 1 / 3, 2), (190, 49.0, 3), (268, 0.3, 2), (322, 49.0, 3)]
    for seed, unit, k in cases:
        X = np.random.default_rng(seed).integers(0, 6, (40, 1)).astype(float)
        model = ReducedKMeans(k, scale=[unit], n_init=1, random_state=seed).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        X = np.random.default_rng(seed).integers(0, 4, (40, 2)).astype(float)
        around = SphericalKMeans(3, scale=[unit, 0.1], random_state=seed).fit(X)
        np.testing.assert_array_equal(around.predict(X), around.labels_)


@pytest.mark.parametrize("scale", ["std", "robust", "max"])
def test_clusters_know_no_origin(scale):
    X, _, start = blobs()
    here = ReducedKMeans(3, scale=scale, init=start).fit(X)
    there = ReducedKMeans(3, scale=scale, init=start + 8.0).fit(X + 8.0)
    np.testing.assert_array_equal(here.labels_, there.labels_)
    np.testing.assert_allclose(here.units_, there.units_)
    if scale == "max":
        np.testing.assert_allclose(here.units_, np.abs(X - X.mean(axis=0)).max(axis=0))
        around = SphericalKMeans(3, scale=scale, init=start).fit(X)
        np.testing.assert_allclose(around.units_, np.abs(X).max(axis=0))


@pytest.mark.parametrize("put", CONTAINERS)
def test_features_that_do_not_vary_take_no_part(put):
    X, _, start = blobs()
    more, first = np.insert(X, 2, 7.0, axis=1), np.insert(start, 2, -50.0, axis=1)
    for cls in (ReducedKMeans, SphericalKMeans):
        few = cls(3, scale="std", init=start).fit(X)
        with pytest.warns(DataWarning, match=r"1 column is constant .*: 2$"):
            model = cls(3, scale="std", init=first).fit(put(more))
        np.testing.assert_array_equal(model.labels_, few.labels_)
        assert model.units_[2] == 0
        value = 7.0 if cls is ReducedKMeans else 0.0
        np.testing.assert_allclose(model.cluster_centers_[:, 2], value)
        np.testing.assert_array_equal(model.predict(np.insert(X, 2, -1e9, axis=1)), few.labels_)


def test_wine_is_told_apart_by_its_units():
    X, y = load_wine(return_X_y=True)
    found = {}
    for scale in (None, "std"):
        model = ReducedKMeans(3, scale=scale, random_state=0).fit(X)
        found[scale] = metrics.nmi(y, model.labels_)
    assert found[None] == pytest.approx(0.429, abs=0.02)
    assert found["std"] == pytest.approx(0.876, abs=0.02)


def test_units_of_float32_beyond_its_range():
    X, _, start = blobs()
    model = ReducedKMeans(3, scale=np.full(6, 1e-33), init=start).fit(X.astype(np.float32))
    np.testing.assert_array_equal(model.labels_, ReducedKMeans(3, init=start).fit(X).labels_)
    np.testing.assert_array_equal(model.predict(X.astype(np.float32)), model.labels_)


def test_a_reducer_by_names_gets_names():
    X, w, _ = blobs()
    frame = pd.DataFrame(X * 10.0 ** np.arange(6), columns=list("abcdef"))
    w[::5] = 0.0
    reducer = ColumnTransformer([("some", "passthrough", ["b", "e"])])
    model = ReducedKMeans(3, reducer, scale="std", random_state=0).fit(frame, sample_weight=w)
    chosen = ReducedKMeans(3, ColumnTransformer([("some", "passthrough", [1, 4])]), random_state=0)
    scaled = frame.to_numpy() / model.units_
    np.testing.assert_array_equal(model.labels_, chosen.fit(scaled, sample_weight=w).labels_)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)


def test_a_selector_and_its_certificate_see_units():
    X, _, _ = blobs()
    frame = pd.DataFrame(X * 10.0 ** np.arange(6), columns=list("abcdef"))
    model = ReducedKMeans(3, GreedySelector(3), scale="std", random_state=0).fit(frame)
    plain = ReducedKMeans(3, GreedySelector(3), random_state=0)
    plain.fit(frame / frame.std(ddof=0))
    assert model.reducer_.indices_.tolist() == plain.reducer_.indices_.tolist()
    certificate = model.certificate(frame)
    assert certificate["kmeans_cost"].measured == pytest.approx(model.inertia_)
    assert certificate.holds


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [ReducedKMeans, SphericalKMeans])
@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        (-np.ones(60), ValueError, r"sample_weight\[0\] = -1.0; weights must be finite"),
        (np.r_[np.ones(59), np.nan], ValueError, r"sample_weight\[59\] = nan"),
        (np.r_[np.ones(59), np.inf], ValueError, r"sample_weight\[59\] = inf"),
        (np.zeros(60), ValueError, "sample_weight is zero for every row"),
        (np.ones(59), ValueError, r"shape \(59,\), but the data has 60 rows"),
        (["a"] * 60, TypeError, "must hold numbers"),
        (np.arange(60) < 2, ValueError, "n_clusters=3, but only 2 of 60 rows have a positive"),
    ],
)
def test_weights_that_are_none(cls, weights, error, words):
    X, _, _ = blobs()
    with pytest.raises(error, match=words):
        cls(3).fit(X, sample_weight=weights)
    if "n_clusters" not in words:
        with pytest.raises(error, match=words):
            cls(3, random_state=0).fit(X).score(X, sample_weight=weights)


@pytest.mark.parametrize("cls", [ReducedKMeans, SphericalKMeans])
@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"init": "random"}, ValueError, "init='random'; choose \"k-means\\+\\+\", or give an"),
        ({"init": None}, ValueError, "init=None; choose"),
        ({"init": np.ones((2, 6))}, ValueError, r"init has shape \(2, 6\), but there are n_cl"),
        ({"init": np.ones((3, 5))}, ValueError, r"init has shape \(3, 5\)"),
        ({"init": np.full((3, 6), np.nan)}, ValueError, "NaN"),
        ({"scale": "mean"}, ValueError, "scale='mean'; choose one of std, robust, max"),
        ({"scale": [1.0, 2.0]}, ValueError, "scale holds 2 units, but the data has 6 columns"),
        ({"scale": [1.0] * 5 + [1e-200]}, ValueError, r"scale\[5\] = 1e-200, .* out of range"),
    ],
)
def test_parameters_that_are_none(cls, params, error, words):
    X, _, _ = blobs()
    with pytest.raises(error, match=words):
        cls(3, **params).fit(X)


def test_a_start_without_direction():
    X, _, start = blobs()
    start[1] = 0.0
    with pytest.raises(ValueError, match="init holds a centre that is zero"):
        SphericalKMeans(3, init=start).fit(X)


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: RepresentativeKMeans(3, 20, random_state=0, **more),
        lambda **more: FastSpectralClustering(3, 60, random_state=0, **more),
    ],
)
def test_other_learners_scale_as_if_features_were_standardized(make):
    X = load_wine().data
    found = make(scale="std").fit(X).labels_
    assert metrics.nmi(found, make().fit(X / X.std(axis=0)).labels_) == pytest.approx(1.0)
    y, plain = load_wine().target, make().fit(X).labels_
    assert metrics.nmi(y, found) > 0.8 > metrics.nmi(y, plain)
    with pytest.raises(ValueError, match="scale='sd'; choose one of std, robust, max"):
        make(scale="sd").fit(X)


def test_similarities_have_no_units():
    with pytest.raises(ValueError, match="scale='std' is for features, and similarities have none"):
        FastSpectralClustering(2, affinity="precomputed", scale="std").fit(np.eye(5))


@pytest.mark.parametrize("options", [{}, {"center": True}, {"center": True, "scale": "std"}])
@pytest.mark.parametrize("make", [SVDProjection, SignProjection])
def test_reducers_that_centre_learn_from_the_weights(make, options):
    X = load_wine().data
    w = np.random.default_rng(0).integers(1, 8, len(X))
    repeated = np.repeat(X, w, axis=0)
    start = X[[0, 80, 150]]
    reducer = make(3, random_state=0, **options)
    model = ReducedKMeans(3, reducer, init=start, n_polish=0, random_state=0)
    found, expected = model.fit(X, sample_weight=w), clone(model).fit(repeated)
    assert found.inertia_ == pytest.approx(expected.inertia_)
    np.testing.assert_array_equal(np.repeat(found.labels_, w), expected.labels_)


def test_reducers_that_see_rows_refuse_weights():
    X = load_wine().data
    with pytest.raises(TypeError, match="looks at each row by itself, so it takes no"):
        ReducedKMeans(3, LaplacianScoreSelector(5)).fit(X, sample_weight=X[:, 0])
