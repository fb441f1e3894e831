"""Which directions of the data are rounding, where no ridge hides them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import orthonormal, with_spectrum

from colonnade import RLSClassifier


def test_a_slightly_negative_eigenvalue_is_rounding():
    """It tells how exact a kernel is: eigenvalues up to twice its size count for nothing."""
    Q = orthonormal(np.random.default_rng(0), 20, 20)
    values = np.append(np.geomspace(1.0, 1e-3, 18), [1.5e-10, -1e-10])
    K = (Q * values) @ Q.T
    y = np.arange(20) % 2
    found = RLSClassifier(0.0, kernel="precomputed").fit((K + K.T) / 2, y)
    expected = Q[:, :18] @ (Q[:, :18].T @ (2.0 * y - 1.0) / values[:18])
    np.testing.assert_allclose(found.dual_coef_[:, 0], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(40, 6), (20, 30)])
def test_a_large_mean_leaves_rounding_of_its_own_size(shape, put):
    """Where it was subtracted, directions that are no longer than that are none of the data."""
    X = with_spectrum(np.random.default_rng(0), *shape, [3.0, 2.0, 1.0])
    y = np.arange(shape[0]) % 2
    exact = RLSClassifier(0.0, fit_intercept=True).fit(X, y)
    moved = RLSClassifier(0.0, fit_intercept=True).fit(put(X + 1e6), y)
    assert np.linalg.norm(exact.coef_) < 10
    np.testing.assert_allclose(moved.coef_, exact.coef_, atol=1e-6)
