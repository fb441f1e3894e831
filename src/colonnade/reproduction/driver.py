"""Run experiments, keep what they find, and go on where an earlier run stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ..comparison.ledger import Job, Ledger, LedgerError, Outcome
from ..comparison.running import run_jobs
from ..foundation.atomic import StrPath, atomic
from .experiment import Experiment
from .findings import Findings
from .origin import has_origin, is_of_this_data, origins_of, stamped, without_origin
from .wanted_data import DataMissingError, available

__all__ = ["Reproduction", "load_all", "reproduce", "runs_file"]

Report = Callable[[str, int, int], None]
"""Is told which experiment runs, how many of its runs are done, and how many there are."""


@dataclass(frozen=True)
class Reproduction:
    """An experiment that was run.

    Attributes
    ----------
    about : dict
        What was run, how, when, with which versions and of which data.
    findings : Findings
    seconds : float
        All its runs one after the other, on one core each; others may have used them before.
    quick : bool
        Whether it was reduced.
    missing : tuple of str
        Data sets that were not there.
    """

    about: dict[str, Any]
    findings: Findings
    seconds: float
    quick: bool
    missing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return str(self.about["name"])

    @property
    def file_name(self) -> str:
        """What its files are called; those of a reduced run do not replace those of a full one."""
        return f"{self.name}-quick" if self.quick else self.name

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            **self.about, "quick": self.quick, "seconds": round(self.seconds, 1),
            "missing": list(self.missing), **self.findings.to_dict(),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Self:
        """Return what :meth:`to_dict` was made of."""
        findings = Findings.from_dict(content)
        own = {"quick", "seconds", "missing", *findings.to_dict()}
        about = {key: value for key, value in content.items() if key not in own}
        return cls(about, findings, content["seconds"], content["quick"], tuple(content["missing"]))

    def save(self, folder: StrPath) -> Path:
        """Write it as JSON to a folder and return the path."""
        path = Path(folder) / f"{self.file_name}.json"
        with atomic(path) as file:
            text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
            file.write(text.encode() + b"\n")
        return path


def reproduce(
    experiment: Experiment,
    folder: StrPath,
    *,
    quick: bool = False,
    n_jobs: int | None = None,
    progress: Report | None = None,
) -> Reproduction:
    """Run an experiment, or what is left of it, and save what it finds.

    Runs that are kept count if they were made of the same data; others are done again.

    Parameters
    ----------
    experiment : Experiment
        Which one.
    folder : str or path
        Where runs are kept (``runs/``) and findings are written.
    quick : bool, default=False
        Whether to run a reduced one.
    n_jobs : int, optional
        How many runs at once; by default as many as there are cores.
    progress : callable, optional
        Told about the runs.

    Returns
    -------
    Reproduction

    Raises
    ------
    DataMissingError
        If none of its data is there.
    DatasetError
        If some of it is there and cannot be read.
    LedgerError
        If the runs that are kept there are others, or damaged.
    """
    folder = Path(folder)
    study, jobs = experiment.study, list(experiment.jobs(quick))
    there = available(str(job["data"]) for job in jobs)
    missing = tuple(name for name, found in there.items() if not found)
    if not any(there.values()):
        raise DataMissingError(missing)
    ledger = Ledger(
        runs_file(experiment, folder, quick=quick),
        {"study": study.name, "version": study.version, "quick": quick},
    )
    wanted = [job for job in jobs if there[str(job["data"])]]
    for job in wanted:
        if job in ledger:
            _check(ledger, job)
            if not is_of_this_data(job, ledger.get(job)):
                ledger.forget(job)
    results = run_jobs(
        study.run,
        wanted,
        ledger,
        n_jobs=n_jobs,
        progress=None if progress is None else _named(progress, experiment.name),
        kept=stamped,
    )
    seconds = sum(float(outcome["seconds"]) for _, outcome in results)
    about = {**experiment.to_dict(), **origins_of(results)}
    findings = experiment.report([(job, without_origin(outcome)) for job, outcome in results])
    found = Reproduction(about, findings, seconds, quick, missing)
    found.save(folder)
    return found


def runs_file(experiment: Experiment, folder: StrPath, *, quick: bool = False) -> Path:
    """Return the file in which the runs of an experiment are kept."""
    kind = "quick" if quick else "full"
    return Path(folder) / "runs" / f"{experiment.study.name}-{kind}.jsonl"


def _check(ledger: Ledger, job: Job) -> None:
    """Raise LedgerError if a run that is kept is none that was kept here."""
    outcome = ledger.get(job)
    wrong = _wrong(outcome)
    if wrong:
        told = json.dumps(job, sort_keys=True, ensure_ascii=False)  # as it stands in the file
        raise LedgerError(
            f"{ledger.path}: the run {told} has {wrong}; remove its line to have it done again"
        )


def _wrong(outcome: Outcome) -> str:
    """Return what an outcome lacks, of what every run is given when it is kept."""
    if not isinstance(outcome.get("seconds"), int | float):
        return "no number as its 'seconds'"
    return "" if has_origin(outcome) else "no whole 'origin'"


def _named(progress: Report, name: str) -> Callable[[int, int], None]:
    return lambda done, wanted: progress(name, done, wanted)


def load_all(folder: StrPath, names: Sequence[str]) -> dict[str, Reproduction]:
    """Return the experiments that were run in full into a folder, in the order of some names."""
    found = {}
    for name in names:
        path = Path(folder) / f"{name}.json"
        if path.exists():
            found[name] = Reproduction.from_dict(json.loads(path.read_text(encoding="utf-8")))
    return found
