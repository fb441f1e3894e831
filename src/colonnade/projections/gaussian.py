"""Projection by independent Gaussian numbers."""

from __future__ import annotations

import numpy as np

from ..foundation.typing import Floats
from .projection import FEATURES, StreamedProjection, declared

__all__ = ["GaussianProjection"]


@declared
class GaussianProjection(StreamedProjection):
    """Project rows by a Gaussian matrix.

    **Objective.** ``X R`` with independent normal entries of R, of variance 1/t: distances and
    the k-means objective are kept in few dimensions t.

    **Algorithm.** R is kept as a seed; 512 rows of it at a time are drawn from a counter-based
    generator and multiplied.

    **Cost.** O(n d t), O(nnz t) for sparse data, and d t normal numbers for each call. Memory:
    a few MiB in addition to X and two copies of the result; CSR data is turned a block at a time.

    **Guarantee.** As for :class:`SignProjection`; R is also free of directions, so nothing
    about the data can be unlucky for it.

    **When to use it.** As a reference, or where theory asks for Gaussian numbers. Signs
    are made faster and do as well.

    Attributes
    ----------
    n_components_ : int
        t.
    key_ : ndarray of two uint64
        What R is made from.
    means_ : ndarray of shape (n_features,) or None
        What is subtracted from each feature; None without ``center`` and ``scale``.
    units_ : ndarray of shape (n_features,) or None
        What it is divided by then, 0 for a constant one; None without ``center`` and ``scale``.
    n_features_in_ : int
        How many features the data had.
    feature_names_in_ : ndarray of str
        Their names, if the data had names.

    References
    ----------
    .. [1] Boutsidis, Zouzias & Drineas, "Random projections for k-means clustering", 2010,
       §2.3, eq. 3 (where the variance must be 1/t).
    .. [2] Makarychev, Makarychev & Razenshteyn, "Performance of Johnson–Lindenstrauss transform
       for k-means and k-medians clustering", STOC 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import GaussianProjection
    >>> X = np.random.default_rng(0).standard_normal((20, 1000))
    >>> GaussianProjection(n_components=50, random_state=0).fit_transform(X).shape
    (20, 50)
    """

    def _rows(self, start: int, stop: int) -> Floats:
        shape = (FEATURES, self.n_components_)
        blocks = [rng.standard_normal(shape) for rng in self._streams(start, stop)]
        R = np.concatenate(blocks)[: stop - start]
        R *= 1.0 / np.sqrt(self.n_components_)
        return R
