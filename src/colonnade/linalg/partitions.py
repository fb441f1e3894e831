"""Partitions of rows: labels as numbers, indicators, marks and k-means."""

from __future__ import annotations

import warnings
import zlib
from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..operands.containers import dense
from ..operands.entrance import wrapped
from ..operands.statistics import moments

__all__ = ["as_labels", "indicators", "partition_mark", "quiet_kmeans"]

TOLERANCE = 1e-4
"""At what share of the variance k-means ends: scikit-learn's own."""


def as_labels(labels: Any, n_rows: int) -> tuple[Array, Array]:
    """Return the class of every row as a number from 0, and the classes themselves.

    Parameters
    ----------
    labels : array-like of shape (n_rows,) or (n_rows, k)
        A label for each row, of any type; or a partition as a matrix with one column for each
        cluster and one nonzero entry in each row.
    n_rows : int
        How many rows the data has.

    Returns
    -------
    codes : ndarray of int
    classes : ndarray
    """
    given = dense(labels)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim not in (1, 2) or len(given) != n_rows:
        raise ValueError(
            f"labels have shape {given.shape}, but the data has {n_rows} rows; give one label "
            "for each row"
        )
    missing = given != given if given.dtype.kind in "fcO" else np.zeros(given.shape, bool)
    if given.dtype.kind == "O":
        missing = missing | np.frompyfunc(lambda label: label is None, 1, 1)(given).astype(bool)
    if np.any(missing):
        row = int(np.argwhere(missing)[0][0])
        raise ValueError(f"the label of row {row} is missing; leave such rows out")
    if given.dtype.kind == "f" and np.isinf(given).any():
        raise ValueError("the labels contain infinity; they must be finite")
    if given.ndim == 1:
        try:
            classes, codes = np.unique(given, return_inverse=True)
        except TypeError as error:  # what cannot be compared cannot be sorted
            kinds = list(dict.fromkeys(type(label).__name__ for label in given))
            what = " and ".join(kinds[:2]) if len(kinds) > 1 else f"{kinds[0]}, without an order"
            raise TypeError(
                f"the labels are of types that cannot be sorted: {what}; give all labels one "
                "type, for example with [str(label) for label in labels]"
            ) from error
        return codes.astype(np.intp), classes
    members = given != 0
    if (members.sum(axis=1) != 1).any():
        row = int(np.argmax(members.sum(axis=1) != 1))
        raise ValueError(
            f"row {row} of the partition has {members[row].sum()} nonzero entries; every row "
            "must belong to one cluster"
        )
    empty = np.flatnonzero(~members.any(axis=0))
    if len(empty):
        raise ValueError(f"cluster {empty[0]} of the partition is empty; leave its column out")
    return members.argmax(axis=1).astype(np.intp), np.arange(given.shape[1])


def indicators(labels: Indices) -> Floats:
    """Return the normalized indicators X of a partition (m × k), ``XᵀX = I``."""
    sizes = np.bincount(labels)
    X = np.zeros((len(labels), len(sizes)))
    X[np.arange(len(labels)), labels] = 1.0 / np.sqrt(sizes[labels])
    return X


def partition_mark(codes: Indices) -> int:
    """Return a number that tells partitions apart, whatever their clusters are called."""
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))
    return zlib.crc32(by_appearance[codes].astype("<u4").tobytes())


def quiet_kmeans(X: Any, n_clusters: int, weights: Any = None, **how: Any) -> Any:
    """Return scikit-learn's k-means, fitted; fewer distinct rows than clusters are no harm.

    Parameters
    ----------
    X : array-like or sparse matrix
        The rows.
    n_clusters : int
        How many clusters.
    weights : ndarray of shape (n_rows,), optional
        Weights of the rows, all above 0.
    **how
        Other parameters of ``sklearn.cluster.KMeans``.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    if weights is not None:
        # it ends when centres move by a share of the variance, which should be that of these rows
        A, n = wrapped(X), X.shape[0]
        plain = float(moments(A, np.ones(n))[1].sum()) / n
        weighted = float(moments(A, weights)[1].sum() / weights.sum())
        how = {"tol": TOLERANCE * weighted / plain if plain > 0 else TOLERANCE, **how}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(n_clusters, **how).fit(X, sample_weight=weights)
