"""Independent draws with replacement, rescaled so that sums keep their expectation."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Array, Floats, Indices

__all__ = ["draw", "leverage", "merge"]


def leverage(V: Array) -> Floats:
    """Return the leverage scores ``‖v_i‖²/k`` of the rows of orthonormal V; they sum to 1."""
    scores = np.einsum("ij,ij->i", V, V)
    return np.asarray(scores / scores.sum())


def draw(probabilities: Floats, n_draws: int, rng: np.random.RandomState) -> tuple[Indices, Floats]:
    """Draw indices independently, and return them with the factors ``1/√(r p_i)``.

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithm 3.
    """
    mass = np.cumsum(probabilities)
    picks = np.searchsorted(mass, rng.uniform(0.0, mass[-1], n_draws), side="right")
    # rounding may put the last bit of mass beyond the last index that has any
    picks = np.minimum(picks, np.flatnonzero(probabilities)[-1])
    return picks, 1.0 / np.sqrt(n_draws * probabilities[picks])


def merge(picks: Indices, weights: Floats) -> tuple[Indices, Floats]:
    """Return every picked index once, in order, with the square sum of its weights' root.

    ``A ΩS (ΩS)ᵀ Aᵀ``, and so every guarantee, stays the same.
    """
    indices, first, inverse = np.unique(picks, return_index=True, return_inverse=True)
    squares = np.bincount(inverse, weights=np.square(weights))
    by_time = np.argsort(first)
    return indices[by_time], np.sqrt(squares[by_time])
