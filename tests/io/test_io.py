"""Files: what goes in comes out, and what is wrong is named."""

from __future__ import annotations

import gzip
import os
import pickle
import stat
import sys
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp

from colonnade import io
from colonnade.io import FileError, Table, atomic, check_target, read, write

NAMES = ["länge", "a, b", 'say "x"']


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(7, 3)) * 10.0 ** np.arange(-150, 151, 150)


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def message(path, **options):
    """Read what cannot be read; return the one line about it, without the name of the file."""
    with pytest.raises(FileError) as caught:
        read(path, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")


def csv_message(tmp_path, content, **options):
    return message(put(tmp_path / "data.csv", content), **options)


def csv_table(tmp_path, content, **options):
    return read(put(tmp_path / "data.csv", content), **options)


def as_dense(X):
    return X.toarray() if sp.issparse(X) else X


# --- round trips --------------------------------------------------------------------------------

NAMED = (".csv", ".csv.gz", ".txt", ".txt.gz", ".tsv", ".tsv.gz", ".parquet", ".pq", ".npz")
NAMED += (".feather", ".arrow", ".xlsx")
DIGITS = {".xlsx": 1e-15}
"""How exactly numbers come back: openpyxl writes 16 digits, all others whatever it takes."""
READ_ONLY = (".zarr", ".zarr.zip", ".h5", ".hdf5")
"""In a file of their own, as is AnnData."""
UNNAMED = (".npy", ".mtx", ".mtx.gz", ".svmlight", ".libsvm", ".svm")


def test_every_extension_is_tested():
    known = {extension for form in io.FORMATS for extension in form.extensions}
    assert known == {*NAMED, *UNNAMED, *READ_ONLY, ".json", ".h5ad"}


@pytest.mark.parametrize("extension", NAMED)
@pytest.mark.parametrize("labels", [np.arange(7) * 3, np.array(list("abcdefg")), None])
def test_round_trip_with_names(tmp_path, X, extension, labels):
    path = tmp_path / f"data{extension}"
    write(path, Table(X, NAMES, labels, "kind"))
    options = {} if labels is None else {"label": "y" if extension == ".npz" else "kind"}
    table = read(path, **options)
    np.testing.assert_allclose(table.X, X, rtol=DIGITS.get(extension, 0))
    assert table.columns == NAMES
    assert table.row_names is None
    if labels is None:
        assert table.labels is None
    else:
        np.testing.assert_array_equal(table.labels, labels)
        assert table.labels.dtype.kind == labels.dtype.kind


@pytest.mark.parametrize("extension", NAMED)
@pytest.mark.parametrize("row_names", [np.arange(7)[::-1], np.array(list("gfedcba"))])
def test_round_trip_with_row_names(tmp_path, X, extension, row_names):
    path = tmp_path / f"data{extension}"
    write(path, Table(X, NAMES, row_names=row_names))
    table = read(path)
    np.testing.assert_allclose(table.X, X, rtol=DIGITS.get(extension, 0))
    np.testing.assert_array_equal(table.row_names, row_names)
    assert table.columns == NAMES


@pytest.mark.parametrize("extension", UNNAMED)
def test_round_trip_without_names(tmp_path, X, extension):
    path = tmp_path / f"data{extension}"
    write(path, Table(X, NAMES, np.arange(7.0)))
    table = read(path)
    # svmlight as scikit-learn writes it has 16 digits
    np.testing.assert_allclose(as_dense(table.X), X, rtol=1e-15)
    assert table.columns is None
    assert table.names == ["x0", "x1", "x2"]
    if extension.startswith((".svm", ".libsvm")):
        np.testing.assert_array_equal(table.labels, np.arange(7))


@pytest.mark.parametrize("extension", [".npz", ".mtx", ".mtx.gz", ".svm"])
def test_sparse_stays_sparse(tmp_path, extension):
    X = sp.random_array((9, 4), density=0.4, rng=np.random.default_rng(1), format="csr")
    path = tmp_path / f"data{extension}"
    write(path, Table(X, list("abcd"), np.arange(9)))
    table = read(path)
    assert sp.issparse(table.X)
    np.testing.assert_allclose(table.X.toarray(), X.toarray(), rtol=1e-15)


def test_sparse_npz_is_that_of_scipy(tmp_path):
    X = sp.random_array((5, 4), density=0.5, rng=np.random.default_rng(1), format="csc")
    write(tmp_path / "ours.npz", Table(X, list("abcd"), np.arange(5)))
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "ours.npz").toarray(), X.toarray())
    table = read(tmp_path / "ours.npz")
    assert table.columns == list("abcd")
    np.testing.assert_array_equal(table.labels, np.arange(5))
    for form in ("csr", "coo", "csc"):
        sp.save_npz(tmp_path / "theirs.npz", X.asformat(form))
        np.testing.assert_array_equal(read(tmp_path / "theirs.npz").X.toarray(), X.toarray())


