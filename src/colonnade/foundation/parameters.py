"""Checks of parameters, with messages that say what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .typing import Indices

__all__ = [
    "INTEGERS",
    "REALS",
    "check_columns",
    "check_count",
    "check_number",
]


INTEGERS = (int, np.integer)


REALS = (int, float, np.integer, np.floating)


def check_count(name: str, value: Any, low: int, high: float | None, what: str = "") -> int:
    """Return an integer parameter, or say what is allowed."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, INTEGERS):
        raise TypeError(f"{name} must be an integer, got {value!r} ({type(value).__name__})")
    if value < low or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"{low} to {int(high)}"
        raise ValueError(f"{name}={value}{what}; choose {bounds}")
    return int(value)


def check_number(name: str, value: Any, low: float, high: float = np.inf) -> float:
    """Return a finite number between two bounds, or say what is allowed."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, REALS):
        raise TypeError(f"{name} must be a number, got {value!r} ({type(value).__name__})")
    if not (low <= value <= high and np.isfinite(value)):
        bounds = f"at least {low:g}" if high == np.inf else f"{low:g} to {high:g}"
        raise ValueError(f"{name}={value}; choose {bounds}")
    return float(value)


def check_columns(
    name: str, columns: Iterable[Any] | None, n_candidates: int, names: Sequence[str] | None = None
) -> Indices:
    """Return column numbers given as numbers or, where there are names, by name."""
    if columns is None:
        return np.empty(0, dtype=np.intp)
    if isinstance(columns, str | int | np.integer):
        columns = [columns]
    out: list[int] = []
    for column in columns:
        if isinstance(column, str):
            if names is None:
                raise ValueError(f"{name} names the column {column!r}, but the data has no names")
            if column not in names:
                raise ValueError(f"{name} names the column {column!r}, which is not in the data")
            column = list(names).index(column)
        if isinstance(column, bool | np.bool_) or not isinstance(column, INTEGERS):
            raise TypeError(f"{name} must hold column numbers or names, got {column!r}")
        if not 0 <= column < n_candidates:
            raise ValueError(f"{name} holds {column}; columns are numbered 0 to {n_candidates - 1}")
        out.append(int(column))
    if len(set(out)) != len(out):
        raise ValueError(f"{name} repeats a column: {out}")
    return np.array(out, dtype=np.intp)
