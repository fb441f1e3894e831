"""Against a straightforward NumPy Algorithm 4, and against what must be multiplied and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.blas import dsymv

from colonnade import select
from colonnade.foundation.threads import in_parallel, shares

from ..common import Competitor, Options, Row, Timing, promised, race, shape_text
from ..data import matrix
from ..reference import Array, algorithm_4, initial_scores_of

TITLE = "Speed against Algorithm 4 in NumPy, and against products and passes"


@dataclass(frozen=True)
class Case:
    set: str
    n_select: int
    promise: float
    inputs: tuple[str, ...]
    repeats: int
    rows: bool = True  # whether rows of the data are chosen (A = Xᵀ)
    timed_columns: int | None = None  # time f⁰ on these, for data of which AᵀA does not fit
    quick: bool = True


INPUTS: dict[str, Callable[[Any], Any]] = {
    "float64, F order": lambda A: np.asfortranarray(A, dtype=np.float64),
    "float64, C order": lambda A: np.ascontiguousarray(A, dtype=np.float64),
    "float32": lambda A: np.asfortranarray(A, dtype=np.float32),
    "as stored": lambda A: A,
}

SMALL = ("float64, C order", "as stored")
CASES = (
    Case("digits", 10, 2.0, SMALL[:1], repeats=9, rows=False),
    Case("isolet", 62, 2.0, SMALL, repeats=9, rows=False),
    Case("faces (PIE)", 102, 2.0, SMALL, repeats=9, rows=False),  # the shape of COIL
    Case("usps", 26, 2.0, SMALL, repeats=5, rows=False, quick=False),
    Case("warppie10p", 50, 2.0, SMALL, repeats=9, rows=False, quick=False),
    Case("mnist 4000", 78, 2.0, SMALL, repeats=5, rows=False, quick=False),
    Case("mnist", 150, 2.0, SMALL, repeats=3, rows=False, quick=False),
    Case("mnist 4000", 200, 2.0, tuple(INPUTS), repeats=5),
    Case(
        "mnist", 150, 20.0, ("float64, F order", "float32", "as stored"), repeats=3,
        timed_columns=500, quick=False,
    ),
)  # fmt: skip

OVERHEAD = {"float64": 1.3, "float32": 1.5, "uint8": 1.5}
"""How many times as long as products and passes a choice is to take, on data beyond the caches."""


def run(options: Options) -> Iterator[Row]:
    for case in CASES:
        if case.quick or not options.quick:
            yield from _measure(options, case)


def _measure(options: Options, case: Case) -> Iterator[Row]:
    data = matrix(case.set)
    stored = data.X.T if case.rows else data.X
    given = {name: INPUTS[name](stored) for name in case.inputs}
    plain = next(A for A in given.values() if A.dtype == np.float64)
    select(plain, 3)  # compile
    for A in given.values():
        select(A[:, :2000], 3)
    large = case.timed_columns is not None
    f = _initial_scores(plain) if large else None
    weighed = large or plain.shape[0] >= plain.shape[1]  # against products and passes

    def fast(A: Array) -> Competitor:
        return Competitor(lambda: select(A, case.n_select).indices.tolist())

    # the reference gets float64, whatever the input is stored as
    runs = {"reference": Competitor(lambda: algorithm_4(plain, case.n_select, f))}
    runs |= {name: fast(A) for name, A in given.items()}
    if weighed:
        runs["products"] = Competitor(lambda: (_products if large else _inner_products)(plain))
    for name, A in given.items():
        if large:
            runs[f"passes {name}"] = Competitor(lambda A=A: _passes(A, case.n_select))
        elif weighed:
            G = _inner_products(plain)
            runs[f"passes {name}"] = Competitor(lambda G=G: _symmetric_passes(G, case.n_select))
    times = race(options, runs, repeats=case.repeats, budget=60.0)
    theirs = times["reference"]
    start, note = 0.0, f"best of {theirs.runs}"
    if case.timed_columns is not None:
        start, note = _extrapolated(options, plain, case.timed_columns)
    for name, A in given.items():
        ours = times[name]
        seconds = start + theirs.best
        agree = sum(a == b for a, b in zip(ours.result, theirs.result, strict=True))
        row = {
            "set": data.name,
            "shape": shape_text(A.shape),
            "picks": case.n_select,
            "input": name if name != "as stored" else f"{A.dtype}, as stored",
            "reference, s": seconds,
            "colonnade, s": ours.best,
            "ratio": seconds / ours.best,
            "ratio of medians": (start + theirs.median) / ours.median,
            "same picks": f"{agree} of {case.n_select}",
            "note": note,
        }
        kept = {"reference": seconds / ours.best >= case.promise}
        promise = f"≥ {case.promise:g} × as fast"
        if weighed:
            row |= _overhead(ours, times["products"], times[f"passes {name}"])
            row["reference, × products and passes"] = seconds / (
                row["products, s"] + row["passes, s"]
            )
        if large:
            most = OVERHEAD[str(A.dtype)]
            kept["products and passes"] = row["× products and passes"] <= most
            promise += f", ≤ {most:g} × products and passes"
        yield promised(row, promise, kept)


def _overhead(ours: Timing, products: Timing, passes: Timing) -> Row:
    return {
        "products, s": products.best,
        "passes, s": passes.best,
        "× products and passes": ours.best / (products.best + passes.best),
        "_× of medians": ours.median / (products.median + passes.median),
    }


def _products(A: Array) -> Array:
    """The products that f⁰ of wide data needs: ``A Aᵀ``, and that times A."""
    M = A @ A.T
    return np.concatenate(
        [(M @ A[:, start : start + 4000])[0] for start in range(0, A.shape[1], 4000)]
    )


def _inner_products(A: Array) -> Array:
    """``AᵀA``, which tall data needs: NumPy computes one triangle."""
    return A.T @ A


def _symmetric_passes(G: Array, count: int) -> float:
    """Multiply ``AᵀA`` with a vector as often as columns are chosen, reading half of it."""
    omega, found = np.ones(len(G)), 0.0
    for _ in range(count):
        found += dsymv(1.0, G.T, omega)[0]
    return found


def _passes(A: Array, count: int) -> int:
    """Read the bytes of A as often as columns are chosen, on as many cores as the package takes."""
    words = np.ravel(A, order="K").view(np.uint64)
    for _ in range(count):
        found = in_parallel(lambda part: np.bitwise_xor.reduce(words[part]), shares(len(words)))
    return int(np.bitwise_xor.reduce(found))


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
