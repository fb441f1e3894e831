"""Parquet, Feather and JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ..foundation.wording import visible
from .arrow_messages import check_messages
from .frames import from_frame, import_arrow, import_pandas, import_parquet, plain, to_frame
from .lazy_frames import parquet_files
from .limits import check_room
from .table import INSTEAD, FileError, Options, Table, make_plan

__all__ = [
    "not_a_selection",
    "read_feather",
    "read_parquet",
    "to_arrow",
    "to_json",
    "write_feather",
    "write_json",
    "write_parquet",
]


def read_parquet(path: Path, options: Options) -> Table:
    """Read columns, of all files of a folder; an index that pandas stored becomes the row names."""
    import_pandas()
    parquet = import_parquet()
    tables, needed = [], 0
    for name in parquet_files(path):
        with parquet.ParquetFile(name, page_checksum_verification=True) as file:
            shape = (file.metadata.num_rows, file.metadata.num_columns)
            needed += 8 * shape[0] * shape[1]
            check_room(path, needed, f"a table of shape {shape}")
            tables.append(file.read())
    frame = (import_arrow().concat_tables(tables) if tables[1:] else tables[0]).to_pandas()
    return _from_pandas(path, frame, options)


def read_feather(path: Path, options: Options) -> Table:
    """Read columns of an Arrow file or stream, which Feather files are; an index as above."""
    import_pandas()
    arrow = import_arrow()
    with arrow.OSFile(os.fspath(path), "rb") as file:
        start = file.read(6)
    if start[:4] == b"FEA1":
        raise FileError(
            f"{path}: this is version 1 of Feather, of before 2020; save it anew, for example "
            "with pandas"
        )
    stored = start == b"ARROW1"
    open_it = arrow.ipc.open_file if stored else arrow.ipc.open_stream
    try:
        check_messages(path, arrow, 8 if stored else 0)
        with arrow.OSFile(os.fspath(path), "rb") as file, open_it(file) as reader:
            batches = []
            for batch in _batches(reader):
                batch.validate(full=True)  # what is read is trusted from here on
                batches.append(batch)
            frame = arrow.Table.from_batches(batches, schema=reader.schema).to_pandas()
    except MemoryError as error:  # sizes of messages themselves are not known before
        raise FileError(
            f"{path}: this asks for more memory than there is; it is damaged, or too large"
        ) from error
    return _from_pandas(path, frame, options)


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "get_batch"):
        return (reader.get_batch(i) for i in range(reader.num_record_batches))
    return iter(reader)


def _from_pandas(path: Path, frame: Any, options: Options) -> Table:
    """Return the table of a frame that pandas stored, with its index as row names."""
    pd = import_pandas()
    plan = make_plan(path, frame.shape[1], frame.columns, options)
    about = {}
    if not isinstance(frame.index, pd.RangeIndex):
        about["row_names"] = plain(frame.index.to_series())
    for name, place in (("labels", plan.label), ("row_names", plan.row_names)):
        if place is not None:
            about[name] = plain(frame.iloc[:, place])
    return from_frame(path, frame, plan, options, lambda row: f"row {row}", **about)


def write_parquet(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write columns; row names become an index for pandas, called "row"."""
    import_parquet().write_table(to_arrow(table), file, write_page_checksum=True)


def write_feather(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write columns as an Arrow file; row names as in Parquet."""
    import_arrow().feather.write_feather(to_arrow(table), file)


def to_arrow(table: Table) -> Any:
    """Return a table of Arrow; row names are a column, called "row"."""
    frame = to_frame(table)
    if "row" not in frame.columns:
        frame.index.name = "row"
    named = table.row_names is not None
    return import_arrow().Table.from_pandas(frame, preserve_index=named)


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
