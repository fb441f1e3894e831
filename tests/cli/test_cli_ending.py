"""How the command line ends: interrupted at any time, or with nobody to read its answer."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from test_cli import listening, rows_of, start  # noqa: F401

from colonnade import METHODS

LINUX = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="only Linux tells which signals are caught"
)
SCRIPT = (
    "import sys; sys.argv = ['colonnade', *sys.argv[1:]]; from colonnade.cli import main; main()"
)
"""What an installed console script does."""


BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""What cannot be printed shows late, when the buffer is full or the process ends."""


def said(err):
    """Return the lines on standard error, but for those on what is going on."""
    progress = re.compile("colonnade: (starting|reading|choosing|writing)")
    return [line for line in err.splitlines() if not progress.match(line)]


def catches(pid, number):
    """Say whether a process has a handler for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = int(re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.M)[1], 16)
    return bool(mask >> (number - 1) & 1)


def begun(child):
    """Wait until the command line has begun; Python itself never catches SIGTERM."""
    deadline = time.monotonic() + 60
    while not catches(child.pid, signal.SIGTERM):
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.001)


@LINUX
@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("entry", [("-m", "colonnade"), ("-c", SCRIPT)], ids=["module", "script"])
@pytest.mark.slow
def test_interrupted_at_any_time(tmp_path, entry):
    np.savetxt(tmp_path / "a.csv", np.random.default_rng(0).normal(size=(300, 300)), delimiter=",")
    command = [sys.executable, *entry, "select", "a.csv", "-n", "200", "--refine"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    whole = 4.0
    for delay in [0.0, *(random.Random(entry[0]).uniform(0, whole) for _ in range(7))]:
        child = subprocess.Popen([*command, "--out", "out.csv"], **pipes)
        begun(child)
        try:
            child.wait(timeout=delay)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        if child.returncode == 0:  # it was over before
            assert "of 300 columns explain" in out
            continue
        assert (child.returncode, out, said(err)) == (130, "", ["colonnade: interrupted"]), delay
        assert {path.name for path in tmp_path.iterdir()} <= {"a.csv", "out.csv"}


@LINUX
@pytest.mark.usefixtures("listening")
@pytest.mark.slow
def test_a_process_that_may_not_be_interrupted(tmp_path):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as shells do for the background
    try:
        child = start("methods", "--json")
    finally:
        signal.signal(signal.SIGINT, before)
    begun(child)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, "")
    assert list(json.loads(out)) == list(METHODS)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_what_needs_no_data_imports_nothing_heavy(argument):
    code = (
        "import sys\nfrom colonnade.cli import main\n"
        f"try:\n    main([{argument!r}])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print({'numba', 'numpy', 'scipy', 'sklearn', 'pandas'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "set()"


def shell(line, **options):
    """Run a line of the shell in which ``colonnade`` is the command line."""
    call = f'"{sys.executable}" -m colonnade'
    return subprocess.run(
        ["bash", "-c", line.replace("colonnade", call, 1)],
        capture_output=True,
        text=True,
        timeout=60,
        env=BUFFERED,
        **options,
    )


CALLS = ("methods", "methods --json", "--help", "--version")


@pytest.mark.parametrize("call", CALLS)
def test_closed_standard_output(call):
    done = shell(f"colonnade {call} >&-")
    assert done.returncode == 2
    assert done.stderr == (
        "colonnade: error: standard output is closed; send it to /dev/null to do without an "
        "answer\n"
    )


def test_closed_standard_output_costs_no_file(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,5\n")
    done = shell("colonnade select a.csv -n 1 --out b.csv >&-", cwd=tmp_path)
    assert done.returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.slow
def test_closed_standard_error(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,3\n2,6\n")
    done = shell("colonnade select a.csv -n 2 --out b.csv <&- 2>&-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "warning" not in done.stdout  # it had nowhere to go
    assert len(rows_of(done.stdout)) == 1
    assert (tmp_path / "b.csv").read_text() == "a\n1\n2\n"
    done = shell("colonnade select no.csv -n 2 2>&-", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.slow
def test_readers_that_leave_early(call):
    ours, theirs = os.pipe()
    os.close(ours)
    started = start(*call.split(), stdout=theirs, env=BUFFERED)
    os.close(theirs)
    assert started.communicate(timeout=60) == (None, "")
    assert started.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.slow
def test_full_standard_output(call):
    done = shell(f"colonnade {call} > /dev/full")
    assert done.returncode == 1
    assert done.stderr == "colonnade: error: standard output: No space left on device\n"


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
from colonnade.cli import main
main()
"""


@pytest.mark.parametrize(
    "extension", [".csv", ".csv.gz", ".npy", ".npz", ".parquet", ".mtx", ".png"]
)
@pytest.mark.slow
def test_full_disk(tmp_path, extension):
    rng = np.random.default_rng(0)
    np.savetxt(tmp_path / "a.csv", rng.normal(size=(300, 5)), delimiter=",")
    option = "--plot" if extension == ".png" else "--out"
    out = f"out{extension}"
    (tmp_path / out).write_bytes(b"old")
    command = [sys.executable, "-c", FULL, "select", "a.csv", "-n", "4", option, out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 1
    (error,) = said(done.stderr)
    assert re.fullmatch(rf"colonnade: error: {re.escape(out)}: [^:]+", error)
    assert "4 of 5 columns explain" in done.stdout
    assert "Written" not in done.stdout
    assert (tmp_path / out).read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", out]
