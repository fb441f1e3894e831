"""Projections of centred and scaled data: against data that was standardized before."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from colonnade import (
    DataWarning,
    GaussianProjection,
    HadamardProjection,
    RankReachedWarning,
    SignProjection,
    SparseSignProjection,
    SVDProjection,
)
from colonnade.operands.adjusted import AdjustedDense, AdjustedSparse
from colonnade.projections import projection as base

WAYS = [
    SignProjection(6, algorithm="blas", random_state=3),
    SignProjection(6, algorithm="mailman", random_state=3),
    GaussianProjection(6, random_state=3),
    SparseSignProjection(6, random_state=3),
    SparseSignProjection(6, density=1 / 3, random_state=3),
    HadamardProjection(6, random_state=3),
    SVDProjection(6),
    SVDProjection(6, algorithm="stochastic", random_state=3),
]
PREPARED = [
    {"center": True},
    {"center": True, "scale": "std"},
    {"scale": "std"},
    {"center": True, "scale": "robust"},
    {"scale": "max"},
    {"center": True, "scale": "max"},
    {"center": True, "scale": "units"},
]
PUT = [np.ascontiguousarray, np.asfortranarray, sp.csr_array, sp.csc_matrix]


def table(seed=0, n=40, d=30):
    """Columns as tables have them: sparse ones, constants, years, and all sizes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4)
    X[:, 1] = 3.7
    X[:, 2] = 0.0
    X[:, 3] = 1e6 + rng.uniform(-1, 1, n)
    X[:, 4] = -1e6 + rng.uniform(-1, 1, n)
    X[:, 5] *= 1e-9
    X[:, 6] *= 1e9
    X[:, 7] = rng.integers(0, 2, n)
    return X


def standardized(X, center=False, scale=None, like=None):
    """Rows of X as a person would prepare them, with what was learned from ``like``."""
    like = (X if like is None else like).astype(float)
    # about the first row, so that nothing is lost to the sums of large numbers
    means = like[0] + (like - like[0]).mean(axis=0)
    gaps = like - means
    constant = np.ptp(like, axis=0) == 0
    origin = means if center else np.where(constant, means, 0.0)
    if not isinstance(scale, str):
        units = np.ones(X.shape[1]) if scale is None else scale
    elif scale == "std":
        units = gaps.std(axis=0)
    elif scale == "max":
        units = np.abs(like - origin).max(axis=0)
    else:
        low, high = np.quantile(like, (0.25, 0.75), axis=0, method="averaged_inverted_cdf")
        units = np.where(high - low > 0, high - low, gaps.std(axis=0))
    return np.where(constant, 0.0, X - origin) / np.where(constant, 1.0, units)


def prepared_way(way, options, d):
    options = dict(options)
    if options.get("scale") == "units":
        options["scale"] = np.linspace(0.5, 40.0, d)
    return clone(way).set_params(**options), options


def matrix(way):
    return way.components_.T if isinstance(way, SVDProjection) else way.matrix()


def close(found, expected, tolerance=1e-8):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore:.* interquartile range of zero:colonnade.DataWarning")
@pytest.mark.parametrize("options", PREPARED, ids=str)
@pytest.mark.parametrize("way", WAYS, ids=repr)
def test_is_the_projection_of_standardized_data(way, options):
    X, new = table(), table(1)
    way, options = prepared_way(way, options, X.shape[1])
    for put in PUT:
        Z = way.fit_transform(put(X))
        R = matrix(way)
        close(Z, standardized(X, **options) @ R)
        close(way.transform(put(X)), Z, 1e-12)
        close(way.transform(put(new)), standardized(new, **options, like=X) @ R)
        np.testing.assert_array_equal(np.flatnonzero(way.units_ == 0), [1, 2])
        constant = way.means_[[1, 2]]
        np.testing.assert_allclose(constant, [3.7, 0.0], rtol=1e-15)
    # constants contribute nothing, even where new rows have other values
    other = new.copy()
    other[:, [1, 2]] = [-5.0, 8.0]
    np.testing.assert_array_equal(way.transform(other), way.transform(new))


@pytest.mark.parametrize("way", WAYS, ids=repr)
def test_features_far_from_zero_are_as_near_ones(way):
    """Without other features, whose size would hide what is lost.

    In steps of 1/1024 and for 64 rows, so that means and differences are exact.
    """
    steps = np.random.default_rng(0).integers(-1024, 1025, (64, 12)) / 1024
    far = steps + 1e6
    for options in ({"center": True}, {"center": True, "scale": "std"}):
        near = standardized(steps, **options)
        for put in PUT:
            found = clone(way).set_params(**options).fit(put(far))
            close(found.transform(put(far)), near @ matrix(found), 1e-12)


