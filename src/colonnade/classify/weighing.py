"""How much the rows of each class count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from ..foundation.typing import Array, Floats, Indices

__all__ = ["check_class_weight", "row_weights"]


def check_class_weight(class_weight: Any) -> None:
    """Raise if the weights of classes are neither None nor "balanced" nor a dict."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return
    if class_weight is not None and not isinstance(class_weight, Mapping):
        raise TypeError(
            f'class_weight={class_weight!r} must be None, "balanced", or a dict with the weight of '
            "each class"
        )


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
