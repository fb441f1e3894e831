"""The command line: certificates, and weights in what is written."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from test_cli import AS_IS, NAMES, X, data, process  # noqa: F401

from colonnade import DualSetSelector, certify, io, select

METHOD = ("-m", "dual-set", "--param", "n_clusters=2")


@pytest.mark.parametrize("method", ["greedy", "bss"])
def test_table_below_the_answer(run, data, X, method):  # noqa: F811
    done = run("select", data, "-n", 3, "--label", "kind", "-m", method, "--certify", *AS_IS)
    assert done.code == 0, done.err
    expected = certify(X, select(X, 3, method=method))
    head, sentence, tail = re.split(r"(.* columns explain .*\.\n)", done.out)
    assert "choice" in head
    assert sentence.startswith("3 of 8 columns explain ")
    assert tail == f"\n{expected}\n"
    assert "k-means" not in tail


def test_clusters(run, data, X):  # noqa: F811
    label = pd.read_csv(data)["kind"]
    found = {}
    for name, options in {
        "method": METHOD,
        "option": ("-m", "dual-set", "--param", "n_clusters=3", "--clusters", "2"),
        "greedy": ("--clusters", 2),
    }.items():
        common = ("select", data, "--label", "kind", "-n", 6, "--certify", "--json", *AS_IS)
        done = run(*common, *options)
        assert done.code == 0, done.err
        found[name] = json.loads(done.out)["certificate"]
        assert "k-means, k = 2" in {check["section"] for check in found[name]["checks"]}
    expected = certify(X, select(X, 6, method="dual-set", n_clusters=2), n_clusters=2, labels=label)
    for stored, check in zip(found["method"]["checks"], expected.checks, strict=True):
        assert (stored["key"], stored["label"]) == (check.key, check.label)
        assert stored["measured"] == pytest.approx(check.measured)
        assert stored["promised"] == pytest.approx(check.promised)
    assert found["method"]["holds"] is True
    done = run("select", data, "--label", "kind", "-n", 8, "-m", "dual-set", "--certify")
    assert done.code == 2  # eight clusters by default: too many for eight columns
    keys = {check["key"] for check in found["greedy"]["checks"]}
    assert "gamma" in keys  # the label gives X_in


def test_supervised_method_gets_the_label(run, data):  # noqa: F811
    options = ("-m", "supervised-dual-set", "--label", "kind", "--certify", "--json")
    done = run("select", data, "-n", 5, *options)
    found = json.loads(done.out)["certificate"]
    keys = {check["key"] for check in found["checks"]}
    assert {"residual_norm", "kmeans_ratio_to_labels"} <= keys
    assert "k-means, k = 2" in {check["section"] for check in found["checks"]}
    assert found["holds"] is True
    done = run("select", data, "-n", 5, *options, "--clusters", 3)
    found = json.loads(done.out)["certificate"]
    assert "k-means, k = 3" in {check["section"] for check in found["checks"]}


def test_rows_and_labels_that_are_not_needed(run, data, X):  # noqa: F811
    rows = ("select", data, "-n", 4, "--rows", "--label", "kind", "--certify", *AS_IS)
    done = run(*rows)
    assert done.code == 0, done.err
    assert str(certify(X.T, select(X.T, 4))) in done.out
    frame = pd.read_csv(data)
    frame.loc[3, "kind"] = None
    frame.to_csv(data, index=False)
    done = run("select", data, "-n", 4, "--label", "kind", "--certify")
    assert done.code == 0, done.err
    frame["number"] = np.where(np.arange(len(frame)) == 3, np.nan, 1.0)
    frame.drop(columns="kind").to_csv(data, index=False)
    done = run("select", data, "-n", 4, "--label", "number", "--certify")
    assert done.code == 0, done.err
    frame.drop(columns="number").to_csv(data, index=False)
    # the label belongs to rows: it says nothing on clusters of columns
    done = run(*rows, "--clusters", 2)
    assert done.code == 0, done.err
    assert str(certify(X.T, select(X.T, 4), n_clusters=2)) in done.out


def test_seed_is_that_of_k_means(run, data, X):  # noqa: F811
    """Many clusters of noise, whose k-means ends differently for every seed."""
    costs = {}
    for seed in (0, 1, 2):
        options = ("--label", "kind", "--certify", "--clusters", 12, "--seed", seed, *AS_IS)
        done = run("select", data, "-n", 3, "--json", *options)
        assert done.code == 0, done.err
        expected = certify(X, select(X, 3), n_clusters=12, random_state=seed)
        costs[seed] = json.loads(done.out)["certificate"]["clusters"]
        assert costs[seed] == expected.clusters.tolist()
    assert not costs[0] == costs[1] == costs[2]


def test_no_certificate_unless_asked(run, data):  # noqa: F811
    done = run("select", data, "-n", 3, "--label", "kind", "--json")
    assert "certificate" not in json.loads(done.out)
    done = run("select", data, "-n", 3, "--label", "kind")
    assert "measured" not in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--clusters", "2"), "--clusters 2 says what to certify; add --certify"),
        (("--clusters", "0", "--certify"), "--clusters 0: choose a whole number from 1 on"),
        (("--clusters", "99", "--certify"), "data.csv has 40 rows; choose 1 to 40"),
    ],
)
def test_bad_input(run, data, options, message):  # noqa: F811
    done = run("select", data, "-n", 3, "--label", "kind", *options)
    assert done.code == 2
    assert message in done.err


@pytest.mark.slow
def test_demo_shows_a_certificate(tmp_path):
    done = process("demo", "--out", "results", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "k-means, k = 10\n" in done.out
    stored = json.loads((tmp_path / "results" / "selection.json").read_text())
    assert stored["certificate"]["holds"] is True


# --- weights in the reduced data ----------------------------------------------------------------


def test_reduced_data_is_rescaled(run, data, X, tmp_path):  # noqa: F811
    out = tmp_path / "out.csv"
    common = ("select", data, "-n", 6, "--label", "kind", *METHOD, "-o", out, *AS_IS)
    selector = DualSetSelector(6, n_clusters=2).fit(X)
    assert selector.indices_.tolist() != sorted(selector.indices_)
    assert run(*common).code == 0
    table = io.read(out, label="kind")
    np.testing.assert_allclose(table.X, selector.transform(X), rtol=1e-12)
    assert table.names == [NAMES[i] for i in sorted(selector.indices_)]
    assert run(*common, "--no-rescale").code == 0
    table = io.read(out, label="kind")
    np.testing.assert_array_equal(table.X, X[:, np.sort(selector.indices_)])


def test_rescaled_rows_and_sparse_data(run, tmp_path):
    A = np.random.default_rng(0).poisson(1.0, (12, 9)).astype(float)
    source, out = tmp_path / "in.npz", tmp_path / "out.npz"
    sp.save_npz(source, sp.csc_matrix(A))
    for rows in (False, True):
        selection = select(A.T if rows else A, 6, method="bss", rank=2)
        order = np.argsort(selection.indices)
        chosen, weights = selection.indices[order], selection.weights[order]
        done = run(
            "select", source, "-n", 6, "-m", "bss", "--param", "rank=2", "-o", out,
            *(["--rows"] if rows else []), *AS_IS,
        )  # fmt: skip
        assert done.code == 0, done.err
        found = io.read(out).X
        expected = A[chosen] * weights[:, None] if rows else A[:, chosen] * weights
        assert sp.issparse(found)
        np.testing.assert_allclose(found.toarray(), expected)
