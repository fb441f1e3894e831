"""Checks that all clusterers share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.parameters import Count
from ..foundation.typing import Array

__all__ = ["check_clusters", "check_filled"]


def check_clusters(n_clusters: Any, n_samples: int) -> int:
    """Return the number of clusters, at most one for each row."""
    Count(1).check("n_clusters", n_clusters)
    if n_clusters > n_samples:
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
