"""What a criterion reconstructs, as the residual that holds columns sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.linalg.blas import get_blas_funcs

from ..foundation.threads import in_parallel
from ..foundation.typing import Array, Floats
from ..operands import loops
from ..operands.blocks import block_slices
from ..operands.interface import Columns

if TYPE_CHECKING:
    from .columns import ColumnResidual

__all__ = [
    "HeldOuter",
    "KernelTarget",
    "MatrixTarget",
    "Products",
    "Target",
]


class Target(Protocol):
    """A matrix B that the choice shall reconstruct, known through ``F Fᵀ``, F its residual."""

    def outer(self, q: Array) -> Array:
        """Return ``F (Fᵀ q)`` up to a part in the span of the chosen columns."""

    def numerators(self, E: Array) -> Floats:
        """Return ``‖Fᵀ e‖²`` for the columns e of E."""

    def initial(self, A: Columns) -> Floats:
        """Return ``‖Bᵀ a‖²`` for the columns a of A."""

    def sq_norm(self) -> float:
        """Return ``‖F‖²``, as it was when last computed from the data."""

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Work with the residual of B from here on; return ``‖F‖²`` if it was computed."""


class HeldOuter:
    """The matrix A as its own target, by way of ``A Aᵀ`` (m × m) held in memory."""

    def __init__(self, A: Columns):
        self.A = A
        self._hold(A.outer())

    def _hold(self, M: Array) -> None:
        self._M = M.T if M.flags.c_contiguous else M  # symmetric; symv wants Fortran order
        self._symv = get_blas_funcs("symv", (self._M,))

    def outer(self, q: Array) -> Array:
        """Return ``A Aᵀ q``, reading one triangle."""
        return np.asarray(self._symv(1.0, self._M, q))

    def numerators(self, E: Array) -> Floats:
        """Return ``eᵀ (A Aᵀ) e`` for the columns e of E.

        By strips of rows: what lies left of the diagonal counts twice, so that the part right
        of it need not be multiplied.
        """
        out = np.zeros(E.shape[1])
        height = -(-len(E) // 8)
        for start in range(0, len(E), height):
            strip = slice(start, start + height)
            product = 2.0 * (self._M[strip, :start] @ E[:start])
            product += self._M[strip, strip] @ E[strip]
            out += np.einsum("ij,ij->j", E[strip], product)
        return out

    def initial(self, A: Columns) -> Floats:
        """Return the numerators of the columns of A, block by block."""
        blocks = block_slices(A.shape[1], A.shape[0])
        scores = in_parallel(lambda block: self.numerators(A.columns(block)), blocks)
        return np.concatenate(scores)

    def sq_norm(self) -> float:
        """Return the trace of ``A Aᵀ``."""
        return float(self._M.trace())

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Replace ``A Aᵀ`` by ``E Eᵀ`` with E computed explicitly, block by block."""
        M = np.zeros_like(self._M)
        for block in block_slices(self.A.shape[1], self.A.shape[0]):
            E = residual.project(self.A.columns(block))
            M += E @ E.T
        self._hold(M)
        return self.sq_norm()


class Products:
    """A matrix as target by products with it alone: for data of which nothing square fits."""

    def __init__(self, A: Columns):
        self.A = A

    def outer(self, q: Array) -> Array:
        """Return ``B (Bᵀ q)``."""
        return self.A.matmat(self.A.rmatmat(q))

    def numerators(self, E: Array) -> Floats:
        """Return ``‖Bᵀ e‖²`` for the columns e of E."""
        out = np.empty(E.shape[1])
        for part in block_slices(E.shape[1], self.A.shape[1]):
            out[part] = loops.column_sq_norms(self.A.rmatmat(E[:, part]))
        return out

    def initial(self, A: Columns) -> Floats:
        """Return the numerators of the columns of A, with a short cut for its own."""
        if A is self.A:
            return A.gram_sq_norms()
        out = np.empty(A.shape[1])
        for block in block_slices(A.shape[1], A.shape[0]):
            out[block] = self.numerators(A.columns(block))
        return out

    def sq_norm(self) -> float:
        """Return ``‖B‖²``."""
        return float(self.A.sq_norms().sum())

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Do nothing: products with vectors orthogonal to the chosen columns stay accurate."""
        return None


class MatrixTarget:
    """A given target of few columns, held as a dense m × c matrix."""

    def __init__(self, B: Array):
        self.B = B

    def outer(self, q: Array) -> Array:
        """Return ``B (Bᵀ q)``."""
        return self.B @ (self.B.T @ q)

    def numerators(self, E: Array) -> Floats:
        """Return ``‖Bᵀ e‖²`` for the columns e of E."""
        return loops.column_sq_norms(self.B.T @ E)

    def initial(self, A: Columns) -> Floats:
        """Return the numerators of the columns of A, a few targets at a time."""
        out = np.zeros(A.shape[1])
        for part in block_slices(self.B.shape[1], A.shape[1]):
            out += loops.column_sq_norms(A.rmatmat(self.B[:, part]).T)
        return out

    def sq_norm(self) -> float:
        """Return ``‖B‖²``."""
        return float(np.square(self.B).sum())

    def rebase(self, residual: ColumnResidual) -> float | None:
        """Replace B by its residual."""
        self.B = residual.project(self.B)
        return self.sq_norm()


@dataclass(frozen=True)
class KernelTarget:
    """A target known by its inner products with the columns of a kernel.

    Attributes
    ----------
    products : ndarray of shape (c, n)
        ``BᵀA``.
    sq_norm : float
        ``‖B‖²``.
    """

    products: Array
    sq_norm: float
