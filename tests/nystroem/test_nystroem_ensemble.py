"""Ensembles of Nyström approximations: their weights by hand, and what they lose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from colonnade import EnsembleNystroem, Nystroem
from colonnade.nystroem.weights import GRID, _ridge, draw_columns, draw_landmarks


@pytest.fixture(scope="module")
def digits():
    return load_digits().data[:300] / 16


def formula(K, S):
    """Eq. 4.2, with a pseudo-inverse."""
    return K[:, S] @ np.linalg.pinv(K[np.ix_(S, S)], rcond=1e-12, hermitian=True) @ K[:, S].T


def product(Z):
    return Z @ Z.T


@pytest.mark.parametrize("weights", ["uniform", "exponential", "ridge"])
@pytest.mark.parametrize("rank", [None, 4])
def test_ensemble_is_the_weighted_sum(weights, rank, digits):
    mix = EnsembleNystroem(
        gamma=0.1, n_components=12, n_experts=5, weights=weights, rank=rank, random_state=0
    ).fit(digits)
    K = rbf_kernel(digits, gamma=0.1)
    parts = [product(expert.transform(digits)) for expert in mix.experts_]
    if rank is None:
        for expert, part in zip(mix.experts_, parts, strict=True):
            np.testing.assert_allclose(part, formula(K, expert.component_indices_), atol=1e-9)
    mixed = sum(w * part for w, part in zip(mix.weights_, parts, strict=True))
    Z = mix.transform(digits)
    np.testing.assert_allclose(product(Z), mixed, atol=1e-10)
    assert Z.shape[1] == (rank or 12) * (mix.weights_ > 0).sum()
    assert len(mix.get_feature_names_out()) == Z.shape[1]
    drawn = np.concatenate([expert.component_indices_ for expert in mix.experts_])
    assert len(set(drawn)) == 60
    assert (mix.weights_ >= 0).all()
    errors = [np.linalg.norm(K - part) for part in parts]
    if weights != "ridge":  # the norm is convex
        assert mix.weights_.sum() == pytest.approx(1)
        assert np.linalg.norm(K - mixed) <= mix.weights_ @ errors + 1e-12
    assert np.linalg.norm(K - mixed) < np.mean(errors)


def drawn_by_hand(n, size, count, seed):
    """Landmarks of each expert, all of them in turn, and the other points."""
    rng = np.random.RandomState(seed)
    order = rng.permutation(n)
    each = order[: size * count].reshape(count, size)
    return each, each[rng.permutation(count)].T.ravel(), order[size * count :]


def weighted(K, landmarks, others, part):
    """Columns of K (last axis) from both kinds of points, times roots of what they stand for."""
    shares = (landmarks[part], len(landmarks)), (others[part], len(others))
    return np.concatenate([K[..., V] * np.sqrt(of / len(V)) for V, of in shares], axis=-1)


def test_ensemble_weights_follow_their_formulas(digits):
    """Ten landmarks and ten other points to learn from, by hand."""
    params = {"gamma": 0.1, "n_components": 10, "n_experts": 4, "random_state": 0}
    K = rbf_kernel(digits, gamma=0.1)
    mix = EnsembleNystroem(**params, weights="exponential", penalty=30.0).fit(digits)
    each, *kinds = drawn_by_hand(300, 10, 4, 0)
    parts = np.array([weighted(formula(K, S), *kinds, slice(10)) for S in each])
    exact = weighted(K, *kinds, slice(10))
    errors = np.linalg.norm(parts - exact, axis=(1, 2)) / np.linalg.norm(exact)
    mu = np.exp(-30 * errors)
    np.testing.assert_allclose(mix.weights_, mu / mu.sum(), rtol=1e-6)
    mix = EnsembleNystroem(**params, penalty=0.01).fit(digits)
    flat = parts.reshape(4, -1)
    ridge = 0.01 * np.square(flat).sum() / 4

    def slope(mu):
        return flat @ (mu @ flat - exact.ravel()) + ridge * mu

    # the conditions of a minimum over μ ≥ 0
    at = slope(mix.weights_) / np.square(flat).sum()
    assert np.abs(at[mix.weights_ > 0]).max() < 1e-8
    assert (at > -1e-8).all()


def test_learned_weights_are_chosen_on_other_columns(digits):
    params = {"gamma": 0.3, "n_components": 10, "n_experts": 6, "random_state": 1}
    K = rbf_kernel(digits, gamma=0.3)
    _, *kinds = drawn_by_hand(300, 10, 6, 1)

    def left(mix):
        return np.linalg.norm(weighted(K - product(mix.transform(digits)), *kinds, slice(10, 20)))

    even = EnsembleNystroem(**params, weights="uniform").fit(digits)
    for weights in ("ridge", "exponential"):
        best = EnsembleNystroem(**params, weights=weights).fit(digits)
        assert left(best) <= left(even) * (1 + 1e-6)
        for factor in (10**1.5, 10**-1.5):
            other = EnsembleNystroem(**params, weights=weights, penalty=best.penalty_ * factor)
            assert left(best) <= left(other.fit(digits)) + 1e-9


def test_ensemble_weights_of_few_points(digits):
    """Six landmarks and ten other points: half of each to learn from, half to judge."""
    X = digits[:16]
    K = rbf_kernel(X, gamma=0.1)
    params = {"gamma": 0.1, "n_components": 3, "n_experts": 2, "random_state": 0}
    each, landmarks, others = drawn_by_hand(16, 3, 2, 0)
    parts = np.array([formula(K, S) for S in each])

    def columns(K, first):
        both = (landmarks, slice(3)), (others, slice(5))
        return np.concatenate(
            [K[..., V[part] if first else V[part.stop :]] * np.sqrt(len(V) / part.stop)
             for V, part in both], axis=-1,
        )  # fmt: skip

    def at(penalty):
        flat = columns(parts, True).reshape(2, -1)
        ridge = penalty * np.square(flat).sum() / 2 * np.eye(2)
        return np.linalg.solve(flat @ flat.T + ridge, flat @ columns(K, True).ravel())

    mix = EnsembleNystroem(**params, penalty=0.1).fit(X)
    np.testing.assert_allclose(mix.weights_, at(0.1), rtol=1e-6)
    assert (mix.weights_ > 0).all()
    mix = EnsembleNystroem(**params).fit(X)
    left = [
        np.linalg.norm(columns(K - np.tensordot(at(penalty), parts, 1), False)) for penalty in GRID
    ]
    assert mix.penalty_ == GRID[np.argmin(left)]


@pytest.mark.parametrize(
    ("n", "size", "count", "s", "more", "expected"),
    [
        (300, 10, 4, 20, 20, (10, 10, 10, 10)),
        (300, 10, 4, 1, 1, (1, 1, 1, 1)),  # one of each kind at least
        (300, 2, 3, 20, 20, (3, 17, 3, 17)),  # six landmarks only, so more of the others
        (40, 6, 6, 10, 10, (8, 2, 8, 2)),  # four others only
        (41, 10, 4, 10, 10, (10, 1, 9, 1)),  # one other, which serves twice
        (30, 10, 3, 10, 10, (10, 0, 10, 0)),  # landmarks only
        (5, 5, 2, 10, 10, (2, 0, 3, 0)),
        (1, 1, 1, 10, 10, (1, 0, 1, 0)),
        (300, 10, 4, 1000, 1, (39, 259, 1, 1)),
    ],
)
def test_columns_of_both_kinds(n, size, count, s, more, expected):
    rng = np.random.RandomState(0)
    drawn, landmarks, others = draw_landmarks(n, size, count, rng)
    assert sorted([*landmarks, *others]) == list(range(n))
    assert set(landmarks) == set(np.concatenate(drawn))
    sets = draw_columns(landmarks, others, s, more)
    found = [
        int(np.isin(columns, kind).sum()) for columns, _ in sets for kind in (landmarks, others)
    ]
    assert tuple(found) == expected
    for columns, counts in sets:
        for kind in (landmarks, others):
            if len(kind):  # together they stand for all of their kind
                assert counts[np.isin(columns, kind)].sum() == pytest.approx(len(kind))


@pytest.mark.parametrize(("size", "count"), [(5, 3), (12, 4)])  # the latter overlap
def test_columns_estimate_the_error_without_bias(size, count):
    """The mean over many draws, for fixed landmarks, is the sum over all columns."""
    n = 40
    values = np.random.default_rng(0).uniform(size=n)
    found = []
    for seed in range(6000):
        drawn, *kinds = draw_landmarks(n, size, count, np.random.RandomState(seed))
        at = values.copy()
        at[drawn[0]] *= 5.0  # experts differ
        at[drawn[1]] += 3.0
        total = at.sum()
        found.append(
            [counts @ at[columns] / total for columns, counts in draw_columns(*kinds, 6, 4)]
        )
    spread = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - 1) < 4.5 * spread).all()


ROUGH = [
    ("rbf", {}), ("rbf", {"gamma": 0.01}), ("rbf", {"gamma": 1e-3}), ("laplacian", {}),
    ("linear", {}), ("cosine", {}), ("polynomial", {"degree": 2}), ("rbf", {"gamma": 1e4}),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "params"), ROUGH, ids=repr)
@pytest.mark.parametrize(("size", "count"), [(20, 5), (10, 10), (3, 20), (30, 10)])
@pytest.mark.slow
def test_ridge_weights_are_as_good_as_even_ones(kernel, params, size, count):
    """Also where landmarks stand for little beside themselves, and weights sum to more than one."""
    for X in (load_digits().data[:600], load_digits().data[:200] / 16):
        K = pairwise_kernels(X, metric=kernel, **params)
        for seed in range(3):
            errors = {}
            for weights in ("ridge", "uniform"):
                mix = EnsembleNystroem(kernel, **params, n_components=size, n_experts=count,
                                       weights=weights, random_state=seed).fit(X)  # fmt: skip
                errors[weights] = np.linalg.norm(K - product(mix.transform(X)))
            assert errors["ridge"] <= 1.03 * errors["uniform"] + 1e-8 * np.linalg.norm(K)


def test_ridge_weights_of_a_kernel_near_the_identity():
    """Each expert is right on its own landmarks and says nothing of the rest: all count in full."""
    X = load_digits().data
    K = rbf_kernel(X)
    mix = EnsembleNystroem(n_components=20, n_experts=5, random_state=0).fit(X)
    np.testing.assert_allclose(mix.weights_, 1.0, atol=0.01)
    left = np.linalg.norm(K - product(mix.transform(X))) / np.linalg.norm(K)
    even = EnsembleNystroem(n_components=20, n_experts=5, weights="uniform", random_state=0)
    assert left < 0.985 * np.linalg.norm(K - product(even.fit_transform(X))) / np.linalg.norm(K)


@pytest.mark.parametrize("weights", ["ridge", "exponential"])
def test_ensemble_of_kernels_that_tell_nothing(weights):
    mix = EnsembleNystroem("precomputed", n_components=5, n_experts=3, weights=weights,
                           random_state=0)  # fmt: skip
    np.testing.assert_allclose(
        mix.fit(np.eye(20)).weights_, 1.0 if weights == "ridge" else 1 / 3, rtol=0.01
    )
    X = load_digits().data[:300] / 16
    sharp = EnsembleNystroem(gamma=1e4, n_components=10, n_experts=3, weights=weights,
                             random_state=0)  # fmt: skip
    assert np.isfinite(sharp.fit_transform(X)).all()
    zero = EnsembleNystroem("linear", n_components=2, n_experts=3, weights=weights)
    with np.errstate(all="raise"):
        zero.fit(np.zeros((12, 2)))
    np.testing.assert_allclose(zero.weights_, 1 / 3)


@pytest.mark.parametrize("weights", ["ridge", "exponential"])
@pytest.mark.parametrize("factor", [1e-180, 1e180])
def test_units_of_the_kernel_do_not_matter(weights, factor, digits):
    K = rbf_kernel(digits[:60], gamma=0.1)
    params = {"n_components": 5, "n_experts": 3, "weights": weights, "random_state": 0}
    expected = EnsembleNystroem("precomputed", **params).fit(K).weights_
    found = EnsembleNystroem("precomputed", **params).fit(K * factor).weights_
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.filterwarnings("error")
def test_experts_know_the_names_of_the_data(digits):
    frame = pd.DataFrame(digits, columns=[f"p{i}" for i in range(64)])
    mix = EnsembleNystroem(n_components=3, n_experts=2, random_state=0).fit(frame)
    for expert in mix.experts_:
        assert list(expert.feature_names_in_) == list(frame.columns)
        np.testing.assert_array_equal(
            expert.transform(frame),
            Nystroem(landmarks=expert.component_indices_).fit(frame).transform(frame),
        )


def test_ridge_of_equal_experts():
    """Without a penalty nothing tells them apart."""
    part = np.random.default_rng(0).integers(1, 5, (6, 4)).astype(float)
    mu = _ridge(np.array([part] * 3), 2.0 * part)(0.0)
    assert mu.sum() == pytest.approx(2.0)


def test_ensemble_of_few_points(digits):
    with pytest.warns(UserWarning, match="only 12 points"):
        mix = EnsembleNystroem(n_components=20, n_experts=3, random_state=0).fit(digits[:12])
    np.testing.assert_allclose(product(mix.transform(digits[:12])), rbf_kernel(digits[:12]),
                               atol=1e-3)  # fmt: skip
