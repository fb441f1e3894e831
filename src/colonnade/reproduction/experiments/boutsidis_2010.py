"""Boutsidis, Zouzias & Drineas (2010): k-means after random projections."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from scipy.stats import spearmanr

from ... import metrics
from ...comparison.ledger import Job, Outcome
from ...comparison.pictured import Curve
from ...comparison.significance import Summary
from ...foundation.typing import Floats
from ..experiment import Experiment, Results, Study
from ..findings import Cells, Claim, Figure, Findings, verdict_of
from .boutsidis_2010_reductions import (
    ALL,
    LLE_FULL,
    LS_OURS,
    RANDOM,
    REDUCTIONS,
    SCALED,
    cluster,
    warm_up,
)
from .chosen_features import points

__all__ = ["EXPERIMENTS"]

DATA, K = "orl_64x64", 40
IMAGES = 400
SIZES = (10, 20, 50, 100)
FIGURE_SIZES = tuple(range(5, 301, 5))
ACCURACY, OBJECTIVE = "P: accuracy", "F: objective on all pixels, of the squared norm"
TIMES = "seconds of the reduction, in those of random projection (t = 50)"
SEEDS, FIGURE_SEEDS = 30, 10
NO_RUNS = "no runs with this t"
LEVEL_FROM = 90
"""From this t on more dimensions are said to change nothing."""
ALMOST_ALL = 0.85
"""What is almost 90 %."""
SAVING = 275
"""The t at which the document says how much time is saved."""

PRINTED: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    ACCURACY: {
        "SVD": (0.5900, 0.6750, 0.7650, 0.6500),
        "LLE": (0.6500, 0.7125, 0.7725, 0.6150),
        "LS": (0.3400, 0.3875, 0.4575, 0.4850),
        ALL: (0.6255, 0.6255, 0.6255, 0.6255),
        RANDOM: (0.4225, 0.4800, 0.6425, 0.6575),
    },
    OBJECTIVE: {
        "SVD": (0.0262, 0.0268, 0.0269, 0.0324),
        "LLE": (0.0245, 0.0247, 0.0258, 0.0337),
        "LS": (0.0380, 0.0362, 0.0319, 0.0278),
        ALL: (0.0220, 0.0220, 0.0220, 0.0220),
        RANDOM: (0.0283, 0.0255, 0.0234, 0.0219),
    },
}
PRINTED_SECONDS = {"SVD": 5.9, "LLE": 4.4, "LS": 0.32, ALL: 0.0, RANDOM: 0.03}


LLOYD = " (Lloyd alone)"


def run(job: Job) -> Outcome:
    """Reduce the images and cluster them from the first image of each person on.

    Times are those of the processor, which other processes hardly change.
    """
    X, y, k = points(job["data"])
    warm_up()
    reduce = REDUCTIONS[job["method"]]
    found: dict[str, list[float]] = {"P": [], "F": [], "reducing": [], "clustering": []}
    for seed in range(job["seeds"]):
        start = time.process_time()
        Z = np.ascontiguousarray(reduce(X, job["t"], seed))
        reduced = time.process_time()
        labels = cluster(Z, k, online=job["moves"])
        found["clustering"].append(time.process_time() - reduced)
        found["reducing"].append(reduced - start)
        found["P"].append(metrics.matched_accuracy(y, labels))
        found["F"].append(metrics.normalized_objective(X, labels))
    return found


def _job(method: str, t: int, *, moves: bool = True, seeds: int = 1) -> Job:
    return {"data": DATA, "method": method, "t": t, "moves": moves, "seeds": seeds}


def table_jobs(quick: bool) -> list[Job]:
    """Return the runs of Table 2, with and without moves of single rows."""
    sizes = SIZES[::2] if quick else SIZES
    return [
        _job(method, 0 if method == ALL else t, moves=moves, seeds=_seeds(method, quick))
        for method in REDUCTIONS
        for moves in ((True, False) if method in PRINTED_SECONDS else (True,))
        for t in (sizes if method != ALL else (0,))
    ]


def _seeds(method: str, quick: bool) -> int:
    return 1 if method != RANDOM else 3 if quick else SEEDS


def figure_jobs(quick: bool) -> list[Job]:
    """Return the runs of Figure 1, those of Table 2 among them."""
    sizes = (5, 10, 20, 50) if quick else FIGURE_SIZES
    few = 3 if quick else FIGURE_SEEDS
    return [_job(ALL, 0)] + [
        _job(RANDOM, t, seeds=_seeds(RANDOM, quick) if t in SIZES else few) for t in sizes
    ]


def _cells(results: Results) -> Cells:
    cells = Cells()
    for job, outcome in results:
        method = job["method"] + ("" if job["moves"] else LLOYD)
        for t in SIZES if job["method"] == ALL else (job["t"],):
            for key in ("P", "F", "reducing", "clustering"):
                for value in outcome[key]:
                    cells.add(method, t, key, value=value)
    return cells


def report_table(results: Results) -> Findings:
    """Return Table 2, and how long the reductions took."""
    cells = _cells(results)
    return Findings(
        figures=(*_table(cells), *_times(cells)),
        claims=tuple(_table_claims(cells)),
        notes=tuple(_notes(cells)),
        digits=4,
        smaller=(OBJECTIVE, TIMES),
    )


def _table(cells: Cells) -> Iterator[Figure]:
    for key, measure in (("P", ACCURACY), ("F", OBJECTIVE)):
        for ending in ("", LLOYD):
            for method in REDUCTIONS if not ending else PRINTED_SECONDS:
                printed = PRINTED[measure].get(method) if not ending else None
                for t, value in zip(SIZES, printed or [None] * len(SIZES), strict=True):
                    ours = cells.summary(method + ending, t, key)
                    yield Figure("", method + ending, f"t = {t}", ours, value, measure=measure)


def _times(cells: Cells) -> Iterator[Figure]:
    unit = cells.mean(RANDOM, 50, "reducing")
    for method, seconds in PRINTED_SECONDS.items():
        mean = cells.mean(method, 50, "reducing")
        ours = None if np.isnan(mean / unit) else Summary.of([mean / unit])
        if method == ALL:
            ours = Summary.of([0.0])
        printed = seconds / PRINTED_SECONDS[RANDOM]
        yield Figure("", method, "times as long", ours, printed, measure=TIMES)


def _table_claims(cells: Cells) -> Iterator[Claim]:
    others = ("SVD", "LLE", "LS")
    unit = cells.mean(RANDOM, 50, "reducing")
    ratios = {m: cells.mean(m, 50, "reducing") / unit for m in others}
    yield Claim(
        "Random projection takes much less time than the other reductions (here: a third at most)",
        verdict_of([ratio >= 3.0 for ratio in ratios.values() if not np.isnan(ratio)]),
        "times as long: " + ", ".join(f"{m} {ratio:.1f}" for m, ratio in ratios.items()),
    )
    sizes: tuple[int, ...]
    for sizes, text, better in (
        ((10, 20), "worse than SVD and LLE at t = 10 and 20", False),
        ((50,), "slightly worse than SVD and LLE at t = 50", False),
        ((100,), "slightly better than SVD and LLE at t = 100", True),
    ):
        for key, sign, name in (("P", 1, "accuracy"), ("F", -1, "objective")):
            pairs = [
                (t, m, cells.mean(RANDOM, t, key), cells.mean(m, t, key))
                for t in sizes
                for m in ("SVD", "LLE")
            ]
            known = [p for p in pairs if not np.isnan(p[2] - p[3])]
            yield Claim(
                f"Random projection is {text}, by {name}",
                verdict_of([(sign * (ours - other) > 0) == better for _, _, ours, other in known]),
                "; ".join(f"t = {t}: RP {a:.4f}, {m} {b:.4f}" for t, m, a, b in known) or NO_RUNS,
            ).without(_unlike(sizes, [t for t, *_ in known]) if known else ())
    for rival, sizes, text in (
        ("LS", SIZES, "Random projection is better than the Laplacian score at every t"),
        (SCALED, SIZES[-1:], "At t = 100 it is better than U_kΣ_k too, of which the factor 2 is "
         "proved (the printed row is U_k; the document does not say this)"),
    ):  # fmt: skip
        pairs = [
            (t, key, cells.mean(RANDOM, t, key), cells.mean(rival, t, key))
            for t in sizes
            for key in ("P", "F")
        ]
        found = [pair for pair in pairs if not np.isnan(pair[2] - pair[3])]
        yield Claim(
            text,
            verdict_of([(ours > other) == (key == "P") for _, key, ours, other in found]),
            "; ".join(f"t = {t}: {key} {a:.4f}, {rival} {b:.4f}" for t, key, a, b in found)
            or NO_RUNS,
        ).without(_unlike(sizes, [t for t, *_ in found]) if found else ())


def _unlike(named: Iterable[int], ran: Iterable[int]) -> list[str]:
    """Return in words which of the sizes that a claim names were not run."""
    there = set(ran)
    return [f"t = {t} (not run)" for t in named if t not in there]


def _notes(cells: Cells) -> Iterator[str]:
    same = {method: _same(cells, method) for method in ("SVD", "LS", "LLE", ALL)}
    yield (
        "Equal to the printed figures, rounded to four decimals: "
        + ", ".join(f"{method} {equal} of {known}" for method, (equal, known) in same.items())
        + "."
    )
    yield (
        "How ours are made: MATLAB's kmeans ends with moves of single rows "
        "(ReducedKMeans(online=True)). SVD is U_k. LS joins five neighbours by their angles, with "
        f"weights 1, and every image to itself, which the library's score does not ({LS_OURS}). "
        "LLE has weights that are not regularized and t − 1 directions, presumably as the code of "
        "its authors drops the first eigenvector for the constant one, which comes last in falling "
        f"order ({LLE_FULL}: t directions, regularized by .001)."
    )
    yield from _impossible(cells)
    below = []
    for key, measure in (("P", ACCURACY), ("F", OBJECTIVE)):
        for t, printed in zip(SIZES, PRINTED[measure][RANDOM], strict=True):
            values = cells.values.get((RANDOM, t, key), [])
            better = sum(v >= printed if key == "P" else v <= printed for v in values)
            if values:
                below.append(f"{key} at t = {t} {better}")
    runs = len(cells.values.get((RANDOM, SIZES[0], "P"), []))
    yield (
        f"RP is one projection in the document, {runs} here, and the table shows their mean. So "
        f"many of these are as good as the printed one or better: {', '.join(below)}."
    )


def _impossible(cells: Cells) -> Iterator[str]:
    """Name the printed accuracy of all pixels if so many images cannot have it."""
    printed, objective = (PRINTED[measure][ALL][0] for measure in (ACCURACY, OBJECTIVE))
    P, F = (cells.mean(ALL, SIZES[0], key) for key in ("P", "F"))
    if np.isnan(P) or abs(IMAGES * printed - round(IMAGES * printed)) < 1e-6:
        return
    told = f"Ours is {P:.4f}"
    if round(F, 4) == objective and round(P, 4) != printed:
        told += ", with the same F: a misprint"
    yield (
        f"P = {printed:.4f} of HD cannot be, as {IMAGES} images give multiples of "
        f"{1 / IMAGES:.4f}. {told}."
    )


def _same(cells: Cells, method: str) -> tuple[int, int]:
    """Return how many figures of a method are as printed, and how many there are."""
    pairs = [
        (cells.mean(method, t, key), printed)
        for key, measure in (("P", ACCURACY), ("F", OBJECTIVE))
        for t, printed in zip(SIZES, PRINTED[measure][method], strict=True)
    ]
    known = [(ours, printed) for ours, printed in pairs if not np.isnan(ours)]
    return sum(abs(round(ours, 4) - printed) < 1e-9 for ours, printed in known), len(known)


def report_figure(results: Results) -> Findings:
    """Return Figure 1: objective, accuracy and time of random projections of all sizes."""
    cells = _cells(results)
    sizes = sorted(job["t"] for job, _ in results if job["method"] == RANDOM)
    curves = []
    for key, panel in (
        ("F", OBJECTIVE), ("P", ACCURACY), ("clustering", "T: processor seconds of the clustering")
    ):  # fmt: skip
        found = [cells.summary(RANDOM, t, key) or Summary.of([]) for t in sizes]
        curves.append(
            Curve(
                panel, "random projection", tuple(map(float, sizes)),
                tuple(s.mean for s in found), tuple(s.deviation for s in found),
            )
        )  # fmt: skip
        in_full = cells.mean(ALL, SIZES[0], key)
        if key != "clustering" and not np.isnan(in_full):
            ends = (float(sizes[0]), float(sizes[-1]))
            curves.append(Curve(panel, "all pixels", ends, (in_full, in_full)))
    return Findings(
        claims=tuple(_figure_claims(cells, sizes)) if len(sizes) > 1 else (),
        curves=tuple(curves),
        axes=("t, dimensions", ""),
        notes=(
            "The printed curves are of one projection for each t; here they are means, with "
            "standard deviations.",
        ),
        digits=4,
    )


def _figure_claims(cells: Cells, sizes: list[int]) -> Iterator[Claim]:
    def path(key: str) -> Floats:
        return np.array([cells.mean(RANDOM, t, key) for t in sizes])

    t = np.array(sizes, dtype=float)
    F, P, T = path("F"), path("P"), path("clustering")
    early, late = t <= LEVEL_FROM, t >= LEVEL_FROM
    # of a reduced run
    low = [f"t from {sizes[-1] + 1} to {LEVEL_FROM} (not run)"] * (sizes[-1] < LEVEL_FROM)
    last = FIGURE_SIZES[-1]
    high = [f"t from {sizes[-1] + 1} to {last} (not run)"] * (sizes[-1] < last)
    for name, values, sign in (("objective falls", F, -1.0), ("accuracy rises", P, 1.0)):
        order = float(spearmanr(t[early], values[early]).statistic)
        yield Claim(
            f"The {name} with t at first, if not in every step (here: rank correlation above 0.9 "
            f"up to t = {LEVEL_FROM})",
            verdict_of([sign * order > 0.9]),
            f"{order:.2f}",
        ).without(low)
        if late.sum() < 2 or late.all():
            continue
        before, after = abs(values[late][0] - values[0]), abs(values[-1] - values[late][0])
        yield Claim(
            f"After about t = {LEVEL_FROM} the {name.split()[0]} hardly changes (here: by less "
            "than a tenth of what it did before)",
            verdict_of([after < before / 10]),
            f"{values[0]:.4f} at t = {sizes[0]}, {values[late][0]:.4f} at t = {t[late][0]:.0f}, "
            f"{values[-1]:.4f} at t = {sizes[-1]}",
        ).without(high)
    opposed = (np.diff(F) < 0) & (np.diff(P) < 0)
    yield Claim(
        "Accuracy does not follow the objective: in some steps both fall",
        verdict_of([bool(opposed.any())]),
        f"in {opposed.sum()} of {len(opposed)} steps of the means",
    )
    fit = np.polyfit(t, T, 1)
    explained = 1.0 - float(np.var(T - np.polyval(fit, t)) / np.var(T))
    yield Claim(
        "The time of the clustering grows nearly linearly with t (here: a line explains 80 % of "
        "its variance)",
        verdict_of([explained >= 0.8]),
        f"{100 * explained:.0f} %; {1000 * fit[0]:.2f} ms for each dimension",
    ).without(high)
    yield from _saved_claims(cells)


def _saved_claims(cells: Cells) -> Iterator[Claim]:
    """Say how much time t = 275 saves, of the clustering and of all."""
    whole = cells.mean(ALL, SIZES[0], "clustering")
    few, product = (cells.mean(RANDOM, SAVING, key) for key in ("clustering", "reducing"))
    known = not np.isnan(whole + few + product)
    saved = 1.0 - (few + product) / whole
    yield Claim(
        f"At t = {SAVING} clustering takes a small part of the time that all pixels take (1 s of "
        "10 s; here: a third at most)",
        verdict_of([3 * few <= whole] if known else []),
        f"{few:.3f} s, {whole:.3f} s in full" if known else NO_RUNS,
    )
    yield Claim(
        f"With the product AR included t = {SAVING} saves almost 90 % of the time, 1.1 s in place "
        f"of 10 s (here: {100 * ALMOST_ALL:.0f} % at least)",
        verdict_of([saved >= ALMOST_ALL] if known else []),
        f"{few + product:.3f} s ({product:.3f} s of it for AR), {whole:.3f} s in full: "
        f"{100 * saved:.0f} % saved"
        if known
        else NO_RUNS,
    )


STUDY = Study("boutsidis-2010", run, version=4)
HOW = (
    "ORL faces, 400 images of 64 × 64 pixels as they are, k = 40. Clusters start at the images 1, "
    "11, ..., 391; Lloyd's iteration, then moves of single images. F is on all pixels."
)
EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "boutsidis-2010-table-2",
        "k-means on faces after five reductions",
        STUDY,
        table_jobs,
        report_table,
        f"{HOW} RP: {SEEDS} projections.",
        0.5,
    ),
    Experiment(
        "boutsidis-2010-figure-1",
        "k-means on faces after random projections to t dimensions",
        STUDY,
        figure_jobs,
        report_figure,
        f"{HOW} {FIGURE_SEEDS} projections for each t, {SEEDS} for those of Table 2.",
        1.0,
    ),
)
