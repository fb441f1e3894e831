"""Against a straightforward NumPy Algorithm 4, choosing rows of a data set (A = Xᵀ)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from colonnade import select

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..data import matrix
from ..reference import Array, algorithm_4, initial_scores_of

TITLE = "Speed against Algorithm 4 in NumPy"


@dataclass(frozen=True)
class Case:
    set: str
    n_select: int
    promise: float
    inputs: tuple[str, ...]
    repeats: int
    timed_columns: int | None = None  # time f⁰ on these, for data of which AᵀA does not fit


INPUTS: dict[str, Callable[[Any], Any]] = {
    "float64, F order": lambda X: X.astype(np.float64, order="C").T,
    "float64, C order": lambda X: np.ascontiguousarray(X.T, dtype=np.float64),
    "own dtype": lambda X: X.T,
}

CASES = (
    Case("mnist 4000", 200, 2.0, tuple(INPUTS), repeats=5),
    Case("mnist", 150, 20.0, ("float64, F order", "own dtype"), repeats=2, timed_columns=500),
)


def run(options: Options) -> Iterator[Row]:
    for case in CASES:
        if case.timed_columns is None or not options.quick:
            yield from _measure(options, case)


def _measure(options: Options, case: Case) -> Iterator[Row]:
    data = matrix(case.set)
    given = {name: INPUTS[name](data.X) for name in case.inputs}
    # the reference gets float64 in the order of the input, whatever the input is stored as
    plain = {name: A for name, A in given.items() if name != "own dtype"}
    plain["own dtype"] = plain["float64, F order"]
    for A in given.values():
        select(A[:, :2000], 3)  # compile
    f = None if case.timed_columns is None else _initial_scores(plain["own dtype"])

    def slow(A: Array) -> Competitor:
        return Competitor(lambda: algorithm_4(A, case.n_select, f))

    def fast(A: Array) -> Competitor:
        return Competitor(lambda: select(A, case.n_select).indices.tolist())

    times = race(
        options,
        {f"reference {name}": slow(plain[name]) for name in case.inputs if name != "own dtype"}
        | {name: fast(A) for name, A in given.items()},
        repeats=case.repeats,
        budget=60.0,
    )
    times["reference own dtype"] = times["reference float64, F order"]
    start, note = 0.0, f"best of {times[case.inputs[0]].runs}"
    if case.timed_columns is not None:
        start, note = _extrapolated(options, plain["own dtype"], case.timed_columns)
    for name, A in given.items():
        ours, theirs = times[name], times[f"reference {name}"]
        seconds = start + theirs.best
        agree = sum(a == b for a, b in zip(ours.result, theirs.result, strict=True))
        row = {
            "set": data.name,
            "shape": shape_text(A.shape),
            "picks": case.n_select,
            "input": name if name != "own dtype" else f"{A.dtype}, as stored",
            "reference, s": seconds,
            "colonnade, s": ours.best,
            "ratio": seconds / ours.best,
            "ratio of medians": (start + theirs.median) / ours.median,
            "same picks": f"{agree} of {case.n_select}",
            "note": note,
        }
        yield promised(row, f"≥ {case.promise:g} ×", seconds / ours.best >= case.promise)


def _initial_scores(A: Array) -> Array:
    """f⁰ by way of the short side, so that the reference can go on from it; not timed."""
    M = A @ A.T
    out = np.empty(A.shape[1])
    for start in range(0, A.shape[1], 4000):
        block = A[:, start : start + 4000]
        out[start : start + 4000] = np.einsum("ij,ij->j", block, M @ block)
    return out


def _extrapolated(options: Options, A: Array, width: int) -> tuple[float, str]:
    """Time the reference's f⁰ on a few blocks of columns; return it for all, and say how."""
    blocks = 4
    spent = []
    for k in range(blocks):
        columns = slice(k * width, (k + 1) * width)
        start = options.clock()
        initial_scores_of(A, columns)
        spent.append(options.clock() - start)
    total = min(spent) / width * A.shape[1]
    note = (
        f"reference's f⁰ {total:.0f} s: the fastest of {blocks} blocks of {width} columns "
        f"({min(spent):.2f} s) times {A.shape[1] / width:g}; its picks timed in full"
    )
    return total, note
