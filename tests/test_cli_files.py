"""What commands write: checked before the work, and never at the cost of the answer."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from test_cli import run  # noqa: F401
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
    "select": "2 of 4 columns keep",
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
    for name in ("select", "ReducedKMeans", "RLSClassifier", "SignProjection"):
        monkeypatch.setattr(colonnade, name, never)
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
