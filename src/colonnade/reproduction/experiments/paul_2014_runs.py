"""The runs behind the tables of Paul & Drineas (2014): which features, and how they classify."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from ... import datasets
from ...barriers.draws import draw, leverage, merge
from ...barriers.sparsifying import SpectralBarrier, sparsify
from ...comparison.ledger import Job, Outcome
from ...foundation.lapack import qr
from ...foundation.typing import Array, Floats, Indices
from ...linalg.ridge import Kernelized
from ...linalg.svd import right_singular_vectors
from ...operands.entrance import as_columns
from ...selectors.door import select
from .paul_2014_printed import ALPHAS, SIZES

__all__ = [
    "AT_RANDOM", "DRAWS", "LONGEST", "RANKS", "SYNTHETIC_ALPHAS", "cut_pairs", "drawn_rows",
    "folds", "run_pair", "run_synthetic", "test_errors",
]  # fmt: skip

FOLDS = 10
DRAWS = 5
"""How often random methods draw in each training set."""
SYNTHETIC_ALPHAS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)
RANKS = (None, 5, 2, 1)
"""How many singular vectors count; None is all, as the document says."""
LETTERS = 5
"""Shorter words are left out."""
WORDS = 10_000
"""Pairs with fewer words are left out."""
DOCUMENTS = (150, 170, 190, 210)
"""How many documents pairs have, by turns."""

LONGEST, AT_RANDOM = "longest", "random"
"""Which documents of a class are taken: those of most words, or any."""

Choice = tuple[Indices, Floats | float]
"""Features and their weights."""


def folds(n: int, seed: int) -> Iterator[tuple[Indices, Indices]]:
    """Yield the training and the test rows of a ten-fold cross-validation.

    Examples
    --------
    >>> from colonnade.reproduction.experiments.paul_2014_runs import folds
    >>> train, test = next(folds(30, 0))
    >>> len(train), len(test)
    (27, 3)
    """
    order = np.random.RandomState(seed).permutation(n)
    for part in np.array_split(order, FOLDS):
        yield np.setdiff1d(order, part), np.sort(part)


def test_errors(
    train: Array, y: Array, test: Array, truth: Array, alphas: Sequence[float]
) -> list[float]:
    """Return the share of test points that are not given their label, for each λ.

    ``f(q) = qᵀ X x`` with ``(K + λI) x = y``, ``K = XᵀX``, without an intercept; a point with
    ``f(q) = 0``, such as a document without any of the words, is given none.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.experiments.paul_2014_runs import test_errors
    >>> X, y = np.array([[1.0], [-2.0]]), np.array([1.0, -1.0])
    >>> test_errors(X, y, np.array([[3.0], [0.0]]), np.array([1.0, 1.0]), [0.1])
    [0.5]
    """
    models = Kernelized(train @ train.T, y[:, None], intercept=False).solve_each(list(alphas))
    values = test @ (train.T @ np.hstack([model.coef for model in models]))
    return [float(np.mean(np.sign(column) != truth)) for column in values.T]


test_errors.__test__ = False  # type: ignore[attr-defined]  # its name is not that of a test


def _bss(V: Array, picks: int) -> Choice:
    found = sparsify(V, picks, SpectralBarrier(V))
    return merge(found.picks, found.weights)


def _leverage(V: Array, picks: int, rng: np.random.RandomState) -> Choice:
    return merge(*draw(leverage(V), picks, rng))


def _pivots(A: Array) -> Indices:
    """Return the permutation of LAPACK's pivoted QR; behind the rank, what was left in place."""
    return np.asarray(qr(A, mode="r", pivoting=True)[1])


def run_synthetic(job: Job) -> Outcome:
    """Count which features are picked in the training sets of a generated data set."""
    k, picks, seed = job["relevant"], job["picks"], job["seed"]
    data = datasets.load(job["data"], n_informative=k, random_state=seed)
    X, y = data.X, np.asarray(data.y, dtype=float)
    counts: dict[str, Array] = {}
    errors: dict[str, list[list[float]]] = {}
    rng = np.random.RandomState(seed)
    for repeat in range(job["repeats"]):
        for train, test in folds(len(X), repeat):
            for name, choices in _synthetic_choices(X[train], y[train], picks, rng).items():
                seen = counts.setdefault(name, np.zeros(X.shape[1], dtype=int))
                for idx, w in choices:
                    seen[idx] += 1
                    pair = X[train][:, idx] * w, X[test][:, idx] * w
                    wrong = test_errors(pair[0], y[train], pair[1], y[test], SYNTHETIC_ALPHAS)
                    errors.setdefault(name, []).append(wrong)
    return {
        "top": {name: most_frequent(seen) for name, seen in counts.items()},
        "relevant_top": {name: relevant_share(seen, k) for name, seen in counts.items()},
        "relevant": {name: float(seen[:k].sum() / seen.sum()) for name, seen in counts.items()},
        "error": {name: np.mean(found, axis=0).tolist() for name, found in errors.items()},
    }


