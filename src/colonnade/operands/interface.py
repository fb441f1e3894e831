"""What a matrix of candidates can be asked for: inner products, or the columns themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..foundation.lapack import np_qr
from ..foundation.typing import Array, Floats, Indices
from . import loops
from .blocks import block_slices
from .kept_columns import KeptColumns

__all__ = ["Columns", "Gram", "Operand", "stacked_triangle"]

FEW_PRODUCTS = 64
"""With how many columns the data is multiplied at a time, to compare what comes out."""


def stacked_triangle(strips: Iterable[Array]) -> Floats:
    """Return R of a QR factorization of what the strips of rows are when stacked.

    Its inner products of columns are theirs, without the squaring of the condition that forming
    these would bring. Only one strip and R are held at a time.
    """
    R: Floats | None = None
    for strip in strips:
        R = np.asarray(np_qr(strip if R is None else np.vstack([R, strip]), mode="r"))
    assert R is not None
    return R


class Gram(ABC):
    """An m × n matrix A whose n columns are the candidates, by their inner products.

    What is asked for here follows from ``AᵀA``; a :class:`colonnade.Kernel` has no more. Where
    the columns themselves exist, the operand is one of :class:`Columns`.

    Attributes
    ----------
    shape : tuple of int
        ``(m, n)``; for a kernel m = n.
    dtype : numpy.dtype
        What the entries are stored as: float32 or float64. Products are float64, but for those
        of dense float32 entries with a float32 factor.
    definite : bool
        Whether these inner products are meant to be positive semidefinite. If not, what turns
        out negative tells how much of a column counts as nothing.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    definite = True

    @abstractmethod
    def subset(self, j: Indices) -> Gram:
        """Return the operand of the columns ``j`` alone, in the same container."""

    @abstractmethod
    def gram(self) -> Array:
        """Return ``A.T @ A`` (n × n, dense, Fortran order); it is kept, and not to be changed."""

    @abstractmethod
    def gram_columns(self, j: Indices | slice) -> Array:
        """Return ``A.T @ A[:, j]``."""

    @abstractmethod
    def gram_matmat(self, V: Array) -> Array:
        """Return ``A.T @ (A @ V)``."""

    @abstractmethod
    def sq_norms(self) -> Array:
        """Return the squared norms of the columns, in float64."""

    def gram_sq_norms(self) -> Array:
        """Return ``‖AᵀA_i‖²`` for every column i, without holding the Gram matrix."""
        out = np.empty(self.shape[1])
        for block in block_slices(self.shape[1], self.shape[1]):
            out[block] = loops.column_sq_norms(self.gram_columns(block))
        return out

    @abstractmethod
    def scaled(self, factor: float) -> Gram:
        """Return the operand of ``factor · A``."""

    @abstractmethod
    def max_abs(self) -> float:
        """Return the largest absolute entry, or the length of the longest column.

        Either tells whether squares are in range; a kernel has only the second.
        """


Operand = Gram
"""The public name: a matrix whose columns are the candidates, whatever is known of them.

Functions that need more than inner products take :class:`Columns`.
"""


