"""What stands for what: every figure against least squares and brute force by NumPy alone."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from colonnade import GreedySelector, Kernel, Selection, explain, select
from colonnade.pivoting import rivals


def seen(X, center, scale, w=None):
    """The data as a method sees it, by the textbook."""
    w = np.ones(len(X)) if w is None else np.asarray(w, float)
    mean = np.average(X, axis=0, weights=w)
    Z = X - mean if center else X.astype(float)
    if scale == "std":
        std = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w))
        Z = np.divide(Z, std, out=np.zeros_like(Z), where=std > 1e-12 * np.abs(mean))
    return Z * np.sqrt(w)[:, None]


def left_of(Z, S):
    """Squared lengths of what the columns S leave of all, one least squares fit each."""
    if not len(S):
        return np.square(Z).sum(axis=0)
    A = Z[:, S]
    return np.array([np.square(z - A @ np.linalg.lstsq(A, z, rcond=None)[0]).sum() for z in Z.T])


def table(kind, rng):
    X = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 9)) + 0.3 * rng.normal(size=(30, 9))
    if kind == "units":
        X = X * np.logspace(-3, 4, 9) + np.logspace(3, -3, 9)
    if kind == "huge means":
        X = X + 1e8
    if kind == "constant":
        X[:, 2] = 5.0
    if kind == "integers":
        X = np.round(10 * X).astype(int)
    if kind == "wide":
        X = rng.normal(size=(6, 9)) + 3
    if kind == "duplicated":
        X[:, 7] = X[:, 1]
        X[:, 8] = -2 * X[:, 3]
    return X


KINDS = ["plain", "units", "huge means", "constant", "integers", "wide", "duplicated"]


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("how", [(False, None), (True, None), (True, "std")])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::colonnade.DataWarning")
def test_everything_against_brute_force(kind, how, weights):
    rng = np.random.default_rng(3)
    X = table(kind, rng)
    w = rng.integers(1, 4, len(X)) if weights else None
    center, scale = how
    if kind == "huge means" and not center:
        pytest.skip("squares of 1e8 leave no digits for the oracle")
    s = select(X, 3, center=center, scale=scale, sample_weight=w)
    found = explain(X, s, sample_weight=w)
    Z = seen(X, center, scale, w)
    squares, S = np.square(Z).sum(axis=0), s.indices
    squares[squares < 1e-20 * squares.max()] = 0
    total, left = squares.sum(), left_of(Z, S)
    some = squares > 0
    np.testing.assert_allclose(found.explained[some], 1 - left[some] / squares[some], atol=1e-7)
    assert np.isnan(found.explained[~some]).all()
    assert found.error == pytest.approx(left.sum() / total, abs=1e-7)
    # in the user's units: a regression with an intercept, if the method centred
    D = np.column_stack([np.ones(len(X)), X[:, S]]) if center else X[:, S].astype(float)
    root = np.ones(len(X)) if w is None else np.sqrt(w)
    B = np.linalg.lstsq(D * root[:, None], X * root[:, None], rcond=None)[0]
    fitted = found.intercepts + X[:, S] @ found.coefficients
    np.testing.assert_allclose(fitted, D @ B, atol=1e-6 * np.abs(X).max(axis=0).max())
    if not center and (scale, kind) != (None, "constant"):
        np.testing.assert_array_equal(found.intercepts, 0.0)
    # dropping one, and the best exchange
    for i, p in enumerate(S):
        rest = [q for q in S if q != p]
        assert found.losses[i] == pytest.approx(
            (left_of(Z, rest).sum() - left.sum()) / total, abs=1e-8
        )
        costs = {
            q: (left_of(Z, [*rest, q]).sum() - left.sum()) / total
            for q in range(Z.shape[1])
            if q not in S and some[q]
        }
        assert found.exchange_costs[i] == pytest.approx(min(costs.values()), abs=1e-8)
        assert costs[int(found.rivals[i])] == pytest.approx(min(costs.values()), abs=1e-8)
    parts = np.abs(found.coefficients) * np.sqrt(squares[S, None]) * unit_of(s)[S, None]
    others = np.setdiff1d(np.flatnonzero(some), S)
    np.testing.assert_array_equal(found.support[others], parts[:, others].argmax(axis=0))


def unit_of(s):
    return np.ones(s.n_candidates) if s.units is None else s.units


def test_columns_that_repeat_each_other_cost_nothing():
    X = np.random.default_rng(0).normal(size=(20, 5))
    X[:, 4] = 3 * X[:, 0]
    found = explain(X, [0, 4, 1])
    assert found.losses[:2].tolist() == [0, 0]
    assert found.rivals[:2].tolist() == [-1, -1]
    assert found.losses[2] > 0
    assert found.rivals[2] in (2, 3)
    left = left_of(X, [0, 1])
    np.testing.assert_allclose(found.error, left.sum() / np.square(X).sum())
    fitted = X[:, [0, 4, 1]] @ found.coefficients
    np.testing.assert_allclose(np.square(X - fitted).sum(axis=0), left, atol=1e-12)


def test_one_column_and_all_columns():
    X = np.arange(5.0)[:, None]
    found = explain(X, select(X, 1))
    assert (found.explained.tolist(), found.rivals.tolist()) == ([1.0], [-1])
    assert found.losses == pytest.approx([1.0])
    X = np.random.default_rng(1).normal(size=(12, 4))
    found = explain(X, select(X, 4))
    np.testing.assert_allclose(found.explained, 1)
    np.testing.assert_allclose(found.coefficients, np.eye(4)[found.indices])
    assert found.error == 0
    whole = np.square(X).sum()
    for i, p in enumerate(found.indices):
        rest = [q for q in found.indices if q != p]
        assert found.losses[i] == pytest.approx(left_of(X, rest).sum() / whole)


def test_an_exact_choice_has_rivals_by_the_columns_themselves():
    """Where nothing is left, inner products no longer tell; what the columns say is looked at."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 7))
    found = explain(X, [0, 1, 2])
    assert found.error < 1e-20
    np.testing.assert_allclose(found.exchange_costs, 0, atol=1e-12)
    assert set(found.rivals.tolist()) <= {3, 4, 5, 6}


