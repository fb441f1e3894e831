"""The k-means part of a certificate: a bound with every term measured.

The lemmas and theorems are those of Boutsidis & Magdon-Ismail, "Deterministic feature selection
for k-means clustering".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..foundation.typing import Indices
from ..registry import Method
from .certificate import Check, compare
from .measured import Measured

__all__ = ["KMeansFactor", "kmeans_checks"]


@dataclass(frozen=True)
class KMeansFactor:
    """How much worse than another partition X_out may be on all columns, by a theorem.

    Attributes
    ----------
    value : float
        ``F(A, X_out)`` is at most this many times the objective of the other one.
    source : str
        Authors and theorem.
    of_labels : bool
        Whether the other one is X_in alone; if not, it is any, and so the best.
    """

    value: float
    source: str
    of_labels: bool = False


def kmeans_checks(
    measured: Measured,
    method: Method | None,
    codes: Indices,
    k: int,
    labels: Indices | None,
    gamma: float,
) -> tuple[list[Check], list[str]]:
    """Return the terms of Lemma 10, its bound, and ratios of objectives.

    Parameters
    ----------
    measured : Measured
        The data and the choice.
    method : Method or None
        Whose promises to check, if it is known.
    codes : ndarray of int
        X_out.
    k : int
        How many clusters.
    labels : ndarray of int or None
        X_in; X_out by default.
    gamma : float
        γ.
    """
    section = f"k-means, k = {k}"
    notes = []
    _, V = measured.spectrum(k)
    whole_E, chosen_E = measured.outside(V)
    cost, cost_reduced = measured.around(codes)
    sigma = float(measured.singular_values(V)[-1])
    if labels is not None and labels.max() >= k:
        notes.append(
            f"the labels have {labels.max() + 1} classes, more than k = {k}: they are no X_in"
        )
        labels = None
    rounding = 1e-20 * measured.total
    # of itself every partition is a 1-approximation
    cost_in, cost_in_reduced = (cost, cost_reduced)
    assumption, factor = None, 1.0
    if labels is not None:
        cost_in, cost_in_reduced = measured.around(labels)
        ratio = _ratio(cost_reduced, cost_in_reduced, rounding)
        label = "F(C, X_out) / F(C, X_in)"
        assumption = compare(section, "gamma", label, ratio, gamma, assumed=True)
        # the bounds are true for any γ that X_out does reach
        factor = gamma if assumption.holds else ratio
        if not assumption.holds:
            notes.append(
                f"X_out is no γ-approximation on the reduced data for γ = {gamma:g}; the bounds "
                f"are for γ = {ratio:.4g}, which it does reach"
                if np.isfinite(ratio)
                else "X_in costs nothing on the reduced data and X_out does, so that it is no "
                "γ-approximation for any γ, and nothing is promised"
            )
    bound = None
    if sigma <= 1e-12 * max(1.0, float(measured.weights.max(initial=0.0))):
        notes.append(
            "the chosen columns miss one of the leading k directions (σ_k = 0): Lemma 10 of "
            "Boutsidis & Magdon-Ismail says nothing"
        )
    elif np.isfinite(factor):
        rest = 2 * factor * (cost_in_reduced + chosen_E) / sigma**2
        bound = measured.unscaled(whole_E + rest)
    reduced_label = "‖(I − X_in X_inᵀ)AΩS‖²"
    checks = [
        Check(section, "best_rank_error", "‖E‖²", measured.unscaled(whole_E)),
        Check(section, "reduced_kmeans_cost", reduced_label, measured.unscaled(cost_in_reduced)),
        Check(section, "reduced_best_rank_error", "‖EΩS‖²", measured.unscaled(chosen_E)),
        Check(section, "sigma_k_squared", "σ_k²(VᵀΩS)", sigma**2),
    ]
    if assumption is not None:
        checks.append(assumption)
    slack, paid = measured.unscaled(rounding), measured.unscaled(cost)
    checks.append(compare(section, "kmeans_cost", "F(A, X_out)", paid, bound, slack=slack))
    # directions that were left out are zero as far as can be told, and so is what is beyond them
    best = whole_E if V.shape[1] == k else 0.0
    ratio = _ratio(cost, best, rounding)
    checks.append(Check(section, "kmeans_ratio", "F(A, X_out) / ‖A − A_k‖²", ratio))
    if not np.isfinite(ratio):
        notes.append(
            "the data has rank k or less, as far as can be told: ‖A − A_k‖² = 0 says nothing on "
            "the optimum"
        )
    reached = gamma if assumption is None else factor
    promise = None
    if method is not None:
        promise = method.selector.promised_kmeans_factor(measured, V.shape[1], labels, reached)
    if promise is None or not np.isfinite(promise.value):
        return checks, notes
    if assumption is not None:
        ratio, label = _ratio(cost, cost_in, rounding), "F(A, X_out) / F(A, X_in)"
        checks.append(compare(section, "kmeans_ratio_to_labels", label, ratio, promise.value))
    # that X_out is no γ-approximation of X_in says nothing on the best partition
    if promise.of_labels or assumption is None or assumption.holds:
        other = "F(A, X_in)" if promise.of_labels else "the optimum"
        notes.append(
            f"F(A, X_out) ≤ {promise.value:.4g} times {other} is promised ({promise.source})"
        )
    return checks, notes


def _ratio(one: float, other: float, rounding: float) -> float:
    """Return a ratio of squared norms, 1 if both are zero."""
    if other <= rounding:
        return 1.0 if one <= rounding else np.inf
    return one / other
