"""Leading eigenpairs of a symmetric matrix, whatever their multiplicity."""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError

from ..foundation.lapack import eigh
from ..foundation.typing import Array, Floats

__all__ = ["largest_eigenpairs"]


def largest_eigenpairs(M: Array, count: int) -> tuple[Floats, Array]:
    """Return the largest eigenvalues of a symmetric matrix, in falling order, and their vectors.

    LAPACK looks for part of a spectrum by bisection, which loses track where many eigenvalues are
    equal: it fails, or returns fewer than were asked for. Then all of them are computed.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        The matrix.
    count : int
        How many; all if there are not so many.
    """
    n = len(M)
    first = max(0, n - count)
    try:
        values, vectors = eigh(M, subset_by_index=[first, n - 1])
    except LinAlgError:
        values, vectors = np.empty(0), np.empty((n, 0))
    if len(values) < n - first:
        values, vectors = eigh(M)
    return values[: -count - 1 : -1], vectors[:, : -count - 1 : -1]
