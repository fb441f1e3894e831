"""How well features approximate a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..foundation.lapack import eigvalsh
from ..foundation.parameters import check_count
from ..foundation.typing import Array, RandomState
from ..linalg.svd import EXACT_SIDE, leading_right_singular_vectors
from ..operands.blocks import block_slices
from ..operands.interface import Columns, Gram
from ..operands.kernel import Kernel
from ..selection import Selection

__all__ = ["kernel_accuracy"]


def kernel_accuracy(
    K: Any, features: Any, *, rank: int | None = None, random_state: RandomState = 0
) -> float:
    """Return how near features come to the best approximation of a kernel of the same rank.

    Parameters
    ----------
    K : Kernel or array-like of shape (n, n)
        The kernel; one of points is evaluated a block of columns at a time.
    features : array-like of shape (n, l) or Selection
        Z, with ``K̃ = Z Zᵀ``, such as :meth:`colonnade.Nystroem.fit_transform` returns; or a
        selection from the kernel, whose embedding is used.
    rank : int or None
        r; by default the number of features.
    random_state : int, RandomState or None
        Seed of the stochastic SVD that finds the best approximation of more than 2000 points.

    Returns
    -------
    float
        ``‖K − K_r‖_F / ‖K − K̃‖_F``: 1 is unbeatable [1]_. It is 1.0 when K̃ is exact.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", eq. 4.17.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.metrics import kernel_accuracy
    >>> round(kernel_accuracy(np.diag([3.0, 2.0, 1.0]), np.sqrt([[0.0], [2.0], [0.0]])), 3)
    0.707
    """
    A = K if isinstance(K, Gram) else Kernel(K)
    if isinstance(A, Columns):
        raise TypeError("K must be a kernel: a Kernel, or an n × n array")
    n = A.shape[0]
    Z = np.asarray(_embedding(features).T if isinstance(features, Selection) else features)
    if Z.ndim != 2 or Z.shape[0] != n:
        raise ValueError(f"features have shape {Z.shape}, but the kernel has {n} points")
    rank = check_count("rank", Z.shape[1] if rank is None else rank, 0, None)
    Z = Z.astype(np.float64)
    total = error = 0.0
    for block in block_slices(n, n):
        columns = A.gram_columns(block)
        total += float(np.square(columns).sum())
        error += float(np.square(columns - Z @ Z[block].T).sum())
    if error <= total * (n * float(np.finfo(A.dtype).eps)) ** 2:
        return 1.0
    if n <= EXACT_SIDE:
        values = eigvalsh(A.gram())[::-1]
        best = float(np.square(values[rank:]).sum())
    elif rank == 0:
        best = total
    else:
        roots, _ = leading_right_singular_vectors(A, rank, check_random_state(random_state))
        best = max(0.0, total - float(np.power(roots, 4).sum()))
    return float(np.sqrt(best / error))


def _embedding(selection: Selection) -> Array:
    if selection.embedding is None:
        raise ValueError("this selection has no embedding; pass features instead")
    return selection.embedding
