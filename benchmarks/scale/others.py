"""Components of scikit-learn and dask for the same tall data, against as many of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import numpy as np
from sklearn.decomposition import IncrementalPCA
from threadpoolctl import threadpool_limits

from colonnade import GreedySelector

from ..common import Options, Row, promised, shape_text
from .blocks import tall
from .tall import _multiplied
from .watching import GIB, in_turns

N_COLUMNS, K = 500, 50


def run(options: Options, measure: Any) -> Iterator[Row]:
    found = measure("others", "compare", m=20_000 if options.quick else 400_000)
    ours = found["methods"]["GreedySelector"]
    for name, values in found["methods"].items():
        row = {
            "case": "others",
            "set": f"{name}, k = {K}",
            "shape": shape_text(tuple(found["shape"])),
            "GB": found["bytes"] / 1e9,
            "seconds": values["seconds"],
            "peak, GiB": values["peak"] / GIB,
            "error": values["error"],
            "error / best of any": values["error"] / found["best"],
        }
        if values is ours:
            rivals = [other["seconds"] for other in found["methods"].values() if other is not ours]
            kept = {"time": ours["seconds"] <= min(rivals)}
            row = promised(row, "not slower than either", kept)
        else:
            row["ratio"] = ours["seconds"] / values["seconds"]
        yield row


def compare(m: int) -> Row:
    """Measure time, memory and what is left, by the inner products of all columns."""
    X = tall(m, N_COLUMNS)
    GreedySelector(5).fit(tall(2000, N_COLUMNS, 500))  # compile
    calls = {
        "GreedySelector": lambda: GreedySelector(K).fit(X).indices_,
        "IncrementalPCA": lambda: _incremental(X),
        "svd_compressed": lambda: _compressed(X),
    }
    results, taken = in_turns(calls, 2)
    G = _multiplied(X)
    values = np.linalg.eigvalsh(G)
    picks = results.pop("GreedySelector")
    errors = {"GreedySelector": _left_by_columns(G, picks)}
    errors |= {name: _left_by_directions(G, V) for name, V in results.items()}
    return {
        "shape": X.shape,
        "bytes": X.nbytes,
        "best": float(values[:-K].sum() / values.sum()),
        "methods": {name: {**taken[name], "error": error} for name, error in errors.items()},
    }


def _incremental(X: Any) -> Any:
    """Fit batch after batch, as they are made; the next is made only when it is asked for."""
    learner = IncrementalPCA(K)
    for block in X.to_delayed()[:, 0]:
        learner.partial_fit(dask.compute(block)[0])
    return learner.components_


def _compressed(X: Any) -> Any:
    with threadpool_limits(1, user_api="blas"):
        _, _, v = da.linalg.svd_compressed(X, K, seed=0)
        return dask.compute(v)[0]


def _left_by_columns(G: Any, picks: Any) -> float:
    C = G[:, picks]
    explained = np.trace(np.linalg.solve(G[np.ix_(picks, picks)], C.T @ C))
    return float(1.0 - explained / np.trace(G))


def _left_by_directions(G: Any, V: Any) -> float:
    Q = np.linalg.qr(np.asarray(V).T)[0]
    return float(1.0 - np.trace(Q.T @ G @ Q) / np.trace(G))
