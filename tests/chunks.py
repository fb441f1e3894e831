"""Matrices cut into chunks of every kind, and a cluster to work on them."""

from __future__ import annotations

import contextvars
import itertools
import threading

import dask.array as da
import numpy as np
import scipy.sparse as sp

PUT = {
    "dense": lambda block, _: block,
    "Fortran": lambda block, _: np.asfortranarray(block),
    "CSR": lambda block, _: sp.csr_array(block),
    "CSC": lambda block, _: sp.csc_array(block),
    "CSR matrix": lambda block, _: sp.csr_matrix(block),
    "COO": lambda block, _: sp.coo_array(block),
    "mixed": lambda block, k: (block, sp.csr_array(block), sp.csc_array(block))[k % 3],
}
"""What a block can be."""


def even(length, parts):
    """Lengths of so many parts, all but the last equal."""
    width = -(-length // parts)
    cuts = [min(width, length - start) for start in range(0, length, width)]
    return tuple(cuts)


def cut(A, rows, columns, put="dense"):
    """Return a dask array of A with chunks of these heights and widths, in a container."""
    A = np.asarray(A)
    tops, lefts = np.cumsum([0, *rows]), np.cumsum([0, *columns])
    assert (tops[-1], lefts[-1]) == A.shape
    lines, count = [], 0
    for a, b in itertools.pairwise(tops):
        line = []
        for c, d in itertools.pairwise(lefts):
            block = PUT[put](np.ascontiguousarray(A[a:b, c:d]), count)
            count += 1
            line.append(block)
        lines.append(line)
    return from_blocks(lines, rows, columns, A.dtype)


def from_blocks(lines, rows, columns, dtype):
    """Return a dask array of blocks as they are: dask itself would look at them."""
    name = f"blocks-{id(lines)}-{np.random.default_rng().integers(2**62)}"
    graph = {
        (name, i, j): (_itself, _Held(block))
        for i, line in enumerate(lines)
        for j, block in enumerate(line)
    }
    return da.Array(graph, name, (tuple(rows), tuple(columns)), dtype=dtype)


class _Held:
    """A block that dask does not look into."""

    def __init__(self, block):
        self.block = block


def _itself(held):
    return held.block


def rows_unknown(X):
    """Return a dask array that does not know how many rows its chunks have."""
    return da.Array(X.dask, X.name, ((np.nan,) * X.numblocks[0], X.chunks[1]), dtype=X.dtype)


def within(seconds, function):
    """Return ``function()``, or raise what it raises; fail if it takes longer than that."""
    found = []

    def call():
        try:
            found.append((function(), None))
        except BaseException as error:
            found.append((None, error))

    context = contextvars.copy_context()  # with the resources of the caller
    thread = threading.Thread(target=lambda: context.run(call), daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, f"no end within {seconds} s"
    value, error = found[0]
    if error is not None:
        raise error
    return value
