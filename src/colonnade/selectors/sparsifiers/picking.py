"""From orthonormal vectors and an upper barrier to a :class:`Selection` with weights."""

from __future__ import annotations

import numpy as np

from ...barriers.draws import merge
from ...barriers.sparsifying import UpperBarrier, sparsify
from ...foundation.typing import Array
from ...selection import Selection
from ..problem import Problem

__all__ = [
    "NEGLIGIBLE",
    "resolve_picks",
    "sparsified",
]

NEGLIGIBLE = 1e-12
"""Rows of V that together hold this much of a direction, or less, are not picked."""


def resolve_picks(problem: Problem, rank: int, name: str) -> tuple[int, int]:
    """Return how many picks to make, and the rank, which must be lower.

    Parameters
    ----------
    problem : Problem
        Says how many columns there are, and how many are asked for: None for half of them, or
        more if the rank wants it. If even all columns are too few for the rank, it is lowered
        then.
    rank : int
        k.
    name : str
        The parameter that set the rank, for the message.
    """
    n = int(problem.allowed.sum())
    size = problem.n_select or 0
    if problem.asked is None and n > 1:
        size = min(n, max(size, rank + 1))
        rank = min(rank, size - 1)
    if n == 1:
        raise ValueError("n_features=1, but at least two columns are needed to choose from")
    if size <= rank:
        cures = [f"choose n_select from {rank + 1} to {n}"] if rank < n else []
        cures += [f"lower {name} to at most {size - 1}"] if size > 1 else []
        raise ValueError(
            f"n_select={size} with {name}={rank}: there must be more columns than that; "
            + " or ".join(cures or ["choose n_select at least 2"])
        )
    return size, rank


def sparsified(problem: Problem, V: Array, n_picks: int, upper: UpperBarrier) -> Selection:
    """Pick between the barriers, merge repeats, and follow the choice on the data.

    Any row of V may be picked, its weight being the larger the shorter it is. Those that the
    spectrum does not need, to more digits than are promised of it, take no part: many are
    rounding, as are those of columns far smaller than others, which weights would magnify.
    """
    needed = np.square(V).sum(axis=1) > NEGLIGIBLE / len(V)
    found = sparsify(np.where(needed[:, None], V, 0.0), n_picks, upper)
    indices, weights = merge(found.picks, found.weights)
    return problem.weighted(
        indices, weights, rank=V.shape[1], n_picks=n_picks, looked_at=found.looked_at
    )
