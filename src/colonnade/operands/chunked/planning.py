"""A plan before the work: passes over the data, bytes read and sent, memory at the peak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ...foundation.memory import free_memory
from ..sums import strip_height
from .engine import BATCH, FAN_IN, client_of
from .resources import current, size_text

if TYPE_CHECKING:
    from .source import Source

__all__ = [
    "BESIDE",
    "Found",
    "Plan",
    "check_client_room",
    "check_pass",
    "check_plan",
    "panel_bytes",
    "plan_folds",
    "plan_pass",
    "plan_sums",
]

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
        tasks = "1 task" if self.n_tasks == 1 else f"each of {self.n_tasks} tasks at once"
        return (
            f"{self.what}: {self.passes} {'pass' if self.passes == 1 else 'passes'}, "
            f"{read} to read, {size_text(self.bytes_sent)} to send, "
            f"{size_text(self.task_bytes)} for {tasks}, "
            f"{size_text(self.client_bytes)} here; {size_text(self.peak_bytes)} in all"
        )


class Found(NamedTuple):
    """What the tasks of a pass find and what they take for it, in bytes.

    Attributes
    ----------
    largest : int
        The largest result of a task.
    together : int
        All results that are held where the call is made, once.
    work : int
        What a task takes beside its blocks and its result.
    """

    largest: int = 0
    together: int = 0
    work: int = 0

    @classmethod
    def of(cls, sizes: Any, each: int = 0, fixed: int = 0, work: int = 0) -> Found:
        """Return that of tasks about some rows, or columns.

        Parameters
        ----------
        sizes : iterable of int or None
            How many each task is about; None where nobody knows.
        each, fixed : int
            The bytes of a result for each of them, and those of any result.
        work : int
            What a task takes besides.
        """
        sizes = list(sizes or (0,))
        return cls(
            each * max(sizes, default=0) + fixed, each * sum(sizes) + fixed * len(sizes), work
        )


def check_plan(plan: Plan) -> Plan:
    """Return a plan; raise MemoryError if it takes more than it may."""
    needed, limit = _needed(plan), current().memory
    if limit is not None:
        room = f"memory={size_text(limit)} is allowed"
    else:
        limit = free_memory()
        room = f"{size_text(limit)} are free"
    if needed > limit:
        raise MemoryError(
            f"{plan.what} would take {size_text(needed)}, and {room} ({plan}); {plan.cure}"
        )
    return plan


def _needed(plan: Plan) -> int:
    """Return what is compared with the memory that there is."""
    # workers may be on other machines, where others look after their memory
    if current().memory is None and client_of() is not None:
        return plan.client_bytes
    return plan.peak_bytes


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
    """Return how many bytes the largest row (0) or column (1) of blocks takes at most.

    Sparse blocks count as if they were dense until they have been read once, and then as twice as
    large as they are on average.
    """
    m, n = source.shape
    if axis == 1:
        return _bytes_of(source, max(source.widths) * max(m, 1))
    # of heights that nobody knows nothing can be said
    return _bytes_of(source, max(source.heights or (0,)) * n)


def _bytes_of(source: Source, entries: int) -> int:
    item = source.array.dtype.itemsize
    known = 1.0 if source.filled is None else min(1.0, 2 * source.filled)
    return int(entries * item * known)


def panel_bytes(source: Source, axis: int) -> int:
    """Return what a task takes for all blocks of a row (0) or column (1) of the grid."""
    several = source.n_blocks[1 - axis] > 1 or (axis == 0 and source.targets is not None)
    return line_bytes(source, axis) * (2 if several else 1)  # blocks are copied to be one


def check_pass(
    source: Source, what: str, axis: int | None, found: Found, *, count: int = 0, added: int = 0
) -> None:
    """Raise MemoryError if a pass takes more than it may; see :func:`plan_pass`.

    What was found to be free for some data is not looked for again: work of many passes does not
    end in the midst of them because others take memory for a while.
    """
    if not count + added:
        return
    plan = plan_pass(source, what, axis, found, count=count, added=added)
    if current().memory is not None:
        source.counted("a limit on memory")
        check_plan(plan)
    elif _needed(plan) > source.allowed:
        source.allowed = _needed(check_plan(plan))


def plan_pass(
    source: Source, what: str, axis: int | None, found: Found, *, count: int = 0, added: int = 0
) -> Plan:
    """Return the plan of a function of blocks that is no part of larger work.

    Parameters
    ----------
    source : Source
        The data.
    what : str
        The work.
    axis : {0, 1} or None
        Whether tasks are about rows (0) or columns (1) of blocks, or about a block each.
    found : Found
        What the results take.
    count : int
        How many tasks there are of which each result is kept.
    added : int
        How many there are of which a few results at a time are added where they are.
    """
    tasks = count or added
    if axis is None:
        heights = source.heights or (0,)
        blocks = _bytes_of(source, max(heights) * max(source.widths))
        every = source.n_blocks[0] * source.n_blocks[1]
    else:
        blocks, every = panel_bytes(source, axis), source.n_blocks[axis]
    if source.filled is None and current().memory is None:
        blocks = 0  # as if they were dense, most that fit would be refused
    at_once = min(tasks_at_once(), max(1, tasks))
    arriving = min(BATCH, -(-added // FAN_IN)) * found.largest
    if count and client_of() is not None:
        arriving = min(BATCH, count) * found.largest  # which are on the cluster as well
    held = FAN_IN * found.largest if added > 1 else 0
    m, n = source.shape
    read = max(m, 0) * n * source.array.dtype.itemsize * tasks // max(1, every)
    task = blocks + found.largest + found.work + BESIDE
    here = 2 * found.together
    if here + arriving + held > at_once * (task + blocks):
        cure = "ask for less at a time, such as fewer columns, clusters or components"
    else:
        cure = f"make chunks smaller{_smaller(source, axis)} or use fewer workers"
    return Plan(
        what, 1, read, max(found.together, found.largest), task, at_once,
        # results that are added, and blocks that are read ahead
        held + arriving + at_once * blocks, here, cure,
    )  # fmt: skip


def _smaller(source: Source, axis: int | None) -> str:
    """Return how to make smaller what a task has, to paste."""
    heights = source.heights
    if axis == 1:
        return f" (X.rechunk({{0: -1, 1: {max(1, (max(source.widths) + 1) // 2)}}}))"
    if heights is None:
        return ""
    return f" (X.rechunk({{0: {max(1, (max(heights) + 1) // 2)}}}))"


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
    copied = 3 if columns > 1 or source.targets is not None else 1
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
        task_bytes=line * copied + widened + 4 * max(sizes) + BESIDE,
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


def plan_folds(source: Source, n_folds: int, lanes: int) -> Plan:
    """Return the plan of one pass that sums over the rows of each fold.

    Parameters
    ----------
    source : Source
        The data.
    n_folds : int
        How many folds there are.
    lanes : int
        In how many runs the blocks of a batch are added up.
    """
    m, n = source.shape
    rows = source.n_blocks[0]
    line = line_bytes(source, 0)
    widened = min(line * 8 // source.array.dtype.itemsize, 8 * n * strip_height(n))
    square = 8 * n * n
    run = n_folds * (square + 32 * n)
    at_once = min(tasks_at_once(), max(1, rows))
    runs = [min(lanes, rows - start, BATCH) for start in range(0, rows, BATCH)]
    copies = 1 if client_of() is None else 2
    return Plan(
        "inner products of the columns in each fold",
        passes=1,
        bytes_read=max(m, 0) * n * source.array.dtype.itemsize,
        bytes_sent=run * sum(runs),
        # blocks, the rows of a fold, a strip of these; sums before, of these, and after
        task_bytes=panel_bytes(source, 0) + line + widened + 3 * run + square + BESIDE,
        n_tasks=at_once,
        between_bytes=copies * run * max(runs, default=0) + 2 * line * at_once,
        # sums of all batches, these with more, and of all folds but one
        client_bytes=2 * run + 4 * square,
        cure="take fewer folds" if run > line else f"make chunks smaller{_smaller(source, 0)}",
    )
