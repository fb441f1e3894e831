"""Representative rows of centred and scaled features: against data standardized before."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from colonnade import (
    METHODS,
    GreedySelector,
    JolliffeSelector,
    Kernel,
    LaplacianScoreSelector,
    MCFSSelector,
    PivotedQRSelector,
    RankReachedWarning,
    RowSelector,
    UniformSelector,
    select,
)

PUT = [np.ascontiguousarray, np.asfortranarray, sp.csr_array, sp.csc_matrix]
MORE = {"dual-set": {"n_clusters": 3}, "randomized-dual-set": {"n_clusters": 3}}
ROWS = [
    name
    for name, method in METHODS.items()
    if not method.supervised and method.selector.weighs_rows
]


def table(seed=0, n=40, d=14):
    """Features as tables have them: sparse ones, constants, years, and all sizes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-20, 21, (n, d)) * (rng.random((n, d)) < 0.5) / 16
    X[:, 1] = 3.75
    X[:, 2] = 0.0
    X[:, 3] = 1e6 + rng.integers(-1024, 1025, n) / 1024
    X[:, 5] *= 2.0**-30
    X[:, 6] *= 2.0**30
    return X


def standardized(X, like=None, center=True, scale="std"):
    like = X if like is None else like
    means = like[0] + (like - like[0]).mean(axis=0)
    units = (like - means).std(axis=0)
    constant = np.ptp(like, axis=0) == 0
    origin = means if center else np.where(constant, means, 0.0)
    units = np.where(constant, 1.0, units if scale else 1.0)
    return np.where(constant, 0.0, X - origin) / units


def selector_of(name, n_select=5):
    method = METHODS[name]
    found = method.selector(n_select, **method.preset, **MORE.get(name, {}))
    if found.center:  # on its own, of what are rows here
        found.set_params(center=False, scale=None)
    return found.set_params(random_state=0) if "random_state" in found.get_params() else found


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("name", ROWS)
def test_every_method_chooses_as_from_standardized_rows(name):
    X, new = table(), table(1)
    expected = RowSelector(selector_of(name)).fit(standardized(X))
    for put in PUT:
        found = RowSelector(selector_of(name), center=True, scale="std").fit(put(X))
        assert found.indices_.tolist() == expected.indices_.tolist()
        if METHODS[name].kind != "representatives":  # these have distances, and no span
            np.testing.assert_allclose(found.components_, expected.components_, atol=1e-9)
        for rows in (X, new):
            Z = expected.transform(standardized(rows, X))
            np.testing.assert_allclose(found.transform(put(rows)), Z, atol=1e-9 * np.abs(Z).max())


@pytest.mark.parametrize(("center", "scale"), [(True, None), (False, "std"), (True, "std")])
def test_all_that_is_kept(center, scale):
    X = table()
    rows = standardized(X, center=center, scale=scale)
    expected = select(rows.T, 6)
    for put in PUT:
        given = put(X)
        found = RowSelector(GreedySelector(6), center=center, scale=scale).fit(given)
        assert found.indices_.tolist() == expected.indices.tolist()
        np.testing.assert_allclose(
            found.relative_errors_, expected.relative_errors, atol=1e-12, rtol=1e-6
        )
        size = np.abs(rows).max()
        Z = found.transform(given)
        np.testing.assert_allclose(Z, expected.embedding.T, atol=1e-9 * size)
        Q = found.components_
        np.testing.assert_allclose(Q @ Q.T, np.eye(6), atol=1e-12)
        # the rows themselves, in the container that they came in
        kept = found.representatives_
        assert sp.issparse(kept) == sp.issparse(given)
        np.testing.assert_array_equal(
            kept.toarray() if sp.issparse(kept) else kept, X[found.indices_]
        )
        np.testing.assert_array_equal(np.flatnonzero(found.units_ == 0), [1, 2])
        np.testing.assert_allclose(found.fit_transform(given), Z, atol=1e-9 * size)
        checked = clone(found).fit_transform_checked(given, None)
        np.testing.assert_allclose(checked, Z, atol=1e-9 * size)
        inner = found.selector_
        assert inner.selection_ is found.selection_
        assert inner.n_features_in_ == len(X)
        assert inner.indices_.tolist() == found.indices_.tolist()
        assert inner.weights_ is None
        np.testing.assert_array_equal(inner.relative_errors_, found.relative_errors_)
        np.testing.assert_array_equal(inner.get_support(indices=True), np.sort(found.indices_))


def test_back_in_the_units_of_the_data():
    X = table()
    found = RowSelector(PivotedQRSelector(12), center=True, scale="std").fit(X)
    back = found.inverse_transform(found.transform(X))  # twelve features vary: all is held
    assert (np.abs(back - X) <= 1e-12 * np.abs(X).max(axis=0)).all()
    # fewer rows: what they span, seen by way of StandardScaler
    few = RowSelector(GreedySelector(4), center=True, scale="std").fit(X[:, 7:])
    scaler = StandardScaler().fit(X[:, 7:])
    Z = scaler.transform(X[:, 7:])
    S = Z[few.indices_]
    held = scaler.inverse_transform(Z @ np.linalg.pinv(S) @ S)
    np.testing.assert_allclose(few.inverse_transform(few.transform(X[:, 7:])), held, atol=1e-10)
    np.testing.assert_allclose(held[few.indices_], few.representatives_, atol=1e-10)


