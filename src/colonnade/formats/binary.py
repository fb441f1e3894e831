"""Parquet, NumPy, MatrixMarket, svmlight and JSON."""

from __future__ import annotations

import json
import os
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from .._typing import Array
from .._words import visible
from .table import (
    FileError,
    Options,
    Table,
    dense,
    from_array,
    from_frame,
    import_pandas,
    import_parquet,
    plain,
    to_frame,
)

COLUMN_NAMES = ("columns", "feature_names", "terms", "genes")
"""Under which an NPZ file may hold names of the columns."""
NUMBERS = "fiub"
"""The kinds of NumPy types that are numbers."""
_INSTEAD = "write CSV, Parquet or NPZ"


def read_parquet(path: Path, options: Options) -> Table:
    """Read columns; an index that pandas stored becomes the row names."""
    pd, parquet = import_pandas(), import_parquet()
    frame = parquet.ParquetFile(path).read().to_pandas()
    table = from_frame(path, frame, options, lambda row: f"row {row}", True)
    if isinstance(frame.index, pd.RangeIndex):
        return table
    return replace(table, row_names=plain(frame.index.to_series()))


def write_parquet(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write columns; row names become an index for pandas, called "row"."""
    import pyarrow

    parquet, frame = import_parquet(), to_frame(table)
    if "row" not in frame.columns:
        frame.index.name = "row"
    named = table.row_names is not None
    parquet.write_table(pyarrow.Table.from_pandas(frame, preserve_index=named), file)


def read_npy(path: Path, options: Options) -> Table:
    """Read one array."""
    with path.open("rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise FileError(f"{path}: this is not an NPY file (pickles are never loaded)")
        file.seek(0)
        X = _without_pickles(path, lambda: np.load(file, allow_pickle=False))
    return from_array(path, X, options)


def read_npz(path: Path, options: Options) -> Table:
    """Read an array ``X``, the only array, or what scipy.sparse.save_npz wrote.

    Beside it may stand ``y``, ``row_names`` and, under one of several names, column names.
    """
    if not zipfile.is_zipfile(path):
        raise FileError(f"{path}: this is not an NPZ file, or it is cut short")
    with np.load(path, allow_pickle=False) as archive:

        def get(key: str) -> Array:
            return _without_pickles(path, lambda: archive[key], f" in {key!r}")

        def about(key: str, length: int) -> Array | None:
            """Return what the file says about the rows or columns, if it does."""
            if key not in archive.files:
                return None
            try:
                values = get(key)
            except FileError:
                warnings.warn(f"{path}: {key!r} is pickled and stays unread", stacklevel=2)
                return None
            return values if values.shape == (length,) else None

        if options.key is None and {"format", "shape", "data"} <= set(archive.files):
            X: Any = sp.csc_array(sp.load_npz(path))
            # a wrong index in the file would lead outside of the memory later on
            X.check_format(full_check=True)
        else:
            X = get(_main_key(path, archive.files, options))
        if X.ndim != 2:
            return from_array(path, X, options)  # which says what is wrong
        label = str(options.label) if options.label in archive.files else None
        named = (about(key, X.shape[1]) for key in COLUMN_NAMES)
        columns = next(
            (_text(names).astype(str).tolist() for names in named if names is not None), None
        )
        table = from_array(path, X, replace(options, label=None) if label else options, columns)
        labels = _text(about(label or "y", X.shape[0]))
        if label and labels is None:
            raise FileError(f"{path}: {label!r} is not a list of {X.shape[0]} labels")
        if table.labels is None and labels is not None:
            table = replace(table, labels=labels, label_name=label or "y")
        return replace(table, row_names=_text(about("row_names", X.shape[0])))


def _text(names: Any) -> Any:
    """Decode names that were stored as bytes, which saves room."""
    if names is None or names.dtype.kind != "S":
        return names
    return np.array([name.decode("utf-8", "replace") for name in names.tolist()])


def _main_key(path: Path, keys: list[str], options: Options) -> str:
    if not keys:
        raise FileError(f"{path}: there is no array in this file")
    key = options.key
    if key is not None:
        if key not in keys:
            raise FileError(
                f"{path}: {options.spelled('key', key)}: there is no array {key!r}; the file "
                f"holds {', '.join(keys)}"
            )
        return key
    if "X" in keys:
        return "X"
    if len(keys) != 1:
        raise FileError(
            f"{path}: say which array to take, such as {options.spelled('key', keys[0])}; the "
            f"file holds {', '.join(keys)}"
        )
    return keys[0]


def _without_pickles(path: Path, load: Callable[[], Any], where: str = "") -> Any:
    try:
        return load()
    except ValueError as error:
        if "pickle" not in str(error):
            raise
        raise FileError(
            f"{path}: the array{where} holds pickled Python objects, which are never loaded "
            "because they can run code; save numbers instead, for example X.astype(float)"
        ) from error


def write_npy(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write the numbers alone."""
    np.save(file, dense(table.X), allow_pickle=False)


def write_npz(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write ``X``, ``columns`` and, if there are any, ``y`` and ``row_names``."""
    arrays: dict[str, Any] = {"X": table.X}
    if sp.issparse(table.X):
        # what scipy.sparse.save_npz writes, so that load_npz reads it, with room for the names
        X = sp.csc_array(table.X)
        arrays = {"indices": X.indices, "indptr": X.indptr, "data": X.data, "shape": X.shape}
        arrays |= {"format": b"csc", "_is_array": True}
    arrays["columns"] = np.array(table.names)
    for key, values in (("y", table.labels), ("row_names", table.row_names)):
        if values is not None:
            arrays[key] = values.astype(str) if values.dtype.kind == "O" else values
    np.savez(file, **arrays)


def read_mtx(path: Path, options: Options) -> Table:
    """Read a sparse or dense matrix."""
    from scipy.io import mmread

    X: Any = mmread(os.fspath(path))
    return from_array(path, sp.csc_array(X) if sp.issparse(X) else X, options)


def write_mtx(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write the numbers alone."""
    from scipy.io import mmwrite

    mmwrite(file, table.X)


def read_svmlight(path: Path, options: Options) -> Table:
    """Read a sparse matrix and its labels."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(os.fspath(path))
    return replace(from_array(path, sp.csc_array(X), options), labels=y)


def write_svmlight(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write numbers and labels, zeros if there are none, counting columns from 1."""
    from sklearn.datasets import dump_svmlight_file

    labels = np.zeros(table.X.shape[0]) if table.labels is None else table.labels
    dump_svmlight_file(table.X, labels, file, zero_based=False)


def write_json(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write a selection."""
    file.write(to_json(selection or {}).encode())


def not_a_selection(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    """Say what JSON does not hold."""
    return "" if selection is not None else f"JSON holds a selection, not data; {_INSTEAD}"


def not_numbers(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    """Say what a format for numbers alone does not hold."""
    if table is None or table.X.dtype.kind in NUMBERS:
        return ""
    return f"this kind of file holds numbers, not text; {_INSTEAD}"


def not_svmlight(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    """Say what svmlight does not hold."""
    if table is None or table.labels is None or table.labels.dtype.kind in NUMBERS:
        return not_numbers(table, selection)
    return f"svmlight has numbers as labels, not text such as {table.label_name!r}; {_INSTEAD}"


def to_json(values: Mapping[str, Any]) -> str:
    """Return JSON with a line for each key: readable, and short for long lists."""

    def dumped(value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=lambda v: v.tolist())
        # names keep their letters; what a terminal would obey is escaped, which means the same
        return visible(text, lambda character: json.dumps(character)[1:-1])

    lines = (f" {json.dumps(key)}: {dumped(value)}" for key, value in values.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
