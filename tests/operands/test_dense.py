"""What dense arrays of one byte cost, and that they lose nothing by it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from colonnade.operands.advice import advise
from colonnade.operands.dense import EXACT, Dense
from colonnade.pivoting.loop import open_residual
from colonnade.pivoting.products import GramResidual


@pytest.mark.parametrize(("dtype", "least"), [(np.uint8, 200), (np.int8, -128)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_products_of_bytes_are_exact(dtype, least, order):
    # large entries, so many that float32 could not tell their sums from their neighbours
    A = np.random.RandomState(0).randint(least, least + 56, (9, 10 * EXACT)).astype(dtype)
    A[-1] = A[0]
    exact = A.astype(np.int64) @ A.T.astype(np.int64)
    assert abs(exact[0, 0]) > 2**24
    found = Dense(np.asarray(A, order=order))
    # integers that float64 holds: whatever the order of summation, there is one answer
    np.testing.assert_array_equal(found.outer(), exact)
    np.testing.assert_array_equal(found.transposed().gram(), exact)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_a_square_matrix_is_held_where_each_product_would_convert_the_data(dtype):
    A = Dense(np.random.RandomState(0).randint(0, 255, (360, 256)).astype(dtype))
    assert isinstance(open_residual(A, True, 26, capacity=26), GramResidual)


def test_a_look_at_wide_data_takes_little_memory():
    A = np.random.RandomState(0).randint(0, 255, (500, 20_000)).astype(np.uint8)
    tracemalloc.start()
    try:
        advise(Dense(A))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * A.nbytes  # a copy in float64 has eight times as many bytes
