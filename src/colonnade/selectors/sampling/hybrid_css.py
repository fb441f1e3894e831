"""HybridCSS: a random draw by leverage scores, thinned by pivoted QR."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...barriers.draws import draw, leverage
from ...foundation.lapack import np_svd
from ...foundation.parameters import REALS, check_count
from ...foundation.typing import Array, Floats, RandomState
from ...linalg.svd import EXACT_SIDE, leading_right_singular_vectors, right_singular_vectors
from ...operands.entrance import as_operand
from ...pivoting.exchanges import check_factor, raise_volume
from ...pivoting.loop import Progress, pivot
from ...pivoting.rules import Given, LargestDiagonal
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run

__all__ = ["HybridCSSSelector", "hybrid_css"]


@method(
    "hybrid-css",
    kind="sampling",
    title="l·log l columns drawn by leverage, thinned by pivoted QR; best of 40 (HybridCSS)",
    estimator="HybridCSSSelector",
    document="Boutsidis, Mahoney & Drineas 2009; thesis §3.4.3, §3.5 (HybridCSS)",
    cost="SVD + 40·m·n·l",
    guarantee="error at most that of the best rank l, over σ_min of the chosen rows of V",
    inputs=("dense", "sparse"),
    randomized=True,
)
def hybrid_css(
    A: Any,
    n_select: int | float | None = None,
    *,
    oversampling: float = 1.0,
    n_repeats: int = 40,
    factor: float | None = None,
    refine: bool | int = False,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Draw columns by leverage score, keep exactly l of them by pivoted QR; best of many draws.

    **Objective.** l columns on which the leading l right singular vectors V have independent
    rows: that bounds the reconstruction error.

    **Algorithm.** With probabilities ``p_i = ‖V_i‖²/l`` draw ``c = l log l`` columns with
    replacement, divide each column of Vᵀ that was drawn by ``√(c p_i)``, and let QR with column
    pivoting (or strong rank-revealing QR) choose l of them. Repeat, and keep the choice that
    leaves the least error in A. If a draw spans fewer than l directions, pivoted QR on A fills
    up.

    **Cost.** The leading singular vectors, exact for data with a side of at most 2000, by a
    stochastic SVD otherwise; O(l³ log l) per draw to thin it, and O(m n l) to compute its error.

    **Guarantee.** ``‖A − P_S A‖ ≤ ‖A − A_l‖ / σ_min(V_S)`` in the spectral and the Frobenius
    norm, V_S the chosen rows; ``info["sigma_min"]`` is this σ_min. For a draw of O(l log l) that
    mixes in the lengths of the residuals, the squared Frobenius error is O(l² log l) times the
    best with probability 0.7, and 40 repeats make failure unlikely [1]_.

    **When to use it.** As the classic randomized baseline; ``greedy`` usually leaves less error.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        l: a number, a fraction of the columns, or None for half of them.
    oversampling : float, default=1.0
        Draw ``oversampling · l log l`` columns, but at least l.
    n_repeats : int, default=40
        How many draws to make.
    factor : float or None, default=None
        None for pivoted QR, as in the experiments of [2]_; a number of at least 1 for strong
        rank-revealing QR with this factor, see :func:`colonnade.strong_rrqr`.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    random_state : int, RandomState or None
        Seed.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice of the best draw.

    Returns
    -------
    Selection
        With ``info["n_drawn"]`` = c and ``info["sigma_min"]``.

    References
    ----------
    .. [1] Boutsidis, Mahoney & Drineas, "An improved approximation algorithm for the column
       subset selection problem", SODA 2009, Algorithm 1.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §3.4.3 and
       §3.5.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import hybrid_css
    >>> X = load_digits().data
    >>> hybrid_css(X, 20, random_state=0).apply(X).shape
    (1797, 20)
    """
    if isinstance(oversampling, bool) or not isinstance(oversampling, REALS):
        raise TypeError(f"oversampling must be a positive number, got {oversampling!r}")
    if not 0 < oversampling < np.inf:
        raise ValueError(f"oversampling={oversampling}; choose a positive number, for example 1.0")
    n_repeats = check_count("n_repeats", n_repeats, 1, None)
    if factor is not None:
        factor = check_factor(factor)
    rng = check_random_state(random_state)
    wishes = Wishes(A, n_select)
    if not wishes.A.has_columns:
        raise TypeError(
            "hybrid-css needs the columns themselves, and a kernel has only their inner "
            "products; use method='random-pivot' for a kernel"
        )
    size = wishes.n_select
    assert size is not None  # there is no max_error here
    V = _singular_vectors(wishes, size, rng)
    scores = leverage(V)
    n_draws = max(size, int(np.ceil(oversampling * max(2, size) * np.log(max(2, size)))))
    best = _best_draw(wishes, V, scores, n_draws, n_repeats, factor, rng)
    selection = run(wishes, Given(best.tolist()), refine=refine, progress=progress)
    rows = V[selection.indices]
    smallest = np_svd(rows, compute_uv=False)[-1] if len(rows) >= V.shape[1] else 0.0
    return selection.replace(
        info={**selection.info, "n_drawn": n_draws, "sigma_min": float(smallest)}
    )


