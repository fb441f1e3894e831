"""Data of other packages: frames, AnnData and xarray, with their names, or what to pass instead."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array
from .chunked.arriving import is_chunked
from .chunked.chunked_table import ChunkedTable

__all__ = ["NamedSparse", "known_names", "opened", "taken"]

MOST = 12
"""How many columns a message names."""
TEMPORAL = ("date", "time", "duration", "period", "interval")
"""How the types of dates, times and spans of time begin, in all packages."""
WORDS = ("str", "utf8", "large_string", "cat", "enum", "object", "dictionary", "binary", "bytes")


def taken(X: Any, name: str = "X") -> Any:
    """Return data of other packages as an array, a sparse matrix or a frame, with its names.

    Parameters
    ----------
    X : Any
        A frame of pandas, polars or another package (with the interchange protocol), AnnData or a
        two-dimensional ``xarray.DataArray``; anything else is returned as it is.
    name : str
        What the data is called, for messages.

    Raises
    ------
    TypeError
        If columns of a frame hold text or dates, with all of their names, if there is no one
        matrix in X, or if X is in chunks, which NumPy would load as a whole; the message says what
        to pass.

    Examples
    --------
    >>> import pandas as pd
    >>> taken(pd.DataFrame({"size": [1.0, 2.0], "who": ["ann", "ben"]}))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    TypeError: X has 1 column that holds no numbers: 'who' (text, such as 'ann'); leave it out, ...
    """
    if is_chunked(X):
        raise TypeError(
            f"{name} is in chunks, which never are in memory together, and this looks at all rows "
            "together; pass an array, such as X[:10000].compute()"
        )
    X = opened(X, name)
    if _is_frame(X):
        _refuse_words(X, name)
    return X


def opened(X: Any, name: str = "X") -> Any:
    """Return the same as :func:`taken`, but a frame whatever its columns hold."""
    home = type(X).__module__.partition(".")[0]
    if sp.issparse(X):
        return X
    if home == "anndata" and hasattr(X, "var_names"):
        return _from_anndata(X, name)
    if home == "xarray":
        return _from_xarray(X, name)
    if home == "polars" and type(X).__name__ == "LazyFrame":
        raise TypeError(f"{name} is a polars.LazyFrame; pass {name}.collect()")
    if hasattr(X, "__dataframe__") and not (hasattr(X, "__array__") or hasattr(X, "to_numpy")):
        return _interchanged(X)
    return X


def known_names(X: Any) -> list[Any] | None:
    """Return what the columns of data of any package are called; None if they have no names."""
    home = type(X).__module__.partition(".")[0]
    if isinstance(X, ChunkedTable):
        return None if X.names is None else list(X.names)
    if isinstance(X, NamedSparse):
        return X.names
    if home == "anndata" and hasattr(X, "var_names"):
        return list(X.var_names)
    if home == "xarray":
        columns = X.dims[-1] if getattr(X, "ndim", 0) == 2 else None
        return None if columns not in getattr(X, "coords", ()) else list(X.coords[columns].values)
    if home == "pyarrow":
        return list(X.column_names)
    columns = getattr(X, "columns", None)
    return None if columns is None or callable(columns) else list(columns)


def _is_frame(X: Any) -> bool:
    named = hasattr(X, "columns") or hasattr(X, "column_names")
    return named and getattr(X, "ndim", 2) == 2 and not sp.issparse(X)


def _interchanged(X: Any) -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise TypeError(
            f"{type(X).__module__}.{type(X).__name__} needs pandas to be taken; install it, or "
            "pass an array"
        ) from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas would rather have Arrow's protocol
        return pd.api.interchange.from_dataframe(X)


def _refuse_words(X: Any, name: str) -> None:
    """Raise TypeError if columns of a frame hold anything but numbers, with all their names."""
    wrong = [(column, kind, value) for column, kind, value in _words(X) if kind]
    if not wrong:
        return
    shown = [
        f"{column!r} ({kind}{f', such as {value!r}' if value else ''})"
        for column, kind, value in wrong[:MOST]
    ]
    more = f" and {len(wrong) - MOST} more" if len(wrong) > MOST else ""
    one = len(wrong) == 1
    what = "1 column that holds" if one else f"{len(wrong)} columns that hold"
    raise TypeError(
        f"{name} has {what} no numbers: {', '.join(shown)}{more}; leave {'it' if one else 'them'} "
        f"out, {_cure(X, name, [column for column, *_ in wrong])}, or encode "
        f"{'it' if one else 'them'} as numbers first"
    )


def _cure(X: Any, name: str, columns: Sequence[Any]) -> str:
    """Return the code that leaves columns out."""
    pandas = hasattr(X, "iloc")
    if len(columns) <= MOST:
        return f"{name}.drop(columns={columns!r})" if pandas else f"{name}.drop({columns!r})"
    if pandas:
        return f"{name}.select_dtypes(['number', 'bool'])"
    return "for example with polars.selectors.numeric()"


def _words(X: Any) -> Iterator[tuple[Any, str, str]]:
    """Return the columns that hold no numbers, what they hold, and an example."""
    for column, dtype, values in _columns(X):
        kind = _kind(dtype)
        if kind == "dates":
            yield column, kind, ""
        elif kind:
            found = _not_a_number(values)
            if found is not None:
                yield column, kind, found


def _columns(X: Any) -> Iterator[tuple[Any, str, Any]]:
    """Return the name of each column, its type in words, and a function that gives its values."""
    if hasattr(X, "iloc"):
        for j, (column, dtype) in enumerate(X.dtypes.items()):
            yield column, str(dtype), lambda j=j: X.iloc[:, j].tolist()
    elif hasattr(X, "dtypes") and hasattr(X, "columns"):
        for column, dtype in zip(list(X.columns), list(X.dtypes), strict=True):
            yield column, str(dtype), lambda column=column: list(X[column])
    elif hasattr(X, "schema") and hasattr(X, "column_names"):
        for column, dtype in zip(X.column_names, X.schema.types, strict=True):
            yield column, str(dtype), lambda column=column: X[column].to_pylist()


def _kind(dtype: str) -> str:
    """Return what columns of a type hold if it is no numbers; these are only candidates."""
    name = dtype.lower()
    if name.startswith((*TEMPORAL, "timestamp", "timedelta")):
        return "dates"
    return "text" if name.startswith(WORDS) else ""


def _not_a_number(values: Any) -> str | None:
    """Return the first entry that is no number; None if all are, gaps too."""
    for value in values():
        if value is None or value != value or isinstance(value, bool | int | float | np.number):
            continue
        try:
            float(value)
        except TypeError:
            if type(value).__name__ != "NAType":
                return str(value)
        except ValueError:
            return str(value) if len(str(value)) <= 40 else f"{str(value)[:37]}..."
    return None


def _from_anndata(X: Any, name: str) -> Any:
    """Return the matrix of AnnData with the names of its variables."""
    matrix = X.X
    if matrix is None:
        raise TypeError(f"{name} is an AnnData without X; pass one of its layers")
    if getattr(X, "isbacked", False):
        raise TypeError(f"{name} is an AnnData in a file; pass {name}.to_memory()")
    names = [str(variable) for variable in X.var_names]
    if sp.issparse(matrix):
        return NamedSparse.of(matrix, names)
    return _framed(np.asarray(matrix), names, [str(sample) for sample in X.obs_names])


def _from_xarray(X: Any, name: str) -> Any:
    """Return a two-dimensional array with the coordinates of its second dimension as names."""
    if not hasattr(X, "values") or not hasattr(X, "dims") or callable(X.values):
        variables = [str(variable) for variable in list(X)[:3]]
        example = f"{name}[{variables[0]!r}]" if variables else "one of its arrays"
        raise TypeError(
            f"{name} is an xarray.Dataset, which holds several arrays; pass one of two dimensions, "
            f"such as {example}, or {name}.to_dataframe() if each is a column"
        )
    if X.ndim != 2:
        dims = ", ".join(map(str, X.dims))
        raise TypeError(
            f"{name} is an xarray.DataArray of {X.ndim} dimensions ({dims}); a matrix has two: "
            "rows and columns. Bring several into one with stack, or choose with isel"
        )
    rows, columns = X.dims
    if columns not in X.coords:
        return np.asarray(X.values)
    names = [str(value) for value in X.coords[columns].values]
    return _framed(np.asarray(X.values), names, X.coords[rows].values if rows in X.coords else None)


def _framed(values: Array, names: Sequence[str], index: Any) -> Any:
    """Return a frame, or the array alone where there is no pandas to make one."""
    try:
        import pandas as pd
    except ImportError:
        return values
    return pd.DataFrame(values, columns=list(names), index=index)


class NamedSparse(sp.coo_array):
    """A sparse matrix with names of its columns, which scikit-learn asks for by a protocol.

    It is a list of triplets because nothing works on these: scikit-learn asks for the names first
    and makes a plain matrix by rows or columns of it afterwards.
    """

    names: list[str]

    @classmethod
    def of(cls, X: Any, names: list[str]) -> NamedSparse:
        """Return a sparse matrix with names."""
        made = cls(X)
        made.names = names
        return made

    def __dataframe__(self, **_: Any) -> NamedSparse:
        return self

    def column_names(self) -> list[str]:
        """Return the names of the columns."""
        return self.names

    def num_rows(self) -> int:
        """Return the number of rows."""
        return int(self.shape[0])
