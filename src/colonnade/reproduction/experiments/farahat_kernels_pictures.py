"""Figures 4.1 to 4.4 of Farahat (2012): accuracies and times of all methods, by the size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import inf

from ...comparison.pictured import Curve
from ...comparison.significance import welch_p_value
from ..experiment import SIGNIFICANT, Results
from ..findings import Claim, Figure, Findings, verdict_of
from .farahat_kernels_data import LINEAR, TITLES
from .farahat_kernels_gathered import (
    Gathered,
    column,
    formula_of,
    gathered_kernels,
    of_named,
    range_text,
)
from .farahat_kernels_printed import METHODS_OF_RANK_K, RANK_L, SECONDS, TABLE_PERCENTS

__all__ = ["rank_k_figure", "rank_l_figure"]

AXES = ("l / n, %", "accuracy, or CPU seconds")
SAMPLING = ("UniNoRep", "AdaptFull", "AdaptPart")
DETERMINISTIC = ("SGMA", "ICD", "kMeans")
WIDTHS = ("PartGreedyNys, c = 50", "PartGreedyNys, c = 200")
SAME = 0.05
"""Accuracies that differ by less than this, relatively, are hardly different."""
LITTLE = 3.0
"""What takes less than so many times as long takes little longer; in chapter 5 it is much from here
on."""

Measure = Callable[[str], str]
"""Tells by which measure a method is looked at."""


def rank_l_figure(results: Results, named: Sequence[str] = ()) -> Findings:
    """Return what Figures 4.1 and 4.2 show, and the accuracies that no table prints."""
    found = gathered_kernels(results)
    figures = tuple(
        Figure(TITLES[data], label, column(p), found.summary("error", data, label, p))
        for data in found.data
        for label in found.labels("error")
        if label not in RANK_L[data]
        for p in TABLE_PERCENTS
    )
    claims = (*_accuracy_claims(found, _by_error), *_time_claims(found), _abstract_claim(found))
    return Findings(
        figures,
        of_named(claims, found, named),
        _curves(found, _by_error, _by_time),
        AXES,
        (
            "The figures of the other four methods are in the tables of the same data.",
            _FULL,
            _SPEED,
        ),
        digits=4,
    )


def rank_k_figure(results: Results, named: Sequence[str] = ()) -> Findings:
    """Return what Figures 4.3 and 4.4 show: by the formulas of the thesis, and by one for all."""
    found = gathered_kernels(results)
    figures = tuple(
        Figure(
            TITLES[data], label, column(p),
            found.summary(formula_of(label) if own else "best", data, label, p),
            measure="formulas of the thesis" if own else "best formula for all",
        )
        for data in found.data
        for own in (True, False)
        for label in found.labels("best")
        for p in TABLE_PERCENTS
    )  # fmt: skip
    claims = (
        *_accuracy_claims(found, formula_of),
        *(_deterministic(found, rival, formula_of, "by the formulas of the thesis")
          for rival in DETERMINISTIC),
        *(_deterministic(found, rival, lambda _: "best", "by the best formula for both")
          for rival in DETERMINISTIC),
    )  # fmt: skip
    note = (
        "The thesis shows its two methods by the best rank k inside K̃ (eq. 4.12) and all others "
        "by the traditional formula (eq. 4.5); so do the curves. The tables with one formula for "
        "all show what remains without that."
    )
    return Findings(
        figures,
        of_named(claims, found, named),
        _curves(found, formula_of, _by_formula_time),
        AXES,
        (note, _FULL),
        digits=4,
    )


_FULL = (
    "AdaptFull draws by what the projection on the columns so far leaves of the columns of K, and "
    "computes that afresh in each of ten rounds, O(n²l); a method of colonnade, adaptive-sampling, "
    "does it by the diagonal in O(nl)."
)


_SPEED = (
    "Times follow from how K is used as much as from how often: GreedyNyström multiplies it by one "
    "vector per choice, 2n²l operations that wait for memory, AdaptFull by matrices, 9n²l that do "
    "not. The thesis has operations and times of MATLAB code of 2012 in the same order."
)


def _by_error(label: str) -> str:
    return "error"


def _by_time(label: str) -> str:
    return "time"


def _by_formula_time(label: str) -> str:
    return f"{formula_of(label)} time"


def _curves(found: Gathered, accuracy: Measure, times: Measure) -> tuple[Curve, ...]:
    curves = []
    for (what, measure), data in product((("", accuracy), (": seconds", times)), found.data):
        for label in found.labels("error"):
            at = found.percents(measure(label), data, label)
            if not at:
                continue
            each = [found.summary(measure(label), data, label, p) for p in at]
            known = [summary for summary in each if summary is not None]
            curves.append(
                Curve(
                    TITLES[data] + what, label, tuple(map(float, at)),
                    tuple(s.mean for s in known), tuple(s.deviation for s in known),
                )
            )  # fmt: skip
    return tuple(curves)


def _places(found: Gathered) -> list[tuple[str, int]]:
    return list(product(found.data, TABLE_PERCENTS))


def _better(found: Gathered, label: str, rivals: Sequence[str], by: Measure) -> list[bool]:
    """Return, for each rival and place, whether a method is better by the test of the thesis."""
    verdicts = []
    for rival, (data, p) in product(rivals, _places(found)):
        own = found.summary(by(label), data, label, p)
        other = found.summary(by(rival), data, rival, p)
        if own is not None and other is not None:
            verdicts.append(welch_p_value(own, other) < SIGNIFICANT)
    return verdicts


def _accuracy_claims(found: Gathered, by: Measure) -> tuple[Claim, ...]:
    claims = []
    for label, rivals, what in (
        ("GreedyNyström", SAMPLING, "uniform and both adaptive samplings"),
        ("PartGreedyNys", SAMPLING[1:], "both adaptive samplings"),
    ):
        wins = _better(found, label, rivals, by)
        claims.append(
            Claim(
                f"{label} is significantly more accurate than {what}", verdict_of(wins),
                f"{sum(wins)} of {len(wins)} comparisons (Welch test, 95 %)",
            )
        )  # fmt: skip
    others = [label for label in found.labels("error") if label != "ICD"]
    gaps = [
        min(found.mean(by(label), d, label, p) for label in others)
        - found.mean(by("ICD"), d, "ICD", p)
        for d, p in _places(found)
    ]
    claims.append(
        Claim(
            "ICD is less accurate than all other methods", verdict_of([g > 0 for g in gaps]),
            f"{sum(g > 0 for g in gaps)} of {len(gaps)} places; to the next method "
            f"{range_text(gaps)}",
        )
    )  # fmt: skip
    spread = [
        abs(found.mean(by(w), d, w, p) / found.mean(by(w), d, "PartGreedyNys", p) - 1)
        for w, (d, p) in product(WIDTHS, _places(found))
    ]
    claims.append(
        Claim(
            "PartGreedyNys is not sensitive to the number of groups (50 or 200 for 100: less than "
            "a twentieth of the accuracy)",
            verdict_of([s < SAME for s in spread]),
            f"{sum(s < SAME for s in spread)} of {len(spread)} comparisons; "
            f"changes {range_text((100 * s for s in spread), 1, '')} %",
        )
    )
    return tuple(claims)


def _deterministic(found: Gathered, rival: str, by: Measure, how: str) -> Claim:
    gaps = [
        found.mean(by("PartGreedyNys"), d, "PartGreedyNys", p) - found.mean(by(rival), d, rival, p)
        for d, p in _places(found)
    ]
    return Claim(
        f"PartGreedyNys is more accurate than {rival}, {how}", verdict_of([g > 0 for g in gaps]),
        f"{sum(g > 0 for g in gaps)} of {len(gaps)} places; difference {range_text(gaps)}",
    )  # fmt: skip


def _time_claims(found: Gathered) -> tuple[Claim, ...]:
    documents = [data for data in found.data if data in LINEAR]
    asked = (
        ("GreedyNyström", "SGMA", "GreedyNyström is faster than SGMA", 1.0, found.data),
        ("GreedyNyström", "AdaptFull", "GreedyNyström is faster than AdaptFull", 1.0, found.data),
        ("UniNoRep", "GreedyNyström", "GreedyNyström is slower than UniNoRep", 1.0, found.data),
        ("AdaptPart", "GreedyNyström", "GreedyNyström is slower than AdaptPart", 1.0, found.data),
        ("GreedyNyström", "kMeans",
         "GreedyNyström is faster than k-means where there are many features", 1.0, documents),
        ("PartGreedyNys", "GreedyNyström",
         "PartGreedyNys takes much less time (half) than GreedyNyström", 2.0, found.data),
        ("PartGreedyNys", "SGMA",
         "PartGreedyNys takes much less time (half) than SGMA", 2.0, found.data),
    )  # fmt: skip
    claims = [
        _ratio_claim(found, faster, slower, text, (least, inf), data)
        for faster, slower, text, least, data in asked
        if data
    ]
    text = f"PartGreedyNys takes little longer (less than {LITTLE:g} times) than UniNoRep"
    within = (0.0, LITTLE)
    last = _ratio_claim(found, "UniNoRep", "PartGreedyNys", text, within, found.data)
    then = range_text(_printed_ratios(found), 1, "")
    return (*claims, replace(last, figure=f"{last.figure} (Table 4.4 prints {then})"))


def _printed_ratios(found: Gathered) -> list[float]:
    """Return how many times as long PartGreedyNys took as UniNoRep, by the printed table."""
    first, second = map(METHODS_OF_RANK_K.index, ("UniNoRep", "PartGreedyNys"))
    return [
        rows[data][second] / rows[data][first] for rows in SECONDS.values() for data in found.data
    ]


def _abstract_claim(found: Gathered) -> Claim:
    """Return what became of the claim of the abstract: better than others, for little time."""
    verdicts, told = [], []
    for label in ("GreedyNyström", "PartGreedyNys"):
        better, quick = [], []
        for rival, (data, p) in product((*SAMPLING, *DETERMINISTIC), _places(found)):
            own, other = (found.summary("error", data, m, p) for m in (label, rival))
            if own is None or other is None:
                continue
            times = [found.mean("time", data, m, p) for m in (label, rival)]
            better.append(welch_p_value(own, other) < SIGNIFICANT)
            quick.append(times[0] < LITTLE * times[1])
        both = [a and b for a, b in zip(better, quick, strict=True)]
        verdicts += both
        told.append(
            f"{label}: more accurate in {sum(better)}, quick enough in {sum(quick)}, both in "
            f"{sum(both)} of {len(both)} comparisons"
        )
    return Claim(
        "Beside other Nyström methods the greedy ones are significantly more accurate, with "
        f"minimum overhead in run time (abstract; here: less than {LITTLE:g} times as long)",
        verdict_of(verdicts), "; ".join(told),
    )  # fmt: skip


def _ratio_claim(
    found: Gathered,
    first: str,
    second: str,
    text: str,
    bounds: tuple[float, float],
    data: Sequence[str],
) -> Claim:
    low, high = bounds
    ratios = [
        found.mean("time", d, second, p) / max(found.mean("time", d, first, p), 1e-9)
        for d, p in product(data, TABLE_PERCENTS)
    ]
    verdicts = [low < ratio < high for ratio in ratios]
    return Claim(
        text, verdict_of(verdicts),
        f"{sum(verdicts)} of {len(ratios)} places; time of {second} / {first}: "
        f"{range_text(ratios, 1, '')}",
    )  # fmt: skip
