"""Exchanges among what all parts sent, for no more columns than an error needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..foundation.typing import Array
from ..linalg.projecting import orthonormal_basis
from ..operands.interface import Columns
from ..operands.loops import column_sq_norms

__all__ = ["exchanged"]


def exchanged(
    C: Columns,
    chosen: list[int],
    locked: list[int],
    B: Array,
    max_error: float | None,
    improve: Any,
) -> tuple[list[int], int]:
    """Return as many columns as are needed, exchanged for others, and how many exchanges that took.

    Exchanges for the good of more columns than are needed would leave a worse beginning of these.
    """
    if max_error is None:
        better, count = improve(C, chosen, locked, B)
        return better, count
    size = max(_enough(C, chosen, B, max_error), len(locked))
    better, count = improve(C, chosen[:size], locked, B)
    while len(better) > max(1, len(locked)):
        fewer, more = improve(C, better[:-1], locked, B)
        if _enough(C, fewer, B, max_error, beyond=1) > len(fewer):
            break
        better, count = fewer, count + more
    return better, count


def _enough(
    C: Columns, chosen: Sequence[int], B: Array, max_error: float, *, beyond: int = 0
) -> int:
    """Return how many columns leave no more than a share of what stands for the data.

    If all leave more, that is their number, and ``beyond`` that.
    """
    Q = orthonormal_basis(C.columns(np.array(chosen, dtype=np.intp)), np.arange(len(chosen)))
    left = column_sq_norms(B).sum() - np.cumsum(column_sq_norms(B.T @ Q))
    enough = np.flatnonzero(left <= max_error * column_sq_norms(B).sum())
    return int(enough[0]) + 1 if len(enough) else len(chosen) + beyond
