"""Leading singular vectors, by each of the three ways."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import nasty, with_spectrum

from colonnade import Kernel, as_operand, select
from colonnade.engines import svd
from colonnade.engines.svd import leading_right_singular_vectors, right_singular_vectors


@pytest.mark.parametrize("side", [10**6, 40, 0], ids=["gram", "outer", "stochastic"])
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array, lambda A: Kernel(A.T @ A)])
def test_against_the_full_svd(put, side, monkeypatch):
    rng = np.random.default_rng(0)
    values = np.geomspace(5.0, 1e-2, 30)
    A = with_spectrum(rng, 30, 90, values)
    monkeypatch.setattr(svd, "EXACT_SIDE", side)
    found, V = leading_right_singular_vectors(
        as_operand(put(A)), 8, np.random.RandomState(0), n_power=10
    )
    np.testing.assert_allclose(found, values[:8], rtol=1e-6)
    np.testing.assert_allclose(V.T @ V, np.eye(8), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(A @ V, axis=0), values[:8], rtol=1e-6)


def test_zero_directions_are_left_out():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((20, 3)) @ rng.standard_normal((3, 15))
    values, V = leading_right_singular_vectors(as_operand(A), 7, np.random.RandomState(0))
    assert len(values) == V.shape[1] == 3


@pytest.mark.parametrize("method", ["approx-svd", "whitened-greedy"])
def test_choices_do_not_depend_on_the_way(method, monkeypatch):
    A = with_spectrum(np.random.default_rng(2), 25, 60, np.geomspace(1.0, 1e-3, 25))
    expected = select(A, 6, method=method).indices.tolist()
    for side in (25, 0):
        monkeypatch.setattr(svd, "EXACT_SIDE", side)
        found = select(A, 6, method=method, random_state=0)
        assert found.indices.tolist() == expected


@pytest.mark.parametrize("shape", [(40, 12), (12, 40), (20, 20)])
@pytest.mark.parametrize("put", [np.asarray, np.asfortranarray, sp.csr_array])
@pytest.mark.parametrize("side", [10, 2000])
def test_exact_right_singular_vectors(shape, put, side, monkeypatch):
    """By decomposition, by the smaller Gram matrix and by Lanczos: the same to rounding."""
    monkeypatch.setattr(svd, "EXACT_SIDE", side)
    A = np.random.default_rng(0).standard_normal(shape)
    values, V = right_singular_vectors(as_operand(put(A)), 4)
    _, s, Vt = np.linalg.svd(A)
    np.testing.assert_allclose(values, s[:4], rtol=1e-10)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(np.abs(np.diag(V.T @ Vt[:4].T)), 1.0, atol=1e-9)
    kernel_values, _ = right_singular_vectors(Kernel(A.T @ A), 4)
    np.testing.assert_allclose(kernel_values, s[:4], rtol=1e-9)


def test_exact_vectors_of_rank_deficient_data():
    A = nasty("rank deficient")
    for put in (np.asarray, sp.csr_array):
        for given in (A, A.T):
            values, V = right_singular_vectors(as_operand(put(given)))
            assert V.shape == (given.shape[1], 5)
            np.testing.assert_allclose(V.T @ V, np.eye(5), atol=1e-12)
            np.testing.assert_allclose(values, np.linalg.svd(A)[1][:5], rtol=1e-10)


def test_small_singular_values_of_dense_data_are_kept():
    A = nasty("graded tall")  # down to 1e-12, which a Gram matrix would lose
    values, _ = right_singular_vectors(as_operand(A))
    np.testing.assert_allclose(values, np.linalg.svd(A)[1], rtol=1e-3)
