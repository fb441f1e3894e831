"""What was found about sizes, as plain values for ``Selection.info``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..foundation.typing import Floats, Indices

__all__ = ["about_sizes", "round_sizes"]

MOST_POINTS = 300
"""Up to how many sizes the curves are kept for."""


def round_sizes(count: int) -> list[int]:
    """Return 1, 2, 5, 10, 20, ... up to a number.

    Examples
    --------
    >>> round_sizes(40)
    [1, 2, 5, 10, 20]
    """
    powers = range(len(str(count)))
    return [
        size for power in powers for size in (10**power * k for k in (1, 2, 5)) if size <= count
    ]


def about_sizes(curves: Mapping[str, Floats | None], proposals: list[int | None]) -> dict[str, Any]:
    """Return a small table of sizes, and whole curves or, if they are long, a part of them.

    Parameters
    ----------
    curves : dict of str to ndarray or None
        Shares after 1, 2, ... choices; the first is the longest. None where there are none.
    proposals : list of int or None
        Sizes that must be in the table.

    Returns
    -------
    dict
        ``"table"``, a list of one dict for each size, and ``"curves"``, lists by the same names.
        Shares are None where a curve has ended.
    """
    count = len(next(value for value in curves.values() if value is not None))
    wanted = {size for size in proposals if size is not None and 1 <= size <= count}
    rows = sorted({*round_sizes(count), *wanted, count})
    points: Indices = np.arange(1, count + 1)
    if count > MOST_POINTS:
        points = np.unique(np.geomspace(1, count, MOST_POINTS).round().astype(np.intp))
        points = np.union1d(points, rows)
    table = [{"n_select": n, **{k: _at(v, n) for k, v in curves.items()}} for n in rows]
    lists = {k: None if v is None else [_at(v, n) for n in points] for k, v in curves.items()}
    return {"table": table, "curves": {"n_select": points.tolist(), **lists}}


def _at(curve: Floats | None, size: int) -> float | None:
    if curve is None or size > len(curve):
        return None
    return float(curve[size - 1])
