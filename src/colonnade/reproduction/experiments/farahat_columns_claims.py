"""What Farahat (2012) says about its figures in chapter 3, held against runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from ...comparison.significance import Summary, significance_groups, welch_p_value
from ..experiment import Results
from ..findings import SIGNIFICANT, Case, Claim, absent, majority, verdict_of
from .farahat_columns_printed import (
    DATA,
    DOCUMENTS,
    NAMES,
    PERCENTS,
    TABLES,
    WEIGHTING,
    printed_row,
)

__all__ = [
    "Runs",
    "accuracy_claims",
    "inflation_claim",
    "mean_gap",
    "table_claims",
    "time_claims",
]

DIGITS = "mnist_2k2k"
PRINTED = tuple(TABLES["la1"])
"""The methods of the tables."""
NEAR, AS_GOOD = 0.005, 0.015
"""Up to which difference of relative accuracy we call two methods comparable."""
MUCH = 2.0
"""From which ratio of times we call one method much more efficient than another."""


@dataclass
class Runs:
    """Outcomes by what they are of; percentages are those of the columns that were chosen."""

    limits: dict[tuple[str, str], dict[float, tuple[float, float]]] = field(default_factory=dict)
    errors: dict[tuple[str, str, float], list[float]] = field(default_factory=dict)
    weightings: dict[tuple[str, str, float], float] = field(default_factory=dict)
    cpu: dict[tuple[str, str, float], float] = field(default_factory=dict)
    timed_errors: dict[tuple[str, str, float], float] = field(default_factory=dict)
    instances: dict[str, int] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    rank: dict[str, int] = field(default_factory=dict)
    reduced: bool = False

    @classmethod
    def of(cls, results: Results) -> Runs:
        """Gather outcomes of jobs."""
        runs = cls()
        for job, outcome in results:
            data, task, percents = job["data"], job["task"], job["percents"]
            runs.reduced |= job["rows"] is not None
            if "exact" in outcome:
                bounds = zip(outcome["exact"], outcome["stochastic"], strict=True)
                runs.limits[data, job["weighting"]] = dict(zip(percents, bounds, strict=True))
            if task == "limits":
                for kept in ("instances", "features", "rank"):
                    getattr(runs, kept)[data] = outcome[kept]
            for place, percent in enumerate(percents):
                errors = [path[place] for path in outcome.get("errors", ())]
                if task == "weighting":
                    runs.weightings[data, job["weighting"], percent] = errors[0]
                elif task == "errors":
                    runs.errors[data, job["method"], percent] = errors
                elif task == "time":
                    runs.cpu[data, job["method"], percent] = outcome["cpu"][place]
                    runs.timed_errors[data, job["method"], percent] = errors[0]
        return runs

    def percents(self, data: str) -> list[float]:
        """Return the percentages at which a data set was looked at."""
        return sorted(
            {p for (name, _), bounds in self.limits.items() if name == data for p in bounds}
        )

    def accuracy(
        self, data: str, method: str, percent: float, *, exact: bool = True
    ) -> Summary | None:
        """Return the relative accuracy of a method, None where it was not run."""
        errors = self.errors.get((data, method, percent))
        return (
            None
            if errors is None
            else Summary.of(self.relative(data, error, percent, exact=exact) for error in errors)
        )

    def relative(
        self, data: str, error: float, percent: float, *, exact: bool = True, weighting: str = ""
    ) -> float:
        """Return ``‖A − A_l‖ / ‖A − P_S A‖``, the best by an exact or by a stochastic SVD."""
        known = [key for key in self.limits if key[0] == data and weighting in ("", key[1])]
        return sqrt(self.limits[known[0]][percent][0 if exact else 1] / error)

    def shared(self, *methods: str) -> list[tuple[str, float, list[Summary]]]:
        """Return data set, percentage and accuracies wherever some methods were all run.

        Data sets that are not in the thesis decide nothing that it says.
        """
        found = []
        for data in dict.fromkeys(name for name, _ in self.limits if name in TABLES):
            for percent in self.percents(data):
                values = [self.accuracy(data, method, percent) for method in methods]
                there = [value for value in values if value is not None]
                if len(there) == len(methods):
                    found.append((data, percent, there))
        return found

    def missing(self, names: Iterable[str], methods: Sequence[str]) -> list[str]:
        """Return in words what was not run of some methods, at the sizes of the tables."""
        named = [_case(d, m, p) for d in _printed(names) for m in methods for p in PERCENTS[d]]
        return absent(named, {_case(*place) for place in self.errors}) + self.reduction()

    def missing_times(self, names: Iterable[str], methods: Sequence[str]) -> list[str]:
        """Return in words of which methods the time was not taken, at the largest size that was."""
        most: dict[str, float] = {}
        for data, _, percent in self.cpu:
            most[data] = max(percent, most.get(data, percent))
        named = [_case(d, m, most.get(d, 0)) for d in _printed(names) for m in methods]
        return absent(named, {_case(*place) for place in self.cpu}) + self.reduction()

    def reduction(self) -> list[str]:
        """Return in words what a reduced run leaves out."""
        return ["the other instances (reduced run)"] if self.reduced else []


def _case(data: str, method: str, percent: float) -> Case:
    return DATA[data], NAMES[method], f"{percent:.0f} %"


def _printed(names: Iterable[str]) -> list[str]:
    """Return those data sets that are in the thesis: others decide nothing that it says."""
    return [data for data in names if data in TABLES]


def table_claims(runs: Runs, names: Sequence[str]) -> tuple[Claim, ...]:
    """Compare what is claimed about the methods in a table of some data sets."""
    return (
        _leaders(runs, names) if names == DOCUMENTS else _in_best_group(runs, names),
        _pairs(
            runs, names, "greedy", ("approx-svd",),
            "GreedyCSS is as accurate as ApproxSVD (we ask for differences up to "
            f"{NEAR})",
            lambda ours, other: abs(ours.mean - other.mean) <= NEAR,
        ),
        _pairs(
            runs, names, "greedy", ("hybrid-css",),
            "GreedyCSS is significantly more accurate than HybridCSS", _significant,
        ),
        _pairs(
            runs, names, "partition-greedy", ("hybrid-css",),
            f"PartGreedyCSS is as accurate as HybridCSS (we ask for at most {AS_GOOD} less)",
            lambda ours, other: ours.mean >= other.mean - AS_GOOD,
        ),
    )  # fmt: skip


def inflation_claim(runs: Runs, names: Sequence[str]) -> Claim:
    """Return whether the printed levels are those of a stochastic SVD, and how much it inflates.

    Only data sets that are here as the thesis had them have levels to compare.
    """
    there = [d for d in _printed(names) if d in runs.instances and d not in WEIGHTING]
    there = [] if runs.reduced else there
    told, nearer = [], []
    for data in there:
        bounds = next(kept for (name, _), kept in runs.limits.items() if name == data)
        factors = [sqrt(stochastic / exact) for exact, stochastic in bounds.values()]
        gap, exact_gap = (mean_gap(runs, data, "greedy", exact) for exact in (False, True))
        nearer.append(gap < exact_gap)
        told.append(
            f"{DATA[data]}: {min(factors):.3f} to {max(factors):.3f} times as large; GreedyCSS "
            f"{gap:.4f} from the printed figures on average, {exact_gap:.4f} with an exact SVD"
        )
    return Claim(
        f"Printed levels of {', '.join(DATA[d] for d in there) or 'the table'} are inflated: "
        "relative to the error of a stochastic SVD in place of that of the best approximation",
        verdict_of(nearer), "; ".join(told) or "no levels to compare",
    )  # fmt: skip


def mean_gap(runs: Runs, data: str, method: str, exact: bool) -> float:
    """Return the mean distance of a method's relative accuracy from the printed one."""
    gaps = [
        abs(ours.mean - mean)
        for percent, (mean, _) in printed_row(data, method).items()
        if (ours := runs.accuracy(data, method, percent, exact=exact)) is not None
    ]
    return Summary.of(gaps).mean


