"""Multi-cluster feature selection (MCFS): features that explain a spectral embedding."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from ...foundation.alerts import warn_caller
from ...foundation.parameters import Choice, Count, check_count
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from .lars import sparse_regression
from .neighbours import GraphSelector, joined

__all__ = ["MCFSSelector"]


@method(
    "mcfs",
    title="explain the spectral embedding of the samples by sparse regression (MCFS)",
    document="Cai, Zhang & He 2010; Farahat 2012, §6.4 (MCFS)",
    cost="m²·n at most for neighbours, k sparse eigenvectors, then m·n·l·k or m·n² + n·l²·k",
    guarantee="none",
    kernels=False,
)
class MCFSSelector(GraphSelector):
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
    data: O(m n l K), for sparse data one pass over the entries per step. In addition to the data
    and that, memory for (m + n)·l numbers. O(m n l) for the error path.

    **Guarantee.** None. On a graph in several parts the eigenvectors would only tell parts apart,
    and not in a unique way, so the parts are joined.

    **When to use it.** When the samples form clusters which the chosen columns shall show.

    Parameters
    ----------
    n_clusters : int, default=5
        How many eigenvectors are explained: about as many as there are clusters.
    on_disconnected : {"join", "error"}, default="join"
        What to do with a graph in several parts: join each part to the sample nearest to it by
        an edge as weak as the weakest of the graph, with a warning; or raise an error.

    Notes
    -----
    ``selection_.info["n_components"]`` is the number of parts of the graph.

    References
    ----------
    .. [1] Cai, Zhang & He, "Unsupervised feature selection for multi-cluster data", KDD 2010,
       Algorithm 1.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.4.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import MCFSSelector
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> X[:20, 2] += 8.0  # two groups of samples
    >>> MCFSSelector(1, n_clusters=1, n_neighbors=20).fit(X).indices_
    array([2])
    """

    _: KW_ONLY
    n_clusters: Annotated[int, Count(1)] = 5
    on_disconnected: Annotated[str, Choice("join", "error")] = "join"

    def _no_path(self) -> str:
        return "has other coefficients for each size"

    def _select(self, problem: Problem) -> Selection:
        m, n = problem.A.shape
        graph = self._graph(problem)
        check_count("n_clusters", self.n_clusters, 1, m - 1, f" with n_samples={m}")
        whole = graph
        if graph.n_components > 1:
            found = isinstance(self.affinity, str)
            cure = f"raise n_neighbors={self.n_neighbors}" if found else "add edges to affinity"
            trouble = (
                f"the graph of the samples has {graph.n_components} components, so its spectral "
                "embedding is not determined"
            )
            if self.on_disconnected == "error":
                raise ValueError(f"{trouble}; {cure}, or pass on_disconnected='join'")
            warn_caller(
                f"{trouble}: they are joined by weak edges; {cure} to join them by nearness"
            )
            whole = joined(graph, problem, self.metric)
        vectors = whole.leading(self.n_clusters + 1)[1][:, 1:]
        Y = vectors / np.sqrt(whole.degrees)[:, None]
        coefficients = sparse_regression(problem.columns, Y, problem.n_select or n)
        score = np.abs(coefficients).max(axis=1)
        return self._ranked(problem, -score, graph)
