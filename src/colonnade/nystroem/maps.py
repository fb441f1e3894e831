"""The Nyström method with chosen landmarks, as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..foundation.alerts import warn_caller
from ..foundation.parameters import Choice, Count, check_count
from ..foundation.typing import Array, RandomState
from ..linalg.eigen import largest_eigenpairs
from ..operands.blocks import block_slices, float64
from ..operands.chunked.arriving import count_rows, is_chunked
from ..operands.entrance import wrapped
from ..operands.interface import Operand
from ..operands.kernel import Kernel, kernel_values
from ..selection import Selection
from .from_chunks import feature_products, landmarks_of_chunks, lazy_features
from .kernel_arguments import KernelMap, type_of
from .landmarks import (
    Landmarks,
    check_factor,
    choose_landmarks,
    features_from,
    landmark_cholesky,
    magnified_rounding,
    relative_gap,
    trace_left,
)

__all__ = ["Nystroem", "landmark_embedding"]

FORMULAS = ("best", "traditional")
"""How features are kept with ``rank``: the best inside, or those of the landmarks' eigenvectors."""

BLOCKS = 8
"""How many blocks' worth of kernel values are held while features are computed."""


class Nystroem(KernelMap):
    """Map points to few features whose inner products approximate a kernel.

    **Objective.** ``K ≈ Z Zᵀ`` with l features: the Nyström approximation
    ``K̃ = K_S K_SS⁻¹ K_Sᵀ`` from the kernel columns of l landmarks S, which are chosen to leave
    a small trace of ``K − K̃`` [1]_.

    **Algorithm.** Choose landmarks: centres of a short k-means on a few thousand points [3]_, or
    points by any method that takes kernels. With the Cholesky factor L
    of ``K_SS`` in the order of choice, a point x becomes ``L⁻¹ k(S, x)``; for the data itself
    these are the columns of the partial Cholesky factor W, and ``K̃ = WᵀW`` (eq. 4.10). With
    ``rank=k`` the features are ``Ω_kᵀ`` times that, Ω_k the leading left singular vectors of W:
    the best approximation of rank k inside K̃ (eq. 4.11, 4.12), which the traditional one from the
    eigenvectors of ``K_SS`` (eq. 4.5) is not. If ``K_SS`` is nearly singular (a
    reciprocal condition number below 1e-8), a little more than its rounding is added to its
    diagonal, and its pivots are taken largest first: K̃ is then never too large, and
    ``K − K̃`` at most 1.05 times as large as with ``320 l² eps`` on the diagonal of the normalized
    ``K_SS``. A landmark that depends on others, to working precision, adds a
    feature of zeros at the end.

    **Cost.** For n points and l landmarks, "short-kmeans" takes less time than the features: three
    times the distances of n/4 points, at most 5,000 or 10 l, from l centres. "partition-greedy"
    with c = 100 groups evaluates each
    pair of points once (both ways for pairs within the same 512), in tiles, then takes
    O(n l (l + c)) time and 8 n (l + 2c) bytes in addition to the features; nothing n × n is held.
    "random-pivot" evaluates n l kernel values, "uniform" l², "greedy" all pairs, which it holds
    up to 4 GiB. The map takes another l², and n l if the landmarks nearly depend on each other.
    A new point costs l kernel values and O(l²). Kernel values are computed in float64 from data
    of any type.

    **Guarantee.** That of the method, see :data:`colonnade.METHODS`. ``K − K̃`` is positive
    semidefinite, to the rounding of the kernel's values, so its trace is an error in the feature
    space of the kernel.

    **When to use it.** In place of :class:`sklearn.kernel_approximation.Nystroem`, whose
    parameters and attributes it has: better landmarks mean fewer features. With
    ``landmarks="uniform"`` the landmarks are the same too, and so are the inner products of the
    features; the features themselves differ by a rotation. Centres leave less error than uniform
    landmarks and rows by random pivots, for about the same time, where points near to each other
    are alike to the kernel and points are of similar lengths. Where a few long points hold much of
    a linear or polynomial kernel, as in raw counts, "random-pivot" leaves less, and "auto" takes
    it. Where points are like themselves alone (a gamma far too large), a centre is like none of
    them, and rows leave less. Where landmarks must be points of the data, take "random-pivot",
    which looks at l columns only and has a proven expected error [2]_, or "partition-greedy",
    which looks at all pairs of points and leaves less.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        A positive semidefinite kernel: a name known to
        :func:`sklearn.metrics.pairwise.pairwise_kernels`, ``"precomputed"``, or a function of two
        rows. "sigmoid" and "additive_chi2" are refused, since they are not positive semidefinite.
        With ``"precomputed"``, ``fit`` takes the n × n kernel matrix, and ``transform`` the
        kernel between new points (rows) and all n points (columns).
    gamma : float or None, default=None
        Parameter of the kernels rbf (an inverse squared width), laplacian, polynomial and chi2;
        None is their default.
    coef0 : float or None, default=None
        Parameter of the polynomial kernel.
    degree : float or None, default=None
        Parameter of the polynomial kernel.
    kernel_params : dict or None, default=None
        Further parameters of the kernel, or those of a callable. A kernel by name takes those
        that it knows and leaves the others.
    n_components : int, default=100
        How many landmarks; if there are fewer points, all of them, with a warning.
    landmarks : str or array-like of int, default="auto"
        How to choose them. "auto" is "short-kmeans" for points with the kernels rbf and cosine,
        and with polynomial and linear ones whose diagonal d is even, ``(Σd)² ≥ n Σd² / 5``, and
        "random-pivot" for a precomputed kernel, a function and others. "short-kmeans": centres of
        three iterations on some of the points, which are no rows of the data. Any method of
        :data:`colonnade.METHODS` that takes kernels, such as "greedy", "partition-greedy", "sgma",
        "pivoted-qr" (incomplete Cholesky), "uniform", "norm-sampling" (by the diagonal),
        "adaptive-sampling" (AdaptFull), "leverage"; "partial-adaptive-sampling" (AdaptPart);
        "kmeans" (centroids of all points); or the row numbers of the landmarks themselves, and
        then ``n_components`` plays no part.
    landmarks_params : dict or None, default=None
        Parameters of that method, such as ``{"n_groups": 50}`` for "partition-greedy" or
        ``{"n_sample": 10000, "n_iter": 5}`` for "short-kmeans"; none for "auto".
    rank : int or None, default=None
        k: keep k features of those that the landmarks give; all by default.
    rank_formula : {"best", "traditional"}, default="best"
        Which: the best inside K̃ (eq. 4.12), for which ``fit`` computes the features of all points,
        or those of the k leading eigenvectors of ``K_SS``, ``K_S (K_SS)_k⁺ K_Sᵀ`` (eq. 4.5).
    random_state : int, RandomState or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Ignored, as all cores are used; it is there since scikit-learn's class has it.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (l, n_features)
        The landmarks. Fewer than ``n_components`` if these reconstruct the kernel to working
        precision already. Centres of sparse data are sparse.
    component_indices_ : ndarray of int or None
        Which rows they are, in the order of choice; None for centres, which are no rows.
    factor_ : ndarray of shape (l, t)
        L, with ``L Lᵀ = K_SS``: lower triangular, with t = l; if landmarks nearly depend on
        others, t ≤ l of them have triangular rows, in another order.
    basis_ : ndarray of shape (l, rank) or None
        Ω_k, with ``rank``.
    relative_errors_ : ndarray of float or None
        ``trace(K − K̃)`` after each choice, as a share of ``trace(K)``, where the method gives it
        (``rank`` leaves more). The last is that of the features of the data; the path before it
        is the method's, but nowhere below the last. For landmarks without a path (centres,
        "uniform", given ones) it is the last alone, known once the features of the data are: after
        ``fit_transform``, or with ``rank`` by the best formula; None after ``fit`` alone.
    normalization_ : ndarray of shape (n_features_out, l)
        N, with ``transform(X) = k(X, components_) @ N.T``; computed when it is asked for.
    n_features_in_ : int
        How many columns the data had.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", ch. 4:
       Definition 4.1, Algorithms 6 and 7, eq. 4.5 and 4.10 to 4.12; the other landmarks, §4.5.
    .. [2] Chen, Epperly, Tropp & Webber, "Randomly pivoted Cholesky: practical approximation
       of a kernel matrix with few entry evaluations", Theorem 2.3.
    .. [3] Zhang, Tsang & Kwok, "Improved Nyström low-rank approximation and error analysis",
       ICML 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import Nystroem
    >>> X = load_digits().data / 16
    >>> centres = Nystroem(gamma=0.05, n_components=50, random_state=0)
    >>> centres.fit_transform(X).shape
    (1797, 50)
    >>> float(centres.relative_errors_[-1].round(2))
    0.06
    >>> rows = Nystroem(gamma=0.05, n_components=50, landmarks="greedy").fit(X)
    >>> rows.component_indices_[:3], float(rows.relative_errors_[-1].round(2))
    (array([945, 297, 976]), 0.08)
    """

    basis_: Array | None
    relative_errors_: Array | None

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        landmarks: Any = "auto",
        landmarks_params: dict[str, Any] | None = None,
        rank: int | None = None,
        rank_formula: str = "best",
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.landmarks = landmarks
        self.landmarks_params = landmarks_params
        self.rank = rank
        self.rank_formula = rank_formula
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose landmarks.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The points; or the n × n kernel, with ``kernel="precomputed"``. Of a dask array some
            rows are fetched, for the landmarks "auto", "short-kmeans", "uniform" or row numbers.
        y : ignored

        Returns
        -------
        self : object
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Choose landmarks and return the features of X, which are known by then.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The points; or the n × n kernel, with ``kernel="precomputed"``.
        y : ignored
        **fit_params
            None are known.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_features_out)
        """
        if fit_params:
            raise TypeError(f"fit takes X alone, got {', '.join(sorted(fit_params))}")
        X, kernel, W = self._fit(X)
        if W is None:
            Z = self._map(X)
            if self.basis_ is None and not is_chunked(X):
                self.relative_errors_ = trace_left(kernel, Z)
            return Z
        Z = W.T if self.basis_ is None else W.T @ self.basis_
        return np.ascontiguousarray(Z, dtype=type_of(X))

    def transform(self, X: Any) -> Any:
        """Return the features of points.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            Points; or their kernel with the points of ``fit``, with ``kernel="precomputed"``.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        return self._map(self._check(X, reset=False))

    @property
    def normalization_(self) -> Array:
        """The matrix N with ``transform(X) = k(X, components_) @ N.T``."""
        check_is_fitted(self)
        return features_from(np.eye(len(self.factor_)), self.factor_, self._pivots, self.basis_).T

    def _fit(self, X: Any) -> tuple[Any, Kernel, Array | None]:
        """Learn the map; return the checked data, its kernel and, if it is at hand, embedding."""
        Choice(*FORMULAS).check("rank_formula", self.rank_formula)
        if self.rank is None and self.rank_formula == "traditional":
            raise ValueError(
                'rank_formula="traditional" tells which features to keep, but rank=None keeps all; '
                "give rank, how many to keep"
            )
        named = isinstance(self.landmarks, str)
        if named:
            Count(1).check("n_components", self.n_components)
        wanted = self.n_components if named else 0
        params = self._parameters()
        X = self._check(X, reset=True)
        n = count_rows(wrapped(X), "a choice of landmarks") if is_chunked(X) else X.shape[0]
        rng = check_random_state(self.random_state)
        how = (min(wanted, n), self.landmarks, self.landmarks_params, rng)
        if is_chunked(X):
            found, kernel = landmarks_of_chunks(X, self.kernel, params, *how)
        else:
            kernel = Kernel(X, self.kernel, **params)
            found = choose_landmarks(kernel, *how)
        if wanted > n:
            warn_caller(
                f"n_components={wanted} but there are only {n} points: all of them become "
                f"landmarks; choose n_components at most {n}",
            )
        return X, kernel, self._learn(X, kernel, found)

    def _learn(self, X: Any, kernel: Kernel, found: Landmarks) -> Array | None:
        """Set up the map by landmarks; return the embedding W of the data, if it is known."""
        W: Array | None = None
        self.component_indices_ = found.indices
        self._params = kernel.kernel_params
        if found.points is not None:
            self.components_ = found.points
            inner: Operand = Kernel(found.points, self.kernel, **self._params)
        else:
            assert found.indices is not None
            self.components_ = X[found.indices]
            inner = kernel.subset(found.indices)
        K = inner.gram()
        rounding = magnified_rounding(self.kernel, self._params, self.components_)
        eps = float(np.finfo(inner.dtype).eps) * rounding
        self.factor_, self._pivots = landmark_cholesky(K, eps)
        check_factor(K, self.factor_, eps)
        self.basis_ = self.relative_errors_ = None
        if found.selection is not None:
            W, self.relative_errors_ = self._known(X, kernel, found.selection)
        if self.rank is not None and self.rank_formula == "traditional":
            # C V_k Λ_k^{-1/2} = Z Lᵀ V_k Λ_k^{-1/2}, and these are right singular vectors of L
            missing = len(self.factor_) - self.factor_.shape[1]  # they depend on others
            F = np.pad(self.factor_.T, ((0, missing), (0, 0)))
            self.basis_ = self._leading(F @ F.T)
        elif self.rank is not None and is_chunked(X):
            products, left = feature_products(self, X)
            self.basis_, self.relative_errors_ = self._leading(products), np.array([left])
        elif self.rank is not None:
            if W is None:
                W = self._map(X, np.float64).T
                self.relative_errors_ = trace_left(kernel, W)
            self.basis_ = self._leading(W @ W.T)
        self._n_features_out = len(self.factor_) if self.basis_ is None else self.basis_.shape[1]
        return W

    def _known(self, X: Any, kernel: Kernel, selection: Selection) -> tuple[Array, Array | None]:
        """Return the embedding of the data and the error path, by the method or by the map."""
        assert selection.embedding is not None
        W, errors = float64(selection.embedding), selection.relative_errors
        L = W[:, selection.indices].T
        if L.shape == self.factor_.shape and relative_gap(L, self.factor_) <= 1e-9:
            return W, errors
        # some landmarks depend on others: the map is more exact than what the method computed
        W = self._map(X, np.float64).T
        if errors is None:
            return W, None
        left = 1.0 - float(np.square(W).sum()) / float(kernel.sq_norms().sum())
        errors = np.maximum(errors, left)
        errors[-1] = max(left, 0.0)
        return W, errors

    def _leading(self, products: Array) -> Array:
        """Return Ω_k of ``W Wᵀ``, with signs that do not depend on the library that computed it."""
        count = len(products)
        most = count if not isinstance(self.landmarks, str) else int(self.n_components)
        size = min(check_count("rank", self.rank, 1, most, f" for {most} landmarks"), count)
        _, vectors = largest_eigenpairs(products, size)
        signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(size)])
        return np.ascontiguousarray(vectors * signs)

    def _map(self, X: Any, dtype: Any = None) -> Any:
        """Return the features of checked data, many points at a time."""
        if is_chunked(X):
            return lazy_features(self, X)
        n, width = X.shape[0], len(self.factor_) if self.basis_ is None else self.basis_.shape[1]
        out = np.empty((n, width), dtype=dtype or type_of(X))
        for block in block_slices(n, -(-len(self.factor_) // BLOCKS)):
            part = X if block.stop - block.start == n else X[block]  # sparse rows are copied
            if self.component_indices_ is not None and self.kernel == "precomputed":
                C = float64(part[:, self.component_indices_])
            else:
                C = kernel_values(part, self.components_, self.kernel, self._params)
            out[block] = features_from(C, self.factor_, self._pivots, self.basis_)
        return out


def landmark_embedding(X: Any, kernel: Kernel, points: Any) -> Array:
    """Return the embedding W (l × n) of points by landmarks that are none of them, ``K̃ = WᵀW``.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, n_features)
        The points.
    kernel : Kernel
        Their kernel.
    points : ndarray or sparse matrix of shape (l, n_features)
        The landmarks.
    """
    model = Nystroem(kernel.kernel)
    model._learn(X, kernel, Landmarks(points=points))
    return model._map(X, np.float64).T
