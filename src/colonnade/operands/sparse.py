"""SciPy's sparse matrices as operands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array, Floats, Indices
from . import sparse_loops as loops
from .blocks import block_slices, mirror
from .containers import canonical, unit_rows
from .dense import SMALL
from .interface import Columns
from .kept_columns import KeptColumns
from .loops import update_scores
from .sparse_gaps import add_row_gaps
from .sparse_tiles import add_tile

__all__ = ["Sparse"]

FEW_COLUMNS = 4
"""Up to this many columns are looked up in each row: reading all entries takes longer."""

FEW_PAIRS = 2**22
"""Up to this many products of entries SciPy forms all of them before a loop would be compiled."""


class Sparse(Columns):
    """A SciPy sparse matrix, CSR or CSC, of floats or integers. Never written to.

    It stays as it is stored and is read as float64; parts of it at most are turned to the other
    orientation, widened or made dense. Only a small one (up to :data:`SMALL` entries) becomes
    float64 as a whole: then SciPy's products serve, and no loop has to be compiled.
    """

    def __init__(self, matrix: Any, dtype: Any = None):
        held = sp.csc_array if matrix.format == "csc" else sp.csr_array
        matrix = canonical(held(matrix))
        self.dtype = np.dtype(dtype or (matrix.dtype if matrix.dtype.kind == "f" else np.float64))
        self.small = matrix.nnz <= SMALL
        if self.small:
            matrix = matrix.astype(np.float64, copy=False)
        self.matrix: Any = matrix
        self.shape = matrix.shape
        self.by_rows = matrix.format == "csr"

    @property
    def _parts(self) -> loops.Compressed:
        return loops.Compressed(self.matrix.indptr, self.matrix.indices, self.matrix.data)

    @property
    def _minor(self) -> int:
        """How long the axis is by which the matrix is not held."""
        return self.shape[1] if self.by_rows else self.shape[0]

    @cached_property
    def _minor_counts(self) -> Indices:
        if self.small:
            return np.bincount(self.matrix.indices[: self.matrix.nnz], minlength=self._minor)
        return loops.minor_counts(self._parts, self._minor)

    @cached_property
    def _shares(self) -> list[tuple[Array, Array]]:
        return loops.minor_shares(self._parts, self._minor_counts)

    def _lengths(self) -> tuple[Indices, Indices]:
        """Return how many entries each row has, and each column."""
        majors = np.diff(self.matrix.indptr)
        counts = self._minor_counts
        return (majors, counts) if self.by_rows else (counts, majors)

    def _turned(self, start: int, stop: int) -> Any:
        """Return a part of the minor axis, held by that axis: some columns of CSR as CSC."""
        indptr, indices, data = loops.turned(self._parts, start, stop)
        m, n = self.shape
        if self.by_rows:
            return sp.csc_array((data, indices, indptr), shape=(m, stop - start))
        return sp.csr_array((data, indices, indptr), shape=(stop - start, n))

    def _columns(self, j: Indices | slice) -> Any:
        """Return some columns as a sparse matrix in float64."""
        if isinstance(j, slice) and self.by_rows and not self.small:
            start, stop, step = j.indices(self.shape[1])
            if step == 1:
                return self._turned(start, max(start, stop)).astype(np.float64, copy=False)
        return self.matrix[:, j].astype(np.float64, copy=False)

    def _product(self, V: Array, transposed: bool) -> Array:
        """Return ``A @ V``, or ``A.T @ V``."""
        if self.small:
            return np.asarray((self.matrix.T if transposed else self.matrix) @ V)
        V = np.ascontiguousarray(V, dtype=np.float64)
        if transposed != self.by_rows:
            return loops.gathered(self._parts, V)
        out = np.zeros((self._minor, *V.shape[1:]))
        loops.add_scattered(self._parts, self._shares, V, out)
        return out

    def matmat(self, V: Any) -> Array:
        if not sp.issparse(V):
            return self._product(V, transposed=False)
        out = np.empty((self.shape[0], V.shape[1]))
        V = V.tocsc()
        for part in block_slices(V.shape[1], self.shape[1]):
            out[:, part] = self._product(V[:, part].toarray(), transposed=False)
        return out

    def matmat_part(self, j: slice, V: Any) -> Array:
        return Sparse(self._columns(j), self.dtype).matmat(V)

    def rmatmat(self, U: Array) -> Array:
        return self._product(U, transposed=True)

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        if z is None or self.small:
            return super().sweep(q, z, gain, f, g)
        omega, y = self.rmatmat(np.column_stack((q, z))).T
        update_scores(omega, y, gain, f, g)
        return np.ascontiguousarray(omega)

    def columns(self, j: Indices | slice) -> Array:
        if self.by_rows and not self.small:
            numbers = np.arange(self.shape[1])[j]
            if len(numbers) <= FEW_COLUMNS:
                out = np.zeros((self.shape[0], len(numbers)), order="F")
                for k, number in enumerate(numbers.tolist()):
                    loops.minor_slice(self._parts, number, out[:, k])
                return out
        return self._columns(j).toarray(order="F")

    def room_for_columns(self) -> KeptColumns | None:
        return None if self.small else KeptColumns(self.shape[0], self.matrix.dtype)

    def row_strips(self, height: int) -> Iterator[Array]:
        for start in range(0, self.shape[0], height):
            yield self._rows(start, min(start + height, self.shape[0]))

    def _rows(self, start: int, stop: int) -> Array:
        whole = self.by_rows or self.small
        rows = self.matrix[start:stop] if whole else self._turned(start, stop)
        return rows.astype(np.float64, copy=False).toarray()

    def entries(self, j: slice) -> tuple[Array, Array, Array]:
        block = self._columns(j).tocoo()
        return block.row, block.col, block.data

    def points(self, *, unit_length: bool = False) -> Any:
        rows = self.matrix.tocsr().astype(np.float64, copy=False)
        return unit_rows(rows) if unit_length else rows

    def subset(self, j: Indices) -> Sparse:
        some = self.matrix[:, j]
        some.sort_indices()
        return Sparse(some, self.dtype)

    def transposed(self) -> Sparse:
        return Sparse(self.matrix.T, self.dtype)

    def times(self, columns: Array | None = None, rows: Array | None = None) -> Sparse:
        """Return the operand with columns, and with rows, multiplied by a factor each."""
        indptr, indices, data = self._parts
        majors, minors = (rows, columns) if self.by_rows else (columns, rows)
        data = data.astype(np.float64)
        if minors is not None:
            data *= minors[indices]
        if majors is not None:
            data *= np.repeat(majors, np.diff(indptr))
        matrix = type(self.matrix)((data, indices, indptr), shape=self.shape)
        matrix.has_canonical_format = True  # indices are shared with what has it
        return Sparse(matrix, self.dtype)

    def outer(self) -> Array:
        return self._square(self.shape[0], minors=not self.by_rows)

    def gram(self) -> Array:
        return self._square(self.shape[1], minors=self.by_rows)

    def _square(self, side: int, minors: bool) -> Array:
        """Return all inner products of rows or of columns, in Fortran order."""
        if self.small:
            A = self.matrix if minors == self.by_rows else self.matrix.T
            return (A.T @ A).toarray(order="F")
        out = np.zeros((side, side))
        if minors:
            loops.add_pairs(self._parts, out)
        else:
            for part in loops.even_parts(self._minor_counts):
                loops.add_pairs(loops.turned(self._parts, part.start, part.stop), out)
        mirror(out)
        return out.T

    def gram_tile(self, left: slice, right: slice) -> Array:
        if self.small or not self.by_rows:
            return np.asarray((self._columns(left).T @ self._columns(right)).toarray())
        out = np.zeros((left.stop - left.start, right.stop - right.start))
        add_tile(self._parts, left, right, out)
        return out

    def sq_norms(self) -> Array:
        if self.small:
            return np.asarray(self.matrix.power(2).sum(axis=0))
        return loops.sq_norms(self._parts, self.shape[1], self.by_rows)

    def group_sums(self, groups: Indices, n_groups: int, weights: Floats | None = None) -> Array:
        if self.small:
            return super().group_sums(groups, n_groups, weights)
        out = np.zeros((n_groups, self.shape[1]))
        loads = np.ones(self.shape[0]) if weights is None else weights
        loops.group_sums(self._parts, groups, loads, self.by_rows, out)
        return out

    def row_sq_distances(self, centers: Array, groups: Indices) -> Array:
        # where a row has no entry, its distance is that of the centre from zero
        sizes = np.square(centers).sum(axis=1)[groups]
        near, there = np.zeros(self.shape[0]), np.zeros(self.shape[0])
        if self.small:
            entries = self.matrix.tocoo()
            rows, values = entries.coords[0], centers[groups[entries.coords[0]], entries.coords[1]]
            np.add.at(near, rows, np.square(entries.data.astype(np.float64) - values))
            np.add.at(there, rows, np.square(values))
        else:
            add_row_gaps(self._parts, centers, groups, self.by_rows, near, there)
        out = near + np.maximum(sizes - there, 0.0)
        doubtful = np.flatnonzero(out <= 1e-6 * sizes)  # the difference has lost digits
        for part in block_slices(self.shape[0], self.shape[1]):
            i = doubtful[(doubtful >= part.start) & (doubtful < part.stop)]
            if len(i):
                gaps = self._rows(part.start, part.stop)[i - part.start] - centers[groups[i]]
                out[i] = np.square(gaps).sum(axis=1)
        return out

    def gram_sq_norms(self, factors: Array | None = None) -> Array:
        """Return ``‖AᵀA_i‖²`` for every column i, or that of ``A·diag(factors)``."""
        pairs = np.square(self._lengths()[0], dtype=np.float64).sum()
        if self.small and pairs <= FEW_PAIRS:
            A = self.matrix if factors is None else self.times(columns=factors).matrix
            return np.asarray((A.T @ A).power(2).sum(axis=0))
        return loops.gram_sq_norms(self._parts, self._minor_counts, self.by_rows, factors)

    def scaled(self, factor: float) -> Columns:
        return Sparse(self.matrix.astype(np.float64) * factor, self.dtype)

    def max_abs(self) -> float:
        values = self.matrix.data
        return max(-float(values.min(initial=0)), float(values.max(initial=0)))

    @property
    def pass_bytes(self) -> int:
        return int(self.matrix.nnz * (self.matrix.data.itemsize + self.matrix.indices.itemsize))

    @property
    def square_flops(self) -> tuple[float, float]:
        # every entry meets those of its row, or of its column; a sparse multiplication costs
        # about thirty dense ones
        rows, columns = (float(np.square(x, dtype=np.float64).sum()) for x in self._lengths())
        return 30.0 * rows, 30.0 * columns
