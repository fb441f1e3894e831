"""Orders of columns by their loadings on principal components (Jolliffe's B1 to B4).

Components without variance have no directions of their own: any basis of their span is as
good as another. Wherever a column is matched with them, it is by its share in the span, which
does not depend on a basis: the column of largest share is dropped, which takes one dimension
off the span, and so on. For the covariance matrix of the columns that are left this is what
repeated principal component analysis does too.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from ...foundation.lapack import qr, qr_delete, solve_triangular, svd
from ...foundation.threads import one_blas_thread
from ...foundation.typing import Array, Floats, Mask
from ...linalg.ties import TIE, rounded_to_largest

__all__ = [
    "check_droppable",
    "closeness",
    "drop_last",
    "drop_repeatedly",
    "leverage_order",
    "match_first",
]

LARGEST_REPEATED = 2000
"""Up to how many columns that may not depend on each other the analysis is repeated."""

LARGEST_ONCE = 8000
"""Up to how many all components are computed once: minutes, and less than 4 GiB."""

LARGEST_WORK = 5e11
"""Up to how many multiplications dependent columns are dropped with: minutes."""

SMALL = 64
"""Up to this many columns a full decomposition costs less than Lanczos steps."""


def check_droppable(variant: str, m: int, n: int, n_varying: int) -> None:
    """Refuse, before anything is computed, to drop columns one by one where that takes hours.

    What is known before is a bound of the rank: rows less one, and columns that vary.
    """
    bound = min(m - 1, n_varying)
    limit = LARGEST_REPEATED if variant == "B1" else LARGEST_ONCE
    once = " variant='B2' (one analysis) or" if bound <= LARGEST_ONCE and variant == "B1" else ""
    cure = f"use{once} variant='B4' or 'B3', which need only n_select components"
    if bound > limit:
        what = "one analysis for each column it drops" if variant == "B1" else "all components"
        raise ValueError(
            f"variant={variant!r} needs {what}, and is limited to {limit} columns that vary, or "
            f"{limit + 1} rows; here are {n_varying} that vary and {m} rows; {cure}"
        )
    rank = min(bound, n // 2)  # that which makes most work
    if (work := float(n - rank) * n * rank) > LARGEST_WORK:
        raise ValueError(
            f"variant={variant!r} drops dependent columns one by one, which for {n} columns and "
            f"{m} rows may take {work:.0e} multiplications, above {LARGEST_WORK:.0e}; use "
            "variant='B4' or 'B3', which need only n_select components"
        )


def closeness(values: Floats, V: Array) -> Floats:
    """Return the sum of the squared inner products of each column with all columns."""
    return np.asarray(np.square(V) @ np.square(np.square(values / values[0])))


def match_first(V: Array, count: int) -> list[int]:
    """Return, for each component in turn, the new column of largest absolute loading.

    After the last component it is the turn of the first again, until there are ``count``.
    """
    loadings = np.abs(V.T)
    order: list[int] = []
    while len(order) < count:
        for row in loadings:
            p = int(np.argmax(_near_max(row)))
            order.append(p)
            loadings[:, p] = -1.0
            if len(order) == count:
                break
    return order


def leverage_order(V: Array) -> list[int]:
    """Return the columns by falling sums of squared loadings."""
    scores = rounded_to_largest(np.square(V).sum(axis=1))
    return np.argsort(-scores, kind="stable").tolist()


def drop_last(V: Array) -> list[int]:
    """Match columns with components from the last to the first; return them backwards."""
    dropped = _drop_redundant(V)
    loadings = np.abs(V.T)
    loadings[:, dropped] = -1.0
    for row in loadings[::-1]:
        p = _last_max(row)
        dropped.append(p)
        loadings[:, p] = -1.0
    return dropped[::-1]


def drop_repeatedly(values: Floats, V: Array) -> list[int]:
    """Drop the column of largest loading on the last component, again and again.

    Returns the columns backwards: the one that was never dropped comes first.

    Notes
    -----
    Only the triangular factor of the columns that are left is kept: dropping one costs O(s²),
    and so does a step of the Lanczos process on its inverse, whose leading vector is the last
    component.
    """
    dropped = _drop_redundant(V)
    kept = np.setdiff1d(np.arange(len(V)), dropped)
    Q, R = qr(values[:, None] * V[kept].T)
    with one_blas_thread():  # for all steps at once: they are small
        while len(kept) > 1:
            i = _last_max(_last_loadings(R))
            dropped.append(int(kept[i]))
            kept = np.delete(kept, i)
            Q, R = qr_delete(Q, R, i, which="col", overwrite_qr=True, check_finite=False)
            Q, R = Q[: len(kept), : len(kept)], R[: len(kept)]
    return [int(kept[0]), *dropped[::-1]]


def _last_loadings(R: Array) -> Array:
    """Return the absolute loadings on the last component, from the triangular factor.

    If several components have the same last variance, any basis of their span is as good as
    another, and what counts is the part of a column in that span. Lanczos steps find one vector
    of the span, the same on every machine, since they always start from the same one.
    """
    s = len(R)
    if s <= SMALL:
        _, deviations, V = svd(R)
        last = deviations <= deviations[-1] * (1.0 + TIE)
        return np.sqrt(np.square(V[last]).sum(axis=0))

    def invert(x: Array) -> Array:
        x = solve_triangular(R, x, trans=1, check_finite=False)
        return np.asarray(solve_triangular(R, x, check_finite=False))

    start = np.random.RandomState(0).standard_normal(s)
    inverse = LinearOperator((s, s), matvec=invert, dtype=np.float64)
    return np.abs(eigsh(inverse, k=1, which="LA", v0=start)[1][:, 0])


def _drop_redundant(V: Array) -> list[int]:
    """Return columns to drop, in order, until none of the others depends on the rest.

    V holds the loadings (n × r) on the r components with variance. What a column has in the
    span of the others without variance is ``1 − h``, with h its leverage among the columns
    that are left.
    """
    n, r = V.shape
    inverse = np.eye(r)
    h = np.square(V).sum(axis=1)
    dropped: list[int] = []
    for _ in range(n - r):
        share = 1.0 - h
        share[dropped] = -np.inf
        p = _last_max(share)
        dropped.append(p)
        w = inverse @ V[p]
        rest = 1.0 - h[p]
        h += np.square(V @ w) / rest
        inverse += np.outer(w, w) / rest
    return dropped


def _last_max(scores: Array) -> int:
    """Return the highest index of the maximum: of equal columns the first one stays."""
    return len(scores) - 1 - int(np.argmax(_near_max(scores[::-1])))


def _near_max(scores: Array) -> Mask:
    """Return which scores are the largest, up to rounding of vectors of unit length."""
    top = float(scores.max())
    return np.asarray(scores >= top - max(TIE * abs(top), 1e-13))
