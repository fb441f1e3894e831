"""Spans of sparse columns without a basis, against one from NumPy's QR factorization."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade import as_operand, select
from colonnade.operands import sparse
from colonnade.operands.kept_columns import TOGETHER, KeptColumns
from colonnade.pivoting import spans
from colonnade.pivoting.spans import CompactSpan


def sparse_columns(m, t, seed=0, density=0.3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, t)) * (rng.random((m, t)) < density)


def spanned(C, dtype=np.float64):
    """Return the span of the columns of C, added one after the other."""
    span = CompactSpan(KeptColumns(len(C), dtype), len(C), C.shape[1])
    for a in C.T:
        q = span.project_out_vector(a)
        length = np.linalg.norm(q)
        span.extend(q / length if length > 1e-10 * np.linalg.norm(a) else np.zeros_like(q), a)
    return span


def left_by(C, E):
    Q = np.linalg.qr(C)[0]
    E = E - Q @ (Q.T @ E)
    return E - Q @ (Q.T @ E)


SIZES = {"as they are": 1.0, "huge": 1e100, "tiny": 1e-100}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("t", [1, 2, TOGETHER, TOGETHER + 1, 3 * TOGETHER + 2])
def test_what_sparse_columns_leave(t, size):
    C = size * sparse_columns(120, t) * np.logspace(-3, 3, t)  # graded
    E = np.random.default_rng(1).standard_normal((120, 7))
    span = spanned(C)
    assert not len(span.rows)  # there is no basis
    np.testing.assert_allclose(span.project_out(E), left_by(C, E), atol=1e-13)
    np.testing.assert_allclose(span.project_out_vector(E[:, 3]), left_by(C, E)[:, 3], atol=1e-13)
    mine = span.project_out(C)
    assert (np.linalg.norm(mine, axis=0) <= 1e-14 * np.linalg.norm(C, axis=0)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
def test_columns_are_kept_in_the_type_of_the_data(dtype):
    C = np.round(10 * np.abs(sparse_columns(300, 20))).astype(dtype)
    E = np.random.default_rng(2).standard_normal((300, 3))
    C = C.astype(np.float64)
    np.testing.assert_allclose(spanned(C, dtype).project_out(E), left_by(C, E), atol=1e-13)


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-7])
def test_nearly_dependent_columns_get_a_basis(gap):
    C = sparse_columns(80, 6)
    C[:, 4] = C[:, 1] + gap * C[:, 4]
    span = spanned(C)
    assert len(span.rows) == (6 if gap < 1e-3 else 0)
    E = np.random.default_rng(3).standard_normal((80, 5))
    np.testing.assert_allclose(span.project_out(E), left_by(C, E), atol=1e-14 / gap)


@pytest.mark.parametrize("gap", [0.1, 1e-2])
def test_what_is_left_of_little_is_orthogonal_to_the_span(gap):
    C = sparse_columns(80, 6)
    C[:, 4] = C[:, 1] + gap * C[:, 4]
    rng = np.random.default_rng(8)
    E = C @ rng.standard_normal((6, 5)) + 1e-6 * rng.standard_normal((80, 5))
    Q = np.linalg.qr(C)[0]
    assert np.abs(Q.T @ spanned(C).project_out(E)).max() <= 1e-16


@pytest.mark.parametrize("nearly", [False, True])
def test_a_column_that_adds_nothing(nearly):
    C = sparse_columns(80, 5)
    C = np.column_stack((C[:, :2], C[:, 0] + C[:, 1], C[:, 2:]))
    if nearly:  # a basis takes over after the column that added nothing
        C[:, 4] = C[:, 3] + 1e-5 * C[:, 4]
    span = spanned(C)
    E = np.random.default_rng(4).standard_normal((80, 5))
    others = np.delete(C, 2, axis=1)
    np.testing.assert_allclose(span.project_out(E), left_by(others, E), atol=1e-10)
    assert len(span.rows) == (6 if nearly else 0)
    if nearly:
        assert not span.rows[2].any()


def test_the_last_column_can_be_withdrawn_if_it_added_nothing():
    C = sparse_columns(40, 3)
    span = spanned(C)
    span.extend(np.zeros(40), C[:, 0])
    assert not span.pop().any()
    with pytest.raises(AssertionError, match="off a basis only"):
        span.pop()


@pytest.fixture
def compact(monkeypatch):
    """Use compiled loops and no basis, however small the data is."""
    monkeypatch.setattr(sparse, "SMALL", -1)
    monkeypatch.setattr(spans, "BLOCK_BYTES", 0)


@pytest.mark.usefixtures("compact")
@pytest.mark.parametrize("method", ["greedy", "pivoted-qr", "random-pivot"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("fmt", ["csr", "csc"])
def test_choices_are_those_of_dense_data(fmt, dtype, method):
    options = {"random_state": 0} if method == "random-pivot" else {}
    X = sparse_columns(90, 60, seed=5, density=0.1).astype(dtype)
    X[:, 30] = X[:, 2]  # a duplicate
    X[:, 31] = X[:, 3] + dtype(1e-3) * X[:, 4]
    X[:, 32] = 0
    found = select(sp.csr_array(X).asformat(fmt), 40, method=method, **options)
    expected = select(X.astype(np.float64), 40, method=method, **options)
    assert found.indices.tolist() == expected.indices.tolist()
    tolerance = 1e-9 if dtype is np.float64 else 1e-5
    np.testing.assert_allclose(found.errors, expected.errors, rtol=tolerance)


@pytest.mark.usefixtures("compact")
def test_all_columns_of_a_rank_deficient_matrix():
    rng = np.random.default_rng(6)
    X = sparse_columns(50, 8, seed=6) @ rng.integers(-1, 2, (8, 30)).astype(float)
    found = select(sp.csc_array(X), 8)
    assert found.errors[-1] <= 1e-20 * found.total
    Q = np.linalg.qr(X[:, found.indices])[0]
    np.testing.assert_allclose(Q @ (Q.T @ X), X, atol=1e-12)


@pytest.mark.usefixtures("compact")
def test_a_basis_is_held_where_choices_will_be_withdrawn():
    X = sp.csr_array(sparse_columns(40, 60, density=0.2))
    A = as_operand(X)
    assert isinstance(spans.span_of(A, 5, reversible=False), CompactSpan)
    assert not isinstance(spans.span_of(A, 5, reversible=True), CompactSpan)
    assert select(X, 5, refine=True).errors[-1] <= select(X, 5).errors[-1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_basis_beside_tall_sparse_data(dtype):
    X = sp.random_array((40000, 1500), density=0.03, rng=7, format="csr", dtype=dtype)
    select(X, 3)  # what is compiled or imported is there then
    tracemalloc.start()
    select(X, 60)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    embedding = 60 * X.shape[1] * X.dtype.itemsize
    assert peak <= embedding + 0.3 * (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


@pytest.mark.usefixtures("compact")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("gap", [1e-4, 1e-6, 1e-8])
def test_choices_after_forced_columns_that_nearly_depend(gap, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 30)) * (rng.random((60, 30)) < 0.3)
    X[:, 15:] = X[:, :15] + gap * X[:, 15:]
    found, expected = (
        select(data, 12, must_include=[0, 20, 15, 5]) for data in (sp.csr_array(X), X)
    )
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-6)
