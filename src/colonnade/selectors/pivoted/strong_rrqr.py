"""Strong rank-revealing QR: pivoted QR, mended by exchanges until its bounds hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from ...foundation.parameters import Real
from ...pivoting.exchanges import raise_volume
from ...pivoting.rules import LargestDiagonal
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Problem

__all__ = ["StrongRRQRSelector"]


@method(
    "strong-rrqr",
    title="pivoted QR, then exchanges until no singular value is lost (strong RRQR)",
    document="Gu & Eisenstat 1996, Algorithm 4; Farahat 2012, §3.5 (SRRQR)",
    cost="m·n·l + (m·n + n·l²) per exchange; at most log l! / log f exchanges",
    guarantee="squared error at most 1 + f²·l·(n−l) times the best; so for each singular value",
    kernels=False,
)
class StrongRRQRSelector(Selector):
    """Choose columns whose singular values are near those of the whole matrix.

    **Objective.** l columns of nearly largest volume: no exchange of one of them for another
    column multiplies the volume by more than ``factor``.

    **Algorithm.** Start with QR with column pivoting. With the triangular factor
    ``R = [R11 R12; 0 R22]`` of the chosen and the other columns, exchanging i and j multiplies
    the volume by ``ρ_ij = √((R11⁻¹R12)²_ij + (γ_j ω_i)²)``, γ_j the length of a column of R22
    and ω_i that of a row of R11⁻¹. Exchange the pair of largest ρ while that is above
    ``factor``. At the end the choice is put in the order of pivoted QR.

    **Cost.** Pivoted QR, O(m n l), then for each exchange one product of the data with a vector
    and O(n l²). There are at most ``log(l!) / log(f)`` exchanges; a handful or none is the rule.
    Four l × n matrices are held in addition to the data.

    **Guarantee.** With ``q = √(1 + f² l (n − l))`` and f the factor: ``σ_i(R11) ≥ σ_i(A)/q``,
    ``σ_j(R22) ≤ q σ_{l+j}(A)`` and no entry of ``R11⁻¹R12`` above f [1]_; so the error is at
    most q times the best of rank l, in the spectral and in the Frobenius norm. With ``exclude``
    all this holds for the matrix of the other columns; with ``must_include`` there are no
    bounds.

    **When to use it.** When the chosen columns must be well conditioned and pivoted QR, whose
    bound is exponential in l, is not to be trusted. There is no ``refine``, which would give the
    bounds up for a lower error.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many: a number, a fraction of the columns, or None for half of them.
    factor : float, default=2.0
        f, at least 1: by how much more volume an exchange must give. The smaller, the better the
        bounds and the more exchanges; with 1 their number has no small bound.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or by name, which are never exchanged.
    exclude : iterable of int or str, default=None
        Columns never to choose.

    Notes
    -----
    ``selection_.info["n_swaps"]`` is the number of exchanges that were made.

    References
    ----------
    .. [1] Gu & Eisenstat, "Efficient algorithms for computing a strong rank-revealing QR
       factorization", SIAM J. Sci. Comput. 17, 1996, Lemma 3.1, Theorem 3.2, Algorithm 4.

    Examples
    --------
    Kahan's matrix, which pivoted QR does not see through:

    >>> import numpy as np
    >>> from colonnade import PivotedQRSelector, StrongRRQRSelector
    >>> c, s = np.cos(1.2), np.sin(1.2)
    >>> K = np.diag(s ** np.arange(30)) @ (np.eye(30) - c * np.triu(np.ones((30, 30)), 1))
    >>> for selector in (PivotedQRSelector(29), StrongRRQRSelector(29)):
    ...     C = selector.fit_transform(K)
    ...     print(f"{np.linalg.norm(C, -2):.5f}")
    0.00005
    0.16267
    """

    _: KW_ONLY
    factor: Annotated[float, Real(1.0, example=2.0)] = 2.0
    must_include: Iterable[Any] | None = None
    exclude: Iterable[Any] | None = None

    def _select(self, problem: Problem) -> Selection:
        selection = problem.pivot(LargestDiagonal())
        independent = np.array(selection.embedding)[range(len(selection)), selection.indices] > 0
        start = selection.indices[independent]  # columns that must be included may depend on others
        if not len(start):
            return selection
        first = problem.first.tolist()
        chosen, swaps = raise_volume(
            problem.columns, start.tolist(), self.factor, locked=first,
            candidates=problem.allowed, progress=problem.progress,
        )  # fmt: skip
        if swaps:
            problem.allowed[:] = False
            problem.allowed[chosen] = True
            problem.allowed[first] = False
            problem.n_select = len(selection)
            problem.progress = None  # they were counted before
            selection = problem.pivot(LargestDiagonal())
        return selection.with_info(n_swaps=swaps)
