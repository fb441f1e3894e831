"""Cells that stand for the others."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..foundation.alerts import DataWarning, RankReachedWarning
from ..foundation.parameters import Choice, Count, check_columns, check_count
from ..operands.entrance import check_matrix
from ..operands.expression import check_counts, counts_problem, log_normalized
from ..projections import SVDProjection
from ..registry import METHODS
from ..selectors.door import select
from .annotating import (
    NAMED,
    annotate,
    batch_codes,
    check_adata,
    check_asked,
    check_first_fit,
    frame_of,
    matrix_of,
    ranks_of,
)

__all__ = ["sketch_cells"]

NORMALIZATIONS = Choice("auto", "log", "none")


def sketch_cells(
    adata: Any,
    n: int,
    layer: str | None = None,
    key_added: str = "colonnade",
    *,
    use_rep: str | None = None,
    normalization: str = "auto",
    n_components: int = 20,
    method: str = "medoids",
    random_state: Any = 0,
    inplace: bool = True,
    **params: Any,
) -> Any:
    """Choose cells that stand for the others, and write them to ``adata.obs``.

    **Objective.** That of the method; by default the least sum of squared distances of all cells
    to the nearest chosen one, in the space of the leading principal components.

    **Algorithm.** Counts are divided by the depth of the cell and become logarithms; these are
    centred and projected on ``n_components`` principal components (sparse counts stay sparse);
    the method chooses among the cells there. Any number of genes will do.

    **Cost.** Some ten products with the counts, and that of the method on short rows.

    **When to use it.** To look at, annotate or plot few cells: each stands for those around it,
    and rare types are found with few. To see everything there is, odd cells too, take
    ``method="coverage"``; figures are in ``docs/cells.md``.

    Parameters
    ----------
    adata : AnnData
        Cells by genes, in memory.
    n : int
        How many cells.
    layer : str, optional
        Which layer to take; ``adata.X`` by default.
    key_added : str, default="colonnade"
        Under which name results are written.
    use_rep : str, optional
        A key of ``adata.obsm``, such as "X_pca", whose coordinates, dense or sparse, take the
        place of principal components: neither a layer nor a normalization can be given then, and
        ``n_components`` is not looked at.
    normalization : {"auto", "log", "none"}, default="auto"
        "log": logarithms of counts per median depth, as by ``scanpy.pp.normalize_total`` and
        ``log1p``. "none": as the entries are. "auto" is "log" for whole numbers from 0 on.
    n_components : int, default=20
        How many principal components.
    method : str, default="medoids"
        Any key of :data:`colonnade.METHODS` that needs no labels.
    random_state : int, RandomState or None, default=0
        Seed of the decomposition and of the method.
    inplace : bool, default=True
        Whether to write to ``adata`` or to return a frame.
    **params
        More parameters of the method, such as ``stratify``, the type or batch of each cell or the
        column of ``adata.obs`` that has them, so that each has its share; ``must_include`` and
        ``exclude`` take names of cells, or numbers.

    Returns
    -------
    None or DataFrame
        The columns of ``obs``, if not in place. In place these are written:

        ``adata.obs[key_added]``
            Whether a cell is chosen.
        ``adata.obs[key_added + "_rank"]``
            The order of choice from 0; NaN for others.
        ``adata.obs[key_added + "_weight"]``
            For how many cells it stands, itself included; 0 for others, and for all of them by
            methods that do not know.
        ``adata.uns[key_added + "_cells"]``
            ``names`` in the order of choice, ``params``, and what the method was after
            (``objective``) beside the same of random cells (``objective_of_random``) or the
            share of the squares that is left after each choice (``errors``).

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from colonnade.anndata import sketch_cells
    >>> rng = np.random.default_rng(0)
    >>> kinds = np.repeat([0, 1, 2], [60, 50, 10])
    >>> rates = rng.gamma(0.5, 4.0, (3, 50))
    >>> adata = anndata.AnnData(rng.poisson(rates[kinds]).astype(float))
    >>> sketch_cells(adata, 3)
    >>> sorted(kinds[adata.obs["colonnade"]].tolist())
    [0, 1, 2]
    >>> int(adata.obs["colonnade_weight"].sum())
    120
    """
    check_adata(adata)
    check_asked(key_added, params, "cells")
    n = check_count("n", n, 1, adata.n_obs, f" but adata has {adata.n_obs} cells")
    NORMALIZATIONS.check("normalization", normalization)
    Count(1).check("n_components", n_components)
    if method not in METHODS or METHODS[method].supervised:
        known = [name for name, entry in METHODS.items() if not entry.supervised]
        raise ValueError(f"method={method!r} does not choose cells; choose {', '.join(known)}")
    how, named = _by_name(adata, n, params)
    points, normalization = _points(
        adata, layer, use_rep, normalization, n_components, random_state
    )
    entry = METHODS[method]
    seed = {"random_state": random_state} if "random_state" in entry.parameters else {}
    selection = select(points, n, method=method, axis=0, **{**seed, **how})
    chosen = selection.indices
    # always written, so that those of an earlier call do not stay
    weights = np.zeros(adata.n_obs)
    weights[chosen] = selection.info.get("stands_for", 0.0)
    ranks = ranks_of(chosen, adata.n_obs)
    frame = frame_of(adata.obs_names, key_added, ranks, {"weight": weights})
    if not inplace:
        return frame
    asked = {
        "n": n, "layer": layer, "use_rep": use_rep, "normalization": normalization,
        "n_components": n_components if use_rep is None else None, "method": method,
        "random_state": random_state, **params, **named,
    }  # fmt: skip
    names = [str(name) for name in adata.obs_names[chosen]]
    annotate(adata, "obs", key_added, frame, selection, names, asked)
    return None


def _by_name(adata: Any, n: int, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parameters in which names have become numbers, and which cells are named."""
    how, named = dict(params), {}
    if isinstance(params.get("stratify"), str):
        how["stratify"] = batch_codes(adata, params["stratify"], "stratify", "value")
    names = [str(name) for name in adata.obs_names]
    cure = "give numbers, or call adata.obs_names_make_unique() before"
    for name in NAMED:
        if params.get(name) is not None:
            found = check_columns(name, params[name], len(names), names, what="cell", cure=cure)
            how[name], named[name] = found, [names[i] for i in found]
    check_first_fit(how.get("must_include", ()), n, "cells")
    return how, named


