"""Chapter 6 of Farahat (2012): preparations, runs and what is read from them."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.cluster import AffinityPropagation, KMeans
from sklearn.metrics import normalized_mutual_info_score

from colonnade.reproduction.experiments import farahat_features as module
from colonnade.reproduction.experiments import farahat_features_runs as runs
from colonnade.reproduction.experiments.farahat_features_findings import (
    clustering_report,
    table_report,
)
from colonnade.reproduction.experiments.farahat_features_printed import (
    CLASSES,
    PERCENTS,
    PRINTED,
    UNSCALED,
)
from colonnade.reproduction.experiments.farahat_features_times import (
    lesser_times_report,
    times_report,
)

SMALL = ("orl_32x32", "coil20", "isolet")
LARGE = ("usps", "tdt2", "20news_full")


@pytest.fixture
def groups(monkeypatch):
    """Three groups of rows that two of eight features tell apart, in place of all data."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = 0.1 * rng.standard_normal((60, 8))
    X[:, 3] += 4.0 * (y == 1)
    X[:, 5] += 3.0 * (y == 2)
    monkeypatch.setattr(runs, "loaded", lambda name: (X, y))
    yield X, y
    runs._prepared.cache_clear()
    runs._choices.cache_clear()


def job(method, cluster="k-means", **others):
    made = {
        "data": "isolet", "method": method, "cluster": cluster, "seed": 0, "percents": [12, 25],
        "every": 1, "starts": 3,
    }  # fmt: skip
    return {**made, **others}


def made_results(nmi, data=("orl_32x32", "isolet"), seconds=None, percents=PERCENTS):
    """Return results in which every method has an NMI, one start two less, and seconds."""
    seconds = seconds or dict.fromkeys(nmi, 1.0)
    results = []
    for name in data:
        for method, value in nmi.items():
            shares = ["100"] if method == "All Features" else [str(p) for p in percents]
            outcome = {"nmi": dict.fromkeys(shares, value)}
            outcome["one_start"] = dict.fromkeys(shares, value - 2)
            outcome["choice_seconds"] = {s: seconds[method] for s in shares if s != "100"}
            results.append(({"data": name, "method": method, "seed": 0}, outcome))
    return results


def verdicts(findings):
    return [claim.verdict for claim in findings.claims]


# -- what is printed, and the jobs ----------------------------------------------------------------


def test_printed_tables_are_whole():
    assert set(PRINTED) == set(CLASSES) == {*SMALL, *LARGE}
    for data, rows in PRINTED.items():
        assert tuple(rows) == module.TABLED, data
        assert len(set(rows["All Features"])) == 1
        assert all(len(cells) == len(PERCENTS) for cells in rows.values())
    means = [
        sum(mean for data in part for cells in PRINTED[data].values() for mean, _ in cells)
        for part in (SMALL, LARGE)
    ]
    assert means == pytest.approx([4069.08, 3232.23])


def test_jobs_are_clean_and_unique():
    for experiment in module.EXPERIMENTS:
        full, quick = experiment.jobs(False), experiment.jobs(True)
        for jobs in (full, quick):
            keys = [json.dumps(one, sort_keys=True) for one in jobs]
            assert all(json.loads(key) == one for key, one in zip(keys, jobs, strict=True))
            assert max(Counter(keys).values()) == 1
        assert {frozenset(one) for one in quick} == {frozenset(one) for one in full}
        assert len(quick) < len(full)


def test_figures_take_the_runs_of_tables():
    by_name = {experiment.name: experiment for experiment in module.EXPERIMENTS}
    of_picture = by_name["farahat-2012-figure-6.1"].jobs(False)
    for name in ("table-6.2", "table-6.3", "figure-6.3", "figure-6.4"):
        shared = [
            one for one in by_name[f"farahat-2012-{name}"].jobs(False) if "preparation" not in one
        ]
        assert all(one in of_picture for one in shared), name
    assert not [one for one in of_picture if one["data"] == "tdt2" and one["method"] == "FSFS"]


