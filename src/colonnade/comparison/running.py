"""Many runs on all cores, one core for each, which end up in a ledger."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..foundation.alerts import ProcessesLostError
from .ledger import Job, Ledger, Outcome

__all__ = ["Progress", "end_workers", "run_jobs"]

Progress = Callable[[int, int], None]
"""Is told how many runs are done, and how many there are."""
WATCH = 1.0
"""Every so many seconds a worker looks whether somebody still waits for it."""


def run_jobs(
    run: Callable[[Job], Outcome],
    jobs: Sequence[Job],
    ledger: Ledger,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    kept: Callable[[Job, Outcome], Outcome] = lambda _, outcome: outcome,
) -> list[tuple[Job, Outcome]]:
    """Do what is not in the ledger yet, several runs at once, and return all outcomes.

    Every process keeps to one core, so that runs do not take cores from each other and times can be
    compared. ``seconds`` of an outcome, by the processor, is added unless the run measured its own.

    Parameters
    ----------
    run : callable
        Does one job and returns what it found. Other processes import it by name.
    jobs : sequence of dict
        What is to be done; in the order in which outcomes are returned.
    ledger : Ledger
        Where outcomes are kept as they come.
    n_jobs : int, optional
        How many at once; by default as many as there are cores that the process may use.
    progress : callable, optional
        Called when a run ends.
    kept : callable
        What is kept of an outcome, given the job and what was found.

    Returns
    -------
    list of (job, outcome)

    Raises
    ------
    ProcessesLostError
        If a process that did runs has ended, as for lack of memory.
    """
    missing = [job for job in jobs if job not in ledger]
    done = len(jobs) - len(missing)
    if progress is not None:
        progress(done, len(jobs))
    if missing:
        ledger.begin()
    try:
        with _quiet_replacements():
            for job, outcome in _outcomes(run, missing, n_jobs or _cores()):
                ledger.add(job, kept(job, outcome))
                done += 1
                if progress is not None:
                    progress(done, len(jobs))
    except BrokenProcessPool as error:
        kept_there = ledger.path is not None and len(ledger) > 0
        where = f"; the runs before it are kept in {ledger.path}" if kept_there else ""
        raise ProcessesLostError(
            "a process that did runs has ended, as those do that the system ends when memory is "
            f"short, or whose code crashes; do fewer runs at once, or leave some out{where}"
        ) from error
    return [(job, ledger.get(job)) for job in jobs]


def _cores() -> int:
    """Return how many cores this process may use."""
    import joblib

    return int(joblib.cpu_count())


def _outcomes(
    run: Callable[[Job], Outcome], jobs: Sequence[Job], n_jobs: int
) -> Iterable[tuple[Job, Outcome]]:
    if n_jobs == 1 or len(jobs) <= 1:
        return (_timed(run, job) for job in jobs)
    from joblib import Parallel, delayed, parallel_config

    with parallel_config("loky", inner_max_num_threads=1), _quiet_trackers():
        pool = Parallel(n_jobs=min(n_jobs, len(jobs)), return_as="generator_unordered")
        found: Any = pool(delayed(_in_worker)(run, job) for job in jobs)
    return found


def end_workers() -> None:
    """End the processes that do runs: for whoever is about to end at once."""
    for child in multiprocessing.active_children():
        child.terminate()


@contextmanager
def _quiet_replacements() -> Iterator[None]:
    """Say nothing when a process that has grown is replaced by a fresh one: no run is lost."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        yield


@contextmanager
def _quiet_trackers() -> Iterator[None]:
    """Have the processes that remove what killed ones leave do so without a word."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore::UserWarning"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def _in_worker(run: Callable[[Job], Outcome], job: Job) -> tuple[Job, Outcome]:
    _settle_in()
    return _timed(run, job)


@cache
def _settle_in() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _timed(run: Callable[[Job], Outcome], job: Job) -> tuple[Job, Outcome]:
    from threadpoolctl import threadpool_limits

    from ..foundation.threads import on_cores

    with on_cores(1), threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what runs warn of is seen in what they find
        start = time.process_time()  # which what else the machine does adds nothing to
        outcome = run(job)
        return job, {"seconds": time.process_time() - start, **outcome}
