"""Frames, AnnData and xarray: taken with their names, or refused with what to pass instead."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from colonnade import (
    GreedySelector,
    ReducedKMeans,
    RLSClassifier,
    RowSelector,
    SphericalKMeans,
    SVDProjection,
    as_operand,
    certify,
    select,
)

M = 20
X = np.random.default_rng(0).normal(size=(M, 5))
NAMES = list("abcde")
FRAME = pd.DataFrame(X, columns=NAMES)
DOORS = {
    "select": lambda data: select(data, 2),
    "fit": lambda data: GreedySelector(2).fit(data),
    "transform": lambda data: GreedySelector(2).fit(X).transform(data),
    "rows": lambda data: RowSelector(GreedySelector(2)).fit(data),
    "certify": lambda data: certify(data, select(X, 2)),
    "k-means": lambda data: ReducedKMeans(2).fit(data),
    "sphere": lambda data: SphericalKMeans(2).fit(data),
    "project": lambda data: SVDProjection(2).fit(data),
    "classify": lambda data: RLSClassifier().fit(data, np.arange(M) % 2),
}
"""Where data enters."""
MIXED = FRAME.assign(
    who=["ben", "ann"] * 10,
    when=pd.Timestamp("2024-01-01"),
    kind=pd.Categorical(["x", "y"] * 10),
    ok=True,
    took=pd.Timedelta("1h"),
)
WORDS = ["who", "when", "kind", "took"]


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("made", "cure"),
    [
        (lambda: MIXED, f"X.drop(columns={WORDS!r})"),
        (lambda: pl.from_pandas(MIXED), f"X.drop({WORDS!r})"),
        (lambda: arrow(MIXED), f"X.drop({WORDS!r})"),
    ],
)
def test_all_columns_of_text_and_dates_are_named(door, made, cure):
    with pytest.raises(TypeError) as caught:
        DOORS[door](made())
    text = str(caught.value)
    assert text == (
        "X has 4 columns that hold no numbers: 'who' (text, such as 'ben'), 'when' (dates), "
        f"'kind' (text, such as 'x'), 'took' (dates); leave them out, {cure}, or encode them as "
        "numbers first"
    )


def test_the_cure_works():
    for frame in (MIXED, pl.from_pandas(MIXED), arrow(MIXED)):
        left = frame.drop(columns=WORDS) if frame is MIXED else frame.drop(WORDS)
        assert GreedySelector(2).fit(left).n_features_in_ == 6


def test_many_columns_of_text():
    frame = pd.DataFrame({f"t{j}": ["x"] * M for j in range(30)}).assign(a=X[:, 0], ok=True)
    with pytest.raises(TypeError, match=r"and 18 more; leave them out, X\.select_dtypes\(\["):
        select(frame, 1)
    assert list(frame.select_dtypes(["number", "bool"])) == ["a", "ok"]
    with pytest.raises(TypeError, match=r"polars\.selectors\.numeric\(\)"):
        select(pl.from_pandas(frame), 1)


def test_numbers_in_other_types_stay_numbers():
    frame = FRAME.assign(
        o=pd.Series(range(M), dtype=object), k=pd.Categorical([1, 2] * 10), ok=[True, False] * 10
    )
    np.testing.assert_array_equal(select(frame, 3).indices, select(frame.astype(float), 3).indices)


def gapped():
    return FRAME.assign(i=pd.array([1, None] * 10, "Int64"), t=pd.array([True, None] * 10))


@pytest.mark.parametrize("made", [gapped, lambda: pl.from_pandas(gapped())])
def test_nulls_are_gaps(made):
    plain = np.column_stack([X, [1, np.nan] * 10, [1, np.nan] * 10])
    chosen = select(made(), 3, missing="mean").indices
    np.testing.assert_array_equal(chosen, select(plain, 3, missing="mean").indices)
    selector = GreedySelector(3, missing="mean").fit(made())
    np.testing.assert_array_equal(selector.indices_, chosen)
    assert selector.feature_names_in_.tolist() == [*NAMES, "i", "t"]
    with pytest.raises(ValueError, match="NaN"):
        GreedySelector(3).fit(made())
    with pytest.raises(ValueError, match="NaN"):
        select(made(), 3)


class OnlyInterchange:
    """A frame that speaks the protocol and nothing else."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, *args, **kwargs):
        return arrow(self._frame).__dataframe__()


def test_the_interchange_protocol():
    selector = GreedySelector(2).fit(OnlyInterchange(FRAME))
    assert selector.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(select(OnlyInterchange(FRAME), 2).indices, selector.indices_)
    with pytest.raises(TypeError, match=r"'who' \(text, such as 'ben'\), 'when' \(dates\)"):
        select(OnlyInterchange(MIXED[["a", "who", "when"]]), 1)


def test_lazy_frames():
    for door in ("select", "fit"):
        with pytest.raises(TypeError, match=re.escape("pass X.collect()")):
            DOORS[door](pl.from_pandas(FRAME).lazy())


# --- AnnData ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_anndata(kind):
    anndata = pytest.importorskip("anndata")
    Z = np.where(X > 0, X, 0)
    data = anndata.AnnData(kind(Z), var=pd.DataFrame(index=NAMES))
    expected = select(Z, 2)
    np.testing.assert_array_equal(select(data, 2).indices, expected.indices)
    assert as_operand(data).shape == (M, 5)
    selector = GreedySelector(2).fit(data)
    assert selector.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(selector.indices_, expected.indices)
    names = [NAMES[j] for j in sorted(expected.indices)]
    assert selector.get_feature_names_out().tolist() == names
    chosen = selector.transform(data)
    assert sp.issparse(chosen) == (kind is not np.asarray)
    chosen = chosen.toarray() if sp.issparse(chosen) else chosen
    np.testing.assert_array_equal(chosen, Z[:, sorted(expected.indices)])
    assert certify(data, expected)
    for learner in (ReducedKMeans(2), SphericalKMeans(2), SVDProjection(2)):
        assert learner.fit(data).feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(select(data[:10], 2).indices, select(Z[:10], 2).indices)
    with pytest.raises(TypeError, match="AnnData without X; pass one of its layers"):
        select(anndata.AnnData(var=pd.DataFrame(index=NAMES)), 2)


# --- xarray -------------------------------------------------------------------------------------


def test_xarray():
    xarray = pytest.importorskip("xarray")
    data = xarray.DataArray(X, dims=("sample", "gene"), coords={"gene": NAMES})
    selector = GreedySelector(2).fit(data)
    assert selector.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(selector.indices_, select(X, 2).indices)
    np.testing.assert_array_equal(select(data, 2).indices, select(X, 2).indices)
    assert not hasattr(GreedySelector(2).fit(data.drop_vars("gene")), "feature_names_in_")
    waves = data.assign_coords(gene=[400.0, 500, 600, 700, 800])
    assert GreedySelector(2).fit(waves).feature_names_in_[0] == "400.0"
    with pytest.raises(TypeError, match=r"3 dimensions \(sample, gene, day\); a matrix has two"):
        select(data.expand_dims(day=2, axis=2), 2)
    with pytest.raises(TypeError, match=r"such as X\['t'\], or X\.to_dataframe\(\)"):
        select(xarray.Dataset({"t": data}), 2)
