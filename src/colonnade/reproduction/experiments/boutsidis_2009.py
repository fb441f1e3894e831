"""Boutsidis, Mahoney & Drineas (2009): leverage scores choose features for k-means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ... import datasets, metrics
from ...barriers.draws import leverage as leverage_scores
from ...comparison.ledger import Job, Outcome
from ...comparison.pictured import Curve
from ...comparison.significance import Summary, welch_p_value
from ...foundation.typing import Floats
from ...linalg.svd import right_singular_vectors
from ...operands.entrance import wrapped
from ...operands.statistics import moments
from ..experiment import SIGNIFICANT, Experiment, Results, Study
from ..findings import Cells, Claim, Figure, Findings, verdict_of
from .chosen_features import ALL, N_STARTS, choose, clusters_of, columns_of, points

__all__ = ["EXPERIMENTS"]

NIPS, GENES = "nips_184x6314", "sarcoma_stt"
CALLED = {NIPS: "NIPS documents, k = 3", GENES: "genes of soft tissue tumours, k = 3"}
K = 3
FACTORS = (5, 10, 20)
REPEATS = 30
METHODS = ("leverage", "uniform", "leverage-top", ALL)
DRAWN = ("leverage", "uniform")
ACCURACY, OBJECTIVE = "P: accuracy", "F: objective on all columns, of the squared norm"
PRINTED = {(GENES, "leverage", 20, ACCURACY): 1.0}
"""What the text says in words of the table, whose figures it has lost."""
NAMED_TERMS = ("ruyter", "hand", "information", "code")
LARGEST = 10 * K


def run(job: Job) -> Outcome:
    """Cluster what a method draws, as often as asked; or look at the scores of all columns."""
    X, y, k = points(job["data"])
    if job["method"] == "scores":
        return _scores(job["data"], X, y, k)
    size = k * int(job["factor"])
    in_full = clusters_of(X, k, 0)
    found: dict[str, list[float]] = {"P": [], "F": [], "same": []}
    for repeat in range(job["repeats"]):
        seed = int(job["repeats"]) * int(job["seed"]) + repeat
        labels = clusters_of(columns_of(X, job["method"], size, k, seed), k, seed)
        found["P"].append(metrics.matched_accuracy(y, labels))
        found["F"].append(metrics.normalized_objective(X, labels))
        found["same"].append(metrics.matched_accuracy(in_full, labels))
    return found


def _scores(name: str, X: Any, y: Any, k: int) -> Outcome:
    """Return scores, what they say on classes, and the columns that one run draws."""
    _, V = right_singular_vectors(wrapped(X), k)
    scores = leverage_scores(V)
    order = np.argsort(-scores, kind="stable")
    names = datasets.load(name).feature_names or [""] * len(order)
    ranks = np.unique(np.geomspace(1, len(order), 150).astype(int))
    drawn = choose(X, "leverage", 10 * k, k).indices
    places = np.argsort(order)
    about = _between(X, y)
    rest = about[order[LARGEST:]]
    return {
        "rank": ranks.tolist(),
        "score": scores[order[ranks - 1]].tolist(),
        "drawn_rank": sorted((1 + places[drawn]).tolist()),
        "drawn_score": np.sort(scores[drawn])[::-1].tolist(),
        "drawn_names": [names[i] for i in drawn[np.argsort(places[drawn])]],
        "largest_names": [names[i] for i in order[:LARGEST]],
        "between_largest": about[order[:LARGEST]].tolist(),
        "between_drawn": about[drawn].tolist(),
        "between_rest": [float(rest.mean()), float(rest.std(ddof=1)), len(rest)],
    }


def _between(X: Any, y: Any) -> Floats:
    """Return the share of each column's variance that is between the classes; 0 if it has none."""
    A = wrapped(X)
    codes = np.unique(y, return_inverse=True)[1]
    mean, spread = moments(A, np.ones(len(codes)))
    sizes: Floats = np.bincount(codes).astype(np.float64)
    means = A.group_sums(codes, len(sizes)) / sizes[:, None]
    between: Floats = sizes @ np.square(means - mean)
    return np.divide(between, spread, out=np.zeros_like(between), where=spread > 0)


def table_jobs(quick: bool) -> list[Job]:
    """Return the runs of Table 1; methods that draw nothing differ by k-means alone."""
    seeds, repeats = (2, 5) if quick else (20, REPEATS)
    return [
        {"data": data, "method": method, "factor": factor, "seed": seed, "repeats": repeats}
        for data in (NIPS, GENES)
        for method in METHODS
        for factor in (FACTORS if method != ALL else (0,))
        for seed in (range(seeds) if method in DRAWN else range(1))
    ]


