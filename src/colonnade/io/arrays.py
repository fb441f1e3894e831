"""NumPy's files, NPY and NPZ."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array
from .limits import check_room
from .sparse_parts import from_parts, is_sparse
from .table import FileError, Options, Table, check_form, dense, from_array

__all__ = ["read_npy", "read_npz", "write_npy", "write_npz"]

COLUMN_NAMES = ("columns", "feature_names", "terms", "genes")
"""Under which an NPZ file may hold names of the columns."""
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class Header(NamedTuple):
    """What an NPY file says about its array before it comes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return prod(self.shape) * self.dtype.itemsize


def read_npy(path: Path, options: Options) -> Table:
    """Read one array."""
    with path.open("rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise FileError(f"{path}: this is not an NPY file (pickles are never loaded)")
        file.seek(0)
        header = _header(path, file, path.stat().st_size)
        check_form(path, header.dtype, header.shape)
        check_room(path, header.size, "the array")
        X = _array(file)
    return from_array(path, X, options)


def _header(path: Path, file: IO[bytes], size: int, where: str = "") -> Header:
    """Return what an array will be, or say why it cannot be read."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise FileError(f"{path}: the array{where} is in version {version} of NPY; save it anew")
    try:
        shape, _, dtype = _HEADERS[version](file)
    except (MemoryError, RecursionError) as error:  # Python's, about brackets in brackets
        raise FileError(f"{path}: the array{where} has no header that makes sense") from error
    if dtype.hasobject:
        raise FileError(
            f"{path}: the array{where} holds pickled Python objects, which are never loaded "
            "because they can run code; save numbers instead, for example X.astype(float)"
        )
    header, there = Header(shape, dtype), size - file.tell()
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
    """The arrays of an NPZ file, read when they are asked for."""

    def __init__(self, path: Path, packed: zipfile.ZipFile):
        self._path, self._packed = path, packed
        names = [name for name in packed.namelist() if name.endswith(".npy")]
        self.keys = [name.removesuffix(".npy") for name in names]

    def header(self, key: str) -> Header:
        """Return what an array will be."""
        info = self._packed.getinfo(f"{key}.npy")
        with self._packed.open(info) as file:
            return _header(self._path, file, info.file_size, f" in {key!r}")

    def __getitem__(self, key: str) -> Array:
        """Return an array."""
        check_room(self._path, self.header(key).size, f"the array in {key!r}, unpacked,")
        with self._packed.open(f"{key}.npy") as file:
            return _array(file)


def read_npz(path: Path, options: Options) -> Table:
    """Read an array ``X``, the only array, or what scipy.sparse.save_npz wrote.

    Beside it may stand ``y``, ``row_names`` and, under one of several names, column names.
    """
    if not zipfile.is_zipfile(path):
        with path.open("rb") as file:
            packed_start = file.read(2) == b"PK"
        if packed_start:
            raise FileError(f"{path}: this NPZ file is cut short: its list of arrays is missing")
        raise FileError(f"{path}: this is not an NPZ file (pickles are never loaded)")
    with zipfile.ZipFile(path) as packed:
        return _read_archive(path, Archive(path, packed), options)


def _read_archive(path: Path, archive: Archive, options: Options) -> Table:
    if not archive.keys:
        raise FileError(f"{path}: there is no array in this file")
    X: Any
    if options.key is None and is_sparse(archive.keys):
        X = from_parts(path, archive)
    else:
        key = _main_key(path, archive.keys, options)
        header = archive.header(key)
        check_form(path, header.dtype, header.shape)
        X = archive[key]
    label = str(options.label) if options.label in archive.keys else None
    named = (_about(path, archive, key, X.shape, 1, options) for key in COLUMN_NAMES)
    columns = next((names for names in named if names is not None), None)
    table = from_array(path, X, replace(options, label=None) if label else options, columns)
    if table.labels is None:
        labels = _about(path, archive, label or "y", X.shape, 0, options)
        if labels is not None:
            table = replace(table, labels=labels, label_name=label or "y")
        elif label:
            raise FileError(f"{path}: {label!r} is not a list of {X.shape[0]} labels")
    return replace(table, row_names=_about(path, archive, "row_names", X.shape, 0, options))


def _about(
    path: Path, archive: Archive, key: str, shape: tuple[int, int], axis: int, options: Options
) -> Array | None:
    """Return what the file says about the rows or the columns, None if it does not."""
    if key not in archive.keys:
        return None
    try:
        header = archive.header(key)
    except FileError as error:
        if "pickle" not in str(error):
            raise
        warnings.warn(f"{path}: {key!r} is pickled and stays unread", stacklevel=2)
        return None
    if header.shape != (shape[axis],):
        unit = ("rows", "columns")[axis]
        problem = f"{key!r} has shape {header.shape}, but the matrix has {shape[axis]} {unit}"
        if options.key is None and options.label != key:
            raise FileError(f"{path}: {problem}; correct it or save the file without it")
        if options.label != key:  # it may belong to another array
            warnings.warn(f"{path}: {problem}; it stays unread", stacklevel=2)
        return None
    values = archive[key]
    if values.dtype.kind != "S":
        return values
    # stored as bytes, which saves room
    return np.array([name.decode("utf-8", "replace") for name in values.tolist()])


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
