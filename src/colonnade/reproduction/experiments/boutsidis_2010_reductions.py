"""The reductions that Boutsidis, Zouzias & Drineas (2010) compare, and their k-means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import FunctionTransformer

from ...cluster import ReducedKMeans
from ...foundation.typing import Floats
from ...projections import SignProjection, SVDProjection
from ...selectors.door import select

__all__ = ["ALL", "LLE_FULL", "LS_OURS", "RANDOM", "REDUCTIONS", "SCALED", "cluster", "warm_up"]

ALL, RANDOM = "HD", "RP"
SCALED, LLE_FULL, LS_OURS = "SVD, U_kΣ_k", "LLE, scikit-learn", "LS, laplacian-score"
NEIGHBOURS = 40
"""K of LLE, as in the document."""


def laplacian_scores(X: Floats, n_neighbors: int = 5) -> Floats:
    """Return the Laplacian score of each column, as the code that the document used has it.

    Each row is joined to those at the smallest angles and to itself, all with weight 1. That a
    row is its own neighbour adds one to its degree and leaves the Laplacian as it is; the
    library's ``laplacian-score`` does not count it.
    """
    W: Any = sp.csr_array(kneighbors_graph(X, n_neighbors, metric="cosine"))
    W = W.maximum(W.T) + sp.eye_array(len(X))
    degrees = W.sum(axis=1)
    F = X - degrees @ X / degrees.sum()
    return 1.0 - np.sum(F * (W @ F), axis=0) / (degrees @ np.square(F))


def embedding(X: Floats, t: int, regularization: float) -> Floats:
    """Return the local linear embedding in t dimensions."""
    neighbours = min(NEIGHBOURS, len(X) - 1)
    found: Floats = LocallyLinearEmbedding(
        n_neighbors=neighbours, n_components=t, reg=regularization, eigen_solver="dense"
    ).fit_transform(X)
    return found


def _embedding_then(X: Floats, t: int, seed: int) -> Floats:
    """Return t − 1 dimensions of the embedding, from weights that are not regularized.

    These give all the printed figures. The code that the document used takes the first of t + 1
    eigenvectors for the constant one and drops it; if they come in falling order it drops the last
    one that is wanted, and keeps the constant one, which k-means does not see.
    """
    return embedding(X, t - 1, 0.0)


def _laplacian_score(X: Floats, t: int, seed: int) -> Floats:
    kind: dict[str, Any] = {"affinity": "binary", "metric": "cosine", "n_neighbors": 5}
    chosen: Floats = select(X, t, method="laplacian-score", **kind).apply(X)
    return chosen


REDUCTIONS: Mapping[str, Callable[[Floats, int, int], Floats]] = {
    "SVD": lambda X, t, seed: SVDProjection(t, whiten=True).fit_transform(X),
    "LLE": _embedding_then,
    "LS": lambda X, t, seed: X[:, np.argsort(laplacian_scores(X), kind="stable")[:t]],
    ALL: lambda X, t, seed: X,
    RANDOM: lambda X, t, seed: SignProjection(t, random_state=seed).fit_transform(X),
    LLE_FULL: lambda X, t, seed: embedding(X, t, 1e-3),
    LS_OURS: _laplacian_score,
    SCALED: lambda X, t, seed: SVDProjection(t).fit_transform(X),
}
"""By how they are called in the table, where the last three are not."""


def cluster(Z: Floats, k: int, *, online: bool) -> Any:
    """Return clusters of rows that come class by class, from the first row of each class on."""
    starts = Z[:: len(Z) // k][:k]
    means = ReducedKMeans(k, FunctionTransformer(), init=starts, n_polish=0, online=online)
    return means.fit(Z).labels_


@lru_cache(maxsize=1)
def warm_up() -> None:
    """Compile what is compiled when it is first used, so that this is not timed.

    What that is depends on the sizes, which are those of the faces.
    """
    X = np.random.RandomState(0).standard_normal((400, 4096))
    for Z in (X, REDUCTIONS[RANDOM](X, 50, 0)):
        cluster(Z, 40, online=True)
        cluster(Z, 40, online=False)
