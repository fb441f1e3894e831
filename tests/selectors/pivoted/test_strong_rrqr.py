"""Strong rank-revealing QR and HybridCSS: their bounds, on Kahan's and on nasty matrices."""

from __future__ import annotations

import warnings
from math import lgamma, log

import numpy as np
import pytest
import scipy.sparse as sp
from calls import run
from matrices import NASTY, nasty, with_spectrum
from oracles import pivoted as slow
from oracles.pivoted import log_volume

from colonnade import Kernel, RankReachedWarning, StrongRRQRSelector, as_operand, select
from colonnade.operands.sparse import Sparse
from colonnade.pivoting import exchanges


def kahan(n, angle=1.2):
    """Upper triangular; pivoted QR exchanges nothing and misses the small singular value."""
    c, s = np.cos(angle), np.sin(angle)
    return np.diag(s ** np.arange(n)) @ (np.eye(n) - c * np.triu(np.ones((n, n)), 1))


MATRICES = {
    **{name: lambda name=name: nasty(name) for name in NASTY},
    "Kahan": lambda: kahan(30),
    "small Kahan": lambda: kahan(12, 0.9),
    "wide Kahan": lambda: np.hstack([kahan(20), kahan(20)[:, ::-1] @ kahan(20)]),
    "Kahan in the middle": lambda: np.vstack([np.zeros((3, 25)), kahan(25), np.ones((2, 25))]),
    "graded gently": lambda: with_spectrum(
        np.random.default_rng(1), 30, 50, np.geomspace(1.0, 1e-4, 30)
    ),
    "a gap": lambda: with_spectrum(
        np.random.default_rng(2), 25, 25, np.r_[np.ones(10), np.full(15, 1e-7)]
    ),
}


def blocks(A, chosen):
    """R11, R12 and the part of the other columns outside the span (R22, up to a rotation)."""
    rest = np.setdiff1d(np.arange(A.shape[1]), chosen)
    Q, R11 = np.linalg.qr(A[:, chosen])
    R12 = Q.T @ A[:, rest]
    return R11, R12, A[:, rest] - Q @ R12


