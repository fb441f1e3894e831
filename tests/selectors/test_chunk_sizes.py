"""How many columns of data in chunks are chosen, and what is refused before any of it is read."""

from __future__ import annotations

import numpy as np
import pytest

from colonnade import GreedySelector, plan

da = pytest.importorskip("dask.array")

X = np.random.default_rng(0).normal(size=(90, 12))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    ("n_select", "says"),
    [
        (5000, "n_select=5000 but there are"),
        ("elbow", "'elbow' compares many sizes"),
        (0.0, "above 0"),
    ],
)
def test_a_plan_is_refused_where_the_choice_is(n_select, says, axis):
    with pytest.raises(ValueError, match=says):
        plan(da.from_array(X, chunks=(13, 12)), n_select, axis=axis)
    with pytest.raises(ValueError, match=says):
        GreedySelector(n_select).fit(da.from_array(X, chunks=(13, 12)))
