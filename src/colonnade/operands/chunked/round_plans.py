"""The plan of two rounds over the columns of a part each, and of all work on some data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .engine import BATCH, FAN_IN
from .planning import BESIDE, Found, Plan, panel_bytes, plan_pass, tasks_at_once
from .source import Source

__all__ = ["following_needs", "plan_following", "plan_rounds"]


def plan_rounds(
    source: Source,
    *,
    turned: bool,
    n_select: int,
    n_winners: int,
    target_width: int,
    exact: bool,
    given: bool,
    itemsize: int,
    keeps_embedding: bool,
    treatment_bytes: int = 0,
) -> Plan:
    """Return the plan of a choice in two rounds.

    Parameters
    ----------
    source : Source
        The data; how many rows it has is known.
    turned : bool
        Whether rows are the candidates.
    n_select, n_winners : int
        How many columns are chosen, and how many each part sends.
    target_width : int
        How many columns the target has.
    exact : bool
        Whether it comes from ``A Aᵀ``.
    given : bool
        Whether it is there already; if not, and not exact, it is a sketch.
    itemsize : int
        The bytes of an entry as it is seen: with means, units or weights it is wider than stored.
    keeps_embedding : bool
        Whether the embedding of all columns is kept.
    treatment_bytes : int
        What all passes send of means, units and weights.
    """
    item = source.array.dtype.itemsize
    sides = source.shape[::-1] if turned else source.shape
    m, n = sides
    sizes = source.heights if turned else source.widths
    assert sizes is not None
    parts, width = len(sizes), max(sizes)
    other = source.n_blocks[1 if turned else 0]
    panel = panel_bytes(source, 0 if turned else 1)
    kept = itemsize
    B = 8 * m * target_width
    winners = parts * n_winners * m * kept
    embedding = n * n_select * kept if keeps_embedding else 0
    added = -(-parts // FAN_IN)
    last = following_needs(sizes, m, n_select, kept if keeps_embedding else 0)
    one = 0 if given else 8 * m * m if exact else B  # what a task of the first pass finds
    first = 0 if given else added * one
    if not (given or exact):
        # signs and groups of the columns; sums of blocks that batches end within
        tallest = max((source.widths if turned else source.heights) or (0,))
        first += 24 * n + 8 * parts + parts * other // (BATCH * FAN_IN) * 8 * tallest * target_width
    sent = treatment_bytes + first + B + winners + 8 * parts * n_winners + 8 * m * n_select
    sent += parts * 8 * n_select + 8 * n + embedding
    task = panel + max(
        one,
        width * n_winners * kept + 8 * m * n_winners + B + 8 * width * target_width,
        last.largest + last.work,
    )
    at_once = min(tasks_at_once(), parts)
    # what comes of the first pass before it is added, and the sum of it before and after
    arriving = one * (2 + min(BATCH // FAN_IN if exact else BATCH, added)) + (B if exact else 0)
    # the winners as they come and in one piece, what is held for each while the choice is made
    among = parts * n_winners
    choosing = 2 * B + 2 * winners + among * n_select * kept
    choosing += 2 * embedding + 16 * parts * n_select
    return Plan(
        "a choice in two rounds",
        passes=2 if given else 3,
        bytes_read=(2 if given else 3) * m * n * item,
        bytes_sent=sent,
        task_bytes=task + BESIDE,
        n_tasks=at_once,
        # what is added where it is, and blocks that are read ahead
        between_bytes=FAN_IN * one + at_once * panel,
        client_bytes=40 * n + max(arriving, choosing),
        cure=(
            "make chunks of fewer candidates ("
            + (f"X.rechunk({{0: {max(1, width // 2)}, 1: -1}})" if turned else "")
            + ("" if turned else f"X.rechunk({{0: -1, 1: {max(1, width // 2)}}})")
            + "), use fewer workers, or choose fewer"
        ),
    )


def plan_following(
    source: Source,
    *,
    turned: bool,
    n_select: int,
    itemsize: int,
    keeps_embedding: bool,
    treatment_bytes: int,
) -> Plan:
    """Return the plan of measuring a choice: its columns are fetched, and all data is projected.

    Parameters
    ----------
    source, turned, n_select, itemsize, keeps_embedding, treatment_bytes
        As for :func:`plan_rounds`.
    """
    m = source.shape[1 if turned else 0]
    sizes = source.heights if turned else source.widths
    assert sizes is not None
    directions = 8 * m * n_select
    found = following_needs(sizes, m, n_select, itemsize if keeps_embedding else 0)
    piece = plan_pass(source, "what a choice leaves", 0 if turned else 1, found, count=len(sizes))
    return replace(
        piece,
        passes=2,
        bytes_read=2 * piece.bytes_read,
        bytes_sent=treatment_bytes + 2 * directions + piece.bytes_sent,
        # the columns as they come and in their order, and an orthonormal basis
        client_bytes=piece.client_bytes + 4 * directions,
    )


def following_needs(sizes: Sequence[int], m: int, n_select: int, kept: int) -> Found:
    """Return what it takes to measure what a choice leaves of each part.

    Parameters
    ----------
    sizes : sequence of int
        How many columns each part has.
    m, n_select : int
        How many entries a column has, and how many are chosen.
    kept : int
        The bytes of an entry of the embedding, 0 if it is not kept.
    """
    wide = 8 * n_select * max(sizes)
    return Found.of(sizes, 8 + kept * n_select, 8 * n_select, 2 * wide + 8 * m * n_select)
