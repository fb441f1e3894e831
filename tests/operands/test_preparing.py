"""Operands that centre, scale and weigh, against explicit preprocessing."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from calls import run
from explicit import standardized
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from colonnade import Covariance, DataWarning, Kernel, as_operand, select
from colonnade.operands.adjusted import FAR, AdjustedSparse, adjusted_like, centered
from colonnade.operands.covariance import nearest_semidefinite, pairwise_products
from colonnade.operands.preparing import prepare, without_gaps
from colonnade.operands.row_weights import check_weights
from colonnade.operands.statistics import moments, present, weighted_quantiles

PUT = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}
SCALES = [None, "std", "robust", "max", "units"]
UNITS = np.geomspace(1e-3, 1e3, 9)


def table(seed=0, m=40):
    """Columns near and far from zero, a constant, zeros, counts and a one-hot column."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, 9)) * np.geomspace(0.1, 10, 9)
    A[:, 1] = 1e6 + rng.integers(-3, 4, m)
    A[:, 2] = 7.5
    A[:, 3] = rng.poisson(0.3, m)
    A[:, 4] = 0.0
    A[:, 4][rng.integers(m)] = 3.0
    A[:, 5] = 0.0
    A[:, 6] *= rng.random(m) < 0.5
    return A


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("m", [40, 6])
def test_every_product_is_that_of_the_explicit_matrix(put, scale, center, weighted, m):
    if scale is None and not center and not weighted:
        pytest.skip("nothing is done to the data")
    A = table(m=m)
    rng = np.random.default_rng(1)
    w = rng.integers(0, 4, m).astype(float) if weighted else None
    scale = UNITS if scale == "units" else scale
    asked = center or scale is not None
    Z, varying = standardized(A, center=center, scale=scale, weights=w) if asked else (A, None)
    if weighted:
        Z = np.sqrt(w)[:, None] * Z
    found = prepare(as_operand(PUT[put](A)), center=center, scale=scale, weights=w)
    B = found.A
    if asked:
        assert found.varying.tolist() == varying.tolist()
        assert (found.units[~varying] == 0).all()
    V, U = rng.standard_normal((9, 3)), rng.standard_normal((m, 3))
    size = np.abs(Z).max()
    g, f = np.ones(9), np.ones(9)
    omega = B.sweep(U[:, 0], U[:, 1], 0.5, f, g)
    close = {"rtol": 1e-9, "atol": 1e-9 * size * size * m}
    for got, expected in (
        (B.matmat(V), Z @ V),
        (B.matmat(V[:, 0]), Z @ V[:, 0]),
        (B.matmat_part(slice(2, 5), V[2:5]), Z[:, 2:5] @ V[2:5]),
        (B.rmatmat(U), Z.T @ U),
        (B.rmatmat(U[:, 0]), Z.T @ U[:, 0]),
        (B.columns(slice(1, 4)), Z[:, 1:4]),
        (B.columns(np.array([4, 1])), Z[:, [4, 1]]),
        (np.vstack(list(B.row_strips(7))), Z),
        (B.gram(), Z.T @ Z),
        (B.gram_columns(slice(0, 4)), Z.T @ Z[:, :4]),
        (B.gram_matmat(V), Z.T @ (Z @ V)),
        (B.outer(), Z @ Z.T),
        (B.subset(np.array([6, 1])).gram(), Z[:, [6, 1]].T @ Z[:, [6, 1]]),
        (B.transposed().gram(), Z @ Z.T),
        (B.transposed().outer(), Z.T @ Z),
        (B.transposed().columns(slice(2, 5)), Z.T[:, 2:5]),
        (B.transposed().subset(np.array([3, 0])).matmat(V[:2]), Z.T[:, [3, 0]] @ V[:2]),
        (B.transposed().sq_norms(), (Z**2).sum(axis=1)),
        (B.scaled(2.0).gram(), 4 * Z.T @ Z),
        (B.group_sums(np.arange(m) % 2, 2), [Z[::2].sum(axis=0), Z[1::2].sum(axis=0)]),
        (omega, Z.T @ U[:, 0]),
        (g, 1 - (Z.T @ U[:, 0]) ** 2),
        (f, 1 - 2 * (Z.T @ U[:, 0]) * (Z.T @ U[:, 1]) + 0.5 * (Z.T @ U[:, 0]) ** 2),
    ):
        np.testing.assert_allclose(got, expected, **close)
    np.testing.assert_allclose(B.sq_norms(), (Z**2).sum(axis=0), rtol=1e-9, atol=0)
    for C, G in ((B, Z.T @ Z), (B.transposed(), Z @ Z.T)):
        squares = (G**2).sum(axis=0)
        near = {"rtol": 1e-7, "atol": 1e-12 * squares.max()}
        np.testing.assert_allclose(C.gram_sq_norms(), squares, **near)
    R = B.triangle()
    np.testing.assert_allclose(R.T @ R, Z.T @ Z if m >= 9 else Z @ Z.T, **close)


