"""Table 4.4 of Farahat (2012): how long rank-k approximations take, as ratios."""

from __future__ import annotations

from collections.abc import Sequence

from ...comparison.significance import Summary
from ..experiment import Results
from ..findings import Claim, Figure, Findings, verdict_of
from .farahat_kernels_data import TITLES
from .farahat_kernels_gathered import (
    Gathered,
    column,
    formula_of,
    gathered_kernels,
    of_named,
    range_text,
)
from .farahat_kernels_methods import ENSEMBLE, EXPERTS
from .farahat_kernels_printed import METHODS_OF_RANK_K, SECONDS

__all__ = ["times_table"]

FEATURES, FORMED = "features", "K̃ formed"


def times_table(results: Results, named: Sequence[str] = ()) -> Findings:
    """Return what Table 4.4 shows: seconds of then and now, and both as ratios to UniNoRep."""
    found = gathered_kernels(results)
    figures = []
    for data in found.data:
        for percent, rows in SECONDS.items():
            base = rows[data][0]
            for i, label in enumerate(METHODS_OF_RANK_K):
                printed = rows[data][i]
                place = (TITLES[data], label, column(percent))
                seconds = _seconds(found, data, label, percent, FEATURES)
                figures.append(Figure(*place, seconds, printed, measure="seconds"))
                for what in (FEATURES, FORMED):
                    ours = _seconds(found, data, label, percent, what)
                    unit = _seconds(found, data, METHODS_OF_RANK_K[0], percent, what)
                    ratio = _ratio(ours, unit)
                    figures.append(
                        Figure(*place, ratio, printed / base, measure=f"/ UniNoRep, {what}")
                    )
    few, many = SECONDS

    def grown(label: str) -> str:
        place = METHODS_OF_RANK_K.index(label)
        then = (rows[place] / SECONDS[few][data][place] for data, rows in SECONDS[many].items())
        return range_text(then, 2, "")

    notes = (
        f"From l/n = {few} % to {many} % the printed seconds of UniNoRep grow by the factors "
        f"{grown('UniNoRep')}, those of the ensemble by {grown(ENSEMBLE)}, those of GreedyNyström "
        f"by {grown('GreedyNyström')}: it seems that the n × n approximations were formed. So our "
        "ratios are given without and with that.",
    )
    figures.sort(key=lambda f: (list(TITLES.values()).index(f.group), f.measure))
    claims = of_named(_claims(found), found, named)
    return Findings(tuple(figures), claims, notes=notes, digits=2, larger_is_better=False)


def _seconds(found: Gathered, data: str, label: str, percent: int, what: str) -> Summary | None:
    own = found.summary(f"{formula_of(label)} time", data, label, percent)
    if own is None or what == FEATURES:
        return own
    products = EXPERTS if label == ENSEMBLE else 1
    forming = products * float(found.best[data]["product time"])
    return Summary(own.mean + forming, own.deviation, own.runs)


def _ratio(ours: Summary | None, unit: Summary | None) -> Summary | None:
    if ours is None or unit is None or not unit.mean:
        return None
    return Summary(ours.mean / unit.mean, ours.deviation / unit.mean, ours.runs)


def _claims(found: Gathered) -> tuple[Claim, ...]:
    pairs = (
        ("PartGreedyNys", "GreedyNyström", "is several times faster than", 2.0),
        ("UniNoRep", "PartGreedyNys", "is faster than", 1.0),
        ("GreedyNyström", ENSEMBLE, "is faster than", 1.0),
        ("PartGreedyNys", ENSEMBLE, "is several times faster than", 2.0),
    )
    claims = []
    for faster, slower, what, least in pairs:
        ratios: dict[str, list[float]] = {FEATURES: [], FORMED: [], "": []}
        for data in found.data:
            for percent, rows in SECONDS.items():
                then = dict(zip(METHODS_OF_RANK_K, rows[data], strict=True))
                ratios[""].append(then[slower] / then[faster])
                for kind in (FEATURES, FORMED):
                    ratio = _ratio(_seconds(found, data, slower, percent, kind),
                                   _seconds(found, data, faster, percent, kind))  # fmt: skip
                    if ratio is not None:
                        ratios[kind].append(ratio.mean)
        claims.append(
            Claim(
                f"{faster} {what} {slower}",
                verdict_of([r > least for r in ratios[FEATURES] + ratios[FORMED]]),
                f"ratio of times {range_text(ratios[FEATURES], 1, '')} for the features, "
                f"{range_text(ratios[FORMED], 1, '')} with K̃ formed "
                f"(printed {range_text(ratios[''], 1, '')})",
            )
        )
    return tuple(claims)
