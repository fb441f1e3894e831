"""Columns drawn by their squared norms; on a kernel, by its diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...barriers.draws import draw, merge
from ...foundation.typing import RandomState
from ...pivoting.loop import Progress
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, settle

__all__ = ["NormSelector", "norm_sampling"]


@method(
    "norm-sampling",
    kind="sampling",
    title="by squared norms (a kernel's diagonal), with replacement and rescaled",
    estimator="NormSelector",
    document="Frieze, Kannan & Vempala 1998; thesis §4.5.1",
    cost="m·n, then m·n·l for the errors",
    guarantee="expected error within (k/l)·‖A‖² of the best rank k",
    inputs=("dense", "sparse", "kernel"),
    randomized=True,
    weighted=True,
)
def norm_sampling(
    A: Any,
    n_select: int | float | None = None,
    *,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Draw and rescale columns with probability proportional to their squared norm.

    **Objective.** Weighted columns C = A Ω S such that ``C Cᵀ`` is near ``A Aᵀ``.

    **Algorithm.** Draw r columns independently with the probabilities ``p_i = ‖a_i‖²/‖A‖²`` and
    multiply each by ``1/√(r p_i)``. A column that was drawn several times is kept once, with the
    weight ``√(count/(r p_i))``, which leaves ``C Cᵀ`` as it is. So there can be fewer columns
    than draws. The squared norms of a kernel's columns are its diagonal.

    **Cost.** One pass over the data for the norms; one more per column for the error path.

    **Guarantee.** ``E[C Cᵀ] = A Aᵀ`` and ``E‖A Aᵀ − C Cᵀ‖² = (‖A‖⁴ − ‖A Aᵀ‖²)/r`` in Frobenius
    norms. The expected squared error of the projection on C is at most
    ``‖A − A_k‖² + (k/r)‖A‖²`` for every k [1]_.

    **When to use it.** When one look at the data is all that can be afforded. Columns of equal
    length make it uniform sampling; a few long ones drown all others.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many draws r: a number, a fraction of the columns, or None for half of them.
    random_state : int, RandomState or None
        Seed.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        With weights; ``info["n_draws"]`` is r.

    References
    ----------
    .. [1] Frieze, Kannan & Vempala, "Fast Monte-Carlo algorithms for finding low-rank
       approximations", §2.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §4.5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import norm_sampling
    >>> selection = norm_sampling(np.diag([1.0, 3.0, 0.0]), 3, random_state=0)
    >>> selection.indices
    array([1])
    >>> selection.weights.round(3)
    array([1.054])
    """
    wishes = Wishes(A, n_select)
    size = wishes.n_select or 0
    # rounding may leave a zero of a kernel's diagonal just below zero
    squares = np.maximum(wishes.A.sq_norms(), 0.0)
    picks, factors = draw(squares / squares.sum(), size, check_random_state(random_state))
    return settle(
        wishes, *merge(picks, factors), progress=progress,
        info={"n_draws": size},
    )  # fmt: skip


class NormSelector(Selector):
    """Draw and rescale columns with probability proportional to their squared norm.

    See :func:`colonnade.norm_sampling` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many draws: a number, a fraction of the columns, or None for half of them.
    rescale : bool, default=True
        Whether ``transform`` multiplies the columns by their weights.
    random_state : int, RandomState or None, default=None
        Seed.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import NormSelector
    >>> NormSelector(3, random_state=0).fit(np.diag([1.0, 3.0, 0.0])).indices_
    array([1])
    """

    method = "norm-sampling"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        rescale: bool = True,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.rescale = rescale
        self.random_state = random_state
        self.verbose = verbose
