"""Landmarks and features of points in chunks that are never together in memory."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.random import sample_without_replacement

from ..foundation.typing import Array, Indices
from ..operands.chunked.arriving import count_rows
from ..operands.chunked.fetching import fetched_rows, on_all_rows
from ..operands.chunked.lazy import mapped_rows, refuse_frames
from ..operands.containers import by_rows, dense
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from ..operands.kernel import Kernel
from ..registry import METHODS
from .centers import DENSE, LOOKED_AT, OF_LENGTHS, centers_among
from .kernel_arguments import type_of
from .landmarks import Landmarks, automatic, check_landmark_params, given_landmarks, uneven

__all__ = ["PAIRS", "feature_products", "landmarks_of_chunks", "lazy_features", "random_rows"]

WAYS = ("auto", "short-kmeans", "uniform")
"""Ways to landmarks that look at some of the points only."""

PAIRS = (
    'kernel="precomputed" would need all pairs of points at once, and data in chunks never is in '
    "memory together; pass the points, with the name of their kernel"
)

MANY = 10**7
"""Up to so many rows a draw is that of an array: the beginning of a permutation of all."""


def landmarks_of_chunks(
    X: Any,
    kernel: Any,
    kernel_params: Mapping[str, Any],
    count: int,
    how: Any,
    params: Mapping[str, Any] | None,
    rng: Any,
) -> tuple[Landmarks, Kernel]:
    """Return landmarks from some rows of chunks, and the kernel of the rows that were looked at.

    Parameters
    ----------
    X : dask array
        The points.
    kernel, kernel_params
        The kernel.
    count : int
        How many landmarks.
    how : str or array-like of int
        "auto" or "short-kmeans": centres of rows that are drawn, or where these are of no use
        rows by random pivots among those; "uniform": random rows; or the landmarks.
    params : dict or None
        Parameters of that way.
    rng : RandomState
        Draws rows.
    """
    A = wrapped(X)
    n = count_rows(A, "a choice of landmarks")
    params = check_landmark_params(params, how)
    if isinstance(kernel, str) and kernel == "precomputed":
        raise TypeError(PAIRS)
    if not isinstance(how, str):
        return _by_number(A, given_landmarks(how, n, params), kernel, kernel_params)
    if how not in WAYS:
        raise ValueError(
            f"landmarks={how!r} compares points with all others, and data in chunks never is in "
            f"memory together; choose {', '.join(map(repr, WAYS))} or row numbers, or fit on an "
            "array, such as some of the rows"
        )
    if how == "uniform" or (how == "auto" and count == n):
        if params:
            raise ValueError('landmarks="uniform" takes no parameters; leave landmarks_params out')
        rows = np.arange(n) if how == "auto" else random_rows(n, count, rng)
        return _by_number(A, rows, kernel, kernel_params)
    size = max(params.get("n_sample") or DENSE.n_sample(n, count), LOOKED_AT, count)
    drawn = random_rows(n, min(size, n), rng)
    some = Kernel(fetched_rows(A, drawn), kernel, **kernel_params)
    if how == "auto" and _by_pivots(some):
        chosen = METHODS["random-pivot"](some, count, random_state=rng).indices
        return Landmarks(drawn[chosen], points=_as_given(some, chosen)), some
    centers = centers_among(some, np.arange(len(drawn)), n, count, **params)
    return Landmarks(points=centers), some


def random_rows(n: int, count: int, rng: Any) -> Indices:
    """Return some of n rows, at random and in random order."""
    if n <= MANY:
        return np.asarray(rng.permutation(n)[:count])
    return rng.permutation(sample_without_replacement(n, count, random_state=rng))


def _by_number(
    A: Columns, rows: Indices, kernel: Any, params: Mapping[str, Any]
) -> tuple[Landmarks, Kernel]:
    points = fetched_rows(A, rows)
    return Landmarks(rows, points=points), Kernel(points, kernel, **params)


def _by_pivots(kernel: Kernel) -> bool:
    """Say whether means stand for no points, by those that were drawn."""
    if automatic(kernel) != "short-kmeans":
        return True
    return kernel.kernel in OF_LENGTHS and uneven(kernel.sq_norms())


def _as_given(kernel: Kernel, rows: Indices) -> Any:
    points = kernel.data[rows]
    return points if kernel.origin is None else points + kernel.origin


def lazy_features(model: Any, X: Any) -> Any:
    """Return the features of points in chunks, when these are asked for.

    Parameters
    ----------
    model : Nystroem or EnsembleNystroem
        The fitted map, as it is now.
    X : dask array
        The points.
    """
    refuse_frames(model)
    return mapped_rows(X, _features, copy(model), width=model._n_features_out, dtype=type_of(X))


def _features(X: Any, model: Any) -> Array:
    rows = dense(X) if model.kernel == "precomputed" else by_rows(X)
    return np.asarray(model._map(rows))


def feature_products(model: Any, X: Any) -> tuple[Array, float]:
    """Return ``ZᵀZ`` of the features of all points, and what share of the trace these leave.

    Parameters
    ----------
    model : Nystroem
        The map, before its best features are known.
    X : dask array
        The points, which are read once.
    """
    square = 8 * len(model.factor_) ** 2
    parts = on_all_rows(wrapped(X), _products, "features", copy(model), fixed=square)
    products, traces = zip(*parts, strict=True)
    inner, total = np.sum(products, axis=0), float(sum(traces))
    return inner, max(1.0 - float(inner.trace()) / total, 0.0) if total > 0 else 0.0


def _products(X: Any, model: Any) -> tuple[Array, float]:
    if not X.shape[0]:
        return np.zeros((len(model.factor_),) * 2), 0.0
    Z = model._map(by_rows(X), np.float64)
    kernel = Kernel(X, model.kernel, **model._params)
    return Z.T @ Z, float(kernel.sq_norms().sum())
