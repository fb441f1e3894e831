"""Targets that are reconstructed long before the matrix is, and swaps where little is left."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import graded, orthonormal, with_spectrum
from oracles import error, greedy, group_sums, residual

from colonnade import Kernel, RankReachedWarning, select
from colonnade import greedy as greedy_selection

CONTAINERS = [np.ascontiguousarray, np.asfortranarray, sp.csr_array]


def fading_target(rng, m=40, n=25, used=14):
    """Return A and a y whose parts along the columns fade: each choice explains 100 times less.

    The columns are nearly orthogonal, so the best order is known: the order of the weights.
    """
    A = orthonormal(rng, m, n) + 1e-3 * rng.standard_normal((m, n))
    order = rng.permutation(n)[:used]
    weights = np.zeros(n)
    weights[order] = 10.0 ** -np.arange(used, dtype=float)
    return A, A @ weights, order.tolist()


@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("seed", range(3))
def test_a_target_that_fades_is_followed_to_the_end(seed, put):
    A, y, order = fading_target(np.random.default_rng(seed))
    expected = greedy(A, 9, y[:, None])
    assert expected[:6] == order[:6]
    found = greedy_selection(put(A), 9, target=y)
    assert found.indices.tolist() == expected
    left = [
        (residual(np.column_stack([A, y]), expected[: t + 1])[:, -1] ** 2).sum() for t in range(9)
    ]
    np.testing.assert_allclose(found.errors, left, rtol=1e-4)
    assert found.total == pytest.approx(y @ y)
    assert found.info["errors_of"] == "target"


@pytest.mark.parametrize("put", CONTAINERS)
def test_a_target_in_the_span_ends_the_choice(put):
    A = np.random.default_rng(0).standard_normal((30, 20))
    y = 3.0 * A[:, 4] - A[:, 17]
    with pytest.warns(RankReachedWarning, match="2 of the 6 choices asked for .* the target"):
        found = greedy_selection(put(A), 6, target=y)
    assert sorted(found.indices) == [4, 17]
    assert found.errors[-1] < 1e-25 * found.total


@pytest.mark.parametrize("put", CONTAINERS)
def test_error_path_of_a_target_scored_on_demand(put):
    rng = np.random.default_rng(1)
    A, B = rng.standard_normal((25, 12)), rng.standard_normal((25, 3))
    found = greedy_selection(put(A), 5, target=B, n_candidates=12, random_state=0)
    assert found.indices.tolist() == greedy(A, 5, B)
    for t in range(5):
        rest = residual(np.column_stack([A, B]), found.indices[: t + 1].tolist())[:, 12:]
        assert found.errors[t] == pytest.approx((rest**2).sum())


def test_groups_scored_on_demand_agree_on_a_kernel():
    A = np.random.default_rng(2).standard_normal((15, 30))
    B = group_sums(A, 4, 0, signed=False)
    for X in (A, sp.csr_array(A), Kernel(A.T @ A)):
        found = greedy_selection(X, 6, target="groups", n_groups=4, n_candidates=30, random_state=0)
        assert found.indices.tolist() == greedy(A, 6, B)


def test_a_badly_known_direction_of_a_kernel():
    rng = np.random.default_rng(0)
    for _ in range(40):
        plane = rng.standard_normal((2, 12))
        plane[:, 1] = plane[:, 0] * 2.0 + 10.0 ** rng.uniform(-4, -2) * rng.standard_normal(2)
        A = orthonormal(rng, 6, 2) @ plane
        with pytest.warns(RankReachedWarning):
            found = select(Kernel(A.T @ A, check=False), 6, must_include=[0, 1])
        assert set(found.indices) == {0, 1}


@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("shape", [(40, 20), (20, 40)])
@pytest.mark.parametrize("seed", range(3))
def test_swaps_where_little_is_left(seed, shape, put):
    """The error is 1e-13 of the total: inner products of the data cannot resolve it."""
    A = graded(np.random.default_rng(seed), *shape, smallest=1e-10)
    plain = select(put(A), 14)
    refined = select(put(A), 14, refine=True)
    assert plain.relative_errors[-1] < 1e-12
    S = refined.indices.tolist()
    assert refined.errors[-1] == pytest.approx(error(A, S), rel=1e-3)
    assert refined.errors[-1] <= plain.errors[-1] * (1 + 1e-6)
    for p in S:
        kept = [q for q in S if q != p]
        for candidate in set(range(A.shape[1])) - set(S):
            assert error(A, [*kept, candidate]) >= refined.errors[-1] * (1 - 1e-3)


def test_swaps_of_a_graded_kernel():
    A = with_spectrum(np.random.default_rng(3), 20, 20, np.geomspace(1.0, 1e-4, 20))
    plain, refined = select(Kernel(A.T @ A), 10), select(Kernel(A.T @ A), 10, refine=True)
    assert refined.errors[-1] <= plain.errors[-1] * (1 + 1e-6)
    assert refined.errors[-1] == pytest.approx(error(A, refined.indices.tolist()), rel=1e-4)


def test_swaps_leave_dependent_inclusions_in_place():
    rng = np.random.default_rng(4)
    A = rng.standard_normal((20, 15))
    A[:, 7] = 2.0 * A[:, 3]
    found = select(A, 6, must_include=[3, 7], refine=True)
    assert found.indices[:2].tolist() == [3, 7]
    assert len(found) == 6
    assert (found.embedding[1] == 0).all()
    assert found.errors[1] == pytest.approx(found.errors[0])
    assert found.errors[-1] == pytest.approx(error(A, found.indices.tolist()))
