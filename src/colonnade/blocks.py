"""Small things that are done to arrays, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._typing import Array, Indices

__all__ = ["BLOCK_BYTES", "cut", "dense", "float64", "mirror", "spread_columns", "times_columns"]

BLOCK_BYTES = 4 * 2**20
"""How much a blocked sweep over the data may hold at a time."""


def cut(length: int, height: int) -> Iterator[slice]:
    """Cut ``range(length)`` so that ``height`` float64 for each index stay within a block."""
    width = max(1, BLOCK_BYTES // (8 * max(1, height)))
    for start in range(0, length, width):
        yield slice(start, min(start + width, length))


def mirror(square: Array) -> None:
    """Copy the lower triangle of a square matrix to its upper one, a few columns at a time."""
    n = len(square)
    for start in range(0, n, 256):
        stop = min(start + 256, n)
        corner = square[start:stop, start:stop]
        upper = np.triu_indices(stop - start, 1)
        corner[upper] = corner.T[upper]
        square[start:stop, stop:] = square[stop:, start:stop].T


def float64(array: Array) -> Array:
    """Return the array in float64, without a copy if it is."""
    return array.astype(np.float64, copy=False)


def dense(X: Any) -> Array:
    """Return a small matrix as an array, whatever it is stored in."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def times_columns(X: Any, factors: Array) -> Any:
    """Return X with each column multiplied by its factor; float32, sparse and frames stay so."""
    if sp.issparse(X):
        factors = factors.astype(np.result_type(X.dtype, np.float32), copy=False)
        # a sparse matrix times a diagonal stays sparse; broadcasting would not
        return (X @ sp.dia_array((factors[None, :], [0]), shape=(len(factors),) * 2)).asformat(
            X.format
        )
    if isinstance(X, np.ndarray):
        factors = factors.astype(np.result_type(X.dtype, np.float32), copy=False)
    elif not hasattr(X, "iloc"):  # frames other than those of pandas know no broadcasting
        scaled = zip(X.columns, factors.tolist(), strict=True)
        return type(X)({name: X[name] * factor for name, factor in scaled})
    return X * factors


def spread_columns(X: Any, columns: Indices, n: int) -> Any:
    """Return a matrix of n columns that has those of X at the given places and zeros elsewhere."""
    if sp.issparse(X):
        places = sp.csr_array(
            (np.ones(len(columns), X.dtype), (np.arange(len(columns)), columns)),
            shape=(len(columns), n),
        )
        return (X @ places).asformat(X.format)
    out = np.zeros((X.shape[0], n), dtype=X.dtype)
    out[:, columns] = X
    return out
