"""Files that are larger than memory on the command line: the same answers, in parts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
import zarr
from distributed import LocalCluster
from test_cli import listening, process, rows_of  # noqa: F401

from colonnade import METHODS
from colonnade.cli.progress import Reporter
from colonnade.io import lazy_lists
from colonnade.io.opening import open_with
from colonnade.operands.chunked.planning import BESIDE

NAMES = [f"f{j}" for j in range(12)]
PARTS = ("--chunk", "20KB")
"""So small that a test has several parts."""


def matrix():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(900, 4)) @ rng.normal(size=(4, 12)) + 0.3 * rng.normal(size=(900, 12))
    X[:, 3] *= 50  # units that decide
    X[:, 7] = 2.0
    return X


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same numbers in every kind of file."""
    path, X = tmp_path_factory.mktemp("large"), matrix()
    frame = pd.DataFrame(X, columns=NAMES)
    np.save(path / "a.npy", X)
    zarr.create_array(str(path / "a.zarr"), data=X, chunks=(150, 12))
    frame.to_csv(path / "a.csv", index=False)
    (path / "parquet").mkdir()
    for part in range(3):
        frame[part * 300 : part * 300 + 300].to_parquet(path / "parquet" / f"{part}.parquet")
    names = pd.Index(NAMES, dtype=object)
    cells = ad.AnnData(sp.csr_matrix(X), var=pd.DataFrame(index=names))
    cells.obs_names = pd.Index([f"cell{i}" for i in range(len(X))], dtype=object)
    cells.write_h5ad(path / "a.h5ad")
    return path


FILES = ("a.npy", "a.zarr", "a.csv", "parquet", "a.h5ad")


def answer(done):
    """Return what a command with --json answers."""
    assert done.code == 0, done.err
    return json.loads(done.out)


def same(found, expected):
    assert found["indices"] == expected["indices"]
    for name in ("relative_errors", "explained", "bound", "random"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-6, err_msg=name)
    assert found["names"] == expected["names"]
    for name in ("shape", "center", "scale", "reason", "constant"):
        assert found["data"][name] == expected["data"][name]


# --- the same answer ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_what_it_gives_in_memory(run, folder, name):
    in_memory = folder / ("a.npy" if name in ("a.npy", "a.zarr") else "a.csv")
    expected = answer(run("select", in_memory, "-n", 5, "--json"))
    assert len(expected["data"]["constant"]) == 1
    done = run("select", folder / name, "-n", 5, "--json", *PARTS)
    found = answer(done)
    same(found, expected)
    (plan,) = found["plan"]
    assert plan["passes"] == found["used"]["passes"] == 1
    assert plan["bytes_read"] == matrix().nbytes
    if name != "a.h5ad":  # which has indices beside the numbers
        assert found["used"]["bytes_read"] == matrix().nbytes
    assert done.err.startswith("colonnade: plan: inner products of the columns: 1 pass, 84.4 KiB")


@pytest.mark.parametrize(
    "options",
    [
        ("--no-center", "--scale", "none"),
        ("--scale", "std", "--method", "pivoted-qr", "--exclude", "2"),
        ("--scale", "max", "--must-include", "1", "--max-error", "20%"),
        ("--method", "bss", "--param", "rank=3"),
        ("--method", "random-pivot", "--seed", "4"),
    ],
)
def test_options_mean_the_same(run, folder, options):
    asked = ("select", folder / "a.npy", "-n", 5, "--json", "--quiet", *options)
    done = run(*asked, *PARTS)
    same(answer(done), answer(run(*asked)))
    assert done.err == ""


def test_summary_in_a_real_process(folder):
    done = process("select", folder / "a.zarr", "-n", 5, "--memory", "1GiB")
    small = process("select", folder / "a.npy", "-n", 5)
    assert done.code == 0, done.err
    assert rows_of(done.out) == rows_of(small.out)
    first, *_, last, used = done.out.splitlines()
    assert (first, last) == (small.out.splitlines()[0], small.out.splitlines()[-1])
    assert "random columns explain" in last
    assert used == "1 pass over the data: 84.4 KiB read, 1.5 KiB sent"
    (plan,) = done.err.splitlines()
    assert plan.startswith("colonnade: plan: inner products of the columns: 1 pass, 84.4 KiB to")


