"""Work that was ended goes on from what was kept of it, if it is the same work."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="the extra dask is not installed")

import dask
import dask.array as da
from chunks import cut, even
from sklearn.base import clone

from colonnade import GreedySelector, ReducedKMeans, RowSelector, open_data, resources, select
from colonnade.operands.chunked import checkpoint, summing
from colonnade.operands.chunked.array import Chunked
from colonnade.operands.chunked.source import Source


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(summing, "BATCH", 3)
    with dask.config.set(scheduler="synchronous"):
        yield


A = np.random.default_rng(0).standard_normal((60, 8)) @ np.diag(np.arange(1.0, 9.0))
ROWS, COLUMNS = even(60, 10), (5, 3)


class StopError(Exception):
    """What ends the work."""


def stop_after(count):
    def progress(what, done, wanted):
        if done >= count:
            raise StopError

    return progress


def sums(X, weights=None, products=True):
    return Chunked(Source(X)).sums(weights, products=products)


def kept(folder, X, count=6, weights=None, products=True):
    """Begin work and end it after so many rows of blocks."""
    with resources(checkpoint=folder, progress=stop_after(count)), pytest.raises(StopError):
        sums(X, weights, products)


def test_winners_of_parts_are_kept_before_the_process_ends(tmp_path):
    X = cut(np.random.default_rng(2).standard_normal((140, 6)), even(140, 70), (6,))

    def progress(what, done, wanted):
        if what == "winners":
            assert (done, wanted) == (64, 70)
            assert not (tmp_path / "rounds-winners.npz").exists()
            checkpoint.keep_all()
            raise StopError

    with resources(checkpoint=tmp_path, progress=progress), pytest.raises(StopError):
        select(X, 2, axis=0)
    with np.load(tmp_path / "rounds-winners.npz") as winners:
        assert winners.files == [str(part) for part in range(64)]
    with resources(checkpoint=tmp_path):
        found = select(X, 2, axis=0)
    assert found.indices.tolist() == select(X, 2, axis=0).indices.tolist()


def test_what_is_saved_is_not_kept_again(tmp_path):
    path = tmp_path / "products.npz"
    with (
        resources(checkpoint=tmp_path, progress=stop_after(6)),
        pytest.raises(StopError) as caught,
    ):
        sums(cut(A, ROWS, COLUMNS))
    assert caught.tb is not None, "what was begun is still there"
    path.unlink()
    checkpoint.keep_all()
    assert not path.exists()


@pytest.mark.parametrize("put", ["dense", "CSR", "COO"])
@pytest.mark.parametrize("products", [True, False])
@pytest.mark.parametrize("tiles", ["one", "groups"])
def test_the_rest_of_the_work_is_done(tmp_path, monkeypatch, put, products, tiles):
    if tiles == "groups":
        for name, value in {"WHOLE": 4, "TILE": 3, "GROUP_BYTES": 160}.items():
            monkeypatch.setattr(summing, name, value)
    X = cut(A, ROWS, COLUMNS, put)
    w = np.random.default_rng(1).integers(0, 3, 60).astype(float)
    with resources() as given:
        expected = sums(X, w, products)
    kept(tmp_path, X, 6, w, products)
    with resources(checkpoint=tmp_path) as after:
        found = sums(X, w, products)
    for name in ("means", "squares", "low", "high", "weight", "n_rows", "weighted"):
        mine, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(mine, theirs, rtol=1e-13, atol=1e-13)
    assert found.tiles == expected.tiles
    for mine, theirs in zip(found.parts, expected.parts, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13, atol=1e-13)
    # what was done is read to be compared, and the rest
    assert after.used.bytes_read == given.used.bytes_read
    assert (given.used.passes, after.used.passes) == (1.0, pytest.approx(1.0))
    assert after.used.bytes_sent < 0.6 * given.used.bytes_sent


def opened(path, M=A):
    """A file of the matrix, in six blocks of rows."""
    np.save(path, M)
    return open_data(path, chunk_bytes=10 * 8 * M.shape[1]).array


def test_what_was_done_is_not_read_again_from_files_that_were_not_written(tmp_path):
    X = opened(tmp_path / "a.npy")
    expected = sums(X)
    kept(tmp_path / "kept", X, 3)
    for share in (0.5, 0.0):  # the rest, and then nothing
        with resources(checkpoint=tmp_path / "kept") as after:
            found = sums(opened_again := open_data(tmp_path / "a.npy", chunk_bytes=640).array)
        assert opened_again is not X
        assert after.used.passes == pytest.approx(share)
        assert after.used.bytes_read == share * A.nbytes
        np.testing.assert_allclose(found.means, expected.means, rtol=1e-13, atol=1e-13)
    # of what was made of them nobody knows what it is
    with resources(checkpoint=tmp_path / "kept") as after:
        sums(X + 0.0)
    assert after.used.passes == 1
    os.utime(tmp_path / "a.npy", ns=(1, 1))
    with resources(checkpoint=tmp_path / "kept") as after:
        sums(open_data(tmp_path / "a.npy", chunk_bytes=640).array)
    assert after.used.passes == 1


def renamed(M, name="mine"):
    return da.from_array(M, chunks=(10, 8), name=name)


def opened_zarr(path):
    return lambda M: (_write(path, M), open_data(path, chunk_bytes=640).array)[1]


def from_zarr(path):
    return lambda M: (_write(path, M), da.from_zarr(path))[1]


def _write(path, M):
    zarr = pytest.importorskip("zarr", reason="the extra dask is not installed")
    if not path.exists():
        zarr.create_array(path, shape=M.shape, chunks=(10, 8), dtype=M.dtype)
    array = zarr.open(path, mode="r+")
    if not np.array_equal(array[:], M):
        changed = np.flatnonzero((array[:] != M).any(axis=1))
        first, last = changed[0], changed[-1] + 1
        array[first:last] = M[first:last]


WAYS = {
    "a name": lambda folder: renamed,
    "a store": lambda folder: from_zarr(folder / "a.zarr"),
    "an opened file": lambda folder: opened_zarr(folder / "a.zarr"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("select", [GreedySelector(3), RowSelector(GreedySelector(3))])
def test_other_data_of_the_same_name_is_refused(tmp_path, way, select):
    """Neither the first, nor the middle, nor the last block is other, nor any name."""
    array = WAYS[way](tmp_path)
    folder = tmp_path / "kept"
    with resources(checkpoint=folder):
        expected = clone(select).fit(array(A)).indices_
    with resources(checkpoint=folder):
        assert clone(select).fit(array(A)).indices_.tolist() == expected.tolist()
    B = A.copy()
    B[10:20] *= -7.0
    with resources(checkpoint=folder), pytest.raises(ValueError, match="differs in values"):
        clone(select).fit(array(B))


def test_entries_that_change_places_are_other_data(tmp_path):
    """The numbers that a sparse matrix holds do not tell where they are."""
    M = np.zeros((60, 8))
    M[np.arange(60), np.arange(60) % 8] = np.arange(1.0, 61.0)
    kept(tmp_path, cut(M, ROWS, COLUMNS, "CSR"))
    M[[12, 12], [4, 5]] = M[[12, 12], [5, 4]]
    with resources(checkpoint=tmp_path), pytest.raises(ValueError, match="differs in values"):
        sums(cut(M, ROWS, COLUMNS, "CSR"))


def test_nothing_that_work_depends_on_takes_the_place_of_another(tmp_path):
    source = Source(cut(A, ROWS, COLUMNS))
    for name in ("values", "weights", "chunks"):
        with resources(checkpoint=tmp_path), pytest.raises(TypeError, match=name):
            checkpoint.Kept.of(source, "some", {name: 1}, None)


def test_weights_that_begin_with_nothing(tmp_path):
    """What is kept first are sums over no rows."""
    w = np.zeros(60)
    w[-10:] = 1.0
    X = cut(A, ROWS, COLUMNS)
    kept(tmp_path, X, 3, w)
    with resources(checkpoint=tmp_path) as given:
        found = sums(X, w)
    assert given.used.passes == pytest.approx(1.0)
    np.testing.assert_allclose(found.means, A[-10:].mean(axis=0))


def test_what_was_kept_was_checked(tmp_path):
    """Blocks that are not read again are not looked at again, and those to come are."""
    kept(tmp_path, cut(A, ROWS, COLUMNS))
    wrong = A.copy()
    wrong[-7, 2] = np.nan
    with (
        resources(checkpoint=tmp_path),
        pytest.raises(ValueError, match=r"NaN in block \(8, 0\), at row 53, column 2"),
    ):
        sums(cut(wrong, ROWS, COLUMNS))


def test_an_error_keeps_what_was_done_before_it(tmp_path):
    wrong = A.copy()
    wrong[-7, 2] = np.nan
    with resources(checkpoint=tmp_path), pytest.raises(ValueError, match="NaN"):
        sums(cut(wrong, ROWS, COLUMNS))
    with resources(checkpoint=tmp_path) as given:
        sums(cut(A, ROWS, COLUMNS))
    assert given.used.passes == pytest.approx(1.0)


def test_work_that_takes_long_is_saved_on_the_way(tmp_path, monkeypatch):
    saved = []
    save = checkpoint.Kept.save
    monkeypatch.setattr(checkpoint.Kept, "save", lambda self, *a: (saved.append(1), save(self, *a)))
    with resources(checkpoint=tmp_path / "seldom"):
        sums(cut(A, ROWS, COLUMNS))
    assert len(saved) == 1
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    with resources(checkpoint=tmp_path / "often"):
        sums(cut(A, ROWS, COLUMNS))
    assert len(saved) == 1 + 4


OTHERS = {
    "values": lambda: (cut(A + 1e-9, ROWS, COLUMNS), None),
    "chunks": lambda: (cut(A, even(60, 6), COLUMNS), None),
    "weights": lambda: (cut(A, ROWS, COLUMNS), np.ones(60)),
    "dtype": lambda: (cut(A.astype(np.float32), ROWS, COLUMNS), None),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_work_is_refused(tmp_path, what):
    kept(tmp_path, cut(A, ROWS, COLUMNS))
    X, weights = OTHERS[what]()
    message = rf"is of other work: it differs in (\w+, )*{what}.*give another folder"
    with resources(checkpoint=tmp_path), pytest.raises(ValueError, match=message):
        sums(X, weights)


def test_two_parts_of_the_work_in_one_folder(tmp_path):
    X = cut(A, ROWS, COLUMNS)
    kept(tmp_path, X, products=True)
    kept(tmp_path, X, products=False)
    for products in (True, False):
        with resources(checkpoint=tmp_path) as given:
            found = sums(X, products=products)
        assert given.used.passes == pytest.approx(1.0)
        assert bool(found.parts) == products


@pytest.mark.parametrize("name", ["products.npz", "products.json"])
@pytest.mark.parametrize("damage", ["truncated", "empty", "overwritten", "flipped", "other"])
def test_damaged_files(tmp_path, name, damage):
    kept(tmp_path, cut(A, ROWS, COLUMNS))
    path = tmp_path / name
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        data[len(data) // 3] ^= 0xFF
    data = {
        "truncated": data[: len(data) // 2],
        "empty": b"",
        "overwritten": b"\x00" * len(data),
        "flipped": data,
        "other": b"[]",
    }[damage]
    if (name, damage) == ("products.npz", "other"):
        np.savez(path, something=np.ones(3))
    else:
        path.write_bytes(data)
    # a flipped byte of the description may leave it readable, and another
    message = "is damaged|is of other work" if path.suffix == ".json" else "is damaged"
    with resources(checkpoint=tmp_path), pytest.raises(ValueError, match=message):
        sums(cut(A, ROWS, COLUMNS))


def test_a_file_is_no_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    read = []
    X = cut(A, ROWS, COLUMNS).map_blocks(lambda block: (read.append(1), block)[1], meta=A[:0])
    with resources(checkpoint=path), pytest.raises(ValueError, match="cannot be used as a folder"):
        sums(X)
    with resources(checkpoint=path / "below"), pytest.raises(ValueError, match="as a folder"):
        sums(X)
    assert not read


def test_a_selector_goes_on(tmp_path):
    X, folder = opened(tmp_path / "a.npy"), tmp_path / "kept"
    expected = GreedySelector(4, center=True).fit(X)
    with resources(checkpoint=folder, progress=stop_after(3)), pytest.raises(StopError):
        GreedySelector(4, center=True).fit(X)
    about = json.loads((folder / "products.json").read_text())
    assert about["chunks"] == [[10] * 6, [8]]
    with resources(checkpoint=folder) as given:
        found = GreedySelector(4, center=True).fit(X)
    assert given.used.passes == 0.5
    assert found.indices_.tolist() == expected.indices_.tolist()


def far(M):
    """Data in float32 that is far from zero for its spread, so that learners widen it."""
    return (M[:, :700] + 1e5).astype(np.float32)


@pytest.mark.parametrize("made", [lambda M: M, far])
def test_a_learner_does_several_pieces_of_work_of_a_kind(tmp_path, made):
    """On the data and on what it made of it; each goes on by itself, and none as another."""
    M = made(np.random.default_rng(0).standard_normal((60, 2200)))
    D = da.from_array(M, chunks=(20, 2200))

    def fit(array):
        reducer = GreedySelector(5, center=True)
        return ReducedKMeans(3, random_state=0, scale="std", reducer=reducer).fit(array)

    expected = fit(D)
    for _ in range(2):
        with resources(checkpoint=tmp_path):
            found = fit(D)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, rtol=1e-12)
    other = M.copy()
    other[0, 0] += 1
    with (
        resources(checkpoint=tmp_path),
        pytest.raises(ValueError, match="is of other work: it differs in values"),
    ):
        fit(da.from_array(other, chunks=(20, 2200)))


def test_calls_with_one_folder_go_on_in_their_order(tmp_path):
    one, two = opened(tmp_path / "a.npy"), opened(tmp_path / "b.npy", A[::-1] * 2.0)
    for passes in (2, 0):
        with resources(checkpoint=tmp_path / "kept") as given:
            for X in (one, two, one):
                np.testing.assert_allclose(sums(X).means, X.compute().mean(axis=0))
        assert given.used.passes == passes
    with resources(checkpoint=tmp_path / "kept"):
        with pytest.raises(ValueError, match="is of other work"):
            sums(two)
        sums(one)  # and what was refused takes no name


@pytest.mark.parametrize("wrong", ["", "  "])
def test_no_folder_is_not_the_current_one(wrong):
    with pytest.raises(ValueError, match="names no folder"), resources(checkpoint=wrong):
        pass


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 61.0)])
def test_whether_rows_had_weights_is_kept(tmp_path, weights):
    kept(tmp_path, cut(A, ROWS, COLUMNS), weights=weights)
    with resources(checkpoint=tmp_path):
        assert sums(cut(A, ROWS, COLUMNS), weights).weighted == (weights is not None)
    with resources(checkpoint=tmp_path):  # of all that was kept, too
        assert sums(cut(A, ROWS, COLUMNS), weights).weighted == (weights is not None)
