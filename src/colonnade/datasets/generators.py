"""Made data sets with a known answer, and what all generators share."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from ..foundation.typing import Array
from .dataset import Dataset

__all__ = ["GENERATORS", "check_number", "generate", "generator", "summary"]

Rng: TypeAlias = np.random.RandomState  # its stream is the same in all versions of NumPy
Made: TypeAlias = tuple[Array, Array | None, dict[str, Any]]
GENERATORS: dict[str, Callable[..., Made]] = {}


def generator(make: Callable[..., Made]) -> Callable[..., Made]:
    """Enter a function under its name; sets are described by the first line of its docstring."""
    GENERATORS[make.__name__] = make
    return make


@generator
def low_rank(
    rng: Rng, n_samples: int = 100, n_features: int = 60, rank: int = 5, noise: float = 0.0
) -> Made:
    """Gaussian matrix of exact rank, plus noise.

    ``X = Q H + noise · G``: Q (n_samples × rank) has orthonormal columns, the entries of ``Q H``
    have mean 0 and variance 1, those of G are N(0, 1). Truth: ``rank``, ``basis`` (Q) and
    ``coefficients`` (H).
    """
    check_number("rank", rank, 1, min(n_samples, n_features), "n_samples and n_features")
    Q, R = np.linalg.qr(rng.standard_normal((n_samples, rank)))
    H = R @ rng.standard_normal((rank, n_features)) / math.sqrt(rank)
    X = Q @ H + noise * rng.standard_normal((n_samples, n_features))
    return X, None, {"rank": rank, "basis": Q, "coefficients": H}


@generator
def planted(
    rng: Rng, n_samples: int = 100, n_features: int = 60, n_select: int = 5, noise: float = 0.1
) -> Made:
    """Matrix whose best columns are known: all others are combinations of them, plus noise.

    Up to the order of columns ``X = [B, BC + E]`` with Gaussian B (n_select columns) and C, and
    noise with ``BᵀE = 0``, ``ECᵀ = 0``, ``‖E‖₂ = noise · σ_min(B[I, C])``. Then ``XXᵀ`` is the sum
    of ``B(I + CCᵀ)Bᵀ`` and ``EEᵀ``, which are orthogonal, so that for ``noise < 1`` B spans the
    leading singular vectors: the planted columns reach the error ``‖E‖²_F`` of the truncated SVD,
    the least there is. With noise all other columns leave that span, and no other choice is as
    good; without, the error is 0 and any n_select independent columns reach it. Noise needs room:
    n_select < n_samples and 2 · n_select < n_features. Truth: ``indices`` (sorted), ``error``
    (``‖E‖²_F``) and ``unique`` (no other choice is as good).
    """
    m, n, k = n_samples, n_features, n_select
    check_number("n_select", k, 1, min(m, n), "n_samples and n_features")
    check_number("noise", noise, 0.0, 0.99)
    if noise > 0 and not (k < m and 2 * k < n):
        raise ValueError(
            f"noise={noise} needs n_select < n_samples and 2 * n_select < n_features, but "
            f"n_select={k}, n_samples={m}, n_features={n}; choose a smaller n_select or noise=0"
        )
    B, C = rng.standard_normal((m, k)), rng.standard_normal((k, n - k)) / math.sqrt(k)
    E = rng.standard_normal((m, n - k)) * (noise > 0)
    if noise > 0:
        (Q, R), P = np.linalg.qr(B), np.linalg.qr(C.T)[0]
        E -= Q @ (Q.T @ E)
        E -= (E @ P) @ P.T
        least = np.linalg.svd(np.hstack([R, R @ C]), compute_uv=False)[-1]
        E *= noise * least / np.linalg.norm(E, 2)
    order = rng.permutation(n)
    X = np.empty((m, n))
    X[:, order] = np.hstack([B, B @ C + E])
    truth = {"error": float(np.sum(E**2)), "unique": bool(noise > 0 or k == n)}
    return X, None, {"indices": np.sort(order[:k]), **truth}


@generator
def graded(rng: Rng, n_samples: int = 100, n_features: int = 60, smallest: float = 1e-12) -> Made:
    """Matrix whose singular values fall evenly from 1 to nearly nothing.

    ``X = U diag(s) Vᵀ`` with random orthonormal U and V and ``s_i = smallest^(i/(p−1))``,
    i = 0 .. p−1, p the smaller of n_samples and n_features. Truth: ``singular_values`` (s).
    """
    check_number("smallest", smallest, 1e-300, 1.0)
    s = np.geomspace(1.0, smallest, min(n_samples, n_features))
    U, V = (np.linalg.qr(rng.standard_normal((d, len(s))))[0] for d in (n_samples, n_features))
    return (U * s) @ V.T, None, {"singular_values": s}


@generator
def duplicated(rng: Rng, n_samples: int = 100, n_distinct: int = 20, n_copies: int = 3) -> Made:
    """Gaussian columns, each repeated the same number of times, in shuffled order.

    Column j is ``D[:, g(j)]``: D (n_samples × n_distinct) has N(0, 1) entries and g takes each
    value n_copies times. Truth: ``groups``, n_distinct rows of n_copies indices of equal columns.
    """
    groups = np.sort(rng.permutation(n_distinct * n_copies).reshape(n_distinct, n_copies), axis=1)
    X = np.empty((n_samples, groups.size))
    X[:, groups] = rng.standard_normal((n_samples, n_distinct, 1))
    return X, None, {"groups": groups}


@generator
def clusters(
    rng: Rng, n_samples: int = 150, n_features: int = 60, n_clusters: int = 3,
    n_informative: int = 5, separation: float = 6.0,
) -> Made:  # fmt: skip
    """Gaussian blobs that only a few of the features tell apart.

    Row i is ``N(μ_{y_i}, I)`` in the informative features and N(0, I) in the others. The centres μ
    are Gaussian, scaled so that the closest two are ``separation`` apart (in standard deviations of
    a blob); the sizes of clusters differ by one at most. Truth: ``informative`` (sorted indices),
    ``labels`` (also y) and ``centers`` (n_clusters × n_informative).
    """
    check_number("n_clusters", n_clusters, 2, n_samples, "n_samples")
    check_number("n_informative", n_informative, 1, n_features, "n_features")
    centers = rng.standard_normal((n_clusters, n_informative))
    gaps = np.linalg.norm(centers[:, None] - centers, axis=2)[np.triu_indices(n_clusters, 1)]
    centers *= separation / gaps.min()
    informative = np.sort(rng.permutation(n_features)[:n_informative])
    labels = rng.permutation(np.arange(n_samples) % n_clusters)
    X = rng.standard_normal((n_samples, n_features))
    X[:, informative] += centers[labels]
    return X, labels, {"informative": informative, "labels": labels, "centers": centers}


@generator
def rlsc(rng: Rng, n_samples: int = 30, n_features: int = 1000, n_informative: int = 90) -> Made:
    """Two classes of few points with many features, the first of which tell more and more.

    ``y_i`` is −1 or 1 with equal chance. Feature j = 1 .. n_informative of point i is
    ``y_i · N(−j, 1)``, so that the last of these tells most; the other features are N(0, 1).
    Truth: ``informative`` (indices, the most telling first) and ``labels`` (also y).
    """
    check_number("n_informative", n_informative, 1, n_features, "n_features")
    y = rng.choice([-1, 1], size=n_samples)
    X = rng.standard_normal((n_samples, n_features))
    X[:, :n_informative] = y[:, None] * (X[:, :n_informative] - np.arange(1, n_informative + 1))
    return X, y, {"informative": np.arange(n_informative)[::-1], "labels": y}


def check_number(
    param: str, value: Any, low: float, high: float = math.inf, bound: str = ""
) -> None:
    """Check a parameter: an integer where low is one, else a finite number."""
    whole = isinstance(low, int)
    good = not isinstance(value, bool) and isinstance(value, Integral if whole else Real)
    if not (good and low <= value <= high and math.isfinite(value)):
        kind, limit = "an integer" if whole else "a finite number", f" (limited by {bound})"
        upper = "or more" if high == math.inf else f"to {high}{limit if bound else ''}"
        raise ValueError(f"{param}={value!r}, but it must be {kind}, {low} {upper}")


def generate(name: str, random_state: Any = 0, **params: Any) -> Dataset:
    """Check the parameters of a generator by their defaults, and run it."""
    make = GENERATORS[name]
    known = {key: p for key, p in inspect.signature(make).parameters.items() if key != "rng"}
    for param, value in params.items():
        if param not in known:
            takes = ", ".join([*known, "random_state"])
            raise TypeError(f"the data set {name!r} takes {takes}, not {param!r}")
        check_number(param, value, 1 if isinstance(known[param].default, int) else 0.0)
    if not isinstance(random_state, Rng | None):
        check_number("random_state", random_state, 0, 2**32 - 1)
        random_state = Rng(random_state)
    X, y, truth = make(random_state or Rng(), **params)
    return Dataset(X, name, summary(make), y, truth.pop("feature_names", None), truth=truth)


def summary(make: Callable[..., Made]) -> str:
    """Return what a generator makes, in a line."""
    return (make.__doc__ or make.__name__).splitlines()[0]  # python -OO strips docstrings