@pytest.mark.parametrize("put", ["csr", "csc"])
def test_columns_far_from_zero_are_held_or_made_when_needed(put, monkeypatch):
    rng = np.random.default_rng(0)
    A = np.hstack([1e6 + rng.integers(-2, 3, (30, 4)), rng.poisson(0.2, (30, 5))]).astype(float)
    Z, _ = standardized(A, center=True, scale="std")
    for held in (2**30, 0):
        monkeypatch.setattr("colonnade.operands.adjusted.HELD", held)
        B = prepare(as_operand(PUT[put](A)), center=True, scale="std").A
        assert isinstance(B, AdjustedSparse)
        assert B.far.tolist() == [0, 1, 2, 3]
        np.testing.assert_allclose(B.gram(), Z.T @ Z, atol=1e-9)
        np.testing.assert_allclose(B.matmat(np.eye(9)), Z, atol=1e-9)
        assert (B._held is None) == (held == 0)
    assert FAR == 1e-4


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.int64])
def test_compiled_sweeps_read_the_means_too(order, dtype, monkeypatch):
    monkeypatch.setattr("colonnade.operands.adjusted.SMALL", 10)
    rng = np.random.default_rng(0)
    A = np.asarray(rng.integers(0, 200, (37, 11)), dtype=dtype, order=order)
    w = rng.random(37)
    for weights in (None, w):
        Z, _ = standardized(A, center=True, scale="std", weights=weights)
        Z = Z if weights is None else np.sqrt(w)[:, None] * Z
        B = prepare(as_operand(A), center=True, scale="std", weights=weights).A
        q, z = rng.standard_normal((2, 37))
        f, g = np.ones(11), np.ones(11)
        np.testing.assert_allclose(B.sweep(q, z, 0.3, f, g), Z.T @ q)
        np.testing.assert_allclose(g, 1 - (Z.T @ q) ** 2)
        np.testing.assert_allclose(f, 1 - 2 * (Z.T @ q) * (Z.T @ z) + 0.3 * (Z.T @ q) ** 2)
        g = np.ones(11)
        B.sweep(q, None, 0.0, f, g)
        np.testing.assert_allclose(g, 1 - (Z.T @ q) ** 2)


@pytest.mark.parametrize("put", PUT)
def test_distances_between_rows_are_those_of_the_scaled_data(put):
    A = table()
    Z, _ = standardized(A, center=False, scale="std")
    points = prepare(as_operand(PUT[put](A)), center=True, scale="std").A.points()
    points = points.toarray() if sp.issparse(points) else points
    assert np.linalg.norm(points[3] - points[8]) == pytest.approx(np.linalg.norm(Z[3] - Z[8]))


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("center", [False, True])
def test_distances_between_columns_are_those_of_the_prepared_data(put, center):
    """Rows of the transpose: each has lost a mean of its own."""
    A = table()
    Z, _ = standardized(A, center=center, scale="std")
    turned = prepare(as_operand(PUT[put](A)), center=center, scale="std").A.transposed()
    points = turned.points()
    points = points.toarray() if sp.issparse(points) else points
    np.testing.assert_allclose(pdist(points), pdist(Z.T))


