"""Two rounds: each part of the columns sends its winners, and the best of these are chosen.

For data whose columns are not all in memory, and too many for their inner products. All parts
choose against one target, which stands for the whole: ``B`` with ``B Bᵀ = A Aᵀ``, or a signed
sketch of A if there are many rows. So a part does not send what looks good in it alone. What the
choice leaves is measured on the whole data at the end.

Altschuler et al. [1]_ show that greedy choices from the greedy choices of random parts explain, on
average, a constant share of what the best set explains, if parts send enough of them.

References
----------
.. [1] Altschuler, Bhaskara, Fu, Mirrokni, Rostamizadeh & Zadimoghaddam, "Greedy column subset
   selection: new bounds and distributed algorithms", ICML 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.lapack import eigh
from ..foundation.typing import Array, Floats, Indices, Mask
from ..linalg.projecting import orthonormal_basis, project_out
from ..operands.blocks import block_slices
from ..operands.chunked.array import Chunked
from ..operands.chunked.checkpoint import Kept, digest_of
from ..operands.chunked.packing import packed, unpacked
from ..operands.chunked.planning import Plan, check_plan
from ..operands.chunked.round_plans import following_needs, plan_following, plan_rounds
from ..operands.entrance import check_scale
from ..operands.interface import Columns
from ..operands.loops import column_sq_norms
from .exchanging import exchanged
from .loop import Pivots, Progress, pivot
from .rules import Rule

__all__ = [
    "Followed",
    "choose_in_rounds",
    "followed",
    "planned_following",
    "planned_rounds",
    "shortened",
]

EXACT_ROWS = 2048
"""Up to this many rows ``A Aᵀ`` is formed, and the target stands for the whole exactly."""
TRUSTED = 1e-10
"""Eigenvalues of ``A Aᵀ`` below this share of the largest have lost digits to squaring."""
EXCHANGED = 4
"""How many times as many columns as are chosen are sent in all, so that some can be exchanged."""
SKETCH = 4
"""How many columns a sketch has for each that is to be chosen; at least 256."""
WINNERS_BYTES = 2**30
"""How much the winners of all parts may take together."""
EMBEDDING_BYTES = 2**30
"""Up to which size the embedding of all columns is kept."""


@dataclass(frozen=True)
class Followed:
    """What a choice is worth on all columns.

    Attributes
    ----------
    pivots : Pivots
        The choice with its error path, measured on the whole data.
    info : dict
        How it was found.
    """

    pivots: Pivots
    info: dict[str, Any]


def choose_in_rounds(
    A: Chunked,
    rule: Rule,
    *,
    n_select: int,
    max_error: float | None = None,
    target: Array | None = None,
    first: Sequence[int] = (),
    candidates: Mask | None = None,
    n_winners: int | None = None,
    improve: Any = None,
    progress: Progress | None = None,
) -> Followed:
    """Choose columns by a rule in two rounds, and measure what they leave.

    Parameters
    ----------
    A : Chunked
        The candidates.
    rule : Rule
        How to choose, in both rounds; one that does not draw.
    n_select : int
        How many to choose.
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    target : ndarray of shape (m, c), optional
        What to reconstruct; the data itself by default.
    first : sequence of int
        Columns to choose before the rule is asked.
    candidates : ndarray of bool, optional
        Columns that may be chosen.
    n_winners : int, optional
        How many each part sends; ``n_select`` by default, more of less than four parts, less if all
        would take too much memory, but at least twice as many in all as are chosen.
    improve : callable, optional
        Of the winners, their choice and the target; returns a better choice and how many
        exchanges it took.
    progress : callable, optional
        Called after each choice of the last round.
    """
    m, n = A.shape
    cuts = A.column_parts()
    allowed = np.ones(n, dtype=bool) if candidates is None else candidates
    if n_winners is None:
        n_winners = winners_for(m, len(cuts), n_select, A.dtype.itemsize)
    check_plan(planned_rounds(A, n_select, n_winners, target))
    settings = _settings(A, rule, n_select, n_winners, first, allowed, target)
    kept = Kept.of(A.source, "rounds", settings, None, every=True)  # winners may be anywhere
    B, exact = (target, False) if target is not None else _target(A, n_select, kept)
    unit = check_scale(float(np.abs(B).max(initial=0.0)))
    if unit != 1.0:  # so that squares of squares are in range
        A, B = A.scaled(unit), B * unit
    sent = _winners(A, rule, B, n_winners, np.asarray(first, dtype=np.intp), allowed, kept)
    numbers = np.concatenate([found for found, _ in sent])
    C = unpacked([columns for _, columns in sent])
    place = {int(p): i for i, p in enumerate(numbers)}
    pivots = pivot(
        C, rule, n_select=min(n_select, len(numbers)), target=B,
        first=[place[p] for p in first], progress=progress,
    )  # fmt: skip
    chosen = list(pivots.indices)
    info: dict[str, Any] = {
        "parts": len(cuts),
        "winners": len(numbers),
        "target": "given" if target is not None else "exact" if exact else B.shape[1],
    }
    if improve is not None:
        share = max_error if target is None else None
        locked = [place[p] for p in first]
        better, info["n_swaps"] = exchanged(C, chosen, locked, B, share, improve)
        if len(better) < len(chosen):  # in case a sketch was mistaken
            better = pivot(C, rule, n_select=len(chosen), target=B, first=better).indices
        chosen = better
    basis = C.columns(np.array(chosen, dtype=np.intp))
    found = followed(A, [int(numbers[i]) for i in chosen], basis, exhausted=pivots.exhausted)
    found = shortened(found, max_error, len(first))
    return Followed(found if unit == 1.0 else _rescaled(found, 1.0 / unit), info)


def _rescaled(pivots: Pivots, factor: float) -> Pivots:
    W, square = pivots.embedding, factor * factor
    return Pivots(
        pivots.indices, pivots.errors * square, pivots.total * square,
        None if W is None else W * W.dtype.type(factor), pivots.residuals * square,
        pivots.exhausted,
    )  # fmt: skip


def winners_for(n_rows: int, n_parts: int, n_select: int, itemsize: int = 8) -> int:
    """Return how many columns each part sends: as many as are wanted, if there is room."""
    room = WINNERS_BYTES // (itemsize * max(1, n_rows) * n_parts)
    least = min(n_select, -(-2 * n_select // n_parts))
    return int(np.clip(room, least, max(n_select, -(-EXCHANGED * n_select // n_parts))))


def planned_rounds(A: Chunked, n_select: int, n_winners: int | None, target: Any) -> Plan:
    """Return what two rounds take.

    Parameters
    ----------
    A : Chunked
        The candidates.
    n_select : int
        How many to choose.
    n_winners : int or None
        How many each part sends; None for the usual number.
    target : ndarray or None
        What to reconstruct, if it is not the data.
    """
    m, n = A.shape
    if n_winners is None:
        n_winners = winners_for(m, len(A.column_parts()), n_select, A.dtype.itemsize)
    exact = target is None and m <= EXACT_ROWS
    width = target.shape[1] if target is not None else m if exact else sketch_size(n, n_select)
    return plan_rounds(
        A.source, turned=A.turned, n_select=n_select, n_winners=n_winners, target_width=width,
        exact=exact, given=target is not None, itemsize=A.dtype.itemsize,
        keeps_embedding=n_select * n * A.dtype.itemsize <= EMBEDDING_BYTES,
        treatment_bytes=A.treatment_bytes(parts=exact or target is not None)
        + 2 * A.treatment_bytes(parts=True),
    )  # fmt: skip


def planned_following(A: Chunked, n_select: int) -> Plan:
    """Return what it takes to measure a choice that is made otherwise."""
    size = A.dtype.itemsize
    return plan_following(
        A.source, turned=A.turned, n_select=n_select, itemsize=size,
        keeps_embedding=n_select * A.shape[1] * size <= EMBEDDING_BYTES,
        treatment_bytes=2 * A.treatment_bytes(parts=True),
    )  # fmt: skip


def sketch_size(n: int, n_select: int) -> int:
    """Return how many columns a sketch of n columns has."""
    return min(n, max(256, SKETCH * n_select))


def _settings(
    A: Chunked,
    rule: Rule,
    n_select: int,
    n_winners: int,
    first: Sequence[int],
    allowed: Mask,
    target: Any,
) -> dict[str, Any]:
    return {
        "rule": type(rule).__name__,
        "n_select": n_select,
        "n_winners": n_winners,
        "rows": A.turned,
        "treatment": A.digest(),
        "must_include": [int(p) for p in first],
        "excluded": np.flatnonzero(~allowed).tolist(),
        "target": digest_of(target),
    }


def _target(A: Chunked, n_select: int, kept: Kept | None) -> tuple[Floats, bool]:
    """Return a matrix that stands for A, and whether it does so exactly, by one pass."""
    m, n = A.shape
    exact = m <= EXACT_ROWS
    before = None if kept is None else kept.load("target")
    if before is not None:
        return before["B"], exact
    if exact:
        values, vectors = eigh(A.outer(), overwrite_a=True, check_finite=False)
        keep = values > values[-1] * m * np.finfo(float).eps
        B = vectors[:, keep] * np.sqrt(values[keep])
        wanted = values[-min(n_select, m)]
        if wanted < TRUSTED * values[-1] and m <= n:
            # squares have lost digits of directions that are to be chosen: once more without them
            B = np.ascontiguousarray(A.triangle().T)
    else:
        # the same signs in every run, so that nothing depends on chance
        B = A.signed_sums(sketch_size(n, n_select), np.random.RandomState(0))
    if kept is not None:
        kept.save({"B": B}, "target")
    return B, exact


def _winners(
    A: Chunked,
    rule: Rule,
    B: Array,
    n_winners: int,
    first: Indices,
    allowed: Mask,
    kept: Kept | None,
) -> list[tuple[Indices, Any]]:
    """Return the numbers and the columns of what each part sends, by one pass."""
    cuts = A.column_parts()
    places = [np.flatnonzero((first >= cut.start) & (first < cut.stop)) for cut in cuts]
    forced = [first[there] - cut.start for there, cut in zip(places, cuts, strict=True)]
    out: list[Any] = [None] * len(cuts)
    before = None if kept is None else kept.load("winners")
    if before is not None:
        known = [p for p in range(len(cuts)) if str(p) in before]
        columns = A.over_columns(packed, "winners again", lambda p: (before[str(p)],), known)
        for p, found in zip(known, columns, strict=True):
            out[p] = (before[str(p)], found)

    def done(part: int, found: tuple[Indices, Any]) -> None:
        out[part] = found
        if kept is not None:
            ready = {str(p): one[0] for p, one in enumerate(out) if one is not None}
            kept.save_now_and_then(ready, "winners", last=len(ready) == len(cuts))

    left = [p for p in range(len(cuts)) if out[p] is None]
    B_shared = A.shared(B)
    A.over_columns(
        _best_of_part, "winners",
        lambda p: (rule, B_shared, n_winners, forced[p], allowed[cuts[p]]), left, done,
    )  # fmt: skip
    return [(found + cut.start, columns) for (found, columns), cut in zip(out, cuts, strict=True)]


def _best_of_part(
    A: Columns, rule: Rule, B: Array, n_winners: int, first: Indices, allowed: Mask
) -> tuple[Indices, Any]:
    """Return the best columns of a part for the common target; those that are wanted first."""
    size = min(n_winners + len(first), int(allowed.sum()) + len(first))
    pivots = pivot(A, rule, n_select=size, target=B, first=first.tolist(), candidates=allowed)
    chosen = np.array(pivots.indices, dtype=np.intp)
    return chosen, packed(A, chosen)


def followed(
    A: Chunked, chosen: Sequence[int], columns: Array | None = None, *, exhausted: bool = False
) -> Pivots:
    """Return the error path and the embedding of given choices, by one pass over the data.

    Parameters
    ----------
    A : Chunked
        The data.
    chosen : sequence of int
        The columns in order.
    columns : ndarray of shape (m, l), optional
        These columns; they are fetched if they are not given.
    exhausted : bool
        Whether no other candidate could lower the error.
    """
    numbers = np.array(chosen, dtype=np.intp)
    if columns is None:
        columns = A.columns(numbers)
    Q = np.ascontiguousarray(orthonormal_basis(columns, np.arange(len(numbers))).T)
    keep = len(numbers) * A.shape[1] * A.dtype.itemsize <= EMBEDDING_BYTES
    shared = A.shared(Q)
    sizes = [cut.stop - cut.start for cut in A.column_parts()]
    needs = following_needs(sizes, len(Q.T), len(Q), A.dtype.itemsize if keep else 0)
    found = A.over_columns(_left_of_part, "what is left", lambda _: (shared, keep), needs=needs)
    gains = np.sum([part[0] for part in found], axis=0)
    residuals = np.concatenate([part[1] for part in found])
    residuals[numbers] = 0.0
    total = float(sum(part[2] for part in found))
    errors = residuals.sum() + np.append(np.cumsum(gains[:0:-1])[::-1], 0.0)[: len(gains)]
    W = np.concatenate([part[3] for part in found], axis=1) if keep else None
    return Pivots(list(chosen), errors, total, W, residuals, exhausted)


def _left_of_part(A: Columns, Q: Floats, keep: bool) -> tuple[Floats, Floats, float, Array | None]:
    """Return what each direction explains of a part, what is left of its columns, its size."""
    W = A.rmatmat(Q.T).T
    squares = A.sq_norms()
    residuals = squares - column_sq_norms(W)
    # differences of squares lose the digits of what is small: such columns are projected
    doubtful = np.flatnonzero(residuals < 1e-6 * squares)
    for block in block_slices(len(doubtful), A.shape[0]):
        j = doubtful[block]
        residuals[j] = column_sq_norms(project_out(A.columns(j), Q))
    gains = np.einsum("ij,ij->i", W, W)
    return gains, residuals, float(squares.sum()), W.astype(A.dtype) if keep else None


def shortened(pivots: Pivots, max_error: float | None, least: int) -> Pivots:
    """Return the beginning of a choice that is good enough.

    Parameters
    ----------
    pivots : Pivots
        The choice.
    max_error : float or None
        The share of the squared norm that may be left; None for all of the choice.
    least : int
        How many choices are kept in any case.
    """
    if max_error is None:
        return pivots
    enough = np.flatnonzero(pivots.errors <= max_error * pivots.total)
    size = max(int(enough[0]) + 1, least) if len(enough) else len(pivots.indices)
    W = pivots.embedding
    left = pivots.residuals
    if size < len(pivots.indices) and W is not None:
        left = left + np.square(W[size:], dtype=float).sum(axis=0)
    return Pivots(
        pivots.indices[:size], pivots.errors[:size], pivots.total, None if W is None else W[:size],
        left, pivots.exhausted,
    )  # fmt: skip
