"""Refinement: exchange chosen columns for better ones until no exchange helps."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..foundation.typing import Array, Mask
from ..operands.interface import Columns, Gram
from .columns import ColumnResidual
from .loop import Progress, open_residual
from .residual import PrecisionLostError, Residual
from .targets import MatrixTarget, Products

__all__ = ["refine"]


def refine(
    A: Gram,
    chosen: Sequence[int],
    *,
    sweeps: int,
    target: Array | None = None,
    locked: Collection[int] = (),
    candidates: Mask | None = None,
    progress: Progress | None = None,
) -> tuple[list[int], int]:
    """Withdraw each chosen column in turn and put the best candidate in its place.

    Parameters
    ----------
    A : Gram
        The candidates.
    chosen : sequence of int
        Where to start. Columns that depend linearly on earlier ones are replaced first; if
        there is nothing left to put in their place, they are left out.
    sweeps : int
        How many times to go through the selection at most; it ends when nothing changes.
    target : ndarray or None
        What to reconstruct; A itself by default.
    locked : collection of int
        Columns that stay.
    candidates : ndarray of bool, optional
        Columns that may come in; all by default.
    progress : callable, optional
        Called after each attempt with the size, twice, and the relative error.

    Returns
    -------
    chosen : list of int
        The refined selection; its error is not above that of the one given.
    swaps : int
        How many exchanges were made.

    Notes
    -----
    Withdrawing and choosing are the same update with opposite signs, so an attempt costs one
    pass over the data, and a sweep costs about as much as selecting did.
    """
    allowed = np.ones(A.shape[1], dtype=bool) if candidates is None else candidates
    try:
        residual = open_residual(
            A, True, len(chosen), target, capacity=len(chosen) + 1, reversible=True
        )
        return _improve(residual, chosen, sweeps, locked, allowed, progress)
    except PrecisionLostError:
        assert isinstance(A, Columns), "a kernel has no more to look at"
        # square matrices of the data no longer resolve what is left; products with it do
        side = Products(A) if target is None else MatrixTarget(target)
        residual = ColumnResidual(A, side, len(chosen) + 1, reversible=True)
        return _improve(residual, chosen, sweeps, locked, allowed, progress)


def _improve(
    residual: Residual,
    chosen: Sequence[int],
    sweeps: int,
    locked: Collection[int],
    allowed: Mask,
    progress: Progress | None,
) -> tuple[list[int], int]:
    with residual.threads():
        residual.load(chosen)
        coarse = residual.eps**0.375 * residual.target_total
        if isinstance(residual.A, Columns) and residual.target_error() < coarse:
            exact = isinstance(getattr(residual, "target", None), Products | MatrixTarget)
            if not exact:
                raise PrecisionLostError
        # locked columns in the span of others cannot be exchanged and change nothing
        idle = [p for p in chosen if p in locked and p not in residual.chosen]
        swaps = _fill(residual, allowed, len(chosen) - len(idle))
        best = list(residual.chosen)
        for _ in range(sweeps):
            error = residual.target_error()
            made = 0
            for p in best:
                if p not in locked:
                    made += _exchange(residual, p, allowed)
                    if progress is not None:
                        share = residual.target_error() / (residual.target_total or 1.0)
                        progress(len(chosen), len(chosen), share)
            if made == 0:
                break
            refined = list(residual.chosen)
            # the score updates add up rounding: judge the sweep by a fresh computation
            residual.load(refined)
            if len(residual.chosen) < len(refined) or residual.target_error() >= error:
                break
            best, swaps = refined, swaps + made
    return idle + best, swaps


def _fill(residual: Residual, allowed: Mask, size: int) -> int:
    """Choose greedily up to a size; return how many were added."""
    start = len(residual.chosen)
    while len(residual.chosen) < size and not residual.target_exhausted():
        p = residual.best_score(allowed & _outside(residual))
        if p is None:
            break
        residual.add_if_outside(p)
    return len(residual.chosen) - start


def _exchange(residual: Residual, p: int, allowed: Mask) -> bool:
    """Replace p if another column does better; return whether it was."""
    loss = residual.drop(p)
    q = residual.best_score(allowed & _outside(residual))
    better = (
        q is not None
        and q != p
        and residual.f[q] > (1.0 + residual.tie) * loss * residual.g[q]
        and residual.add_if_outside(q)
    )
    if not better:
        residual.restore()
    return better


def _outside(residual: Residual) -> Mask:
    mask = np.ones(len(residual.g), dtype=bool)
    mask[residual.chosen] = False
    return mask