def _synthetic_choices(
    A: Array, y: Array, picks: int, rng: np.random.RandomState
) -> dict[str, list[Choice]]:
    V = right_singular_vectors(as_columns(A))[1]
    told = select(A, picks, method="information-gain", labels=y)
    # the presence of a feature that no point lacks tells nothing: all are equal
    found: dict[str, list[Choice]] = {
        "RRQR": [(_pivots(A)[:picks], 1.0)],
        "information gain": [(told.indices, 1.0)],
        "information gain, presence": [(np.arange(picks), 1.0)],
        "all features": [(np.arange(A.shape[1]), 1.0)],
    }
    if (A == 0).any():
        raise ValueError("a feature is zero in some point, so that its presence tells something")
    for rank in RANKS:
        name = "" if rank is None else f", rank {rank}"
        found[f"BSS{name}"] = [_bss(V[:, :rank], picks)]
        found[f"leverage{name}"] = [_leverage(V[:, :rank], picks, rng) for _ in range(DRAWS)]
    return found


def most_frequent(counts: Array, n: int = 5) -> list[int]:
    """Return the features of largest count, numbered from one, of equal ones the last.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.experiments.paul_2014_runs import most_frequent
    >>> most_frequent(np.array([3, 1, 3, 2]), 2)
    [3, 1]
    """
    order = np.lexsort((-np.arange(len(counts)), -counts))
    return (order[:n] + 1).tolist()


def relevant_share(counts: Array, relevant: int, n: int = 5) -> float:
    """Return how many of the n features of largest count are relevant, on average over ties.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.experiments.paul_2014_runs import relevant_share
    >>> relevant_share(np.array([3, 2, 2, 2]), 2, 2)  # the first, and one of three
    0.667
    """
    least = np.sort(counts)[-n]
    above, tied = counts > least, counts == least
    share = float(tied[:relevant].mean() * relevant / tied.sum())
    return round((float(above[:relevant].sum()) + share * (n - int(above.sum()))) / n, 3)


