"""How far the memory rises above the input, each case in a fresh process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from colonnade import GreedySelector, select

from ..apart import measured_apart, peak, start_watch
from ..common import Options, Row, promised, shape_text
from ..data import matrix

TITLE = "Memory"
MIB = 2.0**20


@dataclass(frozen=True)
class Case:
    set: str
    n_select: int
    dtype: str | None = None  # None: as stored
    rows: bool = False  # choose rows (wide, A = Xᵀ) instead of features (tall)
    order: str = "C"
    call: str = "greedy"
    quick: bool = False


CALLS: dict[str, Callable[[Any, int], Any]] = {
    "greedy": lambda A, n_select: select(A, n_select),
    "refined": lambda A, n_select: select(A, n_select, refine=1),
    "estimator": lambda A, n_select: GreedySelector(n_select).fit(A),
}


CASES = (
    Case("mnist", 100, "float64"),
    Case("mnist", 100, "float64", order="F"),
    Case("mnist", 100, "float64", rows=True),
    Case("mnist", 100, "float64", rows=True, order="F", quick=True),
    Case("mnist", 100, "float32"),
    Case("mnist", 100, "float32", order="F"),
    Case("mnist", 100, "float32", rows=True),
    Case("mnist", 100, "float32", rows=True, order="F"),
    Case("mnist", 100),
    Case("mnist", 100, rows=True, order="F"),
    Case("mnist", 100, "float64", call="estimator"),
    Case("mnist", 100, call="estimator"),
    Case("mnist", 20, "float64", rows=True, order="F", call="refined"),
    Case("20news", 200, quick=True),
)


def run(options: Options) -> Iterator[Row]:
    for case in CASES:
        if case.quick or not options.quick:
            yield _judge(case, measured_apart(__name__, asdict(case)))


def measure(case: Case) -> Row:
    """Load the input, select from a little of it, and watch the peak while selecting from all."""
    data = matrix(case.set)
    A = data.X.T if case.rows else data.X
    if case.dtype is not None:
        A = A.astype(case.dtype, order=case.order)
    if not sp.issparse(A):
        A = np.asarray(A, order=case.order)
    matrix.cache_clear()
    name = data.name
    del data
    call = CALLS[case.call]
    call(A[:500, :2000], 3)  # compile
    before = start_watch()
    call(A, case.n_select)
    growth = peak() - before
    parts = (A.data, A.indices, A.indptr) if sp.issparse(A) else (A,)
    return {
        "set": name,
        "shape": A.shape,
        "dtype": str(A.dtype),
        "nnz": int(A.nnz) if sp.issparse(A) else None,
        "input": sum(part.nbytes for part in parts),
        "growth": growth,
    }


def _judge(case: Case, found: Row) -> Row:
    m, n = found["shape"]
    if found["nnz"] is not None:
        needed, what = 12 * found["nnz"] + 8 * (m + n) * case.n_select, "nnz + (m + n)·l"
        limit, promise = 2.0 * needed, "growth ≤ 2 × needed"
    else:
        if n <= m:
            needed, what = 8 * n * n + 8 * n * case.n_select, "n² + n·l"
        else:
            needed, what = 8 * m * m + 8 * (m + n) * case.n_select, "m² + (m + n)·l"
        limit, promise = 0.3 * found["input"] + needed, "≤ 1.3 × input + needed"
    kind = "CSR" if found["nnz"] is not None else f"{case.order} order"
    row = {
        "set": found["set"],
        "shape": shape_text((m, n)),
        "picks": case.n_select,
        "call": case.call,
        "input": f"{found['dtype']}, {kind}",
        "nnz": found["nnz"],
        "input, MiB": found["input"] / MIB,
        "growth, MiB": found["growth"] / MIB,
        "needed, MiB": needed / MIB,
        "needed is": what,
        "× input": 1 + (found["growth"] - needed) / found["input"],
        "growth / needed": found["growth"] / needed,
    }
    return promised(row, promise, found["growth"] <= limit)


if __name__ == "__main__":
    print(json.dumps(measure(Case(**json.loads(sys.argv[1])))))
