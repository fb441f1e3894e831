"""What a criterion can be asked to reconstruct, instead of the matrix itself.

Each target is a set of combinations ``B = A C`` of the columns, few enough to be held: sums of
random groups, the same with random signs, or leading singular vectors. On a kernel only the
inner products ``BᵀA = CᵀK`` are formed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...foundation.typing import Array
from ...linalg.svd import leading_right_singular_vectors
from ...operands.interface import Columns, Gram
from ...pivoting.targets import KernelTarget

__all__ = ["SKETCHES", "sketch"]


def _groups(A: Gram, size: int, rng: np.random.RandomState) -> Any:
    # a shuffled even split, so that no group is empty
    n = A.shape[1]
    labels = rng.permutation(np.arange(n) % size)
    return sp.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, size))


def _signed(A: Gram, size: int, rng: np.random.RandomState) -> Any:
    C = _groups(A, size, rng)
    C.data[:] = rng.choice([-1.0, 1.0], size=A.shape[1])
    return C


def _svd(A: Gram, size: int, rng: np.random.RandomState) -> Array:
    return leading_right_singular_vectors(A, size, rng)[1]


def _whitened(A: Gram, size: int, rng: np.random.RandomState) -> Array:
    values, V = leading_right_singular_vectors(A, size, rng)
    return V / values


SKETCHES: dict[str, Callable[[Gram, int, np.random.RandomState], Any]] = {
    "groups": _groups,
    "signed": _signed,
    "svd": _svd,
    "whitened": _whitened,
}
"""Names of targets, and the n × c combinations of columns that they are."""


def sketch(A: Gram, name: str, size: int, rng: np.random.RandomState) -> Array | KernelTarget:
    """Return a named target of ``size`` columns.

    Parameters
    ----------
    A : Gram
        The matrix.
    name : str
        A key of :data:`SKETCHES`: ``"groups"`` (sums of random groups), ``"signed"`` (the same
        with random signs), ``"svd"`` (``U_k Σ_k``) or ``"whitened"`` (``U_k``).
    size : int
        How many groups, or the rank.
    rng : RandomState
        For the groups, signs and a stochastic SVD.

    Returns
    -------
    ndarray of shape (m, size) or KernelTarget
    """
    C = SKETCHES[name](A, size, rng)
    if isinstance(A, Columns):
        return A.matmat(C)
    products = np.ascontiguousarray(A.gram_matmat(C).T)
    return KernelTarget(products, float((products @ C).trace()))