def cut_pairs(
    X: Any, y: Array, sizes: Sequence[int], at_least: int = WORDS
) -> Iterator[tuple[int, int, Indices]]:
    """Yield two classes and rows for each size: half of them of each class, those of most words.

    Pairs of classes come in a random order (seed 0); those whose rows have fewer than ``at_least``
    different words are passed over.
    """
    lengths = np.asarray((X != 0).sum(axis=1)).ravel()
    every = list(combinations(np.unique(y).tolist(), 2))
    wanted = iter(sizes)
    size = next(wanted, None)
    for at in np.random.RandomState(0).permutation(len(every)):
        if size is None:
            return
        rows = []
        for label in every[at]:
            own = np.flatnonzero(y == label)
            rows.append(np.sort(own[np.argsort(-lengths[own], kind="stable")][: size // 2]))
        both = np.concatenate(rows)
        if len(both) == size and len(present_columns(X[both])) >= at_least:
            yield (*every[at], both)
            size = next(wanted, None)


def present_columns(X: Any) -> Indices:
    """Return the columns that are not zero."""
    return np.flatnonzero(np.asarray((X != 0).sum(axis=0)).ravel())


@lru_cache(maxsize=1)
def _documents(name: str) -> tuple[Any, Array, Array]:
    """Return counts of words of five letters or more, classes, and the words."""
    data = datasets.load(name)
    words = np.array(data.feature_names)
    long = np.flatnonzero(np.char.str_len(words) >= LETTERS)
    return data.X[:, long], np.asarray(data.y), words[long]


def drawn_rows(y: Array, classes: Sequence[int], size: int, seed: int) -> Indices:
    """Return rows of two classes drawn at random, half of them of each.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.experiments.paul_2014_runs import drawn_rows
    >>> np.repeat([1, 2, 3], 5)[drawn_rows(np.repeat([1, 2, 3], 5), (1, 3), 6, 0)]
    array([1, 1, 1, 3, 3, 3])
    """
    rng = np.random.RandomState(seed)
    own = [np.flatnonzero(y == label) for label in classes]
    drawn = [np.sort(rng.choice(rows, size // 2, replace=False)) for rows in own]
    return np.concatenate(drawn)


@lru_cache(maxsize=2)
def _pair(
    name: str, number: int, picked: str = LONGEST
) -> tuple[tuple[int, int], Array, Array, Array]:
    """Return classes, counts, labels ±1 and words of a pair.

    Documents that are drawn at random are of the same two classes as those of most words.
    """
    X, y, words = _documents(name)
    sizes = [DOCUMENTS[i % len(DOCUMENTS)] for i in range(number + 1)]
    *_, (first, second, rows) = cut_pairs(X, y, sizes)
    if picked == AT_RANDOM:
        rows = drawn_rows(y, (first, second), len(rows), number)
    there = present_columns(X[rows])
    counts = as_columns(X[rows][:, there]).columns(slice(None))
    return (first, second), counts, np.where(y[rows] == first, -1.0, 1.0), words[there]


def run_pair(job: Job) -> Outcome:
    """Classify the documents of a pair by ten-fold cross-validation, with every method."""
    classes, X, y, words = _pair(job["data"], job["pair"], job["documents"])
    rng = np.random.RandomState(1000 * job["repeat"] + job["pair"])
    errors: dict[str, list[list[float]]] = {}
    undecided: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    times: list[Indices] = []
    ranks: list[int] = []
    parts = list(folds(len(X), job["repeat"]))[: job["folds"]]
    for train, test in parts:
        A, Q = X[train], X[test]
        chosen = _pair_choices(A, y[train], rng, seconds, ranks)
        times.append(chosen["BSS", SIZES[0]][0][0])
        chosen["all features", 0] = [(np.arange(X.shape[1]), 1.0)]
        for (name, size), choices in chosen.items():
            for idx, w in choices:
                C, T = A[:, idx] * w, Q[:, idx] * w
                wrong = test_errors(C, y[train], T, y[test], ALPHAS)
                errors.setdefault(f"{name} {size}", []).append(wrong)
                nothing = float((T == 0).all(axis=1).mean())
                undecided.setdefault(f"{name} {size}", []).append(nothing)
    return {
        "classes": classes,
        "documents": len(X),
        "words": X.shape[1],
        "rank": float(np.mean(ranks)),
        "error": {name: np.mean(found, axis=0).tolist() for name, found in errors.items()},
        "undecided": {name: float(np.mean(found)) for name, found in undecided.items()},
        "method_seconds": {name: spent / len(parts) for name, spent in seconds.items()},
        "frequent": _frequent_words(X, y, words, times),
    }


def _pair_choices(
    A: Array, y: Array, rng: np.random.RandomState, seconds: dict[str, float], ranks: list[int]
) -> dict[tuple[str, int], list[Choice]]:
    """Return what each method chooses of a training set, for each size."""

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = work()
        seconds[name] = seconds.get(name, 0.0) + time.process_time() - start
        return result

    V = timed("SVD", lambda: right_singular_vectors(as_columns(A))[1])
    ranks.append(V.shape[1])
    pivots = timed("RRQR", lambda: _pivots(A))
    told = timed(
        "information gain", lambda: select(A, max(SIZES), method="information-gain", labels=y)
    ).indices
    found: dict[tuple[str, int], list[Choice]] = {}
    for size in SIZES:
        found["BSS", size] = [timed(f"BSS {size}", partial(_bss, V, size))]
        found["leverage", size] = [_leverage(V, size, rng) for _ in range(DRAWS)]
        found["RRQR", size] = [(pivots[:size], 1.0)]
        found["random", size] = [
            (rng.choice(A.shape[1], size, replace=False), 1.0) for _ in range(DRAWS)
        ]
        found["information gain", size] = [(told[:size], 1.0)]
    return found


def _frequent_words(X: Array, y: Array, words: Array, times: list[Indices]) -> dict[str, Any]:
    """Return the words that were picked in all training sets, the earliest picks first.

    With each goes its mean place, and the share of all words that tell the classes less apart: the
    shares of documents that have them differ less.
    """
    place = np.full(X.shape[1], 0.0)
    for picked in times:
        missing = np.full(X.shape[1], np.inf)
        missing[picked] = np.arange(len(picked))
        place += missing
    always = np.argsort(place, kind="stable")[: int(np.isfinite(place).sum())]
    present = X != 0
    shares = present[y > 0].mean(axis=0), present[y < 0].mean(axis=0)
    apart = np.abs(shares[0] - shares[1])
    return {
        "picked": len(np.unique(np.concatenate(times))),
        "always": {
            str(words[j]): [float(place[j] / len(times)), float(np.mean(apart < apart[j]))]
            for j in always
        },
    }