def test_rows(run, folder):
    asked = ("select", folder / "a.npy", "-n", 4, "--rows", *PARTS)
    found = answer(run(*asked, "--json"))
    small = answer(run("select", folder / "a.npy", "-n", 4, "--rows", "--json"))
    assert found["of"] == "rows"
    assert found["explained"] > 0.99 * small["explained"]
    assert [plan["passes"] for plan in found["plan"]] == [1, 3]
    assert found["used"]["passes"] == 4
    done = run(*asked)
    assert "4 of 900 rows explain" in done.out
    assert "4 passes over the data" in done.out
    assert "random choices would take more passes" in done.out


@pytest.mark.parametrize("extension", [".csv", ".csv.gz", ".npy", ".parquet"])
def test_written_as_in_memory(run, folder, tmp_path, extension):
    whole, parts = tmp_path / f"whole{extension}", tmp_path / f"parts{extension}"
    asked = ("select", folder / "a.csv", "-n", 3, "--label", "f0", "--method", "bss")
    asked += ("--param", "rank=2", "--out")
    assert run(*asked, whole).code == 0
    done = run(*asked, parts, *PARTS)
    assert done.code == 0, done.err
    assert "and one pass for --out" in done.out
    assert f"Written: {parts}" in done.out
    if extension == ".npy":
        np.testing.assert_allclose(np.load(parts), np.load(whole), rtol=1e-6)
        return
    read = pd.read_parquet if extension == ".parquet" else pd.read_csv
    pd.testing.assert_frame_equal(read(parts), read(whole), rtol=1e-6)


def test_written_rows_and_selections(run, folder, tmp_path):
    out = tmp_path / "rows.csv"
    done = run("select", folder / "a.h5ad", "-n", 4, "--rows", *PARTS, "--out", out, "--json")
    chosen = sorted(answer(done)["indices"]["values"])
    frame = pd.read_csv(out, index_col=0)
    assert frame.index.tolist() == chosen
    np.testing.assert_allclose(frame.to_numpy(), matrix()[chosen], rtol=1e-6)
    # applied in parts to another file
    kept, few = tmp_path / "kept.json", tmp_path / "few.csv"
    assert run("select", folder / "a.csv", "-n", 5, *PARTS, "--out", kept).code == 0
    chosen = json.loads(kept.read_text())["indices"]["values"]
    assert chosen != sorted(chosen)
    done = run("apply", kept, folder / "parquet", *PARTS, "--out", few)
    assert done.out == f"5 chosen of 12 columns, 900 rows\nWritten: {few}\n"
    assert run("apply", kept, folder / "a.csv", "--out", tmp_path / "all.csv").code == 0
    assert few.read_text() == (tmp_path / "all.csv").read_text()


# --- who works ----------------------------------------------------------------------------------


