"""Matrices whose columns are the candidates, whatever they are stored in.

This is the only module that knows containers (``kernel_operand.py`` adds columns that are known
by their inner products alone). Everything above it speaks to an
:class:`Operand`: products with the matrix and its transpose, inner products of columns,
and one fused pass that the pivoting engine repeats. A new container is a new subclass here.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk

from . import kernels
from ._threads import in_parallel
from ._typing import Array, Indices
from .blocks import BLOCK_BYTES, cut, float64, mirror

__all__ = ["Dense", "Operand", "Sparse", "as_operand", "check_matrix", "container_of"]


class Operand(ABC):
    """An m × n matrix A whose n columns are the candidates.

    Attributes
    ----------
    shape : tuple of int
        ``(m, n)``; for a kernel m = n.
    dtype : numpy.dtype
        What the entries are stored as: float32 or float64. Products are always float64.
    has_columns : bool
        Whether the columns themselves exist, or (for a kernel) only their inner products.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    has_columns = True

    def matmat(self, V: Array) -> Array:
        """Return ``A @ V``."""
        raise TypeError(f"{type(self).__name__} has no columns, only their inner products")

    def rmatmat(self, U: Array) -> Array:
        """Return ``A.T @ U``."""
        raise TypeError(f"{type(self).__name__} has no columns, only their inner products")

    def columns(self, j: Indices | slice) -> Array:
        """Return the columns ``A[:, j]`` as a dense array."""
        raise TypeError(f"{type(self).__name__} has no columns, only their inner products")

    def entries(self, j: slice) -> tuple[Array, Array, Array]:
        """Return rows, columns (counted within j) and values of what is not zero in ``A[:, j]``."""
        block = self.columns(j)
        rows, columns = np.nonzero(block)
        return rows, columns, block[rows, columns]

    def points(self) -> Any:
        """Return the rows in float64, as scikit-learn takes them, for their distances alone.

        Sparse rows come as CSR. Dense ones come as a copy moved to mean zero, which keeps the
        distances and the digits that their common part would take from them.
        """
        raise TypeError(f"{type(self).__name__} has no columns, only their inner products")

    @abstractmethod
    def subset(self, j: Indices) -> Operand:
        """Return the operand of the columns ``j`` alone, in the same container."""

    def outer(self) -> Array:
        """Return ``A @ A.T`` (m × m, dense)."""
        raise TypeError(f"{type(self).__name__} has no columns, only their inner products")

    @abstractmethod
    def gram(self) -> Array:
        """Return ``A.T @ A`` (n × n, dense, Fortran order); it is kept, and not to be changed."""

    def gram_columns(self, j: Indices | slice) -> Array:
        """Return ``A.T @ A[:, j]``."""
        return self.rmatmat(self.columns(j))

    def gram_matmat(self, V: Array) -> Array:
        """Return ``A.T @ (A @ V)``."""
        return self.rmatmat(self.matmat(V))

    @abstractmethod
    def sq_norms(self) -> Array:
        """Return the squared norms of the columns, in float64."""

    def gram_sq_norms(self) -> Array:
        """Return ``‖AᵀA_i‖²`` for every column i, without holding the Gram matrix."""
        out = np.empty(self.shape[1])
        for block in cut(self.shape[1], self.shape[1]):
            out[block] = kernels.column_sq_norms(self.gram_columns(block))
        return out

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        """Return ``ω = Aᵀq`` and update the scores with it and ``y = Aᵀz``, in place.

        ``f ← f − 2ω∘y + gain·ω∘ω`` and ``g ← g − ω∘ω``: what one choice, or with the signs
        turned one withdrawal, changes. Without z only g changes.
        """
        omega = self.rmatmat(q)
        if z is None:
            g -= np.square(omega)
        else:
            kernels.update_scores(omega, self.rmatmat(z), gain, f, g)
        return omega

    @abstractmethod
    def scaled(self, factor: float) -> Operand:
        """Return the operand of ``factor · A``."""

    @abstractmethod
    def max_abs(self) -> float:
        """Return the largest absolute entry (for a kernel: the root of the largest diagonal)."""

    @property
    @abstractmethod
    def pass_bytes(self) -> int:
        """Bytes that one product with A must read."""

    @property
    def square_flops(self) -> tuple[float, float]:
        """Work to form ``AᵀA`` and ``A Aᵀ``, in dense multiplications."""
        raise TypeError(f"{type(self).__name__} has no columns, only their inner products")

    def compressed(self) -> Operand:
        """Return an operand with the same inner products of columns, of at most n rows."""
        return self


