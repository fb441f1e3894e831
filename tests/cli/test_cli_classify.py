"""``colonnade classify`` against the same steps by hand."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from sklearn.model_selection import StratifiedKFold

from colonnade import METHODS, RLSClassifier, datasets, select
from colonnade.cli import main
from colonnade.cli.progress import Reporter

NAMES = [f"f{j}" for j in range(12)]
WORDS = np.array(["apple", "pear, ripe"])
BOX = "┏┃┡│└"
AS_IS = ("--no-center", "--scale", "none")
"""The data as it is, where what is done to it is beside the point."""


@pytest.fixture(scope="module")
def data():
    made = datasets.load("clusters", n_samples=60, n_features=12, n_clusters=2, separation=2.0)
    return made.X + 0.1, WORDS[made.y]


@pytest.fixture
def file(tmp_path, data):
    X, y = data
    frame = pd.DataFrame(X, columns=NAMES)
    frame["fruit"] = y
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setattr(Reporter, "delay", 1e6)

    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(["classify", *map(str, arguments)])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=caught.value.code, out=out, err=err)

    return call


def by_hand(X, y, alphas, folds, seed, method=None, n=None, intercept=False, **params):
    accuracies, found = [], []
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y):
        chosen = select(X[train], n, method=method, **params) if method else None
        apply = chosen.apply if method else np.asarray
        model = RLSClassifier(alphas, fit_intercept=intercept).fit(apply(X[train]), y[train])
        accuracies.append(model.score(apply(X[test]), y[test]))
        found.append(model.alpha_)
    return accuracies, found


def test_both_rows_are_the_steps_by_hand(run, file, data):
    X, y = data
    done = run(
        file, "--target", "fruit", "-n", 4, "--method", "pivoted-qr", "--alpha", "0.1,1,10",
        "--folds", 5, "--seed", 3, "--json", *AS_IS,
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["target"], found["n_rows"], found["folds"]) == ("fruit", 60, 5)
    assert found["classes"] == WORDS.tolist()
    everything, chosen = found["results"]
    for result, method in ((everything, {}), (chosen, {"method": "pivoted-qr", "n": 4})):
        accuracies, alphas = by_hand(X, y, [0.1, 1, 10], 5, 3, **method)
        assert result["accuracies"] == pytest.approx(accuracies)
        assert result["accuracy"] == pytest.approx(np.mean(accuracies))
        assert result["accuracy_std"] == pytest.approx(np.std(accuracies))
        assert result["fold_alphas"] == alphas
    assert (everything["features"], everything["n_features"]) == ("all", 12)
    assert everything["columns"] is None
    assert everything["alpha"] == RLSClassifier([0.1, 1, 10]).fit(X, y).alpha_
    expected = select(X, 4, method="pivoted-qr")
    assert chosen["columns"] == [NAMES[j] for j in expected.indices]
    assert (chosen["features"], chosen["n_features"]) == ("pivoted-qr", 4)


def test_table(run, file, data):
    done = run(file, "--target", "fruit", "-n", "50%", "--folds", 4, "--intercept", *AS_IS)
    assert done.code == 0, done.err
    alphas = [0.01, 0.1, 1, 10, 100]
    lines = [line for line in done.out.splitlines() if line.startswith("│")]
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    assert [row[:2] for row in rows] == [["all", "12"], ["bss", "6"]]
    for row, method in zip(rows, ({}, {"method": "bss", "n": 6}), strict=True):
        accuracies, found = by_hand(*data, alphas, 4, 0, intercept=True, **method)
        assert row[2] == f"{100 * np.mean(accuracies):.1f}"
        assert row[3] == f"{100 * np.std(accuracies):.1f}"
        times = max(map(found.count, found))
        assert row[5].endswith(f"({times} of 4)")
    assert "60 rows of 2 classes; accuracy on rows left out, 4 folds" in done.out


def test_without_a_selection_and_with_one_alpha(run, file, data):
    options = ("--alpha", 2, "--drop", "f0,f1", "--json", "--folds", 3)
    done = run(file, "--target", -1, *options, *AS_IS)
    assert done.code == 0, done.err
    (result,) = json.loads(done.out)["results"]
    X, y = data
    assert result["accuracies"] == pytest.approx(by_hand(X[:, 2:], y, [2.0], 3, 0)[0])
    assert result["alpha"] == 2.0
    assert result["n_features"] == 10


@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs(name, run, file):
    needs = []
    for parameter in ("n_clusters", "rank"):
        if parameter in METHODS[name].parameters and not needs:
            needs = ["--param", f"{parameter}=2"]
    done = run(file, "--target", "fruit", "-n", 6, "-m", name, "--folds", 2, "--json", *needs)
    assert done.code == 0, done.err
    assert 1 <= json.loads(done.out)["results"][1]["n_features"] <= 6
    again = run(file, "--target", "fruit", "-n", 6, "-m", name, "--folds", 2, "--json", *needs)
    assert again.out == done.out


def test_files_with_labels_of_their_own_and_sparse_ones(run, tmp_path, data):
    X, y = data
    X, codes = np.where(X > 0.5, X, 0.0), (y == WORDS[1]).astype(int)
    dump_svmlight_file(sp.csr_array(X), codes, str(tmp_path / "a.svmlight"), zero_based=False)
    np.savez(tmp_path / "b.npz", X=X, y=codes)
    results = []
    for name in ("a.svmlight", "b.npz"):
        done = run(tmp_path / name, "-n", 5, "--folds", 3, "--json")
        assert done.code == 0, done.err
        results.append(json.loads(done.out)["results"])
    for a, b in zip(*results, strict=True):
        assert a["accuracies"] == pytest.approx(b["accuracies"])
        assert a["columns"] == b["columns"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say with --target which column holds the classes"),
        (["--target", "fruits"], "no column 'fruits'; there are f0, f1"),
        (["--target", "f3"], "the target 'f3' holds fractions, such as "),
        (["--target", "same"], r"the target 'same' holds one class only \(7\); there must be two"),
        (["--target", "rare"], "class 1 of the target 'rare' has 4 rows; choose --folds 4 or few"),
        (["--target", "single"], "class 1 of the target 'single' has 1 row; a class needs two or"),
        (["--target", "fruit", "-m", "bss"], "say with -n how many columns to choose"),
        (["--target", "fruit", "--param", "rank=2"], "say with -n how many columns to choose"),
        (["--target", "fruit", "-n", "0"], "-n 0: choose at least 1"),
        (["--target", "fruit", "-n", "90"], "-n 90, but .* has 15 columns; choose 1 to 15"),
        (["--target", "fruit", "-n", "3", "-m", "bsss"], "unknown method 'bsss'.*'bss'"),
        (["--target", "fruit", "-n", "3", "--param", "x=1"], "has no parameter 'x' for --param"),
        (["--target", "fruit", "-n", "3", "--param", "rank=9"], "n_select|rank"),
        (["--target", "fruit", "--alpha", "1,-1"], "--alpha '1,-1': give one or more numbers"),
        (["--target", "fruit", "--alpha", ""], "--alpha '': give one or more numbers from 0 on"),
        (["--target", "fruit", "--alpha", "x"], "--alpha 'x': give one or more numbers from 0"),
        (["--target", "fruit", "--alpha", "nan"], "--alpha 'nan': give one or more numbers"),
        (["--target", "fruit", "--folds", "1"], "--folds 1: choose a whole number from 2 on"),
        (["--target", "fruit", "--folds", "99"], r"class .* has \d+ rows; choose --folds \d+"),
        (["--target", "fruit", "--folds", "x"], "--folds 'x': choose a whole number from 2 on"),
        (["--target", "fruit", "--seed", "-1"], "--seed -1: choose a whole number from 0 to 42949"),
        (["--target", "fruit", "--seed", "4294967296"], "--seed 4294967296: choose a whole number"),
    ],
    ids=repr,
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, run, tmp_path, data):
    X, y = data
    frame = pd.DataFrame(X, columns=NAMES)
    frame["same"], frame["rare"], frame["single"] = 7, np.arange(60) % 15 == 0, np.arange(60) < 1
    frame[["rare", "single"]] = frame[["rare", "single"]].astype(int)
    frame["fruit"] = y
    if "fruit" not in arguments:
        frame = frame.drop(columns="fruit")
    frame.to_csv(tmp_path / "bad.csv", index=False)
    done = run(tmp_path / "bad.csv", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.startswith("colonnade: error: ")
    assert re.search(message, done.err), done.err


@pytest.mark.parametrize(
    ("gap", "classes"),
    [("", WORDS), ("", ["0", "1"]), ("NA", ["0", "1"])],  # among words, NA may be one
    ids=["words", "numbers", "numbers-NA"],
)
def test_missing_classes_are_counted(gap, classes, run, tmp_path, data):
    X, y = data
    frame = pd.DataFrame(X, columns=NAMES)
    frame["kind"] = np.where(y == WORDS[0], *classes).astype(object)
    frame.loc[[7, 9, 30], "kind"] = gap
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    done = run(tmp_path / "gaps.csv", "--target", "kind", "--folds", 3)
    assert done.code == 2
    assert "the target 'kind' has 3 missing values, first in row 7 of the data" in done.err
    frame = frame.iloc[[*range(9), *range(10, 30), *range(31, 60)]]
    frame.to_csv(tmp_path / "gap.csv", index=False)
    assert "has 1 missing value, first in row 7" in run(tmp_path / "gap.csv", "--target", -1).err


def test_text_without_a_target_is_taken_for_one(run, file, data):
    done = run(file)
    assert done.code == 2
    assert "column 'fruit' holds text, first " in done.err
    assert "if it is the label, say --target fruit; if not, leave it out with --drop" in done.err
    assert "--label" not in done.err
    frame = pd.read_csv(file)
    frame["my name"] = frame["fruit"]
    frame.to_csv(file, index=False)
    done = run(file, "--target", "fruit")
    assert done.code == 2
    assert "column 'my name' holds text" in done.err
    assert "; leave it out with --drop 'my name' or encode it as numbers" in done.err


def test_missing_file_and_sparse_refusal(run, tmp_path):
    done = run(tmp_path / "no.csv", "--target", "y")
    assert done.code == 2
    assert "there is no such file" in done.err
    refusing = [name for name, entry in METHODS.items() if "sparse" not in entry.inputs]
    X = sp.random_array((20, 6), density=0.5, rng=np.random.default_rng(0))
    dump_svmlight_file(X.tocsr(), np.arange(20) % 2, str(tmp_path / "a.svm"), zero_based=False)
    for name in refusing:
        done = run(tmp_path / "a.svm", "-n", 3, "-m", name, "--folds", 2)
        assert done.code == 2
        assert "does not take sparse data" in done.err


# --- predictions --------------------------------------------------------------------------------


def predicted_by_hand(X, y, folds, seed, method=None, n=None):
    out = y.copy()
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y):
        chosen = select(X[train], n, method=method) if method else None
        apply = chosen.apply if method else np.asarray
        model = RLSClassifier([0.1, 1, 10]).fit(apply(X[train]), y[train])
        out[test] = model.predict(apply(X[test]))
    return out


@pytest.mark.parametrize("extension", [".csv", ".parquet", ".npz"])
def test_predictions_are_those_of_the_steps_by_hand(run, file, data, tmp_path, extension):
    X, y = data
    out = tmp_path / f"out{extension}"
    done = run(
        file, "--target", "fruit", "-n", 2, "-m", "pivoted-qr", "--alpha", "0.1,1,10", "--folds",
        5, "--seed", 3, "-o", out, *AS_IS,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert f"Written: {out}\n" in done.out
    if extension == ".npz":
        with np.load(out) as held:
            assert held["columns"].tolist() == ["predicted_all", "predicted_pivoted-qr"]
            found, true = held["X"], held["y"]
    else:
        frame = pd.read_csv(out) if extension == ".csv" else pd.read_parquet(out)
        assert list(frame.columns) == ["predicted_all", "predicted_pivoted-qr", "fruit"]
        found, true = frame.iloc[:, :2].to_numpy(), frame["fruit"].to_numpy()
    assert true.tolist() == y.tolist()
    assert found[:, 0].tolist() == predicted_by_hand(X, y, 5, 3).tolist()
    expected = predicted_by_hand(X, y, 5, 3, "pivoted-qr", 2)
    assert found[:, 1].tolist() == expected.tolist() != y.tolist()


def test_predictions_of_numbers_without_a_selection(run, tmp_path, data):
    X, y = data
    codes = (y == WORDS[1]).astype(int)
    frame = pd.DataFrame(X, columns=NAMES, index=[f"row {i}" for i in range(60)])
    frame["kind"] = codes
    frame.to_csv(tmp_path / "named.csv")
    options = ("--target", "kind", "--alpha", "0.1,1,10", "--folds", 4, *AS_IS)
    done = run(tmp_path / "named.csv", *options, "-o", tmp_path / "out.csv")
    assert done.code == 0, done.err
    found = pd.read_csv(tmp_path / "out.csv", index_col=0)
    assert list(found.columns) == ["predicted_all", "kind"]
    assert found.index.tolist() == frame.index.tolist()
    assert found["predicted_all"].tolist() == predicted_by_hand(X, codes, 4, 0).tolist()
    assert run(tmp_path / "named.csv", *options, "-o", tmp_path / "out.svm").code == 0
    assert (tmp_path / "out.svm").read_text().splitlines()[0][:1] == str(codes[0])


def test_words_do_not_fit_into_files_for_numbers(run, file, tmp_path):
    done = run(file, "--target", "fruit", "-o", tmp_path / "out.mtx")
    assert (done.code, done.out) == (2, "")
    assert "this kind of file holds numbers, not text; write CSV, Parquet or NPZ" in done.err


# --- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.slow
def test_names_of_methods_are_shown_whole(name, run, file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    needs = []
    for parameter in ("n_clusters", "rank"):
        if parameter in METHODS[name].parameters and not needs:
            needs = ["--param", f"{parameter}=2"]
    done = run(file, "--target", "fruit", "-n", 6, "-m", name, "--folds", 2, *needs)
    assert done.code == 0, done.err
    assert f"│ {name} " in done.out
    assert "…" not in done.out
    table = [line for line in done.out.splitlines() if line[:1] in BOX]
    assert len(table) >= 6
    assert max(map(len, table)) <= 80


def test_labels_of_files_that_hold_their_own(run, tmp_path, data):
    X, y = data
    codes = (y == WORDS[1]).astype(int)
    dump_svmlight_file(sp.csr_array(X), codes, str(tmp_path / "s.svmlight"), zero_based=False)
    done = run(tmp_path / "s.svmlight", "--target", "label")
    assert done.code == 2
    assert (
        "s.svmlight: --target label has no meaning for svmlight, which holds its labels itself; "
        "leave it out"
    ) in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--target", "fruits"), "--target fruits: no column 'fruits'; did you mean 'fruit'?"),
        (("--label", "fruits"), "--target fruits: no column 'fruits'"),
        (("--target", "fruit", "--drop", "f99"), "--drop f99: no column 'f99'"),
        (
            ("--target", "fruit", "-n", "3", "-m", "information-gain", "--param", "labels=1"),
            "--param 'labels=1': set labels with --target",
        ),
        (("--drop", "fruit", "-n", "2"), "say with --target which column holds the classes"),
    ],
)
def test_messages_name_the_option(run, file, arguments, words):
    done = run(file, *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_names_with_commas_can_be_copied_from_messages(run, file):
    frame = pd.read_csv(file)
    frame["a, b"], frame["-x"] = frame["fruit"], frame["fruit"]
    frame.to_csv(file, index=False)
    done = run(file, "--target", "fruit", "--drop", "-x")
    assert "--drop '\"a, b\"' or encode" in done.err
    assert run(file, "--target", "fruit", "--drop", '"a, b"', "--drop=-x").code == 0
    done = run(file, "--target", "fruit", "--drop", '"a, b"')
    assert "leave it out with --drop=-x or encode" in done.err
