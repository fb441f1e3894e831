"""Kernels of points wherever they are, and of any size."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from colonnade import METHODS, Kernel, Nystroem, RankReachedWarning, RLSClassifier, select
from colonnade.operands.centered import CenteredKernel
from colonnade.operands.kernel import kernel_values

KERNELS = [
    ("rbf", {"gamma": 0.3}),
    ("linear", {}),
    ("polynomial", {"degree": 2, "coef0": 1.0, "gamma": 0.5}),
    ("polynomial", {"degree": 3, "coef0": 0.0}),
    ("laplacian", {}),
]


@pytest.mark.parametrize("offset", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("landmarks", ["partition-greedy", "greedy", "random-pivot"])
@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
def test_distances_do_not_depend_on_where_zero_is(offset, dtype, landmarks):
    # whole numbers, so that moving them costs them nothing
    steps = np.random.default_rng(0).integers(-8, 9, (150, 2)) * (8.0 if offset == 1e8 else 1.0)
    X = (steps + offset).astype(dtype)
    gamma = 0.02 / np.square(steps).mean() * 50
    K = rbf_kernel(steps, gamma=gamma)
    model = Nystroem(gamma=gamma, n_components=80, landmarks=landmarks, random_state=0)
    Z = model.fit_transform(X).astype(np.float64)
    there = Nystroem(gamma=gamma, n_components=80, landmarks=landmarks, random_state=0)
    expected = there.fit_transform(steps)
    lost, usual = (np.trace(K) - np.square(z).sum() for z in (Z, expected))
    assert lost == pytest.approx(usual, rel=1e-3, abs=1e-3 if dtype == np.float32 else 1e-6)
    if model.relative_errors_ is not None:
        assert model.relative_errors_[-1] == pytest.approx(lost / np.trace(K), abs=1e-6)
    np.testing.assert_allclose(model.transform(X), Z, atol=1e-5)


@pytest.mark.parametrize("offset", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_centroids_do_not_depend_on_where_zero_is(offset, dtype):
    """Thirty groups far apart, so that there is one best partition, which any start leads to."""
    unit = 8.0 if offset == 1e8 else 1.0
    groups = 64 * np.stack(np.divmod(np.arange(150) % 30, 6), axis=1)
    steps = unit * (groups + np.random.default_rng(0).integers(-2, 3, (150, 2)))
    gamma = 0.1 / unit**2
    lost = []
    for X in ((steps + offset).astype(dtype), steps):
        model = Nystroem(gamma=gamma, n_components=30, landmarks="kmeans", random_state=0)
        Z = model.fit_transform(X).astype(np.float64)
        np.testing.assert_allclose(model.transform(X), Z, atol=1e-5)
        lost.append(150 - np.square(Z).sum())
    assert lost[0] == pytest.approx(lost[1], rel=1e-3)
    assert 10 < lost[1] < 140


def test_a_kernel_between_points_far_from_zero():
    steps = np.random.default_rng(0).integers(-8, 9, (20, 2)).astype(float)
    K = rbf_kernel(steps, gamma=0.3)
    far = steps + 1e7
    found = kernel_values(far, far[:7], "rbf", {"gamma": 0.3})
    np.testing.assert_allclose(found, K[:, :7], rtol=1e-12)
    np.testing.assert_allclose(Kernel(far, kernel="rbf", gamma=0.3).gram(), K, rtol=1e-12)
    labels = np.arange(20) % 2
    model = RLSClassifier(1e-6, kernel="rbf", gamma=0.3).fit(far, labels)
    near = RLSClassifier(1e-6, kernel="rbf", gamma=0.3).fit(steps, labels)
    np.testing.assert_allclose(
        model.decision_function(far), near.decision_function(steps), rtol=1e-6
    )


def test_a_kernel_that_overflows_says_so():
    X = np.random.default_rng(0).integers(-2, 3, (9, 3)) * 1e80
    with pytest.raises(ValueError, match="not finite, such as inf; check its parameters, or scale"):
        Nystroem("polynomial", n_components=3).fit(X)


@pytest.mark.parametrize("size", [1e-140, 1e140, 1e200])
def test_kernels_of_any_size(size):
    K = rbf_kernel(np.random.default_rng(0).standard_normal((30, 3)))
    usual, found = select(Kernel(K), 8), select(Kernel(K * size), 8)
    np.testing.assert_array_equal(found.indices, usual.indices)
    np.testing.assert_allclose(found.embedding / np.sqrt(size), usual.embedding, atol=1e-10)


def test_a_slightly_negative_eigenvalue_is_seen():
    vectors = np.linalg.qr(np.random.default_rng(0).standard_normal((20, 20)))[0]
    values = np.linspace(0.1, 1, 20)
    values[0] = -1e-9
    K = (vectors * values) @ vectors.T
    with pytest.raises(ValueError, match="its smallest eigenvalue is -1e-09"):
        Kernel((K + K.T) / 2)


# linear kernels go through the points


PUT = [np.asarray, lambda X: X.astype(np.float32), lambda X: X.astype(np.int16), sp.csr_array]


@pytest.mark.parametrize("put", PUT)
def test_products_with_a_linear_kernel(put):
    X = 8 * points(n=40, d=5)
    check_products(Kernel(put(X), kernel="linear"), X @ X.T)


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.kernels])
def test_a_linear_kernel_chooses_as_its_matrix_does(name):
    X = np.random.default_rng(5).standard_normal((40, 12))
    options = {"random_state": 0} if METHODS[name].randomized else {}
    if "dual-set" in name:
        options["n_clusters"] = 2
    expected = select(Kernel(X @ X.T), 6, method=name, **options)
    for operand in (Kernel(X, kernel="linear"), Kernel(sp.csr_array(X), kernel="linear")):
        found = select(operand, 6, method=name, **options)
        assert found.indices.tolist() == expected.indices.tolist()
        if expected.relative_errors is not None:
            np.testing.assert_allclose(found.relative_errors, expected.relative_errors, atol=1e-10)


def test_a_linear_kernel_looks_at_no_pairs(monkeypatch):
    """Its columns cost what those of the points cost, since they are products with these."""
    X = np.random.default_rng(5).standard_normal((40, 12))
    operand = Kernel(X, kernel="linear")
    monkeypatch.setattr(Kernel, "_evaluate", None)
    found = select(operand, 6, method="partition-greedy", n_groups=5, random_state=0)
    expected = select(X.T, 6, method="partition-greedy", n_groups=5, random_state=0)
    assert found.indices.tolist() == expected.indices.tolist()


def test_a_linear_kernel_that_overflows_says_so():
    X = np.random.default_rng(0).integers(-2, 3, (9, 3)) * 1e160
    with pytest.raises(ValueError, match="not finite, such as inf; check its parameters, or scale"):
        select(Kernel(X, kernel="linear"), 2)


# centred in the feature space


def points(seed=0, n=30, d=4):
    """In steps of an eighth, so that moving them costs them nothing."""
    return np.random.default_rng(seed).integers(-16, 17, (n, d)) / 8


def hkh(K):
    H = np.eye(len(K)) - 1.0 / len(K)
    out = H @ K @ H
    return (out + out.T) / 2


def check_products(C, E):
    """All that a kernel is asked for, against the matrix itself."""
    n = len(E)
    atol = 1e-13 * np.abs(E).max()
    rng = np.random.default_rng(1)
    V = rng.standard_normal((n, 3))
    some = np.array([n - 1, 0, n // 2])
    assert C.shape == (n, n)
    np.testing.assert_allclose(C.gram(), E, atol=atol)
    np.testing.assert_allclose(C.sq_norms(), E.diagonal(), atol=atol)
    np.testing.assert_allclose(C.gram_columns(some), E[:, some], atol=atol)
    np.testing.assert_allclose(C.gram_columns(slice(1, 3)), E[:, 1:3], atol=atol)
    for v in (V, V[:, 0]):
        kept = v.copy()
        np.testing.assert_allclose(C.gram_matmat(v), E @ v, atol=10 * n * atol)
        np.testing.assert_array_equal(v, kept)
    squares = np.square(E).sum(axis=0)
    np.testing.assert_allclose(C.gram_sq_norms(), squares, atol=1e-12 * squares.max())
    part = C.subset(some)  # of points whose mean is that of all
    np.testing.assert_allclose(part.gram(), E[np.ix_(some, some)], atol=atol)
    np.testing.assert_allclose(part.sq_norms(), E.diagonal()[some], atol=atol)
    v = V[: len(some)]
    np.testing.assert_allclose(part.gram_matmat(v), E[np.ix_(some, some)] @ v, atol=10 * n * atol)
    np.testing.assert_allclose(C.scaled(2.0**20).gram(), 2.0**40 * E, atol=2.0**40 * atol)
    assert C.max_abs() == pytest.approx(np.sqrt(E.diagonal().max()))


@pytest.mark.parametrize(("kernel", "params"), KERNELS)
def test_centred_kernels(kernel, params):
    X = points(d=6)
    K = pairwise_kernels(X, metric=kernel, **params)
    E = hkh(K)
    expected = select(Kernel(E), 5)
    given = [Kernel(K), Kernel(X, kernel, **params), Kernel(X.astype(np.float32), kernel, **params)]
    if kernel != "laplacian":
        given += [Kernel(sp.csr_array(X), kernel, **params)]
    for operand in given:
        check_products(CenteredKernel(operand), E)
        found = select(operand, 5, center=True)
        assert found.indices.tolist() == expected.indices.tolist()
        np.testing.assert_allclose(found.relative_errors, expected.relative_errors, atol=1e-12)


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
@pytest.mark.parametrize(
    "put", [np.asarray, np.asfortranarray, sp.csr_array, lambda X: X.astype(np.int64)]
)
def test_a_centred_linear_kernel_does_not_depend_on_where_zero_is(offset, put):
    X = 8 * points(n=32)
    far = put(X + offset * np.array([1, 0, -1, 1]))
    operand = Kernel(far, kernel="linear")
    check_products(CenteredKernel(operand), hkh(X @ X.T))
    found, expected = select(operand, 4, center=True), select((X - X.mean(axis=0)).T, 4)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.relative_errors, expected.relative_errors, atol=1e-12)


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.kernels])
def test_every_method_centres_a_kernel(name):
    X = points(3, n=24)
    options = {"random_state": 0} if METHODS[name].randomized else {}
    if "dual-set" in name:
        options["n_clusters"] = 2
    # those that centre by themselves are asked not to
    plain = {"center": False}
    plain |= {"scale": None} if getattr(METHODS[name].selector, "scale", None) else {}
    E = hkh(X @ X.T)
    expected = select(Kernel(E), 3, method=name, **plain, **options)
    for operand in (Kernel(X + 1e6, kernel="linear"), Kernel(X @ X.T)):
        found = select(operand, 3, method=name, **{**plain, "center": True}, **options)
        assert found.indices.tolist() == expected.indices.tolist()


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 12),
    d=st.integers(1, 4),
    kernel=st.sampled_from(KERNELS[:4]),
)
def test_any_few_points(seed, n, d, kernel):
    X = points(seed, n, d)
    X[-1] = X[0]
    K = pairwise_kernels(X, metric=kernel[0], **kernel[1])
    E = hkh(K)
    size = np.abs(K).max()
    for operand in (Kernel(K), Kernel(X, kernel[0], **kernel[1])):
        C = CenteredKernel(operand)
        for found, expected in ((C.gram(), E), (C.gram_columns(slice(0, n)), E)):
            np.testing.assert_allclose(found, expected, atol=1e-13 * size)
        assert (C.sq_norms() >= 0).all()
        np.testing.assert_allclose(C.sq_norms(), C.gram().diagonal(), atol=1e-14 * size)


@pytest.mark.parametrize(("kernel", "params"), KERNELS[:3])
def test_of_equal_points_one_is_chosen(kernel, params):
    X = np.repeat(points(n=4), 5, axis=0)
    K = pairwise_kernels(X, metric=kernel, **params)
    for operand in (Kernel(X, kernel, **params), Kernel(K)):
        with pytest.warns(RankReachedWarning):
            found = select(operand, 6, center=True)
        assert len(found) == 3  # less the mean, four points span three dimensions
        assert len(set(found.indices // 5)) == 3
        assert found.relative_errors[-1] < 1e-12


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_a_point_at_the_mean_is_no_direction(seed, offset):
    """What rounding leaves of it must neither be chosen nor keep others from being chosen."""
    Y = np.random.default_rng(seed).standard_normal((6, 3))
    X = np.vstack([Y, np.zeros((1, 3)), -Y])
    Z = X - X.mean(axis=0)
    expected = select(Z.T, 3).indices
    far = X + offset
    given = [Kernel(far, kernel="linear"), Kernel(sp.csr_array(far), kernel="linear")]
    given += [Kernel(X @ X.T)]
    for operand in given:
        found = select(operand, 3, center=True).indices
        # a point and its mirror image are equally good
        assert [min(i, 12 - i) for i in found] == [min(i, 12 - i) for i in expected]
        assert 6 not in found
        if offset == 0 or operand is given[-1]:
            C = CenteredKernel(operand)
            assert C.sq_norms()[6] == 0
            everything = slice(0, 13)
            rows = [C.gram()[6], C.gram()[:, 6], C.gram_columns(np.array([6]))]
            rows += [C.gram_columns(everything)[6], C.subset(np.array([6, 0])).gram()[0]]
            rows += [C.gram_matmat(X)[6], C.gram_matmat(np.eye(13))[:, 6]]
            rows += [C.subset(np.array([6])).sq_norms()]
            for row in rows:
                assert not row.any()
            ones = np.ones((13, 2))
            C.gram_matmat(ones)
            assert ones.all()  # what is given is not written to
        with pytest.warns(RankReachedWarning):
            assert len(select(operand, 13, center=True)) == 3


@pytest.mark.parametrize("n", [1, 2, 7, 10])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "precomputed"])
def test_points_that_do_not_differ(n, kernel):
    x = np.array([[1.1, 1.1, 1.1]])
    for offset in (0.0, 0.3, 1e6):
        X = np.repeat(x + offset, n, axis=0)
        operand = Kernel(X @ X.T if kernel == "precomputed" else X, kernel)
        with pytest.raises(ValueError, match="the data is zero everywhere"):
            select(operand, 1, center=True)
