"""How long methods of chapter 6 of Farahat (2012) take: Figures 6.3 and 6.4."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..experiment import Results
from ..findings import Cells, Claim, Findings, verdict_of
from .farahat_features_cells import (
    GREEDY,
    IMAGES_AND_SOUNDS,
    LARGE,
    curves,
    gathered,
    grid,
    mean_at,
    pairs_of,
)
from .farahat_features_printed import DATA, METHODS

__all__ = ["lesser_times_report", "times_report"]

DEMANDING = 10
"""How many times as long as the greedy method is called very demanding."""


def _slower(cells: Cells, text: str, slow: str, fast: Iterable[str], datas: Iterable[str]) -> Claim:
    """Return what became of the claim that a method takes longer, at the most features."""
    ratios: dict[tuple[str, str, int], float] = {}
    for data, one, other, percent in pairs_of(cells, datas, [slow], fast, "seconds"):
        ratios[data, other, percent] = mean_at(cells, data, one, percent, "seconds") / mean_at(
            cells, data, other, percent, "seconds"
        )
    largest = {
        place: ratio
        for place, ratio in ratios.items()
        if place[2] == max(p for d, o, p in ratios if (d, o) == place[:2])
    }
    if not largest:
        return Claim(text, "not testable", "the data or the runs are missing")
    told = "; ".join(f"{DATA[d]}, {o}: {ratio:.2g}" for (d, o, _), ratio in largest.items())
    figure = f"{slow} takes so many times as long as: {told}"
    return Claim(text, verdict_of([ratio > 1 for ratio in largest.values()]), figure)


def times_report(results: Results) -> Findings:
    """Return Figure 6.3: how long methods take."""
    cells = gathered(results)
    others = [method for method in METHODS[1:] if method != "FSFS"]
    claims = [
        _slower(cells, "FSFS takes longer than all other methods", "FSFS", others, DATA),
        _slower(
            cells, "MCFS takes longer than LS and both greedy methods", "MCFS", ["LS", *GREEDY],
            DATA,
        ),
        _growth(cells),
    ]  # fmt: skip
    return _timed(cells, METHODS[1:], claims)


def lesser_times_report(results: Results) -> Findings:
    """Return Figure 6.4: how long PCA-LRG and LS take beside the greedy methods."""
    cells = gathered(results)
    first = list(DATA)[:4]
    claims = [
        _slower(
            cells, "PCA-LRG takes longer than both greedy methods on ORL, COIL20, ISOLET and USPS",
            "PCA-LRG", GREEDY, first,
        ),
        _slower(
            cells, "GreedyFS takes longer than LS where instances are about as many as features",
            "GreedyFS", ["LS"], IMAGES_AND_SOUNDS,
        ),
        _slower(
            cells, "LS takes longer than both greedy methods where instances are very many (USPS)",
            "LS", GREEDY, ["usps"],
        ),
        _slower(
            cells, "GreedyFS takes longer than PartGreedyFS", "GreedyFS", ["PartGreedyFS"], DATA
        ),
    ]  # fmt: skip
    return _timed(cells, ("PCA-LRG", "LS", *GREEDY), claims)


def _growth(cells: Cells) -> Claim:
    """Return whether MCFS suffers from many instances: its time beside that of GreedyFS."""
    text = (
        f"MCFS is very demanding, over {DEMANDING} times as slow as GreedyFS, where instances are "
        "many (USPS, TDT2-30, 20NG)"
    )
    ratios = {
        pair[0]: mean_at(cells, pair[0], "MCFS", 1, "seconds")
        / mean_at(cells, pair[0], "GreedyFS", 1, "seconds")
        for pair in pairs_of(cells, LARGE, ["MCFS"], ["GreedyFS"], "seconds")
        if pair[3] == 1
    }
    if not ratios:
        return Claim(text, "not testable", "the data or the runs are missing")
    told = "; ".join(f"{DATA[data]} {ratio:.2g}" for data, ratio in ratios.items())
    figure = f"with 1 % of the features it takes so many times as long: {told}"
    return Claim(text, verdict_of([ratio > DEMANDING for ratio in ratios.values()]), figure)


def _timed(cells: Cells, methods: Sequence[str], claims: Sequence[Claim]) -> Findings:
    notes = (
        "Seconds of one processor until the features are known; what is computed of the error "
        "they leave is not counted, for methods that do not look at it.",
        "Printed times are of MATLAB and C programs of their authors, and pictures only: ratios "
        "between methods are compared. Here all methods are of one library.",
    )
    return Findings(
        tuple(grid(cells, "seconds", methods)), tuple(claims),
        tuple(curves(cells, "seconds", methods)), ("features, %", "seconds"), notes,
        digits=3, larger_is_better=False,
    )  # fmt: skip
