"""Running pure task graphs: on the client that is active, or on threads; never without an end."""

from __future__ import annotations

import asyncio
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from typing import Any

from ...foundation.alerts import ProcessesLostError
from ...foundation.threads import on_one_core, one_blas_thread
from .resources import current, nbytes

__all__ = [
    "BATCH",
    "FAN_IN",
    "BlockError",
    "WorkersLostError",
    "alone",
    "client_of",
    "computed",
    "on_threads",
    "scratch_in",
    "shared",
    "task",
]

BATCH = 64
"""How many blocks are worked on before their results are collected; the same for all clusters,
so that sums are always in the same order."""
FAN_IN = 8
"""How many results are added where they are, before any are sent."""
PATIENCE = 60.0
"""For how many seconds a cluster may be without workers before its work is given up."""
LOOK = 1.0
"""How often, in seconds, the workers are looked for."""
LOSSES = 5
"""How many workers more than there ever were at once may be lost without anything being done."""

MEMORY_CURE = "make chunks smaller, or workers fewer and larger"
AGAIN = "call again with a running cluster, and with a checkpoint to go on where this ended"


class WorkersLostError(ProcessesLostError):
    """The cluster can do no more of the work; what to do is in the message."""


def alone(function: Any, *arguments: Any) -> Any:
    """Call a function that keeps to one core: other tasks have the others."""
    with on_one_core():
        return function(*arguments)


class BlockError(ValueError):
    """Something is wrong with a block, whose number comes with what is to be raised."""

    def __init__(self, block: tuple[int, int], error: Exception):
        super().__init__(block, error)
        self.block, self.error = block, error


def task(function: Any, *arguments: Any) -> Any:
    """Return a task that calls a pure function on one core, with blocks among its arguments."""
    import dask

    return dask.delayed(_attempted, pure=False)(function, *arguments)


def _attempted(function: Any, *arguments: Any) -> Any:
    """Return what a function finds, or what is wrong with the first block that it is about.

    Not raised here: that would end all tasks, and it would be chance which of several wrong blocks
    is named.
    """
    wrong = [given for given in arguments if isinstance(given, BlockError)]
    if wrong:
        return _first(wrong)
    try:
        return alone(function, *arguments)
    except BlockError as error:
        return error.with_traceback(None)  # which would hold the block


def _first(wrong: list[BlockError]) -> BlockError:
    return min(wrong, key=lambda error: error.block)


def shared(value: Any) -> Any:
    """Return an argument of many tasks, which then is sent once."""
    import dask

    current().used.bytes_sent += nbytes(value)
    return dask.delayed(value, pure=False, traverse=False)


@contextmanager
def on_threads(count: int | None = None) -> Iterator[None]:
    """Run tasks on threads of this process for a while, by default one for each core."""
    import dask

    with dask.config.set(scheduler="threads", num_workers=count):
        yield


@contextmanager
def scratch_in(folder: str) -> Iterator[None]:
    """Keep the temporary files of schedulers and workers in a folder for a while."""
    import dask

    with dask.config.set({"temporary-directory": folder}):
        yield


def client_of() -> Any | None:
    """Return the client of the cluster that dask would use now; None for threads or the like."""
    if "distributed" not in sys.modules:  # nobody has made a client
        return None
    from dask.base import get_scheduler
    from distributed import Client

    owner = getattr(get_scheduler(), "__self__", None)
    return owner if isinstance(owner, Client) else None


def computed(tasks: Sequence[Any]) -> list[Any]:
    """Return what tasks return, in their order.

    Raises
    ------
    Exception
        What is wrong with the first of these blocks with which something is.
    WorkersLostError
        If workers keep dying of a task, or if there are none for a while.
    """
    import dask

    with warnings.catch_warnings():
        # factors go along with the tasks; a copy on every worker would be no smaller
        warnings.filterwarnings("ignore", message="Sending large graph")
        client = client_of()
        if client is None:
            with one_blas_thread():
                found = list(dask.compute(*tasks))
        else:
            found = _computed_by(client, list(tasks))
    wrong = [value for value in found if isinstance(value, BlockError)]
    if wrong:
        raise _first(wrong).error
    return found


def _computed_by(client: Any, tasks: list[Any]) -> list[Any]:
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    futures = client.compute(tasks)
    # in the loop of the client, as the tasks: results can be lost with their worker while they
    # are collected, and are then waited for again
    collecting = asyncio.run_coroutine_threadsafe(
        client.gather(futures, asynchronous=True), client.loop.asyncio_loop
    )
    watch = _Watch(client, futures)
    try:
        while not wait([collecting], timeout=LOOK).done:
            watch.look()
        return list(collecting.result())
    except KilledWorker as error:
        raise WorkersLostError(
            f"workers of the cluster died of the same task again and again ({error}); most likely "
            f"it needs more memory than one has: {MEMORY_CURE}"
        ) from error
    except (CancelledError, CommClosedError) as error:
        raise WorkersLostError(
            f"the work was cancelled, or the scheduler of the cluster is gone; {AGAIN}"
        ) from error
    finally:
        collecting.cancel()
        if client.status == "running":
            client.cancel(futures, force=True)


class _Watch:
    """Tells when a cluster can do no more of some work."""

    def __init__(self, client: Any, futures: list[Any]):
        self.client, self.futures = client, futures
        self.workers: set[str] = set()
        self.seen = time.monotonic()
        self.most_workers = self.most_done = self.lost = 0

    def look(self) -> None:
        """Raise WorkersLostError if there are no workers for a while, or they keep dying."""
        workers = set(_workers_of(self.client))
        now = time.monotonic()
        if workers:
            self.seen = now
        elif now - self.seen > PATIENCE:
            raise WorkersLostError(
                f"the cluster has been without workers for {PATIENCE:.0f} s; start some and {AGAIN}"
            )
        # who dies of a task that is done, while its result is sent, is not counted by distributed:
        # what is lost is done again, by others who die of it
        done = sum(future.done() for future in self.futures)
        if done > self.most_done:
            self.most_done, self.lost = done, 0
        self.lost += len(self.workers - workers)
        self.workers = workers
        self.most_workers = max(self.most_workers, len(workers))
        # clusters may send workers away that they had, but not more than these
        if self.lost > self.most_workers + LOSSES:
            raise WorkersLostError(
                f"{self.lost} workers of the cluster were lost, one after another, and nothing "
                f"more was done; most likely a result needs more memory than one has: {MEMORY_CURE}"
            )


def _workers_of(client: Any) -> dict[str, int]:
    """Return the workers; raise WorkersLostError if nobody is there to tell."""
    try:
        if client.status == "running":
            return client.nthreads(callback_timeout=PATIENCE)
        lost = f"its client is {client.status}"
    except (OSError, TimeoutError, CancelledError) as error:
        lost = str(error)
    raise WorkersLostError(f"the scheduler of the cluster does not answer ({lost}); {AGAIN}")
