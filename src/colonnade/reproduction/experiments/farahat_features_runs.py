"""Choose features without labels, cluster by them, and compare with the classes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ... import select
from ...cluster import SphericalKMeans
from ...comparison.ledger import Job, Outcome
from ...foundation.typing import Array, Indices
from ...metrics import nmi
from ...operands.containers import dense
from ..preparation import frequent_terms, loaded, tf_idf, unit_rows

__all__ = ["PREPARATIONS", "n_features", "run_choice"]

DOCUMENTS = ("tdt2", "20news_full")
IMAGES = ("orl_32x32", "coil20", "usps")
NEIGHBOURS = 5
ATTEMPTS, LONG = 3, 3.0
"""How often a choice is timed, and after how many seconds once is enough."""
ITERATIONS, STILL = 1000, 50
"""Of affinity propagation: at most, and without a change of exemplars before it ends."""


def _image_range(X: Array) -> Array:
    low, high = X.min(axis=1, keepdims=True), X.max(axis=1, keepdims=True)
    return (X - low) / np.where(high > low, high - low, 1.0)


def _common_range(X: Array) -> Array:
    return (X - X.min()) / (X.max() - X.min())


def _standardized(X: Array) -> Array:
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


PREPARATIONS: dict[str, Callable[[Array], Array]] = {
    "each image to [0, 1]": _image_range,
    "all images to [0, 1]": _common_range,
    "as stored": lambda X: X,
    "negative, in [0, 1]": lambda X: 1.0 - _common_range(X),
    "square roots of [0, 1]": lambda X: np.sqrt(_common_range(X)),
    "[0, 1], rows of unit length": lambda X: unit_rows(_common_range(X)),
    "pixels centred": lambda X: X - X.mean(axis=0),
    "pixels standardized": _standardized,
}
"""What can be done to images before features are chosen; the first is what is done."""


def n_features(n: int, percent: int) -> int:
    """Return how many of n features a percentage is, rounded up.

    Of the ways to round, this is the one by which 1 % of ISOLET gives the printed figure.
    """
    return -(-n * percent // 100)


@lru_cache(maxsize=2)
def _prepared(data: str, preparation: str, every: int) -> tuple[Any, Any]:
    X, y = loaded(data)
    X, y = X[::every], y[::every]
    if data in DOCUMENTS:
        return unit_rows(tf_idf(frequent_terms(X))), y
    X = np.asarray(X, dtype=np.float64)
    if data in IMAGES:
        X = PREPARATIONS[preparation or next(iter(PREPARATIONS))](X)
    return X, y


def run_choice(job: Job) -> Outcome:
    """Choose features by a method, cluster by these, and compare the clusters with the classes.

    Returns
    -------
    dict
        For each percentage, as text: ``nmi``, in per cent; ``choice_seconds``, of the processor,
        until features are chosen. For k-means ``one_start``, the NMI of the first start, and for
        affinity propagation ``clusters``, how many there are.
    """
    data, percents, seed = str(job["data"]), tuple(job["percents"]), int(job["seed"])
    what = (data, str(job.get("preparation", "")), int(job["every"]))
    X, y = _prepared(*what)
    draw = seed if job["method"] == "PartGreedyFS" else 0
    chosen, seconds = _choices(*what, str(job["method"]), draw, percents)
    outcome: dict[str, dict[str, float]] = {"choice_seconds": seconds, "nmi": {}}
    for percent, columns in chosen.items():
        Z = X if columns is None else X[:, columns]
        if job["cluster"] == "k-means":
            found = list(_starts(Z, len(set(y)), seed, int(job["starts"]), data in DOCUMENTS))
            labels = min(found, key=lambda start: start[0])[1]
            outcome.setdefault("one_start", {})[percent] = 100 * nmi(y, found[0][1])
        else:
            labels = _propagated(Z, seed)
            outcome.setdefault("clusters", {})[percent] = len(set(labels.tolist()))
        outcome["nmi"][percent] = 100 * nmi(y, labels)
    return outcome


# -- the choice -----------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _choices(
    data: str, preparation: str, every: int, method: str, draw: int, percents: tuple[int, ...]
) -> tuple[dict[str, Indices | None], dict[str, float]]:
    """Return the features for each percentage and how long it took; a process does it once."""
    if method == "All Features":
        return {"100": None}, {}
    X, y = _prepared(data, preparation, every)
    sizes = {percent: n_features(X.shape[1], percent) for percent in percents}
    name, params = _method(method, X.shape[1], len(set(y)), draw)
    chosen, seconds = {}, {}
    if method in ("MCFS", "PCA-LRG", "FSFS"):  # what these compute depends on the size
        for percent, size in sizes.items():
            order, marks = _timed_choice(X, size, name, params)
            chosen[percent], seconds[percent] = order, marks[0]
    else:
        order, marks = _timed_choice(X, max(sizes.values()), name, params)
        for percent, size in sizes.items():
            chosen[percent] = order[:size]
            # scores are the same for all sizes; greedy methods have chosen as many as they say
            seconds[percent] = marks[size - 1 if "Greedy" in method else 0]
    return (
        {str(percent): np.sort(columns) for percent, columns in chosen.items()},
        {str(percent): taken for percent, taken in seconds.items()},
    )


def _method(name: str, n: int, n_classes: int, draw: int) -> tuple[str, dict[str, Any]]:
    """Return the library's name of a method and its parameters."""
    graph = {"n_neighbors": NEIGHBOURS}
    known: dict[str, tuple[str, dict[str, Any]]] = {
        "PCA-LRG": ("pca-lrg", {}),
        "FSFS": ("fsfs", {}),
        "LS": ("laplacian-score", graph),
        "SPEC": ("spec", graph),
        "MCFS": ("mcfs", {**graph, "n_clusters": n_classes}),
        "GreedyFS": ("greedy", {}),
        "PartGreedyFS": (
            "partition-greedy",
            {"n_groups": max(1, round(n / 100)), "random_state": draw},
        ),
    }
    return known[name]


