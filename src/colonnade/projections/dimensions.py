"""How many dimensions a projection needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import Any

import numpy as np
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from ..foundation.alerts import warn_caller
from ..foundation.parameters import REALS, Choice, Count, check_count

__all__ = [
    "CLUSTERS",
    "EPS",
    "RULE",
    "Share",
    "dimension",
    "is_auto",
    "resolve_dimension",
    "resolve_rank",
]

CONSTANT = 8.0


@dataclass(frozen=True)
class Share:
    """A number above 0 and below 1.

    Attributes
    ----------
    one : bool
        Whether it may be 1.
    auto : bool
        Whether "auto" may stand for it.
    """

    one: bool = False
    auto: bool = False

    def check(self, name: str, value: Any) -> None:
        """Raise if the value is no such number."""
        if self.auto and is_auto(value):
            return
        words = f"a number above 0 and {'at most' if self.one else 'below'} 1"
        words += ', or "auto"' if self.auto else ", such as 0.5"
        if isinstance(value, bool | np.bool_) or not isinstance(value, REALS):
            raise TypeError(f"{name} must be {words}, got {value!r} ({type(value).__name__})")
        if not (0 < value < 1 or (self.one and value == 1)):
            raise ValueError(f"{name}={value}; choose {words}")


def is_auto(value: Any) -> bool:
    """Return whether a value is left to be found."""
    return isinstance(value, str) and value == "auto"


CLUSTERS, EPS, RULE = Count(1), Share(), Choice("makarychev", "boutsidis")
"""What the parameters of :func:`dimension` allow."""


def dimension(n_clusters: int, eps: float = 0.5, *, rule: str = "makarychev") -> int:
    """Return how many random dimensions keep the k-means objective of k clusters.

    ``"makarychev"`` gives ``⌈8 ln(k/ε) / ε²⌉``: the cost of *every* clustering into k parts is
    kept within a factor of 1 + ε [1]_. ``"boutsidis"`` gives ``⌈8 k / ε²⌉``: the best clustering
    of the projected points is at most 2 + ε times the best one [2]_.

    Neither document names the constant; both ask for one that is large enough. The 8 is that of
    the Johnson–Lindenstrauss lemma to leading order. With it Lemmas 2 to 5 of [2]_ hold in
    trials as often as stated. Their proofs, read as they are printed, ask for 800 (Markov's
    inequality before eq. 8), and Theorem 1 for ε/28 in place of ε: more dimensions than most
    data has, and more than is ever needed.

    Parameters
    ----------
    n_clusters : int
        k, the number of clusters.
    eps : float, default=0.5
        ε, the relative error, above 0 and below 1 ([2]_ is stated for less than 1/3).
    rule : {"makarychev", "boutsidis"}, default="makarychev"
        Which bound.

    Returns
    -------
    int

    References
    ----------
    .. [1] Makarychev, Makarychev & Razenshteyn, "Performance of Johnson–Lindenstrauss transform
       for k-means and k-medians clustering", STOC 2019 (main theorem).
    .. [2] Boutsidis, Zouzias & Drineas, "Random projections for k-means clustering", 2010,
       Algorithm 1 and Theorem 1.

    Examples
    --------
    >>> from colonnade.projections import dimension
    >>> dimension(10, 0.5), dimension(10, 0.5, rule="boutsidis")
    (96, 320)
    >>> dimension(1000, 0.5), dimension(1000, 0.5, rule="boutsidis")
    (244, 32000)
    """
    CLUSTERS.check("n_clusters", n_clusters)
    EPS.check("eps", eps)
    RULE.check("rule", rule)
    size = n_clusters if rule == "boutsidis" else log(n_clusters / eps)
    return max(1, ceil(CONSTANT * size / eps**2))


def resolve_dimension(
    n_components: Any, shape: tuple[int, int], *, n_clusters: int | None, eps: float, rule: str
) -> int:
    """Return the number of dimensions that was asked for, never more than the features.

    For k clusters that of the rule, without clusters that of the Johnson–Lindenstrauss lemma for
    the distances of all samples. If it is more than the features, nothing is reduced, and a
    warning says so.
    """
    n_samples, n_features = shape
    if _asks_auto(n_components):
        if n_clusters is None:
            if not n_samples > 0:  # of chunks that nobody has counted
                raise ValueError(
                    'n_components="auto" needs the number of rows, which is unknown; call '
                    "X.compute_chunk_sizes() first, or give n_components or n_clusters"
                )
            wanted = max(1, int(johnson_lindenstrauss_min_dim(n_samples, eps=eps)))
            what = f"the distances of {n_samples} samples"
        else:
            wanted, what = dimension(n_clusters, eps, rule=rule), f"{n_clusters} clusters"
        if wanted > n_features:
            warn_caller(
                f"{what} and eps={eps:g} ask for {wanted} dimensions, but there are only "
                f"{n_features} features: nothing is reduced; choose a larger eps, say how many "
                "dimensions, or take singular vectors",
                DataDimensionalityWarning,
            )
        return min(wanted, n_features)
    return check_count(
        "n_components", n_components, 1, n_features, f" but the data has n_features={n_features}"
    )


def resolve_rank(
    n_components: Any, shape: tuple[int, int], *, n_clusters: int | None, eps: float | None
) -> int:
    """Return the number of singular vectors that was asked for, at most the smaller side.

    For k clusters k of them, or ``⌈k/ε⌉`` if a relative error is given; 2 is the default for k.
    """
    k = 2 if n_clusters is None else n_clusters
    wanted = k if eps is None else ceil(k / eps)
    if _asks_auto(n_components):
        return min(wanted, *shape)
    given = f" but the data has n_samples={shape[0]} and n_features={shape[1]}"
    return check_count("n_components", n_components, 1, min(shape), given)


def _asks_auto(n_components: Any) -> bool:
    if isinstance(n_components, str) and not is_auto(n_components):
        raise ValueError(f'n_components={n_components!r}; choose a number, or "auto"')
    return is_auto(n_components)
