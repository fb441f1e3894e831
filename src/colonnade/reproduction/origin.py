"""Of which data runs were made, when, and with which versions."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..comparison.ledger import Job, Outcome
from ..datasets.library import file_of

__all__ = ["has_origin", "is_of_this_data", "origins_of", "stamped", "without_origin"]

PACKAGES = ("colonnade", "numpy", "scipy", "scikit-learn")
ORIGIN = "origin"
"""Where an outcome has it."""


def stamped(job: Job, outcome: Outcome) -> Outcome:
    """Return what a run found, with where it is from."""
    versions = {name: version(name) for name in PACKAGES}
    origin = {"date": time.strftime("%Y-%m-%d"), "versions": versions, "data": _digest_of(job)}
    return {**outcome, ORIGIN: origin}


def without_origin(outcome: Outcome) -> Outcome:
    """Return what a run found alone."""
    return {key: value for key, value in outcome.items() if key != ORIGIN}


def has_origin(outcome: Outcome) -> bool:
    """Say whether an outcome tells where it is from, as far as it tells that at all.

    One that says nothing was kept before that was asked for; it counts as one of other data.
    """
    if ORIGIN not in outcome:
        return True
    origin = outcome[ORIGIN]
    if not isinstance(origin, dict) or not {"date", "versions", "data"} <= set(origin):
        return False
    return isinstance(origin["versions"], dict) and set(PACKAGES) <= set(origin["versions"])


def is_of_this_data(job: Job, outcome: Outcome) -> bool:
    """Say whether a run was made of the data that is there now."""
    origin = outcome.get(ORIGIN)
    return origin is not None and origin["data"] == _digest_of(job)


def origins_of(results: Sequence[tuple[Job, Outcome]]) -> dict[str, Any]:
    """Return dates, versions and digests of the data of several runs.

    Examples
    --------
    >>> from colonnade.reproduction.origin import origins_of, stamped
    >>> job = {"data": "iris"}
    >>> about = origins_of([(job, stamped(job, {"error": 0.5}))])
    >>> list(about), about["data"]  # data that comes with scikit-learn has its version
    (['date', 'versions', 'data'], {'iris': None})
    """
    origins = [(job["data"], outcome[ORIGIN]) for job, outcome in results]
    versions = {
        name: _several(origin["versions"][name] for _, origin in origins) for name in PACKAGES
    }
    dates = sorted({origin["date"] for _, origin in origins})
    return {
        "date": " to ".join(dict.fromkeys((dates[0], dates[-1]))),
        "versions": versions,
        "data": {str(name): origin["data"] for name, origin in origins},
    }


def _several(values: Iterable[str]) -> str:
    return " and ".join(sorted(set(values)))


def _digest_of(job: Job) -> str | None:
    path = file_of(str(job["data"]))
    if path is None:
        return None
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@lru_cache
def _digest(path: Path, _size: int, _time: int) -> str:
    """Return the beginning of the SHA-256 of a file, read again only if the file has changed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
