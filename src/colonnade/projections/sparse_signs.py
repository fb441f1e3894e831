"""Projection by signs most of which are zero."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from .dimensions import Share, is_auto
from .projection import FEATURES, StreamedProjection, declared

__all__ = ["SparseSignProjection"]


@declared
class SparseSignProjection(StreamedProjection):
    """Project rows by sparse random signs.

    **Objective.** ``X R`` where an entry of R is ±1/√(s t) with probability s/2 each, else
    zero: distances are kept as by :class:`SignProjection`, for a share s of the work.

    **Algorithm.** R is kept as a seed; 512 rows of it at a time are drawn from a counter-based
    generator as a sparse matrix (how many entries, which, and their signs), and multiplied.

    **Cost.** O(n d t s) for dense data, less for sparse data; with ``center`` or ``scale`` as for
    :class:`SignProjection`. Memory: a few MiB in addition to X and two copies of the result; CSR
    data is turned to columns a block at a time.

    **Guarantee.** For s ≥ 1/3 distances are kept as by signs [1]_. For s = 1/√d the same holds
    in the limit if no feature dominates; data with a few large entries per row, such as raw
    counts, spoils it [2]_.

    **When to use it.** On data of very many features of like size, where the product is what
    takes the time.

    Parameters
    ----------
    density : float or "auto", default="auto"
        s, the share of entries that are not zero, above 0 and at most 1: 1/3 in [1]_; "auto" is
        1/√d, as in [2]_.

    Attributes
    ----------
    n_components_ : int
        t.
    density_ : float
        s.
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
    .. [1] Achlioptas, "Database-friendly random projections: Johnson–Lindenstrauss with binary
       coins", Journal of Computer and System Sciences 66, 2003, Theorem 1.1.
    .. [2] Li, Hastie & Church, "Very sparse random projections", KDD 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import SparseSignProjection
    >>> X = np.random.default_rng(0).standard_normal((20, 1000))
    >>> projection = SparseSignProjection(50, density=1 / 3, random_state=0).fit(X)
    >>> projection.transform(X).shape
    (20, 50)
    >>> round(float((projection.matrix() != 0).mean()), 2)
    0.33
    """

    _: KW_ONLY
    density: Annotated[float | str, Share(one=True, auto=True)] = "auto"

    def _prepare(self, X: Any, size: int, rng: np.random.RandomState) -> None:
        super()._prepare(X, size, rng)
        self.density_ = float(1.0 / np.sqrt(X.shape[1]) if is_auto(self.density) else self.density)

    def _rows(self, start: int, stop: int) -> Any:
        blocks = [self._block(rng) for rng in self._streams(start, stop)]
        return sp.vstack(blocks, format="csr")[: stop - start]

    def _block(self, rng: np.random.Generator) -> Any:
        t = self.n_components_
        size = FEATURES * t
        count = rng.binomial(size, self.density_)
        places = np.sort(rng.choice(size, count, replace=False, shuffle=False))
        signs = 1.0 - 2.0 * rng.integers(0, 2, count)
        starts = np.searchsorted(places, np.arange(0, size + 1, t))
        values = signs / np.sqrt(self.density_ * t)
        return sp.csr_array((values, places % t, starts), shape=(FEATURES, t))
