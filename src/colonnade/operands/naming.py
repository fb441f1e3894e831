"""What the columns of a user's container are called."""

from __future__ import annotations

from typing import Any

__all__ = ["column_names"]


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
    columns = getattr(X, "columns", None)
    if columns is None or callable(columns) or not hasattr(X, "shape"):
        return None
    names = list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None
