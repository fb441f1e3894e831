"""Sparse matrices from files: nothing reaches compiled code before it was checked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import scipy.sparse as sp

from ..foundation.typing import Array
from ..operands.containers import check_indices
from .limits import check_room
from .table import FileError, check_form

__all__ = ["by_columns", "from_parts", "is_sparse"]

_INDICES = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
"""Which arrays SciPy stores for each format in addition to the data."""


class Parts(Protocol):
    """Arrays by name."""

    keys: list[str]

    def __getitem__(self, key: str) -> Array: ...


def is_sparse(keys: Iterable[str]) -> bool:
    """Return whether these arrays are what scipy.sparse.save_npz writes."""
    return {"format", "shape", "data"} <= set(keys)


def from_parts(path: Path, parts: Parts) -> Any:
    """Return the matrix that scipy.sparse.save_npz wrote, by columns."""
    kind = parts["format"].tolist()
    kind = str(kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind)[:20]
    if kind not in _INDICES:
        raise FileError(
            f"{path}: unknown format {kind!r} of a sparse matrix; known are {', '.join(_INDICES)}"
        )
    shape = parts["shape"]
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        got = shape.ravel()[:3].tolist()
        raise FileError(f"{path}: 'shape' must be two whole numbers from 0 on, got {got}")
    m, n = shape.tolist()
    data = parts["data"]
    check_form(path, data.dtype, (m, n))
    indices = []
    for key in _INDICES[kind]:
        if key not in parts.keys:
            raise FileError(f"{path}: the array {key!r} of a {kind.upper()} matrix is missing")
        indices.append(parts[key])
        if indices[-1].dtype.kind not in "iu" or indices[-1].ndim != 1:
            raise FileError(
                f"{path}: {key!r} must be a list of whole numbers, got dtype "
                f"{indices[-1].dtype} and shape {indices[-1].shape}"
            )
    wrong = [o for o in indices[0].tolist() if not -m < o < n] if kind == "dia" else []
    if wrong:
        raise FileError(f"{path}: 'offsets' must lie in {1 - m} to {n - 1}, got {wrong[0]}")
    data = data.astype(data.dtype.newbyteorder("="), copy=False)
    given = (data, tuple(indices)) if kind == "coo" else (data, *indices)
    return by_columns(path, getattr(sp, f"{kind}_array")(given, shape=(m, n)))


def by_columns(path: Path, X: Any) -> Any:
    """Return a sparse matrix by columns, after a look at its size and its indices."""
    check_indices(X)
    needed = 8 * sum(X.shape) + 16 * X.data.size  # rows and columns take room without entries too
    check_room(path, needed, f"a sparse matrix of shape {X.shape}")
    return sp.csc_array(X)
