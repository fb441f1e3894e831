"""Runs one after the other, several at once, and after an interruption."""

from __future__ import annotations

import pytest

from colonnade.comparison.ledger import Ledger
from colonnade.comparison.running import run_jobs

JOBS = [{"x": x} for x in range(6)]


def square(job):
    return {"square": job["x"] ** 2}


def squares(results):
    return [(job["x"], outcome["square"]) for job, outcome in results]


def test_outcomes_come_in_the_order_of_jobs_with_their_time():
    told = []
    results = run_jobs(square, JOBS, Ledger(None, {}), n_jobs=1, progress=lambda *t: told.append(t))
    assert squares(results) == [(x, x * x) for x in range(6)]
    assert all(0 <= outcome["seconds"] < 60 for _, outcome in results)
    assert told == [(done, 6) for done in range(7)]


def test_what_was_interrupted_goes_on(tmp_path):
    path, done = tmp_path / "runs.jsonl", []

    def fails(job):
        if job["x"] == 3:
            raise KeyboardInterrupt
        done.append(job["x"])
        return {"square": job["x"] ** 2}

    with pytest.raises(KeyboardInterrupt):
        run_jobs(fails, JOBS, Ledger(path, {}), n_jobs=1)
    assert len(path.read_text().splitlines()) == 4

    def again(job):
        done.append(job["x"])
        return {"square": job["x"] ** 2}

    assert squares(run_jobs(again, JOBS, Ledger(path, {}), n_jobs=1)) == [
        (x, x * x) for x in range(6)
    ]
    assert done == [0, 1, 2, 3, 4, 5]