def test_sparse_can_be_written_as_text(tmp_path):
    write(tmp_path / "data.csv", Table(sp.csc_array(np.eye(3))))
    table = read(tmp_path / "data.csv")
    np.testing.assert_array_equal(table.X, np.eye(3))
    assert table.columns == ["x0", "x1", "x2"]


def test_float32_and_integers_keep_their_type(tmp_path):
    for dtype in (np.float32, np.int8):
        for extension in (".npy", ".npz", ".parquet"):
            write(tmp_path / f"data{extension}", Table(np.ones((3, 2), dtype)))
            assert read(tmp_path / f"data{extension}").X.dtype == dtype


def test_equal_data_gives_equal_files(tmp_path, X):
    for name in ("a.csv.gz", "b.csv.gz"):
        write(tmp_path / name, Table(X))
    content = (tmp_path / "a.csv.gz").read_bytes()
    assert content == (tmp_path / "b.csv.gz").read_bytes()
    assert content[4:8] == bytes(4)  # where gzip keeps the time


def test_json_holds_a_selection_and_nothing_else(tmp_path, X):
    path = tmp_path / "s.json"
    with pytest.raises(FileError, match=r"s\.json: JSON holds a selection, not data"):
        write(path, Table(X))
    write(path, Table(X), selection={"ä": np.arange(2), "b": [1.5]})
    assert path.read_text("utf-8") == '{\n "\\u00e4": [0, 1],\n "b": [1.5]\n}\n'
    assert "can only be written" in message(path)


def test_take(X):
    table = Table(X, None, np.arange(7), "y")
    columns = table.take(columns=[0, 2])
    assert columns.columns == ["x0", "x2"]
    assert columns.row_names is None
    np.testing.assert_array_equal(columns.X, X[:, [0, 2]])
    np.testing.assert_array_equal(columns.labels, np.arange(7))
    for data in (X, sp.csc_array(X)):
        rows = Table(data, NAMES, np.arange(7)).take(rows=[5, 1])
        np.testing.assert_array_equal(as_dense(rows.X), X[[5, 1]])
        np.testing.assert_array_equal(rows.labels, [5, 1])
        np.testing.assert_array_equal(rows.row_names, [5, 1])
        assert rows.columns == NAMES


# --- text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b\n1,2\n3,4\n", ["a", "b"]),
        ("a,b\r\n1,2\r\n3,4\r\n", ["a", "b"]),
        ("a;b\n1;2\n3;4", ["a", "b"]),
        ("a\tb\n1\t2\n3\t4\n", ["a", "b"]),
        ("a|b\n1|2\n3|4\n", ["a", "b"]),
        ("a b\n 1  2\n3 4\n", ["a", "b"]),
        ("a;x,b;y\n1,2\n3,4\n", None),
        ('"a,x","b ""y"""\n1,2\n3,4\n', ["a,x", 'b "y"']),
        ('"a\nx",b\n\n1,2\n\n3,4\n', ["a\nx", "b"]),
        ('"1","2"\n"3","4"\n', None),
        ("\ufeffa,b\n1,2\n3,4\n", ["a", "b"]),
        (" a , b \n 1 , 2\n3,4\n", ["a", "b"]),
        ('a, "b"\n1, "2"\n3, "4"\n', ["a", "b"]),
        ("日本,größe\n1,2\n3,4\n", ["日本", "größe"]),
        ("1,2\n3,4\n", None),
        ("1.0,2e0\n3,4\n", None),
        ("a,\n1,2\n3,4\n", ["a", "x1"]),
    ],
)
def test_layouts_of_text(tmp_path, content, names):
    if content.startswith("a;x,b;y"):
        names = ["a;x", "b;y"]
    table = csv_table(tmp_path, content)
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert table.columns == names


