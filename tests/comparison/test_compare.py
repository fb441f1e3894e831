"""``compare`` from Python, against the same steps by hand."""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, SelectorMixin, VarianceThreshold
from sklearn.metrics import normalized_mutual_info_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

from colonnade import Comparison, GreedySelector, RLSClassifier, compare, select
from colonnade.comparison import judging, running
from colonnade.comparison.asked import contenders_of
from colonnade.comparison.contenders import FunctionContender
from colonnade.comparison.halves import halves
from colonnade.comparison.judging import held_out_share, overlap
from colonnade.comparison.ledger import LedgerError
from colonnade.comparison.lines import lines_of
from colonnade.comparison.measures import MEASURES
from colonnade.comparison.significance import Summary, significance_groups
from colonnade.comparison.verdicts import uncompared_in_words
from colonnade.foundation.alerts import ProcessesLostError
from colonnade.operands.preparing import prepare

X, Y = load_wine(return_X_y=True)
SIZES = [2, 5]


def last_columns(X, n, random_state):
    return np.arange(X.shape[1] - n, X.shape[1])


def touches(X, n, random_state):
    X[:] = 0
    return range(n)


@pytest.fixture(scope="module")
def found():
    methods = {
        "ours": GreedySelector(refine=True),
        "mine": last_columns,
        "pca": PCA(),
        "kbest": make_pipeline(MaxAbsScaler(), SelectKBest()),
        "random-pivot": "random-pivot",
    }
    return compare(X, SIZES, methods=methods, y=Y, seeds=3, n_jobs=1)


def treated(first, second):
    mean, spread = X[first].mean(axis=0), X[first].std(axis=0)
    return (X[first] - mean) / spread, (X[second] - mean) / spread


def by_hand(seed, columns):
    """Shares explained and classified right by given columns of one split."""
    first, second = halves(Y, len(X), seed)
    A, Z = treated(first, second)
    F, H = A[:, columns], Z[:, columns]
    left = np.square(Z - H @ np.linalg.lstsq(F, A, rcond=None)[0]).sum() / np.square(Z).sum()
    alphas = [10.0**power * np.square(F).sum() / F.shape[1] for power in range(-4, 1)]
    model = RLSClassifier(alphas, fit_intercept=True).fit(F, Y[first])
    return 1 - left, np.mean(model.predict(H) == Y[second])


@pytest.mark.parametrize("method", ["ours", "mine"])
@pytest.mark.parametrize("n", SIZES)
def test_figures_are_those_of_the_steps_by_hand(found, method, n):
    runs = [run for run in found.runs if run.get("method") == method and run["n"] == n]
    shares, rights, same = [], [], []
    for seed, run in enumerate(runs):
        first, second = halves(Y, len(X), seed)
        columns, again = list(range(13 - n, 13)), list(range(13 - n, 13))
        if method == "ours":
            how = {"center": True, "scale": "std", "refine": True}
            columns = select(X[first], n, **how).indices.tolist()
            again = select(X[second], n, **how).indices.tolist()
        assert run["chosen"] == columns
        share, right = by_hand(seed, columns)
        assert run["held_out"] == pytest.approx(share, rel=1e-9)
        assert run["accuracy"] == pytest.approx(right)
        assert run["stability"] == pytest.approx(overlap(columns, again, 13))
        shares.append(share)
        rights.append(right)
        same.append(run["stability"])
    (line,) = [line for line in found.lines if (line.method, line.n_select) == (method, n)]
    for key, values in (("held_out", shares), ("accuracy", rights), ("stability", same)):
        expected = Summary.of(values)
        assert line.summaries[key].mean == pytest.approx(expected.mean)
        assert line.summaries[key].deviation == pytest.approx(expected.deviation)
        assert line.summaries[key].runs == 3


def test_yardsticks_are_a_pca_and_all_columns(found):
    lines = {(line.method, line.n_select): line for line in found.lines if line.yardstick}
    shares, rights = {2: [], 5: []}, []
    for seed in range(3):
        first, second = halves(Y, len(X), seed)
        A, Z = treated(first, second)
        for n, found_there in shares.items():
            V = np.linalg.svd(A)[2][:n].T
            found_there.append(np.square(Z @ V).sum() / np.square(Z).sum())
        rights.append(by_hand(seed, list(range(13)))[1])
    for n in SIZES:
        of_pca = lines["directions (PCA)", n].mean("held_out")
        assert of_pca == pytest.approx(np.mean(shares[n]))
    assert lines["all columns", 2].mean("accuracy") == pytest.approx(np.mean(rights))
    # a PCA that takes part is that yardstick, and chooses no columns
    (mine,) = [line for line in found.lines if (line.method, line.n_select) == ("pca", 5)]
    assert mine.mean("held_out") == pytest.approx(np.mean(shares[5]))
    assert "stability" not in mine.summaries
    assert {"held_out", "accuracy", "nmi", "cost", "seconds", "memory"} == set(mine.summaries)