def members(session):
    """Return the processes of a session that have not ended."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(status.parent.name)
    return found


@pytest.mark.slow
def test_processes(folder, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    options = ("--scheduler", "processes", "--workers", 2, "--memory", "1GiB", "--json")
    done = process("select", folder / "a.npy", "-n", 5, *options, env=environment)
    threads = process("select", folder / "a.npy", "-n", 5, "--memory", "1GiB", "--json")
    assert answer(done)["errors"] == answer(threads)["errors"]
    assert len(done.err.splitlines()) == 1, "only the plan"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_cluster_that_runs_already(folder):
    with LocalCluster(
        n_workers=1, processes=False, protocol="tcp://", dashboard_address="127.0.0.1:0"
    ) as cluster:
        done = process(
            "select", folder / "a.npy", "-n", 5, "--scheduler", cluster.scheduler_address, *PARTS
        )
        assert done.code == 0, done.err
        assert "1 pass over the data" in done.out
        assert cluster.status.name == "running"
        assert len(cluster.scheduler.workers) == 1, "it is left as it was"


def test_an_address_where_nobody_is(run, folder):
    start = time.monotonic()
    done = run("select", folder / "a.npy", "-n", 5, "--scheduler", "tcp://127.0.0.1:9")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "colonnade: error: --scheduler tcp://127.0.0.1:9: no scheduler answers there; start one "
        "with dask scheduler, or choose threads or processes\n"
    )
    assert time.monotonic() - start < 25, "it is told before a client gives up by itself"


# --- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--memory", "100KB"), "--memory 97.7 KiB is allowed"),
        (("--memory", "much"), "--memory 'much': give a number of bytes, or one with a unit"),
        (("--chunk", "0"), "--chunk '0': give a number of bytes"),
        (("--scheduler", "cluster"), "choose threads, processes, or the address"),
        (("--workers", "2"), "add --memory, such as --memory 4GiB"),
        (("--scheduler", "tcp://a:1", "--workers", "2"), "has workers of its own; leave it out"),
        ((*PARTS, "--missing", "median"), "fill the gaps before, or leave columns out"),
        ((*PARTS, "--transform", "log1p"), "transform the data before, and store that"),
        ((*PARTS, "--row-names", "0"), "leave that column out with --drop"),
        ((*PARTS, "--scale", "robust"), "--scale robust needs quantiles of whole columns, which"),
        ((*PARTS, "--scale", "robust", "--rows"), "; choose auto, none, std or max"),
        ((*PARTS, "--certify"), "--certify needs the whole file"),
        ((*PARTS, "--covariance"), "--covariance needs the whole file"),
        ((*PARTS, "--method", "mcfs"), "those that can: greedy, "),
        ((*PARTS, "--method", "bss", "--rows"), "cannot choose rows of a file that is read in"),
        ((*PARTS, "-n", "13"), "-n 13, but"),
        ((*PARTS, "-n", "12"), "of 12 columns 11 can be chosen: others are constant"),
        ((*PARTS, "-n", "auto"), "say how many to choose, such as -n 100"),
        ((*PARTS, "--out", "x.xlsx"), "Excel cannot be written in parts; choose one of these: .c"),
    ],
)
def test_what_cannot_be_done_is_refused(run, folder, options, words):
    done = run("select", folder / "a.npy", "-n", 5, *options)
    assert (done.code, done.out) == (2, "")
    assert words in done.err.splitlines()[-1]


def test_scales_are_refused_before_anything_is_opened(run, folder, monkeypatch):
    monkeypatch.setattr("colonnade.cli.beyond.open_with", None)
    done = run("select", folder / "a.npy", "-n", 5, *PARTS, "--scale", "robust")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1


def test_without_a_number(run, folder, tmp_path):
    asked = ("select", folder / "a.npy", "--max-error", "10%")
    found = answer(run(*asked, "--json", *PARTS))
    same(found, answer(run(*asked, "--json")))
    assert 1 < len(found["indices"]["values"]) < 12
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).normal(size=(3, 3000)))
    for options in ((folder / "a.npy", "--rows"), (tmp_path / "wide.npy",)):
        done = run("select", *options, "--max-error", "10%", *PARTS)
        assert (done.code, done.out) == (2, "")
        assert "--max-error 0.1 alone does not say how many" in done.err
        assert "; add -n, such as -n 100: choosing ends at what is reached first" in done.err
    done = run("select", folder / "a.npy", *PARTS)
    assert done.code == 2
    assert "say how many to choose" in done.err


def test_bad_files(run, tmp_path):
    X = matrix()
    X[700, 2] = np.nan
    np.save(tmp_path / "nan.npy", X)
    done = run("select", tmp_path / "nan.npy", "-n", 3, *PARTS, "--out", tmp_path / "out.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == (
        f"colonnade: error: {tmp_path / 'nan.npy'}: X contains NaN in block (3, 0), at row 700, "
        "column 2; fill or drop such entries first"
    )
    assert not (tmp_path / "out.csv").exists()
    (tmp_path / "gap.csv").write_text("a,b,flow\n" + "1,2,3\n4,5,\n" * 3)
    done = run("select", tmp_path / "gap.csv", "-n", 2, *PARTS)
    assert done.err.endswith("column 'flow'; fill such entries, or leave it out: --drop flow\n")
    done = run("select", tmp_path / "no.zarr", "-n", 3, "--memory", "1GiB")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"colonnade: error: {tmp_path / 'no.zarr'}: there is no such file\n"


@pytest.mark.parametrize("command", ["select", "describe"])
def test_a_file_that_does_not_fit_names_the_option(run, folder, command, monkeypatch):
    monkeypatch.setattr("colonnade.io.limits.free_memory", lambda: 1000)
    done = run(command, folder / "a.npy")
    assert done.code == 2
    assert "would take 84.38 KiB of memory" in done.err
    assert done.err.endswith("; or read it in parts: --memory 4GiB\n")
    monkeypatch.undo()
    assert run(command, folder / "a.npy").code == 0


@pytest.mark.parametrize("options", [("--no-center", "--scale", "none"), ("--scale", "std")])
def test_many_columns_that_are_stored_by_rows(run, tmp_path, options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 24_000)) * np.exp(rng.normal(size=24_000))
    np.save(tmp_path / "a.npy", X)
    asked = ("select", tmp_path / "a.npy", "-n", 4, "--json", *options)
    found = answer(run(*asked, "--chunk", "1MB", "--workers", 1))
    assert found["used"]["passes"] == sum(plan["passes"] for plan in found["plan"])
    *_, rounds = found["plan"]
    # as one part all of it would be in memory, and its embedding
    assert rounds["task_bytes"] - BESIDE < X.nbytes
    assert found["explained"] > 0.98 * answer(run(*asked))["explained"]


def test_text_is_passed_through_once(run, tmp_path, monkeypatch):
    opened = []

    def counted(path, *arguments, **options):
        opened.append(path)
        return open_with(path, *arguments, **options)

    monkeypatch.setattr("colonnade.cli.beyond.open_with", counted)
    np.savetxt(tmp_path / "a.csv", np.random.default_rng(0).normal(size=(3, 3000)), delimiter=",")
    answer(run("describe", tmp_path / "a.csv", *PARTS, "--json"))
    assert len(opened) == 1


# --- interrupted --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def longer(tmp_path_factory):
    """Data that takes a while."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 10)) @ rng.normal(size=(10, 300)) + rng.normal(size=(8000, 300))
    path = tmp_path_factory.mktemp("longer") / "b.zarr"
    zarr.create_array(str(path), data=X.astype(np.float32), chunks=(100, 300))
    return path


