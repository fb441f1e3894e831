"""Chosen columns of any data, and back: what a fitted selector does as a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..foundation.sklearn_bases import SelectorMixin
from ..foundation.typing import Array
from ..operands.chunked.arriving import is_chunked, validated_chunks
from ..operands.chunked.lazy import chosen_chunks, refuse_frames
from ..operands.containers import sklearn_ready, spread_columns, take_columns, times_columns
from ..selection import Selection

__all__ = ["Transforming"]


class Transforming(SelectorMixin):
    """Columns by the mask of a choice, times their weights."""

    selection_: Selection
    indices_: Any
    weights_: Any
    n_features_in_: int

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        return self.selection_.mask

    def transform(self, X: Any) -> Any:
        """Return the chosen columns of X, in the order they have in X, times their weights.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            Of dask, an array gives an array and a frame a frame; nothing is computed yet, and
            entries are not looked at. Blocks without a chosen column are never read.

        Returns
        -------
        ndarray, sparse matrix or dask array of shape (n_samples, n_selected)
        """
        if is_chunked(X):
            check_is_fitted(self)
            refuse_frames(self)
            validated_chunks(self, X, reset=False)
            return self._weighted(take_columns(X, np.sort(self.indices_)))
        return self._weighted(super().transform(sklearn_ready(X)))

    def _weighted(self, chosen: Any) -> Any:
        """Return chosen columns, in the order of the data, times their weights."""
        factors = self._factors()
        return chosen if factors is None else times_columns(chosen, factors)

    def inverse_transform(self, X: Any) -> Any:
        """Return chosen columns to their places, without weights, with zeros elsewhere.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_selected)
            For a dask array nothing is computed yet.

        Returns
        -------
        ndarray, sparse matrix or dask array of shape (n_samples, n_features)
        """
        factors = self._factors()
        if is_chunked(X):
            X = chosen_chunks(X, len(self.indices_))
            X = X if factors is None else times_columns(X, 1.0 / factors)
            return spread_columns(X, np.sort(self.indices_), self.n_features_in_)
        if factors is not None:
            X = check_array(X, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32])
            if X.shape[1] != len(factors):
                raise ValueError(f"X has {X.shape[1]} columns, but {len(factors)} were chosen")
            X = times_columns(X, 1.0 / factors)
            return spread_columns(X, np.sort(self.indices_), self.n_features_in_)
        return super().inverse_transform(X)

    def _factors(self) -> Array | None:
        """Return the weights in the order of the columns, if they are to be applied."""
        check_is_fitted(self)
        if self.weights_ is None or not getattr(self, "rescale", True):
            return None
        factors = self.selection_.factors
        assert factors is not None
        return np.asarray(factors[np.argsort(self.indices_)])