def test_wide_text(tmp_path):
    X = np.random.default_rng(0).normal(size=(3, 20_000))
    write(tmp_path / "wide.csv", Table(X))
    np.testing.assert_array_equal(read(tmp_path / "wide.csv").X, X)


def test_decimal_comma(tmp_path):
    table = csv_table(tmp_path, "a;b\n1,5;2\n-3;4,25\n")
    np.testing.assert_array_equal(table.X, [[1.5, 2], [-3, 4.25]])
    assert csv_table(tmp_path, "1,5;2\n-3;4,25\n").columns is None


def test_flags_overrule_what_the_header_looks_like(tmp_path):
    assert csv_table(tmp_path, "1,2\n3,4\n", header=True).columns == ["1", "2"]
    assert "first 'a' in line 1" in csv_message(tmp_path, "a,b\n3,4\n", header=False)
    assert csv_table(tmp_path, "a;b\n1;2\n", delimiter=";").columns == ["a", "b"]
    assert csv_table(tmp_path, "a\tb\n1\t2\n", delimiter="tab").columns == ["a", "b"]
    assert "'::' is no single character" in csv_message(tmp_path, "a::b\n1::2\n", delimiter="::")


def test_a_header_that_may_be_data_is_not_guessed(tmp_path):
    years = "id,2019,2020\nA,1,2\nB,3,4\n"
    assert "say header=True or header=False" in csv_message(tmp_path, years)
    assert csv_table(tmp_path, years, header=True, drop=["id"]).columns == ["2019", "2020"]
    # naming a column says that there are names
    assert csv_table(tmp_path, years, label="id").columns == ["2019", "2020"]
    counted = "0,1,2\n4,5,6\n7,8,9\n"
    assert "line 1 counts 0, 1, 2" in csv_message(tmp_path, counted)
    assert csv_table(tmp_path, counted, header=False).X.shape == (3, 3)
    table = csv_table(tmp_path, ",0,1\n4,5,6\n7,8,9\n")  # pandas with its index
    assert table.columns == ["0", "1"]
    np.testing.assert_array_equal(table.row_names, [4, 7])
    assert "has 1 missing" in csv_message(tmp_path, "1,NA,3\n1,2,3\n")


def test_labels(tmp_path):
    text = "a,kind,b\n1,x,2\n3,,4\n"
    for label in ("kind", 1, "1", -2, "-2"):
        table = csv_table(tmp_path, text, label=label)
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
        assert table.columns == ["a", "b"]
        assert table.label_name == "kind"
        assert table.labels.tolist() == ["x", ""]
    # no header: line 1 is all numbers but for the label; names keep the numbers of the file
    table = csv_table(tmp_path, "x,1,2\ny,3,4\n", label=0)
    assert table.names == ["x1", "x2"]
    assert table.labels.tolist() == ["x", "y"]
    assert "did you mean 'kind'?" in csv_message(tmp_path, text, label="kinds")
    assert "there are a, kind, b" in csv_message(tmp_path, text, label="zzz")
    assert "numbered 0 to 2" in csv_message(tmp_path, text, label=3)
    assert "the columns have no names" in csv_message(tmp_path, "1,2\n3,4\n", label="kind")
    assert "0 columns of data" in csv_message(tmp_path, "a,b\n1,2\n", label="a", drop=["b"])


