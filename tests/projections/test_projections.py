"""Projections: against the dense formula, in any container and cut, and on bad input."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import scipy.sparse as sp
from matrices import NASTY, nasty
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import johnson_lindenstrauss_min_dim
from sklearn.utils.estimator_checks import check_estimator

import colonnade
from colonnade import (
    GaussianProjection,
    HadamardProjection,
    SignProjection,
    SparseSignProjection,
    SVDProjection,
)
from colonnade.foundation.threads import on_cores
from colonnade.projections import dimension, hadamard, signs
from colonnade.projections import fast_transforms as compiled
from colonnade.projections import projection as base

RANDOM = [SignProjection, GaussianProjection, SparseSignProjection, HadamardProjection]
STREAMED = RANDOM[:3]
ALL = [*RANDOM, SVDProjection]

ESTIMATORS = [
    *(make(n_components=2, random_state=0) for make in RANDOM),
    *(make(n_clusters=2, random_state=0) for make in RANDOM),
    SignProjection(2, algorithm="mailman", random_state=0),
    SignProjection(2, algorithm="blas", random_state=0),
    SparseSignProjection(2, density=1 / 3, random_state=0),
    SVDProjection("auto", n_clusters=2),
    SVDProjection(1, whiten=True),
    SVDProjection(2, algorithm="stochastic", random_state=0),
]


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataDimensionalityWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learn_contract(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []
    assert sum(r["status"] == "passed" for r in results) > 40


def data(n=23, d=1300, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def ways(t):
    """One of each, and the mailman beside BLAS."""
    return [
        SignProjection(t, algorithm="blas", random_state=3),
        SignProjection(t, algorithm="mailman", random_state=3),
        *(make(t, random_state=3) for make in RANDOM[1:]),
        SparseSignProjection(t, density=1 / 3, random_state=3),
    ]


@pytest.mark.parametrize("t", [1, 7, 8, 37])
@pytest.mark.parametrize("d", [37, 512, 513, 1300])
def test_is_the_product_with_the_matrix(d, t):
    X = data(d=d)
    for way in ways(t):
        way.fit(X)
        R = way.matrix()
        assert R.shape == (d, t)
        np.testing.assert_allclose(way.transform(X), X @ R, atol=1e-11)
        assert way.n_components_ == t


def test_every_container(container):
    X = data(d=600) * (np.random.default_rng(1).random((23, 600)) < 0.3)
    for way in [*ways(20), SVDProjection(5), SVDProjection(5, algorithm="stochastic")]:
        way.set_params(random_state=0)
        expected = way.fit(X).transform(X)
        given = container(X)
        found = clone(way).fit(given).transform(given)
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, atol=1e-10)
        np.testing.assert_array_equal(np.asarray(sp.csr_array(given).toarray()), X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.uint16, bool])
def test_every_type_of_number(dtype):
    X = np.trunc(np.abs(2 * data(d=600))).astype(dtype)
    for way in [*ways(20), SVDProjection(5)]:
        for put in (np.asarray, np.asfortranarray, sp.csr_array):
            given = put(X)
            found = way.fit(given).transform(given)
            assert found.dtype == (np.float32 if dtype == np.float32 else np.float64)
            components = way.components_.T if isinstance(way, SVDProjection) else way.matrix()
            expected = X.astype(float) @ components
            tolerance = 1e-6 if dtype == np.float32 else 1e-13
            np.testing.assert_allclose(found, expected, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("name", NASTY)
def test_nasty_data(name):
    X = nasty(name)
    for way in ways(min(X.shape[1], 5)):
        R = way.fit(X).matrix()
        atol = 1e-14 * np.abs(X).max() * np.abs(R).max() * X.shape[1]
        np.testing.assert_allclose(way.transform(X), X @ R, atol=atol, rtol=1e-12)


def test_the_answer_does_not_depend_on_how_memory_is_cut(monkeypatch):
    X = data(n=40, d=5000)
    expected = [(way.fit(X).matrix(), way.transform(X)) for way in ways(100)]
    for size in (1, 2**19, 2**40):
        for module in (base, signs):
            monkeypatch.setattr(module, "BLOCK_BYTES", size)
        monkeypatch.setattr("colonnade.operands.blocks.BLOCK_BYTES", size)
        for way, (R, Z) in zip(ways(100), expected, strict=True):
            np.testing.assert_array_equal(way.fit(X).matrix(), R)
            np.testing.assert_allclose(way.transform(X), Z, atol=1e-10)


def test_rows_are_projected_one_by_one():
    X = data(n=40)
    for way in [*ways(30), SVDProjection(6)]:
        Z = way.fit(X).transform(X)
        parts = [way.transform(X[a:b]) for a, b in ((0, 1), (1, 8), (8, 31), (31, 40))]
        np.testing.assert_allclose(np.vstack(parts), Z, atol=1e-11)


@pytest.mark.parametrize("make", STREAMED)
def test_blocks_of_the_matrix_come_from_the_seed_alone(make):
    """The first features have the same signs whatever follows, and streams do not repeat."""
    few, many = (make(9, random_state=5, **_dense(make)).fit(data(d=d)) for d in (700, 1300))
    np.testing.assert_array_equal(few.matrix(), many.matrix()[:700])
    R = many.matrix()
    assert not np.array_equal(R[:512], R[512:1024])
    other = make(9, random_state=6, **_dense(make)).fit(data()).matrix()
    assert not np.array_equal(other, R)
    assert abs(np.corrcoef(other.ravel(), R.ravel())[0, 1]) < 0.05
    state = np.random.RandomState(5)
    first, second = (make(9, random_state=state, **_dense(make)).fit(data()) for _ in range(2))
    np.testing.assert_array_equal(first.matrix(), R)
    assert not np.array_equal(second.matrix(), R)


def _dense(make):
    """The default density depends on the number of features."""
    return {"density": 0.2} if make is SparseSignProjection else {}


def test_entries():
    X = data(d=3000)
    R = SignProjection(40, random_state=0).fit(X).matrix()
    np.testing.assert_allclose(np.abs(R), 1 / np.sqrt(40))
    assert abs((R > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(R.size)
    G = GaussianProjection(40, random_state=0).fit(X).matrix() * np.sqrt(40)
    assert abs(G.mean()) < 4 / np.sqrt(G.size)
    assert abs(G.var() - 1) < 4 * np.sqrt(2 / G.size)
    assert abs((G**4).mean() - 3) < 4 * np.sqrt(96 / G.size)
    for density in (1 / 3, 0.01, 1.0, "auto"):
        sparse = SparseSignProjection(40, density=density, random_state=0).fit(X)
        s = 1 / np.sqrt(3000) if density == "auto" else density
        assert sparse.density_ == pytest.approx(s)
        S = sparse.matrix()
        filled = S != 0
        assert abs(filled.mean() - s) <= 4 * np.sqrt(s * (1 - s) / S.size)
        np.testing.assert_allclose(np.abs(S[filled]), 1 / np.sqrt(s * 40))
        assert abs((S[filled] > 0).mean() - 0.5) < 2 / np.sqrt(filled.sum())
        # every row and every column has its share
        assert filled.sum(axis=0).min() > 0.4 * s * 3000
        assert filled[:1500].mean() == pytest.approx(filled[1500:].mean(), rel=0.2)


def test_the_number_of_sparse_signs_varies_as_that_of_coins():
    X = data(n=1, d=700)
    counts = np.array([
        np.count_nonzero(SparseSignProjection(3, density=0.3, random_state=s).fit(X).matrix())
        for s in range(400)
    ])  # fmt: skip
    expected = 2100 * 0.3 * 0.7
    assert abs(counts.var() / expected - 1) < 4 * np.sqrt(2 / 400)
    assert abs(counts.mean() - 2100 * 0.3) < 4 * np.sqrt(expected / 400)


# the mailman


@pytest.mark.parametrize("n", [1, 4, 5, 15, 16, 17, 33])
@pytest.mark.parametrize(("d", "t"), [(1, 1), (3, 8), (300, 9), (5000, 37)])
def test_mailman_is_its_twin(n, d, t):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    bits = rng.integers(0, 256, (d, -(-t // 8)), dtype=np.uint8)
    twin = 1.0 - 2.0 * np.unpackbits(bits, axis=1, count=t, bitorder="little")
    np.testing.assert_array_equal(compiled.packed_signs(bits, t), twin)
    for given in (X, np.asfortranarray(X)):
        np.testing.assert_allclose(compiled.mailman(given, bits, t), X @ twin, atol=1e-11)


@pytest.mark.parametrize("cores", [2, 3, 8, 100])
def test_mailman_shares_its_groups(cores):
    """Few rows and many cores: tasks share the columns, and each column is made once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((21, 5000))
    bits = rng.integers(0, 256, (5000, 5), dtype=np.uint8)
    with on_cores(cores):
        found = compiled.mailman(X, bits, 37)
    np.testing.assert_allclose(found, X @ compiled.packed_signs(bits, 37), atol=1e-11)


