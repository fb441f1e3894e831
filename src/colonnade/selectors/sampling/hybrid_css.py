"""HybridCSS: a random draw by leverage scores, thinned by pivoted QR."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from ...barriers.draws import draw, leverage
from ...foundation.lapack import np_qr, np_svd
from ...foundation.parameters import Count, Real, Sweeps
from ...foundation.typing import Array, Floats, Indices
from ...linalg.projecting import orthonormal_basis, projection_error
from ...linalg.svd import EXACT_SIDE, leading_right_singular_vectors, right_singular_vectors
from ...operands.entrance import as_columns
from ...operands.interface import Columns
from ...operands.loops import column_sq_norms
from ...pivoting.exchanges import raise_volume
from ...pivoting.loop import pivot
from ...pivoting.rules import LargestDiagonal
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Seeded

__all__ = ["HybridCSSSelector"]

LITTLE = 1e-8
"""What may be left of the data before a difference of squares has lost too many digits."""
DEPENDENT = 1e-16
"""Share of its square that must be left of a column, else its direction is looked at again."""


@method(
    "hybrid-css",
    title="l·log l columns drawn by leverage, thinned by pivoted QR; best of 40 (HybridCSS)",
    document="Boutsidis, Mahoney & Drineas 2009; Farahat 2012, §3.4.3, §3.5 (HybridCSS)",
    cost="SVD + 40·min(m,n)·l² for dense data with a side up to 2000, else SVD + 40·m·n·l",
    guarantee="error at most that of the best rank l, over σ_min of the chosen rows of V",
    kernels=False,
    randomized=True,
)
class HybridCSSSelector(Seeded):
    """Draw columns by leverage score, keep exactly l of them by pivoted QR; best of many draws.

    **Objective.** l columns on which the leading l right singular vectors V have independent
    rows: that bounds the reconstruction error.

    **Algorithm.** With probabilities ``p_i = ‖V_i‖²/l`` draw ``c = l log l`` columns with
    replacement, divide each column of Vᵀ that was drawn by ``√(c p_i)``, and let QR with column
    pivoting (or strong rank-revealing QR) choose l of them. Repeat, and keep the choice that
    leaves the least error in A. If a draw spans fewer than l directions, pivoted QR on A fills
    up.

    **Cost.** The leading singular vectors, exact for data with a side of at most 2000, by a
    stochastic SVD otherwise; O(l³ log l) per draw to thin it, and for its error O(min(m, n) l²)
    if the data is dense with such a side, else O(m n l).

    **Guarantee.** ``‖A − P_S A‖ ≤ ‖A − A_l‖ / σ_min(V_S)`` in the spectral and the Frobenius
    norm, V_S the chosen rows; ``info["sigma_min"]`` is this σ_min. For a draw of O(l log l) that
    mixes in the lengths of the residuals, the squared Frobenius error is O(l² log l) times the
    best with probability 0.7, and 40 repeats make failure unlikely [1]_.

    **When to use it.** As the classic randomized baseline; greedy selection usually leaves
    less error.

    Parameters
    ----------
    n_select : int, float or None, default=None
        l: a number, a fraction of the columns, or None for half of them.
    oversampling : float, default=1.0
        Draw ``oversampling · l log l`` columns, but at least l.
    n_repeats : int, default=40
        How many draws to make.
    factor : float or None, default=None
        None for pivoted QR, as in the experiments of [2]_; a number of at least 1 for strong
        rank-revealing QR with this factor, see :class:`colonnade.StrongRRQRSelector`.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the reconstruction error; a number limits
        the sweeps.

    Notes
    -----
    ``selection_.info["n_drawn"]`` is c.

    References
    ----------
    .. [1] Boutsidis, Mahoney & Drineas, "An improved approximation algorithm for the column
       subset selection problem", SODA 2009, Algorithm 1.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §3.4.3 and
       §3.5.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import HybridCSSSelector
    >>> X = load_digits().data
    >>> HybridCSSSelector(n_select=20, random_state=0).fit_transform(X).shape
    (1797, 20)
    """

    _: KW_ONLY
    oversampling: Annotated[float, Real(0.0, above=True, example=1.0)] = 1.0
    n_repeats: Annotated[int, Count(1)] = 40
    factor: Annotated[float | None, Real(1.0, example=2.0)] = None
    refine: Annotated[bool | int, Sweeps()] = False

    def _select(self, problem: Problem) -> Selection:
        size = problem.n_select
        assert size is not None  # there is no max_error here
        spectrum = None
        if min(problem.A.shape) <= EXACT_SIDE:
            # all vectors cost as much as a few where the data is decomposed as it is
            full = problem.columns.decomposes_directly
            values, V = right_singular_vectors(problem.A, None if full else size)
            spectrum = (values, V) if full else None
            V = V[:, :size]
        else:
            V = leading_right_singular_vectors(problem.A, size, problem.rng)[1]
        n_draws = max(size, int(np.ceil(self.oversampling * max(2, size) * np.log(max(2, size)))))
        best = self._best_draw(problem, V, n_draws, spectrum)
        selection = problem.ranked(best)
        rows = V[selection.indices]
        smallest = np_svd(rows, compute_uv=False)[-1] if len(rows) >= V.shape[1] else 0.0
        return selection.with_info(n_drawn=n_draws, sigma_min=float(smallest))

    def _best_draw(
        self, problem: Problem, V: Array, n_draws: int, spectrum: tuple[Floats, Array] | None
    ) -> Indices:
        """Return the choice of least error; of equal ones the first."""
        size, least = problem.n_select, np.inf
        best: list[int] = []
        scores = leverage(V)
        seen: set[frozenset[int]] = set()
        for _ in range(self.n_repeats):
            drawn, factors = draw(scores, n_draws, problem.rng)
            drawn, where = np.unique(drawn, return_index=True)
            few = as_columns((V[drawn] * factors[where, None]).T)
            kept = pivot(few, LargestDiagonal(), n_select=min(few.shape)).indices
            if self.factor is not None:
                kept, _ = raise_volume(few, kept, self.factor)
            chosen = drawn[kept].tolist()
            if frozenset(chosen) in seen:
                continue
            seen.add(frozenset(chosen))
            if len(chosen) != size:
                chosen = pivot(problem.A, LargestDiagonal(), n_select=size, first=chosen).indices
            left = _left(problem.columns, chosen, spectrum)
            if left < least * (1 - 1e-6) - 1e-26:  # closer than that is rounding
                best, least = chosen, left
        among = np.zeros(problem.n_candidates, dtype=bool)
        among[best] = True
        found = pivot(problem.A, LargestDiagonal(), n_select=len(best), candidates=among)
        return np.array(found.indices, dtype=np.intp)


def _left(A: Columns, chosen: list[int], spectrum: tuple[Floats, Array] | None) -> float:
    """Return the share of the squares of A outside the span of some columns.

    In the basis of its left singular vectors A is ΣVᵀ, and ``‖QᵀA‖²`` the sum of ``σ_i²‖Q_i‖²``
    over the rows of Q: one QR factorization. Without all singular vectors there is a product as
    well. Where little is left, or a column depends on others so that its direction in Q is
    rounding, the residual itself is looked at.
    """
    few = np.array(chosen, dtype=np.intp)
    C = A.columns(few) if spectrum is None else (spectrum[1][few] * spectrum[0]).T
    Q, R = np_qr(C)
    if len(few) <= len(C) and (np.square(np.diag(R)) > DEPENDENT * column_sq_norms(C)).all():
        if spectrum is None:
            left = 1.0 - float(np.square(A.rmatmat(Q)).sum() / A.sq_norms().sum())
        else:
            squares = np.square(spectrum[0])
            left = float(squares @ (1.0 - np.square(Q).sum(axis=1)) / squares.sum())
        if left > LITTLE:
            return left
    return projection_error(A, orthonormal_basis(A, few)) / float(A.sq_norms().sum())
