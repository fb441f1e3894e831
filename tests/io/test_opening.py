"""Files larger than memory: blocks are what the whole file holds."""

from __future__ import annotations

import os
import subprocess
import sys

import dask
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp
import zarr
from test_h5ad import HOLDERS, counts, made

from colonnade import io, open_data
from colonnade.io import FileError, lazy_lists
from colonnade.io.lazy_blocks import laid_out
from colonnade.io.opening import OPENERS, open_with
from colonnade.io.table import Options

ROOMS = [2**20, 200, 1]
"""How large blocks are: all in one, several, and as small as can be."""
DTYPES = {"f8": "f8", "f4": "f4", "f2": "f4", ">f4": "f4", "i8": "i8", "u1": "u1", "?": "u1"}
"""What is stored, and what it becomes."""


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def numbers(dtype="f8", m=23, n=7):
    X = np.random.default_rng(0).integers(0, 100, (m, n))
    return (X % 2 if dtype == "?" else X).astype(dtype)


def sparse(m=40, n=30):
    X = sp.random_array((m, n), density=0.2, rng=np.random.default_rng(0), format="csr")
    X.data = X.data.round(3)
    return X


def whole(table):
    """All of a table as an array, which has to have the shape and type that it says."""
    X = table.array.compute()
    assert (X.shape, X.dtype) == (table.shape, table.dtype)
    assert sp.issparse(X) == sp.issparse(table.array._meta)
    return X.toarray() if sp.issparse(X) else X


def put_npy(path, X):
    np.save(path, X)


def put_fortran(path, X):
    np.save(path, np.asfortranarray(X))


def put_zarr2(path, X):
    zarr.create_array(path, data=X, chunks=(5, 3), zarr_format=2)


def put_zarr3(path, X):
    zarr.create_array(path, data=X, chunks=(5, 3))


def put_zarr_shards(path, X):
    zarr.create_array(path, data=X, chunks=(4, 2), shards=(8, 4))


def put_zarr_group(path, X):
    group = zarr.create_group(path)
    group.create_array("deep/x", data=X, chunks=(23, 1))
    group.create_array("y", data=np.arange(len(X)))


def put_zarr_zip(path, X):
    with zarr.storage.ZipStore(path, mode="w") as store:
        zarr.create_array(store, data=X, chunks=(5, 7))


def put_hdf5(path, X):
    with h5py.File(path, "w") as file:
        file["deep/x"] = X
        file["y"] = np.arange(len(X))


def put_hdf5_chunks(path, X):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=X, chunks=(5, 2), compression="gzip")


ARRAYS = {
    "npy": ("a.npy", put_npy),
    "npy fortran": ("a.npy", put_fortran),
    "zarr 2": ("a.zarr", put_zarr2),
    "zarr 3": ("a.zarr", put_zarr3),
    "zarr shards": ("a.zarr", put_zarr_shards),
    "zarr group": ("a.zarr", put_zarr_group),
    "zarr zip": ("a.zarr.zip", put_zarr_zip),
    "hdf5": ("a.h5", put_hdf5),
    "hdf5 chunks": ("a.hdf5", put_hdf5_chunks),
}


def test_what_can_be_opened_can_be_read():
    assert set(OPENERS) <= {form.name for form in io.FORMATS}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays(tmp_path, kind, dtype):
    name, put = ARRAYS[kind]
    X = numbers(dtype)
    put(tmp_path / name, X)
    for room in ROOMS:
        table = open_data(tmp_path / name, chunk_bytes=room)
        assert table.dtype == DTYPES[dtype]
        np.testing.assert_array_equal(whole(table), X)
        assert (table.names, table.labels) == (None, None)
        assert table.source == str(tmp_path / name)
    in_memory = io.read(tmp_path / name).X
    np.testing.assert_array_equal(in_memory, X)


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("kind", ARRAYS)
def test_columns_of_arrays_that_are_no_data(tmp_path, kind, room):
    name, put = ARRAYS[kind]
    put(tmp_path / name, numbers())
    table = open_data(tmp_path / name, chunk_bytes=room, label=-1, drop=[0, "x3"])
    np.testing.assert_array_equal(whole(table), numbers()[:, [1, 2, 4, 5]])
    np.testing.assert_array_equal(table.labels, numbers()[:, 6])
    assert table.names == ["x1", "x2", "x4", "x5"]


