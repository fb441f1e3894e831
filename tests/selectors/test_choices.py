"""What is chosen: against brute force, on every container and every nasty matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from calls import SEED, run
from matrices import NASTY, graded, nasty, with_spectrum
from oracles import BY_KIND, ORACLES, UNFIT, error_path, greedy, greedy_by_definition

import colonnade
from colonnade import METHODS, Kernel, RankReachedWarning, select
from colonnade.pivoting import loop as pivoting
from colonnade.registry import KINDS

PIVOTING = [*BY_KIND["greedy"].ORACLES, *BY_KIND["pivoted"].ORACLES]


def test_every_method_has_an_oracle():
    assert set(ORACLES) == set(METHODS)


def test_oracles_are_kept_by_kind():
    """Folders of methods, the kinds of the registry and the modules of oracles are the same."""
    assert set(BY_KIND) == set(KINDS)
    for name, entry in METHODS.items():
        assert name in BY_KIND[entry.kind].ORACLES, f"{name} is of the kind {entry.kind}"


@pytest.mark.parametrize("matrix", NASTY)
@pytest.mark.parametrize("name", METHODS)
def test_same_choices_as_the_oracle(name, matrix):
    if (name, matrix) in UNFIT:
        pytest.skip(UNFIT[name, matrix])
    A = nasty(matrix)
    n_select = max(1, min(A.shape) - 1)
    if name in ("approx-svd", "whitened-greedy"):
        n_select = min(n_select, 4)
    if METHODS[name].selector.center:  # constant columns are no candidates
        n_select = max(1, min(n_select, (np.ptp(A, axis=0) > 0).sum() - 1, len(A) - 2))
    scale = np.abs(A).max()
    expected = ORACLES[name](A / scale, n_select, SEED)
    found = run(name, A / scale if METHODS[name].supervised == "target" else A, n_select)
    if METHODS[name].weighted:
        expected, weights = expected
        np.testing.assert_allclose(found.weights, weights, rtol=1e-6)
    assert found.indices.tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_greedy_is_the_definition(seed):
    A = np.random.default_rng(seed).standard_normal((10, 14))
    assert select(A, 6).indices.tolist() == greedy_by_definition(A, 6)


@pytest.mark.parametrize("shape", [(40, 25), (25, 80), (30, 30), (90, 50)])
@pytest.mark.parametrize("seed", range(4))
def test_graded_down_to_1e_12(shape, seed):
    """All but the last choice, which in a full-rank wide matrix is an exact tie."""
    A = graded(np.random.default_rng(seed), *shape)
    n_select = min(shape) - 1
    expected = greedy(A, n_select)
    for put in (np.ascontiguousarray, np.asfortranarray, sp.csr_array, sp.csc_array):
        assert run("greedy", put(A), n_select).indices.tolist() == expected


@pytest.mark.parametrize("seed", range(4))
def test_graded_kernel(seed):
    """Kernel eigenvalues down to 1e-12: as far as its own rounding lets anyone see."""
    rng = np.random.default_rng(seed)
    A = with_spectrum(rng, 20, 20, np.geomspace(1.0, 1e-5, 20))
    assert run("greedy", Kernel(A.T @ A), 18).indices.tolist() == greedy(A, 18)


@pytest.mark.parametrize("shape", [(60, 20), (20, 60)])
def test_float32_against_a_float32_brute_force(shape):
    A = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    expected = greedy(A, 12, tie=1e-6)
    assert run("greedy", A, 12).indices.tolist() == expected
    assert run("greedy", sp.csr_array(A), 12).indices.tolist() == expected
    assert run("greedy", np.asfortranarray(A), 12).embedding.dtype == np.float32


@pytest.mark.parametrize("name", METHODS)
def test_every_container_gives_the_same(name, container):
    A = np.random.default_rng(8).poisson(1.0, (30, 18)).astype(float)
    expected = run(name, A, 7)
    given = container(A)
    if sp.issparse(given) and "sparse" not in METHODS[name].inputs:
        with pytest.raises(TypeError, match="sparse"):
            run(name, given, 7, data=A)
        return
    found = run(name, given, 7, data=A)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-9)
    np.testing.assert_allclose(found.embedding, expected.embedding, atol=1e-9)


@pytest.mark.parametrize("name", [m.name for m in METHODS.values() if "kernel" in m.inputs])
def test_kernel_gives_the_same(name):
    A = np.random.default_rng(9).standard_normal((15, 40))
    expected = run(name, A, 8)
    for kernel in (Kernel(A.T @ A), Kernel(A.T, kernel="linear")):
        found = run(name, kernel, 8, data=A)
        assert found.indices.tolist() == expected.indices.tolist()
        np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-8)
        np.testing.assert_allclose(found.embedding, expected.embedding, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64, bool])
def test_integers_are_used_as_they_are(dtype):
    A = np.random.default_rng(1).integers(0, 2 if dtype is bool else 100, (25, 40)).astype(dtype)
    for put in (np.ascontiguousarray, np.asfortranarray, sp.csr_array):
        found = select(put(A), 9)
        assert found.indices.tolist() == greedy(A.astype(float), 9)
        assert found.embedding.dtype == np.float64


@pytest.mark.parametrize("budget", [0, 10**12])
@pytest.mark.parametrize("shape", [(60, 20), (20, 60)])
def test_every_side_gives_the_same(shape, budget, monkeypatch, container):
    """Holding AᵀA, A Aᵀ or nothing square."""
    A = np.random.default_rng(2).standard_normal(shape)
    monkeypatch.setattr(pivoting, "MEMORY_BUDGET", budget)
    expected = greedy(A, 15)
    assert select(container(A), 15).indices.tolist() == expected
    monkeypatch.setattr(pivoting, "_costs", lambda A, scored, n: {"products": 0.0, "outer": 1.0})
    assert select(container(A), 15).indices.tolist() == expected


def test_kernel_columns_on_demand_give_the_same(monkeypatch):
    X = np.random.default_rng(4).standard_normal((50, 3))
    expected = select(Kernel(X, kernel="rbf", gamma=0.3), 12)
    monkeypatch.setattr(pivoting, "MEMORY_BUDGET", 0)
    found = select(Kernel(X, kernel="rbf", gamma=0.3), 12)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-9)


@pytest.mark.parametrize("name", PIVOTING)
def test_numerical_rank_ends_the_choice_with_a_warning(name):
    A = nasty("rank deficient")
    params = {"target": A @ np.ones(20)} if METHODS[name].supervised else {}
    if METHODS[name].randomized:
        params["random_state"] = SEED
    if name in ("hybrid-greedy", "sparse-approximation"):
        with pytest.warns(RankReachedWarning, match="of the 12 choices asked for"):
            found = select(A, 12, method=name, **params)
        assert len(found) <= 5
        return
    with pytest.warns(RankReachedWarning, match="5 of the 12 choices asked for"):
        found = select(A, 12, method=name, **params)
    assert len(found) == 5
    assert found.relative_errors[-1] < 1e-28


def test_a_badly_known_direction_is_not_mistaken_for_more_rank():
    """Two columns that are almost parallel span a plane, but inexactly; all others lie in it."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        plane = rng.standard_normal((2, 12))
        plane[:, 1] = plane[:, 0] * 2.0 + 10.0 ** rng.uniform(-6, -2) * rng.standard_normal(2)
        A = np.linalg.qr(rng.standard_normal((6, 2)))[0] @ plane
        for put in (np.asarray, sp.csr_array):
            found = run("greedy", put(A), 6, must_include=[0, 1])
            assert found.indices.tolist() == [0, 1]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("matrix", ["tall", "wide", "near duplicates", "graded wide"])
