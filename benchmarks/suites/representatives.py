"""Rows to label: nearest neighbours among few chosen images, by our methods and by others."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from colonnade import METHODS, select

from ..common import Options, Row, promised
from ..data import labels, matrix

TITLE = "Representative rows: one nearest neighbour among 500 of 5,000 and more images"
TRAINING, SMALL, N_SELECT = 60_000, 5000, 500
QUICK_TRAINING, QUICK_SMALL, QUICK_SELECT = 4000, 2000, 100
ACCURACY, SECONDS = 0.88, 10.0

Chooser = Callable[[Any, int], Any]


def random_rows(X: Any, n_select: int) -> Any:
    return np.random.RandomState(0).permutation(len(X))[:n_select]


def minibatch_kmeans(X: Any, n_select: int) -> Any:
    """The rows nearest to scikit-learn's centres."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.metrics import pairwise_distances_argmin

    model = MiniBatchKMeans(n_select, random_state=0, n_init=1).fit(X)
    return np.unique(pairwise_distances_argmin(model.cluster_centers_, X))


def fasterpam(X: Any, n_select: int) -> Any:
    """kmedoids, which takes a matrix of distances."""
    import kmedoids
    from sklearn.metrics import pairwise_distances

    D = np.square(pairwise_distances(X))
    return kmedoids.fasterpam(D, n_select, random_state=0).medoids


def apricot(X: Any, n_select: int) -> Any:
    """apricot's facility location, which holds all similarities."""
    from apricot import FacilityLocationSelection

    model = FacilityLocationSelection(n_select, metric="euclidean", verbose=False)
    return model.fit(np.asarray(X, dtype=np.float64)).ranking


def submodlib(X: Any, n_select: int) -> Any:
    """submodlib's facility location, which holds all similarities as well."""
    from submodlib import FacilityLocationFunction

    function = FacilityLocationFunction(n=len(X), data=X, mode="dense", metric="euclidean")
    picks = function.maximize(budget=n_select, optimizer="LazyGreedy", show_progress=False)
    return np.array([number for number, _ in picks])


def geometric_sketch(X: Any, n_select: int) -> Any:
    """geosketch on fifty principal components, as its documentation does."""
    from geosketch import gs
    from sklearn.decomposition import PCA

    return np.array(gs(PCA(50, random_state=0).fit_transform(X), n_select, seed=0))


@dataclass(frozen=True)
class Peer:
    """How another package chooses, and how many rows it can take in 8 GiB and a few minutes."""

    choose: Chooser
    package: str
    most: int = TRAINING


PEERS = {
    "random": Peer(random_rows, "numpy"),
    "scikit-learn MiniBatchKMeans": Peer(minibatch_kmeans, "sklearn"),
    "kmedoids": Peer(fasterpam, "kmedoids", most=20_000),
    "apricot-select": Peer(apricot, "apricot", most=10_000),
    "submodlib": Peer(submodlib, "submodlib", most=10_000),
    "geosketch": Peer(geometric_sketch, "geosketch"),
}


def run(options: Options) -> Iterator[Row]:
    data, y = matrix("mnist"), labels("mnist")
    training = QUICK_TRAINING if options.quick else TRAINING
    small = QUICK_SMALL if options.quick else SMALL
    n_select = QUICK_SELECT if options.quick else N_SELECT
    X = np.asarray(data.X, dtype=np.float32)
    test = slice(training, training + 10_000)
    peers = {
        entry.name: Peer(our_chooser(entry.name), "colonnade")
        for entry in METHODS.values()
        if entry.kind == "representatives"
    }
    for name, peer in PEERS.items():
        try:
            importlib.import_module(peer.package)
        except ImportError as error:
            print(f"{name} is left out: {error}")
        else:
            peers[name] = peer
    for name, peer in peers.items():
        for n in (small, min(training, peer.most)):
            row = _measured(name, peer.choose, X[:n], n_select)
            rows = row.pop("_rows")
            model = KNeighborsClassifier(1).fit(X[rows], y[rows])
            row |= {"set": data.name, "accuracy": float(model.score(X[test], y[test]))}
            if name == "medoids" and n == TRAINING and "made" not in data.name:
                # other programs may use the cores: the time of the processor, on two of them
                spent = min(row["seconds"], row["CPU seconds"])
                met = {"accuracy": row["accuracy"] >= ACCURACY, "time": spent <= SECONDS}
                row = promised(row, f"at least {ACCURACY} in {SECONDS:.0f} s, clock or CPU", met)
            yield row


def our_chooser(name: str) -> Chooser:
    how = {"random_state": 0} if METHODS[name].randomized else {}

    def choose(X: Any, n_select: int) -> Any:
        return select(X, n_select, method=name, axis=0, **how).indices

    return choose


def _measured(name: str, chooser: Chooser, X: Any, n_select: int) -> Row:
    clock, processor = time.perf_counter(), time.process_time()
    rows = chooser(X, n_select)
    seconds, busy = time.perf_counter() - clock, time.process_time() - processor
    return {
        "method": name, "rows": len(X), "picks": len(rows),
        "seconds": seconds, "CPU seconds": busy, "_rows": rows,
    }  # fmt: skip
