"""What standard input sends is told by what it begins with."""

from __future__ import annotations

import gzip
import io as streams
import sys
import types

import numpy as np
import pandas as pd
import pytest

from colonnade import io

X = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 0.5]])
FRAME = pd.DataFrame(X, columns=["a", "b"])


def written(form):
    file = streams.BytesIO()
    if form == "parquet":
        FRAME.to_parquet(file)
    elif form == "feather":
        FRAME.to_feather(file)
    elif form == "xlsx":
        FRAME.to_excel(file, index=False)
    elif form == "npy":
        np.save(file, X)
    elif form == "npz":
        np.savez(file, X=X)
    elif form == "csv.gz":
        file.write(gzip.compress(FRAME.to_csv(index=False).encode()))
    else:
        file.write(b"%%MatrixMarket matrix array real general\n3 2\n1\n3\n4\n2\n5\n0.5\n")
    return file.getvalue()


@pytest.fixture
def sent(monkeypatch):
    def send(data):
        stdin = types.SimpleNamespace(buffer=streams.BytesIO(data), isatty=lambda: False)
        monkeypatch.setattr(sys, "stdin", stdin)

    return send


def message(**options):
    with pytest.raises(io.FileError) as caught:
        io.read("-", **options)
    return str(caught.value)


@pytest.mark.parametrize("form", ["parquet", "feather", "xlsx", "npy", "npz", "csv.gz", "mtx"])
def test_the_form_to_say_is_said_and_reads_it(sent, form):
    sent(written(form))
    assert message().endswith(f"not CSV; say format={form!r}")
    sent(written(form))
    np.testing.assert_array_equal(io.read("-", format=form).X, X)


def test_an_archive_that_is_cut_off_may_be_either(sent):
    sent(written("xlsx")[:200])
    assert message().endswith("say format='xlsx' or format='npz'")


@pytest.mark.parametrize("name", ["PAR1", "ARROW1", "FEA1", "PK"])
def test_a_header_of_the_same_letters_is_csv(sent, name):
    sent(f"{name},b\n1,2\n3,4\n".encode())
    assert io.read("-").columns == [name, "b"]


@pytest.mark.parametrize("form", ["excel", "Excel", ".xlsx", "XLSX"])
def test_a_kind_may_be_named(sent, tmp_path, form):
    sent(written("xlsx"))
    np.testing.assert_array_equal(io.read("-", format=form).X, X)
    (tmp_path / "book").write_bytes(written("xlsx"))
    np.testing.assert_array_equal(io.read(tmp_path / "book", format=form).X, X)


def test_unknown_forms_are_told_as_forms(sent):
    sent(b"a,b\n1,2\n")
    said = message(format="parqet")
    assert said.startswith("standard input: format='parqet': unknown format (did you mean 'parq")
    assert "extension" not in said
    assert "unknown format (did you mean 'excel'?)" in message(format="exel")
    assert "save the sheet as .xlsx or .csv first" in message(format="xls")
    assert message(format="json").startswith("standard input: JSON can only be written")
