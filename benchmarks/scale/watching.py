"""What a call takes: time, memory of all processes together, passes and bytes, beside its plan."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import psutil

from colonnade import resources

from ..apart import peak, start_watch
from ..common import Row

GIB = 2.0**30
PAUSE = 0.05
"""Seconds between two looks at the memory of all processes."""


class Watch:
    """The most memory that this process and those it had started before had at the same time."""

    def __enter__(self) -> Watch:
        give_back()
        me = psutil.Process()
        # found once: to look for others again and again would take a part of a core
        self._processes = [me, *me.children(recursive=True)]
        start_watch()
        self.before = self.most = self._rss()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        if len(self._processes) == 1:  # the system has seen what fell between two looks
            self.most = max(self.most, peak())

    def _look(self) -> None:
        while not self._end.wait(PAUSE):
            self.most = max(self.most, self._rss())

    def _rss(self) -> int:
        total = 0
        for process in self._processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                total += process.memory_info().rss
        return total


def give_back() -> None:
    """Return freed memory to the system: taken again, it would seem to cost nothing."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # the C library of Linux can
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def watched(call: Callable[[], Any], memory: str | None = None) -> tuple[Any, Row]:
    """Return what a call returns, and what it took."""
    with Watch() as watch, resources(memory=memory) as given:
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
    used = given.used
    return result, {
        "seconds": seconds,
        "peak": watch.most,
        "growth": watch.most - watch.before,
        "passes": used.passes,
        "read": used.bytes_read,
        "sent": used.bytes_sent,
        "tasks": used.tasks,
    }


def in_turns(
    calls: Mapping[str, Callable[[], Any]], repeats: int, before: Callable[[], None] | None = None
) -> tuple[dict[str, Any], dict[str, Row]]:
    """Run calls in turns; return results, and of each the shortest time and the most memory.

    ``before`` is called before each, and not measured.
    """
    results: dict[str, Any] = {}
    taken: dict[str, Row] = {}
    for _ in range(repeats):
        for name, call in calls.items():
            if before is not None:
                before()
            results.pop(name, None)  # its memory is not that of the call
            results[name], row = watched(call)
            last = taken.get(name, row)
            most = {key: max(row[key], last[key]) for key in ("peak", "growth")}
            taken[name] = {**row, **most, "seconds": min(row["seconds"], last["seconds"])}
    return results, taken


def planned(plans: Any) -> Row:
    """Return the figures of plans that follow each other."""
    return {
        "plan peak": max(plan.peak_bytes for plan in plans),
        "plan passes": sum(plan.passes for plan in plans),
        "plan read": sum(plan.bytes_read for plan in plans),
        "plan sent": sum(plan.bytes_sent for plan in plans),
    }


def figures(found: Row) -> Row:
    """Return what was counted beside what was planned, in columns of a table."""
    row = {
        "seconds": found["seconds"],
        "peak, GiB": found["peak"] / GIB,
        "growth, GiB": found["growth"] / GIB,
    }
    if "plan peak" in found:
        row |= {
            "plan: GiB": found["plan peak"] / GIB,
            "passes": found["passes"],
            "plan: passes": found["plan passes"],
            "read, GiB": found["read"] / GIB,
            "plan: read": found["plan read"] / GIB,
            "sent, GiB": found["sent"] / GIB,
            "plan: sent": found["plan sent"] / GIB,
        }
    return row


def within_plan(found: Row) -> dict[str, bool]:
    """Say which figures are within the plan, for a promise."""
    return {
        "memory of the plan": found["growth"] <= found["plan peak"],
        "passes of the plan": found["passes"] <= found["plan passes"],
        "bytes read of the plan": found["read"] <= found["plan read"],
        # which leaves out numbers of rows and other small things
        "bytes sent of the plan": found["sent"] <= 1.05 * found["plan sent"],
    }
