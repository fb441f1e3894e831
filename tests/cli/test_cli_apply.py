"""``colonnade apply``: a choice that was kept, on other files."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from test_cli import process, rows_of

from colonnade import Selection, io
from colonnade.datasets import make_plant_table

HOW = ("--scale", "std")


@pytest.fixture(scope="module")
def plant():
    return make_plant_table(300, 21, 4, random_state=1)


@pytest.fixture
def files(tmp_path, plant):
    """The first file, a later one with other columns in another order, and where to write."""
    first = pd.DataFrame(plant.X, columns=plant.feature_names)
    later = pd.DataFrame(plant.truth["X_new"], columns=plant.feature_names)
    mixed = later.assign(more=1.0)[["more", *plant.feature_names[::-1]]]
    first.to_csv(tmp_path / "first.csv", index=False)
    mixed.to_csv(tmp_path / "later.csv", index=False)
    return tmp_path / "first.csv", tmp_path / "later.csv", tmp_path / "out.csv"


@pytest.fixture
def chosen(run, files, tmp_path):
    done = run("select", files[0], "-n", 4, *HOW, "-o", tmp_path / "chosen.json")
    assert done.code == 0, done.err
    return tmp_path / "chosen.json"


@pytest.mark.slow
def test_chosen_columns_of_a_later_file_in_a_real_process(files, chosen, plant):
    done = process("apply", chosen, files[1], "--out", files[2])
    assert (done.code, done.err) == (0, "")
    s = Selection.load(chosen)
    where = np.sort(s.indices)
    read = pd.read_csv(files[2])
    assert list(read.columns) == [plant.feature_names[j] for j in where]
    np.testing.assert_allclose(read.to_numpy(), plant.truth["X_new"][:, where], rtol=1e-12)
    assert "4 chosen of 21 columns, 300 rows" in done.out
    assert f"Written: {files[2]}" in done.out


def test_all_columns_from_the_chosen_ones(run, files, chosen, plant):
    done = run("apply", chosen, files[1], "--out", files[2], "--reconstruct", "--std", "--all")
    assert (done.code, done.err) == (0, "")
    s, X, new = Selection.load(chosen), plant.X, plant.truth["X_new"]
    D, E = (np.column_stack([np.ones(300), A[:, s.indices]]) for A in (X, new))
    B = np.linalg.lstsq(D, X, rcond=None)[0]
    read = pd.read_csv(files[2])
    assert list(read.columns) == list(plant.feature_names)
    np.testing.assert_allclose(read.to_numpy(), E @ B, rtol=1e-6)
    rows = rows_of(done.out)
    shown = [float(row[1]) for row in rows if row[1]]
    assert shown == sorted(shown)
    name = next(row[0] for row in rows if row[1])
    j = plant.feature_names.index(name)
    gap = np.square(new[:, j] - E @ B[:, j]).sum() / np.square(new[:, j] - new[:, j].mean()).sum()
    assert shown[0] == pytest.approx(1 - gap, abs=6e-4)
    std = np.sqrt(np.square(X - D @ B)[:, j].sum() / (300 - 5))
    assert float(rows[0][2]) == pytest.approx(std, rel=6e-3)
    assert len(rows) == 17
    # constant columns come back, and have no R²
    assert {row[0] for row in rows if not row[1]} == {"firmware", "period_s"}
    few = run("apply", chosen, files[1], "--reconstruct", "--rows", 2)
    assert len(rows_of(few.out)) == 2
    assert "2 are shown, the worst first, --all for all" in few.out


def test_a_file_with_the_chosen_columns_alone(run, files, chosen, plant):
    s = Selection.load(chosen)
    frame = pd.DataFrame(plant.truth["X_new"], columns=plant.feature_names)[list(s.names)]
    frame.to_csv(files[1], index=False)
    done = run("apply", chosen, files[1], "--out", files[2], "--reconstruct")
    assert done.code == 0, done.err
    assert pd.read_csv(files[2]).shape == (300, 21)
    assert "R² of those" not in done.out


def test_drift_is_told_with_figures(run, files, chosen, plant):
    s = Selection.load(chosen)
    frame = pd.DataFrame(plant.X, columns=plant.feature_names)
    frame[s.names[1]] *= 1000.0
    frame.to_csv(files[1], index=False)
    done = run("apply", chosen, files[1], "--out", files[2])
    assert done.code == 0
    mean = plant.X[:, s.indices[1]].mean()
    assert f"1 chosen column is far from the first file: '{s.names[1]}'" in done.err
    assert f"(mean {1000 * mean:.4g}, was {mean:.4g};" in done.err
    found = json.loads(run("apply", chosen, files[1], "--out", files[2], "--json").out)
    assert [column["name"] for column in found["drift"]] == [s.names[1]]


def test_columns_that_are_missing(run, files, chosen, plant):
    s = Selection.load(chosen)
    one, two = s.names[0], s.names[2]
    frame = pd.DataFrame(plant.X, columns=plant.feature_names)
    frame.rename(columns={one: f"{one}_"}).drop(columns=two).to_csv(files[1], index=False)
    done = run("apply", chosen, files[1], "--out", files[2])
    assert done.code == 2
    assert f"2 chosen columns are missing: '{one}' (did you mean '{one}_'?), '{two}'" in done.err
    assert not files[2].exists()


def test_weights_are_applied_unless_told_otherwise(run, files, plant, tmp_path):
    out = tmp_path / "w.json"
    more = ("-m", "dual-set", "--param", "n_clusters=2")
    done = run("select", files[0], "-n", 5, *more, *HOW, "-o", out)
    assert done.code == 0, done.err
    s = Selection.load(out)
    order = np.argsort(s.indices)
    new = plant.truth["X_new"][:, s.indices[order]]
    for words, factors in (((), s.factors[order]), (("--no-rescale",), 1.0)):
        assert run("apply", out, files[1], "--out", files[2], *words).code == 0
        np.testing.assert_allclose(pd.read_csv(files[2]).to_numpy(), new * factors, rtol=1e-10)
    # as select itself wrote them
    first = tmp_path / "first_reduced.csv"
    assert run("select", files[0], "-n", 5, *more, *HOW, "-o", first).code == 0
    assert run("apply", out, files[0], "--out", files[2]).code == 0
    pd.testing.assert_frame_equal(pd.read_csv(first), pd.read_csv(files[2]))


def test_labels_and_other_formats_go_along(run, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 4))
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=["u", "v"] * 10)
    frame.to_parquet(tmp_path / "x.parquet")
    run("select", tmp_path / "x.parquet", "--label", "kind", "-n", 2, "-o", tmp_path / "s.json")
    out = tmp_path / "y.parquet"
    assert (
        run(
            "apply", tmp_path / "s.json", tmp_path / "x.parquet", "--label", "kind", "--out", out
        ).code
        == 0
    )
    read = io.read(out, label="kind")
    assert read.labels.tolist() == ["u", "v"] * 10
    names = Selection.load(tmp_path / "s.json").names
    assert sorted(read.columns) == sorted(names)


def test_sparse_files_stay_sparse(run, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 6)) * (
        np.random.default_rng(1).uniform(size=(20, 6)) < 0.3
    )
    import scipy.sparse as sp

    sp.save_npz(tmp_path / "x.npz", sp.csr_array(X))
    run("select", tmp_path / "x.npz", "-n", 2, "-o", tmp_path / "s.json")
    done = run("apply", tmp_path / "s.json", tmp_path / "x.npz", "--out", tmp_path / "y.npz")
    assert done.code == 0, done.err
    read = io.read(tmp_path / "y.npz")
    assert read.sparse
    where = np.sort(Selection.load(tmp_path / "s.json").indices)
    np.testing.assert_allclose(read.X.toarray(), X[:, where])


@pytest.fixture
def gappy(files, chosen, plant):
    """A later file with 3 gaps in a chosen column and 2 in another: its data, and both numbers."""
    s = Selection.load(chosen)
    j = int(s.indices[1])
    other = next(
        k for k in range(21) if k not in s.indices and np.ptp(plant.truth["X_new"][:, k]) > 0
    )
    data = plant.truth["X_new"].copy()
    data[[3, 50, 70], j] = np.nan
    data[[3, 9], other] = np.nan
    pd.DataFrame(data, columns=plant.feature_names).to_csv(files[1], index=False)
    return data, j, other


def test_gaps_of_chosen_columns_are_refused(run, files, chosen, gappy, plant):
    name = plant.feature_names[gappy[1]]
    for more in ((), ("--reconstruct",)):
        done = run("apply", chosen, files[1], "--out", files[2], *more)
        assert (done.code, done.out) == (2, "")
        assert f"1 chosen column has gaps: '{name}' (3 gaps); choose --missing mean" in done.err
        assert not files[2].exists()
    done = run("apply", chosen, files[1], "--out", files[2], "--missing", "drop-columns")
    assert done.code == 2
    assert f"'{name}' has gaps, and --missing drop-columns left it out" in done.err
    done = run("apply", chosen, files[1], "--out", files[2], "--missing", "pairwise")
    assert done.code == 2
    assert "choose mean or median here" in done.err
    pd.DataFrame(plant.X, columns=plant.feature_names).assign(**{name: np.nan}).to_csv(
        files[1], index=False
    )
    done = run("apply", chosen, files[1], "--out", files[2])
    assert done.code == 2
    assert f"'{name}' has no entry" in done.err


@pytest.mark.parametrize("how", ["mean", "median"])
def test_gaps_of_chosen_columns_are_filled(run, files, chosen, gappy, plant, how):
    data, j, other = gappy
    words = ("apply", chosen, files[1], "--out", files[2], "--missing", how)
    done = run(*words)
    assert done.code == 0, done.err
    assert f"filled 3 gaps in 1 column with the {how} of its column" in done.err
    read = pd.read_csv(files[2])[plant.feature_names[j]].to_numpy()
    fill = {"mean": np.nanmean, "median": np.nanmedian}[how](data[:, j])
    np.testing.assert_allclose(read, np.where(np.isnan(data[:, j]), fill, data[:, j]), rtol=1e-10)
    # R² is of what the other column has
    found = json.loads(run(*words, "--reconstruct", "--json").out)["columns"]
    (line,) = [line for line in found if line["name"] == plant.feature_names[other]]
    rebuilt = pd.read_csv(files[2])[line["name"]].to_numpy()
    there = ~np.isnan(data[:, other])
    x = data[there, other]
    gap = np.square(x - rebuilt[there]).sum() / np.square(x - x.mean()).sum()
    assert line["r_squared"] == pytest.approx(1 - gap, rel=1e-6)


def test_rows_with_gaps_in_chosen_columns_are_dropped(run, files, chosen, gappy):
    words = ("apply", chosen, files[1], "--out", files[2], "--reconstruct")
    done = run(*words, "--missing", "drop-rows")
    assert done.code == 0, done.err
    assert "left out 3 of 300 rows, with gaps in chosen columns" in done.err
    # row 9 has a gap in another column and stays
    assert (
        pd.read_csv(files[2]).iloc[:, 0].tolist() == np.delete(np.arange(300), [3, 50, 70]).tolist()
    )


def test_what_is_refused(run, files, chosen, tmp_path):
    def refused(*words):
        done = run("apply", *words)
        assert done.code == 2, done.out
        return done.err

    assert "say with --out where to write" in refused(chosen, files[1])
    assert "--std is about columns that are reconstructed" in refused(chosen, files[1], "--std")
    assert "in use here already" in refused(chosen, files[1], "--out", files[1])
    assert "JSON holds a selection, not data" in refused(chosen, files[1], "--out", chosen)
    rows = tmp_path / "rows.json"
    run("select", files[0], "-n", 2, "--rows", "-o", rows)
    error = refused(rows, files[1], "--out", files[2])
    assert "rows were chosen here, and apply is about columns" in error
    data = json.loads(chosen.read_text())
    chosen.write_text(json.dumps({**data, "version": 9}))
    assert "version 9 is unknown; this reads versions 1 to 2; install" in refused(
        chosen, files[1], "--out", files[2]
    )
    old = {key: data[key] for key in ("format", "n_candidates", "indices", "names", "info")}
    chosen.write_text(json.dumps({**old, "version": 1}))
    assert "no coefficients in it" in refused(chosen, files[1], "--reconstruct")
    assert run("apply", chosen, files[1], "--out", files[2]).code == 0
    del old["names"]
    chosen.write_text(json.dumps({**old, "version": 1}))
    error = refused(chosen, files[1], "--out", files[2])
    assert "22 columns, but the selection is from 21 and has no names" in error
