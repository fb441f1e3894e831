"""The few compiled inner loops.

Each function dispatches to a Numba loop and has a NumPy twin, named in its docstring, that
states in one line what it computes and serves the tests as its oracle. The loops run without
Python's lock, on parts of the data in several threads (``_threads.py``; Numba's own threads
would not survive a fork). Every column is summed by one thread in a fixed order, so no result
depends on the number of threads. Data may be float32; all arithmetic is in float64, since
reading the data is what takes the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..foundation.threads import in_parallel, shares
from ..foundation.typing import Array, Floats, Indices, Mask

__all__ = [
    "column_sq_norms",
    "criterion",
    "first_to_join",
    "group_sums",
    "keep_two_best",
    "move_rows",
    "row_sq_distances",
    "sweep",
    "update_scores",
]

# Reassociation lets the compiler use vector registers for sums; NaN and infinity keep their
# meaning, and division is not touched.
_SUMS = {"reassoc", "contract", "nsz"}
FEW = 4096
"""Up to this many columns NumPy scores them fast enough: a loop would have to be compiled first."""
_LINE = 64  # bytes of a cache line
_STRIP = 1024  # most columns per task when rows are contiguous: two sums of a strip stay in cache


def column_sq_norms(A: Array) -> Floats:
    """Return the squared norm of every column in float64: ``(A.astype(float)**2).sum(0)``."""
    return np.einsum("ij,ij->j", A, A, dtype=np.float64, casting="same_kind")


def update_scores(omega: Array, y: Array, gain: float, f: Floats, g: Floats) -> None:
    """Do ``f += -2*omega*y + gain*omega**2`` and ``g -= omega**2`` in place, in float64."""
    squares = omega * omega
    f -= 2.0 * omega * y
    f += gain * squares
    g -= squares


def sweep(
    A: Array,
    q: Array,
    z: Array,
    gain: float,
    f: Floats,
    g: Floats,
    means: Floats | None = None,
    factors: Floats | None = None,
) -> Array:
    """Read A once: return ``A.T @ q`` and update ``f, g`` by it and ``A.T @ z``.

    Twin: ``omega = A.T @ q; update_scores(omega, A.T @ z, gain, f, g)``. With means and factors,
    ``(A − means)·factors`` takes the place of A.
    """
    omega = np.empty(A.shape[1])
    by_columns = A.flags.f_contiguous
    if by_columns:  # both are read for each of the columns
        q, z = _aligned(q), _aligned(z)

    def do(part: slice) -> None:
        if by_columns:
            _sweep_columns(A.T, part.start, part.stop, q, z, gain, f, g, omega, means, factors)
        else:
            _sweep_rows(A, part.start, part.stop, q, z, gain, f, g, omega, means, factors)

    in_parallel(do, shares(A.shape[1], None if by_columns else _STRIP), A.size)
    return omega


def _aligned(x: Floats) -> Floats:
    """Return a copy that begins with a cache line, so that no vector register is on two."""
    room = np.empty(len(x) + _LINE // 8)
    start = -room.ctypes.data % _LINE // 8
    out = room[start : start + len(x)]
    out[:] = x
    return out


@njit(nogil=True, fastmath=_SUMS, cache=True)
def _sweep_columns(
    X: Any, start: Any, end: Any, q: Any, z: Any, gain: Any, f: Any, g: Any, omega: Any,
    means: Any, factors: Any,
) -> None:  # fmt: skip
    m = X.shape[1]
    for i in range(start, end):
        a = 0.0
        b = 0.0
        if means is None:  # known to the compiler, which drops the other branch
            for k in range(m):
                x = np.float64(X[i, k])
                a += x * q[k]
                b += x * z[k]
        else:
            mean = means[i]
            for k in range(m):
                x = np.float64(X[i, k]) - mean
                a += x * q[k]
                b += x * z[k]
            a *= factors[i]
            b *= factors[i]
        omega[i] = a
        f[i] += gain * (a * a) - 2.0 * a * b
        g[i] -= a * a


@njit(nogil=True, fastmath=_SUMS, cache=True)
def _sweep_rows(
    A: Any, start: Any, end: Any, q: Any, z: Any, gain: Any, f: Any, g: Any, omega: Any,
    means: Any, factors: Any,
) -> None:  # fmt: skip
    m, width = len(A), end - start
    a = np.zeros(width)
    b = np.zeros(width)
    # eight rows at a time: the sums are read and written once per eight rows of A
    for k in range(0, m - m % 8, 8):
        # slices of single rows are known to be contiguous, so the loop below is vectorized
        r0, r1 = A[k, start:end], A[k + 1, start:end]
        r2, r3 = A[k + 2, start:end], A[k + 3, start:end]
        r4, r5 = A[k + 4, start:end], A[k + 5, start:end]
        r6, r7 = A[k + 6, start:end], A[k + 7, start:end]
        q0, q1, q2, q3 = q[k], q[k + 1], q[k + 2], q[k + 3]
        q4, q5, q6, q7 = q[k + 4], q[k + 5], q[k + 6], q[k + 7]
        z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
        z4, z5, z6, z7 = z[k + 4], z[k + 5], z[k + 6], z[k + 7]
        for i in range(width):
            x0, x1 = np.float64(r0[i]), np.float64(r1[i])
            x2, x3 = np.float64(r2[i]), np.float64(r3[i])
            x4, x5 = np.float64(r4[i]), np.float64(r5[i])
            x6, x7 = np.float64(r6[i]), np.float64(r7[i])
            if means is not None:
                mean = means[start + i]
                x0, x1, x2, x3 = x0 - mean, x1 - mean, x2 - mean, x3 - mean
                x4, x5, x6, x7 = x4 - mean, x5 - mean, x6 - mean, x7 - mean
            a[i] += x0 * q0 + x1 * q1 + x2 * q2 + x3 * q3 + x4 * q4 + x5 * q5 + x6 * q6 + x7 * q7
            b[i] += x0 * z0 + x1 * z1 + x2 * z2 + x3 * z3 + x4 * z4 + x5 * z5 + x6 * z6 + x7 * z7
    for k in range(m - m % 8, m):
        for i in range(width):
            x = np.float64(A[k, start + i])
            if means is not None:
                x -= means[start + i]
            a[i] += x * q[k]
            b[i] += x * z[k]
    for i in range(width):
        if factors is not None:
            a[i] *= factors[start + i]
            b[i] *= factors[start + i]
        omega[start + i] = a[i]
        f[start + i] += gain * (a[i] * a[i]) - 2.0 * a[i] * b[i]
        g[start + i] -= a[i] * a[i]


def group_sums(A: Array, groups: Indices, n_groups: int, weights: Floats | None = None) -> Floats:
    """Return the sums of the rows of each group times their weights, in float64.

    Twin: ``np.add.at(out, groups, A * weights[:, None])``. For rows that are contiguous.
    """
    out = np.zeros((n_groups, A.shape[1]))
    loads = np.ones(len(A)) if weights is None else weights
    in_parallel(
        lambda part: _group_sums(A, part.start, part.stop, groups, loads, out),
        shares(A.shape[1], _STRIP),
        A.size,
    )
    return out


@njit(nogil=True, cache=True)
def _group_sums(A: Any, start: Any, end: Any, groups: Any, loads: Any, out: Any) -> None:
    for k in range(len(A)):
        row, total, load = A[k, start:end], out[groups[k], start:end], loads[k]
        for i in range(end - start):
            total[i] += load * np.float64(row[i])


def row_sq_distances(A: Array, centers: Floats, groups: Indices) -> Floats:
    """Return the squared distance of each row from the centre of its group.

    Twin: ``np.square(A - centers[groups]).sum(axis=1)``. For rows that are contiguous.
    """
    out = np.empty(A.shape[0])
    in_parallel(
        lambda part: _row_sq_distances(A, part.start, part.stop, centers, groups, out),
        shares(A.shape[0]),
        A.size,
    )
    return out


@njit(nogil=True, fastmath=_SUMS, cache=True)
def _row_sq_distances(A: Any, start: Any, end: Any, centers: Any, groups: Any, out: Any) -> None:
    n = A.shape[1]
    for k in range(start, end):
        row, center = A[k], centers[groups[k]]
        total = 0.0
        for i in range(n):
            gap = np.float64(row[i]) - center[i]
            total += gap * gap
        out[k] = total


def keep_two_best(
    scores: Array, offsets: Floats, first: int, where: Indices, best: Floats, second: Floats
) -> None:
    """Keep the two largest of ``scores − offsets`` in each row and of what was kept, in place.

    ``where`` is the column of the largest, counted from ``first``; of equal ones the first.
    Twin: ``np.sort(np.column_stack((best, second, scores - offsets)), axis=1)[:, -2:]``. Scores
    whose columns are contiguous are compared several rows at a time, in half of the time.
    """
    if scores.T.flags.c_contiguous:
        _keep_two_best_of_columns(scores.T, offsets, first, where, best, second)
        return
    in_parallel(
        lambda part: _keep_two_best(
            scores[part], offsets, first, where[part], best[part], second[part]
        ),
        shares(len(scores)),
        scores.size,
    )


@njit(nogil=True, cache=True)
def _keep_two_best(
    scores: Any, offsets: Any, first: Any, where: Any, best: Any, second: Any
) -> None:
    for i in range(len(scores)):
        row, top, next_one, place = scores[i], best[i], second[i], where[i]
        for c in range(len(offsets)):
            value = np.float64(row[c]) - offsets[c]
            if value > next_one:
                if value > top:
                    next_one, top, place = top, value, first + c
                else:
                    next_one = value
        best[i], second[i], where[i] = top, next_one, place


@njit(nogil=True, cache=True)
def _keep_two_best_of_columns(
    columns: Any, offsets: Any, first: Any, where: Any, best: Any, second: Any
) -> None:
    for c in range(len(offsets)):
        column, offset = columns[c], offsets[c]
        for i in range(len(best)):  # without a branch, for vector registers
            value, top = np.float64(column[i]) - offset, best[i]
            lower = value if value < top else top
            second[i] = lower if lower > second[i] else second[i]
            where[i] = first + c if value > top else where[i]
            best[i] = value if value > top else top


def move_rows(
    X: Floats, weights: Floats, labels: Indices, centers: Floats, sizes: Floats, counts: Indices
) -> int:
    """Visit rows one after another and move each to the cluster where it costs least, in place.

    Row x of weight w costs ``w·n/(n − w)·‖x − c‖²`` where it is and would cost
    ``w·n/(n + w)·‖x − c‖²`` elsewhere, for clusters of weight n and mean c. It is moved where
    this is less by more than rounding, and both means follow. The last row of a cluster stays.
    Returns how many were moved.
    """
    return int(_move_rows(X, weights, labels, centers, sizes, counts))


@njit(nogil=True, fastmath=_SUMS, cache=True)
def _move_rows(X: Any, weights: Any, labels: Any, centers: Any, sizes: Any, counts: Any) -> int:
    k, d = centers.shape
    moved = 0
    for i in range(len(X)):
        own, w, row = labels[i], weights[i], X[i]
        if counts[own] == 1 or sizes[own] <= w:
            continue
        distance = 0.0
        for j in range(d):
            gap = row[j] - centers[own, j]
            distance += gap * gap
        least = distance * sizes[own] / (sizes[own] - w) * (1.0 - 1e-9)
        there = own
        for c in range(k):
            if c == own:
                continue
            center, share = centers[c], sizes[c] / (sizes[c] + w)
            distance = 0.0
            for begin in range(0, d, 256):  # most centres are told to be too far early
                for j in range(begin, min(begin + 256, d)):
                    gap = row[j] - center[j]
                    distance += gap * gap
                if distance * share >= least:
                    break
            if distance * share < least:
                least, there = distance * share, c
        if there != own:
            rest, more = sizes[own] - w, sizes[there] + w
            for j in range(d):
                centers[own, j] -= w * (row[j] - centers[own, j]) / rest
                centers[there, j] += w * (row[j] - centers[there, j]) / more
            sizes[own], sizes[there] = rest, more
            counts[own] -= 1
            counts[there] += 1
            labels[i] = there
            moved += 1
    return moved


def criterion(
    f: Floats, g: Floats, unit: float, f_ref: Floats, drift: Floats, level: float, live: Mask
) -> tuple[Floats, Floats]:
    """Return the scores ``f / g`` of the live columns and how far rounding may have moved them.

    Twin: ``s = f / g`` and ``(unit*f_ref + drift*(level + maximum(s, 0))) / g`` where live,
    −∞ and 0 elsewhere.
    """
    if len(f) <= FEW:
        score = np.full(len(f), -np.inf)
        np.divide(f, g, out=score, where=live)
        blur = np.maximum(score, 0.0)
        blur += level
        blur *= drift
        blur += unit * f_ref
        doubt = np.zeros(len(f))
        np.divide(blur, g, out=doubt, where=live)
        return score, doubt
    score, doubt = np.empty_like(f), np.empty_like(f)
    _criterion(f, g, unit, f_ref, drift, level, live, score, doubt)
    return score, doubt


@njit(cache=True)
def _criterion(
    f: Any, g: Any, unit: Any, f_ref: Any, drift: Any, level: Any, live: Any, score: Any, doubt: Any
) -> None:
    for i in range(len(f)):
        if live[i]:
            score[i] = f[i] / g[i]
            doubt[i] = (unit * f_ref[i] + drift[i] * (level + max(score[i], 0.0))) / g[i]
        else:
            score[i] = -np.inf
            doubt[i] = 0.0


@njit(cache=True)
def first_to_join(
    c: Floats, a: Floats, g: Floats, floor: Floats, top: float, tie: float
) -> tuple[float, int]:
    """Return how far ``c − t·a`` can go until an entry is as large as ``top − t``, and which.

    Only where ``g > floor``; at most ``top``; of several within ``tie`` the first. Twin: ``until
    = minimum(where(a < 1, (top − c) / (1 − a), inf), where(a > −1, (top + c) / (1 + a), inf))``,
    its smallest entry and the first that is at most that plus ``tie``.
    """
    n = len(c)
    until = np.full(n, np.inf)
    step = top
    for j in range(n):
        if g[j] > floor[j]:
            if 1.0 - a[j] >= 1e-12:
                until[j] = max(top - c[j], 0.0) / (1.0 - a[j])
            if 1.0 + a[j] >= 1e-12:
                until[j] = min(until[j], max(top + c[j], 0.0) / (1.0 + a[j]))
            step = min(step, until[j])
    for j in range(n):
        if until[j] <= step + tie:
            return step, j
    return step, 0
