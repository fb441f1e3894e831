"""Data in chunks answers as the same data in memory does, however it is cut."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matrices import nasty

pytest.importorskip("dask.array", reason="the extra dask is not installed")

import dask
from chunks import PUT, cut, even, rows_unknown

from colonnade import resources
from colonnade.operands.chunked import source as sources
from colonnade.operands.chunked import summing, tasks
from colonnade.operands.chunked.array import Chunked
from colonnade.operands.chunked.fetching import fetched_rows
from colonnade.operands.chunked.lazy import chosen_columns
from colonnade.operands.chunked.source import Source
from colonnade.operands.entrance import as_columns

CUTS = {
    "one block": lambda m, n: ((m,), (n,)),
    "by rows": lambda m, n: (even(m, 3), (n,)),
    "by columns": lambda m, n: ((m,), even(n, 3)),
    "by both": lambda m, n: (even(m, 4), even(n, 3)),
    "ragged": lambda m, n: ((1, m - 1) if m > 1 else (1,), (n - 1, 1) if n > 1 else (1,)),
    "empty rows": lambda m, n: ((0, *even(m, 2), 0, 0), even(n, 2)),
}
TREATMENTS = {
    "plain": {},
    "centred": {"means", "factors"},
    "weighted": {"roots"},
    "all": {"means", "factors", "roots"},
    "units": {"factors"},
}
DTYPES = ["float32", "float64", "float16", "int8", "uint8", "int64", "bool"]


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def treatment(A, which):
    """What is done to the entries, and the matrix that comes out."""
    rng = np.random.default_rng(5)
    A = np.asarray(A, dtype=np.float64)
    given = {
        "means": A.mean(axis=0) + 0.5,
        "factors": rng.uniform(0.5, 2.0, A.shape[1]),
        "roots": rng.uniform(0.0, 2.0, len(A)).round(1),
    }
    given = {name: value for name, value in given.items() if name in which}
    B = A - given.get("means", 0.0)
    B = B * given.get("factors", 1.0) * np.reshape(given.get("roots", np.ones(len(A))), (-1, 1))
    return given, B


def close(found, expected, scale=1.0):
    size = float(np.abs(expected).max(initial=0.0)) * scale or 1.0
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11 * size)
    assert np.shape(found) == np.shape(expected)


def compare(A, B):
    """Ask all that the interface has of an operand A that should be the matrix B."""
    rng = np.random.default_rng(6)
    m, n = B.shape
    assert A.shape == (m, n)
    V, U = rng.standard_normal((n, 3)), rng.standard_normal((m, 2))
    j = rng.permutation(n)[: max(1, n // 2)]
    groups = rng.integers(0, 3, m)
    centers = rng.standard_normal((3, n)) * np.abs(B).max(initial=1.0)
    weights = rng.uniform(0.0, 1.0, m)
    D = as_columns(B)
    close(A.matmat(V), B @ V, n)
    close(A.matmat(V[:, 0]), B @ V[:, 0], n)
    close(A.rmatmat(U), B.T @ U, m)
    close(A.rmatmat(U[:, 0]), B.T @ U[:, 0], m)
    close(A.columns(j), B[:, j])
    close(A.columns(slice(None)), B)
    close(A.columns(slice(0, n, 2)), B[:, ::2])
    close(A.columns(np.array([], dtype=int)), np.zeros((m, 0)))
    close(np.vstack(list(A.row_strips(4))), B)
    assert all(len(strip) <= 4 for strip in A.row_strips(4))
    close(A.sq_norms(), np.square(B).sum(axis=0))
    close(A.gram(), B.T @ B)
    close(A.outer(), B @ B.T)
    close(A.gram_columns(j), B.T @ B[:, j])
    close(A.gram_matmat(V), B.T @ (B @ V), n)
    close(A.gram_sq_norms(), np.square(B.T @ B).sum(axis=0))
    close(A.gram_tile(slice(0, n // 2), slice(n // 2, n)), B[:, : n // 2].T @ B[:, n // 2 :])
    close(A.matmat_part(slice(0, n), V), B @ V, n)
    close(A.group_sums(groups, 3), D.group_sums(groups, 3))
    close(A.group_sums(groups, 3, weights), D.group_sums(groups, 3, weights))
    close(A.row_sq_distances(centers, groups), D.row_sq_distances(centers, groups), n)
    where, best, second = A.top_products(V, np.zeros(3))
    expected = D.top_products(V, np.zeros(3))
    clear = expected[1] - expected[2] > 1e-9 * np.abs(B).max(initial=0.0)
    assert where[clear].tolist() == expected[0][clear].tolist()
    close(best, expected[1], n)
    close(second, expected[2], n)
    # the length of a column serves as well, and sparse blocks know nothing else
    longest = np.sqrt(np.square(B).sum(axis=0).max() if not A.turned else np.square(B).sum())
    assert np.abs(B).max() * (1 - 1e-12) <= A.max_abs() <= longest * (1 + 1e-12)
    R = A.triangle()
    assert R.shape == (min(m, n), min(m, n))
    square = B.T @ B if n <= m else B @ B.T
    close(R.T @ R, square)
    close(as_columns(R).compressed().gram(), square)


def chunked(X, given=None, turned=False):
    return Chunked(Source(X), **(given or {}), turned=turned)


@pytest.mark.parametrize(
    ("name", "which"),
    [*((name, "all") for name in CUTS), *(("by both", which) for which in TREATMENTS)],
)
def test_every_answer_is_that_of_the_matrix(name, which):
    M = np.random.default_rng(1).standard_normal((23, 7)) + 1.0
    given, B = treatment(M, TREATMENTS[which])
    A = chunked(cut(M, *CUTS[name](*M.shape)), given)
    compare(A, B)
    compare(A.transposed(), B.T)


@pytest.mark.parametrize(
    ("put", "which"),
    [*((put, "all") for put in PUT), *((put, "plain") for put in ("CSR", "CSC", "mixed"))],
)
def test_whatever_the_blocks_are(put, which):
    M = np.random.default_rng(2).poisson(0.5, (17, 8)) * 1.5
    given, B = treatment(M, TREATMENTS[which])
    A = chunked(cut(M, (8, 0, 9), (5, 3), put), given)
    if which == "plain":
        compare(A, B)
    compare(A.transposed(), B.T)
    if which == "plain":
        return
    j = np.array([6, 0, 3])
    if put != "mixed":  # of which dask itself makes no new blocks
        compare(A.subset(j), B[:, j])
        compare(A.transposed().subset(np.array([9, 2, 16])), B.T[:, [9, 2, 16]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("put", ["dense", "CSR"])
def test_whatever_the_entries_are(dtype, put):
    if dtype == "float16" and put == "CSR":
        pytest.skip("SciPy has no sparse matrices of float16")
    M = np.random.default_rng(3).integers(0, 5, (14, 6)).astype(dtype)
    A = chunked(cut(M, (9, 5), (4, 2), put))
    assert A.dtype == (np.float32 if dtype in ("float16", "float32") else np.float64)
    assert A.dtype == as_columns(M).dtype
    compare(A, M.astype(np.float64))


@pytest.mark.parametrize(
    "name",
    ["wide", "square", "one column", "one row", "zero and constant", "graded tall", "tiny"],
)
def test_nasty_matrices(name):
    M = nasty(name)
    m, n = M.shape
    A = chunked(cut(M, even(m, 2), even(n, 2)))
    unit = 1.0 / np.abs(M).max()
    compare(A.scaled(unit), M * unit)


def test_parts_of_treated_data():
    M = np.random.default_rng(4).standard_normal((12, 9)) + 2.0
    given, B = treatment(M, TREATMENTS["all"])
    A = chunked(cut(M, (5, 7), (4, 5)), given)
    j = np.array([8, 1, 4])
    compare(A.subset(j), B[:, j])
    compare(A.subset(j).transposed(), B[:, j].T)
    compare(A.transposed().subset(j), B.T[:, j])
    compare(A.scaled(-0.25), -0.25 * B)
    compare(A.transposed().scaled(3.0).transposed(), 3.0 * B)
    assert A.scaled(2.0).treated


def test_float32_products_of_float32_blocks():
    M = np.random.default_rng(7).standard_normal((12, 9)).astype(np.float32)
    A = chunked(cut(M, (5, 7), (4, 5)))
    V = np.random.default_rng(8).standard_normal((9, 2)).astype(np.float32)
    np.testing.assert_allclose(A.matmat(V), M @ V, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(A.rmatmat(V[:, :1].repeat(12, 0)[:12] * 0 + 1), M.sum(0)[:, None],
                               rtol=1e-5, atol=1e-5)  # fmt: skip


def test_rows_one_by_one_are_refused():
    A = chunked(cut(np.ones((4, 3)), (2, 2), (3,)))
    with pytest.raises(TypeError, match="never is in memory together; pass an array"):
        A.points()


@pytest.mark.parametrize("ask", ["sq_norms", "gram", "outer", "max_abs", "triangle"])
def test_blocks_are_checked_once_and_progress_goes_on(monkeypatch, ask):
    monkeypatch.setattr(sources, "BATCH", 2)
    monkeypatch.setattr(sources, "FAN_IN", 2)
    monkeypatch.setattr(summing, "BATCH", 2)
    looked, check = [], tasks._check_finite
    monkeypatch.setattr(tasks, "_check_finite", lambda *given: (looked.append(1), check(*given)))
    A = chunked(cut(np.random.default_rng(9).standard_normal((30, 8)), (3,) * 10, (2,) * 4))
    told = []
    with resources(progress=lambda what, done, wanted: told.append((done, wanted))):
        getattr(A, ask)()
        first = len(looked)
        assert first > 1
        assert told == sorted(told)
        assert len({wanted for _, wanted in told}) == 1
        assert told[-1][0] == told[-1][1]
        A.sq_norms()
    assert len(looked) == first


WRONG = {
    "few rows": (lambda block: block[:2], (2, 3)),
    "many rows": (lambda block: np.vstack([block, block]), (10, 3)),
    "few columns": (lambda block: block[:, 1:], (5, 2)),
    "turned": (lambda block: block.T, (3, 5)),
}
ASKED = {
    "sums": lambda A: A.sums(None, products=True),
    "lengths": lambda A: A.sq_norms(),
    "rows": lambda A: A.matmat(np.ones(6)),
    "inner products": lambda A: A.outer(),
    "lines": lambda A: A.transposed().outer(),
    "columns": lambda A: A.columns(np.array([4])),
    "triangle": lambda A: A.triangle(),
    "rows as they are": lambda A: fetched_rows(A, np.array([7])),
    "lazily": lambda A: chosen_columns(A.source.array, np.array([0, 5])).compute(),
}


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("wrong", WRONG)
def test_blocks_are_as_large_as_their_chunks_say(ask, wrong):
    change, shape = WRONG[wrong]
    X = cut(np.arange(60.0).reshape(10, 6), (5, 5), (3, 3))

    def made(block, block_info=None):
        return change(block) if block_info[0]["chunk-location"] == (1, 1) else block

    D = X.map_blocks(made, dtype=float, meta=np.zeros((0, 0)))
    message = re.escape(f"block (1, 1) of X has shape {shape}, but its chunks say (5, 3)")
    with pytest.raises(ValueError, match=rf"{message}.*X\.compute_chunk_sizes\(\) first"):
        ASKED[ask](chunked(D))


def test_of_unknown_rows_blocks_side_by_side_have_as_many():
    X = cut(np.arange(60.0).reshape(10, 6), (5, 5), (3, 3))
    np.testing.assert_allclose(
        chunked(rows_unknown(X)).sums(None, products=True).means, np.arange(27.0, 33.0)
    )

    def made(block, block_info=None):
        return block[:4] if block_info[0]["chunk-location"] == (1, 1) else block

    D = rows_unknown(X.map_blocks(made, dtype=float, meta=np.zeros((0, 0))))
    with pytest.raises(ValueError, match=r"block \(1, 1\) of X has shape \(4, 3\).*say \(5, 3\)"):
        chunked(D).sums(None, products=True)


def test_a_sketch_has_signs():
    """So that it has the inner products of the rows on average, however alike columns are."""
    m, n, size = 3, 400, 20
    A = chunked(cut(np.eye(n), (150, 250), even(n, 3)))
    C = A.signed_sums(size, np.random.RandomState(0))
    assert C.shape == (n, size)
    assert np.abs(C).sum(axis=1).tolist() == [1.0] * n
    assert np.abs(C).sum(axis=0).tolist() == [n / size] * size
    assert 0.4 * n < (C == 1.0).sum() < 0.6 * n
    ones = chunked(cut(np.ones((m, n)), (m,), even(n, 3)))
    squares = [np.sum(ones.signed_sums(size, np.random.RandomState(k)) ** 2) for k in range(20)]
    assert 0.7 < np.mean(squares) / (m * n) < 1.4  # without signs it would be 20


@pytest.mark.parametrize("name", ["means", "factors", "roots"])
def test_other_treatments_have_other_digests(name):
    X = cut(np.ones((4, 4)), (2, 2), (4,))
    given = {"means": np.arange(4.0), "factors": np.ones(4), "roots": np.full(4, 0.5)}
    usual = chunked(X, given).digest()
    assert usual == chunked(X, {key: value.copy() for key, value in given.items()}).digest()
    for other in (None, given[name] + 1.0):
        assert chunked(X, {**given, name: other}).digest() != usual


def test_sums_are_known_for_the_weights_that_they_had():
    M = np.random.default_rng(0).standard_normal((12, 5)) + 3.0
    A = chunked(cut(M, (5, 7), (5,)))
    rng = np.random.default_rng(1)
    for w in (None, rng.random(12), np.ones(12), rng.random(12), None):
        load = np.ones(12) if w is None else w
        np.testing.assert_allclose(A.sums(w, products=False).means, load @ M / load.sum())
        # the sums of the columns and of their squares, by weight
        weight, total, squares = A.known_sums()
        np.testing.assert_allclose(weight, load.sum())
        np.testing.assert_allclose(total, load @ M)
        np.testing.assert_allclose(squares, load @ (M * M))
    with resources() as used:
        A.sums(None, products=False)
    assert used.used.passes == 0
    assert A.transposed().known_sums() is None


@pytest.mark.parametrize(("m", "short"), [(500, True), (600, False), (None, False)])
def test_columns_are_short_only_if_it_is_known(m, short):
    """Of unknown numbers of rows inner products are formed."""
    X = cut(np.zeros((m or 500, 2100)), (250, (m or 500) - 250), (2100,))
    assert chunked(X if m else rows_unknown(X)).condenses is not short


def test_what_is_made_of_checked_entries_is_as_they_are():
    M = np.ones((6, 4))
    M[4, 1] = np.nan
    X = cut(M, (3, 3), (4,))
    A = chunked(X)
    with pytest.raises(ValueError, match="NaN in block"):
        A.with_array(X * 2.0).sq_norms()
    good = chunked(cut(np.ones((6, 4)), (3, 3), (4,)))
    assert not good.with_array(X).source.checked
    good.sq_norms()
    assert good.with_array(X).source.checked
