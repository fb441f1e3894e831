"""QR with column pivoting; on a kernel, incomplete Cholesky."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...pivoting.loop import Progress
from ...pivoting.rules import LargestDiagonal
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run

__all__ = ["PivotedQRSelector", "pivoted_qr"]


@method(
    "pivoted-qr",
    kind="pivoting",
    title="longest residual first (pivoted QR, incomplete Cholesky)",
    estimator="PivotedQRSelector",
    document="Businger & Golub 1965; thesis §3.4.2",
    cost="m·n·l",
    guarantee="squared error at most 4^l (n−l) times the best; far less in practice",
    inputs=("dense", "sparse", "kernel"),
)
def pivoted_qr(
    A: Any,
    n_select: int | float | None = None,
    *,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose the column with the longest residual, again and again.

    **Objective.** Columns that are far from the span of those chosen before.

    **Algorithm.** Pick the column of largest residual norm, project it out of all others,
    repeat: the first l columns of a QR factorization with column pivoting. On a kernel this is
    the incomplete Cholesky decomposition with the largest diagonal.

    **Cost.** One pass over the data per choice, O(m n l); for tall data one Gram matrix and
    O(n l) per choice.

    **When to use it.** As a fast baseline, or when outlying columns are wanted: it looks at
    the lengths of residuals, not at how much of the rest a column explains.

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
    .. [1] Businger & Golub, "Linear least squares solutions by Householder transformations",
       Numerische Mathematik 7, 1965.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import pivoted_qr
    >>> pivoted_qr(np.diag([1.0, 3.0, 2.0]), 2).indices
    array([1, 2])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    return run(wishes, LargestDiagonal(), refine=refine, progress=progress)


class PivotedQRSelector(Selector):
    """Choose columns by QR with column pivoting.

    See :func:`colonnade.pivoted_qr` for objective, algorithm, cost and references.

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
    >>> import numpy as np
    >>> from colonnade import PivotedQRSelector
    >>> PivotedQRSelector(n_select=2).fit(np.diag([1.0, 3.0, 2.0])).indices_
    array([1, 2])
    """

    method = "pivoted-qr"

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
