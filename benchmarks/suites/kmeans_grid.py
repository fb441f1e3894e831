"""k-means over a grid of shapes: time and objective beside scikit-learn's, from one start."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, MiniBatchKMeans

from colonnade import ReducedKMeans

from ..common import Options, Row, promised

TITLE = "k-means over a grid of shapes"
SLACK = 0.003
"""How far above the better of the two others the objective may be."""


@dataclass(frozen=True)
class Cell:
    rows: int
    features: int
    clusters: int
    kind: str
    seeds: int = 5
    """From how many seeds medians are; fewer where a run of KMeans takes more than 20 seconds."""


QUICK = (
    Cell(10_000, 20, 5, "groups"),
    Cell(10_000, 20, 100, "groups"),
    Cell(10_000, 20, 5, "spread"),
    Cell(10_000, 500, 20, "spread"),
    Cell(10_000, 5_000, 5, "words"),
)
CELLS = (
    *QUICK,
    Cell(10_000, 500, 50, "groups"),
    Cell(10_000, 5_000, 10, "groups"),
    Cell(30_000, 1_000, 20, "groups"),
    Cell(100_000, 20, 5, "groups"),
    Cell(100_000, 20, 50, "groups"),
    Cell(100_000, 100, 50, "groups"),
    Cell(1_000_000, 20, 10, "groups"),
    Cell(1_000_000, 100, 50, "groups", seeds=3),
    Cell(1_000_000, 1_000, 20, "groups", seeds=3),
    Cell(10_000, 100, 100, "spread"),
    Cell(10_000, 50, 500, "spread"),
    Cell(20_000, 2_000, 10, "spread"),
    Cell(20_000, 1_000, 200, "spread"),
    Cell(30_000, 200, 50, "spread"),
    Cell(100_000, 20, 100, "spread"),
    Cell(100_000, 100, 500, "spread", seeds=3),
    Cell(200_000, 5_000, 10, "spread", seeds=1),
    Cell(10_000, 2_000, 200, "words"),
    Cell(20_000, 5_000, 50, "words"),
    Cell(50_000, 20_000, 20, "words"),
    Cell(300_000, 5_000, 20, "words"),
    Cell(20_000, 20, 100, "tails"),
    Cell(30_000, 50, 20, "tails"),
    Cell(50_000, 300, 50, "tails"),
)


def run(options: Options) -> Iterator[Row]:
    for kind in KINDS:  # loops are compiled and libraries loaded before anything is timed
        ReducedKMeans(3, n_init=1, random_state=0).fit(made(Cell(6_000, 200, 3, kind)))
    met = []
    for cell in QUICK if options.quick else CELLS:
        row = _measured(options, cell)
        met.append(row["verdict"] == "met")
        yield row
    share = sum(met) / len(met)
    row = {"input": "all", "method": "ReducedKMeans", "objective, % more": None}
    yield promised({**row, "cells met": f"{sum(met)} of {len(met)}"}, "90 % of them", share >= 0.9)


def _measured(options: Options, cell: Cell) -> Row:
    X, k = made(cell), cell.clusters
    makers: dict[str, Callable[[int], Any]] = {
        "KMeans": lambda seed: KMeans(k, n_init=1, random_state=seed),
        "MiniBatchKMeans": lambda seed: MiniBatchKMeans(k, n_init=1, random_state=seed),
        "ours": lambda seed: ReducedKMeans(k, n_init=1, random_state=seed),
    }
    seconds: dict[str, list[float]] = {name: [] for name in makers}
    losses: dict[str, list[float]] = {name: [] for name in makers}
    for seed in range(cell.seeds):
        for name, make in makers.items():
            model = make(seed)
            start = options.clock()
            model.fit(X)
            seconds[name].append(options.clock() - start)
            losses[name].append(float(model.inertia_))
    time, loss = ({name: statistics.median(x[name]) for name in x} for x in (seconds, losses))
    better = min(loss["KMeans"], loss["MiniBatchKMeans"])
    row = {
        "input": cell.kind,
        "shape": f"{cell.rows:,} × {cell.features:,}",
        "clusters": k,
        "seeds": cell.seeds,
        "KMeans, s": time["KMeans"],
        "MiniBatchKMeans, s": time["MiniBatchKMeans"],
        "ReducedKMeans, s": time["ours"],
        "× faster": time["KMeans"] / time["ours"],
        "% above KMeans": 100 * (loss["ours"] / loss["KMeans"] - 1),
        "% above the better": 100 * (loss["ours"] / better - 1),
    }
    kept = {
        "time": time["ours"] <= time["KMeans"],
        "objective": loss["ours"] <= (1 + SLACK) * better,
    }
    return promised(row, "not slower than KMeans, at most 0.3 % above the better", kept)


def made(cell: Cell) -> Any:
    """Return data of a kind: groups of points, points without groups, or counts of words."""
    return KINDS[cell.kind](cell, np.random.default_rng(0))


def _groups(cell: Cell, rng: np.random.Generator) -> Any:
    """Gaussian clusters of standard deviation 1, whose centres are spread as widely."""
    out = rng.standard_normal((cell.rows, cell.features), dtype=np.float32)
    centers = rng.standard_normal((cell.clusters, cell.features), dtype=np.float32)
    out += centers[rng.integers(cell.clusters, size=cell.rows)]
    return out


def _spread(cell: Cell, rng: np.random.Generator) -> Any:
    """One cloud, whose standard deviation falls from direction to direction."""
    out = rng.standard_normal((cell.rows, cell.features), dtype=np.float32)
    out *= 1.0 / np.sqrt(np.arange(1, cell.features + 1, dtype=np.float32))
    turn = np.linalg.qr(rng.standard_normal((cell.features, cell.features)))[0]
    return out @ turn.astype(np.float32)


def _tails(cell: Cell, rng: np.random.Generator) -> Any:
    """One cloud of which few rows, far away, hold much of the variance."""
    return np.exp(1.5 * rng.standard_normal((cell.rows, cell.features), dtype=np.float32))


def _words(cell: Cell, rng: np.random.Generator) -> Any:
    """Documents of some 60 different words, each about a topic, by tf-idf and of unit length."""
    from sklearn.feature_extraction.text import TfidfTransformer

    usual = 1.0 / np.arange(1, cell.features + 1)
    parts = []
    for topic in range(cell.clusters):
        chances = usual / usual.sum() + rng.gamma(0.05, 20.0, cell.features) / cell.features
        count = cell.rows // cell.clusters + (topic < cell.rows % cell.clusters)
        words = rng.choice(cell.features, (count, 80), p=chances / chances.sum())
        rows = np.repeat(np.arange(count), 80)
        shape = (count, cell.features)
        parts.append(sp.csr_array((np.ones(words.size), (rows, words.ravel())), shape=shape))
    counts = sp.csr_matrix(sp.vstack(parts))
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts).astype(np.float32)


KINDS: dict[str, Callable[[Cell, np.random.Generator], Any]] = {
    "groups": _groups,
    "spread": _spread,
    "tails": _tails,
    "words": _words,
}
