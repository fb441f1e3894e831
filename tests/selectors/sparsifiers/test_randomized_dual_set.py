"""Dual-set sparsification after random draws: repeats of the draws are one column."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import BY_KIND

from colonnade import certify, select


def drawn_columns(A, k, size, seed):
    """The first stage by its definition: how often each column came, as a factor."""
    Z = np.linalg.svd(A)[2][:k].T
    c = max(size, int(np.ceil(16 * k * np.log(20 * k))))
    p = (Z**2).sum(axis=1) / k
    numbers = np.random.RandomState(seed).uniform(0.0, np.cumsum(p)[-1], c)
    drawn = np.searchsorted(np.cumsum(p), numbers, side="right")
    counts = np.bincount(drawn, minlength=len(p))
    return Z, np.sqrt(counts / (c * p))


@pytest.mark.parametrize("seed", range(5))
def test_as_many_columns_as_asked_for_within_the_lemma(seed):
    """Boutsidis & Magdon-Ismail, Lemma 8, for V and Q = I of the different columns drawn."""
    A = np.random.default_rng(seed).standard_normal((30, 150)) * np.geomspace(1.0, 0.5, 150)
    k, r = 5, 40
    found = select(A, r, method="randomized-dual-set", n_clusters=k, random_state=seed)
    Z, factors = drawn_columns(A, k, r, seed)
    some = np.flatnonzero(factors)
    assert found.info["n_distinct"] == len(some) > r
    assert len(found) == r
    assert set(found.indices) <= set(some)
    # V of the drawn and rescaled rows, from its definition
    V = np.zeros((150, k))
    V[some] = np.linalg.svd((Z[some] * factors[some, None]).T, full_matrices=False)[2].T
    second = found.weights / factors[found.indices]
    sigma = np.linalg.svd(V[found.indices] * second[:, None], compute_uv=False)
    assert sigma[-1] >= 1 - np.sqrt(k / r) - 1e-9
    assert second.max() <= 1 + np.sqrt(len(some) / r) + 1e-9
    assert certify(A, found, n_clusters=k)["sigma_min"].holds


def test_all_that_were_drawn_are_kept_if_they_are_no_more_than_asked_for():
    A = np.random.default_rng(0).standard_normal((30, 12))
    A[:, 7:] *= 1e-3
    found = select(A, 11, method="randomized-dual-set", n_clusters=2, random_state=0)
    _, factors = drawn_columns(A, 2, 11, 0)
    some = np.flatnonzero(factors)
    assert len(some) < 11
    assert sorted(found.indices) == some.tolist()
    np.testing.assert_allclose(found.weights, factors[found.indices], rtol=1e-9)
    assert found.info["n_picks"] == 11
    assert certify(A, found, n_clusters=2)["sigma_min"].holds


@pytest.mark.parametrize("seed", range(3))
def test_the_second_stage_sees_the_rescaled_rows(seed):
    """Picks and weights by the definition, where the draws' factors are very different."""
    oracle = BY_KIND["sparsifiers"]
    A = np.random.default_rng(seed).standard_normal((30, 150)) * np.geomspace(1.0, 0.1, 150)
    k = oracle.rank_for(A, 12)
    found = select(A, 12, method="randomized-dual-set", n_clusters=k, random_state=seed)
    indices, weights = oracle.randomized_dual_set(A, 12, seed)
    assert found.info["n_distinct"] > 12
    assert found.indices.tolist() == indices
    np.testing.assert_allclose(found.weights, weights, rtol=1e-6)
