"""What all projections share, and random matrices that are never stored."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Self, TypeVar, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..foundation.documentation import complete
from ..foundation.parameters import check_parameters
from ..foundation.typing import Array, Floats, RandomState
from ..operands.adjusted import adjusted, over
from ..operands.blocks import BLOCK_BYTES, float64
from ..operands.chunked.arriving import is_chunked, validated_chunks
from ..operands.chunked.lazy import mapped_rows, refuse_frames
from ..operands.containers import by_rows, dense, sklearn_ready
from ..operands.entrance import container_of, wrapped
from ..operands.interface import Columns
from ..operands.preparing import Scale, prepare
from .dimensions import CLUSTERS, EPS, RULE, resolve_dimension

__all__ = ["FEATURES", "Projection", "RandomProjection", "StreamedProjection", "declared"]

FEATURES = 512
"""Rows of R per stream of random numbers. Part of what a seed means: never to be changed."""

Class = TypeVar("Class", bound="type[Projection]")


@dataclass_transform()
def declared(cls: Class) -> Class:
    """Make the fields of a class its parameters, and describe those that it shares."""
    dataclass(eq=False, repr=False)(cls)  # adds to the class in place
    if cls.__doc__ is not None:  # python -OO leaves none
        cls.__doc__ = complete(cls)
    return cls


@dataclass(eq=False, repr=False)
class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A linear map of rows to fewer dimensions; its fields are its parameters.

    Parameters
    ----------
    center : bool, default=False
        Whether to subtract the mean of each feature first, without a copy of the data; sparse
        data stays sparse. Constant features contribute nothing then.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each feature by first: its standard deviation, its interquartile range (the
        standard deviation where that is zero), its largest absolute value (less the mean, if
        ``center``), its given unit, or nothing. Constant features contribute nothing if this or
        ``center`` is given.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.
    random_state : int, RandomState or None, default=None
        Random seed.

    Attributes
    ----------
    n_components_ : int
        How many dimensions there are after the projection.
    means_ : ndarray of shape (n_features,) or None
        What is subtracted from each feature; None without ``center`` and ``scale``.
    units_ : ndarray of shape (n_features,) or None
        What it is divided by then, 0 for a constant one; None without ``center`` and ``scale``.
    """

    n_components: int | str = "auto"
    _: KW_ONLY
    n_clusters: Annotated[int | None, CLUSTERS] = None
    center: bool = False
    scale: Annotated[Any, Scale()] = None
    random_state: RandomState = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fix the projection for data like X.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data; never modified. Blocks of a dask array are read only if something is learned
            from them: means and units, or singular vectors.
        y : None
            Ignored.

        Returns
        -------
        self : object
        """
        self._learn(self._checked(X, reset=True))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fix the projection for data like X, and project X.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data; never modified.
        y : None
            Ignored.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_components_)
            As for :meth:`transform`.
        """
        X = self._checked(X, reset=True)
        self._learn(X)
        return self._projected(X)

    def fit_transform_checked(
        self, X: Any, names: Array | None, sample_weight: Floats | None = None
    ) -> Any:
        """Fit to data that was checked already, and project it.

        Parameters
        ----------
        X : ndarray, sparse matrix or dask array of float32 or float64
            The data.
        names : ndarray of str or None
            Names of the features, if there are any.
        sample_weight : ndarray of shape (n_samples,), optional
            Weights of the rows, for what is learned from them.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_components_)
        """
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        self._learn(X, sample_weight)
        return self._projected(X)

    def _learn(self, X: Any, weights: Floats | None = None) -> None:
        check_parameters(self)
        self.means_: Floats | None = None
        self.units_: Floats | None = None
        if self.center or self.scale is not None:
            found = prepare(
                wrapped(X), center=self.center, scale=self.scale, weights=weights, candidates=False
            )
            self.means_, self.units_ = found.means, found.units
        self.n_components_ = self._fit(X, weights)

    def transform(self, X: Any) -> Any:
        """Project rows.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_components_)
            In float32 for float32 data, else in float64; dense for sparse data too. That of a dask
            array has the chunks of its rows, and nothing is computed yet.
        """
        check_is_fitted(self)
        return self._projected(self._checked(X, reset=False))

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return the data in a type that products take; dense integers stay as they are."""
        if is_chunked(X):
            return validated_chunks(self, X, reset=reset)
        X = validate_data(
            self, sklearn_ready(X), accept_sparse=("csr", "csc"), dtype="numeric", reset=reset
        )
        return self._typed(X)

    @staticmethod
    def _typed(X: Any) -> Any:
        if X.dtype.kind in "iu" and container_of(X) == "dense":
            return X
        dtype = np.float32 if X.dtype in (np.float16, np.float32) else np.float64
        return X.astype(dtype, copy=False)

    def _projected(self, X: Any) -> Any:
        dtype = np.float32 if X.dtype in (np.float16, np.float32) else np.float64
        if is_chunked(X):
            refuse_frames(self)
            # a copy, since what was learned may change before rows are asked for
            return mapped_rows(
                X, _projected_rows, copy(self), width=self.n_components_, dtype=dtype
            )
        return self._project(X).astype(dtype, copy=False)

    def operand(self, X: Any) -> Columns:
        """Return rows as the projection sees them: centred and scaled as in the fit."""
        check_is_fitted(self)
        return self._operand(self._checked(X, reset=False))

    @property
    def _factors(self) -> Floats:
        """What each feature is multiplied by, after its mean was taken out."""
        assert self.units_ is not None
        return over(self.units_)

    def _operand(self, X: Any, weights: Floats | None = None) -> Columns:
        """Return checked data as the projection sees it: centred and scaled as in the fit."""
        A = wrapped(X)
        if self.means_ is None and weights is None:
            return A
        n = X.shape[1]
        means, factors = np.zeros(n), np.ones(n)
        if self.means_ is not None:
            means, factors = self.means_, self._factors
        return adjusted(A, means, factors, None if weights is None else np.sqrt(weights))

    def _dense_rows(self, X: Any, blocks: Iterator[slice]) -> Iterator[tuple[slice, Floats]]:
        """Yield blocks of rows of :meth:`_operand`, each dense and in float64."""
        X = by_rows(X)
        for block in blocks:
            rows = float64(dense(X[block]))
            yield block, rows if self.means_ is None else (rows - self.means_) * self._factors

    @abstractmethod
    def _fit(self, X: Any, weights: Floats | None) -> int:
        """Learn from checked data, and return how many dimensions there are then."""

    @abstractmethod
    def _project(self, X: Any) -> Floats:
        """Return the projection of checked data, in the type of the arithmetic."""

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _projected_rows(X: Any, projection: Projection) -> Floats:
    """Return the projection of some rows: what is done to a chunk."""
    return np.asarray(projection._projected(projection._typed(X)))


@dataclass(eq=False, repr=False)
class RandomProjection(Projection):
    """``X R`` with a random matrix R, of a size that does not depend on the values of X.

    Nor does R depend on ``center`` and ``scale``: these are about what it is multiplied with.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        t, at most the number of features. "auto" takes it from ``n_clusters`` and ``eps``; if
        that is more than there are features, nothing is reduced, with a warning.
    n_clusters : int or None, default=None
        For "auto": k, the number of clusters to keep. With None the distances of all n samples
        are kept: ``⌊4 ln(n)/(ε²/2 − ε³/3)⌋``, as in scikit-learn's random projections.
    eps : float, default=0.5
        ε, the relative error for "auto", above 0 and below 1.
    rule : {"makarychev", "boutsidis"}, default="makarychev"
        For "auto" with clusters: ``⌈8 ln(k/ε)/ε²⌉`` or ``⌈8 k/ε²⌉``. See
        :func:`colonnade.projections.dimension` for where the constants come from.
    """

    _: KW_ONLY
    eps: Annotated[float, EPS] = 0.5
    rule: Annotated[str, RULE] = "makarychev"

    def _fit(self, X: Any, weights: Floats | None) -> int:
        size = resolve_dimension(
            self.n_components, X.shape, n_clusters=self.n_clusters, eps=self.eps, rule=self.rule
        )
        self._prepare(X, size, check_random_state(self.random_state))
        return size

    @abstractmethod
    def _prepare(self, X: Any, size: int, rng: np.random.RandomState) -> None:
        """Keep all that R is made from, for so many components."""


@dataclass(eq=False, repr=False)
class StreamedProjection(RandomProjection):
    """``X R`` with a random matrix R of which a block of rows is made when it is needed.

    The rows of R come from a counter-based generator (Philox), whose counter can be set to where
    any block of 512 rows begins: each block has a stream of its own, or its place in one stream
    for all rows. So R depends on the seed alone, not on how data and memory are cut.
    """

    def _prepare(self, X: Any, size: int, rng: np.random.RandomState) -> None:
        words = rng.randint(0, 2**32, size=4, dtype=np.uint32)
        self.key_ = words.astype(np.uint64)[:2] << np.uint64(32) | words[2:]

    def matrix(self) -> Floats:
        """Return R whole, to look at it: ``transform(X)`` is ``X @ R``.

        With ``center`` or ``scale`` X is centred and scaled before; R is the same.

        Returns
        -------
        ndarray of shape (n_features, n_components_)
        """
        check_is_fitted(self)
        return dense(self._rows(0, self.n_features_in_))

    def _project(self, X: Any) -> Floats:
        A = self._operand(X)
        out = np.zeros((X.shape[0], self.n_components_))
        width = FEATURES * max(1, BLOCK_BYTES // (8 * FEATURES * self.n_components_))
        for start in range(0, self.n_features_in_, width):
            stop = min(start + width, self.n_features_in_)
            R = self._rows(start, stop)
            # data that is adjusted takes dense factors, of which this is a block
            out += A.matmat_part(slice(start, stop), R if self.means_ is None else dense(R))
        return out

    def _stream(self, block: int) -> np.random.Philox:
        """Return a generator of random numbers that no other block uses, if each takes its own."""
        return np.random.Philox(key=self.key_, counter=np.array([0, 0, block, 0], np.uint64))

    def _streams(self, start: int, stop: int) -> list[np.random.Generator]:
        """Return a generator for each block of features from start, where a block begins."""
        blocks = range(start // FEATURES, -(-stop // FEATURES))
        return [np.random.Generator(self._stream(block)) for block in blocks]

    @abstractmethod
    def _rows(self, start: int, stop: int) -> Any:
        """Return rows of R; start is the first row of a block."""
