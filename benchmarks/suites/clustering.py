"""k-means on reduced data beside scikit-learn's on all of it, and spectra without n × n."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans, SpectralClustering
from sklearn.feature_extraction.text import TfidfTransformer

from colonnade import (
    FastSpectralClustering,
    ReducedKMeans,
    RepresentativeKMeans,
    SignProjection,
    SVDProjection,
    metrics,
)

from ..common import Competitor, Options, Row, Timing, promised, race, shape_text
from ..data import labels, matrix

TITLE = "Clustering"
STARTS = 5


def run(options: Options) -> Iterator[Row]:
    yield from _kmeans(options, "mnist 4000" if options.quick else "mnist", 10)
    if not options.quick:
        yield from _kmeans(options, "tdt2", 30)
        yield from _spectral(options)


def _kmeans(options: Options, name: str, k: int) -> Iterator[Row]:
    data = matrix(name)
    X, y = _prepared(data.X), labels(name)
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
                n_init=1, n_polish=1, random_state=0,
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
        if who == "ReducedKMeans" and name.startswith("mnist"):
            kept = {"speed": ratio >= 10, "objective": more <= 0.003}
            yield promised(row, "≥ 10 × faster, at most 0.3 % more", kept)
        elif who == "ReducedKMeans, one start":
            kept = {
                "time": timing.best <= times[small].best * 1.1,
                "objective": costs[who] < costs[small],
            }
            yield promised(row, "better than mini batches in their time", kept)
        else:
            yield row


def _spectral(options: Options) -> Iterator[Row]:
    """The ratio at a size that scikit-learn can do, then sizes that it cannot."""
    X, y = _prepared(matrix("usps").X), labels("usps")
    few = np.random.default_rng(0).choice(len(X), 4000, replace=False)
    gamma = 0.5 / float(np.square(X[few][:, None, :1] - X[few][None, :, :1]).mean() * X.shape[1])
    both = race(
        options,
        {
            "scikit-learn SpectralClustering": Competitor(
                lambda: SpectralClustering(10, gamma=gamma, random_state=0).fit(X[few]).labels_
            ),
            "FastSpectralClustering": Competitor(
                lambda: (
                    FastSpectralClustering(10, 300, gamma=gamma, random_state=0).fit(X[few]).labels_
                )
            ),
        },
        repeats=1,
        budget=60.0,
    )
    slow = both["scikit-learn SpectralClustering"].best
    for who, timing in both.items():
        yield {
            "set": "usps", "shape": shape_text(X[few].shape), "method": who,
            "seconds": timing.best, "× faster": slow / timing.best,
            "NMI": metrics.nmi(y[few], timing.result),
        }  # fmt: skip
    for name, k, kernel in (("mnist", 10, "rbf"), ("20news 16201", 20, "linear")):
        data = matrix(name)
        X, y = _prepared(data.X), labels(name)
        found = _timed(options, FastSpectralClustering(k, 300, affinity=kernel, random_state=0), X)
        yield {
            "set": data.name, "shape": shape_text(X.shape), "method": "FastSpectralClustering",
            "seconds": found.best, "NMI": metrics.nmi(y, found.result),
        }  # fmt: skip


def _timed(options: Options, model: Any, X: Any) -> Timing:
    runs = {"model": Competitor(lambda: model.fit(X).labels_)}
    return race(options, runs, repeats=1, budget=1.0)["model"]


def _prepared(X: Any) -> Any:
    """Scale images to [0, 1]; weight words by their rarity."""
    if hasattr(X, "tocsr"):
        return TfidfTransformer().fit_transform(X.tocsr())
    X = np.asarray(X, dtype=np.float32)
    return X / np.abs(X).max()
