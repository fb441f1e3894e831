"""Genes from which the others can be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..foundation.parameters import INTEGERS, Choice, Count, Real, check_columns, check_count
from ..foundation.typing import Floats, Indices, Mask
from ..operands.adjusted import centered
from ..operands.containers import take_columns, take_rows
from ..operands.covariance import Covariance
from ..operands.entrance import wrapped
from ..operands.expression import (
    check_counts,
    counts_from_logs,
    counts_problem,
    expressed_in,
    largest_log,
    log_normalized,
)
from ..operands.interface import Columns, Operand
from ..operands.pearson import PearsonResiduals
from ..registry import METHODS
from .annotating import (
    annotate,
    batch_codes,
    check_adata,
    check_asked,
    check_first_fit,
    frame_of,
    matrix_of,
    ranks_of,
)

__all__ = ["select_genes"]

NORMALIZATIONS = Choice("auto", "pearson", "pearson-of-log", "log", "none")
LARGEST_LOG = 30.0
"""Logarithms of counts are not larger."""
PER_GENE, LEAST_POOL = 3, 300
"""By default the candidates are so many of the genes that vary most for each one to choose, and
not fewer than that."""
UNIQUE = "give numbers, or call adata.var_names_make_unique() before"
"""What to do where several genes have one name."""
IN_MEMORY = 2**30
"""Up to how many bytes of residuals are held, rather than made again for each choice."""


def select_genes(
    adata: Any,
    n: int,
    layer: str | None = None,
    batch_key: str | None = None,
    key_added: str = "colonnade",
    *,
    normalization: str = "auto",
    method: str = "approx-svd",
    rank: int = 20,
    pool: int | None = None,
    theta: float = 100.0,
    clip: float | None = 20.0,
    min_cells: int = 3,
    must_include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    random_state: Any = 0,
    inplace: bool = True,
    **params: Any,
) -> Any:
    r"""Choose genes from which the others can be told, and write them to ``adata.var``.

    **Objective.** The genes whose span best reconstructs the leading directions of all candidates
    (``U_k Σ_k`` of a singular value decomposition): a gene that follows others that are chosen
    adds nothing, however much it varies, and one that follows noise alone is not asked for.

    **Algorithm.** Counts become Pearson residuals [1]_, clipped and less their means, within each
    batch if ``batch_key`` is given. The ``pool`` genes of largest residual variance are the
    candidates, among which the method chooses. Residuals of sparse counts are dense; more than
    a GiB of them is never held, but made a few genes at a time. ``adata.X`` is not changed.

    **Cost.** One sweep over all residuals, and that of the method on ``pool`` genes.

    **When to use it.** For panels, for classifying and clustering cells by few genes; see
    ``docs/cells.md`` for figures. To reconstruct the logarithms of all genes, housekeeping genes
    included, take ``method="greedy", normalization="log"``.

    Parameters
    ----------
    adata : AnnData
        Cells by genes, in memory.
    n : int
        How many genes.
    layer : str, optional
        Which layer to take; ``adata.X`` by default.
    batch_key : str, optional
        A column of ``adata.obs`` with the batch of each cell. Expectations and means are then
        those of the batch, so that what tells batches apart counts for nothing, and what varies
        within them counts in all of them.
    key_added : str, default="colonnade"
        Under which name results are written.
    normalization : {"auto", "pearson", "pearson-of-log", "log", "none"}, default="auto"
        "pearson": Pearson residuals of counts. "pearson-of-log": the same of the counts that
        logarithms (``scanpy.pp.log1p``) are turned back to. "log": logarithms of counts
        per median depth, as by ``scanpy.pp.normalize_total`` and ``log1p``. "none": as the
        entries are. "auto" is the first for whole numbers from 0 on, the second for other
        numbers from 0 to 30, and else "none". Means are always subtracted.
    method : str, default="approx-svd"
        Any key of :data:`colonnade.METHODS` that needs no labels.
    rank : int, default=20
        How many directions are to be reconstructed, for methods that have a rank.
    pool : int, optional
        How many genes are candidates; by default 3 n, and at least 300.
    theta : float, default=100.0
        θ, the overdispersion of the negative binomial distribution of counts.
    clip : float or None, default=20.0
        The largest residual; None for the root of the number of cells, as in scanpy. A smaller
        one gives less weight to genes of rare cells.
    min_cells : int, default=3
        Genes that are found in fewer cells are no candidates.
    must_include, exclude : sequence of str, optional
        Names of genes, or their numbers, to choose first, and never.
    random_state : int, RandomState or None, default=0
        Seed, for methods that are random; the default is so for very many candidates only.
    inplace : bool, default=True
        Whether to write to ``adata`` or to return a frame.
    **params
        More parameters of the method, such as ``refine``.

    Returns
    -------
    None or DataFrame
        The two columns of ``var``, if not in place. In place these are written:

        ``adata.var[key_added]``
            Whether a gene is chosen.
        ``adata.var[key_added + "_rank"]``
            The order of choice from 0; NaN for others.
        ``adata.uns[key_added]``
            ``names`` in the order of choice, ``errors``: the share of the squares of all
            candidates that is left after each choice, and ``params``, in which ``pool`` is how
            many candidates there were.

    References
    ----------
    .. [1] Lause, Berens & Kobak, "Analytic Pearson residuals for normalization of single-cell
       RNA-seq UMI data", Genome Biology, 2021.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from colonnade.anndata import select_genes
    >>> rng = np.random.default_rng(0)
    >>> kinds = np.repeat([0, 1, 2], 40)
    >>> rates = rng.gamma(0.5, 4.0, (3, 50))
    >>> adata = anndata.AnnData(rng.poisson(rates[kinds]).astype(float))
    >>> select_genes(adata, 3)
    >>> int(adata.var["colonnade"].sum())
    3
    >>> few = adata[:, adata.var["colonnade"]]
    >>> few.shape
    (120, 3)
    """
    check_adata(adata)
    check_asked(key_added, params, "genes")
    X, where = matrix_of(adata, layer)
    NORMALIZATIONS.check("normalization", normalization)
    Count(1).check("min_cells", min_cells)
    for name, value in (("theta", theta), ("clip", clip)):
        if value != np.inf and not (name == "clip" and value is None):
            Real(0.0, above=True, example=10.0).check(name, value)
    Count(1).check("rank", rank)
    if pool is None:
        pool = max(LEAST_POOL, PER_GENE * n) if isinstance(n, INTEGERS) else LEAST_POOL
    Count(1).check("pool", pool)
    if method not in METHODS or METHODS[method].supervised:
        known = [name for name, entry in METHODS.items() if not entry.supervised]
        raise ValueError(f"method={method!r} does not choose genes; choose {', '.join(known)}")
    batches = batch_codes(adata, batch_key)
    names = [str(name) for name in adata.var_names]
    first, never = (
        check_columns(name, given, len(names), names, what="gene", cure=UNIQUE)
        for name, given in (("must_include", must_include), ("exclude", exclude))
    )
    check_first_fit(first, n, "genes")
    if normalization == "auto":
        normalization = _kind(X)
    if normalization == "pearson-of-log":
        X = _from_logs(adata, X, where)
    matrix = _Spread(_normalized(X, where, normalization, batches, theta, clip), batches)
    open_to = (expressed_in(X) >= min_cells) & (matrix.spread > 0)
    open_to[never] = False
    _check_varying(matrix.spread, where, batch_key)
    _check_first(first, never, matrix.spread, names)
    open_to[first] = True
    n = _check_size(n, first, int(open_to.sum()), len(names), min_cells)
    among = _pool(matrix.spread, open_to, first, max(n, pool))
    A, entry, how = matrix.operand(among, method), METHODS[method], dict(params)
    if "rank" in entry.parameters:
        how["rank"] = min(rank, *A.shape)
    if "random_state" in entry.parameters:
        how["random_state"] = random_state
    if len(first):
        how["must_include"] = np.searchsorted(among, first)
    selection = entry(A, n, **how)
    chosen = among[selection.indices]
    frame = frame_of(adata.var_names, key_added, ranks_of(chosen, len(names)), {})
    if not inplace:
        return frame
    asked = {
        "n": n, "layer": layer, "batch_key": batch_key, "normalization": normalization,
        "pool": len(among), "method": method, "rank": rank, "min_cells": min_cells,
        "must_include": [names[j] for j in first], "exclude": [names[j] for j in never],
        "random_state": random_state, **params,
    }  # fmt: skip
    if normalization.startswith("pearson"):
        asked |= {"theta": theta, "clip": clip}
    annotate(adata, "var", key_added, frame, selection, [names[j] for j in chosen], asked)
    return None


def _kind(X: Any) -> str:
    """Return how entries are normalized: counts, their logarithms, or others."""
    if not counts_problem(X):
        return "pearson"
    return "pearson-of-log" if largest_log(X) <= LARGEST_LOG else "none"


def _from_logs(adata: Any, X: Any, where: str) -> Any:
    """Return counts from logarithms; scanpy notes the base of these."""
    largest = largest_log(X)
    if largest > LARGEST_LOG:
        found = "negative entries" if np.isinf(largest) else f"entries as large as {largest:g}"
        raise ValueError(
            f'normalization="pearson-of-log" needs log(1 + x) of counts, and there are {found} in '
            f'{where}; choose the layer that has them, or normalization="none"'
        )
    noted = adata.uns.get("log1p", {})
    return counts_from_logs(X, noted.get("base") if isinstance(noted, dict) else None)


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
    if normalization == "pearson-of-log":
        return PearsonResiduals(X, theta=theta, clip=clip, batches=batches)
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
        self.rows: list[Indices] = []
        if batches is not None and not self.residuals:
            self.rows = [np.flatnonzero(batches == b) for b in range(batches.max() + 1)]
            self.parts = [take_rows(matrix, rows) for rows in self.rows]
        if self.residuals:
            self.spread: Floats = matrix.sq_norms()
        else:
            squares = [centered(wrapped(part)).sq_norms() for part in self.parts]
            self.spread = np.sum(squares, axis=0)

    def operand(self, among: Indices, method: str) -> Operand:
        """Return some genes as candidates, in a form that the method takes."""
        if self.residuals:
            few = self.matrix.subset(among)
            return few.in_memory() if few.pass_bytes <= IN_MEMORY else few
        parts = [centered(wrapped(take_columns(part, among))) for part in self.parts]
        if len(parts) == 1:
            return parts[0]
        if not METHODS[method].kernels:
            return self._stacked(parts, method)
        # what is common to the batches: the sum of their products, each about its own means
        return Covariance(sum(part.gram() for part in parts), check=False)

    def _stacked(self, parts: list[Columns], method: str) -> Operand:
        """Return the batches, each less its means, as one matrix, where there is room for it."""
        shape = len(np.concatenate(self.rows)), parts[0].shape[1]
        if 8 * shape[0] * shape[1] > IN_MEMORY:
            known = ", ".join(
                name for name, entry in METHODS.items() if entry.kernels and not entry.supervised
            )
            raise ValueError(
                f"method={method!r} needs the entries of all batches less their means, which are "
                f"{shape[0]} x {shape[1]} and too many to hold; choose a smaller pool, "
                f'normalization="pearson", or one of the methods {known}'
            )
        out = np.empty(shape)
        for rows, part in zip(self.rows, parts, strict=True):
            out[rows] = part.columns(slice(None))
        return wrapped(out)


def _check_varying(spread: Floats, where: str, batch_key: str | None) -> None:
    """Raise ValueError if there is nothing to tell genes by."""
    if (spread > 0).any():
        return
    if batch_key is None:
        raise ValueError(f"no gene of {where} varies; choose the layer that has the counts")
    raise ValueError(
        f"no gene of {where} varies within a batch of batch_key={batch_key!r}; choose a column of "
        "adata.obs with fewer batches, of more than one cell"
    )


def _check_size(n: Any, first: Indices, left: int, count: int, min_cells: int) -> int:
    """Return how many to choose; raise if there are not so many candidates."""
    why = f"{left} of {count} genes vary, are found in min_cells={min_cells} cells and are not"
    why += " excluded"
    if left == 0:
        raise ValueError(f"{why}; choose a smaller min_cells, or exclude fewer")
    said = f" but only {why}" if left < count else f" but adata has {left} genes"
    return check_count("n", n, max(1, len(first)), left, said)


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