def test_nothing_is_learned_unless_asked_for():
    X = table()
    plain = RowSelector(GreedySelector(3)).fit(X)
    assert plain.means_ is None
    assert plain.units_ is None
    assert plain.indices_.tolist() == select(X.T, 3).indices.tolist()
    np.testing.assert_array_equal(plain.transform(X), X @ plain.components_.T)
    again = RowSelector(GreedySelector(3), center=True).fit(X).set_params(center=False).fit(X)
    assert again.means_ is None


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
def test_every_type_of_number(dtype):
    X = np.random.default_rng(0).integers(0, 250, (30, 9)).astype(dtype)
    expected = RowSelector(GreedySelector(4)).fit(standardized(X.astype(float)))
    for put in PUT:
        found = RowSelector(GreedySelector(4), center=True, scale="std").fit(put(X))
        assert found.indices_.tolist() == expected.indices_.tolist()
        Z = found.transform(put(X))
        small = dtype == np.float32
        assert Z.dtype == found.components_.dtype == (np.float32 if small else np.float64)
        Y = expected.transform(standardized(X.astype(float)))
        np.testing.assert_allclose(Z, Y, atol=1e-5 if small else 1e-12)
        assert found.inverse_transform(Z).dtype == Z.dtype
        assert found.representatives_.dtype == X.dtype


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), shift=st.sampled_from([0, 100, 10**6]), center=st.booleans())
def test_any_small_table(seed, shift, center):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (8, 5)) + shift * rng.integers(0, 2, 5) + 0.0
    rows = standardized(X, center=center)
    for put in (np.asarray, sp.csc_array):
        found = RowSelector(PivotedQRSelector(2), center=center, scale="std").fit(put(X))
        # whatever was chosen among equals, coordinates are those in its span
        S = rows[found.indices_]
        held = rows @ np.linalg.pinv(S, rcond=1e-9) @ S
        size = np.abs(rows).max()
        Q = found.components_
        np.testing.assert_allclose(found.transform(put(X)) @ Q, held, atol=1e-7 * size)
        longest = np.square(rows).sum(axis=1)
        assert longest[found.indices_[0]] >= (1 - 1e-9) * longest.max()


@pytest.mark.filterwarnings("error")
def test_no_advice_about_rows():
    """Rows are the candidates: that one is large, or their means, is nothing to mend."""
    X = np.ones((9, 4)) + 1e-3 * np.random.default_rng(0).standard_normal((9, 4))
    X[0] = 1e3
    for options in ({}, {"center": True}, {"scale": "std"}):
        RowSelector(PivotedQRSelector(2), **options).fit(X)
    RowSelector(PivotedQRSelector(2), center=True).fit(table())  # and two constants


def test_progress_of_the_selector_is_shown(capsys):
    RowSelector(GreedySelector(3, verbose=True), center=True).fit(table())
    assert "[GreedySelector] 3 of 3 chosen" in capsys.readouterr().err


