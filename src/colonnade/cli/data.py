"""What a file gives to a command: its table, its labels, and how much there is to choose from."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .. import io
from ..foundation.typing import Array
from ..io.formats import Table
from ..io.phrases import counted
from ..io.table import position
from .errors import InputError
from .input import split_names

__all__ = [
    "about_classes",
    "check_limit",
    "find_all",
    "label_classes",
    "target_of",
]


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
    return _about_gaps(table) or _about_fractions(table)


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
