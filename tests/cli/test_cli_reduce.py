"""``colonnade cluster`` and ``colonnade project`` against the same steps by hand."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from colonnade import (
    DualSetSelector,
    ReducedKMeans,
    SignProjection,
    SVDProjection,
    datasets,
    io,
    metrics,
)
from colonnade.cli import main
from colonnade.cli.progress import Reporter

AS_IS = ("--no-center", "--scale", "none")
"""The data as it is, where what is done to it is beside the point."""


@pytest.fixture(scope="module")
def data():
    made = datasets.load("clusters", n_samples=90, n_features=60, n_clusters=3, separation=8.0)
    return made.X, np.array(["red", "green", "blue"])[made.y]


@pytest.fixture
def file(tmp_path, data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(60)])
    frame["kind"] = y
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setattr(Reporter, "delay", 1e6)

    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=caught.value.code, out=out, err=err)

    return call


@pytest.mark.parametrize(
    ("options", "reducer"),
    [
        ([], None),
        (["-n", 5], SVDProjection(5)),
        (["--reducer", "svd", "-n", 5], SVDProjection(5)),
        (["--reducer", "sign", "-n", "10%"], SignProjection(6)),
        (["--reducer", "dual-set", "-n", 12], DualSetSelector(12, 3)),
        (
            ["--reducer", "dual-set", "-n", 12, "--param", "n_clusters=4"],
            DualSetSelector(12, 4),
        ),
    ],
)
def test_clusters_are_those_of_the_estimator(run, file, data, options, reducer):
    X, y = data
    common = ("-k", 3, "--label", "kind", "--seed", 7, "--json", *AS_IS)
    done = run("cluster", file, *common, *options)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    model = ReducedKMeans(3, reducer, random_state=7).fit(X)
    assert found["labels"] == model.labels_.tolist()
    assert found["objective"] == pytest.approx(model.inertia_)
    assert found["approximation_ratio"] == pytest.approx(model.approximation_ratio(X))
    assert found["nmi"] == pytest.approx(metrics.nmi(y, model.labels_))
    assert found["matched_accuracy"] > 0.9
    assert sum(found["sizes"]) == 90


def test_cluster_writes_a_column_of_clusters(run, file, tmp_path, data):
    done = run("cluster", file, "-k", 3, "--label", "kind", "--out", tmp_path / "out.csv")
    assert done.code == 0
    frame = pd.read_csv(tmp_path / "out.csv")
    assert list(frame.columns) == ["cluster", "kind"]
    assert metrics.matched_accuracy(data[1], frame["cluster"]) > 0.9
    assert "times what the best 3 clusters leave" in done.out
    assert "compared with 'kind': mutual information" in done.out
    assert "Written:" in done.out


def test_cluster_with_all_columns_and_with_a_supervised_method(run, file):
    whole = run("cluster", file, "-k", 3, "--drop", "kind", "--reducer", "none", "--json")
    assert "nmi" not in json.loads(whole.out)
    chosen = run(
        "cluster", file, "-k", 3, "--label", "kind", "--reducer", "information-gain", "-n", 5,
        "--json",
    )  # fmt: skip
    assert chosen.code == 0, chosen.err


def test_sparse_files(run, tmp_path):
    X = sp.random_array((40, 70), density=0.3, rng=np.random.default_rng(0), format="csr")
    io.write(tmp_path / "a.mtx", io.Table(X))
    found = json.loads(run("cluster", tmp_path / "a.mtx", "-k", 2, "--json", *AS_IS).out)
    assert found["labels"] == ReducedKMeans(2, random_state=0).fit(X).labels_.tolist()
    done = run("project", tmp_path / "a.mtx", "-n", 4, "--out", tmp_path / "b.npy", *AS_IS)
    assert done.code == 0, done.err
    np.testing.assert_allclose(
        np.load(tmp_path / "b.npy"), SignProjection(4, random_state=0).fit_transform(X)
    )


@pytest.mark.parametrize("method", ["sign", "gaussian", "sparse-sign", "hadamard", "svd"])
def test_every_projection(run, file, data, tmp_path, method):
    out = tmp_path / "p.csv"
    common = ("project", file, "-n", 6, "-m", method, "--label", "kind", "--out", out)
    done = run(*common, *AS_IS)
    assert done.code == 0, done.err
    frame = pd.read_csv(out)
    assert frame.shape == (90, 7)
    assert frame["kind"].tolist() == data[1].tolist()
    assert "60 columns became 6" in done.out
    assert ("which explain" in done.out) == (method == "svd")
    if method == "svd":
        expected = SVDProjection(6, random_state=0).fit_transform(data[0])
        np.testing.assert_allclose(frame.drop(columns="kind"), expected, rtol=1e-6)
        share = 100 * np.square(expected).sum() / np.square(data[0]).sum()
        assert f"explain {share:.2f} %" in done.out


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_shares_of_very_large_and_small_data(run, tmp_path, size):
    X = np.random.default_rng(0).standard_normal((20, 5))
    np.save(tmp_path / "x.npy", X * min(size, 1e130) if size > 1 else X * max(size, 1e-130))
    options = ("-n", 3, "-m", "svd", "--out", tmp_path / "z.npz", "--json", *AS_IS)
    found = json.loads(run("project", tmp_path / "x.npy", *options).out)
    values = np.linalg.svd(X, compute_uv=False) ** 2
    assert found["explained"] == pytest.approx(values[:3].sum() / values.sum())


def test_parameters_of_projections(run, file, data):
    options = (
        "--reducer",
        "svd",
        "-n",
        4,
        "--param",
        "algorithm=stochastic",
        "--param",
        "n_power=0",
    )
    done = run("cluster", file, "-k", 3, "--label", "kind", *options, "--json", *AS_IS)
    reducer = SVDProjection(4, algorithm="stochastic", n_power=0)
    model = ReducedKMeans(3, reducer, random_state=0).fit(data[0])
    assert json.loads(done.out)["labels"] == model.labels_.tolist()


def test_a_bound_that_says_nothing_is_left_out(run, tmp_path):
    X = np.random.default_rng(0).standard_normal((30, 2))
    np.save(tmp_path / "x.npy", X)
    found = json.loads(run("cluster", tmp_path / "x.npy", "-k", 4, "--json").out)
    assert found["approximation_ratio"] is None
    shown = run("cluster", tmp_path / "x.npy", "-k", 4)
    assert shown.code == 0
    assert "within the clusters" in shown.out
    assert "times what" not in shown.out
    assert "times what the best 2" in run("cluster", tmp_path / "x.npy", "-k", 2).out


@pytest.mark.parametrize(("option", "name"), [("--polish", "n_polish"), ("--starts", "n_init")])
def test_iterations_and_starts_are_those_asked_for(run, file, data, option, name):
    rough = ("-k", 8, "--label", "kind", "--reducer", "sign", "-n", 2, "--seed", 3, *AS_IS)
    few = int(option == "--starts")
    found = json.loads(run("cluster", file, *rough, option, few, "--json").out)
    model = ReducedKMeans(8, SignProjection(2), random_state=3)
    usual = model.fit(data[0]).labels_.tolist()
    assert found["labels"] == model.set_params(**{name: few}).fit(data[0]).labels_.tolist() != usual


def test_as_many_directions_as_clusters_need(run, file, tmp_path):
    out = tmp_path / "p.npz"
    found = json.loads(run("project", file, "-k", 2, "--drop", "kind", "--out", out, "--json").out)
    expected = SignProjection("auto", n_clusters=2, random_state=0)
    assert found["shape"][0] == 90
    assert found["shape"][1] == expected.fit(np.ones((2, 60))).transform(np.ones((1, 60))).shape[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cluster", "FILE"], "say with -k how many clusters"),
        (
            ["cluster", "FILE", "-k", "0", "--label", "kind"],
            "-k 0: choose a whole number from 1 on",
        ),
        (
            ["cluster", "FILE", "-k", "91", "--label", "kind"],
            "data.csv has 90 rows; choose 1 to 90",
        ),
        (
            ["cluster", "FILE", "-k", "3", "--reducer", "magic", "--drop", "kind"],
            "unknown reducer 'magic'",
        ),
        (
            ["cluster", "FILE", "-k", "3", "--reducer", "none", "-n", "3", "--drop", "kind"],
            "keeps all columns",
        ),
        (
            ["cluster", "FILE", "-k", "3", "--reducer", "svd", "--label", "kind"],
            "say with -n to how many directions 'svd'",
        ),
        (
            ["cluster", "FILE", "-k", "3", "-n", "2", "--param", "a=1", "--label", "kind"],
            "projection 'svd' has no parameter 'a'",
        ),
        (["cluster", "FILE", "-k", "3", "--seed", "-1"], "--seed"),
        (["cluster", "FILE", "-k", "3", "--out", "x.json"], "JSON holds a selection, not data"),
        (["project", "FILE", "-n", "3", "-k", "2", "--out", "x.csv"], "leave -k out"),
        (
            ["cluster", "FILE", "-k3", "--reducer", "information-gain", "-n2", "--drop", "kind"],
            "needs a label; name its column with --label",
        ),
        (["cluster", "missing.csv", "-k", "3"], "missing.csv"),
        (["cluster", "FILE", "-k", "3", "--out", "x.zzz"], "x.zzz"),
        (["project", "FILE", "--out", "x.csv"], "say to how many directions with -n"),
        (["project", "FILE", "-n", "3"], "say with --out where to write"),
        (["project", "FILE", "-n", "3", "-m", "magic", "--out", "x.csv"], "unknown projection"),
        (
            ["project", "FILE", "-n", "999", "--label", "kind", "--out", "x.csv"],
            "has 60 columns; choose 1 to 60",
        ),
    ],
)
def test_wrong_usage(run, file, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    done = run(*[str(file) if part == "FILE" else part for part in arguments])
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("colonnade: error: ")
    assert words in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv"]
