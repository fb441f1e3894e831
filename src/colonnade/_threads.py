"""Who may use the cores: one set of threads at a time.

BLAS threads that wait for their share of a small product spin for a while, and take the cores
from whatever runs next or from other processes. So the engines keep BLAS to one thread and
split the work themselves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any, TypeVar

import numba
from threadpoolctl import ThreadpoolController

__all__ = ["cores", "in_parallel", "one_blas_thread"]

Part = TypeVar("Part")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many threads the compiled loops use."""
    return int(numba.get_num_threads())


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS uses one thread.

    The limit is the whole process's, so only its main thread may set it.
    """
    if threading.current_thread() is not threading.main_thread():
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def in_parallel(function: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """Return ``function(part)`` for all parts, each on one core.

    Worth it for functions that spend their time in NumPy products, which let other threads run.
    """
    parts = list(parts)
    main = threading.current_thread() is threading.main_thread()
    if len(parts) == 1 or cores() == 1 or not main:
        return [function(part) for part in parts]
    with one_blas_thread(), ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(function, parts))