def test_memory_for_sparse_data():
    X = sp.random_array((2000, 3000), density=2e-3, random_state=0, format="csr")
    model = RowSelector(PivotedQRSelector(5), center=True, scale="std")
    tracemalloc.start()
    try:
        model.fit_transform(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16e6  # dense it takes 48 MB


def test_dense_data_is_not_copied():
    X = np.random.default_rng(0).integers(0, 200, (1500, 2000)).astype(np.uint8)
    model = RowSelector(UniformSelector(5, random_state=0), center=True)
    tracemalloc.start()
    try:
        model.fit_transform(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 15e6  # in float64 it takes 24 MB


@pytest.mark.parametrize(("inner", "match"), [
    (GreedySelector(3, center=True), "center=True and scale=None of GreedySelector would be about"),
    (GreedySelector(3, scale="std"), "set center=False and scale=None there, and pass center"),
    (JolliffeSelector(3, scale="max"), "center=True and scale='max' of JolliffeSelector"),
    (GreedySelector(3, missing="mean"), "missing='mean' of GreedySelector .* and scale to RowS"),
])  # fmt: skip
def test_the_selector_leaves_rows_as_they_are(inner, match):
    for options in ({}, {"center": True}):
        with pytest.raises(ValueError, match=match):
            RowSelector(inner, **options).fit(table())


def test_what_a_method_does_to_its_columns_by_default_it_does_to_rows():
    X = np.random.default_rng(0).standard_normal((9, 30))
    found = RowSelector(JolliffeSelector(3)).fit(X).indices_
    assert found.tolist() == JolliffeSelector(3).fit(X.T).indices_.tolist()
    with pytest.raises(ValueError, match="center=True and scale='std' of JolliffeSelector would"):
        RowSelector(JolliffeSelector(3), center=True).fit(X)


@pytest.mark.parametrize("make", [LaplacianScoreSelector, MCFSSelector])
def test_methods_that_compare_features(make):
    X = np.random.default_rng(0).standard_normal((30, 12))
    RowSelector(make(3)).fit(X)
    for options in ({"center": True}, {"scale": "max"}):
        with pytest.raises(ValueError, match="compares features with each other where it chooses"):
            RowSelector(make(3), **options).fit(X)


@pytest.mark.parametrize(("options", "error", "match"), [
    ({"scale": "unit"}, ValueError, "scale='unit'; choose one of std, robust, max"),
    ({"scale": [[1.0]]}, TypeError, "scale must be None, one of std, robust, max, auto, or"),
    ({"scale": [1.0, -1.0]}, ValueError, r"scale\[1\] = -1.0; a unit must be finite"),
    ({"scale": [1.0, 2.0]}, ValueError, "scale holds 2 units, but the data has 14 columns"),
    ({"center": "yes"}, TypeError, "center must be True or False"),
])  # fmt: skip
def test_bad_parameters(options, error, match):
    with pytest.raises(error, match=match):
        RowSelector(GreedySelector(3), **options).fit(table())


def test_data_that_does_not_vary():
    for X, match in (
        (np.full((5, 3), 2.0), "all columns are constant"),
        ([[1.0, 2]], "n_samples=1"),
    ):
        with pytest.raises(ValueError, match=f"{match}: nothing varies"):
            RowSelector(GreedySelector(1), center=True).fit(X)
    # rows that differ by their mean alone span one dimension less
    with pytest.warns(RankReachedWarning):
        found = RowSelector(GreedySelector(2), center=True).fit([[1.0, 2.0], [3.0, 5.0]])
    assert len(found.indices_) == 1


def test_scikit_learn_contract():
    estimator = RowSelector(PivotedQRSelector(1), center=True, scale="std")
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []


# -- rows by select ----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"center": True}, {"center": True, "scale": "std"}])
@pytest.mark.parametrize("method", ["greedy", "pivoted-qr", "jolliffe-b4"])
def test_select_chooses_rows(method, options):
    X = load_wine().data
    found = select(X, 6, axis=0, method=method, **options)
    Z = X.copy()
    if "center" in options:
        Z -= Z.mean(axis=0)
    if "scale" in options:
        Z /= X.std(axis=0)
    plain = {"center": False, "scale": None} if options else {}
    expected = select(Z.T, 6, method=method, **plain)
    assert found.indices.tolist() == expected.indices.tolist()
    assert found.n_candidates == len(X)
    np.testing.assert_allclose(found.relative_errors, expected.relative_errors, rtol=1e-8)
    assert found.info["axis"] == 0
    if options:
        assert found.info["columns_scale"] == options.get("scale")


def test_select_fills_gaps_of_rows_and_decides_on_their_units():
    X = load_wine().data
    Y = X.copy()
    Y[5, 3] = np.nan
    filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
    found = select(Y, 4, axis=0, center=True, scale="auto", missing="mean")
    expected = RowSelector(GreedySelector(4), center=True, scale="std").fit(filled)
    assert found.indices.tolist() == expected.indices_.tolist()
    assert found.info["columns_scale"] == "std"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"axis": 2}, ValueError, "axis=2; choose 1 for columns or 0 for rows"),
        ({"axis": "rows"}, ValueError, "axis='rows'; choose 1"),
        ({"axis": 0, "sample_weight": np.ones(178)}, TypeError, "leave sample_weight out"),
        ({"axis": 0, "missing": "pairwise"}, ValueError, "choose missing='mean' or 'median'"),
        ({"axis": 0, "method": "mcfs", "center": True}, ValueError, "standardize the data before"),
        ({"axis": 0, "method": "fisher-score"}, TypeError, "choose columns with it"),
        ({"y": np.ones(178)}, TypeError, "looks at X alone; leave y out"),
    ],
)
def test_rows_and_labels_that_make_no_sense(options, error, words):
    if options.get("method") == "fisher-score":
        supervised = [name for name, entry in METHODS.items() if entry.supervised]
        options = {**options, "method": supervised[0]}
    with pytest.raises(error, match=words):
        select(load_wine().data, 3, **options)


def test_y_is_labels_or_a_target():
    wine = load_wine()
    for name, entry in METHODS.items():
        if entry.supervised:
            options = {"random_state": 0} if "random_state" in entry.parameters else {}
            options |= MORE.get(name, {})
            found = select(wine.data, 5, method=name, y=wine.target, **options)
            told = {entry.supervised: wine.target, **options}
            assert (
                found.indices.tolist() == select(wine.data, 5, method=name, **told).indices.tolist()
            )
            with pytest.raises(TypeError, match="give one of them"):
                select(wine.data, 5, method=name, y=wine.target, **told)


def test_a_kernel_has_no_rows_to_choose():
    with pytest.raises(TypeError, match="leave axis out"):
        select(Kernel(np.eye(4)), 2, axis=0)


def test_select_says_what_may_become_of_gaps():
    gaps = load_wine().data.copy()
    gaps[3, 2] = np.nan
    with pytest.raises(ValueError, match="X contains NaN; choose missing='mean'"):
        select(gaps, 3)
    assert len(select(gaps, 3, missing="mean")) == 3