def test_blocks_are_what_is_stored_together(tmp_path):
    X = numbers()  # 23 x 7 numbers of 8 bytes
    for name, put, room, chunks in [
        ("c.npy", put_npy, 300, ((5, 5, 5, 5, 3), (7,))),
        ("c.npy", put_npy, 24, ((1,) * 23, (3, 3, 1))),
        ("f.npy", put_fortran, 400, ((23,), (2, 2, 2, 1))),
        ("f.npy", put_fortran, 80, ((10, 10, 3), (1,) * 7)),
        ("a.zarr", put_zarr3, 600, ((10, 10, 3), (7,))),
        ("a.zarr", put_zarr3, 200, ((5, 5, 5, 5, 3), (3, 3, 1))),
        ("a.zarr", put_zarr3, 1, ((5, 5, 5, 5, 3), (3, 3, 1))),
        ("b.h5", put_hdf5_chunks, 200, ((5, 5, 5, 5, 3), (4, 3))),
    ]:
        if not (tmp_path / name).exists():
            put(tmp_path / name, X)
        assert open_data(tmp_path / name, chunk_bytes=room).array.chunks == chunks, (name, room)


@pytest.mark.parametrize("put", [put_zarr_group, put_hdf5])
def test_which_array(tmp_path, put):
    path = tmp_path / ("a.zarr" if put is put_zarr_group else "a.h5")
    put(path, numbers())
    for key in ("deep/x", "/deep/x"):
        np.testing.assert_array_equal(whole(open_data(path, key=key)), numbers())
        np.testing.assert_array_equal(io.read(path, key=key).X, numbers())
    if put is put_hdf5:
        with h5py.File(path, "a") as file:
            file["other"] = numbers()
    else:
        zarr.open_group(path, mode="a").create_array("other", data=numbers())
    said = complaint(path)
    assert said.startswith("say which array to take, such as key='")
    assert "deep/x of shape (23, 7)" in said
    assert "y of shape (23,)" in said
    assert "there is no such array (did you mean 'other'?); the file holds" in (
        complaint(path, key="othr")
    )
    assert "(23,), but a matrix has two dimensions" in complaint(path, key="y")


# --- tables -------------------------------------------------------------------------------------


def frame(m=23):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "count": rng.integers(0, 100, m),
            "a, b": rng.normal(size=m).astype("f4"),
            "ja": rng.integers(0, 2, m).astype(bool),
            "gaps": pd.array(np.where(np.arange(m) % 5, np.arange(m) % 7, None), dtype="Int32"),
            "kind": np.resize(['x\n"1"', "y, z", "w"], m),
            "skip": rng.normal(size=m),
        }
    )


def table_of(path, **how):
    """What the reader of whole files makes of a table with gaps."""
    return io.read(path, label="kind", drop=["skip"], missing="mean", **how)


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("index", [False, True])
def test_parquet(tmp_path, room, index):
    path = tmp_path / "a.parquet"
    data = frame().set_index(pd.Index([f"r{i}" for i in range(23)])) if index else frame()
    data.to_parquet(path, row_group_size=5)
    table = open_data(path, chunk_bytes=room, label="kind", drop=["skip"])
    expected = table_of(path)
    np.testing.assert_array_equal(whole(table), expected.X)
    assert table.dtype == np.float64
    assert table.names == expected.columns == ["count", "a, b", "ja", "gaps"]
    np.testing.assert_array_equal(table.labels, expected.labels)
    assert table.array.numblocks == {2**20: (1, 1), 200: (5, 1), 1: (5, 4)}[room]


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u8", "?"])
def test_types_of_parquet(tmp_path, dtype):
    X = numbers(dtype)
    pq.write_table(pa.table(dict(zip("abcdefg", X.T, strict=True))), tmp_path / "a.pq")
    table = open_data(tmp_path / "a.pq", chunk_bytes=100)
    np.testing.assert_array_equal(whole(table), X)
    assert table.dtype == DTYPES.get(dtype, dtype)


