"""Workers die, schedulers go, blocks are wrong: the same answer or a clear error, and an end."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="the extra dask is not installed")
pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask
import dask.array as da
from chunks import within
from distributed import Client, LocalCluster

from colonnade import GreedySelector, resources, select
from colonnade.operands.chunked import engine, summing
from colonnade.operands.chunked.array import Chunked
from colonnade.operands.chunked.engine import WorkersLostError, computed, task
from colonnade.operands.chunked.source import Source, Treatments

pytestmark = [
    pytest.mark.slow,
    # what distributed leaves to the collector when its processes are killed
    pytest.mark.filterwarnings("ignore:.*:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]
LIMIT = 300.0
"""After how many seconds a call counts as hung: workers take long to start on a busy machine."""
ROWS, N = 12, 20


def cluster_of(workers):
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0",
        silence_logs=50, memory_limit=None,
    )  # fmt: skip


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def doomed():
    """A cluster whose workers are killed; distributed does not always start others."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        cluster_of(2) as cluster,
        Client(cluster) as client,
    ):
        yield client


def block(block_info=None, *, pause=0.0, flag=None, wrong=None, fail=None, until=None):
    """Make a block by its place: slowly, or not at all, if so wished.

    With `until`, blocks wait for that file once the block that fails has been begun.
    """
    i = block_info[None]["chunk-location"][0]
    if flag is not None:
        Path(flag).touch()
        Path(f"{flag}-{i}").touch()
    if fail == i:
        raise ValueError(f"block {i} cannot be read from the disk")
    if until is not None and Path(f"{flag}-{fail}").exists():
        appears(until)
        Path(f"{flag}-waited").touch()
    time.sleep(pause)
    out = np.random.default_rng(i).standard_normal((30, N)) @ mixing()
    if wrong is not None and i == 7:
        out[4, 5] = wrong
    return out


def mixing():
    return np.random.default_rng(99).standard_normal((N, N)) + 2 * np.eye(N)


def array(**how):
    return da.map_blocks(
        block, chunks=((30,) * ROWS, (N,)), dtype=float, meta=np.zeros((0, 0)), **how
    )


def products(X):
    A = Chunked(Source(X))
    return lambda: A.sums(None, products=True).products


def triangle(X):
    source = Source(X)
    return lambda: abs(summing.triangle_of(source, Treatments(source)))


def on_threads(call):
    with dask.config.set(scheduler="threads", num_workers=2):
        return call()


def appears(file):
    """Return once there is such a file, or after the limit."""
    deadline = time.monotonic() + LIMIT
    while not os.path.exists(file) and time.monotonic() < deadline:
        time.sleep(0.01)


def once_reading(flag, act):
    """Return a thread that does something as soon as a block is being read."""

    def wait():
        appears(flag)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.parametrize("phase", [products, triangle])
def test_a_worker_is_killed(doomed, tmp_path, phase):
    expected = on_threads(phase(array()))
    flag = str(tmp_path / "reading")
    pid = next(iter(doomed.run(os.getpid).values()))
    # as the system does it when memory runs out
    killer = once_reading(flag, lambda: os.kill(pid, signal.SIGKILL))
    found = within(LIMIT, phase(array(pause=0.05, flag=flag)))
    killer.join()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_every_worker(doomed):
    with pytest.raises(WorkersLostError, match=r"died of the same task .* make chunks smaller"):
        within(LIMIT, lambda: computed([task(die)]))


class Deadly:
    """Kills who sends it, after it was made."""

    def __reduce__(self):
        die()


def test_a_result_that_kills_every_worker(monkeypatch):
    # distributed does not count these deaths: others make it again, and die of it
    monkeypatch.setattr(engine, "LOSSES", 0)
    with cluster_of(1) as cluster, Client(cluster):
        message = r"^\d+ workers .* were lost, one after another, .* make chunks smaller"
        with pytest.raises(WorkersLostError, match=message):
            within(LIMIT, lambda: computed([task(Deadly), task(int)]))


@pytest.mark.parametrize("wrong", [np.nan, -np.inf, 1e300])
def test_what_is_wrong_with_a_block_is_told_as_on_threads(client, wrong):
    what = {"nan": "NaN", "-inf": "infinity", "1e+300": "1e.300"}[str(wrong)]
    X = array(wrong=wrong)
    place = rf"X contains {what} in block \(7, 0\), at row 214, column 5; "
    messages = []
    for call in (lambda: within(LIMIT, products(X)), lambda: on_threads(products(X))):
        with pytest.raises(ValueError, match=place) as caught:
            call()
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_an_error_of_the_block_itself(client):
    with pytest.raises(ValueError, match="block 3 cannot be read from the disk"):
        within(LIMIT, products(array(fail=3)))
    with pytest.raises(ValueError, match="block 3 cannot be read from the disk"):
        on_threads(products(array(fail=3)))


