"""What to compare an answer with: the best that could be, and random choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.typing import Mask
from ..metrics import best_rank_error
from ..metrics.reconstruction import EXACT_SIDE, error_of
from ..operands.interface import Columns, Operand

__all__ = ["Beside", "beside"]

DRAWS = 10
"""Of how many random choices a mean is shown; fewer if the data is large."""
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
    draws : int
        Of how many.
    """

    bound: float
    exact: bool
    random: float | None
    draws: int

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
    work = 4.0 * A.shape[0] * A.shape[1] * count
    if isinstance(A, Columns) and not A.decomposes_directly:
        work = 4.0 * A.shape[0] * count * count + A.pass_bytes * count
    draws = int(min(DRAWS, WORK // work)) if len(free) > count else 0  # all say nothing
    rng = np.random.RandomState(seed)
    errors = [error_of(A, np.sort(rng.permutation(free)[:count])) for _ in range(draws)]
    return Beside(bound, exact, 1.0 - float(np.mean(errors)) if draws else None, draws)
