"""Columns chosen from data with gaps, judged on the same data without them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from colonnade import GreedySelector
from colonnade.metrics import reconstruction_error

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..data import matrix

TITLE = "Gaps: 20 columns chosen with entries deleted at random"

K = 20
SETS = ("isolet", "usps")
SHARES = (0.05, 0.1, 0.3)
IMPUTER = "IterativeImputer"
SLACK = 0.01
"""How much more of the variance may be left than with the imputer's choice."""


def run(options: Options) -> Iterator[Row]:
    for name in SETS[:1] if options.quick else SETS:
        X = matrix(name).dense64
        full = _selector().fit(X)
        for share in SHARES[:1] if options.quick else SHARES:
            yield from _rows(options, name, X, full, share)


def _rows(options: Options, name: str, X: Any, full: Any, share: float) -> Iterator[Row]:
    gaps = X.copy()
    gaps[np.random.RandomState(0).uniform(size=X.shape) < share] = np.nan
    runs = {way: Competitor(partial(_selector(way).fit, gaps)) for way in ("mean", "pairwise")}
    runs[IMPUTER] = Competitor(partial(_imputed, gaps))
    found = race(options, runs, repeats=1, budget=1.0)
    lost = {
        way: reconstruction_error(X, timing.result.indices_, center=True, scale="std")
        for way, timing in found.items()
    }
    for way, timing in found.items():
        chosen = timing.result.indices_
        row = {
            "set": matrix(name).name,
            "shape": shape_text(X.shape),
            "deleted": share,
            "method": way,
            "seconds": timing.best,
            "as without gaps": f"{len(np.intersect1d(chosen, full.indices_))} of {K}",
            "left of the full data": lost[way],
            "best left": float(full.relative_errors_[-1]),
        }
        if way == "pairwise":
            kept = {
                "error": lost[way] <= lost[IMPUTER] + SLACK,
                "time": timing.best < found[IMPUTER].best,
            }
            row = promised(row, f"error within {SLACK} of the imputer's, in less time", kept)
        yield row


def _selector(missing: str = "error") -> GreedySelector:
    return GreedySelector(K, center=True, scale="std", missing=missing)


def _imputed(gaps: Any) -> GreedySelector:
    # fmt: off
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer
    # fmt: on

    imputer = IterativeImputer(n_nearest_features=30, max_iter=3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # three rounds are what was asked for
        filled = imputer.fit_transform(gaps)
    return _selector().fit(filled)
