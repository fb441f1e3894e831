"""Compiled loops over compressed sparse matrices, as they are stored.

A matrix is given as three arrays, by slices of its *major* axis: the rows of CSR or the columns
of CSC. The loops serve both, since the transpose of the one is the other. As in ``loops.py``
every function names a twin that serves the tests as its oracle, data of any type is read as
float64, and no result depends on the number of threads: each number is summed by one thread in
the order of the major axis. Within a slice the indices ascend (``containers.canonical``).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ..foundation.threads import cores, in_parallel, shares
from ..foundation.typing import Array, Floats, Indices

__all__ = [
    "Compressed",
    "add_pairs",
    "add_scattered",
    "even_cuts",
    "even_parts",
    "gathered",
    "gram_sq_norms",
    "group_sums",
    "minor_bounds",
    "minor_counts",
    "minor_shares",
    "minor_slice",
    "sq_norms",
    "turned",
]

PARTS = 16
"""Into how many parts the other orientation is cut, of which one exists at a time."""
U = np.uint64
"""For indices in inner loops: Numba looks at signed ones whether they count from the end."""
_TASKS = 8  # each sums on its own: as many vectors are held, however many cores there are
_MOST_SHARES = 8  # each holds its own bounds


class Compressed(NamedTuple):
    """The arrays of a CSR or CSC matrix; ``indptr`` may be that of some of the slices alone."""

    indptr: Array
    indices: Array
    data: Array


def minor_counts(A: Compressed, length: int) -> Indices:
    """Return how many entries each index of the minor axis has.

    Twin: ``np.bincount(indices, minlength=length)``, which would copy the indices.
    """
    out = np.zeros(length, np.intp)
    _minor_counts(A.indptr, A.indices, out)
    return out


@njit(nogil=True, cache=True)
def _minor_counts(indptr: Any, indices: Any, out: Any) -> None:
    for h in range(indptr[0], indptr[-1]):
        out[indices[h]] += 1


def minor_bounds(A: Compressed, start: int, stop: int) -> tuple[Array, Array]:
    """Return where the indices ``start`` to ``stop`` of the minor axis lie in each slice.

    Twin: ``indptr[i] + np.searchsorted(indices[indptr[i] : indptr[i + 1]], (start, stop))``.
    """
    first, last = np.empty_like(A.indptr[1:]), np.empty_like(A.indptr[1:])
    _minor_bounds(A.indptr, A.indices, start, stop, first, last)
    return first, last


@njit(nogil=True, cache=True)
def _minor_bounds(indptr: Any, indices: Any, start: Any, stop: Any, first: Any, last: Any) -> None:
    for i in range(len(first)):
        h = first[i] = _position(indices, indptr[i], indptr[i + 1], start)
        # one step at a time: what lies between will be read anyway
        while h < indptr[i + 1] and indices[h] < stop:
            h += 1
        last[i] = h


@njit(nogil=True, cache=True)
def _position(indices: Any, low: Any, high: Any, j: Any) -> Any:
    """Return where j is between ``low`` and ``high``, or would be."""
    while low < high:
        middle = low + (high - low) // 2
        if indices[U(middle)] < j:
            low = middle + 1
        else:
            high = middle
    return low


def minor_shares(A: Compressed, counts: Indices) -> list[tuple[Array, Array]]:
    """Return the bounds of parts of the minor axis with about as many entries each.

    One for each core, up to a few: a part costs two vectors as long as the major axis.
    """
    cuts = even_cuts(np.append(0, np.cumsum(counts)), min(cores(), _MOST_SHARES))
    return [minor_bounds(A, start, stop) for start, stop in pairwise(cuts)]


def even_parts(counts: Indices) -> list[slice]:
    """Cut an axis into :data:`PARTS` of about as many entries; of these, drop empty ones."""
    cuts = even_cuts(np.append(0, np.cumsum(counts)), PARTS)
    return [slice(start, stop) for start, stop in pairwise(cuts) if start < stop]


def even_cuts(ends: Array, parts: int) -> list[int]:
    """Cut what has ``ends[i + 1] - ends[i]`` entries at i into parts of about as many."""
    marks = np.arange(1, parts) * (int(ends[-1] - ends[0]) / parts) + ends[0]
    return [0, *np.searchsorted(ends, marks).tolist(), len(ends) - 1]


def turned(A: Compressed, start: int, stop: int) -> Compressed:
    """Return a part of the minor axis, by slices of that axis.

    Twin: ``A[:, start:stop].tocsc()`` for a CSR matrix.
    """
    first, last = minor_bounds(A, start, stop)
    count = int((last - first).sum())
    out = Compressed(
        np.zeros(stop - start + 1, A.indptr.dtype),
        np.empty(count, A.indices.dtype),
        np.empty(count, A.data.dtype),
    )
    _turn(first, last, A.indices, A.data, start, *out)
    return out


@njit(nogil=True, cache=True)
def _turn(
    first: Any, last: Any, indices: Any, data: Any, start: Any,
    indptr: Any, majors: Any, values: Any,
) -> None:  # fmt: skip
    for i in range(len(first)):
        for h in range(first[i], last[i]):
            indptr[indices[h] - start + 1] += 1
    for j in range(1, len(indptr)):
        indptr[j] += indptr[j - 1]
    place = indptr.copy()
    for i in range(len(first)):
        for h in range(first[i], last[i]):
            j = indices[h] - start
            majors[place[j]] = i
            values[place[j]] = data[h]
            place[j] += 1


def minor_slice(A: Compressed, j: int, out: Floats) -> None:
    """Write index j of the minor axis to a vector of zeros: ``out[:] = A[:, j]`` for CSR."""
    in_parallel(
        lambda part: _minor_slice(*A, part.start, part.stop, j, out),
        shares(len(out)),
        16 * len(out),
    )


@njit(nogil=True, cache=True)
def _minor_slice(
    indptr: Any, indices: Any, data: Any, start: Any, stop: Any, j: Any, out: Any
) -> None:
    for i in range(start, stop):
        h = _position(indices, indptr[i], indptr[i + 1], j)
        if h < indptr[i + 1] and indices[h] == j:
            out[i] = data[h]


def gathered(A: Compressed, V: Floats) -> Floats:
    """Return ``A @ V`` for a CSR matrix and a V in C order, of one or two dimensions."""
    out = np.zeros((len(A.indptr) - 1, *V.shape[1:]))
    loop = _gather_vector if V.ndim == 1 else _gather_pair if V.shape[1] == 2 else _gather
    in_parallel(
        lambda part: loop(*A, *part, V, out),
        pairwise(even_cuts(A.indptr, cores())),
        len(A.data) * V[:1].size,
    )
    return out


@njit(nogil=True, cache=True)
def _gather_vector(
    indptr: Any, indices: Any, data: Any, start: Any, stop: Any, v: Any, out: Any
) -> None:
    for i in range(start, stop):
        total = 0.0
        for h in range(U(indptr[i]), U(indptr[i + 1])):
            total += np.float64(data[h]) * v[U(indices[h])]
        out[i] = total


@njit(nogil=True, cache=True)
def _gather_pair(
    indptr: Any, indices: Any, data: Any, start: Any, stop: Any, V: Any, out: Any
) -> None:
    for i in range(start, stop):
        a = 0.0
        b = 0.0
        for h in range(U(indptr[i]), U(indptr[i + 1])):
            x, j = np.float64(data[h]), U(indices[h])
            a += x * V[j, 0]
            b += x * V[j, 1]
        out[i, 0] = a
        out[i, 1] = b


@njit(nogil=True, cache=True)
def _gather(indptr: Any, indices: Any, data: Any, start: Any, stop: Any, V: Any, out: Any) -> None:
    width = V.shape[1]
    for i in range(start, stop):
        total = out[i]
        for h in range(U(indptr[i]), U(indptr[i + 1])):
            x, v = np.float64(data[h]), V[U(indices[h])]
            for k in range(width):
                total[k] += x * v[k]


def add_scattered(A: Compressed, bounds: list[tuple[Array, Array]], V: Floats, out: Floats) -> None:
    """Add ``A.T @ V`` for a CSR matrix and a V as in :func:`gathered`.

    Each part of :func:`minor_shares`, given by its bounds, is summed by one thread.
    """
    loop = _scatter_vector if V.ndim == 1 else _scatter_pair if V.shape[1] == 2 else _scatter
    in_parallel(
        lambda part: loop(*part, A.indices, A.data, V, out), bounds, len(A.data) * V[:1].size
    )


@njit(nogil=True, cache=True)
def _scatter_vector(first: Any, last: Any, indices: Any, data: Any, v: Any, out: Any) -> None:
    for i in range(len(first)):
        a = v[i]
        for h in range(U(first[i]), U(last[i])):
            out[U(indices[h])] += np.float64(data[h]) * a


@njit(nogil=True, cache=True)
def _scatter_pair(first: Any, last: Any, indices: Any, data: Any, V: Any, out: Any) -> None:
    for i in range(len(first)):
        a, b = V[i, 0], V[i, 1]
        for h in range(U(first[i]), U(last[i])):
            x, j = np.float64(data[h]), U(indices[h])
            out[j, 0] += x * a
            out[j, 1] += x * b


@njit(nogil=True, cache=True)
def _scatter(first: Any, last: Any, indices: Any, data: Any, V: Any, out: Any) -> None:
    width = V.shape[1]
    for i in range(len(first)):
        v = V[i]
        for h in range(U(first[i]), U(last[i])):
            x, total = np.float64(data[h]), out[U(indices[h])]
            for k in range(width):
                total[k] += x * v[k]


def sq_norms(A: Compressed, length: int, by_rows: bool) -> Floats:
    """Return the squared norms of the ``length`` columns: ``A.power(2).sum(0)``, in float64."""
    out = np.zeros(length)
    (_minor_sq_norms if by_rows else _major_sq_norms)(*A, out)
    return out


@njit(nogil=True, cache=True)
def _minor_sq_norms(indptr: Any, indices: Any, data: Any, out: Any) -> None:
    for h in range(indptr[0], indptr[-1]):
        x = np.float64(data[h])
        out[indices[h]] += x * x


@njit(nogil=True, cache=True)
def _major_sq_norms(indptr: Any, _: Any, data: Any, out: Any) -> None:
    for i in range(len(out)):
        for h in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[h])
            out[i] += x * x


def group_sums(A: Compressed, groups: Indices, w: Floats, by_rows: bool, out: Floats) -> None:
    """Add the rows of each group to a row: ``np.add.at(out, groups, A.toarray() * w[:, None])``."""
    (_group_rows if by_rows else _group_columns)(*A, groups, w, out)


@njit(nogil=True, cache=True)
def _group_rows(indptr: Any, indices: Any, data: Any, groups: Any, w: Any, out: Any) -> None:
    for i in range(len(indptr) - 1):
        total = out[groups[i]]
        for h in range(indptr[i], indptr[i + 1]):
            total[indices[h]] += w[i] * np.float64(data[h])


@njit(nogil=True, cache=True)
def _group_columns(indptr: Any, indices: Any, data: Any, groups: Any, w: Any, out: Any) -> None:
    for j in range(len(indptr) - 1):
        for h in range(indptr[j], indptr[j + 1]):
            out[groups[indices[h]], j] += w[indices[h]] * np.float64(data[h])


def add_pairs(A: Compressed, out: Floats) -> None:
    """Add the inner products of the minor axis to the lower triangle of a square matrix.

    Twin: ``out += np.tril((A.T @ A).toarray())`` for a CSR matrix.
    """
    tasks = cores()
    work = len(A.data) ** 2 / (2 * len(A.indptr))
    in_parallel(lambda task: _add_pairs(*A, task, tasks, out), range(tasks), work)


@njit(nogil=True, cache=True)
def _add_pairs(indptr: Any, indices: Any, data: Any, task: Any, tasks: Any, out: Any) -> None:
    for i in range(len(indptr) - 1):
        for h in range(indptr[i], indptr[i + 1]):
            if indices[h] % tasks == task:
                x, row = np.float64(data[h]), out[indices[h]]
                for k in range(U(indptr[i]), U(h + 1)):
                    row[U(indices[k])] += x * np.float64(data[k])


def gram_sq_norms(
    A: Compressed, counts: Indices, by_rows: bool, factors: Floats | None = None
) -> Floats:
    """Return ``‖AᵀA_i‖²`` for all columns, of a matrix that is given by rows or by columns.

    Twin: ``((A.T @ A).power(2)).sum(0)``. Each pair of columns is visited once. Of the other
    orientation, which is needed as well, a part exists at a time. ``counts`` says how many entries
    each index of the minor axis has. With factors, each column counts times its own.
    """
    m, n = (len(A.indptr) - 1, len(counts)) if by_rows else (len(counts), len(A.indptr) - 1)
    partial = np.zeros((_TASKS, n))
    squares = np.ones(n) if factors is None else np.square(factors)
    # an entry meets half of its row: as many as the mean row has, or more
    work = len(A.data) ** 2 / (2 * m)

    def add_part(start: int, stop: int) -> None:  # what it turns is gone before the next part
        if by_rows:  # the columns of a part meet those of all rows
            columns, first_column = turned(A, start, stop), start
            rows, first_partner, width = A, 0, n
        else:  # columns meet those of a part of the rows; what is right of it meets them later
            columns, first_column = A._replace(indptr=A.indptr[: stop + 1]), 0
            some = A._replace(indptr=A.indptr[start : stop + 1])
            rows, first_partner, width = turned(some, 0, m), start, stop - start
        given = (*columns, first_column, *rows, first_partner, width)
        in_parallel(lambda task: _pair_sums(*given, squares, task, partial), range(_TASKS), work)

    for part in even_parts(counts if by_rows else np.diff(A.indptr)):
        add_part(part.start, part.stop)
    return partial.sum(axis=0) * squares


@njit(nogil=True, cache=True)
def _pair_sums(
    colptr: Any, col_rows: Any, values: Any, first_column: Any,
    rowptr: Any, cols: Any, row_values: Any, first_partner: Any, width: Any,
    squares: Any, task: Any, partial: Any,
) -> None:  # fmt: skip
    product = np.zeros(width)
    touched = np.empty(width, cols.dtype)
    seen = np.zeros(width, np.bool_)
    # strided, not contiguous: columns far right meet fewer partners
    for c in range(task, len(colptr) - 1, len(partial)):
        i = first_column + c
        least = i - first_partner  # partners left of column i have met it already
        reach = 0
        for e in range(colptr[c], colptr[c + 1]):
            reach += rowptr[col_rows[e] + 1] - rowptr[col_rows[e]]
        noted = reach <= width  # else it meets so many that going through all is faster
        count = 0
        for e in range(colptr[c], colptr[c + 1]):
            r = col_rows[e]
            a = np.float64(values[e])
            # rows are sorted: walk from the end down to column i
            for h in range(rowptr[r + 1] - 1, rowptr[r] - 1, -1):
                j = cols[U(h)]
                if j < least:
                    break
                if noted and not seen[U(j)]:
                    seen[U(j)] = True
                    touched[count] = j
                    count += 1
                product[U(j)] += a * np.float64(row_values[U(h)])
        total = 0.0
        for k in range(0 if noted else max(least, 0), count if noted else width):
            j = touched[k] if noted else k
            square = product[j] * product[j]
            product[j] = 0.0
            seen[j] = False
            total += square * squares[first_partner + j]
            if j != least:
                partial[task, first_partner + j] += square * squares[i]
        partial[task, i] += total
