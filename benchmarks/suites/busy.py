"""Every method beside busy processes: threads that wait for each other would show here."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from colonnade import METHODS, Method

from ..common import Options, Row, promised, shape_text

TITLE = "Every method beside two busy processes"
N_BUSY = 2
SHAPE = (2000, 60)
N_SELECT = 20
LIMIT = 8.0
"""Times as long as alone: two cores for three processes give 1.5 or, for one thread that waits
for another, twice that; the rest is left to the scheduler, which takes turns of milliseconds."""


def run(options: Options) -> Iterator[Row]:
    names = ["dual-set", "greedy", "strong-rrqr"] if options.quick else list(METHODS)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal(SHAPE), np.arange(SHAPE[0]) % 5
    repeats = 2 if options.quick else 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name in names:
            _time(METHODS[name], X, y, 1)  # compiled and warm
            alone = _time(METHODS[name], X, y, repeats)
            with _busy():
                beside = _time(METHODS[name], X, y, repeats)
            row = {
                "method": name,
                "shape": shape_text(SHAPE),
                "alone, s": statistics.median(alone),
                "beside, s": statistics.median(beside),
                "ratio": statistics.median(beside) / statistics.median(alone),
                "worst": max(beside) / statistics.median(alone),
            }
            well = row["ratio"] <= LIMIT or row["beside, s"] < 0.1
            yield promised(row, f"at most {LIMIT:.0f} times as long, or below 0.1 s", well)


def _time(method: Method, X: Any, y: Any, repeats: int) -> list[float]:
    params: dict[str, Any] = {"random_state": 0} if method.randomized else {}
    if method.supervised:
        params[method.supervised] = y
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        method(X, N_SELECT, **params)
        seconds.append(time.perf_counter() - start)
    return seconds


@contextmanager
def _busy() -> Iterator[None]:
    """Keep as many processes busy as there are to be, and end them."""
    processes = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(N_BUSY)
    ]
    try:
        time.sleep(0.2)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
