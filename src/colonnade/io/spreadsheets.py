"""Text that spreadsheets do not take for formulas."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from .table import Table

__all__ = ["without_formulas"]

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def without_formulas(table: Table) -> Table:
    """Return a table with a single quote before all text that a spreadsheet would run.

    That is text which begins with ``=``, ``+``, ``-`` or ``@``; numbers are left alone.
    """
    return replace(
        table,
        X=_quoted(table.X),
        columns=[_quote(name) for name in table.names],
        labels=_quoted(table.labels),
        label_name=_quote(table.label_name),
        row_names=_quoted(table.row_names),
    )


def _quoted(values: Any) -> Any:
    if values is None or values.dtype.kind not in "UO":
        return values
    return np.array([_quote(value) for value in values.ravel()], object).reshape(values.shape)


def _quote(value: Any) -> Any:
    if not isinstance(value, str) or _NUMBER.fullmatch(value) or not _FORMULA.match(value):
        return value
    return f"'{value}"
