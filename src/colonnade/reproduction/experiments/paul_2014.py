"""Paul & Drineas (2014): features by spectral sparsification for least-squares classification."""

from __future__ import annotations

from functools import partial

from ..experiment import Experiment, Study
from .paul_2014_pairs import (
    PAIRS,
    REPEATS,
    pair_jobs,
    report_figure,
    report_table_2,
    report_table_4,
)
from .paul_2014_printed import SIZES
from .paul_2014_runs import AT_RANDOM, DRAWS, LONGEST, SYNTHETIC_ALPHAS, run_pair, run_synthetic
from .paul_2014_synthetic import DATA_SETS, report_table_1, synthetic_jobs

__all__ = ["EXPERIMENTS"]

SYNTHETIC = Study("paul-2014-synthetic", run_synthetic)
PAIRWISE = Study("paul-2014-pairs", run_pair, version=2)

_SETTINGS_PAIRS = (
    f"{PAIRS} pairs of newsgroups, drawn with seed 0 of all 190 and kept if they have 10,000 "
    "words: of each group half of 150 to 210 documents, those with the most different words; "
    "words of five letters or more, raw counts. Ten-fold cross-validation, "
    f"{REPEATS} times; random methods draw {DRAWS} times in each training set. BSS and leverage "
    "scores with all singular vectors."
)

EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "paul-2014-table-1",
        "most frequently selected features of the synthetic set",
        SYNTHETIC,
        synthetic_jobs,
        report_table_1,
        f"30 points, 1000 features, {DATA_SETS} data sets: the first with ten times ten-fold "
        "cross-validation, the others with two times. λ = "
        + ", ".join(f"{alpha:g}" for alpha in SYNTHETIC_ALPHAS)
        + f". Leverage scores draw {DRAWS} times in each training set.",
        1.0,
    ),
    Experiment(
        "paul-2014-table-2",
        "out-of-sample error for document pairs",
        PAIRWISE,
        partial(pair_jobs, ways=(LONGEST, AT_RANDOM)),
        report_table_2,
        f"{_SETTINGS_PAIRS} The same once more with documents of the same groups drawn at random, "
        "with one repeat.",
        8.0,
    ),
    Experiment(
        "paul-2014-figure-1",
        "out-of-sample error of each document pair, 300 features",
        PAIRWISE,
        pair_jobs,
        partial(report_figure, sizes=SIZES[:1]),
        _SETTINGS_PAIRS,
        5.0,
    ),
    Experiment(
        "paul-2014-figure-2",
        "out-of-sample error of each document pair, 400 and 500 features",
        PAIRWISE,
        pair_jobs,
        partial(report_figure, sizes=SIZES[1:]),
        _SETTINGS_PAIRS,
        5.0,
    ),
    Experiment(
        "paul-2014-table-4",
        "words that BSS selects in every training set",
        PAIRWISE,
        pair_jobs,
        report_table_4,
        _SETTINGS_PAIRS,
        5.0,
    ),
)
