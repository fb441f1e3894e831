"""Kernels of more points than an n × n matrix has room for, each case in a fresh process.

First how much faster spectral clustering through representatives is where scikit-learn's can do it
(in 4 GiB, and at 20000 points in 12.5 GiB), then sizes that it cannot do. Spectral clustering is
run from several seeds, and medians are told; scikit-learn's from one at 20000 points.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.kernel_approximation import Nystroem as Uniform
from sklearn.metrics.pairwise import rbf_kernel

from colonnade import FastSpectralClustering, Nystroem, metrics

from ..apart import measured_apart, peak
from ..common import Options, Row, promised, shape_text
from ..data import labels, matrix, prepared

TITLE = "Large kernels: seconds and memory"
THEIRS = "scikit-learn SpectralClustering"
BEFORE = "FastSpectralClustering, partition-greedy, rows of any length"
"""Algorithm 9 of Farahat's thesis as it is printed, with which the default is compared where
scikit-learn's has no room."""
GIB = 2.0**30
LIMIT = 4.0
"""GiB that a process may take in all, with its input."""

PROMISED_RATIOS = {"mnist 20000": 50.0}
"""How many times as fast as scikit-learn's spectral clustering ours is at least."""

PROMISED_NMI = ("mnist 20000", "mnist")
"""Where its clusters agree with the classes at least as well."""

PROMISED_SECONDS = {"mnist": 20.0}
"""How long ours may take where scikit-learn's has no room."""


@dataclass(frozen=True)
class Case:
    set: str
    method: str
    n_clusters: int = 0
    affinity: str = "rbf"
    gamma: float | None = None
    seeds: int = 1
    quick: bool = False


# two over the mean squared distance
USPS = {"set": "usps", "n_clusters": 10, "gamma": 0.008}
MNIST = {"set": "mnist 20000", "n_clusters": 10, "gamma": 0.02}

CASES = (
    Case(method=THEIRS, seeds=3, **USPS),
    Case(method="FastSpectralClustering", seeds=5, **USPS),
    Case(method=THEIRS, **MNIST),
    Case(method="FastSpectralClustering", seeds=5, **MNIST),
    Case("mnist 4000", "FastSpectralClustering", 10, seeds=5, quick=True),
    Case("mnist", BEFORE, 10, seeds=3),
    Case("mnist", "FastSpectralClustering, partition-greedy", 10, seeds=3),
    Case("mnist", "FastSpectralClustering", 10, seeds=5),
    Case("20news 16201", "FastSpectralClustering", 20, "linear"),
    Case("mnist 4000", "Nystroem, partition-greedy", gamma=0.005, quick=True),
    Case("mnist", "scikit-learn Nystroem", gamma=0.005),
    Case("mnist", "Nystroem, auto", gamma=0.005),
    Case("mnist", "Nystroem, random-pivot", gamma=0.005),
    Case("mnist", "Nystroem, partition-greedy", gamma=0.005),
    Case("mnist", "Nystroem, signed-greedy", gamma=0.005),
)


def run(options: Options) -> Iterator[Row]:
    slow: dict[str, Row] = {}
    for case in CASES:
        if case.quick != options.quick:
            continue
        found = measured_apart(__name__, asdict(case))
        row = {
            "set": found["set"],
            "shape": shape_text(found["shape"]),
            "method": case.method,
            "seconds": found["seconds"],
            "CPU, s": found["cpu"],
            "memory, GiB": found["memory"] / GIB,
            "NMI": found["nmi"],
            "points, GiB": found["points"] / GIB,
            "n × n, GiB": 8 * found["shape"][0] ** 2 / GIB,
        }
        if case.method in (THEIRS, BEFORE):
            slow[case.set] = found
        kept = {f"{LIMIT:g} GiB": found["memory"] <= LIMIT * GIB}
        promise = f"≤ {LIMIT:g} GiB"
        if case.method == "FastSpectralClustering" and case.set in slow:
            theirs = slow[case.set]
            row["× faster"] = theirs["seconds"] / found["seconds"]
            row["× less CPU"] = theirs["cpu"] / found["cpu"]
            least = PROMISED_RATIOS.get(case.set)
            if least is not None:
                promise += f", ≥ {least:g} ×"
                kept[f"{least:g} ×"] = row["× faster"] >= least
            if case.set in PROMISED_NMI:
                promise += ", NMI ≥ theirs"
                kept["NMI"] = found["nmi"] >= theirs["nmi"]
        if case.method == "FastSpectralClustering" and case.set in PROMISED_SECONDS:
            most = PROMISED_SECONDS[case.set]
            promise += f", ≤ {most:g} s"
            kept[f"{most:g} s"] = found["seconds"] <= most
        yield row if case.method.startswith("scikit-learn") else promised(row, promise, kept)


def measure(case: Case) -> Row:
    """Run one case and report its time, its memory and the quality of clusters."""
    data = matrix(case.set)
    X, classes = prepared(data.X), labels(case.set)
    matrix.cache_clear()
    run = _maker(case)
    run(X[:1000], 0)  # compile
    seconds, cpus, scores = [], [], []
    for seed in range(case.seeds):
        start, cpu = time.perf_counter(), time.process_time()
        found = run(X, seed)
        seconds.append(time.perf_counter() - start)
        cpus.append(time.process_time() - cpu)
        scores.append(float(metrics.nmi(classes, found)) if case.n_clusters else 0.0)
    points = X.data.nbytes + X.indices.nbytes if hasattr(X, "tocsr") else X.nbytes
    return {
        "set": data.name,
        "shape": X.shape,
        "seconds": statistics.median(seconds),
        "cpu": statistics.median(cpus),
        "memory": peak(),
        "points": points,
        "nmi": statistics.median(scores) if case.n_clusters else None,
    }


def _maker(case: Case) -> Callable[[Any, int], Any]:
    gamma, k = case.gamma, case.n_clusters
    name, how, *rows = *case.method.split(", "), "auto"
    if name == "FastSpectralClustering":
        params = {"affinity": case.affinity, "gamma": gamma, "method": how}
        params["normalize_rows"] = "rows of any length" not in rows
        return lambda X, seed: (
            FastSpectralClustering(k, 300, random_state=seed, **params).fit(X).labels_
        )
    if name == THEIRS:
        return lambda X, seed: _their_labels(X, k, gamma, seed)
    if name == "scikit-learn Nystroem":
        return lambda X, seed: Uniform(
            gamma=gamma, n_components=300, random_state=seed
        ).fit_transform(X)
    return lambda X, seed: Nystroem(
        gamma=gamma, n_components=300, landmarks=how, random_state=seed
    ).fit_transform(X)


def _their_labels(X: Any, k: int, gamma: float | None, seed: int) -> Any:
    X = X.astype(np.float64)
    # of a copy, since OpenBLAS 0.3.31 may end the process where it multiplies more than some 16000
    # rows by their own transpose in several threads
    K = rbf_kernel(X, X.copy(), gamma=gamma)
    return SpectralClustering(k, affinity="precomputed", random_state=seed).fit(K).labels_


if __name__ == "__main__":
    print(json.dumps(measure(Case(**json.loads(sys.argv[1])))))
