"""k-means on reduced data beside scikit-learn's on all of it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.preprocessing import FunctionTransformer

from colonnade import (
    ReducedKMeans,
    RepresentativeKMeans,
    SignProjection,
    SVDProjection,
    datasets,
    metrics,
)

from ..common import Competitor, Options, Row, Timing, promised, race, shape_text
from ..data import labels, matrix, prepared

TITLE = "Clustering"
STARTS = 5


def run(options: Options) -> Iterator[Row]:
    yield from _kmeans(options, "mnist 4000" if options.quick else "mnist", 10)
    if not options.quick:
        yield from _kmeans(options, "tdt2", 30)
        yield from _many(options, 500)
        yield from _moves()


def _moves() -> Iterator[Row]:
    """Moves of single rows: faces from one of each person on, by singular vectors and in full."""
    if "orl_64x64" not in datasets.names():
        return
    data = datasets.load("orl_64x64")
    X, y = np.asarray(data.X, dtype=float), data.y
    U = np.linalg.svd(X, full_matrices=False)[0]
    for count in (10, 20, 50, 100, None):
        Z = X if count is None else np.ascontiguousarray(U[:, :count])
        plain, moved = (
            ReducedKMeans(40, FunctionTransformer(), init=Z[::10], n_polish=0, online=online).fit(Z)
            for online in (False, True)
        )
        before, after = (metrics.kmeans_objective(X, run.labels_) for run in (plain, moved))
        yield {
            "set": "ORL 64 × 64",
            "shape": shape_text(X.shape),
            "method": f"moves, {'all pixels' if count is None else f'{count} singular vectors'}",
            "objective, % more": 100 * (after / before - 1),
            "share of the norm": metrics.normalized_objective(X, moved.labels_),
            "accuracy": metrics.matched_accuracy(y, moved.labels_),
        }


def _many(options: Options, k: int) -> Iterator[Row]:
    """60,000 images in many clusters, from one start; faiss where it is installed."""
    X = prepared(matrix("mnist").X)[:60_000]
    y = labels("mnist")[:60_000]
    reference, small = "scikit-learn KMeans", "scikit-learn MiniBatchKMeans"
    runs = {
        reference: Competitor(lambda: KMeans(k, n_init=1, random_state=0).fit(X).labels_),
        small: Competitor(lambda: MiniBatchKMeans(k, n_init=1, random_state=0).fit(X).labels_),
        "ReducedKMeans": Competitor(
            lambda: ReducedKMeans(k, n_init=1, random_state=0).fit(X).labels_
        ),
    }
    if importlib.util.find_spec("faiss") is not None:
        runs["faiss"] = Competitor(lambda: by_faiss(X, k, 0))
    times = race(options, runs, repeats=1, budget=30.0)
    for row in _rows(f"mnist, {k} clusters", X, y, times, reference, small):
        if row["method"] != "ReducedKMeans":
            yield row
            continue
        kept = {"speed": row["× faster"] >= 4, "objective": row["objective, % more"] <= 0.3}
        yield promised(row, "≥ 4 × faster, at most 0.3 % more", kept)


def by_faiss(X: Any, k: int, seed: int) -> Any:
    import faiss

    means = faiss.Kmeans(X.shape[1], k, niter=25, seed=seed, max_points_per_centroid=X.shape[0])
    means.train(X)
    return means.index.search(X, 1)[1][:, 0]


def _kmeans(options: Options, name: str, k: int) -> Iterator[Row]:
    data = matrix(name)
    X, y = prepared(data.X), labels(name)
    reference, small = "scikit-learn KMeans", "scikit-learn MiniBatchKMeans"
    runs = {
        reference: Competitor(lambda: KMeans(k, n_init=STARTS, random_state=0).fit(X).labels_),
        small: Competitor(
            lambda: MiniBatchKMeans(k, n_init=STARTS, random_state=0).fit(X).labels_
        ),
        "ReducedKMeans": Competitor(lambda: ReducedKMeans(k, random_state=0).fit(X).labels_),
        "ReducedKMeans, one start": Competitor(
            lambda: ReducedKMeans(
                k, SVDProjection(k + 10, algorithm="stochastic", n_power=0),
                n_init=1, n_polish=1, max_iter=30, random_state=0,
            ).fit(X).labels_
        ),
        "ReducedKMeans, 50 signs": Competitor(
            lambda: ReducedKMeans(
                k, SignProjection(50), n_polish=10, random_state=0
            ).fit(X).labels_
        ),
        "RepresentativeKMeans, 50 rows": Competitor(
            lambda: RepresentativeKMeans(k, 50, n_polish=3, random_state=0).fit(X).labels_
        ),
    }  # fmt: skip
    times = race(options, runs, repeats=2, budget=30.0)
    yield from _rows(data.name, X, y, times, reference, small)


def _rows(
    name: str, X: Any, y: Any, times: dict[str, Timing], reference: str, small: str
) -> Iterator[Row]:
    costs = {who: metrics.kmeans_objective(X, timing.result) for who, timing in times.items()}
    for who, timing in times.items():
        ratio = times[reference].best / timing.best
        more = costs[who] / costs[reference] - 1
        row = {
            "set": name,
            "shape": shape_text(X.shape),
            "method": who,
            "seconds": timing.best,
            "× faster": ratio,
            "objective, % more": 100 * more,
            "NMI": metrics.nmi(y, timing.result),
        }
        if who == "ReducedKMeans" and name == "mnist":
            kept = {"speed": ratio >= 10, "objective": more <= 0.003}
            yield promised(row, "≥ 10 × faster, at most 0.3 % more", kept)
        elif who == "ReducedKMeans, one start":
            kept = {
                "time": timing.best <= times[small].best,
                "objective": costs[who] < costs[small],
            }
            yield promised(row, "better than mini batches in their time", kept)
        else:
            yield row
