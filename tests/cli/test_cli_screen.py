"""What is printed: text from files is shown, never obeyed."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_cli import AS_IS, X, data, listening, rows_of  # noqa: F401

import colonnade.cli
from colonnade.cli.progress import Reporter
from colonnade.foundation.wording import visible

NASTY = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202etxt.exe[bold]:smile:\x7f"
SHOWN = r"\x1b[31mred\x1b]0;title\x07\x9b2J\u202etxt.exe[bold]:smile:\x7f"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")
ON_DISK = NASTY.replace("/", "")
"""A file may be called anything but for a slash."""


def check(done):
    """Assert that nothing printed is anything but text."""
    assert not FORBIDDEN.search(done.out), done.out
    assert not FORBIDDEN.search(done.err), done.err
    return done


@pytest.fixture
def nasty(tmp_path):
    """A file with a nasty name, nasty names of columns and rows, and nasty labels."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(24, 4)).round(3)
    names = [NASTY + name for name in "abcd"]
    frame = pd.DataFrame(values, columns=names, index=[f"{NASTY}row{i}" for i in range(24)])
    frame[f"{NASTY}kind"] = np.where(np.arange(24) % 2 == 0, f"{NASTY}even", f"{NASTY}odd")
    path = tmp_path / f"{ON_DISK}.csv"
    frame.to_csv(path)
    return path


LABEL = ("--label", f"{NASTY}kind")
CALLS = {
    "columns": ("select", "-n", 2, "--certify", *LABEL),
    "rows": ("select", "-n", 3, "--rows", *LABEL),
    "supervised": ("select", "-n", 2, "-m", "sparse-approximation", *LABEL),
    "cluster": ("cluster", "-k", 2, "--reducer", "pivoted-qr", "-n", 2, *LABEL),
    "project": ("project", "-n", 2, *LABEL),
    "classify": ("classify", "-n", 2, "-m", "pivoted-qr", "--folds", 2, *LABEL),
}


@pytest.mark.parametrize("call", CALLS)
def test_answers(run, nasty, call):
    command, *options = CALLS[call]
    out = nasty.with_name(f"{ON_DISK}out.csv")
    done = check(run(command, nasty, *options, "--out", out))
    assert done.code == 0, done.err
    assert f"Written: {nasty.parent}/{SHOWN}out.csv\n" in done.out
    if call in ("columns", "rows"):
        shown = "".join("".join(column) for column in zip(*rows_of(done.out), strict=True))
        assert r"\x1b]0;title" in shown
        assert "[bold]:smile:" in shown


@pytest.mark.parametrize("call", ["columns", "rows", "cluster", "classify"])
def test_json_keeps_names(run, nasty, call):
    command, *options = CALLS[call]
    done = check(run(command, nasty, *options, "--json"))
    found = json.loads(done.out)
    assert found["source"] == str(nasty)
    if call == "rows":
        assert set(found["labels"]) <= {f"{NASTY}even", f"{NASTY}odd"}
    names = found["results"][1]["columns"] if call == "classify" else None
    names = names or found.get("columns") or found["names"]
    assert all(name.startswith(NASTY) for name in names)


def test_json_in_a_file_keeps_names(run, nasty):
    out = nasty.with_name("out.json")
    assert run(*CALLS["columns"], nasty, "--out", out).code == 0
    assert not FORBIDDEN.search(out.read_text(encoding="utf-8"))
    assert json.loads(out.read_bytes())["names"][0].startswith(NASTY)


def test_file_names_that_are_no_text(run, tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    path.write_text("a,b\n1,2\n3,5\n")
    found = json.loads(run("select", path, "-n", 1, "--json").out)
    assert found["source"] == str(path)
    done = run("select", path, "-n", 1, "--out", tmp_path / "s.json")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "s.json").read_bytes())["source"] == str(path)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("select", "{file}", "-n", 9, "--label", f"{NASTY}kind"), 2),
        (("select", "{file}", "-n", 1), 2),
        (("select", "{file}", "-n", 1, "--label", f"{NASTY}kinds"), 2),
        (("select", "{file}", "-n", 1, *LABEL, "--must-include", "\x1b[2J"), 2),
        (("select", "{file}x.csv", "-n", 1), 2),
        (("select", "{file}", "-n", 1, "-m", NASTY), 2),
        (("select", "{file}", "-n", 1, f"--{NASTY}"), 2),
        (("select", "{file}", "-n", 1, "--param", NASTY), 2),
        (("select", "{file}", "-n", 1, "--out", f"{NASTY}.doc"), 2),
        (("select", "{file}", "-n", 1, "--debug"), 2),
        ((NASTY,), 2),
        (("demo", "--out", "{file}"), 2),
    ],
)
def test_errors(run, nasty, call, code):
    done = check(run(*(str(word).format(file=nasty) for word in call)))
    assert (done.code, done.out) == (code, "")
    assert done.err.splitlines()[-1].startswith("colonnade: error: ")


