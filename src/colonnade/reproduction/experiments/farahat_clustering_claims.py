"""What Farahat (2012), chapter 5, says about clusters from few representatives, and if it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan

from ...comparison.significance import Summary, significance_groups
from ..experiment import Results
from ..findings import Case, Cells, Claim, absent, verdict_of
from .farahat_clustering_printed import DATA, PRINTED_RUNS, TABLE_SIZES, Rows
from .farahat_clustering_runs import DOCUMENTS, EXACT, WHOLE

__all__ = ["MANY", "Runs", "best_claim", "group_claim", "kmeans_claims", "spectral_claims"]

COMPARABLE = 2.0
"""Methods whose NMI differs by so many points at most are called comparable."""
ALIKE = 2.0
"""Times of which one is at most so many times the other are called comparable."""
MUCH = 3.0
"""What takes so many times as long takes much longer."""
MANY = 110
"""From how many representatives on there are many of them."""

HYBRIDS = ("hybrid-5", "hybrid-1")

IMAGES = ("mnist", "pie_68")
NAMED = (*DOCUMENTS, *IMAGES)
"""The data sets of the chapter; the part of PIE that is easily had is none of them."""


@dataclass(frozen=True)
class Runs:
    """Outcomes of one kind of clustering, by data set, method and size."""

    cells: Cells
    clustering: str

    @classmethod
    def of(cls, results: Results, clustering: str) -> Runs:
        """Gather outcomes; other kinds of clustering are left out."""
        cells = Cells()
        for job, outcome in results:
            if job["clustering"] != clustering:
                continue
            for measure in ("nmi", "nmi_any", "embedding_seconds", "kmeans_seconds"):
                for size, values in outcome.get(measure, {}).items():
                    size = size if size == WHOLE else int(size)
                    for value in values:
                        cells.add(measure, job["data"], job["method"], size, value=value)
        return cls(cells, clustering)

    def data(self, documents: bool | None = None) -> list[str]:
        """Return the data sets: all, or the documents, or the images."""
        found = dict.fromkeys(place[1] for place in self.cells.values)
        return [name for name in found if documents is None or (name in DOCUMENTS) == documents]

    def sizes(self, data: str) -> list[int]:
        """Return for how many representatives there are outcomes."""
        places = (place for place in self.cells.values if place[1] == data)
        return sorted({place[3] for place in places if place[3] != WHOLE})

    def summary(self, data: str, method: str, size: int | str, measure: str) -> Summary | None:
        """Return what the seeds gave."""
        return self.cells.summary(measure, data, method, size)

    def nmi(self, data: str, method: str, size: int | str) -> float:
        """Return the mean NMI in per cent."""
        return self.cells.mean("nmi", data, method, size)

    def seconds(self, data: str, method: str, size: int | str) -> float:
        """Return the mean CPU seconds of embedding and k-means."""
        parts = ("embedding_seconds", "kmeans_seconds")
        return sum(self.cells.mean(part, data, method, size) for part in parts)

    def differences(self, first: str, second: str, data: Iterable[str]) -> list[float]:
        """Return by how much the NMI of one method is above that of another, size by size."""
        return self._pairs(data, lambda d, n: self.nmi(d, first, n) - self.nmi(d, second, n))

    def ratios(self, first: str, second: str, data: Iterable[str]) -> list[float]:
        """Return how many times as long one method takes as another, size by size."""
        return self._pairs(
            data, lambda d, n: self.seconds(d, first, n) / self.seconds(d, second, n)
        )

    def missing(self, data: Sequence[str], sizes: Sequence[int] = TABLE_SIZES) -> list[str]:
        """Return in words which of some data sets, and of some sizes there, were not run."""
        there = self.data()
        told = absent(_cases(data), _cases(there))
        lacking: dict[str, list[str]] = {}
        for name in data:
            own = [str(size) for size in sizes if name in there and size not in self.sizes(name)]
            if own:
                lacking.setdefault(", ".join(own), []).append(DATA[name])
        return told + [f"l = {n} on {', '.join(names)} (not run)" for n, names in lacking.items()]

    def _pairs(self, data: Iterable[str], value: Callable[[str, int], float]) -> list[float]:
        found = [value(d, size) for d in data for size in self.sizes(d)]
        return [one for one in found if not isnan(one)]


def _cases(data: Iterable[str]) -> list[Case]:
    return [(DATA[name], "", "") for name in data]


def kmeans_claims(runs: Runs, names: dict[str, str]) -> tuple[Claim, ...]:
    """Return what became of the claims about Figure 5.1."""
    every = runs.data()
    others = ("random", "greedy", *HYBRIDS)
    svd = {method: runs.differences("ssvd", method, every) for method in others}
    whole = _against_whole(runs, "ssvd", every)
    greedy = _against_whole(runs, "greedy", every)
    longer = {d: _growth(runs, "ssvd", "random", d) for d in every}
    saved = _saved(runs, "greedy", every)
    everywhere = (
        Claim(
            "A stochastic SVD gives better clusters than all choices of rows",
            verdict_of([gap > 0 for gaps in svd.values() for gap in gaps]),
            _spans(svd, names),
        ),
        Claim(
            "A stochastic SVD comes near k-means on the data itself "
            f"(at most {COMPARABLE:g} points below)",
            verdict_of([gap >= -COMPARABLE for gap in whole]),
            f"{_span(whole)} points",
        ),
        Claim(
            "A stochastic SVD takes much longer than the others, the more so the more dimensions "
            f"(more than {MUCH:g} times as long as random rows at the largest size)",
            verdict_of([end > MUCH and end > start for start, end in longer.values()]),
            "; ".join(f"{DATA[d]}: {a:.1f} to {b:.1f} times" for d, (a, b) in longer.items())
            + f"; the embedding alone: {_span(_alone(runs, 'ssvd', 'random'), '')} times",
        ),
        _times_alike(runs, "random", "random rows", names),
        _trade_off(runs),
        _like_exact("Chosen rows", "k-means on the data", every, greedy, saved, names["greedy"]),
    )  # fmt: skip
    missing = runs.missing(NAMED)
    return (
        *_against_chance(runs, "random", names),
        *(claim.without(missing) for claim in everywhere),
    )


def spectral_claims(runs: Runs, names: dict[str, str]) -> tuple[Claim, ...]:
    """Return what became of the claims about Figures 5.2 and 5.3."""
    every = runs.data()
    better = ("nystrom", "greedy", *HYBRIDS)
    usual: list[float] = []
    many: list[float] = []
    for d in every:
        for size in runs.sizes(d):
            least = min(runs.nmi(d, method, size) for method in better)
            gap = runs.nmi(d, "lsc", size) - least
            (many if d == "mnist" and size >= MANY else usual).append(gap)
    times = {method: runs.ratios("lsc", method, every) for method in better}
    exact = [
        d for d in every
        if runs.sizes(d)
        and not isnan(runs.nmi(d, EXACT, WHOLE) + runs.nmi(d, "greedy", runs.sizes(d)[-1]))
    ]  # fmt: skip
    gaps = _against_whole(runs, "greedy", exact, EXACT)
    saved = _saved(runs, "greedy", exact, EXACT)
    everywhere = (
        _times_alike(runs, "nystrom", names["nystrom"], names),
        _trade_off(runs),
        Claim(
            f"LSC is worse than all others, but for MNIST-70K with many columns (from {MANY} on)",
            verdict_of([*(gap < 0 for gap in usual), *(gap >= 0 for gap in many)]),
            f"less the least of the others: {_span(usual)} points; MNIST with many: {_span(many)}",
        ),
        Claim(
            "LSC takes longer than the Nyström methods",
            verdict_of([ratio > 1 for ratios in times.values() for ratio in ratios]),
            _spans(times, names, sign="", digits=2) + " (times as long)",
        ),
        _like_exact("Few columns of the similarities", "all similarities", exact, gaps, saved,
                    names["greedy"]),
    )  # fmt: skip
    missing = runs.missing(NAMED)
    unformed = [f"all similarities of {DATA[d]} (not run)" for d in every if d not in exact]
    return (
        *_against_chance(runs, "nystrom", names),
        *(claim.without(missing) for claim in everywhere[:-1]),
        everywhere[-1].without([*missing, *unformed]),
    )


def group_claim(runs: Runs, printed: dict[str, Rows]) -> Claim:
    """Return whether methods fall into the groups of significance that are printed."""
    same = []
    for data in runs.data():
        rows = printed.get(data, {})
        for place, size in enumerate(TABLE_SIZES):
            ours = _groups(runs, data, list(rows), size)
            theirs = significance_groups(
                {method: Summary(*values[place], PRINTED_RUNS) for method, values in rows.items()}
            )
            same += [ours[method] == theirs[method] for method in ours]
    return Claim(
        "Methods fall into the groups of significance that the printed means and deviations give",
        verdict_of(same),
        f"{sum(same)} of {len(same)} places",
    ).without(runs.missing(tuple(printed)))


def best_claim(
    runs: Runs,
    method: str,
    methods: Sequence[str],
    smallest: dict[str, int],
    text: str,
    *,
    is_in: bool = True,
) -> Claim:
    """Return whether a method is in the best group of some, or whether it is not.

    Parameters
    ----------
    runs : Runs
        The outcomes.
    method : str
        Which method.
    methods : sequence of str
        Those that are compared.
    smallest : dict of str to int
        Data sets, and from which size on.
    text : str
        The claim.
    is_in : bool
        What is claimed.
    """
    found = []
    for data, least in smallest.items():
        for size in TABLE_SIZES:
            groups = _groups(runs, data, methods, size)
            if size >= least and method in groups:
                found.append(groups[method] == 1)
    return Claim(
        text,
        verdict_of([one == is_in for one in found]),
        f"in the best group at {sum(found)} of {len(found)} places",
    ).without(
        told
        for data, least in smallest.items()
        for told in runs.missing([data], [size for size in TABLE_SIZES if size >= least])
    )


def _groups(runs: Runs, data: str, methods: Sequence[str], size: int) -> dict[str, int]:
    """Return the groups of significance of some methods, none if one was not run."""
    found = {method: runs.summary(data, method, size, "nmi") for method in methods}
    ours = {method: one for method, one in found.items() if one is not None}
    return significance_groups(ours) if len(ours) == len(found) else {}


def _against_chance(runs: Runs, chance: str, names: dict[str, str]) -> tuple[Claim, Claim]:
    """Compare with random columns: better for documents, comparable for images."""
    ways = ("greedy", *HYBRIDS)
    texts = {way: runs.differences(way, chance, runs.data(True)) for way in ways}
    images = {way: runs.differences(way, chance, runs.data(False)) for way in ways}
    return (
        Claim(
            f"Greedy choices give better clusters of documents than {names[chance]}",
            verdict_of([gap > 0 for gaps in texts.values() for gap in gaps]),
            _spans(texts, names),
        ).without(runs.missing(DOCUMENTS)),
        Claim(
            f"For images, of few features, they are comparable to {names[chance]} "
            f"(differences of at most {COMPARABLE:g} points)",
            verdict_of([abs(gap) <= COMPARABLE for gaps in images.values() for gap in gaps]),
            _spans(images, names),
        ).without(runs.missing(IMAGES)),
    )


def _times_alike(runs: Runs, other: str, called: str, names: dict[str, str]) -> Claim:
    ratios = {way: runs.ratios(way, other, runs.data()) for way in HYBRIDS}
    return Claim(
        f"The hybrids take about as long as {called} (at most {ALIKE:g} times)",
        verdict_of([ratio <= ALIKE for found in ratios.values() for ratio in found]),
        _spans(ratios, names, sign="", digits=2) + " (times as long)",
    )


def _trade_off(runs: Runs) -> Claim:
    every = runs.data()
    gaps, ratios = (
        compared("hybrid-5", "hybrid-1", every) for compared in (runs.differences, runs.ratios)
    )
    return Claim(
        "More candidates (r = 5 in place of 1) give better clusters and take longer",
        verdict_of([gap > 0 and ratio > 1 for gap, ratio in zip(gaps, ratios, strict=True)]),
        f"{sum(gap > 0 for gap in gaps)} of {len(gaps)} better, {_span(gaps)} points; "
        f"{_span(ratios, '', 2)} times as long",
    )


def _like_exact(
    what: str,
    exact: str,
    data: Sequence[str],
    gaps: Sequence[float],
    saved: Sequence[float],
    name: str,
) -> Claim:
    """Return whether something is nearly as good as the exact algorithm, and much faster."""
    both = list(zip(gaps, saved, strict=True))
    return Claim(
        f"{what} give clusters comparable to those of {exact}, in much less time ({name}, largest "
        f"size: at most {COMPARABLE:g} points below, {MUCH:g} times as fast)",
        verdict_of([gap >= -COMPARABLE and ratio > MUCH for gap, ratio in both]),
        "; ".join(
            f"{DATA[d]}: {gap:+.1f} points, {ratio:.1f} times as fast"
            for d, (gap, ratio) in zip(data, both, strict=True)
        ),
    )


def _against_whole(
    runs: Runs, method: str, data: Sequence[str], exact: str = "data"
) -> list[float]:
    """Return by how much the NMI at the largest size is above that without representatives."""
    return [runs.nmi(d, method, runs.sizes(d)[-1]) - runs.nmi(d, exact, WHOLE) for d in data]


def _saved(runs: Runs, method: str, data: Sequence[str], exact: str = "data") -> list[float]:
    """Return how many times as long it takes without representatives, at the largest size."""
    return [
        runs.seconds(d, exact, WHOLE) / runs.seconds(d, method, runs.sizes(d)[-1]) for d in data
    ]


def _growth(runs: Runs, first: str, second: str, data: str) -> tuple[float, float]:
    """Return how many times as long one method takes, at the smallest and the largest size."""
    ratios = runs.ratios(first, second, [data])
    return ratios[0], ratios[-1]


def _alone(runs: Runs, first: str, second: str) -> list[float]:
    """Return how many times as long the embedding by one method takes, without k-means."""
    part = "embedding_seconds"
    return [
        runs.cells.mean(part, d, first, n) / runs.cells.mean(part, d, second, n)
        for d in runs.data()
        for n in runs.sizes(d)
    ]


def _spans(
    values: dict[str, list[float]], names: dict[str, str], sign: str = "+", digits: int = 1
) -> str:
    return "; ".join(
        f"{names[method]}: {_span(found, sign, digits)}" for method, found in values.items()
    )


def _span(values: Sequence[float], sign: str = "+", digits: int = 1) -> str:
    if not values:
        return "none"
    mean = sum(values) / len(values)
    low, high, middle = (f"{v:{sign}.{digits}f}" for v in (min(values), max(values), mean))
    return f"{low} to {high}, mean {middle}"
