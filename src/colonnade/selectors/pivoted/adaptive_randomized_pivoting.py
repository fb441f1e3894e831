"""Adaptive randomized pivoting: random pivots on the leading right singular vectors."""

from __future__ import annotations

from ...certificates import Check
from ...certificates.measured import Measured
from ...foundation.typing import Indices
from ...linalg.svd import EXACT_SIDE, leading_right_singular_vectors
from ...operands.entrance import as_operand
from ...pivoting.loop import pivot
from ...pivoting.rules import RandomDiagonal
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Seeded

__all__ = ["AdaptiveRandomizedPivotingSelector"]


@method(
    "adaptive-randomized-pivoting",
    title="random pivots on the leading right singular vectors (adaptive randomized pivoting)",
    document="Cortinovis & Kressner 2024 (arXiv 2412.13992)",
    cost="SVD of rank l + n·l², then m·n·l for the errors",
    guarantee="expected squared error at most l+1 times the best of rank l: no method has less",
    randomized=True,
)
class AdaptiveRandomizedPivotingSelector(Seeded):
    """Draw columns by what is left of their leverage scores, one after another.

    **Objective.** l columns whose span reconstructs the data, with the smallest factor above the
    best approximation of rank l that any choice of l columns can have in general.

    **Algorithm.** Take the leading l right singular vectors V (n × l). Draw a column i with
    probability proportional to ``‖v_i‖²``, the squared norm of the i-th row of V; project that
    row out of all others; repeat. This is the loop of randomly pivoted Cholesky on ``Vᵀ`` in
    place of the data: leverage-score sampling that adapts after every draw.

    **Cost.** The leading singular vectors: an SVD for data with a side of at most 2000, a
    stochastic one with O(m n l) operations otherwise. Then O(n l²) for the draws, and one pass
    over the data per column for the error path.

    **Guarantee.** ``E‖A − P_S A‖² ≤ (l + 1) ‖A − A V Vᵀ‖²`` in the Frobenius norm, that is l + 1
    times the best of rank l for exact singular vectors [1]_. It is a bound on the mean: a single
    draw may exceed it.

    **When to use it.** When a random choice must come with a guarantee that does not grow with
    the number of columns; it costs one decomposition more than ``random-pivot``. Greedy selection
    with ``refine=True`` usually leaves less error, without such a guarantee.

    Parameters
    ----------
    n_select : int, float or None, default=None
        l: a number, a fraction of the columns, or None for half of them. Fewer are chosen if the
        rank of the data is lower.

    References
    ----------
    .. [1] Cortinovis & Kressner, "Adaptive randomized pivoting for column subset selection, DEIM,
       and low-rank approximation", 2024 (arXiv 2412.13992).
    .. [2] Epperly, "Adaptive randomized pivoting and volume sampling", 2025 (arXiv 2510.02513).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import AdaptiveRandomizedPivotingSelector
    >>> X = load_digits().data
    >>> selector = AdaptiveRandomizedPivotingSelector(10, random_state=0).fit(X)
    >>> selector.transform(X).shape
    (1797, 10)
    >>> certificate = selector.certificate(X)
    >>> certificate["expected_loss"].measured < certificate["expected_loss"].promised
    True
    """

    def _select(self, problem: Problem) -> Selection:
        size = problem.n_select
        assert size is not None  # there is no max_error here
        _, V = leading_right_singular_vectors(problem.A, size, problem.rng)
        pivots = pivot(as_operand(V.T), RandomDiagonal(problem.rng), n_select=V.shape[1])
        return problem.ranked(pivots.indices)

    @classmethod
    def promised_checks(
        cls, measured: Measured, labels: Indices | None
    ) -> tuple[list[Check], list[str]]:
        """Compare with the bound of Cortinovis & Kressner on the expected loss."""
        size = len(measured.selection)
        bound = (size + 1) * float(measured.best_losses(size)[-1])
        notes = []
        if min(measured.A.shape) > EXACT_SIDE:
            notes.append("the expected loss is bounded for exact singular vectors; these are not")
        return [measured.expected_loss(bound)], notes
