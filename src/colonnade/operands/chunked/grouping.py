"""Passes of k-means over rows in chunks: draw some, project all, assign all to centres."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...foundation.typing import Array, Floats, Indices
from ..containers import take_rows
from ..dense import Dense
from ..interface import Columns
from ..sparse import Sparse
from .array import Chunked
from .engine import shared

__all__ = ["Assigned", "assigned", "columns_of", "drawn_rows", "projected"]


class Assigned(NamedTuple):
    """What one pass finds that assigns all rows to their nearest centres.

    Attributes
    ----------
    labels : ndarray of int of shape (m,)
        The nearest centre of each row.
    sums : ndarray of shape (k, d)
        The sums of the rows of each centre, by their weights.
    loads : ndarray of shape (k,)
        The sums of their weights.
    loss : float
        The sum of the squared distances of the rows from their centres, by their weights.
    """

    labels: Indices
    sums: Floats
    loads: Floats
    loss: float


def assigned(
    A: Chunked, V: Array, offsets: Floats, centers: Floats, weights: Floats | None
) -> Assigned:
    """Return the centre of each row, and what the rows of each add up to, in one pass.

    Parameters
    ----------
    A : Chunked
        The rows.
    V : ndarray of shape (d, k)
    offsets : ndarray of shape (k,)
        A row goes where ``A @ V − offsets`` is largest.
    centers : ndarray of shape (k, d)
        The centres that distances are measured from.
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    """
    given = shared((V, offsets, centers))
    cut = _cutter(A, weights)
    sums = 8 * (centers.size + len(centers))
    found = A.over_rows(_assigned, "nearest", lambda i: (given, cut(i)), each=4, fixed=sums)
    labels = np.concatenate([part.labels for part in found]).astype(np.intp)
    # in the order of the blocks, so that sums are the same whoever computed them
    sums, loads, loss = found[0][1:]
    for part in found[1:]:
        sums, loads, loss = sums + part.sums, loads + part.loads, loss + part.loss
    return Assigned(labels, sums, loads, float(loss))


def _assigned(A: Columns, given: tuple[Any, ...], weights: Floats | None) -> Assigned:
    V, offsets, centers = given
    k = len(centers)
    labels, _, _ = A.top_products(V, offsets)
    squares = A.row_sq_distances(centers, labels)
    loads = np.bincount(labels, weights, minlength=k).astype(np.float64)
    loss = squares.sum() if weights is None else weights @ squares
    sums = np.asarray(A.group_sums(labels, k, weights), dtype=np.float64)
    return Assigned(labels.astype(np.int32), sums, loads, float(loss))


def _cutter(A: Chunked, values: Array | None) -> Any:
    """Return what gives each part of the rows its share of the values, if there are any."""
    if values is None:
        return lambda _: None
    cuts = A.row_parts("a value for each row")
    return lambda i: values[cuts[i]]


def drawn_rows(
    A: Chunked, size: float, weights: Floats | None, about: tuple[Floats, float, float],
    draws: Floats,
) -> tuple[Any, Floats]:  # fmt: skip
    """Return some rows, in the container of the blocks, and weights by which they stand for all.

    Half of the chance of a row is its share of the rows, half its share of their squared
    distances from the mean. Only the rows that are drawn are sent.

    Parameters
    ----------
    A : Chunked
        The rows.
    size : float
        How many to draw on average.
    weights : ndarray of shape (m,) or None
        Their weights.
    about : (mean, weight, spread)
        Their mean row, the sum of their weights, and that of their squared distances from it.
    draws : ndarray of shape (m,)
        A random number between 0 and 1 for each row, so that chunks do not change which are drawn.
    """
    given = shared((size, *about))
    load, draw = _cutter(A, weights), _cutter(A, draws)
    rows = -(-int(min(size, len(draws))) // A.source.n_blocks[0])
    found = A.over_rows(
        _drawn, "a sample of the rows", lambda i: (given, load(i), draw(i)),
        fixed=rows * (A.shape[1] * A.source.array.dtype.itemsize + 8),
    )  # fmt: skip
    parts = [rows for rows, _ in found if rows.shape[0]]
    stacked = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
    return stacked.astype(A.dtype, copy=False), np.concatenate([loads for _, loads in found])


def _drawn(
    A: Columns, given: tuple[Any, ...], weights: Floats | None, draws: Floats
) -> tuple[Any, Floats]:
    size, mean, weight, spread = given
    m = A.shape[0]
    w = np.ones(m) if weights is None else weights
    odds = w / weight
    if spread > 0:
        far = A.row_sq_distances(mean[None, :], np.zeros(m, dtype=np.intp))
        odds = 0.5 * odds + 0.5 * w * far / spread
    chances = np.minimum(size * odds, 1.0)
    rows = np.flatnonzero(draws < chances)
    assert isinstance(A, Dense | Sparse)
    held = A.array if isinstance(A, Dense) else A.matrix
    return take_rows(held, rows), w[rows] / chances[rows]


def projected(A: Chunked, V: Array, origin: Floats, unit: float, dtype: Any) -> Array:
    """Return ``(A @ V − origin) / unit`` for all rows, rounded to a type before it is sent."""
    given = shared((V, origin, unit, dtype))
    each = V.shape[1] * np.dtype(dtype).itemsize
    return np.concatenate(A.over_rows(_projected, "directions", lambda _: (given,), each=each))


def _projected(A: Columns, given: tuple[Any, ...]) -> Array:
    V, origin, unit, dtype = given
    return np.asarray(((A.matmat(V) - origin) / unit).astype(dtype))


def columns_of(A: Chunked, j: Indices) -> Array:
    """Return some columns of all rows, by parts that hold whole rows."""
    return np.concatenate(A.over_rows(_columns_of, "columns", lambda _: (j,), each=8 * len(j)))


def _columns_of(A: Columns, j: Indices) -> Array:
    return A.columns(j)
