"""k-means on reduced data, judged on the original."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..foundation.typing import Array, Floats, RandomState
from ..operands.chunked.arriving import is_chunked
from ..operands.containers import stored_entries, take_rows
from ..operands.entrance import wrapped
from ..projections import SVDProjection
from .block_means import fit_by_blocks
from .reducing import ReducingKMeans, seed
from .starts import sample_rows
from .steps import FEW_ROWS

__all__ = ["ReducedKMeans"]

EXTRA_DIMENSIONS = 10
"""How many more dimensions than clusters the default reducer keeps."""
MOST_DIMENSIONS = 50
"""How many it keeps at most: more cost time and change little."""
WORTHWHILE, SPARSE_WORTHWHILE = 4.0, 1.25
"""How many features for each dimension that is kept make reducing worth its time; of sparse rows
how many entries, which take longer."""
ITERATIONS_SAVED = 5
"""To so many iterations of k-means what directions cost must be little beside."""
DIRECTION_ROWS = 100
"""From how many rows for each it learns the directions, of more than few rows."""

SAMPLED, FARTHEST = 5000, 1e4
"""How many rows tell how far from the middle they usually are, and how many times as far the
farthest may be for float32 to tell the others apart."""


class ReducedKMeans(ReducingKMeans):
    """Cluster by k-means on few features or directions, then polish on the original data.

    **Objective.** ``F(A, X) = ‖A − XXᵀA‖²_F``, the k-means objective on the *original* data: the
    sum of the squared distances of the rows from the means of their clusters, both with the
    weights of the rows if there are any, in units of the features if these are scaled.

    **Algorithm.** Reduce the data, if there are features enough for that to pay. Of up to 5,000
    rows run scikit-learn's k-means from ``n_init`` starts there. Of more rows draw a sample, rows
    far from the mean more often and with less weight, so that none that matter are missed [5]_; run
    k-means on it from k-means++ starts, two or four for each of ``n_init`` (one if there are more
    than 50 clusters), up to 20 iterations each; in the best of them exchange centres as long as
    that helps: those that are hardly missed go to clusters that gain most by being cut in two. Go
    on from there on all rows, until an iteration lowers the objective by less than 5 in 100,000.
    Take the centroids of this partition in the original space, and go on from them for
    ``n_polish`` iterations. With ``online``, at last move single rows.

    **Cost.** For t dimensions the reduction takes one product of the data with t columns, and five
    of 100 t of its rows with t + 10; a reduced iteration O(n t k), an iteration of
    polishing O(nnz(A) k). The sample has 250 rows for each cluster, or 20,000 or an eighth of all
    if that is less; but 2,500 at least, and 40 for each cluster or a half of all.

    **Guarantee.** Those of the reducer: the best partition in the k leading singular directions
    is at most twice as costly as the best of all [1]_ (the default keeps at most 50, those of a
    sample where there are many rows, up to what one step of a power iteration leaves); with
    t = O(log(k/ε)/ε²) random directions every partition costs what it costs in full, up to
    1 + ε [3]_; for selectors see their certificates. ``certificate`` bounds what was reached on
    the data at hand. Polishing and moves of rows never make it worse.

    **Dask arrays** and frames are clustered by blocks. One pass finds means, extremes and units,
    one draws the rows that directions are learned from, one projects all rows: t numbers of each,
    in float32, come to the client, or all features if there are no more than t. Then one pass
    finds the means of the clusters, and each iteration of polishing is one more, so there are at
    most twelve by default. Blocks are best cut by rows alone, since whole rows are looked at. The
    reducer may be a selector; ``online`` and ``scale="robust"`` are refused.

    **When to use it.** Instead of ``KMeans``, from some 10,000 rows on or with hundreds of
    features; below both is quicker than the eye. Some 10,000 rows of five features or fewer take
    ``KMeans`` less time, by thousandths of a second. If features are in units that cannot be
    compared, with ``scale="std"``: otherwise those of the largest numbers decide alone.

    Parameters
    ----------
    n_clusters : int, default=8
        k.
    reducer : transformer or None, default=None
        Any selector or projection, or scikit-learn transformer; it is cloned. By default a
        stochastic :class:`colonnade.SVDProjection` to ``n_clusters + 10`` dimensions, at most
        50, where there are four features or more for each, or sparse rows have some more entries
        than that many; of up to 5,000 rows where there are more features than dimensions. None
        else, and for one cluster.
    n_init : int, default=5
        How many starts on the reduced data; one if ``init`` gives it. Of more than 5,000 rows
        they are run on a sample, and only the best goes on.
    n_polish : int or None, default=None
        How many iterations on the original data; 0 for none. By default up to 8, as long as each
        lowers the objective by more than 5 in 100,000; none for more than 5,000 rows that were
        not reduced, of which all iterations were on the original data.
    max_iter : int, default=300
        How many iterations on the reduced data at most.
    random_state : int, RandomState or None, default=None
        Seed of the starts, and of a reducer that has none of its own.
    init : "k-means++" or array-like of shape (n_clusters, n_features), default="k-means++"
        Where to start: from random rows, or from given centres in the original space. Then the
        rows that are nearest to each make the first clusters, also of the reduced data.
    scale : {"auto", "std", "robust", "max"}, array-like or None, default=None
        What to divide each feature by first: its standard deviation, its interquartile range
        (the standard deviation where that is zero), its largest distance from its mean, its
        given unit, or nothing. Features that do not vary take no part.
        "auto" takes the standard deviation where few columns would hold most of the variance by
        their units alone, and nothing where columns are of one kind, such as pixels or counts.
    online : bool, default=False
        Whether to end with moves of single rows: as long as any lowers the objective if it goes
        to another cluster, counting that both means follow it, in at most ``max_iter`` rounds
        over all rows [4]_. A row of weight w moves as a whole, which goes further than w equal
        rows do, that move one by one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres in the original space, which ``predict`` takes the nearest of: the means of
        the clusters before the last assignment, or of ``labels_`` without polishing or with
        ``online``. In the
        user's units, also with ``scale``.
    inertia_ : float
        The objective on the original data, of ``labels_``; with ``scale`` in the units that the
        features were divided by, with weights of rows a sum by these.
    units_ : ndarray of shape (n_features,) or None
        What each feature was divided by, 0 for those that do not vary; None without ``scale``.
    reducer_ : transformer
        The fitted reducer, or None if none was needed.
    n_iter_ : int
        Iterations of the best start on the reduced data.
    n_features_in_ : int
        How many features the data had.
    feature_names_in_ : ndarray of str
        Their names, if the data had names.

    References
    ----------
    .. [1] Boutsidis, Zouzias & Drineas, "Random projections for k-means clustering".
    .. [2] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering".
    .. [3] Makarychev, Makarychev & Razenshteyn, "Performance of Johnson-Lindenstrauss transform
       for k-means and k-medians clustering", STOC 2019.
    .. [4] Hartigan & Wong, "Algorithm AS 136: a k-means clustering algorithm", Applied Statistics
       28, 1979; in the order of MATLAB's ``kmeans``, with which [1]_ computed its Table 2.
    .. [5] Bachem, Lucic & Krause, "Scalable k-means clustering via lightweight coresets",
       KDD 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import DualSetSelector, ReducedKMeans
    >>> X = load_digits().data
    >>> model = ReducedKMeans(10, reducer=DualSetSelector(20, 10), random_state=0).fit(X)
    >>> len(model.predict(X[:5]))
    5

    Moves of single rows go on where Lloyd's iteration ends:

    >>> plain = ReducedKMeans(100, n_init=1, random_state=0).fit(X)
    >>> moved = ReducedKMeans(100, n_init=1, random_state=0, online=True).fit(X)
    >>> moved.inertia_ < 0.99 * plain.inertia_
    True

    Columns of a table in units of their own agree with what it is about:

    >>> from sklearn.datasets import load_wine
    >>> from colonnade import metrics
    >>> X, y = load_wine(return_X_y=True)
    >>> for scale in (None, "std"):
    ...     labels = ReducedKMeans(3, scale=scale, random_state=0).fit_predict(X)
    ...     print(round(metrics.nmi(y, labels), 3))
    0.429
    0.876
    """

    def __init__(
        self,
        n_clusters: int = 8,
        reducer: Any = None,
        *,
        n_init: int = 5,
        n_polish: int | None = None,
        max_iter: int = 300,
        random_state: RandomState = None,
        init: Any = "k-means++",
        scale: Any = None,
        online: bool = False,
    ):
        self.n_clusters = n_clusters
        self.reducer = reducer
        self.n_init = n_init
        self.n_polish = n_polish
        self.max_iter = max_iter
        self.random_state = random_state
        self.init = init
        self.scale = scale
        self.online = online

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Passed on to a reducer that needs labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows: a whole number counts as so many equal rows. The reducer gets
            them if it takes any; the default does.

        Returns
        -------
        self : object
        """
        self._learn(X, y, sample_weight)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Cluster the rows of X, and return the cluster of each.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Passed on to a reducer that needs labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        ndarray of int
        """
        return self.fit(X, y, sample_weight).labels_

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Cluster the rows of X, and return their distances to all centres.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Passed on to a reducer that needs labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Of a dask array a dask array, of which nothing is computed yet.
        """
        return self._distances(self._learn(X, y, sample_weight))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the objective of X, larger for better, each row with its nearest centre.

        Parameters
        ----------
        X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        return self._score(X, sample_weight)

    def _learn(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if not is_chunked(X):
            return super()._learn(X, y, sample_weight)
        dimensions = min(self.n_clusters + EXTRA_DIMENSIONS, MOST_DIMENSIONS)
        fit_by_blocks(self, X, y, sample_weight, dimensions=dimensions, rows_each=DIRECTION_ROWS)
        return X

    def _reducer(self, X: Any, rng: np.random.RandomState) -> Any:
        if self.reducer is None:
            dimensions = min(self.n_clusters + EXTRA_DIMENSIONS, MOST_DIMENSIONS)
            if self.n_clusters == 1 or not _pays(X, self.n_clusters, dimensions):
                return None
            # polishing makes up for what more power steps would bring
            return SVDProjection(
                min(dimensions, X.shape[0]), algorithm="stochastic", n_power=1,
                random_state=rng.randint(2**31 - 1),
            )  # fmt: skip
        if isinstance(self.reducer, type) or not hasattr(self.reducer, "fit_transform"):
            raise TypeError(
                f"reducer must be a selector or transformer, got {self.reducer!r}; for example "
                "SignProjection(50) or DualSetSelector(20, n_clusters=10)"
            )
        reducer = clone(self.reducer)
        seed(reducer, rng)
        return reducer

    def _reduced(self, given: Any, X: Any, y: Any, weights: Floats | None) -> Any:
        drawn = None
        if self.reducer is None:
            rng = check_random_state(self.reducer_.random_state)
            size = DIRECTION_ROWS * self.reducer_.n_components
            if X.shape[0] > FEW_ROWS:
                drawn = sample_rows(wrapped(X), size, weights, rng, self.reducer_.n_components)
        if drawn is None:
            return super()._reduced(given, X, y, weights)
        super()._reduced(given, take_rows(X, drawn[0]), y, drawn[1])
        A = wrapped(X)
        Z = A.matmat(self.reducer_.components_.T.astype(A.dtype))
        # clusters know no origin and no unit, so that float32 will do, unless a few rows that are
        # far away would take the digits of all others
        Z -= Z.mean(axis=0, dtype=np.float64).astype(Z.dtype)
        largest = max(float(Z.max()), -float(Z.min())) or 1.0
        Z /= largest
        some = Z[:: max(1, len(Z) // SAMPLED)]
        usual = float(np.median(np.abs(some - np.median(some, axis=0)).max(axis=1)))
        return Z.astype(np.float32, copy=False) if usual * FARTHEST > 1.0 else Z


def _pays(X: Any, n_clusters: int, dimensions: int) -> bool:
    """Say whether fewer dimensions take less time than they save."""
    n, d = X.shape
    if n <= FEW_ROWS:  # of few rows all starts are run to their end, which pays sooner
        return d > dimensions
    entries = stored_entries(X) / n
    worthwhile = WORTHWHILE if entries == d else SPARSE_WORTHWHILE
    learned = d * (dimensions + EXTRA_DIMENSIONS) ** 2
    saved = ITERATIONS_SAVED * n * entries * n_clusters
    return d > dimensions and entries >= worthwhile * dimensions and saved >= learned
