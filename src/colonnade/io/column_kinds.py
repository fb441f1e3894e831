"""What a column holds: dates, identifiers, gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array

__all__ = [
    "are_dates",
    "bad_entries",
    "identifiers",
    "named_as_identifier",
    "nested_kind",
    "per_column",
]

_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})"
    r"|\d{1,2}[- ]?[A-Za-z]{3,9}[- ]?\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4})"
    r"([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?(Z| ?[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?"
)
_IDENTIFIER = re.compile(
    r"(?i:unnamed: ?\d+|id|ids|idx|index|uuid|guid|row|rowid|row[ _.-]?(id|nr|no|num|number|index))"
    r"|(?i:.+[ _.-]id|id[ _.-].+)|.*[a-z]I[dD]"
)
COUNTED_ROWS = 10
"""From how many rows on whole numbers that count them are taken for an identifier."""


def are_dates(values: Iterable[Any]) -> bool:
    """Return whether all of some texts are dates or times.

    Examples
    --------
    >>> are_dates(["2024-01-31", "1.2.2024 10:30"]), are_dates(["2024-01-31", "soon"])
    (True, False)
    """
    return all(_DATE.fullmatch(str(value).strip()) for value in values)


def nested_kind(value: Any) -> str:
    """Return what a column with such an entry holds if that is no single value, else nothing.

    Arrow's columns have one type each, and pandas gives their entries as these: arrays for lists,
    dictionaries for structs, lists of pairs for maps.

    Examples
    --------
    >>> nested_kind(np.zeros(2)), nested_kind({"a": 1}), nested_kind([("a", 1)]), nested_kind("a")
    ('lists', 'structs', 'maps', '')
    """
    if isinstance(value, dict):
        return "structs"
    if isinstance(value, list) and value and all(isinstance(pair, tuple) for pair in value):
        return "maps"
    if isinstance(value, (np.ndarray, list, tuple, set)):
        return "lists"
    return "bytes" if isinstance(value, (bytes, bytearray)) else ""


def named_as_identifier(name: str) -> bool:
    """Return whether a column is called as identifiers are.

    Examples
    --------
    >>> [named_as_identifier(name) for name in ("id", "sample_id", "userId", "acid", "humidity")]
    [True, True, True, False, False]
    """
    return _IDENTIFIER.fullmatch(name.strip()) is not None


def identifiers(X: Any, names: Sequence[str]) -> list[int]:
    """Return the columns that tell rows apart and measure nothing.

    These hold a different whole number in each row, and are called like identifiers or count the
    rows, from 0 or 1 on. Sparse matrices have none.
    """
    m = X.shape[0]
    if sp.issparse(X) or m < 2:
        return []
    steps = np.zeros(len(names), dtype=bool)
    if m >= COUNTED_ROWS:
        # in float64: bytes cannot hold the number of rows
        first, last = X[0].astype(np.float64), X[-1].astype(np.float64)
        steps = ((first == 0) | (first == 1)) & (last == first + (m - 1))
    asked = [j for j, name in enumerate(names) if steps[j] or named_as_identifier(name)]
    return [j for j in asked if _tells_rows_apart(X[:, j], named_as_identifier(names[j]))]


def _tells_rows_apart(column: Array, named: bool) -> bool:
    values = column.astype(np.float64)
    if not named:
        return bool((np.diff(values) == 1).all())
    whole = np.isfinite(values).all() and (values == np.round(values)).all()
    return bool(whole) and len(np.unique(values)) == len(values)


def bad_entries(X: Any) -> tuple[Array, Array, Array]:
    """Return rows and columns of the entries that are not finite, and which of them are infinite.

    Sorted by column, and within each by row.
    """
    nothing = np.zeros(0, dtype=np.intp)
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if X.dtype.kind != "f" or np.isfinite(values.sum()):
            return nothing, nothing, nothing.astype(bool)
    wrong = ~np.isfinite(values)
    if sp.issparse(X):
        triplets = X.tocoo()
        rows, columns, found = triplets.row[wrong], triplets.col[wrong], triplets.data[wrong]
    else:
        rows, columns = np.nonzero(wrong)
        found = X[rows, columns]
    order = np.lexsort((rows, columns))
    return rows[order], columns[order], np.isinf(found)[order]


def per_column(columns: Array, n: int) -> Array:
    """Return how many of some entries each column has."""
    return np.bincount(columns, minlength=n)
