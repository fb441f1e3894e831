"""``colonnade reproduce``: the tables and figures of the documents, computed anew."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from ..comparison.ledger import LedgerError
from ..comparison.running import end_workers
from ..datasets.library import DatasetError
from ..foundation.atomic import atomic
from ..reproduction.catalogue import experiments, find_experiments
from ..reproduction.driver import Reproduction, reproduce, runs_file
from ..reproduction.experiment import Experiment
from ..reproduction.rendering import markdown, sheets
from ..reproduction.wanted_data import available, missing_sentence
from .ending import cleanups
from .errors import InputError
from .options import Debug, Quiet, whole
from .outputs import check_matplotlib, draw_curves
from .progress import Reporter
from .screen import grid, note, print_grid, print_lines, say

__all__ = ["command"]

QUICK_SHARE = 0.02
"""About how much of its time an experiment takes if it is reduced."""


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...",
            help="Experiments, a document (farahat-2012), or all; without a name they are listed.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few and small runs: all of them in minutes.")
    ] = False,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder for runs and results; a second run goes on.")
    ] = Path("reproduction-output"),
    jobs: Annotated[
        int | None, whole("--jobs", low=1, help="How many runs at once; all cores by default.")
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    if not names:
        _list()
        return
    try:
        chosen = find_experiments(names)
    except ValueError as error:
        raise InputError(str(error)) from error
    there, lacking = _with_data(chosen, quick)
    if not there:
        raise InputError(missing_sentence(lacking))
    check_matplotlib()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: this folder cannot be made ({error.strerror})") from error
    _announce(there, quick)
    ended = _Ended(lacking)
    for experiment in there:
        found = _run(experiment, out, quick, jobs, ended)
        if found is not None:
            _show(found)
    ended.tell(out)


def _with_data(chosen: Sequence[Experiment], quick: bool) -> tuple[list[Experiment], list[str]]:
    """Return the experiments of which some data is there, and what the others lack."""
    found: list[Experiment] = []
    lacking: list[str] = []
    for experiment in chosen:
        there = available(experiment.data(quick))
        if any(there.values()):
            found.append(experiment)
        else:
            lacking += there
            note(f"{experiment.name} is left out for want of {', '.join(there)}")
    return found, list(dict.fromkeys(lacking))


@dataclass
class _Ended:
    """What became of the experiments.

    Attributes
    ----------
    lacking : list of str
        Data sets that are not there.
    written, unread, halted : list of str
        Experiments whose results are written, whose data or runs cannot be read, and whose files
        the system does not let be read or written.
    """

    lacking: list[str]
    written: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    halted: list[str] = field(default_factory=list)

    def tell(self, out: Path) -> None:
        """Say where results are and what is missing, and fail if something went wrong."""
        if self.lacking:
            print_lines(missing_sentence(dict.fromkeys(self.lacking)))
        if self.written:
            print_lines(f"Written to {out}")
        wrong = [
            f"{what}: {', '.join(names)}"
            for what, names in (
                ("left out, as its data or its runs cannot be read", self.unread),
                ("not complete, as files cannot be read or written", self.halted),
            )
            if names
        ]
        if wrong:
            raise InputError("; ".join(wrong))


def _run(
    experiment: Experiment, out: Path, quick: bool, jobs: int | None, ended: _Ended
) -> Reproduction | None:
    """Run an experiment and write what it finds; None if it ends before it finds anything."""
    found = None
    with Reporter() as report, _told_if_interrupted(experiment, out, quick) as kept:

        def progress(name: str, done: int, wanted: int) -> None:
            kept[:] = done, wanted
            report.blocks(name, done, wanted)

        report.phase(experiment.name)
        try:
            found = reproduce(experiment, out, quick=quick, n_jobs=jobs, progress=progress)
            ended.lacking += found.missing
            _write(found, out)
        except (DatasetError, LedgerError) as error:
            ended.unread.append(experiment.name)
            say(f"{experiment.name} is left out: {error}")
        except OSError as error:
            if error.filename is None:  # it is not about a file
                raise
            ended.halted.append(experiment.name)
            say(
                f"{experiment.name} is not complete: {error.filename}: {error.strerror or error}; "
                "what is done is kept, and the same command goes on"
            )
        else:
            ended.written.append(experiment.name)
    return found


def _write(found: Reproduction, out: Path) -> None:
    """Write a page, and a picture if there is something to draw, beside what is saved already."""
    with atomic(out / f"{found.file_name}.md") as file:
        file.write(markdown(found).encode())
    if found.findings.curves:
        draw_curves(out / f"{found.file_name}.png", found.findings.curves, found.findings.axes)


@contextmanager
def _told_if_interrupted(experiment: Experiment, out: Path, quick: bool) -> Iterator[list[int]]:
    """Say how many runs are kept if a signal ends the process; yields where to put the numbers."""
    kept = [0, 0]

    def tell() -> None:
        if kept[0]:
            path = runs_file(experiment, out, quick=quick)
            text = (
                f"colonnade: {kept[0]} of {kept[1]} runs of {experiment.name} are kept in {path}; "
                "the same command goes on from there\n"
            )
            os.write(2, text.encode(errors="backslashreplace"))  # streams of Python may be busy

    cleanups.insert(0, tell)  # the last to be done, when the bar is gone
    cleanups.append(end_workers)
    try:
        yield kept
    finally:
        cleanups.remove(end_workers)
        cleanups.remove(tell)


def _list() -> None:
    titles = ("experiment", "what it shows", "data", "minutes")
    rows = []
    for experiment in experiments().values():
        there = available(experiment.data())
        data = ", ".join(name if found else f"{name} (missing)" for name, found in there.items())
        rows.append((experiment.name, experiment.title, data, f"{experiment.minutes:.0f}"))
    print_grid(grid(titles, rows, left=titles[:3], whole=titles[:1]))


def _announce(chosen: list[Experiment], quick: bool) -> None:
    minutes = minutes_of(chosen) * (QUICK_SHARE if quick else 1)
    time = "less than a minute" if minutes < 1 else f"about {round(minutes)} min"
    note(
        f"{len(chosen)} of {len(experiments())} experiments, {time} on two cores if none has been "
        "run yet; what is done is kept, and a second run goes on"
    )


def minutes_of(chosen: Sequence[Experiment]) -> float:
    """Return about how long experiments take together.

    Runs that they share count once, and those whose data is not there do not count.
    """
    counted: set[tuple[str, str]] = set()
    total = 0.0
    for experiment in chosen:
        there = available(experiment.data())
        jobs = experiment.jobs(False)
        own = {
            (experiment.study.name, json.dumps(job, sort_keys=True))
            for job in jobs
            if there[str(job["data"])]
        }
        total += experiment.minutes * len(own - counted) / max(len(jobs), 1)
        counted |= own
    return total


def _show(found: Reproduction) -> None:
    about = found.about
    print_lines("", f"{about['document']}, {about['place']}: {about['title']}", about["settings"])
    for sheet in sheets(found.findings):
        print_lines(sheet.title or "figures", "ours (printed; difference)")
        first = sheet.columns[:1]
        print_grid(grid(sheet.columns, sheet.rows, left=first, whole=first))
    for claim in found.findings.claims:
        print_lines(f"{claim.verdict}: {claim.text}", f"    {claim.figure}")
    print_lines(*found.findings.notes, f"{found.seconds:.0f} s on one core")
