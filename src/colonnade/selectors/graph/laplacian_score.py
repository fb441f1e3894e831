"""The Laplacian score: features that vary little between near samples."""

from __future__ import annotations

import numpy as np

from ...registry import method
from ...selection import Selection
from ..problem import Problem
from .laplacians import roughness
from .neighbours import GraphSelector

__all__ = ["LaplacianScoreSelector"]


@method(
    "laplacian-score",
    title="smooth on the graph of near samples (Laplacian score)",
    document="He, Cai & Niyogi 2005; Farahat 2012, §6.4 (LS)",
    cost="m²·n at most for neighbours, then m·n·k for k of them, m·n·l",
    guarantee="none; the score lies between the extreme nonzero eigenvalues of the graph",
    kernels=False,
)
class LaplacianScoreSelector(GraphSelector):
    """Choose the columns that differ least between near samples, for how much they vary.

    **Objective.** Columns f of least ``f̃ᵀLf̃ / f̃ᵀDf̃``, where D and L are the degrees and the
    Laplacian of a graph of near samples, and f̃ is f without its weighted mean: what keeps near
    samples together and others apart.

    **Algorithm.** Join each sample to its nearest neighbours and sum weighted squares of
    differences along the edges, for all columns at once. Columns that are constant come last.
    The columns are ranked one by one: of two equal ones both are chosen.

    **Cost.** The search for neighbours, O(m² n) at most, O(m n k) for k neighbours, and O(m n l)
    for the error path. Memory O(m k) in addition to the data and a few blocks.

    **Guarantee.** None on the reconstruction. Scores lie between the second smallest and the
    largest eigenvalue of the normalized Laplacian, so in [0, 2]. A graph in several parts is
    fine: a column that is constant on each part has a score of 0.

    **When to use it.** As a fast baseline where clusters of samples matter more than the
    reconstruction of the data. For documents pass ``metric="cosine"``: 200 words of 1500 texts
    chosen by it give clusters that agree with the topics by an NMI of 81 % (TDT2) and 60 %
    (reviews), by distances 78 and 55 % (``python -m benchmarks graph``).

    Notes
    -----
    ``selection_.info["n_components"]`` is the number of parts of the graph.

    References
    ----------
    .. [1] He, Cai & Niyogi, "Laplacian score for feature selection", NIPS 2005, eq. (1).
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.4.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import LaplacianScoreSelector
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> LaplacianScoreSelector(1).fit(X).indices_
    array([2])
    """

    def _select(self, problem: Problem) -> Selection:
        graph = self._graph(problem)
        found = roughness(problem.columns, graph)
        score = np.full(problem.n_candidates, np.inf)
        np.divide(found.edges, found.about_mean, out=score, where=~found.constant)
        return self._ranked(problem, score, graph)
