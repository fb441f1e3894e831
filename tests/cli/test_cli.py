"""The command line: real processes where that matters, calls of ``main`` elsewhere."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from calls import needs
from rich.console import Console

import colonnade
from colonnade import METHODS, Selection, io, select
from colonnade.cli import main
from colonnade.cli.progress import Reporter
from colonnade.cli.show import Answer, selection_table
from colonnade.cli.treatment import Treatment

NAMES = [f"f{j}" for j in range(8)]
AS_IS = ("--no-center", "--scale", "none")
"""The data as it is, where what is done to it is beside the point."""


@pytest.fixture
def X():
    rng = np.random.default_rng(3)
    return rng.normal(size=(40, 5)) @ rng.normal(size=(5, 8)) + 0.1 * rng.normal(size=(40, 8))


@pytest.fixture
def data(tmp_path, X):
    """A CSV file with eight columns of numbers and one of text."""
    path = tmp_path / "data.csv"
    frame = pd.DataFrame(X, columns=NAMES)
    frame["kind"] = np.where(X[:, 0] > 0, "plus", "minus")
    frame.to_csv(path, index=False)
    return path


def start(*arguments, **options):
    command = [sys.executable, "-m", "colonnade", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **{**pipes, **options})


def process(*arguments, **options):
    started = start(*arguments, **options)
    out, err = started.communicate(timeout=60)
    return SimpleNamespace(code=started.returncode, out=out, err=err)


def rows_of(text):
    """Return the cells of a printed table, without its title line."""
    lines = [line for line in text.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


# --- the main job -------------------------------------------------------------------------------


@pytest.mark.slow
def test_select_in_a_real_process(data, X, tmp_path):
    before = data.read_bytes()
    out, plot = tmp_path / "out.csv", tmp_path / "path.png"
    files = ("--out", out, "--plot", plot)
    done = process("select", data, "-n", 3, "--label", "kind", *files, *AS_IS)
    assert done.code == 0, done.err
    assert done.err == ""
    expected = select(X, 3)
    rows = rows_of(done.out)
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert [row[1] for row in rows] == [NAMES[i] for i in expected.indices]
    assert [int(row[2]) for row in rows] == expected.indices.tolist()
    explained, left = ([float(row[k]) for row in rows] for k in (3, 4))
    np.testing.assert_allclose(explained, 100 * (1 - expected.relative_errors), atol=0.0501)
    np.testing.assert_allclose(left, 100 * expected.relative_errors, atol=0.0051)
    kept = 100 * (1 - expected.relative_errors[-1])
    assert f"3 of 8 columns explain {kept:.1f} % of the squared size of all 8; no 3 " in done.out
    frame = pd.read_csv(out)
    chosen = sorted(expected.indices)
    assert list(frame.columns) == [*(NAMES[i] for i in chosen), "kind"]
    # reading by pandas alone may round the last digit
    np.testing.assert_allclose(frame.iloc[:, :3].to_numpy(), X[:, chosen], rtol=1e-12)
    assert frame["kind"].tolist() == pd.read_csv(data)["kind"].tolist()
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert data.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "out.csv", "path.png"]


@pytest.mark.slow
def test_json_on_standard_output_is_nothing_else(data, X):
    done = process("select", data, "-n", "25%", "--label", "kind", "--json", *AS_IS)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    expected = select(X, 2)
    assert found["names"] == [NAMES[i] for i in expected.indices]
    assert found["relative_errors"] == pytest.approx(expected.relative_errors)
    assert found["relative_error"] == pytest.approx(expected.relative_errors[-1])
    assert (found["of"], found["method"], found["source"]) == ("columns", "greedy", str(data))
    again = Selection.from_dict(found)
    np.testing.assert_array_equal(again.indices, expected.indices)
    np.testing.assert_allclose(again.errors, expected.errors)
    assert again.embedding is None
    assert again.n_candidates == 8


@pytest.mark.slow
def test_demo(tmp_path):
    done = process("demo", "--out", "results", cwd=tmp_path)
    assert done.code == 0, done.err
    rows = rows_of(done.out)
    assert len(rows) == 20
    digits = colonnade.datasets.load("digits").X
    expected = select(digits, 20, center=True, refine=True)
    assert [int(row[2]) for row in rows] == expected.indices.tolist()
    assert rows[0][1] == "pixel_4_2"
    found = {
        "greedy, refined": expected,
        "greedy": select(digits, 20, center=True),
        "pivoted-qr": select(digits, 20, method="pivoted-qr", center=True),
        "uniform": select(digits, 20, method="uniform", center=True, random_state=0),
    }
    for name, selection in found.items():
        accuracy = colonnade.metrics.relative_accuracy(digits, selection)
        assert re.search(rf"^  {name} +{100 * accuracy:.1f} %", done.out, re.M)
    assert "Written to results:" in done.out
    folder = tmp_path / "results"
    stored = Selection.from_dict(json.loads((folder / "selection.json").read_text()))
    np.testing.assert_array_equal(stored.indices, expected.indices)
    table = io.read(folder / "reduced.csv", label="digit")
    np.testing.assert_array_equal(table.X, digits[:, np.sort(expected.indices)])
    assert (folder / "error-path.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(folder.iterdir())) == 3


def test_console_script_version_and_help():
    script = os.path.join(os.path.dirname(sys.executable), "colonnade")
    if not os.path.exists(script):
        pytest.skip("the package is not installed")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"colonnade {colonnade.__version__}\n")


def test_help(run):
    assert run("--version").out == f"colonnade {colonnade.__version__}\n"
    bare = run()
    assert bare.code == 2
    assert "select" in bare.out
    assert "demo" in bare.out
    helped = run("select", "--help")
    assert helped.code == 0
    for option in ("--max-error", "--rows", "--out", "--plot", "--json", "--no-header", "--debug"):
        assert option in helped.out


# --- signals ------------------------------------------------------------------------------------


@pytest.fixture
def listening():
    """Let processes hear SIGINT, which a shell makes those in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.usefixtures("listening")
