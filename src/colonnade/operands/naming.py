"""What the columns of a user's container are called."""

from __future__ import annotations

from typing import Any

from .foreign import known_names, opened

__all__ = ["column_names", "numeric_part"]


def column_names(X: Any) -> list[str] | None:
    """Return the names of the columns of a frame; None if there are none, or not all are text.

    Examples
    --------
    >>> import pandas as pd
    >>> column_names(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    ['a', 'b']
    >>> column_names([[1.0, 2.0]]) is None
    True
    """
    names = known_names(X) if hasattr(X, "shape") else None
    return names if names and all(isinstance(name, str) for name in names) else None


def numeric_part(X: Any) -> tuple[Any, list[str] | None, dict[str, str]]:
    """Return the columns of a container that are numbers, their names, and what the others hold.

    Parameters
    ----------
    X : array-like, sparse matrix or frame
        Anything but a frame is returned as it is.

    Returns
    -------
    X : the same kind of container
    names : list of str or None
    others : dict of str
        From the name of a column that holds no numbers to the name of its type.

    Examples
    --------
    >>> import pandas as pd
    >>> part, names, others = numeric_part(pd.DataFrame({"a": [1], "b": ["x"], "c": [True]}))
    >>> names, list(others)
    (['a', 'c'], ['b'])
    """
    X = opened(X)
    if hasattr(X, "schema") and hasattr(X, "to_pandas") and not hasattr(X, "dtypes"):
        X = X.to_pandas()  # a table of Arrow
    columns = getattr(X, "columns", None)
    if columns is None or callable(columns) or not hasattr(X, "dtypes"):
        return X, column_names(X), {}
    keep, others = [], {}
    for j, (name, dtype) in enumerate(zip(columns, list(X.dtypes), strict=True)):
        if _is_number(dtype):
            keep.append(j)
        else:
            others[str(name)] = str(dtype)
    names = [str(columns[j]) for j in keep]
    if not others:
        return X, names, others
    return (X.iloc[:, keep] if hasattr(X, "iloc") else X[:, keep]), names, others


def _is_number(dtype: Any) -> bool:
    """Return whether a column of this type, of pandas or polars, holds numbers or truth values."""
    if hasattr(dtype, "is_numeric"):  # polars
        return bool(dtype.is_numeric()) or str(dtype) == "Boolean"
    subtype = getattr(dtype, "subtype", dtype)  # of a sparse column
    return getattr(subtype, "kind", "O") in "fiub"
