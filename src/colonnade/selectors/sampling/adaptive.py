"""Columns drawn in rounds, each by what the rounds before it left over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.utils import check_random_state

from ...foundation.parameters import check_count
from ...foundation.typing import RandomState
from ...pivoting.loop import Progress
from ...pivoting.rules import RandomDiagonal
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run

__all__ = ["AdaptiveSelector", "adaptive_sampling"]


@method(
    "adaptive-sampling",
    kind="sampling",
    title="in rounds, each in proportion to what is left (adaptive sampling)",
    estimator="AdaptiveSelector",
    document="Deshpande, Rademacher, Vempala & Wang 2006; thesis §4.6 (AdaptFull)",
    cost="m·n·l",
    guarantee="expected error within 1/(1−ε) of the best rank k plus ε^t·‖A‖², for l = t·k/ε",
    inputs=("dense", "sparse", "kernel"),
    randomized=True,
)
def adaptive_sampling(
    A: Any,
    n_select: int | float | None = None,
    *,
    n_rounds: int = 10,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Draw columns in rounds, with probability proportional to their squared residual.

    **Objective.** A near-optimal low-rank approximation, in expectation.

    **Algorithm.** In each round, draw ``l / n_rounds`` different columns with probability
    ``g_i / Σ g``, where ``g`` are the squared residual norms at the start of the round; then
    project them out of all others. A column that others of its round already span, up to 4e-10
    of its squared residual, is passed over, and more rounds follow until there are l. One column
    per round is :func:`colonnade.random_pivot`; one round is sampling by squared norms without
    replacement.

    **Cost.** One pass over the data per choice, O(m n l); O(n l²) and l kernel columns for a
    kernel.

    **Guarantee.** A round of s draws leaves an expected squared error of at most
    ``‖A − A_k‖² + (k/s) e``, where e is the error before it; so t rounds of ``k/ε`` leave at most
    ``‖A − A_k‖²/(1−ε) + ε^t ‖A‖²`` [1]_. Drawing without repeats can only lower it.

    **When to use it.** To compare with the literature; :func:`colonnade.random_pivot` costs the
    same here and adapts after every column.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    n_rounds : int, default=10
        In how many rounds, as equal as can be. If ``max_error`` alone decides, a round is as
        large as if half of the columns were wanted.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or None
        Columns to choose first, before the first round.
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
    .. [1] Deshpande, Rademacher, Vempala & Wang, "Matrix approximation and projective clustering
       via volume sampling", the section on adaptive sampling.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §3.4.1
       and §4.6.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import adaptive_sampling
    >>> adaptive_sampling(np.diag([1.0, 3.0, 0.0]), 2, n_rounds=2, random_state=0).indices
    array([1, 0])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    rounds = check_count("n_rounds", n_rounds, 1, None)
    wanted = wishes.n_select or max(1, wishes.n_candidates // 2)
    each, more = divmod(max(1, wanted - len(wishes.first)), rounds)
    # the larger rounds first; with more rounds than columns, one column each
    sizes = [each + 1] * more + [each] * (rounds - more if each else 0)
    rule = RandomDiagonal(check_random_state(random_state), sizes)
    return run(wishes, rule, refine=refine, progress=progress)


class AdaptiveSelector(Selector):
    """Draw columns in rounds, each in proportion to what is left.

    See :func:`colonnade.adaptive_sampling` for objective, algorithm, cost, guarantee and
    references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    n_rounds : int, default=10
        In how many rounds.
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
    >>> from colonnade import AdaptiveSelector
    >>> AdaptiveSelector(2, 2, random_state=0).fit(np.diag([1.0, 3.0, 0.0])).indices_
    array([1, 0])
    """

    method = "adaptive-sampling"

    def __init__(
        self,
        n_select: int | float | None = None,
        n_rounds: int = 10,
        *,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.n_rounds = n_rounds
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.random_state = random_state
        self.verbose = verbose