def test_parquet_that_does_not_tell_its_gaps(tmp_path):
    data = pa.table({"a": [1, 2, None], "b": [4, 5, 6], "d": pa.array([1, None, 3]).cast("bool")})
    data = data.append_column("n", pa.nulls(3))
    pq.write_table(data, tmp_path / "a.parquet", write_statistics=False)
    gap = np.nan
    table = open_data(tmp_path / "a.parquet", drop=["d", "n"])
    np.testing.assert_array_equal(whole(table), [[1, 4], [2, 5], [gap, 6]])
    np.testing.assert_array_equal(
        whole(open_data(tmp_path / "a.parquet")),
        [[1, 4, 1, gap], [2, 5, gap, gap], [gap, 6, 1, gap]],
    )


@pytest.mark.parametrize("name", ["folder", "a.parquet"])
@pytest.mark.parametrize("room", ROOMS)
def test_folders_of_parquet(tmp_path, room, name):
    folder = tmp_path / name
    folder.mkdir()
    for part in range(12):  # of which the tenth comes after the second
        frame().iloc[2 * part : 2 * part + 2].to_parquet(folder / f"part.{part}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "_part.parquet").write_text("unfinished")
    table = open_data(folder, chunk_bytes=room, label="kind", drop=["skip"])
    np.testing.assert_array_equal(whole(table), table_of(folder).X)
    np.testing.assert_array_equal(table.labels, frame()["kind"])
    np.testing.assert_array_equal(whole(table)[:, 0], frame()["count"])
    assert table.array.numblocks[0] == {2**20: 1, 200: 4, 1: 12}[room]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt"])
def test_text(tmp_path, name, index, room):
    path = tmp_path / name
    frame().to_csv(path, index=index, sep="\t" if name == "a.tsv" else ",")
    table = open_data(path, chunk_bytes=room, label="kind", drop=["skip"])
    expected = table_of(path)
    np.testing.assert_array_equal(whole(table), expected.X)
    assert table.names == expected.columns
    np.testing.assert_array_equal(table.labels, expected.labels)
    assert (table.array.npartitions == 1) == (room == 2**20)
    assert (table.array.npartitions == 23) == (room == 1)


@pytest.mark.parametrize("text", [
    "1,2\n3,4\n5,6\n", "1,2\r\n3,4\r\n5,6", "a,b\n1,2\n\n \n\t\n3,4\n\n\n5,6\n\n",
    "\n\n1 2\n3 4\n5 6", "1\t2\n3\t4\n\t\n5\t6\n", "1;2,5\n3;4\n;\n6;7",
    '"a\nb",c\n1,"2"\n"3",4\n', "\ufeffa,b\n1,2\n3,4\n",
    "a,b\ntrue,1e3\nFalse,-\n", "a,b\n1\n3,4\n", "a,b\n1,2\n3\n", "a\n1\n2\n",
])  # fmt: skip
def test_text_of_any_layout(tmp_path, text):
    (tmp_path / "a.csv").write_bytes(text.encode())
    expected = io.read(tmp_path / "a.csv", missing="mean")
    for room in (1000, 20, 1):
        table = open_data(tmp_path / "a.csv", chunk_bytes=room)
        np.testing.assert_array_equal(whole(table), expected.X)
        assert table.names == expected.columns
        assert min(table.array.chunks[0]) > 0


def test_text_with_few_digits_takes_more_room_as_numbers(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n" + "1,2\n" * 100)
    assert open_data(tmp_path / "a.csv", chunk_bytes=1600).array.chunks[0] == (100,)
    assert max(open_data(tmp_path / "a.csv", chunk_bytes=320).array.chunks[0]) <= 21


def test_columns_that_hold_no_numbers(tmp_path):
    frame().to_csv(tmp_path / "a.csv", index=False)
    dates = pd.date_range("2024-01-01", periods=23)
    frame().assign(day=dates).to_parquet(tmp_path / "a.parquet")
    assert complaint(tmp_path / "a.csv").startswith("column 'kind' holds text, first ")
    said = complaint(tmp_path / "a.parquet")
    assert said.startswith("2 columns hold no numbers: 'kind' (text, first 'x \"1\"' in row 0), ")
    assert "'day' (dates, such as '2024-01-01 00:00:00')" in said
    assert "drop=['kind', 'day']" in said
    for name in ("a.csv", "a.parquet"):
        table = open_data(tmp_path / name, numeric_only=True, chunk_bytes=100)
        assert table.names == ["count", "a, b", "ja", "gaps", "skip"]
        assert whole(table).shape == (23, 5)
        only = open_data(tmp_path / name, label="kind", numeric_only=True)
        np.testing.assert_array_equal(only.labels[:2], ['x\n"1"', "y, z"])
    frame()[["kind"]].to_parquet(tmp_path / "b.parquet")
    said = complaint(tmp_path / "b.parquet", numeric_only=True)
    assert "need 1 of each; left out: 'kind'" in said


# --- sparse -------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("kind", HOLDERS)
def test_h5ad(tmp_path, kind, room):
    path = made(tmp_path / "a.h5ad", HOLDERS[kind])
    table = open_data(path, chunk_bytes=room, label="obs:cell_type")
    np.testing.assert_array_equal(whole(table), counts())
    assert table.dtype == np.float32
    assert sp.issparse(table.array.blocks[0, 0].compute()) == (kind != "dense")
    assert table.names == [f"gene{j}" for j in range(6)]
    assert table.labels.tolist() == [*"xyz"] * 4
    if room == 200:
        along = 1 if kind == "csc" else 0
        assert table.array.numblocks[along] > 1
        assert table.array.numblocks[1 - along] == 1
    log = open_data(path, layer="log", drop=["gene1"], label="gene0", chunk_bytes=room)
    np.testing.assert_array_equal(whole(log), np.log1p(counts())[:, 2:])
    np.testing.assert_array_equal(log.labels, np.log1p(counts())[:, 0])


def test_halves_of_floats_in_h5ad(tmp_path):
    made(tmp_path / "a.h5ad")
    with h5py.File(tmp_path / "a.h5ad", "a") as file:
        values = file["X/data"][()].astype(np.float16)
        del file["X/data"]
        file["X/data"] = values
    np.testing.assert_array_equal(whole(open_data(tmp_path / "a.h5ad", chunk_bytes=50)), counts())


MTX = {
    "real": sparse(),
    "integer": (1000 * sparse()).astype(int),
    "symmetric": sparse(30) + sparse(30).T,
    "one full row": sp.csr_array(np.arange(40) == np.full((30, 1), 7)).astype(float),
    "no entries": sp.csr_array((5, 4)),
    "dense": sparse().toarray(),
    "dense integer": np.arange(12).reshape(3, 4),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", MTX)
def test_matrix_market(tmp_path, monkeypatch, kind, packed):
    monkeypatch.setattr(lazy_lists, "PIECE", 200)
    path = tmp_path / ("a.mtx.gz" if packed else "a.mtx")
    if packed:
        io.write(path, io.Table(MTX[kind]))
    else:
        scipy.io.mmwrite(path, MTX[kind])
    expected = io.read(path).X
    for room in ROOMS:
        table = open_data(path, chunk_bytes=room, cache=tmp_path / "cache")
        assert table.dtype == expected.dtype
        np.testing.assert_array_equal(whole(table), io.arrays.dense(expected))
        assert (table.array.npartitions > 1) or room > 1
        assert (table.array.npartitions == 1) or room < 2**20


def test_lines_of_matrix_market_in_any_order(tmp_path, monkeypatch):
    monkeypatch.setattr(lazy_lists, "PIECE", 100)
    entries = sparse().tocoo()
    order = np.random.default_rng(1).permutation(entries.nnz)
    lines = [f"{entries.row[k] + 1} {entries.col[k] + 1} {entries.data[k]}" for k in order]
    lines.insert(5, "")
    lines += ["1 1 2.5", "1 1 0.5"]  # entries of one place are added
    text = f"%%MatrixMarket matrix coordinate real general\n% x\n40 30 {len(order) + 2}\n"
    (tmp_path / "a.mtx").write_text(text + "\n".join(lines))
    expected = sparse().toarray()
    expected[0, 0] += 3
    table = open_data(tmp_path / "a.mtx", chunk_bytes=400, label=0)
    np.testing.assert_allclose(whole(table), expected[:, 1:], rtol=1e-15)
    np.testing.assert_allclose(table.labels, expected[:, 0], rtol=1e-15)
    assert table.names[0] == "x1"


def put_parquet(path, X):
    pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).to_parquet(
        path, row_group_size=4, index=False
    )


@pytest.mark.parametrize("form", [*ARRAYS, "parquet"])
def test_layouts_for_columns(tmp_path, form):
    name, put = ARRAYS.get(form, ("a.parquet", put_parquet))
    X = numbers(m=20, n=60)
    put(tmp_path / name, X)
    room = 2000  # as 12 columns, or 4 rows
    columns, both = (
        open_with(tmp_path / name, Options(), chunk_bytes=room, layout=layout)
        for layout in ("columns", "both")
    )
    for table in (columns, both):
        np.testing.assert_array_equal(whole(table), X)
    assert columns.array.numblocks[0] == 1
    for table in (columns, both):
        assert max(table.array.chunks[1]) * 20 * 8 <= room
    if form != "zarr group":  # of which all rows are stored together
        assert max(both.array.chunks[0]) * 60 * 8 <= 2 * room


def test_layouts_have_no_more_blocks_than_are_worth_it():
    shape = (10_000, 40_000)
    height, width = laid_out("both", shape, 8, 2**20, (1, 1))
    assert 1000 < -(-shape[0] // height) * -(-shape[1] // width) <= 4096
    assert laid_out("columns", shape, 8, 2**20, (1, 1)) == (10_000, 13)


def test_conversions_are_found_again(tmp_path, monkeypatch):
    path, cache = tmp_path / "a.mtx", tmp_path / "new" / "cache"
    scipy.io.mmwrite(path, sparse())
    first = open_data(path, cache=cache)
    (folder,) = cache.iterdir()
    assert sorted(part.name for part in folder.iterdir()) == ["about.json", "rows-000000.npz"]
    with monkeypatch.context() as patch:
        patch.setattr(lazy_lists, "_convert", None)
        assert open_data(path, cache=cache).array.name == first.array.name
        with pytest.raises(TypeError):
            lazy_lists._convert()
    scipy.io.mmwrite(path, 2 * sparse())  # another file, under the same name
    os.utime(path, ns=(1, 1))
    again = open_data(path, cache=cache)
    np.testing.assert_array_equal(whole(again), 2 * sparse().toarray())
    assert [*cache.iterdir()] == [folder]
    (folder / "rows-000000.npz").unlink()
    np.testing.assert_array_equal(whole(open_data(path, cache=cache)), 2 * sparse().toarray())
    (folder / "about.json").write_text("{")
    np.testing.assert_array_equal(whole(open_data(path, cache=cache)), 2 * sparse().toarray())


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_conversions_that_failed_are_removed(tmp_path, monkeypatch, error):
    def fail(*_, **__):
        assert len([*next(cache.glob(".*[!t]")).iterdir()]) > 0  # something was written already
        raise error

    cache = tmp_path / "cache"
    scipy.io.mmwrite(tmp_path / "a.mtx", sparse())
    monkeypatch.setattr(np, "savez", fail)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else FileError
    with pytest.raises(expected):
        open_data(tmp_path / "a.mtx", cache=cache, chunk_bytes=300)
    assert [*cache.iterdir()] == []


@pytest.mark.slow
def test_temporary_conversions_go_with_the_process(tmp_path):
    scipy.io.mmwrite(tmp_path / "a.mtx", sparse())
    code = (
        "import colonnade, sys\n"
        f"table = colonnade.open_data({os.fspath(tmp_path / 'a.mtx')!r})\n"
        "(_, piece), *_ = table.array.__dask_graph__().values()\n"
        "print(table.array.compute().sum(), piece.source.path)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    total, place = done.stdout.split()
    assert float(total) == pytest.approx(sparse().sum())
    assert not os.path.exists(os.path.dirname(os.path.dirname(place)))


def complaint(path, **options):
    """Open what cannot be opened, or not to the end; return the one line about it."""
    with pytest.raises(FileError) as caught:
        # in one thread: others would go on with a file that the next test writes
        open_data(path, **options).array.compute(scheduler="synchronous")
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")
