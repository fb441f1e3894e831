"""Theorems and symmetries as properties, on random and nasty matrices."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calls import needs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matrices import NASTY, nasty
from oracles import BY_KIND, error, residual

from colonnade import METHODS, Kernel, RankReachedWarning, low_rank, metrics, select
from colonnade.operands.entrance import as_operand
from colonnade.pivoting.columns import ColumnResidual
from colonnade.pivoting.products import GramResidual
from colonnade.pivoting.targets import HeldOuter, MatrixTarget, Products

DETERMINISTIC = [
    name
    for name in (*BY_KIND["greedy"].ORACLES, *BY_KIND["pivoted"].ORACLES)
    if not METHODS[name].randomized and not METHODS[name].supervised
]
REFINING = [m.name for m in METHODS.values() if "refine" in m.parameters]
# the same examples every time, so that a failure is never a matter of luck
PROFILE = settings(deadline=None, max_examples=60, derandomize=True)


@st.composite
def matrices(draw, max_side=12, kind="real"):
    m = draw(st.integers(1, max_side))
    n = draw(st.integers(2, max_side))
    if kind == "integer":
        A = draw(arrays(float, (m, n), elements=st.integers(-3, 3).map(float)))
    else:
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        rank = draw(st.integers(1, min(m, n)))
        A = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
        A = A * 10.0 ** draw(st.integers(-20, 20))
    A[0, 0] += 1.0 * (not A.any())
    return A


def quietly(X, n_select, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankReachedWarning)
        return select(X, n_select, **params)


@PROFILE
@given(matrices(kind="integer"), st.data())
def test_integers_with_many_ties(A, data):
    """Small integers make exact ties, zero and duplicated columns the rule."""
    n_select = data.draw(st.integers(1, A.shape[1]))
    found = quietly(A, n_select)
    rank = np.linalg.matrix_rank(A)
    assert len(found) == min(n_select, rank)
    path = [A.shape and (A**2).sum(), *found.errors]
    for t, p in enumerate(found.indices):
        # whatever the tie-break, the choice is a best single addition
        S = found.indices[:t].tolist()
        best = min(error(A, [*S, i]) for i in range(A.shape[1]) if i not in S)
        assert error(A, [*S, int(p)]) <= best + 1e-9 * path[0]
        assert path[t + 1] == pytest.approx(error(A, [*S, int(p)]), abs=1e-9 * path[0])


@PROFILE
@given(matrices(), st.sampled_from(["greedy", "pivoted-qr"]), st.randoms(use_true_random=False))
def test_permuting_columns_permutes_the_choice(A, name, random):
    order = list(range(A.shape[1]))
    random.shuffle(order)
    plain = quietly(A, 0.5, method=name).indices
    permuted = quietly(A[:, order], 0.5, method=name).indices
    assert _same_up_to_ties(A, plain.tolist(), [order[p] for p in permuted])


def _same_up_to_ties(A, one, other):
    """Whether two orders agree, or leave the same error where they part (an exact tie)."""
    for t, (p, q) in enumerate(zip(one, other, strict=True)):
        if p != q:
            total = (A**2).sum()
            here, there = error(A, one[: t + 1]), error(A, other[: t + 1])
            return abs(here - there) <= 1e-8 * max(here, there) + 1e-20 * total
    return True


@PROFILE
@given(matrices(), st.sampled_from(DETERMINISTIC), st.integers(-40, 40))
def test_scaling_changes_nothing(A, name, exponent):
    plain = quietly(A, 0.5, method=name)
    scaled = quietly(A * 2.0**exponent, 0.5, method=name)
    assert plain.indices.tolist() == scaled.indices.tolist()
    np.testing.assert_allclose(scaled.relative_errors, plain.relative_errors, rtol=1e-9, atol=1e-25)


@PROFILE
@given(matrices())
def test_orthogonal_rows_change_nothing(A):
    """Only inner products of columns matter: a rotation of the rows keeps the choice."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((A.shape[0] + 3, A.shape[0])))[0]
    plain, rotated = quietly(A, 0.5), quietly(Q @ A, 0.5)
    assert _same_up_to_ties(A, plain.indices.tolist(), rotated.indices.tolist())


