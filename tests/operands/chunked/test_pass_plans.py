"""Whatever goes through chunks has a plan, which is looked at before anything is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("dask.array", reason="the extra dask is not installed")

import dask
import dask.array as da

from colonnade import (
    METHODS,
    GreedySelector,
    Nystroem,
    ReducedKMeans,
    RLSClassifier,
    RowSelector,
    SVDProjection,
    plan,
    resources,
    select,
)
from colonnade.linalg import svd
from colonnade.operands.chunked import array as chunked_array
from colonnade.operands.chunked import planning
from colonnade.operands.chunked.labelled import fold_sums
from colonnade.operands.chunked.planning import BESIDE, Found, plan_folds, plan_pass
from colonnade.operands.chunked.round_plans import plan_rounds
from colonnade.operands.chunked.source import Source
from colonnade.operands.entrance import wrapped
from colonnade.pivoting import rounds
from colonnade.pivoting.rounds import planned_rounds

WIDE = [name for name, entry in METHODS.items() if "wide dask" in entry.inputs]
X = np.random.default_rng(0).standard_normal((60, 90))
Y = np.arange(60) % 2


class ReadError(Exception):
    """A block was read."""


def _read(block):
    if block.size:
        raise ReadError
    return block


def chunks(shape=(20, 30)):
    """Chunks that nobody may read."""
    return da.from_array(X, chunks=shape).map_blocks(_read, dtype=float, meta=np.zeros((0, 0)))


@pytest.fixture
def as_wide(monkeypatch):
    monkeypatch.setattr(chunked_array, "MOST_PRODUCTS", 0)


WORK = {
    "RowSelector": lambda: RowSelector(GreedySelector(3)).fit(chunks()),
    "SVDProjection": lambda: SVDProjection(3).fit(chunks()),
    "RLSClassifier": lambda: RLSClassifier().fit(chunks(), Y),
    "RLSClassifier, folds": lambda: RLSClassifier(alpha=[0.1, 1.0], cv=3).fit(chunks(), Y),
    "Nystroem": lambda: Nystroem(n_components=5, landmarks="uniform").fit(chunks()),
    "score of a selector": lambda: GreedySelector(3).fit(X).score(chunks()),
    "score of a classifier": lambda: RLSClassifier().fit(X, Y).score(chunks(), Y),
    "score of clusters": lambda: ReducedKMeans(2).fit(X).score(chunks()),
    "a triangle": lambda: wrapped(chunks()[:, :30]).triangle(),
}


@pytest.mark.parametrize("what", WORK)
def test_no_work_takes_more_than_it_may(as_wide, what):
    with pytest.raises(MemoryError, match=r"memory=1\.0 KiB is allowed"), resources(memory="1KiB"):
        WORK[what]()
    with pytest.raises(ReadError), resources(memory="1GiB"):
        WORK[what]()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("method", WIDE)
def test_no_method_takes_more_than_it_may(as_wide, method, axis):
    how = {"random_state": 0} if METHODS[method].randomized else {}
    with pytest.raises(MemoryError, match=r"memory=1\.0 KiB is allowed"), resources(memory="1KiB"):
        select(chunks(), 4, method=method, axis=axis, **how)
    with pytest.raises(ReadError), resources(memory="1GiB"):
        select(chunks(), 4, method=method, axis=axis, **how)


def test_what_was_free_once_is_not_looked_for_again(monkeypatch):
    A = wrapped(da.from_array(X, chunks=(20, 90)))
    A.sq_norms()
    monkeypatch.setattr(planning, "free_memory", lambda: 0)
    A.sq_norms()  # a long piece of work does not end in its midst
    with pytest.raises(MemoryError, match=r"0 B are free.*; ask for less"):
        A.matmat(np.broadcast_to(1.0, (90, 10**6)))
    with pytest.raises(MemoryError), resources(memory="1MiB"):
        A.sq_norms()


def test_sparse_blocks_are_known_once_they_were_read():
    height, n = 50, 4000
    M = sp.random_array((4 * height, n), density=0.01, format="csr", rng=0)
    A = wrapped(da.from_array(M, chunks=(height, n), asarray=False))
    dense = 8 * height * n
    with resources(memory="1GiB"):
        before = plan_pass(A.source, "lengths", None, Found(), added=4).task_bytes
        A.sq_norms()
        after = plan_pass(A.source, "lengths", None, Found(), added=4).task_bytes
    assert before == dense + BESIDE
    share = (M.data.nbytes + M.indices.nbytes + 4 * M.indptr.itemsize * (height + 1)) / M.size
    assert after - BESIDE == pytest.approx(2 * share * M.size / 4, rel=0.2)
    # nobody knows how large those are that were not read, and free memory is no wish
    new = wrapped(da.from_array(M, chunks=(height, n), asarray=False))
    assert plan_pass(new.source, "lengths", None, Found(), added=4).task_bytes == BESIDE


def test_the_cure_is_about_what_is_large():
    source = Source(da.zeros((1000, 1000), chunks=(500, 500)))
    for axis, cure in ((0, "{0: 250}"), (1, "{0: -1, 1: 250}"), (None, "{0: 250}")):
        assert f"X.rechunk({cure})" in plan_pass(source, "", axis, Found(), count=2).cure
    large = Found.of((500, 500), each=10**6)
    assert plan_pass(source, "", 0, large, count=2).cure.startswith("ask for less at a time")


@pytest.mark.parametrize("method", WIDE)
@pytest.mark.parametrize("shape", [(20, 25), (90, 25), (20, 90), (60, 90)])
def test_passes_are_those_that_were_planned(as_wide, monkeypatch, method, shape):
    monkeypatch.setattr(svd, "EXACT_SIDE", 30)
    A = np.random.default_rng(0).standard_normal(shape)
    D = da.from_array(A, chunks=(-(-shape[0] // 2), -(-shape[1] // 2)))
    how = {"random_state": 0} if METHODS[method].randomized else {}
    (piece,) = plan(D, 4, method=method)
    with resources() as given:
        select(D, 4, method=method, **how)
    used = given.used.passes
    assert piece.bytes_read == piece.passes * A.nbytes
    if method.startswith("leverage") and min(shape) > 30:
        assert used >= piece.passes  # as many as Lanczos takes
        return
    # of chosen columns only those parts are fetched in which they are
    fetched = METHODS[method].kind == "sampling"
    assert piece.passes - fetched / 2 <= used <= piece.passes


TREATED = {
    "nothing": {},
    "center": {"center": True},
    "scale": {"center": True, "scale": "std"},
}


@pytest.mark.parametrize("how", TREATED)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("target", ["exact", "sketch"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_bytes_are_those_that_were_planned(as_wide, monkeypatch, how, axis, target, dtype):
    if target == "sketch":
        monkeypatch.setattr(rounds, "EXACT_ROWS", 10)
    A = (50 * np.random.default_rng(0).random((70, 400))).astype(dtype)
    D = da.from_array(A if axis else A.T, chunks=(35, 40) if axis else (40, 35))
    pieces = plan(D, 8, axis=axis, **TREATED[how])
    with resources() as given:
        select(D, 8, axis=axis, **TREATED[how])
    used = given.used
    assert used.passes == sum(piece.passes for piece in pieces) == 3 + (how != "nothing")
    assert used.bytes_read == sum(piece.bytes_read for piece in pieces)
    planned = sum(piece.bytes_sent for piece in pieces)
    assert 0.9 * planned <= used.bytes_sent <= planned


def test_weights_are_sent_as_planned(as_wide):
    w = np.random.default_rng(1).random(60)
    D = da.from_array(X.astype(np.float32), chunks=(20, 30))
    A = wrapped(D).adjusted_by(None, None, np.sqrt(w))
    planned = planned_rounds(A, 5, None, None).bytes_sent
    with resources() as given:
        select(D, 5, sample_weight=w)
    assert 0.9 * planned <= given.used.bytes_sent <= planned


def test_what_two_rounds_hold():
    """Each term of the table in docs/scale.md is there."""
    m, n, parts, k, winners, w = 5000, 8000, 16, 10, 30, 256
    source = Source(da.zeros((m, n), chunks=(m, n // parts)))
    part, B, square = 8 * m * n // parts, 8 * m * w, 8 * m * m

    def planned(exact=False, given=False, keeps=False, itemsize=8, source=source):
        return plan_rounds(
            source, turned=False, n_select=k, n_winners=winners, target_width=w, exact=exact,
            given=given, itemsize=itemsize, keeps_embedding=keeps,
        )  # fmt: skip

    with dask.config.set(scheduler="threads", num_workers=3):
        usual = planned()
        assert usual.n_tasks == 3
        assert usual.task_bytes >= part + B + BESIDE
        assert usual.between_bytes == 8 * B + 3 * part
        sent = 8 * m * winners * parts
        assert usual.client_bytes >= 2 * B + 2 * sent + 40 * n
        kept = planned(keeps=True)
        assert kept.client_bytes - usual.client_bytes == 2 * 8 * n * k
        assert kept.bytes_sent - usual.bytes_sent == 8 * n * k
        assert planned(itemsize=4).client_bytes < usual.client_bytes - sent / 2
        exact = planned(exact=True)
        assert exact.task_bytes >= part + square + BESIDE
        assert exact.between_bytes == 8 * square + 3 * part
        assert exact.client_bytes >= 3 * square + B + 40 * n
        fewer = planned(given=True)
        assert (fewer.passes, fewer.bytes_read) == (2, 2 * source.array.nbytes)
        assert fewer.between_bytes == 3 * part
        cut = planned(source=Source(da.zeros((m, n), chunks=(m // 2, n // parts))))
        assert cut.task_bytes == usual.task_bytes + part  # blocks become one


def test_what_was_planned_as_a_whole_is_not_refused_in_its_midst(as_wide, monkeypatch):
    for rows in (2048, 10):
        monkeypatch.setattr(rounds, "EXACT_ROWS", rows)
        for D in (da.from_array(X, chunks=(60, 10)), da.from_array(X, chunks=(20, 45))):
            for method in ("greedy", "uniform"):
                (piece,) = plan(D, 5, method=method)
                how = {"random_state": 0} if method == "uniform" else {}
                with resources(memory=piece.peak_bytes):
                    assert len(select(D, 5, method=method, **how).indices) == 5


def test_folds_have_a_plan():
    A = wrapped(da.from_array(X, chunks=(20, 90)))
    targets = np.ones((60, 1))
    source = A.source.with_targets(targets)
    needed = plan_folds(source, 4, 16)
    assert plan_folds(source, 8, 16).peak_bytes > needed.peak_bytes
    with resources(memory=needed.peak_bytes) as given:
        fold_sums(A, targets, None, np.arange(60) % 4, 4)
    assert given.used.passes == needed.passes
    assert needed.bytes_sent / 2 <= given.used.bytes_sent <= needed.bytes_sent
    with pytest.raises(MemoryError), resources(memory=needed.peak_bytes - 1):
        fold_sums(A, targets, None, np.arange(60) % 4, 4)


def test_plans_of_methods_that_are_not_there():
    with pytest.raises(ValueError, match="method='best' is unknown; choose from greedy"):
        plan(chunks(), 3, method="best")
    with pytest.raises(TypeError, match="'mcfs' looks at each row by itself"):
        plan(chunks(), 3, method="mcfs")


MEASURE = """
import ctypes
import gc
import sys
import dask
import dask.array as da
import numpy as np
from colonnade import plan, select
from colonnade.operands.chunked import array
from colonnade.operands.chunked.labelled import fold_sums
from colonnade.operands.chunked.planning import plan_folds
from colonnade.operands.entrance import wrapped

