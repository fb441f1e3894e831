"""Features for least-squares classification: errors with chosen features beside all of them.

Large sparse data comes last: λ of five by cross-validation beside one fit of scikit-learn.

The set-up of Paul & Drineas, §6: ten-fold cross-validation, features chosen from the training
rows alone; their synthetic data, and pairs of newsgroups in place of pairs of web categories.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

from colonnade import METHODS, RankReachedWarning, RLSClassifier, datasets, select
from colonnade.classify.rls import EXACT_SIDE

from ..common import Competitor, Options, Row, promised, race, shape_text

TITLE = "Least-squares classification with chosen features (errors in %)"
# names under which a method may be registered; those that are not are left out
METHOD_NAMES = (
    "bss", "leverage", "leverage-sampling", "subspace-sampling", "pivoted-qr",
    "information-gain", "mutual-information", "uniform",
)  # fmt: skip
SYNTHETIC_ALPHAS = (0.0, 0.1, 0.9)
DOCUMENT_ALPHAS = (0.1, 0.3, 0.5, 0.7)
DOCUMENTS = "20news_full"
PAIRS = ((1, 16), (8, 15), (11, 18), (3, 12))
PER_CLASS = 100
LARGE = "20news"
LARGE_ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0)


def run(options: Options) -> Iterator[Row]:
    repeats = 1 if options.quick else 2
    for k in (90, 100):
        data = datasets.load("rlsc", n_informative=k)
        for r in (80,) if options.quick else (80, 90):
            for row in _compare(data.X, data.y, r, SYNTHETIC_ALPHAS, repeats):
                row = {"data": f"synthetic, k = {k}", **row}
                yield promised(row, "no error outside", row["outside"] == 0)
    yield from _documents(options)
    yield from _large(options)


def _documents(options: Options) -> Iterator[Row]:
    """Means over pairs of newsgroups: a comparison, with no promise about its outcome."""
    if DOCUMENTS not in datasets.names():
        return
    pairs = PAIRS[:1] if options.quick else PAIRS
    for r in (300,) if options.quick else (300, 500):
        tables = [list(_compare(*_pair(*pair), r, DOCUMENT_ALPHAS, 1)) for pair in pairs]
        for rows in zip(*tables, strict=True):
            keys = ("inside", "outside", "± over folds")
            means = {key: float(np.mean([row[key] for row in rows])) for key in keys}
            yield {"data": f"pairs of newsgroups ({len(pairs)})", **rows[0], **means}


def _large(options: Options) -> Iterator[Row]:
    """Time fits of counts of words that are not factorized, and their errors on a fifth."""
    if LARGE not in datasets.names():
        return
    data = datasets.load(LARGE)
    assert data.y is not None
    order = np.random.default_rng(0).permutation(len(data.y))
    train, test = order[len(order) // 5 :], order[: len(order) // 5]
    # not so few that they would be factorized
    train = train[: 2 * EXACT_SIDE] if options.quick else train
    X, y = data.X.astype(np.float64).tocsr(), data.y
    models = {
        "all, scikit-learn": RidgeClassifier(100.0, fit_intercept=False),
        "all": RLSClassifier(100.0),
        "all, best of five λ": RLSClassifier(LARGE_ALPHAS),
    }
    runs = {name: Competitor(partial(model.fit, X[train], y[train]))
            for name, model in models.items()}  # fmt: skip
    times = race(options, runs, repeats=1, budget=0.0)
    for name, timing in times.items():
        model = timing.result
        yield {
            "data": f"newsgroups, {shape_text((len(train), X.shape[1]))}",
            "r": X.shape[1],
            "method": name,
            "λ": float(getattr(model, "alpha_", 100.0)),
            "inside": 100 * (1 - model.score(X[train], y[train])),
            "outside": 100 * (1 - model.score(X[test], y[test])),
            "seconds": timing.best,
        }


@lru_cache(maxsize=8)
def _pair(a: int, b: int) -> tuple[Any, Any]:
    """Return a hundred documents of each of two groups, with their words of five letters or more.

    Short words are left out as the document does.
    """
    data = datasets.load(DOCUMENTS)
    assert data.y is not None
    assert data.feature_names is not None
    rows = np.concatenate([np.flatnonzero(data.y == c)[:PER_CLASS] for c in (a, b)])
    X = data.X[rows].astype(np.float64)
    long = np.array([len(word) > 4 for word in data.feature_names])
    return X[:, np.flatnonzero(long & (np.asarray(X.sum(axis=0)).ravel() > 0))], data.y[rows]


def _compare(X: Any, y: Any, r: int, alphas: tuple[float, ...], repeats: int) -> Iterator[Row]:
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0)
    folds = list(splits.split(np.zeros(len(y)), y))
    for name in ("all", *(name for name in METHOD_NAMES if name in METHODS)):
        inside = np.zeros((len(folds), len(alphas)))
        outside = np.zeros((len(folds), len(alphas)))
        for i, (train, test) in enumerate(folds):
            known, new = X[train], X[test]
            if name != "all":
                with warnings.catch_warnings():
                    # few rows: pivoting stops at their number
                    warnings.simplefilter("ignore", RankReachedWarning)
                    selection = select(known, r, method=name, **_params(name, y[train], i))
                known, new = selection.apply(known), selection.apply(new)
            for j, alpha in enumerate(alphas):
                model = RLSClassifier(alpha).fit(known, y[train])
                inside[i, j] = 100 * (1 - model.score(known, y[train]))
                outside[i, j] = 100 * (1 - model.score(new, y[test]))
        for j, alpha in enumerate(alphas):
            yield {
                "r": X.shape[1] if name == "all" else r,
                "method": name,
                "λ": alpha,
                "inside": float(inside[:, j].mean()),
                "outside": float(outside[:, j].mean()),
                "± over folds": float(outside[:, j].std()),
            }


def _params(name: str, labels: Any, seed: int) -> dict[str, Any]:
    method = METHODS[name]
    params: dict[str, Any] = {}
    if "random_state" in method.parameters:
        params["random_state"] = seed
    if method.supervised:
        params[method.supervised] = labels
    return params
