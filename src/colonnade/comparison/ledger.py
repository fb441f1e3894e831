"""Results of many runs, kept in a file as they come, so that what was interrupted goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..foundation.atomic import StrPath, atomic

__all__ = ["Job", "Ledger", "LedgerError", "Outcome"]

Job = Mapping[str, Any]
"""What a run is to do: names and numbers, and nothing that JSON does not have."""
Outcome = Mapping[str, Any]
"""What a run found, likewise."""

FORMAT = "colonnade runs 1"


class LedgerError(ValueError):
    """A file is not one of these runs, or damaged; the message names it and says what to do."""


class Ledger:
    """Outcomes of runs by what they were to do.

    The file has one line of JSON about all runs, and one for each run, written when it ends. A line
    that was cut off when a process was killed is dropped.

    Parameters
    ----------
    path : str or path, optional
        The file, made by :meth:`begin`; without one, outcomes are only remembered.
    about : dict
        What all runs have in common. A file that was begun with something else is refused.
    digests : dict of str to str
        Which values of these are digests, of something that is named; None is nothing.

    Raises
    ------
    LedgerError
        If the file is of something else, or none that was written here.

    Examples
    --------
    >>> from colonnade.comparison.ledger import Ledger
    >>> ledger = Ledger(None, {"data": "iris"})
    >>> ledger.add({"method": "greedy", "seed": 0}, {"error": 0.5})
    >>> ledger.get({"seed": 0, "method": "greedy"})
    {'error': 0.5}
    """

    def __init__(
        self, path: StrPath | None, about: Job, *, digests: Mapping[str, str] | None = None
    ) -> None:
        self.path = None if path is None else Path(path)
        self._digests = digests or {}
        self.about = json.loads(json.dumps(about))
        self._outcomes: dict[str, Outcome] = {}
        if self.path is None:
            return
        if self.path.is_dir():
            raise LedgerError(f"{self.path} is a folder; runs are kept in a file: choose another "
                              "place for them")  # fmt: skip
        if self._begun(self.path):
            self._read(self.path)

    def __contains__(self, job: Job) -> bool:
        return _key(job) in self._outcomes

    def __len__(self) -> int:
        return len(self._outcomes)

    def __iter__(self) -> Iterator[tuple[Job, Outcome]]:
        for key, outcome in self._outcomes.items():
            yield json.loads(key), outcome

    def get(self, job: Job) -> Outcome:
        """Return what a run found; raises KeyError if it has not been."""
        return self._outcomes[_key(job)]

    def begin(self) -> None:
        """Make the file, unless it is there: who cannot write it should know before any work."""
        if self.path is None or self._begun(self.path):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with atomic(self.path) as file:
            file.write(_line({"format": FORMAT, "about": self.about}))

    def add(self, job: Job, outcome: Outcome) -> None:
        """Keep what a run found."""
        key = _key(job)
        self._outcomes[key] = json.loads(json.dumps(outcome))
        if self.path is None:
            return
        self.begin()
        with self.path.open("ab") as file:
            file.write(_line({"job": json.loads(key), "outcome": self._outcomes[key]}))
            file.flush()
            os.fsync(file.fileno())

    def forget(self, job: Job) -> None:
        """Take a run as not done; what it finds when it is done again replaces what it found."""
        self._outcomes.pop(_key(job), None)

    @staticmethod
    def _begun(path: Path) -> bool:
        return path.exists() and path.stat().st_size > 0

    def _read(self, path: Path) -> None:
        lines = path.read_bytes().split(b"\n")
        try:
            head = json.loads(lines[0])
            known = head["format"] == FORMAT
        except (ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise LedgerError(f"{path}: this is no file of runs; choose another place for them")
        if head["about"] != self.about:
            raise LedgerError(
                f"{path}: these runs were begun with "
                f"{_difference(head['about'], self.about, self._digests)}; "
                "choose another place, or remove the file to begin anew"
            )
        whole = len(lines[0]) + 1
        for line in lines[1:-1]:  # what stands behind the last newline was cut off
            try:
                entry = json.loads(line)
                self._outcomes[_key(dict(entry["job"]))] = dict(entry["outcome"])
            except (ValueError, KeyError, TypeError) as error:
                raise LedgerError(
                    f"{path}: line {1 + path.read_bytes()[:whole].count(10)} is damaged; remove "
                    "it to have that run done again"
                ) from error
            whole += len(line) + 1
        if lines[-1]:
            os.truncate(path, whole)


def _key(job: Job) -> str:
    return json.dumps(job, sort_keys=True, ensure_ascii=False)


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def _difference(before: Any, now: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    """Name what was different when the file was begun."""
    if not isinstance(before, dict):
        return "something else"
    keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    return ", ".join(_told(key, before.get(key), now.get(key), digests) for key in keys)


def _told(key: str, before: Any, now: Any, digests: Mapping[str, str]) -> str:
    if key not in digests:
        return f"{key}={before!r} in place of {now!r}"
    how = "no " if before is None else "" if now is None else "other "
    return f"{how}{digests[key]}"
