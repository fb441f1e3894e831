"""A dask array as a grid of blocks: how they are cut, what is known of them, tasks over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...foundation.typing import Array, Floats
from .arriving import uncounted
from .engine import BATCH, FAN_IN, computed, task
from .grid import blocks_apart
from .planning import Found, check_pass
from .resources import current, nbytes
from .tasks import Part, Treatment, Where, added, on_blocks

__all__ = ["Source", "Treatments"]

NOTHING = Found()


class Source:
    """The blocks of a dask array.

    Parameters
    ----------
    array : dask.array.Array
        With two dimensions; numbers of rows may be unknown, those of columns not.

    Attributes
    ----------
    widths : tuple of int
        How many columns each column of blocks has.
    heights : tuple of int or None
        How many rows each row of blocks has, once that is known.
    checked : bool
        Whether all entries have been looked at already.
    targets : ndarray of shape (m, k) or None
        More columns of the same rows, which are in memory.
    allowed : int
        The most memory that a plan for this data took and that was free.
    filled : float or None
        What sparse blocks take, as a share of what they would if they were dense; 1 for dense
        ones, None where nobody has read them yet.
    """

    def __init__(self, array: Any):
        self.array = array
        heights, widths = array.chunks
        self.widths = tuple(int(width) for width in widths)
        known = not any(np.isnan(height) for height in heights)
        self.heights = tuple(int(height) for height in heights) if known else None
        self.checked = False
        self.targets: Array | None = None
        self.sums: Any = None
        self.allowed = 0
        meta = array._meta
        self.filled = None if sp.issparse(meta) or hasattr(meta, "tocsr") else 1.0
        self._read = 0
        self._grid: Any = None
        self._starts: dict[int, tuple[tuple[int, ...], list[int]]] = {}

    def with_targets(self, targets: Array) -> Source:
        """Return the same rows with more columns, to the right of the others.

        For passes over whole rows, which then see data and targets together.
        """
        self.counted("a target for each row")
        out = Source(self.array)
        out.widths = (*self.widths, targets.shape[1])
        out.targets, out.checked, out.filled = targets, self.checked, self.filled
        return out

    @property
    def grid(self) -> Any:
        """The blocks as tasks, in an array of their places."""
        if self._grid is None:
            self._grid = blocks_apart(self.array)
        return self._grid

    @property
    def n_blocks(self) -> tuple[int, int]:
        """How many rows and columns of blocks there are."""
        rows, columns = self.array.numblocks
        return int(rows), int(columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; the rows are −1 as long as nobody has counted them."""
        return (-1 if self.heights is None else sum(self.heights)), sum(self.widths)

    def counted(self, what: str) -> tuple[int, ...]:
        """Return how many rows each row of blocks has; raise ValueError if that is unknown."""
        if self.heights is None:
            raise uncounted(what)
        return self.heights

    def starts(self, axis: int) -> list[int] | None:
        """Return the number of the first row, or column, of each row, or column, of blocks."""
        sizes = self.widths if axis else self.heights
        if sizes is None:
            return None
        known = self._starts.get(axis)
        if known is None or known[0] is not sizes:  # every task asks, and there may be many
            known = self._starts[axis] = (sizes, [0, *np.cumsum(sizes).tolist()])
        return known[1]

    def where(self, i: int, j: int) -> Where:
        """Return where a block is."""
        return self._where(slice(i, i + 1), slice(j, j + 1))

    def where_panel(self, number: int, axis: int) -> Where:
        """Return where the blocks of a row (0) or column (1) of the grid are."""
        one, every = slice(number, number + 1), slice(None)
        return self._where(one, every) if axis == 0 else self._where(every, one)

    def _where(self, i: slice, j: slice) -> Where:
        tops, lefts = self.starts(0), self.starts(1)
        assert lefts is not None
        heights: Sequence[int | None] = self.heights or (None,) * self.n_blocks[0]
        first = (i.start or 0, j.start or 0)
        top = None if tops is None else tops[first[0]]
        return Where(first, top, lefts[first[1]], tuple(heights[i]), self.widths[j])

    def run(
        self,
        tasks: Sequence[Any],
        what: str,
        span: range | None = None,
        wanted: int | None = None,
        each: Callable[[int, Part], None] | None = None,
    ) -> list[Part]:
        """Return what tasks found, a batch after another, and count what that took.

        Parameters
        ----------
        tasks : sequence of Delayed
            Each returns a :class:`Part`.
        what : str
            What this is, for progress.
        span : range, optional
            Which lines, or blocks, of all that are wanted the tasks are about; all by default.
        wanted : int, optional
            How many there are.
        each : callable, optional
            Called with the number of a task and what it found, as soon as that is there.
        """
        given = current()
        span = range(len(tasks)) if span is None else span
        wanted = len(span) if wanted is None else wanted
        out: list[Part] = []
        for start in range(0, len(tasks), BATCH):
            found = computed(tasks[start : start + BATCH])
            self.note(found)
            for part in found:
                if each is not None:
                    each(len(out), part)
                out.append(part)
            if given.progress is not None:
                done = span.start + len(span) * len(out) // len(tasks)
                given.progress(what, done, wanted)
        return out

    def note(self, found: Sequence[Part]) -> None:
        """Count what tasks read and sent."""
        used = current().used
        used.tasks += len(found)
        for part in found:
            used.bytes_read += part.read
            self._read += part.read
            used.bytes_sent += nbytes(part.value)

    def end_pass(self, share: float = 1.0) -> None:
        """Count a pass over all blocks, or over a share of them."""
        current().used.passes += share
        self.checked |= share == 1.0
        if share == 1.0 and self.filled is None:
            m, n = self.shape
            self.filled = self._read / max(1, m * n * self.array.dtype.itemsize)
        self._read = 0

    # -- one task for each block, results added along one axis and listed along the other ------

    def over_blocks(
        self,
        function: Any,
        what: str,
        treatments: Treatments,
        arguments: Any,
        *,
        listed: int,
        found: Found = NOTHING,
    ) -> list[Any]:
        """Return ``function(block, *arguments(i, j))``, added along all but one axis of blocks.

        Parameters
        ----------
        function : callable
            Of an operand and the arguments; importable.
        what : str
            What this is, for progress.
        treatments : Treatments
            What is done to entries first.
        arguments : callable
            Of the numbers of a block; returns a tuple.
        listed : {0, 1}
            The axis of blocks along which there is a result each.
        found : Found
            What the results take.
        """
        shape = self.n_blocks
        check_pass(self, what, None, found, added=shape[0] * shape[1])
        lists: list[Any] = [None] * shape[listed]
        done = 0
        for batch in self._batches(listed):
            tasks, owners = [], []
            span = range(done, done + sum(len(numbers) for numbers in batch.values()))
            done = span.stop
            for line, numbers in batch.items():
                few = [
                    task(
                        on_blocks, function, [[self.grid[i, j]]], self.where(i, j),
                        not self.checked, treatments.of(i, j), *arguments(i, j),
                    )
                    for i, j in numbers
                ]  # fmt: skip
                for start in range(0, len(few), FAN_IN):
                    some = few[start : start + FAN_IN]
                    tasks.append(some[0] if len(some) == 1 else task(added, *some))
                    owners.append(line)
            parts = self.run(tasks, what, span, shape[0] * shape[1])
            for line, part in zip(owners, parts, strict=True):
                lists[line] = part.value if lists[line] is None else lists[line] + part.value
            del parts, part  # or they would be held beside those of the next
        self.end_pass()
        return lists

    def _batches(self, listed: int) -> Iterator[dict[int, list[tuple[int, int]]]]:
        """Cut the blocks into batches, by the line in which their results are added."""
        rows, columns = self.n_blocks
        lines, across = (rows, columns) if listed == 0 else (columns, rows)
        batch: dict[int, list[tuple[int, int]]] = {}
        count = 0
        for line in range(lines):
            for other in range(across):
                batch.setdefault(line, []).append((line, other) if listed == 0 else (other, line))
                count += 1
                if count == BATCH * FAN_IN:
                    yield batch
                    batch, count = {}, 0
        if batch:
            yield batch

    # -- one task for each panel: all blocks of a row, or of a column, as one matrix -----------

    def over_panels(
        self,
        function: Any,
        what: str,
        treatments: Treatments,
        arguments: Any,
        *,
        axis: int,
        among: Sequence[int] | None = None,
        done: Callable[[int, Any], None] | None = None,
        found: Found = NOTHING,
    ) -> list[Any]:
        """Return ``function(panel, *arguments(number))`` for rows (0) or columns (1) of blocks.

        With ``done`` it is called with the number of each panel and what was found, as soon as
        that is there. What the results take is said by ``found``.
        """
        numbers = list(range(self.n_blocks[axis]) if among is None else among)
        check_pass(self, what, axis, found, count=len(numbers))
        tasks = [
            self._on_panel(function, number, treatments, axis, arguments(number))
            for number in numbers
        ]
        each = done and (lambda k, part: done(numbers[k], part.value))
        parts = self.run(tasks, what, each=each)
        self.end_pass(len(tasks) / self.n_blocks[axis])
        return [part.value for part in parts]

    def added_panels(
        self, function: Any, what: str, treatments: Treatments, *, axis: int, found: Found
    ) -> Any:
        """Return the sum of ``function(panel)``, of which only a few are held at a time."""
        total: Part | None = None
        count = self.n_blocks[axis]
        check_pass(self, what, axis, found, added=count)
        for first in range(0, count, BATCH):
            batch = range(first, min(first + BATCH, count))
            few = [self._on_panel(function, number, treatments, axis) for number in batch]
            tasks = [task(added, *few[k : k + FAN_IN]) for k in range(0, len(few), FAN_IN)]
            for part in self.run(tasks, what, batch, count):
                total = part if total is None else added(total, part)
        self.end_pass()
        assert total is not None
        return total.value

    def _on_panel(
        self, function: Any, number: int, treatments: Treatments, axis: int, arguments: Any = ()
    ) -> Any:
        return task(
            on_blocks, function, self.panel(number, axis), self.where_panel(number, axis),
            not self.checked, treatments.of_panel(number, axis), *arguments,
        )  # fmt: skip

    def panel(self, number: int, axis: int) -> list[list[Any]]:
        """Return the blocks of a row (0) or column (1) of the grid, in rows."""
        if axis == 0:
            starts = self.starts(0)
            if self.targets is None or starts is None:
                return [list(self.grid[number])]
            return [[*self.grid[number], self.targets[starts[number] : starts[number + 1]]]]
        return [[block] for block in self.grid[:, number]]


