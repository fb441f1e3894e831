"""Open files that are larger than memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..foundation.atomic import StrPath
from ..operands.chunked.chunked_table import ChunkedTable
from . import lazy_arrays, lazy_cells, lazy_frames, lazy_lists, lazy_text
from .kinds import EXTENSIONS, STANDARD_INPUT, FileError, check_source
from .lazy_blocks import Layout, bytes_of, import_dask
from .sources import opened
from .table import Options
from .unreadable import reading

__all__ = ["open_data", "open_with"]

CHUNK_BYTES = "64MiB"
"""How large blocks are: many fit in memory at once, and each is worth a task."""


class Opener(NamedTuple):
    """How a kind of file is opened, and which options have a meaning for it."""

    open: Callable[..., ChunkedTable]
    options: tuple[str, ...] = ()


OPENERS = {
    "CSV": Opener(lazy_text.open_text, ("header", "delimiter", "numeric_only")),
    "TSV": Opener(lazy_text.open_text, ("header", "delimiter", "numeric_only")),
    "Parquet": Opener(lazy_frames.open_parquet, ("numeric_only", "layout")),
    "NPY": Opener(lazy_arrays.open_npy, ("layout",)),
    "Zarr": Opener(lazy_arrays.open_zarr, ("key", "layout")),
    "HDF5": Opener(lazy_arrays.open_hdf5, ("key", "layout")),
    "h5ad": Opener(lazy_cells.open_h5ad, ("layer", "layout")),
    "MatrixMarket": Opener(lazy_lists.open_mtx, ("cache",)),
}
"""Every kind of file that is read in blocks; ``label`` and ``drop`` have a meaning for all."""


def open_data(
    path: StrPath,
    *,
    chunk_bytes: int | str = CHUNK_BYTES,
    label: str | int | None = None,
    drop: Sequence[str | int] = (),
    key: str | None = None,
    layer: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    numeric_only: bool = False,
    format: str | None = None,
    cache: StrPath | None = None,
) -> ChunkedTable:
    r"""Open a file that may be larger than memory; its blocks are read when they are needed.

    Parameters
    ----------
    path : str or path
        NPY, Zarr (a folder, or ``.zarr.zip``), HDF5 (``.h5``, ``.hdf5``), Parquet (a file, or a
        folder of files with the same columns), AnnData (``.h5ad``), CSV or TSV, or MatrixMarket
        (``.mtx``, ``.mtx.gz``).
    chunk_bytes : int or str, default="64MiB"
        How many bytes a block may take in memory, such as ``"64MiB"`` (2²⁰ bytes each) or
        ``"64MB"`` (10⁶ bytes each); for text, in the file. A block is never smaller
        than what is stored together: a chunk of Zarr or HDF5, one column of a row group of
        Parquet, a row of a sparse matrix.
    label : str or int, optional
        A column, by name or by number from 0 (negative from the end), that is left out of the
        matrix and read now as labels. In AnnData also ``obs:`` and the name of an annotation of
        the cells, such as ``obs:cell_type``.
    drop : sequence of str or int
        Columns to leave out altogether.
    key : str, optional
        Which array of Zarr or HDF5 is the matrix; by default the only one with two dimensions.
    layer : str, optional
        Which layer of AnnData is the matrix; by default ``X``.
    header : bool, optional
        Whether the first line of a text file holds names; found out by default.
    delimiter : str, optional
        What separates the fields of a text file; found out by default.
    numeric_only : bool, default=False
        Whether to leave out, rather than to refuse, columns of text files and Parquet that hold
        no numbers.
    format : str, optional
        An extension without its dot, such as "npy", in place of the extension of the file.
    cache : path, optional
        For MatrixMarket: a folder for the blocks that it is converted to, where they are found
        again as long as the file is not changed. By default they are in the folder for temporary
        files, and are removed when the process ends.

    Returns
    -------
    ChunkedTable
        A dask array, whose blocks are arrays or, for sparse files, CSR matrices, with names and
        labels.

    Raises
    ------
    FileError
        If the file cannot be read or holds no matrix of numbers; later, when a block is read, if
        that is damaged, or if the file was changed.

    See Also
    --------
    colonnade.io.read : Read a whole file, with more ways to treat what it holds.

    Notes
    -----
    Numbers keep their type, but for booleans, which become bytes, and halves of a float, which
    become float32; text becomes float64. Gaps are NaN and are not looked for here. Blocks are rows;
    they are columns where those are stored one after the other (NPY in Fortran's order, CSC in
    AnnData), and both where a few rows are larger than a block.

    Each block is read by a task that knows the name of the file and opens it itself, so that
    processes of `dask.distributed` can do it that see the same files. A task fails if the file
    was written since it was opened.

    A text file is passed through once to find out where its rows end, quotes included. One that is
    compressed has to be unpacked first, because its parts cannot be read alone. MatrixMarket is
    passed through twice and converted; that takes disk space, of about twice the unpacked text, and
    little memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import colonnade
    >>> path = pathlib.Path(tempfile.mkdtemp(), "data.npy")
    >>> np.save(path, np.arange(12.0).reshape(6, 2))
    >>> table = colonnade.open_data(path, chunk_bytes=32)
    >>> table.shape, table.array.numblocks
    ((6, 2), (3, 1))
    >>> table.array.sum(axis=0).compute()
    array([30., 36.])
    """
    options = Options(
        label,
        tuple(drop),
        header,
        delimiter,
        key,
        layer=layer,
        format=format,
        numeric_only=numeric_only,
    )
    return open_with(path, options, chunk_bytes=chunk_bytes, cache=cache)


def open_with(
    path: StrPath,
    options: Options,
    *,
    chunk_bytes: int | str = CHUNK_BYTES,
    cache: StrPath | None = None,
    layout: Layout = "as stored",
) -> ChunkedTable:
    """Open a file as :func:`open_data` does, with messages that spell options as the caller does.

    Parameters
    ----------
    path : str or path
        The file.
    options : Options
        The options of :func:`colonnade.io.read`; those that need the whole matrix are refused.
        What becomes of gaps is not decided here.
    chunk_bytes, cache : optional
        See :func:`open_data`.
    layout : {"as stored", "columns", "both"}
        How to cut a matrix, if its file can be read in other parts than those that it has.

    Returns
    -------
    ChunkedTable
    """
    path = Path(path)
    if os.fspath(path) == STANDARD_INPUT:
        raise FileError("standard input: this cannot be read in parts; save it in a file first")
    kind = check_source(path, options.format, options.spelled)
    if kind not in OPENERS:
        known = ", ".join(extension for kind in OPENERS for extension in EXTENSIONS[kind])
        raise FileError(
            f"{path}: {kind} cannot be read in parts; convert it first, for example to Parquet or "
            f"Zarr, or read it whole (in parts: {known})"
        )
    room = bytes_of(path, chunk_bytes, options)
    opener = OPENERS[kind]
    asked = {"cache": cache, "layout": layout}  # of the opener itself, beside the options
    given = {**asked, **vars(options)}
    for name in ("key", "layer", "header", "delimiter", "cache"):
        if given[name] is not None and name not in opener.options:
            raise FileError(
                f"{path}: {options.spelled(name, given[name])} has no meaning for {kind}; "
                "leave it out"
            )
    for name in ("sheet", "transform", "min_df", "max_df"):
        if given[name] is not None:
            raise FileError(
                f"{path}: {options.spelled(name, given[name])} is not possible for files that are "
                "read in parts; leave it out"
            )
    import_dask()
    with opened(path, options.format, options.spelled) as source, reading(source, kind):
        own = {name: value for name, value in asked.items() if name in opener.options}
        return opener.open(source, options, room, **own)
