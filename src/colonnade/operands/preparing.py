"""What is done to the data before columns are chosen: centre, scale, weigh rows, bear gaps."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..foundation.alerts import DataWarning, warn_caller
from ..foundation.parameters import Choice
from ..foundation.typing import Floats, Mask
from ..foundation.wording import listed
from .adjusted import AdjustedDense, AdjustedSparse, adjusted, over
from .centered import CenteredKernel
from .containers import fill_gaps
from .covariance import Covariance, nearest_semidefinite, pairwise_products
from .dense import Dense
from .entrance import check_scale
from .interface import Columns, Gram, Operand
from .kernel import Kernel
from .scaling import ScaleDecision, decide_scale
from .sparse import Sparse
from .statistics import column_quantiles, extremes, largest_sizes, moments, present

__all__ = [
    "MISSING",
    "Preparation",
    "Scale",
    "given_units",
    "prepare",
    "report_constant",
    "varying_columns",
    "without_gaps",
]

SCALES = ("std", "robust", "max", "auto")
MISSING = Choice("error", "mean", "median", "pairwise")
"""What ``missing`` may be."""
MOST_PAIRWISE = 5000
"""Up to how many columns products of pairs are taken from the entries that both have."""


@dataclass(frozen=True)
class Scale:
    """A way to scale columns: None, a name, or their units."""

    def check(self, name: str, value: Any) -> None:
        """Raise if the value is no way to scale."""
        if isinstance(value, str):
            Choice(*SCALES).check(name, value)
        elif value is not None:
            _units(name, value)


@dataclass(frozen=True)
class Preparation:
    """Data as a method sees it, and what was done to it.

    Attributes
    ----------
    A : Operand
        ``Ω(A − 1μᵀ)D``, or the data itself.
    means, units : ndarray of shape (n,) or None
        What was subtracted from each column, and what it was divided by; the unit of a column
        that does not vary is 0. None if nothing was done to columns.
    varying : ndarray of bool or None
        Which columns vary, if that was looked at.
    weights : ndarray of shape (m,) or None
        The weights of the rows, if they have any.
    center : bool
        Whether means were subtracted.
    n_rows : float or None
        How many rows there were, where the operand does not have them.
    scaled : ScaleDecision or None
        Whether columns were scaled and why, if that was left to a rule.
    """

    A: Operand
    means: Floats | None = None
    units: Floats | None = None
    varying: Mask | None = None
    weights: Floats | None = None
    center: bool = False
    n_rows: float | None = None
    scaled: ScaleDecision | None = None

    def about(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was done to columns, as asked for or as a rule decided, in plain values."""
        scale = asked.get("scale")
        out = {
            "center": self.center,
            "scale": scale if scale is None or isinstance(scale, str) else "units",
            "missing": asked.get("missing", "error"),
        }
        if self.scaled is not None:
            out |= {"scale": self.scaled.scale, "scale_reason": self.scaled.reason}
        return out

    def rows(self, B: Floats) -> Floats:
        """Return values for each row, such as a target, weighted and centred as the data is."""
        if self.center:
            B = B - np.average(B, axis=0, weights=self.weights)
        return B if self.weights is None else B * np.sqrt(self.weights)[:, None]


