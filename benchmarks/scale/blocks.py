"""Arrays of dask whose blocks are made by seeded tasks: nothing is stored, and no two are equal."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import dask.array as da
import numpy as np
import scipy.sparse as sp

from ..cells import log_counts
from ..data import matrix

BLOCK_BYTES = 64 * 10**6
N_FACTORS = 40


def tall(m: int, n: int, height: int | None = None) -> Any:
    """m × n of float64: forty common factors of falling size, and noise in each entry."""
    height = height or max(1, BLOCK_BYTES // (8 * n))
    return _of_blocks(_correlated, m, n, height, np.float64)


def _correlated(rows: int, columns: int, number: int) -> Any:
    rng = np.random.Generator(np.random.SFC64([number, 1]))
    X = rng.random((rows, columns))
    X -= 0.5
    X += rng.standard_normal((rows, N_FACTORS)) @ _loadings(columns)
    return X


@lru_cache(maxsize=4)
def _loadings(columns: int) -> Any:
    """How much of each factor is in each column; in most columns there are few."""
    rng = np.random.default_rng(0)
    there = rng.random((N_FACTORS, columns)) < 0.2
    return rng.standard_normal((N_FACTORS, columns)) * there / np.arange(1, N_FACTORS + 1)[:, None]


def digits(m: int, height: int) -> Any:
    """m × 784 of float32: images of MNIST, drawn with repetition, and noise."""
    return _of_blocks(_noisy_digits, m, images().shape[1], height, np.float32)


def _noisy_digits(rows: int, columns: int, number: int) -> Any:
    rng = np.random.default_rng([number, 2])
    X = images()[rng.integers(len(images()), size=rows)]
    noise = rng.standard_normal(X.shape, dtype=np.float32)
    noise *= np.float32(0.05)
    X += noise
    return X


@lru_cache(maxsize=1)
def images() -> Any:
    """All of MNIST in [0, 1]."""
    X = np.asarray(matrix("mnist").X, dtype=np.float32)
    matrix.cache_clear()
    return X / np.float32(255)


def cells(m: int, height: int, n_genes: int | None = None) -> Any:
    """m rows of CSR blocks: bladder cells drawn with repetition, logarithms of their counts."""
    few = _cells(n_genes)
    return _of_blocks(drawn_cells, m, few.shape[1], height, np.float32, meta=few[:0])


def drawn_cells(rows: int, columns: int, number: int) -> Any:
    """Return block ``number`` of :func:`cells`."""
    few = _cells(columns)
    rng = np.random.default_rng([number, 3])
    return few[rng.integers(few.shape[0], size=rows)]


@lru_cache(maxsize=1)
def _cells(n_genes: int | None) -> Any:
    counts = sp.csr_array(matrix("bladder cells").X)
    X = log_counts(counts).astype(np.float32)
    if n_genes is None or n_genes == X.shape[1]:
        return X
    common = np.sort(np.argsort(-np.diff(X.tocsc().indptr), kind="stable")[:n_genes])
    return sp.csr_array(X[:, common])


def _of_blocks(make: Any, m: int, n: int, height: int, dtype: Any, meta: Any = None) -> Any:
    """Return an array of which block i is ``make(rows, n, i)``."""
    heights = tuple(min(height, m - start) for start in range(0, m, height))
    where = da.from_array(np.arange(len(heights)).reshape(-1, 1), chunks=(1, 1))
    meta = np.empty((0, 0), dtype=dtype) if meta is None else meta
    return da.map_blocks(
        _block, where, make=make, heights=heights, n=n, chunks=(heights, (n,)), meta=meta
    )


def _block(where: Any, make: Any, heights: tuple[int, ...], n: int) -> Any:
    number = int(where[0, 0])
    return make(heights[number], n, number)
