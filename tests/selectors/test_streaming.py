"""Batches of rows: the same answers as from all rows at once, in any order."""

from __future__ import annotations

import itertools
import pickle
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from colonnade import (
    METHODS,
    DataWarning,
    GreedySelector,
    LaplacianScoreSelector,
    PivotedQRSelector,
)
from colonnade.operands import advice
from colonnade.operands.entrance import wrapped
from colonnade.operands.sums import sums_of

NAMES = [name for name, entry in METHODS.items() if entry.kernels and not entry.supervised]
WAYS = [
    {},
    {"center": True},
    {"scale": "std"},
    {"center": True, "scale": "std"},
    {"center": True, "scale": "max"},
    {"scale": "max"},
    {"center": True, "scale": np.linspace(0.5, 3.0, 13)},
]
PUT = [np.asarray, np.float32, sp.csr_array, sp.csc_array]


def selector_of(name, n_select=5, **params):
    entry = METHODS[name]
    more = {"n_clusters": 3} if "n_clusters" in entry.parameters else {}
    if "random_state" in entry.parameters:
        more["random_state"] = 0
    return entry.selector(n_select, **entry.preset, **more, **params)


def streamed(selector, X, weights=None, pieces=4, seed=0):
    order = np.random.RandomState(seed).permutation(X.shape[0])
    for part in np.array_split(order, pieces):
        w = None if weights is None else weights[part]
        selector.partial_fit(X[part], sample_weight=w)
    return selector


def assert_same(found, expected, X, digits=1e-9):
    assert found.indices_.tolist() == expected.indices_.tolist()
    got, want = found.selection_, expected.selection_
    assert got.total == pytest.approx(want.total, rel=digits)
    np.testing.assert_allclose(got.relative_errors, want.relative_errors, atol=digits)
    for name in ("means", "units", "column_means", "column_spreads", "weights"):
        a, b = getattr(got, name), getattr(want, name)
        assert (a is None) == (b is None), name
        if b is not None:
            np.testing.assert_allclose(a, b, rtol=digits, atol=digits * np.abs(b).max())
    assert {k: v for k, v in got.info.items() if k != "seconds"}.keys() == want.info.keys()
    assert got.info["n_rows"] == want.info["n_rows"]
    for chosen, std in (
        (model.transform(X), model.reconstruct(model.transform(X), return_std=True)[1])
        for model in (found, expected)
    ):
        assert chosen.shape == (X.shape[0], len(got))
        np.testing.assert_allclose(
            std, expected.reconstruct(chosen, return_std=True)[1], rtol=1e-6, atol=1e-9 * std.max()
        )
    assert found.score(X) == pytest.approx(expected.score(X), abs=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_every_method_for_inner_products(name):
    X = load_wine().data / load_wine().data.std(axis=0)
    expected = selector_of(name, center=True).fit(X)
    assert_same(streamed(selector_of(name, center=True), X), expected, X, digits=1e-8)


@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.parametrize("put", PUT)
def test_every_container_and_every_unit(put, how):
    X = load_wine().data.round(1)
    if put is np.float32:
        X = X.astype(np.float32).astype(float)  # what fit sees
    given_rows = put(X)
    expected = GreedySelector(6, **how).fit(X)
    found = streamed(GreedySelector(6, **how), given_rows)
    assert_same(found, expected, X, digits=1e-6 if put is np.float32 else 1e-9)


@pytest.mark.parametrize("how", [{}, {"center": True, "scale": "std"}])
def test_weights_count_as_repeats(how):
    X = load_wine().data
    counts = np.random.default_rng(0).integers(0, 4, len(X))
    expected = GreedySelector(5, **how).fit(X, sample_weight=counts)
    found = streamed(GreedySelector(5, **how), X, counts.astype(float))
    assert_same(found, expected, X)
    repeated = GreedySelector(5, **how).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(found.relative_errors_, repeated.relative_errors_, atol=1e-10)


def test_far_from_zero():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 8)) @ rng.standard_normal((8, 12))
    expected = GreedySelector(4, center=True).fit(X)
    found = streamed(GreedySelector(4, center=True), X + 1e6, pieces=7)
    assert found.indices_.tolist() == expected.indices_.tolist()
    np.testing.assert_allclose(found.relative_errors_, expected.relative_errors_, atol=1e-8)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(1, 39), max_size=5))
