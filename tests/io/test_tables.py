"""People's tables: text, dates, identifiers, gaps and counts, in all kinds of file."""

from __future__ import annotations

import io as bytes_io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from test_io import csv_message, csv_table, message, put

from colonnade.io import Options, Table, read, read_with, write
from colonnade.io.column_kinds import identifiers

M = 12
FRAME = pd.DataFrame(
    {
        "sample_id": np.arange(501, 501 + M),
        "temp": np.linspace(20.0, 25.0, M),
        "who": ["ben", "ann", "kim"] * 4,
        "day": pd.date_range("2024-01-01", periods=M),
        "ok": [True, False] * 6,
        "count": np.arange(M)[::-1] * 3,
        "gap": [np.nan, 1.5, *np.arange(10.0)],
        "row": np.arange(M),
        "empty": np.full(M, np.nan),
    }
)
NUMBERS = FRAME[["temp", "ok", "count", "gap"]].astype(float).to_numpy()
LEFT_OUT = {
    "who": "text",
    "day": "dates",
    "sample_id": "identifier",
    "row": "identifier",
    "empty": "all missing",
}


def wide_csv(frame, path):
    """A file that is read by rows: many more columns than rows."""
    extra = pd.DataFrame(np.ones((len(frame), 1500)), columns=[f"w{j}" for j in range(1500)])
    pd.concat([frame, extra], axis=1).to_csv(path, index=False)


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
    "arrow": lambda frame, path: frame.to_feather(path, compression="zstd"),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
}


@pytest.fixture(params=WRITERS)
def table_file(request, tmp_path):
    path = tmp_path / f"data.{request.param}"
    WRITERS[request.param](FRAME, path)
    return path


# --- what is left out ---------------------------------------------------------------------------


def test_numeric_only_leaves_out_and_names(table_file):
    table = read(table_file, numeric_only=True, missing="mean")
    assert table.columns == ["temp", "ok", "count", "gap"]
    assert dict(table.left_out) == LEFT_OUT
    np.testing.assert_allclose(table.X, NUMBERS, rtol=1e-15)


def test_all_columns_are_named_at_once(table_file):
    text = message(table_file)
    assert "2 columns hold no numbers: 'who' (text, first 'ben' in " in text
    assert "'day' (dates, such as '2024-01-01" in text
    assert "2 columns have missing (NaN) values: 'gap' (1, first in " in text
    assert "'empty' (12)" in text
    assert "with numeric_only=True and missing='mean' (or median, drop-rows, drop-columns)" in text
    assert "or leave out all of these with drop=['who', 'day', 'gap', 'empty']" in text
    assert "label='who'" in text
    left = read(table_file, drop=["who", "day", "sample_id", "row"], missing="median")
    assert left.columns == ["temp", "ok", "count", "gap"]


def test_rows_are_found_in_their_file(tmp_path):
    rows = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["1", "2", "x"]})
    for form, place in {"csv": "line 4", "xlsx": "row 4", "parquet": "row 2"}.items():
        WRITERS[form](rows.astype({"b": object}), tmp_path / f"a.{form}")
        assert f"column 'b' holds text, first 'x' in {place}" in message(tmp_path / f"a.{form}")


def test_wide_files_know_the_same(tmp_path):
    wide_csv(FRAME, tmp_path / "a.csv")
    table = read(tmp_path / "a.csv", numeric_only=True, missing="mean")
    assert table.columns[:5] == ["temp", "ok", "count", "gap", "w0"]
    assert dict(table.left_out) == LEFT_OUT
    np.testing.assert_allclose(table.X[:, :4], NUMBERS)
    assert "2 columns hold no numbers: 'who' (text, first 'ben' in line 2), 'day' (dates" in (
        message(tmp_path / "a.csv")
    )


def test_many_columns_are_counted_not_listed(tmp_path):
    names = [f"t{j}" for j in range(30)]
    text = csv_message(tmp_path, ",".join([*names, "x"]) + "\n" + "a," * 30 + "1\n")
    assert "30 columns hold no numbers: 't0' (text, first 'a' in line 2), 't1'" in text
    assert "'t4' (text, such as 'a') and 25 more; leave them out with numeric_only=True" in text
    assert "drop=" not in text
    text = csv_message(tmp_path, ",".join([*names[:12], "x"]) + "\n" + "a," * 12 + "1\n")
    assert f"drop={names[:12]!r}" in text


