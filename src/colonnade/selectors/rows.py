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
from ..operands.chunked.arriving import as_table, is_chunked, validated_chunks
from ..operands.chunked.fetching import fetched_rows
from ..operands.chunked.lazy import refuse_frames
from ..operands.containers import sklearn_ready, take_rows
from ..operands.entrance import wrapped
from ..operands.interface import Columns
from ..operands.preparing import Scale, prepare
from ..registry import entry_of
from .base import Selector
from .comparing import Comparing, coordinates_of_rows, nearest_rows, rows_of_coordinates
from .greedy.greedy import GreedySelector
from .reporting import printer
from .showing import Shown

__all__ = ["RowSelector"]


@dataclass(eq=False, repr=False)
class RowSelector(
    Comparing,
    Shown,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    MetaEstimatorMixin,
    BaseEstimator,
):
    """Choose representative rows, and describe any row by them.

    **Objective.** That of the selector, which is run on the transposed data: the rows whose span
    best reconstructs all rows or, for the kind "representatives", rows that are near to all.

    **Algorithm.** Fit the selector on ``X.T``; orthonormalize the chosen rows, in the order of
    choice, into ``components_``; ``transform`` gives the coordinates of rows in that basis,
    which for the data itself is the embedding W of the selection. For "representatives"
    ``transform`` gives the distances to the chosen rows. ``predict`` tells the nearest one. With
    ``center`` or ``scale`` all of this is about rows whose features are centred and scaled.

    **Cost.** That of the selector on the transposed data, and O(d l) per row to transform.

    **When to use it.** To look at a handful of rows instead of all, to label few, as landmarks,
    to cluster in l dimensions instead of d. Which method for which purpose:

    - to label few rows, or for nearest neighbours on few: :class:`MedoidSelector`. Of 60,000
      images of digits, 500 medoids label the nearest of 10,000 others right for 91 %, 500 random
      rows for 85 %, 500 by :class:`CoverageSelector` for 61 %;
    - to sum up: :class:`MedoidSelector` or, where the first few should be a summary too,
      :class:`FacilityLocationSelector`; ``selection_.info["stands_for"]`` says for how many rows
      each stands;
    - to see what there is, rare things included: :class:`CoverageSelector`;
    - as landmarks, or as a basis that all rows can be computed from: :class:`GreedySelector`,
      the default, or another method for spans; these end at the rank of the data.

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
        An orthonormal basis of their span, centred and scaled if that was asked for; not for
        "representatives".
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

    Rows that stand for others, and the one that stands for each:

    >>> from colonnade import MedoidSelector
    >>> rows = RowSelector(MedoidSelector(n_select=5, random_state=0)).fit(X)
    >>> rows.selection_.info["stands_for"]
    [479, 401, 399, 308, 210]
    >>> rows.predict(rows.representatives_)
    array([0, 1, 2, 3, 4])
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
        if is_chunked(X):
            return self._fit(validated_chunks(self, X, reset=True))
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
        # rows in chunks are read once more, and what follows is done with them
        given = fetched_rows(A, self.indices_) if A.out_of_core else take_rows(X, self.indices_)
        self.representatives_ = given
        if self._stands:
            return self
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        rows = self._prepared(given).transposed()
        basis = orthonormal_basis(rows, np.arange(len(self.indices_)))
        self.components_ = np.ascontiguousarray(basis.T, dtype=dtype)
        return self

    def _checked(self, X: Any) -> Any:
        """Return other rows with as many features; chunks as a dask array."""
        if is_chunked(X):
            return validated_chunks(self, X, reset=False)
        return validate_data(
            self, sklearn_ready(X), accept_sparse=("csr", "csc"), dtype="numeric", reset=False
        )

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
        A = wrapped(X)
        if not self.center and self.scale is None:
            return A.transposed()
        found = prepare(A, center=self.center, scale=self.scale, weights=weights, candidates=False)
        self.means_, self.units_ = found.means, found.units
        if A.out_of_core:
            assert isinstance(found.A, Columns)
            return found.A.transposed()
        return self._prepared(X).transposed()

    def predict(self, X: Any) -> Array:
        """Return which chosen row is the nearest to each row: a position in ``indices_``.

        By the distance that the selector compares by: Euclidean, with features as ``center`` and
        ``scale`` say, or the angle for the similarity "cosine". Of any class, also with
        ``stratify``, while ``info["stands_for"]`` counts rows with the nearest of their own.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)

        Returns
        -------
        ndarray or dask array of int
            For a dask array nothing is computed yet.
        """
        check_is_fitted(self)
        X = self._checked(X)
        return self._by_chunks(X, nearest_rows) if is_chunked(X) else self._nearest(X)

    def transform(self, X: Any) -> Any:
        """Return the coordinates of rows in the span of the chosen ones, or distances to them.

        Distances for methods of the kind "representatives", coordinates for all others.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_selected)
            For a dask array nothing is computed yet.
        """
        check_is_fitted(self)
        X = self._checked(X)
        if is_chunked(X):
            refuse_frames(self)
            return self._by_chunks(X, coordinates_of_rows)
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
        X = self._checked(X)
        return certify(self._prepared(X).transposed(), self.selection_)

    def inverse_transform(self, Z: Any) -> Any:
        """Return the rows that have the given coordinates, in the units of the data.

        Parameters
        ----------
        Z : array-like or dask array of shape (n_samples, n_selected)
            For a dask array nothing is computed yet.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if self._stands:
            raise AttributeError(
                f"{type(self.selector_).__name__} gives distances, from which rows do not follow; "
                "representatives_[predict(X)] has the representative of each row"
            )
        if is_chunked(Z):
            return self._by_chunks(as_table(Z, "Z").array, rows_of_coordinates)
        return self._rows_of(np.asarray(Z))

    @property
    def _n_features_out(self) -> int:
        return len(self.indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
