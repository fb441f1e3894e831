"""Nyström methods of Farahat (2012), chapter 4: what each leaves of a kernel, and its time.

Every approximation is ``WᵀW`` for an embedding W (l × n), with a factor L of the kernel of its
landmarks. Nothing n × n is formed but the kernel: with ``M = W K Wᵀ`` and ``G = W Wᵀ``, what is
left by ``WᵀUUᵀW`` is ``‖K‖² − 2 tr(UᵀMU) + ‖UᵀGU‖²``, for all sizes whose rows come first in W.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...comparison.ledger import Outcome
from ...foundation.lapack import lstsq, np_qr
from ...foundation.typing import Array, Indices
from ...linalg.eigen import largest_eigenpairs
from ...nystroem.landmarks import (
    choose_landmarks,
    features_from,
    landmark_cholesky,
    partial_adaptive_sampling,
)
from ...nystroem.weights import draw_columns, draw_landmarks, learn_weights
from ...operands.kernel import Kernel, kernel_values
from ...registry import METHODS
from ...selectors.door import select
from .farahat_kernels_data import Given, sizes_of

__all__ = ["DRAWS", "ENSEMBLE", "FORMULAS", "PATHS", "along_path", "mixed", "size_by_size"]

FORMULAS = ("best", "traditional")
"""The best rank k inside K̃ (eq. 4.12), and that of the eigenvectors of K_SS (eq. 4.5)."""

PATHS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "GreedyNyström": ("greedy", {}),
    "PartGreedyNys": ("partition-greedy", {"n_groups": 100}),
    "PartGreedyNys, c = 50": ("partition-greedy", {"n_groups": 50}),
    "PartGreedyNys, c = 200": ("partition-greedy", {"n_groups": 200}),
    "SGMA": ("sgma", {}),
    "ICD": ("pivoted-qr", {}),
    "random pivots": ("random-pivot", {}),
    "signed groups": ("signed-greedy", {}),
}
"""Methods that choose one column after the other: one run has all sizes."""

ENSEMBLE = "EnsembleNys"
EXPERTS, LEARN, JUDGE = 10, 20, 20
ROUNDS = 10
"""Of adaptive sampling."""


def along_path(given: Given, label: str, percents: Sequence[int], seed: int) -> Outcome:
    """Return what a method of :data:`PATHS` leaves at each size, and its times on the way."""
    method, params = PATHS[label]
    sizes = sizes_of(len(given.K), percents)
    passed: dict[int, float] = {}
    seeded = {"random_state": seed} if METHODS[method].randomized else {}
    # once before, so that nothing is imported or compiled while the clock runs
    select(Kernel(np.eye(9)), 3, method=method, **{**params, **seeded})
    start = time.process_time()

    def watch(count: int, wanted: int, left: float) -> None:
        if count in sizes:
            passed[count] = time.process_time() - start

    kernel = Kernel(given.K, check=False)
    selection = select(kernel, max(sizes), method=method, progress=watch, **{**params, **seeded})
    end = time.process_time() - start
    W, chosen = np.asarray(selection.embedding), selection.indices
    parts = {
        p: (W[:size, chosen[:size]].T, passed.get(size, end))
        for p, size in zip(percents, sizes, strict=True)
    }
    outcome = _judged(given, W, parts)
    return outcome if seeded else {**outcome, "picks": chosen.tolist()}


def size_by_size(given: Given, label: str, percents: Sequence[int], seed: int) -> Outcome:
    """Return what a method of :data:`DRAWS` leaves at each size, chosen anew, and its times."""
    found: dict[str, dict[str, Any]] = {}
    for p, size in zip(percents, sizes_of(len(given.K), percents), strict=True):
        start = time.process_time()
        C, inner = DRAWS[label](given, size, np.random.RandomState(seed))
        L, pivots = landmark_cholesky(inner)
        W = features_from(C, L, pivots, None).T
        L = np.pad(L, ((0, 0), (0, len(W) - L.shape[1])))
        one = _judged(given, W, {p: (L, time.process_time() - start)})
        for key, values in one.items():
            found.setdefault(key, {}).update(values)
    return found


def _judged(given: Given, W: Array, parts: Mapping[int, tuple[Array, float]]) -> Outcome:
    """Return errors and times by per cent, of rank l and by both formulas of rank k.

    Parameters
    ----------
    given : Given
        The kernel.
    W : ndarray of shape (l, n)
        The embedding; of a smaller size it is its first rows.
    parts : dict
        The factor of the landmarks and the time that the embedding took, by per cent.
    """
    M, G = W @ (given.K @ W.T), W @ W.T
    rank = sizes_of(len(given.K), [1])[0]
    found: dict[str, dict[str, float]] = {
        key: {} for key in ("error", "time", *FORMULAS, *(f"{name} time" for name in FORMULAS))
    }
    for p, (L, passed) in parts.items():
        size = min(L.shape[1], len(W))
        found["error"][str(p)] = _left(given, M[:size, :size], G[:size, :size])
        found["time"][str(p)] = passed
        for formula in FORMULAS:
            start = time.process_time()
            U = rank_basis(W[:size], L, rank, formula)
            U.T @ W[:size]  # the features themselves
            found[f"{formula} time"][str(p)] = passed + time.process_time() - start
            found[formula][str(p)] = _left(
                given, U.T @ M[:size, :size] @ U, U.T @ G[:size, :size] @ U
            )
    return found


def rank_basis(W: Array, L: Array, rank: int, formula: str) -> Array:
    """Return U, with ``UᵀW`` the features that one of the :data:`FORMULAS` keeps."""
    products = W @ W.T if formula == "best" else L.T @ L
    return largest_eigenpairs(products, rank)[1]


def _left(given: Given, M: Array, G: Array) -> float:
    """Return ``‖K − ZZᵀ‖_F`` from ``M = ZᵀKZ`` and ``G = ZᵀZ``."""
    squared = given.squared - 2.0 * np.trace(M) + np.square(G).sum()
    return float(np.sqrt(max(squared, 0.0)))


def mixed(given: Given, percents: Sequence[int], seed: int) -> Outcome:
    """Return what mixtures of rank-k approximations leave, by both formulas, and their times.

    Ten experts of l uniform landmarks each; weights by nonnegative ridge regression on 20 columns,
    its parameter by 20 others. ``best weights`` is what the weights that know all of K would leave.
    """
    n, K = len(given.K), given.K
    rank = sizes_of(n, [1])[0]
    keys = [f"{name}{what}" for name in FORMULAS for what in ("", " time", ", best weights")]
    found: dict[str, dict[str, float]] = {key: {} for key in keys}
    for p, size in zip(percents, sizes_of(n, percents), strict=True):
        for formula in FORMULAS:
            start = time.process_time()
            rng = np.random.RandomState(seed)
            drawn, landmarks, others = draw_landmarks(n, size, EXPERTS, rng)
            experts = np.array([_expert(K, S, rank, formula) for S in drawn])
            weights = _weights(K, experts, landmarks, others)
            found[f"{formula} time"][str(p)] = time.process_time() - start
            inner = np.array([np.vdot(Y, Y @ K) for Y in experts])  # with K, and with each other
            among = np.array([[np.square(Y @ Z.T).sum() for Z in experts] for Y in experts])
            best = lstsq(among, inner)[0]
            for key, mu in ((formula, weights), (f"{formula}, best weights", best)):
                squared = given.squared - 2.0 * mu @ inner + mu @ among @ mu
                found[key][str(p)] = float(np.sqrt(max(squared, 0.0)))
    return found


def _weights(K: Array, experts: Array, landmarks: Indices, others: Indices) -> Array:
    (first, counts), (later, more) = draw_columns(landmarks, others, LEARN, JUDGE)
    columns, roots = np.append(first, later), np.sqrt(np.append(counts, more))
    exact, end = K[:, columns] * roots, len(first)
    parts = np.array([Y.T @ (Y[:, columns] * roots) for Y in experts])
    learn, judge = ((parts[:, :, i], exact[:, i]) for i in (slice(end), slice(end, None)))
    return learn_weights("ridge", None, learn, judge)[0]


def _expert(K: Array, S: Indices, rank: int, formula: str) -> Array:
    L, pivots = landmark_cholesky(K[np.ix_(S, S)])
    W = features_from(K[:, S], L, pivots, None).T
    L = np.pad(L, ((0, 0), (0, len(W) - L.shape[1])))
    return rank_basis(W, L, rank, formula).T @ W


def _uniform(given: Given, size: int, rng: np.random.RandomState) -> Indices:
    return rng.permutation(len(given.K))[:size]


def _adaptive(given: Given, size: int, rng: np.random.RandomState) -> Indices:
    """Draw in rounds, by the squared columns of ``K − UUᵀK``, U spanning the columns so far."""
    lengths = np.einsum("ij,ij->j", given.K, given.K)
    chosen: Indices = np.empty(0, dtype=np.intp)
    for part in np.array_split(np.arange(size), min(ROUNDS, size)):
        odds = lengths.copy()
        if len(chosen):
            U, _ = np_qr(given.K[:, chosen])
            projected = U.T @ given.K
            odds -= np.einsum("ij,ij->j", projected, projected)
            # what is left of columns in the span is rounding
            odds = np.maximum(odds, 1e-12 * lengths)
            odds[chosen] = 0.0
        drawn = rng.choice(len(odds), len(part), replace=False, p=odds / odds.sum())
        chosen = np.append(chosen, drawn)
    return chosen


def _partial(given: Given, size: int, rng: np.random.RandomState) -> Indices:
    return partial_adaptive_sampling(Kernel(given.K, check=False), size, rng, ROUNDS)


def _points(choose: Callable[[Given, int, Any], Indices]) -> Any:
    def landmarks(given: Given, size: int, rng: Any) -> tuple[Array, Array]:
        S = choose(given, size, rng)
        return given.K[:, S], given.K[np.ix_(S, S)]

    return landmarks


def _centroids(given: Given, size: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """Take centroids of five iterations of k-means that starts at points of the data."""
    params = {"init": "random", "max_iter": 5}
    kernel = Kernel(given.X, given.kernel, **given.params)
    centers = choose_landmarks(kernel, size, "kmeans", params, rng).points
    return (
        kernel_values(given.X, centers, given.kernel, given.params),
        kernel_values(centers, centers, given.kernel, given.params),
    )


DRAWS: dict[str, Callable[[Given, int, Any], tuple[Array, Array]]] = {
    "UniNoRep": _points(_uniform),
    "AdaptFull": _points(_adaptive),
    "AdaptPart": _points(_partial),
    "kMeans": _centroids,
}
"""Methods that choose all at once: the kernel of all points with the landmarks, and of these."""
