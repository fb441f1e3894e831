"""Targets that are reconstructed long before the matrix is, and swaps where little is left."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import graded, orthonormal, with_spectrum
from oracles import error, greedy, group_sums, residual

from colonnade import Kernel, RankReachedWarning, select
from colonnade.operands.entrance import as_operand
from colonnade.pivoting.swaps import refine

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
    found = select(put(A), 9, target=y)
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
        found = select(put(A), 6, target=y)
    assert sorted(found.indices) == [4, 17]
    assert found.errors[-1] < 1e-25 * found.total


@pytest.mark.parametrize("put", CONTAINERS)
def test_error_path_of_a_target_scored_on_demand(put):
    rng = np.random.default_rng(1)
    A, B = rng.standard_normal((25, 12)), rng.standard_normal((25, 3))
    found = select(put(A), 5, target=B, n_candidates=12, random_state=0)
    assert found.indices.tolist() == greedy(A, 5, B)
    for t in range(5):
        rest = residual(np.column_stack([A, B]), found.indices[: t + 1].tolist())[:, 12:]
        assert found.errors[t] == pytest.approx((rest**2).sum())


def test_groups_scored_on_demand_agree_on_a_kernel():
    A = np.random.default_rng(2).standard_normal((15, 30))
    B = group_sums(A, 4, 0, signed=False)
    for X in (A, sp.csr_array(A), Kernel(A.T @ A)):
        found = select(X, 6, target="groups", n_groups=4, n_candidates=30, random_state=0)
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


@pytest.mark.parametrize("method", ["greedy", "sgma", "pivoted-qr"])
@pytest.mark.parametrize("seed", range(4))
def test_a_kernel_of_ten_digits_ends_the_choice(seed, method):
    """Pivots that are what rounding left of a smooth kernel take more than the columns have."""
    x = np.random.default_rng(seed).standard_normal((40, 1))
    K = np.exp(-0.3 * np.square(x - x.T))
    params = {"random_state": 0} if method == "sgma" else {}
    with pytest.warns(RankReachedWarning):
        found = select(Kernel(np.round(K, 10), check=False), 15, method=method, **params)
    # as exact as errors of smooth kernels are said to be
    tolerance = 2e-5 * np.trace(K)
    assert found.errors[-1] == pytest.approx(left_of_kernel(K, found.indices), abs=tolerance)
    assert np.abs(K - found.embedding.T @ found.embedding).max() < tolerance


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


def left_of_kernel(K, S):
    """The trace that is left of a kernel, in extended precision."""
    rest = K.astype(np.longdouble)
    for p in S:
        rest = rest - np.outer(rest[:, p], rest[p]) / rest[p, p]
    return float(np.trace(rest))


@pytest.mark.parametrize("seed", [0, 18, 36, 42])
def test_a_sweep_that_does_not_help_is_not_kept(seed):
    """Of a smooth kernel so little is left that the updates of the scores are mistaken about it."""
    x = np.random.default_rng(seed).standard_normal((40, 1))
    K = np.exp(-0.3 * np.square(x - x.T))
    chosen = select(Kernel(K), 10).indices.tolist()
    errors = [left_of_kernel(K, chosen)]
    for sweeps in range(1, 9):
        refined, _ = refine(as_operand(Kernel(K)), chosen, sweeps=sweeps)
        assert len(set(refined)) == 10
        errors.append(left_of_kernel(K, refined))
    assert errors[1] < 0.5 * errors[0]
    np.testing.assert_array_less(errors[1:], 1.001 * np.array(errors[:-1]))


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


def small_integers(seed):
    """Small integer, one-hot and 0/1 matrices in turn: exact zeros are the rule."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 9, 2)
    if seed % 3 == 0:
        A = rng.integers(-2, 3, (m, n)).astype(float)
    else:
        A = np.eye(n)[rng.integers(0, n, m)] if seed % 3 == 1 else 1.0 * rng.integers(0, 2, (m, n))
    A[0, 0] += 1.0 * (not A.any())
    return A, rng


def left_of(B, A, S):
    """The squared error of B after least squares on the columns S of A."""
    X = A[:, S]
    return float(np.square(B - X @ np.linalg.lstsq(X, B, rcond=None)[0]).sum())


def test_a_gain_of_zero_is_no_dependent_column():
    X = np.eye(4)[[0, 0, 0, 1, 1, 2, 2, 3]]
    found = select(X, 3, target="svd", rank=2)
    np.testing.assert_allclose(found.relative_errors, [0.625, 0.375, 0.125], atol=1e-12)
    found = select(np.diag([3.0, 2.0, 1.0]), 3, target="svd", rank=1)
    assert found.indices.tolist() == [0, 1, 2]
    np.testing.assert_allclose(found.errors, [5.0, 1.0, 0.0], atol=1e-12)
    X = np.array([[1.0, -1.0], [2.0, -2.0]])
    with pytest.warns(RankReachedWarning, match="1 of the 2 choices asked for"):
        found = select(X, 2, target="groups", n_groups=1, random_state=0)
    assert found.indices.tolist() == [0]
    assert found.relative_errors[-1] < 1e-25


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("target", ["svd", "whitened", "groups", "signed"])
def test_targets_of_small_integers_go_on_to_the_rank(target):
    for seed in range(120):
        A, rng = small_integers(seed)
        rank = int(np.linalg.matrix_rank(A))
        most = rank if target in ("svd", "whitened") else A.shape[1]
        size = {"rank" if most is rank else "n_groups": int(rng.integers(1, most + 1))}
        found = select(A, A.shape[1], target=target, random_state=0, **size)
        assert len(found) == rank, (seed, A)
        path = [left_of(A, A, found.indices[: t + 1]) for t in range(rank)]
        np.testing.assert_allclose(found.errors, path, atol=1e-9)


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
def test_swaps_for_a_target_end_where_no_exchange_helps():
    ends = 0
    for seed in range(300):
        A, rng = small_integers(3 * seed)
        y = rng.integers(-1, 2, len(A)).astype(float)
        if not y.any():
            continue
        size = int(rng.integers(1, A.shape[1] + 1))
        first = [0] if seed % 3 == 0 else []
        found = select(A, size, target=y, must_include=first, refine=True)
        S = found.indices.tolist()
        path = [left_of(y, A, S[: t + 1]) for t in range(len(S))]
        np.testing.assert_allclose(found.errors, path, atol=1e-9)
        assert S[: len(first)] == first
        outside = sorted(set(range(A.shape[1])) - set(S))
        for p in set(S) - set(first):
            kept = [q for q in S if q != p]
            for candidate in outside:
                ends += 1
                assert left_of(y, A, [*kept, candidate]) >= found.errors[-1] - 1e-9, (A, y, S)
    assert ends > 1000


def test_swaps_around_a_column_that_depends_on_an_inclusion():
    A = np.array(
        [
            [1.0, 1, -1, -1, 1, 0],
            [-1, 1, -1, -1, 0, -1],
            [1, 1, 0, -1, 0, 0],
            [-1, 0, -1, 0, 0, 0],
            [0, -1, -1, 0, 1, 0],
        ]
    )
    with pytest.warns(RankReachedWarning, match="4 of the 5 choices asked for .* the target"):
        found = select(A, 5, target=[1.0, 1, 0, 0, 1], must_include=[0], refine=True)
    assert found.indices[0] == 0
    assert found.errors[-1] < 1e-25
