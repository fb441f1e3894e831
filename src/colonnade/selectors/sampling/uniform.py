"""Columns drawn uniformly: the baseline that every method must beat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.utils import check_random_state

from ...foundation.typing import RandomState
from ...pivoting.loop import Progress
from ...pivoting.rules import Uniform
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run

__all__ = ["UniformSelector", "uniform"]


@method(
    "uniform",
    kind="sampling",
    title="uniformly at random, without replacement",
    estimator="UniformSelector",
    document="thesis §3.5 (UniNoRep)",
    cost="m·n·l",
    guarantee="none without incoherence",
    inputs=("dense", "sparse", "kernel"),
    randomized=True,
)
def uniform(
    A: Any,
    n_select: int | float | None = None,
    *,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Draw columns uniformly without replacement.

    **Objective.** None: the baseline that any method should beat.

    **Algorithm.** Draw a column that was not drawn before, whatever it is worth; the pass over
    the data only serves the error path and the embedding. Columns that depend on others are
    drawn like any, so it never ends before ``n_select``.

    **Cost.** O(m n l).

    **When to use it.** To see what a better method is worth on the data at hand.

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
    random_state : int, RandomState or None
        Seed.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §3.5.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import uniform
    >>> len(uniform(np.eye(4), 2, random_state=0))
    2
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    rule = Uniform(check_random_state(random_state))
    return run(wishes, rule, refine=refine, progress=progress)


class UniformSelector(Selector):
    """Choose columns uniformly at random.

    See :func:`colonnade.uniform` for objective, algorithm, cost and references.

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
    random_state : int, RandomState or None, default=None
        Seed.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import UniformSelector
    >>> UniformSelector(n_select=2, random_state=0).fit(np.eye(4)).get_support().sum()
    np.int64(2)
    """

    method = "uniform"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.random_state = random_state
        self.verbose = verbose
