"""Features from singular vectors: against the full decomposition and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import NASTY, nasty, with_spectrum
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD

from colonnade import RankReachedWarning, SVDProjection, linalg
from colonnade.operands.entrance import as_columns
from colonnade.projections import singular_vectors as svd


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("algorithm", ["exact", "stochastic", "auto"])
@pytest.mark.parametrize("shape", [(30, 90), (90, 30)])
def test_svd_features(shape, algorithm, put):
    values = np.geomspace(5.0, 1e-2, 30)
    X = with_spectrum(np.random.default_rng(0), *shape, values)
    way = SVDProjection(8, algorithm=algorithm, n_power=8, random_state=0).fit(put(X))
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(way.singular_values_, s[:8], rtol=1e-8)
    turn = np.sign((way.components_ * Vt[:8]).sum(axis=1))
    np.testing.assert_allclose(way.components_, turn[:, None] * Vt[:8], atol=1e-6)
    np.testing.assert_allclose(way.transform(put(X)), U[:, :8] * s[:8] * turn, atol=1e-6)
    white = clone(way).set_params(whiten=True).fit(put(X))
    np.testing.assert_allclose(white.transform(put(X)), U[:, :8] * turn, atol=1e-6)
    best = (U[:, :8] * s[:8]) @ Vt[:8]
    for each in (way, white):
        np.testing.assert_allclose(each.inverse_transform(each.transform(X)), best, atol=1e-6)
        assert (each.components_[range(8), np.abs(each.components_).argmax(axis=1)] > 0).all()
    # scikit-learn's signs and features
    theirs = TruncatedSVD(8, algorithm="arpack").fit(X)
    np.testing.assert_allclose(way.transform(X), theirs.transform(X), atol=1e-6)


@pytest.mark.parametrize("shape", [(30, 90), (90, 30)])
def test_svd_auto_size(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    cases = ((4, None, 4), (4, 0.5, 8), (4, 0.3, 14), (40, None, 30), (9, 0.1, 30))
    for k, eps, expected in (*cases, (None, None, 2), (None, 0.5, 4)):
        way = SVDProjection(n_clusters=k, eps=eps).fit(X)
        assert way.n_components_ == expected
        same = SVDProjection(expected).fit(X)
        np.testing.assert_array_equal(way.components_, same.components_)


def test_best_clusters_of_auto_features():
    """Boutsidis, Zouzias & Drineas (2010), Table 1; ⌈k/ε⌉ features for 1 + ε: all partitions."""
    rng = np.random.default_rng(0)
    labels = np.array(list(np.ndindex(*(2,) * 8)))
    labels = np.column_stack([np.zeros(len(labels), int), labels])

    def costs(A):
        sums = [(labels == c).astype(float) for c in range(2)]
        between = sum(
            np.square(m @ A).sum(axis=1) / np.maximum(m.sum(axis=1), 1.0) for m in sums
        )  # fmt: skip
        return np.square(A).sum() - between

    for _ in range(40):
        X = rng.standard_normal((9, 7)) * rng.exponential(size=7)
        full = costs(X)
        for eps, factor in ((None, 2.0), (0.5, 1.5), (0.4, 1.4)):
            Z = SVDProjection("auto", n_clusters=2, eps=eps).fit_transform(X)
            assert full[np.argmin(costs(Z))] <= factor * full.min() * (1 + 1e-12)


def test_svd_signs_of_equal_entries():
    V = np.array([[-1.0, 1.0], [-1.0, -1.0 - 1e-13], [1.0, 0.5]])
    np.testing.assert_array_equal(np.sign(svd._with_signs(V)), [[1, 1], [1, -1], [-1, 1]])


def test_power_steps_help():
    """A slowly falling spectrum, where the plain range finder is poor."""
    values = np.linspace(1.0, 0.5, 60)
    X = with_spectrum(np.random.default_rng(0), 80, 100, values)
    lost = []
    for q in (0, 1, 2, 6):
        way = SVDProjection(5, algorithm="stochastic", n_power=q, n_extra=5, random_state=0)
        Z = way.fit_transform(X)
        lost.append(((X - way.inverse_transform(Z)) ** 2).sum() - (values[5:] ** 2).sum())
    assert lost[0] > lost[1] > lost[2] > lost[3] > 0
    # the error of Algorithm 1 never falls below the best, nor by much above it
    assert lost[3] < 0.05 * (values[5:] ** 2).sum()


def test_reorthogonalization_keeps_small_singular_values():
    values = np.geomspace(1.0, 1e-12, 6)
    X = with_spectrum(np.random.default_rng(1), 50, 40, values)
    for algorithm in ("stochastic", "exact"):
        way = SVDProjection(6, algorithm=algorithm, n_power=5, random_state=0).fit(X)
        np.testing.assert_allclose(way.singular_values_, values, rtol=1e-3)


@pytest.mark.parametrize("name", NASTY)
def test_exact_components_of_sparse_data(name):
    """As many as of dense data: a Gram matrix would lose those below 1e-8 of the largest."""
    A = nasty(name)
    for X in (A, A.T):
        rank = np.linalg.matrix_rank(X)
        dense, sparse = (
            SVDProjection(rank, algorithm="exact").fit(put(X)) for put in (np.asarray, sp.csr_array)
        )
        assert dense.n_components_ == sparse.n_components_ == rank
        room = 1e-14 * dense.singular_values_[0]
        np.testing.assert_allclose(sparse.singular_values_, dense.singular_values_, 1e-6, room)
        angles = np.linalg.svd(dense.components_ @ sparse.components_.T, compute_uv=False)
        np.testing.assert_allclose(angles, 1.0, atol=1e-3)
        np.testing.assert_allclose(
            sparse.components_ @ sparse.components_.T, np.eye(rank), atol=1e-13
        )


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_exact_components_of_long_sides(put, monkeypatch):
    """By Lanczos, to rounding, on a slowly falling spectrum."""
    monkeypatch.setattr(linalg.svd, "EXACT_SIDE", 10)
    values = np.linspace(2.0, 1.5, 110)
    X = with_spectrum(np.random.default_rng(3), 110, 140, values)
    way = SVDProjection(4, algorithm="exact").fit(put(X))
    np.testing.assert_allclose(way.singular_values_, values[:4], rtol=1e-12)
    lost = np.square(X - way.inverse_transform(way.transform(X))).sum()
    assert lost == pytest.approx(np.square(values[4:]).sum(), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-25, 1e25])
def test_squares_of_float32_data_stay_in_range(scale):
    values = np.geomspace(1.0, 1e-2, 6)
    X = with_spectrum(np.random.default_rng(1), 50, 40, values)
    way = SVDProjection(6, algorithm="stochastic", n_power=3, random_state=0)
    way.fit((scale * X).astype(np.float32))
    np.testing.assert_allclose(way.singular_values_, scale * values, rtol=1e-4)


class Counted:
    """An operand that notes the width of every product."""

    def __init__(self, A):
        self.A, self.widths = A, []

    def __getattr__(self, name):
        return getattr(self.A, name)

    def matmat(self, V):
        self.widths.append(("X", V.shape[1]))
        return self.A.matmat(V)

    def rmatmat(self, V):
        self.widths.append(("X^T", V.shape[1]))
        return self.A.rmatmat(V)


@pytest.mark.parametrize(("q", "extra"), [(0, 0), (0, 7), (1, 3), (4, 10)])
def test_products_of_the_stochastic_algorithm(q, extra, monkeypatch):
    """2q + 2 products with k + p columns, as its cost says."""
    seen = []

    def counted(X):
        seen.append(Counted(as_columns(X)))
        return seen[-1]

    monkeypatch.setattr("colonnade.projections.projection.wrapped", counted)
    X = np.random.default_rng(0).standard_normal((60, 40))
    SVDProjection(5, algorithm="stochastic", n_power=q, n_extra=extra, random_state=0).fit(X)
    assert seen[0].widths == [("X", 5 + extra), ("X^T", 5 + extra)] * (q + 1)


def test_float32_directions_above_rounding_are_kept():
    """Of rank four; the last is below eps times the longer side, but above what rounding makes."""
    values = np.array([1.0, 0.5, 1e-2, 3e-5])
    X = with_spectrum(np.random.default_rng(2), 2000, 30, values).astype(np.float32)
    way = SVDProjection(4, algorithm="stochastic", random_state=0).fit(X)
    np.testing.assert_allclose(way.singular_values_, values, rtol=1e-2)
    with pytest.warns(RankReachedWarning, match="4 of 9 components"):
        SVDProjection(9, algorithm="stochastic", random_state=0).fit(X)


@pytest.mark.parametrize("algorithm", ["exact", "stochastic"])
def test_svd_of_low_rank(algorithm):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3)) @ rng.standard_normal((3, 15))
    with pytest.warns(RankReachedWarning, match="3 of 7 components") as caught:
        way = SVDProjection(7, algorithm=algorithm, random_state=0).fit(X)
    assert caught[0].filename == __file__
    assert way.n_components_ == 3
    assert way.get_feature_names_out().tolist() == [f"svdprojection{i}" for i in range(3)]
    np.testing.assert_allclose(way.inverse_transform(way.transform(X)), X, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-130, 1e130])
def test_svd_of_huge_and_tiny_data(scale):
    X = np.random.default_rng(0).standard_normal((12, 30))
    plain, scaled = SVDProjection(4).fit(X), SVDProjection(4).fit(sp.csr_array(scale * X))
    np.testing.assert_allclose(scaled.singular_values_, scale * plain.singular_values_)
    np.testing.assert_allclose(scaled.components_, plain.components_, atol=1e-8)


def test_svd_auto_is_stochastic_for_long_sides(monkeypatch):
    X = np.random.default_rng(0).standard_normal((30, 40))
    monkeypatch.setattr(svd, "EXACT_SIDE", 29)
    auto = SVDProjection(3, random_state=0).fit(X).components_
    stochastic = SVDProjection(3, algorithm="stochastic", random_state=0).fit(X).components_
    exact = SVDProjection(3, algorithm="exact").fit(X).components_
    np.testing.assert_array_equal(auto, stochastic)
    assert not np.array_equal(auto, exact)
    monkeypatch.setattr(svd, "EXACT_SIDE", 30)
    np.testing.assert_array_equal(SVDProjection(3).fit(X).components_, exact)
