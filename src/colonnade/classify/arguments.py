"""Arguments of classifiers: λ, folds and labels, checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from ..foundation.parameters import INTEGERS, REALS, check_count
from ..foundation.typing import Array, Floats

__all__ = ["check_alphas", "check_cv_value", "check_labels", "folds_of"]


def check_alphas(alpha: Any) -> Floats:
    """Return λ, or all of them, as an array."""
    if isinstance(alpha, np.ndarray) and alpha.ndim == 0:
        alpha = alpha.item()
    values = [alpha] if np.ndim(alpha) == 0 else list(alpha)
    if not values:
        raise ValueError("alpha is an empty sequence; give at least one λ, for example [0.1, 1]")
    for value in values:
        if isinstance(value, bool | np.bool_) or not isinstance(value, REALS):
            raise TypeError(f"alpha must be a number or a sequence of numbers, got {alpha!r}")
        if not 0 <= value < np.inf:
            raise ValueError(f"alpha={value}; λ must be at least 0 and finite, for example 0.1")
    return np.array(values, dtype=np.float64)


def check_cv_value(cv: Any) -> None:
    """Raise if cv is not allowed, also where it is not needed; iterators are not used up."""
    if isinstance(cv, INTEGERS):
        check_count("cv", cv, 2, None, " folds")
    elif isinstance(cv, str) or not (
        cv is None or hasattr(cv, "split") or isinstance(cv, Iterable)
    ):
        raise TypeError(
            f"cv={cv!r} must be None (one row at a time), a number of folds, a splitter such as "
            "StratifiedKFold, or pairs of training and test rows"
        )


def folds_of(cv: Any, X: Any, y: Array) -> list[tuple[Array, Array]]:
    """Return training and test rows of each fold, which must be all rows together."""
    splits = isinstance(cv, INTEGERS) or hasattr(cv, "split")
    try:
        given = list(check_cv(cv, y, classifier=True).split(X, y) if splits else cv)
    except ValueError as error:
        if "groups" not in str(error):
            raise
        raise ValueError(
            f"cv={cv!r} needs to know the groups of the rows, which fit does not take; pass its "
            f"folds instead: cv=list({type(cv).__name__}(...).split(X, y, groups))"
        ) from error
    # pairs may be long: their number says enough
    name = f"cv={cv!r}" if splits else "cv"
    folds = []
    for number, pair in enumerate(given):
        try:
            train, test = (np.asarray(rows) for rows in pair)
        except (TypeError, ValueError):
            raise TypeError(
                f"{name}: fold {number} of {len(given)} is not a pair of training and test rows; "
                "give such pairs, or a number of folds, or a splitter such as StratifiedKFold"
            ) from None
        together = np.concatenate([train.ravel(), test.ravel()])
        if not np.array_equal(np.sort(together), np.arange(len(y))):
            raise ValueError(
                f"{name}: in fold {number} of {len(given)} the {train.size} training and "
                f"{test.size} test rows do not add up to all {len(y)}; use folds that do, such as "
                "those of StratifiedKFold"
            )
        folds.append((train, test))
    return folds


def check_labels(y: Any) -> None:
    """Raise ValueError if labels that are not numbers have gaps."""
    # as objects, since NumPy makes the word "nan" of a gap in a list of words
    given = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if given.dtype.kind != "O" or given.ndim != 1:
        return
    missing = [row for row, label in enumerate(given) if _is_missing(label)]
    if missing:
        raise ValueError(
            f"y has {len(missing)} missing label{'s' * (len(missing) > 1)}, first in row "
            f"{missing[0]} ({given[missing[0]]!r}); leave such rows out"
        )


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # pandas' NA is neither equal nor unequal to itself
        return True
