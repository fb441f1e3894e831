"""Regularized least squares on data in chunks: sums come here, coefficients go to the blocks."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from ..foundation.typing import Array, Floats, Indices
from ..linalg.lsqr import lsqr, warn_slow
from ..linalg.ridge import EXACT, Model
from ..linalg.summed_ridge import SummedRidge
from ..linalg.units import divided, near_one, summed_units
from ..operands.adjusted import over
from ..operands.chunked.array import MOST_PRODUCTS, Chunked
from ..operands.chunked.arriving import (
    as_table,
    gathered,
    validated_chunks,
    with_known_rows,
)
from ..operands.chunked.labelled import (
    fold_sums,
    joined,
    target_sums,
    target_triangle,
    unit_sums,
)
from ..operands.chunked.lazy import by_blocks
from ..operands.chunked.planning import Found, check_pass
from ..operands.chunked.source import Source
from ..operands.preparing import Preparation
from ..operands.row_weights import check_weights
from ..operands.sums import Sums
from .arguments import check_labels, classes_of, folds_of
from .choosing import best_level
from .coefficients import narrowed, signs
from .held_blocks import Scored, folds_scored, rows_scored
from .weighing import row_weights

__all__ = ["fit_chunks", "said_lazily", "score_chunks"]

MOST_FOLDED = 2048
"""Up to how many features products are formed for each fold."""
ALWAYS_DIRECT = 2048
"""Up to how many features products are formed even of fewer rows."""


@dataclass(frozen=True)
class Rows:
    """Rows in chunks with what is known of each of them in memory.

    Attributes
    ----------
    A : Chunked
        The data.
    codes : ndarray of int of shape (m,)
        The number of each row's class; −1 without a weight.
    targets : ndarray of int8 of shape (m, k)
        ±1, or 0 without a weight.
    given : ndarray of shape (m,) or None
        Weights of the rows as they were given.
    weights : ndarray of shape (m,) or None
        Those times the weights of their classes, near 1.
    """

    A: Chunked
    codes: Indices
    targets: Array
    given: Floats | None
    weights: Floats | None

    @property
    def loads(self) -> Floats:
        """The weights, which are 1 where there are none."""
        return np.ones(len(self.codes)) if self.weights is None else self.weights


def said_lazily(model: Any, X: Any, method: str) -> Any:
    """Return what a fitted classifier says about rows in chunks, as a dask array.

    Parameters
    ----------
    model : RLSClassifier
        The classifier.
    X : dask array or frame
        The rows.
    method : {"predict", "decision_function"}
        What is asked.
    """
    array, columns, dtype = validated_chunks(model, X, reset=False), None, model.classes_.dtype
    if method == "decision_function":
        columns = len(model.classes_) if len(model.classes_) > 2 else None
        coef = model.coef_ if model.kernel_ == "linear" else model.dual_coef_
        dtype = np.result_type(_float_of(array), coef, model.intercept_)
    sent = copy.copy(model)
    sent.__dict__.pop("feature_names_in_", None)  # blocks have no names
    return by_blocks(array, sent, method, columns=columns, dtype=dtype)


def score_chunks(model: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """Return the share of rows in chunks that are classified correctly."""
    predicted = model.predict(X)
    source = Source(as_table(X).array)
    each = max(len(model.classes_), 2) * 8 + predicted.dtype.itemsize
    check_pass(source, "score", 0, Found.of(source.heights, each), count=source.n_blocks[0])
    y, predicted, weights = (gathered(values) for values in (y, predicted, sample_weight))
    return float(accuracy_score(y, predicted, sample_weight=weights))


def _float_of(array: Any) -> Any:
    return np.float32 if array.dtype == np.float32 else np.float64


def fit_chunks(model: Any, X: Any, y: Any, sample_weight: Any, alphas: Floats) -> None:
    """Fit a classifier with the linear kernel to data in chunks.

    Features that are not too many take one pass, which forms all products of features and labels.
    λ at the level of rounding takes one more, and so does choosing among several. More features
    take two passes for each step of LSQR.

    Parameters
    ----------
    model : RLSClassifier
        Gets what a fit leaves.
    X, y, sample_weight
        As for ``fit``.
    alphas : ndarray
        Every λ.
    """
    if model.kernel != "linear":
        raise ValueError(
            f"kernel={model.kernel!r} compares all rows with each other, and data in chunks never "
            'is in memory together; set kernel="linear", or pass an array of some of the rows'
        )
    array = with_known_rows(validated_chunks(model, X, reset=True))
    rows, unit, kept, y = _rows(model, array, y, sample_weight)
    m, d = array.shape
    several = np.ndim(model.alpha) > 0
    inner = np.minimum(alphas / unit, 1e300)
    fits = d <= MOST_PRODUCTS
    direct = model.solver != "lsqr" and fits and (d <= m or d <= ALWAYS_DIRECT)
    if model.solver == "direct" and not fits:
        raise ValueError(
            f'solver="direct" forms products of all features, and {d} of data in chunks are more '
            f'than {MOST_PRODUCTS}; leave solver="auto"'
        )
    if several and not direct:
        raise ValueError(
            "several alphas need a factorization, and data in chunks with so many features, or "
            'with solver="lsqr", is not factorized; give one alpha'
        )
    model.form_ = "primal" if direct else "lsqr"
    units = _early_units(model, rows)
    if not direct:
        found = _iterated(model, rows, units, float(inner[0]))
    elif several:
        found = _chosen(model, rows, units, alphas, inner, (y, kept))
    else:
        sums = target_sums(rows.A, rows.targets, rows.weights)
        found = _ridge(model, rows, sums, units).solve(float(inner[0]))
    if not several:
        model.alpha_ = float(alphas[0])
    dtype = _float_of(array)
    model.intercept_ = narrowed(found.intercept, dtype)
    model.coef_ = np.ascontiguousarray(narrowed(divided(found.coef.T, model.units_), dtype))


def _rows(
    model: Any, array: Any, y: Any, sample_weight: Any
) -> tuple[Rows, float, Indices | None, Array]:
    """Return rows with labels and weights, the unit of these, and which have any, with labels."""
    m = array.shape[0]
    y = gathered(y)
    check_labels(y)
    y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    y = column_or_1d(y, warn=True)
    check_consistent_length(np.empty((m, 0)), y)
    given = check_weights(gathered(sample_weight), m)
    kept = None if given is None or given.all() else np.flatnonzero(given)
    some = slice(None) if kept is None else kept
    y = y[some]
    classes, found = classes_of(y)
    model.classes_, model.kernel_, model.kernel_params_ = classes, model.kernel, {}
    loads = None if given is None else given[some]
    loads, unit = near_one(row_weights(model.class_weight, loads, classes, found))
    codes = np.full(m, -1)
    codes[some] = found
    targets = np.zeros((m, 1 if len(classes) == 2 else len(classes)), dtype=np.int8)
    targets[some] = signs(found, len(classes))
    weights = None
    if loads is not None:
        weights = np.zeros(m)
        weights[some] = loads
    return Rows(Chunked(Source(array)), codes, targets, given, weights), unit, kept, y


def _early_units(model: Any, rows: Rows) -> Floats | None:
    """Return units that need a pass of their own, since classes have no part in them."""
    model.units_ = None
    if model.scale is None or model.class_weight is None:
        return None
    return _units(model, unit_sums(rows.A, near_one(rows.given)[0]))


def _units(model: Any, sums: Sums) -> Floats:
    names = getattr(model, "feature_names_in_", None)
    return summed_units(sums, model.scale, names, center=bool(model.fit_intercept))[0]


def _ridge(model: Any, rows: Rows, sums: Sums, units: Floats | None) -> SummedRidge:
    """Return the problem of all rows; units come from its sums if they are not known yet."""
    k = rows.targets.shape[1]
    d = len(sums.means) - k
    features = _features(sums, d)
    features.check_size()
    if model.scale is not None:
        model.units_ = _units(model, features) if units is None else units
    triangle = partial(_triangle, rows)
    return SummedRidge(sums, k, bool(model.fit_intercept), model.units_, triangle)


def _features(sums: Sums, d: int) -> Sums:
    """Return the sums of the features alone, without products."""
    cut = slice(0, d)
    return replace(
        sums, means=sums.means[cut], squares=sums.squares[cut], low=sums.low[cut],
        high=sums.high[cut], tiles=(), parts=(),
    )  # fmt: skip


def _triangle(rows: Rows, means: Floats, factors: Floats) -> Floats:
    return target_triangle(rows.A, rows.targets, means, factors, rows.weights)


def _chosen(
    model: Any, rows: Rows, units: Floats | None, alphas: Floats, inner: Floats,
    labels: tuple[Array, Indices | None],
) -> Model:  # fmt: skip
    """Return the coefficients for the best λ, by rows or folds that are left out."""
    if model.cv is None:
        sums = target_sums(rows.A, rows.targets, rows.weights)
        ridge = _ridge(model, rows, sums, units)
        directions = ridge.directions(float(inner.min()))
        treated = _treated(rows, ridge, model.units_)
        weights = rows.loads
        shares = weights / weights.sum() * ridge.intercept
        seen = (rows.codes, rows.targets, weights, shares)
        scored = rows_scored(treated, directions, inner, ridge.offset, seen)
        best = _keep(model, scored, alphas)
        return ridge.from_directions(directions, float(inner[best]))
    if rows.A.shape[1] > MOST_FOLDED:
        raise ValueError(
            f"cv={model.cv!r} takes up to {MOST_FOLDED} features of data in chunks, and there are "
            f"{rows.A.shape[1]}; set cv=None, which leaves out one row at a time, or give one alpha"
        )
    folds, n_folds = _folds(model.cv, rows, *labels)
    # rows that are never left out make a group of their own
    parts = fold_sums(rows.A, rows.targets, rows.weights, folds, n_folds + 1)
    total = joined(parts)
    assert total is not None
    ridge = _ridge(model, rows, total, units)
    fits = []
    for fold in range(n_folds):
        rest = joined([part for other, part in enumerate(parts) if other != fold])
        assert rest is not None
        others = SummedRidge(rest, rows.targets.shape[1], ridge.intercept, model.units_)
        if inner.min() <= others.smallest:
            raise ValueError(
                f"alpha={alphas.min():g} is rounding beside data of this size, where products of "
                "folds do not tell enough; set cv=None, which leaves out one row at a time, or "
                f"choose alphas above {others.smallest * alphas.max() / inner.max():.1g}"
            )
        found = others.directions(float(inner.min()), share=0.0)
        fits.append([others.from_directions(found, float(alpha)) for alpha in inner])
    seen = (rows.codes, rows.targets, rows.loads, folds)
    scored = folds_scored(_treated(rows, None, model.units_), fits, seen)
    best = _keep(model, scored, alphas)
    return ridge.solve(float(inner[best]))


def _keep(model: Any, scored: Scored, alphas: Floats) -> int:
    model.cv_scores_, model.cv_losses_ = scored
    best = best_level(*scored, alphas)
    model.alpha_ = float(alphas[best])
    return best


def _treated(rows: Rows, ridge: SummedRidge | None, units: Floats | None) -> Chunked:
    """Return the data in units, and less its means with weights of rows for a problem."""
    d = rows.A.shape[1]
    if ridge is None:
        done = Preparation(rows.A, np.zeros(d), np.ones(d) if units is None else units)
        return rows.A.treated_by(done, None)
    done = Preparation(rows.A, ridge.means[:d], np.ones(d) if units is None else units)
    return rows.A.treated_by(done, rows.weights)


def _folds(cv: Any, rows: Rows, y: Array, kept: Indices | None) -> tuple[Indices, int]:
    """Return the fold that each row is left out in, or how many there are for one in none."""
    m = len(rows.codes)
    pairs = folds_of(cv, np.empty((len(y), 0)), y, kept, m)
    n_folds = len(pairs)
    folds = np.full(m, n_folds)
    for number, (_, test) in enumerate(pairs):
        places = test if kept is None else kept[test]
        if (folds[places] < n_folds).any():
            raise ValueError(
                "cv leaves out some rows more than once, and of data in chunks only folds without "
                "common rows are added up; use folds such as those of StratifiedKFold"
            )
        folds[places] = number
    return folds, n_folds


def _iterated(model: Any, rows: Rows, units: Floats | None, alpha: float) -> Model:
    """Return the coefficients for one λ by products with the data alone."""
    sums = rows.A.sums(rows.weights, products=False)
    d = rows.A.shape[1]
    sums.check_size()
    if model.scale is not None:
        model.units_ = _units(model, sums) if units is None else units
    weights = rows.loads
    offset = weights @ rows.targets / weights.sum() * bool(model.fit_intercept)
    mean = sums.means if model.fit_intercept else np.zeros(d)
    divisors = np.ones(d) if model.units_ is None else model.units_
    A = rows.A.treated_by(Preparation(rows.A, mean, divisors), rows.weights)
    Y = (rows.targets - offset) * np.sqrt(weights)[:, None]
    left = sums.squares + sums.weight * np.square(sums.means - mean)
    size = float((left * np.square(over(divisors))).sum())
    limit = 10 * min(A.shape) + 100
    found = lsqr(
        A.matmat, A.rmatmat, Y, np.array([alpha]), size=np.sqrt(size), tol=EXACT, limit=limit,
        width=d,
    )  # fmt: skip
    warn_slow(found, [alpha], limit)
    return Model(found.coef[0], offset - (mean * over(divisors)) @ found.coef[0])
