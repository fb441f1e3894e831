"""docs/errata.md: what is printed fails, what should be there holds, and is what the library does.

The mathematics is NumPy alone; the library is called only to see that it agrees.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

from colonnade import (
    GaussianProjection,
    Nystroem,
    Selection,
    certify,
    datasets,
    metrics,
    select,
)
from colonnade.barriers.draws import draw, leverage
from colonnade.cluster.affinities import SelfTuning
from colonnade.reproduction.experiments.paul_2014_printed import TABLE_1, TABLE_2

ROOT = Path(__file__).resolve().parents[2]


def orthonormal(seed, n, k):
    rng = np.random.default_rng(seed)
    return np.linalg.qr(rng.standard_normal((n, k)) * rng.gamma(1.0, 1.0, (n, 1)))[0]


def singular_values(M):
    return np.linalg.svd(M, compute_uv=False)


# -- sparsification: two barriers, as printed but for what is asked for ----------------------------


def lower(S, level, V):
    """Boutsidis & Magdon-Ismail, §3.4: the function L for all rows of V."""
    eye = np.eye(len(S))
    M = np.linalg.inv(S - (level + 1) * eye)
    gain = np.trace(M) - np.trace(np.linalg.inv(S - level * eye))
    return np.einsum("ij,jk,ik->i", V, M @ M, V) / gain - np.einsum("ij,jk,ik->i", V, M, V)


def upper(S, level, rise, Q):
    """The function Û for all rows of Q."""
    eye = np.eye(len(S))
    M = np.linalg.inv((level + rise) * eye - S)
    drop = np.trace(np.linalg.inv(level * eye - S)) - np.trace(M)
    return np.einsum("ij,jk,ik->i", Q, M @ M, Q) / drop + np.einsum("ij,jk,ik->i", Q, M, Q)


def two_barriers(V, Q, r, rise, pick=None):
    """Algorithm 2 with the constant ``rise``; None from where no index is between the barriers.

    The new row of V of largest norm and 1/t in the middle, or ``pick`` and the largest t.
    """
    k, side = V.shape[1], Q.shape[1]
    S, T, picks, factors = np.zeros((k, k)), np.zeros((side, side)), [], []
    for tau in range(r):
        low = upper(T, rise * (tau + np.sqrt(side * r)), rise, Q)
        high = lower(S, tau - np.sqrt(r * k), V)
        ok = np.flatnonzero((high > 0) & (low <= high * (1 + 1e-9)))
        if not len(ok):
            return None
        if pick is None:
            new = [i for i in ok if i not in picks] or list(ok)
            i = new[int(np.argmax(np.square(V[new]).sum(axis=1)))]
            t = 2 / (low[i] + high[i])
        else:
            i = pick(ok, T)
            t = 1 / low[i]
        picks.append(i)
        factors.append(t)
        S, T = S + t * np.outer(V[i], V[i]), T + t * np.outer(Q[i], Q[i])
    return np.array(picks), np.array(factors)


def rise_of(k, side, r):
    return (1 + np.sqrt(side / r)) / (1 - np.sqrt(k / r))


def printed_rise(k, side, r):
    return (1 + side / r) / (1 - np.sqrt(k / r))


def weight_of(picks, factors, n, k, r):
    """The weights of ΩS, with the root of t and repeats merged."""
    squares = np.bincount(picks, weights=factors, minlength=n)
    return np.sqrt(squares * (1 - np.sqrt(k / r)) / r)


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_sparsifiers_are_roots_of_t(seed):
    n, k, r = 40, 4, 12
    V = orthonormal(seed, n, k)
    picks, factors = two_barriers(V, V, r, rise_of(k, k, r))
    gap = np.sqrt(k / r)
    roots = np.sqrt(factors * (1 - gap) / r)
    kept = singular_values(V[picks] * roots[:, None])
    assert 1 - gap <= kept[-1] <= kept[0] <= 1 + gap
    inverse = np.sqrt((1 - gap) / (r * factors))
    lost = singular_values(V[picks] * inverse[:, None])
    assert lost[-1] < 1 - gap  # 1/√t: far from what Lemma 1 says
    A = np.diag(np.arange(4.0, 0.0, -1.0)) @ V.T
    found = select(A, r, method="bss", rank=k)
    assert found.indices.tolist() == picks.tolist()
    np.testing.assert_allclose(found.weights, roots, rtol=1e-6)


def test_weights_of_the_frobenius_barrier_are_roots_of_t():
    """Algorithm 1 of Boutsidis & Magdon-Ismail, with ‖BΩS‖ ≤ ‖B‖ in place of the upper bound."""
    n, k, r = 30, 3, 9
    V, B = orthonormal(0, n, k), np.random.default_rng(1).standard_normal((5, n))
    delta = np.square(B).sum() / (1 - np.sqrt(k / r))
    S, picks, factors = np.zeros((k, k)), [], []
    for tau in range(r):
        low, high = np.square(B).sum(axis=0) / delta, lower(S, tau - np.sqrt(r * k), V)
        i = int(np.argmax(high - low))
        assert low[i] <= high[i]
        picks.append(i)
        factors.append(2 / (low[i] + high[i]))
        S = S + factors[-1] * np.outer(V[i], V[i])
    factors = np.array(factors)
    scale = (1 - np.sqrt(k / r)) / r
    right, printed = np.sqrt(scale * factors), np.sqrt(scale / factors)
    assert np.linalg.norm(B[:, picks] * right) <= np.linalg.norm(B)
    assert singular_values(V[picks] * right[:, None])[-1] >= 1 - np.sqrt(k / r)
    assert singular_values(V[picks] * printed[:, None])[-1] < 1 - np.sqrt(k / r)


def test_rise_of_the_upper_barrier_has_a_root_or_no_index_is_left():
    """ℓ₂ < r: 1 + ℓ₂/r is below 1 + √(ℓ₂/r); rows of equal length leave nothing to choose."""
    n, k, side, r = 32, 16, 16, 64
    H = scipy.linalg.hadamard(n) / np.sqrt(n)
    V, Q = H[:, :k], H[:, :side]
    assert two_barriers(V, Q, r, printed_rise(k, side, r)) is None
    picks, factors = two_barriers(V, Q, r, rise_of(k, side, r))
    weights = weight_of(picks, factors, n, k, r)
    assert singular_values(V * weights[:, None])[-1] >= 1 - np.sqrt(k / r)
    assert singular_values(Q * weights[:, None])[0] <= 1 + np.sqrt(side / r)


@pytest.mark.parametrize("seed", range(3))
def test_rise_of_the_upper_barrier_has_a_root_or_weights_are_too_large(seed):
    """ℓ₂ > r, Q = I: choices that the printed constant allows break the bound of Lemma 8.

    And the text behind eq. 11 of Theorem 5 has lost a square: ‖I ΩS‖² exceeds 1 + √(n/r).
    """
    n, k, r = 50, 1, 4
    V = np.linalg.qr(
        np.random.default_rng(seed).standard_normal((n, k)) * np.geomspace(1, 1e-3, n)[:, None]
    )[0]

    def heaviest(ok, T):
        return ok[np.argmax(np.diag(T)[ok])]

    bound = 1 + np.sqrt(n / r)
    largest = {}
    for rise in (rise_of, printed_rise):
        picks, factors = two_barriers(V, np.eye(n), r, rise(k, n, r), heaviest)
        weights = weight_of(picks, factors, n, k, r)
        assert np.linalg.norm(V[:, 0] * weights) >= 1 - np.sqrt(k / r)
        largest[rise] = weights.max()
    assert largest[rise_of] <= bound < largest[printed_rise]
    assert largest[rise_of] ** 2 > bound
    A = np.diag([2.0]) @ V.T
    found = select(np.vstack([A, np.zeros((1, n))]), r, method="dual-set", n_clusters=k)
    picks, factors = two_barriers(V, np.eye(n), r, rise_of(k, n, r))
    np.testing.assert_allclose(found.weights, weight_of(picks, factors, n, k, r)[found.indices])


def test_shapes_of_deterministic_feature_selection():
    """Lemma 8: QᵀQ cannot be the identity for ℓ₂ < n. Lemma 10, Algorithm 6: sizes of I and A."""
    Q = orthonormal(0, 12, 5).T  # ℓ₂ × n
    np.testing.assert_allclose(Q @ Q.T, np.eye(5), atol=1e-12)
    assert np.linalg.matrix_rank(Q.T @ Q) == 5 < len(Q.T @ Q)
    A, X = np.ones((7, 12)), np.eye(7, 3)
    assert ((np.eye(len(X)) - X @ X.T) @ A).shape == A.shape
    with pytest.raises(ValueError, match=r"mismatch|broadcast|shape"):
        (np.eye(12) - X @ X.T) @ A
    assert A.shape[1] != X.shape[1]  # A of Algorithm 6 is m × n: k columns leave nothing to choose


# -- regularized least squares classification ------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_sign_of_the_least_eigenvalue_in_lemma_2(seed):
    A = np.random.default_rng(seed).standard_normal((4, 60))
    found = select(A, 30, method="bss", rank=4)
    V = np.linalg.svd(A, full_matrices=False)[2].T
    picked = V[found.indices] * found.weights[:, None]
    least = np.linalg.eigvalsh(np.eye(4) - picked.T @ picked)[0]
    gap = np.sqrt(4 / 30)
    assert least < 3 * gap
    assert least >= -2 * gap - gap**2 >= -3 * gap


def test_lemma_6_cannot_bound_what_is_outside():
    """One training point (1, 1)/√2 and weights √(1 ± δ): ε = 0, but (1, −1)/√2 moves by δ."""
    delta = 0.4
    u, q = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    squares = np.array([1 + delta, 1 - delta])
    epsilon = abs(1 - u @ (squares * u))
    eta = abs(q @ (squares * u))
    assert epsilon == pytest.approx(0.0)
    assert eta == pytest.approx(delta)
    for alpha in (0.0, 0.3):
        x, reduced = 1 / (1 + alpha), 1 / (u @ (squares * u) + alpha)
        moved = abs((q @ (squares * u)) * reduced - (q @ u) * x)
        printed, right = 2 * epsilon * 1.0, 2 * eta * 1.0  # κ = σ = ‖β‖ = ‖y‖ = 1, α = 0
        assert printed < moved <= right


def test_theorem_1_with_what_is_measured_outside():
    """The certificate uses η, and holds where the printed bound does not."""
    X = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]) / np.sqrt(2)
    selection = Selection([0, 1, 2, 3], 4, weights=np.sqrt([1.4, 0.6, 1.3, 0.7]))
    for alpha in (0.0, 0.2):
        found = certify(X, selection, labels=[0, 1], test=[[1.0, -1.0, 0, 0]], alpha=alpha)
        assert found["epsilon"].measured == pytest.approx(0.0, abs=1e-12)
        assert found["eta"].measured == pytest.approx(0.4)
        assert found.holds
        assert found.points["difference"][0] > 0.4  # where ε would allow nothing


def test_a_factor_is_missing_without_regularization():
    """ε = 0.45 and λ = 0: the prediction moves by η/(1 − ε), more than by η κ/σ ‖β‖ ‖y‖."""
    u, q = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    squares = np.array([1.1, 0.0])
    kept, eta = u @ (squares * u), abs(q @ (squares * u))
    epsilon = 1 - kept
    assert epsilon == pytest.approx(0.45)
    moved = eta / kept
    assert moved > eta
    assert moved == pytest.approx(eta / (1 - epsilon))
    assert moved <= 2 * eta


def test_displays_in_the_proof_of_theorem_1():
    """Eq. 6 has I + E for I − E, eq. 13 is forgotten later, two inverses and eq. 8's letters."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4))
    U, sigma, Vt = np.linalg.svd(X, full_matrices=False)
    R = np.sqrt(rng.uniform(0.7, 1.3, 40))
    inner = U.T @ (R[:, None] ** 2 * U)
    E, Sigma, eye, alpha = np.eye(4) - inner, np.diag(sigma), np.eye(4), 0.5
    Delta = Sigma @ inner @ Sigma
    np.testing.assert_allclose(Sigma @ (eye - E) @ Sigma, Delta)
    assert np.abs(Sigma @ (eye + E) @ Sigma - Delta).max() > 0.1
    # ‖Φ‖ ≤ ε/(1 − ε), and no less: E = −ε I, for the Φ of the proof
    epsilon = 0.4
    Phi = np.linalg.inv(eye - epsilon * eye) - eye
    assert np.linalg.norm(Phi, 2) == pytest.approx(epsilon / (1 - epsilon))
    assert np.linalg.norm(Phi, 2) > epsilon
    # the first term stands all the same, and even without its 2
    y, a = np.sign(rng.standard_normal(4)), rng.standard_normal(4)
    whole = a @ Vt.T @ np.linalg.solve(Sigma**2 + alpha * eye, Sigma**2 @ Vt @ y)
    part = a @ Vt.T @ Delta @ np.linalg.solve(Delta + alpha * eye, Vt @ y)
    limit = np.linalg.norm(E, 2) * sigma[0] / sigma[-1] * np.linalg.norm(a) * np.linalg.norm(y)
    assert abs(whole - part) <= limit
    # eqs. 10 and 11: ‖aᵀV(I + λΣ⁻²)⁻¹‖ ≤ ‖a‖, which fails without the inverse, and Σ(Δ + λI)⁻¹
    middle = eye + alpha * np.linalg.inv(Sigma**2)
    assert np.linalg.norm(a @ Vt.T @ np.linalg.inv(middle)) <= np.linalg.norm(a)
    assert np.linalg.norm(a @ Vt.T @ middle) > np.linalg.norm(a)
    reduced = Vt.T @ np.linalg.solve(Delta + alpha * eye, Vt @ y)
    across = rng.standard_normal(40)
    across -= U @ (U.T @ across)
    value = across @ (R**2 * (X @ reduced))
    crossed = across @ (R[:, None] ** 2 * U) @ Sigma
    right, printed = np.linalg.inv(Delta + alpha * eye), Delta + alpha * eye
    assert value == pytest.approx(crossed @ right @ Vt @ y)
    assert abs(value - crossed @ printed @ Vt @ y) > 1
    # eq. 8: what is computed there is qᵀXx, not the value of the reduced problem
    q = X @ a
    assert whole == pytest.approx(q @ X @ Vt.T @ np.linalg.solve(Sigma**2 + alpha * eye, Vt @ y))
    assert abs(whole - part) > 1e-4 * abs(whole)


