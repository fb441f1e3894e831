"""Scores that differ by rounding alone count as equal, so that the first of equals wins.

Which of two equal columns has the larger score in the last digits depends on the machine, on the
order of summation and on the container. Where all columns are ranked, scores are rounded to ten
digits first: to digits of their own where each is known to a share of itself, or to digits of
the largest where rounding is a share of that. Where only the best is looked for, what comes
within :data:`TIE` of it is as good.
"""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Array, Floats

__all__ = [
    "SIX_DIGITS",
    "TEN_DIGITS",
    "TIE",
    "rounded_each",
    "rounded_to_largest",
]


TEN_DIGITS, SIX_DIGITS = 33, 20
"""How many bits after the first make so many significant digits."""

TIE = float(np.finfo(np.float64).eps) ** 0.6
"""Scores closer than this, relatively, count as equal: 4e-10."""


def rounded_each(scores: Array, bits: int = TEN_DIGITS) -> Floats:
    """Return every score rounded to ten significant digits of its own."""
    spare = 52 - bits  # of the mantissa
    integers = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    integers = (integers + (1 << (spare - 1))) >> spare << spare
    return integers.view(np.float64)


def rounded_to_largest(scores: Array, bits: int = TEN_DIGITS) -> Floats:
    """Return all scores rounded to the last of ten significant digits of the largest."""
    _, exponent = np.frexp(np.abs(scores).max(initial=0.0))
    unit = np.ldexp(1.0, exponent - 1 - bits)
    return np.rint(scores / unit) * unit
