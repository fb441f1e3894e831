"""The middle of a set of points."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from ...foundation.typing import Floats, Mask
from ...linalg.ties import rounded_each
from ...operands.blocks import block_slices
from .points import HeldPoints, Points

__all__ = ["most_central"]


def most_central(points: Points, weights: Floats, allowed: Mask) -> int:
    """Return the point of the least sum of squared distances to all: the nearest to their mean.

    One that is allowed; of equal ones the first.
    """
    if points.exact and isinstance(points, HeldPoints):
        # by way of the mean, rounding would decide between two points
        cost = np.empty(points.count)
        for part in block_slices(points.count, points.count):
            cost[part] = cdist(points.rows[part], points.rows, "sqeuclidean") @ weights
        cost = rounded_each(cost)
    else:
        cost = points.from_mean(weights)
    return int(np.argmin(np.where(allowed, cost, np.inf)))
