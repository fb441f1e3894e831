"""Checks of what the user gave, with messages that say what to do."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._typing import Array, Indices
from .blocks import canonical, compressed

INTEGERS = (int, np.integer)
REALS = (int, float, np.integer, np.floating)

__all__ = [
    "RankReachedWarning",
    "as_labels",
    "as_target",
    "check_columns",
    "check_count",
    "check_number",
    "check_scale",
    "printer",
    "resolve_size",
    "tidy",
    "warn_caller",
    "warn_rank",
]


class RankReachedWarning(UserWarning):
    """Fewer columns than asked for already reconstruct the data to working precision."""


def warn_rank(message: str) -> None:
    """Say that the rank is reached, at the line of the user's code that led here."""
    warn_caller(message, RankReachedWarning)


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that led here."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_library(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level + 1)


def _is_library(module: str) -> bool:
    return module.split(".")[0] in ("colonnade", "sklearn")


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


def resolve_size(n_select: Any, max_error: Any, n_candidates: int) -> tuple[int | None, Any]:
    """Return how many columns to choose, or None if the error alone decides.

    Parameters
    ----------
    n_select : int, float or None
        A number, a fraction of the columns, or None.
    max_error : float or None
        The relative squared error at which to stop.
    n_candidates : int
        How many columns there are.

    Returns
    -------
    n_select : int or None
    max_error : float or None
    """
    if max_error is not None:
        if isinstance(max_error, bool) or not isinstance(max_error, REALS):
            raise TypeError(f"max_error must be a number from 0 to 1, got {max_error!r}")
        if not 0 <= max_error < 1:
            raise ValueError(
                f"max_error={max_error}; choose a share of the squared size of the data, at "
                "least 0 and below 1, for example 0.1"
            )
        max_error = float(max_error)
    if n_select is None:
        return (None if max_error is not None else max(1, n_candidates // 2)), max_error
    if isinstance(n_select, bool | np.bool_) or not isinstance(n_select, REALS):
        raise TypeError(
            f"n_select must be an integer, a fraction or None, got {n_select!r} "
            f"({type(n_select).__name__})"
        )
    if isinstance(n_select, INTEGERS):
        if not 1 <= n_select <= n_candidates:
            plural = "column" if n_candidates == 1 else "columns"
            raise ValueError(
                f"n_select={n_select} but there are {n_candidates} {plural} to choose from; "
                f"choose 1 to {n_candidates}, or a fraction such as 0.1"
            )
        return int(n_select), max_error
    if not 0 < n_select <= 1:
        raise ValueError(
            f"n_select={n_select}; a fraction must be above 0 and at most 1 (for a number of "
            f"columns pass an integer from 1 to {n_candidates})"
        )
    return max(1, round(float(n_select) * n_candidates)), max_error


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


def check_scale(largest: float) -> float:
    """Return a power of two that brings entries of this size near 1, or 1.0 if they are.

    The scores are of the fourth power of the data, so moderate sizes are needed to keep clear
    of overflow and underflow.
    """
    if largest == 0:
        raise ValueError("the data is zero everywhere: there is nothing to reconstruct")
    if not np.isfinite(largest):
        raise ValueError(
            f"the largest absolute entry is {largest}: the kernel has values that are not finite; "
            "check its parameters and scale the data"
        )
    if not 1e-140 < largest < 1e140:
        raise ValueError(
            f"the largest absolute entry is {largest:.3g}, whose square is out of range; "
            f"multiply the data by {10.0 ** min(300, -np.floor(np.log10(largest))):.0e} first"
        )
    if 2.0**-100 < largest < 2.0**100:
        return 1.0
    return float(2.0 ** -np.floor(np.log2(largest)))


def printer(label: str) -> Callable[[int, int | None, float], None]:
    """Return a progress callback that prints a line every second to standard error."""
    last = time.monotonic()

    def show(count: int, wanted: int | None, error: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 1.0 or count == wanted or count == 1:
            last = now
            of = "" if wanted is None else f" of {wanted}"
            print(f"[{label}] {count}{of} chosen, {error:.4%} of the error left", file=sys.stderr)

    return show


def tidy(X: Any) -> Any:
    """Return data as scikit-learn takes it; most are returned as they are.

    Frames without the interchange protocol, such as those of polars 2, would lose their column
    names. Sparse matrices with several entries for one place, with wide indices or with wrong ones
    would be read wrongly or refused. Masked arrays would be taken with what their mask hides.
    """
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError("X is a masked array; fill the masked entries first")
    if sp.issparse(X) and X.ndim == 2:
        return canonical(compressed(X))
    named = hasattr(X, "columns") and hasattr(X, "to_numpy")
    if not named or hasattr(X, "iloc") or hasattr(X, "__dataframe__"):
        return X
    try:
        import pandas as pd
    except ImportError:
        return X
    return pd.DataFrame(X.to_numpy(), columns=list(X.columns))


def as_labels(labels: Any, n_rows: int) -> tuple[Array, Array]:
    """Return the class of every row as a number from 0, and the classes themselves.

    Parameters
    ----------
    labels : array-like of shape (n_rows,) or (n_rows, k)
        A label for each row, of any type; or a partition as a matrix with one column for each
        cluster and one nonzero entry in each row.
    n_rows : int
        How many rows the data has.

    Returns
    -------
    codes : ndarray of int
    classes : ndarray
    """
    if hasattr(labels, "toarray"):
        labels = labels.toarray()
    given = np.asarray(labels)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim not in (1, 2) or len(given) != n_rows:
        raise ValueError(
            f"labels have shape {given.shape}, but the data has {n_rows} rows; give one label "
            "for each row"
        )
    missing = given != given if given.dtype.kind in "fcO" else np.zeros(given.shape, bool)
    if given.dtype.kind == "O":
        missing = missing | np.frompyfunc(lambda label: label is None, 1, 1)(given).astype(bool)
    if np.any(missing):
        row = int(np.argwhere(missing)[0][0])
        raise ValueError(f"the label of row {row} is missing; leave such rows out")
    if given.dtype.kind == "f" and np.isinf(given).any():
        raise ValueError("the labels contain infinity; they must be finite")
    if given.ndim == 1:
        try:
            classes, codes = np.unique(given, return_inverse=True)
        except TypeError as error:  # what cannot be compared cannot be sorted
            kinds = list(dict.fromkeys(type(label).__name__ for label in given))
            what = " and ".join(kinds[:2]) if len(kinds) > 1 else f"{kinds[0]}, without an order"
            raise TypeError(
                f"the labels are of types that cannot be sorted: {what}; give all labels one "
                "type, for example with [str(label) for label in labels]"
            ) from error
        return codes.astype(np.intp), classes
    members = given != 0
    if (members.sum(axis=1) != 1).any():
        row = int(np.argmax(members.sum(axis=1) != 1))
        raise ValueError(
            f"row {row} of the partition has {members[row].sum()} nonzero entries; every row "
            "must belong to one cluster"
        )
    empty = np.flatnonzero(~members.any(axis=0))
    if len(empty):
        raise ValueError(f"cluster {empty[0]} of the partition is empty; leave its column out")
    return members.argmax(axis=1).astype(np.intp), np.arange(given.shape[1])


def as_target(y: Any, n_rows: int) -> Array:
    """Return a target as a float matrix of the same rows."""
    if hasattr(y, "toarray"):
        raise TypeError("the target must be a dense array or list; pass y.toarray()")
    B = np.asarray(y)
    if B.dtype.kind not in "fiub":
        raise TypeError(
            f"Unknown label type: the target has dtype {B.dtype} but must be numeric; encode "
            "classes first, for example with sklearn.preprocessing.LabelBinarizer"
        )
    B = B.astype(np.float64)
    if B.ndim == 1:
        B = B[:, None]
    if B.ndim != 2 or B.shape[0] != n_rows or B.shape[1] == 0:
        raise ValueError(f"the target has shape {np.shape(y)}; it must have {n_rows} rows")
    if not np.isfinite(B).all():
        raise ValueError("the target contains NaN or infinity")
    if not B.any():
        raise ValueError("the target is zero everywhere: there is nothing to reconstruct")
    return B