def figure_jobs(quick: bool) -> list[Job]:
    """Return the runs of Figure 1."""
    return [{"data": data, "method": "scores"} for data in (NIPS, GENES)]


def report_table(results: Results) -> Findings:
    """Return Table 1, best of the repeats by the objective, and what single draws give."""
    cells = Cells()
    for job, outcome in results:
        best = int(np.argmin(outcome["F"]))
        place = (job["data"], job["method"], job["factor"])
        for key in ("P", "F", "same"):
            cells.add(*place, key, value=outcome[key][best])
            for value in outcome[key]:
                cells.add(*place, f"single {key}", value=value)
    found = [data for data in CALLED if (data, ALL, 0, "P") in cells.values]
    return Findings(
        figures=tuple(figure for data in found for figure in _rows(cells, data)),
        claims=(*_claims(cells, max(job["repeats"] for job, _ in results)), _documents(cells)),
        notes=(
            "The figures of the printed table are lost in the text that was at hand; it says in "
            "words that 10 k draws were almost perfect for the genes, and 20 k perfect.",
            "The rows for uniform sampling, the largest scores and single draws are not in the "
            "document.",
            *(_differences(cells, data) for data in found),
        ),
        smaller=(OBJECTIVE,),
    )


def _rows(cells: Cells, data: str) -> Iterator[Figure]:
    for key, measure in (("P", ACCURACY), ("F", OBJECTIVE)):
        for method in METHODS:
            for prefix in ("", "single ") if method in DRAWN else ("",):
                row = f"{method}, single draws" if prefix else method
                for factor in FACTORS:
                    place = (data, method, 0 if method == ALL else factor, prefix + key)
                    printed = None if prefix else PRINTED.get((data, method, factor, measure))
                    ours = cells.summary(*place)
                    yield Figure(
                        CALLED[data], row, f"r = {factor}k", ours, printed, measure=measure
                    )


def _claims(cells: Cells, repeats: int) -> Iterator[Claim]:
    tenfold, twentyfold = (cells.values.get((GENES, "leverage", f, "P"), []) for f in (10, 20))
    yield Claim(
        "With r = 10k draws k-means puts almost all tumours where they belong (here: all but at "
        "most one, each time)",
        verdict_of([p >= 30 / 31 - 1e-9 for p in tenfold]),
        f"P = {min(tenfold, default=np.nan):.3f} to {max(tenfold, default=np.nan):.3f} in "
        f"{len(tenfold)} experiments",
    )
    yield Claim(
        "With r = 20k draws it puts all of them there",
        verdict_of([p == 1.0 for p in twentyfold]),
        f"P = 1 in {sum(p == 1.0 for p in twentyfold)} of {len(twentyfold)} experiments",
    )
    same = cells.values.get((GENES, "leverage", 10, "same"), [])
    yield Claim(
        "A small set of columns suffices to find nearly the partition that all columns give "
        "(here: all but at most one row, with r = 10k)",
        verdict_of([s >= 30 / 31 - 1e-9 for s in same]),
        f"on average {100 * cells.mean(GENES, 'leverage', 10, 'same'):.1f} % of the rows are in "
        "the same cluster",
    )
    pairs = [_compared(cells, GENES, 10, key) for key in ("F", "P")]
    yield Claim(
        "Columns should be drawn by leverage scores: at r = 10k the best of 30 uniform draws is "
        "worse (which is why the method is used; the document does not compare)",
        verdict_of([p < SIGNIFICANT for _, p in pairs if not np.isnan(p)]),
        "; ".join(text for text, _ in pairs),
    ).without([f"{REPEATS} draws ({repeats} here)"] * (repeats < REPEATS))


def _compared(cells: Cells, data: str, factor: int, key: str) -> tuple[str, float]:
    """Return how leverage compares with uniform sampling, and how likely that is by chance."""
    pair = [cells.summary(data, method, factor, key) for method in DRAWN]
    if None in pair:
        return "", float("nan")
    leverage, uniform = (s or Summary.of([]) for s in pair)
    better = (leverage, uniform) if key.endswith("P") else (uniform, leverage)
    p = welch_p_value(*better)
    digits = 3 if key.endswith("P") else 4
    text = (
        f"{key} = {leverage.mean:.{digits}f} by leverage, {uniform.mean:.{digits}f} uniformly "
        f"(p = {p:.2g})"
    )
    return text, p