@pytest.mark.parametrize(("n", "d", "t", "expected"), [
    (4, 100, 3, True), (5, 100, 3, False), (128, 4096, 64, True), (129, 4096, 64, False),
    (128, 4095, 64, False), (128, 4096, 63, False),
])  # fmt: skip
def test_auto_takes_the_mailman_for_few_rows(n, d, t, expected, monkeypatch):
    X = data(n=n, d=d)
    used = []
    original = SignProjection._by_mailman
    monkeypatch.setattr(
        SignProjection, "_by_mailman", lambda self, X: used.append(1) or original(self, X)
    )
    projection = SignProjection(t, random_state=0).fit(X)
    Z = projection.transform(X)
    assert bool(used) == expected
    np.testing.assert_allclose(projection.transform(sp.csr_array(X)), Z, atol=1e-10)
    assert len(used) == expected


# Hadamard


@pytest.mark.parametrize("order", [1, 2, 4, 8, 32, 256, 1024])
def test_hadamard_is_its_twin(order):
    X = data(n=3, d=order)
    found = X.copy()
    compiled.hadamard(found)
    np.testing.assert_allclose(found, X @ scipy.linalg.hadamard(order), atol=1e-10)
    # twice is a multiple of the identity
    compiled.hadamard(found)
    np.testing.assert_allclose(found, order * X, atol=1e-9)


