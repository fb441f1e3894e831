"""``colonnade reproduce``: the tables and figures of the documents, computed anew."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..comparison.ledger import LedgerError
from ..comparison.running import end_workers
from ..datasets.library import DatasetError
from ..reproduction.catalogue import experiments, find_experiments
from ..reproduction.driver import Reproduction, reproduce
from ..reproduction.experiment import Experiment
from ..reproduction.rendering import markdown, sheets
from ..reproduction.wanted_data import DataMissingError, available, missing_sentence
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
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: this folder cannot be made ({error.strerror})") from error
    check_matplotlib()
    _announce(chosen, quick)
    cleanups.append(end_workers)
    lacking: list[str] = []
    failed: list[str] = []
    written = False
    for experiment in chosen:
        with Reporter() as report:
            report.phase(experiment.name)
            try:
                found = reproduce(experiment, out, quick=quick, n_jobs=jobs, progress=report.blocks)
            except DataMissingError as error:
                lacking += error.names
                note(f"{experiment.name} is left out for want of {', '.join(error.names)}")
                continue
            except (DatasetError, LedgerError) as error:
                failed.append(experiment.name)
                say(f"{experiment.name} is left out: {error}")
                continue
            lacking += found.missing
            (out / f"{found.file_name}.md").write_text(markdown(found), encoding="utf-8")
            if found.findings.curves:
                picture = out / f"{found.file_name}.png"
                draw_curves(picture, found.findings.curves, found.findings.axes)
        written = True
        _show(found)
    _end(out if written else None, lacking, failed)


def _end(written: Path | None, lacking: Iterable[str], failed: Sequence[str]) -> None:
    """Say where results are and what is missing, and fail if something went wrong or none is."""
    missing = missing_sentence(dict.fromkeys(lacking)) if lacking else ""
    if written is None and not failed:
        raise InputError(missing)
    if missing:
        print_lines(missing)
    if written is not None:
        print_lines(f"Written to {written}")
    if failed:
        raise InputError(f"left out, as its data or its runs cannot be read: {', '.join(failed)}")


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
    """Return about how long experiments take together: runs that they share count once."""
    counted: set[tuple[str, str]] = set()
    total = 0.0
    for experiment in chosen:
        own = {
            (experiment.study.name, json.dumps(job, sort_keys=True))
            for job in experiment.jobs(False)
        }
        total += experiment.minutes * len(own - counted) / max(len(own), 1)
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
