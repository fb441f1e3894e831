"""The same verdict whatever the order of summation, as on other CPUs and with other threads.

Rounding differs between machines because sums are taken in another order. Permuted rows, rows
of zeros and more threads change that order on one machine, and must change nothing else.
"""

from __future__ import annotations

import numpy as np
import pytest
from calls import needs, run
from matrices import nasty
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from threadpoolctl import threadpool_limits

from colonnade import (
    METHODS,
    DualSetSelector,
    EnsembleNystroem,
    FastSpectralClustering,
    GaussianProjection,
    HadamardProjection,
    Nystroem,
    ReducedKMeans,
    RepresentativeKMeans,
    RLSClassifier,
    SignProjection,
    SparseSignProjection,
    SphericalKMeans,
    SVDProjection,
    metrics,
)

MEANS = {"factors", "graph", "labels"}
"""Kinds of methods that look at means, samples or classes, which rows of zeros do change."""


def _integers(_):
    """Counts, among them columns that are exactly uncorrelated."""
    return np.random.default_rng(8).poisson(1.0, (30, 18)).astype(float)


def _offset(rng):
    return 1e4 + rng.standard_normal((40, 15))


def _opposites(rng):
    """Pairs of columns that mirror each other: everything about the two is equal."""
    A = rng.standard_normal((24, 6))
    return np.column_stack([A, A[::-1]])


def _one_hot(rng):
    return np.eye(7)[rng.permutation(np.repeat(np.arange(7), [9, 8, 7, 5, 4, 2, 1]))]


MATRICES = {
    "tall": lambda rng: nasty("tall"),
    "wide": lambda rng: nasty("wide"),
    "duplicated": lambda rng: nasty("duplicated"),
    "rank deficient": lambda rng: nasty("rank deficient"),
    "graded tall": lambda rng: nasty("graded tall"),
    "integers": _integers,
    "offset": _offset,
    "far offset": lambda rng: 1e6 + rng.standard_normal((48, 41)),
    "opposites": _opposites,
    "one-hot": _one_hot,
}
CONTINUOUS = ("tall", "wide", "offset", "far offset", "graded tall")
"""Matrices whose rows are all at different distances from each other."""

SPECTRAL = {"bss", "dual-set", "randomized-dual-set", "leverage", "approximate-leverage"}
SPECTRAL |= {"leverage-top", "hybrid-css", "approx-svd", "whitened-greedy", "orthogonal-pfs"}
SPECTRAL |= {"jolliffe-b2", "jolliffe-b3", "jolliffe-b4", "pca-lrg", "pfa"}
"""Methods that follow single singular vectors, which are undetermined for equal values."""

UNDETERMINED = {"opposites": MEANS | SPECTRAL, "one-hot": SPECTRAL}


