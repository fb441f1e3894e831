"""How many dimensions a projection needs."""

from __future__ import annotations

from math import ceil, log
from typing import Any

from sklearn.exceptions import DataDimensionalityWarning
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from ..foundation.alerts import warn_caller
from ..foundation.parameters import REALS, check_count

__all__ = ["RULES", "check_eps", "dimension", "resolve_dimension", "resolve_rank"]

RULES = ("makarychev", "boutsidis")
CONSTANT = 8.0


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
    k = check_count("n_clusters", n_clusters, 1, None)
    eps = check_eps(eps)
    if rule not in RULES:
        raise ValueError(f"rule={rule!r}; choose one of {', '.join(map(repr, RULES))}")
    size = k if rule == "boutsidis" else log(k / eps)
    return max(1, ceil(CONSTANT * size / eps**2))


def check_eps(eps: Any) -> float:
    """Return the relative error; raise TypeError or ValueError if it is none."""
    if isinstance(eps, bool) or not isinstance(eps, REALS):
        raise TypeError(f"eps must be a number between 0 and 1, got {eps!r} ({type(eps).__name__})")
    if not 0 < eps < 1:
        raise ValueError(f"eps={eps}; choose a relative error above 0 and below 1, such as 0.5")
    return float(eps)


def resolve_dimension(
    n_components: Any, shape: tuple[int, int], *, n_clusters: Any, eps: Any, rule: Any
) -> int:
    """Return the number of dimensions that was asked for, never more than the features.

    For k clusters that of the rule, without clusters that of the Johnson–Lindenstrauss lemma for
    the distances of all samples. If it is more than the features, nothing is reduced, and a
    warning says so.
    """
    n_samples, n_features = shape
    # also where a number is given, so that a wrong eps or rule does not pass unseen
    wanted = dimension(1 if n_clusters is None else n_clusters, eps, rule=rule)
    if _is_auto(n_components):
        what = f"{n_clusters} clusters"
        if n_clusters is None:
            wanted = max(1, int(johnson_lindenstrauss_min_dim(n_samples, eps=eps)))
            what = f"the distances of {n_samples} samples"
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


def resolve_rank(n_components: Any, shape: tuple[int, int], *, n_clusters: Any, eps: Any) -> int:
    """Return the number of singular vectors that was asked for, at most the smaller side.

    For k clusters k of them, or ``⌈k/ε⌉`` if a relative error is given; 2 is the default for k.
    """
    k = check_count("n_clusters", 2 if n_clusters is None else n_clusters, 1, None)
    wanted = k if eps is None else ceil(k / check_eps(eps))
    if _is_auto(n_components):
        return min(wanted, *shape)
    given = f" but the data has n_samples={shape[0]} and n_features={shape[1]}"
    return check_count("n_components", n_components, 1, min(shape), given)


def _is_auto(n_components: Any) -> bool:
    if isinstance(n_components, str) and n_components != "auto":
        raise ValueError(f'n_components={n_components!r}; choose a number, or "auto"')
    return isinstance(n_components, str)
