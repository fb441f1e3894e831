"""Boutsidis & Magdon-Ismail (2013): what theorems promise, and what is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ... import metrics
from ...certificates import certify
from ...comparison.ledger import Job, Outcome
from ...comparison.pictured import Curve
from ...foundation.typing import Indices
from ...registry import METHODS
from ...selection import Selection
from ..experiment import Experiment, Results, Study
from ..findings import Cells, Figure, Findings
from .boutsidis_2013_claims import (
    CLAIMS,
    RANDOMIZED,
    SIZES,
    SUPERVISED,
    UNSUPERVISED,
    Theorem,
    kept,
)
from .chosen_features import ALL, N_STARTS, choose, clusters_of, points

__all__ = ["EXPERIMENTS"]

CLASSES = {"sarcoma_stt": 3, "orl_32x32": 40, "isolet": 26, "usps": 10, "mnist_2k2k": 10}
QUICK_DATA = ("sarcoma_stt", "orl_32x32")
SEEDS = 10
COST = "F(A, X_out) / F of k-means on all columns"
BEYOND = (
    "The theorem is stated for r < 4k log k, beyond which drawing by leverage scores alone has a "
    "guarantee; r = 10k is beyond it where k is 3 or 10. The method and its bound go on."
)
CERTIFIED = {theorem.method for theorem in (SUPERVISED, UNSUPERVISED, RANDOMIZED)}


def picks(size: str, k: int) -> int:
    """Return how many columns a size is."""
    return k + 1 if size == "k + 1" else k * int(size[:-1])


def run(job: Job) -> Outcome:
    """Choose columns, cluster them as often as asked, and measure what is promised.

    X_in, the partition of the supervised method and of all certificates, is what k-means finds on
    all columns.
    """
    X, _, k = points(job["data"])
    method = job["method"]
    given, cost, least = _in_full(job["data"])
    found: dict[str, list[Any]] = {"cost": [], "certified": []}
    selection: Selection | None = None
    for seed in range(job["seeds"]):
        if method == ALL:
            labels = clusters_of(X, k, 1 + seed)
        else:
            if selection is None or METHODS[method].randomized:
                selection = choose(X, method, picks(job["size"], k), k, seed, given)
            labels = clusters_of(selection.apply(X), k, seed)
        reached = metrics.kmeans_objective(X, labels)
        found["cost"].append(reached / cost)
        found["certified"].append(reached / least)
        if method in CERTIFIED and selection is not None:
            for key, value in _promises(X, selection, labels, given, k).items():
                found.setdefault(key, []).append(value)
    if "lemma" in found:
        found["lemma_of_given"] = [bound / cost for bound in found["lemma"]]
        found["lemma"] = [bound / least for bound in found["lemma"]]
    return found


@lru_cache(maxsize=2)
def _in_full(name: str) -> tuple[Indices, float, float]:
    """Return a partition by all columns, what it costs, and the least that any could cost."""
    X, _, k = points(name)
    labels = clusters_of(X, k, 0)
    return labels, metrics.kmeans_objective(X, labels), metrics.best_rank_error(X, k)


def _promises(
    X: Any, selection: Selection, labels: Indices, given: Indices, k: int
) -> dict[str, Any]:
    """Return what the certificate of a choice says; γ is what k-means reached, 1 at least."""
    certificate = certify(X, selection, clusters=labels, labels=given, n_clusters=k)
    sigma = certificate["sigma_min"]
    return {
        "promised": certificate["kmeans_ratio_to_labels"].promised,
        "lemma": certificate["kmeans_cost"].promised,
        "sigma": sigma.measured,
        "sigma_promised": sigma.promised,
        "gamma": certificate["gamma"].measured,
        "holds": certificate.holds,
    }


def jobs_for(theorem: Theorem) -> Callable[[bool], list[Job]]:
    """Return what makes the runs of a theorem; those of methods in common are the same."""

    def jobs(quick: bool) -> list[Job]:
        seeds = 2 if quick else SEEDS
        return [
            {"data": data, "method": method, "size": size, "seeds": seeds}
            for data in (QUICK_DATA if quick else CLASSES)
            for method in (theorem.method, *theorem.rivals, ALL)
            for size in (SIZES if method != ALL else ("n",))
        ]

    return jobs


def report_for(theorem: Theorem) -> Callable[[Results], Findings]:
    """Return what makes the findings on a theorem."""

    def report(results: Results) -> Findings:
        cells = Cells()
        for job, outcome in results:
            for key, values in outcome.items():
                if key != "seconds":
                    for value in values:
                        cells.add(job["data"], job["method"], job["size"], key, value=value)
        data = [name for name in CLASSES if (name, ALL, "n", "cost") in cells.values]
        shown = [size for size in SIZES if size != "k + 1"]
        return Findings(
            figures=tuple(
                figure for size in shown for figure in _figures(theorem, cells, data, size)
            ),
            claims=(kept(theorem, cells), *CLAIMS[theorem.number](cells, data)),
            curves=tuple(_curves(theorem, cells, data)),
            axes=("columns that are chosen", COST),
            notes=(
                "The document has no experiments; the figures are what its theorem says for these "
                "data, and what is measured.",
                "F(A, X_out) / ‖A − A_k‖² is never less than the true ratio to the optimum, since "
                "no partition into k parts costs less than ‖A − A_k‖². Lemma 10 bounds the same "
                "ratio with all its terms measured; γ is the ratio to X_in that k-means reached on "
                "the chosen columns, or 1 if it did better.",
                "In all tables small values are good.",
                *((BEYOND,) if theorem == RANDOMIZED else ()),
            ),
            larger_is_better=False,
        )

    return report


def _figures(theorem: Theorem, cells: Cells, data: Sequence[str], size: str) -> Iterator[Figure]:
    for name in data:
        for method in (theorem.method, *theorem.rivals, ALL):
            ours = cells.summary(name, method, "n" if method == ALL else size, "cost")
            yield Figure(f"r = {size}", method, name, ours, measure=COST)
    rows = {
        theorem.cost: "cost" if theorem.against_given else "certified",
        "Lemma 10, all terms measured": "lemma_of_given" if theorem.against_given else "lemma",
        f"promised by Theorem {theorem.number}": "promised",
    }
    for name in data:
        for row, key in rows.items():
            ours = cells.summary(name, theorem.method, size, key)
            yield Figure(f"r = {size}", row, name, ours, measure=f"bounds for {theorem.method}")


def _curves(theorem: Theorem, cells: Cells, data: Sequence[str]) -> Iterator[Curve]:
    for name in data:
        for method in (theorem.method, *theorem.rivals):
            found = {
                picks(size, CLASSES[name]): cells.summary(name, method, size, "cost")
                for size in SIZES
            }
            known = {x: y for x, y in found.items() if y is not None}
            yield Curve(
                name, method, tuple(map(float, known)),
                tuple(y.mean for y in known.values()), tuple(y.deviation for y in known.values()),
            )  # fmt: skip


STUDY = Study("boutsidis-2013", run)
HOW = (
    "Data as they are, k the number of classes, r picks. C is A with the chosen and rescaled "
    f"columns, X_out the best of {N_STARTS} starts of k-means on C, X_in the same on A; F is the "
    f"objective. {SEEDS} seeds of methods that draw and of k-means; the row of all columns is "
    "k-means with other seeds."
)


def _experiment(theorem: Theorem, title: str, minutes: float) -> Experiment:
    return Experiment(
        f"boutsidis-2013-theorem-{theorem.number}",
        title,
        STUDY,
        jobs_for(theorem),
        report_for(theorem),
        HOW,
        minutes,
    )


EXPERIMENTS: tuple[Experiment, ...] = (
    _experiment(SUPERVISED, "columns that keep a given partition, promised and measured", 2.0),
    _experiment(UNSUPERVISED, "columns for k-means, deterministic, promised and measured", 2.0),
    _experiment(RANDOMIZED, "columns for k-means, randomized, promised and measured", 2.0),
)
