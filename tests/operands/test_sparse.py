"""Sparse matrices as they are stored, against the same numbers in a dense array."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade import GreedySelector, as_operand, select
from colonnade.foundation.threads import on_cores
from colonnade.operands import sparse, sparse_loops
from colonnade.operands.entrance import wrapped
from colonnade.pivoting import loop as pivoting

DTYPES = [np.float32, np.float64, np.uint8, np.uint16, np.int64]
CASES = {
    "tall": (45, 20, 0.2),
    "wide": (20, 45, 0.2),
    "thin": (50, 60, 0.01),  # most rows and columns are empty
    "full": (12, 9, 1.0),
    "one row": (1, 30, 0.5),
    "one column": (30, 1, 0.5),
    "zero": (7, 8, 0.0),
}


def made(case, fmt, dtype):
    """Return a matrix with an explicit zero, that must not be written to, and its numbers."""
    m, n, density = CASES[case]
    rng = np.random.default_rng(0)
    values = rng.integers(1, 200, (m, n)) * (rng.random((m, n)) < density)
    if np.dtype(dtype).kind == "f":
        values = values / 7 - 9.0 * (values > 100)
    X = sp.csr_array(values.astype(dtype)).asformat(fmt)
    if X.nnz:
        X.data[X.nnz // 2] = 0
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X, X.toarray().astype(np.float64)


@pytest.fixture(params=["compiled", "SciPy"])
def way(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(sparse, "SMALL", -1)
    return request.param


def close(found, expected):
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fmt", ["csr", "csc"])
@pytest.mark.parametrize("case", CASES)
def test_every_operation(case, fmt, dtype, way):
    X, D = made(case, fmt, dtype)
    m, n = X.shape
    A = as_operand(X)
    rng = np.random.default_rng(1)
    assert A.dtype == (np.float32 if dtype == np.float32 else np.float64)
    for width in (1, 2, 5):
        V, U = rng.standard_normal((n, width)), rng.standard_normal((m, width))
        close(A.matmat(V), D @ V)
        close(A.rmatmat(np.asfortranarray(U)), D.T @ U)
        close(A.gram_matmat(V), D.T @ (D @ V))
    close(A.matmat(V[:, 0]), D @ V[:, 0])
    close(A.matmat(sp.csr_array(V)), D @ V)
    close(A.rmatmat(U[:, 0].astype(np.float32)), D.T @ U[:, 0].astype(np.float32))
    part = slice(n // 3, n)
    close(A.matmat_part(part, V[part]), D[:, part] @ V[part])
    close(A.matmat_part(part, sp.csr_array(V[part])), D[:, part] @ V[part])

    some = rng.permutation(n)[: max(1, n // 2)]
    for j in (
        slice(None),
        part,
        slice(0, 1),
        slice(n - 1, n),
        some,
        some[:1],
        np.array([n - 1] * 2),
    ):
        close(A.columns(j), D[:, j])
        close(A.gram_columns(j), D.T @ D[:, j])
    close(A.subset(some).columns(slice(None)), D[:, some])
    assert A.subset(some).matrix.format == fmt
    for height in (1, 4, 100):
        close(np.vstack(list(A.row_strips(height))), D)
    rows, columns, values = A.entries(part)
    block = np.zeros((m, n - part.start))
    np.add.at(block, (rows, columns), values)
    close(block, D[:, part])

    G = D.T @ D
    close(A.gram(), G)
    close(A.outer(), D @ D.T)
    assert A.gram().flags.f_contiguous
    close(A.sq_norms(), G.diagonal())
    np.testing.assert_allclose(A.gram_sq_norms(), np.square(G).sum(axis=0), rtol=1e-12)
    close(A.points().toarray(), D)
    assert A.points().format == "csr"
    close(A.scaled(0.25).columns(slice(None)), D / 4)
    assert A.max_abs() == np.abs(D).max()

    groups = rng.integers(0, 3, m)
    sums = np.zeros((4, n))
    np.add.at(sums, groups, D)
    close(A.group_sums(groups, 4), sums)
    for centers in (rng.standard_normal((3, n)), D[[0, m // 2, m - 1]]):
        gaps = np.square(D - centers[groups]).sum(axis=1)
        close(A.row_sq_distances(centers, groups), gaps)

    f, g, q, z = rng.random(n), rng.random(n), rng.random(m), rng.random(m)
    omega, y = D.T @ q, D.T @ z
    expected_f, expected_g = f - 2 * omega * y + 0.7 * omega**2, g - omega**2
    close(A.sweep(q, z, 0.7, f, g), omega)
    np.testing.assert_allclose(f, expected_f, rtol=1e-12, atol=1e-6)
    np.testing.assert_allclose(g, expected_g, rtol=1e-12, atol=1e-6)
    close(A.sweep(q, None, 0.7, f, g), omega)
    np.testing.assert_allclose(g, expected_g - omega**2, rtol=1e-12, atol=1e-6)


@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_the_loops_against_their_twins(fmt):
    X, D = made("tall", fmt, np.float32)
    D = D if fmt == "csr" else D.T  # by slices of the major axis
    A = sparse_loops.Compressed(X.indptr, X.indices, X.data)
    length = D.shape[1]
    counts = sparse_loops.minor_counts(A, length)
    assert counts.tolist() == np.bincount(X.indices, minlength=length).tolist()
    first, last = sparse_loops.minor_bounds(A, 3, 11)
    for i in range(len(D)):
        inside = X.indices[X.indptr[i] : X.indptr[i + 1]]
        assert [first[i], last[i]] == (X.indptr[i] + np.searchsorted(inside, (3, 11))).tolist()
    expected = sp.csr_array((X.data, X.indices, X.indptr), D.shape)[:, 3:11].tocsc()
    turned = sparse_loops.turned(A, 3, 11)
    for found, part in zip(turned, (expected.indptr, expected.indices, expected.data), strict=True):
        np.testing.assert_array_equal(found, part)
        assert found.dtype == part.dtype
    parts = sparse_loops.even_parts(counts)
    assert [k for part in parts for k in range(part.start, part.stop)] == list(range(length))
    square = np.ones((length, length))
    sparse_loops.add_pairs(A, square)
    np.testing.assert_allclose(square, 1.0 + np.tril(D.T @ D))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_data_is_taken_as_it_is(fmt, dtype, monkeypatch):
    monkeypatch.setattr(sparse, "SMALL", -1)
    X, _ = made("tall", fmt, dtype)
    for A in (as_operand(X), wrapped(X), as_operand(type(X)(X))):
        assert A.matrix.format == fmt
        assert np.shares_memory(A.matrix.data, X.data)
        assert np.shares_memory(A.matrix.indices, X.indices)


def test_what_no_loop_can_read_is_converted(way):
    X, D = made("tall", "csr", np.float64)
    unused = (np.append(X.data, np.nan), np.append(X.indices, 0), X.indptr)
    doubled = sp.csr_array((np.ones(4), [2, 0, 2, 1], [0, 4]), shape=(1, 3))
    close(as_operand(X != 0).columns(slice(None)), D != 0)
    close(as_operand(X.tocoo()).columns(slice(None)), D)
    close(as_operand(doubled).columns(slice(None)), np.array([[1.0, 1.0, 2.0]]))
    longer = X.copy()
    longer.data, longer.indices, longer.indptr = unused
    A = wrapped(longer)  # what lies behind the last entry is no data
    assert A.max_abs() == np.abs(D).max()
    close(A.sq_norms(), np.square(D).sum(axis=0))
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    close(sparse.Sparse(wide).rmatmat(np.ones(len(D))), D.sum(axis=0))


@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_small_integers_do_not_wrap_around(fmt, way):
    X = sp.csr_array(np.full((300, 2), 255, dtype=np.uint8)).asformat(fmt)
    A = as_operand(X)
    assert A.sq_norms().tolist() == [300 * 255**2] * 2
    assert A.gram()[0, 1] == 300 * 255**2
    assert A.group_sums(np.zeros(300, dtype=int), 1).tolist() == [[300 * 255] * 2]
    assert as_operand(X.astype(np.int8)).max_abs() == 1


@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_small_distances_from_centres_keep_their_digits(fmt, way):
    X, D = made("wide", fmt, np.float64)
    centers = np.where(D == 0, 1e-9, D)
    found = as_operand(X).row_sq_distances(centers, np.arange(len(D)))
    np.testing.assert_allclose(found, 1e-18 * (D == 0).sum(axis=1), rtol=1e-6, atol=0)


@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_results_do_not_depend_on_the_number_of_threads(fmt, monkeypatch):
    monkeypatch.setattr(sparse, "SMALL", -1)
    X = sp.random_array((900, 700), density=0.2, format=fmt, rng=np.random.default_rng(0))
    U, V = np.random.default_rng(1).random((900, 3)), np.random.default_rng(2).random((700, 2))

    def results():
        A = as_operand(X)
        yield from (A.matmat(V), A.rmatmat(U), A.matmat(V[:, 0]), A.rmatmat(U[:, 0]))
        yield from (A.gram(), A.outer(), A.gram_sq_norms(), A.columns(slice(7, 8)))

    with on_cores(1):
        expected = list(results())
    for count in (2, 3, 11):
        with on_cores(count):
            for found, one in zip(results(), expected, strict=True):
                np.testing.assert_array_equal(found, one)


@pytest.mark.parametrize("dtype", [np.float32, np.uint16])
@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_choices_are_those_of_float64(fmt, dtype, monkeypatch):
    monkeypatch.setattr(sparse, "SMALL", -1)
    rng = np.random.default_rng(3)
    D = (rng.integers(1, 100, (80, 120)) * (rng.random((80, 120)) < 0.2)).astype(dtype)
    expected = select(D.astype(np.float64), 20)
    found = select(sp.csr_array(D).asformat(fmt), 20)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors, atol=1e-8 * expected.total)


# -- memory -----------------------------------------------------------------------------------


def counts(fmt, dtype):
    """Return counts that are no small matter: 600,000 of them, columns of very different length."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 1500, 900_000, dtype=np.int32)
    columns = (4000 * rng.random(900_000) ** 2).astype(np.int32)
    X = sp.coo_array((np.ones(900_000), (rows, columns)), shape=(1500, 4000)).tocsr()
    return X.astype(dtype).asformat(fmt)


