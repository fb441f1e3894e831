"""Centring and scaling within the operand, against a standardized copy: time and memory.

Each case in a fresh process. Where the copy would not fit, only the operand is run.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from colonnade import select

from ..apart import measured_apart, peak, start_watch
from ..common import Options, Row, promised, shape_text
from ..data import matrix

TITLE = "Standardizing within the operand, against a standardized copy"
MIB = 2.0**20


@dataclass(frozen=True)
class Case:
    set: str
    way: str
    n_select: int = 50


SETS = ("mnist", "bladder cells", "20news")
LARGEST_COPY = 4 * 2**30


def run(options: Options) -> Iterator[Row]:
    for name in SETS[1:2] if options.quick else SETS:
        found = {}
        copy = 8 * int(np.prod(matrix(name).X.shape))
        for way in ("as it is", "operand", "copy"):
            if way == "copy" and copy > LARGEST_COPY:
                continue
            found[way] = measured_apart(__name__, asdict(Case(name, way)))
        for way, values in found.items():
            row = {
                "set": values["set"],
                "shape": shape_text(tuple(values["shape"])),
                "method": way,
                "seconds": values["seconds"],
                "growth, MiB": values["growth"] / MIB,
                "input, MiB": values["input"] / MIB,
                "a copy, MiB": copy / MIB,
                "left": values["left"],
            }
            if way == "operand":
                kept = {"memory": values["growth"] < copy / 4}
                if "copy" in found:
                    kept["time"] = values["seconds"] <= 1.2 * found["copy"]["seconds"]
                    kept["choice"] = values["indices"] == found["copy"]["indices"]
                row = promised(row, "the copy's choice, a quarter of it, ≤ 1.2 × its time", kept)
            yield row


def measure(case: Case) -> Row:
    data = matrix(case.set)
    A, name = data.X, data.name
    matrix.cache_clear()
    del data
    _choose(A[:500, :2000], case.way, 3)  # compile
    before = start_watch()
    start = time.perf_counter()
    found = _choose(A, case.way, case.n_select)
    seconds = time.perf_counter() - start
    parts = (A.data, A.indices, A.indptr) if sp.issparse(A) else (A,)
    return {
        "set": name,
        "shape": A.shape,
        "seconds": seconds,
        "growth": peak() - before,
        "input": sum(part.nbytes for part in parts),
        "indices": found.indices.tolist(),
        "left": float(found.relative_errors[-1]),
    }


def _choose(A: Any, way: str, n_select: int) -> Any:
    if way == "as it is":
        return select(A, n_select)
    if way == "operand":
        return select(A, n_select, center=True, scale="std")
    Z = (A.toarray() if sp.issparse(A) else A).astype(np.float64)
    Z -= Z.mean(axis=0)
    spreads = Z.std(axis=0)
    Z /= np.where(spreads > 0, spreads, 1.0)
    return select(Z, n_select)


if __name__ == "__main__":
    print(json.dumps(measure(Case(**json.loads(sys.argv[1])))))