def test_labels_of_arrays(tmp_path, X):
    np.save(tmp_path / "a.npy", X)
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_array(X))
    for name in ("a.npy", "a.mtx"):
        table = read(tmp_path / name, label=-1, drop=[0])
        np.testing.assert_array_equal(as_dense(table.X), X[:, [1]])
        np.testing.assert_array_equal(table.labels, X[:, 2])
        assert table.columns == ["x1"]
    np.savez(tmp_path / "a.npz", X=X, y=np.arange(7), z=np.arange(7) + 1, w=np.arange(3))
    assert read(tmp_path / "a.npz").labels[0] == 0
    assert read(tmp_path / "a.npz", label="z").labels[0] == 1
    assert read(tmp_path / "a.npz", label=0).X.shape == (7, 2)
    assert "not a list of 7 labels" in message(tmp_path / "a.npz", label="w")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("", ["the file is empty"]),
        ("\n \n", ["the file is empty"]),
        ("a,b\n", ["no data below the names", "say header=False"]),
        (
            "a,b\n1,2\n3,hello\n4,bye\n",
            [
                "'b' holds text, first 'hello' in line 3; if it is the label, say label='b'; if "
                "not, leave it out with drop=['b'] or encode it as numbers"
            ],
        ),
        ("a,b\n1,2\n\n3,'4\n", ['first "\'4" in line 4']),
        ('"q\nr",b\n1,2\n\n3,x\n', ["first 'x' in line 5"]),
        (
            "a,b c,d\n1,p,2\n3,4,q\n",
            [
                "2 columns hold no numbers: 'b c' (text, first 'p' in line 2), 'd' (text, such as "
                "'q'); leave them out with drop=['b c', 'd'] or encode them as numbers "
                "(numeric_only=True leaves out all such columns); if one is the label, say so with "
                "label='b c'"
            ],
        ),
        ("a b\n1 x\n", ["'b' holds text, first 'x' in line 2"]),
        (
            "a,b\n1,2\n3,\nNA,nan\n",
            ["2 columns have missing (NaN) values: 'a' (1, first in line 4), 'b' (2); fill the"],
        ),
        (
            "a,b\n1,2\n3,\n5,NA\n",
            [
                "'b' has 2 missing (NaN) values, first in line 3; fill the gaps with "
                "missing='mean' (or median), or leave them out with missing='drop-rows', "
                "missing='drop-columns' or drop=['b']"
            ],
        ),
        ("a,b\n1,2\n3,-inf\n", ["'b' has 1 infinite value, first in line 3"]),
        ("a,b\n1+2j,2\n", ["'a' holds text, first '1+2j'"]),
        ("a,b\n1,2,3\n", ["line 1 has 2 names but the next line 3 fields"]),
        ("a,b\n" + "1,2\n" * 40 + "1,2,3\n", ["Expected 2 fields in line 42, saw 3"]),
        ("a,b\n2024-01-01,1\n", ["'a' holds dates, first '2024-01-01'"]),
        ("x" * 50 + ",1\n" + "a,b\n" * 2, ["hold no numbers: '" + "x" * 50 + "' (text, "]),
        (b"\xff\xfea\x00", ["no data below the names"]),
        (b"\xff\xfea\x00b", ["not UTF-16-LE text"]),
        ("größe,b\n1,2\n".encode("latin1"), ["not UTF-8 text", "iconv"]),
        (b"a,b\n1,2\n3,\xe4\n", ["not UTF-8 text"]),
    ],
)
def test_bad_text(tmp_path, content, parts):
    text = csv_message(tmp_path, content)
    for part in parts:
        assert part in text


def test_a_second_column_of_text_is_not_taken_for_the_label(tmp_path):
    text = csv_message(tmp_path, "a,b,c\n1,x,y\n2,x,z\n", label="b")
    assert text.endswith(
        "first 'y' in line 2; leave it out with drop=['c'] or encode it as numbers "
        "(numeric_only=True leaves out all such columns)"
    )
    put(tmp_path / "a.csv", "a\nx\n")
    assert "0 columns of data" in message(tmp_path / "a.csv", label="a")
    assert "1 row and 0 columns of data" in message(tmp_path / "a.csv", label="a")


