"""The graph of near samples, and what methods that follow it share.

The samples are the rows of the data. Each is joined to its nearest neighbours; everything is
kept sparse, so memory is proportional to samples × neighbours.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances, pairwise_distances_argmin_min
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from ...foundation.parameters import REALS, Count
from ...foundation.threads import in_parallel, one_blas_thread
from ...foundation.typing import Array, Floats, Indices
from ...linalg.eigen import largest_eigenpairs
from ...linalg.ties import rounded_each
from ...operands.blocks import block_slices
from ...operands.containers import dense
from ...operands.entrance import container_of
from ...operands.interface import Columns
from ...operands.loops import column_sq_norms
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable, SeesRows

__all__ = ["Graph", "GraphSelector", "Roughness", "joined", "neighbour_graph", "roughness"]

AFFINITIES = ("self-tuning", "heat", "binary")
SPARE = 2
"""How many more neighbours than wanted are looked at, to see ties."""
SMALL = 500
"""Up to how many samples the eigenvectors are computed from a dense matrix, however few."""
FACTORED = 20000
"""Up to how many samples the Laplacian may be factored: the factors of larger ones are too full."""
RESTARTS = 300
"""How many restarts of Lanczos before the Laplacian is factored instead."""
SHIFT = 1e-12
"""What is added to its eigenvalues, 0 to 2, so that it can be: those above are told apart."""
FLAT = 1e-24
"""Share of its square that a column must vary by, else it counts as constant."""


@dataclass(frozen=True)
class Graph:
    """A weighted graph of the samples.

    Attributes
    ----------
    W : CSR array of shape (m, m)
        Its weights: symmetric, not negative, zero on the diagonal.
    degrees : ndarray of shape (m,)
        Their sums by rows.
    part : ndarray of shape (m,)
        Which connected component each sample is in.
    """

    W: Any
    degrees: Floats
    part: Indices

    @classmethod
    def of(cls, W: Any) -> Graph:
        """Return the graph with these weights."""
        W.eliminate_zeros()
        part = connected_components(W, directed=False)[1]
        return cls(W, np.asarray(W.sum(axis=1)).ravel(), part)

    @property
    def n_components(self) -> int:
        """How many parts without an edge between them there are."""
        return int(self.part.max()) + 1

    def incidence(self) -> Any:
        """Return B, a row ``√w (e_i − e_j)`` for each edge, so that ``BᵀB`` is the Laplacian."""
        edges = sp.triu(self.W, 1).tocoo()
        root = np.sqrt(edges.data)
        count = np.arange(len(root))
        at = np.concatenate([count, count]), np.concatenate([edges.row, edges.col])
        values = np.concatenate([root, -root])
        return sp.csr_array((values, at), shape=(len(root), len(self.degrees)))

    def leading(self, k: int) -> tuple[Floats, Array]:
        """Return the k largest eigenvalues of ``D^-½ W D^-½``, falling, and their vectors.

        They are 1 − λ for the smallest eigenvalues λ of the normalized Laplacian.
        """
        m = len(self.degrees)
        root = np.sqrt(self.degrees)
        half = np.divide(1.0, root, out=np.zeros(m), where=root > 0)
        N: Any = sp.csr_array(self.W.multiply(half[:, None]).multiply(half))
        if m <= SMALL or 2 * k >= m:  # Lanczos cannot find them all, and half of them only slowly
            return largest_eigenpairs(dense(N), k)
        start = np.random.RandomState(0).uniform(-1.0, 1.0, m)  # the same every time
        with one_blas_thread():  # Lanczos steps are small products
            try:
                restarts = RESTARTS if m <= FACTORED else None
                values, vectors = eigsh(N, k, which="LA", v0=start, maxiter=restarts)
                smallest = 1.0 - values
            except ArpackNoConvergence:
                smallest, vectors = _smoothest(N, k, start)
        order = np.argsort(smallest, kind="stable")
        return 1.0 - smallest[order], vectors[:, order]


def _smoothest(N: Any, k: int, start: Floats) -> tuple[Floats, Array]:
    """Return the smallest eigenpairs of ``I − N`` where they are closer than Lanczos can see.

    Edges of very different weights, as ``affinity="heat"`` gives, make groups that hang together
    by threads, and for each a smallest eigenvalue of 1e-5 to 1e-15. Their inverses are far apart.
    """
    m = len(start)
    trouble = (
        f"the {k} smallest eigenvalues of the graph of {m} samples are too close to be told "
        "apart: its edges have very different weights; choose a larger width, or "
        "affinity='self-tuning'"
    )
    if m > FACTORED:
        raise ValueError(trouble)
    laplacian = sp.csc_array(sp.eye_array(m) - N)
    try:
        return eigsh(laplacian, k, sigma=-SHIFT, which="LM", v0=start, maxiter=RESTARTS)
    except ArpackNoConvergence as error:
        raise ValueError(trouble) from error


def neighbour_graph(problem: Problem, n_neighbors: Any, affinity: Any, width: Any) -> Graph:
    """Return the graph in which each row of the data is joined to its nearest rows.

    Two samples are joined if either is among the other's nearest; of equally near ones the
    first count.

    Parameters
    ----------
    problem : Problem
        Holds the data, whose rows are the samples.
    n_neighbors : int
        How many neighbours.
    affinity : {"self-tuning", "heat", "binary"} or sparse matrix of shape (m, m)
        How an edge of length D is weighted: ``exp(−D² / (2 σ_i σ_j))`` where σ_i is the sum of
        the distances from sample i to its neighbours; ``exp(−D² / (2 width²))``; 1. Or the
        weights themselves.
    width : float or None
        For ``affinity="heat"``.
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
    if n_neighbors >= m:
        cure = f"choose n_neighbors from 1 to {m - 1}" if m > 1 else "more samples are needed"
        raise ValueError(f"n_neighbors={n_neighbors} but n_samples={m}; {cure}")
    length = _checked_width(affinity, width) * problem.unit
    near, D = nearest(A.points(), int(n_neighbors))
    rows = np.repeat(np.arange(m), near.shape[1])
    weights = _weights(D, near, affinity, length).ravel()
    # what is below rounding beside a weight of 1 would be an edge in name only
    weights[weights < np.finfo(float).eps] = 0.0
    if not weights.any():
        raise ValueError(
            f"width={width} is too small: all {n_neighbors} neighbours of all samples are many "
            f"times as far away; their median distance is {np.median(D) / problem.unit:.3g}"
        )
    W: Any = sp.csr_array((weights, (rows, near.ravel())), shape=(m, m))
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