def test_leverage_samples_are_divided_by_r_too():
    """With 1/√p in place of 1/√(rp) a spectrum is multiplied by r; with 1/n no p sums to 1."""
    U, r = orthonormal(0, 50, 6), 20
    p = np.square(U).sum(axis=1) / 6
    mean = sum(r * p[i] * np.outer(U[i], U[i]) / (r * p[i]) for i in range(50))
    printed = sum(r * p[i] * np.outer(U[i], U[i]) / p[i] for i in range(50))
    np.testing.assert_allclose(mean, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(printed, r * np.eye(6), atol=1e-12)
    n = 9  # points, of which only k = 6 directions count
    assert np.square(U).sum() / n == pytest.approx(6 / 9)
    np.testing.assert_allclose(leverage(U), p)
    picks, factors = draw(leverage(U), r, np.random.RandomState(0))
    np.testing.assert_allclose(factors, 1 / np.sqrt(r * p[picks]))


def test_rank_revealing_means_the_next_singular_value():
    """σ_max(R₂₂) ≤ σ_min(A) p(k, d) has no p for nearly dependent columns; σ_{k+1}(A) has."""
    d, k = 4, 1
    for least in (1e-3, 1e-6, 1e-9):
        A = np.diag([1.0, 0.9, 0.8, least]) @ np.linalg.qr(np.vander([1.0, 2, 3, 4]))[0]
        sigma = singular_values(A)
        rest = []
        for order in itertools.permutations(range(d)):
            R = np.linalg.qr(A[:, order], mode="r")
            rest.append(singular_values(R[k:, k:])[0])
        assert min(rest) > 0.5 / least * sigma[-1]
        assert min(rest) <= np.sqrt(1 + k * (d - k)) * sigma[k]
    found = select(A, 1, method="strong-rrqr")
    left = A - A[:, found.indices] @ np.linalg.pinv(A[:, found.indices]) @ A
    assert singular_values(left)[0] <= np.sqrt(1 + 4 * k * (d - k)) * sigma[k]


def test_top_features_of_table_1_are_not_those_of_full_rank():
    """One training set of 27 points: at full rank most picks are noise, at rank 1 none is."""
    k, r = 90, 80
    data = datasets.load("rlsc", n_informative=k, random_state=5)
    A, y = data.X[:27], data.y[:27]
    assert np.mean(select(A, r, method="bss").indices < k) < 0.4
    assert np.mean(select(A, r, method="bss", rank=1).indices < k) > 0.95
    # RRQR: behind the rank the permutation of LAPACK is what was left in place
    order = scipy.linalg.qr(A, mode="r", pivoting=True)[1]
    untouched = set(range(27, r)) - set(order[:27].tolist())
    assert untouched <= set(order[:r].tolist())
    assert {feature - 1 for feature in TABLE_1[k, r]["RRQR"]} <= set(order[:r].tolist())
    # information gain of the presence of what is always present is zero: the first r columns
    assert (A != 0).all()
    assert list(range(r, r - 5, -1)) == list(TABLE_1[k, r]["information gain"])
    told = select((A != 0).astype(float), r, method="information-gain", labels=y)
    assert max(told.info["information"]) == 0.0
    assert told.indices.tolist() == list(range(r))


def test_what_is_said_of_table_2_is_not_in_it():
    """Leverage scores, information gain, RRQR, random: in six of twelve columns alone."""
    told = ("BSS", "leverage", "information gain", "RRQR", "random")
    ordered = {
        (size, column): all(
            table[a][column][0] < table[b][column][0] for a, b in itertools.pairwise(told)
        )
        for size, table in TABLE_2.items()
        for column in range(4)
    }
    assert sum(ordered.values()) == 6
    assert not any(ordered[300, column] for column in range(4))
    for size, table in TABLE_2.items():
        before = [table["RRQR"][column][0] < table["leverage"][column][0] for column in range(4)]
        assert before == [size == 300] * 4


# -- random projections ----------------------------------------------------------------------------


@pytest.mark.parametrize("t", [1, 16, 100])
def test_variance_of_gaussian_entries(t):
    """E‖xR‖² = t · variance · ‖x‖²: that is ‖x‖² for 1/t, and √t ‖x‖² for 1/√t."""
    assert t * (1 / t) == 1.0
    assert (t * (1 / np.sqrt(t)) == pytest.approx(1.0)) == (t == 1)
    R = GaussianProjection(t, random_state=0).fit(np.ones((1, 3000))).transform(np.eye(3000))
    assert np.var(R) == pytest.approx(1 / t, rel=0.1)
    if t > 1:
        assert np.var(R) != pytest.approx(1 / np.sqrt(t), rel=0.5)


def test_moments_are_of_the_squared_norm():
    """Lemma 2, part 3: Var‖CR‖ is quadratic in C, its bound of fourth degree; Var‖CR‖² is not."""
    rng = np.random.default_rng(0)
    n, t = 30, 8
    C = rng.standard_normal((4, n))
    signs = rng.choice([-1.0, 1.0], (2000, n, t)) / np.sqrt(t)
    norms = np.linalg.norm(np.matmul(C, signs), axis=(1, 2))
    limit = 2 * np.linalg.norm(C) ** 4 / t
    assert np.var(norms**2) <= limit
    s = 1e-3  # the same matrix in another unit
    assert np.var(s * norms) > s**4 * limit
    assert np.var((s * norms) ** 2) <= s**4 * limit


def test_lemma_3_pairs_singular_values_with_themselves():
    """τ_i = (1 − σ_i²)/σ_i and its absolute value; what is printed is no norm of Σ⁻¹ − Σ."""
    sigma = np.array([2.0, 1.0])
    Psi = np.diag(1 / sigma - sigma)
    printed = max((1 - sigma * sigma[::-1]) / sigma[::-1])
    right = max(abs(1 - sigma**2) / sigma)
    assert printed < 0 < np.linalg.norm(Psi, 2) == right == 1.5
    for epsilon in (0.01, 0.1, 0.33):
        near = np.linspace(1 - epsilon, 1 + epsilon, 101)
        assert max(abs(1 - near**2) / near) <= 3 * epsilon  # so the lemma itself holds


def test_an_accuracy_of_400_images_is_a_multiple_of_a_400th():
    shares = (0.59, 0.675, 0.765, 0.65, 0.7125, 0.7725, 0.615, 0.34, 0.3875, 0.4575, 0.485)
    shares += (0.4225, 0.48, 0.6425, 0.6575)  # all others of Table 2
    assert all(400 * share == pytest.approx(round(400 * share)) for share in shares)
    assert abs(400 * 0.6255 - 250.2) < 1e-9
    assert abs(400 * 0.6225 - 249) < 1e-9
    classes = np.repeat(np.arange(40), 10)
    labels = np.random.default_rng(0).integers(0, 40, 400)
    share = metrics.matched_accuracy(classes, labels)
    assert 400 * share == pytest.approx(round(400 * share))


# -- greedy selection ------------------------------------------------------------------------------


def recursion(A, B, size, printed=False):
    """Algorithms 5 and 10: the picks, and f as it is before each of them."""
    f, g = np.square(B.T @ A).sum(axis=0), np.square(A).sum(axis=0)
    omegas, vs, picks, seen = [], [], [], []
    for _ in range(size):
        seen.append(f)
        p = int(np.argmax(np.where(g > 1e-9, f / np.maximum(g, 1e-9), -1.0)))
        delta = A.T @ A[:, p] - sum((w[p] * w for w in omegas), np.zeros(A.shape[1]))
        gamma = B.T @ A[:, p] - sum((w[p] * v for w, v in zip(omegas, vs, strict=True)), 0.0)
        omega, v = delta / np.sqrt(delta[p]), gamma / np.sqrt(delta[p])
        last = omega if printed else v
        inner = A.T @ (B @ v) - sum(
            ((u @ last) * w for w, u in zip(omegas, vs, strict=True)), np.zeros(A.shape[1])
        )
        f = f - 2 * omega * inner + (v @ v) * omega**2
        g = g - omega**2
        omegas.append(omega)
        vs.append(v)
        picks.append(p)
    return picks, seen


def test_update_of_the_partition_based_criterion():
    """Theorem 3.7: v^(r)ᵀω is not even defined unless B has as many columns as A; and is wrong."""
    rng = np.random.default_rng(2)
    A, B = rng.standard_normal((15, 10)), rng.standard_normal((15, 10))
    for printed in (False, True):
        picks, seen = recursion(A, B, 5, printed)
        same = []
        for t, f in enumerate(seen):
            chosen = A[:, picks[:t]]
            project = np.eye(15) - chosen @ np.linalg.pinv(chosen)
            same.append(np.allclose(f, np.square((project @ B).T @ project @ A).sum(axis=0)))
        assert all(same) != printed
        assert all(same[:2])  # the sum is empty until then
    right, _ = recursion(A, B, 5)
    assert select(A, 5, method="greedy", target=B).indices.tolist() == right
    with pytest.raises(ValueError, match=r"mismatch|size|dimension"):
        recursion(A, B[:, :3], 5, printed=True)


def test_embedding_divides_by_the_root():
    """§3.3.1: E_pᵀE/‖E_p‖ = G_p/√G_pp; with G_p/G_pp the rows of W are no embedding."""
    A = 3 * np.random.default_rng(0).standard_normal((8, 6))
    p = select(A, 1, method="greedy").indices[0]
    G = A.T @ A
    row = A[:, p] @ A / np.linalg.norm(A[:, p])
    np.testing.assert_allclose(row, G[p] / np.sqrt(G[p, p]))
    assert np.abs(row - G[p] / G[p, p]).max() > 1
    np.testing.assert_allclose(select(A, 1, method="greedy").embedding[0], row)


def test_pivoting_permutes_columns_from_the_right():
    """§2.1.3: A P = Q R with P of size n; P A permutes rows, which no pivoting of columns does."""
    A = np.random.default_rng(0).standard_normal((6, 4))
    Q, R, order = scipy.linalg.qr(A, mode="economic", pivoting=True)
    P = np.eye(4)[:, order]
    np.testing.assert_allclose(A @ P, Q @ R)
    assert not any(
        np.allclose(np.eye(6)[list(rows)] @ A, Q @ R) for rows in itertools.permutations(range(6))
    )
    assert select(A, 4, method="pivoted-qr").indices.tolist() == order.tolist()


# -- clustering ------------------------------------------------------------------------------------


def test_precision_is_a_share_of_the_cluster():
    """§2.2.6: precision C_ij/|P_j|, recall C_ij/|C_i|; the entropy of a cluster sums to one."""
    classes = np.array([0, 0, 0, 0, 1, 1])
    labels = np.array([0, 0, 1, 1, 1, 1])
    C = np.array([[(labels[classes == i] == j).sum() for j in (0, 1)] for i in (0, 1)])
    of_class, of_cluster = C.sum(axis=1, keepdims=True), C.sum(axis=0, keepdims=True)
    # cluster 0 holds nothing but class 0, half of it
    assert (C / of_cluster)[0, 0] == 1.0
    assert (C / of_class)[0, 0] == 0.5
    np.testing.assert_allclose((C / of_cluster).sum(axis=0), 1.0)
    assert not np.allclose((C / of_class).sum(axis=0), 1.0)  # no distribution over the classes

    def weighted(shares):
        logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
        return float(-(shares * logs).sum(axis=0) @ (of_cluster[0] / len(labels)))

    assert metrics.entropy(classes, labels) == pytest.approx(weighted(C / of_cluster))
    assert abs(weighted(C / of_class) - weighted(C / of_cluster)) > 0.1
    # a clustering that is finer than the classes is pure, yet has entropy as printed
    C, fine = np.array([[3, 1, 0], [0, 0, 2]]), np.array([0, 0, 0, 1, 2, 2])
    of_class, of_cluster, labels = C.sum(axis=1, keepdims=True), C.sum(axis=0, keepdims=True), fine
    assert weighted(C / of_cluster) == metrics.entropy(classes, fine) == 0.0
    assert weighted(C / of_class) > 0.1


def test_separation_leaves_out_a_cluster_and_itself():
    """§2.2.6, SI: over all pairs a, b the smallest distance of centroids is that of a and a, 0."""
    X = np.array([[0.0, 0], [1, 0], [9, 0], [9, 2]])
    labels = np.array([0, 0, 1, 1])
    centres = np.array([X[labels == c].mean(axis=0) for c in (0, 1)])
    squares = np.square(centres[:, None] - centres).sum(axis=2)
    assert squares.min() == 0.0
    spread = np.square(X - centres[labels]).sum()
    apart = squares[~np.eye(2, dtype=bool)].min()
    assert metrics.separation_index(X, labels) == pytest.approx(spread / (4 * apart))


def test_self_tuning_width_is_a_mean():
    """§5.4.2 and §6.4: with sums of distances every similarity of n points is 1 − O(1/n²)."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((100, 3)), rng.standard_normal((100, 3)) + 20])
    D = np.linalg.norm(X[:, None] - X, axis=2)
    kernels = {}
    for name, widths in (("sum", D.sum(axis=1)), ("mean", D.mean(axis=1))):
        kernels[name] = np.exp(-(D**2) / (2 * np.outer(widths, widths)))
    assert kernels["sum"].min() > 1 - 10 / len(X) ** 2  # far points of other groups among them
    assert kernels["mean"].min() < 0.2
    K = SelfTuning(X, np.random.RandomState(0))
    np.testing.assert_allclose(K.gram(), kernels["mean"], rtol=1e-6, atol=1e-6)


def test_normalized_rows_find_groups_of_unequal_degree():
    """Algorithm 9: rows of V_k are as long as the root of the degree; of unit length they are not.

    Three groups that nothing joins: every row of V_k is √(degree) times a corner of a frame.
    """
    degrees = np.repeat([1.0, 1.0, 1.0], 20) * np.geomspace(1, 400, 60)
    groups = np.arange(60) % 3
    K = np.outer(np.sqrt(degrees), np.sqrt(degrees)) * (groups[:, None] == groups)
    W = K / np.sqrt(np.outer(K.sum(axis=1), K.sum(axis=1)))
    rows = np.linalg.eigh(W)[1][:, -3:]
    units = rows / np.linalg.norm(rows, axis=1)[:, None]

    def spread(points):
        """Squared distances from the means of groups, as a share of those from zero."""
        means = np.array([points[groups == c].mean(axis=0) for c in range(3)])
        return np.square(points - means[groups]).sum() / np.square(points).sum()

    assert spread(units) < 1e-12
    assert spread(rows) > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_rank_k_of_the_traditional_formula_is_not_the_best(seed):
    """Table 4.3: C V_k Λ_k⁻¹ V_kᵀ Cᵀ (eq. 4.5) against the best rank k within K̃_S (eq. 4.12)."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 4))
    landmarks = rng.permutation(60)[:12]

    def kernel(a, b):
        return np.exp(-0.1 * np.square(a[:, None] - b).sum(axis=2))

    K, C = kernel(X, X), kernel(X, X[landmarks])
    values, vectors = np.linalg.eigh(C[landmarks])
    top = vectors[:, -4:] / np.sqrt(values[-4:])
    traditional = C @ top @ top.T @ C.T
    inside = C @ np.linalg.solve(C[landmarks], C.T)
    inner, outer = np.linalg.eigh((inside + inside.T) / 2)
    best = (outer[:, -4:] * inner[-4:]) @ outer[:, -4:].T
    assert np.linalg.norm(inside - best) < np.linalg.norm(inside - traditional)
    assert np.linalg.norm(K - best) < np.linalg.norm(K - traditional)
    model = Nystroem(gamma=0.1, n_components=12, landmarks=landmarks.tolist(), rank=4)
    Z = model.fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, best, atol=1e-8)


