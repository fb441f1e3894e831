"""What a basis leaves of vectors, to rounding of what is left."""

from __future__ import annotations

import numpy as np
import pytest

from colonnade.linalg.projecting import (
    orthogonalize,
    orthonormal_basis,
    project_out,
    project_out_vector,
    projection_error,
)
from colonnade.operands.entrance import as_columns

RNG = np.random.default_rng(0)
Q = np.linalg.qr(RNG.standard_normal((40, 6)))[0].T
NEW = RNG.standard_normal((40, 3))
NEW -= Q.T @ (Q @ NEW)
NEW -= Q.T @ (Q @ NEW)
SPAN = Q.T @ RNG.standard_normal((6, 3))


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e-10])
def test_what_is_left_is_orthogonal_however_little_it_is(size):
    """One projection leaves about 1e-16 of the whole in the span, which is 1e-6 of 1e-10."""
    left = project_out(SPAN + size * NEW, Q)
    np.testing.assert_array_less(np.abs(Q @ left), 1e-14 * size)
    np.testing.assert_allclose(left, size * NEW, atol=1e-14)
    for a, expected in zip((SPAN + size * NEW).T, left.T, strict=True):
        np.testing.assert_array_less(np.abs(Q @ project_out_vector(a, Q)), 1e-14 * size)
        q, length = orthogonalize(a, Q)
        assert length == pytest.approx(np.linalg.norm(expected), rel=1e-9)
        np.testing.assert_allclose(q * length, expected, atol=1e-14)


def test_no_basis_and_rows_of_zeros_take_nothing_away():
    np.testing.assert_array_equal(project_out(NEW, Q[:0]), NEW)
    np.testing.assert_array_equal(project_out(NEW, np.zeros((2, 40))), NEW)
    np.testing.assert_array_equal(project_out_vector(NEW[:, 0], Q[:0]), NEW[:, 0])


def test_the_data_is_never_changed():
    A = SPAN + NEW
    before = A.copy()
    project_out(A, Q)
    project_out_vector(A[:, 0], Q)
    np.testing.assert_array_equal(A, before)


def test_the_error_of_a_basis_is_what_it_leaves():
    A = np.hstack([SPAN + 1e-9 * NEW, Q.T])
    error = projection_error(as_columns(A), orthonormal_basis(A, np.arange(3, 9)))
    assert error == pytest.approx(1e-18 * np.square(NEW).sum(), rel=1e-4)
