"""Several Nyström approximations of one kernel, mixed with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..foundation.alerts import warn_caller
from ..foundation.parameters import Choice, Count, Real, check_count
from ..foundation.typing import Floats, Indices, RandomState
from ..operands.chunked.arriving import count_rows, is_chunked
from ..operands.chunked.fetching import fetched_rows
from ..operands.entrance import wrapped
from ..operands.kernel import Kernel
from .from_chunks import PAIRS, lazy_features
from .kernel_arguments import KernelMap
from .landmarks import Landmarks
from .maps import Nystroem
from .weights import LEARNERS, draw_columns, draw_landmarks, learn_weights

__all__ = ["EnsembleNystroem"]


class EnsembleNystroem(KernelMap):
    """Mix several Nyström approximations with random landmarks.

    **Objective.** ``K ≈ Σ μ_r K̃_r`` with p experts of l uniformly drawn landmarks each and
    nonnegative weights μ.

    **Algorithm.** Draw p disjoint sets of landmarks (overlapping ones if there are fewer than
    p l points). Learn the weights on s validation columns of the kernel: uniform, ``μ_r = 1/p``;
    exponential, ``μ_r ∝ exp(−η ε_r)`` with ε_r the relative error of expert r on these columns;
    or ridge regression, minimizing ``‖K_V − Σ μ_r K̃_r,V‖² + λ‖μ‖²`` over ``μ ≥ 0``. The
    parameter η or λ is the one with the least error on s' further columns. An expert is exact
    on the columns of its landmarks alone, so half of the columns are drawn from the landmarks of
    all experts and half from the other points, and each half counts for all points of its kind:
    errors are estimates without bias of those on all of K. The features are those of the
    experts, each times ``√μ_r``, side by side; experts of weight zero are left out.

    **Cost.** p l³ for the factors; to learn weights, p l n kernel values, O(p n l²) and
    8 n p (s + s') bytes. A new point costs p l kernel values and O(p l²).

    **Guarantee.** With any weights that sum to one, the error is at most the weighted mean of
    the experts' errors, by convexity of the norm. Ridge weights may sum to more, where experts
    know different parts of the kernel: up to p, where landmarks are like themselves alone.

    **When to use it.** To compare with the literature, or when experts are to be computed on
    different machines. It has p l features where :class:`Nystroem` with chosen landmarks has l,
    and with p l landmarks of its own that is more exact.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        As for :class:`Nystroem`.
    gamma : float or None, default=None
        Parameter of the kernels rbf (an inverse squared width), laplacian, polynomial and chi2.
    coef0 : float or None, default=None
        Parameter of the polynomial kernel.
    degree : float or None, default=None
        Parameter of the polynomial kernel.
    kernel_params : dict or None, default=None
        Further parameters of the kernel, or those of a callable.
    n_components : int, default=100
        l, the landmarks of each expert; if there are fewer points, all of them, with a warning.
    n_experts : int, default=10
        p, how many experts.
    weights : {"ridge", "exponential", "uniform"}, default="ridge"
        How to find μ.
    penalty : float or None, default=None
        λ of the ridge (in units of the mean ``‖K̃_r,V‖²``) or η of the exponential; by default
        the best on the hold-out columns.
    n_validation : int, default=20
        s, how many columns to learn weights from, two at least; fewer if there are few points.
    n_holdout : int, default=20
        s', how many columns to learn ``penalty`` from, two at least; fewer if there are few
        points.
    rank : int or None, default=None
        k: keep the best k features of each expert.
    random_state : int, RandomState or None, default=None
        Random seed.

    Attributes
    ----------
    experts_ : list of Nystroem
        The experts, with their landmarks.
    weights_ : ndarray of shape (p,)
        μ.
    penalty_ : float or None
        λ or η.
    n_features_in_ : int
        How many columns the data had.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    References
    ----------
    .. [1] Kumar, Mohri & Talwalkar, "Ensemble Nyström method", the section on ensemble weights.
    .. [2] Farahat, "Greedy representative selection for unsupervised data analysis", §4.6 (ten
       experts, ridge regression, 20 and 20 columns).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import EnsembleNystroem
    >>> X = load_digits().data / 16
    >>> mix = EnsembleNystroem(gamma=0.05, n_components=20, n_experts=3, random_state=0).fit(X)
    >>> mix.transform(X).shape
    (1797, 60)
    >>> float(mix.weights_.sum().round(1))
    1.0
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        n_experts: int = 10,
        weights: str = "ridge",
        penalty: float | None = None,
        n_validation: int = 20,
        n_holdout: int = 20,
        rank: int | None = None,
        random_state: RandomState = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.n_experts = n_experts
        self.weights = weights
        self.penalty = penalty
        self.n_validation = n_validation
        self.n_holdout = n_holdout
        self.rank = rank
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the experts' landmarks and learn their weights.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The points; or the n × n kernel, with ``kernel="precomputed"``. Of a dask array the
            landmarks are fetched, which is all that ``weights="uniform"`` needs.
        y : ignored

        Returns
        -------
        self : object
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Draw the experts' landmarks, learn their weights and return the features of X.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The points; or the n × n kernel, with ``kernel="precomputed"``.
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        return self._map(self._fit(X))

    def _fit(self, X: Any) -> Any:
        """Learn the map; return the checked data."""
        Count(1).check("n_components", self.n_components)
        Count(1).check("n_experts", self.n_experts)
        Choice("uniform", *LEARNERS).check("weights", self.weights)
        wanted, count = self.n_components, self.n_experts
        if self.rank is not None:
            check_count("rank", self.rank, 1, wanted, f" for {wanted} landmarks of each expert")
        params = self._parameters()
        X = self._check(X, reset=True)
        n = count_rows(wrapped(X), "a choice of landmarks") if is_chunked(X) else X.shape[0]
        if wanted > n:
            warn_caller(
                f"n_components={wanted} but there are only {n} points: every expert has all of "
                f"them as landmarks; choose n_components at most {n // count or 1}",
            )
        rng = check_random_state(self.random_state)
        drawn, landmarks, others = draw_landmarks(n, min(wanted, n), count, rng)
        if is_chunked(X):
            points = self._fetched(X, drawn)
            kernel = Kernel(points[0], self.kernel, **params)
            found = [Landmarks(rows, part) for rows, part in zip(drawn, points, strict=True)]
        else:
            kernel = Kernel(X, self.kernel, **params)
            found = [Landmarks(rows) for rows in drawn]
        self.experts_ = [self._expert(X, kernel, some) for some in found]
        self.weights_ = np.full(count, 1.0 / count)
        self.penalty_: float | None = None
        if self.weights != "uniform":
            self.weights_, self.penalty_ = self._weigh(X, kernel, landmarks, others)
        used = (e for e, weight in zip(self.experts_, self.weights_, strict=True) if weight > 0)
        self._n_features_out = sum(expert._n_features_out for expert in used)
        return X

    def transform(self, X: Any) -> Any:
        """Return the features of points: those of the experts side by side.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            Points; or their kernel with the points of ``fit``, with ``kernel="precomputed"``. For
            a dask array nothing is computed yet.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        return self._map(self._check(X, reset=False))

    def _map(self, X: Any) -> Any:
        """Return the features of checked data."""
        if is_chunked(X):
            return lazy_features(self, X)
        parts = []
        for expert, weight in zip(self.experts_, self.weights_, strict=True):
            if weight > 0:
                Z = expert._map(X)
                parts.append(Z * Z.dtype.type(np.sqrt(weight)))
        return np.hstack(parts)

    def _fetched(self, X: Any, drawn: Sequence[Indices]) -> list[Any]:
        """Return the landmarks of each expert out of points in chunks, by one pass."""
        if self.weights != "uniform":
            raise ValueError(
                f"weights={self.weights!r} compares columns of the kernel of all points, and data "
                'in chunks never is in memory together; choose weights="uniform", or fit on an '
                "array, such as some of the rows"
            )
        if self.kernel == "precomputed":
            raise TypeError(PAIRS)
        rows = fetched_rows(wrapped(X), np.concatenate(drawn))
        ends = np.cumsum([len(part) for part in drawn])
        return [rows[end - len(part) : end] for part, end in zip(drawn, ends, strict=True)]

    def _expert(self, X: Any, kernel: Kernel, found: Landmarks) -> Nystroem:
        indices = found.indices
        assert indices is not None
        rank = None if self.rank is None else min(self.rank, len(indices))
        expert = Nystroem(
            self.kernel, gamma=self.gamma, coef0=self.coef0, degree=self.degree,
            kernel_params=self.kernel_params, n_components=len(indices), landmarks=indices,
            rank=rank,
        )  # fmt: skip
        expert._learn(X, kernel, found)
        expert.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            expert.feature_names_in_ = self.feature_names_in_
        return expert

    def _weigh(
        self, X: Any, kernel: Kernel, landmarks: Indices, others: Indices
    ) -> tuple[Floats, float]:
        """Return the weights and their parameter, learned on a few columns of the kernel."""
        Count(1).check("n_validation", self.n_validation)
        Count(1).check("n_holdout", self.n_holdout)
        if self.penalty is not None:
            Real(0.0).check("penalty", self.penalty)
        (first, counts), (later, later_counts) = draw_columns(
            landmarks, others, self.n_validation, self.n_holdout
        )
        columns, roots = np.append(first, later), np.sqrt(np.append(counts, later_counts))
        exact = kernel.gram_columns(columns)
        roots /= np.abs(exact).max() or 1.0  # so that no square is out of range
        exact = exact * roots
        parts = []
        for expert in self.experts_:
            Z = expert._map(X, np.float64)
            parts.append(Z @ (Z[columns].T * roots))
        mixed, end = np.array(parts), len(first)
        return learn_weights(
            self.weights, self.penalty,
            (mixed[:, :, :end], exact[:, :end]), (mixed[:, :, end:], exact[:, end:]),
        )  # fmt: skip
