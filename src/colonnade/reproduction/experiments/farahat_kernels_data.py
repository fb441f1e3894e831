"""Kernels of the data sets of Farahat (2012), chapter 4, and their best approximations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ...comparison.ledger import Outcome
from ...foundation.lapack import eigvalsh
from ...foundation.typing import Array
from ...operands.kernel import Kernel
from ..preparation import loaded, tf_idf, training_rows, unit_rows

__all__ = ["LINEAR", "TITLES", "Given", "best_errors", "kernel_of", "points_of", "sizes_of"]

TITLES = {
    "reuters21578": "Reuters-21578",
    "reviews": "Reviews",
    "la1": "LA1",
    "mnist_2k2k": "MNIST-4K",
    "pie_20": "PIE-20",
    "yaleb_32x32": "YaleB-38",
}
"""What the thesis calls them."""

LINEAR = ("reuters21578", "reviews", "la1")
"""The documents, whose kernels are linear."""

SIGMA = 10.0


@dataclass(frozen=True)
class Given:
    """A kernel to be approximated.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n, n_features)
        The points.
    kernel : str
        "linear" or "rbf".
    params : dict
        What the kernel takes.
    K : ndarray of shape (n, n)
        Its values.
    squared : float
        ``‖K‖_F²``.
    rows : (int, int)
        How many points the file has, and how many the experiment takes of them unless it is
        reduced.
    """

    X: Any
    kernel: str
    params: Mapping[str, Any]
    K: Array = field(repr=False)
    squared: float
    rows: tuple[int, int] = (0, 0)


def sizes_of(n: int, percents: Sequence[int]) -> list[int]:
    """Return so many per cent of n, rounded up: the sizes that give the printed figures.

    Examples
    --------
    >>> from colonnade.reproduction.experiments.farahat_kernels_data import sizes_of
    >>> sizes_of(2414, [1, 5, 9])
    [25, 121, 218]
    """
    return [-(-percent * n // 100) for percent in percents]


def points_of(data: str) -> Any:
    """Return the points of a data set as the kernel takes them, one in a row.

    Counts of words of the training set of Reuters as they are; the others by tf-idf, with rows of
    length one; images with values from 0 to 1.
    """
    X, _ = loaded(data)
    if data == "reuters21578":
        return X[training_rows(data)].astype(np.float64)
    if data in ("reviews", "la1"):
        return unit_rows(tf_idf(X))
    return X / 255.0


@lru_cache(maxsize=1)
def kernel_of(data: str, points: int | None = None) -> Given:
    """Return the kernel of a data set: linear for documents, Gaussian with σ = 10 for images.

    Parameters
    ----------
    data : str
        Its name.
    points : int, optional
        How many points to draw; all by default.
    """
    X = points_of(data)
    rows = (loaded(data)[0].shape[0], X.shape[0])
    if points is not None and points < X.shape[0]:
        X = X[np.sort(np.random.RandomState(0).permutation(X.shape[0])[:points])]
    linear = data in LINEAR
    params: dict[str, Any] = {} if linear else {"gamma": 0.5 / SIGMA**2}
    kernel = "linear" if linear else "rbf"
    K = Kernel(X, kernel, **params).gram()
    return Given(X, kernel, params, K, float(np.einsum("ij,ij->", K, K)), rows)


def best_errors(given: Given, percents: Sequence[int]) -> Outcome:
    """Return ``‖K − K_r‖_F`` of the best approximations of some ranks, from all eigenvalues.

    With it goes what reports say about the data: how many points and features there are.
    """
    values = np.sort(np.abs(eigvalsh(given.K)))
    left = np.sqrt(np.cumsum(np.square(values)))[::-1]  # of rank 0, 1, ...
    n = len(values)
    rank = sizes_of(n, [1])[0]
    sizes = dict(zip(percents, sizes_of(n, percents), strict=True))
    return {
        "points": n,
        "rows": list(given.rows),
        "features": given.X.shape[1],
        "norm": float(left[0]),
        "rank": rank,
        "best_rank": float(left[rank]),
        "best": {str(p): float(left[size]) for p, size in sizes.items()},
    }