def test_all_columns(name, matrix):
    A = nasty(matrix)
    found = run(name, A, A.shape[1])
    assert len(set(found.indices.tolist())) == len(found)
    if name in PIVOTING:  # the others take dependent columns too
        assert len(found) <= min(A.shape)


def test_nothing_is_modified(container):
    A = np.random.default_rng(6).standard_normal((30, 20))
    given = container(A)
    before = colonnade.as_operand(given).columns(slice(None)).copy()
    for name in METHODS:
        if sp.issparse(given) and "sparse" not in METHODS[name].inputs:
            continue
        extra = {"refine": True} if "refine" in METHODS[name].parameters else {}
        run(name, given, 6, data=A, **extra)
    np.testing.assert_array_equal(colonnade.as_operand(given).columns(slice(None)), before)


def test_unsorted_and_duplicated_sparse_entries_are_summed_in_a_copy():
    rows, data = np.array([2, 0, 1, 0, 0]), np.array([4.0, 5.0, 3.0, 1.0, 2.0])
    given = sp.csc_array((data, rows, np.array([0, 2, 5])), shape=(3, 2))
    before = given.data.copy(), given.indices.copy()
    dense = np.array([[5.0, 3.0], [0.0, 3.0], [4.0, 0.0]])
    assert select(given, 2).indices.tolist() == select(dense, 2).indices.tolist()
    np.testing.assert_allclose(select(given, 2).total, 59.0)
    np.testing.assert_array_equal(given.data, before[0])
    np.testing.assert_array_equal(given.indices, before[1])


@pytest.mark.parametrize("matrix", NASTY)
def test_error_path_is_exact(matrix):
    A = nasty(matrix)
    scale = np.abs(A).max()
    found = run("greedy", A, max(1, min(A.shape) - 1))
    expected = error_path(A / scale, found.indices.tolist()) * scale**2
    floor = 1e-27 * found.total
    np.testing.assert_allclose(found.errors + floor, expected + floor, rtol=2e-3)
    early = expected > 1e-12 * found.total
    np.testing.assert_allclose(found.errors[early], expected[early], rtol=1e-6)
    assert (np.diff(found.errors) <= 0).all()


@pytest.mark.parametrize("name", METHODS)
def test_compiled_loops_choose_the_same(name, monkeypatch):
    """Small data is left to BLAS; here it is not."""
    A = np.random.default_rng(5).standard_normal((12, 30)) * np.linspace(1.0, 3.0, 30)
    for data in (np.ascontiguousarray(A), np.asfortranarray(A), A.astype(np.float32)):
        monkeypatch.undo()
        expected = run(name, data, 8, data=A)
        monkeypatch.setattr("colonnade.operands.dense.SMALL", 0)
        monkeypatch.setattr("colonnade.operands.loops.FEW", 0)
        found = run(name, data, 8, data=A)
        assert found.indices.tolist() == expected.indices.tolist()
        np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-5)
