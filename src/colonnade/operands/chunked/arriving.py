"""Where chunks enter: arrays and frames of dask, and what an estimator remembers of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .chunked_table import ChunkedTable
from .resources import current

if TYPE_CHECKING:
    from ..interface import Columns

__all__ = [
    "as_table",
    "chunk_rows",
    "count_rows",
    "gathered",
    "is_chunked",
    "uncounted",
    "validated_chunks",
    "with_known_rows",
]


def is_chunked(X: Any) -> bool:
    """Say whether X is an array or a frame of dask, or what :func:`colonnade.open_data` returns."""
    if isinstance(X, ChunkedTable):
        return True
    if type(X).__module__.partition(".")[0] == "xarray":
        return type(getattr(X, "data", None)).__module__.startswith("dask.")
    return type(X).__module__.startswith("dask.") and hasattr(X, "__dask_graph__")


def as_table(X: Any, name: str = "X") -> ChunkedTable:
    """Return chunks with their names; raise if they are no matrix of numbers.

    Parameters
    ----------
    X : dask.array.Array, dask.dataframe.DataFrame, xarray.DataArray or ChunkedTable
        The data; a frame by its values, with the names of its columns.
    name : str
        What the data is called, for messages.
    """
    if isinstance(X, ChunkedTable):
        _check_array(X.array, name)
        return X
    if hasattr(X, "to_dask_array"):
        return _from_frame(X, name)
    if type(X).__module__.partition(".")[0] == "xarray":
        from ..naming import column_names

        _check_array(X.data, name)
        return ChunkedTable(X.data, column_names(X))
    if type(X).__name__ != "Array":
        raise TypeError(
            f"{name} is a {type(X).__module__}.{type(X).__name__}; pass a dask array or a dask "
            "DataFrame"
        )
    _check_array(X, name)
    return ChunkedTable(X)


def count_rows(A: Columns, what: str) -> int:
    """Return how many rows an operand has; raise ValueError if nobody has counted those of chunks.

    Parameters
    ----------
    A : Columns
        The data.
    what : str
        What needs the number, for the message.
    """
    if A.shape[0] < 0:
        raise uncounted(what)
    return A.shape[0]


def uncounted(what: str) -> ValueError:
    """Return the error that something needs to know how many rows each chunk has."""
    return ValueError(
        f"{what} needs the number of rows of every chunk, which is unknown; call "
        "X.compute_chunk_sizes() first (for a dask DataFrame pass "
        "df.to_dask_array(lengths=True))"
    )


def _check_array(array: Any, name: str) -> None:
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, got {array.ndim} with shape {array.shape}; one "
            "column is X.reshape(-1, 1)"
        )
    if np.isnan(array.shape[1]):
        raise ValueError(
            f"how many columns the chunks of {name} have is unknown; call X.compute_chunk_sizes() "
            "first"
        )
    if 0 in array.shape:
        raise ValueError(
            f"{name} is empty: shape {array.shape}; it needs at least 1 row and 1 column"
        )
    if isinstance(array._meta, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill the masked entries first")
    if array.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} has dtype {array.dtype}; only real numbers can be used: encode text and "
            "categories first, split complex numbers into real and imaginary part"
        )


def _from_frame(X: Any, name: str) -> ChunkedTable:
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"{name} is one column; pass a frame, such as {name}.to_frame()")
    from ..naming import column_names

    kinds = [_kind_of_numbers(kind) for kind in X.dtypes]
    wrong = [
        column for column, kind in zip(X.columns, kinds, strict=True) if kind.kind not in "fiub"
    ]
    if wrong:
        shown = ", ".join(repr(column) for column in wrong[:12])
        more = f" and {len(wrong) - 12} more" if len(wrong) > 12 else ""
        what = "column that holds" if len(wrong) == 1 else "columns that hold"
        raise TypeError(
            f"{name} has {len(wrong)} {what} no numbers: {shown}{more}; leave them out, for "
            f"example by {name}.select_dtypes('number')"
        )
    if len(set(X.dtypes)) > 1 or any(not isinstance(kind, np.dtype) for kind in X.dtypes):
        # blocks of several types would hold objects, and those with gaps their marks
        whole = all(isinstance(kind, np.dtype) for kind in X.dtypes)
        common = np.result_type(np.uint8, *kinds)
        X = X.astype(common if whole else np.float64)
    return ChunkedTable(X.to_dask_array(), column_names(X))


def _kind_of_numbers(kind: Any) -> np.dtype[Any]:
    """Return the type of the numbers in a column of a frame; that of objects if there are none."""
    if isinstance(kind, np.dtype):
        return kind
    if hasattr(kind, "subtype") and hasattr(kind, "fill_value"):  # sparse, and no interval
        return np.dtype(kind.subtype)
    return np.dtype(getattr(kind, "numpy_dtype", object))  # with a mark for gaps


def validated_chunks(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return chunks as a dask array, and remember or compare number and names of columns.

    Parameters
    ----------
    estimator : object
        Gets ``n_features_in_`` and, if there are names, ``feature_names_in_``; or has them.
    X : dask array or frame
        The data.
    reset : bool
        Whether to remember, as ``fit`` does, or to compare.
    """
    table = as_table(X)
    n, names = table.shape[1], table.names
    if reset:
        estimator.n_features_in_ = n
        estimator.__dict__.pop("feature_names_in_", None)
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return table.array
    if n != estimator.n_features_in_:
        raise ValueError(
            f"X has {n} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and names is not None and list(known) != list(names):
        raise ValueError(
            "The feature names should match those that were passed during fit; the first that "
            f"differs is {next(a for a, b in zip(names, known, strict=True) if a != b)!r}"
        )
    return table.array


def chunk_rows(X: Any, rows: Any) -> Any:
    """Return some rows of a dask array in the given order, in memory; only these are sent."""
    from ..entrance import wrapped
    from .fetching import fetched_rows

    return fetched_rows(wrapped(X), np.asarray(rows))


def gathered(values: Any) -> Any:
    """Return one value for each row, such as labels, in memory if they are in chunks."""
    from .engine import computed

    return np.asarray(computed([values])[0]) if is_chunked(values) else values


def with_known_rows(array: Any) -> Any:
    """Return a dask array whose chunks have known sizes; to count their rows takes a pass."""
    if not any(np.isnan(height) for height in array.chunks[0]):
        return array
    from .engine import computed, task

    heights = computed([task(_height, block) for block in array.to_delayed()[:, 0]])
    counted = array.copy()
    counted._chunks = (tuple(heights), *array.chunks[1:])
    current().used.passes += 1.0
    return counted


def _height(block: Any) -> int:
    return int(block.shape[0])
