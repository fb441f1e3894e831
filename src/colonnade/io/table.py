"""A matrix with its names, and the checks that every kind of file shares."""

from __future__ import annotations

import difflib
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from ..foundation.atomic import StrPath
from ..foundation.typing import Array
from .kinds import FileError
from .phrases import Spelling, as_keyword, counted, is_integer, listed

__all__ = ["FileError", "Format", "Options", "Plan", "Refused", "Table"]

Where = Callable[[int], str]
Column = str | int
NUMBERS = "fiub"
"""The kinds of NumPy types that are numbers."""
INSTEAD = "write CSV, Parquet or NPZ"
"""What to do when a kind of file does not hold something."""


@dataclass(frozen=True, eq=False)
class Table:
    """A matrix with what its file said about it.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_columns)
        The numbers.
    columns : list of str or None
        A name for each column.
    labels : ndarray or None
        The column that was left out of X, one entry for each row.
    label_name : str
        What that column is called.
    row_names : ndarray or None
        A name for each row.
    left_out : dict of str to str
        Columns that the reader left out on its own, as an option told it to, with the reason:
        "text", "dates", "identifier", "all missing", "missing values", "too rare", "too common".
    n_dropped_rows : int
        How many rows the reader left out because they had gaps.
    """

    X: Any
    columns: list[str] | None = None
    labels: Array | None = None
    label_name: str = "label"
    row_names: Array | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    n_dropped_rows: int = 0

    @property
    def names(self) -> list[str]:
        """The names of the columns; ``x0, x1, ...`` as in scikit-learn where the file has none."""
        return self.columns or [f"x{j}" for j in range(self.X.shape[1])]

    @property
    def sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return bool(sp.issparse(self.X))

    def take(self, *, rows: Any = None, columns: Any = None) -> Table:
        """Return the table cut to some rows or columns, given by number.

        Columns and rows that had no names are named by their numbers, so that they can be found
        again.
        """
        X, names, labels, row_names = self.X, self.columns, self.labels, self.row_names
        if columns is not None:
            all_names = self.names
            X, names = X[:, columns], [all_names[j] for j in columns]
        if rows is not None:
            X = X.tocsr()[rows].tocsc() if sp.issparse(X) else X[rows]
            labels = None if labels is None else labels[rows]
            row_names = np.asarray(rows) if row_names is None else row_names[rows]
        return replace(self, X=X, columns=names, labels=labels, row_names=row_names)


@dataclass(frozen=True)
class Options:
    """How to read a file; see :func:`colonnade.io.read`.

    ``wanted`` are columns that are known to be data, whatever they look like. ``spelled`` says how
    an option is written where the user gives it, for messages.
    """

    label: Column | None = None
    drop: Sequence[Column] = ()
    header: bool | None = None
    delimiter: str | None = None
    key: str | None = None
    sheet: str | int | None = None
    layer: str | None = None
    format: str | None = None
    names: StrPath | Sequence[str] | None = None
    row_names: Column | None = None
    numeric_only: bool = False
    missing: str = "error"
    transform: str | None = None
    min_df: int | float | None = None
    max_df: int | float | None = None
    wanted: Collection[str] = ()
    spelled: Spelling = as_keyword


def _anything(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    return ""


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes
    ----------
    name : str
        For messages.
    extensions : tuple of str
        What file names of this kind end in.
    read : callable or None
        ``read(path, options) -> Table``.
    write : callable
        ``write(file, table, selection)`` to a file open for writing bytes.
    options : tuple of str
        Which of the reader's options have a meaning here.
    refusal : callable
        ``refusal(table, selection)`` is a sentence on what keeps these from being written, empty
        if nothing does; the table is None before it is known.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Path, Options], Table] | None
    write: Callable[[BinaryIO, Table, Mapping[str, Any] | None], None]
    options: tuple[str, ...] = ("label", "drop")
    refusal: Callable[[Table | None, Mapping[str, Any] | None], str] = _anything


@dataclass(frozen=True)
class Plan:
    """Which columns of a file are data and which is the label.

    Attributes
    ----------
    n_columns : int
        How many the file has.
    names : list of str or None
        What they are called, each name once.
    keep : ndarray of int or None
        The columns that are data; None for all, which may be too many to list.
    label : int or None
        The column that is the label.
    """

    n_columns: int
    names: list[str] | None
    keep: Array | None
    label: int | None
    row_names: int | None = None

    @property
    def columns(self) -> list[str] | None:
        """The names of the data's columns; unnamed ones keep their number in the file."""
        if self.keep is None:
            return self.names
        return [self.names[j] if self.names else f"x{j}" for j in self.keep.tolist()]

    @property
    def label_name(self) -> str:
        """What the label is called."""
        return self.names[self.label] if self.names and self.label is not None else "label"


@dataclass(frozen=True)
class Refused:
    """A column that holds no numbers.

    Attributes
    ----------
    name : str
        What it is called.
    kind : {"text", "dates", "lists", "structs", "maps", "bytes"}
        What it holds.
    row : int
        Where the first entry is that is no number.
    value : str
        What stands there.
    distinct : bool
        Whether the entries of all rows differ.
    """

    name: str
    kind: str
    row: int
    value: str
    distinct: bool = False


