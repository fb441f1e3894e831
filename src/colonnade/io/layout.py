"""How a text file is laid out, found by looking at its first lines."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from .phrases import is_integer, listed
from .table import Column, FileError, Options

__all__ = ["MISSING", "SPACES", "Layout", "find_layout", "is_number", "records"]

SPACES = r"\s+"
MISSING = {"", "na", "n/a", "nan", "-nan", "null", "none", "<na>", "#na", "#n/a", "-", "?"}
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t", "space": SPACES}
_COMMA = re.compile(r"[+-]?\d+,\d+")
_POINT = re.compile(r"[+-]?\d*\.\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out.

    Attributes
    ----------
    delimiter : str
        One character, or :data:`SPACES`.
    names : list of str or None
        What line 1 says the columns are called; None if it is data.
    n_columns : int
        How many columns there are, row names included.
    decimal : str
        A point or a comma.
    """

    delimiter: str
    names: list[str] | None
    n_columns: int
    decimal: str

    @property
    def named_rows(self) -> bool:
        """Whether the first column holds row names: if its own name is empty."""
        return self.names is not None and self.names[0] == "" and len(self.names) > 1


def find_layout(path: Path, head: list[str], options: Options) -> Layout:
    """Return how a text file is laid out; raise FileError if that cannot be found out."""
    delimiter = NAMED_DELIMITERS.get(options.delimiter or "", options.delimiter)
    if delimiter is None:
        delimiter = _delimiter(path, head)
    if len(delimiter) != 1 and delimiter != SPACES:
        raise FileError(
            f"{path}: delimiter {delimiter!r} is no single character; 'tab' and 'space' are known"
        )
    lines = list(records(head, delimiter))
    if not lines:
        raise FileError(f"{path}: the file is empty")
    header = _has_header(path, lines, options) if options.header is None else options.header
    names = [name.strip() for name in lines[0]] if header else None
    if header and len(lines) == 1:
        raise FileError(
            f"{path}: there is no data below the names in line 1 (if that line is data, "
            f"say {options.spelled('header', False)})"
        )
    if names and len(lines[1]) > len(names):
        raise FileError(
            f"{path}: line 1 has {len(names)} names but the next line {len(lines[1])} fields; "
            "add the missing names"
        )
    decimal = _decimal(path, delimiter, lines[bool(header) :])
    return Layout(delimiter, names, len(lines[0]), decimal)


def records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Cut lines into fields; empty lines are left out."""
    if delimiter == SPACES:
        return (line.split() for line in lines if line.strip())
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    return (record for record in reader if record)


def _delimiter(path: Path, head: list[str]) -> str:
    """Take the first that cuts all lines of the head into equally many fields."""
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        return "\t"
    for candidate in ("\t", ";", ",", "|", SPACES):
        if candidate != SPACES and not any(candidate in line for line in head):
            continue
        try:
            counts = {len(record) for record in records(head, candidate)}
        except csv.Error:  # a field of a wide table is too long when cut at the wrong places
            continue
        if len(counts) == 1 and counts != {1}:
            return candidate
    return ","


def _decimal(path: Path, delimiter: str, lines: list[list[str]]) -> str:
    """Return what stands before fractions; some countries write a comma."""
    if delimiter == ",":
        return "."
    fields = [field.strip() for line in lines for field in line if "," in field or "." in field]
    commas = [field for field in fields if _COMMA.fullmatch(field)]
    if not commas or any(_POINT.fullmatch(field) for field in fields):
        return "."
    if all(_THOUSANDS.fullmatch(field) for field in commas):
        value = commas[0]
        raise FileError(
            f"{path}: {value!r} may mean {value.replace(',', '.')} or {value.replace(',', '')}; "
            "write a decimal point (as tr , . does) or leave the separators of thousands out (as "
            "tr -d , does)"
        )
    return ","


def _has_header(path: Path, lines: list[list[str]], options: Options) -> bool:
    first = [field.strip() for field in lines[0]]
    asked = (options.label, options.row_names, *options.drop)
    left_out = [column for column in asked if column is not None]
    if any(column in first for column in left_out if not is_number(column)):
        return True
    counted = [str(j) for j in range(len(first))]
    if len(first) > 2 and first == ["", *counted[:-1]]:
        return True
    positions = {int(column) % len(first) for column in left_out if is_integer(column)}
    kinds = [_kinds(record, positions) for record in lines[:2]]
    yes, no = options.spelled("header", True), options.spelled("header", False)
    if False not in kinds[0]:
        if len(first) > 2 and first == counted:
            reason = "line 1 counts 0, 1, 2, ..., which may be names or numbers"
            raise FileError(f"{path}: {reason}; say {yes} or {no}")
        if _may_be_names(lines):
            warnings.warn(
                f"{path}: line 1 ({listed(first, 3)}) may be names or numbers and is taken for "
                f"numbers; say {yes} if these are names, {no} if not",
                stacklevel=2,
            )
        return False
    if True in kinds[0] and kinds[0] == kinds[-1] and len(lines) > 1:
        reason = "line 1 has text and numbers in the same places as the next line"
        raise FileError(f"{path}: {reason}; say {yes} or {no}")
    return True


def _may_be_names(lines: list[list[str]]) -> bool:
    """Return whether a first line of numbers looks like years, wavelengths or the like.

    Names differ from each other. They go up where the lines below do not, or in equal steps; or
    they are whole numbers above fractions.
    """
    first, *others = ([_number(field) for field in line] for line in lines)
    if len(set(first)) < max(2, len(first)) or not others:
        return False
    steps = {b - a for a, b in pairwise(first)}
    if len(first) > 2 and _rises(first) and (len(steps) == 1 or not any(map(_rises, others))):
        return True
    return _whole(first) and not any(map(_whole, others))


def _rises(values: list[float]) -> bool:
    return all(a < b for a, b in pairwise(values))


def _whole(values: list[float]) -> bool:
    return all(value.is_integer() for value in values)


def _kinds(record: list[str], left_out: set[int]) -> list[bool | None]:
    """Return for each field whether it is a number; None if it is missing or left out."""
    return [
        None if j in left_out or field.strip().lower() in MISSING else is_number(field)
        for j, field in enumerate(record)
    ]


def is_number(field: Column) -> bool:
    """Return whether a field is a number, with a decimal point or comma."""
    try:
        float(str(field).replace(",", "."))
    except ValueError:
        return False
    return True


def _number(field: str) -> float:
    return float(field.replace(",", ".")) if is_number(field) else float("nan")
