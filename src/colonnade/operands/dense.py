"""NumPy's arrays as operands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk

from ..foundation.threads import BLAS_SPEED, in_parallel, is_split, shares
from ..foundation.typing import Array, Floats, Indices
from . import loops
from .blocks import BLOCK_BYTES, block_slices, float64, mirror
from .containers import unit_rows
from .interface import Columns

__all__ = ["Dense"]

SMALL = 2**18
"""Up to this many entries BLAS is as fast as a compiled loop, which takes a second to compile."""
LOOPED = 2**15
"""From so many entries on the loops that k-means repeats are worth their compilation."""
EXACT = 2**24 // 255**2
"""Of integers of one byte so many products add up exactly in float32, at twice the speed."""
PRODUCTS = 2**15
"""How many products are held at a time where only the largest are kept."""


class Dense(Columns):
    """A NumPy array, C or Fortran ordered, of floats or integers. Never written to.

    Integers stay as they are stored; they are read as float64, a block or a column at a time.
    """

    decomposes_directly = True
    as_stored = True
    """Whether entries are what is stored, so that floats can be multiplied without a copy."""

    def __init__(self, array: Array, dtype: Any = None):
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            array = np.ascontiguousarray(array)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        self.array = array
        self._gram: Array | None = None
        self.shape = array.shape
        self.dtype = np.dtype(dtype or (array.dtype if array.dtype.kind == "f" else np.float64))

    def part(self, rows: slice, cols: Indices | slice) -> Array:
        """Return a part of the matrix in float64; all products are made of such parts."""
        return float64(self.array[rows, cols])

    def matmat(self, V: Array) -> Array:
        if self.as_stored and self.array.dtype == V.dtype == np.float32:
            return self.array @ V
        out = np.zeros((self.shape[0], *V.shape[1:]))
        for rows, cols in self._tiles():
            out[rows] += self.part(rows, cols) @ V[cols]
        return out

    def matmat_part(self, j: slice, V: Any) -> Array:
        out = np.empty((self.shape[0], V.shape[1]))
        for rows in block_slices(self.shape[0], j.stop - j.start):
            out[rows] = self.part(rows, j) @ V
        return out

    def rmatmat(self, U: Array) -> Array:
        if self.as_stored and self.array.dtype == U.dtype == np.float32:
            return self.array.T @ U
        out = np.zeros((self.shape[1], *U.shape[1:]))
        for rows, cols in self._tiles():
            out[cols] += self.part(rows, cols).T @ U[rows]
        return out

    def columns(self, j: Indices | slice) -> Array:
        return self.part(slice(None), j)

    def row_strips(self, height: int) -> Iterator[Array]:
        for start in range(0, self.shape[0], height):
            yield self.part(slice(start, start + height), slice(None))

    def points(self, *, unit_length: bool = False) -> Any:
        if unit_length:
            return unit_rows(self.array.astype(np.float64))
        return self.array - self.array.mean(axis=0, dtype=np.float64)

    @property
    def _at_once(self) -> bool:
        """Whether all entries can be read without a copy."""
        return self.as_stored and self.array.dtype == np.float64

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        """Cut the array along its long strides, so that a block at a time is made float64."""
        m, n = self.shape
        if self._at_once:
            yield slice(0, m), slice(0, n)
        elif self.array.flags.c_contiguous:
            yield from ((rows, slice(0, n)) for rows in block_slices(m, n))
        else:
            yield from ((slice(0, m), cols) for cols in block_slices(n, m))

    def subset(self, j: Indices) -> Columns:
        if self.array.flags.f_contiguous:
            return Dense(self.array.T[j].T, self.dtype)
        return Dense(self.array[:, j], self.dtype)

    def transposed(self) -> Columns:
        return Dense(self.array.T, self.dtype)

    def outer(self) -> Array:
        m, n = self.shape
        if m * m * 8 <= 8 * BLOCK_BYTES:
            return self._small_outer()
        out = np.zeros((m, m), order="F")
        for cols in block_slices(n, m):
            # into the lower triangle, in place: a second square matrix would double the memory
            dsyrk(1.0, self.columns(cols), beta=1.0, c=out, overwrite_c=1, lower=1)
        mirror(out)
        return out

    def _small_outer(self) -> Array:
        m, n = self.shape
        out = np.empty((m, m))
        exact = self.as_stored and self.array.dtype.itemsize == 1
        if self._at_once:
            parts = [slice(0, n)]
        elif exact:
            parts = [slice(start, start + EXACT) for start in range(0, n, EXACT)]
        else:
            parts = list(block_slices(n, m))
        read = self._single if exact else self.part
        top, bottom = slice(0, m // 2), slice(m // 2, m)

        def fill(tile: tuple[slice, slice]) -> None:
            rows, cols = tile
            whole = out[rows, cols]
            for count, part in enumerate(parts or [slice(0, 0)]):  # nothing gives zeros
                left = read(rows, part)
                # of a matrix with its own transpose NumPy computes one triangle
                right = left if rows is cols else read(cols, part)
                if count:
                    whole += left @ right.T
                else:
                    np.matmul(left, right.T, out=whole)

        if not is_split(m * m * n / 2 / BLAS_SPEED):
            everything = slice(0, m)
            fill((everything, everything))
            return out
        # as much work for the first as for both others together
        in_parallel(fill, [(bottom, top), (top, top), (bottom, bottom)])
        out[top, bottom] = out[bottom, top].T
        return out

    def _single(self, rows: slice, cols: slice) -> Array:
        return self.array[rows, cols].astype(np.float32)

    def gram(self) -> Array:
        if self._gram is None:
            # the transpose of the symmetric product is in Fortran order, which symv wants
            self._gram = self.transposed().outer().T
        return self._gram

    def gram_tile(self, left: slice, right: slice) -> Array:
        out = np.zeros((left.stop - left.start, right.stop - right.start))
        widest = max(left.stop - left.start, right.stop - right.start)
        m = self.shape[0]
        parts = [slice(0, m)] if self._at_once else block_slices(m, widest // 4)
        for rows in parts:
            a = self.part(rows, left)
            # of a matrix with its own transpose NumPy computes one triangle
            out += a.T @ (a if left == right else self.part(rows, right))
        return out

    def sq_norms(self) -> Array:
        return loops.column_sq_norms(self.array)

    def group_sums(self, groups: Indices, n_groups: int, weights: Floats | None = None) -> Array:
        # without the loop there is a product with indicators, of which many are zeros
        if self.array.flags.c_contiguous and self.array.size * max(1, n_groups // 8) > LOOPED:
            return loops.group_sums(self.array, groups, n_groups, weights)
        return super().group_sums(groups, n_groups, weights)

    def row_sq_distances(self, centers: Array, groups: Indices) -> Array:
        if self.array.flags.c_contiguous and self.array.size > LOOPED:
            return loops.row_sq_distances(self.array, centers, groups)
        return super().row_sq_distances(centers, groups)

    def top_products(self, V: Array, offsets: Floats) -> tuple[Indices, Floats, Floats]:
        m, n = self.shape
        if not (self.as_stored and self.array.flags.c_contiguous and m * n > LOOPED):
            return super().top_products(V, offsets)
        where = np.zeros(m, dtype=np.intp)
        best, second = np.full(m, -np.inf), np.full(m, -np.inf)
        V = np.ascontiguousarray(V)
        array = self.array if self.array.dtype == V.dtype == np.float32 else None

        def fill(part: slice) -> None:
            # as many rows at a time as have their products in the cache
            height = max(PRODUCTS // len(offsets), 256)
            for start in range(part.start, part.stop, height):
                rows = slice(start, min(start + height, part.stop))
                block = self.part(rows, slice(None)) if array is None else array[rows]
                products = (V.T @ block.T).T  # columns that are contiguous
                loops.keep_two_best(products, offsets, 0, where[rows], best[rows], second[rows])

        in_parallel(fill, shares(m), float(m) * n * len(offsets))
        return where, best, second

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        if self.array.size <= SMALL:
            return super().sweep(q, z, gain, f, g)
        if z is None:
            # the second product costs nothing while the data is being read
            return loops.sweep(self.array, q, q, 0.0, np.zeros_like(g), g)
        return loops.sweep(self.array, q, z, gain, f, g)

    def scaled(self, factor: float) -> Columns:
        return Dense(float64(self.array) * factor, self.dtype)

    def max_abs(self) -> float:
        return max(-float(self.array.min()), float(self.array.max()))

    @property
    def pass_bytes(self) -> int:
        return self.array.nbytes

    @property
    def product_bytes(self) -> int:
        # otherwise entries are read, written as float64 and read again
        return self.array.nbytes if self._at_once else 24 * self.array.size

    @property
    def square_flops(self) -> tuple[float, float]:
        m, n = self.shape
        return float(m) * n * n, float(m) * m * n

    def compressed(self) -> Columns:
        m, n = self.shape
        return self if m <= n else Dense(self.triangle(), self.dtype)
