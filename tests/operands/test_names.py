"""Names of columns, whatever package the data comes from: columns are found by them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from colonnade import describe, explain, select

X = np.random.default_rng(0).standard_normal((30, 4)) * [1.0, 2.0, 3.0, 4.0]
FRAME = pd.DataFrame(X, columns=list("abcd"))


def as_anndata(frame):
    anndata = pytest.importorskip("anndata")
    made = anndata.AnnData(frame.to_numpy())
    made.var_names = list(frame.columns)
    return made


def as_sparse_anndata(frame):
    anndata = pytest.importorskip("anndata")
    made = anndata.AnnData(sp.csr_matrix(frame.to_numpy()))
    made.var_names = list(frame.columns)
    return made


def as_xarray(frame):
    xarray = pytest.importorskip("xarray")
    return xarray.DataArray(frame.to_numpy(), dims=("r", "c"), coords={"c": list(frame.columns)})


def as_arrow(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


PUT = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "AnnData": as_anndata,
    "sparse AnnData": as_sparse_anndata,
    "xarray": as_xarray,
    "Arrow": as_arrow,
}


@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_names_come_with_the_data(put):
    data = put(FRAME)
    assert select(data, 2).names == ("d", "c")
    assert select(data, 2, must_include=["a"]).names == ("a", "d")
    assert describe(data).names == ("a", "b", "c", "d")
    assert explain(data, ["d", "c"]).indices.tolist() == [3, 2]


@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_columns_are_found_by_name_in_another_order(put):
    chosen = select(FRAME, 2)
    other = put(FRAME[list("cbda")])
    assert explain(other, chosen).error == pytest.approx(explain(FRAME, chosen).error)
    assert chosen.drift(other) == []
    found = chosen.apply(other)
    if hasattr(found, "to_pandas"):
        found = found.to_pandas()
    values = getattr(found, "X", found)
    values = values.toarray() if sp.issparse(values) else np.asarray(values)
    np.testing.assert_array_equal(values, FRAME[["d", "c"]].to_numpy())


def test_several_columns_of_one_name_are_told():
    twice = pd.DataFrame(X, columns=["a", "g", "g", "b"])
    chosen = select(FRAME.rename(columns={"d": "g"}), 2)
    with pytest.raises(ValueError, match="several columns are named 'g'"):
        chosen.apply(twice[["b", "a", "g"]])