@pytest.mark.parametrize("put", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("how", [{}, {"center": True, "scale": "std"}])
def test_sparse_as_dense(put, how):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 8)) * (rng.uniform(size=(30, 8)) < 0.4)
    s = select(X, 3, **how)
    one, other = explain(X, s), explain(put(X), s)
    for name in ("explained", "coefficients", "intercepts", "losses", "exchange_costs"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-10)
    np.testing.assert_array_equal(one.rivals, other.rivals)


def test_rivals_by_passes_are_those_by_inner_products(monkeypatch):
    X = np.random.default_rng(4).normal(size=(50, 20)) @ np.diag(np.linspace(1, 3, 20))
    one = explain(X, select(X, 5))
    monkeypatch.setattr(rivals, "HELD_SIDE", 0)
    other = explain(X, select(X, 5))
    np.testing.assert_array_equal(one.rivals, other.rivals)
    np.testing.assert_allclose(one.exchange_costs, other.exchange_costs, atol=1e-12)
    without = explain(X, select(X, 5), rivals=False)
    assert (without.rivals == -1).all()
    np.testing.assert_allclose(without.losses, one.losses)


def test_what_each_stands_for():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 50))
    X = np.column_stack([a, b, 2 * a + 0.01 * b, -b + 0.1 * a, a])
    names = list("abcde")
    found = explain(
        pd.DataFrame(X, columns=names),
        select(pd.DataFrame(X, columns=names), 2, must_include=["a", "b"]),
    )
    lines = found.chosen_table("dict")
    assert lines["name"] == ["a", "b"]
    assert set(lines["stands_for"][0]) == {"c", "e"}
    assert lines["stands_for"][1] == ["d"]
    assert found.formula(3) == "-1 b + 0.1 a"
    order = found.table("dict")
    assert order["explained"] == sorted(order["explained"])
    assert order["support_1"][order["name"].index("d")] == "b"
    assert order["coefficient_1"][order["name"].index("d")] == pytest.approx(-1)


def test_columns_are_found_by_name():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 5)) + 2, columns=list("abcde"))
    s = select(X, 2, center=True)
    mixed = X.assign(note=1.0)[["note", "d", "b", "a", "e", "c"]]
    one, other = explain(X, s), explain(mixed, s)
    np.testing.assert_allclose(one.explained, other.explained)
    with pytest.raises(ValueError, match=r"1 column is missing: 'a'"):
        explain(X.drop(columns="a"), s)


def test_selectors_explain_themselves():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(30, 5)) @ rng.normal(size=(5, 5)), columns=list("abcde"))
    model = GreedySelector(2, center=True, scale="std").fit(X)
    one, other = model.explain(X), explain(X, model.selection_)
    np.testing.assert_allclose(one.explained, other.explained)
    assert one.names == tuple("abcde")
    assert model.selection_.names == tuple("abcde"[j] for j in model.indices_)


def test_tables_and_files(tmp_path):
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 5)), columns=list("abcde"))
    X["e"] = 1.0
    with pytest.warns(UserWarning, match="constant"):
        found = explain(X, select(X, 2, center=True))
    assert isinstance(found.table(), pd.DataFrame)
    assert isinstance(found.table("polars"), pl.DataFrame)
    assert isinstance(found.chosen_table("polars"), pl.DataFrame)
    with pytest.raises(ValueError, match="frame='arrow' is unknown; choose one of pandas"):
        found.table("arrow")
    found.save(tmp_path / "all.csv")
    read = pd.read_csv(tmp_path / "all.csv")
    assert read["name"].tolist() == found.table()["name"].tolist()
    assert read["name"].tolist()[-1] == "e"
    assert np.isnan(read["explained"].iloc[-1])
    found.save(tmp_path / "all.json")
    data = json.loads((tmp_path / "all.json").read_text())
    assert data["columns"][-1]["explained"] is None
    assert data["share_of"] == "variance"
    with pytest.raises(ValueError, match=r"unknown extension \(.txt\); choose .csv or .json"):
        found.save(tmp_path / "all.txt")
    assert "<table>" in found._repr_html_()
    assert repr(found).startswith("Explanation(2 of 5, error=")


def test_what_cannot_be_explained():
    X = np.random.default_rng(1).normal(size=(6, 3))
    with pytest.raises(TypeError, match="an explanation of columns needs the columns themselves"):
        explain(Kernel(X @ X.T), [0])
    with pytest.raises(ValueError, match="this selection is from 4 columns, the data has 3"):
        explain(X, Selection(np.array([0]), 4))
