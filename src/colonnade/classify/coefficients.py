"""Labels as numbers, data in a moderate size, and coefficients in the type of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats
from ..operands.entrance import check_scale, container_of

__all__ = ["moderate_rows", "narrowed", "signs"]


def moderate_rows(X: Any) -> tuple[Any, float]:
    """Return data whose squares are in range, and the power of two it was multiplied by."""
    values = X.data if container_of(X) == "sparse" else X
    largest = float(max(np.max(values, initial=0.0), -np.min(values, initial=0.0)))
    factor = check_scale(largest) if largest > 0 else 1.0
    return (X, 1.0) if factor == 1.0 else (X.astype(np.float64) * factor, factor)


def narrowed(coef: Floats, dtype: Any) -> Array:
    """Return coefficients in the type of the data, if they are within its range."""
    with np.errstate(over="ignore"):
        out = coef.astype(dtype)
    out = out if np.isfinite(out).all() else coef
    if not np.isfinite(out).all():
        raise ValueError(
            "the coefficients overflow; multiply X, or the kernel, by a large number first, or "
            "choose a larger alpha"
        )
    return out


def signs(codes: Array, n_classes: int) -> Floats:
    """Return ±1: a column that is +1 for the second of two classes, else one for each class."""
    wanted = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    return np.where(codes[:, None] == wanted, 1.0, -1.0)
