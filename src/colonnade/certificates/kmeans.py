"""The k-means part of a certificate: Lemma 10 with every term measured."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Indices
from .certificate import Check, compare
from .measured import Measured, made_for

__all__ = ["kmeans_checks", "promised_factor"]


def promised_factor(
    measured: Measured, rank: int, labels: Indices | None, gamma: float
) -> tuple[float | None, str]:
    """Return the factor of the method's theorem, and where it is from.

    Promised only for the k that the method was told, and by Theorem 2 only for the labels that
    it was told.

    Parameters
    ----------
    measured : Measured
        The data and the choice.
    rank : int
        k, or the rank of the data if that is lower.
    labels : ndarray of int or None
        X_in, if there is one.
    gamma : float
        γ.
    """
    info = measured.selection.info
    r = int(info.get("n_picks", 0))
    if rank != info.get("rank") or not 0 < rank < r:
        return None, ""
    low = 1 - np.sqrt(rank / r)
    method = info.get("method")
    if method == "supervised-dual-set" and made_for(measured.selection, labels):
        return 1 + 4 * gamma / low**2, "Theorem 2"
    if method == "dual-set":
        high = 1 + np.sqrt(measured.A.shape[1] / r)
        return 1 + 4 * gamma * (high / low) ** 2, "Theorem 4"
    if method == "randomized-dual-set":
        high = 1 + np.sqrt(info["n_drawn"] / r)
        return 15 + 320 * gamma * (high / low) ** 2, "Theorem 5, with probability 0.4"
    return None, ""


def kmeans_checks(
    measured: Measured, codes: Indices, k: int, labels: Indices | None, gamma: float
) -> tuple[list[Check], list[str]]:
    """Return the terms of Lemma 10, its bound, and ratios of objectives.

    Parameters
    ----------
    measured : Measured
        The data and the choice.
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
        assumption = compare(section, "F(C, X_out) / F(C, X_in)", ratio, gamma, assumed=True)
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
            "the chosen columns miss one of the leading k directions (σ_k = 0): Lemma 10 says "
            "nothing"
        )
    elif np.isfinite(factor):
        rest = 2 * factor * (cost_in_reduced + chosen_E) / sigma**2
        bound = measured.unscaled(whole_E + rest)
    terms = {
        "‖E‖²": measured.unscaled(whole_E),
        "‖(I − X_in X_inᵀ)AΩS‖²": measured.unscaled(cost_in_reduced),
        "‖EΩS‖²": measured.unscaled(chosen_E),
        "σ_k²(VᵀΩS)": sigma**2,
    }
    checks = [Check(section, name, value) for name, value in terms.items()]
    if assumption is not None:
        checks.append(assumption)
    slack, paid = measured.unscaled(rounding), measured.unscaled(cost)
    checks.append(compare(section, "F(A, X_out)", paid, bound, slack=slack))
    # directions that were left out are zero as far as can be told, and so is what is beyond them
    best = whole_E if V.shape[1] == k else 0.0
    ratio = _ratio(cost, best, rounding)
    checks.append(Check(section, "F(A, X_out) / ‖A − A_k‖²", ratio))
    if not np.isfinite(ratio):
        notes.append(
            "the data has rank k or less, as far as can be told: ‖A − A_k‖² = 0 says nothing on "
            "the optimum"
        )
    reached = gamma if assumption is None else factor
    promised, source = promised_factor(measured, V.shape[1], labels, reached)
    if promised is None or not np.isfinite(promised):
        return checks, notes
    if assumption is not None:
        ratio = _ratio(cost, cost_in, rounding)
        checks.append(compare(section, "F(A, X_out) / F(A, X_in)", ratio, promised))
    # that X_out is no γ-approximation of X_in says nothing on the best partition
    supervised = source == "Theorem 2"
    if supervised or assumption is None or assumption.holds:
        than = "F(A, X_in)" if supervised else "the optimum"
        notes.append(f"F(A, X_out) is promised to be within {promised:.4g} times {than} ({source})")
    return checks, notes


def _ratio(one: float, other: float, rounding: float) -> float:
    """Return a ratio of squared norms, 1 if both are zero."""
    if other <= rounding:
        return 1.0 if one <= rounding else np.inf
    return one / other
