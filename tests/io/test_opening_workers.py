"""Blocks of large files in other processes, and how much memory they take."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import dask
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from distributed import Client, LocalCluster
from test_h5ad import HOLDERS, counts, made
from test_opening import ARRAYS, frame, numbers, sparse

from colonnade import open_data


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A worker that is a process of its own and runs in another folder."""
    how = {"n_workers": 1, "threads_per_worker": 2, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**how) as cluster, Client(cluster) as client:
        client.run(os.chdir, tmp_path_factory.mktemp("elsewhere"))
        yield client


def files(folder):
    """A file of every kind: what to open it with, and what it holds."""
    for kind, (name, put) in ARRAYS.items():
        path = folder / kind.replace(" ", "-") / name
        path.parent.mkdir()
        put(path, numbers())
        yield path, {}, numbers()
    for kind, hold in HOLDERS.items():
        yield made(folder / f"{kind}.h5ad", hold), {}, counts()
    plain = frame().drop(columns=["kind", "gaps"])
    plain.to_csv(folder / "a.csv", index=False)
    plain.to_parquet(folder / "a.parquet", row_group_size=7)
    for name in ("a.csv", "a.parquet"):
        yield folder / name, {}, plain.to_numpy(dtype=float)
    scipy.io.mmwrite(folder / "a.mtx", sparse())
    yield folder / "a.mtx", {"cache": folder / "cache"}, sparse().toarray()


@pytest.mark.slow
def test_blocks_in_another_process(tmp_path, client, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = []
    for path, options, X in files(tmp_path):
        # by a name that means nothing in the folder where the worker runs
        table = open_data(path.relative_to(tmp_path), chunk_bytes=200, **options)
        assert table.array.npartitions > 1
        tables.append((table, X))
    results = client.gather(client.compute([table.array for table, _ in tables]))
    for (table, X), found in zip(tables, results, strict=True):
        found = found.toarray() if sp.issparse(found) else found
        np.testing.assert_allclose(found, X, rtol=1e-6, err_msg=table.source)
    assert client.run(os.getpid).keys().isdisjoint({os.getpid()})


@pytest.mark.slow
def test_blocks_are_made_again_when_a_worker_dies(tmp_path, client):
    np.save(tmp_path / "a.npy", numbers())
    array = client.persist(open_data(tmp_path / "a.npy", chunk_bytes=200).array)
    client.restart()
    again = client.persist(open_data(tmp_path / "a.npy", chunk_bytes=200).array)
    np.testing.assert_array_equal(again.compute(), numbers())
    assert array.name == again.name


def test_graphs_hold_names_and_no_data(tmp_path):
    for path, options, X in files(tmp_path):
        table = open_data(path, chunk_bytes=200, **options)
        packed = pickle.dumps(table)
        assert len(packed) < 1000 + 700 * table.array.npartitions
        with dask.config.set(scheduler="synchronous"):
            found = pickle.loads(packed).array.compute()
        found = found.toarray() if sp.issparse(found) else found
        np.testing.assert_allclose(found, X, rtol=1e-6)
        # equal arrays are known to be equal, and other ones to be others
        assert open_data(path, chunk_bytes=200, **options).array.name == table.array.name
        assert open_data(path, chunk_bytes=2**20, **options).array.name != table.array.name
        assert open_data(path, chunk_bytes=200, drop=[0], **options).array.name != table.array.name


def test_no_file_is_left_open(tmp_path):
    for path, options, _ in files(tmp_path):
        table = open_data(path, chunk_bytes=200, **options)
        with dask.config.set(scheduler="synchronous"):
            table.array.compute()
    inside = os.fspath(tmp_path)
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    open_ones = [os.readlink(link) for link in links if os.path.exists(link)]
    assert [name for name in open_ones if name.startswith(inside)] == []


SUMMED = """
import re, sys
import numpy as np
from colonnade import open_data
from colonnade.io import lazy_lists
lazy_lists.PIECE = 2**18
def summed(path):
    array = open_data(path, chunk_bytes="256KiB").array
    sums = array.map_blocks(lambda X: np.full((1, 1), X.sum()), chunks=(1, 1), meta=np.ones((0, 0)))
    return sums.sum().compute(scheduler="synchronous")
def peak():
    with open("/proc/self/status") as file:  # getrusage tells the peak of the parent, too
        return 1024 * int(re.search("VmHWM:\\s*(\\d+)", file.read())[1])
summed(sys.argv[1])  # whatever is loaded and made once
before = peak()
print(summed(sys.argv[2]), peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are told in other ways")
@pytest.mark.parametrize("kind", ["npy", "mtx"])
def test_memory_does_not_grow_with_the_file(tmp_path, kind):
    small, large = tmp_path / f"small.{kind}", tmp_path / f"large.{kind}"
    for path, share in ((small, 10), (large, 1)):
        if kind == "npy":
            stored = np.lib.format.open_memmap(path, "w+", np.float64, (500_000 // share, 50))
            stored[::1000] = 1.0
            total, size = 50 * 500.0, stored.nbytes
            del stored
        else:
            lines = "".join(f"{i + 1} {i % 7 + 1} 0.5\n" for i in range(100_000 // share))
            header = "%%MatrixMarket matrix coordinate real general"
            path.write_text(f"{header}\n{100_000 // share} 10 {10**6 // share}\n" + 10 * lines)
            total, size = 500_000.0, 48 * 10**6  # of text, triplets and rows
    done = subprocess.run(
        [sys.executable, "-c", SUMMED, os.fspath(small), os.fspath(large)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    found, grown = done.stdout.split()
    assert float(found) == total
    assert int(grown) < size / 4
