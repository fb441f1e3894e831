"""What a choice from chunks will take, before any of it is read."""

from __future__ import annotations

from typing import Any

from ..operands.chunked.array import Chunked
from ..operands.chunked.planning import Plan, plan_sums
from ..operands.entrance import as_operand
from ..pivoting.rounds import planned_rounds
from .chunks import check_no_rule
from .problem import resolve_size

__all__ = ["plan"]


def plan(
    X: Any, n_select: int | float, *, axis: int = 1, center: bool = False, scale: Any = None
) -> list[Plan]:
    """Say what a greedy choice from a dask array will take: passes, bytes and memory.

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
    learns = center or scale is not None
    if axis == 0:
        A = A.transposed()
    if not A.condenses:
        A.column_parts()  # which raises if nobody knows how many candidates there are
    check_no_rule(n_select)
    size, _ = resolve_size(n_select, None, A.shape[1], 0)
    assert size is not None
    if A.condenses:
        return [plan_sums(A.source, products=True)]
    found = [plan_sums(A.source, products=False)] if learns else []
    return [*found, planned_rounds(A, size, None, None)]
