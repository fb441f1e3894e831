"""k-means on data in chunks: few numbers of each row come here, centres go to the blocks."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..foundation.alerts import RankReachedWarning
from ..foundation.typing import Floats, Indices
from ..linalg.units import divided, near_one, summed_units
from ..operands.blocks import float64
from ..operands.chunked.array import Chunked
from ..operands.chunked.arriving import gathered, validated_chunks, with_known_rows
from ..operands.chunked.chunked_table import ChunkedTable
from ..operands.chunked.grouping import Assigned, assigned, columns_of, drawn_rows, projected
from ..operands.chunked.planning import check_client_room
from ..operands.chunked.source import Source
from ..operands.entrance import wrapped
from ..operands.row_weights import check_weights
from ..operands.sums import Sums
from ..projections import SVDProjection
from ..selectors.base import Selector
from .cluster_counts import check_clusters, check_filled, check_init
from .iterations import POLISH, TOLERANCE, clustered
from .steps import FEW_ROWS, centroids, fill_empty, scoring

__all__ = ["blocks_dtype", "fit_by_blocks", "score_by_blocks", "without_rows"]

ALL = 1e300
"""A size of a sample for which every row that has a weight is drawn."""
SMALL_INTEGERS = (np.uint8, np.int8, np.uint16, np.int16)
"""Of these float32 holds all, in half of the memory."""
FARTHEST, SAMPLED = 1e4, 5000
"""How many times as far as usual a row may be for float32 to tell the others apart, and how many
rows tell what is usual."""


def blocks_dtype(dtype: Any) -> Any:
    """Return the type that blocks of data are worked on in."""
    return np.float32 if dtype == np.float32 or dtype in SMALL_INTEGERS else np.float64


def without_rows(model: Any) -> Any:
    """Return a copy of a fitted model that has what new rows need, and nothing of the old ones."""
    light = copy.copy(model)
    for name in ("labels_", "_kept", "reducer_", "feature_names_in_"):
        light.__dict__.pop(name, None)
    light.reducer = None
    return light


def score_by_blocks(model: Any, X: Any, sample_weight: Any) -> float:
    """Return minus the objective of data in chunks, by one pass."""
    array = validated_chunks(model, X, reset=False)
    weights = gathered(sample_weight)
    if weights is not None:
        array = with_known_rows(array)
        weights = check_weights(weights, array.shape[0])
    dtype = np.result_type(blocks_dtype(array.dtype), model.cluster_centers_)
    A = _chunked(divided(array.astype(dtype), model.units_))
    return -_assigned(A, model._centers(), weights).loss


def fit_by_blocks(
    model: Any, X: Any, y: Any, sample_weight: Any, *, dimensions: int, rows_each: int
) -> None:
    """Fit a model to data in chunks.

    One pass finds means, extremes and units. Unless the data has few features, another draws rows,
    of which the default reducer learns directions. Of each row then come so many numbers here as
    there are directions, and are clustered in memory. From the means of these clusters on, each
    iteration on the data is one pass, which finds the nearest centre of each row and what the rows
    of each centre add up to.

    Parameters
    ----------
    model : ReducedKMeans
        Gets what a fit leaves.
    X, y, sample_weight
        As for ``fit``; y is for a reducer that needs labels.
    dimensions : int
        How many dimensions the default reducer leaves.
    rows_each : int
        From how many rows for each it learns them.
    """
    array = with_known_rows(validated_chunks(model, X, reset=True))
    array = array.astype(blocks_dtype(array.dtype))
    m, names = array.shape[0], getattr(model, "feature_names_in_", None)
    weights, unit = near_one(check_weights(gathered(sample_weight), m))
    kept = None if weights is None or weights.all() else np.flatnonzero(weights)
    k = check_clusters(model.n_clusters, m if kept is None else len(kept), m)
    model._check_parameters()
    if model.online:
        raise ValueError(
            "online=True visits rows one by one, which takes too long where rows come in chunks; "
            "set online=False"
        )
    start = check_init(model.init, k, array.shape[1])
    A = _chunked(array)
    sums = A.sums(weights, products=False)
    array = _exact_enough(array, sums)
    model.units_, constants = None, np.zeros(1)
    if model.scale is not None:
        # clusters know no origin, so that "max" is not measured from one
        model.units_, constants = summed_units(sums, model.scale, names, center=True)
    A = A.with_array(divided(array, model.units_))
    rng = check_random_state(model.random_state)
    about = _about(sums, model.units_)
    reduced, reason = _reduced(model, A, y, weights, about, rng, dimensions, rows_each, names)
    if start is not None:
        start = _first_means(A, divided(start, model.units_), reduced, weights)
    some, few = reduced, weights
    if kept is not None and weights is not None:
        some, few = reduced[kept], weights[kept]
    found = clustered(some, k, few, start, rng, n_init=model.n_init, max_iter=model.max_iter)
    check_filled(found.labels, k, reason)
    labels = found.labels
    if kept is not None:  # rows without weight add nothing to the means, wherever they are
        labels = np.zeros(m, dtype=np.intp)
        labels[kept] = found.labels

    def as_kept(centers: Floats) -> Floats:
        """Return centres as they are kept, so that these give the same labels again."""
        given = centers if model.units_ is None else centers * model.units_ + constants
        model.cluster_centers_ = given.astype(array.dtype)
        return np.asarray(model._centers())

    model.n_iter_ = found.n_iter
    labels, loss = _polished(A, labels, k, model.n_polish, weights, as_kept)
    if kept is not None and model.n_polish == 0:
        nearest = _assigned(A, model._centers(), None).labels
        nearest[kept] = labels[kept]
        labels = nearest
    model.labels_, model.inertia_ = labels, unit * loss
    model._kept = kept


def _chunked(array: Any) -> Chunked:
    return Chunked(Source(array))


def _exact_enough(array: Any, sums: Sums) -> Any:
    """Return data in float64 if float32 would not do for its squares and differences."""
    largest = float(np.maximum(-sums.low, sums.high).max())
    sums.check_size()
    far = sums.weight * (sums.means @ sums.means) > 100 * sums.squares.sum()
    moderate = largest == 0 or 2.0**-40 < largest < 2.0**40
    if array.dtype == np.float32 and (far or not moderate):
        return array.astype(np.float64)
    return array


def _about(sums: Sums, units: Floats | None) -> tuple[Floats, float, float]:
    """Return the mean row, the weight of all, and their squared distances from it, in units."""
    means, squares = sums.means, sums.squares
    if units is not None:
        means = divided(means[None, :], units)[0]
        squares = divided(divided(squares[None, :], units), units)[0]
    return means, sums.weight, float(squares.sum())


def _reduced(
    model: Any, A: Chunked, y: Any, weights: Floats | None, about: tuple[Floats, float, float],
    rng: np.random.RandomState, dimensions: int, rows_each: int, names: Any,
) -> tuple[Any, str]:  # fmt: skip
    """Return few numbers for each row, in memory, and why they might not tell rows apart."""
    m, d = A.shape
    few = "the data has too few distinct points; give other data"
    model.reducer_ = None
    if model.reducer is not None:
        return _selected(model, A, y, weights, rng, names), few
    V: Any = np.eye(d)
    if d > dimensions and model.n_clusters > 1:
        seed = rng.randint(2**31 - 1)
        draws = check_random_state(seed).random_sample(m)
        size = ALL if m <= FEW_ROWS else float(rows_each * dimensions)
        rows, loads = drawn_rows(A, size, weights, about, draws)
        model.reducer_ = SVDProjection(
            min(dimensions, rows.shape[0]), algorithm="stochastic", n_power=1, random_state=seed
        )
        _quietly(model.reducer_.fit_transform_checked, rows, names, loads)
        V = model.reducer_.components_.T
    elif d > dimensions:
        V = V[:, :1]  # one cluster is all rows, whatever is looked at
    mean, _, spread = about
    unit = np.sqrt(spread / about[1]) or 1.0
    # clusters know no origin and no unit, so that float32 will do, unless a few rows that are far
    # away would take the digits of all others
    check_client_room(
        "few numbers for each row", 3 * 4 * m * V.shape[1], "cluster a sample of the rows"
    )
    Z = projected(A, V.astype(A.dtype), mean @ V, unit, np.float32)
    some = Z[:: max(1, m // SAMPLED)]
    usual = float(np.median(np.abs(some - np.median(some, axis=0)).max(axis=1)))
    if usual * FARTHEST <= float(np.abs(Z).max()):
        Z = projected(A, V.astype(A.dtype), mean @ V, unit, np.float64)
    return Z, few if model.reducer_ is None else "the reduced data has too few distinct rows"


def _selected(
    model: Any, A: Chunked, y: Any, weights: Floats | None, rng: np.random.RandomState, names: Any
) -> Any:
    """Return the columns that a selector chooses, times their weights."""
    model.reducer_ = model._reducer(A, rng)
    if not isinstance(model.reducer_, Selector):
        raise TypeError(
            f"reducer={model.reducer!r} takes no dask arrays; choose a selector, such as "
            "GreedySelector(20), or None"
        )
    if weights is not None and (weights == weights[0]).all():
        weights = None  # none that tell rows apart, which some selectors cannot bear
    table = ChunkedTable(A.source.array, None if names is None else names.tolist())
    _quietly(model.reducer_.fit, table, y, weights)
    return model.reducer_._weighted(columns_of(A, np.sort(model.reducer_.indices_)))


def _quietly(function: Any, *arguments: Any) -> None:
    with warnings.catch_warnings():
        # fewer directions that are as good as all are no reason to worry
        warnings.simplefilter("ignore", RankReachedWarning)
        function(*arguments)


def _assigned(A: Chunked, centers: Floats, weights: Floats | None) -> Assigned:
    origin = centers.mean(axis=0, dtype=np.float64)
    return assigned(A, *scoring(centers, origin, A.dtype), float64(centers), weights)


def _first_means(A: Chunked, start: Floats, reduced: Any, weights: Floats | None) -> Floats:
    """Return the means, in the reduced data, of the rows that are nearest to given centres."""
    k = len(start)
    labels = _assigned(A, start, None).labels
    _fill(A, labels, start, weights)
    return centroids(wrapped(reduced), labels, k, weights)


def _fill(A: Chunked, labels: Indices, centers: Floats, weights: Floats | None) -> bool:
    """Give every cluster that is empty the row that is farthest from its centre; say if any was."""
    k = len(centers)
    counts = np.bincount(labels if weights is None else labels[weights > 0], minlength=k)
    if counts.min() > 0:
        return False
    fit = -A.row_sq_distances(centers, labels)
    if weights is None:
        fill_empty(labels, fit, k, perfect=0.0)
    else:
        kept = np.flatnonzero(weights)
        some, worst = labels[kept], fit[kept]
        fill_empty(some, worst, k, perfect=0.0)
        labels[kept] = some
    return True


def _polished(
    A: Chunked, labels: Indices, k: int, n_polish: int | None, weights: Floats | None, as_kept: Any
) -> tuple[Indices, float]:
    """Return labels after iterations on the data, and their objective; keep the centres.

    A pass finds the means of the labels; each iteration is one more.
    """
    centers = as_kept(centroids(A, labels, k, weights))
    if n_polish == 0:
        squares = A.row_sq_distances(centers, labels)
        return labels, float(squares.sum() if weights is None else weights @ squares)
    n_steps, tol = (POLISH, TOLERANCE) if n_polish is None else (n_polish, 0.0)
    before, last, step = labels, np.inf, 0
    while True:
        step += 1
        found = _assigned(A, centers, weights)
        empty = _fill(A, found.labels, centers, weights)
        same = bool((found.labels == before).all())
        gained = tol == 0 or last - found.loss > tol * found.loss
        if same or step >= n_steps or not gained:
            break
        before, last = found.labels, found.loss
        means = centroids(A, before, k, weights) if empty else found.sums / found.loads[:, None]
        centers = as_kept(means)
    if empty:
        centers = as_kept(centroids(A, found.labels, k, weights))
        found = _assigned(A, centers, weights)
    return found.labels, _about_means(found, centers)


def _about_means(found: Assigned, centers: Floats) -> float:
    """Return the objective of a partition about its own means, from that about its centres."""
    loads = found.loads[:, None]
    means = np.divide(found.sums, loads, out=centers.copy(), where=loads > 0)
    return max(found.loss - float(np.sum(loads * np.square(means - centers))), 0.0)
