"""Write tables that are larger than memory: a block of rows after the other."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from ..foundation.atomic import StrPath, atomic
from ..operands.chunked.engine import computed
from ..operands.containers import dense
from .binary import to_arrow
from .files import check_safe_csv, check_target
from .frames import import_parquet, to_frame
from .kinds import EXTENSIONS, FileError, kind_of
from .spreadsheets import without_formulas
from .table import Table

__all__ = ["check_blocks_target", "row_blocks", "write_in_blocks"]

Progress = Callable[[str, int, int], None]


def row_blocks(table: Table, done: Progress | None = None) -> Iterator[Table]:
    """Yield the rows of each row of blocks, in memory.

    Parameters
    ----------
    table : Table
        Its numbers are a dask array whose rows are counted.
    done : callable, optional
        Called as ``done(what, done, wanted)`` when a block was taken.
    """
    grid = table.X.to_delayed()
    top = 0
    for number, height in enumerate(table.X.chunks[0]):
        X = np.hstack([dense(block) for block in computed(list(grid[number]))])
        labels = None if table.labels is None else table.labels[top : top + height]
        yield replace(table, X=X, columns=table.names, labels=labels)
        top += height
        if done is not None:
            done("writing", number + 1, len(grid))


def check_blocks_target(path: StrPath) -> None:
    """Raise FileError if files of this kind cannot be written a block after the other."""
    kind = kind_of(Path(path))
    if kind not in WRITERS:
        known = ", ".join(extension for kind in WRITERS for extension in EXTENSIONS[kind])
        raise FileError(f"{path}: {kind} cannot be written in parts; choose one of these: {known}")


def write_in_blocks(
    path: StrPath,
    table: Table,
    blocks: Iterator[Table],
    *,
    safe_csv: bool = False,
) -> None:
    """Write blocks of rows, of which one is in memory at a time.

    The file appears only when it is complete, as that of :func:`colonnade.io.write`.

    Parameters
    ----------
    path : str or path
        Where to: CSV, TSV, Parquet or NPY.
    table : Table
        What is written, for its shape.
    blocks : iterator of Table
        Its rows, from the first to the last.
    safe_csv : bool
        As for :func:`colonnade.io.write`.
    """
    path = check_target(path)
    check_blocks_target(path)
    write = WRITERS[kind_of(path)]
    if safe_csv:
        check_safe_csv(path)
        blocks = map(without_formulas, blocks)
    with atomic(path) as file:
        if path.name.lower().endswith(".gz"):
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                write(cast(BinaryIO, packed), table, blocks)
        else:
            write(file, table, blocks)


def _write_text(file: BinaryIO, blocks: Iterator[Table], separator: str) -> None:
    for number, block in enumerate(blocks):
        to_frame(block).to_csv(
            file, sep=separator, index=False, header=number == 0, encoding="utf-8"
        )


def _write_parquet(file: BinaryIO, table: Table, blocks: Iterator[Table]) -> None:
    first = to_arrow(next(blocks))
    with import_parquet().ParquetWriter(file, first.schema, write_page_checksum=True) as writer:
        writer.write_table(first)
        for block in blocks:
            writer.write_table(to_arrow(block))


def _write_npy(file: BinaryIO, table: Table, blocks: Iterator[Table]) -> None:
    first = next(blocks)
    header: dict[str, Any] = {
        "descr": np.lib.format.dtype_to_descr(first.X.dtype),
        "fortran_order": False,
        "shape": tuple(int(side) for side in table.X.shape),
    }
    np.lib.format.write_array_header_1_0(file, header)
    file.write(first.X.tobytes())
    for block in blocks:
        file.write(block.X.tobytes())


WRITERS: dict[str, Callable[[BinaryIO, Table, Iterator[Table]], None]] = {
    "CSV": lambda file, table, blocks: _write_text(file, blocks, ","),
    "TSV": lambda file, table, blocks: _write_text(file, blocks, "\t"),
    "Parquet": _write_parquet,
    "NPY": _write_npy,
}
"""Every kind of file that can be written a block after the other."""
