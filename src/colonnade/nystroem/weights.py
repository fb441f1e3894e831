"""Weights with which several approximations of one kernel are mixed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import nnls

from ..foundation.lapack import cholesky, solve_triangular
from ..foundation.typing import Array, Floats, Indices

__all__ = ["LEARNERS", "draw_columns", "draw_landmarks", "learn_weights"]

GRID = np.geomspace(1e-8, 1e2, 21)
"""Ridge parameters that are tried, in units of the mean squared size of an approximation."""

RATES = np.geomspace(1e-1, 1e4, 21)
"""Rates of the exponential that are tried, for relative errors."""

KernelColumns = tuple[Indices, Floats]
"""Columns of a kernel, and how many columns each of them stands for."""


def draw_landmarks(
    n: int, size: int, count: int, rng: np.random.RandomState
) -> tuple[list[Indices], Indices, Indices]:
    """Return the landmarks of each expert, all of them, and all other points, in random order.

    Disjoint landmarks of all experts come in turn, so that the first few have some of each.
    """
    order = rng.permutation(n)
    if size * count <= n:
        drawn = np.split(order[: size * count], count)
        return drawn, np.array(drawn)[rng.permutation(count)].T.ravel(), order[size * count :]
    drawn = [rng.permutation(n)[:size] for _ in range(count)]
    among = np.isin(order, np.concatenate(drawn))
    return drawn, order[among], order[~among]


def draw_columns(
    landmarks: Indices, others: Indices, n_learn: int, n_judge: int
) -> tuple[KernelColumns, KernelColumns]:
    """Return columns to learn weights from, and columns to judge them by.

    An expert is exact on the columns of its own landmarks and poor elsewhere, and weights that
    are right for the one kind are wrong for the other. So half of the columns are landmarks, and
    each column stands for as many as its kind has for each that was drawn: the weighted sum of
    squares is an estimate without bias of the squared error on the whole kernel. Of a kind with
    few points all are taken, and more of the other; a single point serves twice.

    Parameters
    ----------
    landmarks, others : ndarray of int
        The points of each kind, in random order.
    n_learn, n_judge : int
        How many columns; two at least, one of each kind.

    Returns
    -------
    learn, judge : tuple of ndarray
        Columns and their weights.
    """
    n_learn, n_judge = max(n_learn, 2), max(n_judge, 2)
    total = n_learn + n_judge
    half = min(len(landmarks), max(total // 2, total - len(others)))
    sets: tuple[list[Indices], list[Indices]] = ([], [])
    counts: tuple[list[Floats], list[Floats]] = ([], [])
    for kind, share in ((landmarks, half), (others, min(len(others), total - half))):
        end = min(max(round(share * n_learn / total), 1), max(share - 1, 1))
        parts = (kind[:end], kind[end:share] if share > end else kind[:end])
        for i, part in enumerate(parts):
            sets[i].append(part)
            counts[i].append(np.full(len(part), len(kind) / max(len(part), 1)))
    learn, judge = (
        (np.concatenate(s), np.concatenate(c)) for s, c in zip(sets, counts, strict=True)
    )
    return learn, judge


def learn_weights(
    how: str,
    penalty: float | None,
    learn: tuple[Array, Array],
    judge: tuple[Array, Array],
) -> tuple[Floats, float]:
    """Return the weights of approximations and the parameter by which they were found.

    Parameters
    ----------
    how : str
        A key of :data:`LEARNERS`.
    penalty : float or None
        The parameter; None for the one that leaves least on the columns to judge by.
    learn, judge : tuple of ndarray
        Columns of the approximations (p × n × s) and of the kernel (n × s), times the roots of
        their weights.
    """
    learner, grid = LEARNERS[how]
    at = learner(*learn)
    if penalty is not None:
        return at(penalty), penalty
    parts, exact = judge

    def loss(penalty: float) -> float:
        return float(np.square(exact - np.tensordot(at(penalty), parts, 1)).sum())

    best = float(min(grid, key=loss))
    return at(best), best


def _ridge(parts: Array, exact: Array) -> Callable[[float], Floats]:
    """Return the nonnegative ridge regression of ``exact`` on the parts, by its parameter."""
    flat = parts.reshape(len(parts), -1)
    gram, side = flat @ flat.T, flat @ exact.ravel()
    even = np.full(len(parts), 1.0 / len(parts))
    unit = float(np.trace(gram)) / len(gram)

    def at(penalty: float) -> Floats:
        if unit == 0:  # nothing to tell the parts apart by
            return even
        # a trace of a ridge stays, since experts may be equal
        shift = (penalty + 1e-12) * unit
        L = cholesky(gram + shift * np.eye(len(gram)))
        mu = np.asarray(nnls(L.T, solve_triangular(L, side, lower=True))[0])
        return mu if mu.any() else even

    return at


def _exponential(parts: Array, exact: Array) -> Callable[[float], Floats]:
    """Return weights that fall exponentially with the experts' errors, by their rate."""
    errors = np.sqrt(np.square(parts - exact).sum(axis=(1, 2)) / (np.square(exact).sum() or 1.0))

    def at(rate: float) -> Floats:
        mu = np.exp(-rate * (errors - errors.min()))
        return np.asarray(mu / mu.sum())

    return at


LEARNERS: dict[str, tuple[Callable[[Array, Array], Callable[[float], Floats]], Array]] = {
    "ridge": (_ridge, GRID),
    "exponential": (_exponential, RATES),
}
"""Ways to learn weights, and the parameters that are tried."""
