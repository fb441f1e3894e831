"""The result: JSON round trips, weights, masks, names, tables, use on other data."""

from __future__ import annotations

import dataclasses
import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context

from colonnade import GreedySelector, RowSelector, Selection, select

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_repr_is_short():
    s = Selection(
        np.array([4, 1]),
        8,
        errors=np.array([1.0, 0.25]),
        total=2.0,
        embedding=np.ones((2, 8)),
        info={"method": "greedy"},
    )
    assert repr(s) == (
        "Selection('greedy', 2 of 8, indices=[4, 1], relative_error=0.125, weights=no)"
    )
    bare = Selection(np.array([4, 1]), 8, weights=np.ones(2))
    assert repr(bare) == "Selection(2 of 8, indices=[4, 1], weights=yes)"
    assert repr(Selection(np.array([], int), 8, errors=np.array([]), total=1.0)) == (
        "Selection(0 of 8, indices=[], weights=no)"
    )


def test_repr_of_many_indices():
    many = Selection(np.arange(10_000)[::-1], 20_000, errors=np.zeros(10_000), total=1.0)
    assert repr(many) == (
        "Selection(10000 of 20000, indices=[9999, 9998, 9997, ..., 2, 1, 0], relative_error=0, "
        "weights=no)"
    )
    twelve = repr(Selection(np.arange(10**9, 10**9 + 10), 2 * 10**9))
    assert "\n" not in twelve
    assert "1000000009" in twelve


@settings(deadline=None, derandomize=True)
@given(st.data())
def test_json_round_trip_is_exact(data):
    n = data.draw(st.integers(1, 8))
    indices = np.array(data.draw(st.permutations(range(n))))[: data.draw(st.integers(1, n))]
    size = len(indices)
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    draw = lambda width: data.draw(st.lists(finite, min_size=width, max_size=width))  # noqa: E731
    with np.errstate(over="ignore"):
        embedding = np.nan_to_num(np.array(draw(size * n)).reshape(size, n).astype(dtype))
    selection = Selection(
        indices,
        n,
        weights=data.draw(st.none() | st.just(np.array(draw(size)))),
        errors=np.array(draw(size)),
        total=data.draw(finite),
        embedding=embedding,
        info={"method": "greedy", "n_swaps": 3},
    )
    again = Selection.from_dict(json.loads(json.dumps(selection.to_dict())))
    for field in dataclasses.fields(Selection):
        one, other = getattr(selection, field.name), getattr(again, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        else:
            assert one == other


def test_real_result_survives_json():
    A = np.random.default_rng(0).standard_normal((6, 9)).astype(np.float32)
    selection = select(A, 4, refine=True)
    again = Selection.from_dict(json.loads(json.dumps(selection.to_dict())))
    np.testing.assert_array_equal(again.embedding, selection.embedding)
    np.testing.assert_array_equal(again.relative_errors, selection.relative_errors)
    assert again.info == selection.info


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_weights_are_applied(put):
    A = np.arange(12.0).reshape(3, 4)
    selection = Selection(np.array([2, 0]), 4, weights=np.array([2.0, 0.5]))
    reduced = selection.apply(put(A))
    dense = reduced.toarray() if sp.issparse(reduced) else reduced
    np.testing.assert_array_equal(dense, A[:, [2, 0]] * [2.0, 0.5])
    assert sp.issparse(reduced) == sp.issparse(put(A))
    assert selection.mask.tolist() == [True, False, True, False]
    assert len(selection) == 2
    assert selection.relative_errors is None


def test_it_is_frozen():
    selection = select(np.eye(3), 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        selection.total = 3.0
    assert selection.replace(total=5.0).total == 5.0


# --- names, tables, files -------------------------------------------------------------------------


@pytest.fixture
def frame():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 6)) + 0.2 * rng.normal(size=(40, 6))
    return pd.DataFrame(X * [1, 10, 100, 1, 1, 1] + [5, 0, 70, 0, 1, 2], columns=list("abcdef"))