def accuracy_claims(runs: Runs, names: Sequence[str]) -> tuple[Claim, ...]:
    """Compare what is claimed about accuracies in a figure of some data sets."""
    baselines = ("uniform", "pivoted-qr", "strong-rrqr")
    found = [
        _pairs(
            runs, names, "greedy", baselines,
            "GreedyCSS is significantly more accurate than UniNoRep, qr and SRRQR", _significant,
        ),
        _pairs(
            runs, names, "partition-greedy", baselines,
            "PartGreedyCSS is more accurate than UniNoRep, qr and SRRQR",
            lambda ours, other: ours.mean > other.mean,
        ),
    ]  # fmt: skip
    if runs.shared("strong-rrqr"):
        found += [
            _pairs(
                runs, names, "strong-rrqr", ("pivoted-qr",),
                f"SRRQR is as accurate as qr (we ask for differences up to {NEAR})",
                lambda ours, other: abs(ours.mean - other.mean) <= NEAR,
            ),
            _pairs(
                runs, names, "strong-rrqr",
                ("approx-svd", "hybrid-css", "greedy", "partition-greedy"),
                "qr and SRRQR are less accurate than other deterministic and hybrid methods",
                lambda ours, other: ours.mean < other.mean,
            ),
        ]  # fmt: skip
    if DIGITS in names:
        found.append(_rank_of_digits(runs))
    return tuple(found)


