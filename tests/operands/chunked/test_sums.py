"""Sums over the rows of all blocks, by tiles and by a triangle, keep the digits of the data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import graded

pytest.importorskip("dask.array", reason="the extra dask is not installed")

import dask
from chunks import cut, even, rows_unknown

from colonnade import GreedySelector
from colonnade.operands import sums
from colonnade.operands.adjusted import AdjustedSparse, adjusted
from colonnade.operands.chunked import source as sources
from colonnade.operands.chunked import summing
from colonnade.operands.chunked.condensed import Condensed
from colonnade.operands.chunked.source import Source, Treatments
from colonnade.operands.dense import SMALL, Dense
from colonnade.operands.entrance import wrapped
from colonnade.operands.sums import sums_of


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(params=["one tile", "tiles", "groups of tiles"])
def tiny(request, monkeypatch):
    """Batches, runs and tiles that are so small that there are many of each."""
    monkeypatch.setattr(summing, "BATCH", 5)
    monkeypatch.setattr(summing, "LANES", 3)
    monkeypatch.setattr(sources, "BATCH", 2)
    if request.param == "one tile":
        return
    monkeypatch.setattr(summing, "WHOLE", 4)
    monkeypatch.setattr(summing, "TILE", 3)
    monkeypatch.setattr(sums, "STRIP_BYTES", 1)
    monkeypatch.setattr(sums, "STRIP_ROWS", 2)
    size = 10**6 if request.param == "tiles" else 2
    monkeypatch.setattr(summing, "GROUP_BYTES", 8 * 3 * 3 * size)


ROWS = (4, 0, 7, 1, 3, 6, 0, 5, 2, 9, 3, 4, 8)
M = sum(ROWS)


def check(found, A, w=None):
    """Compare sums with those of the explicit matrix, in extended precision."""
    A = np.asarray(A, dtype=np.longdouble)
    w = np.ones(len(A), dtype=np.longdouble) if w is None else np.asarray(w, dtype=np.longdouble)
    rows = A[w > 0]
    means = (w @ A) / w.sum()
    Z = np.sqrt(w)[:, None] * (A - means)
    spread = np.sqrt(np.square(Z).sum(axis=0)).astype(float)
    assert found.n_rows == len(rows)
    assert found.weight == pytest.approx(float(w.sum()))
    np.testing.assert_allclose(found.means, means.astype(float), rtol=1e-15, atol=1e-14)
    np.testing.assert_allclose(found.squares, spread**2, rtol=1e-12)
    np.testing.assert_array_equal(found.low, rows.min(axis=0).astype(float))
    np.testing.assert_array_equal(found.high, rows.max(axis=0).astype(float))
    if found.tiles:
        error = found.products - (Z.T @ Z).astype(float)
        assert np.abs(error / np.outer(spread, spread)).max() < 1e-12


@pytest.mark.parametrize("products", [True, False])
@pytest.mark.parametrize(
    ("put", "columns"),
    [("dense", (11,)), ("CSR", (11,)), ("CSC", (4, 5, 2)), ("mixed", (4, 5, 2))],
)
def test_sums_are_those_of_the_matrix(tiny, put, columns, products):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((M, 11)) * (rng.random((M, 11)) < 0.6) + [
        0,
        0,
        0,
        5,
        0,
        0,
        0,
        0,
        0,
        0,
        2,
    ]
    source = Source(cut(A, ROWS, columns, put))
    check(summing.summed(source, None, products=products), A)
    assert source.checked
    assert source.heights == ROWS


@pytest.mark.parametrize("put", ["dense", "CSR"])
def test_sums_of_weighted_rows(tiny, put):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((M, 7)) + 1.0
    w = rng.integers(0, 3, M).astype(float)
    starts = np.cumsum([0, *ROWS])
    w[starts[2] : starts[3]] = 0.0  # all of a block
    w[starts[7] : starts[10]] = 0.0  # all of a run
    A[w == 0] += 100.0  # which nobody sees
    check(summing.summed(Source(cut(A, ROWS, (3, 4), put)), w, products=True), A, w)


@pytest.mark.parametrize("put", ["dense", "CSR", "CSC"])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_columns_far_from_zero_keep_their_digits(tiny, put, dtype):
    """Products about the mean of all, of columns at 1e8, would have lost all digits."""
    steps = np.random.default_rng(2).integers(-1, 2, (M, 6))
    A = (steps + np.array([10**8, 0, -(10**8), 3, 10**8, 0])).astype(dtype)
    found = summing.summed(Source(cut(A, ROWS, (6,), put)), None, products=True)
    Z = steps - steps.mean(axis=0)
    np.testing.assert_allclose(found.products, Z.T @ Z, atol=1e-6)
    np.testing.assert_allclose(found.squares, np.square(Z).sum(axis=0), rtol=1e-7)


def test_unknown_numbers_of_rows(tiny):
    A = np.random.default_rng(3).standard_normal((M, 5))
    source = Source(rows_unknown(cut(A, ROWS, (5,))))
    assert source.shape == (-1, 5)
    check(summing.summed(source, None, products=True), A)
    assert source.heights == ROWS
    assert source.shape == (M, 5)


def test_unknown_numbers_of_rows_have_no_weights():
    X = rows_unknown(cut(np.ones((4, 3)), (2, 2), (3,)))
    with pytest.raises(
        ValueError,
        match=r"sample_weight needs the number of rows of every chunk.*compute_chunk_sizes",
    ):
        GreedySelector(2).fit(X, sample_weight=np.ones(4))


def test_no_rows_at_all():
    X = rows_unknown(cut(np.ones((0, 3)), (0, 0), (3,)))
    with pytest.raises(ValueError, match="no rows"):
        summing.summed(Source(X), None, products=True)


def test_the_order_of_summing_does_not_depend_on_the_threads(monkeypatch):
    monkeypatch.setattr(summing, "LANES", 4)
    A = np.random.default_rng(4).standard_normal((M, 6))
    X = cut(A, ROWS, (6,))
    found = []
    for threads in (1, 2, 5):
        with dask.config.set(scheduler="threads", num_workers=threads):
            found.append(summing.summed(Source(X), None, products=True).products)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-13, atol=1e-14)


def test_tiles_cover_the_upper_triangle_once(monkeypatch):
    monkeypatch.setattr(summing, "WHOLE", 4)
    monkeypatch.setattr(summing, "TILE", 3)
    monkeypatch.setattr(summing, "GROUP_BYTES", 8 * 3 * 3 * 2)
    for n in (4, 5, 9, 10):
        groups = summing.grouped_tiles(n)
        count = np.zeros((n, n), dtype=int)
        for a, b in (tile for group in groups for tile in group):
            assert a.start <= b.start
            count[a, b] += 1
        assert (count[np.triu_indices(n)] == 1).all()
        assert all(len(group) <= 2 for group in groups)
    monkeypatch.setattr(summing, "GROUP_BYTES", 1)  # less than a tile
    assert all(len(group) == 1 for group in summing.grouped_tiles(9))


# -- tiles of operands in memory ------------------------------------------------------------------

TILES = [(slice(0, 4), slice(0, 4)), (slice(0, 4), slice(4, 9)), (slice(2, 3), slice(5, 5))]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64"])
@pytest.mark.parametrize("order", "CF")
def test_tiles_of_dense_data(dtype, order, monkeypatch):
    monkeypatch.setattr("colonnade.operands.blocks.BLOCK_BYTES", 256)  # a few rows at a time
    A = np.asarray(np.random.default_rng(5).integers(-100, 100, (40, 9)), dtype=dtype, order=order)
    explicit = A.astype(float)
    for a, b in TILES:
        np.testing.assert_allclose(Dense(A).gram_tile(a, b), explicit[:, a].T @ explicit[:, b])


@pytest.mark.parametrize("put", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_tiles_of_sparse_data(put, large, dtype):
    m = SMALL // 9 * 4 if large else 30
    A = np.random.default_rng(6).poisson(0.4, (m, 9)).astype(dtype)
    operand = wrapped(put(A))
    assert operand.small == (not large)
    explicit = A.astype(float)
    for a, b in TILES:
        np.testing.assert_allclose(operand.gram_tile(a, b), explicit[:, a].T @ explicit[:, b])


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array, sp.csc_array])
def test_tiles_of_adjusted_data_far_from_zero(put):
    rng = np.random.default_rng(7)
    steps = rng.standard_normal((32, 9)).round(3)
    offset = np.array([1e8, 0.0, 1e8, 0.0, 3.0, 1e8, 0.0, 0.0, 1e8])
    steps[:, offset == 0.0] *= 1e4  # whose products with those far from zero lose digits
    moved = steps + offset
    # whole numbers: the products of others with the data are rounded before the means go
    roots, factors = rng.integers(0, 3, 32).astype(float), rng.uniform(0.5, 2.0, 9)
    means = np.average(moved - offset, axis=0, weights=roots**2) + offset
    Z = adjusted(wrapped(put(moved)), means, factors, roots)
    if isinstance(Z, AdjustedSparse):
        assert {0, 2, 5, 8} <= set(Z.far)
    explicit = roots[:, None] * (moved - means) * factors
    lengths = np.sqrt(np.square(explicit).sum(axis=0))
    for a, b in TILES:
        error = Z.gram_tile(a, b) - explicit[:, a].T @ explicit[:, b]
        assert np.abs(error / np.outer(lengths[a], lengths[b])).max(initial=0.0) < 1e-11


def test_a_tile_has_the_products_of_the_whole():
    A = wrapped(np.random.default_rng(8).standard_normal((20, 9)) + 1.0)
    whole, some = sums_of(A), sums_of(A, tiles=TILES)
    for (a, b), part in zip(TILES, some.parts, strict=True):
        np.testing.assert_allclose(part, whole.products[a, b], atol=1e-13)


# -- the triangle ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [ROWS, (M,), even(M, 5), (0, 0, M, 0)])
@pytest.mark.parametrize("put", ["dense", "CSR"])
def test_a_triangle_has_singular_values_that_products_have_lost(tiny, rows, put):
    A = graded(np.random.default_rng(9), M, 12)
    source = Source(cut(A, rows, (5, 7), put))
    R = summing.triangle_of(source, Treatments(source))
    expected = np.geomspace(1.0, 1e-12, 12)
    found = np.linalg.svd(R, compute_uv=False)
    np.testing.assert_allclose(found, expected, rtol=1e-2)
    np.testing.assert_allclose(R.T @ R, A.T @ A, atol=1e-15)
    squares = np.linalg.eigvalsh(A.T @ A)
    assert abs(np.sqrt(max(squares[0], 0.0)) - 1e-12) > 1e-13  # or no triangle were needed


def test_a_triangle_of_fewer_rows_than_columns_is_filled_with_zeros(tiny):
    A = np.random.default_rng(10).standard_normal((6, 9))
    source = Source(cut(A, (2, 0, 3, 1), (9,)))
    R = summing.triangle_of(source, Treatments(source))
    assert R.shape == (9, 9)
    np.testing.assert_allclose(R.T @ R, A.T @ A, atol=1e-13)


def test_a_triangle_of_treated_rows(tiny):
    rng = np.random.default_rng(11)
    A = rng.standard_normal((M, 5)) + 4.0
    means, factors, roots = A.mean(axis=0), rng.uniform(1, 2, 5), rng.uniform(0, 1, M)
    source = Source(cut(A, ROWS, (2, 3)))
    R = summing.triangle_of(source, Treatments(source, means, factors, roots))
    Z = roots[:, None] * (A - means) * factors
    np.testing.assert_allclose(R.T @ R, Z.T @ Z, atol=1e-12)


def test_what_stands_for_tall_data_has_its_inner_products():
    A = np.random.default_rng(12).standard_normal((40, 6))
    G, V = A.T @ A, np.random.default_rng(13).standard_normal((6, 2))
    R = np.linalg.qr(A, mode="r")
    made = []

    def triangle():
        made.append(1)
        return R

    C = Condensed(G, triangle, np.float32, 6)
    j = np.array([4, 1])
    np.testing.assert_allclose(C.gram_columns(j), A.T @ A[:, j])
    for part in (C.gram_columns(slice(0, 2)), C.gram_tile(slice(0, 2), slice(2, 6))):
        part *= 0.0  # the data itself stays as it is
    np.testing.assert_allclose(C.gram(), A.T @ A)
    np.testing.assert_allclose(C.gram_matmat(V), G @ V)
    np.testing.assert_allclose(C.gram_tile(slice(0, 2), slice(2, 6)), G[:2, 2:])
    np.testing.assert_allclose(C.sq_norms(), G.diagonal())
    np.testing.assert_allclose(C.gram_sq_norms(), np.square(G).sum(axis=0))
    np.testing.assert_allclose(C.subset(j).gram(), G[np.ix_(j, j)])
    np.testing.assert_allclose(C.scaled(0.5).gram(), G / 4)
    assert C.max_abs() == pytest.approx(np.sqrt(G.diagonal().max()))
    assert not made
    for D in (C, C.scaled(2.0).scaled(0.5)):
        columns = D.columns(slice(None))
        np.testing.assert_allclose(columns.T @ columns, G)
        np.testing.assert_allclose(D.matmat(V), columns @ V)
        np.testing.assert_allclose(D.rmatmat(columns), G)
        np.testing.assert_allclose(D.outer(), columns @ columns.T)
        np.testing.assert_allclose(D.transposed().gram(), columns @ columns.T)
        np.testing.assert_allclose(np.vstack(list(D.row_strips(4))), columns)
        np.testing.assert_allclose(D.triangle().T @ D.triangle(), G)
        np.testing.assert_allclose(D.compressed().gram(), G)
    some = C.subset(j).columns(slice(None))
    np.testing.assert_allclose(some.T @ some, G[np.ix_(j, j)])
    assert made == [1]
    with pytest.raises(TypeError, match="only sums over all rows"):
        C.points()