# -- runs -----------------------------------------------------------------------------------------


def test_percentages_are_rounded_up():
    assert [runs.n_features(617, p) for p in PERCENTS] == [7, 25, 44, 62]
    assert [runs.n_features(256, p) for p in PERCENTS] == [3, 11, 18, 26]
    assert runs.n_features(100, 7) == 7


def test_images_are_scaled_one_by_one():
    X = np.array([[-1.0, 0.0, 1.0], [5.0, 5.0, 5.0], [2.0, 4.0, 3.0]])
    scaled = runs.PREPARATIONS["each image to [0, 1]"](X)
    np.testing.assert_allclose(scaled, [[0, 0.5, 1], [0, 0, 0], [0, 1, 0.5]])
    assert next(iter(runs.PREPARATIONS)) == "each image to [0, 1]"
    together = runs.PREPARATIONS["all images to [0, 1]"](X)
    np.testing.assert_allclose(together, (X + 1) / 6)
    np.testing.assert_allclose(runs.PREPARATIONS["negative, in [0, 1]"](X), 1 - together)


@pytest.mark.parametrize("method", ["GreedyFS", "PCA-LRG"])
def test_a_run_clusters_by_the_chosen_features(groups, method):
    X, y = groups
    found = runs.run_choice(job(method))
    # one feature of 8 tells one group of three, two all of them
    assert found["nmi"]["12"] < 90
    assert found["nmi"]["25"] == pytest.approx(100.0)
    start = KMeans(3, init="random", n_init=1, random_state=np.random.RandomState(0))
    first = normalized_mutual_info_score(
        y, start.fit(X[:, [3, 5]]).labels_, average_method="geometric"
    )
    assert found["one_start"]["25"] == pytest.approx(100 * first)
    assert set(found["choice_seconds"]) == {"12", "25"}
    assert all(taken > 0 for taken in found["choice_seconds"].values())


def test_the_least_time_of_several_counts(monkeypatch):
    ticks = iter([0.0, 5.0, 6.0, 10.0, 10.5, 12.5, 20.0, 21.0, 22.0, 30.0, 99.0, 99.5])
    monkeypatch.setattr(runs.time, "process_time", lambda: next(ticks))
    X = np.random.default_rng(0).standard_normal((20, 6))
    assert runs._timed_choice(X, 2, "greedy", {})[1] == [5.0, 6.0]  # long: once is enough
    ticks = iter([0.0, 1.0, 2.5, 10.0, 10.5, 12.5, 20.0, 21.0, 22.0, 30.0, 99.0, 99.5])
    assert runs._timed_choice(X, 2, "greedy", {})[1] == [0.5, 2.0]


def test_the_best_start_is_the_one_of_least_loss(groups, monkeypatch):
    _, y = groups
    wrong = np.zeros_like(y)
    monkeypatch.setattr(runs, "_starts", lambda *_: iter([(2.0, wrong), (1.0, y), (3.0, wrong)]))
    found = runs.run_choice(job("GreedyFS"))
    assert found["nmi"]["25"] == pytest.approx(100.0)
    assert found["one_start"]["25"] == pytest.approx(0.0)


def test_all_features_are_of_no_share(groups):
    found = runs.run_choice(job("All Features"))
    assert set(found["nmi"]) == {"100"}
    assert found["choice_seconds"] == {}


@pytest.mark.filterwarnings("ignore:the graph of the samples has")
@pytest.mark.parametrize("method", ["FSFS", "LS", "SPEC", "MCFS", "PartGreedyFS"])
def test_every_method_chooses(groups, method):
    chosen, seconds = runs._choices("isolet", "", 1, method, 0, (12, 25, 50))
    assert [len(columns) for columns in chosen.values()] == [1, 2, 4]
    assert list(seconds) == ["12", "25", "50"]
    if method in ("LS", "MCFS"):
        assert {3, 5} <= set(chosen["50"])
    if method == "LS":
        assert set(chosen["12"]) < set(chosen["25"]) == {3, 5}