def _differences(cells: Cells, data: str) -> str:
    told = [
        f"r = {factor}k: {_compared(cells, data, factor, key)[0]}"
        for factor in FACTORS
        for key in ("P", "F", "single F")
    ]
    return (
        f"Leverage beside uniform sampling, {CALLED[data]} (best of the repeats; single F: every "
        f"draw for itself; p by Welch's one-tailed test that leverage is better): {'; '.join(told)}"
    )


def _documents(cells: Cells) -> Claim:
    text = "For the documents as well a small set of columns nearly gives the partition of all"
    same = cells.values.get((NIPS, "leverage", 10, "same"))
    if same is None:
        return Claim(text, "not testable", "the 184 × 6314 matrix of terms cannot be had any more")
    return Claim(
        text, verdict_of([s >= 0.95 for s in same]), f"{100 * np.mean(same):.1f} % of the rows"
    )


def report_figure(results: Results) -> Findings:
    """Return Figure 1: the scores in falling order, and the columns that were drawn."""
    by_data = {job["data"]: outcome for job, outcome in results}
    curves = []
    for data, outcome in by_data.items():
        for label, x, y in (
            ("all columns", "rank", "score"), ("drawn with r = 10k", "drawn_rank", "drawn_score"),
        ):  # fmt: skip
            curves.append(Curve(CALLED[data], label, tuple(outcome[x]), tuple(outcome[y])))
    notes = [_named(CALLED[data], outcome) for data, outcome in by_data.items()]
    return Findings(
        claims=(_terms(by_data.get(NIPS)), _tell(by_data.get(GENES))),
        curves=tuple(curves),
        axes=("rank of the column by its score", "leverage score, the sum is 1"),
        notes=(
            "The printed figure is of the documents. Of the genes that were drawn the text that "
            "was at hand names none.",
            *notes,
        ),
    )


def _named(title: str, outcome: Outcome) -> str:
    def told(names: Sequence[str]) -> str:
        return ", ".join(name if name not in ("", "nan") else "(no name)" for name in names)

    return (
        f"{title}: largest scores {told(outcome['largest_names'][:10])}; drawn with r = 10k "
        f"(seed 0, from the largest score on) {told(outcome['drawn_names'])}."
    )


def _terms(outcome: Outcome | None) -> Claim:
    text = (
        "Terms of the largest leverage scores tell topics apart: ruyter, hand, information and "
        "code are among them"
    )
    if outcome is None:
        return Claim(text, "not testable", "the 184 × 6314 matrix of terms cannot be had any more")
    there = [term for term in NAMED_TERMS if term in outcome["largest_names"]]
    return Claim(
        text,
        verdict_of([term in there for term in NAMED_TERMS]),
        f"among the {LARGEST} largest: {', '.join(there) or 'none'}",
    )


def _tell(outcome: Outcome | None) -> Claim:
    text = (
        f"The same of the genes: the {LARGEST} of largest leverage tell the tumours apart better "
        "than others (share of their variance between the classes)"
    )
    if outcome is None:
        return Claim(text, "not testable", "the data is not there")
    largest, rest = Summary.of(outcome["between_largest"]), Summary(*outcome["between_rest"])
    drawn = Summary.of(outcome["between_drawn"])
    p = welch_p_value(largest, rest)
    return Claim(
        text,
        verdict_of([p < SIGNIFICANT]),
        f"{largest.mean:.2f}, of those drawn with r = 10k {drawn.mean:.2f}, of all others "
        f"{rest.mean:.2f} (p = {p:.1g})",
    )


STUDY = Study("boutsidis-2009", run)
HOW = (
    "Data as they are, neither centred nor scaled. Scores from the leading k = 3 right singular "
    f"vectors; k-means from {N_STARTS} starts on what was drawn."
)
EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "boutsidis-2009-table-1",
        "k-means on columns drawn by leverage scores",
        STUDY,
        table_jobs,
        report_table,
        f"{HOW} {REPEATS} draws, of which the partition of the least objective on all columns "
        "counts, as in the document; that 20 times, with other seeds.",
        0.5,
    ),
    Experiment(
        "boutsidis-2009-figure-1",
        "leverage scores of all columns, and which are drawn",
        STUDY,
        figure_jobs,
        report_figure,
        HOW,
        0.1,
    ),
)