array.MOST_PRODUCTS = 0


def block(block_info=None):
    about = block_info[None]
    rng = np.random.default_rng(about["chunk-location"])
    return rng.standard_normal(about["chunk-shape"], dtype=about["dtype"])


def run(what, dtype, m, n, height, width, k):
    chunks = ((height,) * (m // height), (width,) * (n // width))
    X = da.map_blocks(block, chunks=chunks, dtype=dtype, meta=np.zeros((0, 0), dtype))
    if what == "folds":
        A, targets, folds = wrapped(X), np.ones((X.shape[0], 1)), np.arange(X.shape[0]) % k
        planned = plan_folds(A.source.with_targets(targets), k, 16)
        fold_sums(A, targets, None, folds, k)
        return planned.peak_bytes
    (piece,) = plan(X, k, method=what)
    select(X, k, method=what, **({} if what == "greedy" else {"random_state": 0}))
    return piece.peak_bytes


def memory(what):
    # not ru_maxrss, which begins with what the parent has
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith(what))
    return 1024 * int(line.split()[1])


with dask.config.set(scheduler="threads", num_workers=2):
    for case in eval(sys.argv[1]):
        run(case[0], case[1], 40, 40, 20, 20, 3)
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # or what was freed would be taken again
        with open("/proc/self/clear_refs", "w") as reset:
            reset.write("5")
        before = memory("VmRSS")
        planned = run(*case)
        print(memory("VmHWM") - before, planned)
"""
CASES = [
    ("uniform", "float32", 500, 40_000, 125, 40_000, 5),  # all in one part
    ("greedy", "float64", 2500, 8000, 1250, 1000, 4),  # parts of several blocks
    ("greedy", "float64", 20, 240_000, 20, 30_000, 20),  # the embedding
    ("greedy", "float32", 10_000, 1600, 10_000, 200, 4),  # a sketch
    ("folds", "float64", 6000, 500, 500, 500, 10),
]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
def test_no_more_memory_is_taken_than_was_planned():
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, repr(CASES)],
        capture_output=True, text=True, check=False, timeout=300, env=dict(os.environ),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for case, line in zip(CASES, ran.stdout.splitlines(), strict=True):
        used, planned = map(int, line.split())
        assert 0.35 * planned < used < planned, case
