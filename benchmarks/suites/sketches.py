"""Few cells for many: rare types among them, and types of the others told by the nearest."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier

from colonnade import SVDProjection

from ..apart import measured_apart, peak, start_watch
from ..cells import Cells, bladder, is_installed, log_counts, many
from ..common import Options, Row, promised
from .genes import as_anndata

TITLE = "Sketches of cells: rare types found, and the types of all others by the nearest"
SIZES = (50, 100, 200)
SEEDS = 5
RARE = 0.02
"""Types of fewer cells than this share are rare."""
JUDGES = 50
"""Neighbours are found in so many principal components."""
MANY, MANY_PICKS = 270_000, 1000

Chooser = Callable[[Any, Any, int, int], Any]
OURS = "colonnade sketch_cells"


def ours(method: str) -> Chooser:
    def choose(adata: Any, P: Any, n: int, seed: int) -> Any:
        from colonnade.anndata import sketch_cells

        frame = sketch_cells(adata, n, method=method, random_state=seed, inplace=False)
        return np.flatnonzero(frame["colonnade"])

    return choose


def at_random(adata: Any, P: Any, n: int, seed: int) -> Any:
    return np.random.RandomState(seed).permutation(len(P))[:n]


def by_leverage(adata: Any, P: Any, n: int, seed: int) -> Any:
    """Leverage scores of the fifty leading directions, drawn without replacement, as in Seurat.

    Of all genes: Seurat sketches the variable ones and refuses more than 5,000.
    """
    scores = np.square(np.linalg.qr(P)[0]).sum(axis=1)
    drawn = np.random.RandomState(seed)
    return drawn.choice(len(P), n, replace=False, p=scores / scores.sum())


def geometric(adata: Any, P: Any, n: int, seed: int) -> Any:
    """geosketch on fifty principal components, as its documentation does."""
    from geosketch import gs

    return np.array(gs(P, n, seed=seed))


CHOOSERS: dict[str, tuple[Chooser, str, int]] = {
    OURS: (ours("medoids"), "anndata", 1),
    f"{OURS}, facility-location": (ours("facility-location"), "anndata", 1),
    f"{OURS}, coverage": (ours("coverage"), "anndata", 1),
    "random": (at_random, "numpy", SEEDS),
    "leverage scores, all genes": (by_leverage, "numpy", SEEDS),
    "geosketch": (geometric, "geosketch", SEEDS),
}


def run(options: Options) -> Iterator[Row]:
    cells = bladder()
    L = log_counts(cells.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        P = SVDProjection(JUDGES, center=True, random_state=0).fit_transform(L)
    adata = as_anndata(cells.X)
    types, counts = np.unique(cells.types, return_counts=True)
    rare = types[counts < RARE * len(cells.types)]
    choosers = {name: one for name, one in CHOOSERS.items() if is_installed(one[1])}
    for n in SIZES[:1] if options.quick else SIZES:
        rows = {}
        for name, (choose, _, seeds) in choosers.items():
            found = [_measured(choose, adata, P, cells, rare, n, seed) for seed in range(seeds)]
            rows[name] = {"set": cells.name, "method": name, "cells": n} | {
                key: float(np.mean([one[key] for one in found])) for key in found[0]
            }
            rows[name]["of rare types"] = len(rare)
        mine = rows[OURS]
        others = [row for name, row in rows.items() if not name.startswith(OURS)]
        if "made" not in cells.name:
            met = {
                key: all(mine[key] >= row[key] for row in others)
                for key in ("rare types", "1-NN", "balanced")
            }
            rows[OURS] = promised(mine, "ahead of random, leverage scores and geosketch", met)
        yield from rows.values()
    if not options.quick:
        for name in LARGE:
            if "geosketch" not in name or "geosketch" in choosers:
                yield measured_apart("benchmarks.suites.sketches", {"method": name})


def _measured(
    choose: Chooser, adata: Any, P: Any, cells: Cells, rare: Any, n: int, seed: int
) -> Row:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = np.unique(choose(adata, P, n, seed))
    spent = time.process_time() - start
    y = cells.types
    others = np.setdiff1d(np.arange(len(y)), chosen)
    guess = KNeighborsClassifier(1).fit(P[chosen], y[chosen]).predict(P[others])
    return {
        "rare types": len(np.intersect1d(rare, y[chosen])),
        "1-NN": float(np.mean(guess == y[others])),
        "balanced": balanced_accuracy_score(y[others], guess),
        "CPU seconds": spent,
    }


def sketched(adata: Any) -> Any:
    from colonnade.anndata import sketch_cells

    return np.flatnonzero(sketch_cells(adata, MANY_PICKS, inplace=False)["colonnade"])


def sketched_by_geosketch(adata: Any) -> Any:
    """With the same logarithms and decomposition, which it leaves to others."""
    from colonnade.operands.expression import log_normalized

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        P = SVDProjection(JUDGES, center=True, random_state=0).fit_transform(
            log_normalized(adata.X)
        )
        return geometric(adata, P, MANY_PICKS, 0)


def genes_of_many(adata: Any) -> Any:
    from colonnade.anndata import select_genes

    return np.flatnonzero(select_genes(adata, 100, inplace=False)["colonnade"])


LARGE = {
    OURS: sketched,
    "geosketch, with our decomposition": sketched_by_geosketch,
    "colonnade select_genes": genes_of_many,
}


def large(case: dict[str, Any]) -> Row:
    """Time and memory for very many cells, made of few."""
    cells = many(bladder(), MANY)
    adata = as_anndata(cells.X)
    name, types = cells.name, cells.types
    del cells
    before = start_watch()
    clock, processor = time.perf_counter(), time.process_time()
    chosen = LARGE[case["method"]](adata)
    seconds, busy = time.perf_counter() - clock, time.process_time() - processor
    row = {
        "set": name, "method": case["method"], "cells": len(chosen), "seconds": seconds,
        "CPU seconds": busy, "GiB beside the data": (peak() - before) / 2**30,
    }  # fmt: skip
    if LARGE[case["method"]] is genes_of_many:
        return {**row, "cells": None, "genes": len(chosen)}
    found = {"types found": len(np.unique(types[chosen])), "of types": len(np.unique(types))}
    return row | found


if __name__ == "__main__":
    import json
    import sys

    print(json.dumps(large(json.loads(sys.argv[1]))))
