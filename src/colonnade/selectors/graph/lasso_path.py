"""The path of least angles from inner products, compiled: one response at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ...operands.loops import first_to_join

__all__ = ["lasso_path"]


@njit(cache=True, nogil=True, error_model="numpy")
def lasso_path(
    G: Any, c: Any, squares: Any, floors: Any, size: Any, tie: Any, most_steps: Any
) -> tuple[Any, Any]:
    """Return the columns with coefficients other than zero, and these; c is used up.

    Twin: ``lars._Path(...).follow()``, which takes the columns themselves. ``G`` (symmetric,
    in C order) holds the inner products of the centred columns, ``floors`` what must be left of
    a column that may join.
    """
    n = len(c)
    g, a, floor = squares.copy(), np.zeros(n), floors.copy()
    W, L = np.empty((size, n)), np.zeros((size, size))
    z, signs, coefficients, w = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    chosen = np.empty(size, np.int64)
    t = 0
    top = 0.0
    for j in range(n):
        if np.isfinite(floors[j]):
            top = max(top, abs(c[j]))
    start = top
    p = 0
    while p < n - 1 and not (np.isfinite(floors[p]) and abs(c[p]) >= top * (1 - tie)):
        p += 1
    for _ in range(most_steps * size):
        if top <= 1e-12 * start:
            break
        if p >= 0:
            _join(G, p, t, W, L, z, signs, c, g, a)
            floor[p] = np.inf
            chosen[t] = p
            coefficients[t] = 0.0
            t += 1
        for s in range(t - 1, -1, -1):  # Lᵀw = z
            value = z[s]
            for r in range(s + 1, t):
                value -= L[r, s] * w[r]
            w[s] = value / L[s, s]
        step, joins = first_to_join(c, a, g, floor, top, tie * top)
        drop = -1
        for s in range(t):
            crossing = -coefficients[s] / w[s]
            if 0 < crossing < step:
                step = crossing
                drop = s
        for s in range(t):
            coefficients[s] += step * w[s]
        if (t == size and drop < 0) or step >= top * (1 - 1e-12):
            break
        c -= step * a
        top -= step
        p = joins
        if drop >= 0:
            p = -1
            floor[chosen[drop]] = floors[chosen[drop]]
            _leave(drop, t, W, L, z, signs, g, a)
            t -= 1
            for s in range(drop, t):
                chosen[s] = chosen[s + 1]
                coefficients[s] = coefficients[s + 1]
    return chosen[:t], coefficients[:t]


@njit(cache=True, nogil=True, error_model="numpy")
def _join(
    G: Any, p: Any, t: Any, W: Any, L: Any, z: Any, signs: Any, c: Any, g: Any, a: Any
) -> None:
    """Add the direction of column p to t others."""
    n = len(g)
    rho = np.sqrt(g[p])
    omega = W[t]
    for j in range(n):
        omega[j] = G[p, j]
    signs[t] = 1.0 if c[p] > 0 else -1.0
    rest = signs[t]
    for s in range(t):
        share = W[s, p]
        L[t, s] = share
        rest -= share * z[s]
        for j in range(n):
            omega[j] -= share * W[s, j]
    L[t, t] = rho
    z[t] = rest / rho
    for j in range(n):
        omega[j] /= rho
        a[j] += z[t] * omega[j]
        g[j] -= omega[j] * omega[j]


@njit(cache=True, nogil=True, error_model="numpy")
def _leave(drop: Any, t: Any, W: Any, L: Any, z: Any, signs: Any, g: Any, a: Any) -> None:
    """Give up one of t columns: turn the directions until the last is what it added."""
    n = len(g)
    for r in range(drop, t - 1):
        signs[r] = signs[r + 1]
        for s in range(r + 2):
            L[r, s] = L[r + 1, s]
    for r in range(drop, t - 1):
        length = np.hypot(L[r, r], L[r, r + 1])
        co, si = L[r, r] / length, L[r, r + 1] / length
        for q in range(r, t - 1):
            u, v = L[q, r], L[q, r + 1]
            L[q, r], L[q, r + 1] = co * u + si * v, co * v - si * u
        for j in range(n):
            u, v = W[r, j], W[r + 1, j]
            W[r, j], W[r + 1, j] = co * u + si * v, co * v - si * u
    for j in range(n):
        g[j] += W[t - 1, j] * W[t - 1, j]
        a[j] = 0.0
    for s in range(t - 1):  # Lz = signs
        value = signs[s]
        for r in range(s):
            value -= L[s, r] * z[r]
        z[s] = value / L[s, s]
        for j in range(n):
            a[j] += z[s] * W[s, j]
