"""Dual-set sparsification after random draws: features for k-means on very wide data."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ...barriers.draws import draw, leverage, merge
from ...barriers.sparsifying import IdentityBarrier, sparsify
from ...certificates import Check
from ...certificates.kmeans import KMeansFactor
from ...certificates.measured import Measured
from ...foundation.parameters import Count
from ...foundation.typing import Indices
from ...linalg.svd import leading_right_singular_vectors, right_singular_vectors
from ...operands.entrance import as_operand
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Seeded, Weighted
from .picking import resolve_picks
from .promises import PickedSpectrum

__all__ = ["RandomizedDualSetSelector"]


@method(
    "randomized-dual-set",
    title="features for k-means, randomized (leverage scores, then dual-set)",
    document="Boutsidis & Magdon-Ismail 2013, Algorithm 6",
    cost="m·n·k + l·k³·log k, then m·n·l for the errors",
    guarantee="k-means on them within O(k·log k/l) of the optimum, with probability 0.4",
    randomized=True,
    weighted=True,
)
class RandomizedDualSetSelector(Weighted, Seeded):
    """Choose and rescale O(k) features for k-means, by sampling and then by barriers.

    **Objective.** That of :class:`colonnade.DualSetSelector`, with a bound that does not grow
    with the number of columns.

    **Algorithm.** Take approximate leading right singular vectors Z; draw
    ``c = max(l, 16 k ln 20k)`` columns by their leverage scores and merge repeats, the root of
    the sum of their squared factors in place of them; sparsify the leading right singular vectors
    of the drawn and rescaled rows of Z as :class:`colonnade.DualSetSelector` does. If no more
    than l different columns were drawn, all of them are kept.

    **Cost.** O(m n k) for the approximate SVD, O(l k³ log k) for the rest; one more pass over
    the data per pick for the error path.

    **Guarantee.** With probability 0.4 a γ-approximate partition of C costs at most
    ``15 + 320γ((1+√(16 k ln(20k)/l))/(1−√(k/l)))²`` times the optimum on A [1]_.

    **When to use it.** Before k-means on very wide data, with few features.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many picks, more than ``n_clusters``: a number, a fraction of the columns, or None
        for half of them.
    n_clusters : int, default=8
        k; without ``n_select`` it is lowered if there are no more columns than that.

    Notes
    -----
    ``selection_.info["n_drawn"]`` is c, ``info["n_distinct"]`` how many different columns these
    were. Merging repeats changes neither ``ZᵀΩ₁S₁`` times its transpose nor the length of the
    residual drawn in the same way, and the second stage is on fewer than c vectors, so the
    theorem holds as it is; picks then are different columns as long as there are enough.

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithm 6, Theorem 5.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import RandomizedDualSetSelector
    >>> X = load_digits().data
    >>> selector = RandomizedDualSetSelector(20, 10, random_state=0).fit(X)
    >>> bool((selector.weights_ > 0).all())
    True
    """

    n_clusters: Annotated[int, Count(1)] = 8

    def _select(self, problem: Problem) -> Selection:
        size, k = resolve_picks(problem, int(self.n_clusters), "n_clusters")
        _, Z = leading_right_singular_vectors(problem.A, k, problem.rng)
        n_drawn = max(size, int(np.ceil(16 * k * np.log(20 * k))))
        drawn, factors = merge(*draw(leverage(Z), n_drawn, problem.rng))
        # the rows of Z that were drawn are the columns of a matrix of their own
        _, V = right_singular_vectors(as_operand((Z[drawn] * factors[:, None]).T))
        indices, weights, looked_at = drawn, factors, 0
        if len(drawn) > size:
            found = sparsify(V, size, IdentityBarrier(len(drawn)))
            looked_at = found.looked_at
            indices, weights = merge(drawn[found.picks], factors[found.picks] * found.weights)
        return problem.weighted(
            indices, weights, rank=V.shape[1], n_picks=size, looked_at=looked_at,
            n_drawn=n_drawn, n_distinct=len(drawn),
        )  # fmt: skip

    @classmethod
    def promised_checks(
        cls, measured: Measured, labels: Indices | None
    ) -> tuple[list[Check], list[str]]:
        """Compare with Boutsidis & Magdon-Ismail, Lemma 8, less what the draws may lose."""
        spectrum = PickedSpectrum.of(measured)
        if spectrum is None:
            return [], []
        low = (1 - spectrum.gap) / np.sqrt(2)
        checks, notes = spectrum.where_determined(spectrum.extremes(low))
        told = "σ_min(VᵀΩS) is promised with probability 0.9, for V as the method found it"
        return checks, [told, *notes]

    @classmethod
    def promised_kmeans_factor(
        cls, measured: Measured, rank: int, labels: Indices | None, gamma: float
    ) -> KMeansFactor | None:
        """Return ``15 + 320γ((1+√(c/r))/(1−√(k/r)))²``, for the k that the method was told."""
        spectrum = PickedSpectrum.of(measured, rank)
        if spectrum is None:
            return None
        ratio = spectrum.weight_bound(measured.selection.info["n_drawn"]) / (1 - spectrum.gap)
        source = "Boutsidis & Magdon-Ismail, Theorem 5, with probability 0.4"
        return KMeansFactor(15 + 320 * gamma * ratio**2, source)
