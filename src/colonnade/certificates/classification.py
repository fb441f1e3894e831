"""The classification part of a certificate: how far each decision value moves."""

from __future__ import annotations

import numpy as np

from ..foundation.lapack import np_svd
from ..foundation.typing import Array, Floats, Indices
from ..linalg.svd import right_singular_vectors
from ..operands.blocks import block_slices
from ..operands.interface import Columns
from .certificate import Check, compare
from .measured import Measured

__all__ = ["rlsc_checks"]

EPS = float(np.finfo(np.float64).eps)


def rlsc_checks(
    measured: Measured, codes: Indices, alpha: float, test: Columns
) -> tuple[list[Check], list[str], dict[str, Floats]]:
    """Return the change of the decision values and its bounds, see :func:`certify`.

    In the paper points are columns, here they are rows: ``A = V Σ Uᵀ``.
    """
    section = f"least-squares classification, λ = {alpha:g}"
    A, weights, indices = measured.A, measured.weights, measured.indices
    alpha = alpha * measured.unit**2  # decision values do not change with the unit
    # everything is linear in the test points, so they get a unit of their own
    unit = _unit(test.max_abs())
    back = measured.unit / unit
    if unit != 1.0:
        test = test.scaled(unit)
    sigma, U = right_singular_vectors(A)
    y = np.where(codes == 1, 1.0, -1.0)
    length = float(np.linalg.norm(y))
    kappa = float(sigma[0] / sigma[-1])
    epsilon, eta, margin = _distortions(measured, U, max(A.shape) * EPS * kappa)

    turned = U.T @ A.rmatmat(y) / sigma  # Vᵀy
    inner = test.matmat(U)
    decision = inner @ (sigma / (sigma**2 + alpha) * turned)
    reduced = decision.copy()  # exactly so, if nothing is left out: a second way would round
    if len(indices) < A.shape[1] or (weights != 1).any():
        chosen = _ridge(measured.reduced(), y, alpha)
        reduced = (test.columns(indices) * weights) @ chosen
    difference = np.abs(reduced - decision)

    along = np.linalg.norm(inner / sigma, axis=1)  # ‖α‖
    across = _outside(test, inner, U)  # ‖β‖
    size = np.sqrt(np.square(inner).sum(axis=1) + across**2)
    # what rounding may do to a solution of this condition
    condition = 1 + (sigma[0] ** 2 - sigma[-1] ** 2) / (sigma[-1] ** 2 + alpha)
    steep = float((sigma / (sigma**2 + alpha)).max())
    rounding = 100 * EPS * condition * steep * size * length

    notes = []
    points = {"decision": decision, "reduced": reduced, "difference": difference}
    points = {name: back * values for name, values in points.items()}
    if len(sigma) < A.shape[0]:
        notes.append(
            f"the {A.shape[0]} points have rank {len(sigma)}, where Theorem 1 of Paul & Drineas "
            "assumes full rank; κ and the bound, if there is one, are for the nonzero singular "
            "values"
        )
    checks = [
        compare(section, "epsilon", "ε = ‖I − UᵀRᵀRU‖₂", epsilon, 0.5, assumed=True),
        Check(section, "eta", "η = ‖U⊥ᵀRᵀRU‖₂", eta),
        Check(section, "kappa", "κ", kappa),
        Check(section, "largest_alpha", "largest ‖α‖", float(back * along.max())),
        Check(section, "largest_beta", "largest ‖β‖", float(across.max() / unit)),
        Check(section, "label_norm", "‖y‖", length),
    ]
    change = (section, "decision_change", "largest difference of a decision value")
    changed = float(np.mean((decision > 0) != (reduced > 0)))
    if margin <= 0:
        notes.append(
            "ε ≥ 1 as far as rounding can tell: too few columns for the rank of the points, so "
            "nothing is promised"
        )
        checks.append(Check(*change, float(back * difference.max())))
    else:
        if epsilon > 0.5:
            notes.append(
                "ε > 1/2, where Theorem 1 of Paul & Drineas ends: its factors 2 are taken as "
                "1/(1 − ε)"
            )
        factor = max(2.0, 1 / margin)
        bound = factor * eta / sigma[-1] * across * length
        if alpha > 0:
            bound = bound + factor * epsilon * kappa * along * length
        points["bound"] = back * bound
        checks.append(_largest(*change, difference, bound, rounding, back))
        inside = across <= 1e-10 * size
        if alpha > 0 and inside.any():
            # these may be so small that their squares are zero, so the largest is taken out
            shrink = 1 / (1 + alpha / sigma**2)
            peak = shrink[0] or 1.0
            shrunk = peak * np.linalg.norm(inner / sigma * (shrink / peak), axis=1)
            tight = factor * epsilon * kappa * shrunk * float(np.linalg.norm(turned))
            points["bound_in_span"] = np.where(inside, back * tight, np.nan)
            at = (difference[inside], tight[inside], rounding[inside])
            change = (section, "decision_change_in_span", "the same, in the span of X")
            checks.append(_largest(*change, *at, back))
    checks.append(
        Check(section, "class_changes", "share of test points that change class", changed)
    )
    return checks, notes, points


def _unit(largest: float) -> float:
    """Return a power of two that brings the largest entry near 1."""
    if largest == 0:
        return 1.0
    return float(2.0 ** -np.clip(np.floor(np.log2(largest)), -1000, 1000))


def _distortions(measured: Measured, U: Array, blur: float) -> tuple[float, float, float]:
    """Return ``ε = ‖I − UᵀRᵀRU‖₂``, ``η = ‖U⊥ᵀRᵀRU‖₂``, and ``1 − ε`` as far as it is certain.

    Where the least singular value of RU is zero, so is the last, and rounding must not make more
    of it: ``blur`` says how far rounding of the data may have turned U.
    """
    weights, indices = measured.weights, measured.indices
    values = measured.singular_values(U)
    least = max(0.0, float(values[-1] - blur * weights.max()))
    picked = measured.picked(U)
    outside = -U @ (picked.T @ picked)
    outside[indices] += picked * weights[:, None]
    return (
        float(np.abs(1.0 - np.square(values)).max()),
        float(np_svd(outside, compute_uv=False)[0]),
        min(least**2, 2.0 - float(values[0]) ** 2),
    )


def _outside(points: Columns, inner: Array, U: Array) -> Floats:
    """Return the length of each point outside the span of U, from the explicit difference."""
    squares = np.zeros(points.shape[0])
    for block in block_slices(points.shape[1], points.shape[0]):
        squares += np.square(points.columns(block) - inner @ U[block].T).sum(axis=1)
    return np.sqrt(squares)


def _ridge(C: Array, y: Floats, alpha: float) -> Floats:
    """Return the coefficients of regularized least squares, the shortest ones if α = 0."""
    left, sigma, right = np_svd(C, full_matrices=False)
    keep = sigma > sigma[0] * max(C.shape) * EPS
    shrink = sigma[keep] / (sigma[keep] ** 2 + alpha)
    return np.asarray(right[keep].T @ (shrink * (left[:, keep].T @ y)))


def _largest(
    section: str,
    key: str,
    label: str,
    difference: Floats,
    bound: Floats,
    rounding: Floats,
    back: float,
) -> Check:
    """Compare point by point, and show the largest of each in the unit of the user's data."""
    holds = bool((difference <= bound * (1 + 1e-9) + rounding).all())
    moved, allowed = float(back * difference.max()), float(back * bound.max())
    return Check(section, key, label, moved, allowed, holds)
