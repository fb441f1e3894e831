"""What cannot be opened, or turns out to be damaged: one line says what, and what to do."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import zarr
from test_h5ad import HOLDERS, made
from test_io import message
from test_opening import (
    ARRAYS,
    complaint,
    frame,
    numbers,
    put_hdf5,
    put_npy,
    put_zarr2,
    put_zarr3,
    put_zarr_zip,
    sparse,
)  # fmt: skip

from colonnade import io, open_data
from colonnade.io import FileError, Options, lazy_arrays, lazy_text, limits
from colonnade.io.lazy_blocks import bytes_of
from colonnade.io.opening import open_with
from colonnade.operands.chunked.resources import as_bytes


@pytest.fixture
def path(tmp_path):
    put_npy(tmp_path / "a.npy", numbers())
    return tmp_path / "a.npy"


def cut(path, size=None):
    """Leave out the end of a file."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2 if size is None else size])
    return path


@pytest.mark.parametrize("name", [
    "a.npy", "a.zarr", "a.zarr.zip", "a.h5", "a.h5ad", "a.csv", "a.tsv", "a.parquet", "a.mtx",
])  # fmt: skip
def test_nothing_there(tmp_path, name):
    path = tmp_path / name
    assert complaint(path) == "there is no such file"
    path.write_bytes(b"")
    assert complaint(path) == "the file is empty"
    path.write_bytes(os.urandom(10) + b"no such thing")
    complaint(path)
    path.unlink()
    path.mkdir()
    said = complaint(path)
    assert ("this is a directory; name a file in it" in said) == (
        name not in ("a.zarr", "a.zarr.zip", "a.parquet")
    )


def test_kinds_that_are_read_whole(tmp_path):
    for name in ("a.npz", "a.feather", "a.xlsx", "a.svm"):
        (tmp_path / name).write_text("1")
        assert "cannot be read in parts; convert it first, for example to Parquet or Zarr" in (
            complaint(tmp_path / name)
        )
    (tmp_path / "a.json").write_text("1")
    assert "JSON can only be written" in complaint(tmp_path / "a.json")
    (tmp_path / "a.dat").write_text("1")
    assert "unknown extension (.dat)" in complaint(tmp_path / "a.dat")
    with pytest.raises(FileError, match="standard input: this cannot be read in parts; save it"):
        open_data("-")


def test_what_is_called_otherwise(path):
    other = path.rename(path.with_name("a.bin"))
    np.testing.assert_array_equal(open_data(other, format="npy").array.compute(), numbers())
    assert "unknown format" in complaint(other, format="np")


@pytest.mark.parametrize("value", ["64 MB", "64mib", 2**26, "67108864", "0.0625 GiB", "65536KiB"])
def test_sizes(path, value):
    assert open_data(path, chunk_bytes=value).array.npartitions == 1


@pytest.mark.parametrize("value", [0, -1, "", "many", "1 XB", "64M", "1g", True, None, 0.5, "0.1"])
def test_sizes_that_mean_nothing(path, value):
    said = complaint(path, chunk_bytes=value)
    assert said == (
        f"chunk_bytes={value!r}: give a number of bytes from 1 on, such as 67108864 or '64MiB'"
    )


@pytest.mark.parametrize("text", ["64MB", "1.5 KiB", "1gib", "2 TB", "7"])
def test_sizes_are_what_they_are_elsewhere(text):
    assert bytes_of(Path("a.npy"), text, Options()) == as_bytes(text)


def test_options_that_mean_nothing(path):
    for option in ({"key": "a"}, {"layer": "a"}, {"header": True}, {"cache": "a"}):
        ((name, value),) = option.items()
        assert complaint(path, **option) == f"{name}={value!r} has no meaning for NPY; leave it out"
    for option in ({"transform": "log1p"}, {"min_df": 2}, {"max_df": 0.5}, {"sheet": 1}):
        with pytest.raises(FileError, match="is not possible for files that are read in parts"):
            open_with(path, Options(**option))
    said = complaint(path, label="x9")
    assert said.startswith("label='x9': no column 'x9', the columns have no names; give a number")
    assert "no column 7; they are numbered 0 to 6" in complaint(path, drop=[7])


