"""Random signs: where the mailman algorithm wins and where BLAS does; other projections beside.

BLAS has to expand the signs that it multiplies by. "product alone" is BLAS with a matrix of
signs that is there already, eight bytes an entry: what one would do without this library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from colonnade import GaussianProjection, HadamardProjection, SignProjection, SparseSignProjection

from ..common import Competitor, Options, Row, promised, race, shape_text

TITLE = "Random projections: mailman against BLAS"
ROWS = (1, 10, 100, 1000)


@dataclass(frozen=True)
class Case:
    n_features: int
    n_components: int
    slow: bool = False


CASES = (
    Case(1_000, 100),
    Case(10_000, 20),
    Case(10_000, 100),
    Case(10_000, 400),
    Case(100_000, 100, slow=True),
)


def run(options: Options) -> Iterator[Row]:
    for case in CASES:
        for n in ROWS:
            work = n * case.n_features * case.n_components
            if work <= 2e9 and not (options.quick and (case.slow or work > 2e8)):
                yield _measure(options, case, n)


def _measure(options: Options, case: Case, n: int) -> Row:
    X = np.random.default_rng(0).standard_normal((n, case.n_features))
    t = case.n_components
    makers: dict[str, Callable[[], object]] = {
        "mailman": lambda: SignProjection(t, algorithm="mailman", random_state=0),
        "blas": lambda: SignProjection(t, algorithm="blas", random_state=0),
        "auto": lambda: SignProjection(t, random_state=0),
        "Gaussian": lambda: GaussianProjection(t, random_state=0),
        "sparse signs": lambda: SparseSignProjection(t, random_state=0),
        "Hadamard": lambda: HadamardProjection(t, random_state=0),
    }
    fitted = {name: make().fit(X) for name, make in makers.items()}
    R = fitted["blas"].matrix()
    for way in fitted.values():
        way.transform(X[:20, :])  # compile
    times = race(
        options,
        {name: Competitor(lambda way=way: way.transform(X)) for name, way in fitted.items()}
        | {"product alone": Competitor(lambda: X @ R)},
        repeats=7,
        budget=3.0,
    )
    scale = np.abs(times["blas"].result).max()
    same = np.abs(times["mailman"].result - times["blas"].result).max() <= 1e-12 * scale
    best = {name: times[name].best for name in times}
    faster = "mailman" if best["mailman"] < best["blas"] else "BLAS"
    row = {
        "shape": shape_text(X.shape),
        "components": t,
        "mailman, ms": 1e3 * best["mailman"],
        "BLAS, ms": 1e3 * best["blas"],
        "BLAS / mailman": best["blas"] / best["mailman"],
        "product alone, ms": 1e3 * best["product alone"],
        "faster": faster,
        **{f"{name}, ms": 1e3 * best[name] for name in ("Gaussian", "sparse signs", "Hadamard")},
    }
    # noise of small times counts as a tie
    well = best["auto"] <= 1.5 * min(best["mailman"], best["blas"])
    return promised(row, "auto ≤ 1.5 × the faster; same", {"auto": well, "same": bool(same)})
