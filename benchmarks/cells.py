"""Cells with types: counts, halves of them, logarithms, and many cells made of few."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .data import labels, matrix
from .reference import Array


@dataclass(frozen=True)
class Cells:
    """Cells by genes: counts, or logarithms if ``log``, and the type of each cell."""

    name: str
    X: Any
    types: Array
    log: bool = False

    def logarithms(self) -> Any:
        """Return what all are measured by: log(1 + counts per 10,000), sparse."""
        return self.X.astype(np.float64) if self.log else log_counts(self.X)


def log_counts(X: Any, total: float = 1e4) -> Any:
    """log(1 + counts per 10,000), as scanpy's tutorials have it."""
    X = sp.csr_array(X).astype(np.float64)
    depths = np.maximum(X.sum(axis=1), 1.0)
    X.data = np.log1p(X.data * np.repeat(total / depths, np.diff(X.indptr)))
    return X


def bladder() -> Cells:
    data = matrix("bladder cells")
    return Cells(data.name, sp.csr_array(data.X), np.asarray(labels("bladder cells")))


def halves(cells: Cells) -> list[Cells]:
    """Give each molecule to one of two sets of counts, by the toss of a coin."""
    rng = np.random.RandomState(0)
    X = cells.X.astype(np.int64)
    first, second = X.copy(), X.copy()
    first.data = rng.binomial(X.data, 0.5)
    second.data = X.data - first.data
    out = []
    for name, part in (("half", first), ("other half", second)):
        part.eliminate_zeros()
        out.append(Cells(f"{cells.name}, {name}", part, cells.types))
    return out


def blood() -> Cells | None:
    """The logarithms of 700 blood cells that come with scanpy; None where it is not installed."""
    try:
        import anndata
        import scanpy
    except ImportError:
        return None
    path = Path(scanpy.__file__).parent / "datasets" / "10x_pbmc68k_reduced.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file is of an early release
        adata = anndata.read_h5ad(path)
    types = np.asarray(adata.obs["bulk_labels"].astype(str))
    return Cells("blood cells, logarithms", sp.csr_array(adata.raw.X), types, log=True)


def many(cells: Cells, count: int) -> Cells:
    """Draw cells with repetition, each with four of five molecules left."""
    rng = np.random.RandomState(0)
    drawn = rng.randint(cells.X.shape[0], size=count)
    X = cells.X[drawn].astype(np.int32)
    X.data = rng.binomial(X.data, 0.8).astype(np.float32)
    X.eliminate_zeros()
    return Cells(f"{count} made of {cells.name}", X, cells.types[drawn])


def is_installed(package: str) -> bool:
    try:
        importlib.import_module(package)
    except ImportError as error:
        print(f'{package} is left out: {error}; install ".[peers]"')
        return False
    return True
