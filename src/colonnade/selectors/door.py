"""The functional door to all methods: one call that chooses columns, or rows, by any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..foundation.parameters import INTEGERS
from ..foundation.wording import did_you_mean
from ..operands.advice import advise
from ..operands.entrance import as_columns, as_operand
from ..operands.interface import Columns, Operand
from ..operands.naming import column_names
from ..operands.preparing import Preparation, prepare
from ..operands.row_weights import check_weights
from ..registry import METHODS, Method
from ..selection import Selection

__all__ = ["rows_as_candidates", "select"]


def select(
    X: Any,
    n_select: int | float | str | None = None,
    *,
    method: str = "greedy",
    axis: int = 1,
    y: Any = None,
    names: Sequence[str] | None = None,
    **params: Any,
) -> Selection:
    """Choose columns, or rows, of a matrix by any method.

    Parameters
    ----------
    X : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates. To choose points by a kernel pass a :class:`Kernel`.
    n_select : int, float, {"auto", "parallel", "elbow", "held-out"} or None
        How many: a number, a fraction of the candidates, a rule, or None to let ``max_error``
        decide (without it, half of them). "auto" is "parallel": as long as columns explain more
        than if all were independent.
    method : str, default="greedy"
        A key of :data:`METHODS`.
    axis : {1, 0}, default=1
        1 chooses columns, 0 chooses rows: then ``center`` and ``scale`` are still about columns,
        as in :class:`RowSelector`.
    y : array-like of shape (m,) or (m, c), optional
        Labels or a target, for methods that need them: the same as ``labels`` or ``target``.
    names : sequence of str, optional
        What the candidates are called; by default as the frame says, if X is one.
    **params
        Parameters of the method, those of its class, such as ``center``, ``scale``,
        ``max_error``, ``refine`` or ``random_state``; ``labels`` or ``target`` for methods that
        need them; ``sample_weight``, the weights of the rows; and ``progress``, a function that
        is called as ``progress(count, wanted, relative_error)`` after each choice.

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
    >>> select(load_digits().data, 3, axis=0, center=True).n_candidates
    1797
    """
    if not isinstance(method, str) or method not in METHODS:
        hint = did_you_mean(method, METHODS)
        raise ValueError(f"method={method!r} is unknown{hint}; choose one of {', '.join(METHODS)}")
    entry = METHODS[method]
    if y is not None:
        params = {**params, **_as_supervised(entry, y, params)}
    A = _operand(X, params.get("missing", "error"))
    if not isinstance(axis, INTEGERS) or axis not in (0, 1):
        raise ValueError(f"axis={axis!r}; choose 1 for columns or 0 for rows")
    if axis == 0:
        return _select_rows(A, n_select, entry, {**params, "names": names})
    names = column_names(X) if names is None else names
    selection = entry(A, n_select, names=names, **params)
    if selection.units is None and not selection.info.get("center"):
        advise(A, check_weights(params.get("sample_weight"), A.shape[0]), names)
    return selection


def _operand(X: Any, missing: str) -> Operand:
    """Return the data as an operand; say what may become of gaps, if there are any."""
    try:
        return as_operand(X, gaps=missing != "error")
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise ValueError(
            "X contains NaN; choose missing='mean', 'median' or, for methods that take kernels, "
            "'pairwise', or fill what is missing before"
        ) from error


def _as_supervised(entry: Method, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return labels or a target under the name that the method knows."""
    name = entry.supervised
    if not name:
        needed = ", ".join(key for key, other in METHODS.items() if other.supervised)
        raise TypeError(
            f"method {entry.name!r} looks at X alone; leave y out, or choose a method that needs "
            f"it: {needed}"
        )
    if params.get(name) is not None:
        raise TypeError(f"y and {name} are the same for method {entry.name!r}; give one of them")
    return {name: y}


def _as_points(entry: Method, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return weights of rows under the name that they have where rows are candidates."""
    if "point_weights" not in entry.parameters:
        raise TypeError("rows are the candidates, and all alike; leave sample_weight out")
    if params.get("point_weights") is not None:
        raise TypeError("sample_weight and point_weights are the same for rows; give one of them")
    return {"point_weights": params["sample_weight"], "sample_weight": None}


def _select_rows(A: Operand, n_select: Any, entry: Method, params: dict[str, Any]) -> Selection:
    columns = as_columns(A, "axis=0", "leave axis out: a kernel chooses points already")
    if entry.supervised:
        raise TypeError(
            f"method {entry.name!r} explains {entry.supervised} of the rows; choose columns with it"
        )
    if params.get("sample_weight") is not None:
        params = {**params, **_as_points(entry, params)}
    about_columns = ("center", "scale", "missing")
    adjust: dict[str, Any] = {name: params[name] for name in about_columns if name in params}
    rest = {name: value for name, value in params.items() if name not in adjust}
    found = rows_as_candidates(columns, entry, **adjust)
    done: dict[str, Any] = {"axis": 0}
    if adjust:  # done already; what the method would do by default would be about rows
        rest |= {"center": False, "scale": None}
        done |= {"columns_" + name: value for name, value in found.about(adjust).items()}
    return entry(found.A, n_select, **rest).with_info(**done)


def rows_as_candidates(
    A: Columns, entry: Method, *, center: bool = False, scale: Any = None, missing: str = "error"
) -> Preparation:
    """Return an operand whose columns are the rows of the data, prepared by its columns.

    Parameters
    ----------
    A : Columns
        The data.
    entry : Method
        What will choose.
    center, scale, missing
        As for selectors; about the columns of the data.
    """
    if missing == "pairwise":
        raise ValueError(
            "missing='pairwise' gives inner products of columns, and rows are to be chosen; choose "
            "missing='mean' or 'median'"
        )
    if (center or scale is not None) and not entry.selector.weighs_rows:
        raise ValueError(
            f"method {entry.name!r} compares columns with each other where it chooses rows, and "
            "takes them as they are; leave center and scale, or standardize the data before"
        )
    found = prepare(A, center=center, scale=scale, missing=missing, candidates=False)
    assert isinstance(found.A, Columns), "only pairs have no columns"
    return replace(found, A=found.A.transposed())
