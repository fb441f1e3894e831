"""The Laplacian score: features that vary little between near samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...pivoting.loop import Progress
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes
from .neighbours import by_score, neighbour_graph, roughness

__all__ = ["LaplacianScoreSelector", "laplacian_score"]


@method(
    "laplacian-score",
    kind="graph",
    title="smooth on the graph of near samples (Laplacian score)",
    estimator="LaplacianScoreSelector",
    document="He, Cai & Niyogi 2005; thesis §6.4 (LS)",
    cost="m²·n at most for neighbours, then m·n·k for k of them, m·n·l",
    guarantee="none; the score lies between the extreme nonzero eigenvalues of the graph",
    inputs=("dense", "sparse"),
)
def laplacian_score(
    A: Any,
    n_select: int | float | None = None,
    *,
    n_neighbors: int = 5,
    affinity: Any = "self-tuning",
    width: float | None = None,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose the columns that differ least between near samples, for how much they vary.

    **Objective.** Columns f of least ``f̃ᵀLf̃ / f̃ᵀDf̃``, where D and L are the degrees and the
    Laplacian of a graph of near samples, and f̃ is f without its weighted mean: what keeps near
    samples together and others apart.

    **Algorithm.** Join each sample to its nearest neighbours and sum weighted squares of
    differences along the edges, for all columns at once. Columns that are constant come last.
    The columns are ranked one by one: of two equal ones both are chosen.

    **Cost.** The search for neighbours, O(m² n) at most, O(m n k) for k neighbours, and O(m n l)
    for the error path. Memory O(m k) beside the data and a few blocks.

    **Guarantee.** None on the reconstruction. Scores lie between the second smallest and the
    largest eigenvalue of the normalized Laplacian, so in [0, 2]. A graph in several parts is
    fine: a column that is constant on each part has a score of 0.

    **When to use it.** As a fast baseline where clusters of samples matter more than the
    reconstruction of the data.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The rows are the samples, the columns the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
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
    .. [1] He, Cai & Niyogi, "Laplacian score for feature selection", NIPS 2005, eq. (1).
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.4.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import laplacian_score
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> laplacian_score(X, 1).indices
    array([2])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    graph = neighbour_graph(wishes, n_neighbors, affinity, width)
    found = roughness(wishes.A, graph)
    score = np.full(wishes.n_candidates, np.inf)
    np.divide(found.edges, found.about_mean, out=score, where=~found.constant)
    return by_score(wishes, score, graph, refine=refine, progress=progress)


class LaplacianScoreSelector(Selector):
    """Choose columns by their Laplacian score.

    See :func:`colonnade.laplacian_score` for objective, algorithm, cost and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
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
    >>> from colonnade import LaplacianScoreSelector
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> LaplacianScoreSelector(1).fit(X).indices_
    array([2])
    """

    method = "laplacian-score"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
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
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.width = width
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