def test_shapes_of_the_thesis():
    """Theorem 5.1: W is l × n. Eq. 4.11: Ω_k is l × k. §4.4.2: M_ji has the rows of the groups."""
    A = np.random.default_rng(0).standard_normal((7, 9))
    found = select(A, 4, method="greedy")
    W = np.asarray(found.embedding)
    assert W.shape == (4, 9)
    chosen = A[:, found.indices]
    Q = chosen @ np.linalg.pinv(chosen) @ A @ np.linalg.pinv(W)
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-9)
    Omega = np.linalg.svd(W)[0][:, :2]
    assert Omega.shape == (4, 2)
    assert (Omega.T @ W).shape == (2, 9)
    groups = [[0, 1, 2], [3, 4], [5, 6, 7, 8]]
    K = A.T @ A
    L = np.array([[K[i, members].sum() for i in range(9)] for members in groups])
    np.testing.assert_allclose(L, np.array([A[:, g].sum(axis=1) for g in groups]) @ A)


# -- the page --------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "errata.md"


def sections():
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(r"^### (.*?)\n(.*?)(?=^##|\Z)", text, flags=re.DOTALL | re.MULTILINE)


def test_every_erratum_names_a_test_that_is_there():
    found = sections()
    assert len(found) >= 25
    files = [*ROOT.glob("tests/**/test_*.py")]
    there = {
        name: path.relative_to(ROOT).as_posix()
        for path in files
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    named = set()
    for title, body in found:
        tests = re.findall(r"`(test_\w+)`", body)
        assert tests, title
        assert not set(tests) - set(there), title
        named |= set(tests)
        for part in ("**Printed.**", "**Should be.**", "**Why.**", "**Tests.**"):
            assert body.count(part) == 1, (title, part)
    own = {name for name, path in there.items() if path.endswith("errata/test_errata.py")}
    about_the_page = {
        test_every_erratum_names_a_test_that_is_there.__name__,
        test_experiments_that_errata_name_are_there.__name__,
    }
    assert own - about_the_page <= named


def test_experiments_that_errata_name_are_there():
    from colonnade.reproduction.catalogue import experiments
    from colonnade.reproduction.experiment import DOCUMENTS

    named = set(re.findall(r"`colonnade reproduce ([\w.-]+)`", PAGE.read_text(encoding="utf-8")))
    assert "paul-2014-table-1" in named
    for name in named:
        document = "-".join(name.split("-")[:2])
        assert document in DOCUMENTS
        if any(known.startswith(f"{document}-") for known in experiments()):
            assert name in experiments()
