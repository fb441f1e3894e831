"""``colonnade project``: sizes, parameters and words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from test_cli import AS_IS, chosen

from colonnade import HadamardProjection, SignProjection, SparseSignProjection, SVDProjection, io


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((40, 70))


@pytest.fixture
def file(tmp_path, X):
    np.save(tmp_path / "x.npy", X)
    return tmp_path / "x.npy"


@pytest.mark.parametrize(
    ("options", "projection"),
    [
        ("-k 2 --eps 0.9", SignProjection("auto", n_clusters=2, eps=0.9)),
        ("-k 3 --eps 90%", SignProjection("auto", n_clusters=3, eps=0.9)),
        (
            "-k 2 --eps 0.9 --param rule=boutsidis -m hadamard",
            HadamardProjection("auto", n_clusters=2, eps=0.9, rule="boutsidis"),
        ),
        ("-m svd -k 3", SVDProjection("auto", n_clusters=3)),
        ("-m svd -k 3 --eps 0.5", SVDProjection("auto", n_clusters=3, eps=0.5)),
        ("-m svd -n 4 --param whiten=true", SVDProjection(4, whiten=True)),
        ("-m sparse-sign -n 4 --param density=0.5", SparseSignProjection(4, density=0.5)),
        ("-n 10%", SignProjection(7)),
    ],
)
def test_projections_are_those_of_the_estimators(run, file, X, options, projection):
    out = file.with_name("out.npy")
    found = chosen(run("project", file, *options.split(), "--seed", 5, "-o", out, "--json", *AS_IS))
    expected = projection.set_params(random_state=5).fit_transform(X)
    np.testing.assert_allclose(np.load(out), expected, atol=1e-12)
    assert found["shape"] == list(expected.shape)
    assert found["seed"] == 5


def test_sizes_differ_with_eps(run, file):
    common = ("project", file, "-k", 2, "-o", file.with_name("out.npy"), "--json")
    rough, fine = (chosen(run(*common, "--eps", eps))["shape"][1] for eps in (0.9, 0.6))
    assert rough < fine < 70


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("-n 99", "-n 99, but x.npy has 70 columns; choose 1 to 70"),
        ("-n 41 -m svd", "-n 41, but x.npy has 40 rows; choose 1 to 40"),
        ("-n 3 --eps 0.5", "-n gives the number of directions; leave --eps out"),
        (
            "-n 3 --param rule=boutsidis",
            "--param rule=boutsidis: -n gives the number of directions; leave rule out",
        ),
        ("--eps 0.5", "or for how many clusters with -k"),
        ("-k 2 --eps 2", "--eps 2: choose a relative error above 0 and below 1"),
        ("-k 2 --eps half", "--eps 'half': give a fraction (0.1) or a percentage (10%)"),
        ("-k 0", "-k 0: choose a whole number from 1 on"),
        ("-k two", "-k 'two': choose a whole number from 1 on"),
        ("-n 3 --param eps=0.5", "--param 'eps=0.5': set eps with --eps"),
        ("-n 3 --param n_clusters=2", "--param 'n_clusters=2': set n_clusters with -k"),
        (
            "-n 3 --param whiten=true",
            "projection 'sign' has no parameter 'whiten' for --param; it takes algorithm, rule",
        ),
        ("-n 3 --param rule", "--param 'rule': give NAME=VALUE"),
        ("-k 3 --param rule=mine", "rule='mine'; choose one of"),
        ("-n 3 -m gausian", "unknown projection 'gausian' (did you mean 'gaussian'?); there are"),
    ],
)
def test_wrong_usage(run, file, monkeypatch, options, words):
    monkeypatch.chdir(file.parent)
    done = run("project", "x.npy", "--out", "out.csv", *options.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert words in done.err
    assert [path.name for path in file.parent.iterdir()] == ["x.npy"]


def test_words_are_checked_before_the_file_is_read(run, file, monkeypatch):
    def read(*args):
        raise AssertionError("it was read")

    monkeypatch.setattr(io, "read_with", read)
    for options in ("-k 0", "-n 3 --param a=1", "-k 2 --eps 2", "-n 3 -m magic", "-n 0"):
        assert run("project", file, "--out", "out.csv", *options.split()).code == 2


def test_one_column(run, tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n2\n3\n")
    out = tmp_path / "out.csv"
    done = run("project", tmp_path / "a.csv", "-n", 1, "-m", "svd", "-o", out)
    assert "1 column became 1, which explains 100.00 % of" in done.out
    assert pd.read_csv(out).shape == (3, 1)


def test_zeros(run, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((5, 3)))
    common = ("project", tmp_path / "x.npy", "-n", 2, "-o", tmp_path / "out.npy", *AS_IS)
    assert run(*common, "-m", "sign").code == 0
    done = run(*common, "-m", "svd")
    assert done.code == 2
    assert "zero everywhere" in done.err
