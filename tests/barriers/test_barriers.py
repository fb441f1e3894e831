"""Sparsification: every inequality that is promised, on friendly and on nasty vectors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import NASTY, nasty
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from colonnade import (
    METHODS,
    BSSSelector,
    DualSetSelector,
    Kernel,
    RandomizedDualSetSelector,
    RankReachedWarning,
    RowSelector,
    SupervisedDualSetSelector,
    select,
)
from colonnade.barriers.draws import merge
from colonnade.barriers.sparsifying import (
    FrobeniusBarrier,
    IdentityBarrier,
    SpectralBarrier,
    sparsify,
)
from colonnade.linalg.svd import right_singular_vectors
from colonnade.operands.entrance import as_operand

PROFILE = settings(deadline=None, max_examples=40, derandomize=True)
TIGHT = 1 + 1e-9


def vectors(kind, n, k, seed):
    """Rows of a matrix with orthonormal columns, of several nasty kinds."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, k))
    if kind == "heavy tails":
        X *= rng.standard_t(1.0, size=(n, 1))
    elif kind == "repeated":
        X = np.repeat(X[: -(-n // 3)], 3, axis=0)[:n]
        if np.linalg.matrix_rank(X) < k:
            X = X + rng.standard_normal((n, k))
    elif kind == "mostly zero":
        X[rng.random(n) < 0.6] = 0.0
        X[:k] += np.eye(k)
    elif kind == "identity":
        X = np.vstack([np.eye(k), np.zeros((n - k, k))])
    elif kind == "graded":
        X *= np.geomspace(1.0, 1e-6, n)[:, None]
    return np.linalg.qr(X)[0]


KINDS = ["gaussian", "heavy tails", "repeated", "mostly zero", "identity", "graded"]


@st.composite
def problems(draw):
    k = draw(st.integers(1, 7))
    n = draw(st.integers(k + 1, 60))
    r = draw(st.one_of(st.just(k + 1), st.integers(k + 1, 3 * k + 20)))
    V = vectors(draw(st.sampled_from(KINDS)), n, k, draw(st.integers(0, 10**6)))
    return V, r, np.random.default_rng(draw(st.integers(0, 10**6)))


def spectrum(M):
    return np.linalg.svd(M, compute_uv=False)


def keeps_the_lower_bound(V, r, picks, weights):
    floor = 1 - np.sqrt(V.shape[1] / r)
    assert spectrum(V[picks].T * weights)[-1] >= floor * (1 - 1e-9)
    assert (weights > 0).all()


@PROFILE
@given(problems())
def test_lemma_7_frobenius(problem):
    """σ_k(VᵀΩS) ≥ 1 − √(k/r) and ‖BΩS‖_F ≤ ‖B‖_F (Boutsidis & Magdon-Ismail, Lemma 7)."""
    V, r, rng = problem
    B = rng.standard_normal((rng.integers(1, 9), len(V))) * rng.standard_t(1.5, size=len(V))
    found = sparsify(V, r, FrobeniusBarrier((B**2).sum(axis=0)))
    keeps_the_lower_bound(V, r, found.picks, found.weights)
    assert ((B[:, found.picks] * found.weights) ** 2).sum() <= (B**2).sum() * TIGHT


@PROFILE
@given(problems(), st.integers(1, 8))
def test_lemma_8_spectral(problem, side):
    """σ_k(VᵀΩS) ≥ 1 − √(k/r) and ‖QΩS‖₂ ≤ 1 + √(l/r) (Boutsidis & Magdon-Ismail, Lemma 8)."""
    V, r, rng = problem
    Q = np.linalg.qr(rng.standard_normal((len(V), min(side, len(V)))))[0]
    found = sparsify(V, r, SpectralBarrier(Q))
    keeps_the_lower_bound(V, r, found.picks, found.weights)
    largest = spectrum(Q[found.picks].T * found.weights)[0]
    assert largest <= (1 + np.sqrt(Q.shape[1] / r)) * TIGHT


@PROFILE
@given(problems())
def test_lemma_8_identity_is_the_spectral_barrier_of_the_identity(problem):
    V, r, _ = problem
    found = sparsify(V, r, IdentityBarrier(len(V)))
    keeps_the_lower_bound(V, r, found.picks, found.weights)
    _, merged = merge(found.picks, found.weights)
    assert merged.max() <= (1 + np.sqrt(len(V) / r)) * TIGHT
    general = sparsify(V, r, SpectralBarrier(np.eye(len(V))))
    assert found.picks.tolist() == general.picks.tolist()
    np.testing.assert_allclose(found.weights, general.weights, rtol=1e-7)


@PROFILE
@given(problems())
def test_lemmas_1_and_2_of_bss(problem):
    """Singular values in 1 ± √(k/r), so ‖I − UᵀRᵀRU‖₂ ≤ 3√(k/r) (Paul & Drineas, Lemmas 1, 2)."""
    V, r, _ = problem
    found = sparsify(V, r, SpectralBarrier(V))
    keeps_the_lower_bound(V, r, found.picks, found.weights)
    picked = V[found.picks] * found.weights[:, None]
    root = np.sqrt(V.shape[1] / r)
    assert spectrum(picked)[0] <= (1 + root) * TIGHT
    off = np.linalg.norm(np.eye(V.shape[1]) - picked.T @ picked, 2)
    assert off <= 3 * root * TIGHT


@PROFILE
@given(problems(), st.sampled_from(["frobenius", "spectral", "identity"]), st.integers(1, 9))
def test_looking_at_a_few_gives_the_picks_of_looking_at_all(problem, name, block):
    V, r, rng = problem
    upper = {
        "frobenius": lambda: FrobeniusBarrier(rng.random(len(V))),
        "spectral": lambda: SpectralBarrier(V),
        "identity": lambda: IdentityBarrier(len(V)),
    }[name]()
    lazy, full = sparsify(V, r, upper, block=block), sparsify(V, r, upper, block=None)
    assert lazy.picks.tolist() == full.picks.tolist()
    np.testing.assert_allclose(lazy.weights, full.weights, rtol=1e-9)
    assert lazy.looked_at <= full.looked_at


def test_most_columns_are_never_looked_at():
    V = vectors("gaussian", 5000, 10, 0)
    found = sparsify(V, 40, SpectralBarrier(V))
    assert found.looked_at <= 40 * 200


def test_merging_keeps_the_product():
    rng = np.random.default_rng(0)
    picks, weights = np.array([4, 1, 4, 0, 4, 1]), rng.random(6)
    A = rng.standard_normal((3, 5))
    indices, merged = merge(picks, weights)
    assert indices.tolist() == [4, 1, 0]
    C, D = A[:, picks] * weights, A[:, indices] * merged
    np.testing.assert_allclose(D @ D.T, C @ C.T)


def test_repeats_happen_and_keep_the_bounds():
    """With as many picks as this there is nothing new left to pick."""
    V = vectors("gaussian", 6, 3, 1)
    found = sparsify(V, 30, SpectralBarrier(V))
    assert len(set(found.picks.tolist())) < 30
    indices, weights = merge(found.picks, found.weights)
    keeps_the_lower_bound(V, 30, indices, weights)
    assert spectrum(V[indices].T * weights)[0] <= 1 + np.sqrt(3 / 30)


@pytest.mark.parametrize("matrix", sorted(set(NASTY) - {"one column", "one row"}))
@pytest.mark.parametrize("extra", [1, 3])
def test_selectors_keep_their_promise(matrix, extra):
    """The interval of the singular values, measured on the data itself, down to r = k + 1."""
    A = nasty(matrix)
    k = min(3, min(A.shape) - 1)
    r = k + extra
    y = np.arange(len(A)) % k
    calls = {
        "bss": {"rank": k},
        "dual-set": {"n_clusters": k},
        "supervised-dual-set": {"labels": y},
    }
    for name, params in calls.items():
        found = select(A, r, method=name, **params)
        V = right_singular_vectors(as_operand(A), k)[1]
        values = spectrum(V[found.indices].T * found.weights)
        root = np.sqrt(V.shape[1] / r)
        assert values[-1] >= 1 - root - 1e-9
        assert found.info["n_picks"] == r
        if name == "bss":
            assert values[0] <= 1 + root + 1e-9
        if name == "dual-set":
            assert found.weights.max() <= 1 + np.sqrt(A.shape[1] / r) + 1e-9


def test_theorem_5_keeps_the_rank():
    A = np.random.default_rng(0).standard_normal((40, 200))
    for seed in range(10):
        found = select(A, 8, method="randomized-dual-set", n_clusters=4, random_state=seed)
        V = right_singular_vectors(as_operand(A), 4)[1]
        assert np.linalg.matrix_rank(V[found.indices].T * found.weights) == 4
        assert found.info["n_drawn"] == int(np.ceil(64 * np.log(80)))


def test_rank_deficient_data_use_the_rank_they_have():
    A = nasty("rank deficient")  # rank 5
    found = select(A, 12, method="dual-set", n_clusters=9)
    assert found.info["rank"] == 5
    assert select(A, 12, method="bss").info["rank"] == 5
    assert (
        select(A, 4, method="bss").info["rank"] == 2
    )  # half of the picks, since the rank is not below them
    assert select(A, 15, method="supervised-dual-set", labels=np.arange(30) % 8).info["rank"] == 5


def test_without_a_number_all_columns_may_be_needed():
    assert select(GOOD, method="dual-set").info["n_picks"] == 9  # eight clusters and one more
    few = select(GOOD[:, :4], method="dual-set")
    assert (few.info["n_picks"], few.info["rank"]) == (4, 3)
    with pytest.raises(ValueError, match="n_features=1, but at least two"):
        select(GOOD[:, :1], method="dual-set")


# -- as estimators -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


def test_transform_rescales(digits):
    X, y = digits
    for selector in (
        BSSSelector(20, 5),
        DualSetSelector(20, 5),
        SupervisedDualSetSelector(20),
        RandomizedDualSetSelector(20, 5, random_state=0),
    ):
        selector.fit(X, y)
        order = np.sort(selector.indices_)
        factors = dict(zip(selector.indices_, selector.weights_, strict=True))
        expected = X[:, order] * [factors[i] for i in order]
        np.testing.assert_allclose(selector.transform(X), expected)
        for put in (sp.csr_array, sp.csc_matrix):
            reduced = selector.transform(put(X))
            assert sp.issparse(reduced)
            np.testing.assert_allclose(reduced.toarray(), expected)
        assert selector.transform(X.astype(np.float32)).dtype == np.float32
        back = selector.inverse_transform(selector.transform(X))
        np.testing.assert_allclose(back[:, order], X[:, order], rtol=1e-12)
        assert (back[:, ~selector.get_support()] == 0).all()
        for put in (sp.csr_array, sp.csc_array, sp.csr_matrix):
            returned = selector.inverse_transform(selector.transform(put(X)))
            assert sp.issparse(returned)
            np.testing.assert_allclose(returned.toarray(), back, rtol=1e-12)
        plain = type(selector)(20, rescale=False).set_params(
            **{k: v for k, v in selector.get_params().items() if k != "rescale"}
        )
        np.testing.assert_array_equal(plain.fit(X, y).transform(X), X[:, order])
        np.testing.assert_array_equal(
            plain.inverse_transform(plain.transform(X))[:, order], X[:, order]
        )
        np.testing.assert_allclose(
            selector.selection_.apply(X), X[:, selector.indices_] * selector.weights_
        )


def test_data_frames_are_rescaled_too(digits):
    pd = pytest.importorskip("pandas")
    X, _ = digits
    frame = pd.DataFrame(X, columns=[f"p{i}" for i in range(64)])
    selector = BSSSelector(20, 5).set_output(transform="pandas").fit(frame)
    out = selector.transform(frame)
    assert list(out.columns) == selector.get_feature_names_out().tolist()
    np.testing.assert_allclose(out.to_numpy(), BSSSelector(20, 5).fit(X).transform(X))
    applied = selector.selection_.apply(frame)
    assert list(applied.columns) == [f"p{i}" for i in selector.indices_]


def test_polars_frames_are_rescaled_too(digits):
    pl = pytest.importorskip("polars")
    X, _ = digits
    frame = pl.DataFrame(X, schema=[f"p{i}" for i in range(64)])
    selector = BSSSelector(20, 5).set_output(transform="polars").fit(X)
    expected = BSSSelector(20, 5).fit(X).transform(X)
    np.testing.assert_allclose(selector.transform(X).to_numpy(), expected)
    applied = selector.selection_.apply(frame)
    assert isinstance(applied, pl.DataFrame)
    np.testing.assert_allclose(applied.to_numpy(), selector.selection_.apply(X))
    np.testing.assert_allclose(selector.selection_.apply(X.tolist()), selector.selection_.apply(X))


def test_k_means_on_few_features_is_nearly_as_good(digits):
    X, y = digits
    best = KMeans(10, n_init=3, random_state=0).fit(X).inertia_
    for selector in (DualSetSelector(30, 10), SupervisedDualSetSelector(30)):
        model = make_pipeline(selector, KMeans(10, n_init=3, random_state=0))
        labels = model.fit(X, y)[-1].labels_
        cost = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(10))
        assert cost <= 1.2 * best


# -- bad input -----------------------------------------------------------------------------------

GOOD = np.random.default_rng(0).standard_normal((12, 10))


@pytest.mark.parametrize(
    ("name", "n_select", "params", "error", "words"),
    [
        (
            "bss", 3, {"rank": 3}, ValueError,
            "n_select=3 with rank=3.*choose n_select from 4 to 10 or lower rank to at most 2",
        ),
        ("bss", 3, {"rank": 0}, ValueError, "rank=0"),
        ("bss", 3, {"rank": 11}, ValueError, "rank=11 for data of shape"),
        ("bss", 3, {"rank": 1.5}, TypeError, "rank must be an integer, got 1.5"),
        ("bss", 1, {}, ValueError, "n_select=1 with rank=1"),
        ("dual-set", 5, {"n_clusters": 5}, ValueError, "n_select=5 with n_clusters=5"),
        ("dual-set", 10, {"n_clusters": 10}, ValueError, "that; lower n_clusters to at most 9"),
        ("dual-set", 5, {"n_clusters": 10}, ValueError, "that; lower n_clusters to at most 4"),
        ("dual-set", 1, {"n_clusters": 10}, ValueError, "that; choose n_select at least 2"),
        ("dual-set", 5, {"n_clusters": 0}, ValueError, "n_clusters=0"),
        ("randomized-dual-set", 2, {"n_clusters": 4}, ValueError, "n_select=2 with n_clusters=4"),
        ("supervised-dual-set", 5, {}, TypeError, "needs labels: pass labels=y"),
        ("supervised-dual-set", 5, {"labels": np.arange(11)}, ValueError, "the data has 12 rows"),
        (
            "supervised-dual-set", 3, {"labels": np.arange(12) % 3}, ValueError,
            "n_select=3 with the number of classes=3",
        ),
        (
            "supervised-dual-set", 5, {"labels": [None, *range(11)]}, ValueError,
            "the label of row 0 is missing",
        ),
        (
            "supervised-dual-set", 5, {"labels": [*range(11), np.nan]}, ValueError,
            "the label of row 11 is missing",
        ),
        (
            "supervised-dual-set", 5, {"labels": np.eye(12)[:, :3]}, ValueError,
            "row 3 of the partition has 0 nonzero entries",
        ),
        (
            "supervised-dual-set", 5,
            {"labels": np.column_stack([np.ones(12), np.zeros(12)])}, ValueError,
            "cluster 1 of the partition is empty",
        ),
    ],
)  # fmt: skip
def test_bad_input(name, n_select, params, error, words):
    with pytest.raises(error, match=words):
        select(GOOD, n_select, method=name, **params)


def test_a_partition_needs_rows():
    assert "kernel" not in METHODS["supervised-dual-set"].inputs
    with pytest.raises(TypeError, match="needs the columns themselves"):
        select(Kernel(GOOD.T @ GOOD), 5, method="supervised-dual-set", labels=np.arange(10) % 2)


def test_estimators_need_their_labels():
    with pytest.raises(ValueError, match="requires y to be passed"):
        SupervisedDualSetSelector(5).fit(GOOD)
    words = SupervisedDualSetSelector(5).fit(GOOD, ["a", "b", "c"] * 4)
    numbers = SupervisedDualSetSelector(5).fit(GOOD, np.eye(3)[np.arange(12) % 3])
    assert words.indices_.tolist() == numbers.indices_.tolist()


def test_rows_have_no_labels():
    with pytest.raises(ValueError, match="SupervisedDualSetSelector needs a label for each row"):
        RowSelector(SupervisedDualSetSelector(3)).fit(GOOD)
    rows = RowSelector(BSSSelector(5, 2)).fit(GOOD)
    assert rows.indices_.tolist() == select(GOOD.T, 5, method="bss", rank=2).indices.tolist()


def test_vectors_must_be_orthonormal():
    with pytest.raises(ValueError, match="VᵀV differs from I by"):
        sparsify(np.ones((6, 2)), 4, IdentityBarrier(6))
    with pytest.raises(ValueError, match="2 picks from vectors of length 2; pick at least 3"):
        sparsify(np.eye(6)[:, :2], 2, IdentityBarrier(6))


def test_the_scale_of_the_data_does_not_matter():
    for name, params in (("bss", {"rank": 3}), ("dual-set", {"n_clusters": 3})):
        plain = select(GOOD, 6, method=name, **params)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankReachedWarning)
            huge = select(GOOD * 2.0**300, 6, method=name, **params)
        assert plain.indices.tolist() == huge.indices.tolist()
        np.testing.assert_allclose(plain.weights, huge.weights)
