"""``colonnade explain``: what the chosen columns of a file stand for."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from test_cli import process, rows_of

from colonnade import explain, select

HOW = ("--scale", "std")


@pytest.fixture
def wine(tmp_path):
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path / "wine.csv"


@pytest.fixture
def chosen(run, wine, tmp_path):
    out = tmp_path / "chosen.json"
    done = run("select", wine, "-n", 4, "--label", "target", *HOW, "-o", out)
    assert done.code == 0, done.err
    return out


@pytest.fixture
def expected():
    X = load_wine(as_frame=True).data
    return explain(X, select(X, 4, center=True, scale="std"))


def test_what_is_shown(run, wine, chosen, expected, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    done = run("explain", wine, chosen, "--rows", 3)
    assert (done.code, done.err) == (0, "")
    rows = [row for row in rows_of(done.out) if row[0]]
    assert [row[1] for row in rows[:4]] == expected.chosen_lines()["name"]
    np.testing.assert_allclose(
        [float(row[2]) for row in rows[:4]], 100 * expected.losses, atol=0.006
    )
    assert [row[3] for row in rows[:4]] == expected.chosen_lines()["rival"]
    costs = [float(row[4]) for row in rows[:4]]
    np.testing.assert_allclose(costs, 100 * expected.exchange_costs, atol=0.006)
    worst = expected.order()[:3]
    assert [row[0] for row in rows[4:]] == [expected.name_of(j) for j in worst]
    assert [row[2] for row in rows[4:]] == [expected.formula(j) for j in worst]
    assert "3 of 9 other columns, the worst first; --all for all" in done.out
    assert f"4 of 13 columns explain {100 * (1 - expected.error):.1f} % of the variance" in done.out
    done = run("explain", wine, chosen, "--all")
    assert "--all" not in done.out
    assert "total_phenols" in done.out


@pytest.mark.slow
def test_in_a_real_process(wine, chosen, expected, tmp_path):
    done = process("explain", wine, chosen, "--out", tmp_path / "all.csv")
    assert (done.code, done.err) == (0, "")
    read = pd.read_csv(tmp_path / "all.csv")
    table = expected.table()
    assert read["name"].tolist() == table["name"].tolist()
    np.testing.assert_allclose(read["explained"], table["explained"])
    np.testing.assert_allclose(read["coefficient_1"], table["coefficient_1"])


def test_json_and_other_order_of_columns(run, wine, chosen, expected, tmp_path):
    frame = pd.read_csv(wine)
    frame[frame.columns[::-1]].to_csv(tmp_path / "turned.csv", index=False)
    done = run("explain", tmp_path / "turned.csv", chosen, "--json", "--no-rivals")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["error"] == pytest.approx(expected.error)
    assert [line["name"] for line in found["columns"]] == expected.lines()["name"]
    assert {line["rival"] for line in found["chosen"]} == {None}


def test_what_is_refused(run, wine, chosen, tmp_path):
    def refused(*words):
        done = run("explain", *words)
        assert done.code == 2
        assert done.out == ""
        return done.err

    assert "there is no such file" in refused(wine, tmp_path / "no.json")
    assert "this is no JSON" in refused(wine, wine)
    assert "this is a directory" in refused(wine, tmp_path)
    assert "unknown extension" in refused(wine, chosen, "--out", tmp_path / "x.parquet")
    assert "in use here already" in refused(wine, chosen, "--out", chosen)
    rows = tmp_path / "rows.json"
    run("select", wine, "-n", 4, "--rows", "-o", rows)
    assert "rows were chosen here, and explain is about columns" in refused(wine, rows)
    frame = pd.read_csv(wine).rename(columns={"proline": "prolin"})
    frame.to_csv(tmp_path / "other.csv", index=False)
    error = refused(tmp_path / "other.csv", chosen)
    assert "1 column is missing: 'proline' (did you mean 'prolin'?)" in error


def test_drift_is_told(run, wine, chosen):
    frame = pd.read_csv(wine)
    name = json.loads(chosen.read_text())["names"][1]
    mean = frame[name].mean()
    frame[name] *= 1000.0
    frame.loc[:168, name] = np.nan  # filled with their mean, the others vary too little to tell
    frame.to_csv(wine, index=False)
    done = run("explain", wine, chosen, "--missing", "mean")
    assert done.code == 0, done.err
    assert f"1 chosen column is far from the first file: '{name}'" in done.err
    assert f"standard deviation {frame[name].std(ddof=0):.3g}, was" in done.err
    assert f", was {mean:.4g};" in done.err
    assert "filled 169 gaps in 1 column with the mean of its column" in done.err


def test_gaps(run, wine, chosen):
    frame = pd.read_csv(wine)
    frame.loc[3, "proline"] = frame.loc[[5, 7], "ash"] = np.nan
    frame.to_csv(wine, index=False)
    done = run("explain", wine, chosen, "--missing", "drop-columns")
    assert (done.code, done.out) == (2, "")
    assert "'ash', 'proline' have gaps, and --missing drop-columns left them out" in done.err
    done = run("explain", wine, chosen, "--missing", "drop-rows")
    assert done.code == 0, done.err
    assert "left out 3 of 178 rows, with gaps" in done.err
    done = run("explain", wine, chosen, "--missing", "pairwise")
    assert (done.code, done.out) == (2, "")
    assert "colonnade select, without --rows" in done.err
    assert "choose mean or median here" in done.err
    done = run("classify", wine, "--target", "target", "--missing", "median", "--folds", 2)
    assert done.code == 0, done.err
    assert done.err.count("filled 3 gaps in 2 columns with the median of each column") == 1


def test_a_file_without_names(run, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 5))
    np.save(tmp_path / "X.npy", X)
    run("select", tmp_path / "X.npy", "-n", 2, "-o", tmp_path / "s.json")
    done = run("explain", tmp_path / "X.npy", tmp_path / "s.json", "--json")
    found, expected = json.loads(done.out), explain(X, select(X, 2, center=True))
    assert [line["index"] for line in found["chosen"]] == expected.indices.tolist()
    assert found["chosen"][0]["name"] == f"x{expected.indices[0]}"
    assert found["share_of"] == "variance"


def test_exchanges_that_would_help_are_pointed_out(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8)) + 0.1 * rng.normal(size=(40, 8))
    np.save(tmp_path / "X.npy", X)
    for words, better in ((("-m", "uniform"), True), (("--refine",), False)):
        run("select", tmp_path / "X.npy", "-n", 2, *words, "-o", tmp_path / "s.json")
        done = run("explain", tmp_path / "X.npy", tmp_path / "s.json")
        assert ("would lower the error; choose with --refine" in done.out) == better