def test_sums_are_those_of_all_rows(seed, cuts):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (40, 5)) + 1000.0 * rng.integers(-1, 2, 5)
    w = rng.integers(1, 5, 40).astype(float)
    ends = [0, *sorted({*cuts}), 40]
    parts = [sums_of(wrapped(X[a:b]), w[a:b]) for a, b in itertools.pairwise(ends)]
    found = sum(parts[1:], start=parts[0])
    means = np.average(X, axis=0, weights=w)
    Z = X - means
    assert (found.n_rows, found.weight, found.weighted) == (40, w.sum(), True)
    np.testing.assert_allclose(found.means, means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.products, (Z.T * w) @ Z, rtol=1e-9, atol=1e-9 * w.sum())
    np.testing.assert_array_equal(found.low, X.min(axis=0))
    np.testing.assert_array_equal(found.high, X.max(axis=0))


def test_a_column_may_vary_between_batches_alone():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    X[:, 2] = np.repeat([1.0, 2.0, 3.0], 20)
    X[:, 3] = 7.5
    model = PivotedQRSelector(2, center=True)
    with pytest.warns(DataWarning, match="2 columns are constant"):
        model.partial_fit(X[:20])
    with pytest.warns(DataWarning, match="1 column is constant and no candidates: 3"):
        model.partial_fit(X[20:])
    assert model.selection_.units.tolist() == [1.0, 1.0, 1.0, 0.0]


def test_fit_begins_anew_and_a_stream_goes_on_from_a_file():
    X = load_wine().data
    model = GreedySelector(4, scale="std").partial_fit(X[:90], choose=False)
    assert not hasattr(model, "indices_")
    again = pickle.loads(pickle.dumps(model)).partial_fit(X[90:])
    assert_same(again, GreedySelector(4, scale="std").fit(X), X)
    assert_same(again.fit(X[:50]), GreedySelector(4, scale="std").fit(X[:50]), X)
    assert_same(again.partial_fit(X[50:]), GreedySelector(4, scale="std").fit(X[50:]), X)


def test_names_stay_with_the_columns():
    table = load_wine(as_frame=True).data
    model = GreedySelector(3, scale="std").partial_fit(table[:100]).partial_fit(table[100:])
    assert model.get_feature_names_out().tolist() == table.columns[np.sort(model.indices_)].tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(table.rename(columns={"alcohol": "ethanol"}))
    model = GreedySelector(3).partial_fit(table.to_numpy())
    with pytest.raises(ValueError, match="12 features, but GreedySelector is expecting 13"):
        model.partial_fit(table.to_numpy()[:, 1:])


@pytest.mark.parametrize(
    ("selector", "error", "words"),
    [
        (GreedySelector(2, scale="robust"), ValueError, 'choose "std", "max", "auto", units'),
        (GreedySelector(2, missing="mean"), ValueError, "fill what is missing before"),
        (GreedySelector(2, scale=[1.0]), ValueError, "scale holds 1 units"),
        (LaplacianScoreSelector(2), AttributeError, "partial_fit"),
        (GreedySelector(99), ValueError, "n_select=99"),
    ],
    ids=str,
)
def test_what_cannot_be_done_in_batches(selector, error, words):
    with pytest.raises(error, match=words):
        selector.partial_fit(load_wine().data)


def test_bad_rows_leave_what_was_there():
    X = load_wine().data
    model = GreedySelector(3).partial_fit(X[:90])
    before = model.indices_.copy()
    bad = X[90:].copy()
    bad[2, 4] = np.nan
    with pytest.raises(ValueError, match="contains NaN, and what takes its place") as told:
        model.partial_fit(bad)
    assert "choose missing" not in str(told.value)  # which is refused next
    with pytest.raises(ValueError, match="sample_weight has shape"):
        model.partial_fit(X[90:], sample_weight=[1.0])
    assert model.indices_.tolist() == before.tolist()
    assert_same(model.partial_fit(X[90:]), GreedySelector(3).fit(X), X)


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, X: check_is_fitted(model),
        lambda model, X: model.transform(X),
        lambda model, X: model.inverse_transform(X[:, :3]),
        lambda model, X: model.get_support(),
        lambda model, X: model.get_feature_names_out(),
        lambda model, X: model.score(X),
        lambda model, X: model.reconstruct(X[:, :3]),
        lambda model, X: model.certificate(X),
        lambda model, X: model.explain(X),
    ],
    ids=range(9),
)
def test_rows_that_were_only_added_are_no_fit(ask):
    X = load_wine().data
    model = GreedySelector(3, scale="std").partial_fit(X, choose=False)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(model, X)
    ask(model.partial_fit(X), X)


