"""Single cells in sparse blocks: genes chosen in one pass, against all cells in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scipy.sparse as sp

from colonnade import GreedySelector, plan

from ..common import Options, Row, promised, shape_text
from .blocks import cells, drawn_cells
from .watching import GIB, figures, planned, watched, within_plan

N_SELECT = 100
ROOM = "20GiB"
"""What the plan may take, which counts sparse blocks as if they were dense."""


def run(options: Options, measure: Any) -> Iterator[Row]:
    size: dict[str, Any] = {"m": 270_000, "height": 2500, "n_genes": None}
    if options.quick:
        size = {"m": 5000, "height": 1000, "n_genes": 2500}
    ours = measure("counts", "in_chunks", **size)
    theirs = measure("counts", "in_memory", **size)
    row = {
        "case": "cells",
        "set": "bladder cells, CSR blocks",
        "shape": shape_text(tuple(ours["shape"])),
        "GB": ours["read"] / 1e9,
        **figures(ours),
        "in memory, s": theirs["seconds"],
        "in memory, GiB": theirs["peak"] / GIB,
        "error": ours["error"],
        "error in memory": theirs["error"],
    }
    kept = {"picks": ours["indices"] == theirs["indices"], **within_plan(ours)}
    yield promised(row, "the same genes as in memory, within the plan", kept)


def in_chunks(m: int, height: int, n_genes: int | None) -> Row:
    """Choose genes of cells in blocks."""
    GreedySelector(3, center=True).fit(cells(3000, 1500, 2500))  # compile
    X = cells(m, height, n_genes)
    found, taken = watched(lambda: _chosen(X), memory=ROOM)
    return {**taken, **planned(plan(X, N_SELECT, center=True)), **found, "shape": X.shape}


def in_memory(m: int, height: int, n_genes: int | None) -> Row:
    """Choose genes of the same cells as one CSR matrix."""
    GreedySelector(3, center=True).fit(drawn_cells(1500, 2500, 0))  # compile
    blocks = cells(m, height, n_genes)
    heights, n = blocks.chunks[0], blocks.shape[1]
    X = sp.vstack([drawn_cells(rows, n, i) for i, rows in enumerate(heights)], format="csr")
    found, taken = watched(lambda: _chosen(X))
    return {**taken, **found, "shape": X.shape}


def _chosen(X: Any) -> Row:
    found = GreedySelector(N_SELECT, center=True).fit(X).selection_
    return {"indices": found.indices.tolist(), "error": float(found.relative_errors[-1])}
