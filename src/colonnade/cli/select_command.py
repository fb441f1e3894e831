"""``colonnade select``: columns or rows of a file that stand for all of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import io
from ..operands.entrance import as_columns
from ..operands.interface import Operand
from ..registry import Method
from ..selection import Selection
from .beyond import Beyond
from .certify import certified_answer, clusters_of
from .data import (
    check_covariance_options,
    check_limit,
    check_measurable,
    covariance_of,
    find_all,
    target_of,
)
from .errors import InputError, input_errors
from .groups import flattened
from .input import find_method, parse_params, parse_share, parse_size
from .large import Wish, check_wish, choose
from .options import (
    Debug,
    Json,
    Param,
    Quiet,
    SafeCsv,
    Seed,
    whole,
)
from .outputs import PICTURES, Files, check_matplotlib, check_safe_csv_option, draw_selection
from .parts_out import Targets
from .progress import Reporter
from .reading import Reading
from .screen import print_grid, print_json, print_lines
from .show import Answer, selection_table
from .size_table import proposal, size_table
from .treatment import ADJUST, Treated, Treatment

__all__ = ["command"]

COLUMNS = {"must_include": "--must-include", "exclude": "--exclude"}
"""Parameters that take columns, with their options."""


@flattened
def command(
    source: Reading,
    treatment: Treatment,
    beyond: Beyond,
    number: Annotated[
        str | None,
        typer.Option(
            "-n",
            "--n-select",
            help="How many: 20, or 0.1, or 10%; or by a rule, auto, which is also the default: "
            "parallel (analysis), elbow, held-out (rows).",
        ),
    ] = None,
    max_error: Annotated[
        str | None,
        typer.Option(
            help="Stop when at most this share of the variance is not explained: 0.05, or 5%."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option("-m", "--method", help="See [bold]colonnade methods[/bold].")
    ] = "greedy",
    rows: Annotated[bool, typer.Option("--rows", help="Choose rows, not columns.")] = False,
    refine: Annotated[
        bool, typer.Option("--refine", help="Exchange choices while that helps.")
    ] = False,
    must_include: Annotated[
        list[str] | None,
        typer.Option(help="Choose these first: names or numbers from 0, comma separated."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Never choose these: names or numbers.")
    ] = None,
    param: Param = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="Write the reduced data (.csv, .parquet, .npz, ...) or the selection (.json).",
        ),
    ] = None,
    safe_csv: SafeCsv = False,
    rescale: Annotated[
        bool,
        typer.Option(
            "--rescale/--no-rescale", help="Whether --out applies the weights that a method gives."
        ),
    ] = True,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw what is explained, with -n auto beside the best possible and random columns "
            "(.png, .svg, .pdf)."
        ),
    ] = None,
    certified: Annotated[
        bool,
        typer.Option("--certify", help="Measure what was lost, in addition to what is promised."),
    ] = False,
    clusters: Annotated[
        int | None,
        whole("--clusters", low=1, help="With --certify: judge k-means with this many clusters."),
    ] = None,
    covariance: Annotated[
        bool,
        typer.Option(
            "--covariance", help="The file holds a covariance or correlation matrix of columns."
        ),
    ] = False,
    n_samples: Annotated[
        int | None,
        whole("--n-samples", low=1, help="With --covariance: of how many rows it is."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    file = source.file
    size = parse_size(number)
    limit = _parse_error(max_error)
    if size is None and limit is None:
        size = "auto"
    entry = find_method(method)
    named = {"must_include": must_include, "exclude": exclude}
    params = parse_params(
        entry,
        param,
        options={"max_error": limit, "refine": refine or None},
        columns=[name for name, given in named.items() if given],
        flags=COLUMNS | ADJUST,
        rows=rows,
    )
    treatment.check()
    check_covariance_options(covariance, n_samples, rows, certified, out)
    if clusters is not None and not certified:
        raise InputError(f"--clusters {clusters} says what to certify; add --certify")
    check_safe_csv_option(out, safe_csv)
    _check_targets(out, plot, source.sources)
    beyond.check_workers()
    beyond.check_folder()
    if beyond.asked:
        wish = Wish(entry, size, limit, params, named, COLUMNS, rows, seed, rescale)
        check_wish(wish, treatment, certified, covariance)
        beyond.check(source)
        targets = Targets(out, plot, safe_csv)
        targets.check(rows)
        _large(wish, source, treatment, beyond, targets, as_json)
        return
    files = Files()
    with Reporter() as report, beyond.named(source):
        pairwise = source.missing == "pairwise" and not (rows or certified or covariance)
        table = source.table(report) if pairwise else source.complete_table(report)
        data = covariance_of(table, file, n_samples) if covariance else None
        unit, other = ("row", "column") if rows else ("column", "row")
        shape = table.X.shape[::-1] if rows else table.X.shape
        check_limit("-n", size, file, shape[1], unit)
        check_limit("--clusters", clusters, file, shape[0], other)
        if out is not None:
            io.check_content(out, table, selection={})
        for name, given in named.items():
            if given:
                params[name] = find_all(COLUMNS[name], given, table, rows)
        if entry.supervised:
            params[entry.supervised] = target_of(entry.name, entry.supervised, table)
        if "random_state" in entry.parameters:
            params.setdefault("random_state", seed)
        report.phase("looking at the data")
        if rows and not entry.selector.weighs_rows:  # it compares columns as they are
            treatment = Treatment(center=False, scale="none")
        treated = treatment.of(table, data, missing="pairwise" if pairwise else "error")
        report.phase(f"choosing {unit}s")
        with treated.told(), input_errors(n_select="-n", max_error="--max-error", **COLUMNS):
            selection, A = _chosen(treated, data, entry, size, params, rows, report)
        check_measurable(selection, entry.name, pairwise, covariance)
        answer = Answer(str(file), table, selection, entry, rows, treated, A, limit, rescale)
        report.phase("comparing")
        answer = answer.beside_others(seed)
        if certified:
            report.phase("certifying")
            answer = certified_answer(answer, clusters_of(entry, params, clusters), seed)
        report.phase("writing")
        files.write(
            out,
            lambda path: io.write(
                path, answer.reduced, selection=answer.to_dict(whole=True), safe_csv=safe_csv
            ),
        )
        files.write(
            plot, lambda path: draw_selection(path, answer.method.name, selection, f"{unit}s")
        )
    if as_json:
        print_json(answer.to_dict())
    else:
        print_lines(*treated.lines())
        print_grid(selection_table(answer))
        if "size" in selection.info:
            print_grid(size_table(selection.info["size"], unit))
            print_lines(proposal(selection.info["size"], unit))
        # what the method is after comes first: of near points the span is not the purpose
        print_lines(*answer.stands_for_lines(), answer.sentence())
        print_lines(*answer.certificate_lines(), *files.lines())
    files.raise_problem()


def _large(
    wish: Wish,
    source: Reading,
    treatment: Treatment,
    beyond: Beyond,
    targets: Targets,
    as_json: bool,
) -> None:
    """Choose from a file that is read in parts."""
    files = Files()
    with Reporter() as report, choose(wish, source, treatment, beyond, report) as found:
        targets.write(files, found.answer, report)
    if as_json:
        print_json(found.to_dict())
    else:
        print_lines(*found.answer.treated.lines())
        print_grid(selection_table(found.answer))
        took = found.lines(written=targets.reads_again)
        print_lines(found.answer.sentence(), *took, *files.lines())
    files.raise_problem()


def _chosen(
    treated: Treated,
    data: Any,
    entry: Method,
    size: Any,
    params: dict[str, Any],
    rows: bool,
    report: Reporter,
) -> tuple[Selection, Operand]:
    """Return the choice, and the data as the method saw it."""
    from .. import select

    A = treated.preparation.A
    if rows:
        A = as_columns(A).transposed()
        params = {**params, "center": False, "scale": None}
        return select(A, size, method=entry.name, progress=report, **params), A
    unwanted = params.get("exclude", ())
    spare = treated.spare(params.get("must_include", ()), unwanted)
    if spare or treated.constant:
        treated.check_left(size, {*spare, *unwanted})
    X = treated.table.X if data is None else data
    done: dict[str, Any] = {
        "center": treated.center,
        "scale": treated.scale,
        "missing": treated.missing,
    }
    if spare and "exclude" in entry.parameters:
        params = {**params, "exclude": sorted({*spare, *unwanted})}
        spare = []
    names = treated.table.names
    selection = entry(X, size, names=names, barred=spare, progress=report, **params, **done)
    return selection, A


def _parse_error(text: str | None) -> float | None:
    if text is None:
        return None
    share = parse_share("--max-error", text)
    if not 0 <= share < 1:
        raise InputError(f"--max-error {text}: choose a share from 0 on that is below 1")
    return share


def _check_targets(out: Path | None, plot: Path | None, sources: Sequence[Path]) -> None:
    if out is not None:
        io.check_target(out, sources=sources)
    if plot is not None:
        io.check_target(plot, sources=sources, extensions=PICTURES)
        check_matplotlib()
