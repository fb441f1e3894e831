"""Information gain: what a single feature tells about the class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.special import xlogy
from sklearn.feature_selection import mutual_info_classif

from ...foundation.parameters import REALS, check_count
from ...foundation.typing import Array, Floats
from ...linalg.partitions import as_labels
from ...operands.blocks import cut
from ...operands.interface import Operand
from ...pivoting.loop import Progress
from ...pivoting.rules import Given
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, run

__all__ = ["InformationGainSelector", "information_gain"]


@method(
    "information-gain",
    kind="labels",
    title="what the presence of a feature tells about the class (information gain)",
    estimator="InformationGainSelector",
    document="Paul & Drineas, §6.2",
    cost="entries that are not zero, then m·n·l for the errors",
    guarantee="exact for one feature at a time; features that repeat each other rank alike",
    inputs=("dense", "sparse"),
    supervised="labels",
)
def information_gain(
    A: Any,
    n_select: int | float | None = None,
    *,
    labels: Any,
    bins: int | str | None = "presence",
    threshold: float = 0.0,
    max_error: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose the features that, each alone, tell most about the class.

    **Objective.** The features of largest mutual information ``I(x; y) = H(y) − H(y | x)`` with
    the labels, in nats (natural logarithm; divide by log 2 for bits).

    **Algorithm.** Count for every feature and class in how many rows the feature is present,
    that is, above ``threshold``; the information follows from these counts exactly. For
    measurements that are always present there are quantile bins and an estimate by nearest
    neighbours. Equal scores go to the lower index.

    **Cost.** With ``bins="presence"`` as many steps as there are nonzero entries, however many
    classes there are; with bins O(m n log m) for the quantiles; with nearest neighbours a
    tree for each feature. Then one pass over the data per choice for the error path.

    **Guarantee.** The scores are exact for counts and bins; an estimate with ``bins=None``.
    Nothing is known of the features together: those that repeat each other are all chosen.

    **When to use it.** As the classic supervised baseline for text, to compare with methods that
    see no labels.

    Parameters
    ----------
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    labels : array-like of shape (m,) or (m, k)
        The class of each row, or a matrix that marks the class of each row.
    bins : {"presence"}, int or None, default="presence"
        What of a feature is looked at: whether it is above ``threshold``; in which of so many
        bins, cut at its quantiles, it lies; or with None its very value, by the estimate from
        nearest neighbours in scikit-learn's ``mutual_info_classif``, where classes of one row
        do not count. Sparse data stays sparse with "presence"; otherwise its columns are made
        dense, some at a time.
    threshold : float, default=0.0
        Above which value a feature is present.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or None
        Columns to choose first.
    exclude : iterable of int or None
        Columns never to choose.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the reconstruction error, which knows
        nothing of the labels; a number limits the sweeps.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection
        ``info["information"]`` lists the information of the chosen features in nats, and
        ``info["entropy"]`` is that of the labels, which no feature can exceed.

    References
    ----------
    .. [1] Paul & Drineas, "Deterministic feature selection for regularized least squares
       classification", §6.2.
    .. [2] Ross, "Mutual information between discrete and continuous data sets", PLoS ONE 9,
       2014: the estimate with ``bins=None``.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import information_gain
    >>> words = np.array([[1, 0, 2], [3, 1, 0], [0, 1, 1], [0, 2, 1]])
    >>> found = information_gain(words, 2, labels=["sport", "sport", "law", "law"])
    >>> found.indices
    array([0, 1])
    >>> np.round(found.info["information"], 3)
    array([0.693, 0.216])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    if not wishes.A.has_columns:
        raise TypeError(
            "information-gain needs the columns themselves, and a kernel has only their inner "
            "products; pass the data"
        )
    codes, classes = as_labels(labels, wishes.A.shape[0])
    if len(classes) < 2:
        raise ValueError(
            f"the labels hold one class only, {classes.tolist()[0]!r}; information gain needs at "
            "least two"
        )
    sizes = np.bincount(codes)
    if isinstance(bins, str) and bins == "presence":
        cut_at = _checked_threshold(threshold) * wishes.unit
        scores = _by_presence(wishes.A, codes, sizes, cut_at)
    elif bins is None:
        scores = _by_neighbours(wishes.A, codes, sizes)
    elif isinstance(bins, str):
        raise ValueError(f'bins={bins!r}; choose "presence", a number of bins, or None')
    else:
        scores = _by_bins(wishes.A, codes, sizes, check_count("bins", bins, 2, None))
    # equal up to rounding is equal
    order = np.argsort(-np.round(scores / (scores.max() or 1.0), 10), kind="stable")
    found = run(
        wishes, Given(order.tolist()), refine=refine,
        progress=progress,
    )  # fmt: skip
    shares = sizes / sizes.sum()
    info = {
        "information": scores[found.indices].tolist(),
        "entropy": float(-xlogy(shares, shares).sum()),
    }
    return found.replace(info={**found.info, **info})


def _checked_threshold(threshold: Any) -> float:
    if isinstance(threshold, bool) or not isinstance(threshold, REALS):
        raise TypeError(f"threshold must be a number, got {threshold!r}")
    if not np.isfinite(threshold):
        raise ValueError(f"threshold={threshold}; choose a finite number, for example 0.0")
    return float(threshold)


def _by_presence(A: Operand, codes: Array, sizes: Array, threshold: float) -> Floats:
    out = np.empty(A.shape[1])
    for block in cut(A.shape[1], A.shape[0]):
        rows, columns, values = A.entries(block)
        # zeros, which are not listed, must be on the side that is not counted; both sides
        # hold the same information
        marked = values > threshold if threshold >= 0 else values <= threshold
        out[block] = _of_marks(
            codes[rows[marked]], columns[marked], block.stop - block.start, sizes
        )
    return out


def _of_marks(classes: Array, columns: Array, width: int, sizes: Array) -> Floats:
    """Return the information of marks that are known by their classes and columns."""
    keys = columns.astype(np.intp) * len(sizes) + classes
    if width * len(sizes) <= 4 * len(keys):
        table = np.bincount(keys, minlength=width * len(sizes))
        pairs = np.flatnonzero(table)
        counts = table[pairs]
    else:  # with many classes most of the table would be empty
        pairs, counts = np.unique(keys, return_counts=True)
    column, size = pairs // len(sizes), sizes[pairs % len(sizes)]
    total = sizes.sum()
    marks = np.bincount(columns, minlength=width)
    inside, outside = marks[column], total - marks[column]
    # products of counts are exact, so independence gives log 1 = 0 exactly
    with np.errstate(divide="ignore", invalid="ignore"):
        there = counts * np.log(counts * total / (inside * size))
        missing = xlogy(size - counts, (size - counts) * total / (outside * size))
    sums = np.bincount(column, there + np.where(size > counts, missing, 0.0), minlength=width)
    # classes without a single mark
    others = total - np.bincount(column, size, minlength=width)
    return np.asarray((sums + xlogy(others, total / np.maximum(total - marks, 1))) / total)


def _by_bins(A: Operand, codes: Array, sizes: Array, bins: int) -> Floats:
    out = np.empty(A.shape[1])
    for block in cut(A.shape[1], A.shape[0] * bins):
        X = A.columns(block)
        edges = np.quantile(X, np.arange(1, bins) / bins, axis=0)
        cells = np.zeros(X.shape, dtype=np.intp)
        for edge in edges:
            cells += edge < X
        keys = (np.arange(X.shape[1]) * bins + cells) * len(sizes) + codes[:, None]
        counts = np.bincount(keys.ravel(), minlength=X.shape[1] * bins * len(sizes))
        out[block] = _information(counts.reshape(X.shape[1], bins, len(sizes)))
    return out


def _by_neighbours(A: Operand, codes: Array, sizes: Array) -> Floats:
    if sizes.max() < 2:
        raise ValueError(
            "every row has a class of its own, so no row has neighbours in its class; "
            'use bins="presence" or a number of bins'
        )
    out = np.empty(A.shape[1])
    for block in cut(A.shape[1], A.shape[0]):
        # the noise that parts equal values has a fixed seed: the same data, the same choice
        out[block] = mutual_info_classif(
            A.columns(block), codes, discrete_features=False, random_state=0
        )
    return out


def _information(counts: Array) -> Floats:
    """Return the mutual information in nats for tables of counts (features × cells × classes)."""
    counts = counts.astype(np.float64)
    total = counts[0].sum()
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=2, keepdims=True)
    # products of counts are exact, so independence gives log 1 = 0 exactly
    ratio = np.divide(counts * total, expected, out=np.ones_like(counts), where=counts > 0)
    return np.asarray((counts * np.log(ratio)).sum(axis=(1, 2)) / total)


class InformationGainSelector(Selector):
    """Choose the features that, each alone, tell most about the class: ``fit(X, y)``.

    See :func:`colonnade.information_gain` for objective, algorithm, cost and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    bins : {"presence"}, int or None, default="presence"
        What of a feature is looked at: whether it is above ``threshold``, in which of so many
        quantile bins it lies, or with None its value, by nearest neighbours.
    threshold : float, default=0.0
        Above which value a feature is present.
    max_error : float or None, default=None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or name.
    exclude : iterable of int or str, default=None
        Columns never to choose.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    verbose : bool, default=False
        Whether to print progress.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import InformationGainSelector
    >>> X, y = load_digits(return_X_y=True)
    >>> InformationGainSelector(20).fit(X, y).transform(X).shape
    (1797, 20)
    """

    method = "information-gain"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        bins: int | str | None = "presence",
        threshold: float = 0.0,
        max_error: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.bins = bins
        self.threshold = threshold
        self.max_error = max_error
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.verbose = verbose
