"""Jolliffe's four ways to discard variables with the help of principal components."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...operands.centered import centered
from ...pivoting.loop import Progress
from ...pivoting.rules import Given
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run
from .components import central_order, in_play, principal_components
from .loadings import (
    check_droppable,
    closeness,
    drop_last,
    drop_repeatedly,
    leverage_order,
    match_first,
)

__all__ = ["VARIANTS", "JolliffeSelector", "jolliffe"]

VARIANTS = ("B1", "B2", "B3", "B4")

_ABOUT: dict[str, Any] = {
    "kind": "factors",
    "estimator": "JolliffeSelector",
    "inputs": ("dense", "sparse"),
}


@method(
    "jolliffe-b1",
    preset={"variant": "B1"},
    title="drop the column that loads most on the last component, repeatedly (B1)",
    document="Jolliffe (1972), B1; thesis §6.3",
    cost="m·n·min(m,n) + n²·r + some dozen r³",
    guarantee="none; redundant columns go first",
    **_ABOUT,
)
@method(
    "jolliffe-b2",
    preset={"variant": "B2"},
    title="all but one for each of the last principal components (B2)",
    document="Jolliffe (1972), B2; thesis §6.3",
    cost="m·n·min(m,n) + n²·r",
    guarantee="none; redundant columns go first",
    **_ABOUT,
)
@method(
    "jolliffe-b3",
    preset={"variant": "B3"},
    title="largest sums of squared loadings on the first principal components (B3)",
    document="Jolliffe (1972), B3; thesis §6.3",
    cost="m·n·l",
    guarantee="none; equal to leverage scores, without a draw",
    **_ABOUT,
)
@method(
    "jolliffe-b4",
    title="one for each of the first principal components (B4)",
    document="Jolliffe (1972), B4; thesis §6.3",
    cost="m·n·l",
    guarantee="none: a fast heuristic",
    **_ABOUT,
)
def jolliffe(
    A: Any,
    n_select: int | float | None = None,
    *,
    variant: str = "B4",
    standardize: bool = True,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
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
    ``max_error`` alone, the shorter side is limited to 8000 too (``n_select`` beside
    ``max_error`` limits the number of components). Dense data is copied once in float64; sparse
    data stays sparse, but for B1 and B2, and when ``n_select`` is half of the shorter side or
    more, a square matrix of that side is held.

    **Guarantee.** None. B1 and B2 leave columns that do not depend on each other.

    **When to use it.** As the baseline that textbooks describe, above all B2 and B4.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    variant : {"B1", "B2", "B3", "B4"}, default="B4"
        Which of the four.
    standardize : bool, default=True
        Whether to give all columns unit variance first: components of the correlation matrix,
        as in [1]_, or else of the covariance matrix.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or None
        Columns to choose first; the ranking does not depend on them.
    exclude : iterable of int or None
        Columns never to choose; they take no part in the analysis.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        ``info["variant"]`` is the variant.

    References
    ----------
    .. [1] Jolliffe, "Discarding variables in a principal component analysis I: artificial
       data", Applied Statistics 21 (1972), methods B1 to B4.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.3.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import jolliffe
    >>> A = np.array([[1.0, 2.0, 0.0], [2.0, 4.1, 1.0], [3.0, 6.0, 1.0], [4.0, 8.0, 0.0]])
    >>> jolliffe(A, 2, variant="B2").indices.tolist()
    [0, 2]
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    if variant not in VARIANTS:
        raise ValueError(f"variant={variant!r}; choose one of {', '.join(VARIANTS)}")
    data, numbers = in_play(wishes)
    Z = centered(data, standardize)
    n = len(numbers)
    size = rank = wishes.n_select or n
    if variant in ("B1", "B2"):
        check_droppable(variant, Z.shape[0], n, int((Z.sq_norms() > 0).sum()))
        rank = n  # what the last components are follows from all others
    elif variant == "B3" and size == n:
        rank = max(1, n // 2)  # on all components all columns have the same sum
    values, V = principal_components(Z, rank)
    central = central_order(closeness(values, V), data.sq_norms())
    V, numbers = V[central], numbers[central]
    if variant == "B1":
        order = drop_repeatedly(values, V)
    elif variant == "B2":
        order = drop_last(V)
    else:
        order = leverage_order(V) if variant == "B3" else match_first(V, size)
    rule = Given(numbers[order].tolist())
    selection = run(wishes, rule, refine=refine, progress=progress)
    return selection.replace(info={**selection.info, "variant": variant})


class JolliffeSelector(Selector):
    """Choose columns by their loadings on principal components.

    See :func:`colonnade.jolliffe` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    variant : {"B1", "B2", "B3", "B4"}, default="B4"
        Which of the four.
    standardize : bool, default=True
        Whether to give all columns unit variance first.
    max_error : float or None, default=None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or name; the ranking does not depend on them.
    exclude : iterable of int or str, default=None
        Columns never to choose; they take no part in the analysis.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import JolliffeSelector
    >>> JolliffeSelector(2, variant="B2").fit(load_iris().data).indices_
    array([3, 1])
    """

    method = "jolliffe-b4"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        variant: str = "B4",
        standardize: bool = True,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.variant = variant
        self.standardize = standardize
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