@pytest.fixture(
    params=["rows permuted", "halves exchanged", "rows reversed", "zero rows", "threads"]
)
def resummed(request):
    """A function that gives back a matrix, and how rows of another follow it, summed anew."""

    def change(A, rng):
        m = len(A)
        order = {
            "rows permuted": rng.permutation(m),
            "halves exchanged": np.roll(np.arange(m), m // 2),
            "rows reversed": np.arange(m)[::-1],
        }.get(request.param, np.arange(m))
        if request.param == "zero rows":
            spread = np.sort(rng.permutation(2 * m + 3)[:m])
            B = np.zeros((2 * m + 3, A.shape[1]))
            B[spread] = A
            return B, None
        return A[order], order

    change.name = request.param
    with threadpool_limits(2 if request.param == "threads" else 1):
        yield change


def _followed(params, order, m):
    """Parameters with those that have a value for each row permuted as the rows were."""
    return {
        key: np.asarray(value)[order] if np.shape(value)[:1] == (m,) else value
        for key, value in params.items()
    }


@pytest.mark.parametrize("name", METHODS)
def test_methods_choose_the_same(name, resummed):
    method = METHODS[name]
    if resummed.name == "zero rows" and (method.kind in MEANS or method.supervised):
        pytest.skip("rows of zeros change means, samples, targets and classes")
    rng = np.random.default_rng(1)
    tried = 0
    for label, make in MATRICES.items():
        A = make(rng)
        if name in UNDETERMINED.get(label, ()) or method.kind in UNDETERMINED.get(label, ()):
            continue
        if method.kind == "graph" and label not in CONTINUOUS:
            continue  # of equally near samples the first is a neighbour
        size = max(2, min(A.shape) // 2)
        params = needs(name, A, size)
        with threadpool_limits(1):
            expected = run(name, A, size, **params)
        B, order = resummed(A, rng)
        if order is not None:
            params = _followed(params, order, len(A))
        found = run(name, B, size, **params)
        assert found.indices.tolist() == expected.indices.tolist(), label
        np.testing.assert_allclose(
            found.relative_errors, expected.relative_errors, rtol=1e-6, atol=1e-13
        )
        if method.weighted:
            np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-6)
        tried += 1
    assert tried >= 3


POINTS, KINDS = make_blobs(150, 12, centers=4, cluster_std=1.0, random_state=0)
PARTITIONS = [
    ReducedKMeans(4, random_state=0),
    ReducedKMeans(4, DualSetSelector(8, n_clusters=4), random_state=0),
    RepresentativeKMeans(4, random_state=0),
    SphericalKMeans(4, random_state=0),
    FastSpectralClustering(4, n_representatives=30, random_state=0),
    FastSpectralClustering(4, n_representatives=30, method="lsc", random_state=0),
]
MAPS = [
    *(cls(5, random_state=0) for cls in (SignProjection, GaussianProjection)),
    *(cls(5, random_state=0) for cls in (SparseSignProjection, HadamardProjection)),
    SVDProjection(5, random_state=0),
]


@pytest.mark.parametrize("estimator", PARTITIONS, ids=str)
@pytest.mark.slow
def test_learners_find_the_same_clusters(estimator, resummed):
    """The features are what distances are summed over."""
    rng = np.random.default_rng(2)
    expected = clone(estimator).fit(POINTS)
    B, _ = resummed(POINTS.T, rng)
    found = clone(estimator).fit(np.ascontiguousarray(B.T))
    assert metrics.nmi(expected.labels_, found.labels_) > 0.999
    if not isinstance(estimator, SphericalKMeans | FastSpectralClustering):
        assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-9)


@pytest.mark.parametrize("estimator", MAPS, ids=str)
def test_projections_map_each_row_the_same(estimator, resummed):
    rng = np.random.default_rng(3)
    expected = clone(estimator).fit(POINTS).transform(POINTS)
    if resummed.name == "zero rows":
        B, rows = np.vstack([np.zeros((7, 12)), POINTS]), slice(7, None)
    else:
        B, rows = resummed(POINTS, rng)
        expected = expected[rows]
        rows = slice(None)
    found = clone(estimator).fit(B).transform(B)[rows]
    # a singular vector has no sign of its own
    signs = np.sign(np.einsum("ij,ij->j", found, expected))
    np.testing.assert_allclose(found * signs, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("cls", [Nystroem, EnsembleNystroem])
def test_kernel_maps_reconstruct_the_same(cls, resummed):
    X = load_digits().data[:200]
    size = 40 if cls is EnsembleNystroem else 20
    expected = cls(n_components=size, gamma=1e-3, random_state=0).fit_transform(X)
    B, _ = resummed(X.T, np.random.default_rng(4))
    B = np.ascontiguousarray(B.T)
    found = cls(n_components=size, gamma=1e-3, random_state=0).fit_transform(B)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)


@pytest.mark.parametrize("alpha", [1e-6, [1e-3, 1.0, 1e3]])
def test_classification_is_the_same(alpha, resummed):
    rng = np.random.default_rng(5)
    expected = RLSClassifier(alpha).fit(POINTS, KINDS)
    B, _ = resummed(POINTS.T, rng)
    B = np.ascontiguousarray(B.T)
    found = RLSClassifier(alpha).fit(B, KINDS)
    assert found.alpha_ == expected.alpha_
    np.testing.assert_allclose(
        found.decision_function(B), expected.decision_function(POINTS), atol=1e-9
    )
