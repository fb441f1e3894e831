"""Fitted selectors and dask: what is lazy, what is measured, and by how many passes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from explicit_chunks import dense, table

from colonnade import (
    BSSSelector,
    DualSetSelector,
    GreedySelector,
    RowSelector,
    plan,
    resources,
    select,
)
from colonnade.operands.containers import take_rows
from colonnade.selectors.representatives.medoids import MedoidSelector

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install colonnade[dask]")

X = table()
WAYS = [{}, {"center": True}, {"center": True, "scale": "std"}]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.mark.parametrize("selector", [GreedySelector(4), BSSSelector(5, rank=3)])
@pytest.mark.parametrize("way", WAYS)
def test_columns_there_and_back_are_those_of_an_array(selector, way, dask_container):
    fitted = selector.set_params(**way).fit(X)
    chunks = dask_container(X)
    chosen, expected = fitted.transform(chunks), fitted.transform(X)
    assert chosen.shape[1] == expected.shape[1]
    assert chosen.dtype == expected.dtype
    np.testing.assert_allclose(dense(chosen), expected)
    back = fitted.inverse_transform(chosen)
    np.testing.assert_allclose(dense(back), fitted.inverse_transform(expected), atol=1e-12)
    rebuilt, std = fitted.reconstruct(chosen, return_std=True)
    known, known_std = fitted.reconstruct(expected, return_std=True)
    np.testing.assert_allclose(dense(rebuilt), known, atol=1e-9)
    np.testing.assert_array_equal(std, known_std)
    assert isinstance(std, np.ndarray)


@pytest.mark.parametrize("way", WAYS)
def test_selections_apply_to_chunks_in_the_order_of_choice(way, dask_container):
    selection = select(X, 5, method="bss", rank=3, **way)
    found = selection.apply(dask_container(X))
    np.testing.assert_allclose(dense(found), selection.apply(X))
    np.testing.assert_allclose(
        dense(selection.reconstruct(found)), selection.reconstruct(selection.apply(X)), atol=1e-9
    )
    plain = selection.apply(dask_container(X), rescale=False)
    np.testing.assert_array_equal(dense(plain), X[:, selection.indices])


def test_a_fit_and_all_that_follows_it_from_chunks_alone(dask_container):
    chunks = dask_container(X)
    fitted = GreedySelector(4, center=True)
    with resources() as given:
        chosen = fitted.fit_transform(chunks)
    assert given.used.passes == 1
    known = GreedySelector(4, center=True).fit(X)
    np.testing.assert_array_equal(fitted.indices_, known.indices_)
    np.testing.assert_allclose(dense(chosen), known.transform(X))
    np.testing.assert_allclose(fitted.score(chunks), known.score(X))


def test_nothing_is_computed_before_it_is_asked_for(counted_blocks):
    chunks, read = counted_blocks(X, (30, 4))
    fitted = BSSSelector(3, rank=2).fit(X)
    chosen = fitted.transform(chunks)
    rebuilt = fitted.reconstruct(chosen)
    fitted.inverse_transform(chosen)
    assert read == []
    rebuilt[:30].compute()
    # one row of blocks, and of that the blocks that hold a chosen column
    assert sorted(read) == sorted((0, j) for j in set(fitted.indices_ // 4))


def test_what_is_lazy_is_of_the_fit_that_was(counted_blocks):
    chunks, _ = counted_blocks(X, (30, 12))
    fitted = GreedySelector(3).fit(X)
    before, chosen = fitted.transform(X), fitted.transform(chunks)
    fitted.fit(X[:, ::-1])
    np.testing.assert_array_equal(dense(chosen), before)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_blocks_stay_as_they_are(kind):
    few = X.astype(np.float32)
    chunks = da.from_array(few, chunks=(40, 5)).map_blocks(kind, dtype=few.dtype)
    for selector in (GreedySelector(4), BSSSelector(5, rank=3)):
        fitted = selector.fit(few)
        block = fitted.transform(chunks).blocks[0].compute()
        assert block.dtype == fitted.transform(few).dtype == np.float32
        assert isinstance(block, type(fitted.transform(chunks)._meta))
        assert sp.issparse(block) == (kind is sp.csr_array)
        back = fitted.inverse_transform(fitted.transform(chunks)).compute()
        assert back.dtype == np.float32
        assert sp.issparse(back) == (kind is sp.csr_array)


def test_entries_of_float32_that_are_out_of_range_are_found():
    wrong = X.astype(np.float32)
    wrong[40, 2] = np.inf
    for kind in (np.asarray, sp.csr_array):
        chunks = da.from_array(wrong, chunks=(30, 5)).map_blocks(kind, dtype=wrong.dtype)
        with pytest.raises(ValueError, match=r"infinity in block \(1, 0\), at row 40, column 2"):
            GreedySelector(3).fit(chunks)


def test_empty_chunks_have_no_rows():
    chunks = da.from_array(X, chunks=((30, 0, 60), (12,)))
    fitted = BSSSelector(4, rank=3).fit(X)
    np.testing.assert_allclose(dense(fitted.transform(chunks)), fitted.transform(X))
    rows = RowSelector(MedoidSelector(4, random_state=0)).fit(X)
    np.testing.assert_array_equal(rows.predict(chunks).compute(), rows.predict(X))
    sparse = chunks.map_blocks(sp.csr_array, dtype=X.dtype)
    np.testing.assert_allclose(dense(fitted.transform(sparse)), fitted.transform(X))


def test_frames_stay_frames_and_names_are_known():
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    chunks = dd.from_pandas(frame, npartitions=3)
    fitted = BSSSelector(4, rank=3).fit(chunks)
    known = BSSSelector(4, rank=3).fit(frame)
    assert fitted.get_feature_names_out().tolist() == known.get_feature_names_out().tolist()
    chosen = fitted.transform(chunks)
    assert list(chosen.columns) == fitted.get_feature_names_out().tolist()
    np.testing.assert_allclose(dense(chosen), fitted.transform(frame))
    np.testing.assert_allclose(
        dense(fitted.reconstruct(chosen)), known.reconstruct(known.transform(frame)), atol=1e-9
    )
    turned = dd.from_pandas(frame[frame.columns[::-1]], npartitions=2)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(turned)
    applied = fitted.selection_.apply(turned)  # by name
    assert list(applied.columns) == list(fitted.selection_.names)
    np.testing.assert_allclose(dense(applied), fitted.selection_.apply(frame))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_score_takes_one_pass(way, weighted, dask_container):
    fitted = GreedySelector(4, **way).fit(X[:60])
    chunks = dask_container(X)
    if weighted and np.isnan(chunks.shape[0]):
        with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\)"):
            fitted.score(chunks, sample_weight=np.ones(90))
        return
    weights = np.repeat([0.0, 1.0, 3.0], 30) if weighted else None
    with resources() as given:
        found = fitted.score(chunks, sample_weight=weights)
    assert given.used.passes == 1
    np.testing.assert_allclose(found, fitted.score(X, sample_weight=weights))


def test_an_explanation_takes_two_passes(dask_container):
    fitted = GreedySelector(3, center=True, scale="std").fit(X)
    with resources() as given:
        found = fitted.explain(dask_container(X))
    assert given.used.passes == 2
    known = fitted.explain(X)
    np.testing.assert_array_equal(found.rivals, known.rivals)
    for name in ("explained", "coefficients", "intercepts", "losses", "error"):
        np.testing.assert_allclose(getattr(found, name), getattr(known, name), atol=1e-9)


def test_batches_may_be_chunks(dask_container):
    known = GreedySelector(4, center=True).fit(np.vstack([X[:20], X]))
    stream = GreedySelector(4, center=True).partial_fit(X[:20])
    with resources() as given:
        stream.partial_fit(dask_container(X))
    assert given.used.passes == 1
    np.testing.assert_array_equal(stream.indices_, known.indices_)
    np.testing.assert_allclose(stream.relative_errors_, known.relative_errors_)
    again = GreedySelector(4, center=True).partial_fit(dask_container(X)).partial_fit(X[:20])
    np.testing.assert_array_equal(again.indices_, known.indices_)


def test_drift_takes_one_pass(dask_container):
    selection = select(X, 3)
    with resources() as given:
        moved = selection.drift(dask_container(X + 100.0))
    assert given.used.passes == 1
    assert [column["name"] for column in moved] == [
        column["name"] for column in selection.drift(X + 100.0)
    ]
    assert selection.drift(dask_container(X)) == []


def test_what_is_refused_says_why():
    chunks = da.from_array(X, chunks=(30, 12))
    fitted = GreedySelector(4).fit(X)
    with pytest.raises(ValueError, match="X has 11 features"):
        fitted.transform(chunks[:, :11])
    with pytest.raises(ValueError, match="3 columns, but 4 were chosen"):
        fitted.inverse_transform(chunks[:, :3])
    with pytest.raises(ValueError, match="3 columns, but 4 were chosen"):
        fitted.reconstruct(chunks[:, :3])
    with pytest.raises(ValueError, match=r"set_output\(transform='default'\)"):
        GreedySelector(4).fit(X).set_output(transform="pandas").transform(chunks)
    gap = X.copy()
    gap[70, fitted.indices_.min()] = np.nan
    with pytest.raises(ValueError, match=r"NaN in block \(2, 0\), at row 70, column 0"):
        fitted.reconstruct(fitted.transform(da.from_array(gap, chunks=(30, 12)))).compute()
    widths = chunks[:, chunks[0] > -np.inf]
    for function in (fitted.transform, fitted.score, fitted.selection_.reconstruct):
        with pytest.raises(ValueError, match=r"columns .* X\.compute_chunk_sizes\(\)"):
            function(widths)


def test_clusters_of_rows_are_left_out_of_certificates_by_default():
    fitted = DualSetSelector(6, n_clusters=2).fit(X)
    chunks = da.from_array(X, chunks=(30, 12))
    found, known = fitted.certificate(chunks), fitted.certificate(X, n_clusters=None)
    assert [check.key for check in found.checks] == [check.key for check in known.checks]
    with pytest.raises(TypeError, match="n_clusters would look at rows one by one"):
        fitted.certificate(chunks, n_clusters=2)


@pytest.mark.parametrize("selector", [GreedySelector(4), MedoidSelector(4, random_state=0)])
@pytest.mark.parametrize("way", WAYS)
def test_rows_are_described_when_they_are_asked_for(selector, way, dask_container):
    fitted = RowSelector(selector, **way).fit(X)
    chunks = dask_container(X)
    Z = fitted.transform(chunks)
    assert Z.shape[1] == 4
    np.testing.assert_allclose(dense(Z), fitted.transform(X), atol=1e-9)
    np.testing.assert_array_equal(fitted.predict(chunks).compute(), fitted.predict(X))
    assert fitted.transform(chunks.astype(np.float32)).compute().dtype == np.result_type(
        fitted.transform(X.astype(np.float32))
    )
    if isinstance(selector, GreedySelector):
        known = fitted.inverse_transform(fitted.transform(X))
        np.testing.assert_allclose(dense(fitted.inverse_transform(Z)), known, atol=1e-9)


def test_rows_are_not_read_before(counted_blocks):
    chunks, read = counted_blocks(X, (30, 4))
    fitted = RowSelector(GreedySelector(4)).fit(X)
    fitted.predict(chunks)
    Z = fitted.transform(chunks)
    assert read == []
    Z.compute()
    assert len(read) == 9


@pytest.mark.parametrize("way", [{}, {"center": True, "scale": "std"}])
@pytest.mark.parametrize("n_select", [3, 20])
def test_all_that_is_read_to_choose_rows_is_counted(way, n_select, counted_blocks):
    """Each block three times, once more for means, and again if one of its rows was chosen."""
    A = np.random.default_rng(0).standard_normal((800, 30))
    X, read = counted_blocks(A, (100, 15))
    with resources() as given:
        rows = RowSelector(GreedySelector(n_select), **way).fit(X)
    holding = len(set(rows.indices_ // 100))
    assert len(read) == 2 * (8 * (4 if way else 3) + holding)
    assert given.used.passes == pytest.approx(len(read) / 16)
    assert given.used.bytes_read == A.nbytes * len(read) // 16
    planned = sum(piece.passes for piece in plan(X, n_select, axis=0, **way))
    assert given.used.passes == pytest.approx(planned + holding / 8)
    np.testing.assert_array_equal(rows.representatives_, A[rows.indices_])
    np.testing.assert_allclose(rows.transform(A).T, rows.selection_.embedding, atol=1e-10)


def test_rows_that_are_taken_are_counted():
    A = np.arange(40.0).reshape(20, 2)
    with resources() as given:
        found = take_rows(da.from_array(A, chunks=(5, 2)), np.array([17, 3, 16, 0]))
    np.testing.assert_array_equal(found, A[[17, 3, 16, 0]])
    assert given.used.passes == 0.5
    assert given.used.bytes_read == A.nbytes / 2


def test_the_embedding_of_all_rows_of_a_fit_is_not_sent():
    fitted = RowSelector(GreedySelector(4)).fit(table(5000))
    blocks = fitted.transform(da.zeros((30, 12), chunks=10)).__dask_graph__()
    assert len(pickle.dumps(fitted)) > 8 * 4 * 5000
    assert max(len(pickle.dumps(task)) for task in dict(blocks).values()) < 20_000


def test_workers_do_the_same(cluster):
    chunks = da.from_array(X, chunks=(30, 5))
    fitted = pickle.loads(pickle.dumps(GreedySelector(4, center=True).fit(chunks)))
    known = GreedySelector(4, center=True).fit(X)
    np.testing.assert_array_equal(fitted.indices_, known.indices_)
    for name in ("indices_", "relative_errors_"):
        assert isinstance(getattr(fitted, name), np.ndarray)
    chosen = fitted.transform(chunks)
    np.testing.assert_allclose(dense(chosen), known.transform(X))
    np.testing.assert_allclose(
        dense(fitted.reconstruct(chosen)), known.reconstruct(known.transform(X)), atol=1e-9
    )
    np.testing.assert_allclose(fitted.score(chunks), known.score(X))
    assert fitted.certificate(chunks).holds
    rows = RowSelector(GreedySelector(4)).fit(X)
    np.testing.assert_array_equal(rows.predict(chunks).compute(), rows.predict(X))
