"""``colonnade cluster``: labels, what was used, and what it says about both."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from test_cli import AS_IS, chosen, process, rows_of

from colonnade import (
    GreedySelector,
    ReducedKMeans,
    SignProjection,
    SVDProjection,
    io,
    select,
)

SPECIES = ["setosa", "versicolor", "virginica"]
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


@pytest.fixture
def X():
    return load_iris().data


@pytest.fixture
def iris(tmp_path, X):
    frame = pd.DataFrame(X, columns=NAMES)
    frame["species"] = np.array(SPECIES)[load_iris().target]
    frame["number"] = load_iris().target
    frame.to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path / "iris.csv"


def one_each(classes):
    return (np.array(classes)[:, None] == np.unique(classes)).astype(float)


# --- labels as targets --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reducer",
    [("sparse-approximation",), ("greedy", "--param", "target=y"), ("sgma", "--param=target=y")],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("label", ["species", "number"])
def test_labels_become_targets(run, iris, X, reducer, label):
    other = {"species": "number", "number": "species"}[label]
    done = run(
        "cluster", iris, "-k", 3, "--label", label, "--drop", other, "-n", 2, "--json",
        "--reducer", *reducer, *AS_IS,
    )  # fmt: skip
    found = chosen(done)
    y = load_iris().target
    target = y if label == "number" else one_each(np.array(SPECIES)[y])
    expected = select(X, 2, method="sparse-approximation", target=target)
    assert found["columns"] == [NAMES[j] for j in expected.indices]
    if reducer[0] != "sgma":
        model = ReducedKMeans(3, GreedySelector(2, target="y"), random_state=0).fit(X, target)
        assert found["labels"] == model.labels_.tolist()


@pytest.mark.parametrize("reducer", ["sparse-approximation", "information-gain"])
def test_targets_that_are_missing(run, iris, reducer):
    common = ("cluster", iris, "-k", 3, "-n", 2, "--reducer", reducer)
    done = run(*common, "--drop", "species,number")
    assert done.code == 2
    assert f"method {reducer!r} needs a " in done.err
    assert "name its column with --label" in done.err
    frame = pd.read_csv(iris)
    frame.loc[5, "species"] = None
    frame.to_csv(iris, index=False)
    done = run(*common, "--label", "species", "--drop", "number")
    assert done.code == 2
    assert "'species' has 1 missing value, first in row 5 of the data" in done.err


# --- scores by the labels -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.where(np.arange(150) % 50 == 7, "", "x"), "has 3 missing values, first in row 7 of"),
        (np.where(np.arange(150) == 7, np.nan, 1.0), "has 1 missing value, first in row 7 of"),
        (np.arange(150) / 4 + 1, "holds fractions, such as 1.25; classes are whole numbers or"),
        (np.where(np.arange(150) == 7, np.inf, 1.0), "holds infinite values, such as inf"),
    ],
    ids=["gaps", "gaps in numbers", "fractions", "infinity"],
)
def test_labels_that_are_no_classes_give_no_scores(run, iris, values, why):
    frame = pd.read_csv(iris).drop(columns=["species", "number"])
    frame["kind"] = values
    frame.to_csv(iris, index=False)
    done = run("cluster", iris, "-k", 3, "--label", "kind")
    assert done.code == 0, done.err
    assert "compared with 'kind'" not in done.out
    assert "within the clusters" in done.out
    assert done.err.count("\n") == 1
    start = "colonnade: warning: the comparison with the label is left out: 'kind' "
    assert done.err.startswith(start + why)
    found = chosen(run("cluster", iris, "-k", 3, "--label", "kind", "--json"))
    assert found["nmi"] is None
    assert found["matched_accuracy"] is None


def test_whole_numbers_in_floats_are_classes(run, iris):
    frame = pd.read_csv(iris)
    frame["number"] = frame["number"].astype(float)
    frame.to_csv(iris, index=False)
    found = chosen(
        run("cluster", iris, "-k", 3, "--label", "number", "--drop", "species", "--json")
    )
    assert found["matched_accuracy"] > 0.8


def test_certificates_say_nothing_about_gaps(run, iris):
    frame = pd.read_csv(iris)
    frame.loc[5, "species"] = None
    frame.to_csv(iris, index=False)
    options = ("-n", 2, "--certify", "--clusters", 3, "--label", "species", "--drop", "number")
    done = run("select", iris, *options, "--json")
    found = chosen(done)
    assert "left out: 'species' has 1 missing value" in done.err
    keys = {check["key"] for check in found["certificate"]["checks"]}
    assert "gamma" not in keys


# --- what was used ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "used", "words"),
    [
        (["-k", 3], ("none", 4, None), "on all 4 columns"),
        (["-k", 3, "--reducer", "none"], ("none", 4, None), "on all 4 columns"),
        (["-k", 3, "-n", 2], ("svd", 2, None), "on 2 directions of 4 columns, by svd"),
        (["-k", 3, "--reducer", "sign", "-n", 1], ("sign", 1, None), "on 1 direction of 4 columns"),
        (
            ["-k", 3, "--reducer", "pivoted-qr", "-n", 2],
            ("pivoted-qr", 2, ["sepal length", "petal length"]),
            "on 2 of 4 columns, chosen by pivoted-qr: sepal length, petal length",
        ),
    ],
)
def test_what_was_used_is_said(run, iris, options, used, words):
    label = ("--label", "species", "--drop", "number")
    common = ("cluster", iris, *label, "--seed", 5, *options, *AS_IS)
    found = chosen(run(*common, "--json"))
    assert (found["reducer"], found["n_reduced"], found["columns"]) == used
    assert found["seed"] == 5
    assert f"k-means (seed 5) {words}" in run(*common).out


def test_auto_says_that_it_projected(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 30))
    np.save(tmp_path / "x.npy", X)
    found = chosen(run("cluster", tmp_path / "x.npy", "-k", 2, "--json"))
    assert (found["reducer"], found["n_reduced"], found["columns"]) == ("svd", 12, None)


def test_many_columns_are_cut_short(run, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((40, 30)))
    done = run("cluster", tmp_path / "x.npy", "-k", 2, "--reducer", "uniform", "-n", 20)
    assert re.search(r"chosen by uniform: (x\d+, ){8}\.\.\. \(20 in all\)", done.out)


@pytest.mark.parametrize(
    ("reducer", "advice"),
    [
        ("pivoted-qr", "(20 or 10%), or set max_error with --param"),
        ("fsfs", "(20 or 10%), or set max_error or n_neighbors with --param"),
        ("bss", "is to choose (20 or 10%)\n"),
    ],
)
def test_selectors_need_a_size(run, iris, reducer, advice):
    common = ("cluster", iris, "-k", 2, "--label", "species", "--drop", "number")
    done = run(*common, "--reducer", reducer)
    assert (done.code, done.out) == (2, "")
    assert f"say with -n how many columns {reducer!r} is to choose" in done.err
    assert advice in done.err


def test_sizes_that_follow_from_parameters(run, iris, X):
    label = ("--label", "species", "--drop", "number")
    common = ("cluster", iris, "-k", 2, *label, "--json", *AS_IS)
    found = chosen(run(*common, "--reducer", "pivoted-qr", "--param", "max_error=0.01"))
    expected = select(X, None, method="pivoted-qr", max_error=0.01)
    assert found["columns"] == [NAMES[j] for j in expected.indices]
    found = chosen(run(*common, "--reducer", "fsfs", "--param", "n_neighbors=2"))
    expected = select(X, None, method="fsfs", n_neighbors=2)
    assert found["columns"] == [NAMES[j] for j in expected.indices]


def test_projections_find_their_size_from_eps(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 90))
    np.save(tmp_path / "x.npy", X)
    common = ("cluster", tmp_path / "x.npy", "-k", 2, "--json", "--param")
    found = chosen(run(*common, "eps=0.9", "--reducer", "sign"))
    expected = SignProjection("auto", n_clusters=2, eps=0.9).fit(X).n_components_
    assert found["n_reduced"] == expected < 60
    found = chosen(run(*common, "eps=0.5"))
    assert (found["reducer"], found["n_reduced"]) == ("svd", 4)
    assert chosen(run(*common, "n_clusters=3"))["n_reduced"] == 3


def test_auto_keeps_its_default_size_with_parameters(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 30))
    np.save(tmp_path / "x.npy", X)
    done = run("cluster", tmp_path / "x.npy", "-k", 2, "--param", "whiten=true", "--json", *AS_IS)
    found = chosen(done)
    assert (found["reducer"], found["n_reduced"]) == ("svd", 12)
    model = ReducedKMeans(2, SVDProjection(12, whiten=True), random_state=0).fit(X)
    assert found["labels"] == model.labels_.tolist()


def test_all_directions_of_wide_data(run, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((9, 30)))
    common = ("cluster", tmp_path / "x.npy", "-k", 2, "--reducer", "svd")
    assert chosen(run(*common, "-n", "100%", "--json", *AS_IS))["n_reduced"] == 9
    # rows that are centred sum to zero
    assert chosen(run(*common, "-n", "100%", "--json"))["n_reduced"] == 8
    assert "-n 10, but " in run(*common, "-n", 10).err
    assert "has 9 rows; choose 1 to 9" in run(*common, "-n", 10).err


# --- words --------------------------------------------------------------------------------------


def test_one_cluster_and_one_column(run, iris, tmp_path):
    done = run("cluster", iris, "-k", 1, "--label", "species", "--drop", "number")
    assert "within the cluster: at most 1 times what the best cluster leaves" in done.out
    assert "1 clusters" not in done.out
    np.save(tmp_path / "x.npy", np.arange(5.0)[:, None])
    done = run("cluster", tmp_path / "x.npy", "-k", 2)
    assert "on the only column" in done.out
    done = run("cluster", tmp_path / "x.npy", "-k", 2, "--reducer", "svd", "-n", 3)
    assert "x.npy has 1 column; choose 1\n" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("-k 0", "-k 0: choose a whole number from 1 on"),
        ("-k two", "-k 'two': choose a whole number from 1 on"),
        ("-k 2.5", "-k '2.5': choose a whole number from 1 on"),
        ("-k 151", "-k 151, but iris.csv has 150 rows; choose 1 to 150"),
        ("-k 3 --polish -1", "--polish -1: choose a whole number from 0 on"),
        ("-k 3 --starts 0", "--starts 0: choose a whole number from 1 on"),
        ("-k 3 --starts many", "--starts 'many': choose a whole number from 1 on"),
        ("-k 3 -n 9", "-n 9, but iris.csv has 4 columns; choose 1 to 4"),
        ("-k 3 -n 9 --reducer sign", "-n 9, but iris.csv has 4 columns; choose 1 to 4"),
        ("-k 3 -n 9 --reducer greedy", "-n 9, but iris.csv has 4 columns; choose 1 to 4"),
        ("-k 3 --reducer pivotedqr", "unknown reducer 'pivotedqr' (did you mean 'pivoted-qr'?)"),
        ("-k 3 --reducer signs", "unknown reducer 'signs' (did you mean 'sign'?); there are auto"),
        ("-k 3 --param whitn=1", "projection 'svd' has no parameter 'whitn' for --param; it takes"),
        ("-k 3 --param n_components=2", "--param 'n_components=2': set n_components with -n"),
        (
            "-k 3 -n 2 --reducer sparse-approximation --param target=y",
            "--param 'target=y': set target with --label",
        ),
        ("-k 3 -n 2 --param eps=0.5", "--param eps=0.5: -n gives the number of"),
        ("-k 3 --reducer sign", "or with --param eps=0.5 how exactly 3 clusters are to be kept"),
    ],
)
def test_wrong_usage(run, iris, monkeypatch, options, words):
    monkeypatch.chdir(iris.parent)
    done = run("cluster", "iris.csv", "--label", "species", "--drop", "number", *options.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert words in done.err


def test_clusters_that_cannot_be_told_apart(run, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((6, 2)))
    done = run("cluster", tmp_path / "x.npy", "-k", 3, *AS_IS)
    assert done.code == 2
    assert "only 1 can be told apart" in done.err
    assert "(n_clusters is -k here)" in done.err


@pytest.mark.parametrize(
    "options",
    [
        "-k 0", "-k 3 --reducer magic", "-k 3 --reducer sign", "-k 3 --reducer greedy",
        "-k 3 -n 0", "-k 3 --param a=1", "-k 3 --polish -1", "-k 3 --starts 0", "-k 3 --out x.json",
    ],
)  # fmt: skip
def test_words_are_checked_before_the_file_is_read(run, iris, monkeypatch, options):
    def read(*args):
        raise AssertionError("it was read")

    monkeypatch.setattr(io, "read_with", read)
    monkeypatch.setattr(io, "read", read)
    assert run("cluster", iris, "--label", "species", *options.split()).code == 2


@pytest.mark.slow
def test_in_a_real_process(iris, tmp_path):
    done = process(
        "cluster", iris, "-k", 3, "--label", "species", "--drop", "number", "--reducer",
        "pivoted-qr", "-n", 2, "-o", tmp_path / "out.csv",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert [row[0] for row in rows_of(done.out)] == ["0", "1", "2"]
    assert list(pd.read_csv(tmp_path / "out.csv").columns) == ["cluster", "species"]
