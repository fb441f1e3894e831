"""Baselines by principal components and correlations: definitions, extremes, parameters."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from calls import run
from matrices import NASTY, nasty, orthonormal
from oracles.factors import b1, b2, b4, discard, information_loss, orthogonal_pfs

from colonnade import METHODS, Kernel, as_operand, select
from colonnade.operands.adjusted import AdjustedSparse, centered
from colonnade.operands.preparing import prepare
from colonnade.selectors.factors import components as centering
from colonnade.selectors.factors import leading, loadings, similarity
from colonnade.selectors.factors.components import principal_components
from colonnade.selectors.factors.similarity import Neighbours

FACTORS = [m.name for m in METHODS.values() if m.kind == "factors"]
VARYING = [name for name in NASTY if name != "one row"]


def made(m, n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) @ np.diag(rng.uniform(0.5, 3.0, n)) + rng.standard_normal(n)


def correlated(m, n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n // 3)) @ rng.standard_normal((n // 3, n)) + 0.3 * (
        rng.standard_normal((m, n))
    )


# -- centring ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [None, "std"])
@pytest.mark.parametrize("shape", [(30, 12), (12, 30)])
def test_sparse_centring_is_centring(shape, scale):
    rng = np.random.default_rng(0)
    A = rng.poisson(0.5, shape).astype(float)
    A[:, 2], A[:, 5] = 7.0, 0.0  # constant; nothing stored at all
    dense = A - A.mean(axis=0)
    if scale == "std":
        spreads = dense.std(axis=0)
        dense = dense / np.where(spreads > 0, spreads, 1.0)
    Z = prepare(as_operand(sp.csc_array(A)), center=True, scale=scale).A
    V, U = rng.standard_normal((shape[1], 3)), rng.standard_normal((shape[0], 3))
    for found, expected in (
        (Z.matmat(V), dense @ V),
        (Z.matmat(V[:, 0]), dense @ V[:, 0]),
        (Z.rmatmat(U), dense.T @ U),
        (Z.rmatmat(U[:, 0]), dense.T @ U[:, 0]),
        (Z.columns(slice(1, 4)), dense[:, 1:4]),
        (Z.subset(np.array([4, 2])).gram(), dense[:, [4, 2]].T @ dense[:, [4, 2]]),
        (Z.outer(), dense @ dense.T),
        (Z.gram(), dense.T @ dense),
        (Z.gram_columns(slice(1, 4)), dense.T @ dense[:, 1:4]),
        (Z.sq_norms(), (dense**2).sum(axis=0)),
        (Z.scaled(3.0).gram(), 9 * dense.T @ dense),
        (Z.scaled(3.0).sq_norms(), 9 * (dense**2).sum(axis=0)),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.abs(dense).max() <= Z.max_abs() <= np.abs(dense).max() * np.sqrt(len(dense))
    assert Z.sq_norms()[2] == 0.0
    assert Z.pass_bytes > 0
    assert Z.square_flops[0] > 0


def test_a_large_mean_does_not_hide_what_varies():
    A = made(60, 8)
    for name in set(FACTORS) - {"orthogonal-pfs"}:
        assert (
            run(name, A + 1e6, 4).indices.tolist()
            == run(name, A - A.mean(axis=0), 4).indices.tolist()
        )
    high = sp.csc_array(A + 1e6)
    assert run("fsfs", high, 4, data=A).indices.tolist() == run("fsfs", A, 4).indices.tolist()


@pytest.mark.parametrize("name", [name for name in FACTORS if name != "orthogonal-pfs"])
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_nothing_varies(name, put):
    with pytest.raises(ValueError, match="all columns are constant: nothing varies"):
        run(name, put(np.full((5, 3), 0.1)), 2)
    with pytest.raises(ValueError, match="n_samples=1: nothing varies"):
        run(name, put(np.arange(1.0, 5.0)[None]), 2)


@pytest.mark.parametrize("name", FACTORS)
def test_kernels_are_refused(name):
    with pytest.raises(TypeError, match="needs the columns themselves, and a kernel has only"):
        run(name, Kernel(np.eye(4) + 1.0), 2)


def test_components_by_lanczos_are_the_same(monkeypatch):
    A = sp.csr_array(np.random.default_rng(0).poisson(0.3, (90, 70)) * 1.0)
    Z = centered(as_operand(A))
    values, V = principal_components(Z, 5)
    monkeypatch.setattr("colonnade.linalg.svd.EXACT_SIDE", 20)
    again, W = principal_components(Z, 5)
    np.testing.assert_allclose(again, values, rtol=1e-9)
    np.testing.assert_allclose(np.abs(W), np.abs(V), atol=1e-8)


def test_too_many_components_of_sparse_data_are_refused(monkeypatch):
    A = sp.csr_array(np.random.default_rng(0).poisson(0.3, (90, 70)) * 1.0)
    monkeypatch.setattr(centering, "MEMORY_BUDGET", 8 * 69 * 69)
    with pytest.raises(ValueError, match="ask for fewer than 35 components"):
        select(A, 10, method="jolliffe-b4", variant="B2")


# -- Jolliffe --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scale", ["std", None])
def test_jolliffe_against_the_definitions(seed, scale):
    A = made(40, 9, seed)
    Z = A - A.mean(axis=0)
    if scale == "std":
        Z /= Z.std(axis=0)
    order = np.argsort(np.linalg.eigvalsh(Z.T @ Z))[::-1]
    V = np.linalg.eigh(Z.T @ Z)[1][:, order]
    call = {"scale": scale}
    # B3: as Jolliffe puts it, the largest sums over the last components are discarded
    last = (V[:, 4:] ** 2).sum(axis=1)
    found = select(A, 4, method="jolliffe-b4", variant="B3", **call).indices
    assert set(found.tolist()) == set(np.argsort(last)[:4].tolist())
    # B2
    left = set(range(9))
    for j in range(8, 3, -1):
        left.remove(max(left, key=lambda i: abs(V[i, j])))
    assert set(select(A, 4, method="jolliffe-b4", variant="B2", **call).indices.tolist()) == left
    # B1
    kept = list(range(9))
    while len(kept) > 4:
        kept.pop(int(np.argmax(np.abs(np.linalg.eigh(Z[:, kept].T @ Z[:, kept])[1][:, 0]))))
    assert set(select(A, 4, method="jolliffe-b4", variant="B1", **call).indices.tolist()) == set(
        kept
    )
    # B4
    assert select(A, 1, method="jolliffe-b4", variant="B4", **call).indices[0] == np.argmax(
        np.abs(V[:, 0])
    )


@pytest.mark.parametrize("variant", ["B1", "B2"])
@pytest.mark.parametrize("matrix", VARYING)
def test_discarding_leaves_columns_that_do_not_depend_on_each_other(variant, matrix):
    """As many as the centred data has rank: then the chosen ones have that rank too."""
    A = nasty(matrix)
    Z = A - A.mean(axis=0)
    lengths = np.linalg.norm(Z, axis=0)
    varies = lengths > 1e-14 * np.linalg.norm(A, axis=0)
    Z = Z / np.where(varies, lengths, 1.0) * varies
    s = np.linalg.svd(Z, compute_uv=False)
    rank = int((s > s[0] * max(A.shape) * np.finfo(float).eps).sum())
    chosen = run(f"jolliffe-{variant.lower()}", A, rank).indices
    smallest = np.linalg.svd(Z[:, chosen], compute_uv=False)[-1]
    # dropping by largest share keeps a fair part of the smallest singular value
    assert smallest > 1e-3 * s[rank - 1]


@pytest.mark.parametrize("variant", ["B1", "B2"])
def test_an_answer_does_not_depend_on_how_many_are_asked_for(variant):
    A = correlated(50, 12)
    longest = select(A, 12, method="jolliffe-b4", variant=variant).indices.tolist()
    for size in (1, 5, 11):
        assert (
            select(A, size, method="jolliffe-b4", variant=variant).indices.tolist()
            == longest[:size]
        )


def test_repeated_analysis_by_lanczos_is_the_same(monkeypatch):
    A = correlated(120, 40)
    expected = b1(A, 40, 0)
    assert select(A, 40, method="jolliffe-b4", variant="B1").indices.tolist() == expected
    monkeypatch.setattr(loadings, "SMALL", 5)
    assert select(A, 40, method="jolliffe-b4", variant="B1").indices.tolist() == expected


@pytest.fixture
def nothing_is_analysed(monkeypatch):
    def never(*args):
        raise AssertionError("analysed before the refusal")

    monkeypatch.setattr(centering, "right_singular_vectors", never)


@pytest.mark.usefixtures("nothing_is_analysed")
@pytest.mark.parametrize("put", [np.asarray, sp.csc_array])
def test_dropping_one_by_one_is_refused_at_once_for_many_columns(monkeypatch, put):
    monkeypatch.setattr(loadings, "LARGEST_REPEATED", 10)
    monkeypatch.setattr(loadings, "LARGEST_ONCE", 20)
    with pytest.raises(ValueError, match=r"limited to 10 .* 12 that vary and 30 rows; use variant="
                       r"'B2' \(one analysis\) or variant='B4' or 'B3'"):  # fmt: skip
        select(put(made(30, 12)), 3, method="jolliffe-b4", variant="B1")
    for variant, limit in (("B1", 10), ("B2", 20)):
        with pytest.raises(ValueError, match=rf"limited to {limit} .* rows; use variant='B4'"):
            select(put(made(30, 21)), 3, method="jolliffe-b4", variant=variant)
        monkeypatch.setattr(loadings, "LARGEST_WORK", 1e3)
        with pytest.raises(ValueError, match=r"dependent columns.* above 1e\+03; use variant='B4'"):
            select(put(made(9, 30)), 3, method="jolliffe-b4", variant=variant)


def test_dropping_one_by_one_up_to_the_limits(monkeypatch):
    monkeypatch.setattr(loadings, "LARGEST_REPEATED", 10)
    monkeypatch.setattr(loadings, "LARGEST_ONCE", 10)
    still = np.hstack([made(30, 10), np.ones((30, 5))])  # ten columns vary
    wide = made(11, 30)  # ten columns do not depend on each other
    monkeypatch.setattr(loadings, "LARGEST_WORK", (30 - 10) * 30 * 10)
    for A in (still, wide):
        assert select(A, 5, method="jolliffe-b4", variant="B1").indices.tolist() == b1(A, 5, 0)
        assert select(A, 5, method="jolliffe-b4", variant="B2").indices.tolist() == b2(A, 5, 0)


@pytest.mark.usefixtures("nothing_is_analysed")
def test_a_large_sparse_matrix_is_refused_by_those_that_drop():
    A = sp.random_array((18774, 16201), density=2e-4, rng=np.random.default_rng(0), format="csc")
    with pytest.raises(ValueError, match=r"'B1' needs one analysis for each.*use variant='B4'"):
        select(A, 5, method="jolliffe-b4", variant="B1")
    with pytest.raises(ValueError, match=r"'B2' needs all components.*use variant='B4' or 'B3'"):
        select(A, 5, method="jolliffe-b4", variant="B2")


@pytest.mark.parametrize("name", ["jolliffe-b3", "jolliffe-b4", "pca-lrg"])
def test_few_components_of_large_data_need_no_square_matrix(name, monkeypatch):
    A = sp.csc_array(np.random.default_rng(0).poisson(0.1, (90, 70)) * np.geomspace(1, 9, 70))
    expected = run(name, A, 5, data=A.toarray()).indices.tolist()
    monkeypatch.setattr(centering, "EXACT_SIDE", 20)
    monkeypatch.setattr("colonnade.linalg.svd.EXACT_SIDE", 20)
    monkeypatch.setattr(centering, "LARGEST_SIDE", 60)
    for square in ("gram", "outer"):
        monkeypatch.delattr(AdjustedSparse, square)
    monkeypatch.setattr(AdjustedSparse, "__abstractmethods__", frozenset())
    assert run(name, A, 5, data=A.toarray()).indices.tolist() == expected
    both = run(name, A, 5, data=A.toarray(), max_error=0.01).indices.tolist()
    assert both == expected
    for wish in ({"n_select": 40}, {"max_error": 0.1}):
        with pytest.raises(ValueError, match=r"take hours; ask for fewer than 35 components"):
            select(A, method=name, **wish)


def test_sums_on_all_components_are_not_ranked_by():
    """With the size left to the error, B3 looks at half as many components as columns."""
    A = correlated(60, 12)
    order = select(A, 12, method="jolliffe-b4", variant="B3").indices.tolist()
    assert order[:6] == select(A, 6, method="jolliffe-b4", variant="B3").indices.tolist()
    assert order != sorted(order)
    found = select(A, method="jolliffe-b4", max_error=0.1, variant="B3").indices.tolist()
    assert found == order[: len(found)]
    assert 1 < len(found) < 12
    assert len(select(A[:, :1], method="jolliffe-b4", max_error=0.1, variant="B3")) == 1


@pytest.mark.parametrize("name", ["jolliffe-b1", "jolliffe-b2", "jolliffe-b4", "pca-lrg"])
def test_an_error_stops_the_same_ranking(name):
    A = correlated(60, 12)
    found = run(name, A, None, max_error=0.1).indices.tolist()
    assert 1 < len(found) < 12
    assert run(name, A, len(found)).indices.tolist() == found


def test_first_components_start_again_after_the_last_with_variance():
    A = made(6, 12)
    assert select(A, 12, method="jolliffe-b4").indices.tolist() == b4(A, 12, 0)
    assert sorted(select(A, 12, method="jolliffe-b4").indices.tolist()) == list(range(12))


def test_scale_matters_only_without_standardizing():
    A = made(40, 9)
    B = A * np.geomspace(1, 1e6, 9)
    for variant in ("B1", "B2", "B3", "B4"):
        found = select(A, 4, method="jolliffe-b4", variant=variant).indices.tolist()
        assert select(B, 4, method="jolliffe-b4", variant=variant).indices.tolist() == found
    assert select(B, 1, method="pca-lrg").indices[0] == 8
    assert (
        select(A, 4, method="pca-lrg", scale="std").indices.tolist()
        == select(A, 4, method="jolliffe-b4").indices.tolist()
    )
    assert select(A, 4, method="pca-lrg").info["method"] == "pca-lrg"
    assert select(A, 4, method="jolliffe-b4", variant="B2").info["variant"] == "B2"


def test_excluded_columns_take_no_part():
    A = correlated(40, 12)
    rest = [i for i in range(12) if i not in (0, 7)]
    for name in FACTORS:
        if name == "orthogonal-pfs":
            continue
        found = run(name, A, 4, exclude=[0, 7]).indices
        assert found.tolist() == np.array(rest)[run(name, A[:, rest], 4).indices].tolist(), name
        first = run(name, A, 4, must_include=[7, 2]).indices.tolist()
        assert first[:2] == [7, 2], name
        assert len(set(first)) == 4, name


@pytest.mark.parametrize("name", FACTORS)
def test_an_error_can_decide_how_many(name):
    A = correlated(40, 12)
    found = run(name, A, None, max_error=0.2)
    assert found.relative_errors[-1] <= 0.2
    assert len(found) == 1 or found.relative_errors[-2] > 0.2


def test_unknown_variants_are_refused():
    with pytest.raises(ValueError, match="variant='B5'; choose one of B1, B2, B3, B4"):
        select(made(9, 3), 2, method="jolliffe-b4", variant="B5")


# -- principal feature analysis --------------------------------------------------------------------


def test_each_group_of_columns_that_vary_together_gets_one():
    rng = np.random.default_rng(3)
    factors = rng.standard_normal((200, 4)) * [4, 3, 2, 1.5]
    group = np.repeat(np.arange(4), [5, 4, 3, 2])
    signs = rng.choice([-1.0, 1.0], 14)
    A = factors[:, group] * signs + 0.01 * rng.standard_normal((200, 14))
    found = select(A, 4, method="pfa", random_state=0)
    assert group[found.indices].tolist() == [0, 1, 2, 3]  # large groups first
    assert found.info["n_clusters"] == 4
    assert 1 <= found.info["rank"] <= 4
    assert select(A, 4, method="pfa", rank=2, random_state=0).info["rank"] == 2
    with pytest.raises(ValueError, match="rank=15; choose 1 to 14"):
        select(A, 4, method="pfa", rank=15)


def test_equal_columns_are_one_cluster():
    A = np.repeat(made(30, 3), 3, axis=1)
    found = select(A, 7, method="pfa", rank=3, random_state=0)
    assert found.info["n_clusters"] == 3
    assert sorted(found.indices[:3].tolist()) == [0, 3, 6]
    assert sorted(found.indices[3:6].tolist()) == [1, 4, 7]


# -- orthogonal principal feature selection --------------------------------------------------------


@pytest.mark.parametrize("shape", [(70, 40), (40, 70)])
def test_component_by_lanczos_is_the_same(shape, monkeypatch, container):
    A = correlated(*shape)
    expected = orthogonal_pfs(A, 12, 0)
    assert run("orthogonal-pfs", container(A), 12, data=A).indices.tolist() == expected
    monkeypatch.setattr(leading, "SMALL", 1)
    assert run("orthogonal-pfs", container(A), 12, data=A).indices.tolist() == expected


def test_it_follows_the_first_component_of_what_is_left():
    A = correlated(60, 15)
    chosen = run("orthogonal-pfs", A, 6).indices
    ones = np.ones((60, 1))
    for t in range(6):
        Q = np.linalg.qr(np.hstack([ones, A[:, chosen[:t]]]))[0]
        E = A - Q @ (Q.T @ A)
        u = np.linalg.svd(E)[0][:, 0]
        left = np.setdiff1d(np.arange(15), chosen[:t])
        correlation = np.abs(u @ E[:, left]) / np.linalg.norm(E[:, left], axis=0)
        assert left[np.argmax(correlation)] == chosen[t]


def test_correlation_does_not_depend_on_length():
    A = correlated(60, 15)
    expected = run("orthogonal-pfs", A, 1).indices[0]
    longer = np.hstack([A, 3.0 * A[:, [expected]]]) / np.linalg.norm(A)
    # a multiple changes the component a little, but both correlate with it alike
    assert run("orthogonal-pfs", longer, 1).indices[0] == expected


def test_dependent_columns_are_never_chosen():
    A = np.column_stack([np.full(20, 3.0), made(20, 3), np.ones(20)])
    A = np.column_stack([A, A[:, 1] + A[:, 2] + 5.0])  # but for the constant
    assert len(run("orthogonal-pfs", A, 4)) == 3
    first = run("orthogonal-pfs", A, 3, must_include=[5, 1]).indices.tolist()
    assert first == [5, 1, 3]


# -- FSFS ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("matrix", VARYING)
def test_information_loss_is_the_smaller_eigenvalue(matrix):
    A = nasty(matrix)
    A = A / np.abs(A).max()
    A = A[:, np.ptp(A, axis=0) > 0]
    Z = centered(as_operand(A))
    found = similarity.information_loss(Z)
    n = A.shape[1]
    for i in range(n):
        for j in range(n):
            if i == j:
                assert found[i, j] == np.inf
                continue
            pair = np.cov(A[:, [i, j]].T) * (len(A) - 1)
            least = np.linalg.eigvalsh(pair)[0]
            assert found[i, j] == pytest.approx(least, rel=1e-8, abs=1e-9 * pair.max())
            assert found[i, j] == pytest.approx(information_loss(A[:, i], A[:, j]), rel=1e-7)
            # 0 ≤ λ₂ ≤ half of the variance of both, and λ₂ = 0 only for dependent pairs
            assert 0 <= found[i, j] <= 0.5 * np.trace(pair) * (1 + 1e-9)
    np.testing.assert_allclose(found, found.T, rtol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 11, 29])
@pytest.mark.parametrize("seed", range(3))
def test_elimination_for_every_k(k, seed):
    rng = np.random.default_rng(seed)
    D = rng.integers(1, 30, (30, 30)) / 8.0  # with many ties
    D = np.minimum(D, D.T)
    np.fill_diagonal(D, np.inf)
    found = Neighbours(D).eliminate(k)
    order, size, limit = discard(D.tolist(), k)
    assert found.order == order
    assert found.size == size
    assert found.limit == limit


@pytest.mark.parametrize("matrix", VARYING)
def test_no_two_columns_that_are_left_are_within_the_limit(matrix):
    A = nasty(matrix)
    scale = np.abs(A).max()
    Z = (A - A.mean(axis=0)) / scale
    for k in (1, 2, 4):
        found = select(A, method="fsfs", n_neighbors=k)
        assert len(found) == found.info["n_left"]
        assert found.info["n_neighbors"] == k
        limit = found.info["limit"] / scale**2 * len(A)
        for i in found.indices:
            for j in found.indices:
                assert i == j or information_loss(Z[:, i], Z[:, j]) > limit * (1 - 1e-8)
        if len(found) > 1 and k == 1:  # the limit is the smallest distance of all
            varies = np.flatnonzero(np.linalg.norm(Z, axis=0) > 1e-14)
            pairs = [(i, j) for i in varies for j in varies if i < j]
            least = min(information_loss(Z[:, i], Z[:, j]) for i, j in pairs)
            assert limit == pytest.approx(least, rel=1e-8)


def test_size_is_reached_from_any_k():
    A = correlated(60, 24)
    for size in (1, 4, 12, 24):
        found = select(A, size, method="fsfs")
        assert len(found) == size
        assert found.info["n_left"] <= size
        k = found.info["n_neighbors"]
        if k > 1:
            assert select(A, method="fsfs", n_neighbors=k - 1).info["n_left"] > size
        assert (
            select(A, size, method="fsfs", n_neighbors=k).indices.tolist() == found.indices.tolist()
        )
    assert len(select(A, 3, method="fsfs", n_neighbors=1)) == 3
    assert len(select(A, 20, method="fsfs", n_neighbors=23)) == 20
    assert select(A, method="fsfs", n_neighbors=1000).info["n_left"] == 1


def test_one_of_each_group_of_dependent_pairs():
    A = np.repeat(made(30, 5), 3, axis=1) * np.tile([1.0, -2.0, 0.5], 5)
    assert select(A, method="fsfs", n_neighbors=1).info["n_left"] == 5
    A = np.column_stack([np.full(30, 4.0), A])  # constant: no candidate
    assert sorted((i - 1) // 3 for i in select(A, 5, method="fsfs").indices) == [0, 1, 2, 3, 4]
    assert 0 not in select(A, 15, method="fsfs").indices
    with pytest.raises(ValueError, match="n_select=16 but there are 15 columns"):
        select(A, 16, method="fsfs")


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(similarity, "MEMORY_BUDGET", 16 * 100)
    with pytest.raises(ValueError, match=r"11 columns that vary .* at most 10 columns fit"):
        select(made(20, 11), 3, method="fsfs")
    assert len(select(made(20, 10), 3, method="fsfs")) == 3
    still = np.hstack([made(20, 10), np.ones((20, 5))])
    assert len(select(still, 3, method="fsfs")) == 3


@pytest.mark.parametrize("value", [0, -1])
def test_neighbours_are_counted_from_one(value):
    with pytest.raises(ValueError, match=f"n_neighbors={value}; choose at least 1"):
        select(made(9, 4), 2, method="fsfs", n_neighbors=value)


def test_dropping_and_matching_agree_with_select():
    A = correlated(30, 10)
    assert select(A, 4, method="jolliffe-b2").indices.tolist() == b2(A, 4, 0)


@pytest.mark.parametrize("scale", [None, "std"])
@pytest.mark.parametrize(
    "name", ["fsfs", "jolliffe-b1", "jolliffe-b2", "jolliffe-b3", "jolliffe-b4"]
)
def test_the_order_of_the_columns_does_not_matter(name, scale):
    """Also not for two columns alone, which load alike and are each other's nearest."""
    rng = np.random.default_rng(0)
    for seed in range(30):
        A = rng.standard_normal((12, 2 + seed % 5)) * rng.uniform(0.5, 2.0, 2 + seed % 5)
        n_select = 1 + seed % 2
        order = rng.permutation(A.shape[1])
        plain = select(A, n_select, method=name, scale=scale).indices
        permuted = select(A[:, order], n_select, method=name, scale=scale).indices
        assert order[permuted].tolist() == plain.tolist(), (seed, name)


