"""Record what the library answers, and compare two recordings.

A safety net for changes that must not change any answer: record before and after, then compare.

    python -m tools.snapshot record before.json.gz
    python -m tools.snapshot record after.json.gz
    python -m tools.snapshot compare before.json.gz after.json.gz

It calls ``select`` with every method on difficult matrices, on the data sets of scikit-learn and,
if the environment variable ``COLONNADE_DATA`` names a folder of ``.npz`` files, on cuts of some of
these; each in several containers and with many parameters, allowed or not. It also fits the
estimators, certifies, and computes the metrics. Of each call it keeps the answer (matrices as a
few sums), the warnings and the exception. Only the public interface is used, so the same file
works on either side of a change; to record another tree, put its ``src`` on ``PYTHONPATH``. Both
recordings must come from the same machine and environment. It takes about ten minutes.

The comparison ends with status 1 if anything differs but ``info["method"]``, which is counted
apart. Kinds of difference: ``missing`` and ``added`` calls; ``exception`` and ``warning`` by their
type, ``message`` by their text alone; ``tie`` if other columns were chosen with the same errors,
``indices`` if with others; or else the name of the part of the answer that differs.
"""

from __future__ import annotations

import os

# so that sums are taken in the same order
os.environ.update(
    dict.fromkeys((f"{name}_NUM_THREADS" for name in ("OPENBLAS", "OMP", "MKL", "NUMBA")), "1")
)

import argparse
import gzip
import json
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

import colonnade as c

Answer = dict[str, Any]
Calls = Iterator[tuple[str, Callable[[], Answer]]]
Setting = tuple[Any, dict[str, Any]]  # n_select and further parameters

SEED = 3
POINTS = 150
"""How many rows a kernel is made of at most."""


# -- data ----------------------------------------------------------------------------------------


def _graded(rng: np.random.Generator, m: int, n: int, smallest: float) -> Any:
    k = min(m, n)
    left, right = (np.linalg.qr(rng.standard_normal((side, k)))[0] for side in (m, n))
    return (left * np.geomspace(1.0, smallest, k)) @ right.T


def _patched(rng: np.random.Generator, columns: list[int], value: float) -> Any:
    A = rng.standard_normal((20, 14))
    A[:, columns] = value
    return A


def _large(rng: np.random.Generator) -> Any:
    return sp.random(2050, 2100, 0.01, rng=rng).toarray() * np.geomspace(1.0, 0.01, 2100)


MATRICES: dict[str, Callable[[np.random.Generator], Any]] = {
    "wide": lambda rng: rng.standard_normal((12, 50)),
    "tall": lambda rng: rng.standard_normal((50, 12)),
    "one column": lambda rng: rng.standard_normal((9, 1)),
    "one row": lambda rng: rng.standard_normal((1, 9)),
    "duplicated": lambda rng: np.tile(rng.standard_normal((30, 8)), 3)[:, rng.permutation(24)],
    "near duplicates": lambda rng: (
        np.tile(rng.standard_normal((25, 10)), 2) + 1e-9 * rng.standard_normal((25, 20))
    ),
    "zero columns": lambda rng: _patched(rng, [0, 5], 0.0),
    "constant columns": lambda rng: _patched(rng, [3, 7], 2.0),
    "rank 5": lambda rng: rng.standard_normal((30, 5)) @ rng.standard_normal((5, 20)),
    "all sizes": lambda rng: rng.standard_normal((30, 16)) * np.geomspace(1e-6, 1e6, 16),
    "graded tall": lambda rng: _graded(rng, 40, 20, 1e-12),
    "graded wide": lambda rng: _graded(rng, 20, 60, 1e-6),
    "orthogonal": lambda rng: 2.0 * np.linalg.qr(rng.standard_normal((30, 15)))[0],
    "huge": lambda rng: 1e120 * rng.standard_normal((20, 30)),
    "tiny": lambda rng: 1e-120 * rng.standard_normal((30, 20)),
    "far from zero": lambda rng: 1e6 + rng.standard_normal((40, 15)),
    "counts": lambda rng: rng.poisson(0.7, (40, 25)).astype(float),
    "one-hot": lambda rng: np.eye(14)[rng.integers(0, 13, 40)],
    "zeros": lambda rng: np.zeros((8, 10)),
    "too huge": lambda rng: 1e150 * rng.standard_normal((20, 30)),
    "too tiny": lambda rng: 1e-150 * rng.standard_normal((30, 20)),
    "no columns": lambda rng: np.zeros((8, 0)),
    "no rows": lambda rng: np.zeros((0, 8)),
    "not a number": lambda rng: _patched(rng, [4], np.nan),
    "infinite": lambda rng: _patched(rng, [4], np.inf),
    "large": _large,
}
REFUSED = ("too huge", "too tiny", "no columns", "no rows", "not a number", "infinite")
"""Where all methods say the same, few parameters are tried."""

