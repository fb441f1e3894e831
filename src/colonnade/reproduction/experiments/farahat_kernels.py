"""Farahat (2012), chapter 4: Nyström approximations of kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...comparison.ledger import Job, Outcome
from ...registry import METHODS
from ..experiment import Experiment, Study
from .farahat_kernels_accuracies import rank_k_table, rank_l_table
from .farahat_kernels_data import LINEAR, TITLES, Given, best_errors, kernel_of
from .farahat_kernels_methods import DRAWS, ENSEMBLE, PATHS, along_path, mixed, size_by_size
from .farahat_kernels_pictures import rank_k_figure, rank_l_figure
from .farahat_kernels_printed import METHODS_OF_RANK_K
from .farahat_kernels_times import times_table

__all__ = ["EXPERIMENTS", "run"]

BEST = "best"
"""The job that finds the best approximations, to which all others are compared."""

EVERY = (1, 3, 5, 7, 9, 11, 13, 15, 17)
SOME = (1, 3, 5, 9, 13, 17)
MIXED = (3, 5)

FEW = ("AdaptFull", "PartGreedyNys, c = 50", "PartGreedyNys, c = 200", "random pivots",
       "signed groups")  # fmt: skip
HALF = ("AdaptPart",)
LONG = (*(("kMeans", data) for data in LINEAR), ("SGMA", "reuters21578"))
TABLED = ("kMeans", "SGMA", "GreedyNyström", "PartGreedyNys")
OURS = ("random pivots", "signed groups")
IMAGES = ("mnist_2k2k", "pie_20", "yaleb_32x32")
QUICK_POINTS = 300


def run(job: Job) -> Outcome:
    """Approximate a kernel by one method, at all sizes, or find the best approximations."""
    start = time.process_time()
    given = kernel_of(job["data"], job["points"])
    found = _approximated(given, str(job["method"]), int(job["seed"]))
    return {"seconds": time.process_time() - start, **found}  # whatever else the machine does


def _approximated(given: Given, label: str, seed: int) -> Outcome:
    if label == BEST:
        found = dict(best_errors(given, EVERY))
        Y = np.random.RandomState(0).standard_normal((found["rank"], found["points"]))
        start = time.process_time()
        Y.T @ Y
        return {**found, "product time": time.process_time() - start}
    if label == ENSEMBLE:
        return mixed(given, MIXED, seed)
    if label in PATHS:
        return along_path(given, label, EVERY, seed)
    return size_by_size(given, label, SOME, seed)


STUDY = Study("farahat-2012-chapter-4", run, version=2)


def seeds_of(label: str, data: str) -> int:
    """Return how often a method is run: ten times if it is random, less where that takes long."""
    if label in PATHS and not METHODS[PATHS[label][0]].randomized:
        return 1
    if label in FEW:
        return 3
    return 5 if label in HALF or (label, data) in LONG else 10


def jobs_of(data: Sequence[str], labels: Sequence[str]) -> Callable[[bool], list[dict[str, Any]]]:
    """Return a function that returns the jobs of some methods on some data sets."""

    def jobs(quick: bool) -> list[dict[str, Any]]:
        points = QUICK_POINTS if quick else None
        found = []
        for name in data:
            for label in (BEST, *labels):
                count = 1 if label == BEST else seeds_of(label, name)
                for seed in range(min(count, 2) if quick else count):
                    found.append({"data": name, "method": label, "seed": seed, "points": points})
        return found

    return jobs


def _experiment(
    place: str,
    title: str,
    data: Sequence[str],
    labels: Sequence[str],
    report: Callable[..., Any],
    minutes: float,
    settings: str,
) -> Experiment:
    return Experiment(
        f"farahat-2012-{place}", title, STUDY, jobs_of(data, labels), partial(report, named=data),
        f"{KERNELS} {settings}", minutes,
    )  # fmt: skip


KERNELS = (
    "Linear kernels of documents (Reuters: counts of the documents of its training set; "
    "Reviews, LA1: tf-idf, rows of length one), Gaussian kernels exp(-d²/(2σ²)), σ = 10, of images "
    "divided by 255. l and k are rounded up. Accuracy ‖K − K_r‖_F / ‖K − K̃‖_F with exact "
    "eigenvalues."
)
RUNS = (
    "Ten seeds for random methods; five for AdaptPart, for kMeans on documents and for SGMA on "
    "Reuters; three for AdaptFull and what the thesis does not have. kMeans: five iterations from "
    "random points."
)
TIMES = (
    "Times are CPU seconds on one core (the median, ± half of the range of the inner half), from "
    "the kernel at hand (kMeans: from the points) to the features."
)
FORMED = (
    "With K̃ formed: what the product of n × k features takes is added, ten times for the ensemble."
)
MIXTURE = (
    "Ten seeds. Ensemble: ten experts of l disjoint uniform landmarks, nonnegative ridge weights "
    "from 20 columns, the ridge from 20 others; half of these columns are landmarks, with weights "
    "that make up for that."
)
ALL = (*DRAWS, *PATHS)

EXPERIMENTS: tuple[Experiment, ...] = (
    _experiment(
        "table-4.1", "Accuracy of rank-l Nyström approximations, documents",
        LINEAR, (*TABLED, *OURS), rank_l_table, 9, RUNS,
    ),
    _experiment(
        "table-4.2", "Accuracy of rank-l Nyström approximations, images",
        IMAGES, (*TABLED, *OURS), rank_l_table, 2, RUNS,
    ),
    _experiment(
        "table-4.3", "Accuracy of rank-k approximations (k = 1 % of n) beside an ensemble",
        tuple(TITLES), METHODS_OF_RANK_K, rank_k_table, 4, MIXTURE,
    ),
    _experiment(
        "table-4.4", "Times of rank-k approximations beside an ensemble",
        tuple(TITLES), METHODS_OF_RANK_K, times_table, 4, f"{MIXTURE} {TIMES} {FORMED}",
    ),
    *(
        _experiment(
            f"figure-4.{number}", f"Accuracy and time of rank-{rank} approximations, {kind}",
            data, ALL, report, minutes, f"{RUNS} {TIMES}",
        )
        for number, rank, kind, data, report, minutes in (
            (1, "l", "documents", LINEAR, rank_l_figure, 12),
            (2, "l", "images", IMAGES, rank_l_figure, 3),
            (3, "k", "documents", LINEAR, rank_k_figure, 12),
            (4, "k", "images", IMAGES, rank_k_figure, 3),
        )
    ),
)  # fmt: skip
