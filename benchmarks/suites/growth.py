"""How the time grows with the columns, the rows and the choices, against the bytes to move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from colonnade import select

from ..common import Competitor, Options, Row, race, shape_text
from ..data import matrix
from ..reference import Array

TITLE = "How the time grows"


@dataclass(frozen=True)
class Size:
    m: int = 784
    n: int = 20000
    picks: int = 100

    @property
    def bytes_moved(self) -> float:
        """What one run must read and write at least, in float64 with A Aᵀ (m × m) held.

        Twice A to begin with (A Aᵀ, then f⁰); for each choice A once, one triangle of A Aᵀ,
        six readings of the basis so far, and three vectors of n read and written.
        """
        m, n, picks = self.m, self.n, self.picks
        basis = 6 * m * picks / 2
        return 8.0 * (2 * m * n + picks * (m * n + m * m / 2 + basis + 6 * n))

    @property
    def flops(self) -> float:
        """The arithmetic that is more than a pass: one triangle of A Aᵀ, and its use for f⁰."""
        return 2.0 * self.m * self.m * self.n


@dataclass(frozen=True)
class Machine:
    """What a plain product reaches in the same run: bytes and operations per second."""

    bandwidth: float
    flop_rate: float

    def bytes_seconds(self, size: Size) -> float:
        return size.bytes_moved / self.bandwidth

    def seconds(self, size: Size) -> float:
        return self.bytes_seconds(size) + size.flops / self.flop_rate


AXES: dict[str, tuple[str, tuple[int, ...]]] = {
    "n": ("columns n", (5000, 10000, 20000, 35000, 50000, 70000)),
    "m": ("rows m", (196, 294, 392, 588, 784)),
    "picks": ("choices l", (25, 50, 100, 200, 400)),
}


def run(options: Options) -> Iterator[Row]:
    data = matrix("mnist")
    whole = data.X[:12000] if options.quick else data.X
    base = Size(n=4000, picks=20) if options.quick else Size()
    reached = _machine(options, whole[:20000].astype(np.float64).T)
    for axis, (label, values) in AXES.items():
        sizes = [replace(base, **{axis: value}) for value in values]
        if options.quick:
            sizes = [size for size in sizes if size.n <= len(whole) and size.picks <= 50]
        rows = []
        for size in sizes:
            row = {"over": axis, "set": data.name} | _measure(options, whole, size)
            row["bytes alone, s"] = reached.bytes_seconds(size)
            row["with arithmetic, s"] = reached.seconds(size)
            row["× expected"] = row["seconds"] / row["with arithmetic, s"]
            rows.append(row | {"_value": getattr(size, axis)})
        _plot(options, label, rows, reached)
        yield from rows


def _measure(options: Options, X: Any, size: Size) -> Row:
    # pixels spread over the whole image, so that every size has the same kind of data
    pixels = np.linspace(0, X.shape[1] - 1, size.m).astype(int)
    A = X[: size.n, pixels].astype(np.float64).T
    select(A[:, :2000], 2)  # compile
    chosen = Competitor(lambda: select(A, size.picks))
    seconds = race(options, {"select": chosen}, repeats=3, budget=6.0)["select"].best
    return {
        "shape": shape_text(A.shape),
        "picks": size.picks,
        "seconds": seconds,
        "GB to move": size.bytes_moved / 1e9,
        "GB/s": size.bytes_moved / seconds / 1e9,
    }


def _machine(options: Options, A: Array) -> Machine:
    q = np.ones(A.shape[0])
    B = A[:, :2000]
    cases = {
        "product": Competitor(lambda: A.T @ q),
        "product, one thread": Competitor(lambda: A.T @ q, blas_threads=1),
        "sum": Competitor(lambda: A.sum()),
    }
    reads = race(options, cases, repeats=10, budget=5.0)
    square = {"square": Competitor(lambda: B.T @ A[:, :2001])}
    spent = race(options, square, repeats=3, budget=5.0)["square"].best
    return Machine(
        bandwidth=A.nbytes / min(timing.best for timing in reads.values()),
        flop_rate=2.0 * A.shape[0] * 2000 * 2001 / spent,
    )


def _plot(options: Options, label: str, rows: list[Row], reached: Machine) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('no plots of the growth: matplotlib is not installed; install ".[plot]"')
        return
    gigabytes, gigaflops = reached.bandwidth / 1e9, reached.flop_rate / 1e9
    lines = {
        "seconds": ("o-", "measured"),
        "bytes alone, s": ("--", f"bytes to move at {gigabytes:.3g} GB/s"),
        "with arithmetic, s": (":", f"and A Aᵀ, f⁰ at {gigaflops:.3g} Gflop/s"),
    }
    figure = Figure(figsize=(5.5, 4), layout="constrained")
    axes = figure.subplots()
    for key, (style, name) in lines.items():
        axes.plot([row["_value"] for row in rows], [row[key] for row in rows], style, label=name)
    axes.set(xlabel=label, ylabel="seconds", title=f"greedy selection over {label}")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend()
    options.out.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.out / f"growth_{rows[0]['over']}.png", dpi=120)
