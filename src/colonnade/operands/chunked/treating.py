"""Chunks as a method sees them: condensed if they are tall, treated block by block if not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...foundation.typing import Floats
from ..interface import Columns
from ..preparing import Preparation
from ..sums import Sums
from .array import MOST_PRODUCTS, Chunked

__all__ = ["chunks_as_seen", "prepare_chunks", "sums_of_chunks"]


def prepare_chunks(
    A: Columns,
    *,
    center: bool,
    scale: Any,
    missing: str,
    weights: Floats | None,
    names: Sequence[str] | None,
    candidates: bool,
) -> Preparation:
    """Return data in chunks centred, scaled and weighted.

    If columns are the candidates and there are not too many, one pass finds means, extremes and
    all inner products, and these take the place of the data. Otherwise the data stays where it
    is, and a pass is needed only to learn means and units.

    Parameters
    ----------
    A : Chunked
        The data as it was given.
    center, scale, missing, weights, names, candidates
        As for :func:`colonnade.operands.preparing.prepare`.
    """
    assert isinstance(A, Chunked)
    if missing != "error":
        raise ValueError(
            f"missing={missing!r} looks at all rows at once, and data in chunks never is in memory "
            "together; set missing='error' and fill what is missing before, for example with "
            "dask.array.nan_to_num"
        )
    asked = center or scale is not None or weights is not None
    if A.treated or A.turned:
        if asked:
            raise TypeError("the operand is centred, scaled, weighted or turned already")
        return Preparation(A)
    tall = candidates and A.condenses
    if weights is not None:
        A.source.counted("sample_weight")
    if tall:
        sums = A.sums(weights, products=True)
        done = sums.treatment(center=center, scale=scale, names=names)
        condensed = A.condensed(sums, done, weights)
        return replace(done, A=condensed)
    if not center and scale is None:
        if weights is None:
            return Preparation(A)
        return Preparation(A.treated_by(Preparation(A), weights), weights=weights)
    sums = A.sums(weights, products=False)
    done = sums.treatment(center=center, scale=scale, names=names, candidates=candidates)
    return replace(done, A=A.treated_by(done, weights), weights=weights)


def chunks_as_seen(A: Columns, means: Floats, units: Floats, weights: Floats | None) -> Columns:
    """Return data in chunks with means and units that are known, condensed if it is tall.

    Parameters
    ----------
    A : Chunked
        The data as it was given.
    means, units : ndarray of shape (n,)
        What is subtracted from each column, and what it is divided by then.
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    """
    assert isinstance(A, Chunked)
    done = Preparation(A, means, units)
    if not A.condenses:
        return A.treated_by(done, weights)
    return A.condensed(A.sums(weights, products=True), done, weights)


def sums_of_chunks(A: Columns, weights: Floats | None, *, products: bool) -> Sums:
    """Return the sums over the rows of chunks, with inner products of all columns in one piece."""
    assert isinstance(A, Chunked)
    assert not A.treated
    n = A.shape[1]
    if products and not A.condenses:
        raise ValueError(
            f"inner products of {n} columns take more memory than there may be; choose among at "
            f"most {MOST_PRODUCTS}"
        )
    found = A.sums(weights, products=products)
    if not products:
        return found
    return replace(found, tiles=((slice(0, n), slice(0, n)),), parts=(found.products,))
