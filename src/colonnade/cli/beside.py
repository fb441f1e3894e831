"""What to compare an answer with: the best that could be, and random choice."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.typing import Indices, Mask
from ..linalg.projecting import orthonormal_basis
from ..metrics import best_rank_error
from ..metrics.reconstruction import EXACT_SIDE, error_of
from ..operands.interface import Columns, Operand
from ..selectors.sizing import EXACT_BOUND

__all__ = ["Beside", "beside", "told"]

DRAWS = 30
"""Of how many random choices a mean is shown; of all if there are no more, of fewer if the data is
large."""
WORK = 2e10
"""Multiplications that random choices may take; about ten seconds."""


@dataclass(frozen=True)
class Beside:
    """Shares that other choices of the same size explain.

    Attributes
    ----------
    bound : float
        What as many singular directions explain: no choice explains more.
    exact : bool
        Whether that is known to all digits; if not, it may be slightly more.
    random : float or None
        The mean of what random choices explain; None if finding out takes too long.
    """

    bound: float
    exact: bool
    random: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return these as plain values."""
        return {"bound": self.bound, "bound_is_exact": self.exact, "random": self.random}


def beside(A: Operand, count: int, candidates: Mask | None, seed: int) -> Beside | None:
    """Return what to compare so many choices with; None if there is nothing to explain.

    Parameters
    ----------
    A : Operand
        The data as the method sees it.
    count : int
        How many were chosen.
    candidates : ndarray of bool or None
        Which could be chosen.
    seed : int
        Random seed.
    """
    total = float(A.sq_norms().sum())
    if not 0 < total < np.inf or count == 0:
        return None
    bound = 1.0 - best_rank_error(A, count) / total
    exact = min(A.shape) <= EXACT_SIDE or count >= min(A.shape)
    free = np.arange(A.shape[1]) if candidates is None else np.flatnonzero(candidates)
    work = A.shape[0] * count * float(A.shape[1] + 2 * count)
    if isinstance(A, Columns) and not A.decomposes_directly:
        work = 2.0 * count * (A.shape[0] * count + A.pass_bytes)
    sets = _subsets(free, count, int(min(DRAWS, WORK // work)), np.random.RandomState(seed))
    shares = [_explained(A, chosen, total) for chosen in sets]
    return Beside(bound, exact, float(np.mean(shares)) if shares else None)


def told(size: Mapping[str, Any], A: Operand) -> Beside | None:
    """Return what is known from proposing the size; None if that was about a target.

    Parameters
    ----------
    size : dict
        ``info["size"]`` of a selection.
    A : Operand
        The data as the method sees it.
    """
    row = next(row for row in size["table"] if row["n_select"] == size["n_select"])
    if row["bound"] is None:
        return None
    exact = isinstance(A, Columns) and min(A.shape) <= EXACT_BOUND
    return Beside(row["bound"], exact, row["random"])


def _subsets(free: Indices, count: int, draws: int, rng: np.random.RandomState) -> list[Indices]:
    """Return some sets of so many columns: all, if there are few; none if there is only one."""
    if len(free) <= count or not draws:
        return []
    if math.comb(len(free), count) <= draws:
        return [np.array(some) for some in itertools.combinations(free.tolist(), count)]
    return [rng.permutation(free)[:count] for _ in range(draws)]


def _explained(A: Operand, chosen: Indices, total: float) -> float:
    """Return the share that some columns explain; its last digits do not matter here."""
    if not isinstance(A, Columns):
        return 1.0 - error_of(A, chosen)
    coordinates = A.rmatmat(orthonormal_basis(A, chosen))
    return float(np.square(coordinates).sum()) / total
