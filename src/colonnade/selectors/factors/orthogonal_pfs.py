"""Orthogonal principal feature selection: follow the first component of what is left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...pivoting.loop import Progress
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run
from .leading import LeadingComponent

__all__ = ["OrthogonalPFSSelector", "orthogonal_pfs"]


@method(
    "orthogonal-pfs",
    kind="factors",
    title="most correlated with the first principal component of what is left",
    estimator="OrthogonalPFSSelector",
    document="Cui & Dy (2008); thesis §6.2",
    cost="some dozen m·n·l",
    guarantee="none; the columns are independent",
    inputs=("dense", "sparse"),
)
def orthogonal_pfs(
    A: Any,
    n_select: int | float | None = None,
    *,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose the column that correlates most with the first component; project it out; repeat.

    **Objective.** Columns that stand for the first principal components, each of what the
    columns before it leave.

    **Algorithm.** Centre the data. Take the first principal component u of the residual E;
    choose the column of largest ``(uᵀE_i)²/‖E_i‖²``, its squared correlation with u; take its
    direction out of all others. When only multiples of the constant are left, the longest
    residual is chosen. The error path is that of the data as it is, without centring.

    **Cost.** Some dozen passes over the data for each choice, to find the component by the
    Lanczos process: that many times more than greedy selection. Nothing square is formed.

    **Guarantee.** None; columns that depend on chosen ones are never chosen.

    **When to use it.** As a baseline; :func:`colonnade.greedy` minimizes the error itself at a
    fraction of the cost.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
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

    References
    ----------
    .. [1] Cui & Dy, "Orthogonal principal feature selection", ICML workshop on sparse
       optimization and variable selection, 2008.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §6.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import orthogonal_pfs
    >>> orthogonal_pfs(load_iris().data, 2).indices.tolist()
    [2, 0]
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    if not wishes.A.has_columns:
        raise TypeError(
            "principal components need the columns themselves, but a kernel has only their inner "
            "products; pass the data, or use a method for kernels such as 'greedy'"
        )
    rule = LeadingComponent(wishes.A)
    return run(wishes, rule, refine=refine, progress=progress)


class OrthogonalPFSSelector(Selector):
    """Choose what correlates most with the first component of what is left.

    See :func:`colonnade.orthogonal_pfs` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
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
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import OrthogonalPFSSelector
    >>> OrthogonalPFSSelector(2).fit(load_iris().data).indices_
    array([2, 0])
    """

    method = "orthogonal-pfs"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