@pytest.mark.parametrize("put", [lambda X: X, pl.from_pandas], ids=["pandas", "polars"])
def test_names_come_from_frames(frame, put):
    s = select(put(frame), 3, center=True, scale="std")
    assert s.candidates == tuple("abcdef")
    assert s.names == tuple("abcdef"[j] for j in s.indices)
    assert GreedySelector(3, center=True, scale="std").fit(put(frame)).selection_.names == s.names
    assert select(frame.to_numpy(), 3).names is None
    assert select(frame.to_numpy(), 1, names=list("uvwxyz"), must_include=["w"]).names == ("w",)
    gone = dict.fromkeys(("errors", "embedding", "column_means", "column_spreads"))
    assert s.replace(indices=s.indices[:1], **gone).names == s.names[:1]


@pytest.fixture
def fewer_names():
    return Selection(np.array([2, 0]), 4, names=("c", "a"))


def test_wrong_names_are_told(fewer_names):
    with pytest.raises(ValueError, match="candidates holds 2 names, but there are 4 columns"):
        fewer_names.replace(candidates=("a", "b"))
    with pytest.raises(ValueError, match="names has length 1, indices 2"):
        fewer_names.replace(names=("a",))
    with pytest.raises(ValueError, match="names holds 1 names, but the data has 3 columns"):
        select(np.eye(3), 1, names=["a"])


def test_usual_values_are_those_of_the_chosen_columns(frame):
    w = np.arange(40) % 3
    s = select(frame, 2, sample_weight=w, scale="std")
    values = frame.to_numpy()[:, s.indices]
    means = np.average(values, axis=0, weights=w)
    np.testing.assert_allclose(s.column_means, means)
    spreads = np.sqrt(np.average((values - means) ** 2, axis=0, weights=w))
    np.testing.assert_allclose(s.column_spreads, spreads)
    holes = frame.mask(np.random.default_rng(0).uniform(size=frame.shape) < 0.2)
    s = select(holes, 2, missing="mean", center=True)
    chosen = holes[list(s.names)]
    np.testing.assert_allclose(s.column_means, chosen.mean())
    np.testing.assert_allclose(s.column_spreads, chosen.std(ddof=0))
    exact = select(frame + 1e9, 1, center=True)
    np.testing.assert_allclose(
        exact.column_spreads, frame[list(exact.names)].std(ddof=0), rtol=1e-6
    )


def test_the_table_is_in_the_order_of_choice(frame):
    s = select(frame, 3, center=True, scale="std")
    table = s.table()
    assert table.columns.tolist() == ["choice", "name", "index", "explained", "gain"]
    assert table["choice"].tolist() == [1, 2, 3]
    assert table["name"].tolist() == list(s.names)
    np.testing.assert_allclose(table["explained"], 1 - s.relative_errors)
    np.testing.assert_allclose(table["gain"].cumsum(), table["explained"])
    assert isinstance(s.table("polars"), pl.DataFrame)
    weighted = Selection(np.array([1]), 3, weights=np.array([2.0])).table("dict")
    assert weighted == {"choice": [1], "index": [1], "weight": [2.0]}


def test_without_pandas_the_table_is_plain(frame, monkeypatch):
    s = select(frame, 2)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert s.table() == s.table("dict")
    with pytest.raises(ModuleNotFoundError, match="frame='pandas' needs pandas; install it with"):
        s.table("pandas")