def test_no_copy_of_the_data_is_made():
    """Neither of dense data in float32, nor of sparse data, whatever is asked of them."""
    rng = np.random.default_rng(0)
    A = rng.random((40_000, 100), dtype=np.float32)
    S = sp.random_array((40_000, 2000), density=0.01, rng=rng, format="csc")
    for X, size in ((A, A.nbytes), (S, 40_000 * 2000 * 8)):
        tracemalloc.start()
        B = prepare(as_operand(X), center=True, scale="std").A
        B.sq_norms()
        B.rmatmat(np.ones(40_000))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < size


def test_centring_again_changes_nothing_and_other_rows_are_treated_alike():
    A = table()
    for put in PUT.values():
        B = prepare(as_operand(put(A)), scale="std").A
        Z = centered(B)
        np.testing.assert_allclose(Z.columns(slice(None)).mean(axis=0), 0.0, atol=1e-9)
        again = centered(Z)
        np.testing.assert_allclose(again.gram(), Z.gram(), atol=1e-9)
        other = adjusted_like(Z, as_operand(put(A[:3])))
        np.testing.assert_allclose(
            other.columns(slice(None)), Z.columns(slice(None))[:3], atol=1e-9
        )
        plain = as_operand(put(A))
        assert adjusted_like(plain, plain) is plain


# -- statistics ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.data())
def test_quantiles_of_weights_are_those_of_repeats(data):
    m = data.draw(st.integers(1, 12))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    values = rng.integers(-3, 4, (m, 3)).astype(float)
    w = rng.integers(0, 4, m)
    w[0] += not w.any()
    share = data.draw(st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0]))
    expected = np.quantile(
        np.repeat(values, w, axis=0), share, axis=0, method="averaged_inverted_cdf"
    )
    factor = data.draw(st.sampled_from([1.0, 0.1, 1e-9, 7.3]))
    (found,) = weighted_quantiles(values, w * factor, (share,))
    np.testing.assert_array_equal(found, expected)


def test_quantiles_of_many_rows():
    values = np.random.default_rng(0).permutation(np.arange(400.0))[:, None]
    found = weighted_quantiles(values, np.ones(400), (0.25, 0.5, 0.751))
    assert found[:, 0].tolist() == [99.5, 199.5, 300.0]


def test_means_are_corrected_by_what_they_leave():
    A = 1e12 + np.random.default_rng(0).random((20_000, 3))
    exact = [math.fsum(column) / len(A) for column in A.T]
    means, squares = moments(as_operand(A), np.ones(len(A)))
    assert np.abs(means - exact).max() <= np.spacing(1e12)
    np.testing.assert_allclose(squares, ((A - exact) ** 2).sum(axis=0), rtol=1e-6)


def test_a_narrow_middle_is_divided_by_the_standard_deviation():
    A = table()
    with pytest.warns(DataWarning, match="1 column has an interquartile range of zero; .*: 2"):
        found = prepare(as_operand(A[:, [0, 3, 4, 6]] + 0.0), scale="robust")
    assert found.units[2] == pytest.approx(A[:, 4].std())


def test_constant_columns_are_named_once():
    A = table()
    names = [f"column {j}" for j in range(9)]
    with pytest.warns(DataWarning) as caught:
        prepare(as_operand(A), center=True, names=names)
    assert [str(w.message) for w in caught] == [
        "2 columns are constant and no candidates: 'column 2', 'column 5'"
    ]
    with pytest.raises(ValueError, match="all columns are constant: nothing varies"):
        prepare(as_operand(np.ones((4, 3))), center=True)
    with pytest.raises(ValueError, match="n_samples=1: nothing varies"):
        prepare(as_operand(np.ones((1, 3))), scale="std")


# -- inner products alone --------------------------------------------------------------------------


def test_a_covariance_matrix_is_enough():
    A = table()[:, [0, 1, 3, 6, 7, 8]]
    S = Covariance(np.cov(A.T, ddof=0), n_samples=40)
    for name in ("greedy", "pivoted-qr", "random-pivot", "bss", "leverage-top"):
        params = {"random_state": 0} if name == "random-pivot" else {}
        for scale in ("std", UNITS[:6], None):
            expected = select(A, 4, method=name, center=True, scale=scale, **params)
            found = select(S, 4, method=name, scale=scale, **params)
            assert found.indices.tolist() == expected.indices.tolist()
            np.testing.assert_allclose(
                found.errors, expected.errors, rtol=1e-6, atol=1e-8 * expected.total
            )
            assert found.total == pytest.approx(expected.total)
    assert select(S, 3, center=True).indices.tolist() == select(S, 3).indices.tolist()
    np.testing.assert_allclose(select(S, 2, scale="std").units, A.std(axis=0), rtol=1e-9)


