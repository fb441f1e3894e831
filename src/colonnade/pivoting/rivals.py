"""Which other column could best take the place of each chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..operands.interface import Columns
from .columns import ColumnResidual
from .loop import open_residual
from .residual import PrecisionLostError, Residual
from .targets import Products

__all__ = ["Exchange", "best_exchanges"]

HELD_SIDE = 2000
"""Up to this many columns their inner products may be held, which is faster than passes."""


@dataclass(frozen=True)
class Exchange:
    """What becomes of the error when a chosen column leaves.

    Attributes
    ----------
    loss : float
        By how much the squared error rises without it.
    rival : int or None
        The column that lowers it most in its place; None if no other lowers it.
    gain : float
        By how much.
    """

    loss: float
    rival: int | None
    gain: float


def best_exchanges(A: Columns, chosen: Sequence[int]) -> dict[int, Exchange]:
    """Return the best exchange for each of the chosen columns.

    Parameters
    ----------
    A : Columns
        The candidates.
    chosen : sequence of int
        The choice. Columns that depend linearly on earlier ones have no exchange.

    Returns
    -------
    dict
        From the chosen column to its :class:`Exchange`.

    Notes
    -----
    Withdrawing a column and putting it back are updates of the scores that the choice is made by,
    as in :func:`colonnade.pivoting.swaps.refine`; one pass over the data for each column. In
    addition to the data an m × l matrix is held and, for up to 2000 columns of taller data, their
    inner products.
    """
    if A.shape[1] <= min(HELD_SIDE, A.shape[0]):
        residual = open_residual(
            A, True, len(chosen), None, capacity=len(chosen) + 1, reversible=True
        )
        try:
            return _exchanges(residual, chosen)
        except PrecisionLostError:
            A = A.compressed()
    # products with the data resolve what its inner products no longer do
    return _exchanges(ColumnResidual(A, Products(A), len(chosen) + 1, reversible=True), chosen)


def _exchanges(residual: Residual, chosen: Sequence[int]) -> dict[int, Exchange]:
    with residual.threads():
        residual.load(chosen)
        by_products = isinstance(getattr(residual, "target", None), Products)
        if not by_products and residual.target_error() < residual.eps**0.375 * residual.level:
            raise PrecisionLostError
        out = {}
        for p in list(residual.chosen):
            loss = residual.drop(p)
            others = np.ones(len(residual.g), dtype=bool)
            others[list(chosen)] = False
            q = residual.best_score(others)
            gain = 0.0 if q is None else float(residual.f[q] / residual.g[q])
            out[p] = Exchange(loss, q, gain)
            residual.restore()
        return out
