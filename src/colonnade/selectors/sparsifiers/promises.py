"""What the promises of all sparsifiers have in common: the spectrum of the picked rows of V.

The lemmas and theorems on k-means are those of Boutsidis & Magdon-Ismail, "Deterministic feature
selection for k-means clustering"; those on BSS are from Paul & Drineas, "Deterministic feature
selection for regularized least squares classification".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...certificates.certificate import Check, Sense, compare
from ...certificates.measured import Measured
from ...foundation.typing import Array, Floats

__all__ = ["PickedSpectrum"]


@dataclass(frozen=True)
class PickedSpectrum:
    """The singular values of ``VᵀΩS``, for the k and r that a sparsifier was told.

    Attributes
    ----------
    measured : Measured
        The data and the choice.
    rank : int
        k, how many leading right singular vectors V has.
    n_picks : int
        r, how many picks were made, before repeats were merged.
    """

    measured: Measured
    rank: int
    n_picks: int

    @classmethod
    def of(cls, measured: Measured, rank: int | None = None) -> PickedSpectrum | None:
        """Return that of a selection, or None if it does not say its k and r.

        Parameters
        ----------
        measured : Measured
            The data and the choice.
        rank : int, optional
            None is returned for any other k, too: nothing is promised about it.
        """
        info = measured.selection.info
        k, r = int(info.get("rank", 0)), int(info.get("n_picks", 0))
        if not 0 < k < r or rank not in (None, k):
            return None
        return cls(measured, k, r)

    @property
    def gap(self) -> float:
        """``√(k/r)``, by which the singular values may differ from 1."""
        return float(np.sqrt(self.rank / self.n_picks))

    @property
    def V(self) -> Array:
        """The leading right singular vectors."""
        return self.measured.spectrum(self.rank)[1]

    @cached_property
    def singular_values(self) -> Floats:
        """Those of ``VᵀΩS``, the largest first."""
        return self.measured.singular_values(self.V)

    def weight_bound(self, n: int) -> float:
        """Return ``1 + √(n/r)``, which no weight exceeds if picks are from n columns."""
        return float(1 + np.sqrt(n / self.n_picks))

    def check(
        self, key: str, label: str, measured: float, promised: float | None, sense: Sense = "≤"
    ) -> Check:
        """Return a check in the section of sparsifiers."""
        section = f"sparsifier, k = {self.rank}, r = {self.n_picks}"
        return compare(section, key, label, measured, promised, sense)

    def extremes(self, low: float, high: float | None = None) -> list[Check]:
        """Compare the least and the largest singular value with their bounds."""
        sigma = self.singular_values
        return [
            self.check("sigma_min", "σ_min(VᵀΩS)", sigma[-1], low, "≥"),
            self.check("sigma_max", "σ_max(VᵀΩS)", sigma[0], high),
        ]

    def where_determined(self, checks: list[Check]) -> tuple[list[Check], list[str]]:
        """Withdraw promises that do not hold for this V if the data does not determine V."""
        if all(check.holds for check in checks):
            return checks, []
        k = self.rank
        values, (more, _) = self.measured.spectrum(k)[0], self.measured.spectrum(k + 1)
        if len(more) <= k or more[k] <= values[-1] * (1 - 1e-8):
            return checks, []
        # the promise is for the V that the method used, which nobody knows any more
        kept = [one if one.holds else replace(one, promised=None, holds=True) for one in checks]
        return kept, [
            f"singular values {k} and {k + 1} are equal, so V is not determined: what would "
            "not hold for this V is not promised, since the method may have used another one"
        ]
