"""Multi-cluster feature selection (MCFS): features that explain a spectral embedding."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from ...foundation.alerts import warn_caller
from ...foundation.parameters import Choice, Count, check_count
from ...foundation.typing import Floats
from ...linalg.ties import rounded_each
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from .lars import sparse_regression
from .neighbours import GraphSelector, joined

__all__ = ["MCFSSelector"]

FEWEST_MOST = (5, 20)
"""How many eigenvectors are explained if nothing is said."""
ROUNDING = 1e-12
"""Eigenvalues below this are zero for all that is known."""


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
    of K eigenvectors on the n × n inner products (up to 512 MiB) or, where K·l passes cost less
    than these, on the data: O(m n l K), for sparse data the entries per step. In addition to the
    data and that, memory for (m + n)·l numbers. O(m n l) for the error path.

    **Guarantee.** None. On a graph in several parts the eigenvectors would only tell parts apart,
    and not in a unique way, so the parts are joined.

    **When to use it.** When the samples form clusters which the chosen columns shall show. For
    documents pass ``metric="cosine"``: an NMI of 68 and 51 % in place of 68 and 38 % in the trial
    of :class:`colonnade.LaplacianScoreSelector`.

    Parameters
    ----------
    n_clusters : int or None, default=None
        K, how many eigenvectors are explained: about as many as there are clusters. By default
        the K from 5 to 20 after which the eigenvalues λ rise most, by their ratio
        ``λ_{K+1} / λ_K``. Over seven sets of images, sounds and genes that gives an NMI of
        k-means of 56.9 % and an accuracy of 1-NN of 78.0 %, where K = 5 gives 55.3 and 75.8
        (``python -m benchmarks graph``).
    on_disconnected : {"join", "error"}, default="join"
        What to do with a graph in several parts: join each part to the sample nearest to it by
        an edge as weak as the weakest of the graph, with a warning; or raise an error.

    Notes
    -----
    ``selection_.info["n_components"]`` is the number of parts of the graph,
    ``info["n_clusters"]`` is K.

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
    n_clusters: Annotated[int | None, Count(1)] = None
    on_disconnected: Annotated[str, Choice("join", "error")] = "join"

    def _no_path(self) -> str:
        return "has other coefficients for each size"

    def _select(self, problem: Problem) -> Selection:
        m, n = problem.A.shape
        graph = self._graph(problem)
        if self.n_clusters is not None:
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
        # one eigenvalue more than may be taken shows whether it is apart
        most = FEWEST_MOST[1] + 1 if self.n_clusters is None else int(self.n_clusters)
        values, vectors = whole.leading(min(m, most + 1))
        count = _until_the_rise(1.0 - values) if self.n_clusters is None else most
        Y = vectors[:, 1 : count + 1] / np.sqrt(whole.degrees)[:, None]
        coefficients = sparse_regression(problem.columns, Y, problem.n_select or n)
        score = np.abs(coefficients).max(axis=1)
        return self._ranked(problem, -score, graph).with_info(n_clusters=count)


def _until_the_rise(values: Floats) -> int:
    """Return after how many eigenvalues, the first not counted, they rise most by their ratio.

    Parameters
    ----------
    values : ndarray
        The smallest eigenvalues of the normalized Laplacian, rising; the first is 0.
    """
    fewest, most = FEWEST_MOST
    counts = np.arange(fewest, min(most, len(values) - 2) + 1)
    if not len(counts):
        return min(fewest, len(values) - 1)
    sizes = np.maximum(values, ROUNDING)
    rises = rounded_each(sizes[counts + 1] / sizes[counts])
    return int(counts[np.argmax(rises)])
