"""What can be told of a file in parts without reading it: its shape, its blocks, a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

from ..io.formats import Table
from ..io.phrases import counted
from ..operands.chunked.engine import on_threads
from ..operands.chunked.planning import Plan, check_plan
from ..operands.chunked.resources import resources, size_text
from .beyond import InParts, as_plain_table, plain_plans
from .errors import input_errors
from .reading import Reading

__all__ = ["Glance", "glance"]

SIZE = 100
"""For how many columns a plan is made; for half of them if there are fewer than twice as many."""


@dataclass(frozen=True)
class Glance:
    """A file as its header and names tell it, and what a choice from it would take."""

    source: Reading
    table: Table
    size: int
    plans: list[Plan]
    fits: bool
    advised: str

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        array = self.table.X
        return {
            "source": str(self.source.file),
            "shape": list(array.shape),
            "dtype": str(array.dtype),
            "bytes": int(array.nbytes),
            "blocks": list(array.numblocks),
            "block_shape": list(array.chunksize),
            "n_select": self.size,
            "plan": plain_plans(self.plans),
            "fits": self.fits,
            "command": self.advised,
        }

    def lines(self) -> list[str]:
        """Return all of it as sentences."""
        array = self.table.X
        rows, columns = array.shape
        down, across = array.chunksize
        return [
            f"{rows:,} {'row' if rows == 1 else 'rows'} × {counted(columns, 'column')} of "
            f"{array.dtype}, {size_text(array.nbytes)} if dense, not read",
            f"{counted(array.npartitions, 'block')} of up to {down:,} × {across:,}",
            f"to choose {self.size}:",
            *(f"  {plan}" for plan in self.plans),
            *([] if self.fits else ["that is more than there is: make parts smaller with --chunk"]),
        ]


def glance(source: Reading, parts: InParts) -> Glance:
    """Return what can be told of a file without reading its blocks."""
    from ..selectors.planned import plan

    parts.check(source)
    numbers = replace(source, numeric_only=True)
    table = as_plain_table(parts.opened_for_columns(numbers, learns=True), source)
    size = min(SIZE, max(1, table.X.shape[1] // 2))
    with on_threads(parts.n_tasks), resources(memory=parts.memory_bytes), input_errors():
        plans = plan(table.X, size, center=True, scale="auto")
        try:
            fits = all(check_plan(piece) for piece in plans)
        except MemoryError:
            fits = False
    options = [*source.given(), f"-n {size}", f"--memory {parts.memory or '4GiB'}"]
    options += [] if parts.chunk is None else [f"--chunk {parts.chunk}"]
    advised = " ".join(["colonnade select", quote(str(source.file)), *options])
    return Glance(source, table, size, plans, fits, advised)
