"""What was once wrong with data in chunks, each as small as it shows."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp
from oracles.textbook import residual

from colonnade import (
    ChunkedTable,
    GreedySelector,
    ReducedKMeans,
    RLSClassifier,
    plan,
    resources,
    select,
)
from colonnade.operands.chunked import array as chunked_array
from colonnade.operands.chunked.arriving import chunk_rows
from colonnade.operands.chunked.labelled import fold_sums
from colonnade.operands.entrance import wrapped
from colonnade.operands.sums import sums_of

dask = pytest.importorskip("dask", reason="dask is not installed (extra dask)")
da = pytest.importorskip("dask.array", reason="dask is not installed (extra dask)")


def test_a_checkpoint_tells_blocks_apart_that_were_not_looked_at(tmp_path):
    X = np.random.default_rng(0).standard_normal((300, 20))
    with resources(checkpoint=tmp_path):
        GreedySelector(3).fit(da.from_array(X, chunks=(30, 20)))
    Y = X.copy()
    Y[90:120, 4] *= 100.0  # neither the first, nor the middle, nor the last block
    with pytest.raises(ValueError, match="differs in values"), resources(checkpoint=tmp_path):
        GreedySelector(3).fit(da.from_array(Y, chunks=(30, 20)))


@pytest.mark.parametrize("n_select", [11, 15, 19])
def test_many_choices_take_one_pass_all_the_same(n_select):
    X = np.random.default_rng(0).standard_normal((500, 20))
    with resources() as given:
        found = GreedySelector(n_select, center=True).fit(da.from_array(X, chunks=(100, 20)))
    assert given.used.passes == 1
    assert found.indices_.tolist() == GreedySelector(n_select, center=True).fit(X).indices_.tolist()


def test_a_column_far_from_zero_does_not_hide_the_others(monkeypatch):
    monkeypatch.setattr(chunked_array, "MOST_PRODUCTS", 0)
    rng = np.random.default_rng(1)
    A = rng.standard_normal((16, 24)) * np.geomspace(1.0, 0.01, 24)
    A[:, 3] += 1e8
    with resources() as given:
        ours = select(da.from_array(A, chunks=(16, 1)), 8)  # every column is sent
    assert given.used.passes == pytest.approx(4)  # one more for a target without squares
    theirs = select(A, 8)
    left = [np.sum(residual(A, found.indices.tolist()) ** 2) for found in (ours, theirs)]
    assert left[0] <= 1.05 * left[1]


def test_one_part_sends_more_than_are_chosen():
    X = np.random.default_rng(2).standard_normal((60, 8))
    exact = select(X, 5, axis=0, refine=True)
    for height in (60, 20):
        ours = select(da.from_array(X, chunks=(height, 8)), 5, axis=0, refine=True)
        assert ours.info["rounds"]["winners"] >= 8  # all that their span has room for
        assert ours.errors[-1] <= 1.1 * exact.errors[-1]


def test_short_columns_are_not_multiplied_with_each_other():
    (piece,) = plan(da.zeros((100, 20_000), chunks=(100, 2000)), 5)
    assert piece.what == "a choice in two rounds"
    assert piece.peak_bytes < 2**29
    (piece,) = plan(da.zeros((100, 2000), chunks=(100, 2000)), 5)
    assert piece.what == "inner products of the columns"


def test_a_limit_on_memory_wants_known_sizes():
    X = da.from_array(np.random.default_rng(0).standard_normal((50, 4)), chunks=(10, 4))
    some = X[X[:, 0] > 0]
    assert "an unknown size to read" in str(plan(some, 2)[0])
    with (
        pytest.raises(ValueError, match=r"a limit on memory needs.*compute_chunk_sizes"),
        resources(memory="1GiB"),
    ):
        GreedySelector(2).fit(some)
    with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\) first"):
        plan(some, 2, axis=0)


@pytest.mark.parametrize("model", [ReducedKMeans(2), RLSClassifier(scale="std"), GreedySelector(2)])
def test_no_learner_takes_more_memory_than_it_may(model):
    D = da.from_array(np.random.default_rng(0).standard_normal((60, 5)), chunks=(20, 5))
    with pytest.raises(MemoryError, match=r"memory=1\.0 KiB is allowed"), resources(memory="1KiB"):
        model.fit(D, np.arange(60) % 2)


def test_frames_of_several_types_are_numbers():
    dd = pytest.importorskip("dask.dataframe", reason="dask[dataframe] is not installed")
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"a": rng.random(30) > 0.5, "b": rng.integers(9, size=30), "c": rng.random(30)}
    )
    for frame in (table, table.astype({"b": "Int64"})):
        found = GreedySelector(2).fit(dd.from_pandas(frame, npartitions=3))
        assert found.indices_.tolist() == GreedySelector(2).fit(table).indices_.tolist()


def frames():
    dd = pytest.importorskip("dask.dataframe", reason="dask[dataframe] is not installed")
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    return dd, pd


def test_frames_of_sparse_columns_are_numbers():
    dd, pd = frames()
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.poisson(0.3, (30, 4)) * rng.random(4), columns=list("abcd"))
    some = table.astype({"b": pd.SparseDtype(float, 0.0), "c": pd.SparseDtype(float, 0.0)})
    for frame in (table.astype(pd.SparseDtype(float, 0.0)), some):
        found = GreedySelector(2).fit(dd.from_pandas(frame, npartitions=3))
        assert found.indices_.tolist() == GreedySelector(2).fit(table).indices_.tolist()
    spans = table.assign(e=pd.IntervalIndex.from_breaks(range(31)))
    with pytest.raises(TypeError, match="1 column that holds no numbers: 'e'"):
        GreedySelector(2).fit(dd.from_pandas(spans, npartitions=3))


def test_columns_without_names_of_their_own_are_numbered():
    dd, pd = frames()
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 4)))
    known = GreedySelector(2).fit(table)
    found = GreedySelector(2).fit(dd.from_pandas(table, npartitions=3))
    assert found.get_feature_names_out().tolist() == known.get_feature_names_out().tolist()
    assert not hasattr(found, "feature_names_in_")


def test_a_table_of_chunks_has_chunks():
    with pytest.raises(TypeError, match=r"must be a dask array, got a numpy\.ndarray"):
        ChunkedTable(np.ones((4, 3)))


def test_no_rows_are_left():
    X = da.from_array(np.ones((30, 4)), chunks=(10, 4))
    with pytest.raises(ValueError, match="X has no rows; there is nothing"):
        GreedySelector(2).fit(X[X[:, 0] > 1])


def test_masks_are_not_dropped():
    D = da.ma.masked_greater(da.random.default_rng(0).random((20, 4), chunks=(10, 4)), 0.9)
    with pytest.raises(TypeError, match="masked"):
        GreedySelector(2).fit(D)


def test_the_first_of_several_wrong_entries_is_named(monkeypatch):
    rows, columns = [10, 60_000], [5, 7]
    X = sp.csr_array(([np.nan, np.nan], (rows, columns)), shape=(100_000, 50_000))
    D = da.from_array(X, chunks=X.shape, asarray=False)
    with pytest.raises(ValueError, match="at row 10, column 5"):
        wrapped(D).sq_norms()
    monkeypatch.setattr(chunked_array, "MOST_PRODUCTS", 0)
    A = np.ones((60, 8))
    A[45, 6] = np.nan
    with pytest.raises(ValueError, match=r"block \(2, 1\), at row 45, column 6"):
        select(da.from_array(A, chunks=(20, 4)), 2)


def test_means_of_columns_far_from_zero_keep_their_digits():
    X = 1e8 + np.random.default_rng(0).integers(-5, 6, (999, 3))
    exact = np.array([sum(int(value) for value in column) / 999 for column in X.T])
    assert np.abs(sums_of(wrapped(X.astype(np.float64))).means - exact).max() < 2e-8


def test_values_of_rows_in_chunks_are_gathered_where_tasks_are_watched(monkeypatch):
    from colonnade.operands.chunked import arriving, engine

    seen = []
    monkeypatch.setattr(
        engine, "computed", lambda tasks: seen.append(len(tasks)) or [3] * len(tasks)
    )
    arriving.gathered(da.ones(30, chunks=10))
    X = da.from_array(np.ones((9, 2)), chunks=(3, 2))
    assert arriving.with_known_rows(X[X[:, 0] > 0]).chunks == ((3, 3, 3), (2,))
    assert seen == [1, 3]


@pytest.mark.parametrize("work", ["sums", "blocks", "parts", "added", "folds", "triangle", "rows"])
def test_the_first_wrong_entry_is_named_whoever_finds_one_first(work):
    """However long the first block takes, and whatever is wrong in the others."""
    X = np.random.default_rng(0).standard_normal((120, 12))
    X[5, 3], X[47, 1], X[110, 2] = np.nan, np.nan, np.inf

    def slow(block, block_info=None):
        time.sleep(0.02 if block_info[0]["chunk-location"][0] == 0 else 0.0)
        return block

    D = da.from_array(X, chunks=(10, 12)).map_blocks(slow, dtype=float, meta=np.zeros((0, 0)))
    A = wrapped(D)
    jobs = {
        "sums": lambda: GreedySelector(2).fit(D),
        "blocks": lambda: A.matmat(np.ones((12, 2))),
        "parts": lambda: A.over_rows(_shape_of, "shapes", lambda _: ()),
        "added": lambda: A.gram(),
        "folds": lambda: fold_sums(A, np.ones((120, 1)), None, np.arange(120) % 3, 3),
        "triangle": lambda: A.triangle(),
        "rows": lambda: chunk_rows(D, np.array([115, 3, 41])),
    }
    for _ in range(3):
        with (
            pytest.raises(ValueError, match=r"^X contains NaN in block \(0, 0\), at row 5, col"),
            dask.config.set(scheduler="threads", num_workers=4),
        ):
            jobs[work]()


def _shape_of(A):
    return A.shape


def test_what_is_lazy_names_a_wrong_entry_as_well():
    X = np.random.default_rng(0).standard_normal((40, 4))
    model = RLSClassifier().fit(X, np.arange(40) % 2)
    X[25, 1] = np.inf
    with pytest.raises(ValueError, match=r"^X contains infinity in block \(2, 0\), at row 25"):
        model.predict(da.from_array(X, chunks=(10, 4))).compute()