def test_a_checkpoint_is_a_folder(run, tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).standard_normal((30, 5)))
    (tmp_path / "file").write_text("")
    for kept in (tmp_path / "file", tmp_path / "file" / "below"):
        found = run("select", tmp_path / "a.npy", "-n", 2, "--checkpoint", kept)
        assert found.code == 2
        assert f"--checkpoint {kept}: this cannot be used as a folder" in found.err


def test_chunks_that_were_written_again_are_other_work(run, tmp_path):
    path, kept = tmp_path / "a.zarr", tmp_path / "kept"
    X = np.random.default_rng(0).standard_normal((300, 20))
    stored = zarr.create_array(str(path), data=X, chunks=(50, 20))
    asked = ("select", path, "-n", 3, "--chunk", 8000, "--checkpoint", kept, "--json")
    first = answer(run(*asked))
    assert answer(run(*asked))["indices"] == first["indices"]
    stored[60:90] = 100 * X[60:90, ::-1]
    again = run(*asked)
    assert again.code == 2
    assert "is of other work: it differs in values; give another folder" in again.err


@pytest.mark.parametrize("form", ["coordinate", "array"])
@pytest.mark.parametrize("options", [("--rows",), ()], ids=["rows", "columns"])
def test_what_was_converted_anew_is_the_same_work(run, tmp_path, form, options):
    path, kept = tmp_path / "a.mtx", tmp_path / "kept"
    X = np.random.default_rng(0).standard_normal((300, 20))
    scipy.io.mmwrite(path, sp.coo_array(X) if form == "coordinate" else X)
    asked = ("select", path, "-n", 3, "--chunk", 8000, *options, "--checkpoint", kept, "--json")
    first = answer(run(*asked))
    lazy_lists._temporary.cache_clear()  # as another process
    again = answer(run(*asked))
    assert again["errors"] == first["errors"]
    assert again["used"]["passes"] < first["used"]["passes"]
    X[60, 4] += 1  # in a block that is no sample
    scipy.io.mmwrite(path, sp.coo_array(X) if form == "coordinate" else X)
    os.utime(path, ns=(1, 1))
    lazy_lists._temporary.cache_clear()
    other = run(*asked)
    assert other.code == 2
    assert "is of other work: it differs in values; give another folder" in other.err


@pytest.mark.usefixtures("listening")
@pytest.mark.slow
def test_going_on_after_ctrl_c(run, longer, tmp_path):
    kept, out = tmp_path / "kept", tmp_path / "out.csv"
    asked = ("select", longer, "-n", 40, "--rows", "--chunk", "500KB", "--out", out, "--json")
    command = [sys.executable, "-m", "colonnade", *map(str, (*asked, "--checkpoint", kept))]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (kept / "rounds-target.npz").exists():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    stdout, stderr = child.communicate(timeout=60)
    assert (child.returncode, stdout) == (130, "")
    assert stderr.splitlines()[-1] == "colonnade: interrupted"
    assert not out.exists()
    other = run(*asked, "--checkpoint", kept, "--no-center")
    assert other.code == 2
    assert "is of other work: it differs in treatment; give another folder" in other.err
    again, fresh = answer(run(*asked, "--checkpoint", kept)), answer(run(*asked))
    assert again["errors"] == fresh["errors"]
    assert again["indices"] == fresh["indices"]
    assert again["used"]["bytes_read"] < 0.7 * fresh["used"]["bytes_read"]
    assert len(pd.read_csv(out)) == 40


