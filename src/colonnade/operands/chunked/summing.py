"""One pass over tall data: means, extremes and inner products of all columns, in tiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np

from ...foundation.typing import Floats
from ..entrance import wrapped
from ..interface import Columns, stacked_triangle
from ..sums import Sums, Tile
from .checkpoint import Kept
from .engine import BATCH, shared, task
from .planning import Found, check_pass, check_plan, plan_sums
from .resources import current
from .source import Source, Treatments
from .tasks import Part, Treatment, Where, add_sums, assembled, block_sums

__all__ = ["LANES", "TILE", "WHOLE", "grouped_tiles", "lanes_for", "runs", "summed", "triangle_of"]

WHOLE = 2048
"""Up to this many columns all products are one tile."""
TILE = 1024
"""How many columns a tile of more has: its products stay in the cache of a core."""
GROUP_BYTES = 256 * 2**20
"""How much the tiles that a task works on may take."""
LANES = 16
"""In how many runs, at least, the blocks of a batch are added up side by side."""


def grouped_tiles(n: int) -> list[list[Tile]]:
    """Return the tiles of the upper triangle of an n × n matrix, in groups for a task each."""
    if n <= WHOLE:
        return [[(slice(0, n), slice(0, n))]]
    cuts = [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]
    tiles = [(a, b) for i, a in enumerate(cuts) for b in cuts[i:]]
    size = max(1, GROUP_BYTES // (8 * TILE * TILE))
    return [tiles[start : start + size] for start in range(0, len(tiles), size)]


def lanes_for(n_groups: int) -> int:
    """Return how many runs of blocks are added up side by side, for each group of tiles."""
    return max(1, LANES // n_groups)


def runs(count: int, lanes: int) -> Iterator[range]:
    """Cut a batch into runs of blocks that follow each other."""
    cuts = np.linspace(0, count, min(lanes, count) + 1).round().astype(int).tolist()
    return (range(a, b) for a, b in pairwise(cuts))


def summed(source: Source, weights: Floats | None, *, products: bool, name: str = "") -> Sums:
    """Return the sums over all rows, by one pass that also looks at all entries.

    Blocks are added in runs of fixed length, and runs in a fixed order, so the result is the same
    however many workers there are.

    Parameters
    ----------
    source : Source
        The data.
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    products : bool
        Whether to form inner products of columns.
    name : str
        What this part of the work is called in a checkpoint, if there are others of its kind.
    """
    check_plan(plan_sums(source, products=products))
    n = source.shape[1]
    groups: list[list[Tile]] = grouped_tiles(n) if products else [[]]
    names = [shared(group) for group in groups]
    rows = source.n_blocks[0]
    what = "products" if products else "sums"
    kept = Kept.of(source, name or what, {}, weights)
    # one name for both, so that an interrupt never finds one without the other
    state: tuple[int, list[Any]] = (0, [None] * len(groups))
    if kept is not None:
        state = kept.sums(groups) or state
        if state[0]:
            kept.check_lines(source, state[1][0].value[1])
    first = state[0]
    given = current()
    try:
        while state[0] < rows:
            batch = range(state[0], min(state[0] + BATCH, rows))
            parts = _batch(source, batch, weights, names, marked=kept is not None)
            source.note(parts)
            state = (batch.stop, _added_to(state[1], parts))
            del parts  # or those of two batches would be held
            if kept is not None:
                kept.save_sums(*state, now=batch.stop == rows)
            if given.progress is not None:
                given.progress(what, batch.stop, rows)
    except BaseException:
        # what raises, an interrupt too, lets it go on from here later; a process that is ended does
        # not, and goes on from what was kept last
        if kept is not None and first < state[0] < rows:
            kept.save_sums(*state, now=True)
        raise
    totals = state[1]
    source.end_pass((rows - first) / rows)
    source.checked = True  # what was kept had been looked at
    source.heights = tuple(height for height, _ in totals[0].value[1])
    found = [total.value[0] for total in totals]
    if found[0] is None:
        what = "rows" if weights is None else "rows with a weight"
        raise ValueError(f"X has no {what}; there is nothing to choose from")
    head = found[0]
    return Sums(
        head.n_rows, head.weight, head.means, head.squares, head.low, head.high,
        tuple(tile for group in groups for tile in group),
        tuple(part for sums in found for part in sums.parts),
        head.weighted,
    )  # fmt: skip


def _added_to(totals: list[Any], parts: list[Part]) -> list[Any]:
    """Return the sums of all groups of tiles with those of the runs of a batch."""
    lanes = len(parts) // len(totals)
    out = []
    for g, total in enumerate(totals):
        for part in parts[g * lanes : (g + 1) * lanes]:
            total = part if total is None else add_sums(total, part)
        out.append(Part(total.value, 0))
    return out


def _batch(
    source: Source, batch: range, weights: Floats | None, groups: list[Any], *, marked: bool
) -> list[Part]:
    """Return the sums over the blocks of a batch, for each group of tiles and each run."""
    from .engine import computed

    tasks = []
    for group in groups:
        for run in runs(len(batch), lanes_for(len(groups))):
            before: Any = None
            for i in (batch[k] for k in run):
                before = task(
                    block_sums, before, source.panel(i, 0), source.where_panel(i, 0),
                    not source.checked, _weights_of(source, weights, i), group, marked,
                )  # fmt: skip
            tasks.append(before)
    found = computed(tasks)
    # all groups share the blocks, which are read once
    once = len(found) // len(groups)
    return [*found[:once], *(Part(part.value, 0) for part in found[once:])]


def _weights_of(source: Source, weights: Floats | None, i: int) -> Floats | None:
    starts = source.starts(0)
    if weights is None or starts is None:
        return None
    return weights[starts[i] : starts[i + 1]]


def triangle_of(source: Source, treatments: Treatments) -> Floats:
    """Return R of a QR factorization of treated rows, by one pass: n × n, padded by zeros.

    It has the inner products of the columns without the squaring of their condition.
    """
    n = source.shape[1]
    rows = source.n_blocks[0]
    lanes = int(np.clip(2**31 // (8 * n * n), 1, LANES))
    square = 8 * n * n
    # a task stacks a strip of its rows and the triangle before, and has a copy to decompose
    strip = 8 * n * min(_strip_rows(n), max(source.heights or (0,)))
    needs = Found(square, 3 * lanes * square // 2, 2 * (strip + square))
    # runs go side by side, not blocks
    check_pass(source, "a triangle of the columns", 0, needs, count=min(rows, lanes))
    found: list[Part] = []
    for first in range(0, rows, BATCH):
        batch = range(first, min(first + BATCH, rows))
        tasks = []
        for run in runs(len(batch), lanes):
            before: Any = None
            for i in (batch[k] for k in run):
                before = task(
                    _add_rows, before, source.panel(i, 0), source.where_panel(i, 0),
                    not source.checked, treatments.of_panel(i, 0),
                )  # fmt: skip
            tasks.append(before)
        parts = source.run(tasks, "triangle", batch, rows)
        found = [Part(stacked_triangle([part.value for part in [*found, *parts]]), 0)]
        del parts  # or those of two batches would be held
    source.end_pass()
    R = found[0].value
    return R if len(R) == n else np.vstack([R, np.zeros((n - len(R), n))])


def _add_rows(
    before: Part | None, blocks: Any, where: Where, check: bool, treatment: Treatment
) -> Part:
    """Add the rows of some blocks to a triangle."""
    X, read = assembled(blocks, where, check)
    A: Columns = treatment.applied(wrapped(X))
    strips: Iterable[Any] = [] if before is None else [before.value]
    read += 0 if before is None else before.read
    if A.shape[0]:
        # one at a time: in float64, and dense, they may be much larger than the blocks
        strips = chain(strips, A.row_strips(_strip_rows(A.shape[1])))
    elif not strips:
        return Part(np.zeros((0, A.shape[1])), read)
    return Part(stacked_triangle(strips), read)


def _strip_rows(n: int) -> int:
    """Return how many rows of n columns are decomposed at a time."""
    return max(2 * n, 256)