def prepare(
    A: Operand,
    *,
    center: bool = False,
    scale: Any = None,
    missing: str = "error",
    weights: Floats | None = None,
    names: Sequence[str] | None = None,
    quiet: bool = False,
    candidates: bool = True,
) -> Preparation:
    """Return the data centred, scaled and weighted, without a copy of it.

    Parameters
    ----------
    A : Operand
        The data; NaN only if ``missing`` says what to do with it.
    center : bool
        Whether to subtract the means of the columns; of a kernel, in the feature space.
    scale : {"std", "robust", "max", "auto"}, array of shape (n,) or None
        What to divide the columns by: their standard deviation, their interquartile range, their
        largest absolute value, what :func:`decide_scale` says, given units, or nothing.
    missing : {"error", "mean", "median", "pairwise"}
        What takes the place of NaN. With "pairwise" the result has inner products alone.
    weights : ndarray of shape (m,), optional
        Weights of the rows.
    names : sequence of str, optional
        What the columns are called, for messages.
    quiet : bool
        Whether to leave out the warnings: whoever chose the columns had them.
    candidates : bool
        Whether columns are candidates, so that it matters which of them do not vary.
    """
    if quiet:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return prepare(
                A, center=center, scale=scale, missing=missing, weights=weights, names=names,
                candidates=candidates,
            )  # fmt: skip
    if not isinstance(A, Columns):
        return _prepared_products(A, center, scale, weights)
    if A.out_of_core:
        from .chunked.treating import prepare_chunks

        return prepare_chunks(
            A, center=center, scale=scale, missing=missing, weights=weights, names=names,
            candidates=candidates,
        )  # fmt: skip
    asked = center or scale is not None or weights is not None
    if isinstance(A, AdjustedDense | AdjustedSparse) and asked:
        raise TypeError("the operand is centred, scaled or weighted already; pass the data itself")
    if missing != "error":
        if missing == "pairwise":
            found = _pairwise(A, center, scale, weights, names)
            if found is not None:
                return found
        A = without_gaps(A, missing, weights, names)
    if not center and scale is None:
        if weights is None:
            return Preparation(A)
        nothing = np.zeros(A.shape[1]), np.ones(A.shape[1])
        return Preparation(adjusted(A, *nothing, np.sqrt(weights)), weights=weights)
    largest = A.max_abs()
    if largest > 0:
        check_scale(largest)
    w = np.ones(A.shape[0]) if weights is None else weights
    means, squares = moments(A, w)
    total = float(w.sum())
    varying = varying_columns(squares, total * np.square(means), A.shape[0])
    report_constant(varying, A.shape[0], names, candidates)
    scaled = None
    if isinstance(scale, str) and scale == "auto":
        scaled = decide_scale(extremes(A, weights), squares, varying, names)
        scale = scaled.scale
    spreads = np.sqrt(squares / total)
    origin = means if center else np.zeros_like(means)
    units = _column_units(A, scale, w, origin, spreads, varying, names)
    units = np.where(varying, units, 0.0)
    # a column that does not vary is its mean, whether or not others are centred
    means = means if center else np.where(varying, 0.0, means)
    roots = None if weights is None else np.sqrt(weights)
    return Preparation(
        adjusted(A, means, over(units), roots), means, units, varying, weights, bool(center),
        scaled=scaled,
    )  # fmt: skip


def _column_units(
    A: Columns,
    scale: Any,
    w: Floats,
    origin: Floats,
    spreads: Floats,
    varying: Mask,
    names: Sequence[str] | None,
) -> Floats:
    """Return what each column is divided by; whatever for those that do not vary."""
    if scale is None:
        return np.ones(A.shape[1])
    if not isinstance(scale, str):
        return given_units(scale, A.shape[1])
    if scale == "std":
        return spreads
    if scale == "max":
        return largest_sizes(A, origin, w)
    low, high = column_quantiles(A, w, (0.25, 0.75))
    ranges = high - low
    narrow = ~(ranges > 1e-12 * spreads)
    odd = np.flatnonzero(narrow & varying)
    if len(odd):
        what = "column has" if len(odd) == 1 else "columns have"
        warn_caller(
            f"{len(odd)} {what} an interquartile range of zero; the standard deviation takes its "
            f"place: {listed(odd, names)}",
            DataWarning,
        )
    return np.where(narrow, spreads, ranges)


def _prepared_products(A: Gram, center: bool, scale: Any, weights: Floats | None) -> Preparation:
    """Return inner products, of points or of columns, centred or scaled as far as they can be."""
    if weights is not None:
        raise TypeError(
            "sample_weight needs the rows of the data, and inner products have none; pass the data"
        )
    auto = isinstance(scale, str) and scale == "auto"
    if not isinstance(A, Covariance):
        if auto:
            reason = ScaleDecision(None, "inner products of points have no columns to scale")
            return replace(_prepared_products(A, center, None, weights), scaled=reason)
        if scale is not None:
            raise TypeError(
                f"scale={scale!r} needs the columns themselves, and a kernel has only their inner "
                "products; scale the points that it is computed from"
            )
        return Preparation(CenteredKernel(A) if center else A, center=bool(center))
    n, rows = A.shape[1], A.n_samples
    if scale is None:
        return Preparation(A, center=True, n_rows=rows)
    squares = np.maximum(A.sq_norms() / rows, 0.0)
    # what is left of a constant column is rounding, of which covariances do not tell the size
    varying = squares > (16 * float(np.finfo(float).eps)) ** 2 * squares.max()
    report_constant(varying, 2, None)
    scaled = None
    if auto:
        scaled = decide_scale(None, squares, varying)
        if scaled.scale is None:
            return Preparation(A, center=True, n_rows=rows, scaled=scaled)
        scale = "std"
    if isinstance(scale, str) and scale != "std":
        raise TypeError(
            f"scale={scale!r} needs the columns themselves, and a covariance matrix has only their "
            'inner products; choose "std" or give the units'
        )
    units = np.sqrt(squares) if isinstance(scale, str) else given_units(scale, n)
    units = np.where(varying, units, 0.0)
    return Preparation(
        A.times(over(units)), units=units, varying=varying, center=True, n_rows=rows, scaled=scaled
    )


