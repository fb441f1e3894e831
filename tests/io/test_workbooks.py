"""Excel workbooks and Arrow files: what they hold, and what they must not do."""

from __future__ import annotations

import io as bytes_io
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pytest
from test_io import message, put

from colonnade.io import Table, read, write

# --- Excel --------------------------------------------------------------------------------------


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_sheets(tmp_path):
    path = workbook(
        tmp_path / "a.xlsx", first=[["a"], [1], [2]], second=[["b", "c"], [3, 4], [5, 6]], void=[]
    )
    with pytest.warns(UserWarning, match=r"3 sheets \(first, second, void\).*sheet='second'"):
        assert read(path).columns == ["a"]
    for sheet in ("second", 1, "1"):
        np.testing.assert_array_equal(read(path, sheet=sheet).X, [[3, 4], [5, 6]])
    assert "sheet='third': there is no such sheet; there are first" in message(path, sheet="third")
    assert "the sheet 'void' is empty" in message(path, sheet="void")
    np.testing.assert_array_equal(read(path, sheet=1, drop=["b"]).X, [[4], [6]])


def test_cells(tmp_path):
    rows = [["", "n", "t", "e"], ["r1", 1, True, "#DIV/0!"], [], ["r2", "NA", "false", 2.5]]
    path = workbook(tmp_path / "a.xlsx", only=rows)
    table = read(path, missing="mean")
    np.testing.assert_array_equal(table.X, [[1, 1, np.nan], [np.nan, 0, 2.5]])
    assert table.row_names.tolist() == ["r1", "r2"]
    assert "'e' (1, first in row 2)" in message(path) or "'n' (1, first in row 4)" in message(path)
    path = workbook(tmp_path / "b.xlsx", only=[[1, 2], [3, 4]])
    assert "say header=True or header=False" in message(path)
    np.testing.assert_array_equal(read(path, header=False).X, [[1, 2], [3, 4]])
    assert read(path, header=True).columns == ["1", "2"]


def test_formulas_are_written_as_text(tmp_path):
    names = ["=1+1", "+a", "@x"]
    table = Table(np.ones((2, 3)), names, np.array(["=cmd", "-1"]), "=kind", np.array(["=a", "b"]))
    write(tmp_path / "a.xlsx", table)
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s", "n"}
    again = read(tmp_path / "a.xlsx", label="=kind")
    assert (again.columns, again.labels.tolist()) == (names, ["=cmd", "-1"])
    assert again.row_names.tolist() == ["=a", "b"]


def test_broken_workbooks(tmp_path):
    path = workbook(tmp_path / "a.xlsx", only=[["a", "b"], [1, 2]])
    whole = path.read_bytes()
    for size in (1, 4, 100, len(whole) // 2, len(whole) - 1):
        assert "not a complete Excel file" in message(put(path, whole[:size]))
    assert "old Excel file" in message(put(path, b"\xd0\xcf\x11\xe0" + whole))
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.txt", "x")
    assert "not a complete Excel file" in message(path)


@pytest.mark.slow
def test_bombs_are_not_unpacked(tmp_path):
    path = workbook(tmp_path / "a.xlsx", only=[["a", "b"], [1, 2]])
    file = bytes_io.BytesIO()
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in whole.namelist():
            new.writestr(name, whole.read(name))
        with new.open("xl/media/image.png", "w", force_zip64=True) as part:
            for _ in range(1100):
                part.write(bytes(2**20))
    put(path, file.getvalue()[:])
    assert "out of all proportion" in message(path)
    far = workbook(tmp_path / "b.xlsx", only=[["a"], [1]])
    book = openpyxl.load_workbook(far)
    for row in range(3, 3000):
        book["only"].cell(row, 1, 1)
    book["only"].cell(2, 16384, 1)
    book.save(far)
    assert "a sheet of" in message(far)


# --- Feather ------------------------------------------------------------------------------------


def test_arrow_bombs_are_not_unpacked(tmp_path):
    path, n = tmp_path / "a.feather", 2**24
    pyarrow.feather.write_feather(
        pa.table({f"c{j}": np.zeros(n) for j in range(1)}), path, "zstd", chunksize=n
    )
    content = path.read_bytes()
    size = (8 * n).to_bytes(8, "little")
    assert content.count(size + b"\x28\xb5\x2f\xfd") == 1  # what a packed column begins with
    put(path, content.replace(size + b"\x28\xb5", (2**40).to_bytes(8, "little") + b"\x28\xb5"))
    assert "the unpacked table would take 1 TiB of memory" in message(path)


def test_arrow_streams_and_broken_files(tmp_path):
    path, table = tmp_path / "a.arrow", pa.table({"a": [1.0, 2.0], "b": [3, None]})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    np.testing.assert_array_equal(read(path, missing="mean").X, [[1, 3], [2, np.nan]])
    assert "version 1 of Feather" in message(put(path, b"FEA1" + bytes(50)))
    pyarrow.feather.write_feather(table, path)
    content = path.read_bytes()
    for size in (3, 20, len(content) // 2):
        assert "not a complete Feather file" in message(put(path, content[:size]))
