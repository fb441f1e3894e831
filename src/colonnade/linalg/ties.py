"""Scores that differ by rounding alone count as equal."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Array

__all__ = [
    "SIX_DIGITS",
    "TEN_DIGITS",
    "rounded",
]


TEN_DIGITS, SIX_DIGITS = 19, 32
"""How many of the 52 bits of a mantissa are spared for so many significant digits to be left."""


def rounded(scores: Array, spare: int = TEN_DIGITS) -> Array:
    """Return scores to ten significant digits, so that equal columns tie whatever the rounding."""
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    bits = (bits + (1 << (spare - 1))) >> spare << spare
    return bits.view(np.float64)