def without_gaps(
    A: Columns, missing: str, weights: Floats | None, names: Sequence[str] | None = None
) -> Columns:
    """Return data with the mean or the median of its column in place of every gap."""
    w = np.ones(A.shape[0]) if weights is None else weights
    means, gaps = _means_of_present(A, w, names)
    if not gaps:
        return A
    return _filled(A, means if missing == "mean" else column_quantiles(A, w, (0.5,))[0])


def _means_of_present(A: Columns, w: Floats, names: Sequence[str] | None) -> tuple[Floats, int]:
    """Return the means of what is there, and how many gaps there are."""
    means, there, gaps = present(A, w)
    empty = np.flatnonzero(~(there > 0))
    if len(empty):
        what = "column has" if len(empty) == 1 else "columns have"
        raise ValueError(
            f"{len(empty)} {what} no entry at all: {listed(empty, names)}; leave out what is empty"
        )
    return means, gaps


def _pairwise(
    A: Columns, center: bool, scale: Any, weights: Floats | None, names: Sequence[str] | None
) -> Preparation | None:
    """Return inner products from the entries that both columns have; None if there is no gap."""
    n = A.shape[1]
    w = np.ones(A.shape[0]) if weights is None else weights
    means, gaps = _means_of_present(A, w, names)
    if not gaps:
        return None
    if n > MOST_PAIRWISE:
        raise ValueError(
            f"missing='pairwise' takes up to {MOST_PAIRWISE} columns, and there are {n}; choose "
            "missing='mean' or 'median'"
        )
    total = float(w.sum())
    S = pairwise_products(A, means, w)
    squares = S.diagonal().copy()
    varying = varying_columns(squares, total * np.square(means), A.shape[0])
    origin = means if center else np.zeros(n)
    if not center:
        S = pairwise_products(A, origin, w)
    units, scaled = np.ones(n), None
    if center or scale is not None:
        report_constant(varying, A.shape[0], names)
        if isinstance(scale, str) and scale == "auto":
            scaled = decide_scale(extremes(A, weights), squares, varying, names)
            scale = scaled.scale
        units = _column_units(A, scale, w, origin, np.sqrt(squares / total), varying, names)
    else:
        varying = np.ones(n, dtype=bool)
    units = np.where(varying, units, 0.0)
    factors = over(units)
    S *= factors
    S *= factors[:, None]
    K = Kernel(nearest_semidefinite(S), check=False)
    return Preparation(K, origin, units, varying, weights, bool(center), scaled=scaled)


def varying_columns(squares: Floats, of_means: Floats, n_rows: int) -> Mask:
    """Say which columns vary by more than rounding.

    Parameters
    ----------
    squares : ndarray
        Sums of squares about the means.
    of_means : ndarray
        Sums of squares of the means.
    n_rows : int
        How many rows there are.
    """
    # a mean errs by about eps·√m of the size of the column
    rounding = (16 * float(np.finfo(float).eps)) ** 2 * n_rows
    return np.asarray(squares > rounding * (squares + of_means))


def _filled(A: Columns, fills: Floats) -> Columns:
    """Return the data with a value for each column in place of its gaps."""
    if isinstance(A, Dense):
        return Dense(fill_gaps(A.array, fills), A.dtype)
    assert isinstance(A, Sparse), "there is no other container"
    return Sparse(fill_gaps(A.matrix, fills), A.dtype)


def _units(name: str, value: Any) -> Floats:
    units = np.asarray(value)
    if units.ndim != 1 or units.dtype.kind not in "fiu":
        raise TypeError(
            f"{name} must be None, one of {', '.join(SCALES)}, or an array with the unit of each "
            f"column, got {value!r}"
        )
    units = units.astype(np.float64)
    bad = ~(units > 0) | np.isinf(units)
    if bad.any():
        j = int(np.argmax(bad))
        raise ValueError(f"{name}[{j}] = {units[j]}; a unit must be finite and above 0")
    return units


def given_units(scale: Any, n: int) -> Floats:
    """Return units of columns as an array; say what is wrong with any others."""
    units = _units("scale", scale)
    if len(units) != n:
        raise ValueError(
            f"scale holds {len(units)} units, but the data has {n} columns; give one unit for each"
        )
    return units


def report_constant(varying: Mask, n_rows: int, names: Any, candidates: bool = True) -> None:
    """Name the columns that do not vary; raise ValueError if there are no others."""
    if not varying.any():
        what = "n_samples=1" if n_rows == 1 else "all columns are constant"
        raise ValueError(
            f"{what}: nothing varies, so there is no variance to explain and there are no "
            "correlations; give rows that differ"
        )
    constant = np.flatnonzero(~varying)
    if len(constant) and candidates:
        what = "column is" if len(constant) == 1 else "columns are"
        warn_caller(
            f"{len(constant)} {what} constant and no candidates: {listed(constant, names)}",
            DataWarning,
        )
