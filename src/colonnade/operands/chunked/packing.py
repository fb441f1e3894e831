"""Some columns of a part, on their way to where those of all parts are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...foundation.typing import Indices
from ..entrance import wrapped
from ..interface import Columns

__all__ = ["packed", "unpacked"]

SPARSE = 0.3
"""Columns with a smaller share of entries are sent as a sparse matrix."""


def packed(A: Columns, j: Indices) -> Any:
    """Return some columns of a part, sparse if most of their entries are zero."""
    columns = A.columns(j).astype(A.dtype, copy=False)
    few = np.count_nonzero(columns) < SPARSE * columns.size
    return sp.csc_array(columns) if few and not A.decomposes_directly else columns


def unpacked(parts: list[Any]) -> Columns:
    """Return an operand of the columns that all parts sent."""
    if any(sp.issparse(part) for part in parts):
        return wrapped(sp.hstack([sp.csc_array(part) for part in parts], format="csc"))
    return wrapped(np.asfortranarray(np.hstack(parts)))
