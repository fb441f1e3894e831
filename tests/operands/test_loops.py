"""Compiled loops against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade import as_operand
from colonnade.operands import loops


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int16])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (8, 1025), (19, 2500), (1, 3000), (30, 5)])
def test_sweep(shape, dtype, order):
    rng = np.random.default_rng(0)
    A = np.asarray((rng.standard_normal(shape) * 10).astype(dtype), order=order)
    q, z = rng.standard_normal(shape[0]), rng.standard_normal(shape[0])
    f, g = rng.standard_normal(shape[1]), rng.standard_normal(shape[1])
    expected_f, expected_g = f.copy(), g.copy()
    wide = A.astype(float)
    loops.update_scores(wide.T @ q, wide.T @ z, 0.7, expected_f, expected_g)
    omega = loops.sweep(A, q, z, 0.7, f, g)
    scale = np.abs(wide).max() ** 2 * shape[0] ** 2
    np.testing.assert_allclose(omega, wide.T @ q, atol=1e-13 * scale)
    np.testing.assert_allclose(f, expected_f, atol=1e-13 * scale)
    np.testing.assert_allclose(g, expected_g, atol=1e-13 * scale)


def test_criterion_is_f_over_g_with_its_doubt():
    f, g = np.array([6.0, -1.0, 5.0, 0.0]), np.array([2.0, 4.0, 0.0, 0.0])
    f_ref, drift = np.array([8.0, 2.0, 1.0, 1.0]), np.array([0.5, 0.25, 1.0, 1.0])
    live = np.array([True, True, False, False])
    score, doubt = loops.criterion(f, g, 0.1, f_ref, drift, 7.0, live)
    np.testing.assert_allclose(score, [3.0, -0.25, -np.inf, -np.inf])
    np.testing.assert_allclose(doubt, [(0.8 + 0.5 * 10) / 2, (0.2 + 0.25 * 7) / 4, 0.0, 0.0])


def test_update_scores_is_the_formula():
    f, g = np.array([5.0, 6.0]), np.array([3.0, 4.0])
    loops.update_scores(np.array([1.0, 2.0]), np.array([0.5, -1.0]), 3.0, f, g)
    np.testing.assert_allclose(f, [5 - 2 * 0.5 + 3, 6 + 4 + 12])
    np.testing.assert_allclose(g, [2.0, 0.0])


def test_column_sq_norms_is_in_float64():
    A = np.full((1000, 2), 1e-3, dtype=np.float32)
    assert loops.column_sq_norms(A).dtype == np.float64
    np.testing.assert_allclose(
        loops.column_sq_norms(A), 1000 * np.float64(A[0, 0]) ** 2, rtol=1e-12
    )
    ints = np.full((300, 1), 255, dtype=np.uint8)
    np.testing.assert_array_equal(loops.column_sq_norms(ints), [300 * 255**2])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int16])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (40, 1025), (9, 2500)])
def test_sums_and_distances_of_groups(shape, dtype):
    rng = np.random.default_rng(0)
    A = (rng.standard_normal(shape) * 10).astype(dtype)
    groups = rng.integers(0, 5, shape[0])
    expected = np.zeros((5, shape[1]))
    np.add.at(expected, groups, A)
    centers = rng.standard_normal((5, shape[1]))
    gaps = np.square(A.astype(float) - centers[groups]).sum(axis=1)
    for operand in map(as_operand, (A, np.asfortranarray(A), sp.csr_array(A))):
        np.testing.assert_allclose(operand.group_sums(groups, 5), expected, atol=1e-12)
        np.testing.assert_allclose(operand.row_sq_distances(centers, groups), gaps)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_two_best_are_kept(order, dtype):
    rng = np.random.default_rng(0)
    scores = np.round(4 * rng.standard_normal((500, 9))).astype(dtype)  # many are equal
    offsets = np.round(4 * rng.standard_normal(9)) / 2
    where = np.zeros(500, dtype=np.intp)
    best, second = np.full(500, -np.inf), np.full(500, -np.inf)
    for few in (slice(0, 4), slice(4, 9)):
        part = np.array(scores[:, few], order=order)
        loops.keep_two_best(part, offsets[few], few.start, where, best, second)
    values = scores - offsets
    np.testing.assert_array_equal(where, values.argmax(axis=1))
    np.testing.assert_array_equal(np.c_[second, best], np.sort(values, axis=1)[:, -2:])