# --- packages -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("a.npy", "dask", "dask"),
        ("a.zarr", "zarr", "dask"),
        ("a.h5", "h5py", "dask"),
        ("a.h5ad", "anndata", "bio"),
        ("a.parquet", "pyarrow", "cli"),
        ("a.csv", "pandas", "cli"),
    ],
)
def test_packages_that_are_not_installed(tmp_path, monkeypatch, name, package, extra):
    (tmp_path / name).write_text("a,b\n1,2\n")
    if name == "a.zarr":
        (tmp_path / name).unlink()
        put_zarr3(tmp_path / name, numbers())
    for module in [key for key in sys.modules if key.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(FileError, match=rf'pip install "colonnade\[{extra}\]"'):
        open_data(tmp_path / name)


def test_without_dask_files_are_read_whole(tmp_path, monkeypatch):
    for module in [key for key in sys.modules if key.partition(".")[0] == "dask"]:
        monkeypatch.setitem(sys.modules, module, None)
    put_hdf5(tmp_path / "a.h5", numbers())
    np.testing.assert_array_equal(io.read(tmp_path / "a.h5").X, numbers())


# --- arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize(
    ("X", "part"),
    [
        (np.arange(3.0), "the array has shape (3,), but a matrix has two dimensions"),
        (np.zeros((2, 3, 4)), "the array has shape (2, 3, 4), but a matrix has two dimensions"),
        (np.zeros((2, 3), dtype=complex), "dtype complex128: complex numbers; split them"),
        (np.zeros((0, 3)), "0 rows and 3 columns of data; need 1 of each"),
    ],
)
def test_arrays_that_are_no_matrices(tmp_path, kind, X, part):
    name, _ = ARRAYS[kind]
    path = tmp_path / name
    if name.endswith(".npy"):
        np.save(path, X)
    elif name == "a.zarr":
        zarr.create_array(path, data=X, zarr_format=2 if kind == "zarr 2" else 3)
    elif name == "a.zarr.zip":
        with zarr.storage.ZipStore(path, mode="w") as store:
            zarr.create_array(store, data=X)
    else:
        with h5py.File(path, "w") as file:
            file["x"] = X
    assert part in complaint(path)
    assert part in message(path)


def test_text_in_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.array([["a", "b"]]))
    assert "dtype <U1: text; encode it as numbers first" in complaint(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.array([[None, "b"]]))
    assert "pickled Python objects, which are never loaded" in complaint(tmp_path / "b.npy")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = [["a", "b"]]
    assert "dtype object: Python objects" in complaint(tmp_path / "a.h5")


def test_arrays_that_are_cut_off(tmp_path):
    put_npy(tmp_path / "a.npy", numbers())
    said = complaint(cut(tmp_path / "a.npy", 1000))
    assert said.startswith("this is not a complete NPY file: the array of shape (23, 7) and dtype")
    assert "takes 1288 bytes, but there are 872" in said
    put_hdf5(tmp_path / "a.h5", numbers())
    assert complaint(cut(tmp_path / "a.h5")).startswith("this is not a complete HDF5 file: ")
    for name, put, head in (
        ("2.zarr", put_zarr2, ".zarray"), ("3.zarr", put_zarr3, "zarr.json"),
    ):  # fmt: skip
        put(tmp_path / name, numbers())
        block = next(part for part in (tmp_path / name).rglob("*") if part.name in ("1.1", "1"))
        block = block / "1" if block.is_dir() else block
        cut(block)
        assert complaint(tmp_path / name).startswith("this is not a complete Zarr file: ")
        assert message(tmp_path / name).startswith("this is not a complete Zarr file: ")
        cut(tmp_path / name / head)
        assert complaint(tmp_path / name).startswith("this is not a complete Zarr file: ")
    put_zarr_zip(tmp_path / "a.zarr.zip", numbers())
    assert complaint(cut(tmp_path / "a.zarr.zip")).startswith("this is not a complete Zarr file: ")


def test_blocks_that_are_not_what_was_promised(tmp_path, monkeypatch):
    put_npy(tmp_path / "a.npy", numbers("i8"))
    block = lazy_arrays.NPYSource.block
    with monkeypatch.context() as patch:
        patch.setattr(lazy_arrays.NPYSource, "block", lambda *given: block(*given)[1:])
        assert "a block of shape (23, 7) was promised, and one of shape (22, 7) is there" in (
            complaint(tmp_path / "a.npy")
        )
    with monkeypatch.context() as patch:
        patch.setattr(lazy_arrays.NPYSource, "block", lambda *given: block(*given) / 2)
        assert "a block holds float64, but int64 was promised" in complaint(tmp_path / "a.npy")


