"""What commands write: checked before the work, and never at the cost of the answer."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from test_cli_cluster import SPECIES, X, iris  # noqa: F401

import colonnade
from colonnade import io

COMMON = ("--label", "species", "--drop", "number")
COMMANDS = {
    "select": ("-n", 2),
    "cluster": ("-k", 3),
    "project": ("-n", 2),
    "classify": ("-n", 2, "--method", "pivoted-qr", "--folds", 3),
}
"""A call of every command that writes data."""
SAID = {
    "select": "2 of 4 columns explain",
    "cluster": "within the clusters",
    "project": "4 columns became 2",
    "classify": "accuracy on rows left out",
}


def never(*args, **kwargs):
    raise AssertionError("work was done")


@pytest.mark.parametrize("command", COMMANDS)
def test_failing_to_write_does_not_cost_the_answer(run, iris, command, monkeypatch):  # noqa: F811
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(io, "write", full)
    out = iris.with_name("out.csv")
    done = run(command, iris, *COMMON, *COMMANDS[command], "--out", out)
    assert done.code == 1
    assert SAID[command] in done.out
    assert "Written" not in done.out
    assert "No space left on device" in done.err
    done = run(command, iris, *COMMON, *COMMANDS[command], "--out", out, "--json")
    assert done.code == 1
    assert json.loads(done.out)["source"] == str(iris)
    assert not out.exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_labels_that_a_format_does_not_hold(run, iris, command, monkeypatch):  # noqa: F811
    for name in ("select", "ReducedKMeans", "RLSClassifier"):
        monkeypatch.setattr(colonnade, name, never)
    monkeypatch.setattr(colonnade.SignProjection, "fit_transform", never)
    out = iris.with_name("out.svmlight")
    done = run(command, iris, *COMMON, *COMMANDS[command], "--out", out)
    assert (done.code, done.out) == (2, "")
    assert "svmlight has numbers as labels, not text such as 'species'" in done.err
    assert not out.exists()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("iris.csv", "in use here already"),
        ("no/such.csv", "there is no directory"),
        ("out.zzz", "unknown extension"),
        ("out.json", "JSON holds a selection, not data"),
    ],
)
def test_targets_are_checked_before_the_file_is_read(
    run, iris, command, name, words, monkeypatch  # noqa: F811
):  # fmt: skip
    monkeypatch.setattr(io, "read_with", never)
    if (command, name) == ("select", "out.json"):
        return
    out = iris.parent / name
    done = run(command, iris, *COMMON, *COMMANDS[command], "--out", out)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_written_files_are_named(run, iris, command):  # noqa: F811
    out = iris.with_name("out.parquet")
    done = run(command, iris, *COMMON, *COMMANDS[command], "-o", out)
    assert done.code == 0, done.err
    assert f"Written: {out}\n" in done.out
    frame = pd.read_parquet(out)
    assert len(frame) == 150
    assert frame["species"].tolist() == np.repeat(SPECIES, 50).tolist()


# --- spreadsheets -------------------------------------------------------------------------------

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-x", "@SUM(A1)"]


@pytest.fixture
def formulas(tmp_path):
    """A file whose names of columns and rows, and whose labels, look like formulas."""
    rng = np.random.default_rng(0)
    names = [f"{name} {i}" for i in range(5) for name in FORMULAS]
    frame = pd.DataFrame(rng.normal(size=(20, 4)) - 1, columns=FORMULAS, index=names)
    frame["=kind"] = ["=odd", "-1"] * 10
    path = tmp_path / "formulas.csv"
    frame.to_csv(path)
    return path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("extension", [".csv", ".tsv.gz"])
def test_formulas(run, formulas, command, extension):
    plain, safe = (formulas.with_name(f"{name}{extension}") for name in ("plain", "safe"))
    call = (command, formulas, "--label", "=kind", *COMMANDS[command])
    assert run(*call, "--out", plain).code == 0
    done = run(*call, "--out", safe, "--safe-csv")
    assert done.code == 0, done.err
    read = {"index_col": 0, "sep": "\t" if "tsv" in extension else ",", "dtype": {"=kind": str}}
    left, right = pd.read_csv(plain, **read), pd.read_csv(safe, **read)
    assert right.columns.tolist()[-1] == "'=kind"
    assert left.columns.tolist()[-1] == "=kind"
    assert [name.removeprefix("'") for name in right.columns] == left.columns.tolist()
    assert not any(name.startswith(("=", "+", "-", "@")) for name in right.columns)
    assert right.index.tolist() == [f"'{name}" for name in left.index]
    assert left["=kind"].tolist() == ["=odd", "-1"] * 10
    assert right["'=kind"].tolist() == ["'=odd", "-1"] * 10  # numbers are left alone
    if command == "classify":  # what is predicted is text too
        assert not right.isin(["=odd"]).to_numpy().any()
        right = right.replace("'=odd", "=odd")
    np.testing.assert_array_equal(left.to_numpy()[:, :-1], right.to_numpy()[:, :-1])


@pytest.mark.parametrize("command", COMMANDS)
def test_formulas_elsewhere(run, iris, command, monkeypatch):  # noqa: F811
    monkeypatch.setattr(io, "read_with", never)
    call = (command, iris, *COMMON, *COMMANDS[command], "--safe-csv")
    done = run(*call, "--out", iris.with_name("out.parquet"))
    assert (done.code, done.out) == (2, "")
    assert "--safe-csv is for CSV and TSV, not for Parquet; leave it out" in done.err
    done = run(*call)
    assert (done.code, done.out) == (2, "")
    assert "--out" in done.err


def test_what_is_no_formula(tmp_path):
    path = tmp_path / "a.csv"
    names = ["a=b", "-1.5e3", " =x", "", "＝x"]
    table = io.Table(np.eye(2), ["a", "-b"], row_names=np.array([-1, -2]))
    io.write(path, table, safe_csv=True)
    assert path.read_text() == ",a,'-b\n-1,1.0,0.0\n-2,0.0,1.0\n"
    io.write(path, io.Table(np.eye(5), labels=np.array(names)), safe_csv=True)
    written = [line.rsplit(",", 1)[1] for line in path.read_text("utf-8").splitlines()[1:]]
    assert written == ["a=b", "-1.5e3", "' =x", "", "'＝x"]
    with pytest.raises(io.FileError, match="safe_csv=True is for CSV and TSV, not for NPY"):
        io.write(tmp_path / "a.npy", table, safe_csv=True)
