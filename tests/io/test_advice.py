"""What is never advised: to leave out every column of a file."""

from __future__ import annotations

import pytest

from colonnade import io


def message(path, **options):
    with pytest.raises(io.FileError) as caught:
        io.read(path, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("a,b\nx,y\nz,u\n", ["no other column is left; perhaps the names stand in another row"]),
        ("a\nx\ny\n", ["perhaps the names stand in another row", "encode the columns"]),
        ("a,b\n1,\n,2\n3,4\n", ["(or median), or leave them out with missing='drop-rows'"]),
        ("a,b\nx,\ny,2\n", ["numeric_only=True and missing='mean' (or median, drop-rows);"]),
        ("a,b\nx,inf\ny,2\n", ["leave it out with numeric_only=True", "; correct what is inf"]),
        ("a,b\n,inf\n1,2\n", ["or missing='drop-columns'", "; correct what is infinite"]),
        ("a,b\ninf,inf\n1,2\n", ["; correct what is infinite"]),
    ],
)
def test_no_advice_leaves_out_every_column(tmp_path, lines, said):
    path = tmp_path / "data.csv"
    path.write_text(lines)
    text = message(path)
    assert "drop=" not in text
    for part in said:
        assert part in text


def test_a_column_to_spare_makes_dropping_a_way(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,c\nx,,1\ny,2,3\n")
    assert "or leave out all of these with drop=['a', 'b']" in message(path)
    assert io.read(path, drop=["a", "b"]).columns == ["c"]


def test_negative_entries_everywhere_ask_for_other_columns(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n-1,2\n3,-4\n")
    text = message(path, transform="log1p")
    assert text.endswith("'a', 'b'; choose other columns, or do without the transform")


def test_identifiers_alone_are_not_to_be_dropped(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("row_id,user_id\n5,9\n7,8\n6,3\n")
    with pytest.warns(UserWarning, match="look like identifiers.*if so, choose other columns$"):
        io.read(path)
