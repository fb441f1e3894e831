"""Cells that stand for the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.parameters import Choice, Count, check_count
from ..foundation.typing import Array
from ..operands.entrance import check_matrix
from ..operands.expression import check_counts, counts_problem, log_normalized
from ..projections import SVDProjection
from ..registry import METHODS
from ..selectors.door import select
from .annotating import annotate, check_adata, frame_of, matrix_of, ranks_of

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
    n_components: int = 50,
    method: str = "medoids",
    random_state: Any = 0,
    inplace: bool = True,
    **params: Any,
) -> Any:
    """Choose cells that stand for the others.

    PLACEHOLDER
    """
    check_adata(adata)
    n = check_count("n", n, 1, adata.n_obs, f" but adata has {adata.n_obs} cells")
    NORMALIZATIONS.check("normalization", normalization)
    Count(1).check("n_components", n_components)
    if method not in METHODS or METHODS[method].supervised:
        known = [name for name, entry in METHODS.items() if not entry.supervised]
        raise ValueError(f"method={method!r} does not choose cells; choose {', '.join(known)}")
    points = _points(adata, layer, use_rep, normalization, n_components, random_state)
    entry = METHODS[method]
    seed = {"random_state": random_state} if "random_state" in entry.parameters else {}
    selection = select(points, n, method=method, axis=0, **{**seed, **params})
    chosen = selection.indices
    more = {}
    if "stands_for" in selection.info:
        weights = np.zeros(adata.n_obs)
        weights[chosen] = selection.info["stands_for"]
        more["weight"] = weights
    frame = frame_of(adata.obs_names, key_added, ranks_of(chosen, adata.n_obs), more)
    if not inplace:
        return frame
    asked = {
        "n": n, "layer": layer, "use_rep": use_rep, "normalization": normalization,
        "n_components": n_components, "method": method, "random_state": random_state, **params,
    }  # fmt: skip
    names = [str(name) for name in adata.obs_names[chosen]]
    annotate(adata, "obs", key_added, frame, selection, names, asked)
    return None


def _points(
    adata: Any,
    layer: str | None,
    use_rep: str | None,
    normalization: str,
    n_components: int,
    random_state: Any,
) -> Array:
    """Return the cells as points in a few dimensions."""
    if use_rep is not None:
        if layer is not None:
            raise ValueError(f"use_rep={use_rep!r} and layer={layer!r}: give one of them")
        if use_rep not in adata.obsm:
            known = ", ".join(map(repr, adata.obsm.keys())) or "none"
            raise ValueError(
                f"use_rep={use_rep!r}: adata.obsm has no such entry; there are: {known}"
            )
        return np.asarray(check_matrix(adata.obsm[use_rep], f"adata.obsm[{use_rep!r}]"))
    X, where = matrix_of(adata, layer)
    if normalization == "auto":
        normalization = "none" if counts_problem(X) else "log"
    if normalization == "log":
        cure = 'choose the layer that has them, or normalization="none" for what is normalized'
        check_counts(X, where, 'normalization="log"', cure)
        X = log_normalized(X)
    if n_components >= min(X.shape):
        n_components = max(1, min(X.shape) - 1)
    projection = SVDProjection(n_components, random_state=random_state)
    return np.asarray(projection.fit_transform(X))