def _first(samples: Indices, i: Indices, j: Indices, X: Any, k: int) -> tuple[Indices, Floats]:
    """Return for each sample the k nearest of its pairs (i, j) with their exact distances."""
    D = np.empty(len(i))

    def measure(pairs: slice) -> None:
        D[pairs] = row_norms(X[i[pairs]] - X[j[pairs]])

    in_parallel(measure, block_slices(len(i), 2 * X.shape[1]))
    order = np.lexsort((j, rounded_each(D), i))
    starts = np.searchsorted(i[order], samples)
    chosen = order[starts[:, None] + np.arange(k)]
    return j[chosen], D[chosen]


def joined(graph: Graph, problem: Problem) -> Graph:
    """Return the graph made connected by a few edges, each as weak as the weakest there is.

    As long as there are several components, each but the largest is joined to the nearest
    sample outside.
    """
    X = problem.columns.points()
    weakest = float(graph.W.data.min())
    while graph.n_components > 1:
        sizes = np.bincount(graph.part)
        ends = []
        for part in np.delete(np.arange(len(sizes)), int(np.argmax(sizes))):
            inside, outside = np.flatnonzero(graph.part == part), np.flatnonzero(graph.part != part)
            to, length = pairwise_distances_argmin_min(X[inside], X[outside])
            least = int(np.argmin(rounded_each(length)))
            ends.append((inside[least], outside[to[least]]))
        i, j = np.array(ends).T
        m = len(graph.degrees)
        bridges: Any = sp.csr_array((np.full(len(i), weakest), (i, j)), shape=(m, m))
        graph = Graph.of(graph.W.maximum(bridges.maximum(bridges.T)).tocsr())
    return graph


@dataclass(frozen=True)
class Roughness:
    """How much every column f varies along the edges and as a whole; D holds the degrees.

    Attributes
    ----------
    edges : ndarray
        ``fᵀLf``: the weighted squares of its differences along the edges.
    about_mean : ndarray
        ``f̃ᵀDf̃``, where f̃ is f without its weighted mean.
    size : ndarray
        ``fᵀDf``.
    parts : ndarray of shape (k, n)
        ``(V_jᵀ D^½ f̃)²`` for each of the given vectors.
    """

    edges: Floats
    about_mean: Floats
    size: Floats
    parts: Array

    @property
    def constant(self) -> Array:
        """Which columns do not vary but by rounding."""
        return self.about_mean <= FLAT * self.size


def roughness(A: Columns, graph: Graph, vectors: Array | None = None) -> Roughness:
    """Return how much every column varies on the graph, a few columns at a time."""
    m, n = A.shape
    B, d = graph.incidence(), graph.degrees
    total = d.sum()
    V = np.empty((m, 0)) if vectors is None else vectors * np.sqrt(d)[:, None]
    out = Roughness(np.empty(n), np.empty(n), np.empty(n), np.empty((V.shape[1], n)))
    for block in block_slices(n, B.shape[0]):
        F = A.columns(block)
        peaks = np.abs(F).max(axis=0)
        F = F / np.where(peaks > 0, peaks, 1.0)  # the scores do not depend on the scale
        out.size[block] = d @ np.square(F)
        F -= d @ F / total
        out.about_mean[block] = d @ np.square(F)
        out.edges[block] = column_sq_norms(B @ F)
        out.parts[:, block] = np.square(V.T @ F)
    return out


@dataclass(eq=False, repr=False)
class GraphSelector(Adjustable, SeesRows):
    """A method that ranks columns by a graph in which near samples are joined.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    affinity : {"self-tuning", "heat", "binary"} or sparse matrix, default="self-tuning"
        How an edge of length D is weighted: ``exp(−D² / (2 σ_i σ_j))`` where σ_i is the sum of
        the distances from sample i to its neighbours [2]_; ``exp(−D² / (2 width²))``; 1. A
        symmetric sparse matrix of shape (m, m) is taken as the graph itself.
    width : float or None, default=None
        For ``affinity="heat"``.
    """

    _: KW_ONLY
    n_neighbors: Annotated[int, Count(1)] = 5
    affinity: Any = "self-tuning"
    width: float | None = None

    def _graph(self, problem: Problem) -> Graph:
        return neighbour_graph(problem, self.n_neighbors, self.affinity, self.width)

    def _ranked(self, problem: Problem, cost: Array, graph: Graph) -> Selection:
        """Return the selection of the columns of least cost; of equal ones the first."""
        order = np.argsort(rounded_each(cost), kind="stable")
        return problem.ranked(order).with_info(n_components=graph.n_components)
