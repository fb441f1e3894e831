"""Sweeps over large arrays, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..foundation.typing import Array

__all__ = [
    "BLOCK_BYTES",
    "block_slices",
    "float64",
    "mirror",
]


BLOCK_BYTES = 4 * 2**20
"""How much a blocked sweep over the data may hold at a time."""


def block_slices(length: int, height: int) -> Iterator[slice]:
    """Cut ``range(length)`` so that ``height`` float64 for each index stay within a block."""
    width = max(1, BLOCK_BYTES // (8 * max(1, height)))
    for start in range(0, length, width):
        yield slice(start, min(start + width, length))


def mirror(square: Array) -> None:
    """Copy the lower triangle of a square matrix to its upper one, a few columns at a time."""
    n = len(square)
    for start in range(0, n, 256):
        stop = min(start + 256, n)
        corner = square[start:stop, start:stop]
        upper = np.triu_indices(stop - start, 1)
        corner[upper] = corner.T[upper]
        square[start:stop, stop:] = square[stop:, start:stop].T


def float64(array: Array) -> Array:
    """Return the array in float64, without a copy if it is."""
    return array.astype(np.float64, copy=False)
