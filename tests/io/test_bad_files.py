"""Files that are damaged, made to do harm, or easily misread."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from test_io import csv_message, csv_table, message, put

from colonnade import GreedySelector, Selection, as_operand, select
from colonnade.io import Table, limits, read, write

ROOT = Path(__file__).parents[2]

# --- sparse matrices ----------------------------------------------------------------------------

CSR = {
    "format": b"csr",
    "shape": np.array([3, 5]),
    "data": np.ones(4),
    "indices": np.array([0, 4, 1, 2], "i4"),
    "indptr": np.array([0, 2, 3, 4], "i4"),
}
BSR = {
    "format": b"bsr",
    "shape": np.array([4, 6]),
    "data": np.ones((2, 2, 3)),
    "indices": np.array([0, 1]),
    "indptr": np.array([0, 1, 2]),
}
COO = {
    "format": b"coo",
    "shape": np.array([3, 5]),
    "data": np.ones(2),
    "row": np.array([0, 2]),
    "col": np.array([4, 0]),
}
DIA = {
    "format": b"dia",
    "shape": np.array([3, 5]),
    "data": np.ones((2, 5)),
    "offsets": np.array([0, -2]),
}


@pytest.mark.parametrize("parts", [CSR, BSR, COO, DIA])
def test_sound_parts(tmp_path, parts):
    np.savez(tmp_path / "a.npz", **parts)
    X = read(tmp_path / "a.npz").X
    np.testing.assert_array_equal(X.toarray(), sp.load_npz(tmp_path / "a.npz").toarray())
    swapped = parts["data"].astype(">f8")
    np.savez(tmp_path / "b.npz", **{**parts, "data": swapped})
    np.testing.assert_array_equal(read(tmp_path / "b.npz").X.toarray(), X.toarray())


@pytest.mark.parametrize(
    ("parts", "change", "part"),
    [
        (CSR, {"indices": np.array([0, 60, 1, 2])}, "indices holds 60, but must lie in 0 to 4"),
        (CSR, {"indices": np.array([0, -1, 1, 2])}, "indices holds -1"),
        (CSR, {"indices": np.array([0, 2**64 - 1, 1, 2], "u8")}, "indices holds -1"),
        (CSR, {"indptr": np.array([0, 3, 2, 4])}, "never fall"),
        (CSR, {"indptr": np.array([0, 2**20, 2, 4])}, "never fall"),
        (CSR, {"indptr": np.array([1, 2, 3, 4])}, "not a complete NPZ file"),
        (CSR, {"indptr": np.array([0, 2, 3, 5])}, "not a complete NPZ file"),
        (CSR, {"indptr": np.array([0, 2, 4])}, "not a complete NPZ file"),
        (CSR, {"indptr": np.array([0.0, 2.0, 3.0, 4.0])}, "'indptr' must be a list of whole"),
        (CSR, {"indices": np.array([[0, 4], [1, 2]])}, "'indices' must be a list of whole"),
        (CSR, {"data": np.ones(3)}, "not a complete NPZ file"),
        (CSR, {"data": np.array(list("abcd"))}, "dtype <U1: text"),
        (CSR, {"shape": np.array([3.0, np.nan])}, "'shape' must be two whole numbers"),
        (CSR, {"shape": np.array([-3, 5])}, "'shape' must be two whole numbers"),
        (CSR, {"shape": np.array([3])}, "'shape' must be two whole numbers"),
        (CSR, {"shape": np.array([0, 5])}, "0 rows and 5 columns"),
        (CSR, {"format": b"lil"}, "unknown format 'lil'"),
        (CSR, {"format": b"\xff"}, "unknown format"),
        (CSR, {"format": np.array([1, 2])}, "unknown format"),
        (CSR, {"format": b"coo"}, "the array 'row' of a COO matrix is missing"),
        (BSR, {"indices": np.array([0, 2])}, "indices holds 2, but must lie in 0 to 1"),
        (BSR, {"indices": np.array([0, -1])}, "indices holds -1"),
        (BSR, {"indptr": np.array([0, 2, 1])}, "never fall"),
        (BSR, {"shape": np.array([4, 7])}, "not a complete NPZ file"),
        (BSR, {"data": np.ones((2, 0, 3))}, "not a complete NPZ file"),
        (BSR, {"data": np.ones(2)}, "not a complete NPZ file"),
        (COO, {"row": np.array([0, 3])}, "not a complete NPZ file"),
        (COO, {"col": np.array([-1, 0])}, "not a complete NPZ file"),
        (COO, {"col": np.array([0])}, "not a complete NPZ file"),
        (COO, {"shape": np.array([1, 10**12]), "row": np.array([0, 0])}, "out of all proportion"),
        (DIA, {"offsets": np.array([0, 2**32 + 1])}, "'offsets' must lie in -2 to 4"),
        (DIA, {"data": np.ones((9, 5)), "offsets": np.arange(9) - 4}, "to 4, got -4"),
        (DIA, {"offsets": np.array([0])}, "not a complete NPZ file"),
        (DIA, {"offsets": np.array([1, 1])}, "not a complete NPZ file"),
        (DIA, {"shape": np.array([10**15, 10**15])}, "out of all proportion"),
    ],
)
def test_broken_parts(tmp_path, parts, change, part):
    np.savez(tmp_path / "a.npz", **{**parts, **change})
    assert part in message(tmp_path / "a.npz")


def test_broken_matrices_in_memory():
    def broken(X, name, value):
        getattr(X, name)[-1] = value
        return X

    X = sp.random_array((9, 6), density=0.5, rng=np.random.default_rng(0), format="csr")
    for matrix, part in (
        (broken(X.copy(), "indices", 60), "indices holds 60, but must lie in 0 to 5"),
        (broken(X.tocsc(), "indices", -1), "indices holds -1, but must lie in 0 to 8"),
        (broken(X.copy(), "indptr", 1000), "indptr ends with 1000, but there are 27 indices"),
        (broken(X.tocsc(), "indptr", 1), "never fall"),
        (broken(X.tocoo(), "row", 9), "row holds 9, but must lie in 0 to 8"),
        (broken(X.tobsr((3, 3)), "indices", 2), "indices holds 2, but must lie in 0 to 1"),
    ):
        for take in (as_operand, GreedySelector(2).fit):
            with pytest.raises(ValueError, match=f"the sparse matrix is broken: .*{part}"):
                take(matrix)
    before = X.indices.copy()
    as_operand(X)
    np.testing.assert_array_equal(X.indices, before)


# --- MatrixMarket -------------------------------------------------------------------------------

REAL = "%%MatrixMarket matrix coordinate real general\n"
ARRAY = "%%MatrixMarket matrix array real general\n"


def kind(words):
    return REAL.replace("real general", words)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (REAL + "2 2 1\n2 2 3.0E-", "line 3 reads '2 2 3.0E-', not 'row column number'"),
        (REAL + "2 2 1\n2 2 3.0E", "line 3 reads"),
        (REAL + "% a\n\n2 2 2\n1 1 1\n2 2 3,7\n", "line 6 reads '2 2 3,7'"),
        (REAL + "2 2 1\n2 2 3 7\n", "line 3 reads '2 2 3 7'"),
        (REAL + "2 2 1\n2 2\n", "line 3 reads '2 2'"),
        (kind("integer general") + "2 2 1\n2 2 3.7\n", "not 'row column whole-number'"),
        (kind("pattern general") + "2 2 1\n2 2 3\n", "not 'row column'"),
        (ARRAY + "2 1\n1\n2 5\n", "line 4 reads '2 5', not 'number'"),
        (REAL + "2 2\n2 2 3\n", "line 2 reads '2 2', not 'rows columns entries'"),
        (REAL + "2 -2 1\n2 2 3\n", "line 2 reads"),
        (REAL, "reads '', not 'rows columns entries'"),
        (kind("integer general") + "12 8 29\n1 8 0\n5 4 06 ", "Truncated file"),
        (REAL + "2 2 1\n2 3 3\n", "out of bounds"),
        (kind("real symmetric") + "2 3 1\n1 3 3\n", "is square, but this is 2 x 3"),
        (REAL + "2 0 0\n", "2 rows and 0 columns"),
        (REAL + "2 2 1000000000000\n1 1 1\n", "entries would take 7.276 TiB"),
        (REAL + "1 1000000000000 1\n1 1 1\n", "shape (1, 1000000000000) would take"),
        (ARRAY + "1000000 1000000\n1\n", "out of all proportion"),
        (ARRAY.replace("real", "pattern") + "1 1\n\n", "an array without values"),
        (REAL.replace("coordinate", "vector"), "line 1 must read like"),
    ],
)
def test_bad_matrix_market(tmp_path, content, part):
    assert part in message(put(tmp_path / "a.mtx", content))
    assert part in message(put(tmp_path / "a.mtx.gz", gzip.compress(content.encode())))


@pytest.mark.parametrize(
    ("content", "X"),
    [
        (REAL + "% c\n\n2 2 2\n\n1 1 -.5\r\n 2\t2  5.e+1 \n", [[-0.5, 0], [0, 50]]),
        (REAL + "2 2 1\n2 1 3", [[0, 0], [3, 0]]),
        (kind("pattern symmetric") + "2 2 1\n2 1\n", [[0, 1], [1, 0]]),
        (kind("integer skew-symmetric") + "2 2 1\n2 1 3\n", [[0, -3], [3, 0]]),
        (ARRAY + "2 2\n1\n2\n3\n4\n", [[1, 3], [2, 4]]),
    ],
)
def test_good_matrix_market(tmp_path, content, X):
    table = read(put(tmp_path / "a.mtx", content))
    np.testing.assert_array_equal(table.X.toarray() if table.sparse else table.X, X)


def test_lines_of_a_long_file_are_counted(tmp_path):
    X = sp.random_array((3000, 200), density=0.2, rng=np.random.default_rng(0))
    scipy.io.mmwrite(tmp_path / "a.mtx", X)
    lines = (tmp_path / "a.mtx").read_text().splitlines()
    lines[100_000] += "x"
    put(tmp_path / "a.mtx", "\n".join(lines))
    assert "line 100001 reads" in message(tmp_path / "a.mtx")


# --- sizes --------------------------------------------------------------------------------------


def npy(tmp_path, shape, dtype="<f8", data=b""):
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (117 - len(header)) + "\n"
    return put(tmp_path / "a.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + data)


def test_headers_that_claim_too_much(tmp_path):
    assert read(npy(tmp_path, (1, 2), data=bytes(16))).X.tolist() == [[0, 0]]
    assert "0 rows and 1000000000000000 columns" in message(npy(tmp_path, (0, 10**15)))
    assert "takes 8000000000000 bytes, but there are 0" in message(npy(tmp_path, (10**6, 10**6)))
    assert "the array of shape (-1, 2)" in message(npy(tmp_path, (-1, 2), data=bytes(16)))
    assert "dtype |V0" in message(npy(tmp_path, (10**9, 10**9), "|V0"))
    nested = put(tmp_path / "a.npy", b"\x93NUMPY\x01\x00\x28\x23" + b"-" * 8999 + b"1")
    assert "no header that makes sense" in message(nested)
    assert "version (3, 0)" in message(put(tmp_path / "a.npy", b"\x93NUMPY\x03\x00" + bytes(120)))


def test_room_is_compared_with_the_file_and_with_the_memory(tmp_path, monkeypatch):
    zeros = np.zeros((1024, 1024))
    np.savez_compressed(tmp_path / "a.npz", X=zeros)
    gzip_text = gzip.compress(b"0,1\n" * 2**21)
    put(tmp_path / "a.csv.gz", gzip_text)
    put(tmp_path / "a.svm", "1 1:1 4000000:1\n")
    np.save(tmp_path / "a.npy", zeros)
    write(tmp_path / "a.parquet", Table(np.zeros((2**20, 1))))
    put(tmp_path / "a.csv", "1,2\n" * 1000)
    names = ("a.npz", "a.csv.gz", "a.svm", "a.npy", "a.parquet", "a.csv")
    for name in names:
        read(tmp_path / name)
    monkeypatch.setattr(limits, "_ALWAYS", 2**20)
    for name in ("a.npz", "a.csv.gz", "a.svm", "a.parquet"):
        assert "out of all proportion to a file of" in message(tmp_path / name), name
    for name in ("a.npy", "a.csv"):  # these take no more than they have
        read(tmp_path / name)
    monkeypatch.undo()
    monkeypatch.setattr(limits, "free_memory", lambda: 1000)
    monkeypatch.setattr(limits, "_ALWAYS", 2**25)
    for name in ("a.npz", "a.svm", "a.npy", "a.parquet", "a.csv"):
        assert "but only 1000 bytes are free" in message(tmp_path / name), name


def test_free_memory():
    assert 2**20 < limits.free_memory() < 2**50


def test_features_that_svmlight_claims(tmp_path):
    assert "out of all proportion" in message(put(tmp_path / "a.svm", "1 1:1 999999999:1\n"))
    for index in ("99999999999999999999", "-1"):
        assert "svmlight file" in message(put(tmp_path / "a.svm", f"1 {index}:1\n"))


# --- streams ------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_streams_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    assert "this is no file but a stream" in message(tmp_path / "a.csv")
    code = "from colonnade.io import read; read('/dev/stdin')"
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"a,b\n1,2\n", capture_output=True, check=False
    )
    assert b"/dev/stdin: this is no file but a stream" in done.stderr


# --- text ---------------------------------------------------------------------------------------


def wide(names, *rows):
    """Text of more columns than pandas is asked to read: 1,200 with a 1 in front."""
    filled = [[*row, *["1"] * 1200] for row in rows]
    more = [f"w{j}" for j in range(1200)]
    return "\n".join(",".join(line) for line in ([*names, *more], *filled)) + "\n"


def narrow(names, *rows):
    return "\n".join(",".join(line) for line in (names, *rows)) + "\n"


@pytest.mark.parametrize("layout", [narrow, wide])
@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["NA", "007", "None"], ["NA", "007", "None"]),
        (["007", "008", "009"], ["007", "008", "009"]),
        (["nan", "null", ""], ["nan", "null", ""]),
        (["1", "2", "x"], ["1", "2", "x"]),
        (["1" * 20, "2", "3"], ["1" * 20, "2", "3"]),
        (["٣", "2", "3"], ["٣", "2", "3"]),
        (["true", "false", "true"], ["true", "false", "true"]),
        (["1", "-2", "30"], [1, -2, 30]),
        (["0", "0.5", "1e-3"], [0.0, 0.5, 0.001]),
        (["1", "NA", "2"], [1.0, np.nan, 2.0]),
        (["True", "False", "True"], [True, False, True]),
    ],
)
def test_labels_and_row_names_come_back_as_they_were(tmp_path, layout, words, values):
    text = layout(["", "a", "k"], *([word, "1.5", word] for word in words))
    table = csv_table(tmp_path, text, label="k")
    for read_back in (table.labels, table.row_names):
        np.testing.assert_array_equal(read_back, np.array(values))
        assert read_back.dtype.kind == np.array(values).dtype.kind
    assert table.columns[0] == "a"
    np.testing.assert_array_equal(table.X[:, 0], 1.5)


@pytest.mark.parametrize("extension", [".csv", ".tsv.gz", ".parquet", ".npz"])
def test_words_survive_a_round_trip(tmp_path, extension):
    words = np.array(["NA", "007", "None", ""])
    write(tmp_path / f"a{extension}", Table(np.eye(4), None, words, "y", words))
    table = read(tmp_path / f"a{extension}", label="y")
    assert table.labels.tolist() == words.tolist()
    assert table.row_names.tolist() == words.tolist()


def test_wide_text_is_read_like_any_other(tmp_path):
    for layout in (narrow, wide):
        table = csv_table(tmp_path, layout(["a", "b"], ["1", "2"], ["3", "-4"]))
        assert table.X.dtype == np.int64
        np.testing.assert_array_equal(table.X[:, :2], [[1, 2], [3, -4]])
        table = csv_table(tmp_path, layout(["a", "b"], ["True", "2"], ["False", "1e3"]), drop=["b"])
        np.testing.assert_array_equal(table.X[:, 0], [1, 0])
        assert table.columns[1:3] == ([] if layout is narrow else ["w0", "w1"])
        text = layout(["a", "b", "c"], ["1", "x", "y"], ["2", "NA", "1"])
        assert (
            "2 columns hold no numbers: 'b' (text, first 'x' in line 2), 'c' (text, such as 'y'); "
            "leave them out with drop=['b', 'c'] or encode"
        ) in csv_message(tmp_path, text)
        text = layout(["a", "b"], ["1", "2"], ["NA", "3"])
        assert "column 'a' has 1 missing (NaN) value, first in line 3" in csv_message(
            tmp_path, text
        )
        assert "has 1 infinite value" in csv_message(tmp_path, layout(["a"], ["1"], ["-inf"]))
        long = layout(["a"], ["1"], ["2"]) + "3," * 1202 + "4\n"
        assert re.search("fields in line 4, saw|line 4 has 1203", csv_message(tmp_path, long))
        short = layout(["a", "b"], ["1", "2"]) + "3\n"
        text = csv_message(tmp_path, short)
        assert "'b' has 1 missing" in text or "'b' (1, first in line 3), 'w0' (1)" in text
        commas = layout(["a", "b"], ["1,5", "2,25"]).replace(",", ";").replace("1;5", "1,5")
        commas = commas.replace("2;25", "2,25")
        np.testing.assert_array_equal(csv_table(tmp_path, commas).X[0, :2], [1.5, 2.25])


def test_commas_that_may_be_decimal_or_thousands(tmp_path):
    text = csv_message(tmp_path, "1,234;2,500\n3,125;4,000\n")
    assert text.startswith("'1,234' may mean 1.234 or 1234; write a decimal point (as tr , . does)")
    # one number that can only be one of both decides
    for first in ("0,125", "1234,5", "1,5"):
        table = csv_table(tmp_path, f"{first};2,500\n3,125;4,000\n")
        assert table.X[1].tolist() == [3.125, 4]
    assert "'1,234,567'" in csv_message(tmp_path, "1,234,567;1\n2;3\n", header=False)


@pytest.mark.parametrize(
    "content",
    [
        "2001,2002,2003\n5,1,4\n4,7,6\n",
        "2001,2002,2003\n1,2,3\n4,5,6\n",
        "400.5,401.2,402\n0.1,0.3,0.2\n0.4,0.2,0.1\n",
        "3,1\n0.5,0.25\n0.25,0.75\n",
    ],
)
def test_numbers_that_may_be_names(tmp_path, content):
    first = content.splitlines()[0].replace(",", ", ")
    with pytest.warns(UserWarning, match=rf"line 1 \({first}\) may be names or numbers") as caught:
        assert csv_table(tmp_path, content).X.shape[0] == 3
    assert "say header=True if these are names, header=False if not" in str(caught[0].message)
    assert csv_table(tmp_path, content, header=False).X.shape[0] == 3
    assert csv_table(tmp_path, content, header=True).columns == first.split(", ")


@pytest.mark.parametrize(
    "content",
    ["5,1,4\n4,7,6\n", "1,2\n3,4\n", "0,0\n0.5,1.5\n", "0.5,1,2.5\n1,2,3\n4,7,5\n", "1,2,3\n"],
)
def test_numbers_that_are_no_names(tmp_path, content):
    assert csv_table(tmp_path, content).columns is None


def test_unnamed_columns_have_names_all_the_same(tmp_path):
    table = csv_table(tmp_path, "1,2\n4,3\n", label="x1")
    assert table.columns == ["x0"]
    assert table.labels.tolist() == [2, 3]
    assert "no column 'x2', the columns have no names" in csv_message(
        tmp_path, "1,2\n4,3\n", label="x2"
    )


def test_wide_characters(tmp_path):
    text = "größe,日本\n1,2\n3,4\n"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
        table = csv_table(tmp_path, (mark + text).encode(encoding))
        assert table.columns == ["größe", "日本"]
        np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert "as UTF-16 text without a mark" in csv_message(tmp_path, text.encode("utf-16-le"))
    for name in ("a.svm", "a.mtx"):
        path = put(tmp_path / name, "1 1:2\n".encode("utf-16"))
        assert "this is UTF-16 text; convert it to UTF-8 first" in message(path)


# --- archives -----------------------------------------------------------------------------------


def test_arrays_that_do_not_fit_the_matrix(tmp_path):
    path, X = tmp_path / "a.npz", np.ones((3, 2))
    for key, part in {
        "columns": "'columns' has shape (4,), but the matrix has 2 columns",
        "genes": "'genes' has shape (4,), but the matrix has 2 columns",
        "y": "'y' has shape (4,), but the matrix has 3 rows; correct it or save",
        "row_names": "'row_names' has shape (4,), but the matrix has 3 rows",
    }.items():
        np.savez(path, X=X, **{key: np.array(list("abcd"))})
        assert part in message(path)
        # it may belong to another array than the one that is asked for
        with pytest.warns(UserWarning, match=f"'{key}' has shape .* it stays unread"):
            assert read(path, key="X").X.shape == (3, 2)
    np.savez(path, X=X, y=np.ones((3, 1)))
    assert "'y' has shape (3, 1)" in message(path)


def test_archives_that_are_none(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("word/document.xml", "<hello/>")
    assert message(path) == "there is no array in this file"
    np.savez(path, X=np.ones((50, 50)))
    content = path.read_bytes()
    for size in (10, len(content) // 2, len(content) - 1):
        put(path, content[:size])
        assert message(path) == "this NPZ file is cut short: its list of arrays is missing"
    put(path, "hello")
    assert message(path) == "this is not an NPZ file (pickles are never loaded)"


# --- selections ---------------------------------------------------------------------------------


def test_selections_that_are_none():
    good = select(np.eye(4), 2).to_dict()
    assert Selection.from_dict(good).indices.tolist() == select(np.eye(4), 2).indices.tolist()
    assert Selection.from_dict({**good, "embedding": None}).embedding is None
    numbers = {"dtype": "float64", "values": [1.0, 2.0]}
    for change, part in (
        ({"indices": None}, "indices are missing"),
        ({"indices": [0, 1]}, "indices must have the keys"),
        ({"indices": {"dtype": "int64", "values": [0, 0.5]}}, "must be whole numbers"),
        ({"indices": {"dtype": "int64", "values": [0, 1e300]}}, "must be whole numbers"),
        ({"indices": {"dtype": "int64", "values": ["a"]}}, "must be numbers in 1 dim"),
        ({"indices": {"dtype": "object", "values": [0]}}, "indices has dtype 'object'"),
        ({"indices": {"dtype": [], "values": [0]}}, "indices has dtype"),
        ({"n_candidates": "4"}, "n_candidates must be a whole number"),
        ({"n_candidates": True}, "n_candidates must be a whole number"),
        ({"total": "x"}, "total must be a number"),
        ({"info": [1]}, "info must be a dictionary"),
        ({"embedding": {"dtype": "float64", "values": [[1.0], [2.0]]}}, "embedding has 1 columns"),
        ({"embedding": numbers}, "must be numbers in 2 dim"),
        ({"weights": {**numbers, "values": [1.0]}}, "weights has length 1"),
        ({"errors": {**numbers, "values": [None, 1]}}, "must be numbers"),
    ):
        with pytest.raises(ValueError, match=part):
            Selection.from_dict({**good, **change})
    with pytest.raises(ValueError, match="not a selection"):
        Selection.from_dict([])


# --- all kinds ----------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="children are limited as Linux does it")
@pytest.mark.slow
def test_damaged_files_of_every_kind():
    # in a process of its own, which has one thread, so that forking it is safe
    script = ROOT / "tests" / "io" / "fuzz.py"
    done = subprocess.run(
        [sys.executable, script, "25"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("25 damaged") == 12