def test_warnings(run, tmp_path):
    path = tmp_path / f"{ON_DISK}.csv"
    path.write_text(f"{NASTY},{NASTY},b\n1,2,3\n3,4,1\n", encoding="utf-8")
    done = check(run("select", path, "-n", 1))
    assert done.code == 0, done.err
    assert rf"{SHOWN}.csv: several columns are named" in done.err


def test_no_progress_in_a_pipe(capsys, monkeypatch):
    monkeypatch.setattr(Reporter, "delay", 0.0)
    with Reporter() as report:
        report.phase(f"reading {NASTY}")
        time.sleep(0.3)
    assert tuple(capsys.readouterr()) == ("", "")


@pytest.mark.usefixtures("listening")
@pytest.mark.slow
def test_progress_bar(tmp_path):
    path = tmp_path / "\x1b]0;title\x07[red].csv"
    path.write_text("a,b\n1,2\n")
    # reading takes its time
    code = "import pandas, time; pandas.read_csv = lambda *_, **__: time.sleep(100);"
    code += "from colonnade.cli import main; main()"
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [sys.executable, "-c", code, "select", path, "-n", "1"],
        stdout=subprocess.PIPE, stderr=theirs, text=True,
    )  # fmt: skip
    os.close(theirs)
    shown, deadline = b"", time.monotonic() + 60
    while b"[red].csv" not in shown and time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            shown += os.read(ours, 4096)
    started.send_signal(signal.SIGINT)
    while b"interrupted" not in shown and time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            shown += os.read(ours, 4096)
    assert started.wait(timeout=60) == 130
    started.stdout.close()
    os.close(ours)
    assert shown.rstrip().endswith(b"colonnade: interrupted")
    assert shown.rfind(b"\x1b[?25h") > shown.rfind(b"\x1b[?25l") >= 0  # the cursor is back
    assert rb"reading \x1b]0;title\x07[red].csv" in shown
    assert b"\x1b]0;" not in shown


def test_multiline_names_take_one_line(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"two\nlines",b\n3,1\n4,1\n')
    rows = rows_of(run("select", path, "-n", 1).out)
    assert [row[1] for row in rows] == [r"two\nlines"]


def test_long_names(run, tmp_path):
    first, second = "a" * 299 + "1", "a" * 299 + "2"
    kind = "k" * 300
    path = tmp_path / "a.csv"
    rows = "".join(f"{'r' * 299}{i},{i},{i * i - 5},{'l' * 300}\n" for i in range(5))
    path.write_text(f",{first},{second},{kind}\n{rows}")
    done = run("select", path, "-n", 2, "--label", kind)
    table = [line for line in done.out.splitlines() if line[:1] in "┏┃┡│└"]
    assert len(table) > 5
    assert all(len(line) <= 80 for line in table)
    names = ["".join(cells) for cells in zip(*rows_of(done.out), strict=True)][1]
    assert names == f"{'a' * 39}…{'a' * 38}2{'a' * 39}…{'a' * 38}1"
    shown = rows_of(run("select", path, "-n", 1, "--rows", "--label", kind, *AS_IS).out)
    assert len(shown) <= 6
    assert "".join(row[1] for row in shown) == f"{'r' * 39}…{'r' * 38}4"
    assert "".join(row[3] for row in shown) == f"{'l' * 39}…{'l' * 39}"
    assert [row[2] for row in shown if row[0]] == ["4"]
    assert json.loads(run("select", path, "-n", 1, "--label", kind, "--json").out)["names"] == [
        second
    ]


def test_long_names_of_files(run, data):  # noqa: F811
    name = "n" * 300 + ".csv"
    for call, part in (
        (("select", name, "-n", 1), "read"),
        (("select", data, "-n", 1, "--label", "kind", "--out", name), "written"),
    ):
        done = run(*call)
        assert (done.code, done.out) == (2, "")
        assert done.err == (
            f"colonnade: error: {name}: this cannot be {part} (File name too long)\n"
        )


def test_what_is_harmless_stays():
    for text in ("größe", "क्‍ष", "نام‌ها", "👩‍🔬", "a\u00a0b\u3000c", "日本語", r"C:\new", ""):
        assert visible(text) == text
    assert visible("\u2028\udcff\ufeff\n\t") == r"\u2028\udcff\ufeff\n\t"


PRINTING = {"print", "echo", "secho", "Console", "print_exc", "showtraceback", "stdout", "stderr"}


def test_only_one_file_prints():
    """What prints elsewhere could forget that names may hold anything."""
    found = {}
    for path in Path(colonnade.cli.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node, "attr", getattr(node, "id", None))
            if name in PRINTING:
                found.setdefault(path.name, set()).add(name)
    del found["screen.py"]
    assert found == {
        "app.py": {"echo"},  # help alone
        "outcome.py": {"stdout", "stderr"},  # prepared and flushed
        "progress.py": {"Console", "stderr"},  # the bar
    }