def ended_by(number, call, mark, *, before=lambda: True, **options):
    """Run a command until a file is there, end it by a signal, return its code and its output.

    What comes just when Python begins to wait for other threads is heard when these are done; so
    the signal is sent until it is heard.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    child = subprocess.Popen([*map(str, call)], **pipes, **options)
    try:
        deadline = time.monotonic() + 300
        while not mark.exists():
            assert child.poll() is None, child.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.005)
        assert before()
        while True:
            assert time.monotonic() < deadline
            child.send_signal(number)
            try:
                out, _ = child.communicate(timeout=1)
                return child.returncode, out
            except subprocess.TimeoutExpired:
                pass
    finally:
        child.kill()


STANDING = """
import sys, time
from pathlib import Path
from colonnade.cli import main
from colonnade.io.lazy_arrays import NPYSource

read, reads, (limit, mark, *sys.argv) = NPYSource.block, [], sys.argv[1:]

def block(self, rows, columns):
    reads.append(rows)
    if len(reads) > int(limit):
        Path(mark).touch()
        time.sleep(1000)
    return read(self, rows, columns)

NPYSource.block = block
main()
"""
"""The command line on a file of which one block after some others takes for ever."""


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize(
    ("number", "limit", "left"), [(signal.SIGINT, 150, 72 / 200), (signal.SIGTERM, 100, 136 / 200)]
)
@pytest.mark.slow
def test_what_is_done_is_kept_whatever_signal_comes(run, tmp_path, number, limit, left):
    path, kept, mark = tmp_path / "a.npy", tmp_path / "kept", tmp_path / "mark"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4)) @ rng.normal(size=(4, 20)) + rng.normal(size=(800, 20))
    np.save(path, X)
    asked = ("select", path, "-n", 5, "--scale", "none", "--chunk", 640, "--json")
    more = ("--checkpoint", kept)
    call = [sys.executable, "-c", STANDING, limit, mark, "colonnade", *asked, *more]
    code, out = ended_by(number, call, mark)
    assert (code, out) == (128 + number, "")
    assert not [name for name in kept.iterdir() if name.suffix not in (".json", ".npz")]
    again, fresh = answer(run(*asked, *more)), answer(run(*asked))
    assert again["errors"] == fresh["errors"]
    assert again["indices"] == fresh["indices"]
    assert again["used"]["passes"] == pytest.approx(left)


CONVERTING = """
import sys, time
from pathlib import Path
from colonnade.cli import main
from colonnade.io import lazy_lists

owner, name, mark, *sys.argv = sys.argv[1:]

def stand(*_, **__):
    Path(mark).touch()
    time.sleep(1000)

