"""Dual-set sparsification: features for k-means, without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...barriers.draws import draw, leverage, merge
from ...barriers.loop import IdentityBarrier, sparsify
from ...foundation.parameters import check_count
from ...foundation.typing import RandomState
from ...linalg.svd import leading_right_singular_vectors, right_singular_vectors
from ...operands.entrance import as_operand
from ...pivoting.loop import Progress
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, settle
from .picking import resolve_picks, sparsified

__all__ = [
    "DualSetSelector",
    "RandomizedDualSetSelector",
    "dual_set",
    "randomized_dual_set",
]


@method(
    "dual-set",
    kind="sparsifier",
    title="features for k-means, deterministic (dual-set spectral sparsification)",
    estimator="DualSetSelector",
    document="Boutsidis & Magdon-Ismail, Algorithm 5",
    cost="m·n·min(m,n) + l·k³, then m·n·l for the errors",
    guarantee="k-means on them within 1 + 4γ(1+√(n/l))²/(1−√(k/l))² of the optimum",
    inputs=("dense", "sparse", "kernel"),
    weighted=True,
)
def dual_set(
    A: Any,
    n_select: int | float | None = None,
    *,
    n_clusters: int = 8,
    progress: Progress | None = None,
) -> Selection:
    """Choose and rescale features such that clustering them by k-means clusters the data.

    **Objective.** Weighted columns C = A Ω S such that a good k-means partition of the rows of
    C is a good partition of the rows of A.

    **Algorithm.** Take the leading k right singular vectors V. Per step, pick a column and a
    factor t that keep the eigenvalues of ``Σ t v vᵀ`` above a rising lower barrier and all
    squared weights below a rising upper one; among those that do, the new one of largest norm.

    **Cost.** An SVD, O(m n min(m, n)), then O(k³) and a few dozen columns looked at per pick;
    one more pass over the data per pick for the error path.

    **Guarantee.** ``σ_k(VᵀΩS) ≥ 1 − √(k/l)`` and all weights at most ``1 + √(n/l)``; so a
    γ-approximate partition of C costs at most ``1 + 4γ(1+√(n/l))²/(1−√(k/l))²`` times the
    optimum on A [1]_. It holds for any l > k; :func:`colonnade.certify` says what was reached.

    **When to use it.** Before k-means, when the same features must come out every time.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many picks, more than ``n_clusters``: a number, a fraction of the columns, or None
        for half of them.
    n_clusters : int, default=8
        k; without ``n_select`` it is lowered if there are no more columns than that.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        With weights; ``info["rank"]`` is k, or what the data has if that is less.

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithms 2 and 5, Lemma 8, Theorem 4. δ_Q is printed there without its root.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import dual_set
    >>> X = load_digits().data
    >>> selection = dual_set(X, 20, n_clusters=10)
    >>> selection.apply(X).shape
    (1797, 20)
    """
    wishes = Wishes(A, n_select)
    k = check_count("n_clusters", n_clusters, 1, None)
    size, k = resolve_picks(wishes, n_select, k, "n_clusters")
    _, V = right_singular_vectors(wishes.A, k)
    return sparsified(wishes, V, size, IdentityBarrier(len(V)), progress=progress)


@method(
    "randomized-dual-set",
    kind="sparsifier",
    title="features for k-means, randomized (leverage scores, then dual-set)",
    estimator="RandomizedDualSetSelector",
    document="Boutsidis & Magdon-Ismail, Algorithm 6",
    cost="m·n·k + l·k³·log k, then m·n·l for the errors",
    guarantee="k-means on them within O(k·log k/l) of the optimum, with probability 0.4",
    inputs=("dense", "sparse", "kernel"),
    randomized=True,
    weighted=True,
)
def randomized_dual_set(
    A: Any,
    n_select: int | float | None = None,
    *,
    n_clusters: int = 8,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
    """Choose and rescale O(k) features for k-means, by sampling and then by barriers.

    **Objective.** That of :func:`colonnade.dual_set`, with a bound that does not grow with the
    number of columns.

    **Algorithm.** Take approximate leading right singular vectors Z; draw
    ``c = max(l, 16 k ln 20k)`` columns by their leverage scores; sparsify the leading right
    singular vectors of the c drawn and rescaled rows of Z as :func:`colonnade.dual_set` does.
    A column that was drawn several times can be picked several times; these are merged.

    **Cost.** O(m n k) for the approximate SVD, O(l k³ log k) for the rest; one more pass over
    the data per pick for the error path.

    **Guarantee.** With probability 0.4 a γ-approximate partition of C costs at most
    ``15 + 320γ((1+√(16 k ln(20k)/l))/(1−√(k/l)))²`` times the optimum on A [1]_.

    **When to use it.** Before k-means on very wide data, with few features.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many picks, more than ``n_clusters``: a number, a fraction of the columns, or None
        for half of them.
    n_clusters : int, default=8
        k; without ``n_select`` it is lowered if there are no more columns than that.
    random_state : int, RandomState or None
        Seed of the draws and of the approximate SVD.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        With weights; ``info["n_drawn"]`` is c.

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithm 6, Theorem 5.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import randomized_dual_set
    >>> X = load_digits().data
    >>> selection = randomized_dual_set(X, 20, n_clusters=10, random_state=0)
    >>> selection.apply(X).shape[0]
    1797
    """
    wishes = Wishes(A, n_select)
    rng = check_random_state(random_state)
    k = check_count("n_clusters", n_clusters, 1, None)
    size, k = resolve_picks(wishes, n_select, k, "n_clusters")
    _, Z = leading_right_singular_vectors(wishes.A, k, rng)
    n_drawn = max(size, int(np.ceil(16 * k * np.log(20 * k))))
    drawn, factors = draw(leverage(Z), n_drawn, rng)
    # the rows of Z that were drawn are the columns of a c-column matrix of their own
    _, V = right_singular_vectors(as_operand((Z[drawn] * factors[:, None]).T))
    found = sparsify(V, size, IdentityBarrier(n_drawn))
    indices, weights = merge(drawn[found.picks], factors[found.picks] * found.weights)
    return settle(
        wishes, indices, weights, progress=progress,
        info={
            "rank": V.shape[1],
            "n_picks": size,
            "looked_at": found.looked_at,
            "n_drawn": n_drawn,
        },
    )  # fmt: skip


class DualSetSelector(Selector):
    """Choose and rescale features for k-means, deterministically.

    See :func:`colonnade.dual_set` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many picks, more than ``n_clusters``: a number, a fraction of the columns, or None
        for half of them.
    n_clusters : int, default=8
        k; without ``n_select`` it is lowered if there are no more columns than that.
    rescale : bool, default=True
        Whether ``transform`` multiplies the columns by their weights.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from colonnade import DualSetSelector
    >>> X = load_digits().data
    >>> clusters = make_pipeline(DualSetSelector(20, 10), KMeans(10, n_init=1, random_state=0))
    >>> len(set(clusters.fit_predict(X)))
    10
    """

    method = "dual-set"

    def __init__(
        self,
        n_select: int | float | None = None,
        n_clusters: int = 8,
        *,
        rescale: bool = True,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.n_clusters = n_clusters
        self.rescale = rescale
        self.verbose = verbose


class RandomizedDualSetSelector(Selector):
    """Choose and rescale O(k) features for k-means, by sampling and then by barriers.

    See :func:`colonnade.randomized_dual_set` for objective, algorithm, cost, guarantee and
    references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many picks, more than ``n_clusters``: a number, a fraction of the columns, or None
        for half of them.
    n_clusters : int, default=8
        k; without ``n_select`` it is lowered if there are no more columns than that.
    rescale : bool, default=True
        Whether ``transform`` multiplies the columns by their weights.
    random_state : int, RandomState or None, default=None
        Seed of the draws and of the approximate SVD.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import RandomizedDualSetSelector
    >>> X = load_digits().data
    >>> selector = RandomizedDualSetSelector(20, 10, random_state=0).fit(X)
    >>> bool((selector.weights_ > 0).all())
    True
    """

    method = "randomized-dual-set"

    def __init__(
        self,
        n_select: int | float | None = None,
        n_clusters: int = 8,
        *,
        rescale: bool = True,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.n_clusters = n_clusters
        self.rescale = rescale
        self.random_state = random_state
        self.verbose = verbose