def test_html_shows_names_and_never_obeys_them(frame):
    X = frame.rename(columns={"a": "<script>", "c": "x & y"})
    s = select(X, 6, center=True, scale="std")
    html = s._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "x &amp; y" in html
    assert "6 of 6 by greedy" in html
    wide = select(np.random.default_rng(0).normal(size=(60, 40)), 30)._repr_html_()
    assert "and 10 more" in wide
    model = GreedySelector(2, center=True)
    bare = model._repr_mimebundle_()["text/html"]
    assert "<caption>" not in bare
    shown = model.fit(X)._repr_mimebundle_()["text/html"]
    assert model.selection_._repr_html_() in shown
    assert model._repr_html_().endswith(model.selection_._repr_html_())
    rows = RowSelector(GreedySelector(2)).fit(frame)
    assert "2 of 40 by greedy" in rows._repr_mimebundle_()["text/html"]
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


@pytest.mark.parametrize("method", ["greedy", "dual-set", "uniform"])
@pytest.mark.parametrize("how", [{}, {"center": True, "scale": "std"}])
def test_a_saved_selection_needs_no_data(frame, tmp_path, method, how):
    more = {"n_clusters": 2} if method == "dual-set" else {}
    s = select(frame, 4, method=method, **more, **how)
    s.save(tmp_path / "s.json")
    again = Selection.load(tmp_path / "s.json")
    assert (again.names, again.candidates, again.info) == (s.names, s.candidates, s.info)
    np.testing.assert_allclose(again.coefficients, s.coefficients, atol=1e-10)
    np.testing.assert_allclose(again.embedding, s.embedding, atol=1e-10)
    later = frame.iloc[::-1, ::-1].assign(more="text")
    reduced = again.apply(later)
    assert list(reduced.columns) == list(s.names)
    np.testing.assert_allclose(reduced.to_numpy(), s.apply(frame).to_numpy()[::-1])
    rebuilt, std = again.reconstruct(reduced, return_std=True)
    # an independent fit, in the units of the data
    S, X = s.indices, frame.to_numpy()
    D = np.column_stack([np.ones(40), X[:, S]]) if how else X[:, S]
    fitted = D @ np.linalg.lstsq(D, X, rcond=None)[0]
    np.testing.assert_allclose(rebuilt, fitted[::-1], atol=1e-9)
    free = 40 - D.shape[1]
    expected = np.sqrt(np.square(X - fitted).sum(axis=0) / free)
    np.testing.assert_allclose(std, expected, atol=1e-9)
    data = json.loads((tmp_path / "s.json").read_text())
    assert (data["format"], data["version"]) == ("colonnade-selection", 2)
    assert data["embedding"] is None
    np.testing.assert_allclose(data["coefficients"]["values"], s.coefficients)


def test_columns_of_other_tables(frame):
    s = select(frame, 2, center=True, scale="std")
    name = s.names[0]
    with pytest.raises(ValueError, match=rf"1 chosen column is missing: '{name}'"):
        s.apply(frame.drop(columns=name))
    named = select(frame.add_prefix("column_"), 1)
    wrong = frame.add_prefix("colum_")
    (only,) = named.names
    with pytest.raises(ValueError, match=rf"'{only}' \(did you mean 'colum_{only[-1]}'\?\)"):
        named.apply(wrong)
    with pytest.raises(ValueError, match="X has 5 columns, but this selection is from 6"):
        s.apply(frame.to_numpy()[:, :5])
    weighted = select(frame, 3, method="dual-set", n_clusters=2)
    plain = weighted.apply(frame, rescale=False)
    pd.testing.assert_frame_equal(plain, frame[list(weighted.names)])
    with pytest.raises(ValueError, match=r"X_selected has shape \(40, 6\), but 2 columns"):
        s.reconstruct(frame)
    with pytest.raises(ValueError, match="no embedding, from which the coefficients follow"):
        s.replace(embedding=None).reconstruct(s.apply(frame))


