"""Features from the leading singular vectors."""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from ..foundation.alerts import warn_rank
from ..foundation.parameters import Choice, Count, check_parameters
from ..foundation.typing import Array, Floats
from ..linalg.svd import EXACT_SIDE, right_singular_vectors, stochastic_svd
from ..operands.chunked.arriving import as_table, count_rows, is_chunked
from ..operands.chunked.lazy import mapped_rows
from ..operands.containers import dense
from ..operands.entrance import as_columns, moderate, wrapped
from ..operands.interface import Columns
from ..operands.preparing import prepare
from .dimensions import EPS, resolve_rank
from .projection import Projection, declared

__all__ = ["SVDProjection"]


@declared
class SVDProjection(Projection):
    """Project rows on the leading right singular vectors.

    **Objective.** ``X V_k``, which for the data of the fit is ``U_k Σ_k``: of all k-dimensional
    features those from which X is reconstructed best. With ``center=True`` these are the
    principal components, with ``scale="std"`` too those of the correlations.

    **Algorithm.** Exact: a decomposition of the short side, or the Lanczos method if both sides
    are above 2000, which takes singular values below about 1e-8 of the largest for zero (the
    stochastic algorithm does not). Stochastic: X is multiplied by a Gaussian matrix of k + p
    columns, the product is orthogonalized and refined by q steps with ``X Xᵀ``, orthogonalized at
    every half step, and what is left is decomposed exactly ([1]_, Algorithm 1); in float32 for
    dense float32 data.

    **Cost.** Exact: O(n d min(n, d)), or some tens of products with X and its transpose.
    Stochastic: 2q + 2 products with k + p columns, O(n d (k + p) q). Of a dask array with no
    more than 23,170 columns, and no more than rows, the exact algorithm forms inner products of
    the columns by one pass over its blocks, and by a second one a triangle, if singular values
    below 1e-5 of the largest are asked for; every product of the stochastic one is a pass.

    **Guarantee.** By the exact algorithm ``‖X − X V_k V_kᵀ‖`` is the smallest possible, and the
    best clustering of the features into k parts is at most twice as costly, on X, as the best
    one ([2]_, Table 1); with ⌈k/ε⌉ features at most 1 + ε times as costly [3]_. The stochastic
    algorithm comes close to that, the closer the more power steps it makes.

    **When to use it.** Before k-means, when features need not be actual ones; as the reference
    that selections and random projections are measured by.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        k, at most the smaller side of the data. "auto" takes it from ``n_clusters`` and ``eps``;
        without these it is 2.
        If the data has a lower rank, fewer components are kept, with a warning.
    n_clusters : int or None, default=None
        For "auto": the number of clusters to keep, 2 by default.
    eps : float or None, default=None
        For "auto": with None as many components as clusters, which keep these within a factor
        of 2; with ε, above 0 and below 1, ``⌈n_clusters/ε⌉``, within 1 + ε. Never more than the
        smaller side of the data.
    algorithm : {"auto", "exact", "stochastic"}, default="auto"
        "auto" is exact unless both sides are above 2000.
    whiten : bool, default=False
        Divide each feature by its singular value, which gives ``U_k`` for the data of the fit.
    n_power : int, default=4
        q, the power steps of the stochastic algorithm.
    n_extra : int, default=10
        p, its additional columns.
    random_state : int, RandomState or None, default=None
        Random seed; used by the stochastic algorithm only.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        ``V_kᵀ``; of each row the entry of largest size is positive.
    singular_values_ : ndarray of shape (n_components_,)
        The leading singular values of the data of the fit, centred and scaled if that was asked
        for.
    n_components_ : int
        k, or the rank of the data if that is lower.
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
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", §2.1.2,
       Algorithm 1 (after Halko, Martinsson & Tropp, "Finding structure with randomness").
    .. [2] Boutsidis, Zouzias & Drineas, "Random projections for k-means clustering", 2010.
    .. [3] Cohen, Elder, Musco, Musco & Persu, "Dimensionality reduction for k-means clustering
       and low rank approximation", STOC 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import SVDProjection
    >>> X = load_digits().data
    >>> projection = SVDProjection(n_components=10).fit(X)
    >>> projection.transform(X).shape
    (1797, 10)
    >>> projection.singular_values_[:3].round(1)
    array([2193.1,  567. ,  542. ])
    """

    _: KW_ONLY
    eps: Annotated[float | None, EPS] = None
    algorithm: Annotated[str, Choice("auto", "exact", "stochastic")] = "auto"
    whiten: bool = False
    n_power: Annotated[int, Count(0)] = 4
    n_extra: Annotated[int, Count(0)] = 10

    def _learn(self, X: Any, weights: Floats | None = None) -> None:
        if not is_chunked(X):
            super()._learn(X, weights)
            return
        check_parameters(self)
        given = wrapped(X)
        n, d = given.shape
        # inner products of the columns of tall data tell all, and come with means and units
        condense = self.algorithm != "stochastic" and not 0 <= n < d
        found = prepare(
            given, center=self.center, scale=self.scale, weights=weights, quiet=True,
            candidates=condense,
        )  # fmt: skip
        self.means_, self.units_ = found.means, found.units
        A = as_columns(found.A)
        rows = count_rows(given, f"algorithm={self.algorithm!r}")
        self.n_components_ = self._decompose(A, (rows, d), exact=not A.out_of_core)

    def _fit(self, X: Any, weights: Floats | None) -> int:
        return self._decompose(self._operand(X, weights), X.shape)

    def _decompose(self, A: Columns, shape: tuple[int, int], exact: bool = False) -> int:
        """Learn from an operand that has the singular values of data of a shape."""
        n, d = shape
        wanted = resolve_rank(self.n_components, (n, d), n_clusters=self.n_clusters, eps=self.eps)
        if not isinstance(self.whiten, bool | np.bool_):
            raise TypeError(f"whiten must be True or False, got {self.whiten!r}")
        A, scale = moderate(A)
        small = exact or min(n, d) <= EXACT_SIDE
        if self.algorithm == "exact" or (self.algorithm == "auto" and small):
            values, V = right_singular_vectors(A, wanted)
        else:
            rng = check_random_state(self.random_state)
            values, V = stochastic_svd(A, wanted, rng, n_power=self.n_power, n_extra=self.n_extra)
        if len(values) < wanted:
            warn_rank(
                f"the data has rank {len(values)} to working precision: {len(values)} of "
                f"{wanted} components asked for are kept"
            )
        self.components_ = _with_signs(V).T.copy()
        self.singular_values_ = values / scale
        return len(values)

    def _project(self, X: Any) -> Floats:
        A = self._operand(X)
        Z = A.matmat(self.components_.T.astype(A.dtype, copy=False))
        return Z / self.singular_values_ if self.whiten else Z

    def inverse_transform(self, Z: Any) -> Array:
        """Return the rows in the span of the components that have the given features.

        In the units of the data, with its means, if it was centred or scaled.

        Parameters
        ----------
        Z : array-like or dask array of shape (n_samples, n_components_)
            For a dask array nothing is computed yet.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if is_chunked(Z):
            Z = as_table(Z, "Z").array
            self._check_width(Z)
            return mapped_rows(
                Z, _inverse_rows, copy(self), width=self.n_features_in_,
                dtype=np.float32 if Z.dtype == np.float32 else np.float64,
            )  # fmt: skip
        Z = check_array(Z, dtype=[np.float64, np.float32])
        self._check_width(Z)
        wide = Z * self.singular_values_ if self.whiten else Z
        out = np.asarray(wide @ self.components_)
        if self.means_ is not None:
            out = out * self.units_ + self.means_
        return out.astype(Z.dtype, copy=False)

    def _check_width(self, Z: Any) -> None:
        if Z.shape[1] != self.n_components_:
            raise ValueError(f"Z has {Z.shape[1]} columns, but there are {self.n_components_}")


def _inverse_rows(Z: Any, projection: SVDProjection) -> Array:
    """Return the rows that have some features: what is done to a chunk."""
    return projection.inverse_transform(dense(Z))


def _with_signs(V: Array) -> Array:
    """Turn each vector so that its largest entry is positive, of equal ones the first."""
    sizes = np.abs(V)
    first = (sizes >= (1 - 1e-9) * sizes.max(axis=0)).argmax(axis=0)
    return V * np.sign(V[first, np.arange(V.shape[1])])
