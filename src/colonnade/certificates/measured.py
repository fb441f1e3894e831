"""What certificates are made of: reconstruction, spectra and norms of residuals."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..foundation.lapack import np_svd
from ..foundation.typing import Array, Floats, Indices
from ..linalg.partitions import indicators
from ..linalg.projecting import residual_sq_norms
from ..linalg.svd import EXACT_SIDE, right_singular_vectors
from ..metrics import best_rank_error
from ..operands.interface import Columns, Operand
from ..selection import Selection
from .certificate import Check, compare

__all__ = ["Measured", "reconstruction_checks"]


class Measured:
    """The data, the choice, and the norms that several sections and promises share.

    Attributes
    ----------
    A : Columns
        The data, scaled by ``unit``.
    selection : Selection
        The choice.
    weights : ndarray of float
        Its weights, 1 where there are none.
    unit : float
        The factor by which the data was scaled.
    lost : float
        The share of ``‖A‖²`` outside the span of the chosen columns.
    """

    def __init__(self, A: Columns, selection: Selection, unit: float, lost: float):
        self.A, self.selection, self.unit, self.lost = A, selection, unit, lost
        size = len(selection)
        self.weights: Floats = np.ones(size) if selection.weights is None else selection.weights
        self._spectra: dict[int, tuple[Floats, Array]] = {}

    @property
    def indices(self) -> Indices:
        """The chosen columns."""
        return self.selection.indices

    @cached_property
    def total(self) -> float:
        """``‖A‖²`` of the scaled data."""
        return float(self.A.sq_norms().sum())

    def spectrum(self, rank: int) -> tuple[Floats, Array]:
        """Return the leading singular values and right singular vectors."""
        if rank not in self._spectra:
            self._spectra[rank] = right_singular_vectors(self.A, rank)
        return self._spectra[rank]

    def picked(self, V: Array) -> Array:
        """Return ``(VᵀΩS)ᵀ``: the chosen rows of V, times their weights."""
        return V[self.indices] * self.weights[:, None]

    def singular_values(self, V: Array) -> Floats:
        """Return the k singular values of ``VᵀΩS``, with zeros if there are too few columns."""
        out = np.zeros(V.shape[1])
        found = np_svd(self.picked(V), compute_uv=False)
        out[: len(found)] = found[: len(out)]
        return out

    def reduced(self) -> Array:
        """Return the reduced data ``AΩS`` (m × l, dense)."""
        return self.A.columns(self.indices) * self.weights

    def outside(self, V: Array) -> tuple[float, float]:
        """Return ``‖E‖²`` and ``‖EΩS‖²`` for ``E = A − AVVᵀ``."""
        left = self.A.matmat(V)
        return self._residual(left, V, float(np.square(left).sum()))

    def around(self, codes: Indices) -> tuple[float, float]:
        """Return ``‖A − XXᵀA‖²`` and ``‖(A − XXᵀA)ΩS‖²`` for the partition X."""
        X = indicators(codes)
        right = self.A.rmatmat(X)
        return self._residual(X, right, float(np.square(right).sum()))

    def _residual(self, left: Array, right: Array, kept: float) -> tuple[float, float]:
        whole = self.total - kept
        if whole < 1e-6 * self.total:  # too small for a difference
            whole = float(residual_sq_norms(self.A, left, right).sum())
        chosen = residual_sq_norms(self.A.subset(self.indices), left, right[self.indices])
        return whole, float(np.square(self.weights) @ chosen)

    def best_losses(self, rank: int) -> Floats:
        """Return ``‖A − A_k‖²/‖A‖²`` for k = 0, …, rank."""
        values, V = self.spectrum(min(rank, *self.A.shape))
        last = self.outside(V)[0]
        # the last is known exactly; sums from the end keep small ones exact
        losses = last + np.append(np.cumsum(np.square(values)[::-1])[::-1], 0.0)
        out = np.full(rank + 1, losses[-1])
        out[: len(losses)] = losses
        return out / self.total

    def expected_loss(self, bound: float) -> Check:
        """Compare the share that is lost with a bound on its expectation."""
        label = "E ‖A − P_S A‖² / ‖A‖²"
        return compare("reconstruction", "expected_loss", label, self.lost, bound, expected=True)

    def unscaled(self, square: float) -> float:
        """Return a squared norm in the unit of the user's data."""
        return square / self.unit / self.unit


def reconstruction_checks(
    A: Operand, selection: Selection, lost: float
) -> tuple[list[Check], list[str]]:
    """Return the error of the span, compared with the selection's own and the best of its rank.

    Parameters
    ----------
    A : Operand
        The data.
    selection : Selection
        The choice.
    lost : float
        The share of ``‖A‖²`` outside the span of the chosen columns.
    """
    section = "reconstruction"
    claimed = selection.relative_errors
    of_data = selection.info.get("errors_of", "data") == "data"
    says = float(claimed[-1]) if claimed is not None and len(claimed) and of_data else None
    best = best_rank_error(A, len(selection)) / float(A.sq_norms().sum())
    floor = float(np.finfo(A.dtype).eps) ** 2 * 256 * max(A.shape)
    ratio = 1.0
    if lost > floor:
        ratio = float(np.sqrt(lost / best)) if best > 0 else np.inf
    notes = []
    if min(A.shape) > EXACT_SIDE:
        notes.append(
            "‖A − A_l‖ comes from a stochastic SVD, which errs upwards: the true ratio may be "
            "a little larger"
        )
    # the error path is exact, but for kernels and float32 only as exact as these
    slack = 1e-6 * lost + 1e-9
    return [
        compare(section, "lost_share", "share of ‖A‖² lost", lost, says, "=", slack=slack),
        Check(section, "reconstruction_ratio", "‖A − P_S A‖ / ‖A − A_l‖", ratio),
    ], notes
