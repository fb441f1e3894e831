"""Neighbour-graph methods against scikit-feature (skfeature-chappers), with the graph and without.

The same graph for both: five nearest neighbours, Euclidean, weights of 1. scikit-feature adds a
loop at each sample, which the Laplacian does not see but its MCFS does. Then what is worth it:
MCFS's number of eigenvectors from the data, and angles in place of distances for documents.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from colonnade import SphericalKMeans, datasets, select
from colonnade.metrics import nmi, reconstruction_error

from ..common import Competitor, Options, Row, Timing, promised, race, shape_text
from ..data import matrix
from ..reference import Array

TITLE = "Neighbour-graph methods against scikit-feature, their eigenvectors and angles"
SETS = ("usps", "isolet", "orl_32x32", "mnist_2k2k", "lung_small", "yale_32x32", "warppie10p")
DOCUMENTS = ("tdt2", "reviews")
ROWS = 1500


@dataclass(frozen=True)
class Case:
    set: str
    method: str
    n_select: int
    n_clusters: int
    promise: float
    rows: int | None = None  # the first ones only: the reference holds matrices of rows × rows
    quick: bool = False


CASES = (
    Case("isolet", "laplacian-score", 62, 26, 1.0, quick=True),
    Case("isolet", "mcfs", 62, 26, 10.0, quick=True),
    Case("usps", "laplacian-score", 26, 10, 1.0),
    Case("usps", "mcfs", 26, 10, 1.0, rows=2000, quick=True),
    Case("usps", "mcfs", 26, 10, 1.0),  # minutes, since the reference is of the cube of the rows
)


def run(options: Options) -> Iterator[Row]:
    yield from _eigenvectors(options)
    yield from _angles(options)
    try:
        import skfeature  # noqa: F401
    except ImportError as error:
        print(f'scikit-feature is left out: {error}; install ".[peers]"')
        return
    for case in CASES:
        if case.quick or not options.quick:
            yield from _measure(options, case)


def _some(name: str) -> tuple[Any, Any]:
    """Return some rows, drawn at random, with their classes."""
    data = datasets.load(name)
    assert data.y is not None
    rows = np.random.default_rng(0).permutation(data.X.shape[0])[:ROWS]
    return data.X[rows].astype(np.float64), data.y[rows]


def _nearest_accuracy(X: Any, y: Any, metric: str) -> float:
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes of one or two samples
        return float(cross_val_score(KNeighborsClassifier(1, metric=metric), X, y, cv=folds).mean())


def _eigenvectors(options: Options) -> Iterator[Row]:
    """MCFS with as many eigenvectors as the graph says, and with five; means over three sizes."""
    rows = []
    for name in [one for one in SETS if one in datasets.names()][: 2 if options.quick else None]:
        X, y = _some(name)
        row: Row = {"set": name, "shape": shape_text(X.shape), "picks": "20, 50, 100"}
        for label, count in (("five", 5), ("ours", None)):
            found = []
            for n_select in (20, 50, 100):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)  # graphs in parts
                    chosen = select(X, n_select, method="mcfs", n_clusters=count)
                few = X[:, chosen.indices]
                groups = [
                    KMeans(len(np.unique(y)), n_init=2, random_state=seed).fit_predict(few)
                    for seed in range(2)
                ]
                score = float(np.mean([nmi(y, labels) for labels in groups]))
                found.append((score, _nearest_accuracy(few, y, "euclidean")))
            scores = (100 * np.mean(found, axis=0)).tolist()
            row[f"{label}: NMI, %"], row[f"{label}: 1-NN, %"] = scores
        row["vectors"] = chosen.info["n_clusters"]
        rows.append(row)
        yield row
    if rows:
        figures = [key for key in rows[0] if key.endswith("%")]
        mean: Row = {
            "set": "mean",
            **{k: float(np.mean([row[k] for row in rows])) for k in figures},
        }
        met = {key: mean[f"ours: {key}, %"] >= mean[f"five: {key}, %"] for key in ("NMI", "1-NN")}
        yield promised(mean, "not below five", met)


def _angles(options: Options) -> Iterator[Row]:
    """200 words by graphs of the counts, judged on the documents by their weighted words."""
    for name in [one for one in DOCUMENTS if one in datasets.names()][
        : 1 if options.quick else None
    ]:
        X, y = _some(name)
        X = X.tocsr()[:, np.flatnonzero(np.bincount(X.tocoo().col, minlength=X.shape[1]) >= 10)]
        weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X).tocsr()
        for method in ("laplacian-score", "spec", "mcfs"):
            row: Row = {"set": name, "shape": shape_text(X.shape), "picks": 200, "method": method}
            for metric in ("euclidean", "cosine"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)  # graphs in parts
                    few = weighted[:, select(X, 200, method=method, metric=metric).indices]
                labels = SphericalKMeans(len(np.unique(y)), random_state=0).fit_predict(few)
                row[f"{metric}: NMI, %"] = 100 * nmi(y, labels)
                row[f"{metric}: 1-NN, %"] = 100 * _nearest_accuracy(few, y, "cosine")
            better = {key: row[f"cosine: {key}, %"] > row[f"euclidean: {key}, %"]
                      for key in ("NMI", "1-NN")}  # fmt: skip
            yield promised(row, "angles above distances", better)


def _measure(options: Options, case: Case) -> Iterator[Row]:
    data = matrix(case.set)
    X = data.dense64[: case.rows]
    ours, theirs = OURS[case.method], THEIRS[case.method]
    ours(X[:500], case, "binary")  # compile
    W = their_graph(X)
    runs = {
        "ours": Competitor(lambda: ours(X, case, "binary")),
        "ours, given": Competitor(lambda: ours(X, case, W)),
        "their graph": Competitor(lambda: their_graph(X)),
        "theirs, given": Competitor(lambda: theirs(X, case, W)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = race(options, runs, repeats=3, budget=5.0)
    graph, given = times["their graph"].best, times["theirs, given"]
    row = _row(case, data.name, X, "with the graph", times["ours"], given, graph + given.best)
    yield promised(row, f"≥ {case.promise:g} ×", row["ratio"] >= case.promise)
    yield _row(case, data.name, X, "graph given", times["ours, given"], given, given.best)


def _row(
    case: Case, name: str, X: Array, timed: str, ours: Timing, theirs: Timing, seconds: float
) -> Row:
    return {
        "set": name,
        "shape": shape_text(X.shape),
        "picks": case.n_select,
        "method": case.method,
        "timed": timed,
        "scikit-feature, s": seconds,
        "colonnade, s": ours.best,
        "ratio": seconds / ours.best,
        "same picks": f"{len(set(ours.result) & set(theirs.result))} of {case.n_select}",
        "error, %": 100 * reconstruction_error(X, ours.result),
        "their error, %": 100 * reconstruction_error(X, theirs.result),
        "_runs": (ours.runs, theirs.runs),
    }


def _our_laplacian(X: Array, case: Case, affinity: Any) -> list[int]:
    return select(X, case.n_select, method="laplacian-score", affinity=affinity).indices.tolist()


def _our_mcfs(X: Array, case: Case, affinity: Any) -> list[int]:
    return select(
        X, case.n_select, method="mcfs", n_clusters=case.n_clusters, affinity=affinity
    ).indices.tolist()  # fmt: skip


def their_graph(X: Array) -> Any:
    from skfeature.utility.construct_W import construct_W

    return construct_W(X, metric="euclidean", neighbor_mode="knn", weight_mode="binary", k=5)


def _their_laplacian(X: Array, case: Case, W: Any) -> list[int]:
    from skfeature.function.similarity_based.lap_score import lap_score

    return lap_score(X, W=W, mode="index")[: case.n_select].tolist()


def _their_mcfs(X: Array, case: Case, W: Any) -> list[int]:
    from skfeature.function.sparse_learning_based.MCFS import mcfs as their_mcfs

    coefficients = their_mcfs(
        X, n_selected_features=case.n_select, W=W, n_clusters=case.n_clusters, mode="raw"
    )
    # its own ranking forgets the sign, against the paper
    return np.argsort(-np.abs(coefficients).max(axis=1))[: case.n_select].tolist()


Choose = Callable[[Array, Case, Any], list[int]]
OURS: dict[str, Choose] = {"laplacian-score": _our_laplacian, "mcfs": _our_mcfs}
THEIRS: dict[str, Choose] = {"laplacian-score": _their_laplacian, "mcfs": _their_mcfs}
