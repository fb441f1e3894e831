"""Choosing from a stream: batches of rows that are never together in memory."""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils.metaestimators import available_if

from ..operands.advice import advise
from ..operands.entrance import wrapped
from ..operands.row_weights import check_weights
from ..operands.sums import Sums, sums_of
from ..registry import entry_of
from ..selection import Selection
from .reporting import printer

__all__ = ["Streaming"]


def _by_products(selector: Any) -> bool:
    """Say whether a method needs no more than inner products of columns, and no labels."""
    entry = entry_of(selector)
    if entry.kernels and not entry.supervised:
        return True
    raise AttributeError(
        f"{type(selector).__name__} has no partial_fit: it needs more than sums over the rows; "
        "methods that need no more are those for kernels, such as GreedySelector"
    )


class Streaming:
    """What selectors do with data that comes in batches."""

    center: bool
    scale: Any
    missing: str
    verbose: bool | int
    choose: Any
    _checked: Any
    _names: Any
    _keep: Any
    _sums: Sums | None = None

    def _forget(self) -> None:
        """Begin anew."""
        self._sums = None

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether columns were chosen: rows that were only added have set other attributes."""
        return hasattr(self, "selection_")

    @available_if(_by_products)
    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, choose: bool = True
    ) -> Self:
        """Choose columns of all rows seen so far: those of X, and of the calls before.

        The result is that of ``fit`` on all of these rows, in any order, up to rounding. What is
        kept of them are the means of the columns and their inner products: 8 n² bytes for n
        columns, however many rows there are. ``fit`` keeps no such sums, and ends a stream: a
        call after it begins another. Inner products hold squares of lengths: what is left of a
        column below about 1e-8 of its length (1e-16 of its square) cannot be seen here, while
        ``fit`` on the data itself sees further.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            More rows; never modified. Blocks of a dask array are read once.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of these rows: a whole number counts as so many equal rows. After the first
            call they may all be zero.
        choose : bool, default=True
            Whether to choose now. False only adds the rows: cheaper while more are to come.

        Returns
        -------
        self : object

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from colonnade import GreedySelector
        >>> X = load_digits().data
        >>> stream = GreedySelector(5, center=True)
        >>> for start in range(0, len(X), 500):
        ...     stream = stream.partial_fit(X[start : start + 500], choose=start >= 1500)
        >>> stream.indices_.tolist() == GreedySelector(5, center=True).fit(X).indices_.tolist()
        True
        """
        if self.missing != "error":
            raise ValueError(
                f"missing={self.missing!r} looks at all rows at once, and partial_fit sees them in "
                "batches; set missing='error' and fill what is missing before"
            )
        before = self._sums
        try:
            X = self._checked(X, reset=before is None)
        except ValueError as error:
            if not str(error).startswith("Input X contains NaN"):
                raise
            raise ValueError(
                "Input X contains NaN, and what takes its place depends on all rows, of which "
                "partial_fit sees a batch; fill what is missing before"
            ) from None
        rows = wrapped(X)
        weights = check_weights(sample_weight, rows.shape[0], or_none=before is not None)
        counted = weights is None or bool(weights.any())
        sums = before
        if before is None or counted:
            added = sums_of(rows, weights)
            sums = added if before is None else before + added
        assert sums is not None
        if choose:
            self._keep(self._chosen_from(sums))
        self._sums = sums  # last, so that rows that could not be taken are not counted
        if choose and counted and not self.center and self.scale is None:
            advise(rows, weights, self._names())
        return self

    def _chosen_from(self, sums: Sums) -> Selection:
        names = self._names()
        prepared = sums.prepared(center=self.center, scale=self.scale, names=names)
        selection: Selection = self.choose(
            prepared.A,
            names=names,
            prepared=prepared,
            progress=printer(type(self).__name__) if self.verbose else None,
        )
        chosen = selection.indices
        if sums.weighted:
            selection = selection.with_info(row_weights=True)
        return selection.replace(
            column_means=sums.means[chosen], column_spreads=sums.spreads[chosen]
        )
