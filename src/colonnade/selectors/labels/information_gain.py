"""Information gain: what a single feature tells about the class."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np
from scipy.special import xlogy
from sklearn.feature_selection import mutual_info_classif

from ...foundation.parameters import Real, check_count
from ...foundation.typing import Array, Floats
from ...linalg.partitions import as_labels
from ...linalg.ties import rounded_to_largest
from ...operands.blocks import block_slices
from ...operands.interface import Columns
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable, SeesRows

__all__ = ["InformationGainSelector"]


@method(
    "information-gain",
    title="what the presence of a feature tells about the class (information gain)",
    document="Paul & Drineas 2014, §6.2",
    cost="entries that are not zero, then m·n·l for the errors",
    guarantee="exact for one feature at a time; features that repeat each other rank alike",
    kernels=False,
    supervised="labels",
)
class InformationGainSelector(Adjustable, SeesRows):
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
    bins : {"presence"}, int or None, default="presence"
        What of a feature is looked at: whether it is above ``threshold``; in which of so many
        bins, cut at its quantiles, it lies; or with None its very value, by the estimate from
        nearest neighbours in scikit-learn's ``mutual_info_classif``, where classes of one row
        do not count. Sparse data stays sparse with "presence"; otherwise its columns are made
        dense, some at a time.
    threshold : float, default=0.0
        Above which value a feature is present.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the reconstruction error, which knows
        nothing of the labels; a number limits the sweeps.

    Notes
    -----
    In ``selection_.info``, ``"information"`` lists the information of the chosen features in
    nats, and ``"entropy"`` is that of the labels, which no feature can exceed.

    References
    ----------
    .. [1] Paul & Drineas, "Deterministic feature selection for regularized least squares
       classification", §6.2.
    .. [2] Ross, "Mutual information between discrete and continuous data sets", PLoS ONE 9,
       2014: the estimate with ``bins=None``.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import InformationGainSelector
    >>> words = np.array([[1, 0, 2], [3, 1, 0], [0, 1, 1], [0, 2, 1]])
    >>> selector = InformationGainSelector(2).fit(words, ["sport", "sport", "law", "law"])
    >>> selector.indices_
    array([0, 1])
    >>> np.round(selector.selection_.info["information"], 3)
    array([0.693, 0.216])
    """

    _: KW_ONLY
    bins: int | str | None = "presence"
    threshold: Annotated[float, Real(example=0.0)] = 0.0

    def _select(self, problem: Problem) -> Selection:
        A = problem.columns
        codes, classes = as_labels(problem.y, A.shape[0])
        if len(classes) < 2:
            raise ValueError(
                f"the labels hold one class only, {classes.tolist()[0]!r}; information gain needs "
                "at least two"
            )
        sizes = np.bincount(codes)
        if isinstance(self.bins, str) and self.bins == "presence":
            scores = _by_presence(A, codes, sizes, self.threshold * problem.unit)
        elif self.bins is None:
            scores = _by_neighbours(A, codes, sizes)
        elif isinstance(self.bins, str):
            raise ValueError(f'bins={self.bins!r}; choose "presence", a number of bins, or None')
        else:
            scores = _by_bins(A, codes, sizes, check_count("bins", self.bins, 2, None))
        order = np.argsort(-rounded_to_largest(scores), kind="stable")
        found = problem.ranked(order)
        shares = sizes / sizes.sum()
        return found.with_info(
            information=scores[found.indices].tolist(),
            entropy=float(-xlogy(shares, shares).sum()),
        )


def _by_presence(A: Columns, codes: Array, sizes: Array, threshold: float) -> Floats:
    out = np.empty(A.shape[1])
    for block in block_slices(A.shape[1], A.shape[0]):
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


def _by_bins(A: Columns, codes: Array, sizes: Array, bins: int) -> Floats:
    out = np.empty(A.shape[1])
    for block in block_slices(A.shape[1], A.shape[0] * bins):
        X = A.columns(block)
        edges = np.quantile(X, np.arange(1, bins) / bins, axis=0)
        cells = np.zeros(X.shape, dtype=np.intp)
        for edge in edges:
            cells += edge < X
        keys = (np.arange(X.shape[1]) * bins + cells) * len(sizes) + codes[:, None]
        counts = np.bincount(keys.ravel(), minlength=X.shape[1] * bins * len(sizes))
        out[block] = _information(counts.reshape(X.shape[1], bins, len(sizes)))
    return out


def _by_neighbours(A: Columns, codes: Array, sizes: Array) -> Floats:
    if sizes.max() < 2:
        raise ValueError(
            "every row has a class of its own, so no row has neighbours in its class; "
            'use bins="presence" or a number of bins'
        )
    out = np.empty(A.shape[1])
    for block in block_slices(A.shape[1], A.shape[0]):
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
