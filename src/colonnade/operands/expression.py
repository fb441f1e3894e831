"""Counts of molecules: whether these are counts, and their logarithms per depth."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Floats, Indices

__all__ = ["check_counts", "counts_problem", "expressed_in", "log_normalized"]


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
    for start in range(0, len(flat), 2**20):
        some = flat[start : start + 2**20]
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


def expressed_in(X: Any) -> Indices:
    """Return in how many rows each column is not zero."""
    if not sp.issparse(X):
        return np.count_nonzero(X, axis=0)
    X = X.tocsc()
    columns = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    return np.bincount(columns[X.data != 0], minlength=X.shape[1])


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
    ndarray or sparse CSR array
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
    out = sp.csr_array(X, copy=True).astype(kind)
    out.data *= np.repeat(factors, np.diff(out.indptr)).astype(kind)
    np.log1p(out.data, out=out.data)
    return out
