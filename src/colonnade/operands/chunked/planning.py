"""A plan before the work: passes over the data, bytes read and sent, memory at the peak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...foundation.memory import free_memory
from ..sums import strip_height
from .engine import client_of
from .resources import current, size_text
from .source import BATCH, Source

__all__ = ["Plan", "check_client_room", "check_plan", "plan_sums"]

BESIDE = 16 * 2**20
"""What a thread takes beside the arrays that are counted: libraries, and gaps between arrays."""


@dataclass(frozen=True)
class Plan:
    """What work on chunks will take.

    Attributes
    ----------
    what : str
        The work.
    passes : int
        How often all data is read.
    bytes_read : int
        The bytes of all blocks that are read; for sparse blocks at most that.
    bytes_sent : int
        The bytes that tasks get and send.
    task_bytes : int
        What a task takes at its peak, with its blocks.
    n_tasks : int
        How many run at once: the threads of all workers.
    between_bytes : int
        What is held between tasks, by all workers together.
    client_bytes : int
        What the process takes that asked for the work.
    cure : str
        What to do where this is too much.

    Examples
    --------
    >>> import dask.array as da
    >>> from colonnade import plan
    >>> (piece,) = plan(da.zeros((100_000, 200), chunks=(10_000, 200)), 10)
    >>> piece.passes, piece.bytes_read
    (1, 160000000)
    """

    what: str
    passes: int
    bytes_read: int
    bytes_sent: int
    task_bytes: int
    n_tasks: int
    between_bytes: int
    client_bytes: int
    cure: str

    @property
    def peak_bytes(self) -> int:
        """What all processes take together at the peak."""
        return self.n_tasks * self.task_bytes + self.between_bytes + self.client_bytes

    def __str__(self) -> str:
        read = size_text(self.bytes_read) if self.bytes_read else "an unknown size"
        return (
            f"{self.what}: {self.passes} {'pass' if self.passes == 1 else 'passes'}, "
            f"{read} to read, {size_text(self.bytes_sent)} to send, "
            f"{size_text(self.task_bytes)} for each of {self.n_tasks} tasks at once, "
            f"{size_text(self.client_bytes)} here; {size_text(self.peak_bytes)} in all"
        )


def check_plan(plan: Plan) -> Plan:
    """Return a plan; raise MemoryError if it takes more than it may."""
    limit = current().memory
    if limit is not None:
        needed, room = plan.peak_bytes, f"memory={size_text(limit)} is allowed"
    else:
        # workers may be on other machines, where others look after their memory
        needed = plan.client_bytes if client_of() is not None else plan.peak_bytes
        limit = free_memory()
        room = f"{size_text(limit)} are free"
    if needed > limit:
        raise MemoryError(
            f"{plan.what} would take {size_text(needed)}, and {room} ({plan}); {plan.cure}"
        )
    return plan


def check_client_room(what: str, size: int, cure: str) -> None:
    """Raise MemoryError if something is larger than the memory that there may be."""
    check_plan(Plan(what, 1, 0, 0, 0, 0, 0, size, cure))


def tasks_at_once() -> int:
    """Return how many tasks run at the same time: threads of the cluster, or of this process."""
    client = client_of()
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    import dask
    from dask.system import CPU_COUNT

    if dask.config.get("scheduler", None) in ("sync", "synchronous", "single-threaded"):
        return 1
    pool: Any = dask.config.get("pool", None)
    if getattr(pool, "_max_workers", None):
        return int(pool._max_workers)
    return int(dask.config.get("num_workers", None) or CPU_COUNT)


def line_bytes(source: Source, axis: int) -> int:
    """Return how many bytes the largest row (0) or column (1) of blocks takes, if it is dense."""
    item = source.array.dtype.itemsize
    m, n = source.shape
    if axis == 1:
        return max(source.widths) * max(m, 1) * item
    heights = source.heights
    if heights is None:
        return 0  # nobody knows
    return max(heights, default=0) * n * item


def plan_sums(source: Source, *, products: bool) -> Plan:
    """Return the plan of one pass that sums over all rows.

    Parameters
    ----------
    source : Source
        The data.
    products : bool
        Whether inner products of all columns are formed.
    """
    from .summing import grouped_tiles, lanes_for

    if current().memory is not None:
        source.counted("a limit on memory")
    m, n = source.shape
    rows, columns = source.n_blocks
    line = line_bytes(source, 0)
    groups = grouped_tiles(n) if products else [[]]
    sizes = [8 * sum((a.stop - a.start) * (b.stop - b.start) for a, b in group) for group in groups]
    lanes = lanes_for(len(groups))
    widened = min(line * 8 // source.array.dtype.itemsize, 8 * n * strip_height(n))
    # of each run come the products, and means, squares and both ends of the columns
    run = sum(sizes) + 32 * n * len(groups)
    runs = [min(lanes, rows - start, BATCH) for start in range(0, rows, BATCH)]
    at_once = tasks_at_once()
    # a cluster holds what a batch found until it is here as well
    copies = 1 if client_of() is None else 2
    return Plan(
        "inner products of the columns" if products else "means and units of the columns",
        passes=1,
        bytes_read=max(m, 0) * n * source.array.dtype.itemsize,
        bytes_sent=run * sum(runs),
        # the blocks, where there are several the matrix made of them and the gaps that they leave,
        # a strip in float64 without the means, and sums before, of these, after, and on the way
        task_bytes=line * (1 if columns == 1 else 3) + widened + 4 * max(sizes) + BESIDE,
        n_tasks=min(at_once, max(1, rows) * len(groups)),
        # what runs have found, and blocks that were read ahead
        between_bytes=copies * run * max(runs, default=0) + 2 * line * at_once,
        client_bytes=(8 * n * n if products else 0) + 2 * run,
        cure=(
            "choose among fewer columns"
            if 8 * n * n > 4 * line
            else "make chunks of fewer rows (X.rechunk({0: "
            f"{max(1, int((max(source.heights or (2,)) + 1) // 2))}}})) or use fewer workers"
        ),
    )
