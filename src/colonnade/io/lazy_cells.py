"""AnnData that is read in blocks: of cells or, if it is stored by genes, of these."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array
from ..operands.chunked.chunked_table import ChunkedTable
from ..operands.containers import check_indices
from .h5ad import about_cells, chosen_matrix, opened_cells, sparse_format, sparse_shape
from .lazy_arrays import hdf5_dataset, import_h5py, open_array
from .lazy_blocks import Layout, Source, Span, as_array, column_of, kept_as, stamp_of
from .limits import check_room
from .table import FileError, Options, check_form, make_plan

__all__ = ["cut_by_size", "open_h5ad"]


@dataclass(frozen=True)
class SparseSource(Source):
    """A CSR or CSC matrix in a group of an HDF5 file.

    Attributes
    ----------
    key : str
        The group.
    form : str
        "csr" or "csc".
    length : int
        How many columns a row has, or the other way round.
    """

    kind = "h5ad"
    key: str
    form: str
    length: int

    def block(self, rows: Span, columns: Span) -> Any:
        by_rows = self.form == "csr"
        first, last = rows if by_rows else columns
        with import_h5py().File(self.path, "r") as file:
            group = file[self.key]
            starts = group["indptr"][first : last + 1].astype(np.int64)
            if not 0 <= starts[0] <= starts[-1]:
                raise FileError(f"{self.path}: {self.key}/indptr falls; the file is damaged")
            part = slice(int(starts[0]), int(starts[-1]))
            given = (group["data"][part], group["indices"][part], starts - starts[0])
        shape = (last - first, self.length) if by_rows else (self.length, last - first)
        values = given[0].astype(kept_as(given[0].dtype), copy=False)  # SciPy has no float16
        X = (sp.csr_array if by_rows else sp.csc_array)((values, *given[1:]), shape=shape)
        check_indices(X)
        X = X.tocsr()
        if (columns if by_rows else rows) == (0, self.length):
            return X
        return X[:, slice(*columns)] if by_rows else X[slice(*rows)]


def open_h5ad(
    path: Path, options: Options, room: int, *, layout: Layout = "as stored"
) -> ChunkedTable:
    """Open ``X`` or a layer; genes are named by ``var_names``."""
    with opened_cells(path) as file:
        stored = chosen_matrix(path, file, options)
        sparse = not hasattr(stored, "shape")
        if sparse:
            source, starts, dtype, shape = _sparse(path, stored)
        else:
            dense = hdf5_dataset(path, stored)
            shape = dense.shape
        about = about_cells(path, file, shape, options)
    if about.labels is not None:
        options = replace(options, label=None)
    if not sparse:
        return open_array(
            path, options, room, dense, layout=layout, names=about.genes, labels=about.labels
        )
    plan = make_plan(path, shape[1], about.genes, options)
    cut = cut_by_size(starts, dtype.itemsize + 4, room)
    by_rows = source.form == "csr"
    rows, columns = (cut, [(0, shape[1])]) if by_rows else ([(0, shape[0])], cut)
    parts = [(source, part) for part in rows]
    array = as_array(parts, columns, plan, dtype, sparse=True)
    labels = column_of(parts, plan, dtype) if about.labels is None else about.labels
    return ChunkedTable(array, plan.columns, labels, str(path))


def _sparse(path: Path, group: Any) -> tuple[SparseSource, Array, Any, tuple[int, int]]:
    """Return how to read a sparse matrix, where its rows or columns start, its type and shape."""
    form = sparse_format(path, group).decode()
    said = sparse_shape(group)
    if said.shape != (2,) or said.dtype.kind not in "iu" or (said < 0).any():
        got = said.ravel()[:3].tolist()
        raise FileError(f"{path}: 'shape' must be two whole numbers from 0 on, got {got}")
    m, n = said.tolist()
    for key in ("data", "indices", "indptr"):
        part = group.get(key)
        if part is None or len(getattr(part, "shape", ())) != 1:
            raise FileError(f"{path}: {group.name}/{key} is no list; the file is damaged")
        if key != "data" and part.dtype.kind not in "iu":
            raise FileError(
                f"{path}: {group.name}/{key} holds {part.dtype}, and should hold whole numbers; "
                "the file is damaged"
            )
    check_form(path, group["data"].dtype, (m, n))
    major, minor = (m, n) if form == "csr" else (n, m)
    check_room(path, int(group["indptr"].nbytes), "'indptr', unpacked,")
    starts = group["indptr"][()].astype(np.int64)
    there = min(len(group["data"]), len(group["indices"]))
    if (
        len(starts) != major + 1
        or starts[0] != 0
        or (np.diff(starts) < 0).any()
        or starts[-1] > there
    ):
        raise FileError(
            f"{path}: {group.name}/indptr must be {major + 1} numbers from 0 to at most {there} "
            "that never fall; the file is damaged"
        )
    where = os.path.realpath(path)
    source = SparseSource(where, stamp_of([where]), group.name, form, minor)
    return source, starts, kept_as(group["data"].dtype), (m, n)


def cut_by_size(starts: Array, entry: int, room: int) -> list[Span]:
    """Return how to cut a sparse matrix into rows that together take so many bytes at most.

    Parameters
    ----------
    starts : ndarray of shape (n_rows + 1,)
        How many entries there are before each row, and in all.
    entry : int
        How many bytes an entry takes.
    room : int
        How many bytes a block may take; a row may take more.

    Examples
    --------
    >>> cut_by_size(np.array([0, 1, 2, 9, 10]), 4, 24)
    [(0, 2), (2, 3), (3, 4)]
    """
    sizes = entry * starts + 8 * np.arange(len(starts))
    cuts = [0]
    while cuts[-1] < len(starts) - 1:
        fits = int(np.searchsorted(sizes, sizes[cuts[-1]] + room, side="right")) - 1
        cuts.append(max(fits, cuts[-1] + 1))
    return list(pairwise(cuts))