def _singular_vectors(wishes: Wishes, rank: int, rng: np.random.RandomState) -> Array:
    if min(wishes.A.shape) <= EXACT_SIDE:
        return right_singular_vectors(wishes.A, rank)[1]
    return leading_right_singular_vectors(wishes.A, rank, rng)[1]


def _best_draw(
    wishes: Wishes,
    V: Array,
    scores: Floats,
    n_draws: int,
    n_repeats: int,
    factor: float | None,
    rng: np.random.RandomState,
) -> Array:
    """Return the choice of least error; of equal ones the first."""
    size, best, least = wishes.n_select, np.empty(0, dtype=np.intp), np.inf
    seen: set[frozenset[int]] = set()
    for _ in range(n_repeats):
        drawn, factors = draw(scores, n_draws, rng)
        drawn, where = np.unique(drawn, return_index=True)
        few = as_operand((V[drawn] * factors[where, None]).T)
        kept = pivot(few, LargestDiagonal(), n_select=min(few.shape)).indices
        if factor is not None:
            kept, _ = raise_volume(few, kept, factor)
        chosen = drawn[kept].tolist()
        if frozenset(chosen) in seen:
            continue
        seen.add(frozenset(chosen))
        if len(chosen) != size:
            chosen = pivot(wishes.A, LargestDiagonal(), n_select=size, first=chosen).indices
        among = np.zeros(wishes.n_candidates, dtype=bool)
        among[chosen] = True
        # one more than there are, so that what is left is looked at again when none is left
        found = pivot(wishes.A, LargestDiagonal(), n_select=len(chosen) + 1, candidates=among)
        left = found.errors[-1] / found.total
        if left < least * (1 - 1e-6) - 1e-26:  # closer than that is rounding
            best, least = np.array(found.indices), left
    return best


class HybridCSSSelector(Selector):
    """Choose columns by a draw with leverage scores, thinned by pivoted QR.

    See :func:`colonnade.hybrid_css` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None for half of them.
    oversampling : float, default=1.0
        Draw ``oversampling · l log l`` columns, but at least l.
    n_repeats : int, default=40
        How many draws to make.
    factor : float or None, default=None
        None for pivoted QR; a number of at least 1 for strong rank-revealing QR with this
        factor.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    random_state : int, RandomState or None, default=None
        Seed.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import HybridCSSSelector
    >>> X = load_digits().data
    >>> HybridCSSSelector(n_select=20, random_state=0).fit_transform(X).shape
    (1797, 20)
    """

    method = "hybrid-css"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        oversampling: float = 1.0,
        n_repeats: int = 40,
        factor: float | None = None,
        refine: bool | int = False,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.oversampling = oversampling
        self.n_repeats = n_repeats
        self.factor = factor
        self.refine = refine
        self.random_state = random_state
        self.verbose = verbose
