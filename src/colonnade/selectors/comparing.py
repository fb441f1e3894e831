"""Rows compared with chosen ones: coordinates in their span, or distances to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone

from ..foundation.typing import Array, Floats, Indices
from ..operands.adjusted import adjusted, over
from ..operands.blocks import BLOCK_BYTES
from ..operands.chunked.lazy import mapped_rows
from ..operands.containers import by_rows, dense, times_columns, unit_rows
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from .base import Selector
from .representatives.apart import first_nearest, rows_apart
from .representatives.point_selector import RepresentativeSelector

__all__ = ["Comparing", "coordinates_of_rows", "nearest_rows", "rows_of_coordinates"]


class Comparing:
    """What a fitted selector of rows tells of others."""

    selector_: Selector
    indices_: Indices
    representatives_: Any
    components_: Floats
    means_: Floats | None
    units_: Floats | None
    center: bool
    n_features_in_: int

    def _coordinates(self, X: Any) -> Array:
        """Return the coordinates of checked rows, or their distances to representatives."""
        if self._stands:
            return self._distances(X)
        basis = self.components_.T
        if self.means_ is None:
            return np.asarray(X @ basis)
        Z = self._prepared(X).matmat(basis)
        return Z.astype(np.result_type(X.dtype, basis.dtype), copy=False)

    def _prepared(self, X: Any) -> Columns:
        """Return checked rows with their features as they were in the fit."""
        A, units = wrapped(X), self.units_
        if self.means_ is None or units is None:
            return A
        return adjusted(A, self.means_, over(units))

    @property
    def _stands(self) -> bool:
        """Whether chosen rows stand for those near to them, in place of spanning all."""
        return isinstance(self.selector_, RepresentativeSelector)

    def _comparable(self, X: Any) -> Iterator[Any]:
        """Yield checked rows, a strip at a time, in a space in which they can be compared."""
        A = self._prepared(X)
        cosine = getattr(self.selector_, "directions_alone", False)
        # a mean far from zero would take digits from distances, and an angle is about it
        filled = A.decomposes_directly or self.center
        beside = max(len(self.indices_), X.shape[1] if filled else 1)
        height = max(1, 4 * BLOCK_BYTES // (8 * beside))
        if filled:
            strips: Iterable[Any] = A.row_strips(height)
        else:
            rows = by_rows(X)
            rows = rows if self.units_ is None else times_columns(rows, over(self.units_))
            strips = (rows[i : i + height] for i in range(0, rows.shape[0], height))
        for strip in strips:
            yield unit_rows(strip) if cosine else strip

    def _against(self, X: Any) -> Iterator[Array]:
        """Yield the distances of strips of checked rows from the chosen ones."""
        chosen = [*self._comparable(self.representatives_)]
        # of dense rows their common part is taken out, which would take digits from distances
        moved = self._prepared(X).decomposes_directly
        middle = sum(part.sum(axis=0) for part in chosen) / len(self.indices_) if moved else None
        for strip in self._comparable(X):
            rows = strip if middle is None else strip - middle
            some = [part if middle is None else part - middle for part in chosen]
            yield np.hstack([rows_apart(rows, part) for part in some])

    def _distances(self, X: Any) -> Array:
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        return np.concatenate([D.astype(dtype, copy=False) for D in self._against(X)])

    def _nearest(self, X: Any) -> Array:
        return np.concatenate([first_nearest(D) for D in self._against(X)])

    def _rows_of(self, Z: Array) -> Array:
        """Return the rows that have the given coordinates."""
        out = Z @ self.components_
        if self.means_ is None or self.units_ is None:
            return np.asarray(out)
        return (out * self.units_ + self.means_).astype(out.dtype, copy=False)

    def _by_chunks(self, X: Any, function: Any) -> Any:
        """Return what a function below finds for rows in chunks, when it is asked for."""
        lean = copy(self)  # without the embedding of all rows of the fit
        lean.__dict__.pop("selection_")
        lean.selector_ = clone(self.selector_)
        if function is nearest_rows:
            return mapped_rows(X, function, lean, width=None, dtype=np.dtype(np.intp))
        dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        if not self._stands:
            dtype = np.result_type(X.dtype, self.components_.dtype)
        width = len(self.indices_) if function is coordinates_of_rows else self.n_features_in_
        return mapped_rows(X, function, lean, width=width, dtype=dtype)


# what is done to the rows of a chunk


def coordinates_of_rows(X: Any, fitted: Comparing) -> Array:
    """Return coordinates of rows, or distances."""
    return fitted._coordinates(X)


def nearest_rows(X: Any, fitted: Comparing) -> Array:
    """Return which chosen row is the nearest to each row."""
    return fitted._nearest(X)


def rows_of_coordinates(Z: Any, fitted: Comparing) -> Array:
    """Return the rows that have the given coordinates."""
    return fitted._rows_of(dense(Z))
