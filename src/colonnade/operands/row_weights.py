"""Weights of rows: checked, and in a unit that keeps sums of them in range."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Floats
from .chunked.arriving import uncounted

__all__ = ["check_weights", "near_one"]


def near_one(weights: Floats | None) -> tuple[Floats | None, float]:
    """Return weights in a unit that brings them near 1, and that: a power of two."""
    if weights is None:
        return None, 1.0
    unit = float(np.ldexp(1.0, np.frexp(weights.max())[1] - 1))
    return weights / unit, unit


def check_weights(
    sample_weight: Any,
    n_rows: int,
    name: str = "sample_weight",
    of: str = "row",
    *,
    or_none: bool = False,
) -> Floats | None:
    """Return weights of rows as an array; say what is wrong with any others.

    With ``or_none`` they may all be zero. A negative number of rows is one that nobody knows.
    """
    if sample_weight is None:
        return None
    if not n_rows >= 0:  # of chunks that nobody has counted
        raise uncounted(name)
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold numbers, got dtype {weights.dtype}")
    weights = weights.astype(np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"{name} has shape {weights.shape}, but the data has {n_rows} {of}s; give one weight "
            f"for each {of}"
        )
    bad = ~(weights >= 0) | np.isinf(weights)
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"{name}[{i}] = {weights[i]}; weights must be finite and not negative")
    if not or_none and not weights.any():
        raise ValueError(f"{name} is zero for every {of}; give some {of}s a positive weight")
    return weights
