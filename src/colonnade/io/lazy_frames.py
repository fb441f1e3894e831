"""Parquet that is read in blocks: of row groups, and of columns where these are large."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..foundation.typing import Array, Indices
from ..operands.chunked.chunked_table import ChunkedTable
from .complaints import complaint
from .frames import import_pandas, import_parquet, plain
from .kinds import EXTENSIONS
from .lazy_blocks import Layout, Source, Span, as_array, kept_as, laid_out, spans, stamp_of
from .table import FileError, Options, Plan, Refused, check_not_empty, make_plan

__all__ = ["open_parquet", "parquet_files"]

Groups = tuple[str, tuple[int, ...]]
"""A file, and which of its row groups."""


@dataclass(frozen=True)
class ParquetSource(Source):
    """Some row groups of some files.

    Attributes
    ----------
    groups : tuple of (file, row groups)
        Which.
    """

    kind = "Parquet"
    groups: tuple[Groups, ...]

    def read(self, rows: Span, columns: Indices) -> Array:
        return np.concatenate([_read_groups(*group, columns) for group in self.groups])


def _read_groups(file: str, groups: Sequence[int], columns: Indices) -> Array:
    with import_parquet().ParquetFile(file, page_checksum_verification=True) as opened:
        names = [opened.schema_arrow.names[j] for j in columns.tolist()]
        table = opened.read_row_groups([*groups], columns=names)
    # one column at a time: gaps make whole numbers floats, which differs from column to column
    return np.column_stack([_numbers(table.column(name)) for name in names])


def _numbers(column: Any) -> Array:
    """Return a column of Arrow as numbers, with NaN for gaps."""
    import pyarrow as pa

    kind = column.type
    gaps = pa.types.is_null(kind) or (pa.types.is_boolean(kind) and column.null_count)
    if gaps or pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    values = column.to_numpy()
    return values.astype(kept_as(values.dtype), copy=False)


def parquet_files(path: Path) -> list[str]:
    """Return the files of a data set, in the order of their numbers; raise FileError for none."""
    where = os.path.realpath(path)
    if not os.path.isdir(where):
        return [where]
    names = [name for name in os.listdir(where) if name.lower().endswith(EXTENSIONS["Parquet"])]
    names = [name for name in names if not name.startswith((".", "_"))]
    if not names:
        inner = sorted(entry.name for entry in os.scandir(where) if entry.is_dir())
        hint = f"; name one of the folders in it, such as {inner[0]}" if inner else ""
        raise FileError(
            f"{path}: there are no files with names in {', '.join(EXTENSIONS['Parquet'])} in this "
            f"folder{hint}"
        )
    return [os.path.join(where, name) for name in sorted(names, key=_by_number)]


def _by_number(name: str) -> list[Any]:
    """Return a key by which part.2 comes before part.10."""
    return [int(word) if word.isdigit() else word for word in re.split(r"(\d+)", name)]


def open_parquet(
    path: Path, options: Options, room: int, *, layout: Layout = "as stored"
) -> ChunkedTable:
    """Open a file, or a folder of files with the same columns."""
    import_pandas()
    files = parquet_files(path)
    headers = list(_headers(path, files))
    schema = headers[0].schema.to_arrow_schema()
    index = _stored_index(schema)
    columns = np.array([j for j, name in enumerate(schema.names) if name not in index], dtype=int)
    named = [schema.names[j] for j in columns]
    twice = [name for name, count in Counter(named).items() if count > 1]
    if twice:
        raise FileError(f"{path}: several columns are called {twice[0]!r}; rename them")
    n_rows = sum(header.num_rows for header in headers)
    check_not_empty(path, (n_rows, len(columns)))
    plan = make_plan(path, len(columns), named, options)
    data = columns if plan.keep is None else columns[plan.keep]
    types = {j: _type(schema.field(j), headers) for j in data.tolist()}
    wrong = [j for j, kind in types.items() if kind is None]
    if wrong and not options.numeric_only:
        refused = [_refused(files[0], schema.field(j)) for j in wrong]
        said = complaint(refused, (), (), lambda row: f"row {row}", options, len(data))
        raise FileError(f"{path}: {said}")
    kept = np.setdiff1d(data, wrong)
    check_not_empty(path, (n_rows, len(kept)), {schema.names[j]: "no numbers" for j in wrong})
    dtype = np.result_type(*(types[j] for j in kept.tolist()))
    shape, width = (n_rows, len(kept)), 0
    height = room // (len(kept) * dtype.itemsize)
    if layout != "as stored":
        height, width = laid_out(layout, shape, dtype.itemsize, room, (1, 1))
    parts = _parts(path, files, headers, height)
    tallest = max(stop for _, (_, stop) in parts)
    width = width or max(1, room // (tallest * dtype.itemsize))
    cut = spans(len(schema), min(width, len(schema)))
    array = as_array(parts, cut, Plan(len(schema), None, kept, None), dtype)
    labels = None if plan.label is None else _labels(files, named[plan.label])
    return ChunkedTable(array, [schema.names[j] for j in kept], labels, str(path))


def _headers(path: Path, files: Sequence[str]) -> Iterator[Any]:
    """Return what the files say about themselves; raise FileError if they do not fit together."""
    parquet = import_parquet()
    first = None
    for file in files:
        try:
            header = parquet.read_metadata(file)
        except Exception as error:  # whatever pyarrow raises on what is no Parquet
            said = " ".join(str(error).split())[:200]
            inside = "" if len(files) == 1 else f": {os.path.basename(file)}"
            raise FileError(
                f"{path}{inside}: this is not a complete Parquet file: {said}"
            ) from error
        schema = header.schema.to_arrow_schema()
        types = dict(zip(schema.names, schema.types, strict=True))
        first = first or types
        if [*types.items()] != [*first.items()]:
            odd = [name for name in {**first, **types} if first.get(name) != types.get(name)]
            name = odd[0] if odd else next(a for a, b in zip(types, first, strict=True) if a != b)
            there = [str(schema.get(name, "missing")) for schema in (first, types)]
            about = f"{there[0]} in one, {there[1]} in the other" if odd else "in another place"
            raise FileError(
                f"{path}: {os.path.basename(file)} and {os.path.basename(files[0])} have different "
                f"columns ({name!r} is {about}); write them with the same columns"
            )
        yield header


def _stored_index(schema: Any) -> set[str]:
    """Return the columns that pandas stored as names of the rows."""
    with suppress(ValueError):
        about = schema.pandas_metadata or {}
        return {name for name in about.get("index_columns", ()) if isinstance(name, str)}
    return set()


def _type(field: Any, headers: Sequence[Any]) -> np.dtype[Any] | None:
    """Return what the numbers of a column become; None if it holds none."""
    import pyarrow as pa

    kind = field.type
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return np.dtype(np.float64)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return None
    dtype = kept_as(kind.to_pandas_dtype())
    whole = dtype.kind != "f"
    if whole and field.nullable and any(_has_gaps(header, field.name) for header in headers):
        return np.dtype(np.float64)
    return dtype


def _has_gaps(header: Any, name: str) -> bool:
    """Return whether a column has gaps; if the file does not tell, it may."""
    place = header.schema.to_arrow_schema().names.index(name)
    place = next(
        j for j in range(place, header.num_columns) if header.schema.column(j).path == name
    )
    for group in range(header.num_row_groups):
        about = header.row_group(group).column(place).statistics
        if about is None or not about.has_null_count or about.null_count:
            return True
    return False


def _refused(file: str, field: Any) -> Refused:
    """Return what a column holds that is no number, with the first entry of the file."""
    import pyarrow as pa

    row, value = 0, None
    with import_parquet().ParquetFile(file) as opened:
        for batch in opened.iter_batches(1000, columns=[field.name]):
            filled = np.flatnonzero(batch.column(0).is_valid().to_numpy(zero_copy_only=False))
            if len(filled):
                value = batch.column(0)[int(filled[0])].as_py()
                row += int(filled[0])
                break
            row += len(batch)
    kinds = {
        "dates": pa.types.is_temporal,
        "structs": pa.types.is_struct,
        "maps": pa.types.is_map,
        "lists": lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind),
        "bytes": lambda kind: pa.types.is_binary(kind) or pa.types.is_large_binary(kind),
    }
    kind = next((kind for kind, test in kinds.items() if test(field.type)), "text")
    return Refused(field.name, kind, row, " ".join(str(value).split()))


def _parts(
    path: Path, files: Sequence[str], headers: Sequence[Any], most: int
) -> list[tuple[Source, Span]]:
    """Return blocks of at most so many rows, or of one row group; small files share a block."""
    where = os.path.realpath(path)
    blocks: list[dict[str, list[int]]] = []
    counts: list[int] = []
    for file, header in zip(files, headers, strict=True):
        for group in range(header.num_row_groups):
            count = header.row_group(group).num_rows
            if count == 0:
                continue
            if not blocks or counts[-1] + count > most:
                blocks.append({})
                counts.append(0)
            blocks[-1].setdefault(file, []).append(group)
            counts[-1] += count
    return [
        (ParquetSource(where, stamp_of(block), _groups(block)), (0, count))
        for block, count in zip(blocks, counts, strict=True)
    ]


def _groups(block: Mapping[str, Sequence[int]]) -> tuple[Groups, ...]:
    return tuple((file, tuple(groups)) for file, groups in block.items())


def _labels(files: Sequence[str], name: str) -> Array:
    parquet = import_parquet()
    parts = []
    for file in files:
        with parquet.ParquetFile(file, page_checksum_verification=True) as opened:
            parts.append(plain(opened.read(columns=[name]).column(0).to_pandas()))
    return np.concatenate(parts)
