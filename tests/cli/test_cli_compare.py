"""``colonnade compare`` as a user runs it."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from colonnade import Comparison, compare
from colonnade.cli import compare_command, main, screen
from colonnade.cli.progress import Reporter

GROWERS = np.array(["Anna", "Bert, jr."])


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 8)) + 0.3 * rng.normal(size=(50, 8))
    made = pd.DataFrame(X * np.geomspace(0.01, 1000, 8), columns=[f"f{j}" for j in range(8)])
    return made.assign(grower=GROWERS[(X[:, 0] > 0).astype(int)])


@pytest.fixture
def file(tmp_path, frame):
    frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path / "wine.csv"


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setattr(Reporter, "delay", 1e6)

    def call(*arguments, jobs=1):
        with pytest.raises(SystemExit) as caught:
            main([*map(str, arguments), *([] if jobs is None else ["--jobs", str(jobs)])])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=caught.value.code, out=out, err=err)

    return call


def test_json_is_what_python_finds(run, file, frame):
    done = run(
        "compare", file, "-n", "2,50%", "--label", "grower", "--seeds", 3, "--seed", 4,
        "--methods", "greedy, partition-greedy(n_groups=3)", "--methods", "bss(rank=1)", "--json",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    found = compare(
        frame.drop(columns="grower"), [2, 4], y=frame.grower, seeds=3, random_state=4, n_jobs=1,
        methods=["greedy", "partition-greedy(n_groups=3)", "bss(rank=1)"],
    )  # fmt: skip
    assert told["methods"] == [*found.methods]
    assert (told["scale"], told["n_clusters"], told["label"]) == ("std", 2, "grower")
    table = found.table("dict")
    for row, (method, n, share) in zip(
        told["results"], zip(table["method"], table["n_select"], table["held_out"], strict=True),
        strict=True,
    ):  # fmt: skip
        assert (row["method"], row["n_select"]) == (method, n)
        assert row["held_out"] == pytest.approx(share)
    assert told["best"]["held_out"] == found.best()


def test_tables_files_and_the_command_to_run_next(run, file, tmp_path):
    outs = [tmp_path / name for name in ("a.csv", "a.md", "a.json")]
    done = run(
        "compare", file, "-n", "2,4", "--label", "grower", "--seeds", 3, "--plot",
        tmp_path / "a.png", *(part for path in outs for part in ("--out", path)),
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("50 rows × 8 columns, standardized, since otherwise 2 of 8 columns")
    assert "variance of held-out rows explained, %" in lines
    assert "than random columns" in done.out
    assert [line for line in lines if line.startswith("Written")] == [
        f"Written: {path}" for path in [*outs, tmp_path / "a.png"]
    ]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with outs[0].open(newline="") as content:
        rows = list(csv.DictReader(content))
    assert {row["method"] for row in rows} >= {"greedy", "uniform", "directions (PCA)"}
    cells = {line.split()[1]: line.split("│")[2:4] for line in lines[: lines.index("", 2)]
             if line.startswith("│")}  # fmt: skip
    for place, n in enumerate("24"):
        for row in rows:
            if row["n_select"] == n and row["held_out_group"]:
                mark = {"1": "*", "2": "+"}.get(row["held_out_group"])
                shown = cells[row["method"]][place].split()
                assert shown[3:] == ([mark] if mark else [])
                assert shown[0] == f"{100 * float(row['held_out']):.1f}"
    best = max((row for row in rows if row["n_select"] == "4" and row["held_out_group"]),
               key=lambda row: float(row["held_out"]))  # fmt: skip
    assert f"{100 * float(best['held_out']):.1f}" in outs[1].read_text(encoding="utf-8")
    assert not (tmp_path / "a.runs.jsonl").exists()
    advice = lines[-1]
    assert advice.startswith(f"next: colonnade select {file} -n 4 --label grower --method ")
    followed = run(*shlex.split(advice)[2:], jobs=None)
    assert followed.code == 0, followed.err


def test_the_next_command_repeats_what_was_asked_for(run, file):
    done = run(
        "compare", file, "-n", "3", "--drop", "grower", "--no-center", "--scale", "std",
        "--seeds", 2, "-m", "partition-greedy(n_groups=3,refine=True)",
    )  # fmt: skip
    assert done.out.splitlines()[-1] == (
        f"next: colonnade select {file} -n 3 --drop grower --no-center --scale std "
        "--method partition-greedy --param n_groups=3 --refine"
    )
    assert "squared size of held-out rows explained, %" in done.out
    assert "NMI" not in done.out


def test_groups_are_bold_and_underlined_on_a_terminal(run, file, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert screen.on_terminal()
    done = run("compare", file, "-n", "2", "--drop", "grower", "--seeds", 4)
    first = done.out.partition("stay")[0]
    assert "\x1b[1m" in first
    assert "\x1b[4m" in first
    assert "the best group is bold, the second underlined" in done.out
    assert " *" not in first


def test_gaps_text_constants_and_sparse_counts(run, tmp_path, frame):
    gappy = frame.assign(constant=1.0)
    gappy.loc[::7, "f3"] = np.nan
    gappy.to_csv(tmp_path / "gaps.csv", index=False)
    done = run("compare", tmp_path / "gaps.csv", "-n", "2", "--seeds", 2, "-m", "greedy")
    assert done.code == 2
    assert "--missing" in done.err
    done = run(
        "compare", tmp_path / "gaps.csv", "-n", "2", "--seeds", 2, "-m", "greedy",
        "--numeric-only", "--missing", "median",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "'grower' (text)" in done.err
    assert "1 column is constant and left out: 'constant'" in done.out
    counts = sp.random_array((60, 30), density=0.1, rng=np.random.default_rng(0))
    scipy.io.mmwrite(tmp_path / "counts.mtx", counts)
    done = run("compare", tmp_path / "counts.mtx", "-n", "3", "--seeds", 2, "-m", "greedy")
    assert done.code == 0, done.err


WRONG = [
    ((), "say with -n how many columns"),
    (("-n", "2,x"), "-n 'x'"),
    (("-n", "2,9", "--drop", "grower"), "-n 9, but"),
    (("-n", "2", "-m", "gredy"), "'gredy' is unknown (did you mean 'greedy'?)"),
    (("-n", "2", "-m", "greedy", "-m", "greedy"), "two methods are called 'greedy'; leave one out"),
    (("-n", "2", "-m", "greedy(refin=1)"), "no parameter 'refin' (did you mean 'refine'?)"),
    (("-n", "2", "--seeds", "1"), "--seeds 1"),
    (("-n", "2", "--label", "grwer"), "did you mean 'grower'"),
    (("-n", "2", "--drop", "grower", "-m", "information-gain"), "y is --label here"),
    (("-n", "2", "--label", "grower", "--clusters", "40"), "n_clusters is --clusters here"),
    (("-n", "2", "--out", "a.txt"), ".csv, .json, .md"),
    (("-n", "2", "--out", "none/a.csv"), "there is no directory none; make it first"),
    (("-n", "2", "--resume", "."), "this is a directory; name a file in it"),
    (("-n", "2", "--out", "a.csv", "--resume", "./a.csv"), "--resume a.csv: a result is written"),
    (("-n", "2", "--plot", "a.png", "--resume", "a.png"), "--resume a.png: a result is written"),
    (("-n", "2", "--missing", "pairwise"), "choose mean or median"),
    (("-n", "2", "--scale", "sd"), "--scale 'sd' (did you mean 'std'?)"),
    (("-n", "2"), "--numeric-only"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_input_is_one_sentence(run, file, options, message):
    done = run("compare", file, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(done.err.splitlines()) <= 2


def test_failures_are_told(run, file):
    done = run("compare", file, "-n", "2,4", "--drop", "grower", "--seeds", 2, "-m", "bss(rank=3)")
    assert done.code == 0, done.err
    assert "bss(rank=3) failed with 2 columns: n_select=2" in done.out
    done = run("compare", file, "-n", "2", "--drop", "grower", "--seeds", 2, "-m",
               "bss(rank=3),uniform(must_include=[0,1,2])")  # fmt: skip
    assert "failed" in done.out


@pytest.mark.parametrize(
    ("before", "calls", "told"),
    [
        (0, [(4, 40.0)], ""),  # not all methods have been seen at work
        (0, [(5, 50.0)], ", about 3 min left"),
        (0, [(5, 50.0), (10, 55.0)], ", less than a minute left"),
        (0, [(5, 50.0), (20, 80.0)], ""),
        (0, [(5, 5000.0)], ", about 4 h left"),
        (10, [(15, 250.0)], ", about 5 min left"),  # what was kept took no time
    ],
)
def test_how_long_it_takes_is_told_after_one_split(monkeypatch, before, calls, told):
    now, shown = [100.0], []
    monkeypatch.setattr(compare_command.time, "monotonic", lambda: now[0])
    report = SimpleNamespace(blocks=lambda *what: shown.append(what))
    kept = compare_command._Kept(None, report, 4)
    kept(before, 20)
    for done, seconds in calls:
        now[0] = 100.0 + seconds
        kept(done, 20)
    assert shown[0] == ("comparing", before, 20)
    assert shown[-1] == (f"comparing{told}", calls[-1][0], 20)


def orphans(group):
    """Processes that are left of a group, after those that end have had time to."""
    for _ in range(100):
        told = subprocess.run(["ps", "-e", "-o", "pgid="], capture_output=True, text=True)
        if str(group) not in told.stdout.split():
            return False
        time.sleep(0.1)
    return True


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="process groups are of POSIX")
def test_an_interrupted_comparison_leaves_runs_alone_and_goes_on(run, file, tmp_path, frame):
    arguments = ["compare", str(file), "-n", "2,4", "--drop", "grower", "--seeds", "8",
                 "-m", "greedy,pivoted-qr", "--out", str(tmp_path / "a.json")]  # fmt: skip
    started = subprocess.Popen(
        [sys.executable, "-m", "colonnade", *arguments, "--jobs", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    runs = tmp_path / "a.runs.jsonl"
    while not (runs.exists() and runs.read_bytes().count(b"\n") > 5):
        assert started.poll() is None, started.communicate()
        time.sleep(0.02)
    os.killpg(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    told = re.fullmatch(
        r"colonnade: (\d+) of 56 runs are kept in (.*); the same command goes on from there\n"
        "colonnade: interrupted\n",
        err,
    )
    assert told
    assert 4 <= int(told[1]) <= 56  # the fifth is there a moment before it is counted
    assert told[2] == str(runs)
    assert not orphans(started.pid)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.runs.jsonl", "wine.csv"]
    kept = runs.read_bytes().splitlines(keepends=True)
    done = run(*arguments)
    assert done.code == 0, done.err
    told = json.loads((tmp_path / "a.json").read_text())
    # what was there was not done again
    before = [json.loads(line) for line in kept[1:] if line.endswith(b"\n")]
    now = {json.dumps({k: r.get(k) for k in ("method", "n", "seed")}): r for r in told["runs"]}
    for entry in before:
        key = json.dumps({k: entry["job"].get(k) for k in ("method", "n", "seed")})
        assert now[key]["seconds"] == entry["outcome"]["seconds"]
    whole = compare(frame.drop(columns="grower"), [2, 4], methods="greedy,pivoted-qr", seeds=8,
                    n_jobs=1)  # fmt: skip
    shares = [row["held_out"] for row in told["results"]]
    assert shares == pytest.approx(whole.table("dict")["held_out"])
    assert not runs.exists()


def test_runs_are_kept_until_all_files_are_written(run, file, tmp_path, monkeypatch):
    def fails(*_):
        raise OSError("no space left")

    outs = [tmp_path / "a.csv", tmp_path / "a.json"]
    options = ["-n", "2", "--drop", "grower", "--seeds", 2, "-m", "greedy", "--out", outs[0]]
    picture = ["--plot", tmp_path / "a.png"]
    with monkeypatch.context() as broken:
        broken.setattr(Comparison, "_as_json", fails)
        assert run("compare", file, *options, "--out", outs[1], *picture).code != 0
    assert (tmp_path / "a.runs.jsonl").exists()
    monkeypatch.setattr(Comparison, "draw", fails)
    assert run("compare", file, *options, "--out", outs[1], *picture).code != 0
    assert all(path.exists() for path in outs)
    assert not (tmp_path / "a.runs.jsonl").exists()


def test_runs_of_other_data_are_refused(run, file, tmp_path):
    runs = tmp_path / "kept.jsonl"
    options = ["-n", "2", "--drop", "grower", "--seeds", 2, "-m", "greedy", "--resume", runs]
    assert run("compare", file, *options).code == 0
    assert runs.exists()
    done = run("compare", file, *options, "--no-center")
    assert done.code == 2
    assert "these runs were begun with" in done.err
