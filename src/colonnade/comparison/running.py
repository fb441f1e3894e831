"""Many runs on all cores, one core for each, which end up in a ledger."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .ledger import Job, Ledger, Outcome

__all__ = ["Progress", "run_jobs"]

Progress = Callable[[int, int], None]
"""Is told how many runs are done, and how many there are."""


def run_jobs(
    run: Callable[[Job], Outcome],
    jobs: Sequence[Job],
    ledger: Ledger,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[tuple[Job, Outcome]]:
    """Do what is not in the ledger yet, several runs at once, and return all outcomes.

    Every process keeps to one core, so that runs do not take cores from each other and times can be
    compared. ``seconds`` of an outcome is added if the run did not measure its own.

    Parameters
    ----------
    run : callable
        Does one job and returns what it found. Other processes import it by name.
    jobs : sequence of dict
        What is to be done; in the order in which outcomes are returned.
    ledger : Ledger
        Where outcomes are kept as they come.
    n_jobs : int, optional
        How many at once; by default as many as there are cores.
    progress : callable, optional
        Called when a run ends.

    Returns
    -------
    list of (job, outcome)
    """
    missing = [job for job in jobs if job not in ledger]
    done = len(jobs) - len(missing)
    if progress is not None:
        progress(done, len(jobs))
    for job, outcome in _outcomes(run, missing, n_jobs or os.cpu_count() or 1):
        ledger.add(job, outcome)
        done += 1
        if progress is not None:
            progress(done, len(jobs))
    return [(job, ledger.get(job)) for job in jobs]


def _outcomes(
    run: Callable[[Job], Outcome], jobs: Sequence[Job], n_jobs: int
) -> Iterable[tuple[Job, Outcome]]:
    if n_jobs == 1 or len(jobs) <= 1:
        return (_timed(run, job) for job in jobs)
    from joblib import Parallel, delayed, parallel_config

    with parallel_config("loky", inner_max_num_threads=1):
        pool = Parallel(n_jobs=min(n_jobs, len(jobs)), return_as="generator_unordered")
        found: Any = pool(delayed(_timed)(run, job) for job in jobs)
    return found


def _timed(run: Callable[[Job], Outcome], job: Job) -> tuple[Job, Outcome]:
    from threadpoolctl import threadpool_limits

    from ..foundation.threads import on_cores

    with on_cores(1), threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what runs warn of is seen in what they find
        start = time.perf_counter()
        outcome = run(job)
        return job, {"seconds": time.perf_counter() - start, **outcome}