@pytest.mark.parametrize("way", WAYS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64, np.bool_])
def test_every_type_of_number(way, dtype):
    X = (np.random.default_rng(0).integers(0, 2, (30, 20)) * 180).astype(dtype)
    way = clone(way).set_params(center=True, scale="std")
    for put in PUT:
        found = way.fit(put(X)).transform(put(X))
        assert found.dtype == (np.float32 if dtype == np.float32 else np.float64)
        assert way.means_.dtype == way.units_.dtype == np.float64
        expected = standardized(X, center=True, scale="std") @ matrix(way)
        close(found, expected, 1e-6 if dtype == np.float32 else 1e-12)


@settings(max_examples=25, deadline=None)
@given(
    X=arrays(np.int8, st.tuples(st.integers(2, 9), st.integers(2, 9)), elements=st.integers(-9, 9)),
    shift=st.sampled_from([0, 50, 10**6]),
    center=st.booleans(),
    scale=st.sampled_from([None, "std", "max"]),
)
def test_any_small_table(X, shift, center, scale):
    X = X.astype(float) + shift * (np.arange(X.shape[1]) % 2)
    way = GaussianProjection(2, center=center, scale=scale, random_state=0)
    if (np.ptp(X, axis=0) == 0).all() and (center or scale):
        with pytest.raises(ValueError, match="nothing varies"):
            way.fit(X)
        return
    expected = standardized(X, center, scale) if center or scale else X
    for put in (np.asarray, sp.csr_array):
        Z = way.fit_transform(put(X))
        close(Z, expected @ way.matrix(), 1e-9 if center or scale is None else 1e-8)


def test_nothing_is_learned_unless_asked_for():
    X = table()
    for way in WAYS:
        way = clone(way).fit(X)
        assert way.means_ is None
        assert way.units_ is None
        close(way.transform(X), X @ matrix(way), 1e-12)
    # and a fit forgets what the last one learned
    way = SignProjection(3, center=True).fit(X)
    assert way.means_ is not None
    assert way.set_params(center=False).fit(X).means_ is None


@pytest.mark.parametrize("way", WAYS[:6], ids=repr)
def test_the_random_matrix_does_not_depend_on_it(way):
    X = table()
    expected = clone(way).fit(X).matrix()
    for options in PREPARED[:3]:
        found = clone(way).set_params(**options).fit(X)
        np.testing.assert_array_equal(found.matrix(), expected)


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("shape", [(80, 20), (20, 80)])
@pytest.mark.parametrize("algorithm", ["exact", "stochastic"])
def test_centred_singular_vectors_are_principal_components(shape, algorithm, put):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * np.geomspace(30, 1, shape[1]) + rng.uniform(-50, 50, shape[1])
    X[:, 0] = 7.0
    options = {"algorithm": algorithm, "n_power": 12, "random_state": 0}
    for scale in (None, "std"):
        given = X if scale is None else StandardScaler().fit_transform(X)
        theirs = PCA(5, svd_solver="full").fit(given)
        ours = SVDProjection(5, center=True, scale=scale, **options).fit(put(X))
        np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-7)
        expected = theirs.transform(given)
        turn = np.sign((ours.components_ * theirs.components_).sum(axis=1))
        atol = 1e-4 if algorithm == "stochastic" else 1e-10
        np.testing.assert_allclose(ours.components_, turn[:, None] * theirs.components_, atol=atol)
        Z = ours.transform(put(X))
        np.testing.assert_allclose(Z, expected * turn, atol=atol * np.abs(expected).max())
        white = clone(ours).set_params(whiten=True).fit(put(X))
        close(white.transform(put(X)), Z / ours.singular_values_, 1e-12)
        # back in the units of the data, constants included
        back = theirs.inverse_transform(expected)
        if scale is not None:
            back = StandardScaler().fit(X).inverse_transform(back)
        for way in (ours, white):
            found = way.inverse_transform(way.transform(put(X)))
            np.testing.assert_allclose(found, back, atol=atol * np.abs(X).max())
            np.testing.assert_allclose(found[:, 0], 7.0, rtol=1e-15)


def test_all_components_give_the_data_back():
    X = table(n=60, d=12)
    way = SVDProjection(10, center=True, scale="std").fit(X)  # two of twelve are constant
    back = way.inverse_transform(way.transform(X))
    assert (np.abs(back - X) <= 1e-13 * np.abs(X).max(axis=0)).all()
    small = way.inverse_transform(way.transform(X).astype(np.float32))
    assert small.dtype == np.float32
    with pytest.warns(RankReachedWarning, match="rank 10"):
        assert SVDProjection(12, center=True, scale="std").fit(X).n_components_ == 10


