"""The one-call interface."""

from __future__ import annotations

from typing import Any

from ..foundation.wording import did_you_mean
from ..registry import METHODS
from ..selection import Selection

__all__ = ["select"]


def select(
    X: Any, n_select: int | float | None = None, *, method: str = "greedy", **params: Any
) -> Selection:
    """Choose columns of a matrix by any method.

    Parameters
    ----------
    X : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates. To choose rows pass the transpose, to choose points by
        a kernel pass a :class:`Kernel`.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    method : str, default="greedy"
        A key of :data:`METHODS`.
    **params
        Parameters of the method, such as ``max_error``, ``refine`` or ``random_state``.

    Returns
    -------
    Selection

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import select
    >>> selection = select(load_digits().data, 10, method="pivoted-qr")
    >>> len(selection)
    10
    """
    if method not in METHODS:
        hint = did_you_mean(method, METHODS)
        raise ValueError(f"method={method!r} is unknown{hint}; choose one of {', '.join(METHODS)}")
    return METHODS[method](X, n_select, **params)
