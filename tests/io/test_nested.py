"""Columns of Arrow files that hold more than one value in a row."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from colonnade import io

PAIRS = pa.map_(pa.string(), pa.int8())
NESTED = {
    "lists": pa.array([None, [1, 2], [3]]),
    "structs": pa.array([{"a": 1}, None, {"a": 2}]),
    "maps": pa.array([[("a", 1)], None, [("b", 2)]], PAIRS),
    "bytes": pa.array([b"a", b"\xff", None]),
}


@pytest.fixture(params=["parquet", "feather"])
def written(request, tmp_path):
    def write(**columns):
        path = tmp_path / f"data.{request.param}"
        table = pa.table(columns)
        if request.param == "parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            pyarrow.feather.write_feather(table, path)
        return path

    return write


@pytest.mark.parametrize("kind", NESTED)
def test_such_a_column_is_named_and_can_be_left_out(written, kind):
    path = written(x=[1.0, 2.0, 4.0], odd=NESTED[kind])
    with pytest.raises(io.FileError) as caught:
        io.read(path)
    said = str(caught.value)
    row = int(NESTED[kind][0].as_py() is None)
    assert f"column 'odd' holds {kind}, first " in said
    assert f" in row {row}; leave it out with drop=['odd']" in said
    assert "not a complete" not in said
    assert "label" not in said
    table = io.read(path, numeric_only=True)
    assert table.columns == ["x"]
    assert table.left_out == {"odd": kind}
    assert io.read(path, drop=["odd"]).columns == ["x"]


def test_several_kinds_stand_in_one_sentence(written):
    columns = {"x": [1.0, 2.0, 4.0], **NESTED, "word": ["a", "b", "c"]}
    path = written(**columns)
    with pytest.raises(io.FileError) as caught:
        io.read(path)
    said = str(caught.value)
    assert "5 columns hold no numbers" in said
    assert "'structs' (structs, such as" in said
    assert said.endswith("if one is the label, say so with label='word'")
    assert io.read(path, numeric_only=True).left_out == {
        **{kind: kind for kind in NESTED},
        "word": "text",
    }


def test_a_list_column_without_any_list_is_all_gaps(written):
    path = written(x=[1.0, 2.0], empty=pa.array([None, None], pa.list_(pa.int8())))
    assert io.read(path, numeric_only=True).left_out == {"empty": "all missing"}