def test_zarr_that_promises_what_no_memory_holds(tmp_path):
    zarr.create_array(tmp_path / "a.zarr", shape=(2**20, 2**20), chunks=(2**10, 2**10), dtype="f8")
    assert "would take 8 TiB of memory, out of all proportion to a file of" in (
        message(tmp_path / "a.zarr")
    )
    table = open_data(tmp_path / "a.zarr", chunk_bytes="8 GiB")  # in blocks it may be right
    assert table.array.numblocks == (2**10, 1)


def test_a_folder_is_as_large_as_its_files(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(1000, 20))
    zarr.create_array(tmp_path / "a.zarr", data=X, compressors=None)
    monkeypatch.setattr(limits, "_ALWAYS", 0)
    monkeypatch.setattr(limits, "_RATIO", 1)
    np.testing.assert_array_equal(io.read(tmp_path / "a.zarr").X, X)


def test_groups_without_a_matrix(tmp_path):
    zarr.create_group(tmp_path / "a.zarr")
    assert complaint(tmp_path / "a.zarr") == (
        "there is no matrix of numbers in this file, which holds no array at all; store one with "
        "two dimensions"
    )
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = file["b"] = np.arange(3)
    said = complaint(tmp_path / "a.h5")
    assert "no matrix of numbers in this file, which holds a of shape (3,), b of shape (3,)" in said
    assert complaint(tmp_path / "a.h5", key="c") == (
        "key='c': there is no such array; the file holds a of shape (3,), b of shape (3,)"
    )
    put_zarr3(tmp_path / "b.zarr", numbers())
    assert "key='x': this is one array, without a name; leave it out" in (
        complaint(tmp_path / "b.zarr", key="x")
    )
    (tmp_path / "c.zarr").write_text("x")
    assert "this is a file, but Zarr is a folder" in complaint(tmp_path / "c.zarr")


@pytest.mark.parametrize("kind", ARRAYS)
def test_files_that_change(tmp_path, kind):
    name, put = ARRAYS[kind]
    path = tmp_path / name
    put(path, numbers())
    array = open_data(path).array
    for part in (path, *path.rglob("*")):
        os.utime(part, ns=(1, 1))
    with pytest.raises(FileError, match="this was changed since it was opened; open it again"):
        array.compute(scheduler="synchronous")
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(FileError, match="No such file"):
        array.compute(scheduler="synchronous")


LAYOUTS = {
    "of version 2": {"zarr_format": 2},
    "of version 2 in folders": {
        "zarr_format": 2, "chunk_key_encoding": {"name": "v2", "separator": "/"},
    },
    "of version 3": {},
    "of version 3, as of 2": {"chunk_key_encoding": {"name": "v2", "separator": "."}},
    "in shards": {"shards": (20, 4)},
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("key", [None, "a/{0}"])
def test_chunks_of_zarr_that_change(tmp_path, layout, key):
    """Each is a file of its own, and the description of the array stays as it is."""
    zarr = pytest.importorskip("zarr", reason="the extra dask is not installed")
    path = tmp_path / "a.zarr"
    array = zarr.create_array(
        path, name=key, shape=(50, 9), chunks=(10, 2), dtype="f8", fill_value=0.0, **LAYOUTS[layout]
    )
    X = 1.0 + np.arange(360.0).reshape(40, 9)
    array[:40] = X  # of the last rows there is no file
    before = open_data(path, chunk_bytes=640).array
    assert before.numblocks == (5, 2)
    np.testing.assert_array_equal(before.compute()[:40], X)
    array[25, 5] = -1.0
    with pytest.raises(FileError, match="this was changed since it was opened; open it again"):
        before.blocks[2, 0].compute()
    for place in ((0, 0), (2, 1), (4, 0)):
        before.blocks[place].compute()
    after = open_data(path, chunk_bytes=640).array
    assert after.name != before.name
    array[45, 0] = 1.0  # a file where there was none
    with pytest.raises(FileError, match="this was changed since it was opened"):
        after.blocks[4, 0].compute()
    after.blocks[4, 1].compute()


def test_what_can_only_be_read_is_not_written(tmp_path):
    for name in ("a.zarr", "a.h5"):
        with pytest.raises(FileError, match=r"can only be read; to write: \.csv, .*\.npz"):
            io.write(tmp_path / name, io.Table(numbers()))
        with pytest.raises(FileError, match="can only be read"):
            io.check_target(tmp_path / name)


# --- tables -------------------------------------------------------------------------------------


def test_folders_that_are_no_table(tmp_path):
    folder = tmp_path / "a.parquet"
    (folder / "year=2024").mkdir(parents=True)
    assert complaint(folder) == (
        "there are no files with names in .parquet, .pq in this folder; name one of the folders in "
        "it, such as year=2024"
    )
    frame().to_parquet(folder / "b.parquet")
    frame().drop(columns="ja").to_parquet(folder / "c.parquet")
    assert complaint(folder) == (
        "c.parquet and b.parquet have different columns ('ja' is bool in one, missing in the "
        "other); write them with the same columns"
    )
    frame()[frame().columns[::-1]].to_parquet(folder / "c.parquet")
    assert "('skip' is in another place)" in complaint(folder)
    frame().astype({"count": "f4"}).to_parquet(folder / "c.parquet")
    assert "('count' is int64 in one, float in the other)" in complaint(folder)
    cut(folder / "c.parquet")
    with pytest.raises(FileError, match=r"a\.parquet: c\.parquet: this is not a complete Parquet"):
        open_data(folder)
    (tmp_path / "empty").mkdir()
    assert "this is a folder without data" in complaint(tmp_path / "empty")
    (tmp_path / "with.text").mkdir()
    (tmp_path / "with.text" / "a.txt").write_text("x")
    assert "this is a folder without data" in complaint(tmp_path / "with.text")
    assert "there are no files with names in" in complaint(tmp_path / "empty", format="parquet")


def test_parquet_that_is_damaged(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"a": np.arange(1000.0), "b": np.arange(1000.0)})
    pq.write_table(table, path, write_page_checksum=True, compression=None, use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    assert "this is not a complete Parquet file" in complaint(path)
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 2, ["a", "a"]), path)
    assert complaint(path) == "several columns are called 'a'; rename them"
    pq.write_table(table[:0], path)
    assert "0 rows and 2 columns of data" in complaint(path)


