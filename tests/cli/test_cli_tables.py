"""The command line on a person's table: what is said, what is left out, and what is asked for."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from test_cli import AS_IS, listening, process, start  # noqa: F401

from colonnade import Covariance, ReducedKMeans, Selection, SVDProjection, io, select
from colonnade.cli.classify_command import Trial
from colonnade.cli.errors import InputError
from colonnade.cli.input import spelling, split_names

M = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(M, 3)) @ RNG.normal(size=(3, 6)) + 0.1 * RNG.normal(size=(M, 6))
NAMES = [f"s{j}" for j in range(6)]
COMMANDS = {
    "select": ("-n", 2),
    "cluster": ("-k", 3),
    "project": ("-n", 2, "-m", "svd", "--out", "out.csv"),
    "classify": ("-n", 2, "--method", "pivoted-qr", "--folds", 3, "--target", "operator"),
}


def gaps():
    Z = X.copy()
    Z[RNG.permutation(M)[:9], np.arange(9) % 4] = np.nan
    return Z


GAPPED = gaps()
FRAME = pd.DataFrame(GAPPED, columns=NAMES)
FRAME.insert(0, "batch_id", np.arange(M) + 700)
FRAME["operator"] = ["ben", "ann"] * (M // 2)
FRAME["my day"] = pd.date_range("2024-01-01", periods=M).strftime("%d.%m.%Y")
FRAME["on"] = [True, False, True] * (M // 3)
MEANS = np.where(np.isnan(GAPPED), np.nanmean(GAPPED, axis=0), GAPPED)
MEDIANS = np.where(np.isnan(GAPPED), np.nanmedian(GAPPED, axis=0), GAPPED)
ON = FRAME[["on"]].to_numpy(dtype=float)


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def answer(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


def chosen(done):
    """The numbers of what was chosen."""
    return Selection.from_dict(answer(done)).indices.tolist()


# --- what is wrong, and what to do --------------------------------------------------------------


def test_the_first_try_names_everything(run, table):
    done = run("select", "table.csv", "-n", 2)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "colonnade: error: table.csv: 2 columns hold no numbers: 'operator' (text, first 'ben' in "
        "line 2), 'my day' (dates, such as '01.01.2024'); 4 columns have missing (NaN) values: "
        f"'s0' (3, first in line {2 + np.isnan(GAPPED[:, 0]).argmax()}), 's1' (2), 's2' (2), 's3' "
        "(2); leave the former out and fill the gaps in the others with --numeric-only and "
        "--missing mean (or median, drop-rows, drop-columns), or leave out all of these with "
        "--drop 'operator,my day,s0,s1,s2,s3'; if one is the label, say so with --label operator\n"
    )


def test_what_is_advised_can_be_pasted(run, table):
    drop = shlex.split("--drop 'operator,my day,s0,s1,s2,s3'")
    done = run("select", table, "-n", 2, *drop, "--json")
    assert answer(done)["n_candidates"] == 4
    drop = shlex.split("--drop 'operator,my day'")
    done = run("select", table, "-n", 2, *drop, "--missing", "mean", "--json")
    assert answer(done)["n_candidates"] == 8  # with the identifier, of which a warning tells
    assert "'batch_id' looks like an identifier" in done.err
    done = run("select", table, "-n", 2, "--numeric-only", "--missing", "mean", "--json")
    assert answer(done)["n_candidates"] == 7
    assert "looks like" not in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_left_out_is_said_by_every_command(run, table, command):
    call = (command, table, *COMMANDS[command], "--numeric-only", "--missing", "median")
    done = run(*call)
    assert done.code == 0, done.err
    text = "" if command == "classify" else "'operator' (text); "
    count = 2 if command == "classify" else 3
    assert (
        f"colonnade: left out {count} columns: {text}'my day' (dates); 'batch_id' (identifier)\n"
    ) in done.err


# --- gaps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "filled"), [("mean", MEANS), ("median", MEDIANS)])
def test_filled_gaps(run, table, how, filled):
    Z = np.column_stack([filled, ON])
    common = (table, "--numeric-only", "--missing", how, *AS_IS)
    done = run("select", *common, "-n", 3, "--json")
    assert f"filled 9 gaps in 4 columns with the {how} of each column" in done.err
    expected = select(Z, 3)
    assert chosen(done) == expected.indices.tolist()
    np.testing.assert_allclose(answer(done)["relative_errors"], expected.relative_errors)
    direct = select(np.column_stack([GAPPED, ON]), 3, missing=how)
    np.testing.assert_allclose(answer(done)["relative_errors"], direct.relative_errors)
    done = run("select", *common, "-n", 3, "--rows", "--json")
    assert chosen(done) == select(Z.T, 3).indices.tolist()
    done = run("cluster", *common, "-k", 3, "--json")
    model = ReducedKMeans(3, None, n_init=5, n_polish=3, random_state=0).fit(Z)
    assert answer(done)["labels"] == model.labels_.tolist()
    done = run("project", *common, "-n", 2, "-m", "svd", "--out", "out.npz")
    assert done.code == 0, done.err
    np.testing.assert_allclose(
        np.abs(io.read("out.npz").X), np.abs(SVDProjection(2).fit_transform(Z)), atol=1e-9
    )


def test_pairwise(run, table):
    common = (table, "--numeric-only", "--missing", "pairwise")
    done = run("select", *common, "-n", 3, "--json", "--scale", "none")
    direct = select(np.column_stack([GAPPED, ON]), 3, missing="pairwise", center=True)
    assert chosen(done) == direct.indices.tolist()
    for call in (
        ("select", "-n", 2, "--rows"),
        ("select", "-n", 2, "--certify"),
        *((name, *rest) for name, rest in COMMANDS.items() if name != "select"),
    ):
        done = run(call[0], *common, *call[1:])
        assert (done.code, done.out) == (2, ""), call
        assert "--missing pairwise is for choosing columns" in done.err
        assert "choose mean or median here" in done.err


def test_dropped_rows_and_columns(run, table):
    common = ("select", table, "--numeric-only", "-n", 2, *AS_IS, "--missing")
    done = run(*common, "drop-rows", "--json")
    assert "colonnade: left out 9 of 60 rows, with gaps\n" in done.err
    whole = ~np.isnan(GAPPED).any(axis=1)
    expected = select(np.column_stack([X, ON])[whole], 2)
    assert chosen(done) == expected.indices.tolist()
    done = run(*common, "drop-columns", "--json")
    assert "'s0', 's1', 's2', 's3' (missing values)" in done.err
    assert answer(done)["n_candidates"] == 3
    done = run(*common, "fill")
    assert (done.code, done.out) == (2, "")
    assert "--missing fill: unknown; there are error, drop-rows, drop-columns, mean" in done.err


def test_folds_are_filled_by_the_rows_that_are_known(run, table):
    known = io.Table(np.array([[1.0, np.nan], [3, 2]]))
    new = io.Table(np.array([[np.nan, 100.0], [50, np.nan]]))
    filled = Trial("all", missing="mean")._filled(known, new)
    np.testing.assert_array_equal(filled[0].X, [[1, 2], [3, 2]])
    np.testing.assert_array_equal(filled[1].X, [[2, 100], [50, 2]])
    assert Trial("all")._filled(known, new) == [known, new]
    empty = io.Table(np.full((3, 1), np.nan), ["s7"])
    with pytest.raises(InputError, match="--missing mean: column 's7' has no entry in 3 rows"):
        Trial("all", missing="mean")._filled(empty)
    done = run("classify", table, *COMMANDS["classify"], "--numeric-only", "--missing", "mean",
               "--json")  # fmt: skip
    assert answer(done)["n_rows"] == M


# --- counts, names and covariances --------------------------------------------------------------


def test_counts(run, tmp_path):
    counts = sp.random_array((40, 12), density=0.3, rng=np.random.default_rng(1), format="csc")
    counts.data = np.ceil(9 * counts.data)
    sp.save_npz(tmp_path / "a.npz", counts)
    (tmp_path / "vocab.txt").write_text("\n".join(f"word{j}" for j in range(12)))
    done = run(
        "select", tmp_path / "a.npz", "-n", 3, "--names", tmp_path / "vocab.txt", *AS_IS,
        "--transform", "log1p", "--min-df", "25%", "--max-df", 13, "--json",
    )  # fmt: skip
    frequencies = (counts.toarray() > 0).sum(axis=0)
    kept = np.flatnonzero((frequencies >= 10) & (frequencies <= 13))
    assert 3 < len(kept) < 12
    expected = select(np.log1p(counts.toarray()[:, kept]), 3)
    assert answer(done)["names"] == [f"word{kept[j]}" for j in expected.indices]
    assert "(too rare)" in done.err
    assert "(too common)" in done.err
    done = run("select", tmp_path / "a.npz", "-n", 3, "--min-df", "few")
    assert "--min-df 'few': give a number (20), a fraction (0.1)" in done.err


def test_row_names(run, table):
    done = run("select", table, "--rows", "-n", 2, "--row-names", "my day", "--numeric-only",
               "--missing", "mean", "--json")  # fmt: skip
    days = FRAME["my day"].tolist()
    assert answer(done)["names"] == [days[i] for i in chosen(done)]


def test_covariance(run, tmp_path):
    S = pd.DataFrame(np.cov(X.T, ddof=0), NAMES, NAMES)
    S.to_csv(tmp_path / "S.csv")
    done = run("select", tmp_path / "S.csv", "-n", 3, "--covariance", "--json")
    expected = select(X, 3, center=True)
    assert answer(done)["names"] == [NAMES[j] for j in expected.indices]
    np.testing.assert_allclose(answer(done)["relative_errors"], expected.relative_errors, rtol=1e-6)
    done = run("select", tmp_path / "S.csv", "-n", 3, "--covariance", "--n-samples", M, "--json")
    direct = select(Covariance(S.to_numpy(), M), 3)
    np.testing.assert_allclose(Selection.from_dict(answer(done)).errors, direct.errors, rtol=1e-6)
    for call, part in [
        (("--covariance", "--rows"), "--rows needs the data itself"),
        (("--covariance", "--certify"), "--certify needs the data itself"),
        (("--covariance", "--out", tmp_path / "o.csv"), "there is no data to reduce"),
        (("--n-samples", 5), "add --covariance"),
    ]:
        done = run("select", tmp_path / "S.csv", "-n", 3, *call)
        assert (done.code, done.out) == (2, "")
        assert part in done.err


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("a,b\n1,2\n2,3\n3,4\n", "holds 3 rows and 2 columns"),
        ("a,b\n1,2\n1,3\n", "is not symmetric: 2 in row 0 and column 'b', but 1 in row 1"),
        (",a,b\nb,2,1\na,1,3\n", "are in different order"),
        ("a,b\n1,2\n2,1\n", "semidefinite"),
    ],
)
def test_no_covariances(run, tmp_path, content, part):
    (tmp_path / "S.csv").write_text(content)
    done = run("select", tmp_path / "S.csv", "-n", 1, "--covariance")
    assert (done.code, done.out) == (2, "")
    assert part in done.err


# --- real processes -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "xlsx", "feather"])
def test_files_and_standard_input_in_real_processes(tmp_path, form):
    path = tmp_path / f"table.{form}"
    writers = {
        "csv": lambda: FRAME.to_csv(path, index=False),
        "xlsx": lambda: FRAME.to_excel(path, index=False, sheet_name="plant"),
        "feather": lambda: FRAME.to_feather(path),
    }
    writers[form]()
    options = ("-n", 2, "--numeric-only", "--missing", "mean", "--json")
    sheet = ("--sheet", "plant") if form == "xlsx" else ()
    plain = process("select", path, *options, *sheet)
    names = select(np.column_stack([MEANS, ON]), 2).indices
    assert answer(plain)["names"] == [[*NAMES, "on"][j] for j in names]
    with path.open("rb") as file:
        piped = process("select", "-", *options, *sheet, "--format", form, stdin=file)
    assert answer(piped)["names"] == answer(plain)["names"]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_nothing_is_sent(tmp_path):
    done = process("select", "-", "-n", 2, stdin=subprocess.DEVNULL)
    assert (done.code, done.out) == (2, "")
    assert done.err == "colonnade: error: standard input: nothing came from it\n"


@pytest.mark.slow
@pytest.mark.usefixtures("listening")
def test_what_was_sent_is_removed_when_a_signal_comes(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "text": False, "env": os.environ | {"TMPDIR": str(tmp_path)}}
    child = start("select", "-", "-n", 1, **pipes)
    child.stdin.write(b"a,b\n1,2\n")
    child.stdin.flush()
    for _ in range(1200):
        if any(tmp_path.glob("colonnade-*")):
            break
        time.sleep(0.05)
    assert len(list(tmp_path.iterdir())) == 1
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (130, b"colonnade: interrupted\n")
    assert list(tmp_path.iterdir()) == []


HEAVY = {"numpy", "scipy", "sklearn", "pandas", "numba"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["data.foo", "missing.csv", "."])
def test_a_wrong_name_is_told_before_anything_heavy_is_imported(tmp_path, command, name):
    code = (
        "import sys\nfrom colonnade.cli import main\n"
        f"try:\n    main([{command!r}, {name!r}, '-n', '3'])\n"
        "except SystemExit as end:\n    print(end.code)\n"
        f"print({HEAVY!r} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert done.stdout == "2\nset()\n"
    known = {"data.foo": "unknown extension (.foo)", "missing.csv": "no such file"}
    assert known.get(name, "this is a folder without data") in done.stderr
    assert "Traceback" not in done.stderr


def test_another_extension_is_no_error_with_a_format(run, tmp_path):
    (tmp_path / "data.foo").write_text("a;b\n1;2\n3;5\n")
    done = run("select", tmp_path / "data.foo", "-n", 1, "--format", "csv", *AS_IS, "--json")
    assert answer(done)["names"] == ["b"]
    done = run("select", "-n", 1, tmp_path / "data.foo")
    assert (done.code, done.out) == (2, "")
    assert "unknown extension (.foo)" in done.err


@pytest.mark.parametrize(
    "names",
    [
        ("a", "b c"),
        ("weight, kg", "a"),
        ('5" disk', "a"),
        ('"', '""', '","', 'a,"b", c', 'it\'s, "so"'),
        ("-x,y", "two\nlines, one name"),
        ('"quoted"',),
    ],
)
def test_the_option_to_paste_names_the_very_columns(names):
    words = shlex.split(spelling()("drop", names))
    value = words[-1].removeprefix("--drop=")
    assert split_names([value]) == list(names)


def test_a_pasted_drop_is_obeyed(run, tmp_path):
    names = ['say "a, b"', "c"]
    frame = pd.DataFrame({names[0]: ["x", "y", "z"], names[1]: ["u", "v", "u"]})
    frame[["d", "e"]] = [[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = run("select", tmp_path / "t.csv", "-n", 1)
    assert done.code == 2
    pasted = done.err.partition("leave them out with ")[2].partition(" or encode")[0]
    done = run("select", tmp_path / "t.csv", "-n", 1, *shlex.split(pasted), "--json")
    assert answer(done)["n_candidates"] == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_names_are_not_overwritten(command, run, tmp_path):
    np.save(tmp_path / "m.npy", np.random.default_rng(0).random((12, 3)))
    names = tmp_path / "names.txt"
    names.write_text("a\nb\nc\n")
    done = run(command, tmp_path / "m.npy", *COMMANDS[command], "--names", names, "--out", names)
    assert (done.code, done.out) == (2, "")
    assert "in use here already" in done.err
    assert names.read_text() == "a\nb\nc\n"