def container_of(X: Any) -> str:
    """Return what X is kept in: "dense", "sparse" or "kernel"."""
    if isinstance(X, Operand) and not X.has_columns:
        return "kernel"
    return "sparse" if isinstance(X, Sparse) or sp.issparse(X) else "dense"


class Dense(Operand):
    """A NumPy array, C or Fortran ordered, of floats or integers. Never written to.

    Integers stay as they are stored; they are read as float64, a block or a column at a time.
    """

    def __init__(self, array: Array, dtype: Any = None):
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            array = np.ascontiguousarray(array)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        self.array = array
        self._gram: Array | None = None
        self.shape = array.shape
        self.dtype = np.dtype(dtype or (array.dtype if array.dtype.kind == "f" else np.float64))

    def matmat(self, V: Array) -> Array:
        out = np.zeros((self.shape[0], *V.shape[1:]))
        for rows, cols in self._tiles():
            out[rows] += float64(self.array[rows, cols]) @ V[cols]
        return out

    def rmatmat(self, U: Array) -> Array:
        out = np.zeros((self.shape[1], *U.shape[1:]))
        for rows, cols in self._tiles():
            out[cols] += float64(self.array[rows, cols]).T @ U[rows]
        return out

    def columns(self, j: Indices | slice) -> Array:
        return float64(self.array[:, j])

    def points(self) -> Any:
        return self.array - self.array.mean(axis=0, dtype=np.float64)

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        """Cut the array along its long strides, so that float32 is widened a block at a time."""
        m, n = self.shape
        if self.array.dtype == np.float64:
            yield slice(0, m), slice(0, n)
        elif self.array.flags.c_contiguous:
            yield from ((rows, slice(0, n)) for rows in cut(m, n))
        else:
            yield from ((slice(0, m), cols) for cols in cut(n, m))

    def subset(self, j: Indices) -> Operand:
        if self.array.flags.f_contiguous:
            return Dense(self.array.T[j].T, self.dtype)
        return Dense(self.array[:, j], self.dtype)

    def outer(self) -> Array:
        m, n = self.shape
        if m * m * 8 <= 8 * BLOCK_BYTES:
            return self._small_outer()
        out = np.zeros((m, m), order="F")
        for cols in cut(n, m):
            # into the lower triangle, in place: a second square matrix would double the memory
            dsyrk(1.0, self.columns(cols), beta=1.0, c=out, overwrite_c=1, lower=1)
        mirror(out)
        return out

    def _small_outer(self) -> Array:
        m, n = self.shape
        out = np.zeros((m, m))
        parts = [slice(0, n)] if self.array.dtype == np.float64 else list(cut(n, 4 * m))
        top, bottom = slice(0, m // 2), slice(m // 2, m)

        def fill(tile: tuple[slice, slice]) -> None:
            rows, cols = tile
            for part in parts:
                left = float64(self.array[rows, part])
                # of a matrix with its own transpose NumPy computes one triangle
                right = left if rows is cols else float64(self.array[cols, part])
                out[rows, cols] += left @ right.T

        # as much work for the first as for both others together
        in_parallel(fill, [(bottom, top), (top, top), (bottom, bottom)])
        out[top, bottom] = out[bottom, top].T
        return out

    def gram(self) -> Array:
        if self._gram is None:
            # the transpose of the symmetric product is in Fortran order, which symv wants
            self._gram = Dense(self.array.T).outer().T
        return self._gram

    def sq_norms(self) -> Array:
        return kernels.column_sq_norms(self.array)

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        if z is None:
            # the second product costs nothing while the data is being read
            return kernels.sweep(self.array, q, q, 0.0, np.zeros_like(g), g)
        return kernels.sweep(self.array, q, z, gain, f, g)

    def scaled(self, factor: float) -> Operand:
        return Dense(float64(self.array) * factor, self.dtype)

    def max_abs(self) -> float:
        return max(-float(self.array.min()), float(self.array.max()))

    @property
    def pass_bytes(self) -> int:
        return self.array.nbytes

    @property
    def square_flops(self) -> tuple[float, float]:
        m, n = self.shape
        return float(m) * n * n, float(m) * m * n

    def compressed(self) -> Operand:
        m, n = self.shape
        if m <= n:
            return self
        # a QR factorization by strips of rows: inner products of R are those of A, without
        # the squaring of the condition that forming them would bring
        R: Array = np.empty((0, n))
        for start in range(0, m, n):
            strip = np.vstack([R, self.array[start : start + n]])
            R = np.asarray(np.linalg.qr(strip, mode="r"))
        return Dense(R, self.dtype)


class Sparse(Operand):
    """A SciPy sparse matrix, held by columns and never made dense."""

    def __init__(self, matrix: Any, dtype: Any = None):
        csc: Any = sp.csc_array(matrix)
        if not csc.has_canonical_format:
            # sum_duplicates works in place, and the arrays may still be the caller's
            csc = csc.copy()
            csc.sum_duplicates()
        self.dtype = np.dtype(dtype or csc.dtype)
        self.matrix = csc.astype(np.float64, copy=False)
        self.shape = csc.shape

    def matmat(self, V: Array) -> Array:
        product: Any = self.matrix @ V
        return product.toarray() if sp.issparse(product) else np.asarray(product)

    def rmatmat(self, U: Array) -> Array:
        return np.asarray(self.matrix.T @ U)

    def columns(self, j: Indices | slice) -> Array:
        return self.matrix[:, j].toarray(order="F")

    def entries(self, j: slice) -> tuple[Array, Array, Array]:
        block = self.matrix[:, j].tocoo()
        return block.row, block.col, block.data

    def points(self) -> Any:
        return self.matrix.tocsr()

    def subset(self, j: Indices) -> Operand:
        return Sparse(self.matrix[:, j], self.dtype)

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

    def gram_sq_norms(self) -> Array:
        rows = self.matrix.tocsr()
        return kernels.sparse_gram_sq_norms(
            self.matrix.indptr, self.matrix.indices, self.matrix.data,
            rows.indptr, rows.indices, rows.data,
        )  # fmt: skip

    def scaled(self, factor: float) -> Operand:
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


def as_operand(X: Any) -> Operand:
    """Return X as an :class:`Operand` whose columns are the candidates.

    To select rows, pass the transpose. Arrays and CSC matrices are not copied unless their
    type demands it: dense integers stay integers, booleans and sparse integers become float64,
    float16 becomes float32.

    Parameters
    ----------
    X : Operand, array-like, or sparse matrix
        Two-dimensional, not empty, real and finite.

    Returns
    -------
    Operand

    Examples
    --------
    >>> from colonnade import as_operand
    >>> as_operand([[1, 2, 3], [4, 5, 6]]).sq_norms()
    array([17., 29., 45.])
    """
    if isinstance(X, Operand):
        return X
    X = check_matrix(X)
    return Sparse(X) if sp.issparse(X) else Dense(X)


def check_matrix(X: Any, name: str = "X") -> Any:
    """Return X as a float array or sparse matrix, or say what is wrong with it."""
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill the masked entries first")
    if sp.issparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsr()
    else:
        frame, X = X, np.asarray(X)
        if X.dtype == object and hasattr(frame, "to_numpy"):
            # a data frame of several numeric types; text fails, and is reported below
            with contextlib.suppress(ValueError, TypeError):
                X = frame.to_numpy(dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, got {X.ndim} with shape {X.shape}; "
            "one column is X.reshape(-1, 1), one row is X.reshape(1, -1)"
        )
    if 0 in X.shape:
        raise ValueError(f"{name} is empty: shape {X.shape}; it needs at least 1 row and 1 column")
    if X.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} has dtype {X.dtype}; only real numbers can be used: encode text and "
            "categories first, split complex numbers into real and imaginary part"
        )
    if sp.issparse(X) or X.dtype.kind in "fb":
        target = np.float32 if X.dtype in (np.float16, np.float32) else np.float64
        X = X.astype(target, copy=False)
    if X.dtype.kind != "f":
        return X
    values: Array = X.data if not isinstance(X, np.ndarray) else X
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(values.sum())
    if suspicious and not np.isfinite(values).all():
        bad = "NaN" if np.isnan(values).any() else "infinity"
        raise ValueError(
            f"{name} contains {bad}; impute or drop such entries first "
            "(for example with sklearn.impute.SimpleImputer)"
        )
    return X