def test_what_a_covariance_matrix_cannot_tell():
    S = Covariance(np.eye(3))
    with pytest.raises(TypeError, match="scale='robust' needs the columns themselves"):
        select(S, 2, scale="robust")
    with pytest.raises(ValueError, match="scale holds 2 units, but the data has 3 columns"):
        select(S, 2, scale=[1.0, 2.0])
    with pytest.raises(TypeError, match="sample_weight needs the rows"):
        select(S, 2, sample_weight=[1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="must be symmetric"):
        Covariance([[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="must be positive semidefinite"):
        Covariance([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="n_samples=0; choose at least 1"):
        Covariance(np.eye(2), n_samples=0)
    with pytest.warns(DataWarning, match="1 column is constant and no candidates: 1"):
        assert select(Covariance(np.diag([1.0, 0.0, 2.0])), 2, scale="std").indices.tolist() == [
            0,
            2,
        ]


def test_kernels_are_centred_in_the_feature_space_and_not_scaled():
    X = np.random.default_rng(0).standard_normal((12, 3)) + 2.0
    K = Kernel(X, "rbf", gamma=0.2)
    H = np.eye(12) - 1 / 12
    expected = select(Kernel(H @ K.gram() @ H, check=False), 4)
    found = select(K, 4, center=True)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-8)
    with pytest.raises(TypeError, match="scale='std' needs the columns themselves"):
        select(K, 2, scale="std")


# -- gaps ------------------------------------------------------------------------------------------


def with_gaps(A, share, seed=0):
    A = A.astype(float)
    A[np.random.default_rng(seed).random(A.shape) < share] = np.nan
    return A


def test_products_of_pairs_by_definition():
    A = with_gaps(table(), 0.2)
    w = np.random.default_rng(1).random(40)
    means = np.nanmean(A, axis=0)
    found = pairwise_products(as_operand(A, gaps=True), means, w)
    for i in range(9):
        for j in range(9):
            both = ~np.isnan(A[:, i] + A[:, j])
            products = (A[both, i] - means[i]) * (A[both, j] - means[j])
            expected = (w[both] @ products) / w[both].sum() * w.sum()
            assert found[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    never = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 3.0]])
    assert pairwise_products(as_operand(never, gaps=True), np.zeros(2), np.ones(3))[0, 1] == 0


def test_nearest_semidefinite_is_nearest():
    rng = np.random.default_rng(0)
    S = rng.standard_normal((6, 6))
    S = S + S.T
    found = nearest_semidefinite(S)
    assert np.linalg.eigvalsh(found)[0] > -1e-12
    gap = np.linalg.norm(S - found)
    assert gap == pytest.approx(np.linalg.norm(np.minimum(np.linalg.eigvalsh(S), 0)))
    for _ in range(50):
        other = found + 0.1 * rng.standard_normal((6, 6))
        values, vectors = np.linalg.eigh((other + other.T) / 2)
        assert np.linalg.norm(S - (vectors * np.maximum(values, 0)) @ vectors.T) >= gap
    definite = S @ S + np.eye(6)
    assert nearest_semidefinite(definite) is definite


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("missing", ["mean", "median"])
def test_gaps_are_filled_from_what_is_there(put, missing):
    A = with_gaps(table(), 0.2)
    w = np.random.default_rng(1).integers(0, 3, 40)
    repeated = np.repeat(A, w, axis=0)
    middle = np.nanmean(repeated, axis=0) if missing == "mean" else np.nanmedian(repeated, axis=0)
    expected = np.where(np.isnan(A), middle, A)
    given = PUT[put](A)
    before = given.copy()
    found = without_gaps(as_operand(given, gaps=True), missing, w.astype(float))
    np.testing.assert_allclose(found.columns(slice(None)), expected, rtol=1e-12)
    same = (before != given) if sp.issparse(given) else None
    if same is None:
        np.testing.assert_array_equal(given, before)
    whole = as_operand(PUT[put](table()))
    assert without_gaps(whole, missing, None) is whole


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("center", [False, True])
def test_without_gaps_pairs_give_what_the_data_gives(scale, center):
    A = table()
    scale = UNITS if scale == "units" else scale
    plain = run("greedy", A, 4, center=center, scale=scale)
    found = run("greedy", A, 4, center=center, scale=scale, missing="pairwise")
    assert found.indices.tolist() == plain.indices.tolist()
    # one gap, in a row that says nothing new
    B = np.vstack([A, A])
    B[0, 0] = np.nan
    near = run("greedy", B, 4, center=center, scale=scale, missing="pairwise")
    assert near.indices[:1].tolist() == plain.indices[:1].tolist()
    if near.units is not None and plain.units is not None:
        np.testing.assert_allclose(near.units, plain.units, rtol=0.2)


def test_columns_without_an_entry_are_named():
    A = with_gaps(table(), 0.1)
    A[:, [2, 7]] = np.nan
    for missing in ("mean", "median", "pairwise"):
        with pytest.raises(ValueError, match="2 columns have no entry at all: 2, 7; leave out"):
            select(A, 3, missing=missing)
    with pytest.raises(ValueError, match="X contains NaN"):
        select(A, 3)
    A = table()
    A[0, 0] = np.inf
    with pytest.raises(ValueError, match="X contains infinity"):
        select(A, 3, missing="mean")


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], r"sample_weight\[1\] = -1.0; weights must be finite and not negative"),
        ([1, np.nan, 1], r"sample_weight\[1\] = nan"),
        ([1, np.inf, 1], r"sample_weight\[1\] = inf"),
        ([0, 0, 0], "sample_weight is zero for every row"),
        ([1, 1], r"sample_weight has shape \(2,\), but the data has 3 rows"),
        ([[1], [1], [1]], r"sample_weight has shape \(3, 1\)"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, 3)
    with pytest.raises(TypeError, match="sample_weight must hold numbers"):
        check_weights(["a", "b", "c"], 3)


