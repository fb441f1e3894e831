"""Worker processes: two against one, and what a block costs beside its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from colonnade import GreedySelector

from ..common import Options, Row, promised, shape_text
from .blocks import tall
from .watching import GIB, watched

RATIO = 0.7
"""How long two workers may take, with one as 1."""
PER_BLOCK = 20.0
"""How many milliseconds a further block may take on a cluster."""
BLOCKS = (25, 100, 400, 1600)


def run(options: Options, measure: Any) -> Iterator[Row]:
    yield from _two_against_one(options, measure)
    yield from _growing(options, measure)


def _two_against_one(options: Options, measure: Any) -> Iterator[Row]:
    m = 25_000 if options.quick else 250_000
    found = {count: measure("workers", "choose", m=m, n=1000, workers=count) for count in (1, 2)}
    for count, values in found.items():
        row = {
            "case": "workers",
            "set": f"{count} worker{'s' if count > 1 else ''} with 1 thread",
            "shape": shape_text((m, 1000)),
            "GB": 8e-9 * m * 1000,
            "seconds": values["seconds"],
            "peak, GiB": values["peak"] / GIB,
            "sent, GiB": values["sent"] / GIB,
        }
        if count > 1:
            row["ratio"] = values["seconds"] / found[1]["seconds"]
            promise, kept = "the same picks", {"picks": values["indices"] == found[1]["indices"]}
            if not options.quick:  # what is short is all overhead
                promise += f", ≤ {RATIO:g} × the time of one"
                kept[f"{RATIO:g} ×"] = row["ratio"] <= RATIO
            row = promised(row, promise, kept)
        yield row


def _growing(options: Options, measure: Any) -> Iterator[Row]:
    m, n = (25_000 if options.quick else 250_000), 100
    for workers in (0, 2):
        first = None
        for blocks in BLOCKS[:3] if options.quick else BLOCKS:
            found = measure("workers", "choose", m=m, n=n, workers=workers, height=m // blocks)
            row = {
                "case": "blocks",
                "set": f"{workers} workers" if workers else "threads",
                "shape": shape_text((m, n)),
                "GB": 8e-9 * m * n,
                "blocks": blocks,
                "seconds": found["seconds"],
            }
            if first is None:
                first = found["seconds"]
                yield row
                continue
            row["ms per block"] = 1e3 * (found["seconds"] - first) / (blocks - BLOCKS[0])
            kept = row["ms per block"] <= PER_BLOCK
            yield promised(row, f"≤ {PER_BLOCK:g} ms for each further block", kept)


def choose(m: int, n: int, workers: int, height: int | None = None) -> Row:
    """Choose columns on workers with a thread each, or on threads here if there are none."""
    X = tall(m, n, height)
    with _cluster(workers):
        GreedySelector(3).fit(tall(4000, n, 500))  # compile, on every worker
        best: Row | None = None
        for _ in range(2):
            found, taken = watched(lambda: GreedySelector(20).fit(X).indices_.tolist())
            if best is None or taken["seconds"] < best["seconds"]:
                best = {**taken, "indices": found}
    assert best is not None
    return best


@contextmanager
def _cluster(workers: int) -> Iterator[None]:
    if not workers:
        yield
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None,
            memory_limit=None, silence_logs=50,
        ) as cluster,
        Client(cluster),
    ):  # fmt: skip
        yield