setattr(getattr(lazy_lists, owner), name, stand)
main()
"""
"""The command line, where something that is done with MatrixMarket takes for ever."""


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize(
    ("number", "place"),
    [(signal.SIGINT, ("np", "savez")), (signal.SIGTERM, ("BlockSource", "block"))],
    ids=["converting", "reading"],
)
@pytest.mark.slow
def test_signals_leave_nothing_that_was_converted(tmp_path, number, place):
    path, scratch, mark = tmp_path / "a.mtx", tmp_path / "scratch", tmp_path / "mark"
    scratch.mkdir()
    scipy.io.mmwrite(path, sp.random_array((300, 20), density=0.3, rng=0))
    asked = ("colonnade", "select", path, "-n", 3, "--rows", "--chunk", "1KiB")
    call = [sys.executable, "-c", CONVERTING, *place, mark, *asked]
    environment = os.environ | {"TMPDIR": str(scratch)}
    code, _ = ended_by(number, call, mark, env=environment, before=lambda: [*scratch.iterdir()])
    assert code == 128 + number
    assert [*scratch.iterdir()] == []


@pytest.mark.usefixtures("listening")
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells of processes")
def test_ctrl_c_leaves_no_workers(longer, tmp_path):
    scratch, out = tmp_path / "scratch", tmp_path / "out.csv"
    scratch.mkdir()
    out.write_text("old")
    options = ("--rows", "--chunk", "500KB", "--scheduler", "processes", "--workers", "2")
    command = [sys.executable, "-m", "colonnade", "select", str(longer), "-n", "40", *options]
    child = subprocess.Popen(
        [*command, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env=os.environ | {"TMPDIR": str(scratch)},
    )  # fmt: skip
    first = child.stderr.readline()  # the plan, when workers are there
    assert first.startswith("colonnade: plan: "), first
    assert len(members(child.pid)) >= 3
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does
    stdout, stderr = child.communicate(timeout=60)
    assert (child.returncode, stdout) == (130, "")
    assert [line for line in stderr.splitlines() if "plan" not in line] == [
        "colonnade: interrupted"
    ]
    deadline = time.monotonic() + 60
    while members(child.pid):
        assert time.monotonic() < deadline, members(child.pid)
        time.sleep(0.05)
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "scratch"]
    assert list(scratch.iterdir()) == []


# --- what else is said --------------------------------------------------------------------------


def test_describe_without_reading(run, folder, monkeypatch):
    def never(piece):
        raise AssertionError("a block was read")

    monkeypatch.setattr("colonnade.io.lazy_blocks.load", never)
    done = run("describe", folder / "a.zarr", "--chunk", "15KB")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "900 rows × 12 columns of float64, 84.4 KiB if dense, not read"
    assert lines[1] == "6 blocks of up to 150 × 12"
    assert lines[2] == "to choose 6:"
    assert lines[3].startswith("  inner products of the columns: 1 pass, 84.4 KiB to read")
    assert (
        lines[-1] == f"next: colonnade select {folder / 'a.zarr'} -n 6 --memory 4GiB --chunk 15KB"
    )
    found = answer(run("describe", folder / "a.zarr", "--memory", "10KB", "--json"))
    assert (found["shape"], found["dtype"], found["fits"]) == ([900, 12], "float64", False)


def test_apply_refuses_gaps_and_reconstruction(run, folder, tmp_path):
    kept = tmp_path / "kept.json"
    assert run("select", folder / "a.csv", "-n", 3, "--out", kept).code == 0
    frame = pd.read_csv(folder / "a.csv")
    first = json.loads(kept.read_text())["names"][0]
    frame.loc[500, first] = np.nan
    frame.to_csv(tmp_path / "gap.csv", index=False)
    done = run("apply", kept, tmp_path / "gap.csv", *PARTS, "--out", tmp_path / "few.csv")
    assert (done.code, done.out) == (2, "")
    assert f"column {first!r} has a gap in row 500, counted from 0" in done.err
    assert not (tmp_path / "few.csv").exists()
    done = run("apply", kept, folder / "a.csv", *PARTS, "--reconstruct")
    assert done.code == 2
    assert "--reconstruct needs the whole file" in done.err


def test_methods_say_what_they_take_in_parts(run):
    cells = [" ".join(row) for row in rows_of(run("methods").out)]
    assert sum("in parts (--memory):" in cell for cell in cells) == len(METHODS)
    listed = answer(run("methods", "--json"))
    assert "wide dask" in listed["greedy"]["inputs"]
    assert "wide dask" not in listed["bss"]["inputs"]
    assert "tall dask" in listed["bss"]["inputs"]


def test_progress_counts_blocks():
    report = Reporter()
    report.blocks("products", 64, 100)
    assert (report.what, report.count, report.wanted) == ("products", 64, 100)
    assert report._left() == "64 of 100 done"
    report.phase("choosing columns")
    report(3, 10, 0.25)
    assert report._left() == "25.00 % left"


@pytest.mark.parametrize("method", ["leverage", "uniform", "approx-svd", "greedy"])
def test_every_method_for_wide_files_has_a_plan(run, tmp_path, method):
    """More columns than have room for their inner products, in one part."""
    rng = np.random.default_rng(0)
    np.save(tmp_path / "wide.npy", rng.standard_normal((8, 24_000), dtype=np.float32))
    command = ("select", tmp_path / "wide.npy", "-n", 3, "--method", method, "--json")
    as_is = ("--no-center", "--scale", "none")
    done = run(*command, *as_is, "--memory", "16MiB")
    assert done.code == 2
    assert "plan: " in done.err
    assert "--memory 16.0 MiB is allowed" in done.err
    found = answer(run(*command, *as_is, "--memory", "1GiB"))
    passes = sum(piece["passes"] for piece in found["plan"])
    assert found["used"]["passes"] == passes == {"uniform": 2, "greedy": 3}.get(method, passes)
    assert found["used"]["bytes_read"] == sum(piece["bytes_read"] for piece in found["plan"])
