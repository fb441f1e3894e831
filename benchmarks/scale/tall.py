"""Tall data: one pass that makes or reads every block once, against multiplying each once."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from threadpoolctl import threadpool_limits

from colonnade import GreedySelector, Kernel, plan, select
from colonnade.operands.chunked.grid import blocks_apart

from ..common import Options, Row, promised, shape_text
from .blocks import tall
from .watching import figures, in_turns, planned, within_plan

N_COLUMNS = 1000
N_SELECT = 100
LANES = 16
"""In how many chains the reference adds products: enough for some cores, few to hold."""
LIMIT = 6.0
RATIO = 1.5
SPARE_DISK = 3
"""How many times the size of a file has to be free before it is written."""


def run(options: Options, measure: Any) -> Iterator[Row]:
    found = measure("tall", "made", m=50_000 if options.quick else 5_000_000)
    row = {"case": "tall", "set": "made in blocks", **_columns(found)}
    kept = {
        f"{LIMIT:g} GiB": found["peak"] <= LIMIT * 2**30,
        f"{RATIO:g} ×": row["ratio"] <= RATIO,
        "picks": found["same"],
        **within_plan(found),
    }
    yield promised(
        row, f"≤ {RATIO:g} × making and multiplying, ≤ {LIMIT:g} GiB, within the plan", kept
    )


def run_stored(options: Options, measure: Any) -> Iterator[Row]:
    found = measure("tall", "stored", m=50_000 if options.quick else 1_250_000)
    row = {"case": "zarr", "set": "Zarr on disk", **_columns(found)}
    row["reading, s"] = found["reading"]
    row["× reading"] = found["seconds"] / found["reading"]
    kept = {f"{RATIO:g} ×": row["ratio"] <= RATIO, "picks": found["same"], **within_plan(found)}
    yield promised(row, f"≤ {RATIO:g} × reading and multiplying, within the plan", kept)


def _columns(found: Row) -> Row:
    return {
        "shape": shape_text(tuple(found["shape"])),
        "GB": found["bytes"] / 1e9,
        **figures(found),
        "reference, s": found["reference"],
        "ratio": found["seconds"] / found["reference"],
    }


def made(m: int) -> Row:
    """Measure data of which every block is made when it is needed."""
    _warm_up()
    return _against_products(tall(m, N_COLUMNS), {}, repeats=2)


def stored(m: int) -> Row:
    """Measure data in a Zarr array, written for this and removed again."""
    room = shutil.disk_usage(tempfile.gettempdir()).free
    m = min(m, room // (SPARE_DISK * 8 * N_COLUMNS))
    _warm_up()
    folder = Path(tempfile.mkdtemp(prefix="colonnade-scale-"))
    try:
        path = folder / "data.zarr"
        tall(m, N_COLUMNS).to_zarr(str(path))
        os.sync()
        X = da.from_zarr(str(path))
        return _against_products(X, {"reading": lambda: _read(X)}, 2, lambda: _forget(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _warm_up() -> None:
    """Compile, and let libraries take their buffers."""
    X = tall(2000, 100, 500)
    GreedySelector(5).fit(X)
    _multiplied(X)


def _against_products(X: Any, others: dict[str, Any], repeats: int, before: Any = None) -> Row:
    calls = {
        "ours": lambda: GreedySelector(N_SELECT).fit(X).indices_,
        "reference": lambda: _multiplied(X),
        **others,
    }
    results, taken = in_turns(calls, repeats, before)
    again = select(Kernel(results["reference"], check=False), N_SELECT)
    return {
        "shape": X.shape,
        "bytes": X.nbytes,
        **taken["ours"],
        **planned(plan(X, N_SELECT)),
        "reference": taken["reference"]["seconds"],
        "reading": taken["reading"]["seconds"] if "reading" in taken else None,
        "same": np.array_equal(again.indices, results["ours"]),
    }


def _multiplied(X: Any) -> Any:
    """Return ``XᵀX`` as one would write it: the product of each block, added up in chains."""
    chains: list[Any] = [None] * LANES
    # with X.to_delayed() dask would spend seconds on its graph, which would flatter ours
    multiply = dask.delayed(_add_product, pure=False)
    for i, block in enumerate(blocks_apart(X)[:, 0]):
        chains[i % LANES] = multiply(chains[i % LANES], block)
    with threadpool_limits(1, user_api="blas"):
        return sum(dask.compute(*[chain for chain in chains if chain is not None]))


def _add_product(before: Any, block: Any) -> Any:
    product = block.T @ block
    if before is not None:
        product += before
    return product


def _read(X: Any) -> float:
    return float(X.sum(split_every=8).compute())


def _forget(folder: Path) -> None:
    """Drop files from the cache of the system, so that they are read from the disk."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
