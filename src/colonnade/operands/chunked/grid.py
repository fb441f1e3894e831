"""The blocks of a dask array as tasks, each with no more of the graph than it needs."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

__all__ = ["Stamped", "blocks_apart", "stamp_of_all"]

LARGEST = 1000
"""Blocks that need more tasks than this share one graph: each in its own would take memory."""


class Stamped:
    """What a block is read from, where reading fails unless all is as it was.

    The text of it says which block of what it is, and of what size and time; so blocks of the same
    text are equal.
    """


def stamp_of_all(array: Any) -> str | None:
    """Return a short text that arrays with other blocks would not have; None if nobody knows.

    It is made of what the blocks are read from. The name of an array does not tell: people give
    names, and dask calls what is read from a store by the store.

    Parameters
    ----------
    array : dask.array.Array
        The blocks.
    """
    found = hashlib.sha256()
    home = __name__.partition(".")[0]
    for key, work in sorted(array.dask.layers[array.name].items()):
        # a function of this package and a block of a file: nothing else is done to it
        if not (isinstance(work, tuple) and len(work) == 2 and isinstance(work[1], Stamped)):
            return None
        function, block = work
        if function.__module__.partition(".")[0] != home:
            return None
        found.update(f"{key[1:]} {function.__module__}.{function.__qualname__} {block}".encode())
    return found.hexdigest()[:32]


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
