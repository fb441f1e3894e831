"""What all suites share: options, rows, promises, and timing in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from colonnade.foundation.threads import on_cores

Row = dict[str, Any]
"""One line of a table; keys that start with an underscore are saved but not printed."""

MET, MISSED, WRONG = "met", "MISSED", "WRONG"


@dataclass(frozen=True)
class Options:
    quick: bool
    out: Path
    one_core: bool = False
    only: str | None = None
    """The one group of cases to run, in suites that have such."""

    @property
    def clock(self) -> Callable[[], float]:
        """What to time with: on one core CPU time, which other processes do not add to."""
        return time.process_time if self.one_core else time.perf_counter

    @contextmanager
    def cores(self) -> Iterator[None]:
        """Keep all libraries to one core if so wished."""
        if not self.one_core:
            yield
            return
        with on_cores(1), threadpool_limits(1):
            yield


@dataclass(frozen=True)
class Competitor:
    """Something to time; ``blas_threads=None`` leaves the number of threads alone."""

    run: Callable[[], Any]
    blas_threads: int | None = None

    def threads(self) -> AbstractContextManager[Any]:
        if self.blas_threads is None:
            return nullcontext()
        return threadpool_limits(self.blas_threads, user_api="blas")


@dataclass(frozen=True)
class Timing:
    best: float
    median: float
    runs: int
    result: Any


def race(
    options: Options, competitors: Mapping[Any, Competitor], *, repeats: int, budget: float
) -> dict[Any, Timing]:
    """Time the competitors in turns, so that a noisy moment of the machine meets all of them.

    One that has used up its budget (in seconds) is not run again, so slow ones may run once.
    A quick run repeats little.
    """
    if options.quick:
        repeats, budget = min(repeats, 2), min(budget, 1.0)
    seconds: dict[Any, list[float]] = {name: [] for name in competitors}
    results: dict[Any, Any] = {}
    for _ in range(repeats):
        for name, competitor in competitors.items():
            if sum(seconds[name]) > budget:
                continue
            with competitor.threads():
                start = options.clock()
                results[name] = competitor.run()
                seconds[name].append(options.clock() - start)
    return {
        name: Timing(min(spent), statistics.median(spent), len(spent), results[name])
        for name, spent in seconds.items()
    }


def promised(row: Row, promise: str, met: bool | dict[str, bool]) -> Row:
    """Add a promise and whether it was met; of several parts, the missed ones are named."""
    parts = met if isinstance(met, dict) else {"": met}
    missed = [part for part, kept in parts.items() if not kept]
    verdict = " ".join([MISSED, ", ".join(missed)]).strip() if missed else MET
    return {**row, "promise": promise, "verdict": verdict}


def shape_text(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