def objective(Z, clusters):
    """What is left of rows after the means of their clusters, as a share."""
    parts = [Z[clusters == k] for k in set(clusters)]
    left = sum(np.square(part - part.mean(axis=0)).sum() for part in parts)
    return left / np.square(Z).sum()


@pytest.mark.parametrize("n", SIZES)
def test_kmeans_is_of_chosen_columns_and_judged_by_all(found, n):
    full = [run["cost"] for run in found.runs if "method" not in run]
    runs = [run for run in found.runs if run.get("method") == "mine" and run["n"] == n]
    shares = []
    for seed, run in enumerate(runs):
        first, second = halves(Y, len(X), seed)
        Z = treated(first, second)[1]
        means = KMeans(3, n_init=5, random_state=seed).fit(Z[:, 13 - n :])
        assert run["cost"] == pytest.approx(objective(Z, means.labels_))
        same = normalized_mutual_info_score(Y[second], means.labels_, average_method="geometric")
        assert run["nmi"] == pytest.approx(same)
        whole = KMeans(3, n_init=5, random_state=seed).fit(Z).labels_
        assert full[seed] == pytest.approx(objective(Z, whole), rel=0.02)
        shares.append(run["cost"] / full[seed])
    (line,) = [line for line in found.lines if (line.method, line.n_select) == ("mine", n)]
    assert line.mean("cost") == pytest.approx(np.mean(shares))


def test_kmeans_is_judged_by_all_columns(found):
    """With as many columns as there are, nothing is lost but what starts decide."""
    whole = compare(X, 13, methods=["greedy"], y=Y, seeds=2, n_jobs=1)
    (line,) = [line for line in whole.lines if line.method == "greedy"]
    assert line.mean("cost") == pytest.approx(1, abs=0.02)
    assert line.mean("nmi") == pytest.approx(
        next(line for line in whole.lines if line.method == "all columns").mean("nmi"), abs=0.1
    )
    (few,) = [line for line in found.lines if (line.method, line.n_select) == ("mine", 2)]
    assert few.mean("cost") > 1.05
    assert found.about["n_clusters"] == 3


def test_groups_are_those_of_the_test_among_what_took_part(found):
    for n in SIZES:
        lines = [line for line in found.lines if line.n_select == n and not line.yardstick]
        expected = significance_groups({line.method: line.summaries["held_out"] for line in lines})
        assert {line.method: line.groups["held_out"] for line in lines} == expected
        times = significance_groups(
            {line.method: line.summaries["seconds"] for line in lines}, larger_is_better=False
        )
        assert {line.method: line.groups["seconds"] for line in lines} == times
    assert all(not line.groups for line in found.lines if line.yardstick)


def test_random_columns_always_take_part_and_differ_between_halves(found):
    assert found.methods[-1] == "uniform"
    runs = [run for run in found.runs if run.get("method") == "uniform"]
    assert len({tuple(run["chosen"]) for run in runs if run["n"] == 5}) == 3
    assert all(run["stability"] < 1 for run in runs if run["n"] == 5)


def test_several_processes_find_the_same(found):
    from joblib.externals.loky import get_reusable_executor

    def tells(X, n, seed):
        raise RuntimeError(os.getpid())

    methods = {"mine": lambda X, n, seed: last_columns(X, n, seed), "tells": tells}
    at_once = compare(X, SIZES, methods=methods, y=Y, seeds=3, n_jobs=2)
    get_reusable_executor().shutdown(wait=True)
    lines = {(line.method, line.n_select): line for line in at_once.lines}
    for line in found.lines:
        if line.method in ("mine", "uniform") or line.yardstick:
            same = lines[line.method, line.n_select]
            for key in {"held_out", "accuracy", "nmi", "stability"} & set(line.summaries):
                assert line.mean(key) == pytest.approx(same.mean(key)), (line.method, key)
    processes = {*lines["tells", 2].failures, *lines["tells", 5].failures}
    assert processes
    assert f"RuntimeError: {os.getpid()}" not in processes


