"""Nasty matrices, which are the normal case."""

from __future__ import annotations

import numpy as np


def orthonormal(rng, m, n):
    return np.linalg.qr(rng.standard_normal((m, n)))[0]


def with_spectrum(rng, m, n, values):
    k = len(values)
    return (orthonormal(rng, m, k) * values) @ orthonormal(rng, n, k).T


def graded(rng, m, n, smallest=1e-12):
    return with_spectrum(rng, m, n, np.geomspace(1.0, smallest, min(m, n)))


def _duplicated(rng):
    A = np.repeat(rng.standard_normal((30, 8)), 3, axis=1)
    return A[:, rng.permutation(A.shape[1])]


def near_duplicates(rng, gap):
    A = rng.standard_normal((25, 10))
    return np.hstack([A, A + gap * rng.standard_normal(A.shape)])


def _with_zero_and_constant(rng):
    A = rng.standard_normal((20, 12))
    A[:, [0, 5]] = 0.0
    A[:, [3, 7]] = 2.0
    return A


def _rank_deficient(rng):
    return rng.standard_normal((30, 5)) @ rng.standard_normal((5, 20))


def _columns_of_all_sizes(rng):
    return rng.standard_normal((30, 16)) * np.geomspace(1e-6, 1e6, 16)


NASTY = {
    "tall": lambda rng: rng.standard_normal((50, 12)),
    "wide": lambda rng: rng.standard_normal((12, 50)),
    "square": lambda rng: rng.standard_normal((20, 20)),
    "one column": lambda rng: rng.standard_normal((9, 1)),
    "one row": lambda rng: rng.standard_normal((1, 9)),
    "duplicated": _duplicated,
    # scores of the former are equal or not by how near a tie is, of the latter they are not
    "near duplicates": lambda rng: near_duplicates(rng, 1e-9),
    "similar columns": lambda rng: near_duplicates(rng, 1e-6),
    "zero and constant": _with_zero_and_constant,
    "rank deficient": _rank_deficient,
    "columns of all sizes": _columns_of_all_sizes,
    "graded tall": lambda rng: graded(rng, 40, 20),
    "graded wide": lambda rng: graded(rng, 20, 60),
    "huge": lambda rng: 1e120 * rng.standard_normal((20, 30)),
    "tiny": lambda rng: 1e-120 * rng.standard_normal((30, 20)),
    "positive integers": lambda rng: rng.poisson(3.0, (40, 25)).astype(float),
    "orthogonal": lambda rng: orthonormal(rng, 30, 15) * 2.0,
}


def nasty(name, seed=0):
    return NASTY[name](np.random.default_rng([seed, *name.encode()]))
