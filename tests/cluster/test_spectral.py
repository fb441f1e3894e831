"""Spectral clustering without the n × n matrix: against dense formulas, and on hard data."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics.pairwise import (
    cosine_similarity,
    laplacian_kernel,
    polynomial_kernel,
    rbf_kernel,
)

from colonnade import FastSpectralClustering, metrics
from colonnade.cluster.affinities import SelfTuning, affinity

BLOBS, CLASSES = make_blobs(120, n_features=6, centers=3, cluster_std=1.5, random_state=0)
COUNTS = np.random.default_rng(3).poisson(np.kron(np.eye(3), np.ones((30, 8))) + 0.1).astype(float)
COUNTS *= np.random.default_rng(4).uniform(0.9, 1.1, COUNTS.shape)  # no equal distances
PAIRS = [
    *((method, name) for method in ("partition-greedy", "fowlkes", "ssvd")
      for name in ("rbf", "self-tuning")),
    ("lsc", "rbf"),  # which has no other
]  # fmt: skip
OUTLIER = np.vstack([make_blobs(150, centers=3, random_state=0)[0], [1e4, 1e4]])


def sq_distances(A, B):
    return ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)


def self_tuning_by_hand(A):
    D = sq_distances(A, A)
    s = np.sqrt(D).mean(axis=1)
    return np.exp(-D / (2 * s[:, None] * s))


def leading(K, k):
    """Return the k leading eigenvalues and eigenvectors of D^{-1/2} K D^{-1/2}."""
    d = 1 / np.sqrt(K.sum(axis=1))
    values, vectors = np.linalg.eigh(K * d[:, None] * d)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def check_embedding(model, K, rtol=1e-8):
    values, vectors = leading(K, model.n_clusters)
    np.testing.assert_allclose(model.singular_values_**2, values, rtol=rtol)
    # the same subspace: cosines of all principal angles are 1
    cosines = np.linalg.svd(vectors.T @ model.embedding_, compute_uv=False)
    np.testing.assert_allclose(cosines, 1.0, atol=1e-6)


# -- similarities --------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scale", [1.0, 2.0**-80, 2.0**60])
def test_self_tuning_by_the_formula(convert, scale):
    data = np.round(8 * np.vstack([BLOBS, 30.0 * BLOBS[:20]])) / 8  # widths that differ much
    # and products of entries that are exact, so that no distance is rounded
    expected = self_tuning_by_hand(data)
    K = SelfTuning(convert(data * scale), np.random.RandomState(0))
    np.testing.assert_allclose(K.gram(), expected, rtol=1e-12, atol=1e-12)
    some = np.array([3, 130, 57])
    np.testing.assert_allclose(K.gram_columns(some), expected[:, some], rtol=1e-12, atol=1e-12)
    few = K.subset(some)
    assert few.shape == (3, 3)
    np.testing.assert_allclose(few.gram(), expected[np.ix_(some, some)], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        few.gram_columns(np.array([1])), expected[np.ix_(some, [130])], rtol=1e-12, atol=1e-12
    )
    assert K.shape == (140, 140)


def test_points_that_are_all_the_same_have_a_width():
    for name in ("self-tuning", "rbf"):
        K = affinity(np.full((5, 2), 3.0), name, {}, np.random.RandomState(0))
        np.testing.assert_allclose(K.gram(), 1.0)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_the_default_gamma_is_one_over_twice_the_mean_squared_distance(convert):
    gamma = 1 / (2 * sq_distances(BLOBS, BLOBS).mean())
    K = affinity(convert(BLOBS), "rbf", {}, np.random.RandomState(0))
    assert K.kernel_params["gamma"] == pytest.approx(gamma, rel=1e-12)
    model = FastSpectralClustering(3, 120, method="greedy", random_state=0).fit(convert(BLOBS))
    check_embedding(model, rbf_kernel(BLOBS, gamma=gamma))


def test_means_of_many_points_come_from_some_of_them():
    data = np.random.default_rng(0).standard_normal((2500, 3))
    K = affinity(data, "rbf", {}, np.random.RandomState(0))
    assert K.kernel_params["gamma"] == pytest.approx(1 / 12, rel=0.05)  # E d² = 6
    tuned = SelfTuning(data, np.random.RandomState(0))
    some = np.arange(0, 2500, 250)
    widths = np.sqrt(sq_distances(data[some], data)).mean(axis=1)
    np.testing.assert_allclose(tuned.widths[some], widths, rtol=0.05)
    assert (tuned.widths[some] != widths).all()


def test_gamma_is_used_by_other_kernels():
    for gamma in (0.05, 0.5):
        model = FastSpectralClustering(
            3, 120, affinity="laplacian", gamma=gamma, method="greedy", random_state=0
        ).fit(BLOBS)
        check_embedding(model, laplacian_kernel(BLOBS, gamma=gamma))


def test_self_tuning_by_the_dense_formula():
    model = FastSpectralClustering(
        3, 120, affinity="self-tuning", method="greedy", random_state=0
    ).fit(BLOBS)
    # directions that are not positive are left out
    check_embedding(model, self_tuning_by_hand(BLOBS), rtol=1e-5)


@pytest.mark.parametrize(("method", "name"), PAIRS)
@pytest.mark.parametrize("factor", [1e-25, 1e18])
def test_units_do_not_matter(factor, method, name):
    model = FastSpectralClustering(3, 40, affinity=name, method=method, random_state=0)
    expected = model.fit(BLOBS).labels_.copy()
    np.testing.assert_array_equal(model.fit(BLOBS * factor).labels_, expected)
    assert metrics.matched_accuracy(CLASSES, expected) > 0.9


def spread(rows, labels):
    """The objective of k-means."""
    groups = [rows[labels == c] for c in np.unique(labels)]
    return sum(np.square(group - group.mean(axis=0)).sum() for group in groups)


def test_rows_of_one_length_are_clustered():
    """Each partition is the better one for the rows that it was made of."""
    data = np.random.default_rng(1).standard_normal((300, 4))
    params = {"gamma": 0.5, "method": "greedy", "n_init": 20, "random_state": 0}
    plain = FastSpectralClustering(6, 60, normalize_rows=False, **params).fit(data)
    usual = FastSpectralClustering(6, 60, **params).fit(data)
    np.testing.assert_allclose(usual.embedding_, plain.embedding_)
    rows = plain.embedding_
    units = rows / np.linalg.norm(rows, axis=1)[:, None]
    assert spread(rows, plain.labels_) < 0.99 * spread(rows, usual.labels_)
    assert spread(units, usual.labels_) < 0.99 * spread(units, plain.labels_)


# -- representatives -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["uniform", "fowlkes", "lsc", "partition-greedy"])
def test_thirty_representatives_for_each_cluster(method):
    data = np.random.default_rng(0).standard_normal((100, 8))
    for k, expected in ((2, 60), (3, 90), (4, 100)):
        model = FastSpectralClustering(k, method=method, random_state=0).fit(data)
        assert len(model.indices_) == expected


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", ["rbf", "linear", "cosine", "polynomial"])
def test_centres_stand_for_points_by_default(name, convert):
    """As many as points reconstruct all similarities; few are no points, and are enough."""
    data = COUNTS if name != "rbf" else BLOBS
    K = {
        "rbf": lambda X: rbf_kernel(X, gamma=0.05), "linear": lambda X: X @ X.T,
        "cosine": cosine_similarity, "polynomial": polynomial_kernel,
    }[name](data)  # fmt: skip
    gamma = {"rbf": 0.05}.get(name)
    all_points = FastSpectralClustering(3, len(data), affinity=name, gamma=gamma, random_state=0)
    check_embedding(all_points.fit(convert(data)), K, rtol=1e-5)
    few = FastSpectralClustering(3, 20, affinity=name, gamma=gamma, random_state=0)
    few.fit(convert(data))
    assert few.indices_ is None
    truth = CLASSES if name == "rbf" else np.repeat(np.arange(3), 30)
    assert metrics.matched_accuracy(truth, few.labels_) > 0.95


def test_points_stand_for_points_where_there_are_no_centres():
    cases = [
        (rbf_kernel(BLOBS, gamma=0.05), "precomputed"), (BLOBS, "self-tuning"),
        (BLOBS, "laplacian"), (BLOBS, inverse_distance),
    ]  # fmt: skip
    for data, name in cases:
        found = FastSpectralClustering(3, 15, affinity=name, random_state=0).fit(data)
        named = FastSpectralClustering(3, 15, affinity=name, method="random-pivot", random_state=0)
        np.testing.assert_array_equal(found.indices_, named.fit(data).indices_)


def test_ten_groups_by_default():
    def chosen(**params):
        model = FastSpectralClustering(
            3, 20, method="partition-greedy", method_params=params, random_state=0
        )
        return model.fit(BLOBS).indices_.tolist()

    assert chosen() == chosen(n_groups=10)
    for other in (9, 11, 100):  # the method itself has 100 by default
        assert chosen() != chosen(n_groups=other)


def test_parameters_and_seeds_reach_the_method():
    def chosen(seed, **params):
        model = FastSpectralClustering(
            3, 20, method="uniform", method_params=params, random_state=seed
        )
        return model.fit(BLOBS).indices_.tolist()

    assert chosen(0) == chosen(0) != chosen(1)
    assert chosen(0, random_state=5) == chosen(1, random_state=5)


# -- baselines -----------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_fowlkes_by_the_dense_formula(convert):
    model = FastSpectralClustering(3, 25, gamma=0.2, method="fowlkes", random_state=0)
    model.fit(convert(BLOBS))
    sample = model.indices_
    assert len(set(sample)) == 25
    K = rbf_kernel(BLOBS, gamma=0.2)
    approximated = K[:, sample] @ np.linalg.solve(K[np.ix_(sample, sample)], K[sample])
    check_embedding(model, approximated)


def test_ssvd_of_all_directions_is_spectral_clustering():
    model = FastSpectralClustering(3, 120, gamma=0.05, method="ssvd", random_state=0).fit(BLOBS)
    assert model.indices_ is None
    check_embedding(model, rbf_kernel(BLOBS, gamma=0.05))
    exact = SpectralClustering(3, gamma=0.05, random_state=0).fit_predict(BLOBS)
    assert metrics.matched_accuracy(exact, model.labels_) > 0.97


def test_ssvd_of_few_directions_is_the_best_approximation():
    model = FastSpectralClustering(3, 8, gamma=0.01, method="ssvd", random_state=0).fit(BLOBS)
    values, vectors = np.linalg.eigh(rbf_kernel(BLOBS, gamma=0.01))
    best = (vectors[:, -8:] * values[-8:]) @ vectors[:, -8:].T
    check_embedding(model, best)


@pytest.mark.parametrize("seed", range(5))
def test_an_outlier_is_a_point_like_others(seed):
    for method, gamma in (("lsc", None), ("fowlkes", 1.0)):
        model = FastSpectralClustering(3, 60, gamma=gamma, method=method, random_state=seed)
        model.fit(OUTLIER)
        assert np.isfinite(model.embedding_).all()
        assert set(model.labels_) == {0, 1, 2}


def test_landmarks_that_no_point_is_joined_to():
    copies = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], 12, axis=0)  # more than neighbours
    model = FastSpectralClustering(3, 36, method="lsc", random_state=0).fit(copies)
    assert np.isfinite(model.embedding_).all()
    assert metrics.matched_accuracy(np.repeat([0, 1, 2], 12), model.labels_) == 1.0


@pytest.mark.parametrize("method", ["partition-greedy", "uniform", "fowlkes", "ssvd", "lsc"])
def test_every_method_checks_the_affinity(method):
    for name in ("x", ["rbf"], None):
        with pytest.raises(ValueError, match=r"^affinity=.* is unknown"):
            fit(affinity=name, method=method)
    for gamma in (-1.0, 0, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^gamma=.*; it must be positive and finite"):
            fit(gamma=gamma, method=method)
    with pytest.raises(TypeError, match="gamma must be a positive number or None, got True"):
        fit(gamma=True, method=method)


@pytest.mark.parametrize("affinity", ["self-tuning", "precomputed", "laplacian", rbf_kernel])
def test_lsc_has_a_gaussian_alone(affinity):
    words = '^method="lsc" joins points .* by a Gaussian .* takes affinity="rbf" alone, got affi'
    with pytest.raises(ValueError, match=words):
        fit(rbf_kernel(BLOBS), affinity=affinity, method="lsc")


# -- functions and parameters ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["greedy", "ssvd", "fowlkes"])
def test_a_function_of_two_rows(method):
    model = FastSpectralClustering(
        3, 120, affinity=inverse_distance, kernel_params={"width": 40.0}, method=method,
        random_state=0,
    ).fit(BLOBS)  # fmt: skip
    check_embedding(model, 1 / (1 + sq_distances(BLOBS, BLOBS) / 40.0), rtol=1e-6)
    theirs = SpectralClustering(
        3, affinity=inverse_distance, kernel_params={"width": 40.0}, random_state=0
    ).fit_predict(BLOBS)
    assert metrics.matched_accuracy(theirs, model.labels_) > 0.95


def test_further_parameters_of_a_named_kernel():
    given = {"degree": 2, "coef0": 3.0}
    for gamma, params in ((0.1, given), (None, {**given, "gamma": 0.1}), (0.1, {"gamma": 7.0})):
        model = FastSpectralClustering(
            3, 90, affinity="polynomial", gamma=gamma, kernel_params=params, method="greedy",
            random_state=0,
        ).fit(COUNTS)  # fmt: skip
        kernel = polynomial_kernel(COUNTS, gamma=0.1, **(given if "degree" in params else {}))
        check_embedding(model, kernel, rtol=1e-6)
    wide = FastSpectralClustering(3, 120, kernel_params={"gamma": 0.05}, method="greedy").fit(BLOBS)
    check_embedding(wide, rbf_kernel(BLOBS, gamma=0.05), rtol=1e-6)
    same = FastSpectralClustering(3, 120, kernel_params={"gamma": None}, random_state=0).fit(BLOBS)
    check_embedding(same, rbf_kernel(BLOBS, gamma=0.5 / sq_distances(BLOBS, BLOBS).mean()), 1e-6)


def test_every_attribute_is_described():
    model = fit(pd.DataFrame(BLOBS, columns=list("abcdef")))
    described = inspect.getdoc(FastSpectralClustering).split("Attributes\n")[1]
    for name in vars(model):
        if name.endswith("_"):
            assert f"\n{name} : " in described


def test_labels_are_of_the_type_of_indices():
    for method in ("partition-greedy", "lsc"):
        assert fit(method=method).labels_.dtype == np.intp


# -- sparse matrices as they come ----------------------------------------------------------------


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize(
    "params",
    [
        {"affinity": "rbf"},
        {"affinity": "linear"},
        {"affinity": "self-tuning"},
        {"method": "lsc"},
        {"method": "fowlkes"},
        {"method": "ssvd"},
    ],
    ids=repr,
)
def test_sparse_matrices_count_for_what_they_mean(params, double, wide):
    C = sp.csr_array(COUNTS)
    if double:
        parts = (np.repeat(C.data / 2, 2), np.repeat(C.indices, 2), C.indptr * 2)
        C = sp.csr_array(parts, shape=C.shape)
    if wide:
        C.indices, C.indptr = C.indices.astype(np.int64), C.indptr.astype(np.int64)
    before = [part.copy() for part in (C.data, C.indices, C.indptr)]
    model = FastSpectralClustering(3, 30, random_state=0, **params)
    expected = model.fit(COUNTS).labels_.copy()
    values = model.singular_values_
    np.testing.assert_array_equal(model.fit(C).labels_, expected)
    np.testing.assert_allclose(model.singular_values_, values, rtol=1e-8)
    for part, old in zip((C.data, C.indices, C.indptr), before, strict=True):
        assert part.dtype == old.dtype
        np.testing.assert_array_equal(part, old)


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ["partition-greedy", "fowlkes", "lsc"])
def test_points_that_cannot_be_told_apart(method):
    same = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    with pytest.raises(
        ValueError, match=r"n_clusters=3, but only [12] can be told apart: the graph"
    ):
        FastSpectralClustering(3, 6, method=method, random_state=0).fit(same)


def zero_row(at):
    data = np.abs(BLOBS)
    data[at] = 0.0
    return data


def fit(data=BLOBS, **params):
    return FastSpectralClustering(3, random_state=0, **params).fit(data)


def inverse_distance(x, y, width=1.0):
    """A positive semidefinite function of two rows."""
    return 1.0 / (1.0 + np.square(x - y).sum() / width)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: fit(zero_row(4), affinity="linear"), ValueError,
            "point 4 has the degree 0, .* it is similar to no point, as a row of zeros",
        ),
        (
            lambda: fit(sp.csr_array(zero_row(7)), affinity="linear", method="fowlkes"),
            ValueError, "point 7 .* similar to no point",
        ),
        (
            lambda: fit(BLOBS - BLOBS.mean(axis=0) - 0.1, affinity="linear"), ValueError,
            "has the degree -.* use an affinity without negative values",
        ),
        (lambda: fit(method=["greedy"]), ValueError, r"method=\['greedy'\] is unknown"),
        (lambda: fit(method="nope"), ValueError, "method='nope' is unknown; .* greedy.* fowlkes"),
        (lambda: fit(method_params="x"), TypeError, "method_params must be a dict .* got 'x'"),
        (
            lambda: fit(method="lsc", method_params="x"), TypeError,
            "method_params must be a dict .* got 'x'",
        ),
        (
            lambda: fit(method="lsc", method_params={"a": 1}), ValueError,
            "method='lsc' takes no parameters, got method_params={'a': 1}",
        ),
        (
            lambda: fit(method="partition-greedy", method_params={"a": 1}), TypeError,
            "'partition-greedy' has no parameter 'a'",
        ),
        (
            lambda: fit(method_params={"a": 1}), ValueError,
            "method='auto' takes no parameters, got method_params={'a': 1}",
        ),
        (lambda: fit(normalize_rows="yes"), TypeError, "normalize_rows"),
        (
            lambda: fit(affinity="self-tuning", gamma=2.0), ValueError,
            "affinity='self-tuning' has no parameter gamma: leave gamma=2.0 out",
        ),
        (
            lambda: fit(rbf_kernel(BLOBS), affinity="precomputed", gamma=2.0), ValueError,
            "affinity='precomputed' has no parameter gamma: leave gamma=2.0 out",
        ),
        (
            lambda: fit(affinity="cosine", gamma=2.0), ValueError,
            "affinity='cosine' has no parameter gamma: leave gamma=2.0 out",
        ),
        (
            lambda: fit(affinity=inverse_distance, gamma=2.0), ValueError,
            "affinity=.*inverse_distance.* is a function, .* kernel_params in place of gamma=2.0",
        ),
        (lambda: fit(affinity=["rbf"]), ValueError, r"^affinity=\['rbf'\] is unknown; choose one"),
        (
            lambda: fit(affinity=None), ValueError,
            "^affinity=None is unknown; choose one of chi2, cosine, lap",
        ),
        (
            lambda: fit(np.abs(BLOBS), affinity="additive_chi2"), ValueError,
            "^affinity='additive_chi2' is nowhere positive, .* such as 'chi2'$",
        ),
        (
            lambda: fit(affinity="self-tunning"), ValueError,
            r"^affinity='self-tunning' is unknown \(did you mean 'self-tuning'\?\); choose",
        ),
        (lambda: fit(kernel_params=[1]), TypeError, r"^kernel_params must be a dict .* got \[1\]"),
        (
            lambda: fit(kernel_params={"degree": 2}), ValueError,
            "^affinity='rbf' has no parameter 'degree', which kernel_params holds; it takes gamma$",
        ),
        (
            lambda: fit(affinity="self-tuning", kernel_params={"a": 2}), ValueError,
            "'self-tuning' has no parameter 'a', .*; it takes none$",
        ),
        (
            lambda: fit(kernel_params={"gamma": -2.0}), ValueError,
            "^gamma=-2.0; it must be positive",
        ),
        (lambda: fit(n_init=0), ValueError, "n_init=0"),
        (lambda: fit(gamma=0.0), ValueError, r"^gamma=0\.0; it must be positive and finite, for"),
        (lambda: fit(gamma="scale"), TypeError, "^gamma must be a positive number or None, got 's"),
        (
            lambda: fit(method_params={"n_select": 4}), ValueError,
            "^method_params has n_select=4, but n_representatives says how many to choose; leave",
        ),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(("method", "affinity"), PAIRS)
def test_a_large_common_part_is_no_matter(method, affinity):
    X, y = make_blobs(120, n_features=6, centers=3, cluster_std=1.5, random_state=0)
    model = FastSpectralClustering(3, 40, affinity=affinity, method=method, random_state=0)
    assert metrics.matched_accuracy(y, model.fit(X + 1e8).labels_) == 1.0


@pytest.mark.filterwarnings("error")
def test_too_few_points_that_differ_is_all_that_is_said():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    with pytest.raises(ValueError, match="only 2 can be told apart"):
        FastSpectralClustering(3, 6, random_state=0).fit(X)


@pytest.mark.parametrize("method", ["partition-greedy", "greedy", "pivoted-qr", "random-pivot"])
@pytest.mark.parametrize("seed", range(6))
def test_a_similarity_that_is_no_kernel_is_cut_where_that_shows(method, seed):
    """Widths of their own make similarities indefinite: no reason to give up."""
    moons = make_moons(200, noise=0.05, random_state=seed)[0]
    line = np.random.default_rng(seed).standard_normal((120, 1))
    for X in (moons, line):
        model = FastSpectralClustering(
            2, affinity="self-tuning", method=method, random_state=seed
        ).fit(X)
        assert model.singular_values_[0] == pytest.approx(1.0, abs=0.05)


def test_widths_are_those_of_all_points_however_they_are_sorted(monkeypatch):
    monkeypatch.setattr("colonnade.cluster.affinities.SAMPLE", 200)
    X = np.linspace(0.0, 1.0, 2000)[:, None]
    K = affinity(X, "rbf", {}, np.random.RandomState(0))
    assert K.kernel_params["gamma"] == pytest.approx(0.5 * 6, rel=0.2)  # a mean square of 1/6
