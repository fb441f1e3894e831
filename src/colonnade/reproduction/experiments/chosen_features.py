"""k-means on a few columns, judged on all of them: what experiments on features share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.typing import Indices
from ...linalg.partitions import quiet_kmeans
from ...registry import METHODS
from ...selection import Selection
from ...selectors.door import select
from ..preparation import loaded

__all__ = ["ALL", "N_STARTS", "choose", "clusters_of", "columns_of", "points"]

ALL = "all columns"
"""What a run on all columns is called, in place of a method."""
N_STARTS = 10
"""Starts of k-means, of which the best on the columns that it sees is kept."""
CLUSTERS_CALLED = {
    "leverage": "rank",
    "leverage-top": "rank",
    "dual-set": "n_clusters",
    "randomized-dual-set": "n_clusters",
}
"""What methods call the number of clusters, those that ask for it."""


def points(name: str) -> tuple[Any, Any, int]:
    """Return X in float64, the classes, and how many there are."""
    X, y = loaded(name)
    return X.astype(np.float64), y, len(np.unique(y))


def choose(
    X: Any, method: str, size: int, k: int, seed: int = 0, labels: Indices | None = None
) -> Selection:
    """Return columns that a method chooses for k clusters."""
    told: dict[str, Any] = {}
    if method in CLUSTERS_CALLED:
        told[CLUSTERS_CALLED[method]] = k
    if METHODS[method].randomized:
        told["random_state"] = seed
    if METHODS[method].supervised:
        told["y"] = labels
    return select(X, size, method=method, **told)


def columns_of(X: Any, method: str, size: int, k: int, seed: int) -> Any:
    """Return the columns, with their weights if the method gives any; or all."""
    return X if method == ALL else choose(X, method, size, k, seed).apply(X)


def clusters_of(C: Any, k: int, seed: int) -> Indices:
    """Return the cluster of each row by k-means."""
    found: Indices = quiet_kmeans(C, k, n_init=N_STARTS, random_state=seed).labels_
    return found
