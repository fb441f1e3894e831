"""The base of all methods: a scikit-learn estimator whose fields are its parameters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from ..certificates import Certificate, Check, certify
from ..certificates.kmeans import KMeansFactor
from ..certificates.measured import Measured
from ..foundation.parameters import check_parameters
from ..foundation.sklearn_bases import BaseEstimator
from ..foundation.typing import Array, Indices
from ..operands.advice import advise
from ..operands.chunked.arriving import is_chunked, validated_chunks
from ..operands.containers import sklearn_ready, take_columns
from ..operands.entrance import wrapped
from ..operands.interface import Operand
from ..operands.preparing import MISSING, Preparation, Scale, prepare
from ..operands.row_weights import check_weights, near_one
from ..pivoting.loop import Progress
from ..registry import REFUSED, entry_of
from ..selection import Selection
from .barring import chosen_among_others
from .chunks import check_chunks
from .problem import Problem
from .rebuilding import Rebuilding, with_names
from .reporting import printer
from .sizing import proposed_size
from .streaming import Streaming
from .transforming import Transforming

__all__ = ["Selector"]

SHARED = ("max_error", "must_include", "exclude", "refine", "random_state")
"""Parameters that a :class:`Problem` takes, for the methods that have them."""


@dataclass(eq=False, repr=False)
class Selector(Streaming, Rebuilding, Transforming, BaseEstimator):
    """A method to select columns: its fields are its parameters, :meth:`_select` is its body.

    Parameters
    ----------
    n_select : int, float, {"auto", "parallel", "elbow", "held-out"} or None, default=None
        How many columns: a number, a fraction of the columns, a rule, or None to let
        ``max_error`` decide (without it, half of the columns). "auto" is "parallel": as long as
        columns explain more than if all were independent. What the other rules propose is in
        ``selection_.info["size"]``.
    center : bool, default=False
        Whether to subtract the mean of each column first, without a copy of the data: then
        errors are shares of the variance. Constant columns are no candidates then.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each column by first: its standard deviation, its interquartile range (the
        standard deviation where that is zero), its largest absolute value (less the mean, if
        ``center``), its given unit, or nothing.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.
    missing : {"error", "mean", "median", "pairwise"}, default="error"
        What to do with NaN: refuse it, fill it with the mean or the median of its column, or
        take means and inner products from the entries that both columns have (up to 5000
        columns; for methods that need inner products alone).
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    indices_ : ndarray of int
        The chosen columns in the order of choice.
    relative_errors_ : ndarray of float or None
        Share of the squared error that is left after each choice.
    weights_ : ndarray of float or None
        A factor for each chosen column, for methods that rescale.
    selection_ : Selection
        The full result.
    n_features_in_ : int
        How many columns the data had.
    feature_names_in_ : ndarray of str
        Their names, if the data had names.
    """

    n_select: int | float | str | None = None
    _: KW_ONLY
    center: bool = False
    scale: Annotated[Any, Scale()] = None
    missing: Annotated[str, MISSING] = "error"
    verbose: bool | int = False
    weighs_rows: ClassVar[bool] = True
    """Whether all that is seen of the rows are sums over them, so that these can have weights."""

    @abstractmethod
    def _select(self, problem: Problem) -> Selection:
        """Choose columns: the body of the method.

        Parameters are as their declarations allow, and the problem is consistent.
        """

    def _passes_before(self, shape: tuple[int, int]) -> int:
        """Return how many passes over a matrix of chunks it takes to know what to choose for.

        At least, where the number depends on the entries. Two more follow the choice.
        """
        return 1

    def _no_path(self) -> str:
        """Say why a choice is not the beginning of a larger one; nothing if it is."""
        return "chooses all columns at once"

    def choose(
        self,
        A: Operand,
        y: Any = None,
        *,
        sample_weight: Any = None,
        names: Sequence[str] | None = None,
        barred: Sequence[int] = (),
        progress: Progress | None = None,
        prepared: Preparation | None = None,
    ) -> Selection:
        """Choose columns of an operand, which may be a kernel, without fitting anything.

        Parameters
        ----------
        A : Operand
            The data.
        y : Any
            The labels or the target, for methods that need one.
        sample_weight : array-like of shape (m,), optional
            Weights of the rows.
        names : sequence of str, optional
            What the columns are called.
        barred : sequence of int
            Columns that are no candidates, such as copies of others, whatever the method.
        progress : callable, optional
            Called as ``progress(count, wanted, relative_error)`` after each choice.
        prepared : Preparation, optional
            The data centred and scaled as the parameters say, if that was done before.

        Returns
        -------
        Selection
        """
        check_parameters(self)
        check_chunks(self, A)
        weights, weight = near_one(check_weights(sample_weight, A.shape[0]))
        if weights is not None and not self.weighs_rows:
            raise TypeError(f"{type(self).__name__} {REFUSED}")
        if self.missing == "pairwise" and not entry_of(self).kernels:
            raise ValueError(
                "missing='pairwise' gives inner products of columns alone, and this method needs "
                "the columns themselves; choose missing='mean' or 'median'"
            )
        if prepared is None:
            prepared = prepare(
                A, center=self.center, scale=self.scale, missing=self.missing, weights=weights,
                names=names,
            )  # fmt: skip
        shared = {name: getattr(self, name) for name in SHARED if hasattr(self, name)}
        excludes = "exclude" in shared
        if excludes and len(barred):
            shared["exclude"] = [*(shared["exclude"] or ()), *barred]
        size, about = self.n_select, None
        if isinstance(size, str):
            given = None if weights is None else weights * weight
            size, about = proposed_size(self, A, y, prepared, given, names)
        problem = Problem(
            prepared.A, size, **shared, y=y, names=names, progress=progress,
            preparation=prepared, weight=weight,
        )  # fmt: skip
        among = len(barred) and not excludes
        selection = chosen_among_others(self, problem, barred) if among else self._select(problem)
        selection = with_names(selection, A, names, weights)
        selection = selection.with_info(method=entry_of(self).name, n_rows=problem.n_rows)
        if about is not None:
            selection = selection.with_info(size=about)
        if weights is not None:
            selection = selection.with_info(row_weights=True)
        as_is = prepared.units is None and not prepared.center and self.missing == "error"
        if as_is and prepared.scaled is None:
            return selection
        return selection.with_info(**prepared.about({"scale": self.scale, "missing": self.missing}))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose columns of X.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Used only by methods with a target or labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a whole number counts as so many equal rows.

        Returns
        -------
        self : object
        """
        X = self._checked(X, reset=True)
        self._forget()
        A = wrapped(X)
        self._fit(A, y, sample_weight)
        if not self.center and self.scale is None:
            advise(A, check_weights(sample_weight, A.shape[0]), self._names())
        return self

    def fit_transform_checked(
        self, X: Any, names: Array | None, y: Any = None, sample_weight: Any = None
    ) -> Any:
        """Choose columns of data that was checked already, and return them.

        Parameters
        ----------
        X : ndarray or sparse matrix
            The data.
        names : ndarray of str or None
            Names of the columns, if they have any.
        y : array-like, optional
            Used only by methods with a target or labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_selected)
        """
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        self._fit(wrapped(X), y, sample_weight)
        return self._weighted(take_columns(X, np.sort(self.indices_)))

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return names.tolist() if isinstance(names, np.ndarray) else None

    def _fit(self, A: Operand, y: Any, sample_weight: Any = None) -> Self:
        if y is None and self.__sklearn_tags__().target_tags.required:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "call fit(X, y)"
            )
        selection = self.choose(
            A,
            y,
            sample_weight=sample_weight,
            names=self._names(),
            progress=printer(type(self).__name__) if self.verbose else None,
        )
        return self._keep(selection)

    def _keep(self, selection: Selection) -> Self:
        """Set what a fit leaves."""
        self.selection_: Selection = selection
        self.indices_ = selection.indices
        self.weights_ = selection.weights
        self.relative_errors_ = selection.relative_errors
        return self

    def _checked(self, X: Any, *, reset: bool) -> Any:
        if isinstance(X, Operand):
            raise TypeError(
                "an estimator takes data, not an operand; use select and certify for kernels"
            )
        if is_chunked(X):
            return validated_chunks(self, X, reset=reset)
        try:
            return validate_data(
                self, sklearn_ready(X), reset=reset, accept_sparse=("csr", "csc"), dtype="numeric",
                ensure_all_finite=True if self.missing == "error" else "allow-nan",
            )  # fmt: skip
        except ValueError as error:
            if not str(error).startswith("Input X contains NaN"):
                raise
            ways = "'mean' or 'median'"
            if entry_of(self).kernels:
                ways = "'pairwise' or 'mean'"
            raise ValueError(
                f"Input X contains NaN; choose missing={ways}, or fill what is missing before"
            ) from None

    def certificate(self, X: Any, **options: Any) -> Certificate:
        """Measure what the choice lost on X, and compare it with what its theorem promises.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data that it was fitted on.
        **options
            As for :func:`colonnade.certify`; ``n_clusters`` is the selector's own by default,
            the number of classes for a selector that was fitted with labels to preserve (not for
            dask arrays, whose rows are not looked at one by one).

        Returns
        -------
        Certificate
        """
        check_is_fitted(self)
        A = wrapped(self._checked(X, reset=False))  # gaps as they are
        if A.out_of_core:
            pass  # clusters are of rows
        elif hasattr(self, "n_clusters"):
            options.setdefault("n_clusters", self.n_clusters)
        elif "n_classes" in self.selection_.info:
            options.setdefault("n_clusters", self.selection_.info["n_classes"])
        return certify(A, self.selection_, **options)

    @classmethod
    def promised_checks(
        cls, measured: Measured, labels: Indices | None
    ) -> tuple[list[Check], list[str]]:
        """Compare what the method promises with what a selection of it reached; nothing here.

        Parameters
        ----------
        measured : Measured
            The data, which has columns, and the choice.
        labels : ndarray of int or None
            The class of each row, if it is known.

        Returns
        -------
        checks : list of Check
            Their keys are unlike those of :func:`colonnade.certify`.
        notes : list of str
            Conditions that are not met, and what is only approximate.
        """
        return [], []

    @classmethod
    def promised_kmeans_factor(
        cls, measured: Measured, rank: int, labels: Indices | None, gamma: float
    ) -> KMeansFactor | None:
        """Return what the method promises of k-means on the chosen columns; nothing here.

        Parameters
        ----------
        measured : Measured
            The data and the choice.
        rank : int
            The number of clusters, or the rank of the data if that is lower.
        labels : ndarray of int or None
            X_in, the partition to compare with, if there is one.
        gamma : float
            γ: the objective on the reduced data is at most this many times that of X_in or,
            without X_in, that of the best partition.

        Returns
        -------
        KMeansFactor or None
        """
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.target_tags.required = bool(entry_of(self).supervised)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
