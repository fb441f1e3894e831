"""k-means++: rows that are far from one another, to start k-means from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..operands.containers import dense, take_rows
from ..operands.entrance import wrapped

__all__ = ["Seeds"]


class Seeds:
    """Draws starts of k-means from the same rows again and again.

    scikit-learn's ``kmeans_plusplus`` checks and converts the rows for every row that it draws,
    which takes longer than k-means itself on a sample of a few thousand.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        The rows.
    weights : ndarray of shape (n_rows,) or None
        Their weights.
    """

    def __init__(self, X: Any, weights: Floats | None):
        # in float64 and measured from the mean: what all rows share takes no digits from distances
        self._rows = X.astype(np.float64)
        self._A = wrapped(self._rows)
        n, together = X.shape[0], np.zeros(X.shape[0], dtype=np.intp)
        self._mean: Floats = self._A.group_sums(together, 1)[0] / n
        self._halves: Floats = self._A.row_sq_distances(self._mean[None, :], together) / 2
        self._weights = np.ones(n) if weights is None else weights

    def draw(self, n_clusters: int, rng: np.random.RandomState) -> Indices:
        """Return the numbers of rows to start from.

        Each is drawn by its squared distance from the nearest of those before it, times its weight;
        of a few draws the one that leaves least is taken.

        Parameters
        ----------
        n_clusters : int
            How many.
        rng : RandomState
            Draws them.

        References
        ----------
        .. [1] Arthur & Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
        """
        trials = 2 + int(np.log(n_clusters))
        out = np.empty(n_clusters, dtype=np.intp)
        out[:1] = _drawn(self._weights, 1, rng)
        closest = self._gaps(out[:1], np.inf)[0]
        for i in range(1, n_clusters):
            tried = _drawn(self._weights * closest, trials, rng)
            gaps = self._gaps(tried, closest)
            best = int(np.argmin(gaps @ self._weights))
            out[i], closest = tried[best], gaps[best]
        return out

    def _gaps(self, picks: Indices, closest: Array | float) -> Array:
        """Return half the squared distance of all rows from each pick, or ``closest`` if less."""
        points = dense(take_rows(self._rows, picks)) - self._mean
        out = np.ascontiguousarray(self._A.matmat(points.T).T)
        np.subtract(self._halves, out, out=out)
        out += (points @ self._mean + self._halves[picks])[:, None]
        return np.clip(out, 0.0, closest, out=out)


def _drawn(odds: Floats, count: int, rng: np.random.RandomState) -> Indices:
    """Return places drawn by odds, with replacement."""
    sums = np.cumsum(odds)
    places = np.searchsorted(sums, sums[-1] * rng.random_sample(count), side="right")
    return np.minimum(places, len(odds) - 1)  # where all odds are zero
