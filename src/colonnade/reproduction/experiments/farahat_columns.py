"""Farahat (2012), chapter 3: columns chosen by greedy and other methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...comparison.ledger import Job
from ...comparison.pictured import Curve
from ...comparison.significance import Summary
from ..experiment import Experiment, Results, Study
from ..findings import Figure, Findings
from .farahat_columns_claims import (
    Runs,
    accuracy_claims,
    inflation_claim,
    mean_gap,
    table_claims,
    time_claims,
)
from .farahat_columns_printed import (
    DATA,
    DOCUMENTS,
    FEATURES,
    IMAGES,
    INSTANCES,
    NAMES,
    PERCENTS,
    TABLES,
    WEIGHTING,
    printed_row,
)
from .farahat_columns_runs import run

__all__ = ["EXPERIMENTS"]

RARE_LEFT_OUT = "tf-idf, unit length, of frequent terms"
TRIED = {
    "counts": "GreedyCSS, counts of terms",
    RARE_LEFT_OUT: "GreedyCSS, without terms of less than 10 documents",
}
"""What else is done to terms of documents whose weighting is not known, as rows of a table."""

RANDOM = ("hybrid-css", "mixed-hybrid", "partition-greedy", "uniform", "signed-greedy")
EXACT, STOCHASTIC = "the best by an exact SVD", "the best by a stochastic SVD"
SEEDS = {"mixed-hybrid": 5}
"""In how many runs, where not ten."""
TIMED_PERCENTS = {data: PERCENTS[data] if data in IMAGES else (5, 9) for data in DATA}
"""At which sizes methods are timed; documents take long."""

STUDY = Study("farahat-columns", run, version=2)

SETTINGS = (
    "Instances are the columns to choose from. Means and deviations of 10 seeds, of the mixed form "
    "of HybridCSS 5. Reuters-21578 and images as they are; terms of Reviews and LA1 weighted by "
    "tf · ln(n / df), rows of unit length. Relative accuracy ‖A − A_l‖ / ‖A − P_S A‖; A_l by an "
    "exact SVD, or by a stochastic one with 2 power iterations and 5 extra columns. PartGreedyCSS "
    "with 100 groups; HybridCSS with one draw of l · ln l columns; ApproxSVD and HybridCSS with "
    "exact singular vectors."
)
TIMES = (
    " Times are CPU seconds on one core of `select` on the data, everything included, as "
    "multiples of those of GreedyCSS; HybridCSS and ApproxSVD there with the singular vectors of "
    "the library, which are stochastic for documents."
)


def _methods(data: str) -> list[str]:
    left_out = ("strong-rrqr", "refined") if data in DOCUMENTS else ()
    return [method for method in NAMES if method not in left_out]


def _job(data: str, task: str, quick: bool, **more: Any) -> Job:
    percents = list(PERCENTS[data])
    return {
        "data": data,
        "task": task,
        "weighting": WEIGHTING.get(data, "counts"),
        "rows": 400 if quick else None,
        "percents": percents[1::2] if quick else percents,
        **more,
    }


def _table_jobs(names: Sequence[str]) -> Callable[[bool], list[Job]]:
    def jobs(quick: bool) -> list[Job]:
        found: list[Job] = []
        for data in names:
            found.append(_job(data, "limits", quick))
            for method in _methods(data):
                seeds = (2 if quick else SEEDS.get(method, 10)) if method in RANDOM else 1
                found.append(_job(data, "errors", quick, method=method, seeds=list(range(seeds))))
            if data in WEIGHTING:
                found += [_job(data, "weighting", quick, weighting=other) for other in TRIED]
        return found

    return jobs


def _figure_jobs(names: Sequence[str]) -> Callable[[bool], list[Job]]:
    def jobs(quick: bool) -> list[Job]:
        timed = [
            _job(data, "time", quick, method=method, percents=list(TIMED_PERCENTS[data]))
            for data in names
            for method in _methods(data)
            if method not in ("mixed-hybrid", "refined")
        ]
        return _table_jobs(names)(quick) + timed

    return jobs


def _table_report(names: Sequence[str]) -> Callable[[Results], Findings]:
    def report(results: Results) -> Findings:
        runs = Runs.of(results)
        figures = [
            figure
            for exact in (False, True)
            for data in names
            for figure in _table_figures(runs, data, exact)
        ]
        figures += [figure for data in WEIGHTING for figure in _weighting_figures(runs, data)]
        return Findings(
            tuple(figures),
            (*table_claims(runs, names), inflation_claim(runs, names)),
            notes=(_distance(runs, names), *_table_notes(runs, names)),
            digits=4,
        )

    return report


def _table_figures(runs: Runs, data: str, exact: bool) -> list[Figure]:
    """Return a table of relative accuracies; the printed ones are not those of an exact SVD."""
    percents = runs.percents(data) or PERCENTS[data]
    found = []
    for method, name in NAMES.items():
        printed = {} if exact else printed_row(data, method)
        for percent in percents:
            ours = runs.accuracy(data, method, percent, exact=exact)
            mean, deviation = printed.get(percent, (None, None))
            if ours is not None or mean is not None:
                place = DATA[data], name, f"l/n = {percent:.0f} %"
                measure = EXACT if exact else STOCHASTIC
                found.append(Figure(*place, ours, mean, deviation, measure))
    return found


def _weighting_figures(runs: Runs, data: str) -> list[Figure]:
    """Return the accuracy of GreedyCSS with other weightings of terms, or fewer of them."""
    printed = printed_row(data, "greedy")
    return [
        Figure(
            f"{DATA[data]}, other terms", TRIED[weighting], f"l/n = {percent:.0f} %",
            Summary.of([runs.relative(data, error, percent, exact=False, weighting=weighting)]),
            *printed[percent], STOCHASTIC,
        )
        for (name, weighting, percent), error in runs.weightings.items() if name == data
    ]  # fmt: skip


def _distance(runs: Runs, names: Sequence[str]) -> str:
    """Say how far from the printed figures ours are, by data set."""
    methods = ("greedy", "approx-svd", "partition-greedy", "hybrid-css", "mixed-hybrid")
    told = []
    for data in names:
        if data not in runs.instances or data not in TABLES:
            continue
        pairs = [
            [mean_gap(runs, data, method, exact) for exact in (False, True)] for method in methods
        ]
        told.append(f"{DATA[data]} {', '.join(f'{a:.4f} ({b:.4f})' for a, b in pairs)}")
    return (
        f"Mean distance from the printed figures of {', '.join(NAMES[m] for m in methods)}, with "
        f"the error of a stochastic SVD in the numerator (with that of an exact one): "
        f"{'; '.join(told)}."
    )


def _table_notes(runs: Runs, names: Sequence[str]) -> list[str]:
    there = [data for data in names if data in runs.instances]
    near = {method: _near(runs, there, method) for method in ("hybrid-css", "mixed-hybrid")}
    plain, mixed = (f"{sum(each)} of {len(each)}" for each in near.values())
    found = [
        "The thesis takes probabilities for HybridCSS from the leading singular vectors; "
        "Boutsidis, Mahoney & Drineas (2009) mix them half and half with what these leave of the "
        f"columns. Within two printed deviations of its row are {plain} figures of the former and "
        f"{mixed} of the latter. Draws without replacement, log₂ in place of ln, stochastic "
        "singular vectors, and pivoted QR of unscaled vectors or of the data were tried besides."
    ]
    found += _extra_note(runs)
    if runs.reduced:
        found.append("Reduced to some of the instances: figures cannot be compared with printed.")
    if "reuters21578" in runs.instances and not runs.reduced:
        found.append(
            f"Reuters-21578 has {runs.instances['reuters21578']} documents, taken as counts of "
            f"terms (the thesis took the training set, {INSTANCES['reuters21578']}); GreedyCSS is "
            f"{mean_gap(runs, 'reuters21578', 'greedy', False):.4f} from the printed figures on "
            "average."
        )
    others = [data for data in WEIGHTING if data in runs.instances]
    if others:
        terms = ", ".join(
            f"{DATA[data]} {runs.features[data]:,} ({FEATURES[data]:,})" for data in others
        )
        found.append(
            "The thesis takes terms as CLUTO has them; the sets that can be had have fewer, so "
            f"that levels cannot be compared: {terms}. The weighting is what the thesis names in "
            "its chapters 5 and 6." + _weightings_told(runs)
        )
    return found


def _near(runs: Runs, names: Sequence[str], method: str) -> list[bool]:
    """Return for each figure of a method whether it is within two printed deviations."""
    return [
        abs(ours.mean - mean) <= 2 * deviation + 5e-5
        for data in names
        for percent, (mean, deviation) in printed_row(data, method).items()
        if (ours := runs.accuracy(data, method, percent, exact=False)) is not None
    ]


def _weightings_told(runs: Runs) -> str:
    """Say how near the printed figures other terms are, and which way rare ones count."""
    told, lower = [], []
    for data in WEIGHTING:
        gaps: dict[str, list[float]] = {}
        for (name, weighting, percent), error in runs.weightings.items():
            ours = runs.accuracy(data, "greedy", percent, exact=False)
            if name != data or ours is None:
                continue
            other = runs.relative(data, error, percent, exact=False, weighting=weighting)
            mean = printed_row(data, "greedy")[percent][0]
            gaps.setdefault("as they are here", []).append(abs(ours.mean - mean))
            gaps.setdefault(weighting, []).append(abs(other - mean))
            if weighting == RARE_LEFT_OUT:
                lower.append(other < ours.mean)
        told += [f"{DATA[data]}, {how} {Summary.of(each).mean:.4f}" for how, each in gaps.items()]
    if not told:
        return ""
    return (
        f" Mean distances of GreedyCSS from the printed figures: {'; '.join(told)}. Without terms "
        f"of less than 10 documents {sum(lower)} of {len(lower)} figures are lower."
    )


def _extra_note(runs: Runs) -> list[str]:
    extra = [DATA[data] for data in runs.instances if data not in TABLES]
    return [f"No verdict depends on {', '.join(extra)}."] if extra else []


def _figure_report(names: Sequence[str]) -> Callable[[Results], Findings]:
    def report(results: Results) -> Findings:
        runs = Runs.of(results)
        present = [data for data in names if data in runs.instances]
        return Findings(
            tuple(figure for data in present for figure in _time_figures(runs, data)),
            accuracy_claims(runs, names) + time_claims(runs, names),
            tuple(curve for data in present for curve in _curves(runs, data)),
            ("columns chosen, %", "relative accuracy, or CPU seconds"),
            (
                "The thesis draws sizes up to 25 %; these are those of its tables, and times for "
                "documents those of the two smaller ones. What is drawn there cannot be read off "
                "to digits, so only what is said about it is compared.",
                *_extra_note(runs),
            ),
            digits=2,
            larger_is_better=False,
        )

    return report


def _time_figures(runs: Runs, data: str) -> list[Figure]:
    """Return times as multiples of those of GreedyCSS."""
    return [
        Figure(
            DATA[data], NAMES[method], f"l/n = {percent:.0f} %",
            Summary.of([cpu / runs.cpu[data, "greedy", percent]]),
            measure="times as long as GreedyCSS",
        )
        for (name, method, percent), cpu in runs.cpu.items() if name == data
    ]  # fmt: skip


def _curves(runs: Runs, data: str) -> list[Curve]:
    found = []
    for method, name in NAMES.items():
        known = [(p, s) for p in runs.percents(data) if (s := runs.accuracy(data, method, p))]
        if known:
            found.append(Curve(
                DATA[data], name, tuple(float(p) for p, _ in known),
                tuple(s.mean for _, s in known), tuple(s.deviation for _, s in known),
            ))  # fmt: skip
        timed = [(p, cpu) for (d, m, p), cpu in runs.cpu.items() if (d, m) == (data, method)]
        if timed:
            x, y = zip(*sorted(timed), strict=True)
            found.append(Curve(f"{DATA[data]}, CPU seconds", name, x, y))
    return found


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "farahat-2012-table-3.2",
        "Relative accuracy of the best methods for documents",
        STUDY, _table_jobs(DOCUMENTS), _table_report(DOCUMENTS), SETTINGS, 3.0,
    ),
    Experiment(
        "farahat-2012-table-3.3",
        "Relative accuracy of the best methods for images",
        STUDY, _table_jobs(IMAGES), _table_report(IMAGES), SETTINGS, 1.5,
    ),
    Experiment(
        "farahat-2012-figure-3.1",
        "Relative accuracy and run times for documents",
        STUDY, _figure_jobs(DOCUMENTS), _figure_report(DOCUMENTS), SETTINGS + TIMES, 4.0,
    ),
    Experiment(
        "farahat-2012-figure-3.2",
        "Relative accuracy and run times for images",
        STUDY, _figure_jobs(IMAGES), _figure_report(IMAGES), SETTINGS + TIMES, 2.0,
    ),
)  # fmt: skip