@pytest.mark.slow
def test_interrupted_while_writing(tmp_path, number, code):
    np.save(tmp_path / "big.npy", np.random.default_rng(0).normal(size=(40_000, 60)))
    out = tmp_path / "out.csv"
    out.write_text("old")
    started = start("select", tmp_path / "big.npy", "-n", "100%", "--out", out)
    deadline = time.monotonic() + 60
    # the file must have begun to grow: then a half file exists, under another name
    while not any(p.stat().st_size for p in tmp_path.glob(".*.part")):
        assert started.poll() is None, "it was over before it could be interrupted"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert out.read_text() == "old"
    started.send_signal(number)
    printed, err = started.communicate(timeout=60)
    assert started.returncode == code
    assert printed == ""
    assert "Traceback" not in err
    if number == signal.SIGINT:
        assert err.splitlines()[-1] == "colonnade: interrupted"
    assert out.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big.npy", "out.csv"]


def test_interrupted_while_choosing(run, data, monkeypatch):
    def interrupt(self, count, wanted, error):
        raise KeyboardInterrupt

    monkeypatch.setattr(Reporter, "__call__", interrupt)
    out = data.with_name("out.csv")
    done = run("select", data, "-n", 2, "--label", "kind", "--out", out)
    assert done.code == 130
    assert done.err == "colonnade: interrupted\n"
    assert done.out == ""
    assert not out.exists()


@pytest.mark.slow
def test_reader_that_leaves_early():
    started = start("methods", stdout=subprocess.PIPE)
    started.stdout.close()
    err = started.stderr.read()
    started.wait(timeout=60)
    started.stderr.close()
    assert "Traceback" not in err
    assert "Exception ignored" not in err


