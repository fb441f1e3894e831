"""SciPy's sparse matrices as operands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array, Indices
from . import loops
from .blocks import block_slices
from .containers import canonical, times_columns
from .interface import Columns

__all__ = ["Sparse"]


class Sparse(Columns):
    """A SciPy sparse matrix, held by columns and made dense in strips at most."""

    def __init__(self, matrix: Any, dtype: Any = None):
        csc: Any = canonical(sp.csc_array(matrix))
        self.dtype = np.dtype(dtype or csc.dtype)
        self.matrix = csc.astype(np.float64, copy=False)
        self.shape = csc.shape

    def matmat(self, V: Array) -> Array:
        product: Any = self.matrix @ V
        return product.toarray() if sp.issparse(product) else np.asarray(product)

    def matmat_part(self, j: slice, V: Any) -> Array:
        return Sparse(self.matrix[:, j], self.dtype).matmat(V)

    def rmatmat(self, U: Array) -> Array:
        return np.asarray(self.matrix.T @ U)

    def columns(self, j: Indices | slice) -> Array:
        return self.matrix[:, j].toarray(order="F")

    def row_strips(self, height: int) -> Iterator[Array]:
        rows = self.matrix.tocsr()
        for start in range(0, self.shape[0], height):
            yield rows[start : start + height].toarray()

    def entries(self, j: slice) -> tuple[Array, Array, Array]:
        block = self.matrix[:, j].tocoo()
        return block.row, block.col, block.data

    def points(self) -> Any:
        return self.matrix.tocsr()

    def subset(self, j: Indices) -> Sparse:
        return Sparse(self.matrix[:, j], self.dtype)

    def transposed(self) -> Sparse:
        return Sparse(self.matrix.T, self.dtype)

    def times(self, columns: Array | None = None, rows: Array | None = None) -> Sparse:
        """Return the operand with columns, and with rows, multiplied by a factor each."""
        matrix = self.matrix
        if columns is not None:
            matrix = times_columns(matrix, columns)
        if rows is not None:
            matrix = times_columns(matrix.T, rows).T
        return Sparse(matrix, self.dtype)

    def outer(self) -> Array:
        return (self.matrix @ self.matrix.T).toarray(order="F")

    def gram(self) -> Array:
        return (self.matrix.T @ self.matrix).toarray(order="F")

    def sq_norms(self) -> Array:
        out = np.zeros(self.shape[1])
        starts = self.matrix.indptr[:-1]
        filled = np.diff(self.matrix.indptr) > 0
        if filled.any():
            squares = np.square(self.matrix.data, dtype=np.float64)
            out[filled] = np.add.reduceat(squares, starts[filled])
        return out

    def row_sq_distances(self, centers: Array, groups: Indices) -> Array:
        entries = self.matrix.tocoo()
        there = centers[groups[entries.row], entries.col]

        def over_rows(weights: Array) -> Array:
            return np.bincount(entries.row, weights, minlength=self.shape[0])

        # where a row has no entry, its distance is that of the centre from zero
        sizes = np.square(centers).sum(axis=1)[groups]
        elsewhere = sizes - over_rows(np.square(there))
        out = over_rows(np.square(entries.data - there)) + np.maximum(elsewhere, 0.0)
        doubtful = np.flatnonzero(out <= 1e-6 * sizes)  # the difference has lost digits
        if len(doubtful):
            rows = self.matrix.tocsr()
            for part in block_slices(len(doubtful), self.shape[1]):
                i = doubtful[part]
                out[i] = np.square(rows[i].toarray() - centers[groups[i]]).sum(axis=1)
        return out

    def gram_sq_norms(self) -> Array:
        rows = self.matrix.tocsr()
        return loops.sparse_gram_sq_norms(
            self.matrix.indptr, self.matrix.indices, self.matrix.data,
            rows.indptr, rows.indices, rows.data,
        )  # fmt: skip

    def scaled(self, factor: float) -> Columns:
        return Sparse(self.matrix * factor, self.dtype)

    def max_abs(self) -> float:
        return float(np.abs(self.matrix.data).max(initial=0.0))

    @property
    def pass_bytes(self) -> int:
        return int(self.matrix.data.nbytes + self.matrix.indices.nbytes)

    @property
    def square_flops(self) -> tuple[float, float]:
        # rows and columns of average length; a sparse multiplication costs about a hundred
        # dense ones
        m, n = self.shape
        squared = 100.0 * self.matrix.nnz * self.matrix.nnz
        return squared / m, squared / n
