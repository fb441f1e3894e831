"""What sets clusters apart: the columns in which they differ, and the rows in their middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.parameters import Count
from ..foundation.tabular import as_html, framed
from ..foundation.typing import Array, Floats, Indices
from ..operands.adjusted import adjusted, over
from ..operands.entrance import as_columns, container_of
from ..operands.interface import Columns
from ..operands.naming import column_names
from ..operands.statistics import moments
from .steps import centroids

__all__ = ["ClusterProfiles", "describe_clusters"]

BY = ("distance", "mean")


@dataclass(frozen=True, eq=False, repr=False)
class ClusterProfiles:
    """What sets each cluster apart, see :func:`colonnade.describe_clusters`.

    Attributes
    ----------
    labels : ndarray
        The clusters, in order.
    sizes : ndarray of int
        How many rows they have.
    columns : ndarray of int of shape (n_clusters, n_columns)
        The columns that tell most about each cluster, the first most.
    means : ndarray of shape (n_clusters, n_columns)
        The mean of these in the cluster, in the units of the data.
    distances : ndarray of shape (n_clusters, n_columns)
        How far that is from the mean of all rows, in standard deviations of all rows.
    rows : list of ndarray of int
        The rows that are nearest to the mean of each cluster, the nearest first.
    by : {"distance", "mean"}
        What columns were ranked by.
    names, row_names : tuple of str or None
        What columns and rows are called.

    Examples
    --------
    >>> from colonnade import describe_clusters
    >>> X = [[0.0, 1.0], [0.2, 3.0], [5.0, 1.0], [5.4, 2.0]]
    >>> found = describe_clusters(X, [0, 0, 1, 1], n_columns=1)
    >>> found.table("dict")["column"], found.named_rows(1)
    (['x0', 'x0'], [2, 3])
    """

    labels: Array
    sizes: Indices
    columns: Indices
    means: Floats
    distances: Floats
    rows: list[Indices]
    by: str
    names: tuple[str, ...] | None = None
    row_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"ClusterProfiles({len(self.sizes)} clusters, by {self.by})"

    def name_of(self, j: int) -> str:
        """Return what a column is called."""
        return f"x{j}" if self.names is None else self.names[j]

    def named_rows(self, k: int) -> list[Any]:
        """Return the nearest rows of the k-th cluster by their names, or by their numbers."""
        numbers = self.rows[k].tolist()
        return numbers if self.row_names is None else [self.row_names[i] for i in numbers]

    def lines(self) -> dict[str, list[Any]]:
        """Return what :meth:`table` shows, as plain lists."""
        wide = self.columns.shape[1]
        labels = self.labels.tolist()
        return {
            "cluster": [label for label in labels for _ in range(wide)],
            "column": [self.name_of(j) for j in self.columns.ravel().tolist()],
            "mean": self.means.ravel().tolist(),
            "distance": self.distances.ravel().tolist(),
        }

    def table(self, frame: str | None = None) -> Any:
        """Return a line for each cluster and each of its columns.

        Parameters
        ----------
        frame : {"pandas", "polars", "dict"} or None, default=None
            What to return; None is a frame of pandas or, without pandas, a dict of lists.
        """
        return framed(self.lines(), frame)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain values that JSON can hold, a dictionary for each cluster."""
        return [
            {
                "cluster": label,
                "size": int(self.sizes[k]),
                "columns": [
                    {"name": self.name_of(j), "mean": float(mean), "distance": float(distance)}
                    for j, mean, distance in zip(
                        self.columns[k], self.means[k], self.distances[k], strict=True
                    )
                ],
                "nearest_rows": self.named_rows(k),
            }
            for k, label in enumerate(self.labels.tolist())
        ]

    def _repr_html_(self) -> str:
        """Return a small table, for notebooks."""
        return as_html(self.lines(), most=60)