SHIPPED = {"iris": (150, 1), "wine": (178, 1), "breast_cancer": (569, 1), "digits": (600, 1)}
STORED = {"orl_32x32": (200, 4), "usps": (1000, 1), "isolet": (500, 2), "colon": (62, 4),
          "20news": (400, 20)}  # fmt: skip
"""Data sets: how many rows to take, evenly spaced, and one in how many columns."""

FITTED = ("wide", "duplicated", "far from zero", "counts", "iris", "wine", "digits", "colon")
"""On what the estimators are fitted."""


def data() -> Iterator[tuple[str, Any, Any]]:
    """Yield each matrix with its name and labels of its rows."""
    for name, make in MATRICES.items():
        A = make(np.random.default_rng([*name.encode()]))
        yield name, A, np.arange(len(A)) % 2
    stored = STORED if os.environ.get("COLONNADE_DATA") else {}
    for name, (rows, step) in (SHIPPED | stored).items():
        found = c.datasets.load(name)
        cut = np.linspace(0, found.X.shape[0] - 1, rows).astype(int)
        A = found.X[cut][:, ::step]
        A = A.toarray() if sp.issparse(A) else A
        yield name, A.astype(float), np.unique(found.y[cut], return_inverse=True)[1] % 8


def _similar(A: Any, function: Callable[..., Any], *name: str) -> Any:
    A = A[:POINTS]
    with np.errstate(all="ignore"):
        gamma = 0.5 / (A.shape[1] * A.var()) if A.size else 1.0
    return function(A, *name, gamma=float(gamma) if np.isfinite(gamma) else 1.0)


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "C": np.ascontiguousarray,
    "CSR": sp.csr_array,
    "kernel": lambda A: _similar(A, c.Kernel, "rbf"),
    "float32": lambda A: A.astype(np.float32),
    "frame": lambda A: pd.DataFrame(A, columns=[f"x{j}" for j in range(A.shape[1])]),
    "F": np.asfortranarray,
    "integer": lambda A: A.astype(np.int64),
    "list": lambda A: A.tolist(),
    "strided": lambda A: np.repeat(np.repeat(A, 2, axis=0), 2, axis=1)[::2, ::2],
    "CSC": sp.csc_matrix,
    "COO": sp.coo_array,
    "linear kernel": lambda A: c.Kernel(A[:POINTS], "linear"),
    "given kernel": lambda A: c.Kernel(_similar(A, rbf_kernel)),
}


def containers(title: str, A: Any) -> Iterator[str]:
    """Yield in what to try a matrix: small ones in everything that can hold them."""
    for name in CONTAINERS if title in MATRICES else [*CONTAINERS][:5]:
        integral = np.isfinite(A).all() and bool((A % 1 == 0).all())
        if (name != "integer" or integral) and (title != "large" or name == "CSR"):
            yield name


# -- parameters ----------------------------------------------------------------------------------

