"""The runs of Farahat (2012), chapter 3: errors and times of columns that methods choose."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...barriers.draws import draw, leverage
from ...comparison.ledger import Job, Outcome
from ...foundation.lapack import eigh, eigvalsh
from ...foundation.typing import Array, Floats, Indices
from ...linalg.svd import orthonormal, right_singular_vectors
from ...operands.entrance import as_columns
from ...operands.interface import Columns
from ...operands.kernel import Kernel
from ...pivoting.loop import Pivots, pivot
from ...pivoting.rules import Criterion, LargestDiagonal
from ...pivoting.targets import KernelTarget
from ...registry import METHODS
from ...selectors.door import select
from ..preparation import frequent_terms, loaded, tf_idf, training_rows, unit_rows

__all__ = ["WEIGHTINGS", "run", "sizes_of", "stochastic_tail", "thinned_draw"]

WEIGHTINGS: dict[str, Callable[[Any], Any]] = {
    "counts": lambda X: X.astype(np.float64),
    "tf-idf": tf_idf,
    "tf-idf, unit length": lambda X: unit_rows(tf_idf(X)),
    "tf-idf, unit length, of frequent terms": lambda X: unit_rows(tf_idf(frequent_terms(X, 10))),
}
"""What may be done to counts of terms; images are taken as they are, as "counts"."""

TRAINING_SETS = ("reuters21578",)
"""Data sets of which the training set is taken."""

NESTED = ("uniform", "pivoted-qr", "greedy", "partition-greedy", "signed-greedy")
"""Methods whose first choices are the same however many are wanted: one path has all sizes."""

OPTIONS: dict[str, dict[str, Any]] = {
    "hybrid-css": {"n_repeats": 1},
    "refined": {"method": "greedy", "refine": 1},
}
"""What is passed to ``select`` in addition to, or in place of, the name of a method."""

POWER, EXTRA = 2, 5
"""Power iterations and extra columns of the stochastic SVD that the thesis seems to have used."""


def run(job: Job) -> Outcome:
    """Do one job, and take its time as that of the CPU: other processes may use the core too."""
    start = time.process_time()
    outcome = _outcome(job)
    return {"seconds": time.process_time() - start, **outcome}


def _outcome(job: Job) -> Outcome:
    """Return bounds from below, errors of a method, its times, or errors by another weighting."""
    data = job["data"], job["weighting"], job["rows"]
    task: str = job["task"]
    if task == "limits":
        limits = _limits(_spectrum(*data)[0], _kernel(*data).shape[0], job["percents"])
        return {**limits, "features": _instances(*data).shape[0]}
    if task == "weighting":
        K = _kernel(*data)
        sizes = sizes_of(K.shape[0], job["percents"])
        squares = np.maximum(eigvalsh(K.gram())[::-1], 0.0)
        return {
            **_limits(squares, K.shape[0], job["percents"]),
            "errors": [_path_errors(K, "greedy", sizes, 0)],
        }
    if task == "time":
        return _times(_prepared(*data), job["method"], job["percents"])
    sizes = sizes_of(_kernel(*data).shape[0], job["percents"])
    return {"errors": [_errors(data, job["method"], sizes, seed) for seed in job["seeds"]]}


def sizes_of(n: int, percents: Sequence[float]) -> list[int]:
    """Return how many columns of n so many per cent are."""
    return [max(1, round(n * percent / 100)) for percent in percents]


@lru_cache(maxsize=1)
def _prepared(name: str, weighting: str, rows: int | None) -> Any:
    X, _ = loaded(name)
    if name in TRAINING_SETS:
        X = X[training_rows(name)]
    if rows is not None and rows < X.shape[0]:
        X = X[np.linspace(0, X.shape[0] - 1, rows).astype(np.intp)]
    return WEIGHTINGS[weighting](X)


@lru_cache(maxsize=1)
def _instances(name: str, weighting: str, rows: int | None) -> Columns:
    """Return the operand whose columns are the instances: the candidates of this chapter."""
    return as_columns(_prepared(name, weighting, rows)).transposed()


@lru_cache(maxsize=1)
def _kernel(name: str, weighting: str, rows: int | None) -> Kernel:
    """Return their inner products, from which all methods choose the same as from the columns."""
    return Kernel(_instances(name, weighting, rows).gram(), check=False)


@lru_cache(maxsize=1)
def _spectrum(name: str, weighting: str, rows: int | None) -> tuple[Floats, Array]:
    """Return all squared singular values, and right singular vectors."""
    A = _instances(name, weighting, rows)
    if A.decomposes_directly:
        values, V = right_singular_vectors(A)
        return np.square(values), V
    squares, V = eigh(A.gram())
    return np.maximum(squares[::-1], 0.0), V[:, ::-1]


def _limits(squares: Floats, n: int, percents: Sequence[float]) -> Outcome:
    sizes = sizes_of(n, percents)
    rng = np.random.RandomState(0)
    return {
        "instances": n,
        "rank": int(np.sum(squares > squares[0] * n * np.finfo(float).eps)),
        "exact": [float(squares[size:].sum()) for size in sizes],
        "stochastic": [stochastic_tail(squares, size, rng) for size in sizes],
    }


def stochastic_tail(
    squares: Floats,
    rank: int,
    rng: np.random.RandomState,
    n_power: int = POWER,
    n_extra: int = EXTRA,
) -> float:
    """Return what a stochastic SVD of some rank takes for the squared error of the best of it.

    A Gaussian matrix is one in any orthonormal basis, so the diagonal matrix of the singular values
    can take the place of the data: the result is distributed as that of Algorithm 1 of the thesis.

    Parameters
    ----------
    squares : ndarray
        All squared singular values that are not zero.
    rank : int
        Of the approximation.
    rng : RandomState
        Seed.
    n_power, n_extra : int
        Power iterations, and columns in addition to the rank.
    """
    width = min(rank + n_extra, len(squares))
    Q = orthonormal(np.sqrt(squares)[:, None] * rng.standard_normal((len(squares), width)))
    for _ in range(n_power):
        Q = orthonormal(squares[:, None] * Q)
    found = eigvalsh((Q.T * squares) @ Q)[::-1]
    return float(squares.sum() - found[:rank].sum())


def thinned_draw(V: Array, rng: np.random.RandomState, left: Floats | None = None) -> Indices:
    """Return one draw of HybridCSS: l·log l columns by leverage, thinned by pivoted QR.

    As the library's ``hybrid-css`` with one repeat, which would decompose the data for every seed.
    With ``left``, what the leading vectors leave of each column, half of the probability is in
    proportion to that, as Boutsidis, Mahoney & Drineas (2009) have it.
    """
    size = max(2, V.shape[1])
    n_draws = max(V.shape[1], int(np.ceil(size * np.log(size))))
    chances = leverage(V)
    if left is not None:
        chances = (chances + left / left.sum()) / 2
    drawn, factors = draw(chances, n_draws, rng)
    drawn, where = np.unique(drawn, return_index=True)
    few = as_columns((V[drawn] * factors[where, None]).T)
    return drawn[pivot(few, LargestDiagonal(), n_select=min(few.shape)).indices]


def _errors(data: tuple[str, str, int | None], method: str, sizes: list[int], seed: int) -> Any:
    K = _kernel(*data)
    if method in NESTED:
        return _path_errors(K, method, sizes, seed)
    if method in ("approx-svd", "hybrid-css", "mixed-hybrid"):
        squares, V = _spectrum(*data)
        rng = np.random.RandomState(seed)
        return [_last(_led(K, method, squares[:size], V[:, :size], rng)) for size in sizes]
    options = {"method": method, **OPTIONS.get(method, {})}
    return [_last(select(_instances(*data), size, **options)) for size in sizes]


def _path_errors(K: Kernel, method: str, sizes: list[int], seed: int) -> list[float]:
    errors = select(K, max(sizes), method=method, **_seed(method, seed)).errors
    assert errors is not None
    return [float(errors[min(size, len(errors)) - 1]) for size in sizes]


def _led(K: Kernel, method: str, squares: Floats, V: Array, rng: np.random.RandomState) -> Pivots:
    """Choose as many columns as there are leading singular vectors, by way of these."""
    size = V.shape[1]
    if method == "approx-svd":  # towards U_k Σ_k = A V_k, whose inner products with A are Σ²Vᵀ
        target = KernelTarget(np.ascontiguousarray((V * squares).T), float(squares.sum()))
        return pivot(K, Criterion(), n_select=size, target=target)
    left = np.maximum(K.sq_norms() - np.square(V) @ squares, 0.0)
    first = thinned_draw(V, rng, left if method == "mixed-hybrid" else None).tolist()
    # pivoted QR fills up where a draw spans fewer directions than are wanted
    return pivot(K, LargestDiagonal(), n_select=size, first=first)


def _last(found: Any) -> float:
    return float(found.errors[-1])


def _seed(method: str, seed: int) -> dict[str, Any]:
    return {"random_state": seed} if METHODS[method].randomized else {}


def _times(X: Any, method: str, percents: Sequence[float]) -> Outcome:
    """Choose rows of the data itself, as a user would; all sizes of a path in one run."""
    sizes = sizes_of(X.shape[0], percents)
    options: dict[str, Any] = {"axis": 0, **_seed(method, 0)}
    options |= {"method": method, **OPTIONS.get(method, {})}
    select(X[:20], 2, **options)  # whatever is loaded or compiled when it is first used
    cpu: dict[int, float] = {}
    errors: dict[int, float] = {}
    for size in [max(sizes)] if method in NESTED else sizes:
        start = time.process_time()

        def note(count: int, wanted: int | None, left: float, start: float = start) -> None:
            if count in sizes and method in NESTED:
                cpu[count] = time.process_time() - start

        path = select(X, size, progress=note, **options).errors
        cpu[size] = time.process_time() - start
        assert path is not None
        for reached in [s for s in sizes if s <= size]:
            errors[reached] = float(path[min(reached, len(path)) - 1])
    return {
        "cpu": [cpu.get(size, cpu[max(sizes)]) for size in sizes],
        "errors": [[errors[size] for size in sizes]],
    }
