"""PCA-LRG: a column of largest loading for each of the first principal components."""

from __future__ import annotations

from ...registry import method
from ...selection import Selection
from ..problem import Problem
from .components import FactorSelector
from .jolliffe import JolliffeSelector

__all__ = ["PCALoadingSelector"]


@method(
    "pca-lrg",
    title="one for each of the first principal components, of the data as it is scaled",
    document="Farahat 2012, §6.3 (PCA-LRG)",
    cost="m·n·l",
    guarantee="none: a fast heuristic",
    kernels=False,
)
class PCALoadingSelector(FactorSelector):
    """Choose for each of the first l principal components the column of largest loading.

    **Objective.** Variables that stand for the components that vary most; no error is
    minimized.

    **Algorithm.** For each component from the first one down, keep the column of largest
    absolute loading that was not kept before. This is variant B4 of
    :class:`colonnade.JolliffeSelector` on the covariance matrix, where that takes the correlation
    matrix; [1]_ compares with it under this name, on data as it is scaled.

    **Cost.** O(m n l) for the components (for data with a short side of up to 2000, an SVD).
    Dense data is copied once in float64. With an ``n_select`` of half of the shorter side or
    more, or with ``max_error`` alone, all components are needed, and the shorter side is limited
    to 8000; ``n_select`` in addition to ``max_error`` limits the number of components.

    **Guarantee.** None.

    **When to use it.** As a baseline, on columns that are measured in the same unit.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §6.3.
    .. [2] Masaeli, Yan, Cui, Fung & Dy, "Convex principal feature selection", SDM 2010, §4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import PCALoadingSelector
    >>> PCALoadingSelector(2).fit(load_iris().data).indices_
    array([2, 1])
    """

    def _select(self, problem: Problem) -> Selection:
        b4 = JolliffeSelector(self.n_select, variant="B4", scale=self.scale)
        return b4._select(problem)
