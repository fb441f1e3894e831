"""The matrices: real ones where ``COLONNADE_DATA`` has them, made ones of the same shape else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from colonnade import datasets


@dataclass(frozen=True)
class Source:
    """Where a matrix comes from, and what to make in its place (rows are instances)."""

    dataset: str
    shape: tuple[int, int]
    dtype: str
    cut: Callable[[Any], Any] | None = None
    nnz: int | None = None


def _quarters(X: Any) -> Any:
    """Cut images of 64 × 64 into four of 32 × 32."""
    blocks = X.reshape(-1, 2, 32, 2, 32).transpose(0, 1, 3, 2, 4)
    return blocks.reshape(-1, 1024)


SOURCES = {
    "digits": Source("digits", (1797, 64), "float64"),
    "faces (PIE)": Source("pie_pose27", (1440, 1024), "uint8"),
    "faces (ORL quarters)": Source("orl_64x64", (1440, 1024), "uint8", cut=_quarters),
    "ORL 32 × 32": Source("orl_32x32", (400, 1024), "uint8"),
    "isolet": Source("isolet", (1560, 617), "float32"),
    "usps": Source("usps", (9298, 256), "float32"),
    "mnist 4000": Source("mnist_2k2k", (4000, 784), "uint8"),
    "mnist 20000": Source("mnist", (20000, 784), "uint8"),
    "mnist": Source("mnist", (70000, 784), "uint8"),
    "warppie10p": Source("warppie10p", (210, 2420), "uint8"),
    "pcmac": Source("pcmac", (600, 500), "uint8", nnz=6000),
    "tdt2": Source("tdt2", (9394, 36771), "uint8", nnz=1224135),
    "20news 16201": Source("20news", (18774, 16201), "uint16", nnz=2259086),
    "bladder cells": Source("mouse_bladder_2100", (2100, 20670), "uint16", nnz=2214875),
    "20news": Source("20news_full", (18774, 61189), "uint16", nnz=2435221),
}


@dataclass(frozen=True)
class Matrix:
    name: str
    X: Any

    @property
    def dense64(self) -> Any:
        return np.ascontiguousarray(self.X, dtype=np.float64)


@lru_cache(maxsize=4)
def matrix(name: str) -> Matrix:
    """Return a matrix of :data:`SOURCES`; the name tells when it is a made one."""
    source = SOURCES[name]
    if source.dataset not in datasets.names():
        made = _made_sparse(source) if source.nnz else _made_dense(source)
        return Matrix(f"{name}, made", made)
    X = datasets.load(source.dataset).X
    X = X if source.cut is None else source.cut(X)
    m, n = source.shape
    return Matrix(name, X if X.shape == source.shape else X[:m, :n])


def labels(name: str) -> Any:
    """Return the classes of the rows, made ones for a made matrix."""
    source = SOURCES[name]
    if source.dataset not in datasets.names():
        return np.arange(source.shape[0]) % 20
    return datasets.load(source.dataset).y[: source.shape[0]]


def prepared(X: Any) -> Any:
    """Scale images to [0, 1]; weight words by their rarity."""
    if hasattr(X, "tocsr"):
        return TfidfTransformer().fit_transform(X.tocsr())
    X = np.asarray(X, dtype=np.float32)
    return X / np.abs(X).max()


def _made_dense(source: Source) -> Any:
    m, n = source.shape
    data = datasets.load(
        "low_rank", n_samples=m, n_features=n, rank=min(m, n) // 4, noise=0.2, random_state=0
    )
    if np.dtype(source.dtype).kind == "f":
        return data.X.astype(source.dtype)
    return np.clip(128 + 48 * data.X, 0, 255).astype(source.dtype)


def _made_sparse(source: Source) -> Any:
    """Counts of words: the j-th most frequent is found 1/j times as often as the first."""
    assert source.nnz is not None
    rng = np.random.RandomState(0)
    m, n = source.shape
    odds = 1.0 / np.arange(1, n + 1)
    columns = rng.choice(n, source.nnz, p=odds / odds.sum())
    rows = rng.randint(m, size=source.nnz)
    counts = sp.coo_array((np.ones(source.nnz), (rows, columns)), shape=(m, n)).tocsr()
    return counts.astype(source.dtype)
