"""Spectral clustering as it comes: with rows of one length and without, and by other landmarks.

As many representatives as by default, 30 for each cluster; a Gaussian of the mean squared distance
for images and sounds, inner products for words. ``SpectralClustering`` of scikit-learn gets the
same kernel, where an n × n matrix and its eigenvectors take less than a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from colonnade import FastSpectralClustering, metrics

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..data import labels, matrix, prepared
from ..reference import Array

TITLE = "Spectral clustering from few representatives"

SEEDS = 3


@dataclass(frozen=True)
class Case:
    set: str
    n_clusters: int
    affinity: str = "rbf"
    theirs: bool = True
    quick: bool = False


CASES = (
    Case("mnist 4000", 10, quick=True),
    Case("usps", 10, theirs=False),
    Case("isolet", 26),
    Case("faces (PIE)", 35),
    Case("tdt2", 30, "linear", theirs=False),
    Case("20news 16201", 20, "linear", theirs=False),
    Case("bladder cells", 16, "linear"),
)

OURS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "rows of any length": {"normalize_rows": False},
    "random-pivot": {"method": "random-pivot"},
    "partition-greedy": {"method": "partition-greedy"},
}
THEIRS = "scikit-learn"


def run(options: Options) -> Iterator[Row]:
    for case in CASES:
        if case.quick or not options.quick:
            yield from _measure(options, case)


def _measure(options: Options, case: Case) -> Iterator[Row]:
    data, y = matrix(case.set), labels(case.set)
    X = prepared(data.X)
    k = case.n_clusters
    runs: dict[str, Callable[[int], Array]] = {
        name: lambda seed, params=params: (  # type: ignore[misc]
            FastSpectralClustering(k, affinity=case.affinity, random_state=seed, **params)
            .fit(X)
            .labels_
        )
        for name, params in OURS.items()
    }
    if case.theirs:
        runs[THEIRS] = lambda seed: _their_labels(X, case, seed)
    competitors = {
        name: Competitor(lambda one=one: [one(seed) for seed in range(SEEDS)])
        for name, one in runs.items()
    }
    times = race(options, competitors, repeats=2, budget=10.0)
    scores = {
        name: np.array([metrics.nmi(y, found) for found in timing.result])
        for name, timing in times.items()
    }
    usual = "as it comes"
    for name, timing in times.items():
        row: Row = {
            "set": data.name,
            "shape": shape_text(X.shape),
            "clusters": k,
            "method": name,
            "NMI, %": 100 * scores[name].mean(),
            "±": 100 * float(scores[name].std(ddof=1)) / np.sqrt(SEEDS),
            "s": timing.best / SEEDS,
            "× as it comes": timing.best / times[usual].best,
            "_runs": timing.runs,
        }
        if name == usual:
            other = scores["partition-greedy"].mean()
            kept = {"NMI": scores[usual].mean() >= other - 0.02}
            kept["time"] = timing.best <= times["partition-greedy"].best
            row = promised(row, "NMI of partition-greedy, in less time", kept)
        yield row


def _their_labels(X: Any, case: Case, seed: int) -> Array:
    if case.affinity == "linear":
        K = linear_kernel(X)
    else:
        X = np.asarray(X, dtype=np.float64)
        K = rbf_kernel(X, gamma=0.25 / X.var(axis=0).sum())
    model = SpectralClustering(case.n_clusters, affinity="precomputed", random_state=seed)
    return np.asarray(model.fit(K).labels_)