def test_messages_spell_options_as_the_caller_does(tmp_path):
    def shout(option, value):
        return f"{option.upper()} {value}"

    def heard(name, content, **options):
        put(tmp_path / name, content)
        with pytest.raises(FileError) as caught:
            io.read_with(tmp_path / name, io.Options(**options, spelled=shout))
        return str(caught.value)

    assert "say LABEL b; if not, leave it out with DROP ('b',)" in heard("a.csv", "a,b\n1,x\n")
    assert "MISSING drop-columns or DROP ('b',)" in heard("a.csv", "a,b\n1,\n")
    assert "say HEADER False" in heard("a.csv", "a,b\n")
    assert "say HEADER True or HEADER False" in heard("a.csv", "id,1,2\nx,3,4\n")
    assert "LABEL c: no column 'c'" in heard("a.csv", "a,b\n1,2\n", label="c")
    assert "DROP ('c',): no column 'c'" in heard("a.csv", "a,b\n1,2\n", drop=("a", "c"))
    assert "LABEL 1 has no meaning for svmlight" in heard("a.svm", "1 1:2\n", label=1)
    np.savez(tmp_path / "b.npz", a=np.ones((2, 2)), b=np.zeros((3, 3)))
    packed = (tmp_path / "b.npz").read_bytes()
    assert "such as KEY a; the file holds a, b" in heard("b.npz", packed)
    assert "KEY c: there is no array 'c'" in heard("b.npz", packed, key="c")


def test_repeated_names(tmp_path):
    with pytest.warns(UserWarning, match="several columns are named 'a'"):
        table = csv_table(tmp_path, "a,a,a.1,a\n1,2,3,4\n")
    assert table.columns == ["a", "a.2", "a.1", "a.3"]
    np.testing.assert_array_equal(table.X, [[1, 2, 3, 4]])
    pq.write_table(pa.table([[1.0], [2.0]], names=["b", "b"]), tmp_path / "a.parquet")
    with pytest.warns(UserWarning, match="several columns are named 'b'"):
        assert read(tmp_path / "a.parquet").columns == ["b", "b.1"]
    np.savez(tmp_path / "a.npz", X=np.eye(4), genes=np.array(["g", "", "g", ""]))
    with pytest.warns(UserWarning, match="several columns are named 'g'"):
        assert read(tmp_path / "a.npz").columns == ["g", "x1", "g.1", "x3"]


def test_truth_values_are_numbers(tmp_path):
    np.testing.assert_array_equal(csv_table(tmp_path, "a,b\nTrue,2\nFalse,3\n").X, [[1, 2], [0, 3]])


def test_one_column(tmp_path):
    assert csv_table(tmp_path, "a\n1\n2\n").X.shape == (2, 1)
    assert csv_table(tmp_path, "1\n2\n").X.shape == (2, 1)


# --- Parquet ------------------------------------------------------------------------------------


def test_truncated_parquet(tmp_path, X):
    whole = tmp_path / "whole.parquet"
    write(whole, Table(X))
    content = whole.read_bytes()
    for size in (1, 10, len(content) // 2, len(content) - 1):
        path = put(tmp_path / "cut.parquet", content[:size])
        assert "not a complete Parquet file" in message(path)


def test_types_of_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"i": [1, 2], "b": [True, False], "n": pd.array([3, 4], "Int64")})
    frame["d"] = pd.Series([pd.NA, 1.5]).astype("Float64").fillna(0.5)
    frame.to_parquet(path)
    np.testing.assert_array_equal(read(path).X, [[1, 1, 3, 0.5], [2, 0, 4, 1.5]])
    pq.write_table(pa.table({"a": [Decimal("1.25"), Decimal("2.00")]}), path)
    np.testing.assert_array_equal(read(path).X, [[1.25], [2]])
    pd.DataFrame({"n": pd.array([3, None], "Int64"), "f": [1.0, 2.0]}).to_parquet(path)
    assert "'n' has 1 missing (NaN) value, first in row 1" in message(path)
    pq.write_table(pa.table({"a": [1, 2], "s": ["1", "2"]}), path)
    assert "'s' holds text, first '1' in row 0" in message(path)
    pd.DataFrame({"t": pd.to_datetime(["2024-01-01"]), "f": [1.0]}).to_parquet(path)
    assert "'t' holds dates, first '2024-01-01" in message(path)
    pq.write_table(pa.table({"a": pa.array([], pa.float64())}), path)
    assert "0 rows" in message(path)


