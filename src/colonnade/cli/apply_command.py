"""``colonnade apply``: a selection that was kept, on another file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .. import io
from ..foundation.typing import Floats
from ..io.column_kinds import bad_entries, per_column
from ..io.formats import Table
from ..io.in_blocks import check_blocks_target, row_blocks, write_in_blocks
from ..io.phrases import counted
from ..operands.chunked.engine import on_threads
from ..operands.containers import dense, times_columns
from ..selection import Selection
from .beyond import InParts, as_plain_table
from .errors import InputError, input_errors
from .groups import flattened
from .kept import ROWS, matched, read_selection, warn_of_drift
from .options import Debug, Json, Out, Quiet, SafeCsv, whole
from .outputs import Files, check_data_target
from .parts_out import weighted, without_gaps
from .progress import Reporter
from .reading import Reading
from .screen import grid, note, print_grid, print_json, print_lines

__all__ = ["command"]


@flattened
def command(
    selection: Annotated[
        Path, typer.Argument(help="What colonnade select --out wrote as .json, for a file before.")
    ],
    source: Reading,
    parts: InParts,
    out: Out = None,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--reconstruct", help="Compute all columns of the first file from the chosen ones."
        ),
    ] = False,
    std: Annotated[
        bool, typer.Option("--std", help="With --reconstruct: show the standard errors.")
    ] = False,
    rescale: Annotated[
        bool,
        typer.Option(
            "--rescale/--no-rescale", help="Whether to apply the weights that the method gave."
        ),
    ] = True,
    rows: Annotated[
        int, whole("--rows", low=1, help="With --reconstruct: how many columns to show.")
    ] = ROWS,
    everything: Annotated[bool, typer.Option("--all", help="Show all columns.")] = False,
    safe_csv: SafeCsv = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    if std and not rebuild:
        raise InputError("--std is about columns that are reconstructed; add --reconstruct")
    chosen = read_selection(selection, "apply")
    if rebuild and chosen.embedding is None:
        raise InputError(
            f"{selection}: no coefficients in it, which --reconstruct needs; choose again with "
            "colonnade select --out"
        )
    if out is None and not rebuild:
        raise InputError("say with --out where to write the chosen columns, or add --reconstruct")
    check_data_target(out, source.sources, safe_csv)
    if out is not None:
        io.check_target(out, sources=[selection])
    if parts.asked:
        assert out is not None or rebuild
        _apply_in_parts(chosen, source, parts, out, rebuild, rescale, safe_csv, as_json, selection)
        return
    source.check_fillable()
    files = Files()
    found: dict[str, Any] = {"source": str(source.file), "selection": str(selection)}
    with Reporter() as report, parts.named(source):
        table = _table_for(source, report, chosen)
        with input_errors():
            table, as_read, reduced = _without_gaps(source, table, chosen)
            found["drift"] = warn_of_drift(chosen, as_read)  # filled columns vary less
            result = _in_place(chosen, reduced, rescale)
            if rebuild:
                report.phase("reconstructing")
                result, found["columns"] = _rebuilt(chosen, reduced, table)
        found["shape"] = list(result.X.shape)
        report.phase("writing")
        if out is not None:
            io.check_content(out, result)
        files.write(out, lambda path: io.write(path, result, safe_csv=safe_csv))
    if as_json:
        print_json(found)
    else:
        _show(found, chosen, None if everything else rows, std)
        print_lines(*files.lines())
    files.raise_problem()


def _apply_in_parts(
    chosen: Selection,
    source: Reading,
    parts: InParts,
    out: Path | None,
    rebuild: bool,
    rescale: bool,
    safe_csv: bool,
    as_json: bool,
    selection: Path,
) -> None:
    """Write the chosen columns of a file that is read in parts, one part after the other."""
    if rebuild or out is None:
        raise InputError(
            "--reconstruct needs the whole file, which is read in parts here; write the chosen "
            "columns with --out first, and reconstruct from that file"
        )
    parts.check(source)
    check_blocks_target(out)
    with Reporter() as report, on_threads(parts.n_tasks):
        report.phase(f"opening {source.file.name}")
        # whoever wants columns that hold no numbers will miss them
        reader = dataclasses.replace(source, numeric_only=True) if chosen.candidates else source
        table = as_plain_table(parts.opened(reader), source)
        table = matched(table, chosen, source.file, everything=False)
        order = np.argsort(chosen.indices)
        table = table.take(columns=order.tolist())
        factors = chosen.factors[order] if rescale and chosen.factors is not None else None
        blocks = weighted(without_gaps(row_blocks(table, report.blocks), source.file), factors)
        write_in_blocks(out, table, blocks, safe_csv=safe_csv)
    about: dict[str, Any] = {"source": str(source.file), "selection": str(selection)}
    found = {**about, "drift": None, "shape": list(table.X.shape)}
    if as_json:
        print_json(found)
    else:
        _show(found, chosen, None, std=False)
        print_lines(f"Written: {out}")


def _table_for(source: Reading, report: Reporter, chosen: Selection) -> Table:
    """Read the file; of rows with gaps, only those in chosen columns are to be dropped."""
    reader = source
    # weights of words depend on the rows that there are, and need a count in every place
    if source.missing == "drop-rows" and source.transform != "tfidf":
        reader = dataclasses.replace(source, missing="error")
    return reader.table_with_gaps(report, chosen.candidates or ())


def _without_gaps(source: Reading, table: Table, chosen: Selection) -> tuple[Table, Table, Table]:
    """Return the table, its chosen columns, and these without gaps, as the user wants it.

    Gaps of other columns stay: nothing is computed from them.
    """
    reduced = matched(table, chosen, source.file, everything=False)
    rows, columns, _ = bad_entries(reduced.X)
    if not len(rows):
        return table, reduced, reduced
    if source.missing == "drop-rows":
        m = table.X.shape[0]
        keep = np.delete(np.arange(m), np.unique(rows))
        if not len(keep):
            raise InputError(
                f"{source.file}: --missing drop-rows: every row has gaps in the chosen columns; "
                "choose --missing mean (or median)"
            )
        note(f"left out {m - len(keep)} of {counted(m, 'row')}, with gaps in chosen columns")
        reduced = reduced.take(rows=keep)
        return table.take(rows=keep), reduced, reduced
    if source.missing == "error":
        counts = per_column(columns, reduced.X.shape[1])
        gappy = np.flatnonzero(counts)
        shown = [f"{reduced.names[j]!r} ({counted(int(counts[j]), 'gap')})" for j in gappy[:8]]
        more = f" and {len(gappy) - 8} more" if len(gappy) > 8 else ""
        what = "1 chosen column has" if len(gappy) == 1 else f"{len(gappy)} chosen columns have"
        raise InputError(
            f"{source.file}: {what} gaps: {', '.join(shown)}{more}; choose --missing mean (or "
            "median, drop-rows)"
        )
    return table, reduced, source.filled(reduced)


def _in_place(chosen: Selection, reduced: Table, rescale: bool) -> Table:
    """Return the chosen columns in the order of the first file, times their weights."""
    factors = chosen.factors
    if factors is not None and rescale:
        reduced = dataclasses.replace(reduced, X=times_columns(reduced.X, factors))
    return reduced.take(columns=np.argsort(chosen.indices).tolist())


def _rebuilt(chosen: Selection, reduced: Table, table: Table) -> tuple[Table, list[dict[str, Any]]]:
    """Return all columns of the first file, and how well those are met that the new file has."""
    X, errors = chosen.rebuilt(dense(reduced.X).astype(np.float64), return_std=True)
    names = list(chosen.candidates or [f"x{j}" for j in range(chosen.n_candidates)])
    picked = set(chosen.indices.tolist())
    there = {name: j for j, name in reversed(list(enumerate(table.names)))}
    lines = []
    for j, name in enumerate(names):
        share = None
        if name in there and j not in picked:
            share = _r_squared(dense(table.X[:, [there[name]]])[:, 0], X[:, j])
        error = None if np.isnan(errors[j]) else float(errors[j])
        lines.append({"name": name, "chosen": j in picked, "r_squared": share, "std": error})
    lines.sort(key=lambda line: (line["chosen"], line["r_squared"] is None, line["r_squared"] or 0))
    return dataclasses.replace(reduced, X=X, columns=names), lines


def _r_squared(x: Floats, rebuilt: Floats) -> float | None:
    """Return the share of a column's variance that is met, gaps apart; None for a constant one."""
    there = ~np.isnan(x)
    x, rebuilt = x[there].astype(np.float64), rebuilt[there]
    if not len(x):
        return None
    unit = float(np.abs(x).max()) or 1.0  # squares of very large and small entries leave the range
    total = float(np.square(x / unit - (x / unit).mean()).sum())
    if total <= len(x) * (16 * float(np.finfo(float).eps)) ** 2:
        return None
    return 1.0 - float(np.square((x - rebuilt) / unit).sum()) / total


def _show(found: dict[str, Any], chosen: Selection, rows: int | None, std: bool) -> None:
    if "columns" not in found:
        print_lines(
            f"{len(chosen)} chosen of {counted(chosen.n_candidates, 'column')}, "
            f"{counted(found['shape'][0], 'row')}"
        )
        return
    others = [line for line in found["columns"] if not line["chosen"]]
    shown = others if rows is None else others[:rows]
    titles = ["column", "R² on this file", *(["standard error"] if std else [])]
    cells = [
        [
            line["name"],
            "" if line["r_squared"] is None else f"{line['r_squared']:.3f}",
            *([_number(line["std"])] if std else []),
        ]
        for line in shown
    ]
    print_grid(grid(titles, cells, left=titles[:1]))
    known = [line["r_squared"] for line in others if line["r_squared"] is not None]
    text = f"{len(others)} columns from {len(chosen)}"
    if known:
        middle = float(np.median(known))
        text += f"; R² of those that this file has: median {middle:.3f}, least {min(known):.3f}"
    if len(shown) < len(others):
        text += f"; {len(shown)} are shown, the worst first, --all for all"
    print_lines(text)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
