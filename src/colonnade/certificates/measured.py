"""What certificates are made of: reconstruction and spectra."""

from __future__ import annotations

import zlib
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..foundation.lapack import np_svd
from ..foundation.typing import Array, Floats, Indices
from ..linalg.projecting import residual_sq_norms
from ..linalg.svd import EXACT_SIDE, right_singular_vectors
from ..metrics import best_rank_error, reconstruction_error
from ..operands.interface import Operand
from ..selection import Selection
from .certificate import Check, compare

__all__ = ["Measured", "made_for", "partition_mark", "reconstruction_checks", "sparsifier_checks"]

SPARSIFIERS = ("bss", "dual-set", "randomized-dual-set", "supervised-dual-set")


def partition_mark(codes: Indices) -> int:
    """Return a number that tells partitions apart, whatever their clusters are called."""
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))
    return zlib.crc32(by_appearance[codes].astype("<u4").tobytes())


def made_for(selection: Selection, codes: Indices | None) -> bool:
    """Whether these are the labels that a supervised selection was made for."""
    return codes is not None and selection.info.get("partition") == partition_mark(codes)


class Measured:
    """The data, the choice, and the norms that several sections share.

    Attributes
    ----------
    A : Operand
        The data, scaled by ``unit``.
    selection : Selection
        The choice.
    weights : ndarray of float
        Its weights, 1 where there are none.
    unit : float
        The factor by which the data was scaled.
    """

    def __init__(self, A: Operand, selection: Selection, unit: float):
        self.A, self.selection, self.unit = A, selection, unit
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

    def outside(self, V: Array) -> tuple[float, float]:
        """Return ``‖E‖²`` and ``‖EΩS‖²`` for ``E = A − AVVᵀ``."""
        left = self.A.matmat(V)
        return self._residual(left, V, float(np.square(left).sum()))

    def around(self, codes: Indices) -> tuple[float, float]:
        """Return ``‖A − XXᵀA‖²`` and ``‖(A − XXᵀA)ΩS‖²`` for the partition X."""
        counts = np.bincount(codes)
        X = (np.eye(len(counts)) / np.sqrt(np.maximum(counts, 1)))[codes]
        right = self.A.rmatmat(X)
        return self._residual(X, right, float(np.square(right).sum()))

    def _residual(self, left: Array, right: Array, kept: float) -> tuple[float, float]:
        whole = self.total - kept
        if whole < 1e-6 * self.total:  # too small for a difference
            whole = float(residual_sq_norms(self.A, left, right).sum())
        chosen = residual_sq_norms(self.A.subset(self.indices), left, right[self.indices])
        return whole, float(np.square(self.weights) @ chosen)

    def unscaled(self, square: float) -> float:
        """Return a squared norm in the unit of the user's data."""
        return square / self.unit / self.unit


def reconstruction_checks(A: Operand, selection: Selection) -> tuple[list[Check], list[str]]:
    """Return the error of the span, beside what the selection says and the best of its rank."""
    section = "reconstruction"
    lost = reconstruction_error(A, selection)
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
    return [
        # the error path is exact, but for kernels and float32 only as exact as these
        compare(section, "share of ‖A‖² lost", lost, says, "=", slack=1e-6 * lost + 1e-9),
        compare(section, "‖A − P_S A‖ / ‖A − A_l‖", ratio, None),
    ], notes


def sparsifier_checks(measured: Measured, codes: Indices | None) -> tuple[list[Check], list[str]]:
    """Return the spectrum of the picked rows of V beside the promise of the barriers."""
    info = measured.selection.info
    method = info.get("method")
    if method not in SPARSIFIERS or not {"rank", "n_picks"} <= set(info):
        return [], []
    k, r = int(info["rank"]), int(info["n_picks"])
    values, V = measured.spectrum(k)
    section = f"sparsifier, k = {k}, r = {r}"
    sigma = measured.singular_values(V)
    gap = np.sqrt(k / r)
    low = (1 - gap) / np.sqrt(2) if method == "randomized-dual-set" else 1 - gap
    high = 1 + gap if method == "bss" else None
    checks = [
        compare(section, "σ_min(VᵀΩS)", sigma[-1], low, "≥"),
        compare(section, "σ_max(VᵀΩS)", sigma[0], high),
    ]
    notes = []
    if method == "bss":
        off = float(np.abs(np.square(sigma) - 1).max())
        checks.append(compare(section, "‖I − VᵀΩS(VᵀΩS)ᵀ‖₂", off, 3 * gap))
    elif method == "randomized-dual-set":
        notes.append("σ_min(VᵀΩS) is promised with probability 0.9, for V as the method found it")
    elif method == "supervised-dual-set" and codes is not None:
        parts = [measured.outside(V), measured.around(codes)]
        whole, chosen = (np.sqrt(measured.unscaled(sum(part))) for part in zip(*parts, strict=True))
        known = made_for(measured.selection, codes)
        checks.append(compare(section, "‖BΩS‖", chosen, whole if known else None))
        if not known:
            notes.append(
                "these labels are not the ones that the columns were chosen for, so nothing is "
                "promised about ‖BΩS‖"
            )
    elif method == "supervised-dual-set":
        notes.append("‖BΩS‖ ≤ ‖B‖ was not checked, because that needs labels")
    if not all(check.holds for check in checks):
        more, _ = measured.spectrum(k + 1)
        if len(more) > k and more[k] > values[-1] * (1 - 1e-8):
            # the promise is for the V that the method used, which nobody knows any more
            checks = [
                one if one.holds else replace(one, promised=None, holds=True) for one in checks
            ]
            notes.append(
                f"singular values {k} and {k + 1} are equal, so V is not determined: what would "
                "not hold for this V is not promised, since the method may have used another one"
            )
    if method == "dual-set":  # for any V
        bound = 1 + np.sqrt(measured.A.shape[1] / r)
        checks.append(compare(section, "largest weight", measured.weights.max(), bound))
    return checks, notes
