"""All ways to landmarks of a Gaussian kernel, and the uniform ones of scikit-learn, in one run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.kernel_approximation import Nystroem as Uniform
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from colonnade import EnsembleNystroem, Nystroem

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..data import matrix
from ..reference import Array

TITLE = "Ways to Nyström landmarks beside that of scikit-learn"

LANDMARKS = (
    "short-kmeans", "uniform", "random-pivot", "adaptive-sampling", "partial-adaptive-sampling",
    "pivoted-qr", "partition-greedy", "signed-greedy", "hybrid-greedy", "sgma", "greedy", "kmeans",
)  # fmt: skip
PROMISED = {"short-kmeans": 0.85, "partition-greedy": 0.9, "signed-greedy": 0.9, "greedy": 0.85}
"""How much of the error of uniform landmarks is left at most."""

SEEDS = 3


def run(options: Options) -> Iterator[Row]:
    data = matrix("usps")
    X = data.dense64[: 1000 if options.quick else 3000]
    size = 50 if options.quick else 100
    gamma = 1.0 / (2.0 * np.median(euclidean_distances(X[:500], squared=True)))
    K = rbf_kernel(X, gamma=gamma)
    values = np.linalg.eigvalsh(K)[::-1]
    best = float(np.linalg.norm(values[size:]))

    def competitor(make: object, **params: object) -> Competitor:
        def fit() -> list[Array]:
            return [
                make(gamma=gamma, random_state=seed, **params).fit_transform(X)  # type: ignore[operator]
                for seed in range(SEEDS)
            ]

        return Competitor(fit)

    competitors = {"scikit-learn": competitor(Uniform, n_components=size)}
    for name in LANDMARKS:
        competitors[name] = competitor(Nystroem, n_components=size, landmarks=name)
    # as many landmarks in all as the others have
    competitors["ensemble of 10"] = competitor(EnsembleNystroem, n_components=size // 10)
    for one in competitors.values():
        one.run()  # compile
    times = race(options, competitors, repeats=3, budget=1.5)
    uniform = times["scikit-learn"]
    base = _error(K, uniform.result)
    for name, timing in times.items():
        error = _error(K, timing.result)
        row: Row = {
            "set": data.name,
            "shape": shape_text(X.shape),
            "landmarks": size,
            "method": name,
            "accuracy": best / error,
            "error / scikit-learn": error / base,
            "s": timing.best / SEEDS,
            "time / scikit-learn": timing.best / uniform.best,
            "_runs": timing.runs,
        }
        limit = PROMISED.get(name)
        if limit is not None:
            row = promised(row, f"error ≤ {limit:g} of uniform", error <= limit * base)
        yield row


def _error(K: Array, features: list[Array]) -> float:
    """Return the mean ``‖K − Z Zᵀ‖_F``."""
    return float(np.mean([np.linalg.norm(K - Z @ Z.T) for Z in features]))
