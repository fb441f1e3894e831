"""Projection by a subsampled randomized Hadamard transform."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..foundation.typing import Floats
from ..operands.blocks import block_slices
from .fast_transforms import hadamard
from .projection import RandomProjection, declared

__all__ = ["HadamardProjection"]


@declared
class HadamardProjection(RandomProjection):
    """Project rows by a subsampled randomized Hadamard transform.

    **Objective.** ``X R`` with ``R = D H S / √t``: random signs D on the features, the Hadamard
    matrix H of order ``2^p ≥ d`` (zeros fill up the features), and t of its columns S, drawn
    without replacement. Distances are kept as by a random sign matrix.

    **Algorithm.** The signs spread every row evenly over all coordinates of the transform, so
    that any t of them are a fair sample. The fast transform is done in place on a few rows
    at a time, in compiled code.

    **Cost.** O(n d log d) for any t; d + t numbers are kept. Sparse rows become dense, a
    few at a time.

    **Guarantee.** ``E‖xR‖² = ‖x‖²``. With ``t = O((k + log d) log k)`` the singular values of k
    orthonormal directions are kept within constant factors with high probability [2]_, as
    Lemma 2 of [3]_ asks of any projection that is to keep k clusters.

    **When to use it.** Dense data of very many features that is to keep many dimensions: then
    it is faster than any product. For small t or sparse data prefer :class:`SignProjection`.

    Parameters
    ----------
    rule : {"makarychev", "boutsidis"}, default="makarychev"
        For "auto" with clusters: ``⌈8 ln(k/ε)/ε²⌉`` or ``⌈8 k/ε²⌉``. Both
        are proved for independent entries and are used here by analogy. See
        :func:`colonnade.projections.dimension`.

    Attributes
    ----------
    n_components_ : int
        t.
    signs_ : ndarray of shape (n_features,)
        The diagonal of D.
    sample_ : ndarray of int, of shape (n_components_,)
        Which columns of H are kept.
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
    .. [1] Ailon & Chazelle, "Approximate nearest neighbors and the fast Johnson–Lindenstrauss
       transform", STOC 2006.
    .. [2] Tropp, "Improved analysis of the subsampled randomized Hadamard transform", Advances
       in Adaptive Data Analysis 3, 2011.
    .. [3] Boutsidis, Zouzias & Drineas, "Random projections for k-means clustering", 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import HadamardProjection
    >>> X = np.random.default_rng(0).standard_normal((20, 1000))
    >>> projection = HadamardProjection(n_components=50, random_state=0).fit(X)
    >>> projection.transform(X).shape
    (20, 50)
    >>> np.allclose(projection.transform(X), X @ projection.matrix())
    True
    """

    def _prepare(self, X: Any, size: int, rng: np.random.RandomState) -> None:
        d = X.shape[1]
        self.signs_ = 1.0 - 2.0 * rng.randint(0, 2, size=d)
        self.sample_ = np.sort(rng.permutation(self._order)[:size])

    @property
    def _order(self) -> int:
        """The order of H: the smallest power of two that holds all features."""
        return 1 << (self.n_features_in_ - 1).bit_length()

    def matrix(self) -> Floats:
        """Return R whole, to look at it: ``transform(X)`` is ``X @ R``.

        With ``center`` or ``scale`` X is centred and scaled before; R is the same.

        Returns
        -------
        ndarray of shape (n_features, n_components_)
        """
        check_is_fitted(self)
        # an entry of H is −1 to the number of ones that both its indices have
        common = np.arange(self.n_features_in_)[:, None] & self.sample_
        parity = np.zeros_like(common)
        while common.any():
            parity ^= common & 1
            common >>= 1
        return self.signs_[:, None] * (1.0 - 2.0 * parity) / np.sqrt(self.n_components_)

    def _project(self, X: Any) -> Floats:
        n, d = X.shape
        factors = self.signs_ / np.sqrt(self.n_components_)
        out = np.empty((n, self.n_components_))
        for block, rows in self._dense_rows(X, block_slices(n, self._order)):
            buffer = np.zeros((len(rows), self._order))
            np.multiply(rows, factors, out=buffer[:, :d])
            hadamard(buffer)
            out[block] = buffer[:, self.sample_]
        return out
