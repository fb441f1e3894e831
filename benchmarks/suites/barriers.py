"""Sparsification: looking at a few columns per step against evaluating all; a small rank or all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from colonnade import select
from colonnade.barriers.sparsifying import SpectralBarrier, sparsify

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..reference import Array, sparsify_all

TITLE = "Sparsification: a few columns per step, or all; BSS of a small rank, or all"
PROMISE = 8.0
RANK, PICKS = 150, 300
GROWTH = (5000, 20000, 80000, 320000)
RANKS = (None, 5, 2, 1)


def run(options: Options) -> Iterator[Row]:
    yield _against_all(options)
    yield from _growth(options)
    yield from _relevant(options)


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


def _relevant(options: Options) -> Iterator[Row]:
    """Paul & Drineas 2014, §6.3: which of the features that BSS picks most often are relevant.

    30 samples of two classes in 1000 features: the first 90 or 100 have means of ∓1, ∓2, … by
    class, the others are noise. 80 or 90 picks from each of the training sets of a repeated
    ten-fold cross-validation.
    """
    n_sets, n_repeats = (2, 1) if options.quick else (10, 10)
    for relevant, picks in ((90, 80), (100, 90)):
        for rank in RANKS:
            top: list[float] = []
            all_picks: list[float] = []
            for seed in range(n_sets):
                X, y = _two_classes(relevant, seed)
                counts = np.zeros(X.shape[1], dtype=int)
                folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=n_repeats, random_state=0)
                for train, _ in folds.split(X, y):
                    counts[select(X[train], picks, method="bss", rank=rank).indices] += 1
                # of those picked equally often any: the first are the relevant ones
                mixed = np.random.default_rng(seed).permutation(X.shape[1])
                often = mixed[np.argsort(-counts[mixed], kind="stable")[:5]]
                top.append(float(np.mean(often < relevant)))
                all_picks.append(float(counts[:relevant].sum() / counts.sum()))
            row = {
                "features": f"{relevant} relevant of {X.shape[1]}",
                "picks": picks,
                "rank": "all" if rank is None else rank,
                "relevant of the top five, %": 100 * float(np.mean(top)),
                "relevant of all picks, %": 100 * float(np.mean(all_picks)),
            }
            found = row["relevant of the top five, %"] == 100
            yield promised(row, "all of the top five", found) if rank in (1, 2) else row


def _two_classes(relevant: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([-1, 1], 15))
    X = rng.standard_normal((30, 1000))
    X[:, :relevant] -= y[:, None] * np.arange(1.0, relevant + 1)
    return X, y
