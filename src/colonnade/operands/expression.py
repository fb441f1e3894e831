"""Counts of molecules: whether these are counts, and their logarithms per depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Floats, Indices
from .containers import compressed

__all__ = [
    "check_counts",
    "counts_from_logs",
    "counts_problem",
    "expressed_in",
    "largest_log",
    "log_normalized",
]

NEARLY, MOST = 0.05, 0.9
"""Counts have been found again if so large a share of the entries is so near to whole numbers."""
PART = 2**20
"""How many entries are looked at together."""


def counts_problem(X: Any) -> str:
    """Return why entries are no counts; empty if they are whole numbers from 0 on.

    Examples
    --------
    >>> import numpy as np
    >>> counts_problem(np.array([[0, 3], [1, 0]]))
    ''
    >>> counts_problem(np.array([[0.0, 1.5]]))
    'there are fractions, such as 1.5'
    """
    values = X.data if sp.issparse(X) else X
    if values.size == 0 or values.dtype.kind in "ub":
        return ""
    if values.min() < 0:
        return f"there are negative entries, the lowest {values.min():g}"
    if values.dtype.kind == "i":
        return ""
    flat = values.ravel()
    for start in range(0, len(flat), PART):
        some = flat[start : start + PART]
        odd = some[some != np.rint(some)]
        if len(odd):
            return f"there are fractions, such as {odd[0]:g}"
    return ""


def check_counts(X: Any, where: str, what: str, cure: str) -> None:
    """Raise ValueError if entries are no counts.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The entries.
    where : str
        Where they come from.
    what : str
        What needs counts.
    cure : str
        What to do.
    """
    problem = counts_problem(X)
    if problem:
        raise ValueError(f"{what} needs counts, and {problem} in {where}; {cure}")


def _row_parts(X: Any) -> Iterator[tuple[slice, Indices]]:
    """Cut a CSR or CSC matrix in parts of its entries, each with the rows that they are in."""
    indptr, indices = X.indptr, X.indices
    majors = np.arange(len(indptr) - 1)
    for start in range(0, len(X.data), PART):
        part = slice(start, min(start + PART, len(X.data)))
        if X.format == "csc":
            yield part, indices[part]
        else:
            yield part, np.repeat(majors, np.diff(np.clip(indptr, part.start, part.stop)))


def expressed_in(X: Any) -> Indices:
    """Return in how many rows each column is not zero."""
    if not sp.issparse(X):
        return np.count_nonzero(X, axis=0)
    X = compressed(X)
    out = np.zeros(X.shape[1], dtype=np.intp)
    # what the rows of the transpose are
    for part, columns in _row_parts(X.T):
        out += np.bincount(columns[X.data[part] != 0], minlength=len(out))
    return out


def _with_entries(X: Any, data: Floats) -> Any:
    """Return a sparse matrix with other entries in the same places, which are not copied."""
    held = sp.csc_array if X.format == "csc" else sp.csr_array
    return held((data, X.indices, X.indptr), shape=X.shape)


def log_normalized(X: Any, target_sum: float | None = None) -> Any:
    """Return ``log(1 + x · t / s)`` with the sum s of the row: scanpy's normalize_total and log1p.

    Parameters
    ----------
    X : ndarray or sparse matrix
        From 0 on. Never written to; sparse data stays so.
    target_sum : float, optional
        t; the median of the sums of rows by default (of those that are not zero).

    Returns
    -------
    ndarray or sparse array
        In float64, float32 if X is.

    Examples
    --------
    >>> import numpy as np
    >>> np.expm1(log_normalized(np.array([[1.0, 1.0], [6.0, 2.0]]))).round(6)
    array([[2.5 , 2.5 ],
           [3.75, 1.25]])
    """
    kind = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    sums: Floats = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
    if target_sum is None:
        target_sum = float(np.median(sums[sums > 0])) if (sums > 0).any() else 1.0
    factors = target_sum / np.where(sums > 0, sums, 1.0)
    if not sp.issparse(X):
        return np.log1p(X * factors[:, None]).astype(kind, copy=False)
    X = compressed(X)
    data = np.empty(len(X.data), dtype=kind)
    for part, rows in _row_parts(X):
        data[part] = np.log1p(X.data[part] * factors[rows])
    return _with_entries(X, data)


def largest_log(X: Any) -> float:
    """Return the largest entry; infinity if there are negative ones, which no ``log(1 + x)`` is."""
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return 0.0
    return float(values.max()) if values.min() >= 0 else np.inf


def counts_from_logs(X: Any, base: float | None = None) -> Any:
    """Return ``exp(x) − 1``, in units of the smallest of the row where these are counts again.

    The smallest entry of a cell that is not zero is nearly always one molecule, so the factor
    that its counts were multiplied with need not be known. Where most of what comes of it are no
    whole numbers, the entries were no logarithms of normalized counts, and are not divided.

    Parameters
    ----------
    X : ndarray or sparse matrix
        From 0 on. Never written to; sparse data stays so.
    base : float, optional
        Of the logarithms; e by default.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0, 0.0], [3.0, 1.0, 4.0]])
    >>> counts_from_logs(log_normalized(X)).round(6)
    array([[1., 2., 0.],
           [3., 1., 4.]])
    """
    unit = 1.0 if base is None else float(np.log(base))
    if not sp.issparse(X):
        found = counts_from_logs(sp.csr_array(X), base)
        return found.toarray()
    X = compressed(X)
    data = np.expm1(X.data.astype(np.float64) * unit)
    least = np.full(X.shape[0], np.inf)
    for part, rows in _row_parts(X):
        np.minimum.at(least, rows, np.where(data[part] > 0, data[part], np.inf))
    near = 0
    for part, rows in _row_parts(X):
        whole = data[part] / least[rows]
        near += int(np.count_nonzero(np.abs(whole - np.rint(whole)) <= NEARLY))
    if near >= MOST * len(data):
        for part, rows in _row_parts(X):
            data[part] /= least[rows]
    return _with_entries(X, data)