def _rank_of_digits(runs: Runs) -> Claim:
    text = f"The rank of {DATA[DIGITS]} is less than the number of pixels"
    if DIGITS not in runs.rank or runs.reduced:
        absence = absent([_case(DIGITS, "greedy", 1)], ())
        return Claim(text, "not testable", "").without(runs.reduction() or absence)
    rank, pixels = runs.rank[DIGITS], runs.features[DIGITS]
    return Claim(text, verdict_of([rank < pixels]), f"rank {rank} of {pixels}")


def time_claims(runs: Runs, names: Sequence[str]) -> tuple[Claim, ...]:
    """Compare what is claimed about times; the ratios are those at the largest size."""
    rivals = ("hybrid-css", "approx-svd")
    missing = runs.missing_times(names, ("greedy", *rivals))
    ahead = {data: _ratios(runs, data, "greedy", rivals) for data in _timed(runs)}
    wins = [min(found.values()) > 1 for found in ahead.values() if found]
    growth = {data: _growth(runs, data, ("greedy", *rivals)) for data in _timed(runs)}
    slower = [
        found["greedy"] < min(found[rival] for rival in rivals)
        for found in growth.values() if len(found) == 3
    ]  # fmt: skip
    claims = [
        Claim(
            "GreedyCSS takes less time than HybridCSS and ApproxSVD on most data sets",
            majority(wins),
            f"on {sum(wins)} of {len(wins)}; {_shown(ahead)} times as long as GreedyCSS",
        ).without(missing),
        Claim(
            "The time of GreedyCSS grows less with the number of columns than those of HybridCSS "
            "and ApproxSVD on most data sets",
            majority(slower),
            f"on {sum(slower)} of {len(slower)}; from the fewest to the most columns times grow "
            f"by the factors {_shown(growth)}",
        ).without(missing),
    ]
    others = ("hybrid-css", "approx-svd", "greedy", "pivoted-qr", "strong-rrqr")
    ahead = {data: _ratios(runs, data, "partition-greedy", others) for data in _timed(runs)}
    verdicts = [
        ratio > (MUCH if method == "hybrid-css" else 1.0)
        for found in ahead.values()
        for method, ratio in found.items()
    ]
    claims.append(Claim(
        f"PartGreedyCSS is much faster than HybridCSS (we ask for a factor of {MUCH:.0f}) and "
        "faster than all others but UniNoRep on all data sets",
        verdict_of(verdicts), f"{_shown(ahead)} times as long as PartGreedyCSS",
    ).without(runs.missing_times(names, ("partition-greedy", *others))))  # fmt: skip
    documents = [data for data in _timed(runs) if data in DOCUMENTS]
    asked = [data for data in names if data in DOCUMENTS]
    slow = {data: _ratios(runs, data, "greedy", ("pivoted-qr",)) for data in documents}
    if any(slow.values()):
        claims.append(Claim(
            "qr takes very long on documents compared with other methods",
            verdict_of([found["pivoted-qr"] > 1 for found in slow.values() if found]),
            f"{_shown(slow)} times as long as GreedyCSS; the thesis used MATLAB's qr, which makes "
            "them dense and goes on to the last column",
        ).without(runs.missing_times(asked, ("greedy", "pivoted-qr"))))  # fmt: skip
    loss = [
        abs(runs.relative(data, error, percent) - exact.mean)
        for (data, method, percent), error in runs.timed_errors.items()
        if method == "approx-svd" and data in documents
        and (exact := runs.accuracy(data, method, percent)) is not None
    ]  # fmt: skip
    if loss:
        claims.append(Claim(
            "ApproxSVD is as accurate with singular vectors of a stochastic SVD (we ask for "
            f"differences up to {NEAR})",
            verdict_of([value <= NEAR for value in loss]),
            f"differences of {len(loss)} runs up to {max(loss):.4f}",
        ).without(runs.missing_times(asked, ("approx-svd",))))  # fmt: skip
    return tuple(claims)


