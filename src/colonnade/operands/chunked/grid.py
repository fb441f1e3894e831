"""The blocks of a dask array as tasks, each with no more of the graph than it needs."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["blocks_apart"]

LARGEST = 1000
"""Blocks that need more tasks than this share one graph: each in its own would take memory."""


def blocks_apart(array: Any) -> Any:
    """Return the blocks as tasks, in an array of their places.

    Whenever a task is made, dask walks through the graphs of its arguments. With that of all
    blocks at each of them, the time to make tasks would grow with the square of their number.

    Parameters
    ----------
    array : dask.array.Array
        The blocks.
    """
    from dask.delayed import Delayed
    from dask.optimization import cull
    from dask.utils import ensure_dict

    together = array.to_delayed()
    graph = ensure_dict(together.flat[0].dask)
    out = np.empty(together.shape, dtype=object)
    for place, block in np.ndenumerate(together):
        needed, _ = cull(graph, block.key)
        if len(needed) > LARGEST:
            return together
        out[place] = Delayed(block.key, needed)
    return out
