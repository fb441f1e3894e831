"""Who may use the cores: one set of threads at a time.

BLAS threads that wait for their share of a small product spin for a while, and take the cores
from whatever runs next or from other processes; beside busy processes a decomposition of a small
matrix then takes a hundred times as long. So BLAS is kept to one thread where its work is small,
and large work is split over threads of our own.

All of it may be used from several threads at once, and goes on in a process that was forked.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import numba
from threadpoolctl import ThreadpoolController

__all__ = [
    "BLAS_SPEED",
    "blas_threads_for",
    "cores",
    "in_parallel",
    "is_split",
    "on_cores",
    "on_one_core",
    "one_blas_thread",
    "shares",
]

Part = TypeVar("Part")
Result = TypeVar("Result")

LARGE = 10**9
"""Multiply-adds, about a second on one core, from which a decomposition may use BLAS threads."""

WORTHWHILE = 10**5
"""Multiply-adds from which work is split: less is done before another thread has started."""
BLAS_SPEED = 64
"""About how many of its multiply-adds BLAS does in the time that a loop takes for one."""

_numba: Any = numba.config
_cores = int(_numba.NUMBA_NUM_THREADS)


def cores() -> int:
    """Return over how many threads work is split; the variable NUMBA_NUM_THREADS sets it."""
    return _cores


@contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Split work over ``count`` threads for a while, in all threads of the process."""
    global _cores
    before, _cores = _cores, count
    try:
        yield
    finally:
        _cores = before


class _OneBlasThread:
    """A limit on the BLAS of the whole process, set by the first thread that asks for it.

    It is there until that thread leaves; meanwhile others change nothing.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._controller: ThreadpoolController | None = None
        self._limit: Any = None
        self._owner: int | None = None
        self._depth = 0

    def __enter__(self) -> None:
        me = threading.get_ident()
        with self.lock:
            if self._owner is None:
                if self._controller is None:
                    self._controller = ThreadpoolController().select(user_api="blas")
                limit = self._controller.limit(limits=1, user_api="blas")
                limit.__enter__()
                self._limit, self._owner = limit, me
            self._depth += self._owner == me

    def __exit__(self, *_: object) -> None:
        with self.lock:
            if self._owner != threading.get_ident():
                return
            self._depth -= 1
            if not self._depth:
                self._limit.__exit__(None, None, None)
                self._owner = None

    def forget_others(self) -> None:
        """Do without an owner that did not come along into this process."""
        if self._owner != threading.get_ident():
            self._owner, self._depth = None, 0


class _Workers:
    """Threads that do parts of the work."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._here = threading.local()
        self._pool: ThreadPoolExecutor | None = None

    @property
    def inside(self) -> bool:
        """Whether the calling thread is one of them."""
        return getattr(self._here, "inside", False)

    def _settle_in(self) -> None:
        self._here.inside = True

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Count the calling thread among them for a while."""
        before, self._here.inside = self.inside, True
        try:
            yield
        finally:
            self._here.inside = before

    def map(self, function: Callable[[Part], Result], parts: list[Part]) -> list[Result]:
        """Return ``function(part)`` for all parts."""
        with self.lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_cores, "colonnade", self._settle_in)
            done = [self._pool.submit(function, part) for part in parts]
        return [part.result() for part in done]

    def dismiss(self) -> None:
        """End the threads, once they are idle; others will take their place.

        One of them cannot wait for itself: then they end when what they do is done.
        """
        if self._pool is not None:
            self._pool.shutdown(wait=not self.inside)
            self._pool = None


_one_blas_thread = _OneBlasThread()
_workers = _Workers()


def one_blas_thread() -> AbstractContextManager[None]:
    """Return a context in which BLAS uses one thread, in the whole process.

    A context inside of another costs nothing.
    """
    return _one_blas_thread


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep the work of the calling thread to one core: others have the rest.

    For tasks of which several run at once, each in a thread of its own.
    """
    with _one_blas_thread, _workers.joined():
        yield


def blas_threads_for(work: float) -> AbstractContextManager[None]:
    """Return a context in which BLAS uses one thread if there are few multiply-adds to do."""
    return _one_blas_thread if work < LARGE else nullcontext()


def shares(length: int, most: int | None = None) -> list[slice]:
    """Cut ``range(length)`` into equal parts of at most ``most``, as many for each core."""
    rounds = 1 if most is None else -(-length // (cores() * most))
    width = max(1, -(-length // (cores() * max(1, rounds))))
    return [slice(start, min(start + width, length)) for start in range(0, length, width)]


def is_split(work: float) -> bool:
    """Say whether so many multiply-adds are worth several threads here, if there are any."""
    return cores() > 1 and work >= WORTHWHILE and not _workers.inside


def in_parallel(
    function: Callable[[Part], Result], parts: Iterable[Part], work: float = LARGE
) -> list[Result]:
    """Return ``function(part)`` for all parts, each on one core.

    Worth it for functions that spend their time in NumPy products or in compiled loops, which
    let other threads run, if all parts together have enough multiply-adds to do.
    """
    parts = list(parts)
    if len(parts) <= 1 or not is_split(work):
        return [function(part) for part in parts]
    with one_blas_thread():
        return _workers.map(function, parts)


def _before_fork() -> None:
    # threads do not come along, and no lock may be left to one that does not
    _workers.lock.acquire()
    _workers.dismiss()
    _one_blas_thread.lock.acquire()


def _after_fork() -> None:
    _one_blas_thread.lock.release()
    _workers.lock.release()


def _in_child() -> None:
    _one_blas_thread.forget_others()
    _after_fork()
    # GNU OpenMP, which scikit-learn uses, would wait for ever for threads of the parent
    ThreadpoolController().limit(limits=1, user_api="openmp")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
