"""Columns less their means: what principal components and correlations are computed from."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ...foundation.typing import Array, Floats, Indices
from ...linalg.svd import EXACT_SIDE, right_singular_vectors
from ...linalg.ties import SIX_DIGITS, rounded_each
from ...operands.interface import Columns
from ...pivoting.loop import MEMORY_BUDGET
from ..traits import Adjustable

__all__ = [
    "LARGEST_SIDE",
    "FactorSelector",
    "central_order",
    "principal_components",
]

LARGEST_SIDE = 8000
"""Up to which shorter side more than half of the components are computed: minutes."""


@dataclass(eq=False, repr=False)
class FactorSelector(Adjustable):
    """A method that looks at covariances, or at correlations.

    Parameters
    ----------
    center : bool, default=True
        Whether to subtract the mean of each column first, without a copy of the data. Otherwise
        second moments take the place of covariances. Constant columns are no candidates.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each column by first: with "std" correlations take the place of
        covariances; otherwise its interquartile range, its largest absolute value, its given
        unit, or nothing.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or by name; the ranking does not depend on them.
    exclude : iterable of int or str, default=None
        Columns never to choose; they take no part in the analysis.
    """

    _: KW_ONLY
    center: bool = True


def principal_components(Z: Columns, rank: int | None) -> tuple[Floats, Array]:
    """Return standard deviations times √m and loadings (n × k) of centred data.

    Components without variance are left out, so k may be less than ``rank``.
    """
    short = min(Z.shape)
    lanczos = short > EXACT_SIDE and rank is not None and rank < short // 2
    if not lanczos and short > LARGEST_SIDE:
        raise ValueError(
            f"so many components ({'all' if rank is None else rank}) of a matrix of shape "
            f"{Z.shape} take hours; ask for fewer than {short // 2} components: pass a smaller "
            "n_select, also in addition to max_error"
        )
    if not lanczos and not Z.decomposes_directly and 8 * short * short > MEMORY_BUDGET:
        raise ValueError(
            f"so many components of a matrix of shape {Z.shape} need a square matrix of "
            f"{8 * short * short / 2**30:.1f} GiB, above {MEMORY_BUDGET / 2**30:.0f} GiB; ask "
            f"for fewer than {short // 2} components (a smaller n_select, and no B1, B2)"
        )
    return right_singular_vectors(Z, rank)


def central_order(closeness: Floats, sq_norms: Floats) -> Indices:
    """Return the columns by falling closeness to all others, equally close ones by their length.

    Two columns load alike on both of their components, and two that are each other's nearest are
    equally near: such ties are the rule. Which of the two is kept must depend on the data, not on
    how its columns happen to be arranged.

    Parameters
    ----------
    closeness : ndarray of shape (n,)
        How well each column stands for all others.
    sq_norms : ndarray of shape (n,)
        The squared norms of the columns as they were given.
    """
    size = np.abs(closeness)
    closeness = np.where(size > 1e-28 * size.max(), closeness, 0.0)  # nothing, but for rounding
    return np.lexsort((-rounded_each(sq_norms, SIX_DIGITS), -rounded_each(closeness, SIX_DIGITS)))
