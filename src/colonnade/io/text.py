"""Text files: comma, semicolon, tab or space separated."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

import numpy as np

from ..foundation.typing import Array
from .column_kinds import are_dates
from .frames import from_frame, import_pandas, to_frame
from .layout import MISSING, SPACES, Layout, find_layout, records
from .limits import check_room, encoding, open_bytes
from .settling import settle
from .table import FileError, Options, Plan, Refused, Table, make_plan

__all__ = [
    "lay_out",
    "parse_numbers",
    "parse_words",
    "plain_values",
    "read_text",
    "without_spaced_gaps",
    "write_csv",
    "write_tsv",
]

_TRUTH = {"true": 1.0, "false": 0.0}
_GAPS = sorted({form for word in MISSING for form in (word, word.upper(), word.title())})
"""Gaps as pandas looks for them, in addition to those that it knows."""
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)")
_NUMBER = re.compile(
    r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?inf", re.ASCII | re.IGNORECASE
)


def read_text(path: Path, options: Options) -> Table:
    """Read a text file; see :func:`colonnade.io.read` for how its layout is found."""
    import_pandas()
    check_room(path, path.stat().st_size, "the text")
    head, layout, plan = lay_out(path, options)
    # pandas takes some 0.1 ms for every column, which it earns back in about 100 rows
    few_rows = path.stat().st_size < 100 * max(map(len, head))
    parse = _read_by_rows if layout.n_columns > 1000 and few_rows else _read_by_columns
    return parse(path, layout, plan, options)


def lay_out(path: Path, options: Options) -> tuple[list[str], Layout, Plan]:
    """Return the first lines of a file, how it is laid out, and which columns are data."""
    with _open(path) as file:
        head = list(_head(file))
    layout = find_layout(path, head, options)
    named_rows, names = layout.named_rows, layout.names
    plan = make_plan(
        path,
        layout.n_columns - named_rows,
        names[named_rows:] if names else None,
        options,
    )
    return head, layout, plan


def _read_by_columns(path: Path, layout: Layout, plan: Plan, options: Options) -> Table:
    skipped = int(layout.named_rows)
    with _open(path) as file:
        frame = parse_numbers(file, layout)
    if frame.shape[1] != layout.n_columns:
        raise FileError(
            f"{path}: line 1 has {layout.n_columns} fields or, with its quotes read otherwise, "
            f"{frame.shape[1]}; put quotes around whole fields only"
        )
    # what is no data is taken as it stands: NA and 007 may be names
    asked = {"labels": plan.label, "row_names": plan.row_names}
    places = {kind: j + skipped for kind, j in asked.items() if j is not None}
    if skipped:
        places.setdefault("row_names", 0)
    as_stands: dict[str, Array] = {}
    if places:
        wanted = sorted(set(places.values()))
        with _open(path) as file:
            texts = parse_words(file, layout, wanted)
        as_stands = {
            kind: plain_values(texts.iloc[:, wanted.index(j)].tolist(), layout.decimal)
            for kind, j in places.items()
        }
    frame = without_spaced_gaps(frame.iloc[:, skipped:], layout.decimal)
    return from_frame(path, frame, plan, options, _where(path, layout), **as_stands)


def without_spaced_gaps(frame: Any, decimal: str) -> Any:
    """Return a frame in which columns are numbers that spaces around their gaps made text."""
    pd = import_pandas()
    texts = [j for j, dtype in enumerate(frame.dtypes) if dtype.kind not in "fiub"]
    found = {}
    for j in texts:
        column = frame.iloc[:, j]
        words = {word: str(word).strip() for word in column.dropna().unique()}
        gaps = {word for word, stripped in words.items() if stripped.lower() in MISSING}
        if gaps and gaps != set(words):
            filled = column.where(~column.isin(gaps)).astype(object)
            swapped = filled.map(lambda w: w.translate(_swap(decimal)) if isinstance(w, str) else w)
            values = pd.to_numeric(swapped, errors="coerce")
            if (values.isna() == filled.isna()).all():
                found[j] = values.astype(float)
    if not found:
        return frame
    columns = [found.get(j, frame.iloc[:, j]) for j in range(frame.shape[1])]
    return pd.concat(columns, axis=1, keys=range(len(columns)))


def parse_numbers(file: IO[Any], layout: Layout) -> Any:
    """Return a frame of a text with its numbers as numbers."""
    return _parse(file, layout, low_memory=False, decimal=layout.decimal, na_values=_GAPS)


def parse_words(file: IO[Any], layout: Layout, columns: list[int]) -> Any:
    """Return a frame of some columns of a text, as words."""
    return _parse(file, layout, usecols=columns, dtype=str, na_filter=False)


def _parse(file: IO[Any], layout: Layout, **how: Any) -> Any:
    pd = import_pandas()
    return pd.read_csv(
        file,
        sep=layout.delimiter,
        header=None if layout.names is None else 0,
        index_col=False,
        engine="c",
        skipinitialspace=True,
        **_exactly(pd.__version__),
        **how,
    )


def _exactly(version: str) -> dict[str, Any]:
    """Since 3.1 pandas reads numbers exactly, and warns when told to; older ones must be told."""
    exact = tuple(map(int, version.split(".")[:2])) >= (3, 1)
    return {} if exact else {"float_precision": "round_trip"}


def _read_by_rows(path: Path, layout: Layout, plan: Plan, options: Options) -> Table:
    """Read few and long rows."""
    pd, skipped = import_pandas(), int(layout.named_rows)
    where, n = _where(path, layout), layout.n_columns
    data = slice(skipped, n) if plan.keep is None else plan.keep + skipped
    swap, rounds = _swap(layout.decimal), bool(_exactly(pd.__version__))
    rows: list[Array] = []
    texts: dict[int, dict[int, str]] = {}
    names, labels = [], []
    named = 0 if skipped else None
    named = named if plan.row_names is None else plan.row_names + skipped
    with _open(path) as file:
        lines = records(file, layout.delimiter)
        for record in itertools.islice(lines, int(layout.names is not None), None):
            if len(record) > n:
                count = f"{len(record)} fields, but there are {n} columns"
                raise FileError(f"{path}: {where(len(rows))} has {count}")
            fields = np.full(n, "", dtype=object)
            fields[: len(record)] = record
            names += [] if named is None else [fields[named]]
            labels += [] if plan.label is None else [fields[plan.label + skipped]]
            fields = fields[data]
            if swap:
                fields[:] = [field.translate(swap) for field in fields]
            values = pd.to_numeric(fields, errors="coerce")
            if rounds:
                found = ~np.isnan(values)
                values[found] = [float(field) for field in fields[found]]
            for j in np.flatnonzero(np.isnan(values)).tolist():
                word = fields[j].strip().lower()
                if word in _TRUTH:
                    values[j] = _TRUTH[word]
                elif word not in MISSING:
                    texts.setdefault(j, {})[len(rows)] = fields[j].translate(swap)
            rows.append(values)
    X, columns = np.array(rows), plan.columns
    refused = []
    if texts:
        known = columns or [f"x{j}" for j in range(X.shape[1])]
        refused = [_refused(known[j], texts[j], len(X)) for j in sorted(texts)]
        keep = np.delete(np.arange(X.shape[1]), sorted(texts))
        X, columns = X[:, keep], [known[j] for j in keep]
    table = Table(
        X,
        columns,
        None if plan.label is None else plain_values(labels, layout.decimal),
        plan.label_name,
        None if named is None else plain_values(names, layout.decimal),
    )
    return settle(path, table, where, options, refused)


def _refused(name: str, texts: Mapping[int, str], n_rows: int) -> Refused:
    """Return what a column holds, by the entries that are no numbers."""
    row = min(texts)
    kind = "dates" if are_dates(texts.values()) else "text"
    return Refused(name, kind, row, texts[row], len(set(texts.values())) == n_rows)


def plain_values(words: list[str], decimal: str) -> Array:
    """Return labels or row names as numbers if all of them are, and else as they stand.

    ``007`` is no number, because it would not come back, nor is one of too many digits; a gap is
    one among numbers.
    """
    fields = [word.strip().translate(_swap(decimal)) for word in words]
    if fields and set(fields) <= {"True", "False"}:
        return np.array([field == "True" for field in fields])
    filled = [field for field in fields if field.lower() not in MISSING]
    whole = [field for field in filled if _WHOLE.fullmatch(field)]
    if (
        not filled
        or not all(_NUMBER.fullmatch(field) for field in filled)
        or any(abs(int(field)) >= 2**63 for field in whole)
    ):
        return np.array(words, dtype=str)
    if len(whole) == len(fields):
        return np.array(fields, dtype=np.int64)
    gap = float("nan")
    return np.array([gap if field.lower() in MISSING else float(field) for field in fields])


def _swap(decimal: str) -> Mapping[int, Any]:
    """Return how to translate numbers into those with a decimal point, and back."""
    return str.maketrans(".,", ",.") if decimal == "," else {}


def _open(path: Path) -> TextIO:
    found = encoding(path)
    return io.TextIOWrapper(open_bytes(path), encoding=found, newline="")


def _head(file: TextIO) -> Iterator[str]:
    """Return the first lines that are not empty: 20, or fewer if they are long."""
    size = 0
    for count, line in enumerate(line for line in file if line.strip()):
        if count == 20 or (count > 2 and size > 2**20):
            return
        size += len(line)
        yield line


def _where(path: Path, layout: Layout) -> Any:
    """Return a function from the number of a row to where it is."""

    def where(row: int) -> str:
        return f"line {_line(path, layout.delimiter, row + (layout.names is not None))}"

    return where


def _line(path: Path, delimiter: str, record: int) -> int:
    """Find the line of a record by reading again; quoted and empty lines make it differ."""
    with _open(path) as file:
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


def write_csv(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write comma separated text with a header."""
    named = table.row_names is not None
    to_frame(table).to_csv(file, index=named, index_label="", encoding="utf-8")


def write_tsv(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write tab separated text with a header."""
    named = table.row_names is not None
    to_frame(table).to_csv(file, sep="\t", index=named, index_label="", encoding="utf-8")
