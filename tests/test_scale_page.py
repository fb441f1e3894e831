"""The tables of docs/scale.md are made of results."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("dask")

from benchmarks import pages

PAGE = pages.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*pages.TABLES, "paper"])
def test_the_page_has_a_place_for_each_table(name):
    assert "figures" in pages.replaced(PAGE, name, "figures")
    with pytest.raises(ValueError, match=f"0 places for the table {name!r}"):
        pages.replaced("", name, "figures")


def test_rows_become_a_table():
    rows = [
        {"case": "workers", "set": "1 worker", "shape": "3 × 2", "seconds": 1.23456},
        {"case": "workers", "set": "2 workers", "shape": "3 × 2", "seconds": 0.5, "ratio": 0.405},
        {"case": "others", "set": "elsewhere", "seconds": 1.0},
    ]
    page = "<!-- begin workers -->\nold\n<!-- end workers -->\n"
    page += "<!-- begin others -->\nold\n<!-- end others -->\n"
    found = pages.filled(page, rows).splitlines()
    assert found[1:5] == [
        "| workers | shape | seconds | ratio |",
        "|---|---|---|---|",
        "| 1 worker | 3 × 2 | 1.23 |  |",
        "| 2 workers | 3 × 2 | 0.5 | 0.405 |",
    ]
    assert "elsewhere" in found[-2]
    assert pages.filled(page, []) == page


def test_a_table_of_two_cases_waits_for_both():
    page = "<!-- begin model -->\nold\n<!-- end model -->\n<!-- begin time -->\n<!-- end time -->\n"
    rows = [{"case": "zarr", "set": "disk", "plan: GiB": 2.0, "growth, GiB": 1.5}]
    assert pages.filled(page, rows) == page
    rows += [{"case": "tall", "set": "made", "plan: GiB": 1.0, "growth, GiB": 0.5}]
    made, disk = pages.filled(page, rows).splitlines()[3:5]
    assert made.startswith("| made |")
    assert disk.startswith("| disk |")


def test_runs_are_kept_by_case():
    one, two = {"case": "tall", "seconds": 1.0}, {"case": "zarr", "seconds": 2.0}
    runs = pages.runs_of({"scale": [one, two, one], "peers": [{"set": "iris"}], "graph": [{}]})
    assert runs == {"peers": [{"set": "iris"}], "scale: tall": [one, one], "scale: zarr": [two]}


def test_the_page_is_what_the_kept_runs_give():
    kept = json.loads(pages.KEPT.read_text(encoding="utf-8"))
    rows = [row for name in kept if name.startswith(pages.SCALE) for row in kept[name]["rows"]]
    assert pages.filled(PAGE, rows) == PAGE, "run python -m benchmarks.pages"


def test_plans_on_paper_are_those_that_the_code_makes():
    plans = pages.paper()
    text = pages.table(plans, {key: key for key in plans[0]})
    assert text in PAGE, "run python -m benchmarks.pages"
