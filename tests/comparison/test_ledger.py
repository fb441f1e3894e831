"""The file of runs: what it keeps, what it refuses, what it forgives."""

from __future__ import annotations

import json

import pytest

from colonnade.comparison.ledger import Ledger, LedgerError

JOB = {"method": "greedy", "n": 3, "seed": 0}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "made" / "runs.jsonl"


def test_every_outcome_is_on_disk_at_once_and_found_again(path):
    ledger = Ledger(path, {"data": "a"})
    assert not path.exists()
    for seed in range(3):
        ledger.add({**JOB, "seed": seed}, {"error": seed / 3})
        assert len(path.read_text().splitlines()) == 2 + seed
    again = Ledger(path, {"data": "a"})
    assert len(again) == 3
    assert again.get({"seed": 2, "n": 3, "method": "greedy"}) == {"error": 2 / 3}
    assert {**JOB, "seed": 9} not in again
    assert [job["seed"] for job, _ in again] == [0, 1, 2]


def test_what_was_begun_with_something_else_is_refused(path):
    Ledger(path, {"data": "a", "center": True}).add(JOB, {"error": 0.5})
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"runs\.jsonl: these runs .* data='a' in place of 'b'"):
        Ledger(path, {"data": "b", "center": True})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [("a", "b", "other data"), (None, "b", "no data"), ("a", None, "data")],
)
def test_digests_are_told_as_what_they_are_of(path, before, now, told):
    Ledger(path, {"data": before, "n": 1}).add(JOB, {"error": 0.5})
    with pytest.raises(ValueError, match=f"were begun with {told}, n=1 in place of 2; choose"):
        Ledger(path, {"data": now, "n": 2}, digests={"data": "data"})


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="no file of runs"):
        Ledger(path, {})
    assert path.read_text() == "a,b\n1,2\n"


def test_a_line_that_was_cut_off_is_dropped_and_done_again(path):
    ledger = Ledger(path, {})
    ledger.add(JOB, {"error": 0.5})
    whole = path.read_bytes()
    ledger.add({**JOB, "seed": 1}, {"error": 0.25})
    path.write_bytes(path.read_bytes()[:-9])
    again = Ledger(path, {})
    assert len(again) == 1
    assert path.read_bytes() == whole
    again.add({**JOB, "seed": 1}, {"error": 0.25})
    assert len(Ledger(path, {})) == 2


def test_a_damaged_line_is_named(path):
    ledger = Ledger(path, {})
    for seed in range(3):
        ledger.add({**JOB, "seed": seed}, {"error": 0.5})
    lines = path.read_text().splitlines()
    lines[2] = lines[2][:20] + "#" + lines[2][21:-3]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="line 3 is damaged"):
        Ledger(path, {})


@pytest.mark.parametrize("outcome", ["null", "[0.5]", '"done"'])
def test_an_outcome_that_is_none_is_a_damaged_line(path, outcome):
    Ledger(path, {}).add(JOB, {"error": 0.5})
    path.write_text(path.read_text().replace('{"error": 0.5}', outcome))
    with pytest.raises(LedgerError, match=r"runs\.jsonl: line 2 is damaged; remove it"):
        Ledger(path, {})


def test_without_a_path_outcomes_are_remembered():
    ledger = Ledger(None, {})
    ledger.add(JOB, {"values": (1, 2)})
    assert ledger.get(JOB) == json.loads('{"values": [1, 2]}')
