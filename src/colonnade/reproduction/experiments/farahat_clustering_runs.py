"""Runs of Farahat (2012), chapter 5: data are embedded in few dimensions and clustered there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

from ... import metrics
from ...cluster.affinities import SelfTuning
from ...cluster.baselines import embedded, fowlkes, lsc
from ...comparison.ledger import Job, Outcome
from ...foundation.typing import Array, Indices
from ...linalg.partitions import quiet_kmeans
from ...operands.containers import dense
from ...operands.interface import Operand
from ...operands.kernel import Kernel
from ...projections import SVDProjection
from ...registry import METHODS
from ...selection import Selection
from ...selectors.greedy.sketches import SKETCHES
from ..preparation import frequent_terms, loaded, tf_idf, unit_rows

__all__ = ["EXACT", "WHOLE", "lloyd", "prepared", "run"]

DOCUMENTS = ("tdt2", "20news_full")
GROUPS = 10
"""Of how many random groups greedy selection takes the sums."""
STARTS = 5
"""How often Lloyd's algorithm begins anew; the run of the smallest objective counts."""
WHOLE = "all"
"""The size under which is kept what has no representatives: k-means on the data itself, and
spectral clustering by all similarities."""
EXACT = "exact"
"""Spectral clustering by all similarities."""
PRECISION = 1e-6
"""Of its eigenvalues, relatively."""

Embedding = tuple[int | str, Any, float]
"""How many representatives, what is clustered, and the CPU seconds it took."""


def run(job: Job) -> Outcome:
    """Cluster a data set, as often as there are seeds and sizes.

    Parameters
    ----------
    job : dict
        ``data``; ``clustering``: "k-means", or spectral with the similarity "linear" or
        "gaussian"; ``method``; ``sizes``; ``seeds``; and ``rows``, how many at most.

    Returns
    -------
    dict
        By measure and size the values of the seeds: NMI in per cent (for spectral clustering
        ``nmi`` of rows of unit length and ``nmi_any`` of rows of any length), and CPU seconds of
        the embedding and of k-means.
    """
    begin = time.process_time()
    X, y = prepared(job["data"], job["rows"])
    k = len(np.unique(y))
    spectral = job["clustering"] != "k-means"
    found: dict[str, dict[str, list[float]]] = {}

    def take(measure: str, size: int | str, value: float) -> None:
        found.setdefault(measure, {}).setdefault(str(size), []).append(round(value, 4))

    for seed, embeddings in _embeddings(X, k, job):
        for size, points, seconds in embeddings:
            start = time.process_time()
            labels = lloyd(unit_rows(points) if spectral else points, k, seed)
            take("kmeans_seconds", size, time.process_time() - start)
            take("embedding_seconds", size, seconds)
            take("nmi", size, 100 * metrics.nmi(y, labels))
            if spectral:
                take("nmi_any", size, 100 * metrics.nmi(y, lloyd(points, k, seed)))
    about = {"rows": X.shape[0], "columns": X.shape[1], "clusters": k}
    return {**found, **about, "seconds": time.process_time() - begin}


@lru_cache(maxsize=1)
def prepared(name: str, n_rows: int | None) -> tuple[Any, Any]:
    """Return a data set as section 5.4 prepares it: documents by tf-idf, images within 0 and 1.

    Parameters
    ----------
    name : str
        The data set.
    n_rows : int or None
        How many rows at most, drawn at random; None for all.
    """
    X, y = loaded(name)
    if n_rows is not None and n_rows < X.shape[0]:
        some = np.sort(np.random.RandomState(0).choice(X.shape[0], n_rows, replace=False))
        X, y = X[some], y[some]
    if name in DOCUMENTS:
        X = unit_rows(tf_idf(frequent_terms(X)))
        words = np.asarray((X != 0).sum(axis=1)).ravel() > 0  # a row of zeros is like no other
        return (X, y) if words.all() else (X[words], y[words])
    return X / np.float64(X.max()), y


def lloyd(points: Any, k: int, seed: int) -> Indices:
    """Return the clusters that Lloyd's algorithm finds, started from random rows."""
    points = points.astype(np.float32)
    if isinstance(points, np.ndarray):
        points = np.ascontiguousarray(points)
    found = quiet_kmeans(
        points, k, init="random", n_init=STARTS, algorithm="lloyd", random_state=seed
    )
    labels: Indices = found.labels_
    return labels


def _embeddings(X: Any, k: int, job: Job) -> Iterator[tuple[int, Iterator[Embedding]]]:
    """Yield for each seed the embeddings of all sizes."""
    method, sizes, seeds = job["method"], job["sizes"], job["seeds"]
    if method in OF_DATA:
        for seed in seeds:
            yield seed, OF_DATA[method](X, k, sizes, seed)
        return
    start = time.process_time()
    gaussian = job["clustering"] == "gaussian"
    K = SharedSums(X, seeds if method == "greedy" else ()) if gaussian else Kernel(X, "linear")
    before = time.process_time() - start
    # the inner products of the rows are a kernel, and these rows its columns
    A: Operand = K if K.explicit is None else K.explicit
    if method == EXACT:
        vectors = _of_all_similarities(K, k)
        seconds = time.process_time() - start
        yield from ((seed, iter([(WHOLE, vectors, seconds)])) for seed in seeds)
        return
    for seed in seeds:
        if method == "nystrom":
            yield seed, _one_shot(K, k, sizes, seed, before)
        elif job["clustering"] == "k-means":
            choices = CHOICES[method](A, sizes, seed, before)
            yield seed, ((size, W.T, seconds) for size, W, seconds in choices)
        else:
            yield seed, _spectral(K, k, CHOICES[method](A, sizes, seed, before))


