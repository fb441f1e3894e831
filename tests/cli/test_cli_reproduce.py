"""``colonnade reproduce`` as a user meets it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

from colonnade.cli.reproduce_command import minutes_of
from colonnade.comparison.ledger import Ledger
from colonnade.reproduction.catalogue import experiments

FACES = "boutsidis-2010-table-2"
MADE = "paul-2014-table-1"
MAILMAN = "boutsidis-2010-section-5.2"
"""Both on made data, which everybody has."""


def test_experiments_are_listed_with_their_data(run):
    said = run("reproduce").out
    assert all(name in said for name in experiments())
    assert "coil20" in said
    assert "(missing)" in said


def test_an_unknown_name_is_answered_with_those_that_there_are(run, tmp_path):
    result = run("reproduce", "farahat-2012-tabel-4.2", "--out", str(tmp_path / "out"))
    assert result.code == 2
    assert "no experiment 'farahat-2012-tabel-4.2'" in result.err
    assert "farahat-2012-table-4.2" in result.err
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_named_with_where_to_get_it(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLONNADE_DATA", str(tmp_path))
    result = run("reproduce", FACES, "--quick", "--out", str(tmp_path / "out"))
    assert result.code == 2
    assert (result.out + result.err).count("orl_64x64 (Deng Cai") == 1
    assert "Written to" not in result.out
    assert "min on two cores" not in result.err
    assert "less than a minute" not in result.err
    assert not (tmp_path / "out").exists()


def test_experiments_whose_data_is_there_are_run_beside_those_that_lack_it(
    run, tmp_path, monkeypatch
):
    monkeypatch.setenv("COLONNADE_DATA", str(tmp_path))
    result = run("reproduce", FACES, MADE, "--quick", "--out", str(tmp_path / "out"), "--jobs", "1")
    assert result.code == 0, result.err
    assert (result.out + result.err).count("orl_64x64 (Deng Cai") == 1
    assert f"Written to {tmp_path / 'out'}" in result.out
    assert (tmp_path / "out" / f"{MADE}-quick.json").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_damaged_file_of_data_leaves_out_what_needs_it_alone(run, tmp_path, monkeypatch, jobs):
    monkeypatch.setenv("COLONNADE_DATA", str(tmp_path))
    get_reusable_executor().shutdown(wait=True)  # those of other tests have another folder of data
    np.savez(tmp_path / "mnist_2k2k.npz", X=np.eye(90))
    (tmp_path / "mnist_2k2k.npz").write_bytes((tmp_path / "mnist_2k2k.npz").read_bytes()[:1000])
    images, out = "farahat-2012-table-3.3", tmp_path / "out"
    result = run("reproduce", images, MADE, "--quick", "--out", str(out), "--jobs", jobs)
    assert result.code == 2
    assert f"{images} is left out: cannot load the data set" in result.err
    assert result.err.splitlines()[-1].endswith(f"cannot be read: {images}")
    assert f"Written to {out}" in result.out
    assert (out / f"{MADE}-quick.json").exists()
    assert not (out / f"{images}-quick.json").exists()


def test_a_file_that_cannot_be_written_ends_no_other_experiment(run, tmp_path):
    (tmp_path / f"{MADE}-quick.md").mkdir()
    result = run("reproduce", MADE, MAILMAN, "--quick", "--out", str(tmp_path), "--jobs", "1")
    assert result.code == 2
    assert f"{MADE} is not complete: {tmp_path / MADE}-quick.md: Is a directory" in result.err
    assert result.err.splitlines()[-1].endswith(f"files cannot be read or written: {MADE}")
    assert "Paul & Drineas (2014)" in result.out  # what was found is shown all the same
    assert f"Written to {tmp_path}" in result.out
    assert (tmp_path / f"{MAILMAN}-quick.md").read_text().startswith("### Section 5.2")
    (tmp_path / f"{MADE}-quick.md").rmdir()
    assert run("reproduce", MADE, "--quick", "--out", str(tmp_path), "--jobs", "1").code == 0
    assert (tmp_path / f"{MADE}-quick.md").is_file()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="process groups are of POSIX")
def test_an_interrupted_command_says_how_many_runs_are_kept(tmp_path):
    started = subprocess.Popen(
        [sys.executable, "-m", "colonnade", "reproduce", MADE, "--out", str(tmp_path), "--jobs",
         "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    runs = tmp_path / "runs" / "paul-2014-synthetic-full.jsonl"
    while not (runs.exists() and runs.read_bytes().count(b"\n") > 2):
        assert started.poll() is None, started.communicate()
        time.sleep(0.02)
    os.killpg(started.pid, signal.SIGINT)
    _, err = started.communicate(timeout=60)
    assert started.returncode == 130
    last, end = err.splitlines()[-2:]
    told = re.fullmatch(
        rf"colonnade: (\d+) of 40 runs of {MADE} are kept in (.*); the same command goes on from "
        "there", last,
    )  # fmt: skip
    assert told, err
    assert 1 <= int(told[1]) < 40
    assert told[2] == str(runs)
    assert end == "colonnade: interrupted"


def broken(*arguments, **keywords):
    return {}["broken"]


def test_mistakes_of_the_code_are_not_taken_for_missing_data(run, tmp_path, monkeypatch):
    monkeypatch.setattr("colonnade.cli.reproduce_command.reproduce", broken)
    result = run("reproduce", MADE, "--quick", "--out", str(tmp_path), "--jobs", "1")
    assert result.code == 1
    assert "missing data" not in result.out + result.err
    assert "KeyError" in result.err


def test_a_reduced_run_is_shown_kept_and_not_repeated(run, tmp_path):
    """On made data, which everybody has."""
    out = tmp_path / "out"
    result = run("reproduce", "paul-2014-table-1", "--quick", "--out", str(out), "--jobs", "1")
    assert result.code == 0, result.err
    assert "ours (printed; difference)" in result.out
    assert "Paul & Drineas (2014)" in result.out
    said = " ".join(result.out.split())
    assert "confirmed: with 80 or 90 of 1000 features no method makes an error" in said
    kept = json.loads((out / "paul-2014-table-1-quick.json").read_text())
    assert kept["quick"]
    assert (out / "paul-2014-table-1-quick.md").read_text().startswith("### Table 1")
    (ledger,) = (out / "runs").iterdir()
    before = ledger.read_bytes()
    again = run("reproduce", "paul-2014-table-1", "--quick", "--out", str(out), "--jobs", "1")
    assert again.code == 0
    assert ledger.read_bytes() == before
    assert (
        json.loads((out / "paul-2014-table-1-quick.json").read_text())["figures"] == kept["figures"]
    )


def test_a_folder_of_other_runs_is_refused(run, tmp_path):
    ledger = tmp_path / "runs" / "paul-2014-synthetic-quick.jsonl"
    Ledger(ledger, {"study": "another"}).add({"data": "iris"}, {"seconds": 1.0})
    result = run("reproduce", "paul-2014-table-1", "--quick", "--out", str(tmp_path))
    assert result.code == 2
    assert "these runs were begun with" in result.err
    assert "choose another place" in result.err


@pytest.mark.parametrize("wrong", ["seconds", "origin"])
def test_a_run_that_was_not_kept_here_is_named_with_its_file(run, tmp_path, wrong):
    arguments = ("reproduce", MADE, "--quick", "--out", str(tmp_path), "--jobs", "1")
    assert run(*arguments).code == 0
    (ledger,) = (tmp_path / "runs").iterdir()
    lines = ledger.read_text().splitlines(keepends=True)
    entry = json.loads(lines[2])
    entry["outcome"][wrong] = {"data": None}
    ledger.write_text("".join([*lines[:2], json.dumps(entry) + "\n", *lines[3:]]))
    result = run(*arguments)
    assert result.code == 2
    assert f"{MADE} is left out: {ledger}: the run {json.dumps(entry['job'])} has no" in result.err
    assert f"'{wrong}'; remove its line to have it done again" in result.err
    ledger.write_text("".join([*lines[:2], *lines[3:]]))  # which is what it says
    assert run(*arguments).code == 0


def test_time_is_that_of_runs_that_are_shared_and_of_data_that_is_there(monkeypatch):
    there = {"20news_full": True}
    told = "colonnade.cli.reproduce_command.available"
    monkeypatch.setattr(told, lambda names: {name: there.get(name, False) for name in names})
    found = experiments()
    one, other = found["paul-2014-table-2"], found["paul-2014-figure-1"]
    assert {str(job) for job in other.jobs(False)} <= {str(job) for job in one.jobs(False)}
    assert minutes_of([one, other]) == minutes_of([one]) == one.minutes > 0
    assert minutes_of([found[FACES]]) == 0
    half = found["boutsidis-2009-figure-1"]
    there["sarcoma_stt"] = True
    assert minutes_of([half]) == half.minutes / 2
