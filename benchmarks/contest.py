"""All who answer one problem, in a process of its own: time, memory, and how good answers are."""

from __future__ import annotations

import gc
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .apart import peak, start_watch
from .common import Options, Row
from .problems import Entrant, Problem, problems
from .suites.memory import give_back

LONG, ENOUGH = 20.0, 3.0
"""Seconds from which the first run counts, and after which nobody runs once more."""
SEEDS = 3


def measure(case: dict[str, Any]) -> dict[str, Row]:
    """Let all entrants answer, one after another, and measure each."""
    problem = problems()[case["problem"]]
    everybody = {**problem.ours, **problem.peers}
    options = Options(case["quick"], Path(), case["one core"])
    data = problem.data()
    with warnings.catch_warnings(), options.cores():
        warnings.simplefilter("ignore")
        return {who: _measured(problem, everybody[who], data, options) for who in case["entrants"]}


def _measured(problem: Problem, entrant: Entrant, data: Any, options: Options) -> Row:
    """Run an entrant with one seed after another; the run before them compiles and imports."""
    seconds: list[float] = []
    grown: list[int] = []
    found: list[float] = []
    for seed in range(-1, 1 if options.quick else SEEDS):
        gc.collect()
        give_back()
        before, start = start_watch(), options.clock()
        answer = entrant.answer(data, max(seed, 0))
        spent, growth = options.clock() - start, peak() - before
        if seed < 0 and spent < LONG:
            continue
        seconds.append(spent)
        grown.append(growth)
        found.append(problem.judge(data, answer))
        if sum(seconds) >= ENOUGH:
            break
    return {
        "seconds": min(seconds), "MiB": max(float(np.median(grown)) / 2**20, 1.0),
        "quality": float(np.mean(found)), "runs": len(seconds), "shape": _shape(data),
    }  # fmt: skip


def _shape(data: Any) -> tuple[int, ...]:
    if isinstance(data, tuple):
        data = data[0]
    return tuple(getattr(data, "X", data).shape)


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
