"""Other packages' ways to choose columns, each imported where it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Peer:
    """A competitor; it is timed with each of the given numbers of BLAS threads, the best counts.

    ``None`` leaves the number alone. Those that call BLAS for many small products are faster
    with one thread, and slow enough to be run only so.
    """

    choose: Callable[[Array, int], list[int]]
    package: str
    blas_threads: tuple[int | None, ...] = (1,)


PEERS = {
    "scipy pivoted QR": Peer(scipy_qr, "scipy", (None, 1)),
    "fastcan, PCA target": Peer(fastcan_pca, "fastcan"),
    "skmatter CUR": Peer(skmatter_cur, "skmatter"),
    "skmatter FPS": Peer(skmatter_fps, "skmatter", (None, 1)),
}


def installed() -> tuple[dict[str, Peer], list[str]]:
    """Return the peers that can be run, and why the others cannot."""
    ready: dict[str, Peer] = {}
    reasons = []
    for name, peer in PEERS.items():
        try:
            importlib.import_module(peer.package)
        except ImportError as error:
            reasons.append(f'{name} is left out: {error}; install ".[peers]"')
        else:
            ready[name] = peer
    return ready, reasons
