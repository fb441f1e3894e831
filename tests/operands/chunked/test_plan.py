"""A plan says beforehand what is read, sent and held, and is kept to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="the extra dask is not installed")

import dask
import dask.array as da
from chunks import cut, even, rows_unknown

from colonnade import GreedySelector, resources
from colonnade.operands.chunked import planning, summing
from colonnade.operands.chunked.planning import check_plan, plan_sums, tasks_at_once
from colonnade.operands.chunked.source import Source


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("products", [True, False])
@pytest.mark.parametrize("rows", [1, 7, 70])
@pytest.mark.parametrize("tiles", ["one", "groups"])
def test_what_is_counted_is_what_was_planned(monkeypatch, products, rows, tiles):
    if tiles == "groups":
        for name, value in {"WHOLE": 4, "TILE": 3, "GROUP_BYTES": 160}.items():
            monkeypatch.setattr(summing, name, value)
    A = np.random.default_rng(0).standard_normal((140, 12)).astype(np.float32)
    source = Source(cut(A, even(140, rows), (5, 7)))
    plan = plan_sums(source, products=products)
    with resources() as given:
        summing.summed(source, None, products=products)
    used = given.used
    assert used.passes == plan.passes == 1
    assert used.bytes_read == plan.bytes_read == A.nbytes
    assert plan.bytes_sent / 2 <= used.bytes_sent <= plan.bytes_sent


def test_sparse_blocks_are_less_than_was_planned():
    A = np.random.default_rng(0).poisson(0.05, (140, 12)).astype(np.float64)
    source = Source(cut(A, even(140, 7), (12,), "CSR"))
    plan = plan_sums(source, products=True)
    with resources() as given:
        summing.summed(source, None, products=True)
    assert 0 < given.used.bytes_read <= plan.bytes_read


@pytest.mark.parametrize("how", [{"n_select": 4}, {"n_select": 4, "center": True, "scale": "std"}])
def test_too_much_is_refused_before_anything_is_read(how):
    read = []

    def block(block_info=None):
        read.append(block_info[None]["chunk-location"])
        return np.random.default_rng(0).standard_normal((100, 20))

    X = da.map_blocks(block, chunks=((100,) * 6, (20,)), dtype=float, meta=np.zeros((0, 0)))
    plan = plan_sums(Source(X), products=True)
    message = (
        r"inner products of the columns would take \d+\.\d MiB, and memory=20\.0 KiB is allowed "
        r"\(inner products of the columns: 1 pass, .* to read, .* to send, .*\); make chunks of "
        r"fewer rows \(X\.rechunk\(\{0: 50\}\)\)"
    )
    with resources(memory="20KiB"), pytest.raises(MemoryError, match=message):
        GreedySelector(**how).fit(X)
    with resources(memory=plan.peak_bytes - 1), pytest.raises(MemoryError):
        GreedySelector(**how).fit(X)
    assert not read
    with resources(memory=plan.peak_bytes) as given:
        GreedySelector(**how).fit(X)
    assert len(read) == 6
    assert given.used.passes == 1


def test_the_advice_helps():
    X = cut(np.ones((64, 40)), (64,), (40,))
    before = plan_sums(Source(X), products=True).peak_bytes
    after = plan_sums(Source(cut(np.ones((64, 40)), (32, 32), (40,))), products=True)
    with resources(memory=before - 1):
        with pytest.raises(MemoryError, match=r"rechunk\(\{0: 32\}\)"):
            check_plan(plan_sums(Source(X), products=True))
        assert check_plan(after) is after


def test_more_of_everything_takes_more(monkeypatch):
    def peak(rows=(50, 50), columns=(30,), dtype=float, products=True):
        source = Source(cut(np.ones((100, 30), dtype), rows, columns))
        return plan_sums(source, products=products).peak_bytes

    assert peak((100,)) > peak() > peak((25,) * 4)
    assert peak(columns=(10, 20)) > peak()
    assert peak() > peak(dtype=np.float32) > 0
    assert peak() > peak(products=False)
    few = peak()
    monkeypatch.setattr(planning, "tasks_at_once", lambda: 2)
    assert peak() > few


def test_unknown_numbers_of_rows_have_a_plan():
    plan = plan_sums(Source(rows_unknown(cut(np.ones((10, 4)), (5, 5), (4,)))), products=True)
    assert plan.passes == 1
    assert plan.bytes_read == 0  # nobody knows
    assert plan.peak_bytes > 0
    assert "1 pass" in str(plan)


def test_how_many_tasks_run_at_once():
    assert tasks_at_once() == 1
    with dask.config.set(scheduler="threads", num_workers=3):
        assert tasks_at_once() == 3
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(5) as pool, dask.config.set(scheduler="threads", pool=pool):
        assert tasks_at_once() == 5
    with dask.config.set(scheduler="threads"):
        assert tasks_at_once() >= 1


MEASURE = """
import sys
import dask
import dask.array as da
import numpy as np
from colonnade.operands.chunked.planning import plan_sums
from colonnade.operands.chunked.source import Source
from colonnade.operands.chunked.summing import summed

dtype, parts, n, height, count = sys.argv[1], *map(int, sys.argv[2:6])


def block(block_info=None):
    about = block_info[None]
    rng = np.random.default_rng(about["chunk-location"])
    return rng.standard_normal(about["chunk-shape"], dtype=dtype)


def run(n, height, count):
    chunks = ((height,) * count, (n // parts,) * parts)
    source = Source(da.map_blocks(block, chunks=chunks, dtype=dtype, meta=np.zeros((0, 0), dtype)))
    plan = plan_sums(source, products=True)
    sums = summed(source, None, products=True)
    sums.gram(sums.treatment(center=True, scale=None, names=None))
    return plan.peak_bytes


def peak():
    # not ru_maxrss, which begins with what the parent has
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])


run(16, 64, 4)
before = peak()
for threads in map(int, sys.argv[6:]):
    with dask.config.set(scheduler="threads", num_workers=threads):
        planned = run(n, height, count)
        print(peak() - before, planned)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak")
@pytest.mark.parametrize(
    "how",
    [
        ("float64", 1, 400, 5242, 8, 1, 2),
        ("float32", 1, 400, 10485, 8, 1, 2),
        ("float32", 2, 400, 10485, 8, 1, 2),
        # what the runs of a batch found is not held beside that of the next
        ("float64", 1, 1000, 30, 130, 2),
    ],
)
def test_no_more_memory_is_taken_than_was_planned(how):
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, how)],
        capture_output=True, text=True, check=False, timeout=300, env=dict(os.environ),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for line in ran.stdout.splitlines():
        used, planned = map(int, line.split())
        assert planned / 3 < used < planned
