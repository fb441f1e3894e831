"""Arguments of classifiers: λ, folds and labels, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import KERNEL_PARAMS
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets

from ..foundation.parameters import INTEGERS, REALS, Real, check_count
from ..foundation.typing import Array, Floats, Indices
from ..linalg.partitions import as_labels
from ..operands.kernel_names import check_kernel_name

__all__ = [
    "check_alphas",
    "check_cv_value",
    "check_kernel",
    "check_labels",
    "classes_of",
    "folds_of",
]

KERNEL_NUMBERS = {"gamma": Real(0.0), "degree": Real(0.0), "coef0": Real()}
"""What parameters of named kernels allow."""


def check_kernel(kernel: Any, kernel_params: Any, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a kernel; raise if it or they are not allowed.

    Parameters
    ----------
    kernel : Any
        A name or a function.
    kernel_params : Any
        Those of a function, in a dict or None.
    numbers : dict
        Those that named kernels may have, by name.
    """
    check_kernel_name("kernel", kernel)
    if kernel_params is not None:
        if not isinstance(kernel_params, Mapping):
            raise TypeError(
                f"kernel_params={kernel_params!r} must be a dict of keyword arguments for a "
                'callable kernel, such as {"width": 2.0}, or None'
            )
        if not callable(kernel):
            raise ValueError(
                f"kernel_params={kernel_params!r} are for a callable kernel; a named one takes "
                "gamma, degree and coef0"
            )
    if callable(kernel):
        return dict(kernel_params or {})
    params = {name: numbers[name] for name in KERNEL_PARAMS.get(kernel, ())}
    if params.get("gamma", 0) is None:
        del params["gamma"]
    for name, value in params.items():
        KERNEL_NUMBERS[name].check(name, value)
    return params


def check_kernel_value(kernel: Any, found: Any) -> None:
    """Raise TypeError if a callable kernel returned no real number for two rows."""
    value = np.asarray(found)
    if value.ndim or value.dtype.kind not in "fiub":
        raise TypeError(
            f"kernel={kernel!r} must return one real number for two rows, got "
            f"{'shape ' + str(value.shape) if value.ndim else repr(value.item())}"
        )


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


def folds_of(
    cv: Any, X: Any, y: Array, kept: Indices | None, n_rows: int
) -> list[tuple[Array, Array]]:
    """Return training and test rows of each fold, which must be all rows together.

    Parameters
    ----------
    cv : int, splitter or iterable
        A number of folds or a splitter makes them of the rows that are given here; pairs are
        of all rows.
    X, y : array-like
        The rows that have weight, and their labels.
    kept : ndarray of int or None
        Which of all rows these are; None for all.
    n_rows : int
        How many rows there are.
    """
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
    count, places = len(y), None
    if kept is not None and not splits:
        count, places = n_rows, np.full(n_rows, -1)
        places[kept] = np.arange(len(kept))
    for number, pair in enumerate(given):
        try:
            train, test = (np.asarray(rows) for rows in pair)
        except (TypeError, ValueError):
            raise TypeError(
                f"{name}: fold {number} of {len(given)} is not a pair of training and test rows; "
                "give such pairs, or a number of folds, or a splitter such as StratifiedKFold"
            ) from None
        together = np.concatenate([train.ravel(), test.ravel()])
        if not np.array_equal(np.sort(together), np.arange(count)):
            raise ValueError(
                f"{name}: in fold {number} of {len(given)} the {train.size} training and "
                f"{test.size} test rows do not add up to all {count}; use folds that do, such as "
                "those of StratifiedKFold"
            )
        if places is not None:
            train, test = (places[rows][places[rows] >= 0] for rows in (train, test))
            if not len(train):
                raise ValueError(
                    f"{name}: in fold {number} of {len(given)} no training row has a positive "
                    "sample_weight; use other folds"
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


def classes_of(y: Array) -> tuple[Array, Indices]:
    """Return the classes and the number of each row's; raise ValueError if there is one only."""
    if y.dtype.kind == "O":
        as_labels(y, len(y))  # says what cannot be sorted
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()[0]!r}; a classifier needs rows "
            "of at least two classes"
        )
    return classes, codes
