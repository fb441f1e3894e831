"""Genes from which the others can be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..foundation.parameters import Choice, Count, Real, check_columns, check_count
from ..foundation.typing import Floats, Indices, Mask
from ..operands.adjusted import centered
from ..operands.containers import take_columns, take_rows
from ..operands.covariance import Covariance
from ..operands.entrance import wrapped
from ..operands.expression import check_counts, counts_problem, expressed_in, log_normalized
from ..operands.interface import Operand
from ..operands.pearson import PearsonResiduals
from ..registry import METHODS
from ..selection import Selection
from .annotating import annotate, batch_codes, check_adata, frame_of, matrix_of, ranks_of

__all__ = ["select_genes"]

NORMALIZATIONS = Choice("auto", "pearson", "log", "none")
IN_MEMORY = 2**29
"""Up to how many bytes of residuals are held, rather than made again for each choice."""


def select_genes(
    adata: Any,
    n: int,
    layer: str | None = None,
    batch_key: str | None = None,
    key_added: str = "colonnade",
    *,
    normalization: str = "auto",
    pool: int | None = 1000,
    method: str = "greedy",
    theta: float = 100.0,
    clip: float | None = 10.0,
    min_cells: int = 3,
    must_include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    inplace: bool = True,
    **params: Any,
) -> Any:
    """Choose genes from which the others can be told.

    PLACEHOLDER
    """
    check_adata(adata)
    X, where = matrix_of(adata, layer)
    NORMALIZATIONS.check("normalization", normalization)
    Count(1).check("min_cells", min_cells)
    for name, value in (("theta", theta), ("clip", clip)):
        if value is not None and value != np.inf:
            Real(0.0, above=True, example=10.0).check(name, value)
    if pool is not None:
        Count(1).check("pool", pool)
    if method not in METHODS or METHODS[method].supervised:
        known = [name for name, entry in METHODS.items() if not entry.supervised]
        raise ValueError(f"method={method!r} does not choose genes; choose {', '.join(known)}")
    batches = batch_codes(adata, batch_key)
    names = [str(name) for name in adata.var_names]
    first = check_columns("must_include", must_include, len(names), names)
    never = check_columns("exclude", exclude, len(names), names)
    if normalization == "auto":
        normalization = "none" if counts_problem(X) else "pearson"
    matrix = _Spread(_normalized(X, where, normalization, batches, theta, clip), batches)
    open_to = (expressed_in(X) >= min_cells) & (matrix.spread > 0)
    open_to[never] = False
    _check_first(first, never, matrix.spread, names)
    open_to[first] = True
    left = int(open_to.sum())
    if left < len(names):
        left_out = f" but only {left} of {len(names)} genes vary, are found in min_cells="
        left_out += f"{min_cells} cells and are not excluded"
    else:
        left_out = f" but adata has {left} genes"
    n = check_count("n", n, max(1, len(first)), left, left_out)
    among = _pool(matrix.spread, open_to, first, left if pool is None else max(n, pool))
    how = dict(params)
    if len(first):
        how["must_include"] = np.searchsorted(among, first)
    selection = METHODS[method](matrix.operand(among), n, **how)
    chosen = among[selection.indices]
    frame = frame_of(adata.var_names, key_added, ranks_of(chosen, len(names)), {})
    if not inplace:
        return frame
    asked = {
        "n": n, "layer": layer, "batch_key": batch_key, "normalization": normalization,
        "pool": pool, "method": method, "min_cells": min_cells, **params,
    }  # fmt: skip
    if normalization == "pearson":
        asked |= {"theta": theta, "clip": clip}
    annotate(adata, "var", key_added, frame, selection, [names[j] for j in chosen], asked)
    return None


def _normalized(
    X: Any,
    where: str,
    normalization: str,
    batches: Indices | None,
    theta: float,
    clip: float | None,
) -> Any:
    """Return residuals as an operand, or a matrix of logarithms, or the matrix itself."""
    if normalization == "none":
        return X
    cure = 'choose the layer that has them, or normalization="none" for what is normalized'
    check_counts(X, where, f'normalization="{normalization}"', cure)
    if normalization == "log":
        return log_normalized(X)
    return PearsonResiduals(X, theta=theta, clip=clip, batches=batches)


class _Spread:
    """A normalized matrix less the mean of each gene, in each batch, and its squares."""

    def __init__(self, matrix: Any, batches: Indices | None):
        self.matrix = matrix
        self.residuals = isinstance(matrix, PearsonResiduals)
        self.parts: list[Any] = [matrix]
        if batches is not None and not self.residuals:
            self.parts = [
                take_rows(matrix, np.flatnonzero(batches == b)) for b in range(batches.max() + 1)
            ]
        if self.residuals:
            self.spread: Floats = matrix.sq_norms()
        else:
            self.spread = sum(centered(wrapped(part)).sq_norms() for part in self.parts)

    def operand(self, among: Indices) -> Operand:
        """Return some genes as candidates."""
        if self.residuals:
            few = self.matrix.subset(among)
            return few.in_memory() if few.pass_bytes <= IN_MEMORY else few
        parts = [centered(wrapped(take_columns(part, among))) for part in self.parts]
        if len(parts) == 1:
            return parts[0]
        # what is common to the batches: the sum of their products, each about its own means
        return Covariance(sum(part.gram() for part in parts), check=False)


def _check_first(first: Indices, never: Indices, spread: Floats, names: list[str]) -> None:
    both = np.intersect1d(first, never)
    if len(both):
        raise ValueError(f"{names[both[0]]!r} is in must_include and in exclude")
    flat = first[spread[first] <= 0]
    if len(flat):
        raise ValueError(
            f"must_include holds {names[flat[0]]!r}, which does not vary and explains nothing; "
            "leave it out"
        )


def _pool(spread: Floats, open_to: Mask, first: Indices, size: int) -> Indices:
    """Return the genes that vary most, those that must be included among them, in their order."""
    order = np.argsort(-np.where(open_to, spread, -np.inf), kind="stable")
    most = order[: min(size, int(open_to.sum()))]
    return np.union1d(most, first)
