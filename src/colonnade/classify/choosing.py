"""Which λ is best, by what fits without them say about left-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..linalg.left_out import held_out
from ..linalg.ridge import Model, Problem

__all__ = ["best_level", "best_of", "decide"]


def decide(F: Array) -> Array:
    """Return the number of the class that f stands for, row by row."""
    return (F[:, 0] > 0).astype(np.intp) if F.shape[1] == 1 else F.argmax(axis=1)


def best_level(scores: Floats, losses: Floats, alphas: Floats) -> int:
    """Return the place of the λ of the best score, then of the smallest loss, then the largest."""
    # the last key counts first
    return int(np.lexsort((-alphas, losses, -scores))[0])


def best_of(
    problem: Problem, alphas: Floats, codes: Indices, folds: list[Any] | None, *, direct: bool
) -> tuple[int, Floats, Floats, Model]:
    """Score every λ and solve for the best.

    Parameters
    ----------
    problem : Problem
    alphas : ndarray
        Every λ.
    codes : ndarray of int
        The number of each row's class.
    folds : list of (train, test) or None
        None leaves out one row after another.
    direct : bool
        Whether the problem has a spectrum.

    Returns
    -------
    best : int
        The place of the best λ.
    scores, losses : ndarray
        Share of left-out rows that are classified correctly, and their mean squared error, by
        the weights of the rows.
    model : Model
    """
    weights = np.ones(len(codes)) if problem.weights is None else problem.weights
    spectrum = problem.spectrum(float(alphas.min())) if direct else None
    hits, losses = np.zeros(len(alphas)), np.zeros(len(alphas))
    for level, rows, F in held_out(problem, spectrum, alphas, folds):
        hits[level] += weights[rows] @ (decide(F) == codes[rows])
        losses[level] += weights[rows] @ np.square(F - problem.targets[rows]).sum(axis=1)
    tested = weights.sum() if folds is None else sum(weights[test].sum() for _, test in folds)
    scores, losses = hits / tested, losses / (tested * problem.targets.shape[1])
    best = best_level(scores, losses, alphas)
    if spectrum is None:
        return best, scores, losses, problem.solve(float(alphas[best]))
    return best, scores, losses, problem.from_spectrum(spectrum, float(alphas[best]))
