"""Sizes as people write them, and what is counted in which context."""

from __future__ import annotations

import contextvars
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="the extra dask is not installed")

from chunks import cut

from colonnade import GreedySelector, resources
from colonnade.operands.chunked.resources import as_bytes, current, size_text

SIZES = {
    1000: 1000,
    1e9: 10**9,
    2.5e17: 250_000_000_000_000_000,
    np.int64(5): 5,
    "800": 800,
    "800B": 800,
    "1kB": 1000,
    "1.5 MB": 1_500_000,
    "4GiB": 4 * 2**30,
    " 2 tib ": 2 * 2**40,
    ".5KiB": 512,
}


@pytest.mark.parametrize("text", SIZES)
def test_sizes(text):
    assert as_bytes(text) == SIZES[text]


@pytest.mark.parametrize(
    "wrong", ["", "4 gigs", "GiB", "-4GiB", "1.2.3MB", ".", "4GiB5", "nan", "1e9x"]
)
def test_no_sizes(wrong):
    with pytest.raises(ValueError, match="is no size; give a number of bytes"):
        as_bytes(wrong, "memory")


@pytest.mark.parametrize("wrong", [0, "0MB", "0.1B", -5, float("nan"), float("inf")])
def test_sizes_of_nothing_and_of_everything(wrong):
    with pytest.raises(ValueError, match=r"^memory="):
        as_bytes(wrong, "memory")


@pytest.mark.parametrize("wrong", [True, [4], b"4GiB", 1j])
def test_what_is_no_number(wrong):
    with (
        pytest.raises(TypeError, match="memory must be a number of bytes or text such as '4GiB'"),
        resources(memory=wrong),
    ):
        pass


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (2**30 - 1, "1.0 GiB"), (2**52, "4.0 PiB")],
)
def test_sizes_as_text(count, text):
    assert size_text(count) == text


@pytest.mark.parametrize(
    "wrong", [{"checkpoint": 5}, {"progress": "yes"}, {"checkpoint": ["a", "b"]}]
)
def test_wrong_values(wrong):
    (name,) = wrong
    with pytest.raises(TypeError, match=f"^{name} must be"), resources(**wrong):
        pass


def test_contexts_within_each_other():
    X = cut(np.random.default_rng(0).standard_normal((20, 5)), (8, 12), (5,))
    outside = current()
    with resources(memory="1GiB", checkpoint=None) as outer:
        assert outer.memory == 2**30
        GreedySelector(2).fit(X)
        with resources() as inner:
            assert current() is inner
            assert inner.memory == 2**30
            GreedySelector(2).fit(X)
        assert current() is outer
        assert inner.used.passes == 1
        assert inner.used.bytes_read == X.nbytes
        assert outer.used.passes == 2
        assert outer.used.bytes_read == 2 * X.nbytes
        assert outer.used.tasks == 2 * inner.used.tasks > 0
    assert current() is outside
    with pytest.raises(KeyError), resources():
        raise KeyError
    assert current() is outside


def test_what_is_not_given_is_as_around(tmp_path):
    X = cut(np.random.default_rng(0).standard_normal((20, 5)), (8, 12), (5,))
    told = []
    around = {"memory": "1GiB", "checkpoint": tmp_path, "progress": lambda *what: told.append(what)}
    with resources(**around) as outer, resources(memory="2GiB") as inner:
        assert (inner.memory, inner.checkpoint) == (2**31, outer.checkpoint)
        GreedySelector(2).fit(X)
        with resources():
            GreedySelector(2).fit(2 * X)  # kept beside the other
    assert len(told) == 2
    assert {path.name for path in tmp_path.glob("*.npz")} == {"products.npz", "products-2.npz"}
    assert outer.used == inner.used
    with resources(memory="1KiB"), resources(), pytest.raises(MemoryError):
        GreedySelector(2).fit(X)
    with resources(memory="1KiB"), resources(memory="1GiB"):
        GreedySelector(2).fit(X)
    with resources(checkpoint=tmp_path / "a"), resources(checkpoint=tmp_path / "b") as given:
        assert given.checkpoint == tmp_path / "b"
        assert given.works == {}


def test_threads_are_outside_unless_they_are_given_the_context():
    seen = []
    with resources(memory="1GiB"):
        for run in (lambda work: work(), contextvars.copy_context().run):
            thread = threading.Thread(target=run, args=(lambda: seen.append(current().memory),))
            thread.start()
            thread.join()
    assert seen == [None, 2**30]


def test_progress_is_told_of_every_batch(tmp_path):
    X = cut(np.random.default_rng(0).standard_normal((70, 5)), (1,) * 70, (5,))
    told = []
    with resources(progress=lambda *what: told.append(what), checkpoint=str(tmp_path)) as given:
        GreedySelector(2).fit(X)
    assert told == [("products", 64, 70), ("products", 70, 70)]
    assert given.checkpoint == Path(tmp_path)
    assert given.used.tasks > 0
