"""``Nystroem`` as it comes beside that of scikit-learn, whose landmarks are uniform: six sets.

Both are fitted to three quarters of the points, with a Gaussian kernel of the median distance. The
error is the share of the kernel's trace that the features leave; the accuracy is that of a ridge
classifier on the features of the other points. Time is that of fitting and mapping the points.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem as Uniform
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import euclidean_distances

from colonnade import Nystroem

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..data import labels, matrix, prepared
from ..reference import Array

TITLE = "Nyström features as they come, beside those of scikit-learn"

SETS = ("usps", "mnist 20000", "tdt2", "20news 16201", "isolet", "faces (PIE)")
SIZES = (30, 100, 300)
SEEDS = 5
TIMED = 5000
"""From so many points on, the time is promised too."""

SLOWEST = 2.0
"""How many times that of scikit-learn it may be."""

Fitted = list[tuple[Any, Array]]


def run(options: Options) -> Iterator[Row]:
    for name in SETS[:1] if options.quick else SETS:
        yield from _measure(options, name)


def _measure(options: Options, name: str) -> Iterator[Row]:
    data, y = matrix(name), labels(name)
    X = prepared(data.X)
    order = np.random.RandomState(0).permutation(X.shape[0])
    cut = 3 * len(order) // 4
    train, test = order[:cut], order[cut:]
    distances = euclidean_distances(X[train[:500]], squared=True)
    gamma = 0.5 / float(np.median(distances[distances > 0]))
    points, others = X[train], X[test]
    for size in SIZES[:2] if options.quick else SIZES:
        competitors = {
            which: _competitor(which, points, gamma, size) for which in (Uniform, Nystroem)
        }
        times = race(options, competitors, repeats=3, budget=60.0)
        found = {
            which: _judge(timing.result, y[train], others, y[test])
            for which, timing in times.items()
        }
        (their_errors, their_scores), (errors, scores) = found[Uniform], found[Nystroem]
        noise = _standard_error(scores, their_scores)
        ratio = times[Nystroem].best / times[Uniform].best
        kept = {
            "error": errors.mean() <= their_errors.mean() + _standard_error(errors, their_errors),
            "accuracy": scores.mean() >= their_scores.mean() - noise,
        }
        promise = "as good"
        if points.shape[0] >= TIMED:
            promise, kept["time"] = f"as good, ≤ {SLOWEST:g} × the time", ratio <= SLOWEST
        row: Row = {
            "set": data.name,
            "points": shape_text(points.shape),
            "landmarks": size,
            "error, %": 100 * errors.mean(),
            "their error, %": 100 * their_errors.mean(),
            "accuracy, %": 100 * scores.mean(),
            "their accuracy, %": 100 * their_scores.mean(),
            "± of the difference": 100 * noise,
            "s": times[Nystroem].best / SEEDS,
            "their s": times[Uniform].best / SEEDS,
            "time / theirs": ratio,
            "_runs": times[Nystroem].runs,
        }
        yield promised(row, promise, kept)


def _competitor(which: Any, X: Any, gamma: float, size: int) -> Competitor:
    def fit() -> Fitted:
        models = [which(gamma=gamma, n_components=size, random_state=seed) for seed in range(SEEDS)]
        return [(model, model.fit_transform(X)) for model in models]

    return Competitor(fit)


def _judge(fitted: Fitted, y: Array, others: Any, truth: Array) -> tuple[Array, Array]:
    """Return errors and accuracies of all seeds."""
    # the kernel is 1 on its diagonal
    errors = [1.0 - float(np.square(Z).sum(dtype=np.float64)) / len(Z) for _, Z in fitted]
    scores = [
        RidgeClassifier(alpha=1e-3).fit(Z, y).score(model.transform(others), truth)
        for model, Z in fitted
    ]
    return np.array(errors), np.array(scores)


def _standard_error(a: Array, b: Array) -> float:
    """Return the standard error of the difference of two means."""
    return float(np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / SEEDS))
