"""What the documents do to their data before they use it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .. import datasets
from ..datasets.library import DatasetError, file_of
from ..foundation.typing import Array, Indices
from ..io import FileError, open_npz

__all__ = ["frequent_terms", "loaded", "tf_idf", "training_rows", "unit_rows"]

TRAINING = "train_idx"
"""What the rows of the training set are called in the file of a data set."""


@lru_cache(maxsize=2)
def loaded(name: str) -> tuple[Any, Any]:
    """Return X and y of a data set; a process that does several jobs reads it once."""
    data = datasets.load(name)
    return data.X, data.y


def training_rows(name: str) -> Indices:
    """Return the rows of the training set, which the file of a data set tells.

    Raises
    ------
    DatasetError
        If it does not, or cannot be read.
    """
    path = file_of(name)
    if path is None:
        raise DatasetError(f"the data set {name!r} has no file that tells its training set")
    try:
        with open_npz(path) as archive:
            if TRAINING in archive.keys:
                return np.asarray(archive[TRAINING], dtype=np.intp)
    except FileError as error:
        raise DatasetError(f"cannot read the training set of {name!r}: {error}") from error
    raise DatasetError(
        f"{path}: this does not tell which rows are the training set; add their numbers, from 0 "
        f"on, as {TRAINING!r}"
    )


def frequent_terms(X: Any, at_least: int = 5) -> Any:
    """Return the columns of a matrix of counts that are not zero in as many rows at least.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.preparation import frequent_terms
    >>> frequent_terms(np.array([[1, 0, 2], [3, 4, 0], [5, 0, 0]]), 2).shape
    (3, 1)
    """
    return X[:, np.flatnonzero(_document_frequencies(X) >= at_least)]


def tf_idf(X: Any) -> Any:
    """Return counts of terms, weighted by how rare the term is: ``tf · ln(n / df)``.

    The formula that gives the printed results of Farahat (2012); others add one to the logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.preparation import tf_idf
    >>> tf_idf(np.array([[2.0, 1.0], [3.0, 0.0]])).round(3)
    array([[0.   , 0.693],
           [0.   , 0.   ]])
    """
    frequencies = _document_frequencies(X)
    weights = np.log(X.shape[0] / np.maximum(frequencies, 1))
    return _scaled_columns(X.astype(np.float64), weights)


def unit_rows(X: Any) -> Any:
    """Return rows of length one; those of zeros stay.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade.reproduction.preparation import unit_rows
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    from sklearn.preprocessing import normalize

    return normalize(X.astype(np.float64))


def _document_frequencies(X: Any) -> Array:
    return np.asarray((X != 0).sum(axis=0)).ravel()


def _scaled_columns(X: Any, factors: Array) -> Any:
    if isinstance(X, np.ndarray):
        return X * factors
    from sklearn.utils.sparsefuncs import inplace_column_scale

    inplace_column_scale(X, factors)  # a copy of its own by now
    return X
