"""Tables 4.1 to 4.3 of Farahat (2012): accuracies, beside the printed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..experiment import Results
from ..findings import Claim, Figure, Findings, Verdict, majority, mean_difference, verdict_of
from .farahat_kernels_data import TITLES
from .farahat_kernels_gathered import (
    Gathered,
    agreements,
    column,
    formula_of,
    gathered_kernels,
    of_named,
    range_text,
)
from .farahat_kernels_methods import ENSEMBLE, FORMULAS
from .farahat_kernels_printed import METHODS_OF_RANK_K, RANK_K, RANK_L, TABLE_PERCENTS, TERMS

__all__ = ["rank_k_table", "rank_l_table"]

OTHERS = "not in the printed table"


def rank_l_table(results: Results, named: Sequence[str] = ()) -> Findings:
    """Return what Tables 4.1 and 4.2 show: the best four methods, and two of ours."""
    found = gathered_kernels(results)
    figures = _rank_l_figures(found)
    printed = [f for f in figures if f.printed is not None]
    notes = [agreements(figures, "GreedyNyström") + ".", _differences(found, printed)]
    notes += [*_training_set(found), *_vocabulary(found)]
    claims = of_named(_rank_l_claims(found), found, named)
    return Findings(figures, claims, notes=tuple(notes), digits=4)


def _training_set(found: Gathered) -> list[str]:
    """Say which documents of Reuters take part."""
    if "reuters21578" not in found.best:
        return []
    best = found.best["reuters21578"]
    every, training = best["rows"]
    some = f", of which {best['points']} were drawn for this reduced run"
    return [
        f"Reuters is its training set, {training} documents{some * (best['points'] < training)}; l "
        f"is rounded up. With all {every} documents, or rounded otherwise, the last digits differ."
    ]


def _vocabulary(found: Gathered) -> list[str]:
    """Say how many terms documents have, where they are fewer than in the thesis."""
    terms = {d: (found.best[d]["features"], TERMS[d]) for d in found.data if d in TERMS}
    fewer = {d: pair for d, pair in terms.items() if pair[0] < pair[1]}
    if not fewer:
        return []
    ours, theirs = (" and ".join(f"{pair[i]:,}" for pair in fewer.values()) for i in (0, 1))
    return [
        f"{' and '.join(TITLES[d] for d in fewer)}: fewer terms here ({ours}) than in the thesis "
        f"({theirs}), which does not say how they were weighted. Of counts, log counts, tf-idf and "
        "rows of length one, tf-idf with rows of length one comes nearest in level and slope, and "
        "comes nearer still when as many rare terms as are missing are added at random."
    ]


def _rank_l_figures(found: Gathered) -> tuple[Figure, ...]:
    figures = []
    for data in found.data:
        for label in found.labels("error"):
            rows = RANK_L[data].get(label)
            for i, percent in enumerate(TABLE_PERCENTS):
                printed, deviation = (None, None) if rows is None else rows[i]
                figures.append(
                    Figure(
                        TITLES[data], label, column(percent),
                        found.summary("error", data, label, percent), printed, deviation,
                        "" if rows else OTHERS,
                    )
                )  # fmt: skip
    return tuple(figures)


def _differences(found: Gathered, figures: list[Figure]) -> str:
    parts = []
    for data in found.data:
        own = [f for f in figures if f.group == TITLES[data]]
        rows = dict.fromkeys(f.row for f in own)
        each = (f"{row} {mean_difference([f for f in own if f.row == row]):.4f}" for row in rows)
        parts.append(f"{TITLES[data]}: {', '.join(each)}")
    return f"Mean absolute differences from the printed figures. {'; '.join(parts)}."


def _rank_l_claims(found: Gathered) -> tuple[Claim, ...]:
    places = [(data, percent) for data in found.data for percent in TABLE_PERCENTS]

    def ours(label: str) -> Callable[[tuple[str, int]], float]:
        return lambda place: found.mean("error", place[0], label, place[1])

    greedy, part, sgma, means = map(ours, ("GreedyNyström", "PartGreedyNys", "SGMA", "kMeans"))
    over_sgma = [greedy(place) - sgma(place) for place in places]
    over_means = {
        data: sum(greedy((data, p)) - means((data, p)) for p in TABLE_PERCENTS)
        / len(TABLE_PERCENTS)
        for data in found.data
    }
    shares = [means(place) / greedy(place) for place in places]
    lost = [greedy(place) - part(place) for place in places]
    under_sgma = [sgma(place) - part(place) for place in places]
    slight = [_slight(greedy(at), part(at), sgma(at)) for at in places]
    then = [
        _slight(
            *(RANK_L[data][label][i][0] for label in ("GreedyNyström", "PartGreedyNys", "SGMA"))
        )
        for data in found.data
        for i in range(len(TABLE_PERCENTS))
    ]
    order = [_ranking(found, data, i) for data in found.data for i in range(len(TABLE_PERCENTS))]
    extremes = [max(shares, default=0.0) > 1, min(shares, default=2.0) < 1]
    much = min(shares, default=2.0) < 0.8
    mixed = "not testable" if not shares else verdict_of([*extremes, much])
    return (
        Claim(
            "GreedyNyström is more accurate than SGMA", verdict_of([d > 0 for d in over_sgma]),
            f"{sum(d > 0 for d in over_sgma)} of {len(places)} figures; "
            f"difference {range_text(over_sgma)}",
        ),
        Claim(
            "GreedyNyström is more accurate than k-means centroids for most data sets",
            majority([d > 0 for d in over_means.values()]),
            "mean difference " + ", ".join(f"{TITLES[d]} {v:+.3f}" for d, v in over_means.items())
            + f"; the printed figures have it for {_printed_sets(found)} of {len(found.data)}",
        ),
        Claim(
            "k-means centroids are better for some data sets and much worse for others", mixed,
            f"accuracy / that of GreedyNyström: {range_text(shares, 2, '')}",
        ),
        Claim(
            "PartGreedyNys is slightly less accurate (by less than a tenth) than GreedyNyström, "
            "and less accurate than SGMA",
            verdict_of(slight),
            f"{sum(slight)} of {len(places)} figures ({sum(then)} of the printed ones); "
            f"below GreedyNyström by {range_text(lost, sign='')}, "
            f"below SGMA by {range_text(under_sgma)}",
        ),
        Claim(
            "The four methods rank as printed", verdict_of(order),
            f"{sum(order)} of {len(order)} columns",
        ),
    )  # fmt: skip


def _slight(greedy: float, part: float, sgma: float) -> bool:
    return 0.9 * greedy < part < min(greedy, sgma)


def _printed_sets(found: Gathered) -> int:
    over = [
        sum(g[0] - m[0] for g, m in zip(RANK_L[data]["GreedyNyström"], RANK_L[data]["kMeans"],
                                        strict=True))
        for data in found.data
    ]  # fmt: skip
    return sum(difference > 0 for difference in over)


def _ranking(found: Gathered, data: str, i: int) -> bool:
    labels = list(RANK_L[data])
    printed = sorted(labels, key=lambda label: -RANK_L[data][label][i][0])
    percent = TABLE_PERCENTS[i]
    return printed == sorted(labels, key=lambda label: -found.mean("error", data, label, percent))


def rank_k_table(results: Results, named: Sequence[str] = ()) -> Findings:
    """Return what Table 4.3 shows, and the same by one formula for all methods."""
    found = gathered_kernels(results)
    figures = _rank_k_figures(found)
    printed = [f for f in figures if f.printed is not None]
    notes = [
        agreements(printed, "GreedyNyström") + ".",
        _differences(found, printed),
        "The printed rows have two formulas: the best rank k inside K̃ (eq. 4.12) for the two "
        "greedy methods, the traditional one from the eigenvectors of K_SS (eq. 4.5) for UniNoRep "
        "and the ensemble's experts. The other two tables of each data set have one formula for "
        f"all. Mean distance from the printed figures: {_by_formula(figures)}.",
        _weights_note(found),
        *_vocabulary(found),
    ]
    claims = of_named(_rank_k_claims(found), found, named)
    return Findings(figures, claims, notes=tuple(notes), digits=4)


def _by_formula(figures: tuple[Figure, ...]) -> str:
    """Say how far the figures of each table of rank k are from what is printed."""
    printed = {(f.group, f.row, f.column): f.printed for f in figures if f.printed is not None}
    told = []
    for measure in dict.fromkeys(f.measure for f in figures):
        own = [
            replace(f, printed=printed[f.group, f.row, f.column])
            for f in figures
            if f.measure == measure
        ]
        told.append(f"{mean_difference(own):.4f} with the {measure or 'formulas as printed'}")
    return ", ".join(told)


def _rank_k_figures(found: Gathered) -> tuple[Figure, ...]:
    figures = []
    for data in found.data:
        for measure in ("as printed", "best", "traditional"):
            for i, label in enumerate(METHODS_OF_RANK_K):
                formula = formula_of(label) if measure == "as printed" else measure
                for percent, rows in RANK_K.items():
                    ours = found.summary(formula, data, label, percent)
                    figures.append(
                        Figure(
                            TITLES[data], label, column(percent), ours,
                            rows[data][i] if measure == "as printed" else None, None,
                            "" if measure == "as printed" else f"{measure} formula for all",
                        )
                    )  # fmt: skip
    return tuple(figures)


def _rank_k_claims(found: Gathered) -> tuple[Claim, ...]:
    places = [(data, percent) for data in found.data for percent in RANK_K]
    claims = []
    for label in ("GreedyNyström", "PartGreedyNys"):
        for rival in (ENSEMBLE, "UniNoRep"):
            margins = _margins(found, label, rival, places)
            printed = [
                RANK_K[p][d][METHODS_OF_RANK_K.index(label)]
                - RANK_K[p][d][METHODS_OF_RANK_K.index(rival)]
                for d, p in places
            ]
            wins = [margin > 0 for margin in margins[""]]
            claims.append(
                Claim(
                    f"{label} is more accurate than {rival} for most data sets", majority(wins),
                    f"{sum(wins)} of {len(wins)} figures; mean margin {_mean(margins['']):+.3f} "
                    f"(printed {_mean(printed):+.3f})",
                )
            )  # fmt: skip
            each = [majority([m > 0 for m in margins[f]]) == "confirmed" for f in FORMULAS]
            both: Verdict = "partly" if any(each) else "not confirmed"
            claims.append(
                Claim(
                    f"... also with the same rank-k formula for both ({label}, {rival})",
                    "confirmed" if all(each) else both,
                    "; ".join(
                        f"{formula} formula: {sum(m > 0 for m in margins[formula])} of "
                        f"{len(places)}, mean margin {_mean(margins[formula]):+.3f}"
                        for formula in FORMULAS
                    ),
                )
            )
    return tuple(claims)


def _margins(
    found: Gathered, label: str, rival: str, places: list[tuple[str, int]]
) -> dict[str, list[float]]:
    """Return by how much one method is better than another, by formula; "" as printed."""
    return {
        formula: [
            found.mean(formula or formula_of(label), d, label, p)
            - found.mean(formula or formula_of(rival), d, rival, p)
            for d, p in places
        ]
        for formula in ("", *FORMULAS)
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _weights_note(found: Gathered) -> str:
    gaps, above = [], 0
    for data in found.data:
        for percent, rows in RANK_K.items():
            learned = found.mean("traditional", data, ENSEMBLE, percent)
            best = found.mean("traditional, best weights", data, ENSEMBLE, percent)
            gaps.append(best - learned)
            above += rows[data][METHODS_OF_RANK_K.index(ENSEMBLE)] > best
    return (
        "The ensemble with the best weights that there are, found with all of K, would gain "
        f"{range_text(gaps)} on what is learned from 20 columns; the printed figure is above "
        f"even that in {above} of {len(gaps)} cases, so that its experts may be others. How they "
        "were drawn is not told."
    )
