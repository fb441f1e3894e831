"""``colonnade explain``: what the chosen columns of a file stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import io
from ..io.phrases import counted
from ..metrics.explanation import Explanation
from .errors import input_errors
from .groups import flattened
from .kept import ROWS, matched, read_selection, warn_of_drift
from .options import Debug, Json, Quiet, whole
from .outputs import Files
from .progress import Reporter, explained_percent, percent
from .reading import Reading
from .screen import grid, print_grid, print_json, print_lines

__all__ = ["command"]

WRITTEN = (".csv", ".json")


@flattened
def command(
    source: Reading,
    selection: Annotated[
        Path, typer.Argument(help="What colonnade select --out wrote as .json, for this file.")
    ],
    rows: Annotated[
        int, whole("--rows", low=1, help="How many of the worst explained columns to show.")
    ] = ROWS,
    everything: Annotated[bool, typer.Option("--all", help="Show all columns.")] = False,
    rivals: Annotated[
        bool,
        typer.Option(
            "--rivals/--no-rivals",
            help="Whether to look for the column that could best replace each chosen one.",
        ),
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write all columns (.csv), or all there is (.json)."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    chosen = read_selection(selection, "explain")
    if out is not None:
        io.check_target(out, sources=[*source.sources, selection], extensions=WRITTEN)
    source.check_fillable()
    files = Files()
    with Reporter() as report:
        read = source.table(report, chosen.candidates or ())
        table = matched(read, chosen, source.file, everything=True)
        with input_errors():
            # before gaps are filled: filled columns vary less
            warn_of_drift(chosen, table.take(columns=chosen.indices.tolist()))
        table = source.filled(table)
        report.phase("explaining columns")
        with input_errors():
            from .. import explain

            named = chosen if chosen.candidates else chosen.replace(candidates=tuple(table.names))
            found = explain(table.X, named, rivals=rivals)
        report.phase("writing")
        files.write(out, found.save)
    if as_json:
        print_json({"source": str(source.file), **found.to_dict()})
    else:
        _show(found, None if everything else rows)
        print_lines(*files.lines())
    files.raise_problem()


def _show(found: Explanation, rows: int | None) -> None:
    whole = "variance" if found.centered else "squared size"
    print_grid(_chosen(found))
    kept = explained_percent(1 - found.error)
    count = len(found.indices)
    print_lines(
        f"{count} of {counted(len(found.explained), 'column')} explain{'s' * (count == 1)} "
        f"{kept} % of the {whole}; a loss is what dropping the column would add to the error, "
        "an exchange what its rival would, in % of all"
    )
    better = int((found.exchange_costs < 0).sum())
    if better:
        what = "1 exchange" if better == 1 else f"{better} exchanges"
        print_lines(f"{what} would lower the error; choose with --refine to make such")
    others = [j for j in found.order().tolist() if j not in set(found.indices.tolist())]
    shown = others if rows is None else others[:rows]
    if not shown:
        return
    lines = [(found.name_of(j), _share(found.explained[j]), [found.formula(j)]) for j in shown]
    titles = ("column", "explained, %", "computed from the chosen ones")
    print_grid(grid(titles, lines, left=(titles[0], titles[2])))
    if len(shown) < len(others):
        print_lines(f"{len(shown)} of {len(others)} other columns, the worst first; --all for all")


def _chosen(found: Explanation) -> Any:
    lines = found.chosen_lines()
    cost = [
        None if c is None else f"{'-' * (c < 0)}{percent(abs(c))}" for c in lines["exchange_cost"]
    ]
    return grid(
        ("choice", "column", "loss, %", "rival", "exch., %", "stands for"),
        [
            (choice, name, percent(loss), rival or "", change or "", _few(names))
            for choice, name, loss, rival, change, names in zip(
                lines["choice"],
                lines["name"],
                lines["loss"],
                lines["rival"],
                cost,
                lines["stands_for"],
                strict=True,
            )
        ],
        left=("column", "rival", "stands for"),
        whole=("column",),
    )


def _few(names: list[str], most: int = 3) -> list[str]:
    """Return a line for each of the first names, and one for how many more there are."""
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return names[:most] + more


def _share(share: float) -> str:
    return "constant" if share != share else explained_percent(share)
