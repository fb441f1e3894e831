"""The spectrum of a kernel matrix, from which fits with and without some of the rows follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve

from .._typing import Floats, Indices, Mask
from ..blocks import cut

__all__ = ["NOTHING", "Fits", "Spectrum", "centred", "in_all_rows", "in_fewer_rows"]

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


class Fits:
    """Fits of targets without some of the rows, for any λ: what λ has no part in is kept."""

    def __init__(self, spectrum: Spectrum, Y: Floats):
        self.spectrum, self.Y = spectrum, Y
        self.inside = spectrum.U.T @ Y

    @cached_property
    def squares(self) -> Floats:
        return np.square(self.spectrum.U)

    @cached_property
    def outside(self) -> tuple[Floats, Floats]:
        """How much of each row's own axis lies outside of U (squared), and of its targets.

        A row that U all but spans may keep next to nothing there and depend on it all the same,
        since λ divides it: a square root of rounding would be too much to lose. So what is left
        of its axis is computed as a vector, twice, of which the first leaves rounding alone in U.
        """
        squares = 1.0 - self.squares.sum(axis=1) - self.spectrum.centred / len(self.Y)
        targets = self.spectrum.beyond(self.Y)
        near = np.flatnonzero(squares < 1e-3)
        for block in cut(len(near), len(self.Y)):
            rows = near[block]
            axes = np.zeros((len(self.Y), len(rows)))
            axes[rows, np.arange(len(rows))] = 1.0
            axes = self.spectrum.beyond(self.spectrum.beyond(axes))
            squares[rows] = np.square(axes).sum(axis=0)
            targets[rows] = axes.T @ self.Y
        return squares, targets

    def spanned(self, alpha: float) -> Mask:
        """Say which rows U spans, as far as the data can tell: the rest of them is its rounding.

        A direction that rounding has turned counts as far as λ lets it count.
        """
        turned = self.spectrum.blur * self.spectrum.s / (self.spectrum.s + alpha)
        return np.asarray(self.outside[0] <= self.squares @ np.square(turned))

    def leave_one_out(self, alpha: float) -> Floats:
        """Return what the fit without a row says about it, for every row.

        The error is ``c_i / G_ii`` with ``G = (K + αI)⁻¹`` and ``c = GY``. Both are taken times α,
        which also holds for α = 0; only rows that U spans need the inverse itself there.
        """
        U, s = self.spectrum.U, self.spectrum.s
        shrunk = alpha / (s + alpha)
        squares, targets = self.outside
        above = targets + U @ (self.inside * shrunk[:, None])
        below = squares + self.squares @ shrunk
        spanned, inverse = self.spanned(alpha), 1.0 / (s + alpha)
        above[spanned] = U[spanned] @ (self.inside * inverse[:, None])
        below[spanned] = self.squares[spanned] @ inverse
        return self.Y - above / below[:, None]

    def leave_out(self, alpha: float, rows: Indices) -> Floats:
        """Return what the fit without some rows says about them, for α > 0."""
        U, s, Y = self.spectrum.U[rows], self.spectrum.s, self.Y
        if self.spectrum.complete:
            inverse = 1.0 / (s + alpha)
            block, above = (U * inverse) @ U.T, U @ (self.inside * inverse[:, None])
        else:
            # G times α: one minus what is kept, so that directions outside of U count fully
            kept = s / (s + alpha)
            block = np.eye(len(rows)) - (U * kept) @ U.T - self.spectrum.centred / len(Y)
            above = Y[rows] - U @ (self.inside * kept[:, None])
        return Y[rows] - solve(block, above, assume_a="pos")


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