def _timed_choice(
    X: Any, size: int, method: str, params: dict[str, Any]
) -> tuple[Indices, list[float]]:
    """Return the choice, and the seconds of the processor until each feature of it was known.

    What methods that rank features do after their first is about the error that is left, which
    they do not look at. The least of several attempts counts unless it takes long, so that
    nothing that is imported or compiled does.
    """
    least: list[float] = []
    for _ in range(ATTEMPTS):
        marks: list[float] = []
        start = time.process_time()
        found = select(
            X, size, method=method,
            progress=lambda *_, marks=marks, start=start: marks.append(time.process_time() - start),
            **params,
        )  # fmt: skip
        least = [min(both) for both in zip(least or marks, marks, strict=True)]
        if least[-1] > LONG:
            break
    return found.indices, least


# -- the clusters ---------------------------------------------------------------------------------


def _starts(
    Z: Any, k: int, seed: int, starts: int, documents: bool
) -> Iterator[tuple[float, Array]]:
    """Yield loss and clusters of k-means from several starts, each from k rows at random."""
    from sklearn.cluster import KMeans
    from sklearn.utils.extmath import row_norms

    rng = np.random.RandomState(seed)
    directed = np.flatnonzero(row_norms(Z))
    for _ in range(starts):
        if documents:  # a document without any of the terms has no direction
            centers = dense(Z[rng.choice(directed, k, replace=False)])
            sphere = SphericalKMeans(k, init=centers).fit(Z)
            yield -sphere.objective_, sphere.labels_
        else:
            means = KMeans(k, init="random", n_init=1, random_state=rng).fit(Z)
            yield means.inertia_, means.labels_


def _propagated(Z: Array, seed: int) -> Array:
    """Return the clusters of affinity propagation on negative distances."""
    from sklearn.cluster import AffinityPropagation
    from sklearn.metrics.pairwise import euclidean_distances

    similarities = -euclidean_distances(Z)
    found = AffinityPropagation(
        affinity="precomputed", preference=np.median(similarities, axis=0),
        max_iter=ITERATIONS, convergence_iter=STILL, random_state=seed,
    ).fit(similarities)  # fmt: skip
    return np.asarray(found.labels_)
