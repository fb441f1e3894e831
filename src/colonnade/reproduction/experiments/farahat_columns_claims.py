"""What Farahat (2012) says about its figures in chapter 3, held against runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from ...comparison.significance import Summary, significance_groups, welch_p_value
from ..experiment import Results
from ..findings import Claim, Verdict, verdict_of
from .farahat_columns_printed import DATA, DOCUMENTS, NAMES, TABLES

__all__ = ["Runs", "accuracy_claims", "table_claims", "time_claims"]

NEAR, AS_GOOD = 0.005, 0.015
"""Up to which difference of relative accuracy we call two methods comparable."""
MUCH = 2.0
"""From which ratio of times we call one method much more efficient than another."""
SURE = 0.05


@dataclass
class Runs:
    """Outcomes by what they are of; percentages are those of the columns that were chosen."""

    limits: dict[tuple[str, str], dict[float, tuple[float, float]]] = field(default_factory=dict)
    errors: dict[tuple[str, str, float], list[float]] = field(default_factory=dict)
    weightings: dict[tuple[str, str, float], float] = field(default_factory=dict)
    cpu: dict[tuple[str, str, float], float] = field(default_factory=dict)
    timed_errors: dict[tuple[str, str, float], float] = field(default_factory=dict)
    instances: dict[str, int] = field(default_factory=dict)
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
                runs.instances[data], runs.rank[data] = outcome["instances"], outcome["rank"]
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


def table_claims(runs: Runs, data: Sequence[str]) -> tuple[Claim, ...]:
    """Compare what is claimed about the methods in a table."""
    return (
        _leaders(runs) if data == DOCUMENTS else _in_best_group(runs),
        _pairs(
            runs, "greedy", ("approx-svd",),
            "GreedyCSS is as accurate as ApproxSVD (we ask for differences up to "
            f"{NEAR})",
            lambda ours, other: abs(ours.mean - other.mean) <= NEAR,
        ),
        _pairs(
            runs, "greedy", ("hybrid-css",),
            "GreedyCSS is significantly more accurate than HybridCSS", _significant,
        ),
        _pairs(
            runs, "partition-greedy", ("hybrid-css",),
            f"PartGreedyCSS is as accurate as HybridCSS (we ask for at most {AS_GOOD} less)",
            lambda ours, other: ours.mean >= other.mean - AS_GOOD,
        ),
    )  # fmt: skip


def accuracy_claims(runs: Runs) -> tuple[Claim, ...]:
    """Compare what is claimed about accuracies in a figure."""
    baselines = ("uniform", "pivoted-qr", "strong-rrqr")
    found = [
        _pairs(
            runs, "greedy", baselines,
            "GreedyCSS is significantly more accurate than UniNoRep, qr and SRRQR", _significant,
        ),
        _pairs(
            runs, "partition-greedy", baselines,
            "PartGreedyCSS is more accurate than UniNoRep, qr and SRRQR",
            lambda ours, other: ours.mean > other.mean,
        ),
    ]  # fmt: skip
    if runs.shared("strong-rrqr"):
        found += [
            _pairs(
                runs, "strong-rrqr", ("pivoted-qr",),
                f"SRRQR is as accurate as qr (we ask for differences up to {NEAR})",
                lambda ours, other: abs(ours.mean - other.mean) <= NEAR,
            ),
            _pairs(
                runs, "strong-rrqr", ("approx-svd", "hybrid-css", "greedy", "partition-greedy"),
                "qr and SRRQR are less accurate than other deterministic and hybrid methods",
                lambda ours, other: ours.mean < other.mean,
            ),
        ]  # fmt: skip
    if "mnist_2k2k" in runs.rank and not runs.reduced:
        rank, pixels = runs.rank["mnist_2k2k"], 784
        found.append(Claim(
            "The rank of MNIST-4K is less than the number of pixels",
            verdict_of([rank < pixels]), f"rank {rank} of {pixels}",
        ))  # fmt: skip
    return tuple(found)


def time_claims(runs: Runs) -> tuple[Claim, ...]:
    """Compare what is claimed about times; the ratios are those at the largest size."""
    rivals = ("hybrid-css", "approx-svd")
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
            _most(wins),
            f"on {sum(wins)} of {len(wins)}; {_shown(ahead)} times as long as GreedyCSS",
        ),
        Claim(
            "The time of GreedyCSS grows less with the number of columns than those of HybridCSS "
            "and ApproxSVD on most data sets",
            _most(slower),
            f"on {sum(slower)} of {len(slower)}; from the fewest to the most columns times grow "
            f"by the factors {_shown(growth)}",
        ),
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
    ))  # fmt: skip
    documents = [data for data in _timed(runs) if data in DOCUMENTS]
    slow = {data: _ratios(runs, data, "greedy", ("pivoted-qr",)) for data in documents}
    if any(slow.values()):
        claims.append(Claim(
            "qr takes very long on documents compared with other methods",
            verdict_of([found["pivoted-qr"] > 1 for found in slow.values() if found]),
            f"{_shown(slow)} times as long as GreedyCSS; the thesis used MATLAB's qr, which makes "
            "them dense and goes on to the last column",
        ))  # fmt: skip
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
        ))  # fmt: skip
    return tuple(claims)


def _significant(ours: Summary, other: Summary) -> bool:
    return welch_p_value(ours, other) < SURE


def _pairs(
    runs: Runs,
    method: str,
    others: Iterable[str],
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
    return Claim(text, verdict_of(verdicts), "; ".join(parts))


def _groups(runs: Runs) -> list[dict[str, int]]:
    """Return the groups of the printed methods for each column of a table."""
    methods = list(TABLES["la1"])
    return [
        significance_groups(dict(zip(methods, values, strict=True)))
        for _, _, values in runs.shared(*methods)
    ]  # fmt: skip


def _leaders(runs: Runs) -> Claim:
    columns = _groups(runs)
    kept = [g["greedy"] == 1 and g["approx-svd"] == 2 for g in columns]
    return Claim(
        "GreedyCSS alone is in the best group of every column, ApproxSVD in the second",
        verdict_of(kept), f"{sum(kept)} of {len(kept)} columns",
    )  # fmt: skip


def _in_best_group(runs: Runs) -> Claim:
    columns = _groups(runs)
    kept = [all(m in ("greedy", "approx-svd") for m, n in g.items() if n == 1) for g in columns]
    return Claim(
        "The best group of every column has GreedyCSS or ApproxSVD or both, and no other",
        verdict_of(kept), f"{sum(kept)} of {len(kept)} columns",
    )  # fmt: skip


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


def _most(verdicts: Sequence[bool]) -> Verdict:
    """Return the verdict on a claim about most of some cases."""
    if not verdicts:
        return "not testable"
    return "confirmed" if sum(verdicts) > len(verdicts) / 2 else "not confirmed"


def _shown(ratios: dict[str, dict[str, float]]) -> str:
    return "; ".join(
        f"{DATA[data]}: " + ", ".join(f"{NAMES[m]} {value:.1f}" for m, value in found.items())
        for data, found in ratios.items() if found
    )  # fmt: skip
