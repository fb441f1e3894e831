"""The steps that k-means repeats, on data in any container."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..operands import loops
from ..operands.interface import Columns

__all__ = [
    "Partition",
    "centroids",
    "descended",
    "fill_empty",
    "nearest",
    "nearest_two",
    "polished",
    "scoring",
    "with_moves",
]

CENTERS = 64
"""How many centres or clusters numbers of all rows are held for at a time."""
FEW_ROWS = 5000
"""Up to this many rows each is visited in every round of moves."""
STRIP_ROWS = 256
"""How many rows are made dense at a time, to be moved."""


@dataclass(frozen=True)
class Partition:
    """What iterations of k-means ended at.

    Attributes
    ----------
    labels : ndarray of int
        The nearest centre of each row.
    centers : ndarray of shape (k, d)
        The centres.
    loss : float
        The sum of the squared distances of the rows from these centres, by weights.
    n_iter : int
        How many iterations it took.
    """

    labels: Indices
    centers: Floats
    loss: float
    n_iter: int


def centroids(A: Columns, labels: Indices, k: int, weights: Floats | None = None) -> Floats:
    """Return the means of the clusters (k × d), by weights of rows; zeros for an empty one."""
    sizes = np.bincount(labels, weights, minlength=k)
    sums = A.group_sums(labels, k, weights)
    return np.divide(sums, sizes[:, None], out=np.zeros_like(sums), where=sizes[:, None] > 0)


def nearest(A: Columns, centers: Array) -> Indices:
    """Return the nearest centre of each row, of equally near ones the first."""
    # measured from the middle of the centres, so that what all points share cancels once, not
    # in every product
    return _top(A, centers, centers.mean(axis=0, dtype=np.float64))[0]


def nearest_two(A: Columns, centers: Floats) -> tuple[Indices, Floats, Floats]:
    """Return the nearest centre of each row, and the squared distances from it and the next."""
    middle = centers.mean(axis=0, dtype=np.float64)
    labels, best, second = _top(A, centers, middle)
    squares = A.row_sq_distances(middle[None, :], np.zeros(A.shape[0], dtype=np.intp))
    near, far = (np.maximum(squares - 2.0 * score, 0.0) for score in (best, second))
    return labels, near, far


def _top(A: Columns, centers: Array, origin: Floats) -> tuple[Indices, Floats, Floats]:
    """Return the nearest centre c of each row x, and the two largest ``xᵀc − ‖c‖²/2``.

    Rows and centres are measured from the origin given; ``‖x − c‖² = ‖x‖² − 2(xᵀc − ‖c‖²/2)``.
    """
    return A.top_products(*scoring(centers, origin, A.dtype))


def scoring(centers: Array, origin: Floats, dtype: Any) -> tuple[Array, Floats]:
    """Return V and offsets such that the nearest centre is where ``A @ V − offsets`` is largest."""
    moved = centers - origin
    return moved.T.astype(dtype), moved @ origin + np.square(moved).sum(axis=1) / 2


def fill_empty(labels: Indices, fit: Array, k: int, *, perfect: float) -> None:
    """Give every empty cluster the row that fits worst where it is, in place.

    Alone in its cluster, such a row fits perfectly.
    """
    counts = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(counts == 0):
        movable = np.where(counts[labels] > 1, fit, np.inf)
        worst = int(np.argmin(movable))
        counts[labels[worst]] -= 1
        counts[empty] += 1
        labels[worst] = empty
        fit[worst] = perfect


def polished(
    A: Columns,
    labels: Indices,
    k: int,
    n_steps: int,
    weights: Floats | None = None,
    tol: float = 0.0,
) -> tuple[Indices, Floats]:
    """Return labels and centres after at most so many iterations of k-means from the labels.

    After one or more, the labels are those of the nearest centres. The objective never rises.
    """
    centers = _means(A, labels, k, weights)
    if not n_steps:
        return labels, centers
    found = descended(A, centers, n_steps, weights, tol, labels)
    return found.labels, found.centers


def _means(A: Columns, labels: Indices, k: int, weights: Floats | None) -> Floats:
    # as they are kept, so that they give the same labels again
    return centroids(A, labels, k, weights).astype(A.dtype).astype(np.float64)


def descended(
    A: Columns,
    centers: Floats,
    n_steps: int,
    weights: Floats | None = None,
    tol: float = 0.0,
    labels: Indices | None = None,
) -> Partition:
    """Return what Lloyd's iteration makes of centres in at most so many steps (at least one).

    Each assigns the rows to the nearest centres; in between, the centres become the means of
    their rows, and one that lost all takes the row that is farthest from its own. It ends when
    no label changes, or when a step lowers the objective by less than ``tol`` times what it is.
    """
    k, n = len(centers), A.shape[0]
    origin = centers.mean(axis=0, dtype=np.float64)
    squares = A.row_sq_distances(origin[None, :], np.zeros(n, dtype=np.intp))
    total = _weighed(squares, weights)
    before, loss, step = labels, np.inf, 0
    while True:
        step += 1
        labels, scores, _ = _top(A, centers, origin)
        last, loss = loss, max(total - 2.0 * _weighed(scores, weights), 0.0)
        empty = np.bincount(labels, minlength=k).min() == 0
        if empty:
            fill_empty(labels, -A.row_sq_distances(centers, labels), k, perfect=0.0)
        same = before is not None and bool((labels == before).all())
        done = same or step == n_steps or (tol > 0 and last - loss <= tol * loss)
        if not same and (empty or not done):
            centers = _means(A, labels, k, weights)
        if done:
            break
        before = labels
    if empty and not same:
        labels, scores, _ = _top(A, centers, origin)
        loss = max(total - 2.0 * _weighed(scores, weights), 0.0)
    return Partition(labels, centers, loss, step)


def _weighed(values: Floats, weights: Floats | None) -> float:
    return float(values.sum() if weights is None else weights @ values)


def with_moves(
    A: Columns, labels: Indices, k: int, n_rounds: int, weights: Floats | None = None
) -> tuple[Indices, Floats]:
    """Return labels and means after moves of single rows that lower the objective.

    Rows are visited one after another; each goes to the cluster where it costs least, counting
    that the means of both clusters follow it. Of many rows those are visited in a round that
    would move while the means stay. It ends, at the latest after ``n_rounds``, where no move of a
    single row helps; then every row is nearest to its own mean, too.
    """
    n = A.shape[0]
    labels = labels.copy()
    loads = np.ones(n) if weights is None else weights
    for _ in range(n_rounds):
        centers = centroids(A, labels, k, weights)
        sizes: Floats = np.bincount(labels, loads, minlength=k).astype(np.float64)
        counts = np.bincount(labels, minlength=k)
        wanted = np.arange(n) if n <= FEW_ROWS else _movable(A, labels, centers, sizes, loads)
        moved = 0
        for start, strip in _strips(A, wanted):
            i = wanted[(wanted >= start) & (wanted < start + len(strip))]
            some = labels[i]
            moved += loops.move_rows(strip[i - start], loads[i], some, centers, sizes, counts)
            labels[i] = some
        if not moved:
            break
    return labels, _means(A, labels, k, weights)


def _movable(A: Columns, labels: Indices, centers: Floats, sizes: Floats, loads: Floats) -> Indices:
    """Return the rows that would move if the means stayed; a few more, for rounding."""
    n, k = A.shape[0], len(centers)
    origin = centers.mean(axis=0)
    squares = A.row_sq_distances(origin[None, :], np.zeros(n, dtype=np.intp))
    rest = np.maximum(sizes[labels] - loads, np.finfo(float).tiny)
    here = A.row_sq_distances(centers, labels) * np.minimum(sizes[labels] / rest, 1e9)
    here += 64.0 * float(np.finfo(A.dtype).eps) * squares
    movable = np.zeros(n, dtype=bool)
    moved = centers - origin
    offsets = moved @ origin + np.square(moved).sum(axis=1) / 2
    for start in range(0, k, CENTERS):
        few = slice(start, start + CENTERS)
        scores = A.matmat(moved[few].T.astype(A.dtype)) - offsets[few]
        there = (squares[:, None] - 2.0 * scores) * (sizes[few] / (sizes[few] + loads[:, None]))
        inside = np.flatnonzero((labels >= start) & (labels < start + CENTERS))
        there[inside, labels[inside] - start] = np.inf
        movable |= there.min(axis=1) < here
    return np.flatnonzero(movable)


def _strips(A: Columns, wanted: Indices) -> Iterator[tuple[int, Floats]]:
    """Yield the strips of rows that hold wanted ones, each with the number of its first row."""
    held = np.unique(wanted // STRIP_ROWS)
    for number, strip in enumerate(A.row_strips(STRIP_ROWS)):
        if number in held:
            yield number * STRIP_ROWS, np.ascontiguousarray(strip)
