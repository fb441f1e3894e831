"""Dual-set sparsification with a partition to preserve: features for k-means, with labels."""

from __future__ import annotations

import numpy as np

from ...barriers.sparsifying import FrobeniusBarrier
from ...certificates import Check
from ...certificates.kmeans import KMeansFactor
from ...certificates.measured import Measured
from ...foundation.typing import Indices
from ...linalg.partitions import as_labels, partition_mark
from ...linalg.projecting import residual_sq_norms
from ...linalg.svd import right_singular_vectors
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import SeesRows, Weighted
from .picking import resolve_picks, sparsified
from .promises import PickedSpectrum

__all__ = ["SupervisedDualSetSelector"]


@method(
    "supervised-dual-set",
    title="features that preserve a given partition (dual-set, Frobenius)",
    document="Boutsidis & Magdon-Ismail 2013, Algorithm 4",
    cost="m·n·min(m,n) + l·k³, then m·n·l for the errors",
    guarantee="k-means on them within 1 + 4γ/(1−√(k/l))² of the given partition",
    kernels=False,
    supervised="labels",
    weighted=True,
)
class SupervisedDualSetSelector(Weighted, SeesRows):
    """Choose and rescale features from which a given partition can be found again.

    **Objective.** Weighted columns C = A Ω S such that k-means on the rows of C gives a
    partition that is not much worse, on A, than the given one.

    **Algorithm.** Take the leading k right singular vectors V, k the number of classes, and B,
    what A leaves over after V stacked on what it leaves over after the class means. Per step,
    pick a column and a factor t that keep the eigenvalues of ``Σ t v vᵀ`` above a rising
    barrier with ``t ‖b‖²`` small; among those that do, the new one of largest norm.

    **Cost.** An SVD, O(m n min(m, n)), then O(k³) and a few dozen columns looked at per pick;
    one more pass over the data per pick for the error path.

    **Guarantee.** ``σ_k(VᵀΩS) ≥ 1 − √(k/l)`` and ``‖BΩS‖_F ≤ ‖B‖_F``; so a γ-approximate
    partition of C costs at most ``1 + 4γ/(1−√(k/l))²`` times what the given one does [1]_.

    **When to use it.** To publish or explain a clustering by few features; with class labels,
    to keep what separates the classes in the sense of k-means.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many picks, more than there are classes: a number, a fraction of the columns, or
        None for half of them.

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithms 1 and 4, Lemma 7, Theorem 2.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import SupervisedDualSetSelector
    >>> X, y = load_digits(return_X_y=True)
    >>> SupervisedDualSetSelector(20).fit(X, y).transform(X).shape
    (1797, 20)
    """

    def _select(self, problem: Problem) -> Selection:
        A = problem.columns
        codes, classes = as_labels(problem.y, A.shape[0])
        size, rank = resolve_picks(problem, len(classes), "the number of classes")
        _, V = right_singular_vectors(A, rank)
        counts = np.bincount(codes)
        means = A.rmatmat(np.eye(len(classes))[codes] / counts)
        sq_norms = residual_sq_norms(A, A.matmat(V), V)
        sq_norms += residual_sq_norms(A, np.eye(len(classes))[codes], means)
        selection = sparsified(problem, V, size, FrobeniusBarrier(sq_norms))
        # what is promised is promised for this partition only
        return selection.with_info(n_classes=len(classes), partition=partition_mark(codes))

    @classmethod
    def promised_checks(
        cls, measured: Measured, labels: Indices | None
    ) -> tuple[list[Check], list[str]]:
        """Compare with Boutsidis & Magdon-Ismail, Lemma 7; its bound on B is for its own labels."""
        spectrum = PickedSpectrum.of(measured)
        if spectrum is None:
            return [], []
        checks = spectrum.extremes(1 - spectrum.gap)
        notes = []
        if labels is None:
            notes.append("‖BΩS‖ ≤ ‖B‖ was not checked, because that needs labels")
        else:
            parts = zip(measured.outside(spectrum.V), measured.around(labels), strict=True)
            whole, chosen = (float(np.sqrt(measured.unscaled(sum(part)))) for part in parts)
            told = _made_for(measured.selection, labels)
            bound = whole if told else None
            checks.append(spectrum.check("residual_norm", "‖BΩS‖", chosen, bound))
            if not told:
                notes.append(
                    "these labels are not the ones that the columns were chosen for, so nothing "
                    "is promised about ‖BΩS‖"
                )
        checks, more = spectrum.where_determined(checks)
        return checks, notes + more

    @classmethod
    def promised_kmeans_factor(
        cls, measured: Measured, rank: int, labels: Indices | None, gamma: float
    ) -> KMeansFactor | None:
        """Return ``1 + 4γ/(1−√(k/r))²``, for the k and the labels that the method was told."""
        spectrum = PickedSpectrum.of(measured, rank)
        if spectrum is None or not _made_for(measured.selection, labels):
            return None
        source = "Boutsidis & Magdon-Ismail, Theorem 2"
        return KMeansFactor(1 + 4 * gamma / (1 - spectrum.gap) ** 2, source, of_labels=True)


def _made_for(selection: Selection, labels: Indices | None) -> bool:
    """Return whether these are the labels that a selection was made for."""
    return labels is not None and selection.info.get("partition") == partition_mark(labels)