@pytest.mark.parametrize(
    ("scale", "error", "message"),
    [
        ([1.0, 0.0, 1.0], ValueError, r"scale\[1\] = 0.0; a unit must be finite and above 0"),
        ([1.0, -2.0, 1.0], ValueError, r"scale\[1\] = -2.0"),
        ([1.0, np.nan, 1.0], ValueError, r"scale\[1\] = nan"),
        ([1.0, 1.0], ValueError, "scale holds 2 units, but the data has 3 columns"),
        ("sd", ValueError, "scale='sd'; choose one of std, robust, max"),
        (2.0, TypeError, "scale must be None, one of std, robust, max, auto, or an array"),
        (True, TypeError, "scale must be None"),
        (["a", "b", "c"], TypeError, "scale must be None"),
    ],
)
def test_bad_scales(scale, error, message):
    with pytest.raises(error, match=message):
        select(np.eye(3) + 1.0, 1, scale=scale)


def test_means_of_what_is_there_are_corrected_by_what_they_leave():
    A = 1e12 + np.random.default_rng(0).random((20_000, 2))
    A[0] = np.nan
    exact = [math.fsum(column[1:]) / (len(A) - 1) for column in A.T]
    assert np.abs(present(as_operand(A, gaps=True), np.ones(len(A)))[0] - exact).max() <= 2e-4


def test_only_a_range_of_zero_is_replaced():
    A = np.random.default_rng(0).standard_normal((400, 2)) * 0.01
    A[0] = 10.0  # an outlier: the range is a fiftieth of the deviation
    low, high = np.quantile(A, [0.25, 0.75], axis=0, method="averaged_inverted_cdf")
    np.testing.assert_allclose(prepare(as_operand(A), scale="robust").units, high - low)


def test_shares_of_fractional_weights_are_reached_exactly():
    values = np.arange(10.0)[:, None]
    (found,) = weighted_quantiles(values, np.full(10, 0.1), (0.3,))
    assert found[0] == 2.5


def test_operands_are_prepared_once():
    A = prepare(as_operand(table()), center=True).A
    with pytest.raises(TypeError, match="the operand is centred, scaled or weighted already"):
        select(A, 2, scale="std")
    assert len(select(A, 2)) == 2
