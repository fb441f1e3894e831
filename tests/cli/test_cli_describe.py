"""``colonnade describe`` and ``colonnade cluster --describe``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from test_cli import process, rows_of

from colonnade import ReducedKMeans, describe
from colonnade.cli.reading import Reading


@pytest.fixture
def wine(tmp_path):
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path / "wine.csv"


@pytest.mark.slow
def test_describe_in_a_real_process(wine):
    done = process("describe", wine, "--label", "target")
    assert (done.code, done.err) == (0, "")
    expected = describe(load_wine(as_frame=True).data, label="target")
    assert done.out.startswith(str(expected))
    assert done.out.endswith(f"next: {expected.command(str(wine))}\n")


def test_describe_as_json(run, wine):
    done = run("describe", wine, "--json")
    found = json.loads(done.out)
    assert (found["n_rows"], found["n_columns"]) == (178, 14)
    assert found["command"].endswith("-n auto --label target")
    assert found["effective_rank"] == pytest.approx(
        describe(load_wine(as_frame=True).frame).effective_rank
    )


def test_the_command_reads_the_file_in_the_same_way(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6))
    X[2, 1] = X[3, 4] = np.nan
    lines = [
        ";".join([f"r{i}", *("" if v != v else f"{v:.6f}" for v in row), f"{i % 2}"])
        for i, row in enumerate(X)
    ]
    (tmp_path / "-my data.txt").write_text("\n".join(lines) + "\n")
    given = ("--no-header", "--delimiter", ";", "--row-names", "0", "--label", "-1")
    more = ("--drop", "1", "--format", "csv", "--missing", "median", "--min-df", "2")
    done = run("describe", "./-my data.txt", *given, *more)
    assert done.code == 0, done.err
    command = done.out.splitlines()[-1].removeprefix("next: ")
    words = shlex.split(command)
    assert words[:5] == ["colonnade", "select", "./-my data.txt", "-n", "auto"]
    for option in ("--delimiter", "--row-names", "--label", "--drop", "--format", "--min-df"):
        assert words[words.index(option) + 1] == (*given, *more)[(*given, *more).index(option) + 1]
    assert words.count("--missing") == words.count("--label") == 1
    assert words[words.index("--missing") + 1] == "median"
    done = run(*words[1:], "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["n_candidates"] == 5


def test_the_command_names_sheets_and_arrays_and_standard_input(run, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 4))
    np.savez(tmp_path / "x.npz", first=X[:, :2], second=X)
    (tmp_path / "names.txt").write_text("a\nb\nc\nd\n")
    names = ("--names", tmp_path / "names.txt")
    found = json.loads(run("describe", tmp_path / "x.npz", "--key", "second", *names, "--json").out)
    assert f"-n auto --key second --names {tmp_path / 'names.txt'}" in found["command"]
    read = Reading(Path("-"), sheet="my sheet", format="tsv", transform="log1p", drop=["-a,b"])
    assert describe(X).command("-", read.given()) == (
        "colonnade select - -n auto --drop=-a,b --sheet 'my sheet' --format tsv --transform log1p"
    )


def test_names_cannot_steer_a_terminal(run, tmp_path):
    frame = pd.DataFrame({"\x1b[31mred": [1.0, 1.0], "b": [1.0, 2.0]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    done = run("describe", tmp_path / "x.csv")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "red" in done.out


# --- cluster --describe ---------------------------------------------------------------------------


def test_clusters_are_described(run, wine, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    common = ("cluster", wine, "-k", 3, "--label", "target", "--describe", 2)
    found = json.loads(run(*common, "--json").out)
    frame = load_wine(as_frame=True).data
    model = ReducedKMeans(3, random_state=0, scale="std").fit(frame)
    expected = model.describe(frame, n_columns=2).to_dict()
    assert [c["nearest_rows"] for c in found["clusters"]] == [c["nearest_rows"] for c in expected]
    assert found["clusters"][0]["columns"][0]["name"] == expected[0]["columns"][0]["name"]
    done = run(*common)
    assert done.code == 0, done.err
    rows = rows_of(done.out)[3:]
    column = expected[0]["columns"][0]
    assert rows[0][0] == "0"
    assert rows[0][1] == f"{column['name']} {column['mean']:.4g} ({column['distance']:+.1f})"
    assert rows[0][2] == str(expected[0]["nearest_rows"][0])
    assert "set apart" not in run(*common[:-2]).out


def test_words_of_documents(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.2, size=(40, 30)) * 1.0
    X[:20, 3] += 5
    sp.save_npz(tmp_path / "words.npz", sp.csr_array(X))
    done = run("cluster", tmp_path / "words.npz", "-k", 2, "--describe", 1)
    assert done.code == 0, done.err
    assert "highest means" in done.out
    assert f"x3 {X[:20, 3].mean():.3g}" in done.out


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_names_and_whole_numbers_are_written_as_they_were(run, tmp_path, ending):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(12, 3)), columns=list("abc"))
    frame["year"] = np.arange(1, 13) % 3 + 1
    frame.index = pd.Index([f"row{i}" for i in range(12)], name="row")
    frame.to_parquet(tmp_path / "x.parquet")
    out = tmp_path / f"out.{ending}"
    done = run(
        "cluster", tmp_path / "x.parquet", "-k", 2, "--label", "year", "-o", out,
        "--describe", 1, "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    named = json.loads(done.out)["clusters"][0]["nearest_rows"]
    assert all(name.startswith("row") for name in named)
    read = pd.read_csv(out, index_col=0) if ending == "csv" else pd.read_parquet(out)
    assert read.index.tolist() == frame.index.tolist()
    assert read["year"].tolist() == frame["year"].tolist()
    assert read["year"].dtype.kind == "i"
    assert read["cluster"].dtype.kind == "i"
    if ending == "csv":
        assert ".0" not in out.read_text()
