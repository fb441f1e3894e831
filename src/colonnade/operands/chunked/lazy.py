"""What is done to rows when somebody asks for them: dask arrays made of dask arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config

from ...foundation.typing import Array, Indices
from .arriving import as_table
from .engine import BlockError, alone, shared
from .source import Source
from .tasks import Where, assembled

__all__ = ["by_blocks", "chosen_chunks", "chosen_columns", "mapped_rows", "refuse_frames"]


def mapped_rows(
    X: Any,
    function: Any,
    *arguments: Any,
    width: int | None,
    dtype: Any,
    sparse: bool = False,
    check: bool = True,
) -> Any:
    """Return ``function(rows, *arguments)`` as a dask array; nothing is computed yet.

    There is one task for each row of blocks, which puts the blocks of that row together. What
    the arguments hold is sent once, as it is now.

    Parameters
    ----------
    X : dask array or frame
        The rows; how many there are in each chunk may be unknown.
    function : callable
        Importable and pure; gets an array, or a CSR or CSC matrix, of at least one row.
    *arguments
        Passed on.
    width : int or None
        How many columns come out; None for one number for each row.
    dtype : numpy.dtype
        Of what type they are.
    sparse : bool
        Whether sparse blocks stay so.
    check : bool
        Whether to look for entries that are no numbers.
    """
    import dask.array as da

    array = as_table(X).array
    kind = type(array._meta) if sparse and sp.issparse(array._meta) else None
    empty = (np.zeros if kind is None else kind)((0,) if width is None else (0, width), dtype=dtype)
    source = Source(array)
    job = (function, arguments, source.starts(0), source.widths, check, empty)
    return da.blockwise(
        _on_rows, "i" if width is None else "ik",
        array, "ij", da.arange(array.numblocks[0], chunks=1), "i", shared(job), None,
        new_axes={} if width is None else {"k": width}, concatenate=False, align_arrays=False,
        dtype=dtype, meta=empty, token=function.__name__.strip("_"),
    )  # fmt: skip


def _on_rows(blocks: Sequence[Any], number: Array, job: tuple[Any, ...]) -> Any:
    """Apply a function to the rows of some blocks that are side by side."""
    function, arguments, starts, widths, check, empty = job
    i = int(number[0])
    top, height = (None, None) if starts is None else (starts[i], starts[i + 1] - starts[i])
    try:
        X, _ = assembled([blocks], Where((i, 0), top, 0, (height,), widths), check)
    except BlockError as wrong:
        raise wrong.error from None
    return alone(function, X, *arguments) if X.shape[0] else empty


def by_blocks(X: Any, model: Any, method: str, *, columns: int | None, dtype: Any) -> Any:
    """Return what a method of a fitted model says about the rows, as a dask array.

    Parameters
    ----------
    X : dask array or frame
        The rows; how many there are need not be known.
    model : object
        What is sent to the workers, so rather small.
    method : str
        The name of its method, which takes an array or a sparse matrix of some rows.
    columns : int or None
        How many values it returns for each row; None for one, without an axis of its own.
    dtype : dtype
        What it returns.
    """
    dtype = np.dtype(dtype)
    return mapped_rows(X, _said, model, method, dtype, width=columns, dtype=dtype)


def _said(rows: Any, model: Any, method: str, dtype: Any) -> Array:
    return np.asarray(getattr(model, method)(rows)).astype(dtype, copy=False)


def chosen_columns(X: Any, columns: Indices) -> Any:
    """Return some columns of a dask array or frame, in the given order, when they are asked for.

    Blocks in which there are none of them are not read.
    """
    from ..containers import take_columns

    if hasattr(X, "to_dask_array"):
        return X.iloc[:, columns.tolist()]
    array = as_table(X).array
    starts = np.array(Source(array).starts(1))
    owners = np.searchsorted(starts, columns, side="right") - 1
    kept, place = np.unique(owners, return_inverse=True)
    before = np.append(0, np.cumsum(np.diff(starts)[kept]))
    return mapped_rows(
        array.blocks[:, kept.tolist()], take_columns, columns - starts[owners] + before[place],
        width=len(columns), dtype=array.dtype, sparse=True, check=False,
    )  # fmt: skip


def chosen_chunks(X: Any, count: int) -> Any:
    """Return columns that were chosen before as a dask array; raise if there are not so many."""
    array = as_table(X).array
    if array.shape[1] != count:
        raise ValueError(f"X has {array.shape[1]} columns, but {count} were chosen")
    return array


def refuse_frames(estimator: Any) -> None:
    """Raise ValueError if an estimator was told to return frames, which are in memory."""
    told = getattr(estimator, "_sklearn_output_config", {})
    asked = told.get("transform", get_config()["transform_output"])
    if asked != "default":
        raise ValueError(
            f"set_output(transform={asked!r}) makes frames in memory, and what comes from chunks "
            "stays in chunks; call set_output(transform='default'), or pass X.compute()"
        )