ROWS = "a,b\n" + "1,2\n" * 9


@pytest.mark.parametrize("room", [10**6, 64, 16])  # all lines, some, and one in a block
@pytest.mark.parametrize(
    ("text", "part"),
    [
        (ROWS + "1,2,3\n", "line 11 has 3 fields, but there are 2 columns; correct it"),
        (ROWS + "1,2,\n" + "1,2\n" * 3, "line 11 has 3 fields, but there are 2 columns"),
        (ROWS + "1,x\n", "column 'b' holds text, first 'x' in line 11; if it is the label, say"),
        (ROWS + '1,"x\ny"\n', "column 'b' holds text, first 'x\\ny' in "),
        (ROWS + '1,"2\n3,4\n', "a quote behind line "),
        (ROWS + "1,2\r3,4\n", "but "),
        ("a,b\r1,2\r3,4\r", "lines must end with \\n or \\r\\n, not with \\r alone"),
        ("a,b\n", "there is no data below the names in line 1"),
        ("a,b\n\n\n  \n", "there is no data below the names in line 1"),
        ("a,b\n1,2,3\n", "line 1 has 2 names but the next line 3 fields"),
    ],
)
def test_text_that_is_damaged(tmp_path, text, part, room):
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert part in complaint(tmp_path / "a.csv", chunk_bytes=room)


def test_quotes_that_are_not_closed_do_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(lazy_text, "LONGEST", 100)
    (tmp_path / "a.csv").write_text('a,b\n1,2\n3,"4\n' + "1,2\n" * 200 + '5,"6\n')
    said = complaint(tmp_path / "a.csv", chunk_bytes=64)
    assert said.startswith("a quote behind line ")
    assert said.endswith(" is not closed; put quotes around whole fields only")


def test_text_that_has_no_parts(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(ROWS.encode()))
    assert complaint(tmp_path / "a.csv.gz") == (
        "parts of compressed text cannot be read alone; unpack it first, for example with "
        "gunzip -k a.csv.gz"
    )
    (tmp_path / "a.csv").write_text(ROWS, encoding="utf-16")
    assert "parts of UTF-16 text cannot be read alone; convert it to UTF-8 first" in (
        complaint(tmp_path / "a.csv")
    )
    (tmp_path / "b.csv").write_bytes(ROWS.encode() + b"\xe4,1\n")
    assert "this is not UTF-8 text" in complaint(tmp_path / "b.csv", chunk_bytes=20)


