"""Parquet and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from ..foundation.wording import visible
from .frames import from_frame, import_pandas, import_parquet, plain, to_frame
from .limits import check_room
from .table import INSTEAD, Options, Table, make_plan

__all__ = ["not_a_selection", "read_parquet", "to_json", "write_json", "write_parquet"]


def read_parquet(path: Path, options: Options) -> Table:
    """Read columns; an index that pandas stored becomes the row names."""
    pd, parquet = import_pandas(), import_parquet()
    with parquet.ParquetFile(path, page_checksum_verification=True) as file:
        shape = (file.metadata.num_rows, file.metadata.num_columns)
        check_room(path, 8 * shape[0] * shape[1], f"a table of shape {shape}")
        frame = file.read().to_pandas()
    plan = make_plan(path, frame.shape[1], frame.columns, options)
    labels = None if plan.label is None else plain(frame.iloc[:, plan.label])
    table = from_frame(path, frame, plan, options, lambda row: f"row {row}", labels)
    if isinstance(frame.index, pd.RangeIndex):
        return table
    return replace(table, row_names=plain(frame.index.to_series()))


def write_parquet(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write columns; row names become an index for pandas, called "row"."""
    import pyarrow

    parquet, frame = import_parquet(), to_frame(table)
    if "row" not in frame.columns:
        frame.index.name = "row"
    named = table.row_names is not None
    parquet.write_table(
        pyarrow.Table.from_pandas(frame, preserve_index=named), file, write_page_checksum=True
    )


def write_json(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write a selection."""
    file.write(to_json(selection or {}).encode())


def not_a_selection(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    """Return why JSON cannot hold this; empty if it can."""
    return "" if selection is not None else f"JSON holds a selection, not data; {INSTEAD}"


def to_json(values: Mapping[str, Any]) -> str:
    """Return JSON with a line for each key: readable, and short for long lists."""

    def dumped(value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=lambda v: v.tolist())
        # names keep their letters; what a terminal would obey is escaped, which means the same
        return visible(text, lambda character: json.dumps(character)[1:-1])

    lines = (f" {json.dumps(key)}: {dumped(value)}" for key, value in values.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