def test_drift_names_what_moved(frame):
    s = select(frame, 3, center=True, scale="std")
    assert s.drift(frame) == []
    assert s.replace(column_means=None).drift(frame) == []
    one, two, three = s.names
    later = frame.copy()
    later[one] += 2.9 * frame[one].std(ddof=0)
    later[two] += 3.1 * frame[two].std(ddof=0)
    (found,) = s.drift(later)
    assert found["name"] == two
    assert found["mean_now"] == pytest.approx(later[two].mean())
    assert found["mean_then"] == pytest.approx(frame[two].mean())
    later = frame.copy()
    later[one] = 2.9 * frame[one] - 1.9 * frame[one].mean()
    later[two] = frame[two] / 3.1 + frame[two].mean() * (1 - 1 / 3.1)
    later[three] = 40 * (frame[three] - frame[three].mean()) + frame[three].mean()
    assert [column["name"] for column in s.drift(later)] == [three, two]
    later[three] = frame[three]
    later[two] = 2.9 * (frame[two] - frame[two].mean()) + frame[two].mean()
    later[two] += 3.1 * frame[two].std(ddof=0)
    assert [column["name"] for column in s.drift(later)] == [two]
    constant = Selection(np.array([0]), 1, column_means=np.array([5.0]), column_spreads=np.zeros(1))
    assert constant.drift([[5.0], [5.0]]) == []
    assert len(constant.drift([[5.1], [5.1]])) == 1
    assert len(constant.drift([[5.0], [5.1]])) == 1


OLD = {
    "format": "colonnade-selection", "version": 1, "n_candidates": 3, "total": 2.0,
    "indices": {"dtype": "int64", "values": [2, 0]}, "weights": None,
    "errors": {"dtype": "float64", "values": [1.0, 0.5]}, "embedding": None, "residuals": None,
    "means": None, "units": None, "info": {"method": "greedy"}, "source": "x.csv",
    "of": "columns", "names": ["c", "a"], "labels": None, "relative_error": 0.25,
}  # fmt: skip


def test_files_of_the_first_version_are_read(tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(OLD))
    s = Selection.load(path)
    assert (s.names, s.candidates, s.coefficients) == (("c", "a"), None, None)
    found = s.apply(pd.DataFrame({"a": [1.0], "c": [3.0]}))
    assert found.to_numpy().tolist() == [[3.0, 1.0]]
    path.write_text(json.dumps({**OLD, "of": "rows"}))
    assert Selection.load(path).info == {"method": "greedy", "of": "rows"}
    bare = {key: value for key, value in OLD.items() if key not in ("names", "of")}
    assert Selection.from_dict(bare).names is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 3}, "version 3 is unknown; this reads versions 1 to 2; install a newer"),
        ({"version": True}, "version True is unknown"),
        ({"format": "else"}, "this is not a selection"),
        ({"names": ["c", 1]}, "names must be a list of texts"),
        ({"names": "ca"}, "names must be a list of texts"),
        ({"candidates": ["a"]}, "candidates holds 1 names, but there are 3"),
        ({"indices": {"dtype": "int64", "values": [[1], [2, 3]]}}, "must be numbers in 1 dim"),
        (
            {
                "triangle": {"dtype": "float64", "values": [[1.0]]},
                "coefficients": {"dtype": "float64", "values": [[1.0] * 3, [1.0] * 3]},
            },
            r"triangle has shape \(1, 1\), but there are coefficients of 2",
        ),
    ],
)
def test_files_that_cannot_be_read(tmp_path, change, message):
    path = tmp_path / "new.json"
    path.write_text(json.dumps({**OLD, **change}))
    with pytest.raises(ValueError, match=message) as error:
        Selection.load(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize("content", [b"\x80\x04pickle", b"{", b"a,b\n1,2\n"])
def test_files_that_are_something_else(tmp_path, content):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(ValueError, match="this is no JSON; pass what"):
        Selection.load(tmp_path / "x.json")


def test_saving_is_all_or_nothing(tmp_path, frame):
    s, path = select(frame, 2), tmp_path / "s.json"
    s.save(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="info holds NaN or infinity"):
        s.with_info(share=float("nan")).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.json"]
