"""A matrix with its names, and the checks that every kind of file shares."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
import scipy.sparse as sp

from .._typing import Array
from .words import Spelling, as_keyword, counted, is_integer, listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FileError", "Format", "Options", "Table"]

Where = Callable[[int], str]
Column = str | int


class FileError(ValueError):
    """A file cannot be read or written; the message is one line and names the file."""


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
    """

    X: Any
    columns: list[str] | None = None
    labels: Array | None = None
    label_name: str = "label"
    row_names: Array | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns; ``x0, x1, ...`` where the file has none."""
        return self.columns or default_names(self.X.shape[1])

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
        return Table(X, names, labels, self.label_name, row_names)


@dataclass(frozen=True)
class Options:
    """How to read a file; see :func:`colonnade.io.read`.

    ``spelled`` says how an option is written where the user gives it, for messages.
    """

    label: Column | None = None
    drop: Sequence[Column] = ()
    header: bool | None = None
    delimiter: str | None = None
    key: str | None = None
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


def default_names(n_columns: int) -> list[str]:
    """Return what columns without names are called, as scikit-learn does."""
    return [f"x{j}" for j in range(n_columns)]


def from_frame(
    path: Path, frame: pd.DataFrame, options: Options, where: Where, named: bool
) -> Table:
    """Return a table of the numbers in a pandas frame, or say what else is in it."""
    names = _unique(path, frame.columns) if named else None
    keep, label = _split(path, frame.shape[1], names, options)
    labels = None if label is None else plain(frame.iloc[:, label])
    label_name = names[label] if names and label is not None else "label"
    body = frame if len(keep) == frame.shape[1] else frame.iloc[:, keep]
    columns = _cut(names, keep, frame.shape[1])
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in body.dtypes):
        X = body.to_numpy()
    else:
        numbers = [_numbers(body.iloc[:, j]) for j in range(len(keep))]
        text = [j for j, column in enumerate(numbers) if column is None]
        if text:
            name = (columns or default_names(len(keep)))[text[0]]
            about = _about_text(body.iloc[:, text[0]], name, where, len(text) - 1, options)
            raise FileError(f"{path}: {about}")
        X = np.column_stack(numbers)  # type: ignore[arg-type]
    _check(path, X, columns, where, options)
    return Table(X, columns, labels, label_name)


def _numbers(column: pd.Series[Any]) -> Array | None:
    """Return a column as an array, None if it holds anything but numbers and gaps."""
    pd = import_pandas()
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    if kind in ("f", "i", "u"):
        return column.to_numpy()
    if kind == "O":
        numeric = {"decimal", "integer", "floating", "mixed-integer-float", "boolean", "empty"}
        if pd.api.types.infer_dtype(column, skipna=True) not in numeric:
            return None
        return cast(Array, column.astype(float).to_numpy())
    if not pd.api.types.is_numeric_dtype(column.dtype) or kind == "c":
        return None
    if kind == "b":
        return column.to_numpy().astype(np.uint8)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _about_text(
    column: pd.Series[Any], name: str, where: Where, more: int, options: Options
) -> str:
    pd = import_pandas()
    filled = column.notna().to_numpy()
    wrong = filled & pd.to_numeric(column, errors="coerce").isna().to_numpy()
    row = int((wrong if wrong.any() else filled).argmax())
    value = str(column.iloc[row])
    value = value if len(value) <= 40 else value[:37] + "..."
    others = f" (and {counted(more, 'more such column')})" if more else ""
    advice = f"leave it out with {options.spelled('drop', (name,))} or encode it as numbers"
    if options.label is None:
        advice = f"if it is the label, say {options.spelled('label', name)}; if not, {advice}"
    return f"column {name!r} holds text, first {value!r} in {where(row)}{others}; {advice}"


def from_array(path: Path, X: Any, options: Options, names: list[str] | None = None) -> Table:
    """Return a table of the numbers in an array or sparse matrix, or say what is wrong with it."""
    kinds = {
        "c": "complex numbers; split them into real and imaginary part",
        "O": "Python objects; convert it to numbers first, for example X.astype(float)",
        "U": "text; encode it as numbers first",
        "S": "text; encode it as numbers first",
    }
    if X.dtype.kind not in "fiub":
        what = kinds.get(X.dtype.kind, "no plain numbers; convert it to float first")
        raise FileError(f"{path}: the array has dtype {X.dtype}: {what}")
    if X.ndim != 2:
        raise FileError(
            f"{path}: the array has shape {X.shape}, but a matrix has two dimensions; reshape "
            "it first (one column is X.reshape(-1, 1))"
        )
    names = None if names is None else _unique(path, names)
    keep, label = _split(path, X.shape[1], names, options)
    labels = None if label is None else dense(X[:, [label]]).ravel()
    label_name = names[label] if names and label is not None else "label"
    columns = _cut(names, keep, X.shape[1])
    X = X if len(keep) == X.shape[1] else X[:, keep]
    _check(path, X, columns, lambda row: f"row {row}", options)
    return Table(X, columns, labels, label_name)


def _check(path: Path, X: Any, columns: list[str] | None, where: Where, options: Options) -> None:
    """Refuse an empty matrix and entries that are not finite."""
    if 0 in X.shape:
        raise FileError(
            f"{path}: {counted(X.shape[0], 'row')} and {counted(X.shape[1], 'column')} of data; "
            "need 1 of each"
        )
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if X.dtype.kind != "f" or np.isfinite(values.sum()):
            return
    wrong = ~np.isfinite(values)
    if not wrong.any():
        return
    if sp.issparse(X):
        triplets = X.tocoo()
        rows, cols = triplets.row[wrong], triplets.col[wrong]
    else:
        rows, cols = np.nonzero(wrong)
    j = int(cols.min())
    name = (columns or default_names(j + 1))[j]
    rows = rows[cols == j]
    row = int(rows.min())
    kind = "missing (NaN)" if np.isnan(X[row, j]) else "infinite"
    more = len(np.unique(cols)) - 1
    others = f" (and {counted(more, 'more such column')})" if more else ""
    raise FileError(
        f"{path}: column {name!r} has {counted(len(rows), f'{kind} value')}, first in "
        f"{where(row)}{others}; fill them in, drop those rows, or leave the column out with "
        f"{options.spelled('drop', (name,))}"
    )


def _split(
    path: Path, n_columns: int, names: list[str] | None, options: Options
) -> tuple[list[int], int | None]:
    """Return which columns are data and which is the label."""

    def find(option: str, column: Column) -> int:
        try:
            return position(n_columns, names, column)
        except FileError as error:
            value = (column,) if option == "drop" else column
            raise FileError(f"{path}: {options.spelled(option, value)}: {error}") from None

    dropped = {find("drop", column) for column in options.drop}
    label = None if options.label is None else find("label", options.label)
    keep = [j for j in range(n_columns) if j not in dropped and j != label]
    return keep, label


def _cut(names: list[str] | None, keep: list[int], n_columns: int) -> list[str] | None:
    """Return the names of the columns kept; unnamed ones keep their number in the file."""
    if names is None and len(keep) == n_columns:
        return None
    names = names or default_names(n_columns)
    return [names[j] for j in keep]


def position(
    n_columns: int, names: Sequence[str] | None, column: Column, kind: str = "column"
) -> int:
    """Return the number of a column, or of a row, given by name or number."""
    known = names or default_names(n_columns)
    if column in known:
        return known.index(str(column))
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
    seen: set[str] = set()
    for name in names:
        new, count = name, 0
        while new in seen or (count and new in taken):
            count += 1
            new = f"{name}.{count}"
        repeated = repeated or (name if count else None)
        seen.add(new)
        out.append(new)
    warnings.warn(
        f"{path}: several columns are named {repeated!r}; the later ones are called "
        f"{repeated}.1 and so on",
        stacklevel=2,
    )
    return out


def plain(column: pd.Series[Any]) -> Array:
    """Return labels or row names as numbers or text, never as objects."""
    values = column.to_numpy()
    if values.dtype.kind in "fiub":
        return values
    return np.array(["" if gap else str(v) for v, gap in zip(values, column.isna(), strict=True)])


def to_frame(table: Table) -> pd.DataFrame:
    """Return a pandas frame with the labels as its last column and the row names as index."""
    frame = import_pandas().DataFrame(dense(table.X), columns=table.names, index=table.row_names)
    if table.labels is not None:
        name = table.label_name
        while name in frame.columns:
            name += "_"
        frame[name] = table.labels
    return frame


def dense(X: Any) -> Array:
    """Return an array."""
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def import_pandas() -> Any:
    """Return pandas, or say how to get it."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise FileError(
            'CSV and Parquet files need pandas; install it with pip install "colonnade[cli]"'
        ) from error
    return pd


def import_parquet() -> Any:
    """Return pyarrow.parquet, or say how to get it."""
    try:
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise FileError(
            'Parquet files need pyarrow; install it with pip install "colonnade[cli]"'
        ) from error
    return parquet
