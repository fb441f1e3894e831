"""Spectral feature selection (SPEC): features near the smooth eigenvectors of a graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...foundation.parameters import check_count
from ...foundation.typing import Array, Floats
from ...pivoting.loop import Progress
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes
from .neighbours import Graph, by_score, neighbour_graph, roughness

__all__ = ["SPECSelector", "spec"]

STYLES = ("phi1", "phi2", "phi3")


@method(
    "spec",
    kind="graph",
    title="near the smooth eigenvectors of the graph of near samples (SPEC)",
    estimator="SPECSelector",
    document="Zhao & Liu 2007; thesis §6.4 (SPEC, all eigenvectors)",
    cost="m²·n at most for neighbours, then m·n·k for k of them or of eigenvectors, m·n·l",
    guarantee="none; the scores lie in [0, 2]",
    inputs=("dense", "sparse"),
)
def spec(
    A: Any,
    n_select: int | float | None = None,
    *,
    style: str = "phi1",
    n_vectors: int = 5,
    n_neighbors: int = 5,
    affinity: Any = "self-tuning",
    width: float | None = None,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose the columns that are most like the smooth eigenvectors of a graph of near samples.

    **Objective.** With λ_j, ξ_j the eigenpairs of the normalized Laplacian, from the smallest λ
    on, and cosines ``α_j = ξ_jᵀD^½f / ‖D^½f‖`` of a column f, the best columns have

    - ``phi1``: least ``Σ_j λ_j α_j²``,
    - ``phi2``: least ``Σ_{j>1} λ_j α_j² / Σ_{j>1} α_j²``, which is the Laplacian score,
    - ``phi3``: largest ``Σ_{1<j≤k} (2 − λ_j) α_j²`` for the first k eigenvectors.

    **Algorithm.** The sums over all eigenvectors are quadratic forms, ``fᵀLf / fᵀDf`` and the
    like, so only ``phi3`` computes eigenvectors (by Lanczos iteration on the sparse graph).
    Columns that are constant come last, though ``phi1`` as it is written would put them first.

    **Cost.** The search for neighbours, O(m² n) at most, O(m n k) for k neighbours or
    eigenvectors, and O(m n l) for the error path.

    **Guarantee.** None on the reconstruction; scores lie in [0, 2]. A graph in several parts is
    fine for ``phi1`` and ``phi2``; ``phi3`` needs at least as many vectors as there are parts.

    **When to use it.** As a baseline. ``phi1`` is drawn to columns with a large mean: centre the
    columns, or take ``phi2`` or ``phi3``, if that is not meant.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The rows are the samples, the columns the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    style : {"phi1", "phi2", "phi3"}, default="phi1"
        Which score: by all eigenvectors; by all but the trivial one; by the first few.
    n_vectors : int, default=5
        For ``style="phi3"``: how many eigenvectors, the trivial one included.
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    affinity : {"self-tuning", "heat", "binary"} or sparse matrix, default="self-tuning"
        How an edge of length D is weighted: ``exp(−D² / (2 σ_i σ_j))`` where σ_i is the sum of
        the distances from sample i to its neighbours [2]_; ``exp(−D² / (2 width²))``; 1. A
        symmetric sparse matrix of shape (m, m) is taken as the graph itself.
    width : float or None
        For ``affinity="heat"``.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or None
        Columns to choose first.
    exclude : iterable of int or None
        Columns never to choose.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        ``info["n_components"]`` tells how many parts the graph has.

    References
    ----------
    .. [1] Zhao & Liu, "Spectral feature selection for supervised and unsupervised learning",
       ICML 2007: φ1, φ2 and φ3 for the spectral function γ(L) = L.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.4.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import spec
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> spec(X, 1, style="phi2").indices
    array([2])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    if style not in STYLES:
        raise ValueError(f"style={style!r} is unknown; choose one of {', '.join(STYLES)}")
    if style == "phi3":
        high = max(2, wishes.A.shape[0] - 1)
        check_count("n_vectors", n_vectors, 2, high, f" with n_samples={wishes.A.shape[0]}")
    graph = neighbour_graph(wishes, n_neighbors, affinity, width)
    if style == "phi3":
        values, vectors = _leading(graph, n_vectors, affinity)
        found = roughness(wishes.A, graph, vectors)
        above, below = -(1 + values) @ found.parts, found.size
    else:
        found = roughness(wishes.A, graph)
        above, below = found.edges, found.size if style == "phi1" else found.about_mean
    cost = np.full(wishes.n_candidates, np.inf)
    np.divide(above, below, out=cost, where=~found.constant)
    return by_score(wishes, cost, graph, refine=refine, progress=progress)


def _leading(graph: Graph, n_vectors: int, affinity: Any) -> tuple[Floats, Array]:
    parts = graph.n_components
    if parts > n_vectors:
        # all of them have the eigenvalue 0, so which come first would be arbitrary
        cure = "raise n_neighbors" if isinstance(affinity, str) else "add edges to affinity"
        raise ValueError(
            f"the graph of the samples has {parts} components, but n_vectors={n_vectors}; choose "
            f"n_vectors at least {parts}, or {cure}"
        )
    return graph.leading(n_vectors)


class SPECSelector(Selector):
    """Choose columns by spectral feature selection (SPEC).

    See :func:`colonnade.spec` for objective, algorithm, cost and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    style : {"phi1", "phi2", "phi3"}, default="phi1"
        Which score: by all eigenvectors; by all but the trivial one; by the first few.
    n_vectors : int, default=5
        For ``style="phi3"``: how many eigenvectors, the trivial one included.
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    affinity : {"self-tuning", "heat", "binary"} or sparse matrix, default="self-tuning"
        How the edges of the graph are weighted, or the graph itself.
    width : float or None, default=None
        For ``affinity="heat"``.
    max_error : float or None, default=None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or name.
    exclude : iterable of int or str, default=None
        Columns never to choose.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import SPECSelector
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> SPECSelector(1, style="phi2").fit(X).indices_
    array([2])
    """

    method = "spec"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        style: str = "phi1",
        n_vectors: int = 5,
        n_neighbors: int = 5,
        affinity: Any = "self-tuning",
        width: float | None = None,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.style = style
        self.n_vectors = n_vectors
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.width = width
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
