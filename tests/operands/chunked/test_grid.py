"""Blocks of dask arrays as tasks of their own."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("dask")

import dask
import dask.array as da

from colonnade import open_data
from colonnade.operands.chunked import grid
from colonnade.operands.chunked.grid import stamp_of_all
from colonnade.operands.chunked.source import Source


def test_a_block_has_no_more_of_the_graph_than_it_needs():
    A = np.random.RandomState(0).standard_normal((40, 6))
    X = da.from_array(A, chunks=(2, 3)) * 2.0
    blocks = grid.blocks_apart(X)
    assert blocks.shape == (20, 2)
    assert max(len(dict(block.dask)) for block in blocks.flat) <= 4  # all of them: 41 or more
    found = np.block([list(row) for row in dask.compute(*map(list, blocks))])
    assert np.array_equal(found, 2.0 * A)


def test_blocks_that_need_all_others_share_a_graph(monkeypatch):
    monkeypatch.setattr(grid, "LARGEST", 10)
    A = np.random.RandomState(0).standard_normal((40, 6))
    X = da.from_array(A, chunks=(2, 6))
    blocks = grid.blocks_apart(X - X.mean(axis=0))
    assert blocks[0, 0].dask is blocks[19, 0].dask
    assert np.allclose(np.concatenate(dask.compute(*blocks[:, 0])), A - A.mean(axis=0))


def test_starts_follow_heights_that_are_learnt_later():
    source = Source(da.zeros((7, 5), chunks=(3, 2)))
    assert source.starts(0) == [0, 3, 6, 7]
    source.heights = (2, 2, 3)
    assert source.starts(0) == [0, 2, 4, 7]
    assert source.starts(1) == [0, 2, 4, 5]


def plain(block):
    return block


def test_what_opened_files_hold_is_told_by_their_stamps(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(60.0).reshape(12, 5))
    X = open_data(tmp_path / "a.npy", chunk_bytes=160).array
    again = open_data(tmp_path / "a.npy", chunk_bytes=160).array
    assert stamp_of_all(again) == stamp_of_all(X) is not None
    assert stamp_of_all(open_data(tmp_path / "a.npy", chunk_bytes=200).array) != stamp_of_all(X)
    graph = dict(X.dask)
    renamed = {("mine", *key[1:]): work for key, work in graph.items()}
    assert stamp_of_all(da.Array(renamed, "mine", X.chunks, meta=X._meta)) == stamp_of_all(X)
    # of anything else nobody knows what it holds
    done = {key: (plain, work[1]) for key, work in graph.items()}
    held = {key: (work[0], "a block") for key, work in graph.items()}
    for other in (done, held):
        assert stamp_of_all(da.Array(other, X.name, X.chunks, meta=X._meta)) is None
    for made in (X + 0.0, X[:, 1:], X[:4], X.rechunk((6, 5)), X.persist(), X.blocks[:1]):
        assert stamp_of_all(made) is None
    for other in (da.ones((4, 2)), da.from_array(np.ones((4, 2)), name="mine")):
        assert stamp_of_all(other) is None
