"""Leading singular vectors, by each of the three ways."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import NASTY, graded, nasty, with_spectrum

from colonnade import Kernel, ReducedKMeans, as_operand, metrics, select
from colonnade.linalg import svd
from colonnade.linalg.svd import leading_right_singular_vectors, right_singular_vectors
from colonnade.metrics import best_rank_error
from colonnade.operands.adjusted import centered


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


PUT = {"dense": np.asarray, "sparse": sp.csr_array}


def graded_data():
    rng = np.random.default_rng(3)
    return {
        "tall": nasty("graded tall"),  # down to 1e-12, which a Gram matrix would lose
        "wide": nasty("graded wide"),
        "square": graded(rng, 20, 20),
        "near duplicates": nasty("near duplicates"),
        "near duplicate rows": nasty("near duplicates").T,
        "very tall": graded(rng, 700, 8),
        "very wide": graded(rng, 8, 700),
    }


@pytest.mark.parametrize("name", graded_data())
@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
@pytest.mark.parametrize("side", [10, 2000])
def test_small_singular_values_are_kept(name, put, side, monkeypatch):
    """Of the longest sides too, if half of all or more are asked for."""
    monkeypatch.setattr(svd, "EXACT_SIDE", side)
    A = graded_data()[name]
    s = np.linalg.svd(A, compute_uv=False)
    for rank in (None, 3, 12):
        k = min(len(s), rank or len(s))
        values, V = right_singular_vectors(as_operand(put(A)), rank)
        np.testing.assert_allclose(values, s[:k], rtol=1e-3)
        np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-13)
        for j in range(1, k + 1):
            left = np.linalg.norm(A - A @ V[:, :j] @ V[:, :j].T)
            assert left <= 1.001 * np.linalg.norm(s[j:]) + 1e-14 * s[0]


@pytest.mark.parametrize("name", NASTY)
def test_containers_agree_on_the_rank(name):
    A = as_operand(nasty(name))
    A = A.scaled(1 / A.max_abs()).columns(slice(None))
    for given in (A, A.T):
        (one, V), (other, W) = (right_singular_vectors(as_operand(p(given))) for p in PUT.values())
        assert len(one) == len(other)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-14)
        np.testing.assert_allclose(np.linalg.svd(V.T @ W, compute_uv=False), 1.0, atol=1e-3)


@pytest.mark.parametrize("shape", [(8, 3000), (3000, 8)])
def test_sparse_data_is_factored_by_strips(shape, monkeypatch):
    A = as_operand(sp.csr_array(graded(np.random.default_rng(4), *shape)))
    seen = []
    for name in ("columns", "row_strips"):
        right = getattr(type(A), name)

        def watched(self, given, right=right):
            out = right(self, given)
            parts = [out] if isinstance(out, np.ndarray) else list(out)
            seen.extend(max(part.shape) for part in parts)
            return out if isinstance(out, np.ndarray) else iter(parts)

        monkeypatch.setattr(type(A), name, watched)
    values, _ = right_singular_vectors(A)
    assert len(values) == 8
    assert max(seen) <= 256
    assert sum(seen) == 3000


@pytest.mark.parametrize("shape", [(12, 90), (90, 12)])
def test_centred_sparse_data_keeps_small_singular_values(shape):
    A = graded(np.random.default_rng(5), *shape) + np.arange(shape[1]) % 3
    dense, sparse = (centered(as_operand(put(A))) for put in PUT.values())
    expected = np.linalg.svd(A - A.mean(axis=0), compute_uv=False)[:9]
    for Z in (dense, sparse):
        values, V = right_singular_vectors(Z, 9)
        np.testing.assert_allclose(values, expected, rtol=1e-5)
        np.testing.assert_allclose(V.T @ V, np.eye(9), atol=1e-13)
        tail = np.square(np.linalg.svd(A - A.mean(axis=0), compute_uv=False)[6:]).sum()
        assert best_rank_error(Z, 6) == pytest.approx(tail, rel=1e-5, abs=0)


def test_vectors_are_orthonormal_however_small_the_value():
    """Of sparse wide data they are products, which are orthogonal up to eps·σ₁²/σ_iσ_j only."""
    A = graded(np.random.default_rng(6), 30, 200, 2e-5)
    for rank in (None, 20):
        values, V = right_singular_vectors(as_operand(sp.csr_array(A)), rank)
        np.testing.assert_allclose(V.T @ V, np.eye(len(values)), atol=1e-13)


@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
@pytest.mark.parametrize("shape", [(150, 120), (120, 150)])
def test_lanczos_goes_on_until_rounding(shape, put, monkeypatch):
    """On a slowly falling spectrum, where it takes many steps."""
    monkeypatch.setattr(svd, "EXACT_SIDE", 10)
    expected = np.linspace(1.0, 0.8, 120)
    A = with_spectrum(np.random.default_rng(7), *shape, expected)
    values, V = right_singular_vectors(as_operand(put(A)), 5)
    np.testing.assert_allclose(values, expected[:5], rtol=1e-12)
    np.testing.assert_allclose(A.T @ (A @ V), V * values**2, atol=1e-13)
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=1e-13)


@pytest.mark.parametrize("name", [name for name in NASTY if name not in ("huge", "tiny")])
@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_best_rank_error(name, put):
    A = nasty(name)
    s = np.linalg.svd(A, compute_uv=False)
    for given in (A, A.T):
        for rank in {0, 1, 2, len(s) // 2, len(s) - 1, len(s), len(s) + 3}:
            expected = np.square(s[rank:]).sum()
            error = best_rank_error(put(given), rank)
            assert error == pytest.approx(expected, rel=1e-3, abs=1e-28 * s[0] ** 2)


@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_best_rank_error_of_long_sides(put, monkeypatch):
    for module in (svd, metrics.reconstruction):
        monkeypatch.setattr(module, "EXACT_SIDE", 20)
    rng = np.random.default_rng(8)
    A = with_spectrum(rng, 60, 80, np.geomspace(1.0, 1e-2, 30))
    total = np.square(A).sum()
    for way in ("auto", "exact", "randomized"):
        assert best_rank_error(put(A), 0, svd=way) == pytest.approx(total)
        assert best_rank_error(put(A), 60, svd=way) == 0.0
    tail = np.square(np.geomspace(1.0, 1e-2, 30)[10:]).sum()
    assert best_rank_error(put(A), 10) == pytest.approx(tail, rel=1e-3)
    # far below what a difference of squared norms can tell
    A = with_spectrum(rng, 60, 80, [3.0, 2.0, 1.0, 1e-9])
    assert best_rank_error(put(A), 3) == pytest.approx(1e-18, rel=1e-3, abs=0)


@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_one_cluster_of_long_sides(put, monkeypatch):
    for module in (svd, metrics.reconstruction):
        monkeypatch.setattr(module, "EXACT_SIDE", 5)
    X = put(np.random.default_rng(9).standard_normal((30, 20)))
    assert ReducedKMeans(1, random_state=0).fit(X).approximation_ratio(X) == pytest.approx(1.0)


@pytest.mark.parametrize("shape", [(60, 25), (25, 60)])
def test_leading_vectors_of_data_far_from_zero_keep_their_digits(shape):
    """Inner products would lose them: the squares span ten orders of magnitude."""
    A = with_spectrum(np.random.default_rng(0), *shape, np.array([1.0, 3e-5, 2e-5, 1e-5, 5e-6]))
    values, V = leading_right_singular_vectors(as_operand(A), 4, np.random.RandomState(0))
    _, expected, right = np.linalg.svd(A)
    np.testing.assert_allclose(values, expected[:4], rtol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(V * right[:4].T, axis=0)), 1.0, atol=1e-14)
    away = V - right[:4].T @ (right[:4] @ V)
    assert np.abs(away).max() < 1e-10
