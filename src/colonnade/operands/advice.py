"""What is worth knowing about data that nobody centres or scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..foundation.alerts import DataWarning, warn_caller
from ..foundation.typing import Floats
from ..foundation.wording import listed
from .blocks import block_slices, float64
from .dense import Dense
from .interface import Columns, Operand
from .row_weights import near_one

__all__ = ["ADVISED", "advise"]

ADVISED: set[str] = set()
"""What was advised already: each advice is given once."""
AS_KEYWORDS = {"scale": 'scale="std"', "center": "center=True"}
NEARLY_ALL = 0.9
"""Means, or one column, that hold a larger share of the squared norm are worth a warning."""
ROWS, FEWEST, ENTRIES = 1000, 100, 2**18
"""How many rows can tell, of dense data: fewer of wide data, whose rows are long."""


def advise(
    A: Operand,
    weights: Floats | None = None,
    names: Sequence[str] | None = None,
    spelled: Mapping[str, str] = AS_KEYWORDS,
) -> None:
    """Warn, once, where the means of columns, or one column, decide what a method will see.

    Parameters
    ----------
    A : Operand
        The data.
    weights : ndarray of shape (m,), optional
        Weights of the rows.
    names : sequence of str, optional
        What the columns are called.
    spelled : dict
        How the user asks for ``"scale"`` and for ``"center"``.
    """
    if not isinstance(A, Columns) or A.shape[0] < 2 or A.shape[1] < 2:
        return
    if A.out_of_core:
        known = A.known_sums()
        if known is not None:
            weight, sums, squares = known
            _advise(sums, squares, weight, names, spelled)
        return
    w = np.ones(A.shape[0]) if weights is None else near_one(weights)[0]
    assert w is not None
    if isinstance(A, Dense):
        count = min(ROWS, max(FEWEST, ENTRIES // A.shape[1]))
        some = np.sort(np.random.RandomState(0).permutation(A.shape[0])[:count])
        w = w[some]
        sums, squares = np.empty(A.shape[1]), np.empty(A.shape[1])
        for part in block_slices(A.shape[1], count):
            rows = float64(A.array[:, part][some])  # a copy, as some rows are
            rows[np.isnan(rows)] = 0.0
            sums[part], squares[part] = w @ rows, w @ np.square(rows)
    else:
        sums, squares = np.nan_to_num(A.rmatmat(w)), np.nan_to_num(A.sq_norms())
    _advise(sums, squares, float(w.sum()), names, spelled)


def _advise(
    sums: Floats,
    squares: Floats,
    weight: float,
    names: Sequence[str] | None,
    spelled: Mapping[str, str],
) -> None:
    """Warn, given the sums and the sums of squares of the columns, and the weight of the rows."""
    total = float(squares.sum())
    if not 0 < total < np.inf:
        return
    largest = int(np.argmax(squares))
    if squares[largest] > NEARLY_ALL * total:
        what = f"column {listed([largest], names)} holds"
        share, cure = squares[largest] / total, "scale"
    elif (share := float(np.square(sums).sum()) / weight / total) > NEARLY_ALL:
        what, cure = "the means of the columns hold", "center"
    else:
        return
    if cure not in ADVISED:
        ADVISED.add(cure)
        does = "gives all columns the same say" if cure == "scale" else "subtracts them"
        warn_caller(
            f"{what} {100 * share:.1f} % of the squared size of the data; {spelled[cure]} {does}",
            DataWarning,
        )
