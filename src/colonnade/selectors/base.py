"""The one estimator base: a scikit-learn class around a selection function."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ..certificates import Certificate, certify
from ..foundation.parameters import check_columns
from ..foundation.typing import Array
from ..operands.containers import spread_columns, tidy, times_columns
from ..operands.interface import Operand
from ..registry import METHODS
from ..selection import Selection
from .problem import printer

__all__ = ["Selector"]


class Selector(SelectorMixin, BaseEstimator):
    """A selector of columns; subclasses name a method and repeat its parameters.

    Attributes
    ----------
    indices_ : ndarray of int
        The chosen columns in the order of choice.
    errors_ : ndarray of float or None
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

    method: ClassVar[str]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose columns of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Used only by methods with a target or labels.

        Returns
        -------
        self : object
        """
        if isinstance(X, Operand):
            raise TypeError("an estimator takes data, not an operand; use select for kernels")
        X = validate_data(self, tidy(X), accept_sparse=("csr", "csc"), dtype="numeric")
        selection = METHODS[self.method](X, self.n_select, **self._arguments(y))
        self.selection_: Selection = selection
        self.indices_ = selection.indices
        self.weights_ = selection.weights
        self.errors_ = selection.relative_errors
        return self

    def _arguments(self, y: Any) -> dict[str, Any]:
        """Translate the estimator's parameters into the function's."""
        known = inspect.signature(METHODS[self.method].function).parameters
        arguments = {k: v for k, v in self.get_params(deep=False).items() if k in known}
        del arguments["n_select"]
        names = getattr(self, "feature_names_in_", None)
        for key in ("must_include", "exclude"):
            if isinstance(names, np.ndarray) and arguments.get(key) is not None:
                arguments[key] = check_columns(
                    key, arguments[key], self.n_features_in_, names.tolist()
                )
        if METHODS[self.method].supervised == "labels":
            if y is None:
                raise ValueError(
                    f"{type(self).__name__} requires y to be passed, but the target y is None; "
                    "call fit(X, y) with the labels"
                )
            arguments["labels"] = y
        if getattr(self, "verbose", False):
            arguments["progress"] = printer(type(self).__name__)
        return arguments

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        return self.selection_.mask

    def transform(self, X: Any) -> Any:
        """Return the chosen columns of X, in the order they have in X, times their weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_selected)
        """
        chosen = super().transform(tidy(X))
        factors = self._factors()
        return chosen if factors is None else times_columns(chosen, factors)

    def inverse_transform(self, X: Any) -> Any:
        """Return chosen columns to their places, without weights, with zeros elsewhere.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_selected)

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features)
        """
        factors = self._factors()
        if factors is not None:
            X = check_array(X, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32])
            if X.shape[1] != len(factors):
                raise ValueError(f"X has {X.shape[1]} columns, but {len(factors)} were chosen")
            X = times_columns(X, 1.0 / factors)
            return spread_columns(X, np.sort(self.indices_), self.n_features_in_)
        return super().inverse_transform(X)

    def certificate(self, X: Any, **options: Any) -> Certificate:
        """Measure what the choice lost on X, beside what its theorem promises.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data that it was fitted on.
        **options
            As for :func:`colonnade.certify`; ``n_clusters`` is the selector's own by default,
            the number of classes for a selector that was fitted with labels to preserve.

        Returns
        -------
        Certificate
        """
        check_is_fitted(self)
        if isinstance(X, Operand):
            raise TypeError("an estimator takes data, not an operand; use certify for kernels")
        X = validate_data(self, tidy(X), reset=False, accept_sparse=("csr", "csc"), dtype="numeric")
        if hasattr(self, "n_clusters"):
            options.setdefault("n_clusters", self.n_clusters)
        elif "n_classes" in self.selection_.info:
            options.setdefault("n_clusters", self.selection_.info["n_classes"])
        return certify(X, self.selection_, **options)

    def _factors(self) -> Array | None:
        """Return the weights in the order of the columns, if they are to be applied."""
        check_is_fitted(self)
        if self.weights_ is None or not getattr(self, "rescale", True):
            return None
        return np.asarray(self.weights_[np.argsort(self.indices_)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = "sparse" in METHODS[self.method].inputs
        tags.target_tags.required = METHODS[self.method].supervised == "labels"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
