"""Sparsification: looking at a few columns per step against evaluating all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from colonnade.barriers.sparsifying import SpectralBarrier, sparsify

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..reference import Array, sparsify_all

TITLE = "Sparsification: a few columns per step, or all"
PROMISE = 8.0
RANK, PICKS = 150, 300
GROWTH = (5000, 20000, 80000, 320000)


def run(options: Options) -> Iterator[Row]:
    yield _against_all(options)
    yield from _growth(options)


def _vectors(n: int, k: int) -> Array:
    # norms of all sizes, as singular vectors of real data have
    rng = np.random.default_rng(0)
    return np.linalg.qr(rng.standard_normal((n, k)) * rng.gamma(1.0, 1.0, (n, 1)))[0]


def _against_all(options: Options) -> Row:
    n, k, picks = (4000, 40, 80) if options.quick else (20000, RANK, PICKS)
    V = _vectors(n, k)
    times = race(
        options,
        {
            "few": Competitor(lambda: sparsify(V, picks, SpectralBarrier(V))),
            "all": Competitor(lambda: sparsify_all(V, picks)),
        },
        repeats=3,
        budget=30.0,
    )
    few, full = times["few"], times["all"]
    agree = sum(a == b for a, b in zip(few.result.picks.tolist(), full.result, strict=True))
    ratio = full.best / few.best
    row = {
        "vectors": shape_text(V.shape),
        "picks": picks,
        "all, s": full.best,
        "few, s": few.best,
        "ratio": ratio,
        "looked at per step": few.result.looked_at / picks,
        "same picks": f"{agree} of {picks}",
    }
    return promised(
        row, f"≥ {PROMISE:g} ×, same picks", {"speed": ratio >= PROMISE, "picks": agree == picks}
    )


def _growth(options: Options) -> Iterator[Row]:
    """The cost per step for ever more columns."""
    first = None
    for n in GROWTH[:2] if options.quick else GROWTH:
        V = _vectors(n, 40)
        few = race(
            options,
            {"few": Competitor(lambda V=V: sparsify(V, 200, SpectralBarrier(V)))},
            repeats=3,
            budget=10.0,
        )["few"]
        first = first or few.best
        row = {
            "vectors": shape_text(V.shape),
            "picks": 200,
            "few, s": few.best,
            "looked at per step": few.result.looked_at / 200,
            "time against the first": few.best / first,
        }
        growth = n / GROWTH[0]
        if n == GROWTH[-1]:
            yield promised(
                row, "grows by less than a tenth of the columns", few.best / first < growth / 10
            )
        else:
            yield row
