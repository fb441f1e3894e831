"""Preprocessing as one would write it: the oracle of all that centres, scales and weighs."""

from __future__ import annotations

import numpy as np


def standardized(A, *, center=False, scale=None, weights=None):
    """Return the prepared matrix, dense, in float64, without weights of rows, and what varies."""
    A = np.asarray(A, dtype=np.float64)
    w = np.ones(len(A)) if weights is None else np.asarray(weights, dtype=float)
    rows = A[w > 0]
    varying = np.ptp(rows, axis=0) > 0
    means = np.average(A, axis=0, weights=w)
    means += np.average(A - means, axis=0, weights=w)
    Z = A - means if center else A.copy()
    named = isinstance(scale, str)
    if named and scale == "std":
        units = np.sqrt(np.average((A - means) ** 2, axis=0, weights=w))
    elif named and scale == "max":
        units = np.abs(Z[w > 0]).max(axis=0)
    elif named and scale == "robust":
        repeated = np.repeat(A, w.astype(int), axis=0)
        low, high = np.quantile(repeated, [0.25, 0.75], axis=0, method="averaged_inverted_cdf")
        units = high - low
        flat = units <= 0
        units[flat] = np.sqrt(np.average((A - means) ** 2, axis=0, weights=w))[flat]
    else:
        units = np.ones(A.shape[1]) if scale is None else np.asarray(scale, dtype=float)
    Z = Z / np.where(varying, units, 1.0)
    Z[:, ~varying] = 0.0
    return Z, varying