def test_nothing_left(tmp_path):
    text = csv_message(tmp_path, "a,b\nx,\ny,\n", numeric_only=True)
    assert "2 rows and 0 columns of data" in text
    assert text.endswith("left out: 'a' (text), 'b' (all missing)")


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("id", [7, 3, 5], True),
        ("Sample ID", [7, 3, 5], True),
        ("sampleId", [7, 3, 5], True),
        ("id", [7, 3, 3], False),
        ("id", [7.5, 3, 5], False),
        ("id", [np.nan, 3, 5], False),
        ("x", np.arange(10), True),
        ("x", np.arange(1, 11), True),
        ("x", np.arange(2, 12), False),
        ("x", np.arange(9), False),
        ("x", np.arange(10)[::-1], False),
        ("x", np.linspace(0, 9, 10) ** 2 / 9, False),
        ("x", [0, 1, 3, 2, 4, 5, 6, 7, 8, 9], False),
        ("acid", [7, 3, 5], False),
        ("humid", [7, 3, 5], False),
        ("Index", [7, 3, 5], True),
        ("body mass index", [7, 3, 5], False),
    ],
)
def test_identifiers(name, values, found):
    assert identifiers(np.array(values, dtype=float)[:, None], [name]) == ([0] if found else [])


def test_identifiers_are_used_with_a_warning(tmp_path):
    put(tmp_path / "a.csv", "id,b\n8,1\n7,2\n9,3\n")
    with pytest.warns(UserWarning, match=r"'id' looks like an identifier.*drop=\['id'\]"):
        assert read(tmp_path / "a.csv").columns == ["id", "b"]


# --- gaps ---------------------------------------------------------------------------------------

GAPS = "a,b,c\n1,,3\n4,5,6\n7,8,NA\n1,1,1\n"


def test_gaps_stay_drop_rows_or_drop_columns(tmp_path):
    for how in ("mean", "median", "pairwise"):
        table = csv_table(tmp_path, GAPS, missing=how)
        np.testing.assert_array_equal(np.argwhere(np.isnan(table.X)), [[0, 1], [2, 2]])
        assert (dict(table.left_out), table.n_dropped_rows) == ({}, 0)
    table = csv_table(tmp_path, GAPS, missing="drop-rows", label="a")
    np.testing.assert_array_equal(table.X, [[5, 6], [1, 1]])
    np.testing.assert_array_equal(table.labels, [4, 1])
    np.testing.assert_array_equal(table.row_names, [1, 3])  # to find them again
    assert table.n_dropped_rows == 2
    table = csv_table(tmp_path, GAPS, missing="drop-columns")
    assert table.columns == ["a"]
    assert dict(table.left_out) == {"b": "missing values", "c": "missing values"}
    assert "every row has gaps" in csv_message(tmp_path, "a,b\n1,\n,2\n", missing="drop-rows")
    assert "4 rows and 0 columns" in csv_message(
        tmp_path, "b,c\n,1\n2,\n1,1\n1,1\n", missing="drop-columns"
    )


def test_sparse_gaps(tmp_path):
    X = sp.csc_array(np.array([[0, np.nan, 2.0], [1, 0, 0], [0, 3, 0]]))
    sp.save_npz(tmp_path / "a.npz", X)
    assert "'x1' has 1 missing (NaN) value, first in row 0" in message(tmp_path / "a.npz")
    table = read(tmp_path / "a.npz", missing="drop-rows")
    np.testing.assert_array_equal(table.X.toarray(), [[1, 0, 0], [0, 3, 0]])
    table = read(tmp_path / "a.npz", missing="drop-columns")
    assert table.sparse
    np.testing.assert_array_equal(table.X.toarray(), [[0, 2], [1, 0], [0, 0]])
    assert table.names == ["x0", "x2"]


@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan", "null", "NULL", "None", "n/a", "-", "?",
                                  "  NA ", "<NA>", "#N/A", "Na", "none"])  # fmt: skip
