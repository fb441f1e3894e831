"""Representative rows: any column selector, turned on its side."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MetaEstimatorMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from ..foundation.typing import Array
from ..linalg.projecting import orthonormal_basis
from ..operands.containers import sklearn_ready, take_rows
from ..operands.entrance import wrapped
from ..registry import entry_of
from .base import Selector
from .greedy.greedy import GreedySelector

__all__ = ["RowSelector"]


class RowSelector(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, MetaEstimatorMixin, BaseEstimator
):
    """Choose representative rows, and describe any row by them.

    **Objective.** The rows whose span best reconstructs all rows: the selector is run on the
    transposed data.

    **Algorithm.** Fit the selector on ``X.T``; orthonormalize the chosen rows, in the order of
    choice, into ``components_``; ``transform`` gives the coordinates of rows in that basis,
    which for the data itself is the embedding W of the selection.

    **Cost.** That of the selector on the transposed data, and O(d l) per row to transform.

    **When to use it.** To look at a handful of rows instead of all; to label few; as landmarks;
    to cluster in l dimensions instead of d.

    Parameters
    ----------
    selector : Selector or None, default=None
        Which method and how many rows; ``GreedySelector()`` by default.

    Attributes
    ----------
    selector_ : Selector
        The fitted selector.
    indices_ : ndarray of int
        The chosen rows in the order of choice.
    relative_errors_ : ndarray of float
        Share of the squared error that is left after each choice.
    representatives_ : ndarray or sparse matrix of shape (n_selected, n_features)
        The chosen rows themselves.
    components_ : ndarray of shape (n_selected, n_features)
        An orthonormal basis of their span.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", eq. 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import GreedySelector, RowSelector
    >>> X = load_digits().data
    >>> rows = RowSelector(GreedySelector(n_select=5)).fit(X)
    >>> rows.representatives_.shape
    (5, 64)
    >>> rows.transform(X[:3]).shape
    (3, 5)
    """

    def __init__(self, selector: Selector | None = None):
        self.selector = selector

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : None
            Ignored.

        Returns
        -------
        self : object
        """
        X = validate_data(self, sklearn_ready(X), accept_sparse=("csr", "csc"), dtype="numeric")
        return self._fit(X)

    def fit_transform_checked(self, X: Any, names: Array | None, y: Any = None) -> Array:
        """Choose rows of data that was checked already, and return the coordinates of all.

        Parameters
        ----------
        X : ndarray or sparse matrix
            The data.
        names : ndarray of str or None
            Names of the columns, if they have any.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
        """
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        return np.asarray(X @ self._fit(X).components_.T)

    def _fit(self, X: Any) -> Self:
        self.selector_ = clone(self.selector) if self.selector is not None else GreedySelector()
        if not isinstance(self.selector_, Selector):
            raise TypeError(
                "selector must be a selector of columns such as GreedySelector, "
                f"got {self.selector!r}"
            )
        if getattr(self.selector_, "target", None) == "y":
            raise ValueError('rows have no target y; choose another target than "y"')
        if entry_of(self.selector_).supervised:
            raise ValueError(
                f"{type(self.selector_).__name__} needs a label for each row, but chooses rows "
                "here; choose another selector"
            )
        self.selector_.fit_transform_checked(X.T, None)
        self.selection_ = self.selector_.selection_
        self.indices_ = self.selection_.indices
        self.relative_errors_ = self.selection_.relative_errors
        self.representatives_ = take_rows(X, self.indices_)
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.components_ = np.ascontiguousarray(
            orthonormal_basis(wrapped(X.T), self.indices_).T, dtype=dtype
        )
        return self

    def transform(self, X: Any) -> Any:
        """Return the coordinates of rows in the span of the chosen ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
        """
        check_is_fitted(self)
        X = validate_data(
            self, sklearn_ready(X), accept_sparse=("csr", "csc"), dtype="numeric", reset=False
        )
        return np.asarray(X @ self.components_.T)

    def inverse_transform(self, Z: Any) -> Any:
        """Return the rows that have the given coordinates.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_selected)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return np.asarray(Z) @ self.components_

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
