"""Similarities of points as kernels whose columns are computed when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from .._typing import Array, Floats, Indices
from ..blocks import cut
from ..kernel_operand import Kernel
from ..operand import Operand
from ..validation import check_number

__all__ = ["SelfTuning", "affinity"]

SAMPLE = 1000
"""How many points stand for all when a mean distance is estimated."""


def affinity(X: Any, name: Any, gamma: float | None, rng: np.random.RandomState) -> Kernel:
    """Return a named similarity of the rows of X.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The points, or the similarities themselves for ``"precomputed"``.
    name : str
        ``"rbf"``, ``"self-tuning"``, ``"precomputed"`` or a kernel of scikit-learn.
    gamma : float or None
        Of ``"rbf"``, by default one over twice the mean squared distance; of other kernels that
        have one, their default.
    rng : RandomState
        Draws the points by which mean distances are estimated.
    """
    if not isinstance(name, str):
        raise TypeError(f'affinity={name!r} must be a name, such as "rbf" or "precomputed"')
    if gamma is not None:
        check_number("gamma", gamma, np.finfo(float).tiny)
        if name in ("precomputed", "self-tuning"):
            raise ValueError(f"affinity={name!r} has no width: leave gamma={gamma} out")
    if name == "precomputed":
        return Kernel(X)
    if name == "self-tuning":
        return SelfTuning(X, rng)
    if name == "rbf" and gamma is None:
        mean = _sampled_distances(X, rng)[1]
        gamma = 0.5 / mean if mean > 0 else 1.0
    params: dict[str, Any] = {} if gamma is None else {"gamma": gamma}
    return Kernel(X, name, **params)


class SelfTuning(Kernel):
    """``exp(−D_ij² / (2 s_i s_j))`` with ``s_i`` the mean distance of point i from all.

    The thesis prints sums of distances in place of means; with these the kernel would be 1 up
    to terms of 1/n² and tell nothing apart. Means are estimated from 1000 points. Where widths
    differ much the kernel is not positive semidefinite; what such directions would add is left
    out, as rounding is.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §5.4.2.
    """

    def __init__(self, X: Any, rng: np.random.RandomState):
        super().__init__(X, "rbf")
        widths = _sampled_distances(self.data, rng)[0]
        self.widths: Floats = np.where(widths > 0, widths, 1.0)

    def _evaluate(self, i: slice, j: Indices | slice) -> Array:
        if not hasattr(self, "widths"):  # while the data are being checked
            return super()._evaluate(i, j)
        squares = euclidean_distances(self.data[i], self.data[j], squared=True)
        return np.exp(squares / (-2.0 * np.outer(self.widths[i], self.widths[j])))

    def subset(self, j: Indices) -> Operand:
        few = SelfTuning.__new__(SelfTuning)
        few.__dict__.update(self.__dict__)
        few.data, few.widths, few.shape = self.data[j], self.widths[j], (len(j), len(j))
        return few


def _sampled_distances(X: Any, rng: np.random.RandomState) -> tuple[Floats, float]:
    """Return each point's mean distance from a sample of the points, and the mean square of all."""
    n = X.shape[0]
    sample = np.sort(rng.choice(n, min(n, SAMPLE), replace=False))
    means, squares = np.empty(n), 0.0
    for block in cut(n, len(sample)):
        distances = euclidean_distances(X[block], X[sample])
        means[block] = distances.mean(axis=1)
        squares += float(np.square(distances).sum())
    return means, squares / (n * len(sample))
