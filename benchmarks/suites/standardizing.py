"""Eight sensors of a plant that tell all others: choices from raw and from standardized columns.

All columns that vary are predicted by least squares from the chosen ones of the first file; R² is
counted in that file and in a later one, after the plant has drifted. Means over plants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from colonnade import GreedySelector, PFASelector, PivotedQRSelector, datasets

from ..common import Competitor, Options, Row, promised, race, shape_text

TITLE = "Standardizing: R² of all sensors of a plant from eight of them"

K = 8
PLANTS = 10
DRAWS = 20
LEAST = 0.6
FIGURES = ("same file, mean", "same file, worst", "new file, mean", "new file, worst")
BEST = "greedy, standardized"
SWAPS = "greedy with swaps, standardized"  # goes on from the greedy choice, so it is no rival


def run(options: Options) -> Iterator[Row]:
    plants = [_plant(seed) for seed in range(3 if options.quick else PLANTS)]
    seconds: dict[str, list[float]] = {name: [] for name in METHODS}
    figures: dict[str, list[Any]] = {name: [] for name in METHODS}
    for seed, (X, X_new) in enumerate(plants):
        runs = {name: Competitor(partial(choose, X, seed)) for name, choose in METHODS.items()}
        for name, timing in race(options, runs, repeats=3, budget=2.0).items():
            seconds[name].append(timing.best)
            # only random choices are several, of which the mean counts
            values = [r_squared(chosen, X, X_new) for chosen in np.atleast_2d(timing.result)]
            figures[name].append(np.mean(values, axis=0))
    means = {name: np.mean(values, axis=0) for name, values in figures.items()}
    for name in METHODS:
        row = {
            "set": f"plant table ({len(plants)})",
            "shape": shape_text(plants[0][0].shape),
            "method": name,
            "ms": 1e3 * float(np.median(seconds[name])),
            **dict(zip(FIGURES, means[name].tolist(), strict=True)),
            "new file, worst of all": float(np.min(figures[name], axis=0)[-1]),
        }
        if name == BEST:
            rivals = np.max([means[other] for other in METHODS.keys() - {BEST, SWAPS}], axis=0)
            kept = dict(zip(FIGURES, (means[BEST] > rivals).tolist(), strict=True))
            kept["worst of all"] = row["new file, worst of all"] >= LEAST
            yield promised(row, f"best without swaps; no R² below {LEAST}", kept)
        else:
            yield row


def r_squared(chosen: Any, X: Any, X_new: Any) -> tuple[float, ...]:
    """Return :data:`FIGURES`: R² of columns about their mean in the file they are counted in."""
    model = LinearRegression().fit(X[:, chosen], X)
    same, new = (
        r2_score(Y, model.predict(Y[:, chosen]), multioutput="raw_values") for Y in (X, X_new)
    )
    return same.mean(), same.min(), new.mean(), new.min()


def _plant(seed: int) -> tuple[Any, Any]:
    """Return both files without the columns that are constant."""
    plant = datasets.make_plant_table(random_state=seed)
    constants = plant.truth["constants"]
    return np.delete(plant.X, constants, axis=1), np.delete(plant.truth["X_new"], constants, axis=1)


def _standardized(make: Callable[[int], Any], X: Any, seed: int) -> Any:
    return make(seed).set_params(center=True, scale="std").fit(X).selection_.indices


def _uncorrelated(X: Any, seed: int, limit: float = 0.9) -> list[int]:
    """Return the first columns that correlate with no earlier one of them above the limit."""
    r = np.abs(np.corrcoef(X, rowvar=False))
    kept: list[int] = []
    for j in range(len(r)):
        if len(kept) < K and (r[j, kept] <= limit).all():
            kept.append(j)
    return kept


def _random(X: Any, seed: int) -> Any:
    rng = np.random.RandomState(seed)
    return [rng.permutation(X.shape[1])[:K] for _ in range(DRAWS)]


METHODS: dict[str, Callable[[Any, int], Any]] = {
    "greedy, raw": lambda X, seed: GreedySelector(K).fit(X).selection_.indices,
    BEST: partial(_standardized, lambda seed: GreedySelector(K)),
    SWAPS: partial(_standardized, lambda seed: GreedySelector(K, refine=True)),
    "pivoted QR, standardized": partial(_standardized, lambda seed: PivotedQRSelector(K)),
    "PFA, standardized": partial(_standardized, lambda seed: PFASelector(K, random_state=seed)),
    "drop |r| > 0.9": _uncorrelated,
    f"random (mean of {DRAWS})": _random,
}
