"""How many columns: what three rules propose for tables whose signals are known, and for others.

The time is that of ``n_select="auto"`` over that of the plain selection of as many columns as were
explored. For planted tables figures are the smallest and the largest proposal, and for the rule by
default how many of the tables are within one of the signals. "What is left" is a fourth rule that
was tried: the best gain in the residual columns against independent ones of their variances.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets

from colonnade import datasets, select
from colonnade.sizes.proposing import independent_gains

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..data import matrix

TITLE = "Sizes: how many columns three rules propose"

SEEDS = 20
SIGNALS = 9
NOISE = ((0.02, 0.1), (0.05, 0.3), (0.4, 0.4), (0.5, 0.5), (0.7, 0.7), (1.0, 1.0))
PROMISED_NOISE = 0.4
PLANTS = (3, 5, 8, 12)
STANDARDIZED = ("wine", "breast_cancer", "diabetes", "iris", "linnerud")
CENTRED = ("digits", "isolet", "usps", "warppie10p", "pcmac")
SLOWEST = 10.0
RULES = ("parallel", "elbow", "held_out")
STANDARD = {"center": True, "scale": "std"}


def run(options: Options) -> Iterator[Row]:
    warnings.simplefilter("ignore")
    seeds = range(5 if options.quick else SEEDS)
    for noise in NOISE:
        tables = [planted(seed, noise) for seed in seeds]
        low, high = noise
        name = f"planted, noise {low:g}" + (f" to {high:g}" if high > low else "")
        yield _several(options, name, tables, SIGNALS, high <= PROMISED_NOISE)
    few = [planted(seed, (0.05, 0.3), n_samples=80) for seed in seeds]
    yield _several(options, "planted, few rows", few, SIGNALS, True)
    for signals in PLANTS:
        tables = [
            datasets.make_plant_table(n_signals=signals, random_state=seed).X for seed in seeds
        ]
        yield _several(options, "plant table", tables, signals, True)
    noise_alone = [np.random.RandomState(seed).standard_normal((500, 40)) for seed in seeds]
    yield _several(options, "independent", noise_alone, 0, False)
    for name in STANDARDIZED:
        X = getattr(sklearn_datasets, f"load_{name}")().data
        yield _one(options, f"{name}, standardized", X, STANDARD)
    for name in CENTRED[:1] if options.quick else CENTRED:
        found = matrix(name)
        yield _one(options, f"{found.name}, centred", found.X, {"center": True})


def _several(options: Options, name: str, tables: list[Any], signals: int, known: bool) -> Row:
    """Return the smallest and the largest proposal, and the time for the first table."""
    found = [select(X, "auto", **STANDARD).info["size"] for X in tables]
    left = [what_is_left(X) for X in tables]
    near = [abs(size["parallel"] - signals) <= 1 for size in found]
    seconds, ratio, explored = _times(options, tables[0], STANDARD)
    row = {
        "set": f"{name} ({len(tables)})",
        "shape": shape_text(tables[0].shape),
        "signals": signals,
        **{rule: _range([size[rule] for size in found]) for rule in RULES},
        "what is left": _range(left),
        "within 1": f"{sum(near)} of {len(near)}",
        "explored": explored,
        "ms": 1e3 * seconds,
        "time ratio": ratio,
    }
    met = {"time": ratio <= SLOWEST, **({"signals": all(near)} if known else {})}
    return promised(row, f"{'within 1; ' * known}at most {SLOWEST:g} times", met)


def _one(options: Options, name: str, X: Any, params: dict[str, Any]) -> Row:
    size = select(X, "auto", **params).info["size"]
    seconds, ratio, explored = _times(options, X, params)
    row = {
        "set": name,
        "shape": shape_text(X.shape),
        **{rule: str(size[rule]) for rule in RULES},
        "explored": explored,
        "ms": 1e3 * seconds,
        "time ratio": ratio,
    }
    return promised(row, f"at most {SLOWEST:g} times", ratio <= SLOWEST)


def _times(options: Options, X: Any, params: dict[str, Any]) -> tuple[float, float, int]:
    explored = select(X, "auto", **params).info["size"]["explored"]
    both = {
        size: Competitor(partial(select, X, size, **params), blas_threads=1)
        for size in ("auto", explored)
    }
    times = race(options, both, repeats=5, budget=10.0)
    return times["auto"].best, times["auto"].best / times[explored].best, explored


def _range(values: list[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def what_is_left(X: Any) -> int:
    """Return after how many choices no residual column beats independent ones like them."""
    Z = np.asarray(X, dtype=float)
    Z = Z[:, Z.std(axis=0) > 0]
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    m, n = Z.shape
    path = select(Z, min(n, m - 2))
    W, squares = np.asarray(path.embedding, dtype=float), np.square(Z).sum(axis=0)
    free = np.ones(n, dtype=bool)
    for t in range(len(path)):
        left = np.maximum(squares - np.square(W[:t]).sum(axis=0), 0.0)
        left[path.indices[:t]] = 0.0
        gain = np.square(W[t]).sum() / left.sum()
        none = np.empty(0, dtype=np.intp)
        if gain <= independent_gains(left, m - 1 - t, 1, candidates=free, first=none)[0]:
            return t
        free[path.indices[t]] = False
    return len(path)


def planted(seed: int, noise: tuple[float, float], n_samples: int = 1000) -> Any:
    """Return 40 columns that follow nine signals, in units from 1e-3 to 1e5.

    Each follows one signal and a part of all others; noise is in standard deviations of that.
    """
    rng = np.random.RandomState(seed)
    L = 0.3 * rng.standard_normal((SIGNALS, 40))
    L[rng.permutation(np.arange(40) % SIGNALS), np.arange(40)] += rng.choice([-1, 1], 40)
    X = rng.standard_normal((n_samples, SIGNALS)) @ L
    X /= X.std(axis=0)
    X += rng.uniform(*noise, 40) * rng.standard_normal(X.shape)
    return (X + 3 * rng.standard_normal(40)) * 10.0 ** rng.uniform(-3, 5, 40)