CALLS = {
    "greedy": lambda X: select(X, 20),
    "estimator": lambda X: GreedySelector(20).fit(X),
    "pivoted-qr": lambda X: select(X, 20, method="pivoted-qr"),
    "random-pivot": lambda X: select(X, 20, method="random-pivot", random_state=0),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", [np.float32, np.uint16])
@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_little_is_held_beside_the_data(fmt, dtype, call):
    X = counts(fmt, dtype)
    m, n = X.shape
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    choices = 20 * (n * (4 if dtype == np.float32 else 8) + m * 8)  # the embedding and the basis
    CALLS[call](X)  # what is compiled or imported is there then
    tracemalloc.start()
    CALLS[call](X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= choices + 0.3 * size + 16 * 8 * (m + n)


def test_no_square_matrix_is_held_that_is_large_beside_sparse_data():
    X = as_operand(counts("csr", np.float32))
    held = 8 * 1500**2
    assert "outer" not in pivoting._costs(X, True, 20)
    assert "outer" in pivoting._costs(as_operand(X.columns(slice(None))), True, 20)
    few = as_operand(sp.csr_array(np.eye(500)))  # where all is small, so is a square
    assert {"gram", "outer"} <= set(pivoting._costs(few, True, 20))
    assert held > pivoting.SPARSE_SHARE * X.pass_bytes
