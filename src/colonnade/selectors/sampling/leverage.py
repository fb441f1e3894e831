"""Random columns by their leverage scores: features for k-means, without labels."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from ...barriers.draws import draw, merge
from ...barriers.draws import leverage as leverage_scores
from ...foundation.parameters import Count, check_count
from ...foundation.typing import Floats, Indices
from ...linalg.partitions import indicators, quiet_kmeans
from ...linalg.projecting import residual_sq_norms
from ...linalg.svd import (
    leading_passes,
    leading_right_singular_vectors,
    right_singular_vectors,
    singular_passes,
)
from ...linalg.ties import rounded_to_largest
from ...operands.entrance import as_columns
from ...operands.interface import Columns, Gram
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Seeded, Weighted

__all__ = ["LeverageSelector"]
N_STARTS = 10
"""Starts of k-means for each draw that is compared."""


@method(
    "leverage-top",
    title="the largest leverage scores, deterministic",
    document="Jolliffe 1972 (B3), in Boutsidis, Mahoney & Drineas §3",
    cost="m·n·min(m,n), then m·n·l for the errors",
    guarantee="none: it may take many columns that are alike",
    preset={"deterministic": True},
    wide=True,
)
@method(
    "approximate-leverage",
    title="by leverage scores from a randomized SVD, with replacement and rescaled",
    document="Boutsidis & Magdon-Ismail, Algorithm 3 and Lemma 6",
    cost="m·n·k, then m·n·l for the errors",
    guarantee="that of leverage, as far as the approximate singular vectors are right",
    preset={"approximate": True},
    randomized=True,
    weighted=True,
    wide=True,
)
@method(
    "leverage",
    title="by leverage scores, with replacement and rescaled",
    document="Boutsidis, Mahoney & Drineas, Algorithm 1",
    cost="m·n·min(m,n), then m·n·l for the errors",
    guarantee="k-means on them within 1+(1+ε)γ of the optimum for l ≈ k·log(k/ε)/ε², half the "
    "time; at l = 10k better than uniform columns on 4 of 5 data sets, on most of them by little",
    randomized=True,
    weighted=True,
    wide=True,
)
class LeverageSelector(Weighted, Seeded):
    """Draw and rescale columns by their share in the leading singular directions.

    **Objective.** Weighted columns C = A Ω S, where Ω picks columns and the diagonal S rescales
    them, such that the leading k right singular vectors V,
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
    20 k and ``n_repeats=30``. At r = 10 k leverage scores are better than uniform draws on 4 of 5
    data sets, and both are near to all columns: k-means on one draw costs 1.0 to 6.2 % more than
    on all columns by leverage, and 1.1 to 12.6 % uniformly (significantly less on 2 of the data
    sets, more on 1; without the genes of ``sarcoma_stt`` 1.0 to 3.6 % and 1.1 to 5.2 %). The best
    of 30 draws is not significantly better than the best of 30 uniform ones, even there
    (``colonnade reproduce boutsidis-2013 boutsidis-2009``). If k
    is the number of columns all scores are equal, so keep ``rank`` well below that.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many draws r: a number, a fraction of the columns, or None for half of them.
    rank : int or None, default=None
        k, how many singular directions count. By default ``n_clusters``, or half of
        ``n_select`` without it. Directions that the data does not have are left out.
    approximate : bool, default=False
        Whether a randomized SVD will do (it is used if both sides of A are above 2000).
    deterministic : bool, default=False
        Whether to take the columns of largest score instead of drawing.
    n_repeats : int, default=1
        How many times to draw; the best draw is kept. More than one needs columns, not a kernel.
    n_clusters : int or None, default=None
        How many clusters there will be: sets k if ``rank`` does not, and judges the draws if
        ``n_repeats`` is above 1. By default k.
    random_state : int, RandomState or None, default=None
        Seed of the draws, of the approximate SVD and of k-means.

    Notes
    -----
    In ``selection_.info``, ``"rank"`` is k and ``"n_draws"`` is r; with repeats ``"objectives"``
    holds the k-means objective of every draw, ``"kept"`` the number of the draw that was kept,
    and ``"labels"`` the cluster of each row in the partition for which it was.

    References
    ----------
    .. [1] Boutsidis, Mahoney & Drineas, "Unsupervised feature selection for the k-means
       clustering problem", Algorithm 1, Theorem 1 and §5; B3 of Jolliffe is in §3.
    .. [2] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithm 3, Lemma 9.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import LeverageSelector
    >>> X = load_digits().data
    >>> selector = LeverageSelector(40, rank=10, random_state=0).fit(X)
    >>> selector.selection_.info["n_draws"], len(selector.indices_)
    (40, 24)
    >>> LeverageSelector(3, 10, deterministic=True).fit(X).indices_
    array([27, 37, 42])
    """

    rank: Annotated[int | None, Count(1)] = None
    _: KW_ONLY
    approximate: bool = False
    deterministic: bool = False
    n_repeats: Annotated[int, Count(1)] = 1
    n_clusters: Annotated[int | None, Count(1)] = None

    def _select(self, problem: Problem) -> Selection:
        size = problem.n_select or 0
        self._check_repeats(problem.A)
        if self.n_repeats > 1 and problem.preparation.weights is not None:
            raise ValueError(
                f"n_repeats={self.n_repeats} judges draws by clusters of the rows, which takes no "
                "sample_weight; choose n_repeats=1"
            )
        shape, k = problem.A.shape, self.rank
        if k is None:
            k = max(1, min(self.n_clusters or size // 2, *shape))
        k = check_count("rank", k, 1, min(shape), f" for data of shape {shape}")
        if self.approximate:
            _, V = leading_right_singular_vectors(problem.A, k, problem.rng)
        else:
            _, V = right_singular_vectors(problem.A, k)
        scores = leverage_scores(V)
        info: dict[str, Any] = {"rank": V.shape[1]}
        if self.deterministic:
            order = np.argsort(-rounded_to_largest(scores), kind="stable")
            return problem.ranked(order).with_info(**info)
        draws = [merge(*draw(scores, size, problem.rng)) for _ in range(self.n_repeats)]
        kept = 0
        if self.n_repeats > 1:
            kept, objectives, labels = _best(
                problem.columns, draws, self.n_clusters or V.shape[1], problem.rng
            )
            info |= {
                "kept": kept,
                "objectives": (objectives / problem.unit**2).tolist(),
                "labels": labels.tolist(),
            }
        return problem.weighted(*draws[kept], **info, n_draws=size)

    def _passes_before(self, shape: tuple[int, int]) -> int:
        if self.approximate:
            return leading_passes(shape)
        size = self.n_select if isinstance(self.n_select, int) else 1
        k = self.rank or max(1, self.n_clusters or size // 2)
        return singular_passes(shape, min(k, *shape))

    def _check_repeats(self, A: Gram) -> None:
        """Raise ValueError or TypeError if repeats are asked for where they make no sense."""
        if self.n_clusters is not None:
            rows = f" for {A.shape[0]} rows"
            check_count("n_clusters", self.n_clusters, 1, A.shape[0], rows)
        if self.n_repeats == 1:
            if self.n_clusters is not None and self.rank is not None:
                raise ValueError(
                    f"n_clusters={self.n_clusters} with rank={self.rank} and n_repeats=1: without "
                    "repeats it would not be used; choose n_repeats above 1, or leave one of the "
                    "others out"
                )
            return
        if self.deterministic:
            raise ValueError(
                f"n_repeats={self.n_repeats} with deterministic=True: every repeat would be the "
                "same; leave one of them out"
            )
        as_columns(A, f"n_repeats={self.n_repeats}", "choose n_repeats=1")


def _best(
    A: Columns,
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
        means = quiet_kmeans(
            A.columns(indices) * weights, n_clusters, n_init=N_STARTS, random_state=seed
        )
        # numbered without gaps: there may be fewer different rows than clusters
        labels.append(np.unique(means.labels_, return_inverse=True)[1])
        X = indicators(labels[i])
        between = A.rmatmat(X) - mean @ (one.T @ X)
        objectives[i] = max(0.0, spread - float(np.sum(between**2)))
    kept = int(np.argmax(objectives <= objectives.min() + 1e-12 * spread))
    return kept, objectives, labels[kept]
