"""The experiments on Paul & Drineas (2014): runs against simple computations, and verdicts."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from colonnade import RLSClassifier, datasets, select
from colonnade.reproduction.experiments import paul_2014_pairs as pairs
from colonnade.reproduction.experiments import paul_2014_runs as runs
from colonnade.reproduction.experiments import paul_2014_synthetic as synthetic
from colonnade.reproduction.experiments.paul_2014 import EXPERIMENTS
from colonnade.reproduction.experiments.paul_2014_pairs import (
    report_figure,
    report_table_2,
    report_table_4,
)
from colonnade.reproduction.experiments.paul_2014_printed import (
    ALPHAS,
    METHODS,
    NEWSGROUPS,
    SIZES,
    TABLE_1,
    TABLE_2,
)
from colonnade.reproduction.experiments.paul_2014_synthetic import report_table_1

# -- what is printed and what is run ---------------------------------------------------------------


def test_printed_tables_have_their_shape():
    assert [len(row) for table in TABLE_1.values() for row in table.values()] == [5] * 16
    assert {name for table in TABLE_1.values() for name in table} == {*METHODS} - {"random"}
    assert list(TABLE_2) == list(SIZES)
    for table in TABLE_2.values():
        assert tuple(table) == ("BSS", "leverage", "RRQR", "random", "information gain")
        assert {len(row) for row in table.values()} == {len(ALPHAS)}
        for row in table.values():  # each falls with λ, as the text says
            assert (np.diff([mean for mean, _ in row]) < 0).all()
    assert len(set(NEWSGROUPS)) == 20
    assert list(NEWSGROUPS) == sorted(NEWSGROUPS)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_jobs(experiment):
    full, quick = experiment.jobs(False), experiment.jobs(True)
    for jobs in (full, quick):
        keys = [json.dumps(job, sort_keys=True) for job in jobs]
        assert len(set(keys)) == len(keys)
        assert [json.loads(key) for key in keys] == [dict(job) for job in jobs]
    assert {tuple(job) for job in full} == {tuple(job) for job in quick}
    assert len(quick) < len(full)
    assert experiment.place in experiment.to_dict()["place"]


# -- runs ------------------------------------------------------------------------------------------


def test_folds_share_out_the_rows():
    parts = list(runs.folds(23, 4))
    assert [len(test) for _, test in parts] == [3, 3, 3, 2, 2, 2, 2, 2, 2, 2]
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(23))
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(23))
    again = next(runs.folds(23, 5))[1]
    assert again.tolist() != parts[0][1].tolist()


def test_errors_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    X, T = rng.standard_normal((12, 30)), rng.standard_normal((50, 30))
    y, truth = np.sign(X[:, 0]), np.sign(T[:, 0])
    T[:3] = 0.0  # no feature at all: no label, so an error
    alphas = [0.1, 0.7, 40.0]
    found = runs.test_errors(X, y, T, truth, alphas)
    for alpha, error in zip(alphas, found, strict=True):
        x = np.linalg.solve(X @ X.T + alpha * np.eye(12), y)
        assert error == np.mean(np.sign(T @ X.T @ x) != truth)
        assert error >= 3 / 50
        model = RLSClassifier(alpha=alpha, fit_intercept=False).fit(X, y)
        assert np.mean(model.predict(T[3:]) != truth[3:]) == pytest.approx((50 * error - 3) / 47)
    shortest = np.linalg.lstsq(X, y)[0]
    expected = np.mean(np.sign(T @ shortest) != truth)
    assert runs.test_errors(X, y, T, truth, [0.0]) == [expected]


def test_choices_are_those_of_the_library():
    X, y = _words()
    found = runs._synthetic_choices(X + 1e-3, y, 20, np.random.RandomState(0))
    for name, rank in (("BSS", 9), ("BSS, rank 2", 2)):
        expected = select(X + 1e-3, 20, method="bss", rank=rank)
        ((idx, weights),) = found[name]
        assert idx.tolist() == expected.indices.tolist()
        np.testing.assert_allclose(weights, expected.weights, rtol=1e-6)
    assert len(found["leverage, rank 2"]) == runs.DRAWS
    pivots = found["RRQR"][0][0]
    assert pivots.tolist() == scipy.linalg.qr(X + 1e-3, pivoting=True)[2][:20].tolist()
    own = select(X + 1e-3, 9, method="pivoted-qr").indices
    assert pivots[:9].tolist() == own.tolist()


def test_leverage_scores_come_with_weights():
    """Those of the definition: √(how often it was drawn / (r p)) for each that was drawn."""
    X, _ = _words()
    V = np.linalg.svd(X, full_matrices=False)[2].T
    p = np.square(V).sum(axis=1) / V.shape[1]
    for seed in range(3):
        idx, weights = runs._leverage(V, 20, np.random.RandomState(seed))
        assert len(idx) < 20  # some were drawn several times
        counts = np.square(weights) * 20 * p[idx]
        np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
        assert np.round(counts).sum() == 20
        assert counts.min() > 0.5


def _words(seed=0, m=9, n=40):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2, 1.0, -1.0)
    return rng.poisson(1.0 + np.outer(y > 0, np.arange(n) < 5) * 3.0).astype(float), y


def test_the_synthetic_run_finds_what_was_planted():
    job = {"data": "rlsc", "relevant": 90, "picks": 80, "seed": 3, "repeats": 1}
    found = runs.run_synthetic(job)
    assert json.loads(json.dumps(found)) == found
    assert found["relevant"]["BSS, rank 1"] > 0.95 > 0.5 > found["relevant"]["BSS"]
    assert found["top"]["information gain, presence"] == [80, 79, 78, 77, 76]
    X = datasets.load("rlsc", n_informative=90, random_state=3).X
    counts = np.zeros(1000)
    for train, _ in runs.folds(30, 0):
        counts[scipy.linalg.qr(X[train], mode="r", pivoting=True)[1][:80]] += 1
    assert found["top"]["RRQR"] == runs.most_frequent(counts)
    assert found["relevant_top"]["RRQR"] == runs.relevant_share(counts, 90)
    assert all(len(found["error"][name]) == len(runs.SYNTHETIC_ALPHAS) for name in found["error"])
    X, y = X + 0.0, datasets.load("rlsc", n_informative=90, random_state=3).y.astype(float)
    wrong = [
        runs.test_errors(X[train], y[train], X[test], y[test], runs.SYNTHETIC_ALPHAS)
        for train, test in runs.folds(30, 0)
    ]
    np.testing.assert_allclose(found["error"]["all features"], np.mean(wrong, axis=0))


def test_every_repeat_has_folds_of_its_own_and_weights_count(monkeypatch):
    idx, weights = np.array([85, 86, 300]), np.array([3.0, 1.0, 0.2])
    made = {"all": [(np.arange(1000), 1.0)], "weighted": [(idx, weights)]}
    monkeypatch.setattr(runs, "_synthetic_choices", lambda A, y, picks, rng: made)
    wrong = []

    def told(train, y, test, truth, alphas):
        wrong.append((train.copy(), test.copy()))
        return [0.0] * len(alphas)

    monkeypatch.setattr(runs, "test_errors", told)
    found = runs.run_synthetic(
        {"data": "rlsc", "relevant": 90, "picks": 3, "seed": 3, "repeats": 2}
    )
    assert found["top"]["weighted"][:3] == [301, 87, 86]
    X = datasets.load("rlsc", n_informative=90, random_state=3).X
    parts = [rows for repeat in (0, 1) for rows in runs.folds(30, repeat)]
    assert len(wrong) == 2 * len(parts) == 40
    for (train, test), whole, few in zip(parts, wrong[::2], wrong[1::2], strict=True):
        np.testing.assert_array_equal(whole[0], X[train])
        np.testing.assert_array_equal(whole[1], X[test])
        np.testing.assert_array_equal(few[0], X[train][:, idx] * weights)
        np.testing.assert_array_equal(few[1], X[test][:, idx] * weights)


def test_ties_of_the_most_frequent():
    counts = np.array([5, 2, 5, 4, 4, 4, 1])
    assert runs.most_frequent(counts, 4) == [3, 1, 6, 5]
    assert runs.relevant_share(counts, 4, 4) == pytest.approx((2 + 2 / 3) / 4, abs=1e-3)
    assert runs.relevant_share(counts, 7, 4) == 1.0
    assert runs.relevant_share(counts, 1, 2) == 0.5


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_pairs_are_the_longest_documents(put):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], [20, 20, 4])
    X = rng.poisson(rng.uniform(0.1, 1.0, (44, 1)), (44, 60))
    X[y == 1, 30:] = 0
    found = list(runs.cut_pairs(put(X), y, [10, 12], at_least=5))
    assert len(found) == 1  # three classes, of which one is too small
    first, second, rows = found[0]
    assert {first, second} == {1, 2}
    for label in (1, 2):
        own = np.flatnonzero(y == label)
        words = (X[own] > 0).sum(axis=1)
        taken = rows[y[rows] == label]
        assert len(taken) == 5
        assert (X[taken] > 0).sum(axis=1).min() >= np.sort(words)[-5]
    assert list(runs.cut_pairs(put(X), y, [10], at_least=61)) == []
    few = list(runs.cut_pairs(put(X), y, [8, 8, 8], at_least=1))
    assert [pair[:2] for pair in few] != sorted(pair[:2] for pair in few)  # in a random order
    assert len(few) == 3


def _run_pair(monkeypatch):
    """A run on a small pair, with sizes that fit it."""
    X, y = _words(1, 30, 200)
    monkeypatch.setattr(runs, "SIZES", (40, 60))
    words = np.array([f"word{j}" for j in range(200)])
    told = []

    def pair(name, number, picked):
        told.append((name, number, picked))
        return (3, 7), X, y, words

    monkeypatch.setattr(runs, "_pair", pair)
    job = {"data": "20news_full", "documents": "random", "pair": 0, "repeat": 1, "folds": 10}
    found = runs.run_pair(job)
    assert told == [("20news_full", 0, "random")]
    return X, y, found


def test_the_run_of_a_pair(monkeypatch):
    X, y, found = _run_pair(monkeypatch)
    assert json.loads(json.dumps(found))["error"] == found["error"]
    assert (found["documents"], found["words"], found["rank"]) == (30, 200, 27)
    errors = {"BSS": [], "all": [], "information gain": []}
    picked = []
    for train, test in runs.folds(30, 1):
        chosen = {
            "BSS": select(X[train], 60, method="bss"),
            "information gain": select(X[train], 60, method="information-gain", labels=y[train]),
        }
        picked.append(set(select(X[train], 40, method="bss").indices.tolist()))
        for name in errors:
            C, Q = (
                (X[train], X[test])
                if name == "all"
                else map(chosen[name].apply, (X[train], X[test]))
            )
            errors[name].append(runs.test_errors(C, y[train], Q, y[test], ALPHAS))
    np.testing.assert_allclose(found["error"]["BSS 60"], np.mean(errors["BSS"], axis=0))
    np.testing.assert_allclose(found["error"]["all features 0"], np.mean(errors["all"], axis=0))
    expected = np.mean(errors["information gain"], axis=0)
    np.testing.assert_allclose(found["error"]["information gain 60"], expected)
    always = found["frequent"]["always"]
    assert set(always) == {f"word{j}" for j in set.intersection(*picked)}
    assert found["frequent"]["picked"] == len(set.union(*picked))
    share = np.abs((X[y > 0] > 0).mean(axis=0) - (X[y < 0] > 0).mean(axis=0))
    for word, (place, telling) in always.items():
        assert 0 <= place < 40
        assert telling == np.mean(share < share[int(word[4:])])


# -- reports ---------------------------------------------------------------------------------------


def _synthetic(top, error=0.0):
    """Outcomes of two data sets of each setting, all methods alike but for a share."""
    rows = [
        "RRQR", "information gain", "information gain, presence",
        *(f"{name}{rank}" for name in ("BSS", "leverage")
          for rank in ("", ", rank 5", ", rank 2", ", rank 1")),
    ]  # fmt: skip
    results = []
    for (relevant, picks), printed in TABLE_1.items():
        for seed in range(2):
            job = {"data": "rlsc", "relevant": relevant, "picks": picks, "seed": seed, "repeats": 1}
            lists = {row: list(printed[row.split(",")[0]]) for row in rows}
            if seed:
                lists["RRQR"] = [1, 2, 3, 4, 5]
            outcome = {
                "top": lists,
                "relevant_top": {row: top if row == "BSS" else 1.0 for row in rows},
                "relevant": dict.fromkeys(rows, 0.5),
                "error": {row: [error] * len(runs.SYNTHETIC_ALPHAS) for row in rows},
            }
            results.append((job, outcome))
    return results


def test_verdicts_of_table_1(monkeypatch):
    of_ten = report_table_1(_synthetic(1.0)).claims
    assert [claim.verdict for claim in of_ten] == ["confirmed", "partly", "partly", "confirmed"]
    assert of_ten[1].figure.endswith("; without 8 of 10 data sets (not run)")
    monkeypatch.setattr(synthetic, "DATA_SETS", 2)
    good, bad = report_table_1(_synthetic(1.0)), report_table_1(_synthetic(0.4, 0.1))
    assert [claim.verdict for claim in good.claims] == ["confirmed"] * 4
    assert [claim.verdict for claim in bad.claims] == [
        "not confirmed", "not confirmed", "confirmed", "not confirmed",
    ]  # fmt: skip
    assert "BSS 10.00" in bad.claims[0].figure
    assert "40 %" in bad.claims[1].figure
    shares = [f for f in bad.figures if (f.row, f.column) == ("BSS", "of the top five")]
    assert [f.printed for f in shares] == [100.0] * 4
    assert [(f.ours.mean, f.ours.runs) for f in shares] == [(40.0, 2)] * 4
    (compared,) = (note for note in good.notes if note.startswith("Lists of five"))
    assert "BSS 8 of 8" in compared
    assert "RRQR 4 of 8" in compared
    noise = next(note for note in bad.notes if note.startswith("At full rank"))
    # half of all picks are among 90 or 100, the others among 910 or 900
    assert "a relevant feature 9.0 to 10.1 times as often as another" in noise
    assert "BSS 50 (rank full), 50 (rank 5)" in noise
    assert any("17 of the 20 printed features are among the last five" in n for n in good.notes)
    assert any("k = 90, r = 80: BSS printed 89 88 87 86 85, ours" in note for note in good.notes)


def _pairs(offsets, n_pairs=3, repeats=2, documents="longest"):
    """Outcomes in which methods err as printed, plus something."""
    results = []
    for pair in range(n_pairs):
        for repeat in range(repeats):
            job = {
                "data": "20news_full", "documents": documents, "pair": pair, "repeat": repeat,
                "folds": 10,
            }  # fmt: skip
            errors = {
                f"{name} {size}": [
                    (mean + offsets.get(name, 0.0) + repeat - 0.5) / 100
                    for mean, _ in TABLE_2[size][name]
                ]
                for size in SIZES
                for name in METHODS
            }
            errors["all features 0"] = [0.3] * len(ALPHAS)
            seconds = ("SVD", "RRQR", "information gain", *(f"BSS {size}" for size in SIZES))
            always = {"common": [1.0, 0.95], "rare": [0.0, 0.5], f"only{repeat}": [2.0, 0.1]}
            outcome = {
                "classes": [1, 2 + pair], "documents": 150, "words": 11000, "rank": 135.0,
                "error": errors, "undecided": dict.fromkeys(errors, 0.25),
                "method_seconds": dict.fromkeys(seconds, 1.5),
                "frequent": {"picked": 400, "always": always},
            }  # fmt: skip
            results.append((job, outcome))
    return results


def test_verdicts_of_table_2():
    same = report_table_2(_pairs({}))
    for figure in same.figures:
        if figure.printed is not None:
            assert figure.difference == pytest.approx(0.0, abs=1e-9)
            assert figure.ours.runs == 2
            assert figure.ours.deviation == pytest.approx(np.sqrt(0.5))
    assert len(same.figures) == len(SIZES) * len(METHODS) * len(ALPHAS) + len(ALPHAS)
    verdicts = [claim.verdict for claim in same.claims]
    assert verdicts == ["confirmed"] * 2 + ["not confirmed"] * 2 + ["confirmed"] * 4
    assert same.claims[2].figure.startswith("in 6 of 12 settings")  # the text is not the table
    assert same.claims[1].figure == "in 12 of 12 settings; its lead is +3.34 to +6.08 points"
    assert same.claims[3].figure.startswith("in 0 of 9 settings; its error less that of BSS")
    worse = report_table_2(_pairs({"BSS": 9.0, "leverage": 20.0}))
    assert [worse.claims[i].verdict for i in (0, 1, 4)] == ["not confirmed"] * 3
    told = report_table_2(_pairs({"information gain": -9.0}))
    assert [claim.verdict for claim in told.claims[:2]] == ["not confirmed", "confirmed"]
    fast = report_table_2(_pairs({"leverage": -4.0}))
    assert fast.claims[-1].verdict == "not confirmed"
    assert any("alt.atheism / comp.graphics (150 × 11000)" in note for note in same.notes)
    assert any("BSS 400 1.50" in note for note in same.notes)
    assert any("random 300 25.0" in note for note in same.notes)


def test_what_depends_on_how_documents_are_picked_is_told():
    # printed, information gain is 4.1 to 5.2 points worse than BSS for λ = 0.3 or more
    both = [*_pairs({}), *_pairs({"information gain": -5.0}, documents="random")]
    found = report_table_2(both)
    assert found.figures == report_table_2(_pairs({})).figures  # those of the printed table
    own = [c for c in found.claims if c.text.endswith("documents drawn at random)")]
    own += [c for c in found.claims if "documents drawn at random; the document says" in c.text]
    assert [c.verdict for c in own] == ["not confirmed", "confirmed", "not confirmed", "partly"]
    gain = [c for c in found.claims if "information gain, which sees the labels" in c.text]
    assert [c.verdict for c in gain] == ["not confirmed", "partly"]
    assert gain[1].figure.startswith("in 6 of 9 settings; its error less that of BSS, points: -0.")
    (note,) = (note for note in found.notes if note.startswith("What depends on which documents"))
    assert (
        "Documents of most words: than BSS in 0, than leverage in 3 (r = 300: λ = 0.3, 0.5, 0.7), "
        "than RRQR in 9 (r = 300: λ = 0.3, 0.5, 0.7; "
    ) in note
    assert "Documents drawn at random: than BSS in 6 (r = 300: λ = 0.5, 0.7; " in note
    means = [np.mean([mean for mean, _ in TABLE_2[300][name]]) for name in ("BSS", "leverage")]
    assert f"r = 300: BSS {means[0]:.1f}, leverage {means[1]:.1f}, RRQR" in note
    gained = np.mean([mean for mean, _ in TABLE_2[300]["information gain"]])
    assert f"information gain {gained:.1f}; r = 400" in note
    assert f"information gain {gained - 5:.1f}; r = 400" in note
    (full,) = (e for e in EXPERIMENTS if e.place == "Table 2")
    ways = [(job["documents"], job["repeat"]) for job in full.jobs(False) if job["pair"] == 3]
    assert ways == [("longest", 0), ("longest", 1), ("random", 0)]


def test_documents_at_random_are_of_the_same_groups(monkeypatch):
    rng = np.random.default_rng(3)
    y = np.repeat([1, 2, 3], 200)
    X = rng.poisson(rng.uniform(0.1, 1.0, (600, 1)), (600, 60)).astype(float)
    words = np.array([f"word{j}" for j in range(60)])
    monkeypatch.setattr(runs, "_documents", lambda name: (X, y, words))
    monkeypatch.setattr(runs, "WORDS", 1)
    monkeypatch.setattr(runs.cut_pairs, "__defaults__", (1,))
    runs._pair.cache_clear()
    for number, size in ((0, 150), (2, 190)):
        classes, longest, labels, _ = runs._pair("20news_full", number)
        same, drawn, others, names = runs._pair("20news_full", number, "random")
        assert classes == same
        assert (longest > 0).sum() > 1.3 * (drawn > 0).sum()
        for found in (labels, others):
            assert [(found == sign).sum() for sign in (-1, 1)] == [size // 2, size // 2]
        rows = runs.drawn_rows(y, classes, size, number)
        assert sorted(set(y[rows])) == sorted(classes)
        assert len(set(rows)) == size
        there = X[rows].any(axis=0)
        np.testing.assert_array_equal(drawn, X[rows][:, there])
        assert names.tolist() == words[there].tolist()
    runs._pair.cache_clear()


def test_verdicts_of_the_figures(monkeypatch):
    few = report_figure(_pairs({}), SIZES[:1]).claims
    assert {claim.verdict for claim in few} == {"partly"}
    assert all(claim.figure.endswith("; without 7 of 10 pairs (not run)") for claim in few)
    monkeypatch.setattr(pairs, "PAIRS", 3)
    found = report_figure(_pairs({}), SIZES[:1])
    assert [claim.verdict for claim in found.claims] == ["confirmed"] * 3
    assert len(found.curves) == len(ALPHAS) * len(METHODS)
    curve = found.curves[0]
    assert (curve.panel, curve.label, curve.x) == ("r = 300, λ = 0.1", "BSS", (1.0, 2.0, 3.0))
    assert curve.y == pytest.approx([31.76] * 3)
    assert curve.deviation == pytest.approx([np.sqrt(0.5)] * 3)
    near = report_figure(_pairs({"information gain": -6.0}), SIZES[1:])
    assert [claim.verdict for claim in near.claims] == ["not confirmed", "confirmed", "confirmed"]
    assert len(near.curves) == 2 * len(ALPHAS) * len(METHODS)


def test_verdict_of_table_4():
    found = report_table_4(_pairs({}))
    assert [claim.verdict for claim in found.claims] == ["not confirmed"]
    assert "alt.atheism / comp.graphics: rare, common" in found.notes
    assert [figure.ours.mean for figure in found.figures] == [2.0, 1.0] * 3
    results = _pairs({})
    for _, outcome in results:
        outcome["frequent"]["always"]["rare"][1] = 0.99
    assert report_table_4(results).claims[0].verdict == "confirmed"


def test_the_pairs_of_newsgroups():
    if "20news_full" not in datasets.names():
        pytest.skip("needs 20news_full in the folder COLONNADE_DATA")
    (first, second), X, y, words = runs._pair("20news_full", 0)
    assert X.shape[0] == 150
    assert X.shape[1] >= runs.WORDS
    assert (X.sum(axis=0) > 0).all()
    assert min(map(len, words)) >= 5
    assert [(y == sign).sum() for sign in (-1, 1)] == [75, 75]
    assert first < second
