"""Rows in chunks together with targets in memory: what all of them add up to, or each fold."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ...foundation.typing import Array, Floats, Indices
from ..containers import by_rows
from ..entrance import wrapped
from ..sums import Sums, sums_of
from .array import Chunked
from .engine import BATCH, task
from .planning import check_plan, plan_folds
from .source import Treatments
from .summing import LANES, runs, summed, triangle_of
from .tasks import Part, Where, assembled

__all__ = ["fold_sums", "joined", "target_sums", "target_triangle", "unit_sums"]

ROOM = 2**30
"""How many bytes the sums of all folds may take that are added up side by side."""


def target_sums(A: Chunked, targets: Array, weights: Floats | None) -> Sums:
    """Return the sums, with all products, of data and targets to the right of it; one pass."""
    source = A.source.with_targets(targets)
    found = summed(source, weights, products=True, name="labelled")
    A.source.checked = True
    return found


def unit_sums(A: Chunked, weights: Floats | None) -> Sums:
    """Return sums without products, of which units are learned; one pass."""
    return summed(A.source, weights, products=False, name="units")


def target_triangle(
    A: Chunked, targets: Array, means: Floats, factors: Floats, weights: Floats | None
) -> Floats:
    """Return R of a QR factorization of data and targets, less means and times factors.

    One pass; rows are times the square roots of their weights.
    """
    source = A.source.with_targets(targets)
    roots = None if weights is None else np.sqrt(weights)
    return triangle_of(source, Treatments(source, means, factors, roots))


def fold_sums(
    A: Chunked, targets: Array, weights: Floats | None, folds: Indices, n_folds: int
) -> list[Sums | None]:
    """Return the sums, with all products, of data and targets for the rows of each fold; one pass.

    Parameters
    ----------
    A : Chunked
        The data.
    targets : ndarray of shape (m, k)
        What goes to the right of it.
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    folds : ndarray of int of shape (m,)
        The fold of each row.
    n_folds : int
        How many there are; None stands for one without rows.
    """
    source = A.source.with_targets(targets)
    width = sum(source.widths)
    lanes = int(np.clip(ROOM // (8 * n_folds * width * width), 1, LANES))
    cuts = A.row_parts("a fold for each row")
    check_plan(plan_folds(source, n_folds, lanes))
    found: list[Sums | None] = [None] * n_folds
    for first in range(0, len(cuts), BATCH):
        batch = range(first, min(first + BATCH, len(cuts)))
        tasks = []
        for run in runs(len(batch), lanes):
            before: Any = None
            for i in (batch[number] for number in run):
                load = None if weights is None else weights[cuts[i]]
                before = task(
                    _add_folds, before, source.panel(i, 0), source.where_panel(i, 0),
                    not source.checked, load, folds[cuts[i]], n_folds,
                )  # fmt: skip
            tasks.append(before)
        for part in source.run(tasks, "products of folds"):
            found = _merged(found, part.value)
        del part  # or it would be held beside those of the next batch
    source.end_pass()
    A.source.checked = True
    return found


def _add_folds(
    before: Part | None, blocks: Any, where: Where, check: bool, weights: Floats | None,
    folds: Indices, n_folds: int,
) -> Part:  # fmt: skip
    X, read = assembled(blocks, where, check)
    X = by_rows(X)
    found: list[Sums | None] = []
    for fold in range(n_folds):
        rows = np.flatnonzero(folds == fold if weights is None else (folds == fold) & (weights > 0))
        load = None if weights is None else weights[rows]
        found.append(sums_of(wrapped(X[rows]), load) if len(rows) else None)
    if before is None:
        return Part(found, read)
    return Part(_merged(before.value, found), before.read + read)


def _merged(first: list[Sums | None], second: list[Sums | None]) -> list[Sums | None]:
    return [joined([a, b]) for a, b in zip(first, second, strict=True)]


def joined(parts: list[Sums | None]) -> Sums | None:
    """Return the sums over the rows of all parts that have any."""
    some = [part for part in parts if part is not None]
    return reduce(add, some) if some else None
