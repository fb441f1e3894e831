"""Where data enters: from what a user has to a checked operand."""

from __future__ import annotations

import contextlib
from typing import Any, overload

import numpy as np
import scipy.sparse as sp
from sklearn import get_config

from ..foundation.typing import Array
from .chunked.arriving import as_table, is_chunked
from .containers import canonical, compressed
from .dense import Dense
from .foreign import taken
from .interface import Columns, Gram, Operand
from .sparse import Sparse

__all__ = [
    "as_columns",
    "as_operand",
    "check_matrix",
    "check_scale",
    "container_of",
    "moderate",
    "wrapped",
]


def as_operand(X: Any, *, gaps: bool = False) -> Operand:
    """Return X as an :class:`Operand` whose columns are the candidates.

    To select rows, pass the transpose. Arrays, CSR and CSC matrices are not copied unless
    their type demands it: integers stay integers, booleans become float64, float16 becomes
    float32. Sparse matrices of up to a quarter of a million entries become float64.

    Parameters
    ----------
    X : Operand, array-like, or sparse matrix
        Two-dimensional, not empty, real and finite. Frames, AnnData and ``xarray.DataArray`` are
        taken as what they hold; arrays and frames of dask are read by blocks, when it is needed.
    gaps : bool, default=False
        Whether NaN may stand for what is missing.

    Returns
    -------
    Operand

    Examples
    --------
    >>> from colonnade import as_operand
    >>> as_operand([[1, 2, 3], [4, 5, 6]]).sq_norms()
    array([17., 29., 45.])
    """
    if isinstance(X, Operand):
        return X
    if is_chunked(X):
        return wrapped(as_table(X).array)
    return wrapped(check_matrix(X, gaps=gaps))


def as_columns(X: Any, what: str = "this", cure: str = "pass the data itself") -> Columns:
    """Return X as an operand whose columns exist; raise TypeError if it is a kernel.

    Parameters
    ----------
    X : Operand, array-like, or sparse matrix
        As for :func:`as_operand`.
    what : str
        What needs the columns, for the message.
    cure : str
        What to do instead.
    """
    A = as_operand(X)
    if not isinstance(A, Columns):
        raise TypeError(
            f"{what} needs the columns themselves, and a kernel has only their inner products; "
            f"{cure}"
        )
    return A


def wrapped(X: Any) -> Columns:
    """Return an operand of an array or sparse matrix of numbers that was checked already.

    The blocks of a dask array are checked when they are first read.
    """
    if is_chunked(X):
        from .chunked.array import Chunked
        from .chunked.source import Source

        return Chunked(Source(X))
    X = _with_floats(X)
    return Sparse(X) if sp.issparse(X) else Dense(X)


def _with_floats(X: Any) -> Any:
    """Return entries as operands hold them: integers stay, all others become floats."""
    if X.dtype.kind in "iu":
        return X
    return X.astype(np.float32 if X.dtype in (np.float16, np.float32) else np.float64, copy=False)


def check_matrix(X: Any, name: str = "X", *, gaps: bool = False) -> Any:
    """Return X as a float array or sparse matrix, and raise if it is none; NaN may be allowed."""
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill the masked entries first")
    X = taken(X, name)
    if sp.issparse(X):
        X = canonical(compressed(X)) if X.ndim == 2 else X
    else:
        frame, X = X, np.asarray(X)
        if X.dtype == object and hasattr(frame, "to_numpy"):
            # a data frame of several numeric types; text fails, and is reported below
            with contextlib.suppress(ValueError, TypeError):
                X = frame.to_numpy(dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, got {X.ndim} with shape {X.shape}; "
            "one column is X.reshape(-1, 1), one row is X.reshape(1, -1)"
        )
    if 0 in X.shape:
        raise ValueError(f"{name} is empty: shape {X.shape}; it needs at least 1 row and 1 column")
    if X.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} has dtype {X.dtype}; only real numbers can be used: encode text and "
            "categories first, split complex numbers into real and imaginary part"
        )
    X = _with_floats(X)
    if X.dtype.kind != "f" or get_config()["assume_finite"]:
        return X
    values: Array = X.data if not isinstance(X, np.ndarray) else X
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(values.sum())
    if suspicious and not (np.isfinite(values) | (gaps & np.isnan(values))).all():
        bad = "NaN" if np.isnan(values).any() and not gaps else "infinity"
        raise ValueError(
            f"{name} contains {bad}; impute or drop such entries first "
            "(for example with sklearn.impute.SimpleImputer)"
        )
    return X


def container_of(X: Any) -> str:
    """Return what X is kept in: "dense", "sparse", "kernel" or "chunks"."""
    if is_chunked(X) or (isinstance(X, Columns) and X.out_of_core):
        return "chunks"
    if isinstance(X, Operand) and not isinstance(X, Columns):
        return "kernel"
    return "sparse" if isinstance(X, Sparse) or sp.issparse(X) else "dense"


@overload
def moderate(A: Columns, *, zero: bool = False) -> tuple[Columns, float]: ...
@overload
def moderate(A: Gram, *, zero: bool = False) -> tuple[Gram, float]: ...
def moderate(A: Gram, *, zero: bool = False) -> tuple[Gram, float]:
    """Return an operand scaled to moderate size, so that its squares are in range, and the factor.

    Parameters
    ----------
    A : Operand
        The data; returned itself, with the factor 1, if its size is moderate.
    zero : bool
        Whether data that is zero everywhere may pass as it is; raise ValueError if not.

    Returns
    -------
    A : Operand
    unit : float
        The factor, a power of two.
    """
    if isinstance(A, Columns) and A.out_of_core:
        return A, 1.0  # entries that are too large are refused where they are read
    largest = A.max_abs()
    unit = 1.0 if zero and largest == 0 else check_scale(largest)
    return (A if unit == 1.0 else A.scaled(unit)), unit


def check_scale(largest: float) -> float:
    """Return a power of two that brings entries of this size near 1, or 1.0 if they are.

    The scores are of the fourth power of the data, so moderate sizes are needed to keep clear
    of overflow and underflow.
    """
    if largest == 0:
        raise ValueError("the data is zero everywhere: there is nothing to reconstruct")
    if not np.isfinite(largest):
        raise ValueError(
            f"the largest absolute entry is {largest}: the kernel has values that are not finite; "
            "check its parameters and scale the data"
        )
    if not 1e-140 < largest < 1e140:
        raise ValueError(
            f"the largest absolute entry is {largest:.3g}, whose square is out of range; "
            f"multiply the data by {10.0 ** min(300, -np.floor(np.log10(largest))):.0e} first"
        )
    if 2.0**-100 < largest < 2.0**100:
        return 1.0
    return float(2.0 ** -np.floor(np.log2(largest)))