def _points(
    adata: Any,
    layer: str | None,
    use_rep: str | None,
    normalization: str,
    n_components: int,
    random_state: Any,
) -> tuple[Any, str]:
    """Return the cells as points in a few dimensions, and how they were normalized."""
    if use_rep is not None:
        if layer is not None:
            raise ValueError(f"use_rep={use_rep!r} and layer={layer!r}: give one of them")
        if use_rep not in adata.obsm:
            known = ", ".join(map(repr, adata.obsm.keys())) or "none"
            raise ValueError(
                f"use_rep={use_rep!r}: adata.obsm has no such entry; there are: {known}"
            )
        if normalization == "log":
            raise ValueError(
                f"use_rep={use_rep!r} and normalization='log': coordinates are taken as they are; "
                "leave one of them out"
            )
        return check_matrix(adata.obsm[use_rep], f"adata.obsm[{use_rep!r}]"), "none"
    X, where = matrix_of(adata, layer)
    if normalization == "auto":
        normalization = "none" if counts_problem(X) else "log"
    if normalization == "log":
        cure = 'choose the layer that has them, or normalization="none" for what is normalized'
        check_counts(X, where, 'normalization="log"', cure)
        X = log_normalized(X)
    projection = SVDProjection(min(n_components, *X.shape), center=True, random_state=random_state)
    with warnings.catch_warnings():
        # genes that nobody has are common, and fewer components than asked for are as good
        warnings.simplefilter("ignore", DataWarning)
        warnings.simplefilter("ignore", RankReachedWarning)
        return np.asarray(projection.fit_transform(X)), normalization