def make_plan(path: Path, n_columns: int, names: Iterable[Any] | None, options: Options) -> Plan:
    """Find the columns that the options name; raise FileError if they are not there."""
    unique = _given_names(path, n_columns, names, options)
    if unique is None and names is not None:
        unique = _unique(path, names)

    def find(option: str, column: Column) -> int:
        try:
            return position(n_columns, unique, column)
        except FileError as error:
            value = (column,) if option == "drop" else column
            raise FileError(f"{path}: {options.spelled(option, value)}: {error}") from None

    left_out = {find("drop", column) for column in options.drop}
    label = None if options.label is None else find("label", options.label)
    row_names = None if options.row_names is None else find("row_names", options.row_names)
    left_out |= {j for j in (label, row_names) if j is not None}
    keep = np.delete(np.arange(n_columns), sorted(left_out)) if left_out else None
    return Plan(n_columns, unique, keep, label, row_names)


def _lines(file: str) -> list[str]:
    """Return the lines of a text, without spaces around them and empty ones at the end."""
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "this is not UTF-8 text"
        raise FileError(f"{file}: {reason}") from error
    return [line.strip() for line in text.rstrip().split("\n")]


def _given_names(
    path: Path, n_columns: int, own: Iterable[Any] | None, options: Options
) -> list[str] | None:
    """Return names from elsewhere, for a file that has none; None if none are given."""
    if options.names is None:
        return None
    source, asked = "", "names"
    if isinstance(options.names, str | os.PathLike):
        file = os.fspath(options.names)
        source, asked = f" in {file}", options.spelled("names", file)
        names = _lines(file)
    else:
        names = [str(name) for name in options.names]
    if own is not None:
        raise FileError(f"{path}: {asked}: the file names its columns itself; leave it out")
    if len(names) != n_columns:
        raise FileError(
            f"{path}: {counted(len(names), 'name')}{source}, but the matrix has "
            f"{counted(n_columns, 'column')}; give one name for each, in their order, one per line"
        )
    return _unique(path, names)


def check_form(path: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    """Raise FileError if an array is no matrix of numbers, which its header tells."""
    kinds = {
        "c": "complex numbers; split them into real and imaginary part",
        "O": "Python objects; convert it to numbers first, for example X.astype(float)",
        "U": "text; encode it as numbers first",
        "S": "text; encode it as numbers first",
    }
    if dtype.kind not in NUMBERS:
        what = kinds.get(dtype.kind, "no plain numbers; convert it to float first")
        raise FileError(f"{path}: the array has dtype {dtype}: {what}")
    if len(shape) != 2:
        raise FileError(
            f"{path}: the array has shape {shape}, but a matrix has two dimensions; reshape "
            "it first (one column is X.reshape(-1, 1))"
        )
    check_not_empty(path, shape)


def check_not_empty(
    path: Path, shape: tuple[int, ...], left_out: Mapping[str, str] | None = None
) -> None:
    """Raise FileError if a matrix is empty, or is so after some columns were left out."""
    if 0 in shape:
        names = [f"{name!r} ({reason})" for name, reason in (left_out or {}).items()]
        rest = f"; left out: {listed(names, 12)}" if names else ""
        raise FileError(
            f"{path}: {counted(shape[0], 'row')} and {counted(shape[1], 'column')} of data; "
            f"need 1 of each{rest}"
        )


def position(
    n_columns: int, names: Sequence[str] | None, column: Column, kind: str = "column"
) -> int:
    """Return the number of a column, or of a row, given by name or number."""
    if names and column in names:
        return names.index(str(column))
    default = None if names else re.fullmatch(r"x(0|[1-9]\d*)", str(column))
    if default and int(default[1]) < n_columns:
        return int(default[1])
    if is_integer(column):
        if -n_columns <= int(column) < n_columns:
            return int(column) % n_columns
        raise FileError(f"no {kind} {column}; they are numbered 0 to {n_columns - 1}")
    if not names:
        raise FileError(
            f"no {kind} {column!r}, the {kind}s have no names; give a number from 0 to "
            f"{n_columns - 1}"
        )
    close = difflib.get_close_matches(str(column), names, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {listed(names)}"
    raise FileError(f"no {kind} {column!r}; {hint}")


def _unique(path: Path, columns: Any) -> list[str]:
    """Number repeated names as pandas does, so that a name means one column."""
    names = [str(name) or f"x{j}" for j, name in enumerate(columns)]
    if len(set(names)) == len(names):
        return names
    taken, out, repeated = set(names), [], None
    counts: dict[str, int] = {}
    for name in names:
        new = name
        if name in counts:
            repeated = repeated or name
            while new in taken:
                counts[name] += 1
                new = f"{name}.{counts[name]}"
            taken.add(new)
        counts.setdefault(name, 0)
        out.append(new)
    warnings.warn(
        f"{path}: several columns are named {repeated!r}; the later ones are called "
        f"{repeated}.1 and so on",
        stacklevel=2,
    )
    return out