def test_sparse_data_stays_sparse_and_gives_the_same():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.5, (60, 15)) * rng.poisson(1.0, 15)
    seen = set()

    def looks(X, n, random_state):
        seen.add(sp.issparse(X))
        return range(n)

    how = {"methods": ["greedy", "uniform", looks], "seeds": 2, "n_jobs": 1}
    dense = compare(counts.astype(float), 4, **how)
    assert seen == {False}
    seen.clear()
    sparse = compare(sp.csr_array(counts.astype(float)), 4, **how)
    assert seen == {True}
    for a, b in zip(dense.lines, sparse.lines, strict=True):
        assert a.mean("held_out") == pytest.approx(b.mean("held_out"))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("center", [True, False])
def test_transformers_that_move_columns_are_judged_like_those_that_do_not(kind, center):
    rng = np.random.default_rng(0)
    counts = kind(rng.poisson(np.linspace(0.3, 3, 15), (60, 15)).astype(float))

    class Picks(SelectorMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def _get_support_mask(self):
            return np.isin(np.arange(15), [3, 8, 9])

        def transform(self, X):  # not what it is judged by
            return np.zeros((X.shape[0], 3))

    def moved(X):
        columns = X[:, [3, 8, 9]]
        return columns.toarray() + 100 if sp.issparse(X) else columns + 100

    methods = {
        "function": lambda X, n, seed: [3, 8, 9],
        "support": Picks(),
        "moved": FunctionTransformer(moved, accept_sparse=True),
    }
    y = np.arange(60) % 2
    found = compare(
        counts, 3, methods=methods, y=y, seeds=3, n_jobs=1, center=center, scale=None
    )  # fmt: skip
    lines = {line.method: line for line in found.lines}
    for key in ("held_out", "accuracy"):  # k-means may end elsewhere for rounding
        chosen = lines["function"].mean(key)
        assert lines["support"].mean(key) == pytest.approx(chosen, rel=1e-9), key
        if center or key != "held_out":
            assert lines["moved"].mean(key) == pytest.approx(chosen, rel=1e-9), key
        else:  # a constant is worth something
            assert lines["moved"].mean(key) > chosen + 0.01


def test_parameters_that_cannot_be_are_refused_before_any_work():
    with pytest.raises(TypeError, match=r"refine must be True, False or a number .*'maybe'"):
        compare(X, 2, methods=["greedy(refine=maybe)"], seeds=2, n_jobs=1)


def test_data_is_never_modified():
    mine = X.copy()
    compare(mine, 2, methods=[touches, PCA(copy=False)], seeds=2, n_jobs=1)
    assert (mine == X).all()


def test_what_functions_do_to_their_data_changes_nothing_else():
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.7, (40, 8)).astype(float))

    def scribbles(X, n, random_state):
        X.data[:] = 7
        return range(n)

    methods = {"scribbles": scribbles, "leaves": lambda X, n, seed: range(n)}
    how = {"center": False, "scale": None, "seeds": 2, "n_jobs": 1}
    found = compare(counts, 3, methods=methods, **how)
    assert found.lines[0].mean("held_out") == pytest.approx(found.lines[1].mean("held_out"))


def test_coefficients_that_fail_on_other_rows_are_told():
    """A row far from all others, in one half, that no coefficients of the other half foresee."""
    rng = np.random.default_rng(0)
    odd = np.column_stack([rng.normal(size=(60, 1)) * 0.1, rng.normal(size=(60, 5))])
    odd[:, 1] += 5 * odd[:, 0]
    odd[7, 0] = 400
    methods = {"first": lambda X, n, seed: [0], "third": lambda X, n, seed: [2]}
    found = compare(odd, 1, methods=methods, seeds=7, n_jobs=1, scale=None)
    harmed = [run["held_out"] < -0.1 for run in found.runs if run.get("method") == "first"]
    assert sum(harmed) == 4
    notes = [note for note in found.notes() if "less than nothing" in note]
    assert notes[0].startswith("first explains less than nothing in 4 of 7 splits with n = 1: ")
    assert all(run["held_out"] > -0.1 for run in found.runs if run.get("method") == "third")
    assert "third" not in "".join(notes)


def test_it_goes_on_from_a_file_and_refuses_other_data(tmp_path):
    path, told = tmp_path / "runs.jsonl", []
    how = {"methods": ["greedy"], "n_jobs": 1, "resume": path}

    def stops(done, wanted):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(X, SIZES, seeds=3, progress=stops, **how)
    assert len(path.read_text().splitlines()) == 5
    resumed = compare(X, SIZES, seeds=3, progress=lambda *t: told.append(t), **how)
    assert told[0] == (4, 15)
    whole = compare(X, SIZES, seeds=3, methods=["greedy"], n_jobs=1)
    for a, b in zip(resumed.lines, whole.lines, strict=True):
        assert (a.method, a.mean("held_out")) == (b.method, pytest.approx(b.mean("held_out")))
    more = compare(X, [2], seeds=4, progress=lambda *t: told.append(t), **how)
    assert told[12] == (6, 12)  # of the yardsticks, which know other sizes, none
    assert more.about["seeds"] == 4
    with pytest.raises(ValueError, match="these runs were begun with other data; choose"):
        compare(X[1:], SIZES, seeds=3, **how)


