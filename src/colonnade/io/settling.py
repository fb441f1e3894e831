"""From what a reader found to a table: what is left out, what is refused, what becomes of gaps."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..foundation.typing import Array
from ..foundation.wording import did_you_mean
from ..operands.containers import dense
from .column_kinds import bad_entries, identifiers, named_as_identifier, per_column
from .complaints import Bad, complaint
from .counts import transformed
from .kinds import FileError
from .table import Options, Refused, Table, Where, check_form, check_not_empty, make_plan

__all__ = ["MISSING_WAYS", "check_options", "from_array", "settle"]

MISSING_WAYS = ("error", "drop-rows", "drop-columns", "mean", "median", "pairwise")
"""What may become of gaps; the last three are left to the methods, and NaN stays."""
TRANSFORMS = ("log1p", "tfidf")


def check_options(path: Path, options: Options) -> None:
    """Raise FileError for values of options that mean nothing."""
    for name, allowed in (("missing", MISSING_WAYS), ("transform", TRANSFORMS)):
        value = getattr(options, name)
        if value is not None and value not in allowed:
            raise FileError(
                f"{path}: {options.spelled(name, value)}: unknown{did_you_mean(value, allowed)}; "
                f"there are {', '.join(allowed)}"
            )
    for name in ("min_df", "max_df"):
        value = getattr(options, name)
        if value is None:
            continue
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not (value >= 1 if whole else 0 < value <= 1):
            raise FileError(
                f"{path}: {options.spelled(name, value)}: give a number of rows from 1 on, or a "
                "share of them above 0 and at most 1.0"
            )


def from_array(
    path: Path,
    X: Any,
    options: Options,
    names: Iterable[Any] | None = None,
    *,
    labels: Array | None = None,
    label_name: str | None = None,
    row_names: Array | None = None,
) -> Table:
    """Return a table of the numbers in an array or sparse matrix; raise FileError if it is none."""
    check_form(path, X.dtype, X.shape)
    plan = make_plan(path, X.shape[1], names, options)
    if plan.label is not None:
        labels = dense(X[:, [plan.label]]).ravel()
    if plan.row_names is not None:
        row_names = dense(X[:, [plan.row_names]]).ravel()
    X = X if plan.keep is None else X[:, plan.keep]
    table = Table(X, plan.columns, labels, label_name or plan.label_name, row_names)
    return settle(path, table, lambda row: f"row {row}", options)


def settle(
    path: Path, table: Table, where: Where, options: Options, refused: Sequence[Refused] = ()
) -> Table:
    """Return a table that can be used as the options say; raise FileError if there is none.

    Parameters
    ----------
    path : Path
        The file.
    table : Table
        The columns that hold numbers; NaN for gaps.
    where : callable
        From the number of a row to where it is in the file.
    options : Options
        Of these: what to leave out, what becomes of gaps, and what to do to counts.
    refused : sequence of Refused
        The other columns.
    """
    left_out: dict[str, str] = {}
    found = identifiers(table.X, table.names) if 0 not in table.X.shape else []
    found = [j for j in found if table.names[j] not in options.wanted]
    if options.numeric_only:
        left_out = {column.name: _reason(column) for column in refused}
        table, left_out = _without(table, dict.fromkeys(found, "identifier"), left_out)
        refused = ()
    suspects = [] if options.numeric_only else [table.names[j] for j in found]
    if not refused:
        check_not_empty(path, table.X.shape, left_out)
    if options.numeric_only or options.missing != "error":
        table, left_out = _without_gappy(table, left_out, options.missing == "drop-columns")
        if not refused:
            check_not_empty(path, table.X.shape, left_out)
    rows, columns, infinite = bad_entries(table.X)
    names = table.names
    holes = [] if options.missing != "error" else _bad(names, rows[~infinite], columns[~infinite])
    excess = _bad(names, rows[infinite], columns[infinite])
    if refused or holes or excess:
        n = len(names) + len(refused)
        raise FileError(f"{path}: {complaint(refused, holes, excess, where, options, n)}")
    if options.missing == "drop-rows" and len(rows):
        table = _without_rows(path, table, rows, options)
    _warn_of_identifiers(path, suspects, len(names), options)
    table = replace(table, left_out=left_out)
    return transformed(path, table, options)


def _without_gappy(
    table: Table, left_out: dict[str, str], every: bool
) -> tuple[Table, dict[str, str]]:
    """Return a table without the columns that have no entry, or without all that have gaps."""
    m, n = table.X.shape
    _, columns, infinite = bad_entries(table.X)
    gaps = per_column(columns[~infinite], n)
    reasons = dict.fromkeys(np.flatnonzero(gaps > 0).tolist(), "missing values") if every else {}
    reasons |= dict.fromkeys(np.flatnonzero(gaps == m).tolist(), "all missing")
    return _without(table, reasons, left_out)


def _without_rows(path: Path, table: Table, rows: Array, options: Options) -> Table:
    """Return a table without some rows; raise FileError if there are no others."""
    m = table.X.shape[0]
    keep = np.delete(np.arange(m), np.unique(rows))
    if not len(keep):
        raise FileError(
            f"{path}: {options.spelled('missing', 'drop-rows')}: every row has gaps; choose "
            f"{options.spelled('missing', 'drop-columns')} or {options.spelled('missing', 'mean')}"
        )
    return replace(table.take(rows=keep), n_dropped_rows=m - len(keep))


def _warn_of_identifiers(path: Path, names: Sequence[str], n: int, options: Options) -> None:
    """Say which columns number the rows; as data they would hide what was measured."""
    if names:
        one = len(names) == 1
        look, it = ("looks like an identifier", "it") if one else ("look like identifiers", "them")
        shown = ", ".join(map(repr, names[:5])) + (" ..." if len(names) > 5 else "")
        drop = options.spelled("drop", tuple(names))
        cure = f"leave {it} out with {drop}" if len(names) < n else "choose other columns"
        warnings.warn(f"{path}: {shown} {look}, not like data; if so, {cure}", stacklevel=2)


def _reason(column: Refused) -> str:
    named = column.kind == "text" and column.distinct and named_as_identifier(column.name)
    return "identifier" if named else column.kind


def _without(
    table: Table, reasons: dict[int, str], left_out: dict[str, str]
) -> tuple[Table, dict[str, str]]:
    """Return a table without some columns, and all that was left out, with the reasons."""
    if not reasons:
        return table, left_out
    names, found = table.names, sorted(reasons)
    keep = np.delete(np.arange(len(names)), found).tolist()
    return table.take(columns=keep), left_out | {names[j]: reasons[j] for j in found}


def _bad(names: Sequence[str], rows: Array, columns: Array) -> list[Bad]:
    """Return the columns that have bad entries, these sorted by column and row."""
    found, first, counts = np.unique(columns, return_index=True, return_counts=True)
    return [
        Bad(names[j], int(count), int(rows[start]))
        for j, start, count in zip(found.tolist(), first, counts, strict=True)
    ]