PLAIN: list[Setting] = [(5, {}), (12, {}), (None, {})]
VALUES: dict[str, tuple[Any, ...]] = {
    "target": ("groups", "signed", "svd", "whitened"),
    "variant": ("B1", "B2", "B3"),
    "affinity": ("binary",),
    "style": ("phi2",),
    "on_disconnected": ("error",),
    "bins": (3, None),
    "center": (True, False),
    "scale": (None, "std", "robust", "max"),
    "missing": ("error",),
    **dict.fromkeys(("approximate", "deterministic"), (True,)),
    **dict.fromkeys(("rank", "n_clusters", "n_rounds", "n_candidates"), (1, 3)),
    **dict.fromkeys(("n_groups", "n_neighbors", "n_repeats", "block_size"), (2, 4)),
    **dict.fromkeys(("presample", "oversampling", "threshold"), (0.5, 2.0)),
    "factor": (1.1, 4.0),
    "rescale": (False,),
    "random_state": (7,),
}
MORE: list[Setting] = [
    (1, {}), (0.3, {}),
    (None, {"max_error": 0.1}), (6, {"max_error": 0.5}),
    (5, {"refine": True}), (None, {"refine": 1, "max_error": 0.2}),
    (5, {"must_include": [2, 0]}), (5, {"exclude": [1, 3]}),
    (6, {"must_include": [2], "exclude": [0, 4], "refine": True}),
    (6, {"must_include": [3], "target": "svd", "rank": 2}),
    (5, {"n_repeats": 3, "n_clusters": 2}), (5, {"deterministic": True, "approximate": True}),
    (5, {"affinity": "heat", "width": 5.0}), (5, {"style": "phi3", "n_vectors": 3}),
    (5, {"progress": "steps"}),
    *((5, {name: value}) for name, values in VALUES.items() for value in values),
]  # fmt: skip
WRONG: list[Setting] = [
    *((n_select, {}) for n_select in (0, -1, 2.5, 10**6, "three", True, np.nan)),
    *((5, {"must_include": some}) for some in ([99], [-1], [1, 1], ["x1"], 1, [*range(6)])),
    *((5, {"exclude": some}) for some in ([99], [*range(50)], "all")),
    *((None, {"max_error": error}) for error in (-0.1, 1.0, 2, "small", True)),
    *((5, {name: value}) for name in VALUES for value in (0, -1, 1.5, "nonsense", [])),
    *((5, {"refine": sweeps}) for sweeps in ("yes", -1, 1.5)),
    (5, {"must_include": [1], "exclude": [1]}), (5, {"affinity": "heat"}),
    (5, {"labels": None}), (5, {"target": None}), (5, {"unknown": 1}),
]  # fmt: skip
"""Tried on one matrix, for the messages."""

NEEDED = {"dual-set": {"n_clusters": 2}, "randomized-dual-set": {"n_clusters": 2}}
"""Without these, most numbers of columns would be too small."""

SLOW = ("bss", "hybrid-css", "jolliffe-b1", "orthogonal-pfs")
"""Methods that are tried in one container, with few columns to choose, if there are many."""


def settings(title: str, container: str, known: Any) -> list[Setting]:
    """Return what to try with a method or an estimator that has the known parameters."""
    every = container == "C" or (container in ("CSR", "kernel") and title in MATRICES)
    tried = PLAIN[:1] if title == "large" else list(PLAIN)
    if container == "frame":
        tried.append((3, {"must_include": ["x2"], "exclude": ["x0", 1]}))
    if every and title not in (*REFUSED, "large"):
        tried += MORE + (WRONG if title == "wide" else [])
    return [(n_select, params) for n_select, params in tried if {*params} <= {*known}]


# -- what was answered ---------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return what JSON can hold: numbers, text and vectors as they are, matrices as sums."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return float(f"{value:.13g}")
    if value is None or isinstance(value, int | str):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, c.Selection):
        info = {key: item for key, item in value.info.items() if key != "method"}
        return _parts(value, "indices n_candidates weights errors total embedding") | plain(
            {"info": info}
        )
    if isinstance(value, c.Certificate):
        checks = [[check.measured, check.promised, check.holds] for check in value.checks]
        return _parts(value, "holds points clusters notes") | plain({"checks": checks})
    if sp.issparse(value):
        return {"format": value.format} | plain(value.toarray())
    if isinstance(value, np.ndarray | pd.DataFrame):
        A = np.asarray(value)
        return plain(A.tolist()) if A.ndim == 1 else _sums(A)
    return type(value).__name__