def test_all_columns_of_hadamard_are_orthogonal():
    R = HadamardProjection(64, random_state=0).fit(data(d=64)).matrix()
    np.testing.assert_allclose(R.T @ R, np.eye(64), atol=1e-12)
    np.testing.assert_allclose(R @ R.T, np.eye(64), atol=1e-12)
    part = HadamardProjection(20, random_state=0).fit(data(d=64))
    R = part.matrix()
    np.testing.assert_allclose(R.T @ R, 64 / 20 * np.eye(20), atol=1e-12)
    assert len(set(part.sample_)) == 20
    # with zeros to fill up, the rows are part of orthogonal ones
    padded = HadamardProjection(50, random_state=0).fit(data(d=50))
    assert padded.sample_.max() < 64
    assert padded.matrix().shape == (50, 50)


def test_hadamard_draws_from_all_columns_of_the_padded_order():
    X = data(n=1, d=33)
    drawn = [HadamardProjection(16, random_state=s).fit(X).sample_ for s in range(400)]
    counts = np.bincount(np.concatenate(drawn), minlength=64)
    assert counts.shape == (64,)
    assert np.abs(counts - 100).max() < 4.5 * np.sqrt(100 * 0.75)


@pytest.mark.parametrize("make", RANDOM)
@pytest.mark.slow
def test_lengths_are_kept_on_average(make):
    x = np.concatenate([[5.0, -3.0], np.linspace(0, 1, 98)])[None]
    square = (x**2).sum()
    found = np.array([
        (make(10, random_state=seed).fit(x).transform(x) ** 2).sum() for seed in range(1500)
    ])  # fmt: skip
    error = found.std() / np.sqrt(len(found))
    assert abs(found.mean() - square) < 4 * error
    assert error < 0.04 * square


def test_hadamard_sparse_data_a_few_rows_at_a_time(monkeypatch):
    X = sp.random_array((50, 300), density=0.1, random_state=0, format="csr")
    way = HadamardProjection(30, random_state=0).fit(X)
    expected = X.toarray() @ way.matrix()
    seen = []
    monkeypatch.setattr("colonnade.operands.blocks.BLOCK_BYTES", 8 * 512 * 7)
    original = compiled.hadamard
    monkeypatch.setattr(hadamard, "hadamard", lambda B: seen.append(len(B)) or original(B))
    np.testing.assert_allclose(way.transform(X), expected, atol=1e-11)
    assert seen == [7] * 7 + [1]


