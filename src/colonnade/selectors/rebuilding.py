"""All columns from the chosen ones: what a fitted selector can do with other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..foundation.typing import Floats
from ..metrics.explained import explained_share
from ..metrics.explanation import Explanation
from ..metrics.standing import explain
from ..operands.chunked.arriving import is_chunked
from ..operands.containers import dense, times_columns
from ..operands.entrance import wrapped
from ..operands.interface import Columns, Operand
from ..operands.row_weights import check_weights
from ..selection import Selection
from ..selection.matching import usual_values
from .showing import Shown

__all__ = ["Rebuilding", "with_names"]


def with_names(
    selection: Selection, A: Operand, names: Sequence[str] | None, weights: Floats | None
) -> Selection:
    """Return a selection that knows its columns again: by their names, and as they usually are.

    Parameters
    ----------
    selection : Selection
        The choice.
    A : Operand
        The data as it was given.
    names : sequence of str or None
        What its columns are called.
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    """
    candidates = None if names is None else tuple(names)
    # to know of data in chunks what nobody has summed would take another pass
    if not isinstance(A, Columns) or (A.out_of_core and A.known_sums() is None):
        return selection.replace(candidates=candidates)
    means, spreads = usual_values(A, selection.indices, weights)
    return selection.replace(candidates=candidates, column_means=means, column_spreads=spreads)


class Rebuilding(Shown):
    """What follows from the coefficients of a fit."""

    selection_: Selection
    indices_: Any
    _checked: Any
    _factors: Any

    def reconstruct(self, X_selected: Any, *, return_std: bool = False) -> Any:
        """Return all columns from the chosen ones, in the units of the data.

        With the coefficients of the fit: least squares, by way of the means and units that the
        method saw.

        Parameters
        ----------
        X_selected : array-like, sparse matrix or dask array of shape (n_samples, n_selected)
            The chosen columns as :meth:`transform` returns them; where one is missing, if the
            selector allows that, it counts as its mean. For a dask array nothing is computed yet.
        return_std : bool, default=False
            Whether to return the standard error of each column as well.

        Returns
        -------
        X : ndarray or dask array of shape (n_samples, n_features)
        std : ndarray of shape (n_features,)
            The standard error of a reconstructed value, from what was left of each column in
            the data of the fit; NaN where there were no more rows than coefficients.
        """
        check_is_fitted(self)
        order = np.argsort(np.argsort(self.indices_))
        if is_chunked(X_selected):
            return self.selection_.rebuilt_chunks(X_selected, self._factors(), order, return_std)
        missing = self.selection_.info.get("missing", "error") != "error"
        X = check_array(
            X_selected, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if missing else True,
        )  # fmt: skip
        if X.shape[1] != len(self.indices_):
            raise ValueError(f"X has {X.shape[1]} columns, but {len(self.indices_)} were chosen")
        factors = self._factors()
        if factors is not None:
            X = times_columns(X, 1.0 / factors)
        chosen = dense(X).astype(np.float64, copy=False)[:, order]
        return self.selection_.rebuilt(chosen, return_std)

    def explain(self, X: Any, *, sample_weight: Any = None, rivals: bool = True) -> Explanation:
        """Say what the chosen columns stand for: :func:`colonnade.explain` of this choice.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or dask array of shape (n_samples, n_features)
            The data that it was fitted on; of a dask array two passes are made over the blocks.
        sample_weight : array-like of shape (n_samples,), optional
            The weights that it was fitted with.
        rivals : bool, default=True
            Whether to look for the column that could best take the place of each chosen one.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self)
        A = wrapped(self._checked(X, reset=False))
        return explain(A, self.selection_, sample_weight=sample_weight, rivals=rivals)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of the variance of X that the chosen columns explain.

        All columns are reconstructed from the chosen ones with the coefficients of the fit, and
        what is missed is compared with the variance of the rows about their own mean (with
        their squared size, if the selector does not centre), in the units that the method saw: a
        search can compare methods and sizes by it, but not scales.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            Rows, new ones or those of the fit; of a dask array one pass is made over the blocks.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
            At most 1; negative if the mean would have been better; NaN for a single row, which
            has no variance.
        """
        check_is_fitted(self)
        A = wrapped(self._checked(X, reset=False))
        weights = check_weights(sample_weight, A.shape[0])
        return explained_share(A, self.selection_, weights)