# --- progress -----------------------------------------------------------------------------------


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_on_a_terminal_alone(capsys, monkeypatch, terminal):
    monkeypatch.setattr(Reporter, "delay", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("COLUMNS", "200")
    with Reporter() as report:
        report.phase("choosing rows")
        report(3, 9, 0.25)
        out, err = capsys.readouterr()
        deadline = time.monotonic() + (60 if terminal else 0.6)
        while "% left" not in err and time.monotonic() < deadline:
            time.sleep(0.05)
            err += capsys.readouterr().err
    assert out + capsys.readouterr().out == ""
    if terminal:
        assert "choosing rows" in err
        assert "25.00 % left" in err
    else:
        assert err == ""


def test_no_progress_for_quick_work(capsys):
    assert Reporter.delay == 1.0
    with Reporter() as report:
        report(1, 2, 0.5)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_bar_on_a_terminal(tmp_path):
    # so large that writing it takes longer than the silence before a bar
    np.save(tmp_path / "big.npy", np.random.default_rng(0).normal(size=(60_000, 60)))
    ours, theirs = pty.openpty()
    started = start(
        "select", tmp_path / "big.npy", "-n", 60, "--out", tmp_path / "o.csv", stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # how Linux reports that the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    out, _ = started.communicate(timeout=60)
    assert started.returncode == 0
    assert b"writing" in shown
    assert b"\x1b[" in shown  # it moves
    assert "writing" not in out


# --- choices ------------------------------------------------------------------------------------


def chosen(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_rows(run, data, X, tmp_path):
    out = tmp_path / "rows.csv"
    done = run("select", data, "-n", 3, "--rows", "--label", "kind", "-o", out, *AS_IS)
    expected = select(X.T, 3)
    rows = rows_of(done.out)
    assert [int(row[1]) for row in rows] == expected.indices.tolist()
    kinds = pd.read_csv(data)["kind"]
    assert [row[2] for row in rows] == kinds[expected.indices].tolist()
    assert "3 of 40 rows explain" in done.out
    frame = pd.read_csv(out, index_col=0)
    assert frame.index.tolist() == sorted(expected.indices)
    np.testing.assert_allclose(frame[NAMES].to_numpy(), X[np.sort(expected.indices)], rtol=1e-12)
    found = chosen(run("select", data, "-n", 3, "--rows", "--label", "kind", "--json", *AS_IS))
    assert found["of"] == "rows"
    assert found["names"] == [str(i) for i in expected.indices]
    assert found["labels"] == kinds[expected.indices].tolist()
    # the rows of the reduced file keep their numbers as names
    again = chosen(run("select", out, "-n", 3, "--rows", "--label", "kind", "--json", *AS_IS))
    assert set(again["names"]) == set(found["names"])
    assert sorted(again["indices"]["values"]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("size", "count"), [("3", 3), ("0.25", 2), ("25%", 2), ("100%", 8), ("1.0", 8), ("1", 1)]
)
def test_sizes(run, data, size, count):
    found = chosen(run("select", data, "-n", size, "--label", "kind", "--json"))
    assert len(found["names"]) == count


def test_max_error(run, data, X):
    for text in ("0.2", "20%"):
        found = chosen(run("select", data, "--max-error", text, "--label", "kind", "--json"))
        errors = found["relative_errors"]
        assert errors[-1] <= 0.2 < errors[-2]
    done = run("select", data, "--max-error", "1%", "-n", 1, "--label", "kind")
    assert "1 of 8 columns explains" in done.out
    assert " % is lost, more than the 1.00 % allowed; no direction could" in done.out


def test_parameters_reach_the_method(run, data, X):
    common = ("select", data, "-n", 3, "--label", "kind", "--json", *AS_IS)
    for seed in (0, 1, 2):
        found = chosen(run(*common, "-m", "uniform", "--seed", seed))
        expected = select(X, 3, method="uniform", random_state=seed)
        assert found["indices"]["values"] == expected.indices.tolist()
    found = chosen(run(*common, "-m", "uniform"))
    assert (
        found["indices"]["values"]
        == select(X, 3, method="uniform", random_state=0).indices.tolist()
    )
    found = chosen(run(*common, "--param", "target=svd", "--param", "rank=1"))
    assert found["indices"]["values"] == select(X, 3, target="svd", rank=1).indices.tolist()
    assert found["info"]["method"] == found["method"] == "approx-svd"
    found = chosen(run(*common, "-m", "uniform", "--refine"))
    assert found["info"]["n_swaps"] > 0
    found = chosen(run(*common, "--must-include", "f7,2", "--exclude", "f0", "--exclude", "-3"))
    assert found["names"][:2] == ["f7", "f2"]
    assert found["names"] == [
        NAMES[i] for i in select(X, 3, must_include=[7, 2], exclude=[0, 5]).indices
    ]


def test_supervised_methods_take_the_label(run, data, X):
    name = "sparse-approximation"
    common = ("select", data, "-n", 2, "-m", name, *AS_IS)
    found = chosen(run(*common, "--label", "kind", "--json"))
    kinds = pd.read_csv(data)["kind"].to_numpy()
    target = np.column_stack([kinds == "minus", kinds == "plus"]).astype(float)
    expected = select(X, 2, method=name, target=target)
    assert found["indices"]["values"] == expected.indices.tolist()
    assert found["relative_errors"] == pytest.approx(expected.relative_errors)
    done = run(*common, "--label", "f3", "--drop", "kind")
    assert "of the squared size of the target 'f3'.\n" in done.out
    expected = select(np.delete(X, 3, axis=1), 2, method=name, target=X[:, 3])
    assert [int(row[2]) for row in rows_of(done.out)] == expected.indices.tolist()
    done = run("select", data, "-n", 2, "-m", name, "--drop", "kind")
    assert (done.code, done.out) == (2, "")
    assert "needs a target; name its column with --label" in done.err


def test_missing_labels_are_refused(run, tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c,kind\n1,2,0,x\n2,1,5,\n3,5,1,y\n4,4,2,x\n")
    for method in ("supervised-dual-set", "information-gain", "sparse-approximation"):
        done = run("select", tmp_path / "a.csv", "-n", 3, "-m", method, "--label", "kind")
        assert done.code == 2
        assert "'kind' has 1 missing value, first in row 1 of the data" in done.err


def test_missing_labels_of_chosen_rows(run, tmp_path):
    path = tmp_path / "a.csv"
    for gap, second in (("", None), ("7", 7.0)):
        path.write_text(f"a,b,k\n1,0,1.5\n0,5,{gap}\n")
        found = chosen(run("select", path, "-n", 2, "--rows", "--label", "k", "--json", *AS_IS))
        assert found["labels"] == [second, 1.5]
    path.write_text("a,b,k\n1,0,1.5\n0,5,\n")
    rows = rows_of(run("select", path, "-n", 2, "--rows", "--label", "k", *AS_IS).out)
    assert [row[2] for row in rows] == ["", "1.5"]
    path.write_text("a,b,k\n1,0,x\n0,5,\n")
    found = chosen(run("select", path, "-n", 2, "--rows", "--label", "k", "--json", *AS_IS))
    assert found["labels"] == ["", "x"]
    out = tmp_path / "s.json"
    path.write_text("a,b,k\n1,0,inf\n0,5,1\n")
    common = ("select", path, "-n", 2, "--rows", "--label", "k", *AS_IS)
    found = chosen(run(*common, "--json", "--out", out))
    assert found["labels"] == [1.0, "inf"]
    assert json.loads(out.read_text())["labels"] == [1.0, "inf"]


@pytest.mark.slow
def test_every_unsupervised_method_runs_on_sparse_files(run, tmp_path):
    X = sp.random_array((30, 12), density=0.5, rng=np.random.default_rng(0), format="csr")
    io.write(tmp_path / "a.mtx", io.Table(X))
    for name, entry in METHODS.items():
        if entry.supervised:
            continue
        params = needs(name, X.toarray(), 4)
        given = [f"--param={key}={value}" for key, value in params.items()]
        done = run("select", tmp_path / "a.mtx", "-n", 4, "-m", name, "--json", *given)
        if "sparse" not in entry.inputs:
            assert f"method {name!r} does not take sparse data" in done.err
            continue
        found = chosen(done)
        assert 1 <= len(found["names"]) <= 4
        assert len(found["names"]) == 4 or entry.weighted
        assert found["method"] == name


@pytest.mark.parametrize("extension", [".csv", ".tsv.gz", ".parquet", ".npz", ".json", ".mtx"])
def test_outputs(run, data, X, tmp_path, extension):
    out = tmp_path / f"out{extension}"
    assert run("select", data, "-n", 3, "--label", "kind", "--out", out, *AS_IS).code == 0
    expected = select(X, 3)
    if extension == ".json":
        stored = json.loads(out.read_text())
        assert stored["names"] == [NAMES[i] for i in expected.indices]
        np.testing.assert_allclose(Selection.from_dict(stored).errors, expected.errors)
        return
    options = {} if extension in (".npz", ".mtx") else {"label": "kind"}
    table = io.read(out, **options)
    np.testing.assert_array_equal(table.X, X[:, np.sort(expected.indices)])
    if extension != ".mtx":
        assert table.columns == [NAMES[i] for i in sorted(expected.indices)]
        assert table.labels.tolist() == pd.read_csv(data)["kind"].tolist()


@pytest.mark.parametrize(
    ("extension", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_pictures(run, data, tmp_path, extension, start):
    plot = tmp_path / f"p{extension}"
    done = run("select", data, "-n", 3, "--label", "kind", "--plot", plot)
    assert done.code == 0, done.err
    assert f"Written: {plot}" in done.out
    assert plot.read_bytes().startswith(start)


def test_half_a_picture_is_not_kept(run, data, monkeypatch):
    def savefig(self, file, **options):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", savefig)
    plot = data.with_name("p.png")
    plot.write_bytes(b"old")
    done = run("select", data, "-n", 2, "--label", "kind", "--plot", plot)
    assert done.code == 1
    assert "No space left on device" in done.err
    assert plot.read_bytes() == b"old"
    assert sorted(p.name for p in data.parent.iterdir()) == ["data.csv", "p.png"]


def test_names_are_shown_as_they_are(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"[red]x[/red]",:smile:,größe\n1,0,0\n0,2,0\n0,0,3\n', "utf-8")
    names = [row[1] for row in rows_of(run("select", path, "-n", 3, *AS_IS).out)]
    assert names == ["größe", ":smile:", "[red]x[/red]"]
    found = chosen(run("select", path, "-n", 1, "--must-include", "größe", "--json"))
    assert found["names"] == ["größe"]
    out = tmp_path / "[red]:smile:.csv"
    assert f"Written: {out}\n" in run("select", path, "-n", 1, "--out", out).out


def test_answers_with_weights_and_without_errors(X):
    selection = Selection(np.array([4, 1]), 8, weights=np.array([0.5, 2.25]))
    table, as_is = io.Table(X), Treatment(center=False, scale="none")
    treated = as_is.of(table)
    greedy, A = METHODS["greedy"], treated.preparation.A
    answer = Answer("a.csv", table, selection, greedy, False, treated, A)
    lost = colonnade.metrics.reconstruction_error(X, selection)
    assert answer.lost() == pytest.approx(lost)
    assert f"explain {100 * (1 - lost):.1f} %" in answer.sentence()
    assert answer.to_dict()["relative_errors"] is None
    assert answer.to_dict()["relative_error"] == pytest.approx(lost)
    console = Console(width=80)
    with console.capture() as shown:
        console.print(selection_table(answer))
    assert rows_of(shown.get()) == [["1", "x4", "4", "0.5"], ["2", "x1", "1", "2.25"]]
    assert "weight" in shown.get()
    turned = Answer("a.csv", io.Table(X.T), selection, greedy, True, as_is.of(io.Table(X.T)), A)
    assert turned.lost() == pytest.approx(lost)


def test_methods(run):
    found = chosen(run("methods", "--json"))
    assert list(found) == list(METHODS)
    assert found["uniform"]["randomized"] is True
    assert found["greedy"]["title"] == METHODS["greedy"].title
    assert "refine" in found["greedy"]["parameters"]
    assert "progress" not in found["greedy"]["parameters"]
    shown = run("methods").out
    for name in METHODS:
        assert f"│ {name} " in shown


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["-n", "0"], "-n 0: choose at least 1"),
        (["-n", "-5"], "-n -5: choose at least 1"),
        (["-n", "9"], "data.csv has 8 columns; choose 1 to 8"),
        (["-n", "41", "--rows"], "data.csv has 40 rows; choose 1 to 40"),
        (["-n", "1.5"], "-n 1.5: a fraction lies above 0 and is at most 1"),
        (["-n", "0%"], "-n 0%: a fraction lies above 0"),
        (["-n", "nan"], "-n nan: a fraction lies above 0"),
        (
            ["-n", "many"],
            "-n 'many': give a number (20), a fraction (0.1), a percentage",
        ),
        (["--max-error", "x"], "--max-error 'x': give a fraction (0.1) or a percentage (10%)"),
        (["--max-error", "1.5"], "--max-error 1.5: choose a share from 0 on that is below 1"),
        (["-n", "2", "-m", "gredy"], "unknown method 'gredy' (did you mean 'greedy'?); there are"),
        (["-n", "2", "-m", "zzz"], "unknown method 'zzz'; there are greedy, "),
        (
            ["-n", "2", "--param", "foo=1"],
            "no parameter 'foo' for --param; it takes target, n_groups, ",
        ),
        (["-n", "2", "--param", "foo"], "--param 'foo': give NAME=VALUE"),
        (["-n", "2", "--param", "progress=1"], "no parameter 'progress'"),
        (["-n", "2", "--refine", "--param", "refine=2"], "'refine' is given twice"),
        (["-n", "2", "--param", "target=zzz"], "target='zzz' is unknown"),
        (["-n", "2", "--param", "n_candidates=x"], "n_candidates must be an integer, got 'x'"),
        (
            ["-n", "2", "--must-include", "f9"],
            "--must-include f9: no column 'f9'; there are f0, f1, f2",
        ),
        (["-n", "2", "--must-include", "ff7"], "no column 'ff7'; did you mean 'f7'?"),
        (["-n", "2", "--must-include", "8"], "no column 8; they are numbered 0 to 7"),
        (["-n", "2", "--rows", "--exclude", "f1"], "no row 'f1', the rows have no names"),
        (["-n", "2", "--exclude", "0,1,2,3,4,5,6"], "exclude leaves 1 columns"),
        (["-n", "2", "-m", "sparse-approximation", "--rows"], "leave --rows out"),
        (["-n", "2", "--out", "a.doc"], "unknown extension (.doc)"),
        (["-n", "2", "--out", "no/such/a.csv"], "there is no directory"),
        (["-n", "2", "--plot", "a.gif"], "known are .png, .svg, .pdf"),
        (["-n", "2", "--out", "data.csv"], "in use here already"),
        (
            ["-n", "2", "--key", "X"],
            "data.csv: --key X has no meaning for CSV, which is one array; leave it out",
        ),
        (["-n", "2", "--zzz"], "No such option: --zzz (see colonnade select --help)"),
        (["-n", "2", "--seed", "x"], "--seed 'x': choose a whole number from 0 to 4294967295"),
        (["-n", "2", "--seed", "-1"], "--seed -1: choose a whole number from 0 to 4294967295"),
        (["-n", "2", "--param", "exclude=1"], "--param 'exclude=1': set exclude with --exclude"),
        (["-n", "2", "-m", "bss", "--param", "rank=3"], "(n_select is -n here)"),
    ],
)
def test_wrong_usage(run, data, monkeypatch, arguments, part):
    monkeypatch.chdir(data.parent)
    before = data.read_bytes()
    done = run("select", "data.csv", "--label", "kind", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("colonnade: error: ")
    assert done.err.count("\n") == 1
    assert part in done.err
    assert data.read_bytes() == before
    assert [p.name for p in data.parent.iterdir()] == ["data.csv"]


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("a.csv", "a,b\n1,x\n", "column 'b' holds text, first 'x' in line 2"),
        ("a.csv", "a,b\n0,0\n0,0\n", "all columns are constant: nothing varies"),
        ("a.csv", "a,b\n1e300,1\n", "out of range; multiply the data by 1e-300 first"),
        ("a.csv", "a,b\n1e-320,0\n", "out of range; multiply the data by 1e+300 first"),
        ("a.csv", "a,b\n3e-150,0\n", "out of range; multiply the data by 1e+150 first"),
        ("a.csv", "a,b\n1,\n", "missing (NaN)"),
        ("a.csv", "", "the file is empty"),
        ("a.parquet", "PAR1", "not a complete Parquet file"),
        ("a.npz", "x", "not an NPZ file"),
        ("a.xls", "x", "unknown extension"),
    ],
)
def test_bad_data(run, tmp_path, name, content, part):
    (tmp_path / name).write_text(content)
    done = run("select", tmp_path / name, "-n", 1, "--out", tmp_path / "o.csv")
    assert done.code == 2
    assert done.err.startswith("colonnade: error: ")
    assert done.err.count("\n") == 1
    assert part in done.err
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_zeros_that_nobody_centres(run, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n0,0\n0,0\n")
    done = run("select", tmp_path / "a.csv", "-n", 1, *AS_IS)
    assert (done.code, done.out) == (2, "")
    assert "the data is zero everywhere" in done.err


def test_rank_reached_is_a_warning(run, tmp_path):
    np.save(tmp_path / "a.npy", np.outer(np.arange(1, 6), np.arange(1, 5)))
    done = run("select", tmp_path / "a.npy", "-n", 3, "--json")
    assert chosen(done)["n_candidates"] == 4
    assert len(chosen(done)["names"]) == 1
    assert re.fullmatch(r"colonnade: warning: 1 of the 3 choices.*rank reached.*\n", done.err)


def test_constant_and_single_columns_are_fine(run, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,5\n1,6\n1,7\n")
    assert chosen(run("select", tmp_path / "a.csv", "-n", 1, "--json"))["names"] == ["b"]
    (tmp_path / "a.csv").write_text("a\n1\n2\n")
    done = run("select", tmp_path / "a.csv", "-n", 1)
    assert (
        "1 of 1 column explains 100.0 % of the variance of the data; no direction could explain "
        "more than 100.0 %"
    ) in done.out


def test_debug_shows_where(run, tmp_path):
    plain = run("select", tmp_path / "no.csv", "-n", 1)
    assert "Traceback" not in plain.err
    for arguments in (["--debug", "select"], ["select", "--debug"]):
        done = run(*arguments, tmp_path / "no.csv", "-n", 1)
        assert done.code == 2
        assert "Traceback" in done.err
        assert done.err.splitlines()[-1] == plain.err.strip()


def test_unexpected_errors(run, data, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("a\nbug")

    monkeypatch.setattr(io, "read_with", broken)
    done = run("select", data, "-n", 1)
    assert done.code == 1
    assert done.err == (
        "colonnade: error: RuntimeError: a bug; run it again with --debug to see where\n"
    )
    done = run("select", data, "-n", 1, "--debug")
    assert done.code == 1
    assert "in broken" in done.err
    monkeypatch.setattr(io, "read_with", lambda *a, **k: (_ for _ in ()).throw(MemoryError))
    assert "not enough memory" in run("select", data, "-n", 1).err


def test_failing_to_write_does_not_cost_the_answer(run, data, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(io, "write", full)
    done = run("select", data, "-n", 2, "--label", "kind", "--out", data.with_name("o.csv"))
    assert done.code == 1
    assert len(rows_of(done.out)) == 2
    assert "Written" not in done.out
    assert "No space left on device" in done.err


def test_demo_into_a_file(run, tmp_path):
    (tmp_path / "taken").write_text("x")
    done = run("demo", "--out", tmp_path / "taken")
    assert done.code == 2
    assert "this folder cannot be made" in done.err


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_missing_packages(package, capsys, monkeypatch):
    for name in [
        n for n in sys.modules if n.split(".")[0] == package or n.startswith("colonnade.cli.")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SystemExit) as caught:
        main(["methods"])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"the command line needs {package}" in err
    assert 'pip install "colonnade[cli]"' in err


def test_missing_matplotlib(run, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("select", data, "-n", 1, "--label", "kind", "--plot", data.with_name("p.png"))
    assert done.code == 2
    assert 'pip install "colonnade[plot]"' in done.err
