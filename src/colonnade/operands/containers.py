"""What is done to a user's container: sparse matrices, frames and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import norm as sparse_norm

from ..foundation.typing import Array, Indices
from .chunked.arriving import as_table, chunk_rows, is_chunked
from .foreign import NamedSparse, taken

__all__ = [
    "by_rows",
    "canonical",
    "check_dense",
    "check_indices",
    "compressed",
    "count_entries",
    "dense",
    "distant_mean",
    "fill_gaps",
    "largest_entries",
    "sklearn_ready",
    "spread_columns",
    "stored_entries",
    "take_columns",
    "take_rows",
    "times_columns",
    "unit_rows",
]


def dense(X: Any) -> Array:
    """Return a small matrix as an array, whatever it is stored in."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def check_dense(X: Any, name: str) -> None:
    """Raise TypeError if X is a sparse matrix."""
    if sp.issparse(X):
        raise TypeError(f"{name} must be a dense array or list; pass y.toarray()")


def distant_mean(X: Any) -> Array | None:
    """Return the mean row if rows are much farther from zero than from each other, else None.

    Then it is worth its while to take it out: inner products of such rows have the digits of
    what they share. Sparse rows are left as they are.
    """
    if sp.issparse(X):
        return None
    some = np.asarray(X[:: max(1, X.shape[0] // 1000)], dtype=np.float64)  # these can tell
    mean = some.mean(axis=0)
    far = mean @ mean > 100 * some.var(axis=0).sum()
    return X.mean(axis=0, dtype=np.float64) if far else None


def compressed(X: Any) -> Any:
    """Return a sparse matrix as CSR or CSC, itself if it is that, with indices that were checked.

    Compiled code trusts indices: one that is out of range leads outside of the memory.
    """
    check_indices(X)
    if X.format in ("csr", "csc"):
        return X
    X = X.tocsr()
    check_indices(X)  # what lists and dictionaries held is known only now
    return X


def check_indices(X: Any) -> None:
    """Say what is wrong with the indices of a sparse matrix, without changing it."""
    if X.format in ("csr", "csc", "bsr"):
        height, width = X.blocksize if X.format == "bsr" else (1, 1)
        if X.shape[0] % height or X.shape[1] % width:
            raise ValueError(
                f"the sparse matrix is broken: its shape {X.shape} does not consist of blocks of "
                f"shape {(height, width)}"
            )
        major, minor = X.shape[0] // height, X.shape[1] // width
        if X.format == "csc":
            major, minor = minor, major
        starts, indices = np.asarray(X.indptr), np.asarray(X.indices)
        if starts.shape != (major + 1,) or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
            raise ValueError(
                f"the sparse matrix is broken: indptr must be {major + 1} numbers that start "
                "with 0 and never fall"
            )
        used = int(starts[-1])
        if indices.ndim != 1 or used > len(indices) or used > len(X.data):
            raise ValueError(
                f"the sparse matrix is broken: indptr ends with {used}, but there are "
                f"{len(indices)} indices and {len(X.data)} entries"
            )
        _check_range("indices", indices[:used], minor)
    elif X.format == "coo":
        for name, indices, length in (("row", X.row, X.shape[0]), ("col", X.col, X.shape[1])):
            if len(indices) != len(X.data):
                raise ValueError(
                    f"the sparse matrix is broken: {len(indices)} indices in {name}, but "
                    f"{len(X.data)} entries"
                )
            _check_range(name, indices, length)
    elif X.format == "dia" and len(X.offsets) != len(X.data):
        raise ValueError(
            f"the sparse matrix is broken: {len(X.offsets)} offsets, but {len(X.data)} diagonals"
        )


def _check_range(name: str, indices: Any, length: int) -> None:
    if len(indices) and not (indices.min() >= 0 and indices.max() < length):
        wrong = indices[(indices < 0) | (indices >= length)][0]
        raise ValueError(
            f"the sparse matrix is broken: {name} holds {wrong}, but must lie in 0 to {length - 1}"
        )


def canonical(X: Any) -> Any:
    """Return a CSR or CSC matrix with one entry for each place, and indices of 32 bits.

    Much that takes sparse matrices reads the entries of a place that has several one by one, and
    some of it takes no wider indices. The matrix itself if it is so already.
    """
    if not X.has_canonical_format:
        X = X.copy()  # its arrays may be the caller's
        X.sum_duplicates()
    if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) < 2**31:
        parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
        X = type(X)(parts, shape=X.shape)
    return X


def unit_rows(X: Any) -> Any:
    """Return X with rows of unit length, in float64 or float32; rows of zeros stay."""
    for power in (np.inf, 2):  # squares of very large and very small entries are out of range
        if sp.issparse(X):
            sizes = sparse_norm(X, power, axis=1)
            factors = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
            X = (sp.diags_array(factors.astype(X.dtype)) @ X).tocsr()
        else:
            sizes = np.linalg.norm(X, power, axis=1, keepdims=True)
            X = np.divide(X, sizes, out=np.zeros_like(X), where=sizes > 0)
    return X


def count_entries(X: Any) -> int:
    """Return how many entries are not zero, whether the others are stored or not."""
    return int(X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X))


def stored_entries(X: Any) -> int:
    """Return how many entries a matrix holds."""
    return int(X.nnz if sp.issparse(X) else X.size)


def largest_entries(X: Any, count: int) -> Any:
    """Return X with the ``count`` entries of each row that are largest in size, zeros elsewhere.

    Of equal ones the first are kept. Sparse matrices come as CSR and stay so.
    """
    if not sp.issparse(X):
        out = np.zeros_like(X)
        for row, kept in zip(X, out, strict=True):
            places = _largest(row, np.arange(len(row)), count)
            kept[places] = row[places]
        return out
    X = X.tocsr()
    kept_places = [
        start + _largest(X.data[start:stop], X.indices[start:stop], count)
        for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]
    places = np.concatenate(kept_places)
    starts = np.append(0, np.cumsum([len(row) for row in kept_places]))
    out = sp.csr_array((X.data[places], X.indices[places], starts), shape=X.shape)
    out.sort_indices()
    return out


def _largest(values: Array, columns: Indices, count: int) -> Indices:
    """Return where the largest values are, in size; of equal ones those of the first columns."""
    if len(values) <= count:
        return np.arange(len(values))
    sizes = np.abs(values)
    limit = np.partition(sizes, -count)[-count]
    above = sizes > limit
    equal = np.flatnonzero(sizes == limit)
    equal = equal[np.argsort(columns[equal])]
    above[equal[: count - np.count_nonzero(above)]] = True
    return np.flatnonzero(above)


def take_columns(X: Any, columns: Indices) -> Any:
    """Return some columns in the given order; arrays, sparse matrices and frames stay so.

    What is in chunks stays in chunks, and nothing is computed yet: here and below.
    """
    if is_chunked(X):
        from .chunked.lazy import chosen_columns

        return chosen_columns(X, columns)
    if hasattr(X, "iloc"):
        return X.iloc[:, columns]
    if type(X).__module__.partition(".")[0] == "pyarrow":
        return X.select(columns.tolist())
    if isinstance(X, NamedSparse):
        return NamedSparse.of(X.tocsc()[:, columns], [X.names[j] for j in columns])
    return X[:, columns.tolist() if hasattr(X, "columns") else columns]


def by_rows(X: Any) -> Any:
    """Return a sparse matrix as CSR, an array as it is."""
    return X.tocsr() if sp.issparse(X) else X


def take_rows(X: Any, rows: Indices) -> Any:
    """Return some rows of an array or sparse matrix in the given order; of chunks, in memory."""
    if is_chunked(X):
        return chunk_rows(X, rows)
    return by_rows(X)[rows]


def times_columns(X: Any, factors: Array) -> Any:
    """Return X with each column multiplied by its factor; float32, sparse and frames stay so."""
    if hasattr(X, "map_partitions"):  # a frame of dask
        return X.map_partitions(times_columns, factors)
    if is_chunked(X):
        return _by_chunks(X, times_columns, factors, width=len(factors), least=np.float32)
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


def fill_gaps(X: Any, fills: Array) -> Any:
    """Return a copy of an array or sparse matrix with a value for each column in place of NaN."""
    out = X.copy()
    if isinstance(X, np.ndarray):
        rows, columns = np.nonzero(np.isnan(X))
        out[rows, columns] = fills[columns]
        return out
    gaps = np.flatnonzero(np.isnan(X.data))
    columns = X.indices[gaps]
    if X.format == "csc":
        columns = np.searchsorted(X.indptr, gaps, side="right") - 1
    out.data[gaps] = fills[columns]
    return out


def spread_columns(X: Any, columns: Indices, n: int) -> Any:
    """Return a matrix of n columns that has those of X at the given places and zeros elsewhere."""
    if is_chunked(X):
        return _by_chunks(X, spread_columns, columns, n, width=n)
    if sp.issparse(X):
        places = sp.csr_array(
            (np.ones(len(columns), X.dtype), (np.arange(len(columns)), columns)),
            shape=(len(columns), n),
        )
        return (X @ places).asformat(X.format)
    out = np.zeros((X.shape[0], n), dtype=X.dtype)
    out[:, columns] = X
    return out


def _by_chunks(X: Any, function: Any, *arguments: Any, width: int, least: Any = np.bool_) -> Any:
    """Apply a function to rows in chunks, sparse or not, when these are asked for."""
    from .chunked.lazy import mapped_rows

    dtype = np.result_type(as_table(X).array.dtype, least)
    return mapped_rows(X, function, *arguments, width=width, dtype=dtype, sparse=True, check=False)


def sklearn_ready(X: Any) -> Any:
    """Return data as scikit-learn takes it; most are returned as they are.

    Frames without the interchange protocol, such as those of polars 2, would lose their column
    names. Sparse matrices with several entries for one place, with wide indices or with wrong ones
    would be read wrongly or refused. Masked arrays would be taken with what their mask hides. Of
    columns that hold text, all are named.
    """
    X = taken(X)
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError("X is a masked array; fill the masked entries first")
    if sp.issparse(X) and X.ndim == 2:
        return X if isinstance(X, NamedSparse) else canonical(compressed(X))
    named = hasattr(X, "columns") and hasattr(X, "to_numpy")
    if not named or hasattr(X, "iloc") or hasattr(X, "__dataframe__"):
        return X
    try:
        import pandas as pd
    except ImportError:
        return X
    return pd.DataFrame(X.to_numpy(), columns=list(X.columns))
