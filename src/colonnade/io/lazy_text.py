"""Text that is read in blocks of bytes, cut where rows end."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..foundation.typing import Array, Indices
from ..operands.chunked.chunked_table import ChunkedTable
from .complaints import complaint
from .frames import import_pandas, sorted_out
from .layout import SPACES, Layout, records
from .lazy_blocks import Source, Span, Stamp, as_array, stamp_of
from .limits import encoding
from .phrases import counted
from .table import FileError, Options, Plan, Refused, check_not_empty
from .text import lay_out, parse_numbers, parse_words, plain_values, without_spaced_gaps

__all__ = ["open_text"]

LONGEST = 2**24
"""How many bytes a row may go on for in a quoted field; more is a quote that is not closed."""
SAMPLE = 2**20
"""How many bytes tell which columns hold numbers."""


@dataclass(frozen=True)
class TextSource(Source):
    """Some lines of a text file.

    Attributes
    ----------
    start, stop : int
        Where they are, in bytes.
    line : int
        Which line of the file is the first.
    delimiter, decimal : str
        How the text is laid out.
    n_columns : int
        How many columns there are, names of rows included.
    named_rows, header : bool
        Whether the first column holds names of the rows, and the first line names of the columns.
    """

    kind = "CSV"
    start: int
    stop: int
    line: int
    delimiter: str
    decimal: str
    n_columns: int
    named_rows: bool
    header: bool

    def read(self, rows: Span, columns: Indices) -> Array:
        found, refused = self.sort_out(columns)
        if refused:
            raise FileError(f"{self.path}: {self.complaint(refused, Options())}")
        X = np.column_stack([*found.values()])
        if len(X) != rows[1]:
            raise FileError(
                f"{self.path}: {counted(rows[1], 'row')} seem to begin in line {self.line}, but "
                f"{len(X)} were read; put quotes around whole fields only, and end lines with \\n"
            )
        return X.astype(np.float64, copy=False)

    def sort_out(self, columns: Indices) -> tuple[dict[int, Array], list[Refused]]:
        """Return the columns that hold numbers, and what is to be said of the others."""
        frame = self._parsed(parse_numbers).iloc[:, int(self.named_rows) :]
        body = without_spaced_gaps(frame, self.decimal).iloc[:, columns]
        has_text = any(getattr(dtype, "kind", "O") not in "fiu" for dtype in body.dtypes)
        return sorted_out(body, self._names(columns) if has_text else ())

    def complaint(self, refused: Sequence[Refused], options: Options) -> str:
        """Return a sentence on columns that hold no numbers."""
        text = self._text()
        plain = b'"' not in text and re.search(rb"\n\s*\n", text) is None

        def where(row: int) -> str:
            return f"line {self.line + row}" if plain else f"a line from {self.line} on"

        return complaint(refused, (), (), where, options, self.n_columns - self.named_rows)

    def words(self, column: int) -> list[str]:
        """Return a column as it stands."""
        place = column + self.named_rows
        return [*self._parsed(parse_words, [place]).iloc[:, 0]]

    def _text(self) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(self.start)
            return file.read(self.stop - self.start)

    def _parsed(self, parse: Any, *how: Any) -> Any:
        pd, text = import_pandas(), self._text()
        self._check_first(text)
        separator = " " if self.delimiter == SPACES else self.delimiter
        # with a line of names all rows are held to their number, also the first one of a block
        names = [str(j) for j in range(self.n_columns)]
        head = separator.join(names).encode() + b"\n"
        layout = Layout(self.delimiter, names, self.n_columns, self.decimal)
        try:
            return parse(io.BytesIO(head + text), layout, *how)
        except pd.errors.ParserError as error:
            found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
            if found is None:
                raise
            line = self.line + int(found[2]) - 2
            raise FileError(self._too_long(line, int(found[3]))) from error

    def _check_first(self, text: bytes) -> None:
        """Raise FileError if the first row has too many fields, which pandas would cut off."""
        lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
        fields = next(records(lines, self.delimiter), [])
        if len(fields) > self.n_columns:
            raise FileError(self._too_long(self.line, len(fields)))

    def _too_long(self, line: int, count: int) -> str:
        return (
            f"{self.path}: line {line} has {count} fields, but there are {self.n_columns} columns; "
            "correct it, or put quotes around fields that hold the delimiter"
        )

    def _names(self, columns: Indices) -> Sequence[str]:
        """Return what columns are called; read again, as only messages need it."""
        if not self.header:
            return [f"x{j}" for j in columns]
        with open(self.path, encoding="utf-8-sig", newline="") as file:
            names = next(records(file, self.delimiter))[int(self.named_rows) :]
        return [names[j].strip() for j in columns]


def open_text(path: Path, options: Options, room: int) -> ChunkedTable:
    """Open a text file, which is passed through once to find where its rows end."""
    if path.name.lower().endswith(".gz"):
        raise FileError(
            f"{path}: parts of compressed text cannot be read alone; unpack it first, for example "
            f"with gunzip -k {path.name}"
        )
    import_pandas()
    name = encoding(path)
    if name != "utf-8-sig":
        raise FileError(
            f"{path}: parts of {name.upper()} text cannot be read alone; convert it to UTF-8 "
            f"first, for example with iconv -f {name} -t utf-8"
        )
    head, layout, plan = lay_out(path, options)
    where = os.path.realpath(path)
    with open(where, "rb") as file:
        start, line = _first_row(path, file, layout)
    stamp = stamp_of([where])
    # numbers of few digits take more room as numbers than as text
    share = sum(map(len, head)) / (8 * layout.n_columns * len(head))
    size = max(1, int(room * min(1.0, share)))
    tabs = layout.delimiter == "\t"
    first = next(_cut(path, where, start, line, min(size, SAMPLE), tabs), None)
    if first is None:
        raise FileError(f"{path}: there is no data below the names in line 1")
    plan, names = _without_text(path, _source(where, stamp, layout, first[0]), plan, options)
    parts = [
        (_source(where, stamp, layout, lines), (0, count))
        for lines, count in _cut(path, where, start, line, size, tabs)
    ]
    array = as_array(parts, [(0, plan.n_columns)], plan, np.float64)
    labels = None
    if plan.label is not None:
        words = [word for source, _ in parts for word in source.words(plan.label)]
        labels = plain_values(words, layout.decimal)
    return ChunkedTable(array, names, labels, str(path))


Lines = tuple[int, int, int]
"""Where lines are in the file, from and to, and the number of the first."""


def _source(where: str, stamp: Stamp, layout: Layout, lines: Lines) -> TextSource:
    return TextSource(
        where,
        stamp,
        *lines,
        layout.delimiter,
        layout.decimal,
        layout.n_columns,
        layout.named_rows,
        layout.names is not None,
    )


def _without_text(
    path: Path, sample: TextSource, plan: Plan, options: Options
) -> tuple[Plan, list[str] | None]:
    """Return which columns are data, and their names; raise FileError if some hold no numbers."""
    kept = np.arange(plan.n_columns) if plan.keep is None else plan.keep
    found, refused = sample.sort_out(kept)
    if not refused:
        return plan, plan.columns
    if not options.numeric_only:
        raise FileError(f"{path}: {sample.complaint(refused, options)}")
    numbers = kept[[*found]]
    check_not_empty(path, (1, len(numbers)), {column.name: column.kind for column in refused})
    names = plan.names or [f"x{j}" for j in range(plan.n_columns)]
    return Plan(plan.n_columns, names, numbers, plan.label), [names[j] for j in numbers]


def _first_row(path: Path, file: BinaryIO, layout: Layout) -> tuple[int, int]:
    """Return where the data begins, behind the line of names, and the number of that line."""
    if file.read(3) != b"\xef\xbb\xbf":
        file.seek(0)
    if layout.names is None:
        return file.tell(), 1
    line, text = 1, b""
    while not text.strip() or text.count(b'"') % 2:
        text = (text if text.strip() else b"") + file.readline()
        line += 1
        if b"\r" in text[:-2]:
            raise FileError(f"{path}: lines must end with \\n or \\r\\n, not with \\r alone")
    return file.tell(), line


def _cut(
    path: Path, where: str, start: int, line: int, size: int, tabs: bool
) -> Iterator[tuple[Lines, int]]:
    """Return how a file is cut into lines of about so many bytes, and how many rows these are.

    Empty lines are no rows; a line of tabs is one if these separate its fields.
    """
    blank = rb"\n[ \r]*(?=\n|\Z)" if tabs else rb"\n[ \t\r]*(?=\n|\Z)"
    with open(where, "rb") as file:
        file.seek(start)
        while text := file.read(size):
            text += _rest(path, file, text, line)
            outside = text
            if b'"' in text:
                # what is quoted may hold ends of lines; something must stand for it
                outside = b"x".join(text.split(b'"')[::2])
            lines = b"\n" + outside.removesuffix(b"\n")
            count = lines.count(b"\n") - len(re.findall(blank, lines))
            if count:
                yield (file.tell() - len(text), file.tell(), line), count
            line += text.count(b"\n")


def _rest(path: Path, file: BinaryIO, text: bytes, line: int) -> bytes:
    """Return what is missing to the end of the row in which a text ends."""
    parts, size, quotes = [], 0, text.count(b'"')
    if text.endswith(b"\n") and quotes % 2 == 0:
        return b""
    while more := file.readline(LONGEST):
        parts.append(more)
        size += len(more)
        quotes += more.count(b'"')
        if more.endswith(b"\n") and quotes % 2 == 0:
            break
        if size > LONGEST and quotes % 2:
            break
    if quotes % 2:
        raise FileError(
            f"{path}: a quote behind line {line} is not closed; put quotes around whole fields only"
        )
    return b"".join(parts)
