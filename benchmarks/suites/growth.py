"""How the time grows with the columns, the rows and the choices, against the bytes to move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from colonnade import greedy

from ..common import Competitor, Options, Row, race, shape_text
from ..data import matrix
from ..reference import Array

TITLE = "How the time grows"


@dataclass(frozen=True)
class Size:
    m: int = 784
    n: int = 20000
    picks: int = 50

    @property
    def bytes_moved(self) -> float:
        """What one run must read and write at least, in float64 with A Aᵀ (m × m) held.

        Twice A to begin with (A Aᵀ, then f⁰); for each choice A once, one triangle of A Aᵀ,
        six readings of the basis so far, and three vectors of n read and written.
        """
        m, n, picks = self.m, self.n, self.picks
        basis = 6 * m * picks / 2
        return 8.0 * (2 * m * n + picks * (m * n + m * m / 2 + basis + 6 * n))


AXES: dict[str, tuple[str, tuple[int, ...]]] = {
    "n": ("columns n", (5000, 10000, 20000, 35000, 50000, 70000)),
    "m": ("rows m", (98, 196, 392, 588, 784)),
    "picks": ("choices l", (25, 50, 100, 200, 400)),
}


def run(options: Options) -> Iterator[Row]:
    data = matrix("mnist")
    whole = data.X[:12000] if options.quick else data.X
    base = Size(n=4000, picks=20) if options.quick else Size()
    speed = _bandwidth(options, whole[:20000].astype(np.float64).T)
    for axis, (label, values) in AXES.items():
        sizes = [replace(base, **{axis: value}) for value in values]
        if options.quick:
            sizes = [size for size in sizes if size.n <= len(whole) and size.picks <= 100]
        rows = [{"set": data.name, "over": axis} | _measure(options, whole, s) for s in sizes]
        for row, size in zip(rows, sizes, strict=True):
            row["GB/s of one product"] = speed / 1e9
            row["× the bytes"] = row["seconds"] / (size.bytes_moved / speed)
            row["_value"] = getattr(size, axis)
        _plot(options, label, rows)
        yield from rows


def _measure(options: Options, X: Any, size: Size) -> Row:
    # pixels spread over the whole image, so that every size has the same kind of data
    pixels = np.linspace(0, X.shape[1] - 1, size.m).astype(int)
    A = X[: size.n, pixels].astype(np.float64).T
    greedy(A[:, :2000], 2)  # compile
    select = Competitor(lambda: greedy(A, size.picks))
    seconds = race(options, {"select": select}, repeats=3, budget=10.0)["select"].best
    return {
        "shape": shape_text(A.shape),
        "picks": size.picks,
        "seconds": seconds,
        "GB to move": size.bytes_moved / 1e9,
        "GB/s": size.bytes_moved / seconds / 1e9,
    }


def _bandwidth(options: Options, A: Array) -> float:
    """Return how many bytes per second a product with A reads, by BLAS or by a plain sum."""
    q = np.ones(A.shape[0])
    reads = {
        "product": Competitor(lambda: A.T @ q),
        "product, one thread": Competitor(lambda: A.T @ q, blas_threads=1),
        "sum": Competitor(lambda: A.sum()),
    }
    times = race(options, reads, repeats=10, budget=5.0)
    return A.nbytes / min(timing.best for timing in times.values())


def _plot(options: Options, label: str, rows: list[Row]) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('no plots of the growth: matplotlib is not installed; install ".[plot]"')
        return
    values = [row["_value"] for row in rows]
    speed = rows[0]["GB/s of one product"]
    figure = Figure(figsize=(5.5, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(values, [row["seconds"] for row in rows], "o-", label="measured")
    line = [row["GB to move"] / speed for row in rows]
    axes.plot(values, line, "--", color="gray", label=f"bytes to move at {speed:.3g} GB/s")
    axes.set(xlabel=label, ylabel="seconds", title=f"greedy selection over {label}")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend()
    options.out.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.out / f"growth_{rows[0]['over']}.png", dpi=120)