# sizes


def test_dimensions_by_rule():
    assert dimension(10, 0.5) == int(np.ceil(8 * np.log(20) * 4))
    assert dimension(10, 0.25, rule="boutsidis") == 8 * 10 * 16
    assert dimension(1, 0.99) >= 1
    for rule in ("makarychev", "boutsidis"):
        sizes = [dimension(k, 0.3, rule=rule) for k in range(1, 50)]
        assert sizes == sorted(sizes)
        finer = [dimension(5, eps, rule=rule) for eps in (0.9, 0.5, 0.2, 0.1)]
        assert finer == sorted(finer)


@pytest.mark.parametrize("make", RANDOM)
def test_auto_size(make):
    X = data(n=6, d=400)
    assert make(n_clusters=4).fit(X).n_components_ == dimension(4, 0.5)
    other = make(n_clusters=4, eps=0.8, rule="boutsidis").fit(X)
    assert other.n_components_ == dimension(4, 0.8, rule="boutsidis")
    # without clusters, for the distances of all samples
    assert make().fit(X).n_components_ == johnson_lindenstrauss_min_dim(6, eps=0.5)
    assert make(eps=0.8).fit(X).n_components_ == johnson_lindenstrauss_min_dim(6, eps=0.8)
    assert make().fit(X[:1]).n_components_ == 1
    # never more than there are features, but not in silence
    for way, words in (
        (make(n_clusters=400, eps=0.1), "400 clusters and eps=0.1 ask for 6636"),
        (make(eps=0.1), "the distances of 6 samples and eps=0.1 ask for 1535"),
    ):
        with pytest.warns(DataDimensionalityWarning, match=f"{words} .* 400 features") as caught:
            assert way.fit(X).n_components_ == 400
        assert caught[0].filename == __file__


@pytest.mark.parametrize(("make", "mark"), [
    (SignProjection, 0.911763),
    (GaussianProjection, 46.516963),
    (SparseSignProjection, -37.916456),
    (HadamardProjection, 12.168158),
])  # fmt: skip
def test_a_seed_means_the_same_matrix_forever(make, mark):
    R = make(3, random_state=0).fit(np.zeros((1, 40))).matrix()
    weights = np.sqrt(np.arange(1, R.size + 1))
    assert np.sqrt(3) * (R.ravel() @ weights) == pytest.approx(mark, abs=1e-5)


# bad input and habits


@pytest.mark.parametrize("make", RANDOM)
@pytest.mark.parametrize(("params", "error", "match"), [
    ({"n_components": 31}, ValueError, r"n_components=31 but the data has n_features=30; choose"),
    ({"n_components": 0}, ValueError, r"n_components=0 .* choose 1 to 30"),
    ({"n_components": 2.0}, TypeError, r"n_components must be an integer, got 2.0"),
    ({"n_components": True}, TypeError, r"n_components must be an integer, got True"),
    ({"n_components": "many"}, ValueError, r"n_components='many'; choose a number, or \"auto\""),
    ({"n_clusters": 0}, ValueError, r"n_clusters=0; choose at least 1"),
    ({"n_clusters": 2.5}, TypeError, r"n_clusters must be an integer"),
    ({"n_clusters": 2, "eps": 0}, ValueError, r"eps=0; choose a number above 0 and below 1"),
    ({"n_clusters": 2, "eps": 1.0}, ValueError, r"eps=1.0; choose a number above 0 and below 1"),
    ({"n_clusters": 2, "eps": np.nan}, ValueError, r"eps=nan; choose"),
    ({"n_clusters": 2, "eps": "small"}, TypeError, r"eps must be a number above 0 and below 1"),
    ({"n_components": 2, "eps": -1}, ValueError, r"eps=-1; choose"),
    ({"n_clusters": 2, "rule": "jl"}, ValueError, r"rule='jl'; choose one of makarychev, "),
])  # fmt: skip
def test_bad_parameters(make, params, error, match):
    with pytest.raises(error, match=match):
        make(**params).fit(data(d=30))


