"""What is in a table, before anything is chosen from it: gaps, constants, scales, rank."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..foundation.alerts import DataWarning
from ..foundation.lapack import eigvalsh
from ..foundation.typing import Array, Floats, Mask
from ..linalg.svd import EXACT_SIDE, leading_right_singular_vectors
from ..operands.blocks import block_slices
from ..operands.duplicates import equal_columns
from ..operands.entrance import as_columns, as_operand, container_of, moderate
from ..operands.interface import Columns
from ..operands.naming import numeric_part
from ..operands.preparing import prepare, without_gaps
from ..operands.scaling import decide_scale
from ..operands.statistics import extremes, moments
from .describing import Description

__all__ = ["describe"]

LEADING = 100
"""How many directions of data with two long sides are looked at."""


def describe(
    X: Any,
    *,
    names: Sequence[str] | None = None,
    label: str | None = None,
    others: Mapping[str, str] | None = None,
) -> Description:
    """Say what is in a table, and what to do with it.

    Shape and types, gaps, columns that are constant or repeat another to the last bit, how far
    the scales of the columns are apart, how much of the squared size is in their means, and how
    many directions the data truly has.

    **Effective rank.** The participation ratio ``(Σλ)² / Σλ²`` of the eigenvalues λ of the
    correlation matrix: n for n uncorrelated columns, 1 if all follow one. From all eigenvalues if
    the data has a side of at most 2000. For larger data from the 100 leading ones, by a
    stochastic SVD, as if the rest were spread evenly over all other directions; it is an upper
    bound then.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (m, n)
        The data; NaN stands for a gap. Columns of a frame that are no numbers are listed, and
        take no further part.
    names : sequence of str, optional
        What the columns are called; by default as the frame says.
    label : str, optional
        What the column is called that was left out as the label, for the advice.
    others : dict of str to str, optional
        Columns that were left out before because they hold no numbers, with what they hold.

    Returns
    -------
    Description

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from colonnade import describe
    >>> found = describe(load_wine(as_frame=True).data)
    >>> found.n_rows, found.n_columns, round(found.effective_rank, 1)
    (178, 13, 5.1)
    >>> found.largest_scale[0], round(found.scale_ratio)
    ('proline', 2530)
    >>> found.command("wine.csv")
    'colonnade select wine.csv -n auto'
    """
    part, framed, found = numeric_part(X)
    left_out = {**found, **(others or {})}
    A = as_columns(as_operand(part, gaps=True), "a description")
    m, n = A.shape
    known = [str(name) for name in (framed if names is None else names) or []]
    known = known or [f"x{j}" for j in range(n)]
    if len(known) != n:
        raise ValueError(f"names holds {len(known)} names, but there are {n} columns of numbers")
    gaps, gappy_rows, whole = _gaps(A)
    empty = gaps == m
    used = np.flatnonzero(~empty)
    about: dict[str, Any] = {
        "n_rows": m,
        "n_columns": n + len(left_out),
        "container": container_of(part if not isinstance(X, Columns) else X),
        "density": _density(A),
        "types": _types(whole, empty, left_out),
        "others": left_out,
        "gaps": {known[j]: int(gaps[j]) for j in np.argsort(-gaps, kind="stable") if gaps[j]},
        "rows_with_gaps": gappy_rows,
        "label": label,
        "names": tuple(known),
    }
    if len(used) == 0:
        return Description(**about)
    filled = without_gaps(A if len(used) == n else A.subset(used), "mean", None)
    filled, unit = moderate(filled, zero=True)
    means, squares = moments(filled, np.ones(m))
    of_means = m * np.square(means)
    varying = squares > (16 * float(np.finfo(float).eps)) ** 2 * m * (squares + of_means)
    constant = {int(j) for j in used[~varying]}
    groups = [[j for j in group if j not in constant] for group in equal_columns(A)]
    about["constants"] = tuple(known[j] for j in sorted(constant))
    about["duplicates"] = tuple(
        tuple(known[j] for j in group if not empty[j]) for group in groups if len(group) > 1
    )
    size = float((squares + of_means).sum())
    about["share_of_means"] = float(of_means.sum()) / size if size > 0 else 0.0
    if varying.any():
        spreads = np.sqrt(squares / m) / unit
        about |= _scales(spreads, varying, [known[j] for j in used])
        decided = decide_scale(extremes(filled), squares, varying, [known[j] for j in used])
        about |= {"scale": decided.scale, "scale_reason": decided.reason}
        about["counts"] = bool(whole[used].all()) and bool((extremes(filled)[0] >= 0).all())
        rank, enough, bound = _effective_rank(filled)
        about |= {"effective_rank": rank, "components_90": enough, "rank_is_bound": bound}
    return Description(**about)


def _gaps(A: Columns) -> tuple[Array, int, Array]:
    """Return the gaps of each column, the rows with gaps, and which columns hold whole numbers."""
    m, n = A.shape
    gaps, rows_with = np.zeros(n, dtype=np.intp), np.zeros(m, dtype=bool)
    whole = np.ones(n, dtype=bool)
    for block in block_slices(n, m):
        rows, cols, values = A.entries(block)
        missing = np.isnan(values)
        gaps[block] = np.bincount(cols[missing], minlength=block.stop - block.start)
        rows_with[rows[missing]] = True
        broken = cols[~missing & (values != np.round(values))]
        whole[block.start + np.unique(broken)] = False
    return gaps, int(rows_with.sum()), whole


def _density(A: Columns) -> float | None:
    """Return the share of entries that are not zero; None for data that is not held sparse."""
    if A.decomposes_directly:
        return None
    blocks = block_slices(A.shape[1], A.shape[0])
    return sum(len(A.entries(block)[2]) for block in blocks) / (A.shape[0] * A.shape[1])


def _types(whole: Mask, empty: Mask, others: dict[str, str]) -> dict[str, int]:
    counts = {
        "whole numbers": int((whole & ~empty).sum()),
        "numbers": int((~whole).sum()),
        "nothing": int(empty.sum()),
    }
    for kind in others.values():
        name = "identifiers" if kind == "identifier" else kind
        counts[name] = counts.get(name, 0) + 1
    return {kind: count for kind, count in counts.items() if count}


def _scales(spreads: Floats, varying: Mask, names: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the largest and the smallest spread, and the share of the largest."""
    there = np.flatnonzero(varying)
    high, low = int(there[np.argmax(spreads[there])]), int(there[np.argmin(spreads[there])])
    relative = np.square(spreads[there] / spreads[high])  # what is left of constants is rounding
    return {
        "largest_scale": (names[high], float(spreads[high])),
        "smallest_scale": (names[low], float(spreads[low])),
        "share_of_largest": float(1.0 / relative.sum()),
        "effective_columns": float(relative.sum() ** 2 / np.square(relative).sum()),
        "n_varying": len(there),
    }


def _effective_rank(A: Columns) -> tuple[float, int | None, bool]:
    """Return the participation ratio, how many components hold 90 %, and whether it is a bound."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        Z = as_columns(prepare(A, center=True, scale="std").A)
    total = float(Z.sq_norms().sum())
    short = min(Z.shape)
    if short <= EXACT_SIDE:
        squares = np.maximum(eigvalsh(Z.gram() if Z.shape[1] <= Z.shape[0] else Z.outer()), 0.0)
        squares = squares[::-1]
        rest, beyond = 0.0, 1
    else:
        values, _ = leading_right_singular_vectors(Z, LEADING, check_random_state(0), n_power=2)
        squares = np.square(values)
        rest, beyond = max(total - float(squares.sum()), 0.0), short - len(squares)
    powers = float(np.square(squares / total).sum()) + (rest / total) ** 2 / beyond
    held = np.cumsum(squares) >= 0.9 * total
    return 1.0 / powers, int(np.argmax(held)) + 1 if held.any() else None, rest > 0
