"""Dual-set sparsification: features for k-means, without labels."""

from __future__ import annotations

from typing import Annotated

from ...barriers.sparsifying import IdentityBarrier
from ...certificates import Check
from ...certificates.kmeans import KMeansFactor
from ...certificates.measured import Measured
from ...foundation.parameters import Count
from ...foundation.typing import Indices
from ...linalg.svd import right_singular_vectors
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Weighted
from .picking import resolve_picks, sparsified
from .promises import PickedSpectrum

__all__ = ["DualSetSelector"]


@method(
    "dual-set",
    title="features for k-means, deterministic (dual-set spectral sparsification)",
    document="Boutsidis & Magdon-Ismail 2013, Algorithm 5",
    cost="m·n·min(m,n) + l·k³, then m·n·l for the errors",
    guarantee="k-means on them within 1 + 4γ(1+√(n/l))²/(1−√(k/l))² of the optimum",
    weighted=True,
)
class DualSetSelector(Weighted):
    """Choose and rescale features such that clustering them by k-means clusters the data.

    **Objective.** Weighted columns C = A Ω S such that a good k-means partition of the rows of
    C is a good partition of the rows of A.

    **Algorithm.** Take the leading k right singular vectors V. Per step, pick a column and a
    factor t that keep the eigenvalues of ``Σ t v vᵀ`` above a rising lower barrier and all
    squared weights below a rising upper one; among those that do, the new one of largest norm.

    **Cost.** An SVD, O(m n min(m, n)), then O(k³) and a few dozen columns looked at per pick;
    one more pass over the data per pick for the error path.

    **Guarantee.** ``σ_k(VᵀΩS) ≥ 1 − √(k/l)`` and all weights at most ``1 + √(n/l)``; so a
    γ-approximate partition of C costs at most ``1 + 4γ(1+√(n/l))²/(1−√(k/l))²`` times the
    optimum on A [1]_. It holds for any l > k; :func:`colonnade.certify` says what was reached.

    **When to use it.** Before k-means, when the same features must come out every time.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many picks, more than ``n_clusters``: a number, a fraction of the columns, or None
        for half of them.
    n_clusters : int, default=8
        k; without ``n_select`` it is lowered if there are no more columns than that.

    Notes
    -----
    ``selection_.info["rank"]`` is k, or the rank of the data if that is less.

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithms 2 and 5, Lemma 8, Theorem 4. δ_Q is printed there without its root.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from colonnade import DualSetSelector
    >>> X = load_digits().data
    >>> clusters = make_pipeline(DualSetSelector(20, 10), KMeans(10, n_init=1, random_state=0))
    >>> len(set(clusters.fit_predict(X)))
    10
    """

    n_clusters: Annotated[int, Count(1)] = 8

    def _select(self, problem: Problem) -> Selection:
        size, k = resolve_picks(problem, int(self.n_clusters), "n_clusters")
        _, V = right_singular_vectors(problem.A, k)
        return sparsified(problem, V, size, IdentityBarrier(len(V)))

    @classmethod
    def promised_checks(
        cls, measured: Measured, labels: Indices | None
    ) -> tuple[list[Check], list[str]]:
        """Compare with Boutsidis & Magdon-Ismail, Lemma 8; its bound on weights is for any V."""
        spectrum = PickedSpectrum.of(measured)
        if spectrum is None:
            return [], []
        checks, notes = spectrum.where_determined(spectrum.extremes(1 - spectrum.gap))
        largest, bound = measured.weights.max(), spectrum.weight_bound(measured.A.shape[1])
        return [*checks, spectrum.check("largest_weight", "largest weight", largest, bound)], notes

    @classmethod
    def promised_kmeans_factor(
        cls, measured: Measured, rank: int, labels: Indices | None, gamma: float
    ) -> KMeansFactor | None:
        """Return ``1 + 4γ(1+√(n/r))²/(1−√(k/r))²``, for the k that the method was told."""
        spectrum = PickedSpectrum.of(measured, rank)
        if spectrum is None:
            return None
        ratio = spectrum.weight_bound(measured.A.shape[1]) / (1 - spectrum.gap)
        return KMeansFactor(1 + 4 * gamma * ratio**2, "Boutsidis & Magdon-Ismail, Theorem 4")
