"""What is asked of ours and of other packages alike: data, who answers, how answers are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans, SpectralClustering
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.neighbors import KNeighborsClassifier

from colonnade import (
    FastSpectralClustering,
    Nystroem,
    ReducedKMeans,
    RLSClassifier,
    SVDProjection,
    metrics,
    select,
)

from .cells import bladder, log_counts
from .data import labels, matrix, prepared
from .peers import CHOOSERS
from .suites import clustering, genes, graph, representatives, sketches


@dataclass(frozen=True)
class Entrant:
    """Who answers: a function of data and a seed, and the package that it needs."""

    answer: Callable[[Any, int], Any]
    package: str = "colonnade"


@dataclass(frozen=True)
class Problem:
    """Data, those who answer, and the quality of an answer.

    ``less`` says whether less of it is better; differences up to ``slack`` are those of another
    seed or other folds.
    """

    what: str
    set: str
    size: int
    quality: str
    data: Callable[[], Any]
    judge: Callable[[Any, Any], float]
    ours: Mapping[str, Entrant]
    peers: Mapping[str, Entrant]
    less: bool = False
    slack: float = 0.0
    quick: bool = False

    @property
    def name(self) -> str:
        return f"{self.what}: {self.set}, {self.size}"

    def as_good(self, ours: float, theirs: float) -> bool:
        """Whether one quality is not below the other."""
        return ours <= theirs + self.slack if self.less else ours >= theirs - self.slack


def _columns(name: str, k: int, quick: bool = False) -> Problem:
    greedy = {"greedy": {}, "greedy, one sweep": {"refine": 1}, "greedy, refined": {"refine": True}}
    return Problem(
        "columns that rebuild all", name, k, "error, %",
        lambda: matrix(name).dense64,
        lambda X, picks: 100 * metrics.reconstruction_error(X, picks),
        {
            who: Entrant(lambda X, seed, how=how: select(X, k, **how).indices.tolist())  # type: ignore[misc, arg-type]
            for who, how in greedy.items()
        },
        {
            who: Entrant(lambda X, seed, choose=choose: choose(X, k), package)  # type: ignore[misc]
            for who, (package, choose) in CHOOSERS.items()
        },
        less=True, quick=quick,
    )  # fmt: skip


def _graph(name: str, method: str, k: int, n_clusters: int) -> Problem:
    case = graph.Case(name, method, k, n_clusters, 1.0)

    def told(X: Any, picks: Any) -> float:
        """NMI of k-means on the chosen columns with the classes."""
        found = [
            metrics.nmi(labels(name), KMeans(n_clusters, n_init=3, random_state=s).fit(F).labels_)
            for F in [X[:, picks]]
            for s in range(5)
        ]
        return 100 * float(np.mean(found))

    return Problem(
        f"columns for clusters, {method}", name, k, "NMI, %", lambda: matrix(name).dense64, told,
        {method: Entrant(lambda X, seed: graph.OURS[method](X, case, "binary"))},
        {
            "scikit-feature": Entrant(
                lambda X, seed: graph.THEIRS[method](X, case, graph.their_graph(X)), "skfeature"
            )
        },
        slack=1.0,
    )  # fmt: skip


def _rows(n: int, k: int) -> Problem:
    def data() -> Any:
        return np.asarray(matrix("mnist").X[:n], dtype=np.float32)

    def near(X: Any, rows: Any) -> float:
        """Accuracy of the nearest of the chosen rows, on rows that nobody saw."""
        y, test = labels("mnist"), slice(60_000, 70_000)
        others = np.asarray(matrix("mnist").X[test], dtype=np.float32)
        model = KNeighborsClassifier(1).fit(X[rows], y[:n][rows])
        return 100 * float(model.score(others, y[test]))

    ours = ("medoids", "facility-location", "coverage")
    return Problem(
        "rows that stand for all", f"mnist, {n} rows", k, "accuracy, %", data, near,
        {who: Entrant(lambda X, seed, who=who: _our_rows(X, k, who)) for who in ours},  # type: ignore[misc]
        {
            who: Entrant(lambda X, seed, peer=peer: peer.choose(X, k), peer.package)  # type: ignore[misc]
            for who, peer in representatives.PEERS.items()
            if who != "random"
        },
        slack=0.5,
    )  # fmt: skip


def _our_rows(X: Any, k: int, method: str) -> Any:
    return representatives.our_chooser(method)(X, k)


def _clusters(name: str, k: int, quick: bool = False) -> Problem:
    def by_scikit(which: Any, X: Any, seed: int) -> Any:
        return which(k, n_init=1, random_state=seed).fit(X).labels_

    return Problem(
        "clusters", name, k, "loss, %",
        lambda: prepared(matrix(name).X),
        lambda X, found: 100 * metrics.normalized_objective(X, found),
        {
            "ReducedKMeans": Entrant(
                lambda X, seed: ReducedKMeans(k, n_init=1, random_state=seed).fit(X).labels_
            )
        },
        {
            "scikit-learn KMeans": Entrant(partial(by_scikit, KMeans), "sklearn"),
            "scikit-learn MiniBatchKMeans": Entrant(partial(by_scikit, MiniBatchKMeans), "sklearn"),
            "faiss": Entrant(lambda X, seed: clustering.by_faiss(X, k, seed), "faiss"),
        },
        less=True, slack=0.2, quick=quick,
    )  # fmt: skip


def _spectral(name: str, k: int) -> Problem:
    def gamma(X: Any) -> float:
        return 0.25 / float(X.var(axis=0, dtype=np.float64).sum())

    def theirs(X: Any, seed: int) -> Any:
        K = rbf_kernel(np.asarray(X, dtype=np.float64), gamma=gamma(X))
        return SpectralClustering(k, affinity="precomputed", random_state=seed).fit(K).labels_

    return Problem(
        "spectral clusters", name, k, "NMI, %",
        lambda: prepared(matrix(name).X),
        lambda X, found: 100 * metrics.nmi(labels(name), found),
        {
            "FastSpectralClustering": Entrant(
                lambda X, seed: FastSpectralClustering(k, random_state=seed).fit(X).labels_
            )
        },
        {"scikit-learn SpectralClustering": Entrant(theirs, "sklearn")},
        slack=2.0,
    )  # fmt: skip


def _kernel_features(name: str, k: int) -> Problem:
    @cache
    def gamma() -> float:
        few = prepared(matrix(name).X[:500])
        distances = euclidean_distances(few, squared=True)
        return 0.5 / float(np.median(distances[distances > 0]))

    def by(which: Any, X: Any, seed: int) -> Any:
        return which(gamma=gamma(), n_components=k, random_state=seed).fit_transform(X)

    return Problem(
        "features of a kernel", name, k, "trace left, %",
        lambda: prepared(matrix(name).X),
        lambda X, Z: 100 * (1.0 - float(np.square(Z).sum(dtype=np.float64)) / len(Z)),
        {"Nystroem": Entrant(partial(by, Nystroem))},
        {"scikit-learn Nystroem": Entrant(partial(by, TheirNystroem), "sklearn")},
        less=True,
    )  # fmt: skip


def _classifier(name: str, n_classes: int) -> Problem:
    alpha = 1.0

    def parts() -> Any:
        X, y = prepared(matrix(name).X), labels(name)
        order = np.random.RandomState(0).permutation(len(y))
        train, test = order[len(y) // 5 :], order[: len(y) // 5]
        return X[train], y[train], X[test], y[test]

    def fitted(make: Any, data: Any, seed: int) -> Any:
        return make(alpha, fit_intercept=False).fit(data[0], data[1])

    return Problem(
        "a linear classifier", name, n_classes, "accuracy, %", parts,
        lambda data, model: 100 * float(model.score(data[2], data[3])),
        {"RLSClassifier": Entrant(lambda data, seed: RLSClassifier(alpha).fit(data[0], data[1]))},
        {"scikit-learn RidgeClassifier": Entrant(partial(fitted, RidgeClassifier), "sklearn")},
        slack=0.5,
    )  # fmt: skip


def _genes(k: int) -> Problem:
    def told(cells: Any, chosen: Any) -> float:
        """Accuracy of fifteen neighbours among half of the cells, for the other half."""
        F = log_counts(cells.X)[:, chosen].toarray()
        half = np.random.RandomState(0).permutation(len(F)) % 2 == 0
        model = KNeighborsClassifier(15).fit(F[half], cells.types[half])
        return 100 * float(model.score(F[~half], cells.types[~half]))

    theirs = {
        who: pair
        for who, pair in {**genes.COUNTS, **genes.PEERS}.items()
        if who.startswith("scanpy")
    }
    return Problem(
        "genes that tell types", "bladder cells", k, "accuracy, %", bladder, told,
        {"select_genes": Entrant(lambda cells, seed: genes.ours(cells, cells.X), "anndata")},
        {
            who: Entrant(lambda cells, seed, choose=choose: choose(cells, cells.X), package)  # type: ignore[misc]
            for who, (choose, package) in theirs.items()
        },
        slack=1.0,
    )  # fmt: skip


def _cells(k: int) -> Problem:
    def components(cells: Any) -> Any:
        L = log_counts(cells.X)
        return SVDProjection(sketches.JUDGES, center=True, random_state=0).fit_transform(L)

    def told(cells: Any, chosen: Any) -> float:
        """Balanced accuracy of the nearest of the chosen cells, for all others."""
        P = components(cells)
        others = np.setdiff1d(np.arange(len(P)), chosen)
        guess = KNeighborsClassifier(1).fit(P[chosen], cells.types[chosen]).predict(P[others])
        return 100 * float(balanced_accuracy_score(cells.types[others], guess))

    def ours(cells: Any, seed: int) -> Any:
        return sketches.ours("medoids")(genes.as_anndata(cells.X), None, k, seed)

    def theirs(cells: Any, seed: int) -> Any:
        return sketches.geometric(None, components(cells), k, seed)

    return Problem(
        "cells that stand for all", "bladder cells", k, "balanced, %", bladder, told,
        {"sketch_cells": Entrant(ours, "anndata")},
        {"geosketch": Entrant(theirs, "geosketch")},
        slack=1.0,
    )  # fmt: skip


@cache
def problems() -> dict[str, Problem]:
    """Return all problems by name."""
    # one of each kind first
    found = [
        _columns("digits", 10, quick=True),
        _columns("usps", 26, quick=True),
        _columns("faces (PIE)", 102),
        _graph("isolet", "laplacian-score", 62, 26),
        _clusters("mnist 4000", 10, quick=True),
        _spectral("isolet", 26),
        _kernel_features("usps", 300),
        _classifier("mnist 20000", 10),
        _genes(100),
        _cells(100),
        _rows(5000, 500),
        _clusters("mnist", 10),
        _columns("isolet", 62),
        _columns("faces (ORL quarters)", 102),
        _columns("warppie10p", 50),
        _columns("mnist 4000", 78),
        _graph("isolet", "mcfs", 62, 26),
        _spectral("mnist 4000", 10),
        _classifier("20news 16201", 20),
    ]
    return {problem.name: problem for problem in found}
