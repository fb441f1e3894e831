"""Which points become landmarks of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from scipy.linalg.blas import dtrsm
from sklearn.cluster import KMeans
from sklearn.utils.extmath import row_norms

from ..foundation.lapack import dpocon, dpotrf, dpstrf, eigh, eigvalsh
from ..foundation.parameters import Count
from ..foundation.typing import Array, Indices
from ..linalg.partitions import quiet_kmeans
from ..operands.containers import distant_mean
from ..operands.interface import Operand
from ..operands.kernel import Kernel
from ..operands.loops import column_sq_norms
from ..registry import METHODS, check_kernel_method, check_method_params
from ..selection import Selection
from .centers import AVERAGED, EVEN, OF_LENGTHS, sample_centers

__all__ = [
    "Landmarks",
    "automatic",
    "check_factor",
    "check_landmark_params",
    "choose_landmarks",
    "features_from",
    "given_landmarks",
    "landmark_cholesky",
    "magnified_rounding",
    "partial_adaptive_sampling",
    "relative_gap",
    "trace_left",
    "uneven",
]

EPS = float(np.finfo(np.float64).eps)

SAFE = 1e-8
"""From this reciprocal condition number on, the kernel of the landmarks is factored as it is."""

OWN_WAYS = ("short-kmeans", "kmeans", "partial-adaptive-sampling")
"""Ways to find landmarks that are not methods for columns."""

CENTROIDS = ("short-kmeans", "kmeans")
"""Those whose landmarks are no points of the data, which they need."""

TAKEN = ("n_clusters", "kernel", "count", "rng")
"""Parameters of these that are known already."""


@dataclass(frozen=True)
class Landmarks:
    """Landmarks, by number or, if they are no points of the data, by themselves.

    Attributes
    ----------
    indices : ndarray of int or None
        Which points they are.
    points : ndarray or None
        The landmarks, where they are new points, or where the others are in chunks.
    selection : Selection or None
        What a method returned.
    """

    indices: Indices | None = None
    points: Array | None = None
    selection: Selection | None = None


def choose_landmarks(
    kernel: Kernel, count: int, how: Any, params: Mapping[str, Any] | None, rng: Any
) -> Landmarks:
    """Return ``count`` landmarks of a kernel, or the given ones.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the points.
    count : int
        How many; of no account if they are given.
    how : str or array-like of int
        ``"auto"``; the name of a method that takes kernels, ``"short-kmeans"``, ``"kmeans"``,
        ``"partial-adaptive-sampling"``; or the landmarks.
    params : dict or None
        Parameters of the method.
    rng : RandomState
        For random methods.

    Returns
    -------
    Landmarks
    """
    params = check_landmark_params(params, how)
    if not isinstance(how, str):
        return Landmarks(given_landmarks(how, kernel.shape[0], params))
    if how == "auto":
        if count == kernel.shape[0]:
            return Landmarks(np.arange(count))
        how = automatic(kernel)
        if how == "short-kmeans" and kernel.kernel in OF_LENGTHS and uneven(kernel.sq_norms()):
            how = "random-pivot"
    if how in CENTROIDS:
        return Landmarks(points=_centroids(kernel, count, how, params, rng))
    if how == "partial-adaptive-sampling":
        return Landmarks(partial_adaptive_sampling(kernel, count, rng, **params))
    check_kernel_method("landmarks", how, ("auto", *OWN_WAYS), also=", or pass indices of rows")
    if how == "uniform" and not params:  # the draw of scikit-learn; nothing else to compute
        return Landmarks(rng.permutation(kernel.shape[0])[:count])
    if "random_state" in METHODS[how].parameters:
        params.setdefault("random_state", rng)
    selection = METHODS[how](kernel, count, **params)
    return Landmarks(selection.indices, selection=selection)


def automatic(kernel: Kernel) -> str:
    """Return the way to landmarks that is worth its time for a kernel.

    Centres of few points where the kernel is one of inner products, as Euclidean distances are;
    otherwise points, by random pivots, which look at as many columns of the kernel as there are
    landmarks. How long the points are is not looked at.
    """
    named = isinstance(kernel.kernel, str) and kernel.kernel in AVERAGED
    return "short-kmeans" if named and kernel.of_points else "random-pivot"


def uneven(diagonal: Array) -> bool:
    """Return whether few points hold much of a kernel, by its diagonal."""
    parts = diagonal / (diagonal.max() or 1.0)  # squares of large values would overflow
    return bool(parts.sum() ** 2 < EVEN * len(parts) * np.square(parts).sum())


def partial_adaptive_sampling(kernel: Operand, count: int, rng: Any, n_rounds: int = 10) -> Indices:
    """Draw points in rounds, by the error on the columns drawn before (AdaptPart).

    Of the v columns C drawn so far, the Nyström approximation of rank v/2 reconstructs
    ``C V_k V_kᵀ``, where V_k are leading eigenvectors of their v × v kernel; a point is drawn
    with probability proportional to its squared row in the rest, ``C − C V_k V_kᵀ``. So only the
    columns that are drawn are ever computed: O(n l²) per round.

    References
    ----------
    .. [1] Kumar, Mohri & Talwalkar, "Sampling methods for the Nyström method", the adaptive
       partial algorithm; Farahat 2012, §4.5.1 and §4.6 (AdaptPart).
    """
    Count(1).check("n_rounds", n_rounds)
    rounds = min(n_rounds, count)
    first, *sizes = (len(part) for part in np.array_split(np.arange(count), rounds))
    chosen = rng.permutation(kernel.shape[0])[:first]
    C = kernel.gram_columns(chosen)
    for size in sizes:
        _, V = eigh(C[chosen])
        rest = C @ V[:, : len(chosen) - len(chosen) // 2]
        odds = column_sq_norms(rest.T)
        # the largest of log p + Gumbel noise are a draw without replacement
        keys = np.log(np.maximum(odds, 1e-300)) + rng.gumbel(size=len(odds))
        keys[chosen] = -np.inf
        new = np.argsort(-keys, kind="stable")[:size]
        chosen = np.append(chosen, new)
        C = np.hstack([C, kernel.gram_columns(new)])
    return chosen


def landmark_cholesky(K: Array, eps: float = EPS) -> tuple[Array, Indices]:
    """Return a Cholesky factor of the kernel of the landmarks, pivoted if these nearly depend.

    It is L (l × t) with ``L Lᵀ = K_SS``; the rows of t landmarks, the pivots, are triangular in it.
    All landmarks are pivots, in order, if they are far from dependent. Otherwise a little more
    than the rounding of ``K_SS`` is added to its diagonal, the largest pivots come first, and
    those that are hardly more than what was added are left out. With the added diagonal D the
    features are never too large: ``C (K_SS + D)⁻¹ Cᵀ`` lies below ``C K_SS⁻¹ Cᵀ``. Without it the
    rounding of small pivots would be magnified; to leave out all pivots that it spoils would lose
    much more.

    How much may be lost: read ``K − C (K_SS + D)⁻¹ Cᵀ`` as what is unknown of a Gaussian process
    that was observed at S with noise D = δI. Its values at the landmarks that were left out are
    known from the others up to a variance of 2δ each. If these are taken for observations,
    the error with the weights for noise M δ is at most ``(1 + h)`` times what is unknown with that
    noise, if ``(1 + 1/h) 4l ≤ (1 + h) M``. So ``K − K̃`` is at most 1.05 times what it is with
    80 l D in place of D, l being the number of landmarks.

    Parameters
    ----------
    K : ndarray of shape (l, l)
        The kernel of the landmarks.
    eps : float
        How exact its values are.

    Returns
    -------
    L : ndarray of shape (l, t)
    pivots : ndarray of int
    """
    # points of one length, so that short ones are as exact as long ones
    lengths = np.sqrt(np.maximum(K.diagonal(), 0.0))
    lengths[lengths == 0.0] = 1.0
    H = np.asfortranarray(K / lengths / lengths[:, None])
    L, failed = dpotrf(H, lower=1)
    if not failed and dpocon(L, np.abs(H).sum(axis=0).max(), uplo="L")[0] > SAFE:
        return lengths[:, None] * L, np.arange(len(K))
    # values that were rounded more than their type tells show in the smallest eigenvalue
    extra = 4 * len(K) * eps + 2 * max(-float(eigvalsh(H)[0]), 0.0)
    H.flat[:: len(K) + 1] += np.where(H.diagonal() > 0, extra, 0.0)
    packed, order, rank, _ = dpstrf(H, lower=1, tol=3 * extra)
    L = np.empty((len(K), rank))
    L[order - 1] = np.tril(packed)[:, :rank]
    return lengths[:, None] * L, np.asarray(order[:rank] - 1, dtype=np.intp)


def magnified_rounding(kernel: Any, params: Mapping[str, Any], points: Any) -> float:
    """Return how much larger than usual the rounding of the kernel's values is."""
    if kernel != "rbf":
        return 1.0
    # distances are found as differences of squared lengths
    gamma = params.get("gamma")
    origin = distant_mean(points)
    points = points.astype(np.float64) if origin is None else points - origin
    lengths = row_norms(points, squared=True)
    return 1.0 + float((1.0 / points.shape[1] if gamma is None else gamma) * lengths.max())