def test_words_for_gaps(tmp_path, word):
    table = csv_table(tmp_path, f"a,b\n1,2\n3,{word}\n5,-6\n", missing="mean")
    np.testing.assert_array_equal(table.X, [[1, 2], [3, np.nan], [5, -6]])


def test_infinite_values_are_never_gaps(tmp_path):
    text = csv_message(tmp_path, "a,b,c\n1,inf,\n2,1,-inf\n", missing="mean")
    assert "2 columns have infinite values: 'b' (1, first in line 2), 'c' (1)" in text
    assert "correct what is infinite, or leave it out with drop=['b', 'c']" in text


def test_truth_values_are_numbers(tmp_path):
    table = csv_table(tmp_path, "a,b,c\ntrue,TRUE,1\nfalse,,2\n", missing="mean")
    np.testing.assert_array_equal(table.X, [[1, 1, 1], [0, np.nan, 2]])
    pd.DataFrame({"a": pd.array([True, None], "boolean"), "b": [True, False]}).to_parquet(
        tmp_path / "a.parquet"
    )
    table = read(tmp_path / "a.parquet", missing="mean")
    np.testing.assert_array_equal(table.X, [[1, 1], [np.nan, 0]])


def test_wrong_values_of_options(tmp_path):
    for options, part in [
        ({"missing": "means"}, "missing='means': unknown (did you mean 'mean'?)"),
        ({"transform": "log"}, "transform='log': unknown"),
        ({"min_df": 0}, "min_df=0: give a number of rows"),
        ({"max_df": 1.5}, "max_df=1.5: give a number of rows"),
        ({"sheet": 1}, "sheet=1 has no meaning for CSV, which is no workbook"),
    ]:
        assert part in csv_message(tmp_path, "a,b\n1,2\n", **options)


# --- counts -------------------------------------------------------------------------------------


@pytest.fixture
def counts(tmp_path):
    X = sp.random_array(
        (30, 8), density=0.4, rng=np.random.default_rng(0), format="csc",
        data_sampler=lambda size: np.arange(1, size + 1) % 7 + 1,
    )  # fmt: skip
    X = sp.csc_array(np.column_stack([X.toarray(), np.eye(30, 1), np.ones(30)]))
    sp.save_npz(tmp_path / "counts.npz", X)
    return tmp_path / "counts.npz", X.toarray()


def test_columns_by_frequency(counts):
    path, X = counts
    table = read(path, min_df=2, max_df=29)
    assert table.sparse
    assert dict(table.left_out) == {"x8": "too rare", "x9": "too common"}
    assert table.names == [f"x{j}" for j in range(8)]
    np.testing.assert_array_equal(table.X.toarray(), X[:, :8])
    assert dict(read(path, min_df=0.05).left_out) == {"x8": "too rare"}
    frequencies = (X > 0).sum(axis=0)
    kept = np.flatnonzero(frequencies >= 12)
    assert read(path, min_df=0.4).names == [f"x{j}" for j in kept]  # 0.4 * 30 is above 12
    assert "no column occurs in 31 to 30 of 30 rows" in message(path, min_df=31)


@pytest.mark.parametrize("transform", ["log1p", "tfidf"])
def test_transforms(counts, tmp_path, transform):
    path, X = counts
    expected = np.log1p(X)
    if transform == "tfidf":
        expected = TfidfTransformer().fit_transform(X).toarray()
    table = read(path, transform=transform)
    assert table.sparse
    np.testing.assert_allclose(table.X.toarray(), expected, rtol=1e-12)
    np.save(tmp_path / "dense.npy", X)
    dense = read(tmp_path / "dense.npy", transform=transform)
    assert not dense.sparse
    np.testing.assert_allclose(dense.X, expected, rtol=1e-12)