@pytest.mark.parametrize(
    "name", ["fsfs", "jolliffe-b1", "jolliffe-b2", "jolliffe-b3", "jolliffe-b4"]
)
def test_of_two_alike_the_longer_is_kept_and_of_more_the_most_central(name):
    rng = np.random.default_rng(2)
    for longer in (0, 1):
        A = rng.standard_normal((9, 2)) * np.where(np.arange(2) == longer, 5.0, 1.0)
        assert select(A, 1, method=name, scale="std").indices.tolist() == [longer]
    sizes = [1e3, 1e3, 1e-3, 2e-3]  # also where the ties are among columns of little weight
    A = rng.standard_normal((5, 4)) * sizes
    order = np.array([3, 2, 1, 0])
    plain = select(A, 3, method=name, scale=None).indices
    assert order[select(A[:, order], 3, method=name, scale=None).indices].tolist() == (
        plain.tolist()
    )


def test_the_most_central_of_two_that_load_alike_is_kept():
    """B1 drops one of two similar columns, and then the one that is like neither."""
    x, y = orthonormal(np.random.default_rng(3), 20, 2).T
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        A = np.column_stack([x, y, y + 0.1 * x])[:, order]
        assert select(A, 1, method="jolliffe-b1").indices[0] != order.index(0)


def test_components_of_equal_variance_are_one_span():
    """Uncorrelated columns: any basis of the span is one of components, so none may decide."""
    Q = orthonormal(np.random.default_rng(1), 16, 6)
    A = Q - Q.mean(axis=0)
    A = np.linalg.qr(A)[0]  # uncorrelated, and of equal variance
    for order in ("C", "F"):
        found = select(np.array(A, order=order), 3, method="jolliffe-b1")
        assert found.indices.tolist() == [0, 1, 2]
