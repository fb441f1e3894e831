"""``colonnade compare``: which method is best on a file, by how much, and whether by chance."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from .. import io
from ..comparison.asked import RANDOM, contenders_of, default_methods, split_methods
from ..comparison.comparison import EXTENSIONS, Comparison
from ..comparison.contenders import MethodContender
from ..comparison.contest import compare
from ..comparison.running import end_workers
from ..comparison.verdicts import best_method
from .data import FILLING, about_filled, check_limit, gap_fills, label_classes
from .ending import cleanups
from .errors import InputError, input_errors
from .groups import flattened
from .input import parse_share, parse_whole
from .options import Debug, Json, Quiet, Seed, whole
from .outputs import PICTURES, Files, check_matplotlib
from .progress import Reporter
from .reading import Reading
from .screen import Styled, grid, note, on_terminal, print_grid, print_json, print_lines
from .treatment import Treatment

__all__ = ["command"]

STYLES = {1: "bold", 2: "underline"}
"""How the best and the second best group are shown on a terminal."""
MARKS = {1: "*", 2: "+"}
"""How they are shown where there are no styles."""

MINUTE = 60


@flattened
def command(
    source: Reading,
    treatment: Treatment,
    number: Annotated[
        str | None,
        typer.Option("-n", "--n-select", help="How many columns: 5,10,20, or shares: 5%,10%."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--methods",
            help="Which, with parameters: greedy,'greedy(refine=True)',pivoted-qr; repeatable. "
            "Random columns always take part.",
        ),
    ] = None,
    seeds: Annotated[
        int, whole("--seeds", low=2, help="How many splits of the rows into halves.")
    ] = 10,
    clusters: Annotated[
        int | None,
        whole("--clusters", low=2, help="For k-means; as many as classes if there is --label."),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[
        int | None, whole("--jobs", low=1, help="How many runs at once; all cores by default.")
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--out",
            help="Write all figures (.csv), tables and verdict (.md) or everything (.json); "
            "repeatable.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw all measures over the sizes (.png, .svg, .pdf).")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Keep runs in this file, and go on from it; by default, as long as a comparison "
            "is not complete, beside the first --out."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    file = source.file
    sizes = _parse_sizes(number)
    wanted = split_methods(",".join(methods or []))
    if methods is not None:
        with input_errors():
            contenders_of(wanted, supervised=True)
    treatment.check()
    targets = out or []
    _check_targets(targets, plot, resume, source.sources)
    source.check_fillable()
    files = Files()
    with Reporter() as report:
        table = source.table(report)
        filling = source.missing in FILLING
        if filling and gap_fills(table, source.missing) is not None:
            note(f"{about_filled(table, source.missing)}, of the rows that are chosen by")
        for size in sizes:
            check_limit("-n", size, file, table.X.shape[1], "column")
        wanted = wanted or default_methods(table.X.shape[1])
        labels = label_classes(table, "--label")
        with input_errors(y="--label"):
            contenders_of(wanted, supervised=labels is not None)
        report.phase("looking at the data")
        treated = treatment.of(table, missing=source.missing if filling else "error")
        ledger = resume or (_beside(targets[0]) if targets else None)
        cleanups.append(end_workers)
        kept = _Kept(ledger, report, seeds)
        cleanups.insert(0, kept.tell)  # the last to be done, when the bar is gone
        with treated.told(), input_errors(n_select="-n", y="--label", n_clusters="--clusters"):
            found = compare(
                table.X, sizes, methods=wanted, y=labels, seeds=seeds, n_clusters=clusters,
                center=treated.center, scale=treated.scale,
                missing=source.missing if filling else "error", random_state=seed, n_jobs=jobs,
                resume=ledger, progress=kept,
            )  # fmt: skip
        cleanups.remove(end_workers)
        cleanups.remove(kept.tell)
        report.phase("writing")
        for path in targets:
            files.write(path, found.save)
        complete = len(files.written) == len(targets)
        files.write(plot, lambda path: _draw(found, path))
        if ledger is not None and resume is None and complete:
            ledger.unlink(missing_ok=True)
    advice = _next(found, source, treatment)
    if as_json:
        about = {"source": str(file), "label": None if labels is None else table.label_name}
        print_json({**about, **found.to_dict(), "data": treated.to_dict(), "next": advice})
    else:
        print_lines(*treated.lines())
        _show(found)
        print_lines(*files.lines(), "", f"next: {advice}")
    files.raise_problem()


def _parse_sizes(text: str | None) -> list[int | float]:
    parts = [part.strip() for part in (text or "").split(",") if part.strip()]
    if not parts:
        raise InputError("say with -n how many columns to choose, such as -n 5,10,20 or -n 5%,10%")
    sizes: list[int | float] = []
    for part in parts:
        if part.endswith("%") or "." in part:
            share = parse_share("-n", part)
            if not 0 < share <= 1:
                raise InputError(f"-n {part}: a share lies above 0 and is at most 1")
            sizes.append(share)
        else:
            sizes.append(parse_whole("-n", part, 1))
    return sizes


class _Kept:
    """How many runs are done, to be shown, and to be told if the command is interrupted."""

    def __init__(self, path: Path | None, report: Reporter, seeds: int) -> None:
        self._path, self._report, self._seeds = path, report, seeds
        self._done, self._wanted = 0, 0
        self._begun: tuple[int, float] | None = None

    def __call__(self, done: int, wanted: int) -> None:
        self._done, self._wanted = done, wanted
        self._report.blocks(f"comparing{self._left()}", done, wanted)

    def _left(self) -> str:
        """Return how long the rest takes, once a split of the rows shows what runs take."""
        now = time.monotonic()
        before, begun = self._begun = self._begun or (self._done, now)
        done, left = self._done - before, self._wanted - self._done
        if not left or done * self._seeds < self._wanted:
            return ""
        seconds = (now - begun) / done * left
        if seconds < MINUTE:
            return ", less than a minute left"
        minutes = ceil(seconds / MINUTE)
        return f", about {minutes} min left" if minutes < 120 else f", about {minutes // 60} h left"

    def tell(self) -> None:
        if self._path is not None and self._done:
            text = (
                f"colonnade: {self._done} of {self._wanted} runs are kept in {self._path}; the "
                "same command goes on from there\n"
            )
            os.write(2, text.encode(errors="backslashreplace"))  # streams of Python may be busy


def _check_targets(
    out: Sequence[Path], plot: Path | None, resume: Path | None, sources: Sequence[Path]
) -> None:
    for path in out:
        io.check_target(path, sources=sources, extensions=EXTENSIONS)
    if resume is not None and resume.parent.is_dir():  # it is made otherwise
        io.check_target(resume, sources=sources, extensions=("",))
    written = [path.resolve() for path in (*out, plot) if path is not None]
    if resume is not None and resume.resolve() in written:
        raise InputError(f"--resume {resume}: a result is written there in place of runs; choose "
                         "another file for these")  # fmt: skip
    if plot is not None:
        io.check_target(plot, sources=sources, extensions=PICTURES)
        check_matplotlib()


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.stem}.runs.jsonl")


def _draw(found: Comparison, path: Path) -> None:
    with io.atomic(path) as file:
        found.draw().savefig(file, format=path.suffix[1:].lower())


def _show(found: Comparison) -> None:
    seen = on_terminal()

    def mark(text: str, group: int) -> str:
        if seen:
            return Styled(text, STYLES.get(group, ""))
        return f"{text} {MARKS.get(group, ' ')}"

    for sheet in found.sheets(mark):
        print_lines("", sheet.title)
        titles = sheet.columns
        print_grid(grid(titles, sheet.rows, left=titles[:1], whole=titles[:1]))
    words = ("bold", "underlined") if seen else ("marked *", "marked +")
    print_lines(found.legend(*words), *found.notes(), "", *found.verdict())


def _next(found: Comparison, source: Reading, treatment: Treatment) -> str:
    """Return the command that chooses columns of all rows by the method that was best."""
    best = best_method(found.lines, found.n_select, others=True) or RANDOM
    contender = contenders_of([best], supervised=True)[best]
    assert isinstance(contender, MethodContender), "there are no others on the command line"
    sizes = [line.n_select for line in found.lines if line.method == best and line.comparable]
    n = max(sizes, default=found.n_select[-1])
    parts = ["colonnade select", quote(str(source.file)), f"-n {n}"]
    parts += source.given()
    parts += [] if treatment.center else ["--no-center"]
    parts += [] if treatment.scale == "auto" else [f"--scale {treatment.scale}"]
    parts.append(f"--method {contender.method}")
    for key, value in contender.params.items():
        if key == "refine" and value is True:
            parts.append("--refine")
        elif key in ("must_include", "exclude"):
            parts.append(f"--{key.replace('_', '-')} {quote(','.join(map(str, value)))}")
        else:
            parts.append(f"--param {quote(f'{key}={value}')}")
    return " ".join(parts)
