"""Jolliffe's four ways to discard variables with the help of principal components."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

from ...foundation.parameters import Choice
from ...operands.preparing import Scale
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from .components import FactorSelector, central_order, principal_components
from .loadings import (
    check_droppable,
    closeness,
    drop_last,
    drop_repeatedly,
    leverage_order,
    match_first,
)

__all__ = ["JolliffeSelector"]


@method(
    "jolliffe-b1",
    preset={"variant": "B1"},
    title="drop the column that loads most on the last component, repeatedly (B1)",
    document="Jolliffe (1972), B1; Farahat 2012, §6.3",
    cost="m·n·min(m,n) + n²·r + some dozen r³",
    guarantee="none; redundant columns go first",
    kernels=False,
)
@method(
    "jolliffe-b2",
    preset={"variant": "B2"},
    title="all but one for each of the last principal components (B2)",
    document="Jolliffe (1972), B2; Farahat 2012, §6.3",
    cost="m·n·min(m,n) + n²·r",
    guarantee="none; redundant columns go first",
    kernels=False,
)
@method(
    "jolliffe-b3",
    preset={"variant": "B3"},
    title="largest sums of squared loadings on the first principal components (B3)",
    document="Jolliffe (1972), B3; Farahat 2012, §6.3",
    cost="m·n·l",
    guarantee="none; equal to leverage scores, without a draw",
    kernels=False,
)
@method(
    "jolliffe-b4",
    title="one for each of the first principal components (B4)",
    document="Jolliffe (1972), B4; Farahat 2012, §6.3",
    cost="m·n·l",
    guarantee="none: a fast heuristic",
    kernels=False,
)
class JolliffeSelector(FactorSelector):
    """Choose columns by their loadings on the first, or not on the last, principal components.

    **Objective.** Variables that stand for the components that vary much, or without those
    that the components that vary little are about. No error is minimized.

    **Algorithm.** The loadings of a component are the entries of its unit eigenvector.

    - B1: drop the column of largest absolute loading on the last component; analyse the
      others anew; go on until ``n_select`` are left.
    - B2: one analysis; for each component from the last one up, drop the column of largest
      absolute loading that is still there.
    - B3: one analysis; keep the columns of largest sums of squared loadings on the first
      ``n_select`` components, which are those of smallest sums on the others. If ``n_select``
      is None or all columns, on as many components as half of the columns: on all of them
      the sums are equal.
    - B4: one analysis; for each component from the first one down, keep the column of largest
      absolute loading that was not kept before. After the last component with variance it is
      the turn of the first again.

    Of B1 and B2 the columns are returned in reverse order of their being dropped, down to the
    first. Components without variance have no directions of their own; B1 and B2 match the
    column with the largest share in their span, which takes one dimension off it. So constant
    and dependent columns go first. Of columns that load alike (two columns alone always do) the
    one with the larger sum of squared correlations with all columns is kept, or else the longer
    one; of equal columns the first. B1 treats components of the same last variance as one span,
    too; for the other variants the answer is not determined where components have the same
    variance.

    **Cost.** With r the rank: O(m n l) for B3 and B4 (for data with a short side of up to
    2000, an SVD); for B1 and B2 an SVD and O(n² r). B1 taken literally needs O(r⁴); here the
    triangular factor of what is left is kept up to date, and its smallest singular vector
    found with a few dozen products of O(r²): O(r³) in all. What would take more than minutes,
    or 4 GiB, is refused at once: B1 if more than 2000 columns vary and there are more than 2001
    rows, B2 likewise with 8000, and both if n² r may be above about 5e11. B3 and B4 with an
    ``n_select`` below half of the shorter side have no such limits; with more, or with
    ``max_error`` alone, the shorter side is limited to 8000 too (``n_select`` in addition to
    ``max_error`` limits the number of components). Dense data is copied once in float64; sparse
    data stays sparse, but for B1 and B2, and when ``n_select`` is half of the shorter side or
    more, a square matrix of that side is held.

    **Guarantee.** None. B1 and B2 leave columns that do not depend on each other.

    **When to use it.** As the baseline that textbooks describe, above all B2 and B4.

    Parameters
    ----------
    variant : {"B1", "B2", "B3", "B4"}, default="B4"
        Which of the four.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default="std"
        What to divide each column by first: with "std" the components are those of the
        correlation matrix, as in [1]_, with None those of the covariance matrix.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.

    References
    ----------
    .. [1] Jolliffe, "Discarding variables in a principal component analysis I: artificial
       data", Applied Statistics 21 (1972), methods B1 to B4.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import JolliffeSelector
    >>> JolliffeSelector(2, variant="B2").fit(load_iris().data).indices_
    array([3, 1])
    """

    _: KW_ONLY
    variant: Annotated[str, Choice("B1", "B2", "B3", "B4")] = "B4"
    scale: Annotated[Any, Scale()] = "std"

    def _no_path(self) -> str:
        return "sums over as many components as are chosen" if self.variant == "B3" else ""

    def _select(self, problem: Problem) -> Selection:
        Z, numbers = problem.candidates()
        n = len(numbers)
        size = rank = problem.n_select or n
        if self.variant in ("B1", "B2"):
            check_droppable(self.variant, Z.shape[0], n, int((Z.sq_norms() > 0).sum()))
            rank = n  # what the last components are follows from all others
        elif self.variant == "B3" and size == n:
            rank = max(1, n // 2)  # on all components all columns have the same sum
        values, V = principal_components(Z, rank)
        central = central_order(closeness(values, V), problem.spreads()[numbers])
        V, numbers = V[central], numbers[central]
        if self.variant == "B1":
            order = drop_repeatedly(values, V)
        elif self.variant == "B2":
            order = drop_last(V)
        else:
            order = leverage_order(V) if self.variant == "B3" else match_first(V, size)
        return problem.ranked(numbers[order]).with_info(variant=self.variant)
