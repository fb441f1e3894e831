"""PCA-LRG: a column of largest loading for each of the first principal components."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...pivoting.loop import Progress
from ...registry import method
from ...selection import Selection
from ..base import Selector
from .jolliffe import jolliffe

__all__ = ["PCALoadingSelector", "pca_lrg"]


@method(
    "pca-lrg",
    kind="factors",
    title="one for each of the first principal components, of the data as it is scaled",
    estimator="PCALoadingSelector",
    document="thesis §6.3 (PCA-LRG)",
    cost="m·n·l",
    guarantee="none: a fast heuristic",
    inputs=("dense", "sparse"),
)
def pca_lrg(
    A: Any,
    n_select: int | float | None = None,
    *,
    standardize: bool = False,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose for each of the first l principal components the column of largest loading.

    **Objective.** Variables that stand for the components that vary most; no error is
    minimized.

    **Algorithm.** For each component from the first one down, keep the column of largest
    absolute loading that was not kept before. This is variant B4 of :func:`colonnade.jolliffe`
    on the covariance matrix, where that takes the correlation matrix: the thesis compares with
    it under this name, on data as it is scaled.

    **Cost.** O(m n l) for the components (for data with a short side of up to 2000, an SVD).
    Dense data is copied once in float64. With an ``n_select`` of half of the shorter side or
    more, or with ``max_error`` alone, all components are needed, and the shorter side is limited
    to 8000; ``n_select`` beside ``max_error`` limits the number of components.

    **Guarantee.** None.

    **When to use it.** As a baseline, on columns that are measured in the same unit.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    standardize : bool, default=False
        Whether to give all columns unit variance first: components of the correlation matrix, or
        else of the covariance matrix.
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

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §6.3.
    .. [2] Masaeli, Yan, Cui, Fung & Dy, "Convex principal feature selection", SDM 2010, §4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import pca_lrg
    >>> pca_lrg(load_iris().data, 2).indices.tolist()
    [2, 1]
    """
    return jolliffe(
        A, n_select, variant="B4", standardize=standardize, max_error=max_error,
        must_include=must_include, exclude=exclude, refine=refine, progress=progress,
    )  # fmt: skip


class PCALoadingSelector(Selector):
    """Choose for each of the first principal components the column of largest loading.

    See :func:`colonnade.pca_lrg` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    standardize : bool, default=False
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
    >>> from colonnade import PCALoadingSelector
    >>> PCALoadingSelector(2).fit(load_iris().data).indices_
    array([2, 1])
    """

    method = "pca-lrg"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        standardize: bool = False,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.standardize = standardize
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
