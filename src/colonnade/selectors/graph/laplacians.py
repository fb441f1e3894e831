"""A weighted graph of the samples: its Laplacian, and how columns vary along its edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from ...foundation.threads import one_blas_thread
from ...foundation.typing import Array, Floats, Indices
from ...linalg.eigen import largest_eigenpairs
from ...operands.blocks import block_slices
from ...operands.containers import dense
from ...operands.interface import Columns
from ...operands.loops import column_sq_norms

__all__ = ["Graph", "Roughness", "roughness"]

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
