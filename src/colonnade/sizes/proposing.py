"""The three rules: what a path says about how many columns to keep."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv

from ..foundation.typing import Floats, Indices, Mask

__all__ = ["furthest_above", "independent_gains", "within_one_error"]

LEVEL = 0.05
"""The chance that the best of all candidates passes the test although columns are independent."""
EQUAL = 1e-9
"""Shares of the squared norm that differ by less are equal, so that rounding decides nothing."""


def independent_gains(
    squares: Floats, n_rows: float, count: int, *, candidates: Mask, first: Indices
) -> Floats:
    """Return what each choice would explain if the columns were independent.

    Parameters
    ----------
    squares : ndarray of shape (n,)
        The squared norms of the columns.
    n_rows : float
        In how many directions they can differ: the rows, less one if the columns are centred.
    count : int
        For how many choices.
    candidates : ndarray of bool
        Columns that may be chosen.
    first : ndarray of int
        Columns that are chosen before those.

    Returns
    -------
    ndarray of shape (count,)
        Shares of the sum of all squares. The best choice in independent columns explains less
        with a probability of about 0.95: simulated, 0.96 for normal columns and, with few rows,
        0.90 for exponential ones.

    Notes
    -----
    Parallel analysis [1]_ for columns in place of components. After t choices that have nothing to
    do with it, ``(1 − t/m)`` is left of the square v_k of a column. A choice j takes all of its
    own square and, of each other column, the share β_k = cos² of the angle between two random
    directions of m − t dimensions: a beta variable of parameters 1/2 and (m − t − 1)/2. The sum
    ``Σ v_k β_k`` is close to a gamma variable of the same mean and variance. The best of the
    n − t candidates exceeds the largest v_j plus the quantile of that sum at 1 − 0.05/(n − t)
    with a probability of at most 0.05 (Bonferroni), as far as the gamma variable holds.

    What is left of the real columns is no measure for the next choice, other than in a model such
    as that of [2]_, in which the others depend on the chosen columns themselves: where a chosen
    column holds noise of its own, others that follow the same signal keep a part in common, and
    every further one of them averages the noise. That is found to be significant far beyond the
    number of signals (see ``docs/how_many.md``).

    References
    ----------
    .. [1] Horn, "A rationale and test for the number of factors in factor analysis",
       Psychometrika 30 (1965).
    .. [2] Sood & Hastie, "A statistical view of column subset selection", arXiv 2307.12892.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.empty(0, dtype=int)
    >>> free = np.ones(10, dtype=bool)
    >>> independent_gains(np.ones(10), 1000, 3, candidates=free, first=nothing).round(3)
    array([0.102, 0.102, 0.102])
    """
    shares = squares / squares.sum()
    free = np.flatnonzero(candidates)
    order = np.concatenate([first, free[np.argsort(-shares[free], kind="stable")]])[:count]
    t = np.arange(len(order))
    others = np.maximum(1.0 - np.cumsum(shares[order]), 0.0)
    others_squared = np.maximum((shares @ shares) - np.cumsum(np.square(shares[order])), 0.0)
    left = np.maximum(n_rows - t, 1.0)  # dimensions
    kept = np.maximum(1.0 - t / n_rows, 0.0)
    mean = others / left
    variance = others_squared * 2.0 * (left - 1.0) / (np.square(left) * (left + 2.0))
    rivals = np.maximum(len(first) + len(free) - t, 1)
    spread = np.where((mean > 0) & (variance > 0), variance, 1.0)
    shape = np.where(variance > 0, np.square(mean) / spread, 1.0)
    most = gammaincinv(np.maximum(shape, 1e-6), 1.0 - LEVEL / rivals)
    scale = np.divide(variance, mean, out=np.zeros_like(mean), where=mean > 0)
    chance = np.where(variance > 0, np.minimum(most * scale, others), mean)
    return np.asarray(kept * (shares[order] + chance))


def furthest_above(explained: Floats, reference: Floats) -> int:
    """Return after how many choices a path is furthest above another; 0 if never.

    For gains that fall this is where they fall below those of the other path. Of equal ones the
    first.

    Parameters
    ----------
    explained, reference : ndarray of shape (t,)
        Explained shares after 1, 2, ... choices.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.array([0.5, 0.8, 0.9, 0.95, 1.0])
    >>> furthest_above(path, np.arange(1, 6) / 5)
    2
    """
    above = np.concatenate([[0.0], explained - reference])
    return int(np.argmax(above >= above.max() - EQUAL))


def within_one_error(errors: Floats) -> int:
    """Return the smallest size whose mean error is within one standard error of the best.

    Parameters
    ----------
    errors : ndarray of shape (n_folds, t)
        The error on each fold with 1, 2, ... columns; infinite for sizes that are out of question.

    Examples
    --------
    >>> import numpy as np
    >>> within_one_error(np.array([[0.5, 0.22, 0.2], [0.6, 0.33, 0.3]]))
    2
    """
    means = errors.mean(axis=0)
    best = int(np.argmin(means))
    if not np.isfinite(means[best]):
        return 1  # one column is all there is
    error = float(errors[:, best].std(ddof=1) / np.sqrt(len(errors)))
    return int(np.argmax(means <= means[best] + error + EQUAL)) + 1