def test_transforms_refuse_what_they_cannot_take(counts, tmp_path):
    text = "id_,a,b,c\n1,-1,2,-3\n2,3,4,5\n"
    assert (
        "transform='log1p' is for counts and other entries from 0 on, but there are negative ones, "
        "the lowest -3, in columns 'a', 'c'; leave out with drop=['a', 'c']"
    ) in csv_message(tmp_path, text, transform="log1p")
    X = sp.csc_array(np.array([[0, -2.0], [3, 0]]))
    sp.save_npz(tmp_path / "a.npz", X)
    assert "the lowest -2, in column 'x1'" in message(tmp_path / "a.npz", transform="tfidf")
    assert "needs a count in every place" in csv_message(
        tmp_path, GAPS, transform="tfidf", missing="mean"
    )
    table = csv_table(tmp_path, GAPS, transform="log1p", missing="mean")
    assert np.isnan(table.X).sum() == 2


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("extension", [".npy", ".npz", ".mtx", ".svm"])
def test_names_from_a_file(tmp_path, extension):
    X = np.array([[1.0, 0, 2], [0, 3, 4]])
    path, names = tmp_path / f"a{extension}", put(tmp_path / "vocab.txt", "ein\nzwölf\r\ndrei\n\n")
    if extension == ".npz":
        sp.save_npz(path, sp.csc_array(X))
    else:
        write(path, Table(X, labels=np.arange(2.0)))
    table = read(path, names=names)
    assert table.columns == ["ein", "zwölf", "drei"]
    assert read(path, names=names, drop=["zwölf"]).columns == ["ein", "drei"]
    assert read(path, names=["a", "b", "c"], drop=["b"]).columns == ["a", "c"]
    assert "2 names, but the matrix has 3 columns" in message(path, names=["a", "b"])
    short = put(tmp_path / "short.txt", "a\nb\n")
    assert f"2 names in {short}, but the matrix has 3 columns" in message(path, names=short)


def test_names_twice(tmp_path):
    text = csv_message(tmp_path, "a,b\n1,2\n", names=["c", "d"])
    assert "the file names its columns itself" in text
    assert csv_table(tmp_path, "1,2\n3,4\n", header=False, names=["c", "d"]).columns == ["c", "d"]


def test_row_names_from_a_column(table_file):
    table = read(table_file, numeric_only=True, missing="mean", row_names="who", label="count")
    assert table.row_names.tolist() == FRAME["who"].tolist()
    assert table.labels.tolist() == FRAME["count"].tolist()
    assert table.columns == ["temp", "ok", "gap"]
    assert "row_names='whom'" in message(table_file, row_names="whom")


def test_row_names_of_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[5.0, 1], [7, 2]]))
    table = read(tmp_path / "a.npy", row_names=0)
    np.testing.assert_array_equal(table.row_names, [5, 7])
    np.testing.assert_array_equal(table.X, [[1], [2]])


# --- where it comes from ------------------------------------------------------------------------


def test_format_in_place_of_the_extension(tmp_path):
    path = put(tmp_path / "data.dat", "a\tb\n1\t2\n3\tx\n")
    assert "unknown extension (.dat)" in message(path)
    assert "say format='csv'" in message(path)
    assert "column 'b' holds text, first 'x' in line 3" in message(path, format="tsv")
    np.testing.assert_array_equal(read(path, format="tsv", drop=["b"]).X, [[1], [3]])
    assert "format='foo': unknown format; known are csv, " in message(path, format="foo")
    packed = put(tmp_path / "table", (tmp_path / "data.dat").read_bytes())
    assert read(packed, format="txt", drop=[1]).X.shape == (2, 1)


def piped(content, options=""):
    code = f"from colonnade.io import read; t = read('-', {options}); print(t.names, t.X.sum())"
    return subprocess.run(
        [sys.executable, "-c", code], input=content, capture_output=True, timeout=60, check=False
    )


def test_standard_input():
    assert piped(b"a,b\n1,2\n3,4\n").stdout == b"['a', 'b'] 10\n"
    file = bytes_io.BytesIO()
    FRAME[["temp", "ok"]].to_feather(file)
    total = f"['temp', 'ok'] {FRAME['temp'].sum() + 6}\n".encode()
    assert piped(file.getvalue(), "format='feather'").stdout == total
    assert b"standard input: column 'b' holds text" in piped(b"a,b\n1,x\n").stderr
    assert b"standard input: nothing came from it" in piped(b"").stderr


def test_options_of_read_reach_the_reader(table_file):
    options = Options(numeric_only=True, missing="drop-columns", row_names="who")
    table = read_with(table_file, options)
    assert table.left_out["gap"] == "missing values"
