"""What fits without some of the rows say about them, from the factorization of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ..foundation.lapack import solve
from ..foundation.typing import Floats, Indices, Mask
from ..operands.blocks import block_slices
from .ridge import Problem
from .spectrum import Spectrum

__all__ = ["Fits", "held_out"]


class Fits:
    """Fits of targets without some of the rows, for any λ: what λ has no part in is kept.

    Rows with weights enter, and leave, times the square roots of these.
    """

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
        along = self.spectrum.of_axis(slice(None))
        squares = 1.0 - self.squares.sum(axis=1) - np.square(along)
        targets = self.spectrum.beyond(self.Y)
        near = np.flatnonzero(squares < 1e-3)
        for block in block_slices(len(near), len(self.Y)):
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
            along = self.spectrum.of_axis(rows)
            block = np.eye(len(rows)) - (U * kept) @ U.T - np.multiply.outer(along, along)
            above = Y[rows] - U @ (self.inside * kept[:, None])
        return Y[rows] - solve(block, above, assume_a="pos")


def held_out(
    problem: Problem, spectrum: Spectrum | None, alphas: Floats, folds: list[Any] | None
) -> Iterator[tuple[int, Any, Floats]]:
    """Yield what fits without them say about left-out rows: which λ, which rows, and that.

    What leaving rows out does to the solution follows for every λ from the factorization of all
    rows, to rounding. For groups of rows and λ at the rounding level of the data, where it does
    not, and where there is no factorization, the rest is solved anew, for all such λ at once.

    Parameters
    ----------
    problem : Problem
    spectrum : Spectrum or None
        That of the problem; None solves anew for each fold.
    alphas : ndarray
        Every λ.
    folds : list of (train, test) or None
        Train must hold all rows that are not in test. None leaves out one row after another.
    """
    if spectrum is not None:
        fits = Fits(spectrum, problem.Y)
    if folds is None:
        for level, alpha in enumerate(alphas):
            yield level, slice(None), problem.unweighted(fits.leave_one_out(float(alpha)))
        return
    known = alphas > (np.inf if spectrum is None else problem.smallest)
    anew = np.flatnonzero(~known).tolist()
    for train, test in folds:
        for level in np.flatnonzero(known).tolist():
            yield level, test, problem.unweighted(fits.leave_out(float(alphas[level]), test), test)
        if len(anew):
            models = problem.part(train).solve_each(alphas[anew].tolist())
            for level, F in zip(anew, problem.values(models, train, test), strict=True):
                yield level, test, F