def features_from(C: Array, L: Array, pivots: Indices, basis: Array | None) -> Array:
    """Return the features of points from their kernel with the landmarks (rows of C).

    Where all landmarks count, in order, they are written over C.

    Parameters
    ----------
    C : ndarray of shape (n, l)
        The kernel of the points with the landmarks.
    L, pivots
        As of :func:`landmark_cholesky`.
    basis : ndarray of shape (l, k) or None
        Which combinations of the features are kept.
    """
    size = len(pivots)
    Y = C.T
    if size < len(L) or (pivots != np.arange(size)).any():
        L, Y = L[pivots], Y[pivots]
    Z = dtrsm(1.0, L, Y, lower=1, overwrite_b=1).T if size else Y.T
    if basis is not None:
        return np.asarray(Z @ basis[:size])
    return Z if size == C.shape[1] else np.pad(Z, ((0, 0), (0, C.shape[1] - size)))


def relative_gap(found: Array, expected: Array) -> float:
    """Return the largest difference, relative to the largest value."""
    size = float(np.abs(expected).max(initial=0.0))
    return float(np.abs(found - expected).max(initial=0.0)) / size if size else 0.0


def trace_left(kernel: Kernel, Z: Array) -> Array:
    """Return the share of the kernel's trace that features leave, as a path of one step."""
    total = float(kernel.sq_norms().sum())
    kept = float(np.einsum("ij,ij->", Z, Z, dtype=np.float64))
    return np.array([max(1.0 - kept / total, 0.0) if total > 0 else 0.0])


