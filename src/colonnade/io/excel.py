"""Excel workbooks, ``.xlsx``: packed XML, of which nothing is unpacked before its size is known."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .frames import from_frame, import_pandas, plain, to_frame
from .layout import MISSING
from .limits import check_room
from .phrases import counted, is_integer, listed
from .table import FileError, Options, Table, make_plan

__all__ = ["read_excel", "write_excel"]

_BROKEN = {"#div/0!", "#null!", "#num!", "#value!", "#ref!", "#name?", "#n/a"}
"""What a formula gives that has no value: a gap."""
_CELL = 60
"""About how many bytes a cell takes while a sheet is read."""


def read_excel(path: Path, options: Options) -> Table:
    """Read the first sheet, or the one that is asked for; its first row holds the names."""
    import_pandas()
    openpyxl = import_openpyxl()
    _check_archive(path)
    with path.open("rb") as file:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and the like
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            sheet = _find_sheet(path, book, options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about dates that are none
                numbered = list(_filled_rows(path, sheet))
        finally:
            book.close()
    if not numbered:
        raise FileError(f"{path}: the sheet {sheet.title!r} is empty")
    return _from_cells(path, numbered, options)


def _check_archive(path: Path) -> None:
    """Raise FileError for a file that is no workbook, or one that would take too much room."""
    with path.open("rb") as file:
        start = file.read(4)
    if start == b"\xd0\xcf\x11\xe0":
        raise FileError(
            f"{path}: this is an old Excel file or one with a password; save it as .xlsx without"
        )
    if not zipfile.is_zipfile(path):
        raise FileError(f"{path}: this is not a complete Excel file")
    with zipfile.ZipFile(path) as packed:
        check_room(path, sum(part.file_size for part in packed.infolist()), "the unpacked workbook")


def _find_sheet(path: Path, book: Any, options: Options) -> Any:
    names = [sheet.title for sheet in book.worksheets]
    if not names:
        raise FileError(f"{path}: there is no sheet with cells in this workbook")
    asked = options.sheet
    if asked is None:
        if len(names) > 1:
            warnings.warn(
                f"{path}: there are {len(names)} sheets ({listed(names)}), and the first is read; "
                f"choose another with {options.spelled('sheet', names[1])}",
                stacklevel=2,
            )
        return book.worksheets[0]
    if asked in names:
        return book.worksheets[names.index(str(asked))]
    if is_integer(asked) and 0 <= int(asked) < len(names):
        return book.worksheets[int(asked)]
    raise FileError(
        f"{path}: {options.spelled('sheet', asked)}: there is no such sheet; there are "
        f"{listed(names)}, numbered from 0"
    )


def _filled_rows(path: Path, sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """Return the rows that hold anything, with their numbers; cells at the end may be missing.

    A sheet may claim to be larger than it is, or have one cell very far away.
    """
    sheet.reset_dimensions()
    cells, width = 0, 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        row = [_value(value) for value in values]
        while row and row[-1] is None:
            row.pop()
        if not row:
            continue
        cells, width = cells + 1, max(width, len(row))
        if cells % 1000 == 1 or len(row) == width:
            shape = f"{counted(cells, 'row')} of {counted(width, 'cell')}"
            check_room(path, _CELL * cells * width, f"a sheet of {shape}")
        yield number, row


def _value(value: Any) -> Any:
    """Return a cell, None for a gap."""
    if not isinstance(value, str):
        return value
    word = value.strip().lower()
    if word in MISSING or word in _BROKEN:
        return None
    return {"true": True, "false": False}.get(word, value)


def _from_cells(path: Path, numbered: list[tuple[int, list[Any]]], options: Options) -> Table:
    pd = import_pandas()
    numbers, rows = [number for number, _ in numbered], [row for _, row in numbered]
    header = True if options.header is None else options.header
    width = max(map(len, rows))
    names = None
    if header:
        names = ["" if name is None else str(name) for name in rows[0]]
        names += [""] * (width - len(names))
        numbers, rows = numbers[1:], rows[1:]
        if not rows:
            raise FileError(f"{path}: there is no data below the names in row {numbered[0][0]}")
        if options.header is None and not any(isinstance(name, str) for name in numbered[0][1]):
            raise FileError(
                f"{path}: row {numbered[0][0]} holds no text, so these may be names or numbers; "
                f"say {options.spelled('header', True)} or {options.spelled('header', False)}"
            )
    frame = pd.DataFrame(
        {j: _column([row[j] if j < len(row) else None for row in rows]) for j in range(width)}
    )
    skipped = int(names is not None and names[0] == "" and width > 1)
    body = frame.iloc[:, skipped:]
    plan = make_plan(path, width - skipped, names[skipped:] if names else None, options)
    about = {"row_names": plain(frame.iloc[:, 0])} if skipped else {}
    for name, place in (("labels", plan.label), ("row_names", plan.row_names)):
        if place is not None:
            about[name] = plain(body.iloc[:, place])
    return from_frame(path, body, plan, options, lambda row: f"row {numbers[row]}", **about)


def _column(values: list[Any]) -> Any:
    """Return a column as pandas holds it: numbers if all are, with NaN for gaps."""
    pd = import_pandas()
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool} and None not in values:
        return pd.Series(values, dtype=bool)
    if kinds == {int} and None not in values and all(abs(value) < 2**63 for value in values):
        return pd.Series(values, dtype=np.int64)
    if kinds <= {int, float, bool}:
        return pd.Series([np.nan if value is None else float(value) for value in values])
    return pd.Series(values, dtype=object)


def write_excel(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write a sheet with names in its first row; text that looks like a formula stays text."""
    openpyxl = import_openpyxl()
    frame, named = to_frame(table), table.row_names is not None
    if len(frame) >= 2**20 or frame.shape[1] + named > 2**14:
        raise FileError(f"an Excel sheet does not hold {len(frame)} x {frame.shape[1]} cells")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("colonnade")

    def cell(value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value != value:
            return None
        if not isinstance(value, str):
            return value
        made = openpyxl.cell.WriteOnlyCell(sheet, value)
        made.data_type = "s"
        return made

    head = [cell(str(name)) for name in frame.columns]
    sheet.append([None, *head] if named else head)
    for name, *values in frame.itertuples(index=True, name=None):
        cells = [cell(value) for value in values]
        sheet.append([cell(name), *cells] if named else cells)
    book.save(file)


def import_openpyxl() -> Any:
    """Return openpyxl; raise FileError with how to install it."""
    try:
        import openpyxl
        import openpyxl.cell
    except ModuleNotFoundError as error:
        raise FileError(
            'Excel files need openpyxl; install it with pip install "colonnade[excel]"'
        ) from error
    return openpyxl
