"""Chunks as a method sees them: condensed if they are tall, treated block by block if not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...foundation.typing import Floats
from ..interface import Columns
from ..preparing import Preparation
from .array import Chunked
from .planning import check_plan, plan_sums

__all__ = ["prepare_chunks"]


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
    check_plan(plan_sums(A.source, products=tall))
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
