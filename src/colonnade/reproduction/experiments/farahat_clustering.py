"""Farahat (2012), chapter 5: fast k-means and spectral clustering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

from ...comparison.ledger import Job
from ...comparison.pictured import Curve
from ..experiment import Experiment, Results, Study
from ..findings import Claim, Figure, Findings, mean_difference
from .farahat_clustering_claims import (
    MANY,
    Runs,
    best_claim,
    group_claim,
    kmeans_claims,
    spectral_claims,
)
from .farahat_clustering_printed import (
    DATA,
    TABLE_5_2,
    TABLE_5_3,
    TABLE_SIZES,
    TERMS,
    Rows,
)
from .farahat_clustering_runs import DOCUMENTS, EXACT, PRECISION, WHOLE, run

__all__ = ["EXPERIMENTS"]

KMEANS = {
    "data": "Data",
    "ssvd": "SSVD",
    "random": "RandCSS",
    "greedy": "PGreedyCSS",
    "hybrid-5": "PGreedyCSS-Hybrid-r=5",
    "hybrid-1": "PGreedyCSS-Hybrid-r=1",
}
SPECTRAL = {
    "nystrom": "NyströmSC",
    "lsc": "LSC",
    "greedy": "PGreedyNysSC",
    "hybrid-5": "PGreedyNysSC-Hybrid-r=5",
    "hybrid-1": "PGreedyNysSC-Hybrid-r=1",
    EXACT: "all similarities",
}
SIZELESS = ("data", EXACT)
"""What knows no size."""
IN_TABLE_5_2 = ("ssvd", "greedy", "hybrid-5")
IN_TABLE_5_3 = ("nystrom", "greedy", "hybrid-5")

SEEDS, SEEDS_WHERE_SLOW = 10, 5

NMI, ANY_LENGTH = "NMI in %", "NMI in %, rows of any length"
AXES = ("representatives", "NMI in %, or CPU seconds")

STUDY = Study("farahat-clustering", run)

PREPARED = (
    "Documents: words of five documents or more, tf · ln(n / df), rows of unit length; images: "
    "values from 0 to 1. NMI is normalized by the geometric mean. Means and deviations of 10 "
    "seeds, on MNIST-70K and for k-means on the data itself 5. k-means is Lloyd's algorithm from "
    "random rows, the best of five starts. Partition-based greedy with 10 random groups; hybrids "
    "choose among r · l · log l random points and see the sums of these alone."
)
SPECTRAL_SETTINGS = (
    f"{PREPARED} Algorithm 9, with the rows of the singular vectors divided by their lengths "
    "before k-means."
)
EXACT_SETTINGS = (
    "All similarities: the n × n matrix is formed, the leading eigenvectors of D^(−1/2) K D^(−1/2) "
    f"are found by ARPACK to {PRECISION:g} and clustered in the same way, with 5 seeds (not for "
    "MNIST-70K, whose matrix has 37 GiB)."
)
GAUSSIAN_SETTINGS = (
    "Similarities exp(−D_ij² / (2 s_i s_j)), s_i the mean distance of point i from 1000 random "
    "ones."
)


def jobs_of(
    clustering: str, methods: Sequence[str], sets: Sequence[str]
) -> Callable[[bool], list[Job]]:
    """Return the jobs of some methods and data sets, in the form that an experiment takes."""

    def jobs(quick: bool) -> list[Job]:
        found: list[Job] = []
        for data in ("tdt2", "mnist") if quick else sets:
            for method in methods:
                if method == EXACT and data == "mnist" and not quick:
                    continue
                seeds = SEEDS_WHERE_SLOW if data == "mnist" or method in SIZELESS else SEEDS
                found.append({
                    "data": data,
                    "clustering": clustering,
                    "method": method,
                    "sizes": [30, 70] if quick else list(TABLE_SIZES),
                    "seeds": list(range(2 if quick else seeds)),
                    "rows": 1500 if quick else None,
                })  # fmt: skip
        return found

    return jobs


def report_table_5_2(results: Results) -> Findings:
    """Compare k-means in few dimensions with what is printed."""
    runs = Runs.of(results, "k-means")
    figures = _table(runs, TABLE_5_2, {m: KMEANS[m] for m in IN_TABLE_5_2}, "nmi", NMI)
    notes = [
        _distance("The figures", figures),
        *_terms(results),
        "Lloyd's algorithm starts from random rows, as MATLAB's did at the time, not as k-means++ "
        "does.",
    ]
    return Findings(
        figures,
        (
            group_claim(runs, TABLE_5_2),
            best_claim(
                runs, "greedy", IN_TABLE_5_2, {"tdt2": MANY, "mnist": 70},
                f"PGreedyCSS is in the best group, with the SVD, on TDT2-30 from {MANY} rows on "
                "and on MNIST-70K from 70 on",
            ),
        ),
        notes=tuple(notes),
        digits=2,
    )  # fmt: skip


def report_table_5_3(results: Results) -> Findings:
    """Compare spectral clustering from few representatives with what is printed."""
    runs = Runs.of(results, "linear")
    rows = {m: SPECTRAL[m] for m in IN_TABLE_5_3}
    figures = _table(runs, TABLE_5_3, rows, "nmi", NMI)
    other = _table(runs, TABLE_5_3, rows, "nmi_any", ANY_LENGTH)
    notes = [
        _distance("Rows of unit length", figures),
        _distance("Rows of any length", other),
        *_terms(results),
        "Algorithm 9 as it is printed leaves the rows of the singular vectors as they are; Chen et "
        "al., whose program the document names for NyströmSC, divide them by their lengths.",
        "The document does not say of which kernel the table is; these are inner products. The "
        "notes of Figure 5.3 tell how far the Gaussian is from it.",
    ]
    return Findings(
        figures + other,
        (
            group_claim(runs, TABLE_5_3),
            best_claim(
                runs, "greedy", IN_TABLE_5_3, dict.fromkeys(DOCUMENTS, 30),
                "PGreedyNysSC is in the best group for documents, whatever the size",
            ),
            best_claim(
                runs, "nystrom", IN_TABLE_5_3, dict.fromkeys(DOCUMENTS, 30),
                "NyströmSC is not in the best group for documents, whatever the size", is_in=False,
            ),
        ),
        notes=tuple(notes),
        digits=2,
    )  # fmt: skip


def report_figure_5_1(results: Results) -> Findings:
    """Show k-means in few dimensions, and what it takes."""
    runs = Runs.of(results, "k-means")
    figures = _table(runs, TABLE_5_2, KMEANS, "nmi", NMI)
    return _pictured(runs, figures, KMEANS, kmeans_claims(runs, KMEANS))


def report_figure_5_2(results: Results) -> Findings:
    """Show spectral clustering by inner products, and what it takes."""
    runs = Runs.of(results, "linear")
    figures = _table(runs, TABLE_5_3, SPECTRAL, "nmi", NMI)
    return _pictured(runs, figures, SPECTRAL, spectral_claims(runs, SPECTRAL))


def report_figure_5_3(results: Results) -> Findings:
    """Show spectral clustering by Gaussians, and what it takes."""
    runs = Runs.of(results, "gaussian")
    beside = _table(runs, TABLE_5_3, {m: SPECTRAL[m] for m in IN_TABLE_5_3}, "nmi", NMI)
    notes = (
        "The document prints the widths as sums of distances; with these all similarities would "
        "be 1 but for terms of 1/n², so they are means here.",
        "The document does not say of which kernel Table 5.3 is. "
        + _distance("The figures of these similarities", beside)
        + " The notes of Table 5.3 say how far those of inner products are from it.",
        "Partition-based greedy selection sums all similarities over random groups; that is done "
        "once for all seeds, and its time counts in full for each.",
    )
    return _pictured(
        runs, _table(runs, {}, SPECTRAL, "nmi", NMI), SPECTRAL, spectral_claims(runs, SPECTRAL),
        notes,
    )  # fmt: skip


def _table(
    runs: Runs, printed: dict[str, Rows], rows: dict[str, str], measure: str, name: str
) -> tuple[Figure, ...]:
    """Return the figures of the sizes of the tables, for data that is there or printed."""
    there = runs.data()
    figures = []
    for data, group in DATA.items():
        if data not in there and data not in printed:
            continue
        for method, row in rows.items():
            values = printed.get(data, {}).get(method)
            if method in SIZELESS:
                ours = runs.summary(data, method, WHOLE, measure)
                if ours is not None or method != EXACT:
                    figures.append(Figure(group, row, "all", ours, measure=name))
                continue
            for place, size in enumerate(TABLE_SIZES):
                mean, deviation = (None, None) if values is None else values[place]
                ours = runs.summary(data, method, size, measure)
                if ours is not None or mean is not None:
                    figures.append(
                        Figure(group, row, f"l = {size}", ours, mean, deviation, name)
                    )  # fmt: skip
    return tuple(figures)


def _pictured(
    runs: Runs,
    figures: tuple[Figure, ...],
    names: dict[str, str],
    claims: tuple[Claim, ...],
    notes: tuple[str, ...] = (),
) -> Findings:
    """Return findings with two panels of curves for each data set: NMI and CPU seconds."""
    curves = []
    for data in runs.data():
        sizes = runs.sizes(data)
        ends = (sizes[0], sizes[-1])
        for part in ("", ", CPU seconds"):
            for method, label in names.items():
                if method in SIZELESS and runs.summary(data, method, WHOLE, "nmi") is None:
                    continue
                # what knows no size is a level line
                places = [WHOLE, WHOLE] if method in SIZELESS else sizes
                found = [runs.summary(data, method, place, "nmi") for place in places]
                y = [runs.seconds(data, method, place) for place in places]
                if not part:
                    y = [nan if one is None else one.mean for one in found]
                spread = [] if part else [0.0 if one is None else one.deviation for one in found]
                x = ends if method in SIZELESS else sizes
                curves.append(Curve(DATA[data] + part, label, tuple(x), tuple(y), tuple(spread)))
    notes = (
        *notes,
        "Times are CPU seconds on one core of this machine, of the embedding and of k-means with "
        "its five starts. Ratios alone can be compared with the document, and these depend on "
        "programs more than NMI does: SSVD, NyströmSC and LSC are few large products of matrices "
        "here, where representatives are chosen one after the other. Beside other work times vary "
        "by a quarter or so.",
        *_absent(runs),
    )
    return Findings(figures, claims, tuple(curves), AXES, notes, digits=2)


def _distance(what: str, figures: Sequence[Figure]) -> str:
    """Say how far figures are from what is printed."""
    compared = [f for f in figures if f.difference is not None]
    near = sum(abs(f.difference or 0.0) <= 2 * (f.printed_deviation or 0.0) for f in compared)
    return (
        f"{what} differ by {mean_difference(figures):.2f} points on average from what is printed, "
        f"{near} of {len(compared)} by at most two of the printed deviations."
    )


def _terms(results: Results) -> list[str]:
    """Say how many words of documents are in five of them at least."""
    found = {
        DATA[job["data"]]: f"{outcome['columns']:,}"
        for job, outcome in results
        if job["data"] in DOCUMENTS and job["rows"] is None
    }
    told = ", ".join(f"{name} {count}" for name, count in found.items())
    printed = ", ".join(f"{DATA[data]} {count:,}" for data, count in TERMS.items())
    return [f"Words of five documents or more: {told} (Table 5.1: {printed})."] if found else []


def _absent(runs: Runs) -> list[str]:
    """Say what stands in for PIE-68 where that is missing."""
    there = runs.data()
    if "pie_68" in there or "pie_pose27" not in there:
        return []
    return [
        "PIE-68 (11,554 images of 64 × 64) was not there. PIE, pose 27, a quarter of it at half "
        "the resolution (2,856 images of 32 × 32), takes part in the claims about images; its "
        "figures cannot be compared with those of PIE-68."
    ]


def _experiment(
    place: str,
    title: str,
    clustering: str,
    methods: Sequence[str],
    report: Callable[[Results], Findings],
    settings: str,
    minutes: float,
) -> Experiment:
    return Experiment(
        f"farahat-2012-{place}", title, STUDY,
        jobs_of(clustering, methods, tuple(TABLE_5_2 if place.startswith("table") else DATA)),
        report, settings, minutes,
    )  # fmt: skip


EXPERIMENTS: tuple[Experiment, ...] = (
    _experiment(
        "table-5.2", "NMI of k-means in the span of few rows, and of few singular vectors",
        "k-means", IN_TABLE_5_2, report_table_5_2, PREPARED, 6,
    ),
    _experiment(
        "table-5.3", "NMI of spectral clustering from few columns of the similarities",
        "linear", IN_TABLE_5_3, report_table_5_3, SPECTRAL_SETTINGS, 3,
    ),
    _experiment(
        "figure-5.1", "NMI and times of k-means in few dimensions",
        "k-means", tuple(KMEANS), report_figure_5_1, PREPARED, 10,
    ),
    _experiment(
        "figure-5.2", "NMI and times of fast spectral clustering, by inner products",
        "linear", tuple(SPECTRAL), report_figure_5_2, f"{SPECTRAL_SETTINGS} {EXACT_SETTINGS}", 7,
    ),
    _experiment(
        "figure-5.3", "NMI and times of fast spectral clustering, by self-tuning Gaussians",
        "gaussian", tuple(SPECTRAL), report_figure_5_3,
        f"{SPECTRAL_SETTINGS} {EXACT_SETTINGS} {GAUSSIAN_SETTINGS}", 10,
    ),
)  # fmt: skip
