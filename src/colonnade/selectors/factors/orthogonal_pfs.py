"""Orthogonal principal feature selection: follow the first component of what is left."""

from __future__ import annotations

from ...registry import method
from ...selection import Selection
from ..problem import Problem
from .components import FactorSelector
from .leading import LeadingComponent

__all__ = ["OrthogonalPFSSelector"]


@method(
    "orthogonal-pfs",
    title="most correlated with the first principal component of what is left",
    document="Cui & Dy (2008); Farahat 2012, §6.2",
    cost="some dozen m·n·l",
    guarantee="none; the columns are independent",
    kernels=False,
)
class OrthogonalPFSSelector(FactorSelector):
    """Choose the column that correlates most with the first component; project it out; repeat.

    **Objective.** Columns that stand for the first principal components, each of what the
    columns before it leave.

    **Algorithm.** Centre the data. Take the first principal component u of the residual E;
    choose the column of largest ``(uᵀE_i)²/‖E_i‖²``, its squared correlation with u; take its
    direction out of all others.

    **Cost.** Some dozen passes over the data for each choice, to find the component by the
    Lanczos process: that many times more than greedy selection. Nothing square is formed.

    **Guarantee.** None; columns that depend on chosen ones are never chosen.

    **When to use it.** As a baseline; :class:`colonnade.GreedySelector` minimizes the error itself
    at a fraction of the cost.

    References
    ----------
    .. [1] Cui & Dy, "Orthogonal principal feature selection", ICML workshop on sparse
       optimization and variable selection, 2008.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import OrthogonalPFSSelector
    >>> OrthogonalPFSSelector(2).fit(load_iris().data).indices_
    array([2, 0])
    """

    def _select(self, problem: Problem) -> Selection:
        return problem.pivot(LeadingComponent(problem.columns))
