"""QR with column pivoting; on a kernel, incomplete Cholesky."""

from __future__ import annotations

from ...pivoting.rules import LargestDiagonal
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable

__all__ = ["PivotedQRSelector"]


@method(
    "pivoted-qr",
    title="longest residual first (pivoted QR, incomplete Cholesky)",
    document="Businger & Golub 1965; Farahat 2012, §3.4.2",
    cost="m·n·l",
    guarantee="squared error at most 4^l (n−l) times the best; far less in practice",
    wide=True,
)
class PivotedQRSelector(Adjustable):
    """Choose the column with the longest residual, again and again.

    **Objective.** Columns that are far from the span of those chosen before.

    **Algorithm.** Pick the column of largest residual norm, project it out of all others,
    repeat: the first l columns of a QR factorization with column pivoting. On a kernel this is
    the incomplete Cholesky decomposition with the largest diagonal.

    **Cost.** One pass over the data per choice, O(m n l); for tall data one Gram matrix and
    O(n l) per choice.

    **When to use it.** As a fast baseline, or when outlying columns are wanted: it looks at
    the lengths of residuals, not at how much of the rest a column explains.

    References
    ----------
    .. [1] Businger & Golub, "Linear least squares solutions by Householder transformations",
       Numerische Mathematik 7, 1965.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import PivotedQRSelector
    >>> PivotedQRSelector(n_select=2).fit(np.diag([1.0, 3.0, 2.0])).indices_
    array([1, 2])
    """

    def _select(self, problem: Problem) -> Selection:
        return problem.pivot(LargestDiagonal())