def test_sparse_data_stays_sparse(monkeypatch):
    """No more is made dense at a time than a block, or what is far from zero."""
    X = sp.random_array((300, 2000), density=0.01, random_state=0, format="csr")
    X = sp.hstack([X, np.full((300, 1), 1e6) + np.arange(300)[:, None]], format="csr")
    widths = []
    original = AdjustedSparse._explicit

    def explicit(self, j):
        out = original(self, j)
        widths.append(out.shape[1])
        return out

    monkeypatch.setattr(AdjustedSparse, "_explicit", explicit)
    for way in WAYS[2:5]:
        way = clone(way).set_params(center=True, scale="std").fit(X)
        close(way.transform(X), standardized(X.toarray(), center=True, scale="std") @ way.matrix())
    assert max(widths) == 1


def test_memory_for_sparse_data():
    X = sp.random_array((500, 20_000), density=1e-3, random_state=0, format="csr")
    X = sp.hstack([X, 1e6 + np.arange(500.0)[:, None]], format="csr")
    for way in (*WAYS[:6], WAYS[7]):
        way = clone(way).set_params(center=True, scale="std")
        way.fit_transform(X[:, -100:])  # compiles
        tracemalloc.start()
        try:
            way.fit_transform(X)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 25e6, way  # dense it takes 80 MB


def test_dense_data_is_read_a_block_at_a_time(monkeypatch):
    X = np.random.default_rng(0).integers(0, 200, (500, 700)).astype(np.uint8)
    expected = standardized(X, center=True, scale="max")
    monkeypatch.setattr("colonnade.operands.blocks.BLOCK_BYTES", 8 * 512 * 10)
    monkeypatch.setattr(base, "BLOCK_BYTES", 8 * 512 * 10)
    sizes = []
    original = AdjustedDense.part

    def part(self, rows, cols):
        out = original(self, rows, cols)
        sizes.append(out.size)
        return out

    monkeypatch.setattr(AdjustedDense, "part", part)
    for way in WAYS[2:6]:
        way = clone(way).set_params(center=True, scale="max").fit(X)
        close(way.transform(X), expected @ way.matrix(), 1e-11)
    assert max(sizes) <= 512 * 10
    assert X.dtype == np.uint8


def test_rows_are_projected_one_by_one():
    X = table()
    for way in WAYS:
        for put in (np.asarray, sp.csr_array):
            given = put(X)
            way = clone(way).set_params(center=True, scale="std").fit(given)
            Z = way.transform(given)
            parts = [way.transform(given[a:b]) for a, b in ((0, 1), (1, 8), (8, 40))]
            close(np.vstack(parts), Z, 1e-9)


@pytest.mark.parametrize("way", WAYS, ids=repr)
@pytest.mark.parametrize(("options", "error", "match"), [
    ({"scale": "unit"}, ValueError, "scale='unit'; choose one of std, robust, max"),
    ({"scale": 2.0}, TypeError, "scale must be None, one of std, robust, max, auto, or an array"),
    ({"scale": [1.0, 0.0]}, ValueError, r"scale\[1\] = 0.0; a unit must be finite and above 0"),
    ({"scale": [1.0, 2.0]}, ValueError, "scale holds 2 units, but the data has 30 columns"),
    ({"center": "yes"}, TypeError, "center must be True or False"),
    ({"center": None}, TypeError, "center must be True or False"),
])  # fmt: skip
def test_bad_parameters(way, options, error, match):
    with pytest.raises(error, match=match):
        clone(way).set_params(**options).fit(table())


@pytest.mark.parametrize("options", PREPARED[:3], ids=str)
def test_data_that_does_not_vary(options):
    for way in WAYS:
        way = clone(way).set_params(**options)
        with pytest.raises(ValueError, match="all columns are constant: nothing varies"):
            way.fit(np.full((9, 8), 3.0))
        with pytest.raises(ValueError, match="n_samples=1: nothing varies"):
            way.fit(np.arange(8.0)[None])


def test_what_is_warned_of():
    """Constant features are no candidates anyway; that an interquartile range is zero is news."""
    X = table()
    for way in WAYS:
        clone(way).set_params(center=True, scale="std").fit(X)
    with pytest.warns(DataWarning, match="interquartile range of zero"):
        SignProjection(3, scale="robust").fit(X)


def test_habits_of_scikit_learn():
    X = pd.DataFrame(table(), columns=[f"f{j}" for j in range(30)])
    way = SVDProjection(4, center=True, scale="std").fit(X)
    again = pickle.loads(pickle.dumps(way))
    np.testing.assert_array_equal(again.transform(X), way.transform(X))
    assert clone(way).get_params() == way.get_params()
    assert way.get_feature_names_out().tolist() == [f"svdprojection{j}" for j in range(4)]


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("make", [GaussianProjection, SVDProjection])
def test_scikit_learn_contract(make):
    estimator = make(n_components=1, center=True, scale="std", random_state=0)
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []
