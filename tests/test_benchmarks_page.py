"""The tables of docs/benchmarks.md are made of results/benchmarks.json, and of nothing else."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("dask")

from benchmarks import pages
from benchmarks.problems import problems
from benchmarks.suites.peers import SMALL, WHY, reason
from benchmarks.suites.speed import CASES

PAGE = pages.KEPT_PAGE.read_text(encoding="utf-8")
TEXT = pages.KEPT.read_text(encoding="utf-8")
KEPT = json.loads(TEXT)


@pytest.mark.parametrize("name", pages.kept_tables(KEPT))
def test_the_page_is_what_the_results_give(name):
    filling = pages.kept_tables(KEPT)[name]
    assert pages.replaced(PAGE, name, filling) == PAGE, "run python -m benchmarks.pages"
    assert pages.replaced(PAGE, name, "other") != PAGE


def test_results_say_how_they_came_about():
    for run in KEPT.values():
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"])
        assert {"cores", "blas", "python", "packages", "one core", "load before"} <= set(run)
        assert not run["quick"]
        assert run["rows"]


def test_results_are_of_all_cases_of_the_suites():
    rows = KEPT["speed"]["rows"]
    told = [(row["set"], row["picks"]) for row in rows]
    assert told == [(case.set, case.n_select) for case in CASES for _ in case.inputs]
    large = [case.timed_columns is not None for case in CASES for _ in case.inputs]
    for row, beyond_memory in zip(rows, large, strict=True):
        assert set(pages.SPEED) <= set(row)
        height, width = map(int, row["shape"].split(" × "))
        weighed = beyond_memory or height >= width
        assert ("reference, × products and passes" in row) is weighed, row["set"]
    asked = {(p.what, p.set, who) for p in problems().values() for who in p.peers}
    assert {(row["problem"], row["set"], row["peer"]) for row in KEPT["peers"]["rows"]} == asked


def test_results_tell_nothing_of_where_they_were_measured():
    assert not re.search(r'"[^"]*(/home|/root|/tmp|/work|/Users|:\\\\)', TEXT)


def test_tables_of_results_name_what_is_behind():
    row = {
        "problem": "clusters", "set": "made", "shape": "3 × 2", "size": 2, "ours": "a", "peer": "b",
        "quality": "loss, %", "our quality": 2.0, "their quality": 1.0, "seconds": 2.0,
        "time, × ours": 0.5, "memory, × ours": None, "note": "theirs is better",
        "promise": "not better in less time", "verdict": "MISSED",
    }  # fmt: skip
    rows = [row, {**row, "peer": "c", "note": "", "verdict": "met"}]
    tables = pages.kept_tables({**KEPT, "peers": {**KEPT["peers"], "rows": rows}})
    assert len(tables["peers"].splitlines()) == 4
    told = "| clusters | made | b | theirs is better | not known |"
    assert tables["behind"].splitlines()[2:] == [told]
    last = "| made | 3 × 2 |  | b | not better in less time |"
    assert tables["missed"].splitlines()[-1] == last


def test_whoever_is_ahead_has_a_reason():
    ahead = [row for row in KEPT["peers"]["rows"] if row["note"]]
    assert ahead
    assert {reason(row) for row in ahead} <= set(WHY.values())
    row = {"problem": "columns that rebuild all", "set": "usps", "peer": "skmatter FPS"}
    assert reason(row) == WHY["columns that rebuild all", "skmatter FPS"]
    assert reason({**row, "set": "digits"}) == SMALL
    assert reason({**row, "peer": "nobody"}) == "not known"


@pytest.mark.parametrize(
    ("how", "told"),
    [({"quick": True}, "of a quick run"), ({"quick": False, "real data": False}, "made matrices")],
)
def test_tables_are_made_of_full_runs_on_real_data(tmp_path, monkeypatch, how, told):
    for name in ("PAGE", "KEPT_PAGE", "KEPT"):  # nothing of the project is written
        copy = tmp_path / name
        copy.write_text(getattr(pages, name).read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.setattr(pages, name, copy)
    before = pages.KEPT.read_text(encoding="utf-8")
    run = tmp_path / "bench.json"
    run.write_text(json.dumps({**how, "suites": {}, "machine": {}}), encoding="utf-8")
    with pytest.raises(SystemExit, match=told):
        pages.main(run)
    assert pages.KEPT.read_text(encoding="utf-8") == before
