"""The result: JSON round trips, weights, masks."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from colonnade import Selection, select

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
