"""What is made of chunks when somebody asks for it: dask arrays of which nothing is computed."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ...foundation.typing import Array, Floats
from ..containers import times_columns
from .engine import shared, task
from .source import Source
from .tasks import Where, assembled

__all__ = ["by_blocks", "columns_times"]


def by_blocks(X: Any, model: Any, method: str, *, columns: int | None, dtype: Any) -> Any:
    """Return what a method of a fitted model says about the rows, as a dask array.

    Parameters
    ----------
    X : dask.array.Array
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
    import dask.array as da

    source, told = Source(X), shared(model)
    nothing = np.empty((0,) if columns is None else (0, columns), dtype)
    heights = source.heights or (np.nan,) * source.n_blocks[0]
    parts = [
        da.from_delayed(
            task(_of_rows, told, method, source.panel(i, 0), source.where(i, 0), nothing),
            (height, *nothing.shape[1:]),
            dtype=dtype,
        )
        for i, height in enumerate(heights)
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def _of_rows(model: Any, method: str, blocks: Any, where: Where, nothing: Array) -> Array:
    X, _ = assembled(blocks, where, check=True)
    if not X.shape[0]:
        return nothing
    return np.asarray(getattr(model, method)(X)).astype(nothing.dtype, copy=False)


def columns_times(X: Any, factors: Floats) -> Any:
    """Return a dask array with each column multiplied by its factor; float32 stays float32.

    Parameters
    ----------
    X : dask.array.Array
        The data; its blocks stay dense or sparse.
    factors : ndarray of shape (n,)
        The factors.
    """
    starts = Source(X).starts(1)
    assert starts is not None
    parts = tuple(factors[a:b] for a, b in pairwise(starts))
    dtype = np.result_type(X.dtype, np.float32)
    return X.map_blocks(partial(_block_times, parts=parts), dtype=dtype, meta=X._meta)


def _block_times(block: Any, parts: Any, block_id: tuple[int, int] = (0, 0)) -> Any:
    return times_columns(block, parts[block_id[1]])