def test_an_error_does_not_wait_for_the_other_tasks(client, tmp_path):
    flag, told = tmp_path / "reading", tmp_path / "told"
    try:
        with pytest.raises(ValueError, match="block 0 cannot be read"):
            # the other blocks are made when the error has been told, not before
            within(LIMIT / 2, products(array(fail=0, flag=str(flag), until=str(told))))
        assert not (tmp_path / "reading-waited").exists()
    finally:
        told.touch()


def test_no_workers_and_none_come_back(monkeypatch, tmp_path):
    monkeypatch.setattr(engine, "PATIENCE", 2.0)
    flag = str(tmp_path / "reading")
    with cluster_of(1) as cluster, Client(cluster):
        call = products(array(pause=0.5, flag=flag))
        leaving = once_reading(flag, lambda: cluster.scale(0))
        with pytest.raises(WorkersLostError, match=r"without workers for 2 s.*with a checkpoint"):
            within(LIMIT, call)
        leaving.join()


def test_no_workers_from_the_beginning(monkeypatch):
    monkeypatch.setattr(engine, "PATIENCE", 1.5)
    with (
        cluster_of(0) as cluster,
        Client(cluster),
        pytest.raises(WorkersLostError, match="without workers"),
    ):
        within(LIMIT, products(array()))


def test_the_scheduler_goes(tmp_path):
    flag = str(tmp_path / "reading")
    cluster = cluster_of(1)
    try:
        with Client(cluster, timeout=2):
            call = products(array(pause=0.5, flag=flag))
            leaving = once_reading(flag, cluster.close)
            with pytest.raises(WorkersLostError, match="scheduler"):
                within(LIMIT, call)
            leaving.join()
    finally:
        cluster.close()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_leaves_a_checkpoint_that_is_whole(client, tmp_path, monkeypatch, stop):
    monkeypatch.setattr(summing, "BATCH", 4)

    def interrupt(what, done, wanted):
        if done >= 8:
            raise stop

    X = array()
    expected = on_threads(lambda: GreedySelector(5).fit(X))
    with resources(checkpoint=tmp_path / "kept", progress=interrupt), pytest.raises(stop):
        within(LIMIT, lambda: GreedySelector(5).fit(X))
    assert not [
        path for path in (tmp_path / "kept").iterdir() if path.suffix not in (".npz", ".json")
    ]
    with resources(checkpoint=tmp_path / "kept") as given:
        found = within(LIMIT, lambda: GreedySelector(5).fit(X))
    assert found.indices_.tolist() == expected.indices_.tolist()
    # what was done is read to be compared; four blocks of twelve are added up
    assert given.used.bytes_read == X.nbytes
    assert given.used.bytes_sent == 4 * 8 * (20 * 20 + 4 * 20)


@pytest.mark.parametrize("n_workers", [2, 1, 4])
def test_the_same_choice_on_every_cluster(client, n_workers):
    X = array()
    expected = on_threads(lambda: GreedySelector(8).fit(X))
    client.cluster.scale(n_workers)
    within(LIMIT, lambda: _until(lambda: len(client.nthreads()) == n_workers))
    found = within(LIMIT, lambda: GreedySelector(8).fit(X))
    assert found.indices_.tolist() == expected.indices_.tolist()
    np.testing.assert_allclose(found.relative_errors_, expected.relative_errors_, rtol=1e-10)


def _until(true):
    while not true():
        time.sleep(0.05)


@pytest.mark.parametrize("phase", ["products", "winners"])
def test_a_worker_that_is_killed_between_rounds_changes_nothing(doomed, phase):
    """As the target is known, and as the winners are: the next pass begins without it."""
    X = array(pause=0.05)
    expected = on_threads(lambda: select(X, 3, axis=0))
    pids = list(doomed.run(os.getpid).values())

    def kill(what, done, wanted):
        if what == phase and len(pids) == 2:
            os.kill(pids.pop(), signal.SIGKILL)

    def chosen():
        with resources(progress=kill):
            return select(X, 3, axis=0)

    found = within(LIMIT, chosen)
    assert len(pids) == 1
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-10)
