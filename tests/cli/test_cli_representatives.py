"""Rows that stand for others, on the command line: how many each, and how near."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from test_cli import process, rows_of  # noqa: F401

FIGURES = {
    "medoids": (
        "sum of squared distances to the nearest",
        lambda D: np.square(D.min(axis=1)).sum(),
    ),
    "coverage": ("largest distance to the nearest", lambda D: D.min(axis=1).max()),
}


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4)) + 8 * rng.integers(0, 3, 60)[:, None]
    path = tmp_path / "sensors.csv"
    pd.DataFrame(X, columns=list("abcd")).to_csv(path, index=False)
    return path, X


def told(run, *arguments):
    done = run(*arguments)
    assert done.code == 0, done.err
    return done.out


@pytest.mark.parametrize("method", FIGURES)
def test_how_near_all_are_to_those_that_stand_for_them(run, file, method):
    path, X = file
    options = ("--rows", "-m", method, "-n", 3, "--no-center", "--scale", "none")
    found = json.loads(told(run, "select", path, *options, "--json"))
    chosen = found["indices"]["values"]
    D = cdist(X, X[chosen])
    stands = np.bincount(D.argmin(axis=1), minlength=3)
    assert found["info"]["stands_for"] == stands.tolist()
    words, measured = FIGURES[method]
    shown = told(run, "select", path, *options)
    share = 100 * measured(D) / found["info"]["objective_of_random"]
    assert f"The {words} is {measured(D):.4g}, {share:.0f} % of that of random rows." in shown
    assert "stands for" in shown
    assert shown.index(words) < shown.index("3 of 60 rows explain")
    rows = [row for row in rows_of(shown) if row[0].isdigit()]
    assert [(int(row[1]), int(row[2])) for row in rows] == list(zip(chosen, stands, strict=True))


def test_equal_rows_need_no_comparison(run, tmp_path):
    path = tmp_path / "equal.csv"
    pd.DataFrame(np.tile([[1.0, 2.0], [3.0, 5.0]], (4, 1)), columns=["a", "b"]).to_csv(
        path, index=False
    )
    shown = told(run, "select", path, "--rows", "-m", "medoids", "-n", 8)
    assert re.search(r"nearest is 0\.$", shown, re.MULTILINE)


def test_spans_say_nothing_about_it(run, file):
    assert "stands for" not in told(run, "select", file[0], "--rows", "-n", 3)
