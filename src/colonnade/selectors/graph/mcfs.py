"""Multi-cluster feature selection (MCFS): features that explain a spectral embedding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...foundation.alerts import warn_caller
from ...foundation.parameters import check_count
from ...pivoting.loop import Progress
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes
from .lars import sparse_regression
from .neighbours import by_score, joined, neighbour_graph

__all__ = ["MCFSSelector", "mcfs"]


@method(
    "mcfs",
    kind="graph",
    title="explain the spectral embedding of the samples by sparse regression (MCFS)",
    estimator="MCFSSelector",
    document="Cai, Zhang & He 2010; thesis §6.4 (MCFS)",
    cost="m²·n at most for neighbours, k sparse eigenvectors, then m·n·l·k or m·n² + n·l²·k",
    guarantee="none",
    inputs=("dense", "sparse"),
)
def mcfs(
    A: Any,
    n_select: int | float | None = None,
    *,
    n_clusters: int = 5,
    n_neighbors: int = 5,
    affinity: Any = "self-tuning",
    width: float | None = None,
    on_disconnected: str = "join",
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose the columns that explain where the samples lie in a spectral embedding.

    **Objective.** Columns with large coefficients in sparse regressions on all columns of the
    eigenvectors y_1, …, y_K that belong to the smallest eigenvalues of ``L y = λ D y``, the
    constant one left out. These eigenvectors tell clusters of samples apart.

    **Algorithm.** Join each sample to its nearest neighbours; compute the eigenvectors by
    Lanczos iteration on the sparse graph; regress each with an intercept and an L1 penalty,
    which is lowered until ``n_select`` coefficients (if that is None, as many as there can be)
    are other than zero. The score of a column is its largest absolute coefficient. The
    coefficients have the units of the columns: bring these to one scale first if their units
    differ.

    **Cost.** The search for neighbours, O(m² n) at most; the eigenvectors; then l steps for each
    of K eigenvectors on the n × n inner products (up to 512 MiB) or, for more columns, on the
    data: O(m n l K), for sparse data one pass over the entries per step. Beside the data and
    that, memory for (m + n)·l numbers. O(m n l) for the error path.

    **Guarantee.** None. On a graph in several parts the eigenvectors would only tell parts apart,
    and not in a unique way, so the parts are joined.

    **When to use it.** When the samples form clusters which the chosen columns shall show.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The rows are the samples, the columns the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    n_clusters : int, default=5
        How many eigenvectors are explained: about as many as there are clusters.
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    affinity : {"self-tuning", "heat", "binary"} or sparse matrix, default="self-tuning"
        How an edge of length D is weighted: ``exp(−D² / (2 σ_i σ_j))`` where σ_i is the sum of
        the distances from sample i to its neighbours [2]_; ``exp(−D² / (2 width²))``; 1. A
        symmetric sparse matrix of shape (m, m) is taken as the graph itself.
    width : float or None
        For ``affinity="heat"``.
    on_disconnected : {"join", "error"}, default="join"
        What to do with a graph in several parts: join each part to the sample nearest to it by
        an edge as weak as the weakest of the graph, with a warning; or raise an error.
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
    .. [1] Cai, Zhang & He, "Unsupervised feature selection for multi-cluster data", KDD 2010,
       Algorithm 1.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.4.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import mcfs
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> mcfs(X, 1, n_clusters=1, n_neighbors=20).indices
    array([2])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    if on_disconnected not in ("join", "error"):
        raise ValueError(f"on_disconnected={on_disconnected!r}; choose 'join' or 'error'")
    m, n = wishes.A.shape
    graph = neighbour_graph(wishes, n_neighbors, affinity, width)
    check_count("n_clusters", n_clusters, 1, m - 1, f" with n_samples={m}")
    whole = graph
    if graph.n_components > 1:
        found = isinstance(affinity, str)
        cure = f"raise n_neighbors={n_neighbors}" if found else "add edges to affinity"
        problem = (
            f"the graph of the samples has {graph.n_components} components, so its spectral "
            "embedding is not determined"
        )
        if on_disconnected == "error":
            raise ValueError(f"{problem}; {cure}, or pass on_disconnected='join'")
        warn_caller(f"{problem}: they are joined by weak edges; {cure} to join them by nearness")
        whole = joined(graph, wishes)
    vectors = whole.leading(n_clusters + 1)[1][:, 1:]
    Y = vectors / np.sqrt(whole.degrees)[:, None]
    coefficients = sparse_regression(wishes.A, Y, wishes.n_select or n)
    score = np.abs(coefficients).max(axis=1)
    return by_score(wishes, -score, graph, refine=refine, progress=progress)


class MCFSSelector(Selector):
    """Choose columns by multi-cluster feature selection (MCFS).

    See :func:`colonnade.mcfs` for objective, algorithm, cost and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    n_clusters : int, default=5
        How many eigenvectors are explained: about as many as there are clusters.
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    affinity : {"self-tuning", "heat", "binary"} or sparse matrix, default="self-tuning"
        How the edges of the graph are weighted, or the graph itself.
    width : float or None, default=None
        For ``affinity="heat"``.
    on_disconnected : {"join", "error"}, default="join"
        What to do with a graph in several parts: join each part to the sample nearest to it by
        an edge as weak as the weakest of the graph, with a warning; or raise an error.
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
    >>> from colonnade import MCFSSelector
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> MCFSSelector(1, n_clusters=1, n_neighbors=20).fit(X).indices_
    array([2])
    """

    method = "mcfs"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        affinity: Any = "self-tuning",
        width: float | None = None,
        on_disconnected: str = "join",
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.width = width
        self.on_disconnected = on_disconnected
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