def broken_bounds(A, chosen, factor):
    """Which of the bounds of Gu & Eisenstat fail, with room for rounding."""
    k, n = len(chosen), A.shape[1]
    q = np.sqrt(1 + factor**2 * k * (n - k)) * (1 + 1e-6)
    R11, R12, R22 = blocks(A, chosen)
    s = np.linalg.svd(A, compute_uv=False)
    noise = 1e-14 * s[0]
    broken = []
    if (np.linalg.svd(R11, compute_uv=False) < s[:k] / q - noise).any():
        broken.append("R11")
    if k < n:
        outer = np.linalg.svd(R22, compute_uv=False)
        inner = np.append(s[k:], np.zeros(len(outer)))[: len(outer)]
        if (outer > q * inner + q * noise).any():
            broken.append("R22")
        if (np.square(outer).sum()) > q**2 * (np.square(inner).sum() + len(outer) * noise**2):
            broken.append("error")
        if np.abs(np.linalg.solve(R11, R12)).max() > factor * (1 + 1e-3):
            broken.append("R11⁻¹R12")
    return broken


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("matrix", MATRICES)
def test_the_bounds_of_gu_and_eisenstat(matrix, factor):
    A = MATRICES[matrix]()
    A = A / np.abs(A).max()
    for k in {1, max(1, min(A.shape) // 2), max(1, min(A.shape) - 1), min(A.shape)}:
        found = run("strong-rrqr", A, k, factor=factor)
        assert broken_bounds(A, found.indices, factor) == [], k
        if factor > 1:
            assert found.info["n_swaps"] <= lgamma(len(found) + 1) / log(factor) + 1e-9


@pytest.mark.parametrize("n", [20, 30, 60])
def test_kahan_needs_it(n):
    A = kahan(n)
    plain, strong = select(A, n - 1, method="pivoted-qr"), select(A, n - 1, method="strong-rrqr")
    assert strong.info["n_swaps"] > 0
    assert "R11⁻¹R12" in broken_bounds(A, plain.indices, 2.0)
    assert broken_bounds(A, strong.indices, 2.0) == []
    smallest = [np.linalg.svd(s.apply(A), compute_uv=False)[-1] for s in (plain, strong)]
    assert smallest[1] > 10 * smallest[0]
    if n >= 30:
        assert "R11" in broken_bounds(A, plain.indices, 2.0)


@pytest.mark.parametrize("seed", range(6))
def test_no_exchange_is_left_by_volume(seed):
    """Volumes from factorizations of each neighbour, not from the formula."""
    A = np.random.default_rng(seed).standard_normal((9, 14))
    for factor in (1.0, 1.3):
        S = select(A, 5, method="strong-rrqr", factor=factor).indices.tolist()
        base = log_volume(A, S)
        for i in range(5):
            for j in set(range(14)) - set(S):
                trial = [*S[:i], j, *S[i + 1 :]]
                assert log_volume(A, trial) <= base + np.log(factor) + 1e-8


@pytest.mark.parametrize("matrix", ["wide", "graded tall", "graded gently", "Kahan", "a gap"])
def test_many_exchanges_from_a_bad_start(matrix):
    A = MATRICES[matrix]()[:, ::2]
    for k in (1, 3, 6):
        found, swaps = exchanges.raise_volume(as_operand(A), range(k), 1.05)
        assert found == slow.raise_volume(A, range(k), 1.05)
        assert swaps > 0 or k == 1 or matrix == "Kahan"


def test_locked_columns_stay():
    A = np.random.default_rng(11).standard_normal((12, 30))
    free, _ = exchanges.raise_volume(as_operand(A), range(6), 1.05)
    assert not {0, 2} <= set(free)
    found, swaps = exchanges.raise_volume(as_operand(A), range(6), 1.05, locked=[0, 2])
    assert (found[0], found[2]) == (0, 2)
    assert swaps > 0


def test_it_ends_whatever_rounding_says(monkeypatch):
    """If all factors seem large for ever, it stops where a set would come again."""
    monkeypatch.setattr(exchanges._Frame, "squared_factors", lambda frame: np.full((2, 4), 9.0))
    A = np.random.default_rng(0).standard_normal((5, 4))
    _, swaps = exchanges.raise_volume(as_operand(A), [0, 1], 2.0)
    assert 1 <= swaps < 6  # there are six pairs


def test_the_end_is_decided_on_fresh_numbers(monkeypatch):
    calls = []

    def watch(name):
        call = getattr(exchanges._Frame, name)
        monkeypatch.setattr(
            exchanges._Frame, name, lambda *args: (calls.append(name), call(*args))[1]
        )

    watch("load")
    watch("exchange")
    found = select(kahan(20), 19, method="strong-rrqr")
    assert calls == ["load", *["exchange"] * found.info["n_swaps"], "load"]


@pytest.mark.parametrize("put", [np.asarray, sp.csc_array])
def test_an_exchange_is_a_fresh_start(put):
    """Factors of all pairs are ratios of volumes, also after exchanges."""
    A = np.random.default_rng(4).standard_normal((12, 16))
    frame = exchanges._Frame(as_operand(put(A)), [3, 5, 9, 11])
    for i, j in ((1, 0), (3, 12), (1, 7)):
        frame.exchange(i, j)
        fresh = exchanges._Frame(as_operand(put(A)), list(frame.chosen))
        np.testing.assert_allclose(frame.Q @ frame.Q.T, np.eye(4), atol=1e-13)
        np.testing.assert_allclose(frame.W, frame.Q @ A, atol=1e-13)
        np.testing.assert_allclose(frame.left(), fresh.left(), atol=1e-12)
        squares = frame.squared_factors()
        np.testing.assert_allclose(squares, fresh.squared_factors(), atol=1e-12)
        found = np.sqrt(squares)
        base = log_volume(A, frame.chosen)
        for a in range(4):
            for b in set(range(16)) - set(frame.chosen):
                trial = [b if t == a else p for t, p in enumerate(frame.chosen)]
                assert found[a, b] == pytest.approx(np.exp(log_volume(A, trial) - base), rel=1e-9)


def test_factor_one_ends_on_ties():
    A = np.hstack([np.eye(6), np.eye(6), -np.eye(6)])
    found = select(A, 6, method="strong-rrqr", factor=1.0)
    assert sorted(found.indices) == list(range(6))
    assert found.info["n_swaps"] == 0


def test_includes_and_excludes():
    A = kahan(25)
    free = select(A, 24, method="strong-rrqr")
    (out,) = set(range(25)) - set(free.indices.tolist())
    kept = select(A, 24, method="strong-rrqr", must_include=[out])
    assert kept.indices[0] == out
    assert len(kept) == 24
    without = select(A, 20, method="strong-rrqr", exclude=[0, 1])
    assert not {0, 1} & set(without.indices.tolist())
    assert broken_bounds(A[:, 2:], without.indices - 2, 2.0) == []
    twice = np.hstack([A, A[:, :1]])
    both = select(twice, 24, method="strong-rrqr", must_include=[0, 25])
    assert both.indices[:2].tolist() == [0, 25]
    assert len(both) == 24


def test_rank_ends_the_choice():
    A = with_spectrum(np.random.default_rng(2), 30, 40, np.geomspace(1.0, 1e-3, 8))
    for put in (np.asarray, sp.csr_array):
        with pytest.warns(RankReachedWarning, match="8 of the 12 choices asked for") as caught:
            found = select(put(A), 12, method="strong-rrqr", factor=1.01)
        assert found.info["n_swaps"] > 0
        assert len(caught) == 1
        assert len(found) == 8
        assert broken_bounds(A, found.indices, 1.01) == []


def test_sparse_data_is_never_dense(monkeypatch):
    widths = []
    columns = Sparse.columns

    def watched(self, j):
        out = columns(self, j)
        widths.append(out.shape[1])
        return out

    rng = np.random.default_rng(0)
    A = sp.random_array((60, 200), density=0.2, rng=rng, format="csr")
    A = A @ sp.diags_array(1 / np.sqrt(A.power(2).sum(axis=0)))
    expected = select(A.toarray(), 30, method="strong-rrqr", factor=1.05)
    monkeypatch.setattr(Sparse, "columns", watched)
    found = select(A, 30, method="strong-rrqr", factor=1.05)
    assert found.info["n_swaps"] > 0
    assert found.indices.tolist() == expected.indices.tolist()
    assert max(widths) <= 30


def test_sparse_kahan_and_float32():
    A = kahan(30)
    expected = select(A, 29, method="strong-rrqr").indices.tolist()
    assert select(sp.csr_array(A), 29, method="strong-rrqr").indices.tolist() == expected
    single = select(
        A.astype(np.float32), 29, method="strong-rrqr"
    )  # whose ties are not quite ties any more
    assert broken_bounds(A, single.indices, 2.0) == []
    assert StrongRRQRSelector(29).fit(sp.csc_matrix(A)).indices_.tolist() == expected


def test_progress_counts_exchanges():
    calls = []
    found = select(kahan(20), 19, method="strong-rrqr", progress=lambda *call: calls.append(call))
    assert len(calls) == 19 + found.info["n_swaps"]
    assert calls[-1][:2] == (19, 19)
    assert calls[-1][2] == pytest.approx(found.relative_errors[-1], rel=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda A: select(A, 2, method="strong-rrqr", factor=0.9),
            ValueError,
            "factor=0.9; choose",
        ),
        (lambda A: select(A, 2, method="strong-rrqr", factor=np.inf), ValueError, "factor=inf"),
        (lambda A: select(A, 2, method="strong-rrqr", factor=np.nan), ValueError, "factor=nan"),
        (
            lambda A: select(A, 2, method="strong-rrqr", factor="2"),
            TypeError,
            "factor must be a number",
        ),
        (lambda A: select(A, 2, method="strong-rrqr", factor=True), TypeError, "got True"),
        (
            lambda A: select(Kernel(A.T @ A), 2, method="strong-rrqr"),
            TypeError,
            "such as 'greedy'",
        ),
        (
            lambda A: select(Kernel(A.T @ A), 2, method="hybrid-css"),
            TypeError,
            "such as 'greedy'",
        ),
        (lambda A: select(A, 2, method="hybrid-css", factor=0.5), ValueError, "factor=0.5"),
        (
            lambda A: select(A, 2, method="hybrid-css", n_repeats=0),
            ValueError,
            "n_repeats=0; choose at least 1",
        ),
        (
            lambda A: select(A, 2, method="hybrid-css", oversampling=0),
            ValueError,
            "oversampling=0; choose",
        ),
        (
            lambda A: select(A, 2, method="hybrid-css", oversampling="a"),
            TypeError,
            "oversampling must be",
        ),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call(np.random.default_rng(0).standard_normal((8, 5)))


@pytest.mark.parametrize("factor", [None, 1.2])
@pytest.mark.parametrize("matrix", MATRICES)
def test_hybrid_error_by_the_chosen_rows_of_v(matrix, factor):
    """‖A − P_S A‖ ≤ ‖A − A_l‖ / σ_min(V_S), in both norms."""
    A = MATRICES[matrix]()
    A = A / np.abs(A).max()
    s = np.linalg.svd(A, compute_uv=False)
    rank = int((s > 1e-13 * s[0]).sum())
    for k in {1, max(1, min(A.shape) // 2)}:
        found = run("hybrid-css", A, k, n_repeats=5, factor=factor)
        assert len(found) == min(k, rank)
        sigma = found.info["sigma_min"]
        assert 0 < sigma <= 1 + 1e-12
        R22 = blocks(A, found.indices)[2]
        for norm in (lambda x: np.linalg.norm(x, 2), np.linalg.norm):
            best = norm(np.diag(s[k:])) if k < len(s) else 0.0
            left = norm(R22) if R22.size else 0.0
            assert left <= best / sigma * (1 + 1e-6) + 1e-13 * s[0]


def test_hybrid_takes_exactly_as_many_as_asked_whatever_is_drawn():
    """One column holds nearly all leverage, so that draws repeat it and must be filled up."""
    A = np.eye(12) * np.r_[1e3, np.full(11, 1e-3)] + 1e-5
    for seed in range(8):
        found = select(A, 3, method="hybrid-css", n_repeats=1, random_state=seed)
        assert len(found) == 3
        assert 0 in found.indices


def test_hybrid_keeps_the_best_of_its_draws():
    A = np.random.default_rng(3).standard_normal((25, 40))
    for seed in range(5):
        errors = [
            select(A, 8, method="hybrid-css", n_repeats=n, random_state=seed).errors[-1]
            for n in (1, 5, 20, 40)
        ]
        assert (np.diff(errors) <= 0).all()
        assert errors[-1] < errors[0]


def test_hybrid_is_better_than_uniform():
    rng = np.random.default_rng(5)
    A = with_spectrum(rng, 40, 80, np.geomspace(1.0, 1e-2, 40)) * rng.exponential(size=80)

    def mean(name, **params):
        runs = [select(A, 10, method=name, random_state=i, **params) for i in range(20)]
        return np.mean([s.errors[-1] for s in runs])

    once = mean("hybrid-css", n_repeats=1)
    assert once < 0.8 * mean("uniform")
    assert mean("hybrid-css") < once


def test_hybrid_with_strong_rrqr_has_the_larger_smallest_singular_value():
    """Among what was drawn in one draw, exchanges raise the volume; refine lowers the error."""
    A = np.random.default_rng(7).standard_normal((30, 60))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = [select(A, 10, method="hybrid-css", n_repeats=1, random_state=i) for i in range(15)]
        strong = [
            select(A, 10, method="hybrid-css", n_repeats=1, factor=1.0, random_state=i)
            for i in range(15)
        ]
        refined = [
            select(A, 10, method="hybrid-css", n_repeats=1, refine=True, random_state=i)
            for i in range(15)
        ]
    assert np.mean([s.info["sigma_min"] for s in strong]) > np.mean(
        [s.info["sigma_min"] for s in plain]
    )
    for s, r in zip(plain, refined, strict=True):
        assert r.errors[-1] <= s.errors[-1]


def test_hybrid_draws_as_many_as_it_says():
    A = np.random.default_rng(7).standard_normal((30, 60))
    assert select(A, 10, method="hybrid-css", random_state=0).info["n_drawn"] == int(
        np.ceil(10 * np.log(10))
    )
    assert select(A, 10, method="hybrid-css", oversampling=3, random_state=0).info["n_drawn"] == 70
    assert select(A, 1, method="hybrid-css", random_state=0).info["n_drawn"] == 2
