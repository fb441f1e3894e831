"""Similarities of points as kernels whose columns are computed when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import KERNEL_PARAMS, euclidean_distances

from ..foundation.typing import Array, Floats, Indices
from ..operands.blocks import block_slices
from ..operands.entrance import wrapped
from ..operands.interface import Operand
from ..operands.kernel import Kernel
from ..operands.kernel_names import check_gamma, check_kernel_name, check_kernel_params
from ..operands.statistics import moments

__all__ = ["SelfTuning", "affinity", "affinity_params"]

OWN_AFFINITIES = ("precomputed", "self-tuning")
"""Similarities that are no kernels of scikit-learn; they have no parameters."""

NEGATIVE = "additive_chi2"
"""What scikit-learn counts among the kernels, though it is minus a distance."""

SAMPLE = 1000
"""How many points stand for all when a mean distance is estimated."""


def affinity_params(name: Any, gamma: Any, kernel_params: Any) -> dict[str, Any]:
    """Return the parameters of a similarity; raise if it or they are not allowed.

    Parameters
    ----------
    name : Any
        The similarity, as :func:`affinity` takes it.
    gamma : Any
        Its inverse squared width, or whatever it calls gamma; None for the default.
    kernel_params : Any
        Its other parameters, in a dict or None.
    """
    if isinstance(name, str) and name == NEGATIVE:
        raise ValueError(
            f"affinity={name!r} is nowhere positive, so no points are similar; choose another, "
            "such as 'chi2'"
        )
    check_kernel_name("affinity", name, also=OWN_AFFINITIES, without=(NEGATIVE,))
    params = check_kernel_params(kernel_params)
    if gamma is not None:
        check_gamma(gamma)
    if callable(name):
        if gamma is not None:
            raise ValueError(
                f"affinity={name!r} is a function, whose parameters are its own: pass "
                f"kernel_params in place of gamma={gamma}"
            )
        return params
    known = sorted(KERNEL_PARAMS.get(name, ()))
    if gamma is not None:
        if "gamma" not in known:
            raise ValueError(f"affinity={name!r} has no parameter gamma: leave gamma={gamma} out")
        params["gamma"] = gamma
    for other in params:
        if other not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise ValueError(
                f"affinity={name!r} has no parameter {other!r}, which kernel_params holds; {takes}"
            )
    if params.get("gamma") is not None:
        check_gamma(params["gamma"])
    return {key: value for key, value in params.items() if value is not None}


def affinity(X: Any, name: Any, params: Mapping[str, Any], rng: np.random.RandomState) -> Kernel:
    """Return a similarity of the rows of X.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The points, or the similarities themselves for ``"precomputed"``.
    name : str or callable
        ``"rbf"``, ``"self-tuning"``, ``"precomputed"``, a kernel of scikit-learn or a function of
        two rows.
    params : dict
        Its parameters. The gamma of ``"rbf"`` is by default one over twice the mean squared
        distance.
    rng : RandomState
        Draws the points by which the widths of ``"self-tuning"`` are estimated.
    """
    if name == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                'affinity="precomputed" needs a square matrix of similarities, got shape '
                f'{X.shape}; for points, name another affinity, such as "rbf"'
            )
        return Kernel(X)
    if name == "self-tuning":
        return SelfTuning(X, rng)
    if name == "rbf" and "gamma" not in params:
        # the mean squared distance of all pairs is twice the variance
        mean = 2.0 * float(moments(wrapped(X), np.ones(X.shape[0]))[1].sum()) / X.shape[0]
        params = {"gamma": 0.5 / mean if mean > 0 else 1.0}
    return Kernel(X, name, **params)


class SelfTuning(Kernel):
    """``exp(−D_ij² / (2 s_i s_j))`` with ``s_i`` the mean distance of point i from all.

    Farahat (2012, §5.4.2) prints sums of distances in place of means; with these the kernel would
    be 1 up to terms of 1/n² and tell nothing apart. Means are estimated from 1000 points. Where
    widths differ much the kernel is not positive semidefinite; what such directions would add is
    left out, as rounding is.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §5.4.2.
    """

    definite = False
    of_points = False  # a new point would have no width

    def __init__(self, X: Any, rng: np.random.RandomState):
        super().__init__(X, "rbf")
        widths = _sampled_distances(self.data, rng)
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


def _sampled_distances(X: Any, rng: np.random.RandomState) -> Floats:
    """Return each point's mean distance from a sample of the points."""
    n = X.shape[0]
    sample = np.sort(rng.choice(n, min(n, SAMPLE), replace=False))
    means = np.empty(n)
    for block in block_slices(n, len(sample)):
        means[block] = euclidean_distances(X[block], X[sample]).mean(axis=1)
    return means
