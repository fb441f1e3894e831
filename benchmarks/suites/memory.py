"""How far the memory rises above the input, each case in a fresh process."""

from __future__ import annotations

import contextlib
import ctypes
import gc
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
    order: str = "C"  # of sparse data: "csr" or "csc"
    call: str = "greedy"
    quick: bool = False


CALLS: dict[str, Callable[[Any, int], Any]] = {
    "greedy": lambda A, n_select: select(A, n_select),
    "refined": lambda A, n_select: select(A, n_select, refine=1),
    "estimator": lambda A, n_select: GreedySelector(n_select).fit(A),
    "pivoted-qr": lambda A, n_select: select(A, n_select, method="pivoted-qr"),
    "random-pivot": lambda A, n_select: select(A, n_select, method="random-pivot", random_state=0),
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
    Case("20news", 200, order="csr", quick=True),
    Case("20news 16201", 50, "float64", order="csr"),
    Case("20news 16201", 50, "float32", order="csr", quick=True),
    Case("20news 16201", 50, "float32", order="csc"),
    Case("20news 16201", 50, "float32", order="csr", call="estimator"),
    Case("20news 16201", 50, "float32", order="csr", call="pivoted-qr"),
    Case("20news 16201", 50, "float32", order="csr", call="random-pivot"),
    Case("bladder cells", 50, "float64", order="csr"),
    Case("bladder cells", 50, "float32", order="csr"),
    Case("bladder cells", 50, "float32", order="csc"),
    Case("bladder cells", 50, "float32", order="csr", call="estimator"),
)


def run(options: Options) -> Iterator[Row]:
    for case in CASES:
        if case.quick or not options.quick:
            yield _judge(case, measured_apart(__name__, asdict(case)))


def measure(case: Case) -> Row:
    """Load the input, select from a little of it, and watch the peak while selecting from all."""
    data = matrix(case.set)
    A = data.X.T if case.rows else data.X
    if sp.issparse(A):
        A = A.astype(case.dtype or A.dtype).asformat(case.order)
        if case.dtype is not None:  # as counts are usually taken
            A.data = np.log1p(A.data)
    else:
        A = np.asarray(A, dtype=case.dtype, order=case.order)
    matrix.cache_clear()
    name = data.name
    del data
    call = CALLS[case.call]
    call(A[:500, :2000], 3)  # compile
    if sp.issparse(A):
        # a small matrix does without the loops, and few choices without the buffers of BLAS
        call(A[:, : A.shape[1] // 2], case.n_select)
    give_back()
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


def give_back() -> None:
    """Return freed memory to the system: taken again, it would seem to cost nothing."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # the C library of Linux can
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _judge(case: Case, found: Row) -> Row:
    m, n = found["shape"]
    if found["nnz"] is not None:
        if case.dtype is None:
            needed, what = 12 * found["nnz"] + 8 * (m + n) * case.n_select, "nnz + (m + n)·l"
            limit, promise = 2.0 * needed, "growth ≤ 2 × needed"
        else:
            item = np.dtype(found["dtype"]).itemsize
            needed, what = (item * n + 8 * m) * case.n_select, "(m + n)·l"
            # scores and what is known of their rounding: sixteen numbers per row and column
            limit = 0.3 * found["input"] + needed + 16 * 8 * (m + n)
            promise = "≤ 1.3 × input + needed + 16 (m + n)"
    else:
        if n <= m:
            needed, what = 8 * n * n + 8 * n * case.n_select, "n² + n·l"
        else:
            needed, what = 8 * m * m + 8 * (m + n) * case.n_select, "m² + (m + n)·l"
        limit, promise = 0.3 * found["input"] + needed, "≤ 1.3 × input + needed"
    kind = case.order.upper() if found["nnz"] is not None else f"{case.order} order"
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
