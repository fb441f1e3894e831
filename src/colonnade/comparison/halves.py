"""Splits of the rows: one half to choose and learn from, the other to judge by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..foundation.typing import Array, Floats, Indices
from ..operands.adjusted import adjusted, over
from ..operands.containers import fill_gaps, take_rows, times_columns
from ..operands.entrance import as_columns, as_operand
from ..operands.interface import Columns
from ..operands.preparing import Preparation, prepare
from ..operands.statistics import column_quantiles, present

__all__ = ["Half", "Treatment", "halves", "split"]


@dataclass(frozen=True)
class Treatment:
    """What is done to columns, by what is known of the rows that are learned from.

    Attributes
    ----------
    center : bool
        Whether means are subtracted.
    scale : str or None
        What columns are divided by; no rule any more.
    missing : {"error", "mean", "median"}
        What takes the place of gaps.
    """

    center: bool
    scale: str | None
    missing: str = "error"

    def learn(self, X: Any, y: Any) -> Half:
        """Return rows as they are treated by their own means, units and fills."""
        fills = None if self.missing == "error" else _fills(X, self.missing)
        X = X if fills is None else fill_gaps(X, fills)
        A = as_operand(X)
        found = prepare(A, center=self.center, scale=self.scale, quiet=True)
        return Half(X, y, found, fills)


@dataclass(frozen=True)
class Half:
    """Rows, and what was done to their columns.

    Attributes
    ----------
    X : ndarray or sparse matrix
        The rows as they were given, without gaps.
    y : ndarray or None
        Their labels.
    preparation : Preparation
        What was done to the columns, by what is known of these or of other rows.
    fills : ndarray or None
        What takes the place of gaps.
    """

    X: Any
    y: Array | None
    preparation: Preparation
    fills: Floats | None = None

    @property
    def A(self) -> Columns:
        """The rows as they are treated."""
        return as_columns(self.preparation.A)

    def like(self, X: Any, y: Any) -> Half:
        """Return other rows, treated by what is known of these."""
        X = X if self.fills is None else fill_gaps(X, self.fills)
        A = as_columns(X)
        means, units = self.preparation.means, self.preparation.units
        if means is not None and units is not None:
            A = adjusted(A, means, over(units))
        return replace(self, X=X, y=y, preparation=replace(self.preparation, A=A))

    @cached_property
    def matrix(self) -> Any:
        """What others than this package get to see: an array, centred and scaled.

        Sparse rows are scaled and stay sparse, so they are not centred.
        """
        if self.A.decomposes_directly:
            return np.array(self.A.columns(slice(None)), dtype=np.float64)
        units = self.preparation.units
        return self.X if units is None else times_columns(self.X, over(units))


def halves(codes: Indices | None, n_rows: int, seed: int) -> tuple[Indices, Indices]:
    """Return a random half of the rows and the other, which have about the same classes.

    Parameters
    ----------
    codes : ndarray of int or None
        The class of each row: those of each class are dealt out in turn.
    n_rows : int
        How many rows there are.
    seed : int
        Random seed.

    Returns
    -------
    first, second : ndarray of int
        In ascending order; the first has one row more if the number is odd.

    Examples
    --------
    >>> from colonnade.comparison.halves import halves
    >>> [len(half) for half in halves(None, 5, 0)]
    [3, 2]
    """
    order = np.random.RandomState(seed).permutation(n_rows)
    if codes is not None:
        order = order[np.argsort(codes[order], kind="stable")]
    return np.sort(order[::2]), np.sort(order[1::2])


def split(
    treatment: Treatment, X: Any, y: Array | None, codes: Indices | None, seed: int
) -> tuple[Half, Half, Half]:
    """Return rows to learn from, the others treated like these, and the others by themselves.

    Parameters
    ----------
    treatment : Treatment
        What is done to columns.
    X : ndarray or sparse matrix
        All rows.
    y, codes : ndarray or None
        Their labels, and the same as numbers.
    seed : int
        Which split.
    """
    first, second = halves(codes, X.shape[0], seed)
    there = (None, None) if y is None else (y[first], y[second])
    rows = take_rows(X, first), take_rows(X, second)
    train = treatment.learn(rows[0], there[0])
    return train, train.like(rows[1], there[1]), treatment.learn(rows[1], there[1])


def _fills(X: Any, missing: str) -> Floats:
    """Return what takes the place of gaps; nothing is known of columns without any entry."""
    A = as_columns(as_operand(X, gaps=True))
    weights = np.ones(A.shape[0])
    means, there, _ = present(A, weights)
    fills = means if missing == "mean" else column_quantiles(A, weights, (0.5,))[0]
    return np.where(there > 0, fills, 0.0)