# --- sparse -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_h5ad_that_is_damaged(tmp_path, kind):
    path = made(tmp_path / "a.h5ad", HOLDERS[kind])

    def spoiled(key, change):
        made(path, HOLDERS[kind])
        with h5py.File(path, "a") as file:
            values = file[f"X/{key}"][()]
            del file[f"X/{key}"]
            file[f"X/{key}"] = change(values)
        return complaint(path, chunk_bytes=100)

    def swapped(values):
        values[1], values[2] = values[2], values[1]
        return values

    assert "/X/indptr must be " in spoiled("indptr", lambda values: values[:-1])
    assert "/X/indptr must be " in spoiled("indptr", swapped)
    assert "/X/indptr must be " in spoiled("indptr", lambda values: values + 1)
    assert "/X/indptr must be " in spoiled("data", lambda values: values[:-1])
    assert "/X/indptr holds float64, and should hold whole" in spoiled("indptr", lambda v: 1.0 * v)
    assert "/X/indices is no list" in spoiled("indices", lambda values: values[None])
    assert "indices holds 99, but must lie in 0 to" in spoiled("indices", lambda v: 0 * v + 99)
    made(path, HOLDERS[kind])
    with h5py.File(path, "a") as file:
        file["X"].attrs["shape"] = np.array([-1, 2])
    assert "'shape' must be two whole numbers from 0 on, got [-1, 2]" in complaint(path)
    assert complaint(cut(path)).startswith("this is not a complete h5ad file: ")


def test_h5ad_without_what_is_asked_for(tmp_path):
    path = made(tmp_path / "a.h5ad")
    assert "layer='lg': there is no such layer (did you mean 'log'?); there are log" in (
        complaint(path, layer="lg")
    )
    assert "there are cell_type, patchy, depth, batch" in complaint(path, label="obs:type")
    assert "say label='obs:batch'" in complaint(path, label="batch")
    assert "no column 'gene9'" in complaint(path, drop=["gene9"])


HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x\n", "line 1 must read like '%%MatrixMarket matrix coordinate real general'"),
        (HEAD + "3 3 2\n1 1 5\n", "2 entries are promised, but 1 are there"),
        (HEAD + "3 3 1\n1 1 5\n2 2 2\n", "1 entries are promised, but more are there"),
        (HEAD + "3 3 1\n4 1 5\n", "Row index out of bounds, from line 3 on"),
        (HEAD + "3 3 1\n1 1 5,5\n", "line 3 reads '1 1 5,5', not 'row column number'"),
        (HEAD + "3 3 1\n1 1", "line 3 reads '1 1', not 'row column number'"),
        (HEAD + "3 0 0\n", "3 rows and 0 columns of data"),
        (HEAD + "3 3\n", "line 2 reads '3 3', not 'rows columns entries'"),
        (HEAD + f"{10**12} 3 1\n1 1 1\n", "out of all proportion to a file of"),
        (HEAD + f"3 3 {10**17}\n1 1 1\n", "name a folder on another disk with cache"),
        (HEAD.replace("real", "complex") + "1 1 1\n1 1 1 1\n", "complex numbers; split them"),
        (HEAD.replace("coordinate", "array") + "2 2\n1\n2\n3\n", "4 entries are promised, but 3"),
        (
            HEAD.replace("coordinate", "array").replace("general", "symmetric") + "2 2\n1\n2\n3\n",
            "half of a symmetric array cannot be read in parts; write all of it",
        ),
    ],
)
def test_matrix_market_that_is_damaged(tmp_path, text, part):
    (tmp_path / "a.mtx").write_text(text)
    assert part in complaint(tmp_path / "a.mtx", cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists() or [*(tmp_path / "cache").iterdir()] == []


def test_matrix_market_that_is_packed_badly(tmp_path):
    io.write(tmp_path / "a.mtx.gz", io.Table(sparse()))
    assert "this is not a complete MatrixMarket file: " in complaint(cut(tmp_path / "a.mtx.gz"))


def test_conversions_that_are_damaged(tmp_path):
    scipy.io.mmwrite(tmp_path / "a.mtx", sparse())
    table = open_data(tmp_path / "a.mtx", cache=tmp_path / "cache")
    (block,) = (tmp_path / "cache").rglob("*.npz")
    cut(block)
    with pytest.raises(FileError, match="this was changed since it was opened"):
        table.array.compute()
    again = open_data(tmp_path / "a.mtx", cache=tmp_path / "cache")
    with pytest.raises(FileError, match="this is not a complete converted MatrixMarket file"):
        again.array.compute()
    (tmp_path / "file").write_text("x")
    assert f"there can be no folder {tmp_path / 'file'} for converted blocks" in (
        complaint(tmp_path / "a.mtx", cache=tmp_path / "file")
    )