def test_groups_are_drawn_anew_in_each_run(groups, monkeypatch):
    asked = []
    real = runs._method
    monkeypatch.setattr(runs, "_method", lambda *given: asked.append(given) or real(*given))
    for seed in (1, 2):
        runs.run_choice(job("PartGreedyFS", seed=seed))
        runs.run_choice(job("GreedyFS", seed=seed))
    assert [(given[0], given[3]) for given in asked] == [
        ("PartGreedyFS", 1), ("GreedyFS", 0), ("PartGreedyFS", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(("n", "n_groups"), [(617, 6), (1024, 10), (19677, 197), (30, 1)])
def test_there_is_a_group_for_a_hundred_features(n, n_groups):
    name, params = runs._method("PartGreedyFS", n, 20, 7)
    assert (name, params) == ("partition-greedy", {"n_groups": n_groups, "random_state": 7})


@pytest.mark.parametrize("method", ["LS", "SPEC", "MCFS"])
def test_graphs_join_five_neighbours(groups, method, monkeypatch):
    asked = []
    real = runs.select
    monkeypatch.setattr(runs, "select", lambda *a, **kw: asked.append(kw) or real(*a, **kw))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the graph is in parts
        runs._choices("isolet", "", 1, method, 0, (25,))
    assert {options["n_neighbors"] for options in asked} == {5}
    assert {options.get("n_clusters") for options in asked} == {3 if method == "MCFS" else None}


def test_affinity_propagation_sees_the_groups(groups):
    found = runs.run_choice(job("GreedyFS", "affinity propagation"))
    assert found["clusters"]["25"] >= 3
    assert found["nmi"]["25"] > 60
    assert "one_start" not in found


def test_affinity_propagation_is_on_negative_distances_with_median_preferences():
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((40, 2)) * rng.uniform(0.5, 6.0, (40, 1))
    distances = np.sqrt(np.square(Z[:, None] - Z).sum(axis=2))

    def labels(similarities, preference):
        found = AffinityPropagation(
            affinity="precomputed", preference=preference(similarities, axis=0),
            max_iter=runs.ITERATIONS, convergence_iter=runs.STILL, random_state=0,
        ).fit(similarities)  # fmt: skip
        return found.labels_.tolist()

    expected = labels(-distances, np.median)
    assert runs._propagated(Z, 0).tolist() == expected
    assert labels(-(distances**2), np.median) != expected  # these rows tell them apart
    assert labels(-distances, np.min) != expected


def test_documents_are_clustered_by_angles():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    Z = np.where(y[:, None] == 0, [3.0, 0.1], [0.1, 3.0]) * rng.uniform(0.1, 50, (30, 1))
    kept = np.arange(30) % 3 > 0
    Z[~kept] = 0.0  # documents without any of the chosen terms
    loss, labels = min(runs._starts(Z, 2, 0, 20, True), key=lambda start: start[0])
    assert normalized_mutual_info_score(y[kept], labels[kept]) == pytest.approx(1.0)
    assert loss < -0.99


# -- findings -------------------------------------------------------------------------------------


def test_table_compares_with_what_is_printed():
    nmi = {"All Features": 70.0, "LS": 60.0, "MCFS": 69.0, "GreedyFS": 68.0, "PartGreedyFS": 67.0}
    found = table_report(made_results(nmi), SMALL)
    assert len(found.figures) == 3 * 2 * 5 * 4
    first = found.figures[0]
    assert (first.group, first.row, first.column) == ("ORL", "All Features", "1 %")
    assert (first.ours.mean, first.printed) == (70.0, 70.61)
    assert [f.ours is None for f in found.figures if f.group == "COIL20"] == [True] * 40
    # LS on ISOLET, one start, 10 %
    (cell,) = [
        f for f in found.figures
        if (f.group, f.row, f.column, f.measure) == ("ISOLET", "LS", "10 %", "one start")
    ]  # fmt: skip
    assert cell.difference == pytest.approx(58.0 - 66.75)
    assert verdicts(found) == ["partly", "confirmed", "not testable", "not testable", "partly",
                               "confirmed"]  # fmt: skip
    turned = {**nmi, "LS": 68.5, "MCFS": 40.0, "GreedyFS": 66.0}
    assert verdicts(table_report(made_results(turned), SMALL)) == [
        "not confirmed", "not confirmed", "not testable", "not testable", "not confirmed",
        "not confirmed",
    ]  # fmt: skip
    assert verdicts(table_report(made_results(turned, SMALL), SMALL))[2:4] == ["confirmed"] * 2


def test_most_of_many_are_almost_all():
    nmi = {"LS": 60.0, "GreedyFS": 68.0, "PartGreedyFS": 67.0}
    results = made_results(nmi, SMALL)
    assert results[1][0]["method"] == "GreedyFS"
    results[1][1]["nmi"]["1"] = 10.0  # 1 of 24
    (claim, *_) = table_report(results, SMALL).claims
    assert claim.verdict == "confirmed"
    assert claim.figure.startswith("23 of 24; differences on average +5.1, least -50.0")
    assert claim.figure.endswith("(GreedyFS less LS, ORL, 1 %)")
    for share in ("4", "7", "10"):
        results[1][1]["nmi"][share] = 10.0  # 4 of 24
    assert table_report(results, SMALL).claims[0].verdict == "confirmed"
    results[2][1]["nmi"]["4"] = 10.0  # 5 of 24
    assert table_report(results, SMALL).claims[0].verdict == "partly"


def test_what_was_not_run_keeps_claims_from_being_confirmed():
    nmi = {"LS": 60.0, "MCFS": 61.0, "GreedyFS": 68.0, "PartGreedyFS": 67.0}
    claims = table_report(made_results(nmi), SMALL).claims
    assert claims[0].verdict == "partly"
    assert claims[0].figure.endswith("; without COIL20 (not among the data)")
    for claim in claims[2:4]:
        assert (claim.verdict, claim.figure) == (
            "not testable",
            "without COIL20 (not among the data)",
        )
    assert "comparable to MCFS on COIL20" in claims[3].text
    assert claims[4].figure.endswith("ISOLET, 1 %)")  # all that it names was run
    # all features are of no percentage, and were not run here
    assert claims[5].figure == "without All Features on ORL (not run)"
    # MCFS with the fewest terms of documents alone
    results = made_results(nmi, LARGE)
    for job, outcome in results:
        if job["method"] == "MCFS" and job["data"] != "usps":
            for measure in outcome.values():
                for share in ("4", "7", "10"):
                    del measure[share]
    claims = table_report(results, LARGE).claims
    assert [claim.verdict for claim in claims[:3]] == ["confirmed", "partly", "partly"]
    for claim in claims[1:3]:
        assert claim.figure.endswith("; without MCFS at 4 %, 7 %, 10 % on TDT2-30, 20NG (not run)")
    # times are judged with the most features that both have
    times = times_report(results).claims
    assert times[1].verdict != "confirmed"
    assert "TDT2-30, GreedyFS at 1 %: 1;" in times[1].figure
    assert "USPS, GreedyFS: 1;" in times[1].figure
    assert times[1].figure.endswith(
        "ISOLET (not among the data), MCFS at 10 % on TDT2-30, 20NG (not run)"
    )


def test_what_did_not_scale_in_the_thesis_is_not_missing():
    nmi = {"All Features": 70.0, "PCA-LRG": 50.0, "FSFS": 51.0, "LS": 52.0, "SPEC": 53.0,
           "MCFS": 69.0, "GreedyFS": 68.0, "PartGreedyFS": 67.0}  # fmt: skip
    results = [
        (job, outcome)
        for job, outcome in made_results(nmi, (*SMALL, *LARGE))
        if job["method"] not in UNSCALED.get(job["data"], ())
    ]
    claims = clustering_report(results, (*SMALL, *LARGE)).claims
    assert [claim.verdict for claim in claims[:5]] == ["confirmed"] * 5
    assert not [claim for claim in claims if "without" in claim.figure]
    few = [one for one in results if one[0]["data"] in SMALL]
    claims = clustering_report(few, SMALL).claims
    assert not [claim for claim in claims if "without" in claim.figure]
    assert len(claims) == 6
    by_name = {experiment.name: experiment for experiment in module.EXPERIMENTS}
    for name, lacks in (("figure-6.2", False), ("figure-6.1", True)):
        claims = by_name[f"farahat-2012-{name}"].report(few).claims
        assert any("without USPS, TDT2-30" in claim.figure for claim in claims) == lacks
    claims = clustering_report(few, (*SMALL, *LARGE)).claims
    assert claims[0].figure.endswith("without USPS, TDT2-30, 20NG (not among the data)")


def test_reduced_runs_confirm_nothing():
    nmi = {"LS": 60.0, "MCFS": 61.0, "GreedyFS": 68.0, "PartGreedyFS": 67.0}
    results = made_results(nmi, ["usps"], dict(zip(nmi, (7.0, 90.0, 2.0, 1.0), strict=True)))
    assert lesser_times_report(results).claims[2].verdict == "confirmed"
    less = [({**job, "every": 10}, outcome) for job, outcome in results]
    claim = lesser_times_report(less).claims[2]
    assert claim.verdict == "partly"
    assert claim.figure.endswith("; without the other rows of USPS (reduced run)")


def test_claims_about_large_data():
    nmi = {"All Features": 70.0, "LS": 60.0, "MCFS": 61.0, "GreedyFS": 68.0, "PartGreedyFS": 66.0}
    found = table_report(made_results(nmi, LARGE), LARGE)
    assert verdicts(found) == ["confirmed"] * 5
    nmi |= {"MCFS": 70.0, "All Features": 80.0, "LS": 67.0}
    assert verdicts(table_report(made_results(nmi, LARGE), LARGE)) == [
        "not confirmed", "not confirmed", "not confirmed", "not confirmed", "not confirmed",
    ]  # fmt: skip


def test_notes_tell_which_starts_and_preparations_are_nearest():
    printed = {method: cells[0][0] for method, cells in PRINTED["usps"].items()}
    results = made_results({"All Features": printed["All Features"] + 2}, ["usps"])
    note, rule = table_report(results, LARGE).notes
    assert note.endswith("best and first: USPS 2.0 and 0.0.")
    assert "80%" in rule
    note = table_report(made_results({"MCFS": 51.0}, ["usps"]), LARGE).notes[-1]
    assert note.endswith("unexplained: MCFS on USPS at 1 %, 7 %, 10 % (+19.6, -7.9, -14.1).")
    tried = [
        ({"data": "usps", "method": "All Features", "preparation": name}, {"nmi": {"100": value}})
        for name, value in (("turned", 60.73), ("blurred", 65.23))
    ]
    note = table_report([*results, *tried], LARGE).notes[-1]
    assert "turned 5.0; blurred 0.5." in note
    assert "(blurred) may be what was done" in note
    note = table_report([*results, tried[0]], LARGE).notes[-1]
    assert "(turned) is still too far away" in note
    faces = {"data": "orl_32x32", "method": "LS", "preparation": "turned"}
    results = [(faces, {"nmi": {"1": 58.52, "2": 0.0, "10": 66.87}})]
    assert "Preparations of ORL" in table_report(results, SMALL).notes[-1]
    assert "LS and GreedyFS: turned 0.5." in table_report(results, SMALL).notes[-1]


def test_pictures_have_a_line_for_each_method():
    nmi = {"All Features": 70.0, "PCA-LRG": 50.0, "FSFS": 51.0, "LS": 52.0, "SPEC": 53.0,
           "MCFS": 69.0, "GreedyFS": 68.0, "PartGreedyFS": 67.0}  # fmt: skip
    both = ("orl_32x32", "isolet")
    found = clustering_report(made_results(nmi), both)
    assert len(found.curves) == 16
    assert found.curves[0].y == (70.0,) * 4
    assert found.curves[0].x == (1.0, 4.0, 7.0, 10.0)
    assert verdicts(found) == ["confirmed"] * 6
    assert len(clustering_report(made_results(nmi, ["usps"]), LARGE).claims) == 7
    turned = clustering_report(made_results({**nmi, "SPEC": 80.0, "MCFS": 10.0}), both)
    assert verdicts(turned) == ["partly", *["confirmed"] * 3, "not confirmed", "not confirmed"]
    results = made_results({"GreedyFS": 60.0}, ["orl_32x32"])
    results[0][1]["clusters"] = {"1": 50, "4": 70}
    found = clustering_report(results, SMALL)
    assert found.notes[-1].endswith("ORL 50 to 70 (median 60; 40 classes).")
    assert {figure.measure for figure in found.figures} == {"NMI, %"}


def test_times_are_compared_as_ratios():
    nmi = dict.fromkeys(["PCA-LRG", "FSFS", "LS", "SPEC", "MCFS", "GreedyFS", "PartGreedyFS"], 50.0)
    seconds = dict(zip(nmi, [3.0, 9.0, 1.0, 1.0, 4.0, 2.0, 1.5], strict=True))
    results = made_results(nmi, SMALL, seconds)
    results += made_results(nmi, LARGE, {**seconds, "FSFS": 30.0, "MCFS": 22.0, "LS": 7.0})

    def taken(data, method):
        return next(o["choice_seconds"] for j, o in results if (j["data"], j["method"]) ==
                    (data, method))  # fmt: skip

    found = times_report(results)
    assert verdicts(found) == ["confirmed"] * 3
    assert "ORL, PCA-LRG: 3;" in found.claims[0].figure
    assert "SPEC" not in found.claims[0].figure.split("USPS", 1)[1]
    assert found.claims[2].figure.endswith(
        "as long as: USPS, GreedyFS: 11; TDT2-30, GreedyFS: 11; 20NG, GreedyFS: 11"
    )
    assert not found.larger_is_better
    # with the most features alone: there it takes longer than with the least
    taken("orl_32x32", "FSFS")["1"] = 0.1
    taken("usps", "MCFS")["1"] = 19.0
    assert verdicts(times_report(results)) == ["confirmed"] * 3
    taken("usps", "MCFS")["10"] = 19.0
    assert verdicts(times_report(results))[2] == "partly"
    lesser = lesser_times_report(results)
    assert verdicts(lesser) == ["confirmed"] * 4
    assert {curve.label for curve in lesser.curves} == {
        "PCA-LRG", "LS", "GreedyFS", "PartGreedyFS"
    }  # fmt: skip
    slow = {**seconds, "GreedyFS": 0.5, "SPEC": 20.0, "PCA-LRG": 0.1, "MCFS": 0.2}
    results = made_results(nmi, ["orl_32x32"], slow)
    assert verdicts(times_report(results)) == ["partly", "not confirmed", "not testable"]
    assert verdicts(lesser_times_report(results)) == [
        "not confirmed", "not confirmed", "not testable", "not confirmed",
    ]  # fmt: skip


# -- the data itself ------------------------------------------------------------------------------


@pytest.mark.skipif("COLONNADE_DATA" not in os.environ, reason="needs COLONNADE_DATA")
@pytest.mark.parametrize(
    ("data", "shape"), [("orl_32x32", (400, 1024)), ("usps", (9298, 256)), ("tdt2", (9394, 19677))]
)
def test_data_is_what_table_6_1_says(data, shape):
    X, y = runs._prepared(data, "", 1)
    assert X.shape == shape
    assert len(set(y)) == CLASSES[data]
    if data != "tdt2":
        assert (X.min(axis=1) == 0).all()
        assert (X.max(axis=1) == 1).all()
    runs._prepared.cache_clear()
