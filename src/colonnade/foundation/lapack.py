"""Dense decompositions that use BLAS threads only where these are worth it.

Each is the function of that name of SciPy or NumPy; ``np_qr`` and ``np_svd`` are NumPy's, which
take stacks of matrices too. A matrix is small or large by its own size, so that loops of small
ones stay small. All modules take their decompositions from here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from .threads import blas_threads_for

__all__ = [
    "cho_factor",
    "cho_solve",
    "cholesky",
    "dpocon",
    "dpotrf",
    "dpotri",
    "dpstrf",
    "dtrcon",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "np_qr",
    "np_svd",
    "pinv",
    "qr",
    "qr_delete",
    "solve",
    "solve_triangular",
    "svd",
]


def _sized(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with BLAS threads by the size of the first matrix that it is given."""

    @wraps(function)
    def calm(A: Any, *others: Any, **options: Any) -> Any:
        *_, m, n = np.shape(A[0] if isinstance(A, tuple) else A)
        with blas_threads_for(m * n * min(m, n)):
            return function(A, *others, **options)

    return calm


cho_factor = _sized(scipy.linalg.cho_factor)
cho_solve = _sized(scipy.linalg.cho_solve)
cholesky = _sized(np.linalg.cholesky)
dpocon = _sized(lapack.dpocon)
dpotrf = _sized(lapack.dpotrf)
dpotri = _sized(lapack.dpotri)
dtrcon = _sized(lapack.dtrcon)
dpstrf = _sized(lapack.dpstrf)
eigh = _sized(scipy.linalg.eigh)
eigvalsh = _sized(np.linalg.eigvalsh)
inv = _sized(np.linalg.inv)
lstsq = _sized(np.linalg.lstsq)
pinv = _sized(np.linalg.pinv)
qr = _sized(scipy.linalg.qr)
qr_delete = _sized(scipy.linalg.qr_delete)
solve = _sized(scipy.linalg.solve)
solve_triangular = _sized(scipy.linalg.solve_triangular)
svd = _sized(scipy.linalg.svd)
np_qr = _sized(np.linalg.qr)
np_svd = _sized(np.linalg.svd)
