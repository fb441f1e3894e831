"""Rows of MNIST chosen in two rounds, against exact greedy selection in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import dask.array as da
import numpy as np

from colonnade import plan, select
from colonnade.operands.entrance import as_operand
from colonnade.pivoting.rounds import choose_in_rounds
from colonnade.pivoting.rules import Criterion
from colonnade.selectors.chunks import _exchanges

from ..common import Options, Row, promised, shape_text
from .blocks import _noisy_digits, digits, images
from .watching import GIB, figures, planned, watched, within_plan

SLACK = {"mnist": 0.01, "million": 0.02}
"""How much larger the error may be than that of exact greedy selection."""


def run(options: Options, measure: Any) -> Iterator[Row]:
    size = {"m": 4000, "n_select": 50} if options.quick else {"m": 70_000, "n_select": 300}
    exact = measure("rounds", "exact", set="mnist", height=0, **size)
    yield _in_memory("mnist", exact)
    for parts in (4, 14) if options.quick else (4, 14, 70):
        height = -(-size["m"] // parts)
        ours = measure("rounds", "chosen", set="mnist", height=height, **size)
        yield _judged("mnist", ours, exact)
    parts_of = [4, 14] if options.quick else [4, 14, 70]
    for row in measure("rounds", "varied", parts_of=parts_of, **size)["rows"]:
        yield {
            "case": "winners",
            "set": "MNIST",
            **row,
            "error / exact": row["error"] / exact["error"],
        }
    size["m"] = 20_000 if options.quick else 1_000_000
    height = 20_000 if not options.quick else 2_000
    exact = measure("rounds", "exact", set="million", height=height, **size)
    yield _in_memory("million", exact)
    yield _judged(
        "million", measure("rounds", "chosen", set="million", height=height, **size), exact
    )


def _in_memory(name: str, exact: Row) -> Row:
    return _columns(name, exact) | {"set": f"{_title(name)}, in memory", "error": exact["error"]}


def _judged(name: str, ours: Row, exact: Row) -> Row:
    row = _columns(name, ours) | {
        "parts": ours["parts"],
        "in memory, s": exact["seconds"],
        "in memory, GiB": exact["peak"] / GIB,
        "error": ours["error"],
        "error / exact": ours["error"] / exact["error"],
    }
    most = SLACK[name]
    kept = {f"{most:.0%}": row["error / exact"] <= 1 + most, **within_plan(ours)}
    return promised(row, f"error ≤ {1 + most:g} × exact, within the plan", kept)


def _columns(name: str, found: Row) -> Row:
    return {
        "case": "rounds",
        "set": _title(name),
        "shape": shape_text(tuple(found["shape"])),
        "GB": 4 * float(np.prod(found["shape"])) / 1e9,
        **figures(found),
    }


def _title(name: str) -> str:
    return "rows of MNIST" if name == "mnist" else "rows drawn from MNIST, with noise"


def exact(set: str, m: int, height: int, n_select: int) -> Row:
    """Choose rows in memory."""
    select(images()[:1000], 3, axis=0)  # compile
    X = images()[:m] if set == "mnist" else _drawn(m, height)
    found, taken = watched(lambda: select(X, n_select, axis=0))
    return {**taken, "shape": X.shape, "error": float(found.relative_errors[-1])}


def _drawn(m: int, height: int) -> Any:
    """Return what the blocks of :func:`digits` hold, in one array."""
    blocks = digits(m, height)
    out = np.empty(blocks.shape, dtype=np.float32)
    for i, rows in enumerate(blocks.chunks[0]):
        out[i * height : i * height + rows] = _noisy_digits(rows, out.shape[1], i)
    return out


def chosen(set: str, m: int, height: int, n_select: int) -> Row:
    """Choose rows of chunks."""
    select(_chunks(1000, 500), 3, axis=0)  # compile
    D = _chunks(m, height) if set == "mnist" else digits(m, height)
    found, taken = watched(lambda: select(D, n_select, axis=0))
    return {
        **taken,
        **planned(plan(D, n_select, axis=0)),
        "shape": D.shape,
        "parts": D.numblocks[0],
        "error": float(found.relative_errors[-1]),
    }


def varied(m: int, n_select: int, parts_of: list[int]) -> Row:
    """Choose rows with other numbers of parts, of winners and of exchanges."""
    rows = []
    for parts, share, sweeps in product(parts_of, (1.0, 0.5, 0.25), (0, 1)):
        A: Any = as_operand(_chunks(m, -(-m // parts))).transposed()
        winners = round(share * n_select)
        improve = _exchanges(sweeps) if sweeps else None
        start = time.perf_counter()
        found = choose_in_rounds(
            A, Criterion(), n_select=n_select, n_winners=winners, improve=improve
        )
        rows.append(
            {
                "parts": parts,
                "winners of each": winners,
                "exchanges": found.info["n_swaps"] if sweeps else "none",
                "seconds": time.perf_counter() - start,
                "error": float(found.pivots.errors[-1] / found.pivots.total),
            }
        )
    return {"rows": rows}


def _chunks(m: int, height: int) -> Any:
    return da.from_array(images()[:m], chunks=(height, -1))