def describe_clusters(
    X: Any,
    labels: Any,
    *,
    names: Sequence[str] | None = None,
    row_names: Sequence[str] | None = None,
    n_columns: int = 10,
    n_rows: int = 3,
    by: str | None = None,
    units: Floats | None = None,
) -> ClusterProfiles:
    """Say what sets clusters of rows apart.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        The data.
    labels : array-like of shape (n_samples,)
        The cluster, or the class, of each row.
    names, row_names : sequence of str, optional
        What columns and rows are called; columns of a frame by default as it says.
    n_columns : int, default=10
        How many columns to name for each cluster.
    n_rows : int, default=3
        How many of the rows to name that are nearest to the mean of the cluster.
    by : {"distance", "mean"} or None, default=None
        What columns are ranked by: how many standard deviations of all rows the mean of the
        cluster is from the mean of all rows, in either direction; or the mean in the cluster, as
        for words of documents. None is "mean" for sparse data, "distance" otherwise.
    units : ndarray of shape (n_features,), optional
        What the columns are divided by where distances of rows are measured.

    Returns
    -------
    ClusterProfiles

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from colonnade import describe_clusters
    >>> wine = load_wine(as_frame=True)
    >>> found = describe_clusters(wine.data, wine.target, n_columns=2)
    >>> found.table().round(2)
       cluster                        column     mean  distance
    0        0                       proline  1115.71      1.17
    1        0                    flavanoids     2.98      0.96
    2        1                       alcohol    12.28     -0.89
    3        1               color_intensity     3.09     -0.85
    4        2  od280/od315_of_diluted_wines     1.68     -1.31
    5        2                    flavanoids     0.78     -1.25
    """
    Count(1).check("n_columns", n_columns)
    Count(0).check("n_rows", n_rows)
    if by is not None and by not in BY:
        raise ValueError(f"by={by!r} is unknown; choose 'distance', 'mean' or None")
    named = column_names(X) if names is None else [str(name) for name in names]
    by = by or ("mean" if container_of(X) == "sparse" else "distance")
    A = as_columns(X, "a description of clusters")
    given = np.asarray(labels)
    if given.shape != (A.shape[0],):
        raise ValueError(
            f"labels has shape {given.shape}, but X has {A.shape[0]} rows; give one for each"
        )
    kinds, groups = np.unique(given, return_inverse=True)
    groups = groups.astype(np.intp)
    centers = centroids(A, groups, len(kinds))
    overall, squares = moments(A, np.ones(A.shape[0]))
    spreads = np.sqrt(squares / A.shape[0])
    # differences that are rounding of the mean are none
    distances = (centers - overall) * over(
        np.where(spreads > 1e-12 * np.abs(overall), spreads, 0.0)
    )
    ranked = np.abs(distances) if by == "distance" else centers
    columns = np.argsort(-_without_ties(ranked), axis=1, kind="stable")[:, :n_columns]
    return ClusterProfiles(
        labels=kinds,
        sizes=np.bincount(groups, minlength=len(kinds)),
        columns=columns,
        means=np.take_along_axis(centers, columns, axis=1),
        distances=np.take_along_axis(distances, columns, axis=1),
        rows=_nearest_rows(A, centers, groups, n_rows, units),
        by=by,
        names=None if named is None else tuple(named),
        row_names=None if row_names is None else tuple(str(name) for name in row_names),
    )


def _nearest_rows(
    A: Columns, centers: Floats, groups: Indices, n_rows: int, units: Floats | None
) -> list[Indices]:
    """Return the rows of each cluster that are nearest to its mean."""
    if units is not None:
        factors = over(np.asarray(units, dtype=np.float64))
        A, centers = adjusted(A, np.zeros(A.shape[1]), factors), centers * factors
    squares = A.row_sq_distances(centers, groups)
    out = []
    for k in range(len(centers)):
        members = np.flatnonzero(groups == k)
        near = np.argsort(_without_ties(squares[members]), kind="stable")[:n_rows]
        out.append(members[near])
    return out


def _without_ties(values: Floats) -> Floats:
    """Return values that are equal where they differ by rounding: of these the first is taken."""
    size = float(np.abs(values).max(initial=0.0))
    return np.round(values / size, 10) if size > 0 else values
