"""How many columns of data in chunks are chosen, and what is refused before any of it is read."""

from __future__ import annotations

import numpy as np
import pytest

from colonnade import GreedySelector, RowSelector, UniformSelector, plan

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


@pytest.mark.parametrize("must_include", [None, [3, 1, 2, 0, 7, 9, 11, 13]])
def test_uniform_choices_end_at_an_error(must_include):
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 2200)) + 0.1 * rng.normal(size=(60, 2200))
    options = {"max_error": 0.3, "random_state": 0, "must_include": must_include}
    plain = UniformSelector(40, **options).fit(wide)
    found = UniformSelector(40, **options).fit(da.from_array(wide, chunks=(-1, 500)))
    assert len(plain.indices_) < 40
    assert found.indices_.tolist() == plain.indices_.tolist()
    np.testing.assert_allclose(found.selection_.errors, plain.selection_.errors, rtol=1e-9)
    rows = RowSelector(UniformSelector(40, max_error=0.3, random_state=0))
    inner = rows.fit(da.from_array(wide.T, chunks=(500, -1))).selector_
    assert len(inner.indices_) < 40
