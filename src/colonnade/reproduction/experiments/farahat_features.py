"""Farahat (2012), chapter 6: features chosen without labels, judged by clustering."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...comparison.ledger import Job
from ..experiment import Experiment, Study
from .farahat_features_findings import clustering_report, table_report
from .farahat_features_printed import DATA, METHODS, PERCENTS, UNSCALED
from .farahat_features_runs import PREPARATIONS, run_choice
from .farahat_features_times import lesser_times_report, times_report

__all__ = ["EXPERIMENTS"]

SMALL, LARGE = ("orl_32x32", "coil20", "isolet"), ("usps", "tdt2", "20news_full")
TABLED = ("All Features", "LS", "MCFS", "GreedyFS", "PartGreedyFS")
RUNS = {"tdt2": 5, "20news_full": 3}
"""How many runs, if not ten; each with ten starts."""
DRAWS = {"tdt2": 3, "20news_full": 3}
"""How many runs of PartGreedyFS, which chooses anew in each."""
AFFORDED = {("tdt2", "MCFS"): [1], ("20news_full", "MCFS"): [1]}
"""Shares of features where all are too much."""
STARTS, TRIAL_STARTS = 10, 2
"""Of k-means; few where data is prepared in ways that are only tried."""

STUDY = Study("farahat-features", run_choice)


def _jobs(
    datas: Sequence[str], methods: Sequence[str], cluster: str = "k-means", quick: bool = False
) -> list[Job]:
    if quick:
        datas = [data for data in datas if data in ("orl_32x32", "usps")]
    jobs: list[Job] = []
    for data in datas:
        for method in methods:
            if method in UNSCALED.get(data, ()):
                continue
            for seed in range(_runs(data, method, cluster, quick)):
                job: dict[str, Any] = {
                    "data": data, "method": method, "cluster": cluster, "seed": seed,
                    "percents": _percents(data, method, quick),
                    "every": 10 if quick and data == "usps" else 1,
                }  # fmt: skip
                if cluster == "k-means":
                    job["starts"] = TRIAL_STARTS if quick else STARTS
                jobs.append(job)
    return jobs


def _runs(data: str, method: str, cluster: str, quick: bool) -> int:
    random = method == "PartGreedyFS"
    if quick:
        return 2
    if cluster != "k-means":  # the same every time, but for features that are drawn
        return 5 if random else 1
    return DRAWS.get(data, 10) if random else RUNS.get(data, 10)


def _percents(data: str, method: str, quick: bool) -> list[int]:
    if quick:
        return [1, 10]
    every = sorted({2, *PERCENTS}) if data in SMALL else list(PERCENTS)
    return AFFORDED.get((data, method), every)


def _trials(data: str, quick: bool) -> list[Job]:
    """Return runs on images as they might have been prepared."""
    jobs = _jobs([data], ["All Features", "LS", "GreedyFS"], quick=quick)
    names = list(PREPARATIONS)[:2] if quick else PREPARATIONS
    return [
        {**job, "preparation": name, "starts": TRIAL_STARTS}
        for name in names
        for job in jobs
        if job["seed"] == 0
    ]


_PREPARED = (
    "Images are brought to [0, 1] one by one; documents are tf·ln(n/df) of terms in five documents "
    "at least, of unit length; ISOLET is as stored. Percentages are rounded up. LS, SPEC (all "
    "eigenvectors) and MCFS (as many eigenvectors as classes) on a graph of five neighbours with "
    "self-tuned weights; PartGreedyFS with 1 % as many groups as features. NMI over the geometric "
    "mean of entropies. "
)
_KMEANS = (
    f"{_PREPARED}k-means from rows at random (spherical for documents), {STARTS} starts in each of "
    f"10 runs ({RUNS['tdt2']} on TDT2-30, {RUNS['20news_full']} on 20NG, and of PartGreedyFS, "
    f"which draws groups in each, {DRAWS['tdt2']} on either). Not run for what it costs: MCFS with "
    "more than 1 % of the terms of documents."
)
_PROPAGATION = (
    f"{_PREPARED}Affinity propagation on negative distances, each preference the median of its "
    "column, damping 0.5; five draws of PartGreedyFS."
)
_TIMES = f"{_PREPARED}One core; the runs of Figure 6.1."
_ALL = tuple(DATA)

EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "farahat-2012-table-6.2",
        "k-means on chosen features of faces, objects and spoken letters",
        STUDY,
        lambda quick: [*_jobs(SMALL, TABLED, quick=quick), *_trials("orl_32x32", quick)],
        partial(table_report, datas=SMALL),
        _KMEANS,
        1,
    ),
    Experiment(
        "farahat-2012-table-6.3",
        "k-means on chosen features of digits and documents",
        STUDY,
        lambda quick: [*_jobs(LARGE, TABLED, quick=quick), *_trials("usps", quick)],
        partial(table_report, datas=LARGE),
        _KMEANS,
        12,
    ),
    Experiment(
        "farahat-2012-figure-6.1",
        "k-means by the share of features, seven methods",
        STUDY,
        lambda quick: _jobs(_ALL, METHODS, quick=quick),
        partial(clustering_report, datas=_ALL),
        _KMEANS,
        12,
    ),
    Experiment(
        "farahat-2012-figure-6.2",
        "affinity propagation by the share of features",
        STUDY,
        lambda quick: _jobs(SMALL, METHODS, "affinity propagation", quick),
        partial(clustering_report, datas=SMALL),
        _PROPAGATION,
        1,
    ),
    Experiment(
        "farahat-2012-figure-6.3",
        "how long methods take to choose features",
        STUDY,
        lambda quick: _jobs(_ALL, METHODS[1:], quick=quick),
        times_report,
        _TIMES,
        12,
    ),
    Experiment(
        "farahat-2012-figure-6.4",
        "how long PCA-LRG and LS take beside the greedy methods",
        STUDY,
        lambda quick: _jobs(_ALL, ("PCA-LRG", "LS", "GreedyFS", "PartGreedyFS"), quick=quick),
        lesser_times_report,
        _TIMES,
        10,
    ),
)
