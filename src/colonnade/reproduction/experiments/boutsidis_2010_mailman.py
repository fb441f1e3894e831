"""Boutsidis, Zouzias & Drineas (2010), section 5.2: three ways to multiply by random signs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from ... import datasets
from ...comparison.ledger import Job, Outcome
from ...foundation.typing import Array, Floats
from ...projections.fast_transforms import mailman, packed_signs
from ..experiment import Experiment, Results, Study
from ..findings import Cells, Claim, Figure, Findings, verdict_of

__all__ = ["EXPERIMENTS", "by_columns", "run"]

DATA = "low_rank"
D, T = 4096, 100
"""Features, as many as ORL has pixels, and dimensions, as many as Table 2 has at most."""
ROWS = (1, 10, 100, 1000, 10_000)
MM1, MM2, MAILMAN = "MM1", "MM2", "mailman"
MADE = "MM1, R made of its bits (ours)"
MEASURE = "CPU milliseconds"
RUNS = 7
AT_ONCE = 400
"""So many rows at least are multiplied for one time, by repeating what has fewer."""


@njit(nogil=True, cache=True, fastmath=True)
def _by_columns(X: Any, bits: Any, n_components: Any, out: Any) -> None:
    n, d = X.shape
    column = np.empty(d)
    for j in range(n_components):
        group, bit = j // 8, j % 8
        for i in range(d):
            column[i] = 1.0 - 2.0 * ((bits[i, group] >> bit) & 1)
        for row in range(n):
            total = 0.0
            x = X[row]
            for i in range(d):
                total += x[i] * column[i]
            out[row, j] = total


def by_columns(X: Array, bits: Array, n_components: int) -> Floats:
    """Return the product of rows with signs of which no more than a column is there at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.experiments.boutsidis_2010_mailman import by_columns
    >>> by_columns(np.array([[1.0, 2.0]]), np.array([[0], [1]], dtype=np.uint8), 2)
    array([[-1.,  3.]])
    """
    out = np.empty((len(X), n_components))
    _by_columns(X, np.asfortranarray(bits), n_components, out)
    return out


def run(job: Job) -> Outcome:
    """Multiply rows by random signs in every way, by turns.

    Returns
    -------
    dict
        The seconds of each run by way, and how far from the first the other products are at most,
        in units of the largest entry.
    """
    n = job["rows"]
    X = datasets.load(job["data"], n_samples=n, n_features=D, rank=1, random_state=0).X
    bits = np.random.RandomState(1).randint(0, 256, (D, -(-T // 8)), dtype=np.uint8)
    R = packed_signs(bits, T)
    ways: dict[str, Callable[[], Floats]] = {
        MM1: lambda: X @ R,
        MM2: partial(by_columns, X, bits, T),
        MAILMAN: partial(mailman, X, bits, T),
        MADE: lambda: X @ packed_signs(bits, T),
    }
    products = [multiply() for multiply in ways.values()]  # which compiles what is compiled
    apart = max(float(np.abs(P - products[0]).max()) for P in products)
    times = -(-AT_ONCE // n)
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(job["runs"]):
        for way, multiply in ways.items():
            start = time.process_time()
            for _ in range(times):
                multiply()
            seconds[way].append((time.process_time() - start) / times)
    return {"times": seconds, "apart": apart / float(np.abs(products[0]).max())}


def jobs(quick: bool) -> list[Job]:
    """Return a job for each number of rows."""
    rows = ROWS[:3] if quick else ROWS
    return [{"data": DATA, "rows": n, "runs": 3 if quick else RUNS} for n in rows]


def report(results: Results) -> Findings:
    """Return times of each way, and what becomes of the note."""
    cells = Cells()
    for job, outcome in results:
        for way, values in outcome["times"].items():
            for value in values:
                cells.add(way, job["rows"], value=1000 * value)
    rows = sorted({int(job["rows"]) for job, _ in results})
    figures = tuple(
        Figure("", way, f"n = {n}", cells.summary(way, n), measure=MEASURE)
        for way in (MM1, MM2, MAILMAN, MADE)
        for n in rows
    )
    apart = max(float(outcome["apart"]) for _, outcome in results)
    notes = (
        "MM1 multiplies by a matrix that is there, by BLAS; MM2 makes one column of it at a time "
        "from bits and multiplies by that; the mailman has 256 sums for eight columns. The last "
        "row makes the matrix first, as `SignProjection(algorithm='blas')` does, since it keeps "
        f"none. The four products agree to {apart:.0e} of their largest entry.",
        "The document has no figures here, and does not say how many features and dimensions "
        "there were.",
    )
    return Findings(
        figures, tuple(_claims(cells, rows)), notes=notes, digits=3, larger_is_better=False
    )


def _claims(cells: Cells, rows: list[int]) -> Iterator[Claim]:
    def ratio(slow: str, fast: str, n: int) -> float:
        return cells.mean(slow, n) / cells.mean(fast, n)

    one, many = [n for n in rows if n == 1], [n for n in rows if n >= 10]
    asked = (
        ("For one row the mailman is faster than MM1 and MM2", MAILMAN, (MM1, MM2), one),
        ("For one row MM2 is faster than MM1", MM2, (MM1,), one),
    )
    for text, fast, slow, where in asked:
        found = {way: ratio(way, fast, n) for n in where for way in slow}
        yield Claim(
            text,
            verdict_of([value > 1 for value in found.values()]),
            f"of the time of {fast}: "
            + ", ".join(f"{way} {value:.2f}" for way, value in found.items()),
        )
    for way in (MM1, MM2):
        own = {n: ratio(MAILMAN, way, n) for n in many}
        yield Claim(
            f"For 10 to 10,000 rows the mailman is slower than {way}",
            verdict_of([value > 1 for value in own.values()]),
            f"of the time of {way}: "
            + ", ".join(f"n = {n} {value:.2f}" for n, value in own.items()),
        ).without(f"n = {n} (not run)" for n in ROWS if n >= 10 and n not in many)


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "boutsidis-2010-section-5.2",
        "Three ways to multiply by random signs",
        Study("boutsidis-2010-mailman", run),
        jobs,
        report,
        f"n rows of {D} features times {D} × {T} signs, in float64 on one core. CPU time of the "
        f"product alone, {RUNS} runs by turns, each of {AT_ONCE} rows at least.",
        0.4,
    ),
)
