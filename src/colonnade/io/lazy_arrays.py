"""Arrays that are read in blocks: NPY, Zarr and HDF5."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..foundation.typing import Array
from ..foundation.wording import did_you_mean
from ..operands.chunked.chunked_table import ChunkedTable
from .arrays import npy_header
from .lazy_blocks import (
    Layout,
    Source,
    Span,
    as_array,
    column_of,
    kept_as,
    laid_out,
    spans,
    stamp_of,
)
from .limits import check_room
from .phrases import listed
from .settling import from_array
from .table import NUMBERS, FileError, Options, Table, check_form, make_plan

__all__ = [
    "HDF5Source",
    "Stored",
    "check_hdf5",
    "hdf5_dataset",
    "import_h5py",
    "open_array",
    "open_hdf5",
    "open_npy",
    "open_zarr",
    "read_hdf5",
    "read_zarr",
]


class Stored(NamedTuple):
    """An array in a file.

    Attributes
    ----------
    source : Source
        What reads blocks of it.
    dtype, shape : dtype and tuple of int
        What it is.
    unit : tuple of int
        What is stored together, and takes as long to read as a part of it.
    across : bool
        Whether columns are stored one after the other.
    """

    source: Source
    dtype: Any
    shape: tuple[int, int]
    unit: tuple[int, int] = (1, 1)
    across: bool = False


def open_array(
    path: Path,
    options: Options,
    room: int,
    stored: Stored,
    *,
    layout: Layout = "as stored",
    names: Sequence[str] | None = None,
    labels: Array | None = None,
) -> ChunkedTable:
    """Return a dense array in blocks of so many bytes, with names and labels, if it has them."""
    source, stored_as, shape, unit, across = stored
    plan = make_plan(path, shape[1], names, options)
    dtype = kept_as(stored_as)
    height, width = laid_out(layout, shape, dtype.itemsize, room, unit, across=across)
    parts = [(source, rows) for rows in spans(shape[0], height)]
    array = as_array(parts, spans(shape[1], width), plan, dtype)
    if labels is None:
        labels = column_of(parts, plan, dtype)
    return ChunkedTable(array, plan.columns, labels, str(path))


def _read_whole(path: Path, options: Options, stored: Stored) -> Table:
    source, dtype, (m, n), *_ = stored
    check_room(path, m * n * dtype.itemsize, "the array")
    X = source.block((0, m), (0, n))
    return from_array(path, X.astype(kept_as(dtype), copy=False), options)


# --- NPY ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NPYSource(Source):
    """The array of an NPY file, which is mapped to memory as long as a block is read."""

    kind = "NPY"
    shape: tuple[int, int]
    dtype: str
    fortran: bool
    offset: int

    def block(self, rows: Span, columns: Span) -> Array:
        order: Any = "F" if self.fortran else "C"
        stored = np.memmap(self.path, self.dtype, "r", self.offset, self.shape, order)
        # a copy, in the order of the file: nothing must need the file once the block is read
        return np.array(stored[slice(*rows), slice(*columns)], order=order)


def open_npy(
    path: Path,
    options: Options,
    room: int,
    shown: Path | None = None,
    *,
    made_from: str = "",
    layout: Layout = "as stored",
) -> ChunkedTable:
    """Open an array, that messages may call otherwise; blocks are rows, or columns if stored so."""
    header = npy_header(path)
    m, n = header.shape
    where = os.path.realpath(path)
    source = NPYSource(
        where, stamp_of([where]), (m, n), header.dtype.str, header.fortran, header.offset,
        made_from=made_from,
    )  # fmt: skip
    stored = Stored(source, header.dtype, (m, n), across=header.fortran)
    return open_array(shown or path, options, room, stored, layout=layout)


# --- Zarr ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ZarrSource(Source):
    """An array of a Zarr folder or archive.

    The stamp is of the archive, or of the description of an array in a folder. Its chunks are files
    of their own: those of a block are looked at when it is opened, and again before it is read,
    which takes some microseconds for each.

    Attributes
    ----------
    key : str
        The name of the array.
    files : str
        Where the file of a chunk is, with braces for its numbers; nothing in an archive.
    unit : tuple of int
        How many rows and columns are in one file.
    """

    kind = "Zarr"
    key: str
    files: str
    unit: tuple[int, int]

    def block(self, rows: Span, columns: Span) -> Array:
        with _opened_zarr(self.path) as root:
            stored = root[self.key] if self.key else root
            return np.asarray(stored[slice(*rows), slice(*columns)])

    def mark(self, rows: Span, columns: Span) -> str:
        """Return a digest of the sizes and times of all chunk files of a block."""
        if not self.files:
            return ""
        (top, bottom), (left, right), (height, width) = rows, columns, self.unit
        found = hashlib.sha256()
        for i in range(top // height, -(-bottom // height)):
            for j in range(left // width, -(-right // width)):
                try:
                    about = os.stat(self.files.format(i, j))
                    found.update(b"%d %d %d %d," % (i, j, about.st_size, about.st_mtime_ns))
                except FileNotFoundError:  # chunks of which nothing was written have no file
                    found.update(b"%d %d," % (i, j))
        return found.hexdigest()[:32]


def open_zarr(
    path: Path, options: Options, room: int, *, layout: Layout = "as stored"
) -> ChunkedTable:
    """Open an array of a Zarr folder or archive; blocks are whole chunks of it."""
    return open_array(path, options, room, _zarr(path, options), layout=layout)


def read_zarr(path: Path, options: Options) -> Table:
    """Read an array of a Zarr folder or archive."""
    return _read_whole(path, options, _zarr(path, options))


def _zarr(path: Path, options: Options) -> Stored:
    where = os.path.realpath(path)
    packed = os.path.isfile(where)
    if packed and not path.name.lower().endswith(".zip"):
        raise FileError(
            f"{path}: this is a file, but Zarr is a folder, or an archive that is called .zarr.zip"
        )
    with _opened_zarr(where) as root:
        if hasattr(root, "members"):
            found = {name: part for name, part in root.members(None) if hasattr(part, "shape")}
            key = _chosen(path, found, options)
            array = found[key]
        elif options.key is not None:
            asked = options.spelled("key", options.key)
            raise FileError(f"{path}: {asked}: this is one array, without a name; leave it out")
        else:
            key, array = "", root
        check_form(path, array.dtype, array.shape)
        unit = array.shards or array.chunks  # what is in one file
        source = ZarrSource(where, stamp_of([where]), key, "", unit)
        if not packed:
            folder = os.path.join(where, key)
            about = ".zarray" if array.metadata.zarr_format == 2 else "zarr.json"
            # of either format, and with either separator: the only digits are the two numbers
            files = array.metadata.encode_chunk_key((0, 0)).replace("0", "{}")
            files = os.path.join(folder.replace("{", "{{").replace("}", "}}"), files)
            stamp = stamp_of([os.path.join(folder, about)])
            source = replace(source, stamp=stamp, files=files)
        return Stored(source, array.dtype, array.shape, array.chunks)


@contextmanager
def _opened_zarr(where: str) -> Iterator[Any]:
    """Open what is in a Zarr folder or archive: an array or a group."""
    try:
        import zarr
    except ModuleNotFoundError as error:
        raise FileError('Zarr needs zarr; install it with pip install "colonnade[dask]"') from error
    if os.path.isdir(where):
        yield zarr.open(where, mode="r")
        return
    with zarr.storage.ZipStore(where, mode="r") as store:
        yield zarr.open(store, mode="r")


def _chosen(path: Path, found: Mapping[str, Any], options: Options) -> str:
    """Return the name of the array that is asked for, or of the only one that is a matrix."""
    shown = listed([f"{name} of shape {array.shape}" for name, array in found.items()])
    if options.key is not None:
        key = options.key.strip("/")
        if key not in found:
            raise FileError(
                f"{path}: {options.spelled('key', options.key)}: there is no such array"
                f"{did_you_mean(key, [*found])}; the file holds {shown or 'none'}"
            )
        return key
    if len(found) == 1:
        return next(iter(found))  # what may be wrong with it is said later
    matrices = [
        name
        for name, array in found.items()
        if len(array.shape) == 2 and array.dtype.kind in NUMBERS
    ]
    if len(matrices) == 1:
        return matrices[0]
    if matrices:
        asked = options.spelled("key", matrices[0])
        raise FileError(f"{path}: say which array to take, such as {asked}; the file holds {shown}")
    raise FileError(
        f"{path}: there is no matrix of numbers in this file, which holds "
        f"{shown or 'no array at all'}; store one with two dimensions"
    )


# --- HDF5 ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HDF5Source(Source):
    """A dataset of an HDF5 file; the file is open as long as a block is read."""

    kind = "HDF5"
    key: str

    def block(self, rows: Span, columns: Span) -> Array:
        with import_h5py().File(self.path, "r") as file:
            return np.asarray(file[self.key][slice(*rows), slice(*columns)])


def open_hdf5(
    path: Path, options: Options, room: int, *, layout: Layout = "as stored"
) -> ChunkedTable:
    """Open a dataset of an HDF5 file; blocks are whole chunks of it."""
    return open_array(path, options, room, _hdf5(path, options), layout=layout)


def read_hdf5(path: Path, options: Options) -> Table:
    """Read a dataset of an HDF5 file."""
    return _read_whole(path, options, _hdf5(path, options))


def _hdf5(path: Path, options: Options) -> Stored:
    h5py = import_h5py()
    check_hdf5(path, h5py, "HDF5")
    found: dict[str, Any] = {}

    def note(name: str, part: Any) -> None:
        if isinstance(part, h5py.Dataset):
            found[name] = part

    with h5py.File(path, "r") as file:
        file.visititems(note)
        return hdf5_dataset(path, found[_chosen(path, found, options)])


def hdf5_dataset(path: Path, dataset: Any) -> Stored:
    """Return how to read a dataset that must be a matrix of numbers."""
    check_form(path, dataset.dtype, dataset.shape or ())
    where = os.path.realpath(path)
    source = HDF5Source(where, stamp_of([where]), dataset.name)
    return Stored(source, dataset.dtype, dataset.shape, dataset.chunks or (1, 1))


def check_hdf5(path: Path, h5py: Any, kind: str) -> None:
    """Raise FileError for a file that does not begin as HDF5 does."""
    with path.open("rb") as file:  # which tells what may not be read
        if not h5py.is_hdf5(file.name):
            raise FileError(
                f"{path}: this is not a complete {kind} file: it does not begin as HDF5 does"
            )


def import_h5py() -> Any:
    """Return h5py; raise FileError with how to install it."""
    try:
        import h5py
    except ModuleNotFoundError as error:
        raise FileError(
            'HDF5 files need h5py; install it with pip install "colonnade[dask]"'
        ) from error
    return h5py
