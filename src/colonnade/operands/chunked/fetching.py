"""Rows of chunks as they are stored: some of them in memory, or what all of them add up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...foundation.typing import Indices
from ..containers import take_rows
from .array import Chunked
from .engine import task
from .planning import Found, check_pass
from .tasks import Part, Where, assembled

__all__ = ["fetched_rows", "on_all_rows"]


def fetched_rows(A: Any, rows: Indices) -> Any:
    """Return some rows, in the given order, as an array or a CSR matrix.

    Only blocks that hold one of them are read, and only these rows are sent.

    Parameters
    ----------
    A : Chunked
        The data as it was given.
    rows : ndarray of int
        Their numbers.
    """
    assert isinstance(A, Chunked)
    A.source.counted("a choice of rows")
    starts = np.array(A.source.starts(0))
    owners = np.searchsorted(starts, rows, side="right") - 1
    among = np.unique(owners).tolist()
    places = [np.flatnonzero(owners == i) for i in among]
    wanted = [(rows[place] - starts[i],) for i, place in zip(among, places, strict=True)]
    row = A.shape[1] * A.source.array.dtype.itemsize
    taken = Found(row * max(map(len, places)), row * len(rows))
    found = _over_matrices(A, take_rows, "rows", wanted, among, taken)
    sparse = any(sp.issparse(part) for part in found)
    stacked = sp.vstack(found, format="csr") if sparse else np.concatenate(found)
    return take_rows(stacked, np.argsort(np.concatenate(places)))


def on_all_rows(A: Any, function: Any, what: str, *arguments: Any, fixed: int) -> list[Any]:
    """Return ``function(rows, *arguments)`` for the rows of all blocks, by one pass.

    Parameters
    ----------
    A : Chunked
        The data as it was given.
    function : callable
        Importable and pure; gets an array, or a CSR or CSC matrix.
    what : str
        What this is, for progress.
    *arguments
        Passed on.
    fixed : int
        How many bytes a result has.
    """
    assert isinstance(A, Chunked)
    numbers = range(A.source.n_blocks[0])
    found = Found.of(numbers, fixed=fixed)
    return _over_matrices(A, function, what, [arguments] * len(numbers), numbers, found)


def _over_matrices(
    A: Chunked,
    function: Any,
    what: str,
    arguments: Sequence[tuple[Any, ...]],
    among: Sequence[int],
    found: Found,
) -> list[Any]:
    """Apply a function to the rows of some rows of blocks, to each with its own arguments."""
    source = A.source
    check_pass(source, what, 0, found, count=len(among))
    tasks = [
        task(
            _on_matrix,
            function,
            source.panel(i, 0),
            source.where_panel(i, 0),
            not source.checked,
            *given,
        )
        for i, given in zip(among, arguments, strict=True)
    ]
    parts = source.run(tasks, what)
    source.end_pass(len(tasks) / source.n_blocks[0])
    return [part.value for part in parts]


def _on_matrix(function: Any, blocks: Any, where: Where, check: bool, *arguments: Any) -> Part:
    X, read = assembled(blocks, where, check)
    return Part(function(X, *arguments), read)
