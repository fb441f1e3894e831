"""How well each λ does on left-out rows of data in chunks: sums over the blocks, by one pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..linalg.ridge import Model
from ..linalg.summed_ridge import Directions
from ..operands.blocks import block_slices
from ..operands.chunked.array import Chunked
from ..operands.chunked.engine import shared
from ..operands.interface import Columns
from .choosing import decide

__all__ = ["Scored", "folds_scored", "rows_scored"]

SPANNED = 1e-13
"""A row of which less than this lies outside of the others' span has nothing there but rounding."""

Seen = tuple[Indices, Array, Floats, Array]
"""Of each row its class, its targets, its weight, and its share in a mean or its fold."""


class Scored(NamedTuple):
    """For each λ the share of left-out rows that are classified correctly, and their mean loss."""

    scores: Floats
    losses: Floats


def rows_scored(
    A: Chunked, found: Directions, alphas: Floats, offset: Floats, seen: Seen
) -> Scored:
    """Say how well each λ does on rows that are left out one at a time, by one pass.

    Parameters
    ----------
    A : Chunked
        The data as it was fitted: in units, less its means, with weights.
    found : Directions
        Its singular vectors.
    alphas : ndarray of shape (n_alphas,)
        Every λ.
    offset : ndarray of shape (k,)
        What was taken out of the targets.
    seen : tuple
        What is known of each row, with its share in a mean, or 0 without an intercept.
    """
    sums = _summed(A, _leave_each_out, (found, alphas, offset), seen)
    weight = float(seen[2].sum())
    return Scored(sums[0] / weight, sums[1] / (weight * seen[1].shape[1]))


def folds_scored(A: Chunked, fits: list[list[Model]], seen: Seen) -> Scored:
    """Say how well each λ does on rows that are left out together, by one pass.

    Parameters
    ----------
    A : Chunked
        The data, in units.
    fits : list of list of Model
        For each fold the fit to all others, for each λ.
    seen : tuple
        What is known of each row, with its fold.
    """
    codes, targets, weights, folds = seen
    coef = np.concatenate([model.coef for fit in fits for model in fit], axis=1)
    constants = np.array([[model.intercept for model in fit] for fit in fits])
    tested = np.where(folds < len(fits), weights, 0.0)
    sums = _summed(A, _leave_folds_out, (coef, constants), (codes, targets, tested, folds))
    return Scored(sums[0] / tested.sum(), sums[1] / (tested.sum() * targets.shape[1]))


def _summed(A: Chunked, function: Any, given: Any, seen: Seen) -> Floats:
    """Return hits and losses for each λ, added up in the order of the blocks."""
    sent = shared(given)
    cuts = A.row_parts("a label for each row")
    found = A.over_rows(
        function, "left-out rows", lambda i: (sent, tuple(values[cuts[i]] for values in seen))
    )
    total: Floats = np.sum(found, axis=0)
    return total


def _leave_each_out(A: Columns, given: tuple[Directions, Floats, Floats], seen: Seen) -> Floats:
    """Return hits and losses of rows for which the fit without them follows from that with all.

    With ``U = XV/σ`` the error of a row is ``(G y)ᵢ / Gᵢᵢ`` for ``G = I − U diag(σ²/(σ²+λ)) Uᵀ``,
    of which one row needs its row of U alone. What cancels outside of U is left out where it
    is rounding.
    """
    found, alphas, offset = given
    codes, targets, weights, shares = seen
    m, k, levels = A.shape[0], targets.shape[1], len(alphas)
    out = np.zeros((2, levels))
    if not m:
        return out
    s = np.square(found.values)[:, None]
    # α/(s+α), or that over α where α is 0 and only rows that U spans need it
    shrunk = np.where(alphas > 0, alphas, 1.0) / (s + alphas)
    turned = np.square(found.blur[:, None] * s / (s + alphas))
    squares, below, blurred = np.zeros(m), np.zeros((m, levels)), np.zeros((m, levels))
    fit, above = np.zeros((m, k)), np.zeros((m, levels, k))
    for part in block_slices(len(found.values), m):
        U = A.matmat(found.V[:, part] / found.values[part])
        inside = found.inside[part]
        fit += U @ inside
        for level in range(levels):
            above[:, level] += U @ (inside * shrunk[part, level, None])
        np.square(U, out=U)
        squares += U.sum(axis=1)
        below += U @ shrunk[part]
        blurred += U @ turned[part]
    roots = np.sqrt(weights)
    there = roots > 0
    outside = 1.0 - squares - shares
    left = (targets - offset) * roots[:, None] - fit
    for level, alpha in enumerate(alphas):
        free = outside > np.maximum(blurred[:, level], SPANNED)
        inner = free & (alpha == 0)  # there nothing is left of what lies in U
        over, under = np.where(inner[:, None], 0.0, above[:, level]), below[:, level].copy()
        under[inner] = 0.0
        over[free] += left[free]
        under[free] += outside[free]
        errors = over[there] / (under[there] * roots[there])[:, None]
        out[:, level] = _judged(targets[there], errors, codes[there], weights[there])
    return out


def _leave_folds_out(A: Columns, given: tuple[Floats, Floats], seen: Seen) -> Floats:
    """Return hits and losses of rows by the fits to all folds but theirs."""
    coef, constants = given
    codes, targets, weights, folds = seen
    n_folds, levels, k = constants.shape
    out = np.zeros((2, levels))
    rows = np.flatnonzero(weights)
    if not len(rows):
        return out
    F = A.matmat(coef).reshape(-1, n_folds, levels, k)[rows, folds[rows]]
    F += constants[folds[rows]]
    for level in range(levels):
        errors = targets[rows] - F[:, level]
        out[:, level] = _judged(targets[rows], errors, codes[rows], weights[rows])
    return out


def _judged(targets: Array, errors: Floats, codes: Indices, weights: Floats) -> tuple[float, float]:
    """Return the weight of the rows whose class is right, and that of squared errors."""
    hits = weights @ (decide(targets - errors) == codes)
    return float(hits), float(weights @ np.square(errors).sum(axis=1))
