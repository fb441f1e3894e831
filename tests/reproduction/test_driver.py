"""Experiments that are run, interrupted, gone on with, saved and shown."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from colonnade.comparison.pictured import Curve
from colonnade.comparison.significance import Summary
from colonnade.reproduction import origin
from colonnade.reproduction.driver import Reproduction, load_all, reproduce
from colonnade.reproduction.experiment import Experiment, Study
from colonnade.reproduction.findings import (
    Cells,
    Claim,
    Figure,
    Findings,
    mean_difference,
    verdict_of,
)
from colonnade.reproduction.rendering import curve_sheets, evidence_page, markdown, sheets
from colonnade.reproduction.wanted_data import DataMissingError

DONE: list[int] = []
"""Seeds of the runs that were done, in this process."""


@pytest.fixture(autouse=True)
def none_done():
    DONE.clear()


def run(job):
    if job["seed"] == job.get("fails"):
        raise KeyboardInterrupt
    DONE.append(job["seed"])
    return {"error": 10.0 * job["seed"], "seconds": 0.5}


def report(results):
    cells = Cells()
    for job, outcome in results:
        cells.add(job["data"], value=outcome["error"])
    ours = cells.summary("iris")
    return Findings(
        figures=(Figure("flowers", "greedy", "1 %", ours, printed=14.0),),
        claims=(Claim("it is low", verdict_of([cells.mean("iris") < 20]), "15 of 20"),),
        curves=(Curve("flowers", "greedy", (1.0, 2.0), (3.0, 4.0)),),
        axes=("size", "error"),
        notes=("of made numbers",),
        digits=1,
    )


def toy(jobs, version=1):
    study = Study("toy", run, version)
    return Experiment(
        "farahat-2012-table-9.1", "Toys.", study,
        lambda quick: jobs[:2] if quick else jobs, report, "No settings.", 1.0,
    )  # fmt: skip


def jobs(*seeds, data="iris", **more):
    return [{"data": data, "seed": seed, **more} for seed in seeds]


def test_what_is_found_is_saved_and_read_again(tmp_path):
    told = []
    found = reproduce(toy(jobs(0, 1, 2, 3)), tmp_path, n_jobs=1, progress=lambda *a: told.append(a))
    assert [told[0], told[-1]] == [(found.name, 0, 4), (found.name, 4, 4)]
    assert found.seconds == 2.0
    assert not found.quick
    figure = found.findings.figures[0]
    assert figure.ours == Summary.of([0.0, 10.0, 20.0, 30.0])
    assert figure.difference == 1.0
    assert found.about["place"] == "Table 9.1"
    assert found.about["document"].startswith("Farahat (2012)")
    kept = load_all(tmp_path, ["farahat-2012-table-9.0", found.name])
    assert list(kept) == [found.name]
    again = kept[found.name]
    assert again.findings == found.findings
    assert again.to_dict() == found.to_dict()


def test_reports_see_what_runs_found_and_nothing_else(tmp_path):
    seen = []
    told = replace(toy(jobs(0, 1)), report=lambda results: seen.extend(results) or report(results))
    reproduce(told, tmp_path, n_jobs=1)
    assert [outcome for _, outcome in seen] == [
        {"error": 0.0, "seconds": 0.5}, {"error": 10.0, "seconds": 0.5},
    ]  # fmt: skip


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        reproduce(toy(jobs(0, 1, 2, fails=2)), tmp_path, n_jobs=1)
    assert DONE == [0, 1]
    assert not list(tmp_path.glob("*.json"))
    more = [*jobs(0, 1, fails=2), *jobs(2, 3)]
    found = reproduce(toy(more), tmp_path, n_jobs=1)
    assert DONE == [0, 1, 2, 3]
    assert found.findings.figures[0].ours.mean == 15.0


def test_quick_runs_are_kept_apart(tmp_path):
    quick = reproduce(toy(jobs(0, 1, 2, 3)), tmp_path, quick=True, n_jobs=1)
    assert quick.quick
    assert quick.findings.figures[0].ours.runs == 2
    assert reproduce(toy(jobs(0, 1, 2, 3)), tmp_path, n_jobs=1).findings.figures[0].ours.runs == 4
    assert DONE == [0, 1, 0, 1, 2, 3]
    again = reproduce(toy(jobs(0, 1, 2, 3)), tmp_path, quick=True, n_jobs=1)
    assert again.quick
    (full,) = load_all(tmp_path, [again.name]).values()
    assert not full.quick
    assert full.findings.figures[0].ours.runs == 4


def test_runs_of_an_older_version_are_refused(tmp_path):
    reproduce(toy(jobs(0, 1)), tmp_path, n_jobs=1)
    with pytest.raises(ValueError, match="begun with version=1 in place of 2"):
        reproduce(toy(jobs(0, 1), version=2), tmp_path, n_jobs=1)


def test_missing_data_is_told_and_the_rest_is_done(tmp_path):
    some = [*jobs(0), *jobs(1, data="coil20")]
    found = reproduce(toy(some), tmp_path, n_jobs=1)
    assert found.missing == ("coil20",)
    assert DONE == [0]
    assert "- Not run, for want of the data: coil20." in markdown(found)
    with pytest.raises(DataMissingError, match="missing data: coil20 ") as caught:
        reproduce(toy(jobs(1, data="coil20")), tmp_path, n_jobs=1)
    assert caught.value.names == ("coil20",)


def test_runs_in_other_processes_find_the_same(tmp_path):
    """Functions of this module are sent along by value; DONE is then another list."""
    found = reproduce(toy(jobs(0, 1, 2, 3)), tmp_path, n_jobs=2)
    assert DONE == []
    assert found.findings.figures[0].ours.mean == 15.0
    assert sorted(json.loads(line)["job"]["seed"] for line in _lines(tmp_path)) == [0, 1, 2, 3]


def _lines(folder):
    return (folder / "runs" / "toy-full.jsonl").read_text().splitlines()[1:]


def reproduction(findings, name="farahat-2012-table-9.1"):
    about = toy([]).to_dict() | {"name": name, "date": "2026-01-01", "versions": {"numpy": "2"}}
    return Reproduction(about, findings, 300.0, False)


TWO = Findings(
    figures=(
        Figure("set", "good", "1 %", Summary(0.9, 0.01, 10), 0.88, 0.02),
        Figure("set", "fair", "1 %", Summary(0.8, 0.01, 10), 0.83),
        Figure("set", "poor|er", "1 %", Summary(0.5, 0.2, 10)),
        Figure("set", "absent", "1 %", None, 0.4),
        Figure("set", "good", "2 %", Summary(0.95, 0.0, 1)),
    ),
    curves=tuple(
        Curve("set", label, tuple(map(float, range(1, 30))), tuple(map(float, range(29))))
        for label in ("good", "fair")
    ),
    axes=("columns", "accuracy"),
    claims=(Claim("a | b", "partly", "1 of 2"), Claim("c", "confirmed", "3")),
)


def test_cells_show_ours_the_printed_figure_and_the_difference():
    (sheet,) = sheets(TWO, lambda text, group: f"{group}:{text}")
    assert sheet.columns == ("", "1 %", "2 %")
    rows = {row[0]: row[1:] for row in sheet.rows}
    assert rows["good"] == ("1:0.900 ± 0.010 (0.880 ± 0.020; +0.020)", "0:0.950")
    assert rows["fair"][0] == "2:0.800 ± 0.010 (0.830; -0.030)"
    assert rows["poor|er"] == ("3:0.500 ± 0.200", "")
    assert rows["absent"] == ("– (0.400)", "")


def test_a_lower_error_is_better_if_it_is_said_so():
    lower = Findings(TWO.figures, larger_is_better=False)
    (sheet,) = sheets(lower, lambda text, group: str(group))
    assert [row[1][:1] for row in sheet.rows] == ["3", "2", "1", "–"]


def test_lines_of_a_picture_are_told_at_a_few_places():
    (sheet,) = curve_sheets(TWO)
    assert sheet.columns == ("accuracy by columns", "1", "5", "9", "13", "17", "21", "25", "29")
    assert sheet.rows[0] == ("good", *(f"{i}.000" for i in range(0, 29, 4)))
    assert list(curve_sheets(Findings(curves=(Curve("a", "x", (1.0,), (2.0,)),
                                              Curve("a", "y", (3.0,), (2.0,)))))) == []  # fmt: skip


def test_the_page_of_an_experiment():
    text = markdown(reproduction(TWO))
    assert "### Table 9.1: Toys.\n" in text
    assert "`colonnade reproduce farahat-2012-table-9.1`, 5 min on one core." in text
    assert "| good | **0.900 ± 0.010** (0.880 ± 0.020; +0.020) | 0.950 |" in text
    assert "| fair | _0.800 ± 0.010_ (0.830; -0.030) |  |" in text
    assert "| poor∣er |" in text


def test_the_page_of_all_experiments_counts_verdicts():
    other = reproduction(Findings(claims=(Claim("d", "not testable", "no data"),)), "paul-2014-x-1")
    other.about["document"] = "Paul"
    text = evidence_page([reproduction(TWO), other])
    document = other.about | toy([]).to_dict()
    assert f"| {document['document']} | 1 | 1 | 0 | 0 |" in text
    assert "| Paul | 0 | 0 | 0 | 1 |" in text
    assert "| Table 9.1 | a ∣ b | partly | 1 of 2 |" in text


def test_verdicts_and_differences():
    assert [verdict_of(v) for v in ([], [True], [True, True, False], [True, False], [False])] == [
        "not testable", "confirmed", "partly", "not confirmed", "not confirmed",
    ]  # fmt: skip
    assert mean_difference(TWO.figures) == pytest.approx(0.025)
    assert mean_difference([]) != mean_difference([])


def test_runs_of_other_data_are_done_again(tmp_path, monkeypatch):
    monkeypatch.setenv("COLONNADE_DATA", str(tmp_path))
    np.savez(tmp_path / "mine.npz", X=np.eye(3))
    np.savez(tmp_path / "other.npz", X=np.eye(4))
    both = [*jobs(0, data="mine"), *jobs(1, data="other")]
    first = reproduce(toy(both), tmp_path / "out", n_jobs=1)
    digests = first.about["data"]
    assert list(digests) == ["mine", "other"]
    assert len(set(digests.values())) == 2
    np.savez(tmp_path / "mine.npz", X=2 * np.eye(3))
    second = reproduce(toy(both), tmp_path / "out", n_jobs=1)
    assert DONE == [0, 1, 0]
    assert second.about["data"]["mine"] != digests["mine"]
    assert second.about["data"]["other"] == digests["other"]
    reproduce(toy(both), tmp_path / "out", n_jobs=1)
    assert DONE == [0, 1, 0]


def test_dates_and_versions_are_those_of_the_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(origin.time, "strftime", lambda _: "2026-01-31")
    monkeypatch.setattr(origin, "version", lambda _: "1.0")
    early = reproduce(toy(jobs(0)), tmp_path, n_jobs=1)
    assert early.about["date"] == "2026-01-31"
    monkeypatch.setattr(origin.time, "strftime", lambda _: "2026-02-01")
    monkeypatch.setattr(origin, "version", lambda _: "2.0")
    assert reproduce(toy(jobs(0)), tmp_path, n_jobs=1).about == early.about
    late = reproduce(toy(jobs(0, 1)), tmp_path, n_jobs=1)
    assert late.about["date"] == "2026-01-31 to 2026-02-01"
    assert late.about["versions"]["numpy"] == "1.0 and 2.0"