class Columns(Gram):
    """An m × n matrix A whose columns themselves can be asked for.

    Attributes
    ----------
    decomposes_directly : bool
        Whether the entries are held such that a full decomposition can take all of them at once;
        if not, it goes by way of products and of strips that are made dense one at a time.
    """

    decomposes_directly = False
    gram_is_held = False
    """Whether the Gram matrix is there already, so that nobody need do without it."""
    out_of_core = False
    """Whether the columns are not all in memory, so that each product reads all data anew."""

    has_rows = True
    """Whether the rows are those of the data and at hand one by one, not sums over them."""

    @property
    def condenses(self) -> bool:
        """Whether columns out of core are few enough for inner products to take their place."""
        return False

    def adjusted_by(self, means: Floats, factors: Floats, roots: Floats | None) -> Columns:
        """Return ``diag(roots) (A − 1 meansᵀ) diag(factors)``, of columns out of core."""
        raise NotImplementedError

    def over_rows(self, function: Any, what: str, arguments: Any) -> list[Any]:
        """Return ``function(rows, *arguments(number))`` for parts that hold whole rows.

        Parameters
        ----------
        function : callable
            Importable and pure; gets an operand of some of the rows.
        what : str
            What this is, for progress.
        arguments : callable
            Of the number of a part; returns a tuple.
        """
        return [function(self, *arguments(0))]

    def row_parts(self, what: str) -> list[slice]:
        """Return which rows each part holds; ``what`` needs to know is said where nobody does."""
        return [slice(0, self.shape[0])]

    def known_sums(self) -> tuple[float, Floats, Floats] | None:
        """Return weight, sums and sums of squares of columns out of core, if they are known."""
        return None

    @abstractmethod
    def matmat(self, V: Array) -> Array:
        """Return ``A @ V``."""

    def matmat_part(self, j: slice, V: Any) -> Array:
        """Return ``A[:, j] @ V``; V may be sparse."""
        return self.subset(np.arange(j.start, j.stop)).matmat(V)

    @abstractmethod
    def rmatmat(self, U: Array) -> Array:
        """Return ``A.T @ U``."""

    @abstractmethod
    def columns(self, j: Indices | slice) -> Array:
        """Return the columns ``A[:, j]`` as a dense array."""

    @abstractmethod
    def row_strips(self, height: int) -> Iterator[Array]:
        """Yield the rows as dense arrays of at most ``height`` rows, in float64."""

    @abstractmethod
    def points(self, *, unit_length: bool = False) -> Any:
        """Return the rows in float64, as scikit-learn takes them, for their distances alone.

        Sparse rows come as CSR, if what was taken from them is a common mean. Dense ones come as a
        copy moved to mean zero, which keeps the distances and the digits that their common part
        would take from them. With ``unit_length`` they are divided by their lengths as they were
        before they were centred, if they were, so that sparse ones stay sparse; rows of zeros
        stay.
        """

    @abstractmethod
    def subset(self, j: Indices) -> Columns: ...

    @abstractmethod
    def transposed(self) -> Columns:
        """Return the operand whose columns are the rows of this one."""

    @abstractmethod
    def outer(self) -> Array:
        """Return ``A @ A.T`` (m × m, dense)."""

    @abstractmethod
    def scaled(self, factor: float) -> Columns: ...

    @property
    @abstractmethod
    def pass_bytes(self) -> int:
        """Bytes that one product with A must read."""

    @property
    def product_bytes(self) -> int:
        """Bytes that could be read while a product is computed that is not part of a sweep."""
        return self.pass_bytes

    @property
    @abstractmethod
    def square_flops(self) -> tuple[float, float]:
        """Work to form ``AᵀA`` and ``A Aᵀ``, in dense multiplications."""

    def room_for_columns(self) -> KeptColumns | None:
        """Return where to keep some columns more compactly than dense; None if nothing is."""
        return None

    def gram_columns(self, j: Indices | slice) -> Array:
        return self.rmatmat(self.columns(j))

    def gram_matmat(self, V: Array) -> Array:
        return self.rmatmat(self.matmat(V))

    def gram_tile(self, left: slice, right: slice) -> Array:
        """Return ``A[:, left].T @ A[:, right]``, a part of the Gram matrix."""
        a = self.columns(left)
        return a.T @ (a if left == right else self.columns(right))

    def entries(self, j: slice) -> tuple[Array, Array, Array]:
        """Return rows, columns (counted within j) and values of what is not zero in ``A[:, j]``."""
        block = self.columns(j)
        rows, columns = np.nonzero(block)
        return rows, columns, block[rows, columns]

    def group_sums(self, groups: Indices, n_groups: int, weights: Floats | None = None) -> Array:
        """Return the sums of the rows of each group, ``n_groups × n``, times their weights."""
        member = np.zeros((self.shape[0], n_groups))
        member[np.arange(len(groups)), groups] = 1.0 if weights is None else weights
        return self.rmatmat(member).T

    def row_sq_distances(self, centers: Array, groups: Indices) -> Array:
        """Return the squared distance of each row from the centre of its group.

        From differences: squared norms would cancel.
        """
        out = np.zeros(self.shape[0])
        for block in block_slices(self.shape[1], self.shape[0]):
            gaps = self.columns(block) - centers[:, block][groups]
            out += loops.column_sq_norms(gaps.T)
        return out

    def top_products(self, V: Array, offsets: Floats) -> tuple[Indices, Floats, Floats]:
        """Return where each row of ``A @ V − offsets`` is largest, and its two largest entries.

        Of equal ones the first. Not all products are held at once.
        """
        m = self.shape[0]
        where = np.zeros(m, dtype=np.intp)
        best, second = np.full(m, -np.inf), np.full(m, -np.inf)
        for start in range(0, len(offsets), FEW_PRODUCTS):
            few = slice(start, start + FEW_PRODUCTS)
            scores = self.matmat(V[:, few])
            loops.keep_two_best(scores, offsets[few], start, where, best, second)
        return where, best, second

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        """Return ``ω = Aᵀq`` and update the scores with it and ``y = Aᵀz``, in place.

        ``f ← f − 2ω∘y + gain·ω∘ω`` and ``g ← g − ω∘ω``: what one choice, or with the signs
        turned one withdrawal, changes. Without z only g changes.
        """
        omega = self.rmatmat(q)
        if z is None:
            g -= np.square(omega)
        else:
            loops.update_scores(omega, self.rmatmat(z), gain, f, g)
        return omega

    def triangle(self) -> Floats:
        """Return R of a QR factorization of A or, if A is wide, of its transpose.

        It has the singular values of A to rounding of the largest, which inner products have not,
        and for tall data its right singular vectors, for wide data its left ones. Strips of the
        longer side are made dense one at a time; they are twice as long as the shorter side.
        """
        m, n = self.shape
        height = max(2 * min(m, n), 256)
        if n <= m:
            return stacked_triangle(self.row_strips(height))
        starts = range(0, n, height)
        return stacked_triangle(self.columns(slice(j, min(j + height, n))).T for j in starts)

    def compressed(self) -> Columns:
        """Return an operand with the same inner products of columns, of at most n rows."""
        return self
