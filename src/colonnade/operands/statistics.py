"""Means, spreads, quantiles and sizes of columns, with weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats
from .adjusted import adjusted
from .blocks import block_slices
from .dense import Dense
from .interface import Columns
from .sparse import Sparse

__all__ = [
    "column_quantiles",
    "extremes",
    "largest_sizes",
    "moments",
    "present",
    "weighted_quantiles",
]


def moments(A: Columns, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weighted means of the columns and the weighted sums of squares about them.

    The means are corrected by what is left when they are taken out, so that both keep their
    digits where means are far above spreads.
    """
    total = float(weights.sum())
    means = A.rmatmat(weights) / total
    roots = np.sqrt(weights)
    Z = adjusted(A, means, np.ones(A.shape[1]), None if (weights == 1.0).all() else roots)
    left = Z.rmatmat(roots)
    means = means + left / total
    return means, np.maximum(Z.sq_norms() - np.square(left) / total, 0.0)


def weighted_quantiles(values: Array, weights: Floats, shares: tuple[float, ...]) -> Array:
    """Return quantiles of each column of ``values``: ``len(shares) × n``.

    The value at which so large a share of the weight is reached; where it is reached exactly,
    the mean of that value and the next. Repeating rows and multiplying their weights is the same.
    NaN counts as no value.
    """
    order = np.argsort(values, axis=0)  # NaN last
    ranked = np.take_along_axis(values, order, axis=0)
    sums = np.cumsum(np.where(np.isnan(ranked), 0.0, weights[order]), axis=0)
    out = np.empty((len(shares), values.shape[1]))
    for row, share in zip(out, shares, strict=True):
        goal = share * sums[-1]
        # rounding of sums of weights must not tell a value from the next
        reached = (sums < goal * (1.0 - 1e-12)).sum(axis=0)
        beyond = (sums <= goal * (1.0 + 1e-12)).sum(axis=0)
        beyond = np.where(beyond < len(values), beyond, reached)  # all of the weight is reached
        ends = ranked[np.stack([reached, beyond]), np.arange(values.shape[1])]
        row[:] = ends.mean(axis=0)
    return out


def column_quantiles(A: Columns, weights: Floats, shares: tuple[float, ...]) -> Array:
    """Return quantiles of the columns, ``len(shares) × n``; NaN counts as no value."""
    m, n = A.shape
    out = np.zeros((len(shares), n))
    if A.decomposes_directly:
        for block in block_slices(n, 4 * m):
            out[:, block] = weighted_quantiles(A.columns(block), weights, shares)
        return out
    total = float(weights.sum())
    for block in block_slices(n, m):
        rows, cols, values = A.entries(block)
        width = block.stop - block.start
        # most columns of sparse data are zero beyond all quantiles that are asked for
        below = np.bincount(cols, weights[rows] * ~(values >= 0), width)
        above = np.bincount(cols, weights[rows] * ~(values <= 0), width)
        slack = 1.0 - 1e-9
        within = (below < min(shares) * total * slack) & (above < (1 - max(shares)) * total * slack)
        some = np.flatnonzero(~within)
        for part in block_slices(len(some), 4 * m):
            j = block.start + some[part]
            out[:, j] = weighted_quantiles(A.columns(j), weights, shares)
    return out


def largest_sizes(A: Columns, means: Floats, weights: Floats) -> Floats:
    """Return the largest absolute value of ``A − 1 meansᵀ`` in each column, NaN apart."""
    m, n = A.shape
    counted = weights > 0
    if A.decomposes_directly:
        return np.concatenate(
            [
                np.nanmax(np.abs(A.columns(block)[counted] - means[block]), axis=0)
                for block in block_slices(n, m)
            ]
        )
    # where a row has no entry it is zero
    rows_left = int(counted.sum())
    out = np.zeros(n)
    for block in block_slices(n, m):
        rows, cols, values = A.entries(block)
        keep = counted[rows]
        filled = np.bincount(cols[keep], minlength=block.stop - block.start) == rows_left
        keep &= ~np.isnan(values)  # a gap is no zero
        cols, values = cols[keep], values[keep]
        sizes = np.where(filled, 0.0, np.abs(means[block]))
        np.maximum.at(sizes, cols, np.abs(values - means[block][cols]))
        out[block] = sizes
    return out


def extremes(A: Columns, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the smallest and the largest value of each column; NaN counts as no value.

    Rows without weight take no part.
    """
    m, n = A.shape
    counted = np.ones(m, dtype=bool) if weights is None else weights > 0
    rows_left = int(counted.sum())
    if isinstance(A, Dense):
        rows = A.array if rows_left == m else A.array[counted]
        # as stored: a pass over bytes is eight times as fast as one over their float64
        ends = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
        return ends[0].astype(np.float64), ends[1].astype(np.float64)
    if isinstance(A, Sparse) and A.by_rows and rows_left == m:
        return _entry_extremes(A.matrix)
    low, high = np.empty(n), np.empty(n)
    for block in block_slices(n, m):
        rows, cols, values = A.entries(block)
        keep = counted[rows]
        cols, values = cols[keep], values[keep]
        # where a row has no entry it is zero
        gaps = np.bincount(cols, minlength=block.stop - block.start) < rows_left
        low[block] = np.where(gaps, 0.0, np.inf)
        high[block] = np.where(gaps, 0.0, -np.inf)
        np.fmin.at(low[block], cols, values)
        np.fmax.at(high[block], cols, values)
    return low, high


def _entry_extremes(matrix: Any) -> tuple[Floats, Floats]:
    """Return the extremes of the columns of a CSR matrix from its entries in the order of rows."""
    m, n = matrix.shape
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    counts = np.zeros(n, dtype=np.intp)
    for part in block_slices(matrix.nnz, 1):
        # of the types that ``at`` is quick for
        some = matrix.indices[part].astype(np.intp)
        there = matrix.data[part].astype(np.float64)
        counts += np.bincount(some, minlength=n)
        np.fmin.at(low, some, there)
        np.fmax.at(high, some, there)
    # where a row has no entry it is zero
    gaps = counts < m
    return np.where(gaps, np.minimum(low, 0.0), low), np.where(gaps, np.maximum(high, 0.0), high)


def present(A: Columns, weights: Floats) -> tuple[Floats, Floats, int]:
    """Return the means of what is there in each column, its weight, and how many gaps there are."""
    m, n = A.shape
    total = float(weights.sum())
    means, there, gaps = np.zeros(n), np.full(n, total), 0
    for block in block_slices(n, m):
        if A.decomposes_directly:
            part = A.columns(block)
            gap = np.isnan(part)
            gaps += int(gap.sum())
            there[block] = weights @ ~gap
            sums = weights @ np.where(gap, 0.0, part)
            some = np.divide(sums, there[block], out=np.zeros_like(sums), where=there[block] > 0)
            # once more, less what was found: so the digits of a spread far below it stay
            left = weights @ np.where(gap, 0.0, part - some)
        else:
            rows, cols, values = A.entries(block)
            gap, some = np.isnan(values), np.zeros(block.stop - block.start)
            gaps += int(gap.sum())
            there[block] -= np.bincount(cols, weights[rows] * gap, len(some))
            sums = weights[rows] * np.where(gap, 0.0, values)
            left = np.asarray(np.bincount(cols, sums, len(some)), dtype=np.float64)
        means[block] = some + np.divide(
            left, there[block], out=np.zeros_like(left), where=there[block] > 0
        )
    return means, there, gaps
