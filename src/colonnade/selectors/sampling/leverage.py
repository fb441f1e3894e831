"""Columns drawn by their leverage scores: features for k-means, without labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ...barriers.draws import draw, merge
from ...barriers.draws import leverage as leverage_scores
from ...foundation.parameters import check_count
from ...foundation.typing import Array, Floats, Indices, RandomState
from ...linalg.projecting import residual_sq_norms
from ...linalg.svd import leading_right_singular_vectors, right_singular_vectors
from ...operands.interface import Operand
from ...pivoting.loop import Progress
from ...pivoting.rules import Given
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run, settle

__all__ = ["LeverageSelector", "leverage"]

N_STARTS = 10
"""Starts of k-means for each draw that is compared."""


@method(
    "leverage-top",
    kind="sampling",
    title="the largest leverage scores, without lot",
    estimator="LeverageSelector",
    document="Jolliffe 1972 (B3), in Boutsidis, Mahoney & Drineas §3",
    cost="m·n·min(m,n), then m·n·l for the errors",
    guarantee="none: it may take many columns that are alike",
    inputs=("dense", "sparse", "kernel"),
    preset={"deterministic": True},
)
@method(
    "approximate-leverage",
    kind="sampling",
    title="by leverage scores from a randomized SVD, with replacement and rescaled",
    estimator="LeverageSelector",
    document="Boutsidis & Magdon-Ismail, Algorithm 3 and Lemma 6",
    cost="m·n·k, then m·n·l for the errors",
    guarantee="that of leverage, as far as the approximate singular vectors are right",
    inputs=("dense", "sparse", "kernel"),
    preset={"approximate": True},
    randomized=True,
    weighted=True,
)
@method(
    "leverage",
    kind="sampling",
    title="by leverage scores, with replacement and rescaled",
    estimator="LeverageSelector",
    document="Boutsidis, Mahoney & Drineas, Algorithm 1",
    cost="m·n·min(m,n), then m·n·l for the errors",
    guarantee="k-means on them within 1+(1+ε)γ of the optimum for l ≈ k·log(k/ε)/ε², half the time",
    inputs=("dense", "sparse", "kernel"),
    randomized=True,
    weighted=True,
)
def leverage(
    A: Any,
    n_select: int | float | None = None,
    *,
    rank: int | None = None,
    approximate: bool = False,
    deterministic: bool = False,
    n_repeats: int = 1,
    n_clusters: int | None = None,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Draw and rescale columns by their share in the leading singular directions.

    **Objective.** Weighted columns C = A Ω S such that the leading k right singular vectors V,
    picked and rescaled in the same way, stay well conditioned: a good k-means partition of the
    rows of C is then a good partition of the rows of A.

    **Algorithm.** Draw r columns independently with the probabilities ``p_i = ‖V_i‖²/k`` and
    multiply each by ``1/√(r p_i)``. A column that was drawn several times is kept once, with the
    weight ``√(count/(r p_i))``, which leaves ``C Cᵀ`` as it is. So there can be fewer columns
    than draws.

    With ``n_repeats``, draw several times, cluster each result by k-means and keep the draw
    whose partition has the smallest objective on the full data. With ``deterministic``, take the
    r columns of largest score instead, ties by the lowest index; such a choice is not unbiased
    under any weights, so it has none.

    **Cost.** An SVD, O(m n min(m, n)), or O(m n k) if ``approximate``; for each repeat a k-means
    on r columns and O(m n k) for its objective; one pass over the data per column for the error
    path.

    **Guarantee.** ``E‖BΩS‖² = ‖B‖²`` for every B that is zero where all of V is, and
    ``σ_k²(VᵀΩS) ≥ 1 − √(4 k ln(20k)/r)`` with probability 0.9 [2]_. With ``rank`` the number of
    clusters, a γ-approximate partition of C costs at most ``1 + (1+ε)γ`` times the optimum on A
    with probability 0.5, for r of the order of ``k log(k/ε)/ε²`` [1]_. None of this holds if
    ``deterministic``.

    **When to use it.** Before k-means on wide data. The experiments of [1]_ take r = 10 k and
    20 k and ``n_repeats=30``. If k is the number of columns all scores are equal, so keep
    ``rank`` well below that.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many draws r: a number, a fraction of the columns, or None for half of them.
    rank : int or None
        k, how many singular directions count. By default ``n_clusters``, or half of
        ``n_select`` without it. Directions that the data does not have are left out.
    approximate : bool, default=False
        Whether a randomized SVD will do (it is used if both sides of A are above 2000).
    deterministic : bool, default=False
        Whether to take the columns of largest score instead of drawing.
    n_repeats : int, default=1
        How many times to draw; the best draw is kept. More than one needs columns, not a kernel.
    n_clusters : int or None
        How many clusters there will be: sets k if ``rank`` does not, and judges the draws if
        ``n_repeats`` is above 1. By default k.
    random_state : int, RandomState or None
        Seed of the draws, of the approximate SVD and of k-means.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        With weights, unless ``deterministic``. ``info["rank"]`` is k, ``info["n_draws"]`` is r;
        with repeats ``info["objectives"]`` holds the k-means objective of every draw,
        ``info["kept"]`` the number of the draw that was kept, and ``info["labels"]`` the cluster
        of each row in the partition for which it was.

    References
    ----------
    .. [1] Boutsidis, Mahoney & Drineas, "Unsupervised feature selection for the k-means
       clustering problem", Algorithm 1, Theorem 1 and §5; B3 of Jolliffe is in §3.
    .. [2] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithm 3, Lemma 9.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import leverage
    >>> X = load_digits().data
    >>> selection = leverage(X, 40, rank=10, random_state=0)
    >>> selection.info["n_draws"], len(selection)
    (40, 24)
    >>> leverage(X, 3, rank=10, deterministic=True).indices
    array([27, 37, 42])
    """
    wishes = Wishes(A, n_select)
    size = wishes.n_select or 0
    rng = check_random_state(random_state)
    repeats = check_count("n_repeats", n_repeats, 1, None)
    clusters = _check_repeats(wishes.A, repeats, n_clusters, rank, deterministic)
    shape = wishes.A.shape
    if rank is None:
        rank = max(1, min(clusters or size // 2, *shape))
    k = check_count("rank", rank, 1, min(shape), f" for data of shape {shape}")
    if approximate:
        _, V = leading_right_singular_vectors(wishes.A, k, rng)
    else:
        _, V = right_singular_vectors(wishes.A, k)
    scores = leverage_scores(V)
    info: dict[str, Any] = {"rank": V.shape[1]}
    if deterministic:
        # rounded, so that columns of equal score are a tie, which the first wins
        order = np.argsort(-np.round(scores / scores.max(), 10), kind="stable")
        top = run(wishes, Given(order.tolist()), progress=progress)
        return top.replace(info={**top.info, **info})
    draws = [merge(*draw(scores, size, rng)) for _ in range(repeats)]
    kept = 0
    if repeats > 1:
        kept, objectives, labels = _best(wishes.A, draws, clusters or V.shape[1], rng)
        info |= {
            "kept": kept,
            "objectives": (objectives / wishes.unit**2).tolist(),
            "labels": labels.tolist(),
        }
    return settle(
        wishes, *draws[kept], progress=progress,
        info={**info, "n_draws": size},
    )  # fmt: skip


def _check_repeats(
    A: Operand, n_repeats: int, n_clusters: Any, rank: Any, deterministic: bool
) -> int | None:
    """Return the number of clusters that was asked for, if it makes sense."""
    if n_clusters is not None:
        n_clusters = check_count("n_clusters", n_clusters, 1, A.shape[0], f" for {A.shape[0]} rows")
    if n_repeats == 1:
        if n_clusters is not None and rank is not None:
            raise ValueError(
                f"n_clusters={n_clusters} with rank={rank} and n_repeats=1: without repeats it "
                "would not be used; choose n_repeats above 1, or leave one of the others out"
            )
        return n_clusters
    if deterministic:
        raise ValueError(
            f"n_repeats={n_repeats} with deterministic=True: every repeat would be the same; "
            "leave one of them out"
        )
    if not A.has_columns:
        raise TypeError(
            f"n_repeats={n_repeats} compares draws by k-means on the columns, but a kernel has "
            "only inner products; choose n_repeats=1"
        )
    return n_clusters


def _best(
    A: Operand,
    draws: list[tuple[Indices, Floats]],
    n_clusters: int,
    rng: np.random.RandomState,
) -> tuple[int, Floats, Indices]:
    """Return the draw whose partition is the best of the full data, all objectives, and it."""
    seed = rng.randint(2**31 - 1)  # the same starts for all draws
    one = np.full((A.shape[0], 1), A.shape[0] ** -0.5)
    mean = A.rmatmat(one)
    # about the mean, so that data far from the origin keeps its digits; once block by block,
    # so that every draw costs only products
    spread = float(residual_sq_norms(A, one, mean).sum())
    objectives = np.empty(len(draws))
    labels = []
    for i, (indices, weights) in enumerate(draws):
        labels.append(_partition(A.columns(indices) * weights, n_clusters, seed))
        X = _indicators(labels[i])
        between = A.rmatmat(X) - mean @ (one.T @ X)
        objectives[i] = max(0.0, spread - float(np.sum(between**2)))
    kept = int(np.argmax(objectives <= objectives.min() + 1e-12 * spread))
    return kept, objectives, labels[kept]


def _partition(C: Array, n_clusters: int, seed: int) -> Indices:
    """Cluster the rows by k-means; return the cluster of each, numbered without gaps."""
    from sklearn.cluster import KMeans

    means = KMeans(n_clusters, n_init=N_STARTS, random_state=seed)
    with warnings.catch_warnings():
        # fewer different rows than clusters is no harm here
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.unique(means.fit(C).labels_, return_inverse=True)[1]


def _indicators(labels: Indices) -> Array:
    """Return the normalized indicators of a partition (m × k), ``XᵀX = I``."""
    sizes = np.bincount(labels)
    X = np.zeros((len(labels), len(sizes)))
    X[np.arange(len(labels)), labels] = 1.0 / np.sqrt(sizes[labels])
    return X


class LeverageSelector(Selector):
    """Draw and rescale columns by their leverage scores.

    See :func:`colonnade.leverage` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many draws: a number, a fraction of the columns, or None for half of them.
    rank : int or None, default=None
        How many singular directions count. By default ``n_clusters``, or half of ``n_select``
        without it.
    approximate : bool, default=False
        Whether a randomized SVD will do.
    deterministic : bool, default=False
        Whether to take the columns of largest score, without weights, instead of drawing.
    n_repeats : int, default=1
        How many times to draw; the draw that k-means likes best is kept, with the partition
        that it found as ``selection_.info["labels"]``.
    n_clusters : int or None, default=None
        How many clusters there will be: sets ``rank`` if it is not given, and judges the draws.
    rescale : bool, default=True
        Whether ``transform`` multiplies the columns by their weights.
    random_state : int, RandomState or None, default=None
        Seed of the draws, of the approximate SVD and of k-means.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import LeverageSelector
    >>> X = load_digits().data
    >>> LeverageSelector(3, 10, deterministic=True).fit(X).indices_
    array([27, 37, 42])
    """

    method = "leverage"

    def __init__(
        self,
        n_select: int | float | None = None,
        rank: int | None = None,
        *,
        approximate: bool = False,
        deterministic: bool = False,
        n_repeats: int = 1,
        n_clusters: int | None = None,
        rescale: bool = True,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.rank = rank
        self.approximate = approximate
        self.deterministic = deterministic
        self.n_repeats = n_repeats
        self.n_clusters = n_clusters
        self.rescale = rescale
        self.random_state = random_state
        self.verbose = verbose