def _itself(X: Any, k: int, sizes: list[int], seed: int) -> Iterator[Embedding]:
    yield WHOLE, X, 0.0


def _stochastic_svd(X: Any, k: int, sizes: list[int], seed: int) -> Iterator[Embedding]:
    for size in sizes:
        start = time.process_time()
        model = SVDProjection(
            min(size, *X.shape), algorithm="stochastic", n_power=2, n_extra=10, random_state=seed
        )
        points = model.fit_transform(X)
        yield size, points, time.process_time() - start


def _landmarks(X: Any, k: int, sizes: list[int], seed: int) -> Iterator[Embedding]:
    for size in sizes:
        start = time.process_time()
        _, vectors, _ = lsc(X, None, k, size, np.random.RandomState(seed))
        yield size, vectors, time.process_time() - start


OF_DATA: dict[str, Callable[[Any, int, list[int], int], Iterator[Embedding]]] = {
    "data": _itself,
    "ssvd": _stochastic_svd,
    "lsc": _landmarks,
}
"""Methods that do without representatives in a basis."""


def _one_shot(K: Kernel, k: int, sizes: list[int], seed: int, before: float) -> Iterator[Embedding]:
    for size in sizes:
        start = time.process_time()
        _, vectors, _ = fowlkes(K, k, size, np.random.RandomState(seed))
        yield size, vectors, before + time.process_time() - start


def _spectral(
    K: Kernel, k: int, choices: Iterator[tuple[int, Array, float]]
) -> Iterator[Embedding]:
    """Yield what Algorithm 9 clusters."""
    for size, W, seconds in choices:
        start = time.process_time()
        _, vectors = embedded(W, K, k)
        yield size, vectors, seconds + time.process_time() - start


def _of_all_similarities(K: Kernel, k: int) -> Array:
    """Return the leading eigenvectors of ``D^{-1/2} K D^{-1/2}``, with all of K in memory."""
    graph = K.gram()
    scale = 1.0 / np.sqrt(graph.sum(axis=1))
    graph *= scale
    graph *= scale[:, None]
    start = np.random.RandomState(0).uniform(size=len(graph))
    _, vectors = eigsh(graph, k, which="LA", v0=start, tol=PRECISION)
    return np.asarray(vectors)


def _path(method: str) -> Callable[..., Iterator[tuple[int, Array, float]]]:
    """Return what chooses as many as the largest size; smaller choices are the beginning of it."""
    params: dict[str, Any] = {"n_groups": GROUPS} if method == "partition-greedy" else {}

    def choices(
        A: Operand, sizes: list[int], seed: int, before: float
    ) -> Iterator[tuple[int, Array, float]]:
        start, times = time.process_time(), [0.0]
        found = METHODS[method](
            A, max(sizes), random_state=seed, **params,
            progress=lambda *done: times.append(time.process_time() - start),
        )  # fmt: skip
        for size in sizes:
            yield size, _embedding(found)[:size], before + times[min(size, len(times) - 1)]

    return choices


def _hybrid(times: float) -> Callable[..., Iterator[tuple[int, Array, float]]]:
    """Return what chooses among ``times · l · log l`` candidates, as if there were no others.

    The sums of random groups are those of the candidates alone.
    """

    def choices(
        A: Operand, sizes: list[int], seed: int, before: float
    ) -> Iterator[tuple[int, Array, float]]:
        for size in sizes:
            start, rng = time.process_time(), np.random.RandomState(seed)
            count = min(A.shape[1], max(size, int(np.ceil(times * size * np.log(size)))))
            drawn = np.sort(rng.choice(A.shape[1], count, replace=False))
            few = METHODS["partition-greedy"](
                A.subset(drawn), size, n_groups=GROUPS, random_state=rng
            )
            # the choice is made, and nothing left to chance: this embeds all others
            found = METHODS["uniform"](A, len(few), must_include=drawn[few.indices])
            yield size, _embedding(found), before + time.process_time() - start

    return choices


CHOICES: dict[str, Callable[..., Iterator[tuple[int, Array, float]]]] = {
    "random": _path("uniform"),
    "greedy": _path("partition-greedy"),
    "hybrid-5": _hybrid(5.0),
    "hybrid-1": _hybrid(1.0),
}
"""Methods that choose representatives, and describe all points by them."""


def _embedding(found: Selection) -> Array:
    assert found.embedding is not None
    return found.embedding


class SharedSums(SelfTuning):
    """The Gaussian similarity of the chapter, with sums for the groups of several seeds.

    Sums over random groups need all similarities, which are evaluated once for all seeds.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The points.
    seeds : sequence of int
        Of partition-based greedy selection.
    """

    def __init__(self, X: Any, seeds: Any):
        if isinstance(X, np.ndarray):
            X = X - X.mean(axis=0)  # keeps the digits that a common part would take from distances
        super().__init__(X, np.random.RandomState(0))
        draws = [SKETCHES["groups"](self, GROUPS, np.random.RandomState(seed)) for seed in seeds]
        groups = [dense(C) for C in draws]
        self.sums: list[tuple[Array, Array]] = []
        if groups:
            together = super().gram_matmat(np.hstack(groups))
            parts = np.hsplit(together, len(groups))
            self.sums = list(zip(groups, parts, strict=True))

    def gram_matmat(self, V: Array) -> Array:
        """Return the product with V, from memory if V are the groups of one of the seeds."""
        given = dense(V)
        for groups, sums in getattr(self, "sums", ()):
            if given.shape == groups.shape and (given == groups).all():
                return sums
        return super().gram_matmat(V)