def _significant(ours: Summary, other: Summary) -> bool:
    return welch_p_value(ours, other) < SIGNIFICANT


def _pairs(
    runs: Runs,
    names: Sequence[str],
    method: str,
    others: Sequence[str],
    text: str,
    holds: Callable[[Summary, Summary], bool],
) -> Claim:
    """Return what became of a claim about a method and each of some others, at every size."""
    verdicts: list[bool] = []
    parts = []
    for other in others:
        cases = runs.shared(method, other)
        if not cases:
            continue
        kept = [holds(ours, theirs) for _, _, (ours, theirs) in cases]
        gaps = [ours.mean - theirs.mean for _, _, (ours, theirs) in cases]
        verdicts += kept
        parts.append(
            f"{NAMES[other]}: {sum(kept)} of {len(kept)} cases, differences {min(gaps):+.4f} to "
            f"{max(gaps):+.4f}"
        )
    missing = runs.missing(names, (method, *others))
    return Claim(text, verdict_of(verdicts), "; ".join(parts)).without(missing)


def _groups(runs: Runs) -> list[dict[str, int]]:
    """Return the groups of the printed methods for each column of a table."""
    return [
        significance_groups(dict(zip(PRINTED, values, strict=True)))
        for _, _, values in runs.shared(*PRINTED)
    ]


def _leaders(runs: Runs, names: Sequence[str]) -> Claim:
    columns = _groups(runs)
    kept = [g["greedy"] == 1 and g["approx-svd"] == 2 for g in columns]
    return Claim(
        "GreedyCSS alone is in the best group of every column, ApproxSVD in the second",
        verdict_of(kept), f"{sum(kept)} of {len(kept)} columns",
    ).without(runs.missing(names, PRINTED))  # fmt: skip


def _in_best_group(runs: Runs, names: Sequence[str]) -> Claim:
    columns = _groups(runs)
    kept = [all(m in ("greedy", "approx-svd") for m, n in g.items() if n == 1) for g in columns]
    return Claim(
        "The best group of every column has GreedyCSS or ApproxSVD or both, and no other",
        verdict_of(kept), f"{sum(kept)} of {len(kept)} columns",
    ).without(runs.missing(names, PRINTED))  # fmt: skip


def _timed(runs: Runs) -> list[str]:
    return list(dict.fromkeys(data for data, _, _ in runs.cpu if data in TABLES))


def _ratios(runs: Runs, data: str, method: str, others: Iterable[str]) -> dict[str, float]:
    """Return how many times as long others take, at the largest size."""
    sizes = [percent for name, _, percent in runs.cpu if name == data]
    base = runs.cpu.get((data, method, max(sizes))) if sizes else None
    found = {other: runs.cpu.get((data, other, max(sizes))) for other in others} if base else {}
    return {other: cpu / base for other, cpu in found.items() if cpu is not None and base}


def _growth(runs: Runs, data: str, methods: Iterable[str]) -> dict[str, float]:
    """Return how many times as long methods take at the largest size as at the smallest."""
    sizes = sorted({percent for name, _, percent in runs.cpu if name == data})
    times = {m: [runs.cpu.get((data, m, size)) for size in (sizes[0], sizes[-1])] for m in methods}
    return {m: last / first for m, (first, last) in times.items() if first and last}


def _shown(ratios: dict[str, dict[str, float]]) -> str:
    return "; ".join(
        f"{DATA[data]}: " + ", ".join(f"{NAMES[m]} {value:.1f}" for m, value in found.items())
        for data, found in ratios.items() if found
    )  # fmt: skip
