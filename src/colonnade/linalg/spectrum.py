"""The spectrum of a kernel matrix, from which fits for every λ follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..foundation.typing import Floats, Indices

__all__ = ["NOTHING", "Spectrum", "centred", "in_all_rows", "in_fewer_rows"]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Spectrum:
    """The kernel matrix ``K = U diag(s) Uᵀ`` of n rows, without directions that are nought.

    With an intercept K is centred on both sides, so that U is orthogonal to an ``axis``: the
    vector of ones or, if rows have weights, that of their square roots, in unit length. It is
    kept out of everything, and must have been left out by :func:`in_fewer_rows`: rounding gives
    it an eigenvalue that may look like any other. Without an intercept it is None.
    U is orthonormal to rounding, and ``blur`` says how far rounding of the data may have turned
    each of its columns. V, where it is at hand, holds the singular vectors on the side of the
    features.
    """

    U: Floats
    s: Floats
    axis: Floats | None
    blur: Floats
    V: Floats | None = None

    @property
    def complete(self) -> bool:
        """Whether there are no directions of the n rows outside of U."""
        return self.U.shape[1] + (self.axis is not None) >= len(self.U)

    def beyond(self, M: Floats) -> Floats:
        """Return what is left of columns outside of U."""
        left = M - self.U @ (self.U.T @ M)
        return left if self.axis is None else left - np.multiply.outer(self.axis, self.axis @ left)

    def of_axis(self, rows: Indices | slice) -> Floats:
        """Return the entries of the axis for some rows; zeros if there is none."""
        return np.zeros(len(self.U))[rows] if self.axis is None else self.axis[rows]

    def dual(self, alpha: float, Y: Floats) -> Floats:
        """Return ``(K + αI)⁻¹ Y``; for α = 0 the pseudoinverse, which is the limit."""
        c = self.U @ (self.U.T @ Y / (self.s + alpha)[:, None])
        if alpha > 0 and not self.complete:
            c += self.beyond(Y) / alpha
        return c


NOTHING = Spectrum(np.empty((1, 0)), np.empty(0), np.ones(1), np.empty(0))
"""What is left of a single row without its mean."""


def in_fewer_rows(M: Floats, axis: Floats) -> Floats:
    """Return ``(HM)[1:]`` with the reflection H that makes the first axis of a unit vector.

    The n − 1 rows are coordinates of the columns of M minus what they have along the vector,
    whose inner products they keep. The vector has no negative entries.
    """
    return M[1:] - np.multiply.outer(axis[1:], (axis @ M + M[0]) / (1.0 + axis[0]))


def in_all_rows(M: Floats, axis: Floats) -> Floats:
    """Return n rows orthogonal to the vector from the n − 1 of :func:`in_fewer_rows`."""
    first = axis[1:] @ M
    return np.vstack([-first, M - np.multiply.outer(axis[1:], first / (1.0 + axis[0]))])


def centred(K: Floats, shares: Floats) -> Floats:
    """Return the kernel of the rows minus their mean, to which each row has its share."""
    means = K @ shares
    return K - means - means[:, None] + shares @ means
