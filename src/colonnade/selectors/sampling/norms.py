"""Random columns by their squared norms; on a kernel, by its diagonal."""

from __future__ import annotations

import numpy as np

from ...barriers.draws import draw, merge
from ...certificates import Check
from ...certificates.measured import Measured
from ...foundation.typing import Indices
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Seeded, Weighted

__all__ = ["NormSelector"]


@method(
    "norm-sampling",
    title="by squared norms (a kernel's diagonal), with replacement and rescaled",
    document="Frieze, Kannan & Vempala 1998; Farahat 2012, §4.5.1",
    cost="m·n, then m·n·l for the errors",
    guarantee="expected error within (k/l)·‖A‖² of the best rank k",
    randomized=True,
    weighted=True,
    wide=True,
)
class NormSelector(Weighted, Seeded):
    """Draw and rescale columns with probability proportional to their squared norm.

    **Objective.** Weighted columns C = A Ω S, where Ω picks columns and the diagonal S rescales
    them, such that ``C Cᵀ`` is near ``A Aᵀ``.

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
    n_select : int, float or None, default=None
        How many draws r: a number, a fraction of the columns, or None for half of them.

    Notes
    -----
    ``selection_.info["n_draws"]`` is r.

    References
    ----------
    .. [1] Frieze, Kannan & Vempala, "Fast Monte-Carlo algorithms for finding low-rank
       approximations", §2.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §4.5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import NormSelector
    >>> selector = NormSelector(3, random_state=0).fit(np.diag([1.0, 3.0, 0.0]))
    >>> selector.indices_
    array([1])
    >>> selector.weights_.round(3)
    array([1.054])
    """

    def _select(self, problem: Problem) -> Selection:
        size = problem.n_select or 0
        # rounding may leave a zero of a kernel's diagonal just below zero
        squares = np.maximum(problem.A.sq_norms(), 0.0)
        picks, factors = draw(squares / squares.sum(), size, problem.rng)
        return problem.weighted(*merge(picks, factors), n_draws=size)

    @classmethod
    def promised_checks(
        cls, measured: Measured, labels: Indices | None
    ) -> tuple[list[Check], list[str]]:
        """Compare with the least of Frieze, Kannan & Vempala's bounds over all ranks k."""
        r = int(measured.selection.info.get("n_draws", 0))
        if r == 0:
            return [], []
        bounds = measured.best_losses(r) + np.arange(r + 1) / r
        return [measured.expected_loss(float(bounds.min()))], []