@pytest.mark.parametrize(("way", "error", "match"), [
    (SignProjection(2, algorithm="fast"), ValueError, "algorithm='fast'; choose one of auto, "),
    (SparseSignProjection(2, density=0), ValueError, "density=0; .* above 0 and at most 1"),
    (SparseSignProjection(2, density=1.5), ValueError, "density=1.5; choose a number above 0"),
    (SparseSignProjection(2, density=np.nan), ValueError, "density=nan; choose a number above 0"),
    (SparseSignProjection(2, density="few"), TypeError, "density must be a number"),
    (SparseSignProjection(2, density=True), TypeError, "density must be a number"),
    (SVDProjection(24), ValueError, "n_components=24 but the data has n_samples=23 and n_feat"),
    (SVDProjection(0), ValueError, "n_components=0 .* choose 1 to 23"),
    (SVDProjection("many"), ValueError, "n_components='many'; choose a number, or \"auto\""),
    (SVDProjection(2.0), TypeError, "n_components must be an integer"),
    (SVDProjection("auto", n_clusters=0), ValueError, "n_clusters=0; choose at least 1"),
    (SVDProjection("auto", n_clusters=2, eps=1.0), ValueError, "eps=1.0; choose a number above"),
    (SVDProjection(2, eps="small"), TypeError, "eps must be a number above 0 and below 1"),
    (SVDProjection(2, whiten="no"), TypeError, "whiten must be True or False, got 'no'"),
    (SVDProjection(2, whiten=1), TypeError, "whiten must be True or False, got 1"),
    (SVDProjection(2, algorithm="fast"), ValueError, "algorithm='fast'; choose one of auto, "),
    (SVDProjection(2, n_power=-1), ValueError, "n_power=-1; choose at least 0"),
    (SVDProjection(2, n_extra=1.5), TypeError, "n_extra must be an integer"),
])  # fmt: skip
def test_bad_parameters_of_one(way, error, match):
    with pytest.raises(error, match=match):
        way.fit(data(d=30))


@pytest.mark.parametrize("make", ALL)
def test_bad_data(make):
    X = data(d=30)
    way = make(n_components=2).fit(X)
    with pytest.raises(ValueError, match="features"):
        way.transform(X[:, :29])
    for bad in (np.nan, np.inf):
        Y = X.copy()
        Y[3, 4] = bad
        for given in (Y, sp.csr_array(Y)):
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                make(n_components=2).fit(given)
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                way.transform(given)
    with pytest.raises(ValueError, match="2D"):
        make(n_components=2).fit(X[0])
    if make is SVDProjection:
        with pytest.raises(ValueError, match="zero everywhere"):
            make().fit(np.zeros((3, 3)))
        with pytest.raises(ValueError, match="Z has 3 columns, but there are 2"):
            way.inverse_transform(X[:, :3])
    else:
        assert not make(2).fit_transform(np.zeros((3, 30))).any()


@pytest.mark.parametrize("make", ALL)
def test_habits_of_scikit_learn(make):
    X = data(n=40, d=60)
    X[:20] += 4.0
    way = make(n_components=10, random_state=0)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(60)])
    out = clone(way).set_output(transform="pandas").fit_transform(frame)
    prefix = make.__name__.lower()
    assert list(out.columns) == [f"{prefix}{i}" for i in range(10)]
    Z = way.fit_transform(X)
    np.testing.assert_allclose(out.to_numpy(), Z, atol=1e-10)
    again = pickle.loads(pickle.dumps(way))
    np.testing.assert_allclose(again.transform(X), Z, atol=1e-10)
    assert len(pickle.dumps(way)) < 10_000
    assert not hasattr(clone(way), "n_components_")
    labels = make_pipeline(way, KMeans(2, n_init=3, random_state=0)).fit_predict(X)
    assert len(set(labels[:20])) == len(set(labels[20:])) == 1
    assert labels[0] != labels[-1]


def test_are_documented():
    for make in ALL:
        assert make.__name__ in colonnade.__all__
        doc = inspect.getdoc(make)
        for part in (
            "**Objective.**", "**Algorithm.**", "**Cost.**", "**Guarantee.**",
            "**When to use it.**", "Parameters\n", "Attributes\n", "References\n", "Examples\n",
        ):  # fmt: skip
            assert part in doc, (make, part)
        for parameter in inspect.signature(make).parameters:
            assert f"\n{parameter} : " in doc, (make, parameter)
        fitted = [name for name in vars(make(2).fit(data())) if name.endswith("_")]
        for name in fitted:
            assert f"\n{name} : " in doc, (make, name)
