"""The compiled loops of the projections: the mailman algorithm and the Hadamard transform.

Each function has a NumPy twin, named in its docstring, that states what it computes and serves
the tests as its oracle. Every sum is made by one thread in a fixed order, so no result depends
on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..foundation.threads import cores, in_parallel, shares
from ..foundation.typing import Array, Floats

__all__ = ["LANES", "hadamard", "mailman", "packed_signs"]

LANES = 16
"""Rows that the mailman carries at a time: their 256 sums fill a first-level cache."""

_CHUNK = 4096


def packed_signs(bits: Array, n_components: int) -> Array:
    """Return the matrix of ±1 that packed bits stand for: bit b of byte g is column ``8g + b``.

    A zero is +1, a one is −1. Twin: ``1 - 2 * np.unpackbits(bits, axis=1, count=n_components,
    bitorder="little")``.
    """
    wide = _SIGNS_OF_BYTE.take(bits, axis=0)
    return wide.reshape(len(bits), -1)[:, :n_components]


_SIGNS_OF_BYTE = 1.0 - 2.0 * np.unpackbits(
    np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little"
)


def mailman(X: Array, bits: Array, n_components: int) -> Floats:
    """Return the product of rows with a sign matrix that is given by packed bits.

    Eight columns of signs have only 256 different rows. So the entries of a row of X are sorted,
    like letters, into 256 sums by the byte of their feature, one addition for eight columns,
    and the sums are multiplied by the 256 × 8 matrix of all sign patterns by folding them in
    half eight times.

    Twin: ``X @ packed_signs(bits, n_components)``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        In float64, of any strides.
    bits : ndarray of uint8, of shape (d, ceil(n_components / 8))
    n_components : int

    Returns
    -------
    ndarray of shape (n, n_components)
    """
    X = np.ascontiguousarray(X)
    n = len(X)
    codes = np.ascontiguousarray(bits.T)
    out = np.zeros((n, 8 * len(codes)))
    # a few rows left over go one by one; more are cheaper as a tile that is not full
    whole = n if n % LANES > LANES // 4 else n - n % LANES
    if whole:
        tiles = -(-whole // LANES)
        parts = -(-cores() // tiles)  # that share the columns of a tile
        in_parallel(
            lambda some: _mailman_tiles(
                X[:whole], codes, some.start, some.stop, LANES, parts, out[:whole]
            ),
            shares(tiles * parts),
            X.size * len(codes),
        )
    if whole < n:
        in_parallel(
            lambda some: _mailman_rows(X[whole:], codes, some.start, some.stop, out[whole:]),
            shares((n - whole) * len(codes)),
            X.size * len(codes),
        )
    return out[:, :n_components]


@njit(nogil=True, cache=True)
def _mailman_tiles(
    X: Any, codes: Any, begin: Any, end: Any, lanes: Any, parts: Any, out: Any
) -> None:
    n, d = X.shape
    groups = len(codes)
    for task in range(begin, end):
        first = task // parts * lanes
        height = min(lanes, n - first)
        tile = np.zeros((_CHUNK, lanes))
        sums = np.empty((256, lanes))
        plus, minus = np.empty(lanes), np.empty(lanes)
        # a chunk of features at a time, so that the tile stays in cache for all groups
        for start in range(0, d, _CHUNK):
            width = min(_CHUNK, d - start)
            for r in range(height):
                x = X[first + r, start : start + width]
                for i in range(width):
                    tile[i, r] = x[i]
            for group in range(task % parts, groups, parts):
                code = codes[group, start : start + width]
                sums[:] = 0.0
                for i in range(width):
                    # the width is not known to the compiler, so that it makes a vector loop
                    to, letter = sums[code[i]], tile[i]
                    for r in range(lanes):
                        to[r] += letter[r]
                half = 128
                for bit in range(7, -1, -1):
                    plus[:] = 0.0
                    minus[:] = 0.0
                    for c in range(half):
                        low, high = sums[c], sums[c + half]
                        for r in range(lanes):
                            plus[r] += low[r]
                            minus[r] += high[r]
                            low[r] += high[r]
                    for r in range(height):
                        out[first + r, 8 * group + bit] += plus[r] - minus[r]
                    half //= 2


@njit(nogil=True, cache=True)
def _mailman_rows(X: Any, codes: Any, begin: Any, end: Any, out: Any) -> None:
    d = X.shape[1]
    groups = len(codes)
    for task in range(begin, end):
        row, group = task // groups, task % groups
        x = X[row]
        code = codes[group]
        sums = np.zeros(256)
        for i in range(d):
            sums[code[i]] += x[i]
        half = 128
        for bit in range(7, -1, -1):
            plus = 0.0
            minus = 0.0
            for c in range(half):
                low, high = sums[c], sums[c + half]
                plus += low
                minus += high
                sums[c] = low + high
            out[row, 8 * group + bit] = plus - minus
            half //= 2


def hadamard(rows: Array) -> None:
    """Replace each row by its Walsh–Hadamard transform, in place; lengths are powers of two.

    Twin: ``rows[:] = rows @ scipy.linalg.hadamard(rows.shape[1])``. Costs D log₂ D additions for
    a row of length D.
    """
    in_parallel(
        lambda part: _hadamard(rows[part]),
        shares(len(rows)),
        rows.size * rows.shape[1].bit_length(),
    )


@njit(nogil=True, cache=True)
def _hadamard(rows: Any) -> None:
    n, width = rows.shape
    for k in range(n):
        row = rows[k]
        h = 1
        if _odd_power(width):
            for i in range(0, width, 2):
                a, b = row[i], row[i + 1]
                row[i], row[i + 1] = a + b, a - b
            h = 2
        # two steps at a time, which halves the passes over the row
        while h < width:
            for i in range(0, width, 4 * h):
                p, q = row[i : i + h], row[i + h : i + 2 * h]
                r, s = row[i + 2 * h : i + 3 * h], row[i + 3 * h : i + 4 * h]
                for j in range(h):
                    a, b = p[j] + q[j], p[j] - q[j]
                    c, d = r[j] + s[j], r[j] - s[j]
                    p[j], q[j] = a + c, b + d
                    r[j], s[j] = a - c, b - d
            h *= 4


@njit(cache=True)
def _odd_power(width: Any) -> Any:
    odd = False
    while width > 1:
        width //= 2
        odd = not odd
    return odd
