"""What is proved of random projections (Boutsidis, Zouzias & Drineas 2010), over many seeds.

Statements with a probability are counted over seeds; statements about means are compared with
the exact value, within four standard errors.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.linalg
from matrices import orthonormal, with_spectrum

from colonnade import (
    GaussianProjection,
    HadamardProjection,
    SignProjection,
    SparseSignProjection,
    SVDProjection,
)
from colonnade.projections import dimension

EPS = 0.3
SEEDS = 200
FEATURES = 600
INDEPENDENT = [SignProjection, GaussianProjection, lambda *a, **k: _sparse(*a, **k)]
ALL = [*INDEPENDENT, HadamardProjection]
NAMES = ["signs", "Gaussian", "sparse signs", "Hadamard"]


def _sparse(*args, **params):
    return SparseSignProjection(*args, density=1 / 3, **params)


def matrices_of(make, d, t, count=SEEDS):
    return [make(t, random_state=seed).fit(np.zeros((1, d))).matrix() for seed in range(count)]


def spectra():
    """Directions that are spread over all features, in a few, and of single ones; any tail."""
    rng = np.random.default_rng(0)
    flat = with_spectrum(rng, 12, FEATURES, np.ones(12))
    graded = with_spectrum(rng, 12, FEATURES, np.geomspace(1, 1e-3, 12))
    single = np.zeros((12, FEATURES))
    single[range(12), rng.permutation(FEATURES)[:12]] = np.linspace(2, 1, 12)
    pairs = np.kron(np.diag(np.linspace(2, 1, 12)), [1.0, 1.0])
    return {
        "flat": flat,
        "graded": graded,
        "single features": single,
        "pairs of features": np.hstack([pairs, np.zeros((12, FEATURES - 24))]),
    }


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("make", ALL, ids=NAMES)
@pytest.mark.slow
def test_lemmas_2_to_5_hold_as_often_as_stated(make, k):
    """With t = ⌈8k/ε²⌉; in Lemma 5 the transpose must be a pseudo-inverse, as in its proof."""
    t = dimension(k, EPS, rule="boutsidis")
    assert t == int(np.ceil(8 * k / EPS**2))
    stated = {"2.1": 0.99, "3": 0.99, "4": 0.99, "5": 0.97}
    decomposed = {
        name: (A, *np.linalg.svd(A, full_matrices=False)[:2]) for name, A in spectra().items()
    }
    held = {(name, lemma): 0 for name in decomposed for lemma in stated}
    for R in matrices_of(make, FEATURES, t):
        for name, (A, U, s) in decomposed.items():
            A_k = U[:, :k] @ U[:, :k].T @ A
            V = A_k.T @ U[:, :k] / s[:k]
            projected = V.T @ R
            held[name, "2.1"] += np.abs(1 - np.linalg.svd(projected, compute_uv=False)).max() <= EPS
            inverse = np.linalg.pinv(projected)
            held[name, "3"] += np.linalg.norm(inverse - projected.T, 2) <= 3 * EPS
            held[name, "4"] += np.linalg.norm(A @ R) <= np.sqrt(1 + EPS) * np.linalg.norm(A)
            E = A_k - A @ R @ inverse @ V.T
            held[name, "5"] += np.linalg.norm(E) <= 4 * EPS * np.linalg.norm(A - A_k)
    assert {key: n / SEEDS for key, n in held.items() if n / SEEDS < stated[key[1]]} == {}


def test_lemma_5_is_wrong_with_the_transpose():
    """As printed, eq. 7 leaves A_k − A_k V Φ Φᵀ Vᵀ, which no tail bounds."""
    A = with_spectrum(np.random.default_rng(1), 12, FEATURES, [10.0, 9.0, 1e-3])
    Vt = np.linalg.svd(A, full_matrices=False)[2][:2]
    t = dimension(2, EPS, rule="boutsidis")
    A_k = A @ Vt.T @ Vt
    limit = 4 * EPS * np.linalg.norm(A - A_k)
    for R in matrices_of(SignProjection, FEATURES, t, 20):
        printed = A_k - A @ R @ (Vt @ R).T @ Vt
        meant = A_k - A @ R @ np.linalg.pinv(Vt @ R) @ Vt
        assert np.linalg.norm(printed) > limit >= np.linalg.norm(meant)


@pytest.mark.parametrize("t", [1, 5, 40])
def test_lemma_2_products_on_average(t):
    """The mean is the exact one, which is below the bound: the diagonal of RRᵀ is exact."""
    rng = np.random.default_rng(2)
    single = np.eye(50)[:1]
    cases = [
        (rng.standard_normal((6, 50)), rng.standard_normal((50, 3))),
        (np.ones((1, 50)), np.ones((50, 1))),
        (single, single.T),
        (orthonormal(rng, 50, 6)[:, :3].T, orthonormal(rng, 50, 4)),
    ]
    Rs = matrices_of(SignProjection, 50, t, 1500)
    for S, T in cases:
        found = np.array([np.square(S @ T - S @ R @ R.T @ T).sum() for R in Rs])
        both = np.square(S).sum() * np.square(T).sum()
        diagonal = (np.square(S).sum(axis=0) * np.square(T).sum(axis=1)).sum()
        exact = (both + np.square(S @ T).sum() - 2 * diagonal) / t
        assert exact <= 2 / t * both
        error = found.std() / np.sqrt(len(found))
        assert abs(found.mean() - exact) <= 4 * error + 1e-12


@pytest.mark.parametrize("t", [1, 5, 40])
def test_lemma_2_moments(t):
    """The variance is that of the *squared* norm, as the proof of Lemma 4 has it."""
    rng = np.random.default_rng(3)
    Rs = matrices_of(SignProjection, 50, t, 2000)
    for C in (rng.standard_normal((4, 50)), np.ones((1, 50)), 7 * np.eye(50)[:1]):
        found = np.array([np.square(C @ R).sum() for R in Rs])
        size = np.square(C).sum()
        gram = C.T @ C
        variance = 2 / t * (np.square(gram).sum() - np.square(np.diag(gram)).sum())
        assert variance <= 2 * size**2 / t + 1e-9
        assert abs(found.mean() - size) <= 4 * np.sqrt(variance / len(Rs)) + 1e-9
        # the fourth moment of a sum of squares of about normal numbers is at most 15
        assert abs(found.var() - variance) <= 4 * np.sqrt(14 / len(Rs)) * variance + 1e-9


def clusterings(n):
    """Indicator matrices of all ways to part n points in two."""
    for bits in product([False, True], repeat=n - 1):
        if any(bits):
            second = np.array([False, *bits])
            yield np.column_stack([~second, second]) / np.sqrt([(~second).sum(), second.sum()])


def costs(A, choices):
    total = np.square(A).sum()
    return np.array([total - np.square(X.T @ A).sum() for X in choices])


def points():
    rng = np.random.default_rng(4)
    apart = rng.standard_normal((9, FEATURES)) + 0.1 * (np.arange(9) < 4)[:, None]
    alike = rng.standard_normal((9, FEATURES))
    few = np.zeros((9, FEATURES))
    few[:, :2] = rng.standard_normal((9, 2)) + 3 * (np.arange(9) < 3)[:, None]
    spread = rng.standard_normal((9, 3)) @ rng.standard_normal((3, FEATURES))
    return {"apart": apart, "alike": alike, "in two features": few, "rank 3": spread}


@pytest.mark.parametrize("name", points())
@pytest.mark.parametrize("make", ALL, ids=NAMES)
@pytest.mark.slow
def test_theorem_1_and_its_successor(make, name):
    """The best clustering of the projected points, found by trying all, so γ = 1."""
    A = points()[name]
    choices = list(clusterings(9))
    true = costs(A, choices)
    held = {"theorem 1": 0, "every clustering": 0}
    for seed in range(50):
        Z = make(dimension(2, EPS, rule="boutsidis"), random_state=seed).fit_transform(A)
        held["theorem 1"] += true[costs(Z, choices).argmin()] <= (2 + EPS) * true.min()
        Z = make(dimension(2, EPS), random_state=seed).fit_transform(A)
        ratios = costs(Z, choices) / true
        held["every clustering"] += 1 / (1 + EPS) <= ratios.min() <= ratios.max() <= 1 + EPS
    assert held["theorem 1"] >= 0.97 * 50
    assert held["every clustering"] >= 0.95 * 50


@pytest.mark.parametrize("name", points())
@pytest.mark.parametrize("make", ALL, ids=NAMES)
@pytest.mark.slow
def test_theorem_1_for_every_gamma(make, name):
    """Every clustering is a γ-approximation for the γ that it reaches on the projected points."""
    A = points()[name]
    choices = list(clusterings(9))
    true = costs(A, choices)
    held = 0
    for seed in range(50):
        Z = make(dimension(2, EPS, rule="boutsidis"), random_state=seed).fit_transform(A)
        reached = costs(Z, choices)
        gamma = reached / reached.min()
        assert gamma.max() > 1.01
        held += (true <= (1 + (1 + EPS) * gamma) * true.min()).all()
    assert held >= 0.97 * 50


def test_one_dimension_is_not_enough_for_theorem_1():
    """So that the test above is known to be able to fail."""
    A = points()["in two features"]
    choices = list(clusterings(9))
    true = costs(A, choices)
    found = [
        true[costs(SignProjection(1, random_state=s).fit_transform(A), choices).argmin()]
        for s in range(50)
    ]
    assert np.mean(found <= (2 + EPS) * true.min()) < 0.97


@pytest.mark.parametrize("name", points())
def test_singular_vectors_cost_at_most_a_factor_of_two(name):
    A = points()[name]
    choices = list(clusterings(9))
    true = costs(A, choices)
    Z = SVDProjection(2).fit_transform(A)
    assert true[costs(Z, choices).argmin()] <= 2 * true.min()
    # Proposition 6: no clustering is better than the best approximation of rank 2
    left = np.square(A).sum() - np.square(Z).sum()
    assert left <= true.min() * (1 + 1e-12)


@pytest.mark.parametrize("make", ALL, ids=NAMES)
def test_distances_are_kept(make):
    """Eq. 3, with the dimension of the Johnson–Lindenstrauss lemma."""
    A = np.random.default_rng(5).standard_normal((10, FEATURES))
    A[5:, 20:] = 0.0
    i, j = np.triu_indices(10, 1)
    D = A[i] - A[j]
    t = int(np.ceil(4 * np.log(10) / (EPS**2 / 2 - EPS**3 / 3)))
    held = 0
    for seed in range(50):
        Z = make(t, random_state=seed).fit(A).transform(D)
        ratios = np.linalg.norm(Z, axis=1) / np.linalg.norm(D, axis=1)
        held += (ratios.min() >= 1 - EPS) and (ratios.max() <= 1 + EPS)
    assert held == 50


def test_signs_of_the_features_save_hadamard():
    """Rows of the Hadamard matrix itself would fall on single coordinates without the signs."""
    A = scipy.linalg.hadamard(512)[[0, 1, 77]].astype(float)
    for seed in range(50):
        Z = HadamardProjection(150, random_state=seed).fit_transform(A)
        ratios = np.linalg.norm(Z, axis=1) / np.linalg.norm(A, axis=1)
        assert np.abs(ratios - 1).max() <= EPS
