"""NumPy's files, NPY and NPZ."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array
from ..operands.containers import dense
from .limits import check_room
from .settling import from_array
from .sparse_parts import from_parts, is_sparse
from .table import FileError, Options, Table, check_form

__all__ = [
    "COLUMN_NAMES",
    "Archive",
    "npy_header",
    "open_archive",
    "read_npy",
    "read_npz",
    "write_npy",
    "write_npz",
]

COLUMN_NAMES = ("columns", "feature_names", "terms", "genes")
"""Under which an NPZ file may hold names of the columns."""
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class PickleError(FileError):
    """An array consists of Python objects; loading these could run code."""


class ShapeError(FileError):
    """An array about the rows or the columns has not one entry for each."""


class ArrayHeader(NamedTuple):
    """What an NPY file says about its array before it comes, and where that begins."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool
    offset: int

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return prod(self.shape) * self.dtype.itemsize


def read_npy(path: Path, options: Options) -> Table:
    """Read one array."""
    header = npy_header(path)
    check_room(path, header.size, "the array")
    with path.open("rb") as file:
        X = _array(file)
    return from_array(path, X, options)


def npy_header(path: Path) -> ArrayHeader:
    """Return what an NPY file holds; raise FileError if that is no matrix, or not all there."""
    with path.open("rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise FileError(f"{path}: this is not an NPY file (pickles are never loaded)")
        file.seek(0)
        header = _header(path, file, path.stat().st_size)
    check_form(path, header.dtype, header.shape)
    return header


def _header(path: Path, file: IO[bytes], size: int, where: str = "") -> ArrayHeader:
    """Return shape and type of an array; raise FileError if it cannot be read."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise FileError(f"{path}: the array{where} is in version {version} of NPY; save it anew")
    try:
        shape, fortran, dtype = _HEADERS[version](file)
    except (MemoryError, RecursionError) as error:  # Python's, about brackets in brackets
        raise FileError(f"{path}: the array{where} has no header that makes sense") from error
    if dtype.hasobject:
        raise PickleError(
            f"{path}: the array{where} holds pickled Python objects, which are never loaded "
            "because they can run code; save numbers instead, for example X.astype(float)"
        )
    header, there = ArrayHeader(shape, dtype, fortran, file.tell()), size - file.tell()
    if min(shape, default=0) < 0 or header.size > there:
        raise ValueError(
            f"the array{where} of shape {shape} and dtype {dtype} takes {header.size} bytes, but "
            f"there are {there}"
        )
    return header


def _array(file: IO[bytes]) -> Array:
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


class Archive:
    """The arrays of an NPZ file, read when they are asked for.

    Attributes
    ----------
    keys : list of str
        Their names.
    """

    def __init__(self, path: Path, packed: zipfile.ZipFile):
        self._path, self._packed = path, packed
        names = [name for name in packed.namelist() if name.endswith(".npy")]
        self.keys = [name.removesuffix(".npy") for name in names]

    def header(self, key: str) -> ArrayHeader:
        """Return what an array will be."""
        info = self._packed.getinfo(f"{key}.npy")
        with self._packed.open(info) as file:
            return _header(self._path, file, info.file_size, f" in {key!r}")

    def __getitem__(self, key: str) -> Array:
        """Return an array."""
        check_room(self._path, self.header(key).size, f"the array in {key!r}, unpacked,")
        with self._packed.open(f"{key}.npy") as file:
            return _array(file)

    def matrix(self, key: str | None = None) -> Any:
        """Return an array that must be a matrix of numbers.

        Parameters
        ----------
        key : str or None
            Its name; None for what scipy.sparse.save_npz wrote or else for ``X``.

        Returns
        -------
        ndarray or sparse CSC array
        """
        if key is None and is_sparse(self.keys):
            return from_parts(self._path, self)
        key = "X" if key is None else key
        if key not in self.keys:
            raise FileError(
                f"{self._path}: this holds neither {key} nor a sparse matrix, only "
                f"{', '.join(self.keys) or 'nothing'}"
            )
        header = self.header(key)
        check_form(self._path, header.dtype, header.shape)
        return self[key]

    def one_for_each(self, unit: str, count: int, *names: str) -> Array | None:
        """Return the first of several arrays that is there, None if none is; text for bytes.

        Parameters
        ----------
        unit : {"row", "column"}
            What the array has an entry for.
        count : int
            How many of these the matrix has; raises FileError if the array has another shape.
        *names : str
            What the array may be called.
        """
        key = next((name for name in names if name in self.keys), None)
        if key is None:
            return None
        shape = self.header(key).shape
        if shape != (count,):
            raise ShapeError(
                f"{self._path}: {key!r} has shape {shape}, but the matrix has {count} {unit}s; "
                "correct it or save the file without it"
            )
        return self.text(key)

    def text(self, key: str) -> Array:
        """Return an array; names that are stored as bytes, which saves room, become text."""
        values = self[key]
        if values.dtype.kind != "S":
            return values
        names = [name.decode("utf-8", "backslashreplace") for name in values.ravel().tolist()]
        return np.array(names).reshape(values.shape)


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an NPZ file; raise FileError if it is none."""
    if not zipfile.is_zipfile(path):
        with path.open("rb") as file:
            packed_start = file.read(2) == b"PK"
        if packed_start:
            raise FileError(f"{path}: this NPZ file is cut short: its list of arrays is missing")
        raise FileError(f"{path}: this is not an NPZ file (pickles are never loaded)")
    with zipfile.ZipFile(path) as packed:
        yield Archive(path, packed)


def read_npz(path: Path, options: Options) -> Table:
    """Read an array ``X``, the only array, or what scipy.sparse.save_npz wrote.

    The file may also hold ``y``, ``row_names`` and, under one of several names, column names.
    """
    with open_archive(path) as archive:
        return _read_archive(path, archive, options)


def _read_archive(path: Path, archive: Archive, options: Options) -> Table:
    if not archive.keys:
        raise FileError(f"{path}: there is no array in this file")
    sparse = options.key is None and is_sparse(archive.keys)
    X = archive.matrix(None if sparse else _main_key(path, archive.keys, options))
    label = str(options.label) if options.label in archive.keys else None
    m, n = X.shape
    named = (_about(path, archive, key, "column", n, options) for key in COLUMN_NAMES)
    columns = next((names for names in named if names is not None), None)
    labels = None
    if label is not None or options.label is None:
        labels = _about(path, archive, label or "y", "row", m, options)
        if labels is None and label:
            raise FileError(f"{path}: {label!r} is not a list of {m} labels")
    return from_array(
        path,
        X,
        replace(options, label=None) if label else options,
        columns,
        labels=labels,
        label_name=(label or "y") if labels is not None else None,
        row_names=_about(path, archive, "row_names", "row", m, options),
    )


def _about(
    path: Path, archive: Archive, key: str, unit: str, count: int, options: Options
) -> Array | None:
    """Return what the file says about the rows or the columns, None if it does not."""
    try:
        return archive.one_for_each(unit, count, key)
    except PickleError:
        warnings.warn(f"{path}: {key!r} is pickled and stays unread", stacklevel=2)
    except ShapeError as error:
        if options.key is None and options.label != key:
            raise
        if options.label != key:  # it may belong to another array
            problem, _, _ = str(error).rpartition("; ")
            warnings.warn(f"{problem}; it stays unread", stacklevel=2)
    return None


def _main_key(path: Path, keys: list[str], options: Options) -> str:
    key = options.key
    if key is not None:
        if key not in keys:
            raise FileError(
                f"{path}: {options.spelled('key', key)}: there is no array {key!r}; the file "
                f"holds {', '.join(keys)}"
            )
        return key
    if "X" in keys:
        return "X"
    if len(keys) != 1:
        raise FileError(
            f"{path}: say which array to take, such as {options.spelled('key', keys[0])}; the "
            f"file holds {', '.join(keys)}"
        )
    return keys[0]


def write_npy(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write the numbers alone."""
    np.save(file, dense(table.X), allow_pickle=False)


def write_npz(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write ``X``, ``columns`` and, if there are any, ``y`` and ``row_names``."""
    arrays: dict[str, Any] = {"X": table.X}
    if sp.issparse(table.X):
        # what scipy.sparse.save_npz writes, so that load_npz reads it, with room for the names
        X = sp.csc_array(table.X)
        arrays = {"indices": X.indices, "indptr": X.indptr, "data": X.data, "shape": X.shape}
        arrays |= {"format": b"csc", "_is_array": True}
    arrays["columns"] = np.array(table.names)
    for key, values in (("y", table.labels), ("row_names", table.row_names)):
        if values is not None:
            arrays[key] = values.astype(str) if values.dtype.kind == "O" else values
    np.savez(file, **arrays)