OTHERWISE = [
    ("center=", {"center": False}), ("scale=", {"scale": "max"}),
    ("missing=", {"missing": "median"}), ("other labels;", {"y": Y[::-1]}),
    ("labels;", {"y": None, "n_clusters": 3}), ("n_clusters=", {"n_clusters": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "otherwise"), OTHERWISE)
def test_runs_of_what_was_done_otherwise_are_refused(tmp_path, name, otherwise):
    how = {"methods": [last_columns], "seeds": 2, "n_jobs": 1, "resume": tmp_path / "runs.jsonl"}
    compare(X, 2, y=Y, **how)
    with pytest.raises(ValueError, match=f"these runs were begun with {name}"):
        compare(X, 2, **{"y": Y, **how, **otherwise})


def test_auto_is_decided_once_and_by_all_rows(monkeypatch):
    asked = []

    def looks(A, **how):
        asked.append(how["scale"])
        return prepare(A, **how)

    monkeypatch.setattr("colonnade.comparison.halves.prepare", looks)
    assert compare(X, 2, methods=["greedy"], seeds=2, n_jobs=1).about["scale"] == "std"
    assert set(asked) == {"std"}


def test_shares_are_of_all_columns():
    found = compare(X, [0.2, 0.001, 1.0], methods=["uniform"], seeds=2, n_jobs=1)
    assert found.n_select == [1, 3, 13]


def test_runs_that_failed_are_done_again(tmp_path, monkeypatch):
    ready, told = [], []

    def needs(X, n, random_state):
        if not ready:
            raise ImportError("no module named 'needed'")
        return range(n)

    monkeypatch.setattr(FunctionContender, "mark", "of the same code")
    how = {"methods": [needs], "seeds": 2, "n_jobs": 1, "resume": tmp_path / "runs.jsonl"}
    failed = compare(X, 2, **how)
    assert failed.lines[0].failures == {"ImportError: no module named 'needed'": 2}
    ready.append(True)
    for before in (4, 6):
        again = compare(X, 2, progress=lambda *t: told.append(t), **how)
        assert told[0] == (before, 6)
        assert again.lines[0].summaries["held_out"].runs == 2
        assert not again.lines[0].failures
        told.clear()


def test_a_process_that_is_gone_is_told_with_what_is_kept(tmp_path, monkeypatch):
    def gone(run, jobs, n_jobs):
        raise BrokenProcessPool("A worker was terminated")

    monkeypatch.setattr(running, "_outcomes", gone)
    told = r"a process that did runs has ended.*fewer runs at once, or leave some out"
    path = tmp_path / "runs.jsonl"
    for nothing_kept in ({}, {"resume": path}):
        with pytest.raises(ProcessesLostError, match=told + "$"):
            compare(X, 2, methods=["greedy"], seeds=2, **nothing_kept)
    monkeypatch.undo()
    compare(X, 2, methods=["greedy"], seeds=2, n_jobs=1, resume=path)
    monkeypatch.setattr(running, "_outcomes", gone)
    with pytest.raises(ProcessesLostError, match=rf"{told}; the runs before .* kept in .*s\.jsonl"):
        compare(X, 2, methods=["greedy"], seeds=3, resume=path)


@pytest.mark.parametrize("place", ["folder", "nowhere"])
def test_a_place_that_cannot_be_written_is_told_before_any_work(tmp_path, place):
    called, path = [], tmp_path / place
    if place == "folder":
        path.mkdir()
        error, message = LedgerError, r"folder is a folder; runs are kept in a file"
    else:
        path = Path("/proc/nowhere.jsonl")
        error, message = OSError, r"'/proc/nowhere\.jsonl'$"
    with pytest.raises(error, match=message):
        compare(X, 2, methods={"calls": called.append}, seeds=2, n_jobs=1, resume=path)
    assert not called


def test_as_many_processes_as_this_one_may_use_cores(monkeypatch):
    asked = []

    def looks(run, jobs, n_jobs):
        asked.append(n_jobs)
        raise RuntimeError("that is all")

    monkeypatch.setattr(running, "_outcomes", looks)
    monkeypatch.setattr("joblib.cpu_count", lambda: 3)
    for n_jobs in (None, -1, 2):
        with pytest.raises(RuntimeError, match="that is all"):
            compare(X, 2, methods=["greedy"], n_jobs=n_jobs)
    assert asked == [3, 3, 2]


def test_another_function_of_the_same_name_is_run_anew(tmp_path):
    how = {"seeds": 2, "n_jobs": 1, "resume": tmp_path / "runs.jsonl"}
    for columns in ([0, 1], [3, 4]):
        code = f"def mine(X, n, random_state):\n    return {columns}"
        scope = {}
        exec(code, scope)
        found = compare(X, 2, methods=[scope["mine"]], **how)
        assert [run["chosen"] for run in found.runs if run.get("method") == "mine"] == [columns] * 2


def test_other_runs_of_a_closure_are_not_taken_for_its_own(tmp_path):
    def chooser(columns):
        return lambda X, n, random_state: columns

    how = {"seeds": 2, "n_jobs": 1, "resume": tmp_path / "runs.jsonl"}
    for columns in ([0, 1], [3, 4]):
        found = compare(X, 2, methods={"mine": chooser(columns)}, **how)
        assert [run["chosen"] for run in found.runs if run.get("method") == "mine"] == [columns] * 2


def test_failures_are_told_and_the_rest_goes_on():
    def fails(X, n, random_state):
        if n == 5 or random_state == 1:
            raise RuntimeError("no more than 4\nand more to say")
        return range(n)

    methods = {
        "fails": fails,
        "repeats": lambda X, n, seed: [0] * n,
        "far": lambda X, n, seed: [99],
        "text": lambda X, n, seed: ["alcohol"],
        "kept": VarianceThreshold(),
        "nan": lambda X, n, seed: [0.5],
    }
    found = compare(X, SIZES, methods=methods, seeds=2, n_jobs=1)
    lines = {(line.method, line.n_select): line for line in found.lines}
    assert lines["fails", 5].failures == {"RuntimeError: no more than 4": 2}
    assert lines["fails", 2].failures == {"RuntimeError: no more than 4": 1}
    assert lines["fails", 2].summaries["held_out"].runs == 1
    assert not lines["fails", 2].groups
    assert set(lines["repeats", 2].failures) == {"it returned a column more than once"}
    assert set(lines["far", 2].failures) == {"it returned columns 99 to 99, of 0 to 12"}
    assert "numbers of columns" in next(iter(lines["text", 2].failures))
    assert "numbers of columns" in next(iter(lines["nan", 2].failures))
    # what keeps more than others is measured, and not compared
    assert lines["kept", 2].columns.mean == 13
    assert lines["kept", 2].mean("held_out") == pytest.approx(1)
    assert not lines["kept", 2].groups
    notes = "\n".join(found.notes())
    assert "fails failed with 5 columns: RuntimeError: no more than 4" in notes
    assert "fails failed with 2 columns in some splits" in notes
    assert "kept kept 13 and 13 columns where 2 and 5 were asked for" in notes
    assert found.best() == "uniform"
    assert found.verdict()[0].startswith("Random columns are the only choice that was measured")
    assert "failed" in found.to_markdown()


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_features_out_of_range_are_a_failure_of_their_method(size):
    methods = {"huge": FunctionTransformer(lambda X: size * np.sign(X)), "pca": PCA()}
    found = compare(X, 2, methods=methods, y=Y, seeds=2, n_jobs=1)
    assert set(found.lines[0].failures) == {
        f"its transform returned values up to {size:.3g}, whose squares are out of range; scale "
        "them"
    }
    assert found.lines[1].summaries["held_out"].runs == 2


def test_what_goes_wrong_while_judging_is_of_the_method(monkeypatch):
    def fails(train, test, known, new):
        if known.shape[1] == 3:
            raise ZeroDivisionError("float division by zero")
        return held_out_share(train, test, known, new)

    monkeypatch.setattr(judging, "held_out_share", fails)
    methods = {"three": FunctionTransformer(lambda X: X[:, :3]), "pca": PCA()}
    found = compare(X, 2, methods=methods, seeds=2, n_jobs=1)
    assert found.lines[0].failures == {"ZeroDivisionError: float division by zero": 2}
    assert found.lines[1].summaries["held_out"].runs == 2


def test_a_function_that_exits_fails_and_ends_nothing():
    def leaves(X, n, random_state):
        sys.exit("no licence")

    found = compare(X, 2, methods=[leaves], seeds=2, n_jobs=1)
    assert found.lines[0].failures == {"SystemExit: no licence": 2}


@pytest.mark.parametrize(
    ("center", "what"), [(True, "cannot be treated"), (False, "is zero in all columns")]
)
def test_a_half_that_has_nothing_to_explain_is_told_by_its_split(center, what):
    few = np.zeros((40, 4))
    few[0], few[1, 1], few[2, 2] = 1, 1, 3
    how = {"center": center, "scale": None, "methods": ["greedy"], "seeds": 10, "n_jobs": 1}
    with pytest.raises(ValueError, match=f"one half of the rows of split [0-9] {what}.*more rows"):
        compare(few, 1, **how)


def test_an_objective_of_nothing_is_told():
    """Ten rows are held out in each of three splits: ten clusters leave nothing."""
    few = np.random.default_rng(0).standard_normal((20, 6))
    how = {"methods": "greedy", "seeds": 3, "n_jobs": 1}
    found = compare(few, [2], n_clusters=10, **how)
    assert "cost" not in found.measures
    (note,) = (note for note in found.notes() if "k-means" in note)
    assert note.startswith("the objective of k-means is left out in 3 of 3 splits: on all columns")
    assert note in found.to_markdown()
    fewer = compare(few, [2], n_clusters=3, **how)
    assert "cost" in fewer.measures
    assert not fewer.notes()


def test_rounding_is_nothing():
    marks = [{"seed": 0, "cost": 1e-30}, {"seed": 1, "cost": 0.5}]
    assert "in 1 of 2 splits" in uncompared_in_words(marks)[0]
    assert uncompared_in_words(marks[1:]) == []
    job = {"method": "greedy", "mark": None, "n": 2}
    ran = {"columns": 2, "held_out": 0.5, "cost": 0.6}
    found = [({"seed": m["seed"], "sizes": [2]}, {"cost": m["cost"], "held_out": {"2": 0.7}})
             for m in marks]  # fmt: skip
    found += [({**job, "seed": seed}, ran) for seed in (0, 1)]
    line = lines_of(found, ["greedy"], [2])[0]
    assert (line.summaries["cost"].mean, line.summaries["cost"].runs) == (1.2, 1)


@pytest.mark.parametrize("center", ["no", None, 1])
def test_center_is_true_or_false(center):
    with pytest.raises(TypeError, match=f"center must be True or False, got {center!r}"):
        compare(X, 2, methods=["greedy"], seeds=2, n_jobs=1, center=center)


def test_k_means_is_left_out_where_fewer_rows_than_classes_are_distinct(tmp_path):
    bits = np.random.default_rng(0).integers(0, 2, (60, 3)).astype(float)
    how = {"methods": ["greedy"], "y": np.arange(60) % 9, "seeds": 2, "n_jobs": 1}
    found = compare(bits, 2, resume=tmp_path / "runs.jsonl", **how)
    assert found.measures[:2] == ["held_out", "accuracy"]
    assert not {"nmi", "cost"} & {*found.measures, *(key for run in found.runs for key in run)}
    assert found.about["n_clusters"] is None
    assert [note for note in found.notes() if "k-means" in note] == [
        "k-means is left out: n_clusters=9, but only 8 can be told apart: the data has too few "
        "distinct points; give other data, or choose n_clusters at most 8"
    ]
    for kept in (None, tmp_path / "runs.jsonl"):
        with pytest.raises(ValueError, match="n_clusters=9, but only 8 can be told apart"):
            compare(bits, 2, n_clusters=9, resume=kept, **how)
    fewer = compare(bits, 2, n_clusters=3, **how)
    assert "nmi" in fewer.measures
    assert not [note for note in fewer.notes() if "k-means" in note]


def test_if_all_fail_that_is_an_error():
    methods = {"uniform": "uniform(must_include=[0, 1, 2])"}
    with pytest.raises(ValueError, match=r"every method failed; .* n_select=2"):
        compare(X, 2, methods=methods, seeds=2, n_jobs=1)


class Unsent:
    """Something that raises whatever it likes when it is to be sent."""

    def __reduce__(self):
        raise RuntimeError("not this one")


LOCK, UNSENT = threading.Lock(), Unsent()
WRONG = [
    ({"n_select": [2, 14]}, "n_select=14 but X has 13 columns; choose 1 to 13"),
    ({"X": np.c_[X, np.ones(178)], "n_select": 14}, "n_select=14 but of 14 columns 13 vary"),
    ({"n_select": []}, "n_select is empty"),
    ({"n_select": [1.5]}, "n_select holds 1.5"),
    ({"seeds": 1}, "seeds=1; choose at least 2"),
    ({"methods": ["gredy"]}, r"'gredy' is unknown \(did you mean 'greedy'\?\)"),
    ({"methods": []}, "methods is empty"),
    ({"methods": "greedy(refin=True)"}, r"no parameter 'refin' \(did you mean 'refine'\?\)"),
    ({"methods": "partition-greedy(n_groups=0)"}, "n_groups=0"),
    ({"methods": "greedy(True)"}, "parameters as name=value"),
    ({"methods": "greedy(center=True)"}, "center is the same for all methods"),
    ({"methods": ["greedy", "greedy"]}, "two methods are called 'greedy'"),
    ({"methods": {"uniform": "greedy"}}, "'uniform' is the name of random columns"),
    ({"methods": {"all columns": "greedy"}}, "the name 'all columns', which is that of what all"),
    ({"methods": {"directions (PCA)": PCA()}}, r"the name 'directions \(PCA\)', which is that of"),
    ({"methods": {3: "greedy"}}, "the name 3; choose text of one line"),
    ({"methods": {"": "greedy"}}, "the name ''; choose text of one line"),
    ({"methods": {"one\ntwo": "greedy"}}, r"the name 'one\\ntwo'; choose text of one line"),
    ({"methods": [PCA]}, r"pass PCA\(\)"),
    ({"methods": ["information-gain"]}, "'information-gain' needs the labels"),
    ({"methods": [{"refine": True}]}, "has no 'method'"),
    ({"methods": {"a": lambda X, n, seed, lock=LOCK: [0]}}, "'a' cannot be sent to other proc"),
    (
        {"methods": {"a": lambda X, n, seed, it=UNSENT: [0]}},
        r"'a' cannot be sent to other processes \(not this one\)",
    ),
    (
        {"methods": {"a": lambda X, n, seed, lock=LOCK: [0]}, "n_jobs": 1, "resume": "no.jsonl"},
        "'a' holds what cannot be compared with that of earlier runs",
    ),
    ({"y": Y[:-1]}, r"labels have shape \(177,\)"),
    ({"y": np.zeros(178)}, "one class only"),
    ({"y": np.r_[1, np.zeros(177)]}, "class 1.0 of y has one row; both .* if it is a quantity"),
    (
        {"y": np.r_[77, 88, 99, np.arange(175) % 9]},
        "class 77 of y has one row, as 3 classes",
    ),
    ({"y": np.arange(178)}, "178 different labels"),
    ({"y": np.arange(178) % 5 / 2}, "fractions, such as 0.5"),
    ({"n_clusters": 100}, "n_clusters=100; choose 2 to 89"),
    ({"missing": "pairwise"}, "choose 'error', 'mean' or 'median'"),
    ({"scale": "sd"}, "scale='sd'"),
    ({"X": np.where(X > 1000, np.nan, X)}, "X contains NaN; choose missing='mean'"),
    ({"X": X[:3]}, "X has 3 rows"),
    ({"n_jobs": 0}, "n_jobs=0"),
]


@pytest.mark.parametrize(("asked", "message"), WRONG)
def test_what_cannot_be_done_is_said_before_any_work(asked, message):
    def worked(done, wanted):
        raise AssertionError("work began")

    given = {"X": X, "n_select": 2, "n_jobs": 2, "progress": worked} | asked
    with pytest.raises((ValueError, TypeError), match=message):
        compare(**given)


def test_ways_to_name_a_method():
    assert list(contenders_of("greedy, partition-greedy(n_groups=5,refine=true)", False)) == [
        "greedy", "partition-greedy(n_groups=5, refine=True)", "uniform",
    ]  # fmt: skip
    many = contenders_of([GreedySelector(7, refine=True, center=True), PCA(whiten=True)], False)
    assert list(many) == ["greedy(refine=True)", "PCA(whiten=True)", "uniform"]
    assert many["greedy(refine=True)"].params == {"refine": True}
    sized = contenders_of([PCA(7, whiten=True), SelectKBest(k=4), FunctionTransformer()], True)
    assert list(sized) == ["PCA(whiten=True)", "SelectKBest", "FunctionTransformer", "uniform"]
    pipeline = contenders_of(make_pipeline(MaxAbsScaler(), SelectKBest()), True)
    assert pipeline["MaxAbsScaler + SelectKBest"].size_parameter == "selectkbest__k"


def test_the_result_as_table_text_files_and_picture(found, tmp_path):
    assert isinstance(found, Comparison)
    assert len(repr(found)) < 120
    with pytest.raises(AttributeError):
        found.lines = ()
    frame = found.table()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 2 * (6 + 2)
    row = frame[(frame.method == "ours") & (frame.n_select == 5)].iloc[0]
    assert row["held_out_group"] == 1 or row["held_out"] < frame["held_out"].max()
    kept = found.lines[0].summaries
    assert row["held_out_std"] == next(
        line.summaries["held_out"].deviation for line in found.lines
        if (line.method, line.n_select) == ("ours", 5)
    )  # fmt: skip
    found.save(tmp_path / "a.csv")
    read = pd.read_csv(tmp_path / "a.csv")
    assert read.columns.tolist() == frame.columns.tolist()
    assert read.held_out.to_numpy() == pytest.approx(frame.held_out.to_numpy(float), nan_ok=True)
    found.save(tmp_path / "a.json")
    whole = json.loads((tmp_path / "a.json").read_text())
    assert whole["n_select"] == SIZES
    assert whole["best"]["held_out"] == found.best()
    assert len(whole["runs"]) == 3 * (1 + 6 * 2)
    found.save(tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text()
    mean = found.lines[0].summaries["held_out"].mean
    assert f"{100 * mean:.1f} ± {100 * kept['held_out'].deviation:.1f}" in text
    assert f"({MEASURES['memory'].show(kept['memory'].mean)})" in text
    assert "**" in text
    with pytest.raises(ValueError, match=r"written as \.csv, \.json, \.md"):
        found.save(tmp_path / "a.txt")
    figure = found.draw()
    assert [ax.get_title() for ax in figure.axes][:2] == [
        "held-out rows explained, %", "held-out rows classified right, %",
    ]  # fmt: skip
    assert len(figure.axes[0].lines) == 7
    assert figure.axes[0].lines[0].get_ydata()[0] == pytest.approx(100 * mean)
    curve = found.curves()[0]
    assert curve.deviation[0] == pytest.approx(100 * kept["held_out"].deviation)


def test_a_picture_says_what_its_bands_are_and_shows_them_at_a_single_size_too(found):
    figure = found.draw()
    note = "Bands: one standard deviation over 3 splits of the rows"
    assert figure.legends[0].get_title().get_text() == note
    assert all(float(tick).is_integer() for tick in figure.axes[0].get_xticks())
    assert len(figure.axes[0].collections) == 7  # bands
    one = compare(X, 2, methods=["greedy"], seeds=2, n_jobs=1)
    (held, *_) = one.draw().axes
    assert held.get_xticks().tolist() == [2]
    for bar, line in zip(held.containers, one.lines, strict=True):
        (segment,) = bar.lines[2][0].get_segments()
        share, (low, high) = line.summaries["held_out"], segment[:, 1]
        assert segment[0, 0] == 2
        assert (low + high) / 2 == pytest.approx(100 * share.mean)
        assert (high - low) / 2 == pytest.approx(100 * share.deviation)


def test_the_verdict_says_by_how_much_and_whether_by_chance():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(200, 2))
    plain = np.column_stack([base, base @ rng.normal(size=(2, 4)), 0.2 * rng.normal(size=(200, 6))])
    found = compare(plain, [2], methods=["greedy"], seeds=8, n_jobs=1, scale=None)
    lines = {line.method: line.mean("held_out") for line in found.lines}
    verdict = found.verdict()
    assert verdict[0].startswith("greedy explains most of the variance of held-out rows: ")
    assert f": {100 * lines['greedy']:.1f} % with 2 columns" in verdict[0]
    assert f"{100 * lines['directions (PCA)']:.1f} %" in verdict[0]
    more = f"{100 * (lines['greedy'] - lines['uniform']):.1f}"
    assert verdict[1].startswith(f"That is {more} points more than random columns, a significant")
    noise = compare(rng.normal(size=(40, 6)), [3], methods=["greedy"], seeds=3, n_jobs=1)
    told = " ".join(noise.verdict())
    assert "significant" not in told or "chance" in told


def test_best_knows_what_was_measured(found):
    assert found.best("held_out", 5) == "pca"
    for key in ("cost", "seconds"):  # the less the better
        means = {line.method: line.mean(key) for line in found.lines
                 if line.n_select == 5 and not line.yardstick}  # fmt: skip
        assert found.best(key, 5) == min(means, key=lambda method: means[method])
    with pytest.raises(ValueError, match=r"measure='heldout' was not measured \(did you mean"):
        found.best("heldout")
    with pytest.raises(ValueError, match="n_select=3 was not compared; choose one of 2, 5"):
        found.best("held_out", 3)
