"""The spectrum of a kernel matrix, from which fits for every λ follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..foundation.typing import Floats

__all__ = ["NOTHING", "Spectrum", "centred", "in_all_rows", "in_fewer_rows"]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Spectrum:
    """The kernel matrix ``K = U diag(s) Uᵀ`` of n rows, without directions that are nought.

    With an intercept K is centred on both sides, so that U is orthogonal to the vector of ones,
    and that vector is kept out of everything. It must have been left out by
    :func:`in_fewer_rows`: rounding gives it an eigenvalue that may look like any other.
    U is orthonormal to rounding, and ``blur`` says how far rounding of the data may have turned
    each of its columns. V, where it is at hand, holds the singular vectors on the side of the
    features.
    """

    U: Floats
    s: Floats
    centred: bool
    blur: Floats
    V: Floats | None = None

    @property
    def complete(self) -> bool:
        """Whether there are no directions of the n rows outside of U."""
        return self.U.shape[1] + self.centred >= len(self.U)

    def beyond(self, M: Floats) -> Floats:
        """Return what is left of columns outside of U."""
        left = M - self.U @ (self.U.T @ M)
        return left - left.mean(axis=0) if self.centred else left

    def dual(self, alpha: float, Y: Floats) -> Floats:
        """Return ``(K + αI)⁻¹ Y``; for α = 0 the pseudoinverse, which is the limit."""
        c = self.U @ (self.U.T @ Y / (self.s + alpha)[:, None])
        if alpha > 0 and not self.complete:
            c += self.beyond(Y) / alpha
        return c


NOTHING = Spectrum(np.empty((1, 0)), np.empty(0), True, np.empty(0))
"""What is left of a single row without its mean."""


def in_fewer_rows(M: Floats) -> Floats:
    """Return ``(HM)[1:]`` with the reflection H that makes the first axis of the ones.

    The n − 1 rows are coordinates of the columns of M minus their means, whose inner products
    they keep.
    """
    root = np.sqrt(len(M))
    return M[1:] - (M.sum(axis=0) / root + M[0]) / (root + 1.0)


def in_all_rows(M: Floats) -> Floats:
    """Return n rows that sum to nought from the n − 1 of :func:`in_fewer_rows`."""
    root = np.sqrt(len(M) + 1)
    first = M.sum(axis=0) / root
    return np.vstack([-first, M - first / (root + 1.0)])


def centred(K: Floats) -> Floats:
    """Return the kernel of the rows minus their mean."""
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()