class Treatments:
    """What is done to all entries, cut for each block; what several share is sent once."""

    def __init__(
        self,
        source: Source,
        means: Floats | None = None,
        factors: Floats | None = None,
        roots: Floats | None = None,
        turned: bool = False,
    ):
        self.source, self.turned = source, turned
        self.means, self.factors, self.roots = means, factors, roots

    def nbytes(self, axis: int | None) -> int:
        """Return what a pass sends of it, to a row (0) or column (1) of blocks, or to each."""
        rows, columns = self.source.n_blocks
        of_columns = nbytes((self.means, self.factors)) * (1 if axis == 1 else rows)
        return of_columns + nbytes(self.roots) * (1 if axis == 0 else columns)

    def of(self, i: int, j: int) -> Treatment:
        """Return what is done to a block."""
        return self._cut(slice(i, i + 1), slice(j, j + 1))

    def of_panel(self, number: int, axis: int) -> Treatment:
        """Return what is done to a row (0) or column (1) of blocks."""
        one, every = slice(number, number + 1), slice(None)
        return self._cut(one, every) if axis == 0 else self._cut(every, one)

    def _cut(self, i: slice, j: slice) -> Treatment:
        columns = _span(self.source.starts(1), j)
        means = None if self.means is None else self.means[columns]
        factors = None if self.factors is None else self.factors[columns]
        roots = None
        if self.roots is not None:
            roots = self.roots[_span(self.source.starts(0), i)]
        current().used.bytes_sent += nbytes((means, factors, roots))
        return Treatment(means, factors, roots, self.turned)


def _span(starts: list[int] | None, blocks: slice) -> slice:
    """Return which rows, or columns, some blocks hold."""
    assert starts is not None
    first, last, _ = blocks.indices(len(starts) - 1)
    return slice(starts[first], starts[last])
