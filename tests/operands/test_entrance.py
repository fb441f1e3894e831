"""Data of any size enters at a moderate one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade import Kernel, as_operand
from colonnade.operands.entrance import moderate

X = np.random.default_rng(0).standard_normal((6, 4))


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array, lambda A: Kernel(A.T @ A)])
@pytest.mark.parametrize("size", [1e-60, 1e-20, 1.0, 1e20, 1e60])
def test_squares_of_moderate_data_are_in_range(put, size):
    A = as_operand(put(size * X))
    scaled, unit = moderate(A)
    assert 2.0**-100 < scaled.max_abs() < 2.0**100
    assert np.log2(unit) % 1 == 0  # so that nothing is rounded
    np.testing.assert_allclose(scaled.sq_norms(), np.square(size * unit * X).sum(axis=0))
    assert (scaled is A) == (unit == 1.0) == (2.0**-100 < size < 2.0**100)


def test_zero_data_is_refused_unless_it_may_pass():
    zero = as_operand(np.zeros((3, 2)))
    assert moderate(zero, zero=True) == (zero, 1.0)
    with pytest.raises(ValueError, match="the data is zero everywhere"):
        moderate(zero)
    with pytest.raises(ValueError, match=r"whose square is out of range; multiply .* by 1e-150"):
        moderate(as_operand(1e150 * X), zero=True)
