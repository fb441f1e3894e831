"""To how many directions k-means is worth reducing, on real data."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from colonnade import ReducedKMeans, SVDProjection

from ..common import Options, Row, shape_text
from ..data import matrix, prepared

TITLE = "Directions for k-means"
SETS = ("isolet", "faces (PIE)", "usps", "mnist 20000", "tdt2")
DIRECTIONS = (10, 20, 35, 50, 80)
SEEDS = (0, 1, 2)


def run(options: Options) -> Iterator[Row]:
    for name in SETS[:2] if options.quick else SETS:
        X = prepared(matrix(name).X)
        for k in (10, 100, 500):
            if k * 10 <= X.shape[0]:
                yield from _by_directions(options, name, X, k)


def _by_directions(options: Options, name: str, X: object, k: int) -> Iterator[Row]:
    seconds, losses = {}, {}
    for count in DIRECTIONS:
        spent, found = [], []
        for seed in SEEDS:
            reducer = SVDProjection(count, algorithm="stochastic", n_power=1)
            model = ReducedKMeans(k, reducer, n_init=1, random_state=seed)
            start = options.clock()
            found.append(float(model.fit(X).inertia_))
            spent.append(options.clock() - start)
        seconds[count], losses[count] = statistics.median(spent), statistics.median(found)
    least = min(losses.values())
    yield {
        "set": name,
        "shape": shape_text(X.shape),  # type: ignore[attr-defined]
        "clusters": k,
        **{f"{count}: % more": 100 * (losses[count] / least - 1) for count in DIRECTIONS},
        **{f"{count}: s": seconds[count] for count in DIRECTIONS},
    }
