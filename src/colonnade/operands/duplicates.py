"""Columns that are equal to the last bit, found by hashes and not by comparing all pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..foundation.typing import Indices
from .blocks import block_slices
from .interface import Columns

__all__ = ["equal_columns"]


def equal_columns(A: Columns) -> list[list[int]]:
    """Return the groups of columns that have the same entries, each in order; gaps are equal.

    Examples
    --------
    >>> from colonnade import as_operand
    >>> equal_columns(as_operand([[1.0, 2.0, 1.0, 0.0], [0.0, 3.0, 0.0, 1.0]]))
    [[0, 2]]
    """
    suspects = _alike(A)
    part = A if len(suspects) == A.shape[1] else A.subset(suspects)
    groups: dict[bytes, list[int]] = {}
    if len(suspects):
        for j, key in zip(suspects.tolist(), _hashes(part), strict=True):
            groups.setdefault(key, []).append(j)
    return [group for group in groups.values() if len(group) > 1]


def _alike(A: Columns) -> Indices:
    """Return the columns that have the same random sum as another, up to rounding.

    One product with the data, and hashes of few columns, in place of hashes of all. Columns with
    gaps have no sum, and all are alike; so are all where a sum left the range.
    """
    weights = np.random.RandomState(0).uniform(1.0, 2.0, A.shape[0])
    with np.errstate(over="ignore", invalid="ignore"):
        sums = A.rmatmat(weights)
        sizes = np.sqrt(A.sq_norms())
    if not np.isfinite(sizes[np.isfinite(sums)]).all():
        return np.arange(A.shape[1])
    order = np.argsort(sums, kind="stable")  # NaN last
    near = np.diff(sums[order]) <= 1e-9 * A.shape[0] * sizes[order][1:]
    near |= ~np.isfinite(np.diff(sums[order]))
    alike = np.zeros(A.shape[1], dtype=bool)
    alike[order[1:]] |= near
    alike[order[:-1]] |= near
    return np.flatnonzero(alike)


def _hashes(A: Columns) -> Iterator[bytes]:
    for block in block_slices(A.shape[1], A.shape[0]):
        if A.decomposes_directly:
            part = np.asarray(A.columns(block), dtype=np.float64).T + 0.0  # without minus zero
            part = np.where(np.isnan(part), np.nan, part)  # of the many kinds of it one
            for column in np.ascontiguousarray(part):
                yield hashlib.blake2b(column.tobytes(), digest_size=16).digest()
            continue
        rows, cols, values = A.entries(block)
        kept = values != 0
        order = np.lexsort((rows[kept], cols[kept]))
        rows, cols = rows[kept][order].astype(np.int64), cols[kept][order]
        values = np.where(np.isnan(values), np.nan, values)[kept][order].astype(np.float64)
        ends = np.searchsorted(cols, np.arange(block.stop - block.start + 1))
        for start, stop in pairwise(ends):
            hashed = hashlib.blake2b(rows[start:stop].tobytes(), digest_size=16)
            hashed.update(values[start:stop].tobytes())
            yield hashed.digest()
