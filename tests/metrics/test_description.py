"""What is in a table: counts by hand, spectra by NumPy."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine

from colonnade import Kernel, describe
from colonnade.datasets import make_plant_table
from colonnade.metrics import description
from colonnade.operands.duplicates import equal_columns
from colonnade.operands.entrance import as_operand
from colonnade.operands.preparing import prepare


def ratio(values):
    return values.sum() ** 2 / np.square(values).sum()


@pytest.mark.parametrize("shape", [(50, 8), (6, 20)])
def test_rank_and_scales_by_the_textbook(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])) + rng.normal(size=shape)
    X = X * np.logspace(0, 4, shape[1]) + 7
    found = describe(X)
    values = np.linalg.eigvalsh(np.corrcoef(X.T))[::-1]
    assert found.effective_rank == pytest.approx(ratio(values))
    assert found.components_90 == 1 + np.argmax(np.cumsum(values) >= 0.9 * values.sum())
    std = X.std(axis=0)
    assert found.largest_scale == (f"x{std.argmax()}", pytest.approx(std.max()))
    assert found.smallest_scale == (f"x{std.argmin()}", pytest.approx(std.min()))
    assert found.scale_ratio == pytest.approx(std.max() / std.min())
    assert found.share_of_largest == pytest.approx(std.max() ** 2 / np.square(std).sum())
    assert found.effective_columns == pytest.approx(ratio(np.square(std)))
    held = shape[0] * np.square(X.mean(axis=0)).sum() / np.square(X).sum()
    assert found.share_of_means == pytest.approx(held)
    assert not found.rank_is_bound


def test_large_data_has_a_bound_on_its_rank(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 40)) + 0.3 * rng.normal(size=(60, 40))
    exact = describe(X)
    monkeypatch.setattr(description, "EXACT_SIDE", 10)
    monkeypatch.setattr(description, "LEADING", 6)
    found = describe(X)
    assert found.rank_is_bound
    assert exact.effective_rank <= found.effective_rank <= 1.05 * exact.effective_rank
    assert "at most" in str(found)
    noise = rng.normal(size=(60, 40))
    values = np.linalg.eigvalsh(np.corrcoef(noise.T))[::-1]
    evenly = np.r_[values[:6], np.full(34, values[6:].sum() / 34)]
    assert describe(noise).effective_rank == pytest.approx(ratio(evenly), rel=1e-3)
    assert describe(noise).components_90 is None


def test_gaps_constants_and_repeats():
    X = np.random.default_rng(1).normal(size=(20, 7))
    X[:, 2] = X[:, 0]
    X[:, 3] = 5.0
    X[:, 4] = X[:, 3]
    X[:4, 5] = np.nan
    X[3:5, 6] = np.nan
    found = describe(X, names=list("abcdefg"))
    assert found.gaps == {"f": 4, "g": 2}
    assert list(found.gaps) == ["f", "g"]
    assert found.rows_with_gaps == 5
    assert found.constants == ("d", "e")
    assert found.duplicates == (("a", "c"),)
    assert found.n_varying == 5
    assert "--missing median" in found.command("x.csv")
    assert "6 in 5 rows: 'f' 20.0 %, 'g' 10.0 %" in str(found)
    X[1:, 5] = np.nan
    X[0, 5] = 1.0
    X[:, 6] = np.nan
    empty = describe(X, names=list("abcdefg"))
    assert "--drop g,f" in empty.command("x.csv")
    assert "--missing" not in empty.command("x.csv")
    assert empty.types == {"whole numbers": 3, "numbers": 3, "nothing": 1}
    assert describe(np.full((3, 2), np.nan)).effective_rank is None
    X = np.random.default_rng(1).normal(size=(100, 3))
    X[0, 0] = np.nan
    assert "--missing drop-rows" in describe(X).command("x.csv")
    assert describe(np.ones((4, 2))).constants == ("x0", "x1")


@pytest.mark.parametrize("put", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array])
def test_equal_columns_in_every_container(put):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 12)) * (rng.uniform(size=(30, 12)) < 0.5)
    X[:, 7], X[:, 9], X[:, 11] = X[:, 1], X[:, 1], X[:, 4]
    X[:, 5] = -X[:, 3]
    assert equal_columns(as_operand(put(X))) == [[1, 7, 9], [4, 11]]
    zeros = np.array([[0.0, -0.0, 1.0], [1.0, 1.0, 1.0]])
    assert equal_columns(as_operand(put(zeros))) == [[0, 1]]
    # the same values in other rows are another column
    moved = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert equal_columns(as_operand(put(moved))) == []


def test_gaps_are_equal_to_gaps():
    X = np.array([[np.nan, np.nan, 1.0], [2.0, 2.0, 2.0]])
    assert equal_columns(as_operand(X, gaps=True)) == [[0, 1]]


def test_sparse_as_dense():
    rng = np.random.default_rng(2)
    X = rng.poisson(0.3, size=(40, 10)) * 1.0
    X[:, 9] = X[:, 0]
    one, other = describe(X), describe(sp.csr_array(X))
    assert (one.container, other.container) == ("dense", "sparse")
    assert other.density == pytest.approx(np.mean(X != 0))
    assert one.types == other.types == {"whole numbers": 10}
    assert one.duplicates == other.duplicates == (("x0", "x9"),)
    assert one.effective_rank == pytest.approx(other.effective_rank)
    assert one.share_of_means == pytest.approx(other.share_of_means)
    assert "--scale" not in other.command("x.npz")


@pytest.mark.parametrize("put", [lambda X: X, pl.from_pandas], ids=["pandas", "polars"])
def test_frames_of_several_types(put):
    frame = pd.DataFrame({"a": [1.5, 2.0, 9.0], "word": ["x", "y", "z"], "n": [1, 2, 4]})
    found = describe(put(frame))
    assert (found.n_rows, found.n_columns) == (3, 3)
    assert found.names == ("a", "n")
    assert list(found.others) == ["word"]
    assert found.types["numbers"] == found.types["whole numbers"] == 1
    assert "--numeric-only" in found.command()


@pytest.mark.parametrize(
    ("frame", "command"),
    [
        (
            load_wine(as_frame=True).frame,
            "select w.csv -n auto --label target",
        ),
        (load_iris(as_frame=True).data, "select w.csv -n auto"),
        (pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3))), "select w.csv -n auto"),
    ],
    ids=["wine", "iris", "noise"],
)
def test_what_is_advised(frame, command):
    found = describe(frame.rename(columns=str))
    assert found.command("w.csv") == f"colonnade {command}"
    decided = prepare(as_operand(frame.to_numpy()), scale="auto", quiet=True).scaled
    assert found.scale == decided.scale


def test_a_plant():
    plant = make_plant_table()
    found = describe(plant.X, names=plant.feature_names)
    assert found.constants == ("firmware", "period_s")
    assert found.effective_rank < 10
    assert found.scale == "std"
    assert "3 of 59 columns would hold" in found.scale_reason


def test_how_it_is_shown():
    found = describe(load_wine(as_frame=True).data.assign(**{"<b>": 1.0}), label="target")
    assert json.loads(json.dumps(found.to_dict()))["constants"] == ["<b>"]
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;" in found._repr_html_()
    assert "--label target" in found.command()
    assert "--label" not in str(found)
    assert "'proline' holds 99.8 % of the variance" in str(found)


def test_what_cannot_be_described():
    X = np.eye(3)
    with pytest.raises(TypeError, match="a description needs the columns themselves"):
        describe(Kernel(X))
    with pytest.raises(ValueError, match="names holds 2 names, but there are 3 columns"):
        describe(X, names=["a", "b"])


@pytest.mark.parametrize("unit", [1e-150, 1e120])
def test_extreme_sizes(unit):
    X = np.random.default_rng(0).normal(size=(20, 3)) + 2
    if unit < 1e-140:
        with pytest.raises(ValueError, match="whose square is out of range"):
            describe(X * unit)
        return
    one, other = describe(X), describe(X * unit)
    assert other.effective_rank == pytest.approx(one.effective_rank)
    assert other.share_of_means == pytest.approx(one.share_of_means)
    assert other.largest_scale[1] == pytest.approx(one.largest_scale[1] * unit)


@pytest.mark.parametrize("seed", range(40))
def test_equal_columns_are_those_of_a_slow_search(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 30, 2)
    X = rng.integers(-1, 3, (m, n)) * 10.0 ** rng.integers(-200, 200)
    if seed % 4 == 0:
        X[rng.random((m, n)) < 0.2] = np.nan
    expected: dict[tuple[float, ...], list[int]] = {}
    for j in range(n):
        expected.setdefault(tuple(np.nan_to_num(X[:, j], nan=np.inf)), []).append(j)
    groups = [group for group in expected.values() if len(group) > 1]
    for put in (np.asarray, sp.csr_array, sp.csc_array):
        assert equal_columns(as_operand(put(X), gaps=True)) == groups


def test_counts_of_which_few_decide_are_to_be_transformed():
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.where(np.arange(200) < 3, 50, 0.2), (100, 200)) * rng.integers(
        0, 2, (100, 1)
    )
    found = describe(sp.csr_array(counts))
    assert found.counts
    assert "--transform log1p" in found.command()
    assert "--transform log1p" not in describe(np.log1p(counts)).command()
    assert not describe(counts - 1).counts
    assert "--transform" not in describe(rng.poisson(3, (100, 30))).command()
