"""Regularized least-squares classification, plain or with a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from ..foundation.parameters import Choice
from ..foundation.typing import Array, Floats
from ..linalg.ridge import Kernelized, Linear
from ..linalg.units import divided, learned_units, near_one, with_weight
from ..operands.chunked.arriving import is_chunked
from ..operands.containers import sklearn_ready
from ..operands.entrance import container_of
from ..operands.interface import Operand
from ..operands.kernel import check_symmetric, kernel_values
from ..operands.preparing import Scale
from .arguments import (
    check_alphas,
    check_cv_value,
    check_kernel,
    check_kernel_value,
    check_labels,
    classes_of,
    folds_of,
)
from .block_fits import fit_chunks, said_lazily, score_chunks
from .choosing import best_of, decide
from .coefficients import moderate_rows, narrowed, signs
from .weighing import check_class_weight, row_weights

__all__ = ["RLSClassifier"]

EXACT_SIDE = 3000
"""Sparse data whose shorter side is longer than this is not factorized by default."""
SOLVER = Choice("auto", "direct", "lsqr")
FITTED = (
    "classes_", "kernel_", "kernel_params_", "alpha_", "cv_scores_", "cv_losses_", "form_",
    "coef_", "dual_coef_", "X_fit_", "intercept_", "units_",
)  # fmt: skip
"""What ``fit`` may set; some of it only for some parameters."""


class RLSClassifier(ClassifierMixin, BaseEstimator):
    """Classify by regularized least squares, with λ chosen by exact cross-validation if asked.

    **Objective.** For labels ±1 and the kernel matrix ``K`` of the n training rows, minimize
    ``‖Kx − y‖² + λ xᵀKx`` over x. The linear kernel ``K = XXᵀ`` makes this ridge regression on
    the labels. More than two classes are told apart one against the rest, by the largest value.
    With weights of rows it is ``Σᵢ wᵢ(f(xᵢ) − yᵢ)²`` in place of the first term.

    **Algorithm.** ``x = (K + λI)⁻¹ y``, which in the SVD of X is ``V(Σ² + λI)⁻¹Vᵀy`` where V
    stands on the side of the rows; a new row q gets the sign of ``f(q) = Σᵢ xᵢ k(xᵢ, q)``. One
    Cholesky factorization serves all classes: of ``XᵀX + λI`` when there are at least as many
    rows as features, of ``K + λI`` otherwise. For λ = 0, for λ below 10⁻¹⁰ of ``‖X‖²_F`` and
    for several λ a spectral decomposition takes its place. It serves all λ, and also yields what
    each fit would predict for rows that were left out: for one row the error is ``cᵢ / Gᵢᵢ`` with
    ``G = (K + λI)⁻¹`` and ``c = Gy``, for a group F it is ``(G_FF)⁻¹ c_F``. The rest is fitted
    anew only for groups with λ below 10⁻¹⁰ of ``‖X‖²_F``, and with LSQR. There one block
    bidiagonalization of the data, begun with all classes, serves all λ of a fold [2]_.

    **Cost.** With s the smaller of n and the number of features d, O(n d s) for the square
    matrix of side s, O(s³) to factorize it, and for each λ O(n s) per class to leave out single
    rows or O(n² s / folds) to leave out groups. A kernel takes n × n floats. Sparse data stays
    sparse: its square matrix is a sparse product, or with λ below that bound (below 10⁻⁷ of
    ``‖X‖²_F`` for several λ) a triangle to which strips of the data that are made dense are
    added, unless s > 3000, where LSQR uses products with X alone, a block for all classes in
    each step, whose number grows as λ falls: some tens for counts of words and λ = 100, some
    hundreds for λ = 1. Several λ take n × s floats, and with LSQR no more than twice the
    coefficients of all of them.

    **Guarantee.** The minimum of a convex function, to rounding; leave-one-out and k-fold scores
    are those of refitting, to rounding of ``‖X‖²_F / λ``, with LSQR up to its tolerance. After
    features were chosen by :class:`BSSSelector`, f changes for rows in the span of the training
    rows by at most ``2 ε κ(X) ‖α‖ ‖y‖`` where ``q = Xᵀα`` and ``ε = ‖I − VᵀΩSSᵀΩᵀV‖₂ ≤ 1/2``
    for the picked and rescaled features [1]_.

    **Dask arrays** and frames take the linear kernel: one pass over the blocks for all products
    of features and labels, one more for λ at the rounding level of the data, for several λ, and
    for ``scale`` with ``class_weight``; above 23,170 features two passes for each step of LSQR.

    **When to use it.** As a fast linear or kernel classifier with one parameter to tune, above
    all behind a selector: few rows and very many features is where both are at home.

    Parameters
    ----------
    alpha : float or sequence of float, default=1.0
        λ ≥ 0. Of several, the one with the best cross-validated accuracy is taken; ties go to
        the smaller squared error of left-out rows, then to the larger λ. With λ = 0 and data
        that is not of full rank the solution is the limit λ → 0, the one of minimum norm.
    kernel : str or callable, default="linear"
        A name that :func:`sklearn.metrics.pairwise.pairwise_kernels` knows, a function of two
        rows, or "precomputed": then X is the kernel between rows, n × n in ``fit`` and
        n_new × n in ``predict``. K + λI must be positive definite.
    gamma, degree, coef0 : float, default=None, 3, 1
        Parameters of the named kernels; None for gamma means the kernel's own default. Kernels
        without such a parameter ignore it.
    kernel_params : dict or None, default=None
        Keyword arguments for a callable kernel.
    fit_intercept : bool, default=False
        Whether to add a constant, which is not regularized, to f. The document has none; it
        helps when classes differ in size or the data is far from centred. The data is centred
        where it is read, or within products, and not copied for that.
    cv : None, int or splitter, default=None
        How λ is chosen if there are several: None leaves out one row at a time, an integer makes
        that many stratified folds, a splitter of scikit-learn gives its own, whose training rows
        must be all others. Without a factorization (LSQR) None means five folds.
    solver : {"auto", "direct", "lsqr"}, default="auto"
        How the linear kernel is solved: by factorization, or by iteration with products alone.
        "auto" iterates for sparse data with n and d above 3000. LSQR ends when the gradient is a
        share of 10⁻⁹ of ``‖X‖`` times the residual, which gives coefficients to about 7 digits.
        While it compares several λ it ends at 10⁻⁴: enough for predictions at every λ from about
        10⁻⁸ of ``‖X‖²`` on, and for smaller ones a score that is rather too good, since an
        iteration that ends early is itself regularized.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each feature by first, so that λ weighs on all alike: its standard
        deviation, its interquartile range (the standard deviation where that is zero), its
        largest absolute value (less the mean, with ``fit_intercept``), its given unit, or
        nothing. Units come from all rows by their ``sample_weight``, for left-out rows too.
        Features that do not vary take no part then. Not for precomputed kernels.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, which multiply those of their rows: given by label (1 for labels that
        are not there), or such that all classes count alike.

    Attributes
    ----------
    classes_ : ndarray
        The labels; of two, the second is +1.
    alpha_ : float
        λ as used.
    cv_scores_ : ndarray of shape (n_alphas,)
        Share of left-out rows that were classified correctly; only for several λ. Rows, here
        and in the losses, count by their weights and those of their classes.
    cv_losses_ : ndarray of shape (n_alphas,)
        Mean squared error of f on left-out rows; only for several λ.
    coef_ : ndarray of shape (1 or n_classes, n_features)
        Weights of the features as they are given to ``predict``; only for the linear kernel.
    intercept_ : ndarray of shape (1 or n_classes,)
        The constant; zero without ``fit_intercept``.
    dual_coef_ : ndarray of shape (n_samples, 1 or n_classes)
        x above; only for other kernels.
    X_fit_ : ndarray or sparse matrix
        The training rows, divided by ``units_``, for kernels that are computed.
    units_ : ndarray of shape (n_features,) or None
        What each feature was divided by, 0 for those that do not vary; None without ``scale``.
    kernel_ : str or callable
        The kernel of this fit, even if ``kernel`` was set to another one since.
    kernel_params_ : dict
        Its parameters.
    form_ : {"primal", "dual", "lsqr"}
        What was solved: equations in the features, in the rows, or by iteration.
    n_features_in_ : int
        How many columns the data had.
    feature_names_in_ : ndarray of str
        Their names, if the data had names.

    See Also
    --------
    BSSSelector : the selector that keeps this classifier's answer.

    References
    ----------
    .. [1] Paul & Drineas, "Deterministic feature selection for regularized least squares
       classification", eqs. (1)-(5), Theorems 1 and 2.
    .. [2] Paige & Saunders, "LSQR: an algorithm for sparse linear equations and sparse least
       squares", ACM TOMS 8, 1982, §4 and §5.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from colonnade import BSSSelector, RLSClassifier, datasets
    >>> data = datasets.load("rlsc", n_samples=60)
    >>> model = make_pipeline(BSSSelector(80), RLSClassifier(alpha=[0.1, 1, 10]))
    >>> model.fit(data.X[:30], data.y[:30]).score(data.X[30:], data.y[30:])
    1.0
    >>> model[-1].cv_scores_
    array([1., 1., 1.])
    """

    def __init__(
        self,
        alpha: float | Sequence[float] = 1.0,
        *,
        kernel: str | Callable[..., float] = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = False,
        cv: Any = None,
        solver: str = "auto",
        scale: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.solver = solver
        self.scale = scale
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows with labels.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data, or the kernel between its rows; never modified.
        y : array-like of shape (n_samples,)
            A label of any type for each row, of at least two kinds.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a whole number counts as so many equal rows, but for what is
            left out of a cross-validation, which is always the whole row.

        Returns
        -------
        self : object
        """
        for name in FITTED:
            self.__dict__.pop(name, None)
        alphas = check_alphas(self.alpha)
        params = self._check_parameters()
        if isinstance(X, Operand):
            raise TypeError(
                "a classifier takes data, not an operand; for a kernel matrix pass it as X with "
                'kernel="precomputed"'
            )
        if is_chunked(X):
            fit_chunks(self, X, y, sample_weight, alphas)
            return self
        check_labels(y)
        X, y = validate_data(
            self, sklearn_ready(X), y, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        weights, kept = with_weight(sample_weight, X.shape[0])
        given, n_rows = X, X.shape[0]
        if kept is not None:  # rows without weight are as if they were not there
            X, y = X[np.ix_(kept, kept)] if self.kernel == "precomputed" else X[kept], y[kept]
        classes, codes = classes_of(y)
        self.classes_, self.kernel_, self.kernel_params_ = classes, self.kernel, params
        self.units_ = None
        if self.scale is not None:
            names = getattr(self, "feature_names_in_", None)
            center = bool(self.fit_intercept)
            self.units_, _ = learned_units(X, self.scale, weights, names, center=center)
        weights, unit = near_one(row_weights(self.class_weight, weights, classes, codes))
        data = divided(X, self.units_)
        data, factor = moderate_rows(data) if self.kernel == "linear" else (data, 1.0)
        problem = self._problem(data, signs(codes, len(classes)), weights)
        with np.errstate(over="ignore", invalid="ignore"):  # said below, if it matters
            # where λ itself would overflow nothing is left of the coefficients
            inner = np.minimum(alphas / unit * factor * factor, 1e300)
            if np.ndim(self.alpha) == 0:
                self.alpha_ = float(alphas[0])
                model = problem.solve(float(inner[0]))
            else:
                direct, folds = problem.form != "lsqr", None
                if self.cv is not None or not direct:
                    cv = 5 if self.cv is None else self.cv
                    folds = folds_of(cv, X, y, kept, n_rows)
                found = best_of(problem, inner, codes, folds, direct=direct)
                best, self.cv_scores_, self.cv_losses_, model = found
                self.alpha_ = float(alphas[best])
        self.form_ = problem.form
        self.intercept_ = narrowed(model.intercept, X.dtype)
        if self.kernel == "linear":
            coef = divided((model.coef * factor).T, self.units_)
            self.coef_ = np.ascontiguousarray(narrowed(coef, X.dtype))
            return self
        coef = model.coef
        if kept is not None:
            coef = np.zeros((n_rows, coef.shape[1]))
            coef[kept] = model.coef
        self.dual_coef_ = narrowed(coef, X.dtype)
        if self.kernel != "precomputed":
            self.X_fit_ = divided(given, self.units_)
        return self

    def _check_parameters(self) -> dict[str, Any]:
        """Return the parameters of the kernel; raise if a parameter is not allowed."""
        numbers = {name: getattr(self, name) for name in ("gamma", "degree", "coef0")}
        params = check_kernel(self.kernel, self.kernel_params, numbers)
        if not isinstance(self.fit_intercept, bool | np.bool_):
            raise TypeError(f"fit_intercept must be True or False, got {self.fit_intercept!r}")
        SOLVER.check("solver", self.solver)
        if self.solver == "lsqr" and self.kernel != "linear":
            raise ValueError('solver="lsqr" is for the linear kernel; leave solver="auto"')
        check_cv_value(self.cv)
        check_class_weight(self.class_weight)
        Scale().check("scale", self.scale)
        if self.scale is not None and self.kernel == "precomputed":
            raise ValueError(
                'scale needs the features, and kernel="precomputed" knows rows by their inner '
                "products alone; scale the data that the kernel is computed from"
            )
        return params

    def _problem(self, X: Any, Y: Floats, weights: Floats | None) -> Linear | Kernelized:
        sparse = container_of(X) == "sparse"
        if self.kernel == "linear":
            large = sparse and min(X.shape) > EXACT_SIDE
            direct = self.solver == "direct" or (self.solver == "auto" and not large)
            return Linear(X, Y, bool(self.fit_intercept), direct, weights)
        if self.kernel == "precomputed":
            if sparse:
                raise TypeError("a precomputed kernel must not be sparse; pass X.toarray()")
            check_symmetric(X)  # whether λ lifts it enough shows later
        elif callable(self.kernel):
            row = X[[0]] if sparse else X[0]
            check_kernel_value(self.kernel, self.kernel(row, row, **self.kernel_params_))
        return Kernelized(self._kernel(X, X), Y, bool(self.fit_intercept), weights)

    def _kernel(self, X: Any, Z: Any) -> Array:
        if self.kernel_ == "precomputed":
            return np.asarray(X)
        with np.errstate(over="ignore", invalid="ignore"):
            return kernel_values(X, Z, self.kernel_, self.kernel_params_)

    def decision_function(self, X: Any) -> Array:
        """Return f: above zero for the second of two classes, or one value for each class.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of a dask array a dask array, of which nothing is computed yet.
        """
        check_is_fitted(self)
        if is_chunked(X):
            return said_lazily(self, X, "decision_function")
        X = validate_data(
            self, sklearn_ready(X), accept_sparse="csr", dtype=[np.float64, np.float32], reset=False
        )
        if self.kernel_ == "linear":
            F = safe_sparse_dot(X, self.coef_.T, dense_output=True)
        else:
            K = self._kernel(divided(X, self.units_), getattr(self, "X_fit_", None))
            F = (K @ self.dual_coef_).astype(np.result_type(X.dtype, self.dual_coef_))
        F = F + self.intercept_
        return F[:, 0] if F.shape[1] == 1 else F

    def predict(self, X: Any) -> Array:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Of a dask array a dask array, of which nothing is computed yet.
        """
        if is_chunked(X):
            check_is_fitted(self)
            return said_lazily(self, X, "predict")
        F = self.decision_function(X)
        return np.asarray(self.classes_[decide(F.reshape(len(F), -1))])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows that are classified correctly.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            A dask array is computed, a block at a time.
        y : array-like of shape (n_samples,)
            The classes of the rows.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        if is_chunked(X):
            return score_chunks(self, X, y, sample_weight)
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags
