"""Dissimilarities of columns, and the elimination of those that have a near neighbour (FSFS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...foundation.typing import Array, Floats, Indices, Mask
from ...linalg.ties import rounded_each
from ...operands.blocks import block_slices
from ...operands.interface import Gram
from ...pivoting.loop import MEMORY_BUDGET

__all__ = ["Elimination", "Neighbours", "closeness", "information_loss"]

BYTES_PER_PAIR = 16
"""A distance, the place in an order, and up to four more while neighbours are sought."""


def information_loss(Z: Gram) -> Array:
    """Return λ₂ of the 2 × 2 covariance of every pair of centred columns, times the rows.

    That is what is lost of a pair when it is replaced by its first principal component.
    Squared correlations within 1e-10 of 1 count as 1: the loss is then zero.
    """
    v = Z.sq_norms()
    n = len(v)
    if BYTES_PER_PAIR * n * n > MEMORY_BUDGET:
        limit = int((MEMORY_BUDGET / BYTES_PER_PAIR) ** 0.5)
        raise ValueError(
            f"{n} columns that vary have {n * n:.2g} dissimilarities, which take "
            f"{BYTES_PER_PAIR * n * n / 2**30:.1f} GiB; at most {limit} columns fit in "
            f"{MEMORY_BUDGET / 2**30:.0f} GiB: leave rare columns out first (exclude), or use "
            "'greedy' or 'pfa'"
        )
    out = np.empty((n, n))
    for block in block_slices(n, n):
        C = Z.gram_columns(block).T
        x, y = v[block][:, None], v
        sizes = x * y
        C *= C
        # det / λ₁ keeps the digits that the difference of two near numbers would lose
        det = sizes - C
        det[det <= 1e-10 * sizes] = 0.0
        C *= 4.0
        C += np.square(x - y)
        np.sqrt(C, out=C)
        C += x + y
        out[block] = rounded_each(2.0 * det / C)
    np.fill_diagonal(out, np.inf)
    return out


def closeness(D: Array) -> Floats:
    """Return how close each column is to all others: less the more dissimilar it is to them."""
    return -np.array([np.delete(row, i).sum() for i, row in enumerate(D)])


@dataclass(frozen=True)
class Elimination:
    """What one run has left.

    Attributes
    ----------
    kept : list of int
        Columns that are left and whose neighbours were discarded, in order.
    alone : ndarray of int
        Columns that are left without that.
    discarded : ndarray of int
        The others, by falling distance from the column for which they were discarded.
    limit : float
        No discarded column was farther than this, and all columns that are left are farther
        than this from each other.
    """

    kept: list[int]
    alone: Indices
    discarded: Indices
    limit: float

    @property
    def size(self) -> int:
        """How many columns are left."""
        return len(self.kept) + len(self.alone)

    @property
    def order(self) -> list[int]:
        """All columns, those that are left first."""
        return [*self.kept, *self.alone.tolist(), *self.discarded.tolist()]


class Neighbours:
    """Columns and their neighbours by rising distance.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        With infinity on the diagonal.
    """

    def __init__(self, distances: Array):
        self.distances = distances
        n = len(distances)
        self.order = np.empty((n, n), dtype=np.int32)
        for rows in block_slices(n, n):
            self.order[rows] = np.argsort(distances[rows], axis=1, kind="stable")

    def eliminate(self, k: int) -> Elimination:
        """Keep the column with the nearest k-th neighbour, discard those k, and go on.

        The first such distance is the limit for all later ones: k falls until some column has
        its k-th neighbour within it. The end is when no two columns that are left are.
        """
        D = self.distances
        k = min(k, len(D) - 1)
        left: Mask = np.ones(len(D), dtype=bool)
        if k < 1:
            return Elimination([], np.flatnonzero(left), np.empty(0, dtype=np.intp), 0.0)
        # while all are left, the nearest are known; later there are fewer to hold
        kth = D[np.arange(len(D)), self.order[:, k - 1]]
        p = int(np.argmin(kth))
        limit = float(kth[p])
        centres = {p: None}
        gone = self.order[p, :k].astype(np.intp)
        away = D[p, gone]
        left[gone] = False
        rows = stale = np.flatnonzero(left)
        place = np.cumsum(left) - 1
        k = min(k, len(rows) - 1)
        near = np.empty((len(rows), k), dtype=np.int32)
        far = np.empty((len(rows), k))
        while k >= 1:
            self._fill(near, far, place, stale, left, k)
            least = far[place[rows], :k].min(axis=0)  # for each number of neighbours
            k = int(np.searchsorted(least, limit, side="right"))
            if k < 1:
                break
            p = int(rows[np.argmin(far[place[rows], k - 1])])
            centres[p] = None
            new = near[place[p], :k]
            gone, away = np.append(gone, new), np.append(away, D[p, new])
            left[new] = False
            rows = rows[left[rows]]
            k = min(k, len(rows) - 1)
            stale = rows[~left[near[place[rows], :k]].all(axis=1)]
        kept = [p for p in centres if left[p]]
        left[kept] = False
        return Elimination(kept, np.flatnonzero(left), gone[np.lexsort((gone, -away))], limit)

    def reach(self, size: int) -> tuple[Elimination, int]:
        """Return the elimination that leaves at most ``size`` columns, and its k.

        k doubles until few enough are left; then the interval is halved until neighbours k − 1
        would leave too many.
        """
        n = len(self.distances)
        low, high = 0, 1
        found = self.eliminate(high)
        while found.size > size and high < n - 1:
            low, high = high, min(2 * high, n - 1)
            found = self.eliminate(high)
        while high - low > 1:
            middle = (low + high) // 2
            trial = self.eliminate(middle)
            if trial.size > size:
                low = middle
            else:
                high, found = middle, trial
        return found, high

    def _fill(
        self, near: Array, far: Array, place: Indices, rows: Indices, left: Mask, k: int
    ) -> None:
        """Find the k nearest neighbours that are left (more than k are) of some rows."""
        width = 2 * k + 8
        while len(rows):
            short = []
            for part in block_slices(len(rows), width):
                some = rows[part]
                lists = self.order[some, :width]
                free = left[lists]
                count = np.cumsum(free, axis=1, dtype=np.int32)
                enough = count[:, -1] >= k
                first = (free & (count <= k))[enough]
                found, some = lists[enough][first].reshape(-1, k), rows[part][enough]
                near[place[some], :k] = found
                far[place[some], :k] = self.distances[some[:, None], found]
                short.append(rows[part][~enough])
            rows = np.concatenate(short)
            width *= 4
