"""The graph of near samples, and what methods that follow it share.

The samples are the rows of the data. Each is joined to its nearest neighbours; everything is
kept sparse, so memory is proportional to samples × neighbours.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from ...foundation.parameters import REALS, Choice, Count
from ...foundation.threads import in_parallel
from ...foundation.typing import Array, Floats, Indices
from ...linalg.ties import rounded_each
from ...operands.blocks import block_slices
from ...operands.entrance import container_of
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable, SeesRows
from .laplacians import Graph

__all__ = ["GraphSelector", "joined", "nearest", "neighbour_graph"]

AFFINITIES = ("self-tuning", "heat", "binary", "cosine")
ORTHOGONAL = 1e-12
"""Cosines up to this are zero but for rounding."""
SPARE = 2
"""How many more neighbours than wanted are looked at, to see ties."""


def neighbour_graph(
    problem: Problem, n_neighbors: Any, affinity: Any, width: Any, metric: str = "euclidean"
) -> Graph:
    """Return the graph in which each row of the data is joined to its nearest rows.

    Two samples are joined if either is among the other's nearest; of equally near ones the
    first count.

    Parameters
    ----------
    problem : Problem
        Holds the data, whose rows are the samples.
    n_neighbors : int
        How many neighbours.
    affinity : {"self-tuning", "heat", "binary", "cosine"} or sparse matrix of shape (m, m)
        How an edge of length D is weighted: ``exp(−D² / (2 σ_i σ_j))`` where σ_i is the sum of
        the distances from sample i to its neighbours; ``exp(−D² / (2 width²))``; 1; the cosine
        ``1 − D²/2``. Or the weights themselves.
    width : float or None
        For ``affinity="heat"``.
    metric : {"euclidean", "cosine"}
        Distances of the rows, or of the rows divided by their lengths; those of zeros are not
        joined to others.
    """
    A = problem.columns
    m = A.shape[0]
    if not isinstance(affinity, str):
        return Graph.of(_checked(affinity, m))
    if affinity not in AFFINITIES:
        raise ValueError(
            f"affinity={affinity!r} is unknown; choose one of {', '.join(AFFINITIES)}, or pass a "
            "sparse matrix of weights"
        )
    angles = metric == "cosine"
    if affinity == "cosine" and not angles:
        raise ValueError(f"affinity='cosine' with metric={metric!r}; pass metric='cosine' as well")
    X = A.points(unit_length=angles)
    some = np.flatnonzero(row_norms(X)) if angles else np.arange(m)
    if n_neighbors >= len(some):
        cure = f"choose n_neighbors from 1 to {len(some) - 1}"
        cure = cure if len(some) > 1 else "more samples are needed"
        other = " that are not all zeros" * (len(some) < m)
        raise ValueError(f"n_neighbors={n_neighbors} but n_samples={len(some)}{other}; {cure}")
    unit = 1.0 if angles else problem.unit
    length = _checked_width(affinity, width) * unit
    near, D = nearest(X[some] if len(some) < m else X, int(n_neighbors))
    rows = np.repeat(some, near.shape[1])
    weights = _weights(D, near, affinity, length).ravel()
    # what is below rounding beside a weight of 1 would be an edge in name only
    weights[weights < np.finfo(float).eps] = 0.0
    if not weights.any() and affinity == "cosine":
        raise ValueError(
            "affinity='cosine' but no two samples have a cosine above 0; choose another affinity"
        )
    if not weights.any():
        raise ValueError(
            f"width={width} is too small: all {n_neighbors} neighbours of all samples are many "
            f"times as far away; their median distance is {np.median(D) / unit:.3g}"
        )
    W: Any = sp.csr_array((weights, (rows, some[near.ravel()])), shape=(m, m))
    return Graph.of(W.maximum(W.T).tocsr())


def _checked_width(affinity: str, width: Any) -> float:
    if affinity != "heat":
        return 1.0
    if isinstance(width, bool) or not isinstance(width, REALS):
        raise TypeError(f'affinity="heat" needs a width, a number above 0; got {width!r}')
    if not 0 < width < np.inf:
        raise ValueError(f"width={width}; choose a number above 0")
    return float(width)


def _checked(affinity: Any, m: int) -> Any:
    """Return weights given by the user as a CSR array of our own."""
    if container_of(affinity) != "sparse":
        raise TypeError(
            f"affinity must be one of {', '.join(AFFINITIES)} or a sparse matrix, got "
            f"{type(affinity).__name__}"
        )
    W: Any = sp.csr_array(affinity, dtype=np.float64, copy=True)
    if W.shape != (m, m):
        raise ValueError(f"affinity has shape {W.shape}, but the data has n_samples={m}")
    if not np.isfinite(W.data).all() or (W.data < 0).any():
        raise ValueError("affinity holds weights that are negative or not finite")
    if abs(W - W.T).max() > 1e-10 * W.max():
        raise ValueError("affinity is not symmetric; pass for example W.maximum(W.T)")
    W.setdiag(0.0)  # the Laplacian does not see loops
    if not W.nnz or W.max() <= 0:
        raise ValueError("affinity has no edges between different samples")
    return W


def _weights(D: Floats, near: Indices, affinity: str, width: float) -> Floats:
    if affinity == "binary":
        return np.ones(D.shape)
    if affinity == "heat":
        return np.exp(-np.square(D / width) / 2)
    if affinity == "cosine":
        cosines = 1.0 - np.square(D) / 2
        return np.where(cosines > ORTHOGONAL, cosines, 0.0)
    sums = D.sum(axis=1)
    scale = 2 * sums[:, None] * sums[near]
    # equal samples have a weight of 1; a sample whose neighbours all equal it, with no others
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(D == 0, 1.0, np.exp(-D * D / scale))


def nearest(X: Any, k: int) -> tuple[Indices, Floats]:
    """Return the k nearest other rows of every row, nearest first, and how far they are.

    The search is scikit-learn's. It computes distances by way of inner products, whose rounding
    decides between rows that are equally near; so the candidates are measured again, and where
    some that it left out may be as near, all that may be are.
    """
    m = X.shape[0]
    wide = min(m - 1, k + SPARE)
    with config_context(working_memory=64):  # MiB; scikit-learn's own is 1 GiB, and some
        far, found = NearestNeighbors(n_neighbors=wide).fit(X).kneighbors()
    every = np.arange(m)
    near, D = _first(every, np.repeat(every, wide), found.ravel(), X, k)
    if wide < m - 1:
        # rounding is of the size of ‖x‖² + ‖y‖², and a y within D of x has ‖y‖ ≤ ‖x‖ + D: what
        # rows far away are like does not matter
        size = row_norms(X)
        slack = 1e-12 * (np.square(size) + np.square(size + D[:, -1]))
        bound = D[:, -1] ** 2 * (1 + 1e-9) + slack
        unsure = np.flatnonzero(far[:, -1] ** 2 - slack <= bound)
        for part in block_slices(len(unsure), m):
            some = unsure[part]
            square = euclidean_distances(X[some], X, squared=True)
            square[np.arange(len(some)), some] = np.inf
            i, j = np.nonzero(square <= bound[some, None])
            near[some], D[some] = _first(some, some[i], j, X, k)
    return near, D


def _lengths(X: Any, i: Indices, j: Indices) -> Floats:
    """Return the distance of each pair of rows from their difference."""
    D = np.empty(len(i))

    def measure(pairs: slice) -> None:
        D[pairs] = row_norms(X[i[pairs]] - X[j[pairs]])

    in_parallel(measure, block_slices(len(i), 2 * X.shape[1]))
    return D


def _first(samples: Indices, i: Indices, j: Indices, X: Any, k: int) -> tuple[Indices, Floats]:
    """Return for each sample the k nearest of its pairs (i, j) with their exact distances."""
    D = _lengths(X, i, j)
    order = np.lexsort((j, rounded_each(D), i))
    starts = np.searchsorted(i[order], samples)
    chosen = order[starts[:, None] + np.arange(k)]
    return j[chosen], D[chosen]


def _nearest_pair(X: Any, inside: Indices, outside: Indices) -> tuple[int, int]:
    """Return the nearest two rows of which one is inside; of equally near ones the first.

    Inner products only tell which pairs may be the nearest; these are measured again.
    """
    others, size = X[outside], np.square(row_norms(X))
    best, ends = np.inf, (-1, -1)
    for part in block_slices(len(inside), len(outside)):
        some = inside[part]
        square = euclidean_distances(X[some], others, squared=True)
        slack = 1e-12 * (size[some, None] + size[outside])
        bound = float((square + slack).min()) * (1 + 1e-9)
        i, j = np.nonzero(square - slack <= bound)
        D = rounded_each(_lengths(X, some[i], outside[j]))
        least = int(np.argmin(D))  # by rows, so the first of equals is that of the first row
        if D[least] < best:
            best, ends = D[least], (int(some[i[least]]), int(outside[j[least]]))
    return ends


def joined(graph: Graph, problem: Problem, metric: str = "euclidean") -> Graph:
    """Return the graph made connected by a few edges, each as weak as the weakest there is.

    As long as there are several components, each but the largest is joined to the nearest
    sample outside. Of equally near ones the first count: a row of zeros is as far from every row
    of length one.
    """
    X = problem.columns.points(unit_length=metric == "cosine")
    weakest = float(graph.W.data.min())
    while graph.n_components > 1:
        sizes = np.bincount(graph.part)
        ends = []
        for part in np.delete(np.arange(len(sizes)), int(np.argmax(sizes))):
            inside, outside = np.flatnonzero(graph.part == part), np.flatnonzero(graph.part != part)
            ends.append(_nearest_pair(X, inside, outside))
        i, j = np.array(ends).T
        m = len(graph.degrees)
        bridges: Any = sp.csr_array((np.full(len(i), weakest), (i, j)), shape=(m, m))
        graph = Graph.of(graph.W.maximum(bridges.maximum(bridges.T)).tocsr())
    return graph


@dataclass(eq=False, repr=False)
class GraphSelector(Adjustable, SeesRows):
    """A method that ranks columns by a graph in which near samples are joined.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    affinity : {"self-tuning", "heat", "binary", "cosine"} or sparse matrix, \
            default="self-tuning"
        How an edge of length D is weighted: ``exp(−D² / (2 σ_i σ_j))`` where σ_i is the sum of
        the distances from sample i to its neighbours [2]_; ``exp(−D² / (2 width²))``; 1; with
        ``metric="cosine"`` the cosine itself, where it is above 0. A symmetric sparse matrix of
        shape (m, m) is taken as the graph itself.
    width : float or None, default=None
        For ``affinity="heat"``.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Which samples are near: those of little distance, or those of a small angle, as for
        documents of different lengths. D is then the distance of the samples divided by their
        lengths, ``√(2 − 2cos)``. Angles are those before centring; samples without entries have
        no neighbours.
    """

    _: KW_ONLY
    n_neighbors: Annotated[int, Count(1)] = 5
    affinity: Any = "self-tuning"
    width: float | None = None
    metric: Annotated[str, Choice("euclidean", "cosine")] = "euclidean"

    def _graph(self, problem: Problem) -> Graph:
        return neighbour_graph(problem, self.n_neighbors, self.affinity, self.width, self.metric)

    def _ranked(self, problem: Problem, cost: Array, graph: Graph) -> Selection:
        """Return the selection of the columns of least cost; of equal ones the first."""
        order = np.argsort(rounded_each(cost), kind="stable")
        return problem.ranked(order).with_info(n_components=graph.n_components)
