"""The one loop: partial Cholesky factorization of a Gram matrix with a pivot rule.

Choosing column p takes the direction of its residual out of all columns. What differs between
greedy selection, pivoted QR, incomplete and randomly pivoted Cholesky and SGMA is only how p
is chosen: the *rule*. What the criterion is to reconstruct is the *target*. The error path
comes for free, since each choice lowers the squared error by the squared length of its ω.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..foundation.typing import Array, Floats, Mask
from ..operands.blocks import BLOCK_BYTES
from ..operands.interface import Columns, Gram
from .columns import ColumnResidual
from .products import GramResidual
from .residual import PrecisionLostError, Residual
from .rules import Rule
from .targets import HeldOuter, KernelTarget, MatrixTarget, Products, Target

__all__ = [
    "MEMORY_BUDGET",
    "Pivots",
    "Progress",
    "open_residual",
    "pivot",
]

MEMORY_BUDGET = 4 * 2**30
"""Bytes that a square matrix held in addition to the data may take."""

SPARSE_SHARE = 0.25
"""As a share of the data: what a square matrix may take beside data that is not held dense."""

Progress = Callable[[int, int | None, float], None]
"""Called after each choice with the count, how many are wanted (if known), the relative error."""


@dataclass(frozen=True)
class Pivots:
    """What the loop returns.

    Attributes
    ----------
    indices : list of int
        The choices in order.
    errors : ndarray
        The squared error after each choice.
    total : float
        The squared error before the first.
    embedding : ndarray or None
        One row ω per choice; None if there are too many columns to keep it.
    residuals : ndarray
        The squared norm of what is left of each column of A.
    exhausted : bool
        Whether the loop stopped because no candidate could lower the error any more.
    """

    indices: list[int]
    errors: Floats
    total: float
    embedding: Array | None
    residuals: Floats
    exhausted: bool


def pivot(
    A: Gram,
    rule: Rule,
    *,
    n_select: int | None,
    max_error: float | None = None,
    target: Array | Columns | KernelTarget | None = None,
    first: Sequence[int] = (),
    candidates: Mask | None = None,
    of_target: bool = False,
    progress: Progress | None = None,
) -> Pivots:
    """Choose columns of A one at a time by a rule.

    Parameters
    ----------
    A : Gram
        The candidates.
    rule : Rule
        How to choose.
    n_select : int or None
        How many to choose at most.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    target : ndarray, Columns or KernelTarget, optional
        What the criterion shall reconstruct: a dense m × c matrix, an operand with the same
        rows, or inner products for a kernel; A itself by default.
    first : sequence of int
        Columns to choose before the rule is asked.
    candidates : ndarray of bool, optional
        Columns that may be chosen; all by default.
    of_target : bool
        Whether the errors are those of the target, and choosing stops when it is reconstructed.
    progress : callable, optional
        See :data:`Progress`.

    Returns
    -------
    Pivots
    """
    limit = A.shape[1] if n_select is None else n_select
    capacity = limit if n_select is not None else min(limit, 64)
    allowed = np.ones(A.shape[1], dtype=bool) if candidates is None else candidates.copy()
    residual = open_residual(
        A, rule.keeps_scores, limit, target, capacity=capacity, asked=rule.asks_scores
    )
    total = residual.target_total if of_target else residual.error()
    pending = list(first)
    held: int | None = None
    exhausted = False
    with residual.threads():
        while len(residual.chosen) < limit:
            error = residual.target_error() if of_target else residual.error()
            if not pending and max_error is not None and error <= max_error * total:
                break
            try:
                if not pending and (
                    (rule.ends_at_rank and residual.exhausted())
                    or (of_target and residual.target_exhausted())
                ):
                    exhausted = True
                    break
                p = held
                if p is None:
                    p = pending[0] if pending else rule.choose(residual, allowed)
                held = None if rule.keeps_scores else p  # a draw is not drawn again
                if p is None:
                    exhausted = True
                    break
                forced = bool(pending) or not rule.ends_at_rank
                taken = residual.add(p, forced=forced)
            except PrecisionLostError:
                residual = _with_columns(residual, capacity)
                continue
            held = None
            allowed[p] = False
            if not taken and not forced:
                # no candidate after all: the pivot was rounding
                residual.withdraw_last()
                continue
            pending = pending[1:]
            if progress is not None:
                left = residual.target_error() if of_target else residual.error()
                progress(len(residual.chosen), n_select, left / total if total else 0.0)
        if residual.error_is_uncertain():
            residual = _afresh(residual, capacity)
    rest = residual.target_error() if of_target else residual.error()
    W = residual.embedding()
    gains = np.array(residual.gains) if of_target else np.einsum("ij,ij->i", W, W, dtype=float)
    # a later gain is part of the earlier errors: sums from the end keep small ones exact
    errors = rest + np.append(np.cumsum(gains[:0:-1])[::-1], 0.0)[: len(gains)]
    lengths = np.maximum(residual.g, 0.0)
    lengths[residual.chosen] = 0.0
    return Pivots(residual.chosen, errors, total, W, lengths, exhausted)


def open_residual(
    A: Gram,
    scored: bool,
    n_select: int,
    target: Array | Columns | KernelTarget | None = None,
    *,
    capacity: int,
    asked: bool = True,
    reversible: bool = False,
) -> Residual:
    """Return the residual that will cost least, by what must be computed, moved and held.

    Notes
    -----
    Three ways for data whose target is itself: hold ``AᵀA`` and read half of it per choice;
    hold ``A Aᵀ`` and read A once per choice; hold nothing square and read A three times. A
    square matrix above :data:`MEMORY_BUDGET` is not formed, nor one that would take much beside
    sparse data: who keeps data sparse counts on little more than that.
    """
    if isinstance(target, KernelTarget):
        return GramResidual(
            A, capacity, scored=scored, target=target.products, target_total=target.sq_norm,
            held=False,
        )  # fmt: skip
    if not isinstance(A, Columns):
        held = scored and _fits(A.shape[1], MEMORY_BUDGET)
        return GramResidual(A, capacity, scored=scored, held=held, reversible=reversible)
    if target is None or not asked:
        costs = _costs(A, scored, n_select)
        if min(costs, key=costs.__getitem__) == "gram":
            return GramResidual(A, capacity, scored=scored, reversible=reversible)
    side: Target | None = None
    if isinstance(target, np.ndarray):
        side = MatrixTarget(target)
    elif asked:
        side = _operand_target(A if target is None else target, n_select)
    return ColumnResidual(A, side, capacity, scored=scored, reversible=reversible)


def _fits(side: int, room: float) -> bool:
    return side * side * 8 <= room  # all arithmetic is in float64


def _room(A: Columns) -> float:
    """Return how many bytes a square matrix may take beside A."""
    if A.decomposes_directly or A.gram_is_held:
        return MEMORY_BUDGET
    return min(MEMORY_BUDGET, max(BLOCK_BYTES, SPARSE_SHARE * A.pass_bytes))


def _costs(A: Columns, scored: bool, n_select: int) -> dict[str, float]:
    """Return the cost of each way in bytes moved; four multiplications are as long as a byte."""
    (m, n), room = A.shape, _room(A)
    item = A.dtype.itemsize
    gram_flops, outer_flops = A.square_flops
    if not scored:
        costs = {"products": float(n_select * A.pass_bytes)}
        per_gram_choice = n * n_select * item
    else:
        costs = {"products": gram_flops / 4 + n_select * (A.pass_bytes + 2 * A.product_bytes)}
        per_gram_choice = n * n * item // 2 + 2 * n * n_select * item
        if _fits(m, room):
            setup = (outer_flops + 1.0 * m * m * n) / 4
            costs["outer"] = setup + n_select * (A.pass_bytes + m * m * item / 2)
    if n <= m and _fits(n, room):
        costs["gram"] = gram_flops / 4 + float(n_select * per_gram_choice)
    return costs


def _operand_target(A: Columns, n_select: int) -> Target:
    costs = _costs(A, True, n_select)
    held = "outer" in costs and costs["outer"] <= costs["products"]
    return HeldOuter(A) if held else Products(A)


def _afresh(residual: Residual, capacity: int) -> Residual:
    """Return the residual with everything recomputed whose digits rounding has taken."""
    try:
        residual.rebase()
    except PrecisionLostError:
        return _with_columns(residual, capacity)
    return residual


def _with_columns(residual: Residual, capacity: int) -> Residual:
    """Return the same choices with the columns held instead of their inner products."""
    assert isinstance(residual.A, Columns), "a kernel has no more to look at"
    A = residual.A.compressed()
    side = _operand_target(A, capacity)
    successor = ColumnResidual(A, side, capacity, scored=residual.scored)
    for p in residual.chosen:
        successor.add(p, forced=True)
    successor.rebase()
    return successor
