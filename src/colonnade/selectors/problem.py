"""From a user's wishes to a :class:`Selection`: what all pivoting methods share."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..foundation.alerts import warn_rank
from ..foundation.parameters import INTEGERS, REALS, check_columns
from ..foundation.typing import Array, Mask
from ..operands.entrance import as_operand, check_scale
from ..operands.interface import Operand
from ..pivoting.loop import Pivots, Progress, pivot
from ..pivoting.rules import Criterion, Given, LargestDiagonal, Rule
from ..pivoting.swaps import refine as swap
from ..pivoting.targets import KernelTarget
from ..selection import Selection

__all__ = [
    "MANY_SWEEPS",
    "Wishes",
    "as_target",
    "printer",
    "resolve_size",
    "run",
    "settle",
]

MANY_SWEEPS = 100


class Wishes:
    """A user's sizes, inclusions and exclusions, checked against the data.

    Attributes
    ----------
    A : Operand
        The data, scaled if its entries are of an extreme size.
    unit : float
        The factor by which it was scaled.
    n_select : int or None
        How many columns to choose.
    max_error : float or None
        At which relative error to stop.
    first : ndarray of int
        Columns to choose before all others.
    allowed : ndarray of bool
        Columns that may be chosen.
    target_unit : float
        The factor by which a target was scaled.
    """

    def __init__(
        self,
        X: Any,
        n_select: Any,
        *,
        max_error: Any = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
    ):
        A = as_operand(X)
        self.unit = check_scale(A.max_abs())
        self.A: Operand = A if self.unit == 1.0 else A.scaled(self.unit)
        n = A.shape[1]
        self.n_select, self.max_error = resolve_size(n_select, max_error, n)
        self.first = check_columns("must_include", must_include, n)
        out = check_columns("exclude", exclude, n)
        both = np.intersect1d(self.first, out)
        if len(both):
            raise ValueError(f"column {both[0]} is in must_include and in exclude")
        if self.n_select is not None and len(self.first) > self.n_select:
            raise ValueError(
                f"must_include holds {len(self.first)} columns but n_select={self.n_select}; "
                f"choose n_select at least {len(self.first)}"
            )
        self.target_unit = 1.0
        self.allowed: Mask = np.ones(n, dtype=bool)
        self.allowed[out] = False
        self.allowed[self.first] = False
        left = int(self.allowed.sum()) + len(self.first)
        if left == 0:
            raise ValueError("exclude leaves no columns to choose from; exclude fewer")
        if self.n_select is not None and self.n_select > left:
            if isinstance(n_select, INTEGERS):
                raise ValueError(
                    f"n_select={n_select} but exclude leaves {left} columns; choose 1 to {left}"
                )
            self.n_select = left

    def scaled_target(self, B: Array) -> Array:
        """Return a target scaled to moderate size; the scale is kept for its error path."""
        self.target_unit = check_scale(float(np.abs(B).max()))
        return B * self.target_unit

    @property
    def n_candidates(self) -> int:
        """How many columns there are."""
        return self.A.shape[1]


def run(
    wishes: Wishes,
    rule: Rule,
    *,
    target: Array | KernelTarget | None = None,
    of_target: bool = False,
    source: Array | None = None,
    refine: bool | int = False,
    progress: Progress | None = None,
) -> Selection:
    """Choose, refine if wished, warn if the rank was reached, and put it all together.

    Parameters
    ----------
    wishes : Wishes
        What the user wants.
    rule : Rule
        How to choose.
    target : ndarray or KernelTarget, optional
        What to reconstruct; the data itself by default.
    of_target : bool
        Whether the error path is that of the target.
    source : ndarray of int, optional
        Choose among these columns only, and look at no others while choosing.
    refine : bool or int
        Whether to exchange columns afterwards, or how many sweeps at most.
    progress : callable, optional
        Called after each choice.

    Returns
    -------
    Selection
    """
    A = wishes.A
    sweeps = _sweeps(refine)
    info: dict[str, Any] = {"errors_of": "target" if of_target else "data"}
    if source is None:
        pivots = pivot(
            A, rule, n_select=wishes.n_select, max_error=wishes.max_error, target=target,
            first=wishes.first.tolist(), candidates=wishes.allowed, of_target=of_target,
            progress=progress,
        )  # fmt: skip
    else:
        info["n_presampled"] = len(source)
        pivots = _among(wishes, rule, source, target, of_target, progress)
    if sweeps and len(pivots.indices):
        matrix = target if of_target and isinstance(target, np.ndarray) else None
        chosen, info["n_swaps"] = swap(
            A, pivots.indices, sweeps=sweeps, target=matrix,
            locked=set(wishes.first.tolist()), candidates=wishes.allowed | _mask(A, pivots),
            progress=progress,
        )  # fmt: skip
        if info["n_swaps"] or len(chosen) < len(pivots.indices):
            refined = _ordered(wishes, chosen, matrix)
            rounding = (16 * float(np.finfo(A.dtype).eps)) ** 2 * max(A.shape) * pivots.total
            if refined.errors[-1] <= max(float(pivots.errors[-1]), rounding):
                pivots = refined
            else:  # what looked like a gain was rounding
                info["n_swaps"] = 0
    _warn_if_short(wishes, pivots, of_target)
    back = 1.0 / wishes.unit
    scale = back if not of_target else 1.0 / wishes.target_unit
    embedding = pivots.embedding
    return Selection(
        indices=np.array(pivots.indices, dtype=np.intp),
        n_candidates=A.shape[1],
        errors=pivots.errors * scale * scale,
        total=pivots.total * scale * scale,
        embedding=embedding if back == 1.0 else embedding * embedding.dtype.type(back),
        info=info,
    )


def settle(
    wishes: Wishes,
    chosen: Array,
    weights: Array,
    *,
    info: Mapping[str, Any],
    progress: Progress | None = None,
) -> Selection:
    """Return the selection of given, weighted columns, with its error path and embedding."""
    wishes.n_select = len(chosen)
    selection = run(wishes, Given(chosen.tolist()), progress=progress)
    return selection.replace(weights=weights, info={**selection.info, **info})


def _sweeps(refine: Any) -> int:
    if isinstance(refine, bool | np.bool_):
        return MANY_SWEEPS if refine else 0
    if not isinstance(refine, INTEGERS):
        raise TypeError(f"refine must be True, False or a number of sweeps, got {refine!r}")
    if refine < 0:
        raise ValueError(f"refine={refine}; choose 0 for none, or a number of sweeps")
    return int(refine)


def _mask(A: Operand, pivots: Pivots) -> Mask:
    mask = np.zeros(A.shape[1], dtype=bool)
    mask[pivots.indices] = True
    return mask


def _among(
    wishes: Wishes,
    rule: Rule,
    source: Array,
    target: Array | KernelTarget | None,
    of_target: bool,
    progress: Progress | None,
) -> Pivots:
    """Choose among a few columns, then follow the choice on all of them."""
    A = wishes.A
    position = {int(p): i for i, p in enumerate(source)}
    few = A.subset(source)
    whole: Array | Operand | KernelTarget | None = target
    if target is None:
        whole = (
            A if A.has_columns else KernelTarget(A.gram_columns(source), float(A.sq_norms().sum()))
        )
    elif isinstance(target, KernelTarget):
        whole = KernelTarget(target.products[:, source], target.sq_norm)
    pivots = pivot(
        few, rule, n_select=wishes.n_select, target=whole,
        first=[position[p] for p in wishes.first.tolist()], of_target=of_target,
        progress=progress,
    )  # fmt: skip
    chosen = [int(source[i]) for i in pivots.indices]
    return _follow(wishes, chosen, target if of_target else None, pivots.exhausted)


def _follow(wishes: Wishes, chosen: list[int], target: Any, exhausted: bool) -> Pivots:
    """Return the errors and the embedding that given choices have, cut at ``max_error``."""
    rule: Rule = LargestDiagonal() if target is None else Criterion()
    pivots = pivot(
        wishes.A, rule, n_select=len(chosen), first=chosen, target=target,
        of_target=target is not None,
    )  # fmt: skip
    size = len(chosen)
    if wishes.max_error is not None:
        enough = np.flatnonzero(pivots.errors <= wishes.max_error * pivots.total)
        size = max(int(enough[0]) + 1 if len(enough) else size, len(wishes.first))
    return Pivots(
        pivots.indices[:size], pivots.errors[:size], pivots.total, pivots.embedding[:size],
        exhausted,
    )  # fmt: skip


def _ordered(wishes: Wishes, chosen: list[int], target: Array | None) -> Pivots:
    """Put a set of columns in greedy order, so that its beginnings are good sets too."""
    among = np.zeros(wishes.n_candidates, dtype=bool)
    among[chosen] = True
    return pivot(
        wishes.A, Criterion(), n_select=len(chosen), target=target, first=wishes.first.tolist(),
        candidates=among, of_target=target is not None,
    )  # fmt: skip


def _warn_if_short(wishes: Wishes, pivots: Pivots, of_target: bool) -> None:
    """Say so if fewer columns were chosen, or more error is left, than was asked for."""
    found = len(pivots.indices)
    left = float(pivots.errors[-1]) if found else pivots.total
    share = left / pivots.total if pivots.total > 0 else 0.0
    short = wishes.n_select is not None and found < wishes.n_select
    enough = wishes.max_error is not None and share <= wishes.max_error
    unreached = wishes.n_select is None and not enough
    if enough or not (short or unreached):
        return
    what = "the target" if of_target else "the data"
    asked = f" of the {wishes.n_select} choices asked for" if short else " choices"
    if share < 1e-9:
        warn_rank(
            f"{found}{asked} already reconstruct {what} to working precision (numerical rank "
            f"reached); returning {found}"
        )
    else:
        warn_rank(
            f"{found}{asked} were made: no other candidate is outside their span (numerical rank "
            f"reached), and {share:.3g} of {what} is left"
        )


def resolve_size(n_select: Any, max_error: Any, n_candidates: int) -> tuple[int | None, Any]:
    """Return how many columns to choose, or None if the error alone decides.

    Parameters
    ----------
    n_select : int, float or None
        A number, a fraction of the columns, or None.
    max_error : float or None
        The relative squared error at which to stop.
    n_candidates : int
        How many columns there are.

    Returns
    -------
    n_select : int or None
    max_error : float or None
    """
    if max_error is not None:
        if isinstance(max_error, bool) or not isinstance(max_error, REALS):
            raise TypeError(f"max_error must be a number from 0 to 1, got {max_error!r}")
        if not 0 <= max_error < 1:
            raise ValueError(
                f"max_error={max_error}; choose a share of the squared size of the data, at "
                "least 0 and below 1, for example 0.1"
            )
        max_error = float(max_error)
    if n_select is None:
        return (None if max_error is not None else max(1, n_candidates // 2)), max_error
    if isinstance(n_select, bool | np.bool_) or not isinstance(n_select, REALS):
        raise TypeError(
            f"n_select must be an integer, a fraction or None, got {n_select!r} "
            f"({type(n_select).__name__})"
        )
    if isinstance(n_select, INTEGERS):
        if not 1 <= n_select <= n_candidates:
            plural = "column" if n_candidates == 1 else "columns"
            raise ValueError(
                f"n_select={n_select} but there are {n_candidates} {plural} to choose from; "
                f"choose 1 to {n_candidates}, or a fraction such as 0.1"
            )
        return int(n_select), max_error
    if not 0 < n_select <= 1:
        raise ValueError(
            f"n_select={n_select}; a fraction must be above 0 and at most 1 (for a number of "
            f"columns pass an integer from 1 to {n_candidates})"
        )
    return max(1, round(float(n_select) * n_candidates)), max_error


def printer(label: str) -> Callable[[int, int | None, float], None]:
    """Return a progress callback that prints a line every second to standard error."""
    last = time.monotonic()

    def show(count: int, wanted: int | None, error: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 1.0 or count == wanted or count == 1:
            last = now
            of = "" if wanted is None else f" of {wanted}"
            print(f"[{label}] {count}{of} chosen, {error:.4%} of the error left", file=sys.stderr)

    return show


def as_target(y: Any, n_rows: int) -> Array:
    """Return a target as a float matrix of the same rows."""
    if hasattr(y, "toarray"):
        raise TypeError("the target must be a dense array or list; pass y.toarray()")
    B = np.asarray(y)
    if B.dtype.kind not in "fiub":
        raise TypeError(
            f"Unknown label type: the target has dtype {B.dtype} but must be numeric; encode "
            "classes first, for example with sklearn.preprocessing.LabelBinarizer"
        )
    B = B.astype(np.float64)
    if B.ndim == 1:
        B = B[:, None]
    if B.ndim != 2 or B.shape[0] != n_rows or B.shape[1] == 0:
        raise ValueError(f"the target has shape {np.shape(y)}; it must have {n_rows} rows")
    if not np.isfinite(B).all():
        raise ValueError("the target contains NaN or infinity")
    if not B.any():
        raise ValueError("the target is zero everywhere: there is nothing to reconstruct")
    return B