@PROFILE
@given(matrices(), st.data())
def test_lemma_3_1_projections_add_up(A, data):
    """P_S = P_P + R_R, the projection on the residual of the rest (thesis, Lemma 3.1)."""
    n = A.shape[1]
    S = data.draw(st.permutations(range(n)).map(lambda order: order[: max(1, n // 2)]))
    cut = data.draw(st.integers(0, len(S)))
    E = residual(A, S[:cut])
    rest = residual(E, S[cut:])
    np.testing.assert_allclose(residual(A, S), rest, atol=1e-7 * np.abs(A).max())


@PROFILE
@given(matrices(), st.data())
def test_theorem_3_3_error_falls_by_what_is_reconstructed(A, data):
    """F(S) = F(P) − ‖Ẽ_R‖² (thesis, Theorem 3.3)."""
    n = A.shape[1]
    S = data.draw(st.permutations(range(n)).map(lambda order: order[: max(1, n // 2)]))
    cut = data.draw(st.integers(0, len(S)))
    E = residual(A, S[:cut])
    gained = E - residual(E, S[cut:])
    total = (A**2).sum()
    assert error(A, S) == pytest.approx(error(A, S[:cut]) - (gained**2).sum(), abs=1e-9 * total)


@pytest.mark.parametrize("matrix", NASTY)
@pytest.mark.parametrize("name", DETERMINISTIC)
def test_embedding_is_a_partial_cholesky_factor(name, matrix):
    """W = QᵀA: WᵀW is the Gram matrix of the projected columns, and W_S is triangular."""
    A = nasty(matrix)
    A = A / np.abs(A).max()
    found = quietly(A, max(1, min(A.shape) // 2), method=name)
    W, S = found.embedding, found.indices
    projected = A - residual(A, S.tolist())
    total = (A**2).sum()
    np.testing.assert_allclose(W.T @ W, projected.T @ projected, atol=1e-9 * total)
    np.testing.assert_array_equal(np.tril(W[:, S], -1), 0.0)
    assert (np.diag(W[:, S]) > 0).all()
    np.testing.assert_allclose(
        found.errors, total - np.cumsum((W**2).sum(axis=1)), atol=1e-9 * total
    )


@pytest.mark.parametrize("matrix", ["tall", "wide", "graded wide", "positive integers"])
def test_scores_stay_within_their_bounds(matrix):
    """g_i ≤ f_i/g_i ≤ Σ g for the target itself, and both are what they claim to be."""
    A = nasty(matrix)
    operand = as_operand(A)
    for state in (
        ColumnResidual(operand, HeldOuter(operand), 20),
        ColumnResidual(operand, Products(operand), 20),
        GramResidual(operand, 20, scored=True),
    ):
        for p in select(A, 6).indices:
            state.add(int(p))
            E = residual(A, state.chosen)
            g = (E**2).sum(axis=0)
            f = ((E.T @ E) ** 2).sum(axis=0)
            scale = (A**2).sum()
            np.testing.assert_allclose(state.g, g, atol=1e-12 * scale)
            np.testing.assert_allclose(state.f, f, atol=1e-12 * scale**2)
            live = np.setdiff1d(np.flatnonzero(g > 1e-6 * scale), state.chosen)
            ratio = state.f[live] / state.g[live]
            assert (state.g[live] <= ratio * (1 + 1e-6)).all()
            assert (ratio <= state.error() * (1 + 1e-6)).all()


@pytest.mark.parametrize("seed", range(3))
def test_withdrawing_undoes_choosing(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((15, 22))
    B = rng.standard_normal((15, 4))
    operand = as_operand(A)
    S = [3, 8, 1, 19, 5]
    for make in (
        lambda: ColumnResidual(operand, HeldOuter(operand), 6, reversible=True),
        lambda: ColumnResidual(operand, Products(operand), 6, reversible=True),
        lambda: ColumnResidual(operand, MatrixTarget(B), 6, reversible=True),
        lambda: GramResidual(operand, 6, scored=True, reversible=True),
        lambda: GramResidual(Kernel(A.T @ A), 6, scored=True, reversible=True),
    ):
        for gone in S:
            state, fresh = make(), make()
            state.load(S)
            before = state.f.copy(), state.g.copy()
            loss = state.drop(gone)
            kept = [p for p in S if p != gone]
            fresh.load(kept)
            outside = np.setdiff1d(np.arange(22), kept)
            np.testing.assert_allclose(state.f[outside], fresh.f[outside], rtol=1e-8)
            np.testing.assert_allclose(state.g[outside], fresh.g[outside], rtol=1e-8)
            assert loss == pytest.approx(fresh.f[gone] / fresh.g[gone], rel=1e-9)
            state.restore()
            np.testing.assert_array_equal(state.f, before[0])
            np.testing.assert_array_equal(state.g, before[1])
            fresh.add(gone)
            state.drop(S[2])
            fresh.drop(S[2])
            np.testing.assert_allclose(state.g, fresh.g, atol=1e-9)


@PROFILE
@given(matrices(), st.sampled_from(REFINING), st.data())
def test_refining_never_hurts_and_ends_where_no_exchange_helps(A, name, data):
    assume(len(A) > 1 or METHODS[name].kind != "factors")  # in one row nothing varies
    A = A / np.abs(A).max()
    if METHODS[name].kind == "graph":
        assume(len(A) > 1)
    n_select = data.draw(st.integers(1, max(1, min(A.shape) - 1)))
    params = needs(name, A, n_select)
    plain = quietly(A, n_select, method=name, **params)
    refined = quietly(A, n_select, method=name, refine=True, **params)
    if not len(plain):
        return
    assert refined.errors[-1] <= plain.errors[-1] + 1e-9 * plain.total
    S = refined.indices.tolist()
    if refined.units is not None:  # the method centred and scaled
        A = (A - refined.means) / np.where(refined.units > 0, refined.units, np.inf)
    if METHODS[name].supervised or refined.relative_errors[-1] < 1e-7:
        return
    for p in S:
        kept = [q for q in S if q != p]
        for candidate in set(range(A.shape[1])) - set(S):
            assert error(A, [*kept, candidate]) >= refined.errors[-1] * (1 - 1e-6)


@PROFILE
@given(matrices(), st.floats(0.01, 0.9))
def test_max_error_gives_the_shortest_beginning(A, max_error):
    found = quietly(A, None, max_error=max_error)
    assert found.relative_errors[-1] <= max_error * (1 + 1e-9)
    assert (found.relative_errors[:-1] > max_error).all()
    full = quietly(A, len(found))
    assert found.indices.tolist() == full.indices.tolist()


@PROFILE
@given(matrices(), st.data())
def test_includes_and_excludes(A, data):
    n = A.shape[1]
    order = data.draw(st.permutations(range(n)))
    count = data.draw(st.integers(0, n - 1))
    include = order[: count // 2]
    exclude = order[count // 2 : count]
    n_select = data.draw(st.integers(max(1, len(include)), n - len(exclude)))
    for refine in (False, True):
        found = quietly(A, n_select, must_include=include, exclude=exclude, refine=refine)
        assert set(include) <= set(found.indices.tolist())
        assert found.indices[: len(include)].tolist() == list(include)
        assert not set(exclude) & set(found.indices.tolist())


@PROFILE
@given(matrices(), st.data())
def test_low_rank_is_the_best_in_the_span(A, data):
    """Eckart–Young in the span of the chosen columns (thesis §3.1), and eq. 3.5."""
    A = A / np.abs(A).max()
    found = quietly(A, data.draw(st.integers(1, min(A.shape))))
    k = data.draw(st.integers(1, len(found)))
    approximation = low_rank(A, found, rank=k)
    projected = A - residual(A, found.indices.tolist())
    s = np.linalg.svd(projected, compute_uv=False)
    np.testing.assert_allclose(approximation.singular_values, s[:k], atol=1e-9)
    total = (A**2).sum()
    expected = error(A, found.indices.tolist()) + (s[k:] ** 2).sum()
    assert approximation.error == pytest.approx(expected, abs=1e-9 * total)
    assert ((A - approximation.toarray()) ** 2).sum() == pytest.approx(expected, abs=1e-9 * total)
    np.testing.assert_allclose(approximation.left.T @ approximation.left, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(approximation.right.T @ approximation.right, np.eye(k), atol=1e-6)
    true = np.linalg.svd(A, compute_uv=False)[:k]
    assert (approximation.singular_values <= true + 1e-9).all()


@PROFILE
@given(matrices(), st.data())
def test_metrics_are_what_they_say(A, data):
    A = A / np.abs(A).max()
    n = A.shape[1]
    S = data.draw(st.permutations(range(n)).map(lambda order: order[: max(1, n // 2)]))
    total = (A**2).sum()
    expected = error(A, S)
    assert metrics.reconstruction_error(A, S, relative=False) == pytest.approx(
        expected, abs=1e-12 * total
    )
    assert metrics.reconstruction_error(Kernel(A.T @ A, check=False), S) == pytest.approx(
        expected / total, abs=1e-7
    )
    s = np.linalg.svd(A, compute_uv=False)
    best = (s[len(S) :] ** 2).sum()
    assert metrics.best_rank_error(A, len(S)) == pytest.approx(best, abs=1e-12 * total)
    accuracy = metrics.relative_accuracy(A, S)
    assert 0 <= accuracy <= 1 + 1e-9
    if expected > 1e-9 * total:
        assert accuracy == pytest.approx(np.sqrt(best / expected), abs=1e-6)


def test_randomized_svd_is_close_to_the_exact_one():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((300, 40)) @ rng.standard_normal((40, 200))
    A += 0.1 * rng.standard_normal(A.shape)
    exact = metrics.best_rank_error(A, 20, svd="exact")
    approximate = metrics.best_rank_error(A, 20, svd="randomized")
    assert exact <= approximate * (1 + 1e-9) <= exact * 1.02


def test_uniform_draws_every_column_alike():
    counts = np.zeros(6)
    for seed in range(600):
        counts[select(np.eye(6), 2, method="uniform", random_state=seed).indices] += 1
    assert (np.abs(counts - 200) < 60).all()


def test_random_pivot_draws_in_proportion():
    lengths = np.array([1.0, 4.0, 9.0, 0.0])
    counts = np.zeros(4)
    for seed in range(1000):
        A = np.diag(np.sqrt(lengths))
        counts[select(A, 1, method="random-pivot", random_state=seed).indices[0]] += 1
    np.testing.assert_allclose(counts / 1000, lengths / 14, atol=0.05)
    assert counts[3] == 0


def test_sign_sketch_is_unbiased():
    """E[BBᵀ] = AAᵀ for signed groups, which plain groups do not have."""
    from colonnade.selectors.greedy.sketches import sketch

    A = np.random.default_rng(0).standard_normal((5, 30)) + 1.0
    operand = as_operand(A)
    mean = {"signed": np.zeros((5, 5)), "groups": np.zeros((5, 5))}
    for seed in range(800):
        for name in mean:
            B = sketch(operand, name, 6, np.random.RandomState(seed))
            mean[name] += B @ B.T / 800
    scale = np.linalg.norm(A @ A.T)
    assert np.linalg.norm(mean["signed"] - A @ A.T) < 0.05 * scale
    assert np.linalg.norm(mean["groups"] - A @ A.T) > 0.5 * scale
