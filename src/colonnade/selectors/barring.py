"""Columns that are no candidates, for methods that cannot be told so: choose among the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..foundation.typing import Indices
from ..operands.preparing import Preparation
from ..selection import Selection
from .problem import Problem

if TYPE_CHECKING:
    from .base import Selector

__all__ = ["chosen_among_others"]


def chosen_among_others(selector: Selector, problem: Problem, barred: Sequence[int]) -> Selection:
    """Return the choice from the columns that are not barred, followed on all columns.

    Barred columns, such as copies of others, are none that a method sees, but count as what is to
    be explained.

    Parameters
    ----------
    selector : Selector
        The method.
    problem : Problem
        The question about all columns.
    barred : sequence of int
        The columns that are no candidates.
    """
    kept = np.setdiff1d(np.arange(problem.n_candidates), barred)
    if len(kept) == 0:
        raise ValueError("no column is left to choose from; bar fewer")
    part = Problem(
        problem.A.subset(kept), problem.asked, max_error=problem.max_error, y=problem.y,
        random_state=problem.rng, preparation=_part_of(problem.preparation, kept),
        weight=problem.weight,
    )  # fmt: skip
    part.unit, part.sweeps, part.progress = problem.unit, problem.sweeps, problem.progress
    found = selector._select(part)
    chosen = kept[found.indices]
    problem.n_select, problem.max_error = len(chosen), None
    followed = problem.ranked(chosen)
    return followed.replace(weights=found.weights).with_info(**found.info)


def _part_of(prepared: Preparation, kept: Indices) -> Preparation:
    def of(values: Any) -> Any:
        return None if values is None else values[kept]

    return replace(
        prepared,
        means=of(prepared.means),
        units=of(prepared.units),
        varying=of(prepared.varying),
    )
