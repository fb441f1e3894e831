"""Time and reconstruction beside other packages, choosing features."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from colonnade import select
from colonnade.metrics import best_rank_error, reconstruction_error

from ..common import Competitor, Options, Row, Timing, promised, race, shape_text
from ..data import matrix
from ..peers import installed
from ..reference import Array

TITLE = "Beside other packages"
OURS: dict[str, dict[str, Any]] = {
    "colonnade greedy": {},
    "colonnade greedy, one sweep": {"refine": 1},
    "colonnade greedy, refined": {"refine": True},
}
GREEDY, _, REFINED = OURS


@dataclass(frozen=True)
class Case:
    set: str
    n_select: int
    like_coil: bool = False  # 1440 × 1024, a tenth of the columns
    quick: bool = False


CASES = (
    Case("digits", 10, quick=True),
    Case("faces (PIE)", 102, like_coil=True),
    Case("faces (ORL quarters)", 102, like_coil=True),
    Case("isolet", 62),
    Case("usps", 26, quick=True),
    Case("mnist 4000", 78),
    Case("warppie10p", 50),
)

FACTORS = {"fastcan, PCA target": 40.0, "skmatter CUR": 40.0, "scipy pivoted QR": 1.0}
"""How many times faster greedy selection, with swaps if need be, is promised to be while it
reconstructs better: the first two on shapes like COIL, the last on all."""


def run(options: Options) -> Iterator[Row]:
    peers, reasons = installed()
    for reason in reasons:
        print(reason)
    for case in CASES:
        if case.quick or not options.quick:
            yield from _measure(options, case, peers)


def _measure(options: Options, case: Case, peers: dict[str, Any]) -> Iterator[Row]:
    data = matrix(case.set)
    X = data.dense64
    select(X, 2, refine=1)  # compile

    def ours(params: dict[str, Any]) -> Competitor:
        return Competitor(lambda: select(X, case.n_select, **params).indices.tolist())

    def theirs(choose: Any, threads: int | None) -> Competitor:
        return Competitor(lambda: choose(X, case.n_select), threads)

    runs = {(name, None): ours(params) for name, params in OURS.items()}
    for name, peer in peers.items():
        runs |= {(name, k): theirs(peer.choose, k) for k in peer.blas_threads}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = race(options, runs, repeats=5, budget=3.0)
    fastest: dict[str, Timing] = {}
    for (name, _), timing in sorted(times.items(), key=lambda item: item[1].best):
        fastest.setdefault(name, timing)
    yield from _rows(case, data.name, X, {name: fastest[name] for name in (*OURS, *peers)})


def _rows(case: Case, name: str, X: Array, fastest: dict[str, Timing]) -> Iterator[Row]:
    best = best_rank_error(X, case.n_select) / float(np.square(X).sum())
    errors = {who: reconstruction_error(X, timing.result) for who, timing in fastest.items()}
    rivals = min(error for who, error in errors.items() if who not in OURS)
    for who, timing in fastest.items():
        ratio = timing.best / fastest[GREEDY].best
        row = {
            "set": name,
            "shape": shape_text(X.shape),
            "picks": case.n_select,
            "method": who,
            "seconds": timing.best,
            "× greedy": ratio,
            "error, %": 100 * errors[who],
            "relative accuracy": float(np.sqrt(best / errors[who])),
            "_runs": timing.runs,
        }
        factor = FACTORS.get(who)
        if who == REFINED:
            yield promised(row, "best error of all", errors[who] < rivals)
        elif factor is None or not (case.like_coil or factor == 1.0):
            yield row
        else:
            # against the fastest of ours that reconstructs better
            better = [name for name in OURS if errors[name] < errors[who]]
            rival = min(better or [GREEDY], key=lambda name: fastest[name].best)
            gain = timing.best / fastest[rival].best
            row["less error by"] = f"{rival}, {gain:.3g} × faster" if better else "none of ours"
            promise = f"≥ {factor:g} × faster with less error"
            yield promised(row, promise, {"error": bool(better), "speed": gain > factor})
