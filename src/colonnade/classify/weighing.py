"""How much each row counts for a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from ..foundation.typing import Array, Floats, Indices
from ..operands.preparing import check_weights

__all__ = ["check_class_weight", "near_one", "row_weights", "with_weight"]


def check_class_weight(class_weight: Any) -> None:
    """Raise if the weights of classes are neither None nor "balanced" nor a dict."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return
    if class_weight is not None and not isinstance(class_weight, Mapping):
        raise TypeError(
            f'class_weight={class_weight!r} must be None, "balanced", or a dict with the weight of '
            "each class"
        )


def with_weight(sample_weight: Any, n_rows: int) -> tuple[Floats | None, Indices | None]:
    """Return the weights of the rows that have one above 0, and which rows these are.

    None stands for no weights at all, and for all rows.
    """
    weights = check_weights(sample_weight, n_rows)
    if weights is None or weights.all():
        return weights, None
    kept = np.flatnonzero(weights)
    return weights[kept], kept


def row_weights(
    class_weight: Any, weights: Floats | None, classes: Array, codes: Indices
) -> Floats | None:
    """Return the weights of rows times those of their classes; None if all are equal.

    Parameters
    ----------
    class_weight : None, "balanced" or dict
        "balanced" gives all classes the same weight together, and all rows what they had.
    weights : ndarray of shape (n_samples,) or None
        Weights of the rows themselves.
    classes : ndarray
        The labels.
    codes : ndarray of int of shape (n_samples,)
        The number of each row's class.
    """
    if class_weight is None:
        return weights
    counted = np.ones(len(codes)) if weights is None else weights
    if isinstance(class_weight, str):
        sums = np.bincount(codes, counted)
        factors = sums.sum() / (len(classes) * sums)
    else:
        factors = compute_class_weight(dict(class_weight), classes=classes, y=classes[codes])
        bad = ~((factors > 0) & np.isfinite(factors))
        if bad.any():
            i = int(np.argmax(bad))
            raise ValueError(
                f"class_weight gives the class {classes.tolist()[i]!r} the weight {factors[i]:g}; "
                "weights of classes must be finite and above 0: leave out the rows of a class that "
                "is not wanted"
            )
    return np.asarray(counted * factors[codes])


def near_one(weights: Floats | None) -> tuple[Floats | None, float]:
    """Return weights in a unit that brings them near 1, and that: a power of two."""
    if weights is None:
        return None, 1.0
    unit = float(np.ldexp(1.0, np.frexp(weights.max())[1] - 1))
    return weights / unit, unit
