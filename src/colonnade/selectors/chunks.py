"""What methods do with data in chunks, and what they cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..operands.chunked.array import Chunked
from ..operands.interface import Columns, Operand
from ..pivoting.loop import Pivots, pivot
from ..pivoting.rounds import choose_in_rounds, followed, shortened
from ..pivoting.rules import Criterion, FixedOrder, Rule, Uniform
from ..pivoting.swaps import refine
from ..registry import METHODS, entry_of

if TYPE_CHECKING:
    from .base import Selector
    from .problem import Problem

__all__ = ["check_chunks", "check_no_rule", "pivot_chunks"]


def check_chunks(selector: Selector, A: Operand) -> None:
    """Raise if a method cannot choose columns of data in chunks, with those that can."""
    if not isinstance(A, Chunked):
        return
    entry = entry_of(selector)
    check_no_rule(selector.n_select)
    if not A.condenses:
        A.column_parts()  # which raises if nobody knows how many candidates there are
    kind = "tall dask" if A.condenses else "wide dask"
    if kind in entry.inputs:
        return
    others = [name for name, other in METHODS.items() if kind in other.inputs]
    if entry.supervised:
        why = f"needs {entry.supervised} beside every row"
    elif not selector.weighs_rows:
        why = "looks at each row by itself"
    else:
        why = "would read the data once for each choice"
    what = "data in chunks" if A.condenses else f"{A.shape[1]} candidates in chunks"
    raise TypeError(
        f"method {entry.name!r} {why}, so it cannot choose from {what}; those that can: "
        f"{', '.join(others)}"
    )


def check_no_rule(n_select: Any) -> None:
    """Raise ValueError if a rule is to say how many columns of data in chunks are chosen."""
    if isinstance(n_select, str):
        raise ValueError(
            f"n_select={n_select!r} compares many sizes, and that is done with data in memory "
            "alone; choose a number, a fraction or, for up to some 20,000 columns, max_error"
        )


def pivot_chunks(
    problem: Problem, rule: Rule, target: Any, source: Any
) -> tuple[Pivots, dict[str, Any]]:
    """Choose columns that are not all in memory, as the pivoting loop does it for others.

    Parameters
    ----------
    problem : Problem
        Its operand has columns in chunks.
    rule : Rule
        How to choose.
    target : ndarray or None
        What to reconstruct; the data itself if it is None.
    source : Any
        Columns to choose among; refused.
    """
    A: Any = problem.A
    if problem.n_select is None:
        raise ValueError(
            f"max_error={problem.max_error} alone does not say how many columns each part should "
            "send; give n_select as well: choosing ends at whichever is reached first"
        )
    first = problem.first.tolist()
    if isinstance(rule, FixedOrder | Uniform):
        return _in_order(problem, rule, first)
    if source is not None or not rule.in_rounds:
        others = [name for name, entry in METHODS.items() if "wide dask" in entry.inputs]
        raise TypeError(
            "these parameters would read data in chunks once for each choice; those methods that "
            f"do not: {', '.join(others)}"
        )
    # exchanges among the columns that parts have sent cost no pass, and make up for what was not
    sweeps = problem.sweeps or (1 if isinstance(rule, Criterion) else 0)
    found = choose_in_rounds(
        A, rule, n_select=problem.n_select, max_error=problem.max_error, target=target,
        first=first, candidates=problem.allowed | _mask(A, first),
        improve=_exchanges(sweeps) if sweeps else None,
        progress=problem.progress,
    )  # fmt: skip
    out: dict[str, Any] = {"rounds": found.info}
    if problem.sweeps:
        out["n_swaps"] = found.info["n_swaps"]
    return found.pivots, out


def _in_order(
    problem: Problem, rule: FixedOrder | Uniform, first: list[int]
) -> tuple[Pivots, dict[str, Any]]:
    """Follow a choice that does not depend on what is left."""
    assert problem.n_select is not None
    if problem.sweeps:
        raise ValueError(
            f"refine={problem.sweeps} would read data in chunks once for each exchange of columns "
            "that were drawn; leave it, or choose 'greedy', which exchanges those that parts sent"
        )
    nothing: Any = None
    allowed, chosen = problem.allowed.copy(), list(first)
    allowed[first] = False
    while len(chosen) < problem.n_select:
        p = rule.choose(nothing, allowed)
        if p is None:
            break
        chosen.append(p)
        allowed[p] = False
    A: Any = problem.A
    return shortened(followed(A, chosen), problem.max_error, len(first)), {}


def _mask(A: Columns, chosen: list[int]) -> Any:
    mask = np.zeros(A.shape[1], dtype=bool)
    mask[chosen] = True
    return mask


def _exchanges(sweeps: int) -> Any:
    """Return a function that exchanges columns among those that all parts have sent."""

    def improve(C: Columns, chosen: list[int], locked: list[int], B: Any) -> tuple[list[int], int]:
        better, count = refine(C, chosen, sweeps=sweeps, target=B, locked=set(locked))
        if not count:
            return chosen, 0
        # in greedy order, so that the beginnings of the set are good sets too
        among = _mask(C, better)
        order = pivot(
            C, Criterion(), n_select=len(better), target=B, first=locked, candidates=among
        )
        return list(order.indices), int(count)

    return improve