def _parts(value: Any, names: str) -> Answer:
    return {name: plain(getattr(value, name)) for name in names.split()}


def _sums(A: Any) -> Answer:
    out = {"shape": list(A.shape), "dtype": A.dtype.name}
    if A.size and A.dtype.kind in "fiu":
        largest = float(np.abs(A).max())
        B = np.asarray(A, dtype=float).ravel() / (largest or 1.0)
        mixed = np.cos(np.arange(B.size)) @ B / np.sqrt(B.size)  # tells entries apart
        out |= {"largest": plain(largest), "sums": plain([B.mean(), B.std(), mixed])}
    return out


def observe(call: Callable[[], Answer]) -> Answer:
    """Return what a call returned or raised, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out = call()
        except Exception as error:
            out = {"raised": [type(error).__name__, str(error)]}
    found = dict.fromkeys((item.category.__name__, str(item.message)) for item in caught)
    return out | ({"warnings": [list(pair) for pair in found]} if found else {})


# -- calls ---------------------------------------------------------------------------------------


def _select(name: str, X: Any, A: Any, y: Any, n_select: Any, **params: Any) -> c.Selection:
    """Select with what a method needs beside its parameters."""
    entry, given = c.METHODS[name], dict(NEEDED.get(name, {}))
    if entry.supervised:
        with np.errstate(all="ignore"):
            target = A @ np.cos(np.arange(2.0 * A.shape[1])).reshape(-1, 2)
        given[entry.supervised] = y if entry.supervised == "labels" else target
    if "random_state" in entry.parameters:
        given["random_state"] = SEED
    return c.select(X, n_select, method=name, **given | params)


def _selected(name: str, container: str, A: Any, y: Any, n_select: Any, params: Any) -> Answer:
    steps: list[Any] = []
    if "progress" in params:
        params = {"progress": lambda *step: steps.append(step)}
    selection = _select(name, CONTAINERS[container](A), A, y, n_select, **params)
    return plain(selection) | {"method": selection.info.get("method"), "steps": plain(steps)}


def selections(title: str, A: Any, y: Any) -> Calls:
    """Yield calls of ``select`` by every method, in many containers, with many parameters."""
    for container in containers(title, A):
        for name, entry in c.METHODS.items():
            if "kernel" in container and "kernel" not in entry.inputs and title != "wide":
                continue
            slow = name in SLOW and A.shape[1] > 200
            for n_select, params in settings(title, container, (*entry.parameters, "unknown")):
                if slow and (container != "C" or not isinstance(n_select, int)):
                    continue
                label = f"{name}({n_select}, {params})"
                call = partial(_selected, name, container, A, y, n_select, params)
                yield f"select | {title} | {container} | {label}", call


OTHER = ("kmeans", "partial-adaptive-sampling", "fowlkes", "ssvd", "lsc", "pfa", "nonsense")
"""Ways to choose landmarks that are no methods for kernels."""

WEIGHTS = ("ridge", "exponential", "uniform", "nonsense")
"""Of an ensemble."""


def learners() -> list[Any]:
    """Return estimators that are no selectors of columns."""
    kernel = [name for name, entry in c.METHODS.items() if "kernel" in entry.inputs]
    projections = (c.GaussianProjection, c.HadamardProjection, c.SignProjection,
                   c.SparseSignProjection, c.SVDProjection)  # fmt: skip
    sizes = ({}, {"n_components": 3}, {"n_clusters": 2, "eps": 0.9})
    return [
        *(c.RowSelector(s) for s in (None, c.LeverageSelector(5, random_state=SEED))),
        c.RowSelector(c.InformationGainSelector(5)),
        c.GreedySelector(4, target="y"),
        *(c.ReducedKMeans(2, s) for s in (None, c.DualSetSelector(6, 2), c.SignProjection(4))),
        c.ReducedKMeans(3, c.SupervisedDualSetSelector(9), n_init=2, n_polish=0),
        c.RepresentativeKMeans(3),
        c.RepresentativeKMeans(3, 8, selector=c.UniformSelector(), n_polish=2),
        c.SphericalKMeans(3),
        *(c.RLSClassifier(alpha) for alpha in (1.0, 0.0, [0.01, 1, 100])),
        c.RLSClassifier([0.01, 1, 100], cv=3, fit_intercept=True),
        c.RLSClassifier([1, 100], solver="lsqr"),
        c.RLSClassifier([0.1, 1], kernel="rbf", gamma=0.01, cv=3),
        c.RLSClassifier([0.1, 1], kernel="precomputed"),
        *(c.Nystroem(n_components=9, landmarks=s) for s in (*kernel, *OTHER, [3, 1, 4])),
        c.Nystroem(n_components=12, rank=4),
        c.Nystroem("precomputed", n_components=7),
        *(c.EnsembleNystroem(n_components=6, n_experts=3, weights=s) for s in WEIGHTS),
        *(c.FastSpectralClustering(3, 9, method=s, n_init=2) for s in (*kernel, *OTHER)),
        *(c.FastSpectralClustering(2, affinity=s) for s in ("linear", "self-tuning")),
        c.FastSpectralClustering(2, affinity="precomputed"),
        *(projection(**params) for projection in projections for params in sizes),
        c.HadamardProjection(n_clusters=2, rule="boutsidis"),
        c.SignProjection(4, algorithm="mailman"),
        c.SparseSignProjection(4, density=0.5),
        c.SVDProjection(2, algorithm="stochastic", whiten=True),
    ]


def selectors(title: str, container: str) -> Iterator[Any]:
    """Yield the selectors of columns with many parameters."""
    for name in sorted(c.__all__):
        if name.endswith("Selector") and name != "RowSelector":
            make = getattr(c, name)
            few = {"n_clusters": 2} if make().get_params().get("n_clusters") == 8 else {}
            for n_select, params in settings(title, container, make().get_params()):
                yield make(n_select=n_select, **few | params)


def _fitted(model: Any, container: str, A: Any, y: Any) -> Answer:
    """Fit, and return all that was learned and what is made of the data."""
    X = CONTAINERS[container](A)
    model.fit(X, y)
    learned = [name for name in dir(model) if name.endswith("_") and not name.startswith("_")]
    out = {name.rstrip("_"): plain(getattr(model, name, None)) for name in learned}
    more: dict[str, Callable[[], Any]] = {
        "transform": lambda: model.transform(X),
        "inverse_transform": lambda: model.inverse_transform(model.transform(X)),
        "get_feature_names_out": lambda: model.get_feature_names_out(),
        "predict": lambda: model.predict(X),
        "decision_function": lambda: model.decision_function(X),
        "approximation_ratio": lambda: model.approximation_ratio(X),
        "certificate": lambda: model.certificate(X),
    }
    for name, call in more.items():
        if hasattr(model, name):
            out[name] = observe(lambda call=call: {"value": plain(call())})
    return out


def fits(title: str, A: Any, y: Any) -> Calls:
    """Yield fits of all estimators."""
    for container in ("C", "CSR", "float32", "frame"):
        for model in (*learners(), *selectors(title, container)):
            label = " ".join(repr(model).split())  # leaves out what is a default
            if model.get_params().get("random_state", SEED) is None:
                model.set_params(random_state=SEED)
            given = _similar(A, rbf_kernel) if "precomputed" in label else A
            call = partial(_fitted, model, container, given, y[: len(given)])
            yield f"fit | {title} | {container} | {label}", call


def certificates(title: str, A: Any, y: Any) -> Calls:
    """Yield certificates of selections by every method, for every kind of bound."""
    wishes: dict[str, dict[str, Any]] = {
        "plain": {},
        "clusters": {"n_clusters": 3, "n_init": 2},
        "classes": {"clusters": y, "labels": y, "gamma": 1.5},
        "classifier": {"labels": y % 2, "alpha": 0.5, "test": A[:7] + 0.1},
    }
    for name in c.METHODS:
        for wish, params in wishes.items():
            yield f"certify | {title} | {name} | {wish}", partial(_certified, name, A, y, params)


def _certified(name: str, A: Any, y: Any, params: dict[str, Any]) -> Answer:
    return plain(c.certify(A, _select(name, A, A, y, min(9, A.shape[1])), **params))


def measures(title: str, A: Any, y: Any) -> Calls:
    """Yield metrics and approximations for a simple clustering and a simple selection."""
    m, clusters, chosen = c.metrics, np.arange(len(y)) * 3 // len(y), [0, 2, 3]
    calls: dict[str, Callable[[Any], Any]] = {
        "reconstruction": lambda X: m.reconstruction_error(X, chosen),
        "reconstruction in full": lambda X: m.reconstruction_error(X, chosen, relative=False),
        "reconstruction of rank 2": lambda X: m.reconstruction_error(X, chosen, rank=2),
        "relative accuracy": lambda X: m.relative_accuracy(X, chosen),
        "exact": lambda X: m.best_rank_error(X, 3, svd="exact"),
        "randomized": lambda X: m.best_rank_error(X, 3, svd="randomized"),
        "kernel accuracy": lambda X: m.kernel_accuracy(X, c.select(X, 4)),
        "low rank": lambda X: _parts(c.low_rank(X, chosen, 2), "left singular_values right error"),
    }
    for name in ("nmi", "matched_accuracy", "purity", "f_measure", "entropy"):
        calls[name] = lambda X, name=name: getattr(m, name)(y, clusters)
    for name in ("kmeans_objective", "normalized_objective", "overall_similarity",
                 "partition_index", "separation_index"):  # fmt: skip
        calls[name] = lambda X, name=name: getattr(m, name)(X, y)
    for container in containers(title, A):
        for name, call in calls.items():
            yield (
                f"measure | {title} | {container} | {name}",
                lambda call=call, container=container: {
                    "value": plain(call(CONTAINERS[container](A)))
                },
            )


def _loaded(name: str) -> Answer:
    return _parts(c.datasets.load(name), "X y description feature_names target_names truth")


def everything() -> Calls:
    """Yield every call with a name of its own."""
    facts = "name kind inputs supervised randomized weighted parameters"
    for name, entry in c.METHODS.items():
        yield f"method | {name}", partial(_parts, entry, facts)
    for name, text in c.datasets.describe().items():
        if "(file in" not in text:
            yield f"data | {name}", partial(_loaded, name)
    for title, A, y in data():
        yield from selections(title, A, y)
        if title in FITTED:
            yield from fits(title, A, y)
        if title in (*FITTED, *STORED):
            yield from certificates(title, A, y)
            yield from measures(title, A, y)


def record(path: Path) -> int:
    """Make every call and write what it answered."""
    start, answers, methods = time.process_time(), {}, {}
    for key, call in everything():
        if key in answers:
            continue
        answers[key] = observe(call)
        if "method" in answers[key]:
            methods[key] = answers[key].pop("method")
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump({"answers": answers, "expected to change": methods}, file)
    print(f"{len(answers)} calls of {c.__file__} in {time.process_time() - start:.0f} s: {path}")
    return 0


# -- comparison ----------------------------------------------------------------------------------


TEXT = re.compile(r"\bnotes|\.raised\[1\]|\.warnings\[\d+\]\[1\]")
"""Where an answer holds the text of messages."""


def differences(old: Answer, new: Answer) -> Iterator[tuple[str, str]]:
    """Yield the kind and the description of each difference of two answers."""
    nothing = ["nothing", ""]
    for kind, before, after in (
        ("exception", [old.get("raised", nothing)], [new.get("raised", nothing)]),
        ("warning", old.get("warnings", []), new.get("warnings", [])),
    ):
        if before != after:
            alike = [name for name, _ in before] == [name for name, _ in after]
            yield "message" if alike else kind, f"{before} -> {after}"
    if "raised" in old or "raised" in new:
        return
    total = old.get("total", 1.0) or 0.0  # the errors of an estimator are shares
    if old.get("indices") != new.get("indices"):
        errors = [answer.get("errors") for answer in (old, new)]
        tie = all(errors) and not [*_unlike("errors", *errors, 0.0, 1e-9 * total)]
        yield "tie" if tie else "indices", f"{old.get('indices')} -> {new.get('indices')}"
        return
    largest = max(map(abs, old.get("weights") or [0.0]))
    rooms = {"errors": (1e-7, 1e-9 * total), "weights": (1e-7, 1e-9 * largest), "total": (1e-7, 0)}
    for name in sorted({*old, *new} - {"raised", "warnings", "indices"}):
        room = rooms.get(name, (1e-6, None))
        for path, text in _unlike(name, old.get(name, "no"), new.get(name, "no"), *room):
            yield "message" if TEXT.search(path) else name, f"{path}: {text}"


def _unlike(
    path: str, a: Any, b: Any, rtol: float, atol: float | None
) -> Iterator[tuple[str, str]]:
    """Yield where two values differ, and how; whole numbers and text must be the same.

    By default numbers in a list may differ by ``rtol`` of the largest of them.
    """
    if a == b:
        return
    lists = isinstance(a, list) and isinstance(b, list) and len(a) == len(b)
    kinds = {type(item) for value in (a, b) for item in (value if lists else [value])}
    if kinds == {dict} and not lists and a.keys() == b.keys():
        for key in a:
            yield from _unlike(f"{path}.{key}", a[key], b[key], rtol, atol)
    elif kinds <= {int, float} and float in kinds:
        if atol is None:
            sizes = np.abs(a)[np.isfinite(a)] if lists else np.zeros(1)
            atol = max(rtol * sizes.max(initial=0.0), 1e-12 if "checks" in path else 0.0)
        far = np.atleast_1d(~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)).nonzero()[0]
        if len(far) and lists:
            yield f"{path}[{far[0]}]", f"{a[far[0]]} -> {b[far[0]]}, {len(far)} of {len(a)} differ"
        elif len(far):
            yield path, f"{a} -> {b}"
    elif lists and kinds & {list, dict, float}:
        for i in range(len(a)):
            yield from _unlike(f"{path}[{i}]", a[i], b[i], rtol, atol)
    else:
        yield path, f"{a} -> {b}"


def compare(old_path: Path, new_path: Path) -> int:
    """Print all differences of two recordings and their number; return 1 if there are any."""
    old, new = (json.loads(gzip.decompress(path.read_bytes())) for path in (old_path, new_path))
    before, after = old["answers"], new["answers"]
    kinds: Counter[str] = Counter()
    unlike = 0
    for key in before | after:
        if key in before and key in after:
            found = list(differences(before[key], after[key]))
        else:
            found = [("missing" if key in before else "added", "")]
        unlike += bool(found)
        for kind, text in found:
            kinds[kind] += 1
            print(f"{kind} | {key} | {text[:300]}".replace("\n", " "))
    same = len(before | after) - unlike
    print(f"{len(before)} old calls, {len(after)} new ones: {same} equal, {unlike} different")
    print("differences: " + (", ".join(f"{n} {kind}" for kind, n in kinds.most_common()) or "none"))
    names, others = (recording["expected to change"] for recording in (old, new))
    changed = sum(names[key] != others[key] for key in names.keys() & others.keys())
    print(f'expected to change: info["method"] of {changed} calls in {len(names)}')
    return int(unlike > 0)


def main() -> int:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m tools.snapshot")
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("files", type=Path, nargs="+", help="one to write, or two to compare")
    given = parser.parse_args()
    if len(given.files) != {"record": 1, "compare": 2}[given.command]:
        parser.error("record takes one file, compare two")
    return (record if given.command == "record" else compare)(*given.files)


if __name__ == "__main__":
    sys.exit(main())
