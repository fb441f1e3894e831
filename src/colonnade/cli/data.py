"""What a file gives to a command: its table without gaps, its labels, its covariances."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import io
from ..foundation.typing import Array, Floats
from ..io.formats import Table
from ..io.phrases import counted
from ..io.table import position
from ..operands.containers import dense, fill_gaps
from ..operands.covariance import Covariance
from ..operands.entrance import as_operand
from ..operands.interface import Columns
from ..operands.statistics import column_quantiles, present
from .errors import InputError
from .input import split_names

__all__ = [
    "about_classes",
    "about_filled",
    "about_left_out",
    "check_covariance_options",
    "check_limit",
    "check_measurable",
    "covariance_of",
    "find_all",
    "gap_fills",
    "label_classes",
    "target_of",
    "with_fills",
]

FILLING = ("mean", "median")
"""Ways to fill gaps."""
MOST_CLASSES = 20
"""More different numbers than this, in more than a fifth of the rows, are no classes."""
MOST_NAMES = 12
"""How many columns a sentence names."""


def about_left_out(table: Table) -> list[str]:
    """Return sentences on the columns and rows that the reader left out."""
    lines = []
    if table.left_out:
        reasons = dict.fromkeys(table.left_out.values())
        parts = [_named(table.left_out, reason) for reason in reasons]
        count = counted(len(table.left_out), "column")
        lines.append(f"left out {count}: {'; '.join(parts)}")
    if table.n_dropped_rows:
        total = table.n_dropped_rows + table.X.shape[0]
        lines.append(f"left out {table.n_dropped_rows} of {counted(total, 'row')}, with gaps")
    return lines


def _named(left_out: Mapping[str, str], reason: str) -> str:
    names = [name for name, why in left_out.items() if why == reason]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(map(repr, names[:MOST_NAMES]))}{more} ({reason})"


def gap_fills(table: Table, missing: str) -> Floats | None:
    """Return the mean or the median of each column, to fill its gaps; None if there is no gap."""
    A = as_operand(table.X, gaps=True)
    assert isinstance(A, Columns)
    weights = np.ones(A.shape[0])
    means, there, gaps = present(A, weights)
    if not gaps:
        return None
    empty = np.flatnonzero(~(there > 0))
    if len(empty):
        raise InputError(
            f"--missing {missing}: column {table.names[empty[0]]!r} has no entry in "
            f"{counted(A.shape[0], 'row')}; leave it out with --drop"
        )
    return means if missing == "mean" else column_quantiles(A, weights, (0.5,))[0]


def with_fills(table: Table, fills: Floats | None) -> Table:
    """Return a table with a value for each column in place of its gaps."""
    return table if fills is None else dataclasses.replace(table, X=fill_gaps(table.X, fills))


def about_filled(table: Table, missing: str) -> str:
    """Return a sentence on gaps that were filled."""
    A = as_operand(table.X, gaps=True)
    assert isinstance(A, Columns)
    _, there, gaps = present(A, np.ones(A.shape[0]))
    columns = int(np.count_nonzero(there < A.shape[0]))
    return (
        f"filled {counted(int(gaps), 'gap')} in {counted(columns, 'column')} with the {missing} of "
        f"{'its' if columns == 1 else 'each'} column"
    )


def check_covariance_options(
    covariance: bool, n_samples: int | None, rows: bool, certified: bool, out: Path | None
) -> None:
    """Raise InputError for options that covariances alone cannot serve, or that need them."""
    if not covariance:
        if n_samples is not None:
            raise InputError(
                f"--n-samples {n_samples} says of how many rows a covariance matrix is; add "
                "--covariance"
            )
        return
    for option, given in (("--rows", rows), ("--certify", certified)):
        if given:
            raise InputError(f"{option} needs the data itself; leave it out with --covariance")
    if out is not None and not out.name.lower().endswith(".json"):
        raise InputError(
            f"--out {out}: there is no data to reduce with --covariance; write the selection, .json"
        )


def check_measurable(selection: Any, method: str, pairwise: bool, covariance: bool) -> None:
    """Raise InputError if nobody can tell what a selection lost."""
    if (pairwise or covariance) and selection.relative_errors is None:
        flag = "--covariance" if covariance else "--missing pairwise"
        raise InputError(
            f"method {method!r} does not say what it loses with {flag}; choose another, such as "
            "greedy" + (", or --missing mean" if pairwise else "")
        )


def covariance_of(table: Table, file: Path, n_samples: int | None = None) -> Covariance:
    """Return a file's matrix as covariances of its columns.

    Parameters
    ----------
    table : Table
        A covariance or correlation matrix.
    file : Path
        Where it comes from, for messages.
    n_samples : int, optional
        What sums of products were divided by.
    """
    m, n = table.X.shape
    if m != n:
        hint = ""
        if m == n + 1 or n == m + 1:
            hint = " (is there a column of names? take it with --row-names)"
        raise InputError(
            f"--covariance: {file} holds {counted(m, 'row')} and {counted(n, 'column')}{hint}; a "
            "covariance or correlation matrix is square"
        )
    S = dense(table.X).astype(np.float64)
    if np.isnan(S).any():
        raise InputError("--covariance: there are gaps; leave --missing out and fill them in")
    if table.row_names is not None and table.columns is not None:
        names = [str(name) for name in table.row_names]
        if names != table.columns:
            if sorted(names) == sorted(table.columns):
                raise InputError(
                    f"--covariance: the rows and the columns of {file} are in different order; "
                    "put them into the same"
                )
            warnings.warn(
                f"the rows of {file} are not named like its columns; the columns' names are taken",
                stacklevel=2,
            )
    size = np.abs(S).max()
    i, j = np.unravel_index(np.argmax(np.abs(S - S.T)), S.shape)
    # numbers in text have a few digits only
    if abs(S[i, j] - S[j, i]) > 1e-4 * size:
        known = table.names
        raise InputError(
            f"--covariance: {file} is not symmetric: {S[i, j]:g} in row {i} and column "
            f"{known[j]!r}, but {S[j, i]:g} in row {j} and column {known[i]!r}"
        )
    try:
        return Covariance((S + S.T) / 2, 1 if n_samples is None else n_samples)
    except ValueError as error:
        raise InputError(f"--covariance: {file}: {error}") from error


def check_limit(option: str, value: Any, file: Path, limit: int, unit: str) -> None:
    """Raise InputError if an option asks for more than the file has; shares never do."""
    if isinstance(value, int) and value > limit:
        choice = "1" if limit == 1 else f"1 to {limit}"
        raise InputError(
            f"{option} {value}, but {file} has {counted(limit, unit)}; choose {choice}"
        )


def find_all(option: str, given: list[str] | None, table: Table, rows: bool) -> list[int]:
    """Return the numbers of the columns, or rows, that an option names."""
    known: list[str] | None = table.names
    if rows:
        known = None if table.row_names is None else [str(name) for name in table.row_names]
    count, unit = (table.X.shape[0], "row") if rows else (table.X.shape[1], "column")
    found = []
    for name in split_names(given):
        try:
            found.append(position(count, known, name, unit))
        except io.FileError as error:
            raise InputError(f"{option} {name}: {error}") from error
    return found


def about_classes(table: Table) -> str:
    """Return why the labels are no classes; empty if they are.

    The sentence goes on from the name of the label.
    """
    return _about_gaps(table) or _about_fractions(table) or _about_quantities(table)


def _about_gaps(table: Table) -> str:
    labels = np.asarray(table.labels)
    gaps = np.flatnonzero(
        labels != labels if labels.dtype.kind == "f" else labels.astype(str) == ""
    )
    if not len(gaps):
        return ""
    advice = "fill it in or leave that row out"
    if len(gaps) > 1:
        advice = "fill them in or leave those rows out"
    return (
        f"has {counted(len(gaps), 'missing value')}, first in row {gaps[0]} of the data, counted "
        f"from 0; {advice}"
    )


def _about_fractions(table: Table) -> str:
    labels = np.asarray(table.labels)
    if labels.dtype.kind != "f":
        return ""
    wrong = labels[~np.isfinite(labels) | (labels != np.round(labels))]
    if not len(wrong):
        return ""
    kind = "fractions" if np.isfinite(wrong[0]) else "infinite values"
    return f"holds {kind}, such as {wrong[0]:g}; classes are whole numbers or words"


def _about_quantities(table: Table) -> str:
    labels = np.asarray(table.labels)
    if labels.dtype.kind not in "fiu":
        return ""
    different = len(np.unique(labels))
    if different <= max(MOST_CLASSES, len(labels) / 5):
        return ""
    return (
        f"holds {different} different numbers in {len(labels)} rows, as a quantity does; classes "
        "are few: make some of it first, or choose another column"
    )


def label_classes(table: Table, what: str) -> Array | None:
    """Return the labels if they are classes; else None, with a line on what is left out."""
    if table.labels is None:
        return None
    problem = about_classes(table)
    if problem:
        warnings.warn(f"{what} is left out: {table.label_name!r} {problem}", stacklevel=2)
        return None
    return table.labels


def target_of(who: str, kind: str, table: Table, flag: str = "--label") -> Any:
    """Return the label as a method needs it.

    Parameters
    ----------
    who : str
        The method.
    kind : {"labels", "target"}
        Classes as they are; or numbers, with a column of zeros and ones for each class if the
        labels are words.
    table : Table
        What was read.
    flag : str
        The option that names the label.
    """
    if table.labels is None:
        raise InputError(f"method {who!r} needs a {kind.rstrip('s')}; name its column with {flag}")
    problem = about_classes(table) if kind == "labels" else _about_gaps(table)
    if problem:
        raise InputError(f"method {who!r} needs {flag}, but {table.label_name!r} {problem}")
    if kind == "labels" or table.labels.dtype.kind in "fiub":
        return table.labels
    return (table.labels[:, None] == np.unique(table.labels)).astype(float)
