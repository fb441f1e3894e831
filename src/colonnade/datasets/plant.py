"""Sensors of a plant: columns in mixed units that follow a few signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.typing import Array
from .dataset import Dataset
from .generators import Made, Rng, check_number, generate, generator

__all__ = ["make_plant_table"]

# letters of the tag, unit, usual value, and how far it moves
INSTRUMENTS = (
    ("PI", "Pa", 1e5, 1e3), ("TI", "degC", 80.0, 5.0), ("SI", "rpm", 2950.0, 30.0),
    ("AI", "ppm", 400.0, 40.0), ("FI", "l/s", 12.0, 1.5), ("EI", "mV", 250.0, 12.0),
    ("LI", "m", 2.0, 0.1), ("TI", "K", 350.0, 5.0), ("VI", "m/s", 4e-3, 1e-3),
    ("JI", "W", 2.4e5, 1e4), ("QI", "mol/l", 0.02, 4e-3), ("PI", "bar", 6.0, 0.1),
)  # fmt: skip


@generator
def plant_table(
    rng: Rng, n_samples: int = 2000, n_features: int = 61, n_signals: int = 8,
    drift: float = 1.0, missing: float = 0.0,
) -> Made:  # fmt: skip
    """Sensors of a plant in mixed units that follow a few signals, and a later file with drift.

    :func:`make_plant_table` makes the same, and tells how and what is in the truth.
    """
    check_number("n_samples", n_samples, 2)
    check_number("n_features", n_features, 6)
    n = n_features - 4  # two columns are constant, two repeat a sensor in another unit
    check_number("n_signals", n_signals, 1, n, "n_features, less four")
    check_number("missing", missing, 0.0, 0.99)

    # every signal is sure of some sensors, the rest falls as it may
    sure = max(n_signals, n // 2)
    main = np.r_[np.arange(sure) % n_signals, rng.randint(n_signals, size=n - sure)]
    L = rng.normal(0.0, 0.5, (n_signals, n)) * (rng.uniform(size=(n_signals, n)) < 0.2)
    L[rng.permutation(main), np.arange(n)] = rng.choice([-1.0, 1.0], n)
    L /= np.linalg.norm(L, axis=0)
    good, poor = rng.uniform(0.02, 0.1, n), rng.uniform(0.2, 0.3, n)
    noise = np.where(rng.uniform(size=n) < 0.25, poor, good)

    columns = []  # name, unit, number of the sensor, offset, gain
    for j, factor in enumerate(rng.uniform(0.5, 2.0, n)):
        letters, unit, usual, spread = INSTRUMENTS[j % len(INSTRUMENTS)]
        columns.append((f"{letters}{101 + j}_{unit}", unit, j, usual, spread * factor))
    (*_, pascal, pascals), (*_, celsius, degrees) = columns[:2]
    columns += [
        ("PI101_bar", "bar", 0, pascal / 1e5, pascals / 1e5),
        ("TI102_K", "K", 1, celsius + 273.15, degrees),
        ("firmware", "", 0, 412.0, 0.0),
        ("period_s", "s", 0, 60.0, 0.0),
    ]
    names, units, sensors, offsets, gains = map(list, zip(*sorted(columns), strict=True))

    def file(S: Array) -> Array:
        readings = S @ L + noise * rng.standard_normal((n_samples, n))
        return np.array(offsets) + gains * readings[:, sensors]

    S, S_new = (_smooth(rng, n_samples, n_signals) for _ in range(2))
    S_new *= (1 + drift) ** rng.uniform(-1, 1, n_signals)
    S_new += drift * rng.uniform(-1, 1, n_signals)
    X, X_new = file(S), file(S_new)
    if missing:
        for table in (X, X_new):
            table[rng.uniform(size=table.shape) < missing] = np.nan
    return X, None, {
        "feature_names": names, "units": units, "X_new": X_new, "signals": S, "signals_new": S_new,
        "loadings": gains * L[:, sensors], "offsets": np.array(offsets),
        "noise": gains * noise[sensors], "constants": np.flatnonzero(np.array(gains) == 0),
    }  # fmt: skip


def _smooth(rng: Rng, n_samples: int, n_signals: int) -> Array:
    """Return random signals that wander, each at its own pace, with mean 0 and deviation 1."""
    memory = np.exp(-1 / np.geomspace(10, 100, n_signals))  # after 10 to 100 rows it is forgotten
    S = rng.standard_normal((n_samples, n_signals))
    S[1:] *= np.sqrt(1 - memory**2)
    for i in range(1, n_samples):
        S[i] += memory * S[i - 1]
    S -= S.mean(axis=0)
    return S / S.std(axis=0)


def make_plant_table(
    n_samples: int = 2000, n_features: int = 61, n_signals: int = 8, *,
    drift: float = 1.0, missing: float = 0.0, random_state: Any = 0,
) -> Dataset:  # fmt: skip
    """Make a table as the sensors of a plant give it, and a later file of the same plant.

    A few signals that nobody measures (load, weather, feed, ...) wander in time. Sensors follow
    them in their own units, so that columns are redundant, and the question is which few to keep:
    those from which the others can be computed, today and after the plant has drifted.

    - **Signals** are autoregressive noise with a memory of 10 to 100 rows, of mean 0 and standard
      deviation 1 in this file.
    - **Sensors** follow one signal, with either sign, and each of the others with a chance of 0.2
      at about half the strength. Half of them are dealt out evenly among the signals, the others
      at random. Three of four are good, with noise of 0.02 to 0.1 standard deviations of what they
      measure; the others are poor, with 0.2 to 0.3.
    - **Units** go from m/s (4e-3 ± 1e-3) to Pa (1e5 ± 1e3) and W (2.4e5 ± 1e4); the spread varies
      by a factor of 0.5 to 2 within a unit. ``PI101`` and ``TI102`` are logged twice, in Pa and
      bar, °C and K. ``firmware`` and ``period_s`` are constant. Columns are sorted by name.
    - **The later file** has new signals and noise, but the same sensors: the mean of a signal has
      moved by up to ``drift`` standard deviations, and the standard deviation by a factor of up
      to ``1 + drift`` up or down.

    Variances are a matter of units here, so methods that compare them should get standardized
    columns. Those that look for the most extreme column tend to a poor sensor, whose noise then
    is in all that is computed from it.

    Parameters
    ----------
    n_samples : int, default=2000
        Rows of each file, 2 or more.
    n_features : int, default=61
        Columns, 6 or more; four of them are the constant and the repeated ones.
    n_signals : int, default=8
        Signals, at most ``n_features - 4``.
    drift : float, default=1.0
        How far the signals have moved in the later file; 0 for not at all.
    missing : float, default=0.0
        The chance of each entry of both files to be missing (NaN), at most 0.99. The other
        entries are the same as without.
    random_state : int, RandomState or None, default=0
        The seed.

    Returns
    -------
    Dataset
        ``load("plant_table", ...)`` returns the same. Truth: ``X_new`` (the later file),
        ``units``, ``constants`` (indices of constant columns), ``signals`` and ``signals_new``,
        and ``offsets``, ``loadings`` (n_signals × n_features) and ``noise`` (standard deviations)
        of the columns, in their units: ``X = offsets + signals @ loadings + noise · N(0, 1)``.

    Examples
    --------
    >>> from colonnade import GreedySelector
    >>> from colonnade.datasets import make_plant_table
    >>> plant = make_plant_table()
    >>> plant
    Dataset('plant_table', 2000 × 61, dense float64)
    >>> plant.feature_names[:3], [plant.feature_names[j] for j in plant.truth["constants"]]
    (['AI104_ppm', 'AI116_ppm', 'AI128_ppm'], ['firmware', 'period_s'])

    Eight columns tell the 51 others that vary, in the later file, too:

    >>> selector = GreedySelector(8, center=True, scale="std").fit(plant.X)
    >>> round(selector.score(plant.truth["X_new"]), 2)
    0.99
    """
    return generate(
        "plant_table", n_samples=n_samples, n_features=n_features, n_signals=n_signals,
        drift=drift, missing=missing, random_state=random_state,
    )  # fmt: skip
