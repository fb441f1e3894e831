"""Checks that clusterers share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from ..foundation.parameters import Count
from ..foundation.typing import Array, Floats

__all__ = ["STARTS", "check_clusters", "check_filled", "check_init"]

STARTS = "k-means++"
"""How centres are drawn to start from, if they are not given."""


def check_clusters(n_clusters: Any, n_samples: int, n_rows: int | None = None) -> int:
    """Return the number of clusters, at most one for each row that has weight.

    Parameters
    ----------
    n_clusters : Any
        As it was given.
    n_samples : int
        How many rows have weight.
    n_rows : int, optional
        How many there are.
    """
    Count(1).check("n_clusters", n_clusters)
    if n_clusters > n_samples:
        if n_rows is not None and n_rows > n_samples:
            raise ValueError(
                f"n_clusters={n_clusters}, but only {n_samples} of {n_rows} rows have a positive "
                f"sample_weight; choose n_clusters at most {n_samples}"
            )
        raise ValueError(
            f"n_clusters={n_clusters} but n_samples={n_samples}; choose n_clusters at most "
            f"{n_samples}"
        )
    return int(n_clusters)


def check_filled(labels: Array, n_clusters: int, reason: str) -> None:
    """Raise ValueError, with the reason, if there are fewer clusters than asked for."""
    found = len(np.unique(labels))
    if found < n_clusters:
        raise ValueError(
            f"n_clusters={n_clusters}, but only {found} can be told apart: {reason}, or choose "
            f"n_clusters at most {found}"
        )


def check_init(init: Any, n_clusters: int, n_features: int) -> Floats | None:
    """Return the centres to start from, or None if they are to be drawn."""
    if isinstance(init, str) and init == STARTS:
        return None
    if init is None or isinstance(init, str) or callable(init):
        raise ValueError(
            f'init={init!r}; choose "{STARTS}", or give an array with a centre for each cluster'
        )
    centers = check_array(init, dtype=np.float64, input_name="init")
    if centers.shape != (n_clusters, n_features):
        raise ValueError(
            f"init has shape {centers.shape}, but there are n_clusters={n_clusters} clusters and "
            f"{n_features} features; give one centre for each cluster"
        )
    return np.asarray(centers)
