"""What a choice from chunks will take, before any of it is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..operands.chunked.array import Chunked
from ..operands.chunked.planning import Plan, plan_sums
from ..operands.entrance import as_operand
from ..pivoting.rounds import planned_following, planned_rounds
from ..registry import METHODS
from .chunks import check_chunks
from .problem import resolve_size

__all__ = ["plan"]


def plan(
    X: Any,
    n_select: int | float,
    *,
    axis: int = 1,
    center: bool = False,
    scale: Any = None,
    method: str = "greedy",
) -> list[Plan]:
    """Say what a choice from a dask array will take: passes, bytes and memory.

    Nothing is read. The same plans are looked at when a choice begins: inside of
    ``resources(memory=...)`` one that takes more is refused.

    Parameters
    ----------
    X : dask array, dask DataFrame or ChunkedTable
        The data.
    n_select : int or float
        How many columns, or a fraction of them.
    axis : {0, 1}, default=1
        Whether to choose columns (1) or rows (0). :class:`~colonnade.RowSelector` reads chunks that
        hold rows it chose once more, to hand them out; that comes on top.
    center, scale
        As for selectors: means and units of many columns take a pass of their own.
    method : str, default="greedy"
        How to choose, with its usual parameters. Where the number of passes depends on the
        entries, it is the least there may be.

    Returns
    -------
    list of Plan
        One for each piece of the work, in its order.

    Examples
    --------
    >>> import dask.array as da
    >>> from colonnade import plan
    >>> X = da.zeros((100_000, 200), chunks=(10_000, 200))
    >>> [(piece.what, piece.passes) for piece in plan(X, 10)]
    [('inner products of the columns', 1)]
    >>> [(piece.what, piece.passes) for piece in plan(X, 10, axis=0)]
    [('a choice in two rounds', 3)]
    """
    A = as_operand(X)
    if not isinstance(A, Chunked):
        raise TypeError(f"plan is about dask arrays and frames, got {type(X).__name__}")
    if axis not in (0, 1):
        raise ValueError(f"axis={axis!r}; choose 0 for rows or 1 for columns")
    if method not in METHODS:
        raise ValueError(f"method={method!r} is unknown; choose from {', '.join(METHODS)}")
    entry = METHODS[method]
    selector = entry.selector(n_select, **entry.preset)
    learns = center or scale is not None
    if axis == 0:
        A = A.transposed()
    check_chunks(selector, A)
    size, _ = resolve_size(n_select, None, A.shape[1], 0)
    assert size is not None
    if A.condenses:
        return [plan_sums(A.source, products=True)]
    found = [plan_sums(A.source, products=False)] if learns else []
    if learns:
        n = A.source.shape[1]
        upright = A.transposed() if A.turned else A
        A = upright.adjusted_by(np.zeros(n), np.ones(n), None)  # which are not known yet
        A = A.transposed() if axis == 0 else A
    selector.n_select = size
    passes = 2 + selector._passes_before(A.shape)
    of_order = entry.kind == "sampling"
    last = planned_following(A, size) if of_order else planned_rounds(A, size, None, None)
    read = last.bytes_read // last.passes * passes
    return [*found, replace(last, passes=passes, bytes_read=read)]
