"""How long methods of chapter 6 of Farahat (2012) take: Figures 6.3 and 6.4."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..experiment import Results
from ..findings import Cells, Claim, Findings, verdict_of
from .farahat_features_cells import (
    GREEDY,
    IMAGES_AND_SOUNDS,
    LARGE,
    Pair,
    Values,
    curves,
    grid,
    has,
    mean_at,
    missing_of,
    pairs_of,
    values_of,
)
from .farahat_features_printed import DATA, METHODS, PERCENTS

__all__ = ["lesser_times_report", "times_report"]

DEMANDING = 10
"""How many times as long as the greedy method is called very demanding."""


def _slower(
    cells: Values,
    text: str,
    slow: str,
    fast: Iterable[str],
    datas: Iterable[str],
    factor: float = 1.0,
) -> Claim:
    """Return what became of the claim that a method takes longer, at the most features that ran.

    What did not run with the most features of the tables is told.
    """
    named = pairs_of(cells, datas, [slow], fast)
    largest: dict[tuple[str, str], Pair] = {}
    for pair in named:  # percentages rise
        if has(cells, pair, "seconds"):
            largest[pair[0], pair[2]] = pair
    missing = missing_of(cells, [pair for pair in named if pair[3] == max(PERCENTS)], "seconds")
    if not largest:
        return Claim(text, "not testable", "").without(missing)
    ratios = {pair: _ratio(cells, pair) for pair in largest.values()}
    told = "; ".join(
        f"{DATA[data]}, {other}{_less(percent)}: {ratio:.2g}"
        for (data, _, other, percent), ratio in ratios.items()
    )
    figure = f"{slow} takes so many times as long as: {told}"
    return Claim(text, verdict_of([r > factor for r in ratios.values()]), figure).without(missing)


def _less(percent: int) -> str:
    return "" if percent == max(PERCENTS) else f" at {percent} %"


def _ratio(cells: Cells, pair: Pair) -> float:
    data, one, other, percent = pair
    slow, fast = (mean_at(cells, data, method, percent, "seconds") for method in (one, other))
    return slow / fast


def times_report(results: Results) -> Findings:
    """Return Figure 6.3: how long methods take."""
    cells = values_of(results)
    others = [method for method in METHODS[1:] if method != "FSFS"]
    claims = [
        _slower(cells, "FSFS takes longer than all other methods", "FSFS", others, DATA),
        _slower(
            cells, "MCFS takes longer than LS and both greedy methods", "MCFS", ["LS", *GREEDY],
            DATA,
        ),
        _slower(
            cells, f"MCFS is very demanding, over {DEMANDING} times as slow as GreedyFS, where "
            "instances are many (USPS, TDT2-30, 20NG)", "MCFS", ["GreedyFS"], LARGE, DEMANDING,
        ),
    ]  # fmt: skip
    return _timed(cells, METHODS[1:], claims)


def lesser_times_report(results: Results) -> Findings:
    """Return Figure 6.4: how long PCA-LRG and LS take beside the greedy methods."""
    cells = values_of(results)
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
