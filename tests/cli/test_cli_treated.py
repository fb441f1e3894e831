"""``cluster``, ``classify`` and ``project``: what is done to the data first, and what it says."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import StratifiedKFold
from test_cli import AS_IS, chosen, process, rows_of
from test_cli_treatment import (  # noqa: F401
    COMMANDS,
    FIRST,
    WINE,
    calls,
    copied,
    greedy,
    standardized,
    wine,
)

from colonnade import RLSClassifier

ALPHAS = [0.01, 0.1, 1, 10, 100]


def test_clusters_of_wine(run, wine):  # noqa: F811
    done = run("cluster", wine, "-k", 3, "--label", "kind")
    assert done.out.splitlines()[0] == FIRST
    found = chosen(run("cluster", wine, "-k", 3, "--label", "kind", "--json"))
    labels, Z = np.array(found["labels"]), standardized(WINE.data)
    nmi = normalized_mutual_info_score(WINE.target, labels, average_method="geometric")
    assert nmi > 0.8
    assert found["nmi"] == pytest.approx(nmi)
    within = sum(np.square(part - part.mean(axis=0)).sum() for part in (
        Z[labels == k] for k in range(3)
    ))  # fmt: skip
    share = within / np.square(Z).sum()
    assert found["normalized_objective"] == pytest.approx(share)
    assert f"\n{100 * share:.2f} % of the variance of the data is within the clusters" in done.out
    raw = chosen(run("cluster", wine, "-k", 3, "--label", "kind", "--json", *AS_IS))
    assert raw["nmi"] < 0.5


def test_share_within_clusters_that_are_not_centred(run, wine):  # noqa: F811
    options = ("--no-center", "--scale", "std", "--json")
    found = chosen(run("cluster", wine, "-k", 3, "--label", "kind", *options))
    labels, Z = np.array(found["labels"]), WINE.data / WINE.data.std(axis=0)
    within = sum(Z[labels == k].var(axis=0).sum() * (labels == k).sum() for k in range(3))
    assert found["normalized_objective"] == pytest.approx(within / np.square(Z).sum())


def test_classes_of_wine(run, wine):  # noqa: F811
    done = run("classify", wine, "--target", "kind", "-n", 4)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == FIRST
    by_name = {row[0]: float(row[2]) for row in rows_of(done.out)}
    assert by_name["bss"] > 90
    assert by_name["all"] > 97


def test_folds_are_scaled_by_what_is_known(run, tmp_path):
    """Rows that are left out change neither the means nor the units, nor the choice."""
    rng = np.random.default_rng(11)
    X = rng.standard_t(1.5, size=(40, 6)) * 10.0 ** np.arange(6)  # folds have units of their own
    y = np.where(X[:, 0] + X[:, 1] / 10 > 0, "plus", "minus")
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["kind"] = y
    frame.to_csv(tmp_path / "x.csv", index=False)
    options = ("--target", "kind", "--folds", 4, "-n", 2, "-m", "greedy", "--seed", 2, "--json")
    found = chosen(run("classify", tmp_path / "x.csv", *options))
    assert found["data"]["scale"] == "std"
    splits = StratifiedKFold(4, shuffle=True, random_state=2).split(X, y)
    by_hand = {"all": ([], []), "greedy": ([], [])}
    leaking = {"all": [], "greedy": []}
    Z = standardized(X)
    for train, test in splits:
        known, new = X[train], X[test]
        new = (new - known.mean(axis=0)) / known.std(axis=0)
        known = standardized(known)
        for name, (scores, alphas) in by_hand.items():
            columns = greedy(known, 2) if name == "greedy" else list(range(6))
            model = RLSClassifier(ALPHAS, fit_intercept=True).fit(known[:, columns], y[train])
            scores.append(model.score(new[:, columns], y[test]))
            alphas.append(model.alpha_)
            columns = greedy(Z, 2) if name == "greedy" else columns
            model = RLSClassifier(ALPHAS, fit_intercept=True).fit(Z[train][:, columns], y[train])
            leaking[name].append(model.score(Z[test][:, columns], y[test]))
    for result in found["results"]:
        scores, alphas = by_hand[result["features"]]
        assert result["accuracies"] == pytest.approx(scores)
        assert result["fold_alphas"] == alphas
    assert any(leaking[name] != scores for name, (scores, _) in by_hand.items())


def test_directions_of_wine(run, wine):  # noqa: F811
    out = wine.with_name("p.csv")
    common = ("project", wine, "-m", "svd", "-n", 3, "--label", "kind", "-o", out)
    done = run(*common)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == FIRST
    values = np.sort(np.linalg.eigvalsh(np.corrcoef(WINE.data.T)))[::-1]
    share = values[:3].sum() / 13
    assert f"13 columns became 3, which explain {100 * share:.2f} % of the variance of" in done.out
    assert chosen(run(*common, "--json"))["explained"] == pytest.approx(share)
    Z = pd.read_csv(out).drop(columns="kind").to_numpy()
    np.testing.assert_allclose(Z.T @ Z / 178, np.diag(values[:3]), atol=1e-9)


# --- all of them ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_json_says_what_was_done(run, wine, copied, command):  # noqa: F811
    label = ("--label", "kind", "--json")
    found = chosen(run(*calls(wine, wine.parent, label)[command]))["data"]
    reason = "otherwise 1 of 13 columns would hold 99.8 % of the variance: 'proline'"
    assert found == {
        "shape": [178, 13], "center": True, "scale": "std", "reason": reason, "constant": [],
        "copies": {}, "left_out": {},
    }  # fmt: skip
    found = chosen(run(*calls(wine, wine.parent, label)[command], *AS_IS))["data"]
    assert (found["center"], found["scale"], found["reason"]) == (False, "none", None)
    frame = pd.read_csv(copied)
    frame["kind"] = np.where(frame["a"] > 0, "plus", "minus")
    frame.to_csv(copied, index=False)
    found = chosen(run(*calls(copied, copied.parent, label)[command]))["data"]
    assert (found["constant"], found["copies"]) == (["g"], {"c": "a", "e": "a"})
    assert (found["center"], found["scale"]) == (True, "none")
    assert found["reason"].startswith("their ranges are alike, most within a factor of ")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.slow
def test_nothing_beside_the_answer_in_a_pipe(wine, command):  # noqa: F811
    call = calls(wine, wine.parent, ("--label", "kind"))[command]
    done = process(*call)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == FIRST
    done = process(*call, "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["data"]["scale"] == "std"


def test_a_quantity_is_no_label_of_classes(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    frame["yield"] = rng.integers(0, 1000, 120)
    frame.to_csv(tmp_path / "q.csv", index=False)
    done = run("cluster", tmp_path / "q.csv", "-k", 3, "--label", "yield")
    assert done.code == 0
    assert "as a quantity does" in done.err
    assert "NMI" not in done.out
    done = run("classify", tmp_path / "q.csv", "--target", "yield")
    assert (done.code, done.out) == (2, "")
    assert "as a quantity does; classes are few" in done.err
