"""Other packages' ways to choose columns, each imported where it is used."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .reference import Array


def fastcan_pca(X: Array, n_select: int) -> list[int]:
    """fastcan for the leading principal components as target, as many as columns."""
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    target = PCA(n_select, random_state=0).fit_transform(X)
    return FastCan(n_select, verbose=0).fit(X, target).indices_.tolist()


def skmatter_cur(X: Array, n_select: int) -> list[int]:
    """skmatter's CUR with its default: recompute the leading singular vector for every choice."""
    from skmatter.feature_selection import CUR

    return CUR(n_to_select=n_select).fit(X).selected_idx_.tolist()


def skmatter_fps(X: Array, n_select: int) -> list[int]:
    """skmatter's farthest point sampling."""
    from skmatter.feature_selection import FPS

    return FPS(n_to_select=n_select).fit(X).selected_idx_.tolist()


def scipy_qr(X: Array, n_select: int) -> list[int]:
    """LAPACK's QR with column pivoting; it cannot stop early."""
    from scipy.linalg import qr

    return qr(X, mode="r", pivoting=True)[1][:n_select].tolist()


def scipy_interpolative(X: Array, n_select: int) -> list[int]:
    """SciPy's interpolative decomposition of a random sketch, its default."""
    from scipy.linalg.interpolative import interp_decomp

    return interp_decomp(X, n_select, rng=np.random.default_rng(0))[0][:n_select].tolist()


def pysensors_qr(X: Array, n_select: int) -> list[int]:
    """PySensors: pivots of as many singular vectors as sensors."""
    from pysensors import SSPOR
    from pysensors.basis import SVD

    model = SSPOR(SVD(n_basis_modes=n_select, random_state=0), n_sensors=n_select)
    return model.fit(X, quiet=True).get_selected_sensors().tolist()


CHOOSERS: dict[str, tuple[str, Callable[[Array, int], list[int]]]] = {
    "scipy pivoted QR": ("scipy", scipy_qr),
    "scipy interpolative": ("scipy", scipy_interpolative),
    "fastcan, PCA target": ("fastcan", fastcan_pca),
    "skmatter CUR": ("skmatter", skmatter_cur),
    "skmatter FPS": ("skmatter", skmatter_fps),
    "PySensors": ("pysensors", pysensors_qr),
}
"""Package and function of each."""