@pytest.mark.parametrize("put", PUT)
def test_what_fit_advises_a_choice_advises(put):
    X = load_wine().data
    with pytest.warns(DataWarning, match=r"column 12 holds .* %"):
        GreedySelector(3).fit(put(X))
    advice.ADVISED.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GreedySelector(3).partial_fit(put(X[:90]), choose=False)
        GreedySelector(3, scale="std").partial_fit(put(X))
        GreedySelector(3, center=True).partial_fit(put(X))
    with pytest.warns(DataWarning, match=r'column 12 holds .* %.*scale="std"'):
        model.partial_fit(put(X[90:]))


@pytest.mark.parametrize("put", PUT)
def test_a_batch_without_weight_counts_as_nothing(put):
    X = load_wine().data
    model = GreedySelector(3, scale="std").partial_fit(put(X[:90]), choose=False)
    nothing = np.zeros(40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(put(X[90:130] * 100.0), sample_weight=nothing)
    expected = GreedySelector(3, scale="std").partial_fit(put(X[:90]))
    assert_same(model, expected, X)
    assert_same(model.partial_fit(put(X[90:])), streamed(expected, put(X[90:]), pieces=1), X)
    plain = GreedySelector(3).partial_fit(put(X[:90]), choose=False)
    advice.ADVISED.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no advice from what does not count
        plain.partial_fit(put(X[90:130]), sample_weight=nothing)
    with pytest.raises(ValueError, match="sample_weight is zero for every row; give some rows"):
        GreedySelector(3).partial_fit(put(X[:40]), sample_weight=nothing)
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        plain.fit(X[:40], sample_weight=nothing)


def test_a_fit_that_refuses_its_data_does_not_end_a_stream():
    X = load_wine().data
    model = GreedySelector(4, scale="std").partial_fit(X[:90])
    bad = X.copy()
    bad[2, 4] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(bad)
    assert_same(model.partial_fit(X[90:]), GreedySelector(4, scale="std").fit(X), X)


@pytest.mark.parametrize("weighted_first", [True, False])
def test_one_batch_with_weights_is_enough(weighted_first):
    X = load_wine().data
    batches = [(X[:90], np.arange(90) % 3), (X[90:], None)]
    model = GreedySelector(3, scale="std")
    for rows, weights in batches if weighted_first else batches[::-1]:
        model.partial_fit(rows, sample_weight=weights)
    assert model.selection_.info["row_weights"] is True


def test_rows_without_weight_are_not_counted():
    X = np.random.default_rng(0).standard_normal((10, 3))
    w = np.array([0.0, 1, 2, 0, 0, 3, 1, 0, 2, 1])
    sums = sums_of(wrapped(X), w)
    assert (sums.n_rows, sums.weight) == (6, 10.0)
    assert (sums + sums_of(wrapped(X))).n_rows == 16


@pytest.mark.parametrize("unit", [1e-162, 1e-200, 1e200])
@pytest.mark.parametrize("ways", [{}, {"center": True, "scale": "std"}])
def test_squares_out_of_range_are_refused_as_for_all_rows_at_once(ways, unit):
    X = load_wine().data * unit
    size = f"the largest absolute entry is {X.max():.3g}, whose square is out of range; multiply"
    for way in (GreedySelector.fit, GreedySelector.partial_fit):
        with pytest.raises(ValueError, match=re.escape(size)):
            way(GreedySelector(5, **ways), X)
    if unit > 1:
        return  # entries of chunks are looked at one by one
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match=re.escape(size)):
        GreedySelector(5, **ways).fit(da.from_array(X, chunks=(50, -1)))
