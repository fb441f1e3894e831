"""Every method that sees sums over rows alone chooses from chunks what it chooses in memory."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from calls import needs
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import nasty

pytest.importorskip("dask.array", reason="the extra dask is not installed")

import dask
from chunks import cut, even, rows_unknown

from colonnade import METHODS, GreedySelector, RankReachedWarning, select
from colonnade.operands.chunked import summing


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


NAMES = [
    name
    for name, entry in METHODS.items()
    if not entry.supervised and entry.selector.weighs_rows and entry.kind != "representatives"
]


def _random(rng):
    return rng.standard_normal((60, 14)) @ rng.standard_normal((14, 14))


def _one_hot(rng):
    kinds = rng.permutation(np.repeat(np.arange(8), [12, 11, 9, 8, 7, 6, 4, 3]))
    return np.eye(8)[kinds]


def _integers(rng):
    return rng.poisson(1.0, (50, 15)).astype(np.int16)


MATRICES = {
    "random": _random,
    "float32": lambda rng: _random(rng).astype(np.float32),
    "graded": lambda rng: nasty("graded tall"),
    "duplicated": lambda rng: nasty("duplicated"),
    "zero and constant": lambda rng: nasty("zero and constant"),
    "columns of all sizes": lambda rng: nasty("columns of all sizes"),
    "rank deficient": lambda rng: nasty("rank deficient"),
    "integers": _integers,
    "one-hot": _one_hot,
}


def chosen(name, X, n_select, **params):
    """The selection, and how many times it was said that the rank is reached."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RankReachedWarning)
        warnings.simplefilter("ignore", UserWarning)
        found = select(X, n_select, method=name, **params)
    said = [str(each.message) for each in caught if each.category is RankReachedWarning]
    return found, said


def same(name, A, X, n_select, **params):
    params = needs(name, np.asarray(A, dtype=float), n_select) | params
    refused = None
    try:
        expected, said = chosen(name, A, n_select, **params)
    except ValueError as error:
        refused = str(error).split(";")[0]
    if refused is not None:
        with pytest.raises(ValueError, match=re.escape(refused)):
            chosen(name, X, n_select, **params)
        return
    found, also = chosen(name, X, n_select, **params)
    assert found.indices.tolist() == expected.indices.tolist()
    assert len(also) == len(said)
    if expected.relative_errors is not None:
        np.testing.assert_allclose(
            found.relative_errors, expected.relative_errors, rtol=1e-6, atol=1e-13
        )
    if expected.weights is not None:
        np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-6)


def cuts(A):
    """The matrix in chunks, by rows and by columns."""
    m, n = A.shape
    return cut(A, even(m, 4), even(n, 2))


@pytest.mark.parametrize("name", NAMES)
def test_methods_choose_the_same(name):
    for label, make in MATRICES.items():
        A = make(np.random.default_rng(1))
        try:
            same(name, A, cuts(A), max(2, min(A.shape) // 2))
        except AssertionError as error:
            error.add_note(label)
            raise


@pytest.mark.parametrize("name", NAMES)
def test_centred_scaled_and_weighted(name):
    rng = np.random.default_rng(2)
    A = rng.standard_normal((48, 12)) @ rng.standard_normal((12, 12)) + 3.0
    w = rng.integers(0, 4, 48).astype(float)
    w[:12] = 0.0  # a chunk without weight
    same(name, A, cuts(A), 6, center=True)
    same(name, A, cuts(A), 6, center=True, scale="std", sample_weight=w)
    same(name, A, cuts(A), 6, scale="max", sample_weight=w)


@pytest.mark.parametrize("scale", ["auto", "std", "max", list(range(1, 13)), None])
@pytest.mark.parametrize("center", [True, False])
def test_every_scale(scale, center):
    A = nasty("zero and constant")
    same("greedy", A, cuts(A), 6, center=center, scale=scale)


def test_a_scale_that_needs_all_rows_is_refused():
    with pytest.raises(ValueError, match="needs all rows at once, and here they come in batches"):
        select(cuts(np.eye(6)), 2, scale="robust")


def test_gaps_are_not_filled():
    with pytest.raises(ValueError, match=r"missing='mean' looks at all rows.*nan_to_num"):
        select(cuts(np.eye(6)), 2, missing="mean")


@pytest.mark.parametrize("name", [name for name in NAMES if METHODS[name].kind == "greedy"])
def test_where_the_rank_ends_the_choice_ends(name):
    A = nasty("rank deficient")
    params = needs(name, A, 9)
    expected, said = chosen(name, A, 9, **params)
    found, also = chosen(name, cuts(A), 9, **params)
    assert len(found.indices) == len(expected.indices)
    assert also == said


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_rows_in_any_order_and_chunks_of_any_size(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    A = rng.standard_normal((30, 9)) @ rng.standard_normal((9, 9))
    expected = GreedySelector(6).fit(A)
    order = rng.permutation(30) if data.draw(st.booleans()) else np.arange(30)
    sides = []
    for length in A.shape:
        inner = data.draw(st.lists(st.integers(0 if length == 30 else 1, length - 1), max_size=6))
        inner = sorted(inner) if length == 30 else sorted(set(inner))
        sides.append(tuple(np.diff([0, *inner, length]).tolist()))
    X = cut(A[order], *sides, data.draw(st.sampled_from(["dense", "CSR", "mixed"])))
    if data.draw(st.booleans()):
        X = rows_unknown(X)
    found = GreedySelector(6).fit(X)
    assert found.indices_.tolist() == expected.indices_.tolist()
    np.testing.assert_allclose(found.relative_errors_, expected.relative_errors_, rtol=1e-10)


def test_small_batches_and_tiles(monkeypatch):
    for name, value in {"BATCH": 3, "LANES": 2, "WHOLE": 4, "TILE": 3, "GROUP_BYTES": 160}.items():
        monkeypatch.setattr(summing, name, value)
    for label in ("random", "graded", "integers"):
        A = MATRICES[label](np.random.default_rng(3))
        same("greedy", A, cut(A, even(len(A), 11), even(A.shape[1], 3)), 7)


def test_float32_keeps_its_type_and_all_is_told_as_in_memory():
    A = _random(np.random.default_rng(4)).astype(np.float32)
    expected, found = GreedySelector(5).fit(A), GreedySelector(5).fit(cuts(A))
    mine, theirs = found.selection_, expected.selection_
    assert mine.embedding.dtype == theirs.embedding.dtype
    np.testing.assert_allclose(mine.embedding, theirs.embedding, rtol=1e-3, atol=1e-4)
    assert set(mine.info) == set(theirs.info)
    assert mine.info["n_rows"] == theirs.info["n_rows"] == 60
