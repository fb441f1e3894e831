"""The plan of two rounds over the columns of a part each, and of all work on some data."""

from __future__ import annotations

from .planning import Plan, tasks_at_once
from .source import FAN_IN, Source

__all__ = ["plan_rounds"]


def plan_rounds(
    source: Source,
    *,
    turned: bool,
    n_select: int,
    n_winners: int,
    target_width: int,
    exact: bool,
    keeps_embedding: bool,
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
    keeps_embedding : bool
        Whether the embedding of all columns is kept.
    """
    item = source.array.dtype.itemsize
    sides = source.shape[::-1] if turned else source.shape
    m, n = sides
    sizes = source.heights if turned else source.widths
    assert sizes is not None
    parts, width = len(sizes), max(sizes)
    other = source.n_blocks[1 if turned else 0]
    panel = m * width * item * (2 if other > 1 else 1)  # blocks are copied to be one
    kept = 4 if item == 4 else 8
    B = 8 * m * target_width
    winners = parts * n_winners * m * kept
    embedding = n * n_select * kept if keeps_embedding else 0
    first = -(-parts // FAN_IN) * 8 * m * m if exact else -(-parts // FAN_IN) * B
    sent = first + B + winners + 8 * parts * n_winners + 8 * m * n_select
    sent += parts * 8 * n_select + 8 * n + embedding
    task = panel + max(
        8 * m * m if exact else B,
        width * n_winners * kept + 8 * m * n_winners + B + 8 * width * target_width,
        2 * 8 * width * n_select + 8 * m * n_select,
    )
    at_once = min(tasks_at_once(), parts)
    return Plan(
        "a choice in two rounds",
        passes=3,
        bytes_read=3 * m * n * item,
        bytes_sent=sent,
        task_bytes=task + 4 * 2**20,
        n_tasks=at_once,
        # what is added where it is, and blocks that are read ahead
        between_bytes=FAN_IN * (8 * m * m if exact else B) + at_once * panel,
        client_bytes=(3 * 8 * m * m if exact else 0)
        + 2 * B
        + 2 * winners
        + parts * n_winners * n_select * kept
        + 2 * embedding
        + 40 * n,
        cure=(
            "make chunks of fewer candidates ("
            + (f"X.rechunk({{0: {max(1, width // 2)}, 1: -1}})" if turned else "")
            + ("" if turned else f"X.rechunk({{0: -1, 1: {max(1, width // 2)}}})")
            + "), use fewer workers, or choose fewer"
        ),
    )
