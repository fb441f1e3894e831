"""Whether the choices are those of a brute force that recomputes the residual from scratch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from colonnade import Kernel, RankReachedWarning, datasets, select

from ..common import MET, WRONG, Options, Row, shape_text
from ..data import matrix
from ..reference import Array, brute_force, brute_force_kernel

TITLE = "Choices against a brute force"

TIE = float(np.finfo(np.float64).eps) ** 0.6
"""Scores closer than this count as equal, and the lowest index wins."""


@dataclass(frozen=True)
class Container:
    put: Callable[[Array], Any]
    precision: type | None = None  # of the brute force; None leaves it to the case
    kernel: bool = False


CONTAINERS = {
    "dense, C order": Container(np.ascontiguousarray),
    "dense, F order": Container(np.asfortranarray),
    "CSR": Container(sp.csr_array),
    "CSC": Container(sp.csc_array),
    "float32": Container(lambda A: A.astype(np.float32), np.float32),
    "kernel": Container(lambda A: A, kernel=True),
}


def _graded(m: int, n: int) -> Array:
    return datasets.load("graded", n_samples=m, n_features=n).X


def _graded_kernel(n: int) -> Array:
    """A kernel with eigenvalues from 1 down to 1e-12."""
    data = datasets.load("graded", n_samples=n, n_features=n, smallest=1e-6).X
    K = data.T @ data
    return (K + K.T) / 2


def _real(name: str, rows: int | None = None, columns: int | None = None) -> Array:
    X = matrix(name).X[:rows, :columns]
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


def _rbf() -> Array:
    from sklearn.metrics.pairwise import rbf_kernel

    return rbf_kernel(_real("digits", 300), gamma=1e-3)


@dataclass(frozen=True)
class Case:
    make: Callable[[], Array]
    n_select: int
    precision: type = np.float64
    kernel: bool = False


CASES = {
    "graded to 1e-12, tall": Case(lambda: _graded(90, 50), 50, np.longdouble),
    "graded to 1e-12, wide": Case(lambda: _graded(50, 90), 50, np.longdouble),
    "graded to 1e-12, square": Case(lambda: _graded(70, 70), 70, np.longdouble),
    "digits": Case(lambda: _real("digits"), 40),
    "ORL rows": Case(lambda: _real("ORL 32 × 32", 150).T, 60),
    "ORL pixels": Case(lambda: _real("ORL 32 × 32"), 60),
    "isolet": Case(lambda: _real("isolet"), 60),
    "pcmac": Case(lambda: _real("pcmac"), 60),
    "graded kernel": Case(lambda: _graded_kernel(60), 60, np.longdouble, kernel=True),
    "rbf kernel of digits": Case(_rbf, 60, np.longdouble, kernel=True),
}

QUICK = ("graded to 1e-12, tall", "graded to 1e-12, wide", "digits", "graded kernel")


def run(options: Options) -> Iterator[Row]:
    for name, case in CASES.items():
        if options.quick and name not in QUICK:
            continue
        A = case.make()
        known: dict[Any, list[tuple[Array, Array]]] = {}
        for container, how in CONTAINERS.items():
            if how.kernel == case.kernel:
                row = {"set": name, "shape": shape_text(A.shape), "input": container}
                yield row | _compare(how.put(A), case, how, known)


def _compare(given: Any, case: Case, how: Container, known: dict[Any, Any]) -> Row:
    precision = how.precision or case.precision
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankReachedWarning)
        found = select(Kernel(given) if how.kernel else given, case.n_select)
    chosen = found.indices.tolist()
    # the brute force follows the choices made, so that one difference does not hide the next;
    # containers of the same numbers that lead to the same choices share its work
    key = (precision, *chosen)
    dense = given.toarray() if sp.issparse(given) else given
    if key not in known:
        steps = brute_force_kernel if how.kernel else brute_force
        known[key] = list(steps(dense, chosen, precision))
    gaps = [_gap(p, *step, precision) for p, step in zip(chosen, known[key], strict=True)]
    wrong = [gap for gap, allowed in gaps if gap > allowed]
    # it may end early, but not before the numerical rank
    short = len(chosen) < case.n_select and len(chosen) < np.linalg.matrix_rank(dense)
    return {
        "brute force": np.dtype(precision).name,
        "picks": f"{len(chosen)} of {case.n_select}",
        "identical": sum(gap == 0.0 for gap, _ in gaps),
        "ties": sum(0.0 < gap <= allowed for gap, allowed in gaps),
        "wrong": len(wrong),
        "largest gap": max(wrong, default=0.0),
        "promise": "identical",
        "verdict": WRONG if wrong or short else MET,
    }


def _gap(p: int, score: Array, trust: Array, precision: type) -> tuple[float, float]:
    """Return how far p is below the brute force's choice (0 if it is that), and what rounding
    of the brute force allows."""
    tie = 0.0 if precision is np.float32 else TIE
    top = score.max()
    best = int(np.argmax(score >= top * (1 - tie)))
    if p == best:
        return 0.0, 0.0
    tiny = float(np.finfo(float).tiny)
    return max(1.0 - float(score[p] / top), tiny), max(TIE, float(trust[p] + trust[best]))
