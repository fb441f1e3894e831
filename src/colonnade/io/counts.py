"""Counts, of words or molecules: columns by how often they occur, logarithms, tf-idf."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array
from .kinds import FileError
from .phrases import counted
from .table import Options, Table

__all__ = ["transformed"]


def transformed(path: Path, table: Table, options: Options) -> Table:
    """Return a table without rare and common columns, and with its entries transformed.

    Parameters
    ----------
    path : Path
        The file.
    table : Table
        Numbers; gaps occur nowhere, and stay.
    options : Options
        Of these ``min_df``, ``max_df`` and ``transform``.
    """
    if options.min_df is not None or options.max_df is not None:
        table = _by_frequency(path, table, options)
    if options.transform is None:
        return table
    _refuse_negative(path, table, options)
    if options.transform == "log1p":
        return replace(table, X=_log1p(table.X))
    return replace(table, X=_tfidf(path, table.X, options))


def _by_frequency(path: Path, table: Table, options: Options) -> Table:
    m = table.X.shape[0]
    frequencies = _frequencies(table.X)
    low = 0 if options.min_df is None else _rows(options.min_df, m, ceil)
    high = m if options.max_df is None else _rows(options.max_df, m, floor)
    rare, common = frequencies < low, frequencies > high
    if (rare | common).all():
        raise FileError(
            f"{path}: no column occurs in {low} to {high} of {counted(m, 'row')}; the "
            f"frequencies are {frequencies.min()} to {frequencies.max()}"
        )
    names = table.names
    reasons = {
        names[j]: "too rare" if rare[j] else "too common" for j in np.flatnonzero(rare | common)
    }
    if not reasons:
        return table
    kept = table.take(columns=np.flatnonzero(~(rare | common)).tolist())
    return replace(kept, left_out={**table.left_out, **reasons})


def _rows(bound: int | float, m: int, rounded: Any) -> int:
    """Return a number of rows, given as such or as a share."""
    # a share of 0.1 of 30 rows is 3 of them, although 0.1 * 30 is a little more
    return int(bound) if isinstance(bound, int) else int(rounded(round(bound * m, 9)))


def _frequencies(X: Any) -> Array:
    """Return in how many rows each column is not zero."""
    if not sp.issparse(X):
        return np.count_nonzero((X != 0) & (X == X), axis=0)
    there = (X.data != 0) & (X.data == X.data)
    columns = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    return np.bincount(columns[there], minlength=X.shape[1])


def _refuse_negative(path: Path, table: Table, options: Options) -> None:
    X = table.X
    values = X.data if sp.issparse(X) else X
    if values.size == 0 or X.dtype.kind in "ub" or not np.nanmin(values) < 0:
        return
    lowest = _least(X) if sp.issparse(X) else np.fmin.reduce(X, axis=0)
    wrong = np.flatnonzero(lowest < 0)
    names = table.names
    shown = ", ".join(repr(names[j]) for j in wrong[:12])
    more = f" and {len(wrong) - 12} more" if len(wrong) > 12 else ""
    what = "column" if len(wrong) == 1 else "columns"
    few = len(wrong) <= 12 and len(wrong) < len(names)
    drop = options.spelled("drop", tuple(names[j] for j in wrong)) if few else ""
    raise FileError(
        f"{path}: {options.spelled('transform', options.transform)} is for counts and other "
        f"entries from 0 on, but there are negative ones, the lowest "
        f"{float(lowest.min()):g}, in {what} {shown}{more}; "
        + (f"leave out with {drop}, or " if drop else "choose other columns, or ")
        + "do without the transform"
    )


def _least(X: Any) -> Array:
    """Return the least stored entry of each column of a CSC matrix, 0 if it has none."""
    lowest = np.zeros(X.shape[1])
    columns = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    np.fmin.at(lowest, columns, X.data.astype(np.float64))
    return lowest


def _log1p(X: Any) -> Any:
    if not sp.issparse(X):
        return np.log1p(_floats(X))
    out = X.astype(_float_type(X.dtype))
    out.data = np.log1p(out.data)
    return out


def _tfidf(path: Path, X: Any, options: Options) -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer

    values = X.data if sp.issparse(X) else X
    if X.dtype.kind == "f" and np.isnan(values).any():
        raise FileError(
            f"{path}: {options.spelled('transform', 'tfidf')} needs a count in every place, and "
            f"there are gaps; choose {options.spelled('missing', 'drop-rows')} or "
            f"{options.spelled('missing', 'drop-columns')}"
        )
    weighted = TfidfTransformer().fit_transform(sp.csr_array(_floats(X)))
    return sp.csc_array(weighted) if sp.issparse(X) else weighted.toarray()


def _floats(X: Any) -> Any:
    return X.astype(_float_type(X.dtype), copy=False)


def _float_type(dtype: np.dtype[Any]) -> Any:
    return np.float32 if dtype == np.float32 else np.float64
