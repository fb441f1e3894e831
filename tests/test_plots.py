"""Pictures of results."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from colonnade import Selection, select
from colonnade.plots import draw_sizes, error_path

X = np.random.default_rng(0).normal(size=(30, 12))


def lines(ax):
    return {line.get_label(): line.get_xydata() for line in ax.get_lines()}


def test_one_selection():
    selection = select(X, 5)
    ax = error_path(selection)
    (points,) = [line.get_xydata() for line in ax.get_lines()]
    np.testing.assert_array_equal(points[:, 0], np.arange(6))
    np.testing.assert_allclose(points[:, 1], [1.0, *selection.relative_errors])
    assert ax.get_legend() is None
    assert ax.get_xlabel() == "columns chosen"
    assert ax.get_ylabel() == "squared error left"


def test_several_selections_and_a_floor():
    found = {"greedy": select(X, 5), "qr": select(X, 7, method="pivoted-qr")}
    squares = np.linalg.svd(X, compute_uv=False) ** 2
    floor = 1 - np.cumsum(squares) / squares.sum()
    ax = error_path(found, floor=floor, unit="genes")
    drawn = lines(ax)
    assert list(drawn) == ["greedy", "qr", "smallest possible (SVD)"]
    np.testing.assert_allclose(drawn["qr"][1:, 1], found["qr"].relative_errors)
    below = drawn["smallest possible (SVD)"][:, 1]
    np.testing.assert_allclose(below, [1.0, *floor[:7]])
    assert (below <= drawn["qr"][:, 1] + 1e-12).all()
    assert ax.get_xlim() == (0, 7)
    assert ax.get_xlabel() == "genes chosen"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(drawn)


def test_given_axes_are_used():
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert error_path(select(X, 2), ax=ax) is ax
    assert len(ax.get_lines()) == 1


def test_picture_can_be_saved():
    buffer = io.BytesIO()
    error_path(select(X, 3)).figure.savefig(buffer, format="png")
    assert buffer.getvalue().startswith(b"\x89PNG")


def test_no_window_is_opened():
    code = (
        "import sys, numpy as np; from colonnade import Selection;"
        "from colonnade.plots import error_path;"
        "error_path(Selection(np.array([0]), 2, errors=np.array([.5]), total=1.));"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_nothing_to_draw():
    with pytest.raises(ValueError, match="selections is empty"):
        error_path({})
    with pytest.raises(ValueError, match="'a' has no error path"):
        error_path({"a": Selection(np.array([0]), 2)})


def test_missing_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "colonnade\[plot\]"'):
        error_path(select(X, 2))


def test_sizes():
    selection = select(X + X[:, :1], "elbow")
    size = selection.info["size"]
    ax = draw_sizes(selection, unit="genes")
    drawn = lines(ax)
    names = ["chosen genes", "largest possible (SVD)", "rows held out", "random genes"]
    assert list(drawn) == [*names, "if all were independent", f"proposed: {size['n_select']}"]
    keys = ("explained", "bound", "held_out", "random", "independent")
    for name, key in zip(drawn, keys, strict=False):
        np.testing.assert_array_equal(drawn[name][:, 0], size["curves"]["n_select"])
        values = [np.nan if value is None else value for value in size["curves"][key]]
        np.testing.assert_array_equal(drawn[name][:, 1], values)
    assert (drawn[f"proposed: {size['n_select']}"][:, 0] == size["n_select"]).all()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("genes chosen", "share explained")
    assert ax.get_xscale() == "linear"


def test_many_sizes_have_a_logarithmic_axis():
    # 150 columns that follow 60 signals: more than a hundred are explored
    rng = np.random.default_rng(0)
    signals = rng.normal(size=(400, 60))
    table = np.hstack([signals] * 3)[:, :150] + 0.1 * rng.normal(size=(400, 150))
    ax = draw_sizes(select(table, "auto"))
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[0] == 1
    ax.figure.savefig(io.BytesIO(), format="png")


def test_no_sizes_to_draw():
    with pytest.raises(ValueError, match='choose n_select="auto"'):
        draw_sizes(select(X, 3))
