"""Text files: comma, semicolon, tab or space separated."""

from __future__ import annotations

import csv
import gzip
import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from .table import (
    Column,
    FileError,
    Options,
    Table,
    from_frame,
    import_pandas,
    plain,
    to_frame,
)
from .words import is_integer

SPACES = r"\s+"
MISSING = {"", "na", "n/a", "nan", "null", "none"}
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t", "space": SPACES}


def read(path: Path, options: Options) -> Table:
    """Read a text file; see :func:`colonnade.io.read` for how its layout is found."""
    pd = import_pandas()
    with _open_text(path) as file:
        head = list(itertools.islice((line for line in file if line.strip()), 20))
    delimiter = NAMED_DELIMITERS.get(options.delimiter or "", options.delimiter)
    if delimiter is None:
        delimiter = _delimiter(path, head)
    if len(delimiter) != 1 and delimiter != SPACES:
        raise FileError(
            f"{path}: delimiter {delimiter!r} is no single character; 'tab' and 'space' are known"
        )
    records = list(_records(head, delimiter))
    if not records:
        raise FileError(f"{path}: the file is empty")
    header = _has_header(path, records, options) if options.header is None else options.header
    names = [name.strip() for name in records[0]] if header else None
    if header and len(records) == 1:
        raise FileError(
            f"{path}: there is no data below the names in line 1 (if that line is data, "
            f"say {options.spelled('header', False)})"
        )
    if names and len(records[1]) > len(names):
        raise FileError(
            f"{path}: line 1 has {len(names)} names but the next line {len(records[1])} fields; "
            "add the missing names"
        )
    frame = pd.read_csv(
        path,
        sep=delimiter,
        header=0 if header else None,
        index_col=False,
        engine="c",
        low_memory=False,
        skipinitialspace=True,
        decimal="," if _decimal_comma(delimiter, records[bool(header) :]) else ".",
        encoding="utf-8",
        **_exactly(pd.__version__),
    )
    row_names = None
    if names:
        frame.columns = pd.Index(names, dtype=object)
        if names[0] == "" and len(names) > 1:
            row_names, frame = plain(frame.iloc[:, 0]), frame.iloc[:, 1:]

    def where(row: int) -> str:
        return f"line {_line(path, delimiter, row + bool(header))}"

    return replace(from_frame(path, frame, options, where, bool(header)), row_names=row_names)


def _exactly(version: str) -> dict[str, Any]:
    """Since 3.1 pandas reads numbers exactly, and warns when told to; older ones must be told."""
    exact = tuple(map(int, version.split(".")[:2])) >= (3, 1)
    return {} if exact else {"float_precision": "round_trip"}


def _open_text(path: Path) -> TextIO:
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    return opener(path, "rt", encoding="utf-8-sig", newline="")


def _records(lines: Any, delimiter: str) -> Any:
    if delimiter == SPACES:
        return (line.split() for line in lines if line.strip())
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    return (record for record in reader if record)


def _delimiter(path: Path, head: list[str]) -> str:
    """Take the first that cuts all lines of the head into equally many fields."""
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    for candidate in ("\t", ";", ",", "|", SPACES):
        try:
            counts = {len(record) for record in _records(head, candidate)}
        except csv.Error:  # a field of a wide table is too long when cut at the wrong places
            continue
        if len(counts) == 1 and counts != {1}:
            return candidate
    return ","


def _decimal_comma(delimiter: str, records: list[list[str]]) -> bool:
    fields = [field.strip() for record in records for field in record]
    return (
        delimiter != ","
        and any(re.fullmatch(r"[+-]?\d+,\d+", field) for field in fields)
        and not any(re.fullmatch(r"[+-]?\d*\.\d+", field) for field in fields)
    )


def _has_header(path: Path, records: list[list[str]], options: Options) -> bool:
    first = [field.strip() for field in records[0]]
    left_out = [column for column in (options.label, *options.drop) if column is not None]
    if any(column in first for column in left_out if not _is_number(column)):
        return True
    counted = [str(j) for j in range(len(first))]
    if len(first) > 2 and first == ["", *counted[:-1]]:
        return True
    positions = {int(column) % len(first) for column in left_out if is_integer(column)}
    kinds = [_kinds(record, positions) for record in records[:2]]
    choice = f"say {options.spelled('header', True)} or {options.spelled('header', False)}"
    if False not in kinds[0]:
        if len(first) > 2 and first == counted:
            reason = "line 1 counts 0, 1, 2, ..., which may be names or numbers"
            raise FileError(f"{path}: {reason}; {choice}")
        return False
    if True in kinds[0] and kinds[0] == kinds[-1] and len(records) > 1:
        reason = "line 1 has text and numbers in the same places as the next line"
        raise FileError(f"{path}: {reason}; {choice}")
    return True


def _kinds(record: list[str], left_out: set[int]) -> list[bool | None]:
    """Say for each field whether it is a number; None if it is missing or left out."""
    return [
        None if j in left_out or field.strip().lower() in MISSING else _is_number(field)
        for j, field in enumerate(record)
    ]


def _is_number(field: Column) -> bool:
    try:
        float(str(field).replace(",", "."))  # some countries write a decimal comma
    except ValueError:
        return False
    return True


def _line(path: Path, delimiter: str, record: int) -> int:
    """Find the line of a record by reading again; quoted and empty lines make it differ."""
    with _open_text(path) as file:
        if delimiter == SPACES:
            filled = (number for number, line in enumerate(file, 1) if line.strip())
            return next(itertools.islice(filled, record, None))
        reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
        start = 1
        for fields in reader:
            if fields:
                record -= 1
            if record < 0:
                return start
            start = reader.line_num + 1
    return start


def write(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write comma separated text with a header."""
    named = table.row_names is not None
    to_frame(table).to_csv(file, index=named, index_label="", encoding="utf-8")


def write_tabbed(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write tab separated text with a header."""
    named = table.row_names is not None
    to_frame(table).to_csv(file, sep="\t", index=named, index_label="", encoding="utf-8")
