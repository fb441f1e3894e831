"""Columns drawn in proportion to their residuals: randomly pivoted Cholesky."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.utils import check_random_state

from ...foundation.parameters import check_count
from ...foundation.typing import RandomState
from ...pivoting.loop import Progress
from ...pivoting.rules import RandomDiagonal, RandomProposals, Rule
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run

__all__ = ["RandomPivotSelector", "random_pivot"]


@method(
    "random-pivot",
    kind="pivoting",
    title="random, in proportion to the residual (randomly pivoted Cholesky)",
    estimator="RandomPivotSelector",
    document="Chen, Epperly, Tropp & Webber 2022 (arXiv 2207.06503)",
    cost="m·n·l",
    guarantee="expected error within 1+ε of the best rank k for l ≈ k/ε + k log(1/(εη))",
    inputs=("dense", "sparse", "kernel"),
    randomized=True,
)
def random_pivot(
    A: Any,
    n_select: int | float | None = None,
    *,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    block_size: int | None = None,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Draw columns with probability proportional to their squared residual.

    **Objective.** A near-optimal low-rank approximation, in expectation.

    **Algorithm.** Draw a column with probability ``g_i / Σ g``, where ``g`` are the squared
    residual norms; project it out of all others; repeat. On a kernel this is randomly pivoted
    Cholesky, which looks at l columns of the kernel and its diagonal only. In blocks: propose
    several at once, and accept each with the probability ``g_i now / g_i when proposed``;
    the choices are distributed as before, but kernel columns are computed together [2]_.

    **Cost.** One pass over the data per choice, O(m n l); O(n l²) and l kernel columns for a
    kernel, in blocks with one pass over its points per block.

    **Guarantee.** The expected trace error is within 1 + ε of the best rank-k error after
    about ``k/ε + k log(1/(ε η))`` draws, where η is the relative error of rank k [1]_.

    **When to use it.** For landmarks of a large kernel; when ties and outliers mislead
    deterministic rules; as a strong cheap baseline.

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
    block_size : int or None, default=None
        How many columns to propose at once; 1 for none but the next. By default a quarter of
        what is to be chosen, at most 128.
    random_state : int, RandomState or None
        Seed.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection

    References
    ----------
    .. [1] Chen, Epperly, Tropp & Webber, "Randomly pivoted Cholesky: practical approximation
       of a kernel matrix with few entry evaluations", Algorithm 2.1 and Theorem 2.3.
    .. [2] Epperly, Tropp & Webber, "Embrace rejection: kernel matrix approximation by
       accelerated randomly pivoted Cholesky", 2024 (arXiv 2410.03969).

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import random_pivot
    >>> random_pivot(np.diag([1.0, 3.0, 0.0]), 2, random_state=0).indices
    array([1, 0])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    rng = check_random_state(random_state)
    # the same for data and kernels, so that a seed means the same
    size = min(128, max(1, (wishes.n_select or 256) // 4))
    if block_size is not None:
        size = check_count("block_size", block_size, 1, None)
    rule: Rule = RandomDiagonal(rng) if size == 1 else RandomProposals(rng, size)
    return run(wishes, rule, refine=refine, progress=progress)


class RandomPivotSelector(Selector):
    """Choose columns by randomly pivoted Cholesky.

    See :func:`colonnade.random_pivot` for objective, algorithm, cost and references.

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
    block_size : int or None, default=None
        How many columns to propose at once; by default a quarter of what is to be chosen.
    random_state : int, RandomState or None, default=None
        Seed.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import RandomPivotSelector
    >>> RandomPivotSelector(n_select=2, random_state=0).fit(np.diag([1.0, 3.0, 0.0])).indices_
    array([1, 0])
    """

    method = "random-pivot"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        block_size: int | None = None,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.block_size = block_size
        self.random_state = random_state
        self.verbose = verbose
