"""What is written of a choice from a file that is read in parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from .. import io
from ..foundation.typing import Floats
from ..io.column_kinds import bad_entries
from ..io.formats import Table
from ..io.in_blocks import check_blocks_target, row_blocks, write_in_blocks
from ..operands.chunked.arriving import chunk_rows
from ..operands.containers import times_columns
from .errors import InputError
from .outputs import Files, draw_selection
from .progress import Reporter
from .show import Answer

__all__ = ["Targets", "weighted", "without_gaps"]


@dataclass(frozen=True)
class Targets:
    """The files that are wanted."""

    out: Path | None
    plot: Path | None
    safe_csv: bool

    @property
    def whole(self) -> bool:
        """Whether the selection is written, and not the data."""
        return self.out is not None and self.out.name.lower().endswith(".json")

    @property
    def reads_again(self) -> bool:
        """Whether writing takes another pass over the data."""
        return self.out is not None and not self.whole

    def check(self, rows: bool) -> None:
        """Raise FileError if the chosen columns cannot be written in parts."""
        if self.out is not None and self.reads_again and not rows:
            check_blocks_target(self.out)

    def write(self, files: Files, answer: Answer, report: Reporter) -> None:
        """Write them, by another pass over the data if that is wanted."""
        report.phase("writing")
        files.write(self.out, lambda path: self._write(path, answer, report))
        unit = f"{answer.unit}s"
        files.write(
            self.plot,
            lambda path: draw_selection(path, answer.method.name, answer.selection, unit),
        )

    def _write(self, path: Path, answer: Answer, report: Reporter) -> None:
        if self.whole or answer.rows:
            table = answer.table if self.whole else _chosen_rows(answer)
            selection = answer.to_dict(whole=True)
            io.write(path, table, selection=selection, safe_csv=self.safe_csv)
            return
        order = np.argsort(answer.selection.indices)
        table = answer.table.take(columns=answer.selection.indices[order].tolist())
        factors = answer.selection.factors if answer.rescale else None
        blocks = weighted(
            row_blocks(table, report.blocks), None if factors is None else factors[order]
        )
        write_in_blocks(path, table, blocks, safe_csv=self.safe_csv)


def weighted(blocks: Iterator[Table], factors: Floats | None) -> Iterator[Table]:
    """Return blocks of rows with each column times its weight, if there are weights."""
    if factors is None:
        return blocks
    return (replace(block, X=times_columns(block.X, factors)) for block in blocks)


def without_gaps(blocks: Iterator[Table], file: Path) -> Iterator[Table]:
    """Yield blocks of rows; raise InputError if there is a gap in one."""
    top = 0
    for block in blocks:
        rows, columns, _ = bad_entries(block.X)
        if len(rows):
            raise InputError(
                f"{file}: column {block.names[columns[0]]!r} has a gap in row {top + rows[0]}, "
                "counted from 0; fill the gaps before"
            )
        top += len(block.X)
        yield block


def _chosen_rows(answer: Answer) -> Table:
    """Return the chosen rows in the order of the file, which are few, in memory."""
    order = np.argsort(answer.selection.indices)
    chosen = answer.selection.indices[order]
    X = chunk_rows(answer.table.X, chosen)
    factors = answer.selection.factors
    if factors is not None and answer.rescale:
        X = times_columns(X.T, factors[order]).T
    labels = None if answer.table.labels is None else answer.table.labels[chosen]
    return replace(answer.table, X=X, labels=labels, row_names=chosen)
