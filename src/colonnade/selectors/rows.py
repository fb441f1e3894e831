"""Representative rows: any column selector, turned on its side."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MetaEstimatorMixin,
    TransformerMixin,
    clone,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from ..certificates import Certificate, certify
from ..foundation.parameters import check_parameters
from ..foundation.typing import Array, Floats
from ..linalg.projecting import orthonormal_basis
from ..operands.adjusted import adjusted, over
from ..operands.containers import sklearn_ready, take_rows
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from ..operands.preparing import Scale, prepare
from ..registry import entry_of
from .base import Selector
from .greedy.greedy import GreedySelector
from .reporting import printer
from .showing import Shown

__all__ = ["RowSelector"]


@dataclass(eq=False, repr=False)
class RowSelector(
    Shown, ClassNamePrefixFeaturesOutMixin, TransformerMixin, MetaEstimatorMixin, BaseEstimator
):
    """Choose representative rows, and describe any row by them.

    **Objective.** The rows whose span best reconstructs all rows: the selector is run on the
    transposed data.

    **Algorithm.** Fit the selector on ``X.T``; orthonormalize the chosen rows, in the order of
    choice, into ``components_``; ``transform`` gives the coordinates of rows in that basis,
    which for the data itself is the embedding W of the selection. With ``center`` or ``scale``
    all of this is about rows whose features are centred and scaled.

    **Cost.** That of the selector on the transposed data, and O(d l) per row to transform.

    **When to use it.** To look at a handful of rows instead of all; to label few; as landmarks;
    to cluster in l dimensions instead of d.

    Parameters
    ----------
    selector : Selector or None, default=None
        Which method and how many rows; ``GreedySelector()`` by default. Its own ``center`` and
        ``scale`` are about rows, and must be left as they are. Of the rules for ``n_select``
        "elbow" alone makes sense for rows.
    center : bool, default=False
        Whether to subtract the mean of each feature first, without a copy of the data: then
        errors are shares of the variance.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each feature by first: its standard deviation, its interquartile range (the
        standard deviation where that is zero), its largest absolute value (less the mean, if
        ``center``), its given unit, or nothing. Constant features take no part if this or
        ``center`` is given.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.

    Attributes
    ----------
    selector_ : Selector
        The fitted selector.
    indices_ : ndarray of int
        The chosen rows in the order of choice.
    relative_errors_ : ndarray of float
        Share of the squared error that is left after each choice.
    representatives_ : ndarray or sparse matrix of shape (n_selected, n_features)
        The chosen rows themselves, as they were given.
    components_ : ndarray of shape (n_selected, n_features)
        An orthonormal basis of their span, centred and scaled if that was asked for.
    means_ : ndarray of shape (n_features,) or None
        What is subtracted from each feature; None without ``center`` and ``scale``.
    units_ : ndarray of shape (n_features,) or None
        What it is divided by then, 0 for a constant one; None without ``center`` and ``scale``.

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

    selector: Selector | None = None
    _: KW_ONLY
    center: bool = False
    scale: Annotated[Any, Scale()] = None

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

    def fit_transform_checked(
        self, X: Any, names: Array | None, y: Any = None, sample_weight: Floats | None = None
    ) -> Array:
        """Choose rows of data that was checked already, and return the coordinates of all.

        Parameters
        ----------
        X : ndarray or sparse matrix
            The data.
        names : ndarray of str or None
            Names of the columns, if they have any.
        y : None
            Ignored.
        sample_weight : ndarray of shape (n_samples,), optional
            Weights of the rows, for the means and units of features; as candidates all are alike.

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
        """
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        return self._fit(X, sample_weight)._coordinates(X)

    def _fit(self, X: Any, weights: Floats | None = None) -> Self:
        check_parameters(self)
        self.selector_: Selector = self._checked_selector()
        A = self._learned(X, weights)
        self.selection_ = self.selector_.choose(
            A, progress=printer(type(self.selector_).__name__) if self.selector_.verbose else None
        ).with_info(of="rows")
        # all that its own fit would have left
        self.selector_.n_features_in_ = A.shape[1]
        for fitted in (self, self.selector_):
            fitted.selection_ = self.selection_
            fitted.indices_ = self.selection_.indices
            fitted.relative_errors_ = self.selection_.relative_errors
        self.selector_.weights_ = self.selection_.weights
        self.representatives_ = take_rows(X, self.indices_)
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.components_ = np.ascontiguousarray(orthonormal_basis(A, self.indices_).T, dtype=dtype)
        return self

    def _checked_selector(self) -> Selector:
        """Return a copy of the selector; say why, if it cannot choose rows."""
        selector = clone(self.selector) if self.selector is not None else GreedySelector()
        if not isinstance(selector, Selector):
            raise TypeError(
                "selector must be a selector of columns such as GreedySelector, "
                f"got {self.selector!r}"
            )
        if getattr(selector, "target", None) == "y":
            raise ValueError('rows have no target y; choose another target than "y"')
        name = type(selector).__name__
        if entry_of(selector).supervised:
            raise ValueError(
                f"{name} needs a label for each row, but chooses rows here; choose another selector"
            )
        if isinstance(selector.n_select, str) and selector.n_select != "elbow":
            raise ValueError(
                f"n_select={selector.n_select!r} of {name} compares columns with independent ones, "
                "or holds rows out, and here both would be about features; choose a number, a "
                'fraction or n_select="elbow" there'
            )
        cls, scale = type(selector), selector.scale
        as_given = isinstance(scale, str | None) and (selector.center, scale) == (
            cls.center,
            cls.scale,
        )
        asked = self.center or self.scale is not None
        if (selector.center or scale is not None) and (asked or not as_given):
            raise ValueError(
                f"center={selector.center!r} and scale={selector.scale!r} of {name} would be about "
                "rows, which are its columns here; set center=False and scale=None there, and "
                "pass center and scale to RowSelector"
            )
        if selector.missing != "error":
            raise ValueError(
                f"missing={selector.missing!r} of {name} would be about rows, which are its "
                "columns here; set missing='error' there, fill what is missing before (for "
                "example with sklearn.impute.SimpleImputer), and pass center and scale to "
                "RowSelector"
            )
        if not selector.weighs_rows and (self.center or self.scale is not None):
            raise ValueError(
                f"{name} compares features with each other where it chooses rows, and takes them "
                "as they are; leave center and scale, or standardize the data before (for example "
                "with sklearn.preprocessing.StandardScaler)"
            )
        return selector

    def _learned(self, X: Any, weights: Floats | None) -> Columns:
        """Return an operand whose columns are the rows, and keep the means and units."""
        self.means_: Floats | None = None
        self.units_: Floats | None = None
        if not self.center and self.scale is None:
            return wrapped(X.T)
        found = prepare(
            wrapped(X), center=self.center, scale=self.scale, weights=weights, candidates=False
        )
        self.means_, self.units_ = found.means, found.units
        return self._prepared(X).transposed()

    def _coordinates(self, X: Any) -> Array:
        """Return the coordinates of checked rows."""
        basis = self.components_.T
        if self.means_ is None:
            return np.asarray(X @ basis)
        Z = self._prepared(X).matmat(basis)
        return Z.astype(np.result_type(X.dtype, basis.dtype), copy=False)

    def _prepared(self, X: Any) -> Columns:
        """Return checked rows with their features as they were in the fit."""
        A, units = wrapped(X), self.units_
        if self.means_ is None or units is None:
            return A
        return adjusted(A, self.means_, over(units))

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
        return self._coordinates(X)

    def certificate(self, X: Any) -> Certificate:
        """Measure how well the chosen rows hold the data, and compare with what was promised.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data that it was fitted on.

        Returns
        -------
        Certificate
        """
        check_is_fitted(self)
        X = validate_data(
            self, sklearn_ready(X), accept_sparse=("csr", "csc"), dtype="numeric", reset=False
        )
        return certify(self._prepared(X).transposed(), self.selection_)

    def inverse_transform(self, Z: Any) -> Any:
        """Return the rows that have the given coordinates, in the units of the data.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_selected)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        out = np.asarray(Z) @ self.components_
        if self.means_ is None:
            return out
        return (out * self.units_ + self.means_).astype(out.dtype, copy=False)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