def check_factor(K: Array, L: Array, eps: float) -> None:
    """Raise ValueError if L Lᵀ is not the kernel of the landmarks: it is for every kernel."""
    left = relative_gap(L @ L.T, K)
    if left > 100 * np.sqrt(eps):
        raise ValueError(
            "the kernel is not positive semidefinite: the landmarks do not reconstruct their own "
            f"kernel, but leave {left:.3g} of it; use a positive semidefinite kernel, such as "
            "'rbf'"
        )


def check_landmark_params(params: Any, how: Any) -> dict[str, Any]:
    """Return the parameters of a way to landmarks; raise if it has no such."""
    own = {"kmeans": "n_clusters"}.get(how, "n_select") if isinstance(how, str) else ""
    params = check_method_params("landmarks_params", params, "n_components", own)
    if isinstance(how, str) and how == "auto" and params:
        raise ValueError(
            f'landmarks="auto" takes no parameters, got landmarks_params={params}; name the way '
            'whose parameters they are, such as landmarks="short-kmeans"'
        )
    if isinstance(how, str) and how in OWN_WAYS:
        function = FUNCTIONS[how]
        known = [name for name in signature(function).parameters if name not in TAKEN]
        for name in params:
            if name not in known:
                raise TypeError(
                    f"landmarks={how!r} has no parameter {name!r}; landmarks_params may have "
                    f"{', '.join(known)}"
                )
    return params


def given_landmarks(indices: Any, n: int, params: Mapping[str, Any]) -> Indices:
    """Return row numbers as an array; raise if they are none."""
    if params:
        raise ValueError("landmarks_params were passed with given landmarks; leave them out")
    array = np.asarray(indices)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"landmarks must be the name of a method or a list of row numbers, got {indices!r}"
        )
    wrong = array[(array < 0) | (array >= n)]
    if wrong.size:
        raise ValueError(f"landmarks holds {wrong[0]}; rows are numbered 0 to {n - 1}")
    if len(np.unique(array)) < len(array):
        raise ValueError(f"landmarks repeats a row: {array.tolist()}")
    return array.astype(np.intp)


def _centroids(kernel: Kernel, count: int, how: str, params: dict[str, Any], rng: Any) -> Any:
    if kernel.given:
        raise ValueError(
            f'landmarks="{how}" needs the points, but the kernel is precomputed; choose another '
            'way, such as "random-pivot"'
        )
    if how == "short-kmeans":
        return sample_centers(kernel, count, rng, **params)
    means = quiet_kmeans(kernel.data, count, **{"n_init": 1, "random_state": rng, **params})
    centers = np.asarray(means.cluster_centers_)
    return centers if kernel.origin is None else centers + kernel.origin


FUNCTIONS: dict[str, Any] = {
    "short-kmeans": sample_centers,
    "kmeans": KMeans,
    "partial-adaptive-sampling": partial_adaptive_sampling,
}
"""Whose parameters each of the own ways takes."""