# --- NumPy and others ---------------------------------------------------------------------------


class Bomb:
    """A pickle of this writes a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_pickles_are_never_loaded(tmp_path):
    fuse = tmp_path / "boom"
    objects = np.array([[Bomb(fuse)]], dtype=object)
    np.save(tmp_path / "o.npy", objects)
    np.savez(tmp_path / "o.npz", X=objects)
    put(tmp_path / "p.npy", pickle.dumps(Bomb(fuse)))
    put(tmp_path / "p.npz", pickle.dumps(Bomb(fuse)))
    assert "pickled Python objects, which are never loaded" in message(tmp_path / "o.npy")
    assert "array in 'X' holds pickled Python objects" in message(tmp_path / "o.npz")
    assert "not an NPY file" in message(tmp_path / "p.npy")
    assert "not an NPZ file" in message(tmp_path / "p.npz")
    # pickles beside the matrix stay unread and do no harm
    np.savez(tmp_path / "beside.npz", X=np.eye(1), columns=np.array([Bomb(fuse)], dtype=object))
    with pytest.warns(UserWarning, match="'columns' is pickled and stays unread"):
        assert read(tmp_path / "beside.npz").columns is None
    assert not fuse.exists()
    np.load(tmp_path / "o.npy", allow_pickle=True).item().close()
    assert fuse.exists()  # it would have gone off


@pytest.mark.parametrize(
    ("array", "part"),
    [
        (np.ones(4), r"shape (4,), but a matrix has two dimensions"),
        (np.ones((2, 2, 2)), r"shape (2, 2, 2)"),
        (np.float64(3), "shape ()"),
        (np.ones((0, 3)), "0 rows and 3 columns"),
        (np.ones((3, 0)), "3 rows and 0 columns"),
        (np.ones((2, 2)) * 1j, "complex numbers; split them"),
        (np.array([["a", "b"]]), "dtype <U1: text"),
        (np.array([[b"a"]]), "dtype |S1: text"),
        (np.array([["2024-01-01"]], dtype="M8[D]"), "no plain numbers"),
        (
            np.array([[1.0, np.nan], [np.nan, np.nan]]),
            "missing (NaN) values: 'x0' (1, first in row 1), 'x1' (2)",
        ),
        (np.array([[1.0, 1.0], [1.0, np.inf]]), "'x1' has 1 infinite value, first in row 1"),
    ],
)
def test_bad_arrays(tmp_path, array, part):
    np.save(tmp_path / "a.npy", array)
    assert part in message(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", array)
    assert part in message(tmp_path / "a.npz")


def test_sums_that_overflow_are_fine(tmp_path):
    np.save(tmp_path / "a.npy", np.full((3, 2), 60000, np.float16))
    assert read(tmp_path / "a.npy").X.dtype == np.float16
    np.save(tmp_path / "a.npy", np.full((3, 2), 1e308))
    assert read(tmp_path / "a.npy").X.shape == (3, 2)


def test_choice_of_array(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, a=np.ones((2, 2)), b=np.zeros((3, 3)))
    assert "say which array to take, such as key='a'; the file holds a, b" in message(path)
    assert read(path, key="b").X.shape == (3, 3)
    assert "key='c': there is no array 'c'; the file holds a, b" in message(path, key="c")
    np.savez(tmp_path / "none.npz")
    assert message(tmp_path / "none.npz") == "there is no array in this file"
    np.savez(path, X=np.ones((2, 2)), genes=np.array(["g\u00e4".encode(), b"h"]))
    assert read(path).columns == ["gä", "h"]
    with zipfile.ZipFile(path, "w"):
        pass
    assert "there is no array" in message(path)


def test_damaged_archives(tmp_path, X):
    path = tmp_path / "a.npz"
    np.savez(path, X=X)
    content = path.read_bytes()
    put(path, content[: len(content) // 2])
    assert "cut short" in message(path)
    put(path, content.replace(X.tobytes()[40:60], b"?" * 20))
    assert "not a complete NPZ file" in message(path)
    np.save(tmp_path / "a.npy", X)
    put(tmp_path / "a.npy", (tmp_path / "a.npy").read_bytes()[:-8])
    assert "not a complete NPY file" in message(tmp_path / "a.npy")
    arrays = {"data": np.ones(2), "indptr": np.array([0, 2]), "shape": (3, 1), "format": b"csc"}
    np.savez(path, indices=np.array([0, 99999]), **arrays)  # points outside of the matrix
    assert "not a complete NPZ file" in message(path)


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("a.mtx", "hello\n", "not a complete MatrixMarket file"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "complete"),
        ("a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n", "complex"),
        ("a.svm", "1 a:b\n", "not a complete svmlight file"),
        ("a.svm", "1 1:2 3:nan\n", "'x2' has 1 missing (NaN) value, first in row 0"),
        ("a.csv.gz", "not packed\n", "not a complete CSV file"),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-20], "not a complete CSV file"),
        ("a.xls", "x", "save the sheet as .xlsx or .csv first"),
        ("a.xslx", "x", "unknown extension (.xslx) (did you mean '.xlsx'?); known are .csv, "),
        ("a", "x", "unknown extension (no extension)"),
        (".csv", "x", "unknown extension"),
        ("a.parquet", "a,b\n1,2\n", "not a complete Parquet file"),
    ],
)
def test_bad_files(tmp_path, name, content, part):
    assert part in message(put(tmp_path / name, content))


def test_things_that_are_no_files(tmp_path):
    assert "no such file" in message(tmp_path / "nope.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "is a directory" in message(tmp_path / "folder.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_permissions(tmp_path):
    path = put(tmp_path / "a.csv", "a,b\n1,2\n")
    path.chmod(0)
    assert "no permission to read" in message(path)
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    with pytest.raises(FileError, match="no permission to write"):
        check_target(folder / "a.csv")


@pytest.mark.parametrize(
    ("name", "options", "part"),
    [
        ("a.csv", {"key": "X"}, "key='X' has no meaning for CSV, which is one array; leave it out"),
        (
            "a.parquet",
            {"header": False},
            "header=False has no meaning for Parquet, which has no line",
        ),
        ("a.npy", {"delimiter": ","}, "delimiter=',' has no meaning for NPY, which is no text"),
        ("a.svm", {"label": 0}, "label=0 has no meaning for svmlight, which holds its labels"),
        ("a.mtx", {"label": "y", "key": "X"}, "key='X' has no meaning for MatrixMarket"),
    ],
)
def test_options_without_meaning(tmp_path, name, options, part):
    assert part in message(put(tmp_path / name, "x"), **options)


def test_reading_changes_nothing(tmp_path):
    path = put(tmp_path / "a.csv", "a,b\n1,2\n")
    path.chmod(0o400)
    before = path.stat()
    read(path)
    after = path.stat()
    assert (before.st_mtime_ns, before.st_mode) == (after.st_mtime_ns, after.st_mode)
    assert path.read_bytes() == b"a,b\n1,2\n"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


# --- writing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("before", [None, b"old"])
def test_nothing_half_written(tmp_path, error, before):
    path = tmp_path / "a.csv"
    if before is not None:
        path.write_bytes(before)

    def half():
        with atomic(path) as file:
            file.write(b"new")
            file.flush()
            (part,) = tmp_path.glob(".a.csv.*.part")
            assert part.read_bytes() == b"new"
            raise error

    with pytest.raises(error):
        half()
    assert [p.read_bytes() for p in tmp_path.iterdir()] == ([before] if before else [])


def test_a_file_is_replaced_not_rewritten(tmp_path, X):
    path = put(tmp_path / "a.npy", "old")
    with path.open("rb") as reader:
        write(path, Table(X))
        assert reader.read() == b"old"
    np.testing.assert_array_equal(np.load(path), X)
    assert [p.name for p in tmp_path.iterdir()] == ["a.npy"]


def test_svmlight_counts_from_one(tmp_path):
    write(tmp_path / "a.svm", Table(np.array([[5.0, 0.0, 6.0]]), labels=np.array([2])))
    assert (tmp_path / "a.svm").read_text() == "2 1:5 3:6\n"


def test_what_a_kind_of_file_does_not_hold_is_known_before(tmp_path, X):
    words = np.array([["a", "b"], ["c", "d"]])
    for name, table, part in (
        ("s.json", None, "JSON holds a selection, not data"),
        ("a.svm", Table(X, labels=np.array(["x"] * 7), label_name="kind"), "text such as 'kind'"),
        ("a.svm", Table(words), "holds numbers, not text; write CSV, Parquet or NPZ"),
        ("a.mtx", Table(words), "holds numbers, not text; write CSV, Parquet or NPZ"),
    ):
        with pytest.raises(FileError, match=part):
            io.check_content(tmp_path / name, table)
    io.check_content(tmp_path / "s.json", None, selection={})
    io.check_content(tmp_path / "a.svm", None)
    for name in ("a.csv", "a.parquet", "a.npz", "a.npy"):
        io.check_content(tmp_path / name, Table(words))
        write(tmp_path / name, Table(words))
    assert pd.read_csv(tmp_path / "a.csv").to_numpy().tolist() == words.tolist()
    assert pd.read_parquet(tmp_path / "a.parquet").to_numpy().tolist() == words.tolist()
    with np.load(tmp_path / "a.npz") as held:
        np.testing.assert_array_equal(held["X"], words)


def test_failing_writer_leaves_the_old_file(tmp_path, X):
    path = put(tmp_path / "a.svm", "old")
    with pytest.raises(FileError, match=r"a\.svm: svmlight has numbers as labels"):
        write(path, Table(X, labels=np.array(["x"] * 7)))
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_permissions_of_new_and_replaced_files(tmp_path, X):
    path = tmp_path / "a.npy"
    mask = os.umask(0o027)
    try:
        write(path, Table(X))
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write(path, Table(X))
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_links_stay_links(tmp_path, X):
    (tmp_path / "sub").mkdir()
    target = put(tmp_path / "sub" / "real.npy", "old")
    (tmp_path / "link.npy").symlink_to(target)
    write(tmp_path / "link.npy", Table(X))
    assert (tmp_path / "link.npy").is_symlink()
    np.testing.assert_array_equal(np.load(target), X)


def test_targets(tmp_path):
    source = put(tmp_path / "in.csv", "a\n1\n")
    os.link(source, tmp_path / "hard.csv")
    (tmp_path / "soft.csv").symlink_to(source)
    (tmp_path / "folder.csv").mkdir()
    assert check_target(tmp_path / "out.csv", sources=[source]) == tmp_path / "out.csv"
    for name, part in {
        "in.csv": "in use here already",
        "hard.csv": "in use here already",
        "soft.csv": "in use here already",
        "folder.csv": "is a directory",
        "nope/out.csv": "there is no directory",
        "out.doc": r"unknown extension \(\.doc\); known are .*\.json",
    }.items():
        with pytest.raises(FileError, match=part):
            check_target(tmp_path / name, sources=[source])
    with pytest.raises(FileError, match=r"unknown extension; known are \.png, \.svg"):
        check_target(tmp_path / "a.csv", extensions=(".png", ".svg"))


def test_missing_packages_are_named(tmp_path, monkeypatch):
    path = put(tmp_path / "a.csv", "a,b\n1,2\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(FileError, match=r'pip install "colonnade\[cli\]"'):
        read(path)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(FileError, match=r'pyarrow; install it with pip install "colonnade\[cli\]"'):
        write(tmp_path / "a.parquet", Table(np.eye(2)))
