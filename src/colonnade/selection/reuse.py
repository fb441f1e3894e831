"""What a selection can do with other data: the columns again, all columns from them, drift."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..foundation.lapack import lstsq
from ..foundation.typing import Array, Floats, Indices
from ..operands.adjusted import over
from ..operands.chunked.arriving import is_chunked
from ..operands.chunked.lazy import chosen_chunks, mapped_rows
from ..operands.containers import dense, take_columns, times_columns
from ..operands.entrance import as_columns, as_operand
from ..operands.foreign import opened
from ..operands.naming import column_names
from ..operands.sums import sums_of
from .matching import far_columns, found_by_name, usual_values

__all__ = ["Reuse"]


def rebuilt_rows(
    chosen: Floats, means: Floats, units: Floats, S: Indices, coefficients: Floats
) -> Floats:
    """Return all columns of rows of which some are known, in the order of choice.

    Parameters
    ----------
    chosen : ndarray of shape (n_samples, len(S))
        The columns that are known; NaN counts as the mean of its column.
    means, units : ndarray of shape (n,)
        What was subtracted from all columns, and what they were divided by.
    S : ndarray of int
        Which columns are known.
    coefficients : ndarray of shape (len(S), n)
        How they combine to all.
    """
    chosen = np.where(np.isnan(chosen), means[S], chosen)  # as in the score
    out = ((chosen - means[S]) * over(units[S])) @ coefficients
    out *= units
    out += means
    out[:, S] = chosen  # exactly
    return np.asarray(out)


def _rebuilt_part(X: Any, factors: Floats | None, order: Indices | None, how: Any) -> Floats:
    """Return all columns of some rows: what is done to a chunk."""
    chosen = dense(X).astype(np.float64, copy=False)
    chosen = chosen if factors is None else chosen / factors
    return rebuilt_rows(chosen if order is None else chosen[:, order], *how)


class Reuse:
    """What follows from the names, the coefficients, the means and the units of a choice."""

    indices: Indices
    n_candidates: int
    weights: Floats | None
    embedding: Array | None
    residuals: Floats | None
    means: Floats | None
    units: Floats | None
    info: Mapping[str, Any]
    candidates: tuple[str, ...] | None
    names: tuple[str, ...] | None
    column_means: Floats | None
    column_spreads: Floats | None

    @cached_property
    def coefficients(self) -> Floats | None:
        """How the chosen columns combine to all columns, ``len(indices) × n_candidates``.

        Of the columns as the method saw them, centred and scaled: ``A ≈ A_S C``, the least
        squares solution; of several the one of least norm. None without an embedding.
        """
        if self.embedding is None:
            return None
        W = self.embedding.astype(np.float64, copy=False)
        return np.asarray(lstsq(W[:, self.indices], W, rcond=None)[0])

    @property
    def factors(self) -> Floats | None:
        """What the chosen columns are multiplied by: weights are for columns in their units."""
        if self.weights is None or self.units is None:
            return self.weights
        return self.weights / self.units[self.indices]

    def apply(self, X: Any, *, rescale: bool = True) -> Any:
        """Return the chosen columns of X in the order of choice, weights applied.

        Parameters
        ----------
        X : array-like, sparse matrix, frame (pandas, polars) or dask array or frame
            With ``n_candidates`` columns; or a frame in which the chosen columns are found by
            their names, whatever else it holds and in whatever order. Of dask nothing is
            computed yet.
        rescale : bool, default=True
            Whether to multiply by the weights, if the method gave any.

        Returns
        -------
        ndarray, sparse matrix or frame

        Examples
        --------
        >>> import pandas as pd
        >>> from colonnade import select
        >>> first = pd.DataFrame({"a": [3.0, 0.0], "b": [0.0, 2.0], "c": [1.0, 0.0]})
        >>> later = pd.DataFrame({"b": [5.0], "note": ["new"], "a": [7.0]})
        >>> select(first, 2).apply(later)
             a    b
        0  7.0  5.0
        """
        X = X if hasattr(X, "shape") else np.asarray(X)
        chosen = take_columns(X, self._places(X))
        factors = self.factors if rescale else None
        return chosen if factors is None else times_columns(opened(chosen), factors)

    def _places(self, X: Any) -> Indices:
        """Return where the chosen columns are: by name in a frame that has other columns."""
        there = column_names(X)
        if there is not None and self.names is not None and tuple(there) != self.candidates:
            return found_by_name(self.names, there)
        if X.shape[1] != self.n_candidates:
            raise ValueError(
                f"X has {X.shape[1]} columns, but this selection is from {self.n_candidates}"
            )
        return self.indices

    @property
    def seen_as(self) -> tuple[Floats, Floats]:
        """What was subtracted from each column and what it was divided by: zeros and ones too."""
        means = np.zeros(self.n_candidates) if self.means is None else self.means
        return means, np.ones(self.n_candidates) if self.units is None else self.units

    def reconstruct(self, X_selected: Any, *, return_std: bool = False) -> Any:
        """Return all columns from the chosen ones, in the units of the data.

        With the coefficients of the choice: least squares, by way of the means and units that the
        method saw.

        Parameters
        ----------
        X_selected : array-like, sparse matrix or dask array of shape (n_samples, len(indices))
            The chosen columns as :meth:`apply` returns them, in the order of choice; NaN counts
            as the mean of its column. For a dask array, which must be without NaN, nothing is
            computed yet.
        return_std : bool, default=False
            Whether to return the standard error of each column as well.

        Returns
        -------
        X : ndarray or dask array of shape (n_samples, n_candidates)
        std : ndarray of shape (n_candidates,)
            The standard error of a reconstructed value, from what was left of each column when
            the choice was made; NaN where there were no more rows than coefficients.

        Examples
        --------
        >>> import numpy as np
        >>> from colonnade import select
        >>> X = np.array([[2.0, 15.0], [4.0, 14.0], [8.0, 12.0]])
        >>> s = select(X, 1, center=True)
        >>> s.indices, s.reconstruct([[6.0]]).round(6)
        (array([0]), array([[ 6., 13.]]))
        """
        if is_chunked(X_selected):
            return self.rebuilt_chunks(X_selected, self.factors, None, return_std)
        chosen = dense(X_selected if hasattr(X_selected, "shape") else np.asarray(X_selected))
        if chosen.ndim != 2 or chosen.shape[1] != len(self.indices):
            raise ValueError(
                f"X_selected has shape {chosen.shape}, but {len(self.indices)} columns were "
                "chosen; pass what apply returns"
            )
        factors = self.factors
        chosen = chosen.astype(np.float64, copy=False)
        return self.rebuilt(chosen if factors is None else chosen / factors, return_std)

    def rebuilt(self, chosen: Floats, return_std: bool = False) -> Any:
        """Return all columns from the chosen ones in the order of choice, without weights."""
        how = (*self.seen_as, self.indices, self._combining)
        out = rebuilt_rows(chosen, *how)
        return (out, self.standard_errors()) if return_std else out

    def rebuilt_chunks(
        self, X: Any, factors: Floats | None, order: Indices | None, return_std: bool = False
    ) -> Any:
        """Return all columns of chunks that hold the chosen ones, when they are asked for.

        Parameters
        ----------
        X : dask array
            The chosen columns.
        factors : ndarray or None
            What they were multiplied by.
        order : ndarray of int or None
            Where the columns are in the order of choice, if they are in another.
        return_std : bool
            Whether to return the standard error of each column as well.
        """
        how = (*self.seen_as, self.indices, self._combining)
        out = mapped_rows(
            chosen_chunks(X, len(self.indices)), _rebuilt_part, factors, order, how,
            width=self.n_candidates, dtype=np.dtype(np.float64),
        )  # fmt: skip
        return (out, self.standard_errors()) if return_std else out

    @property
    def _combining(self) -> Floats:
        """The coefficients, or an error that says why there are none."""
        if self.coefficients is None:
            raise ValueError(
                "this selection has no embedding, from which the coefficients follow; choose "
                "again, and keep the selection with Selection.save"
            )
        return self.coefficients

    def standard_errors(self) -> Floats:
        """Return the standard error of a reconstructed value of each column, in its own unit."""
        rows = self.info.get("n_rows")
        if rows is None or self.residuals is None:
            return np.full(self.n_candidates, np.nan)
        free = rows - len(self.indices) - bool(self.info.get("center"))
        if free <= 0:
            return np.full(self.n_candidates, np.nan)
        return np.asarray(np.sqrt(self.residuals / free) * self.seen_as[1])

    def drift(self, X: Any) -> list[Mapping[str, Any]]:
        """Return the chosen columns that are far from what they were when they were chosen.

        A mean that moved by more than 3 standard deviations of the first data, or a standard
        deviation that changed by more than a factor of 3.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or dask array
            Other data, as for :meth:`apply`; chunks of dask are read once.

        Returns
        -------
        list of dict
            ``name`` (or number), ``mean_then``, ``mean_now``, ``spread_then``, ``spread_now``;
            what moved most comes first. Empty if nothing did, or nothing is known of the first.

        Examples
        --------
        >>> import numpy as np
        >>> from colonnade import select
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> [column["name"] for column in select(X, 2).drift(X + [0.0, 9.0])]
        ['1']
        """
        if self.column_means is None or self.column_spreads is None:
            return []
        X = X if hasattr(X, "shape") else np.asarray(X)
        chosen = as_columns(as_operand(take_columns(X, self._places(X)), gaps=True), "drift")
        if chosen.out_of_core:
            found = sums_of(chosen, tiles=())
            now = found.means, found.spreads
        else:
            now = usual_values(chosen, np.arange(len(self.indices)))
        names = self.names or [str(j) for j in self.indices]
        return far_columns(names, (self.column_means, self.column_spreads), now)
