"""MatrixMarket, converted once to blocks on the disk: text in any order has no parts to read."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.atomic import StrPath, atomic_folder, scratch_folder
from ..operands.chunked.chunked_table import ChunkedTable
from ..operands.containers import check_indices
from .lazy_arrays import open_npy
from .lazy_blocks import Source, Span, as_array, column_of, stamp_of
from .lazy_cells import cut_by_size
from .limits import check_room, open_bytes
from .lists import Header, check_entries, mtx_header, refuse_wide_text
from .table import FileError, Options, make_plan

__all__ = ["open_mtx"]

PIECE = 2**24
"""How many bytes of text are in memory at once; their entries take about four times as many."""
ABOUT = "about.json"
DENSE = "X.npy"


@dataclass(frozen=True)
class BlockSource(Source):
    """A block of rows, as a CSR matrix in a file of its own."""

    kind = "converted MatrixMarket"
    width: int

    def block(self, rows: Span, columns: Span) -> Any:
        # opened here: NumPy leaves a file open that turns out to be damaged
        with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as parts:
            given = (parts["data"], parts["indices"], parts["indptr"])
        X = sp.csr_array(given, shape=(rows[1] - rows[0], self.width))
        check_indices(X)
        return X if columns == (0, self.width) else X[:, slice(*columns)]


def open_mtx(path: Path, options: Options, room: int, cache: StrPath | None = None) -> ChunkedTable:
    """Open a matrix, after it was converted to blocks, if that was not done before."""
    refuse_wide_text(path)
    where = os.path.realpath(path)
    ((_, size, time),) = stamp_of([where])
    folder = _folder(path, cache) / _name(where, room)
    source = {"path": where, "size": size, "mtime_ns": time, "chunk_bytes": room}
    about = _converted_before(folder, source)
    if about is None:
        about = _convert(path, folder, source, room)
    if about["cuts"] is None:
        return open_npy(folder / DENSE, options, room, path, made_from=str(source))
    _, n = about["shape"]
    plan = make_plan(path, n, None, options)
    parts: list[tuple[Source, Span]] = []
    for number, (start, stop) in enumerate(about["cuts"]):
        block = os.fspath(_block(folder, number))
        made_from = f"{source} block {number}"
        stored = BlockSource(block, stamp_of([block]), n, made_from=made_from)
        parts.append((stored, (0, stop - start)))
    dtype = np.dtype(about["dtype"])
    array = as_array(parts, [(0, n)], plan, dtype, sparse=True)
    return ChunkedTable(array, plan.columns, column_of(parts, plan, dtype), str(path))


def _folder(path: Path, cache: StrPath | None) -> Path:
    """Return where conversions are kept."""
    if cache is None:
        return _temporary()
    folder = Path(cache)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"{path}: there can be no folder {folder} for converted blocks ({error.strerror}); "
            "choose another"
        ) from error
    return folder.resolve()


_temporary = once(scratch_folder)
"""Return the folder of this process for conversions that nobody keeps."""


def _name(where: str, room: int) -> str:
    """Return what the conversion of a file is called."""
    token = hashlib.sha256(f"{where}\0{room}".encode("utf-8", "surrogateescape")).hexdigest()
    return f"{os.path.basename(where)[:100]}-{token[:16]}"


def _block(folder: Path, number: int) -> Path:
    return folder / f"rows-{number:06}.npz"


def _converted_before(folder: Path, source: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is known of a conversion that is complete and not outdated; None for none."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        files = [DENSE] if about["cuts"] is None else [
            _block(folder, number).name for number in range(len(about["cuts"]))
        ]  # fmt: skip
        whole = all((folder / name).exists() for name in files)
        return about if whole and about["source"] == source else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _convert(path: Path, folder: Path, source: Mapping[str, Any], room: int) -> dict[str, Any]:
    """Convert a file; the folder appears when it is complete, and not at all if anything fails."""
    with open_bytes(path) as file:
        header = mtx_header(path, file)
    _check_disk(path, header, folder.parent)
    with atomic_folder(folder) as unfinished:
        how = _convert_sparse if header.sparse else _convert_dense
        about = {"source": dict(source), **how(path, header, unfinished, room)}
        (unfinished / ABOUT).write_text(json.dumps(about), encoding="utf-8")
    return about


def _check_disk(path: Path, header: Header, folder: Path) -> None:
    """Raise FileError if entries and blocks do not fit on the disk together."""
    twice = 1 if header.symmetry == b"general" else 2
    needed = header.entries * (24 * twice + 12 * twice if header.sparse else 8)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise FileError(
            f"{path}: {header.entries} entries take {needed} bytes on the disk while they are "
            f"converted, but {free} are free in {folder}; name a folder on another disk with "
            "cache, or correct the size in the file if it is wrong"
        )


def _convert_sparse(path: Path, header: Header, folder: Path, room: int) -> dict[str, Any]:
    """Write blocks of rows: entries are counted, then sorted into files, then put in order."""
    m, n = header.shape
    check_room(path, 16 * m, f"a matrix of {m} rows")
    counts = np.zeros(m, dtype=np.int64)
    dtype = None
    for entries in _entries(path, header):
        dtype = entries.dtype
        np.add.at(counts, entries.row, 1)
    dtype = np.dtype(np.float64) if dtype is None else dtype
    cuts = cut_by_size(np.append(0, np.cumsum(counts)), dtype.itemsize + 4, room)
    ends = np.array([stop for _, stop in cuts])
    triplet = np.dtype([("row", np.int64), ("column", np.int64), ("value", dtype)])
    for entries in _entries(path, header):
        block = np.searchsorted(ends, entries.row, side="right")
        order = np.argsort(block, kind="stable")
        triplets = np.empty(len(order), dtype=triplet)
        triplets["row"], triplets["column"] = entries.row[order], entries.col[order]
        triplets["value"] = entries.data[order]
        found, starts = np.unique(block[order], return_index=True)
        for number, part in zip(found, np.split(triplets, starts[1:]), strict=True):
            with open(folder / f"entries-{number}", "ab") as file:
                part.tofile(file)
    for number, (start, stop) in enumerate(cuts):
        place = folder / f"entries-{number}"
        part = np.fromfile(place, dtype=triplet) if place.exists() else np.empty(0, triplet)
        places = (part["row"] - start, part["column"])
        X = sp.csr_array((part["value"], places), shape=(stop - start, n))
        np.savez(_block(folder, number), data=X.data, indices=X.indices, indptr=X.indptr)
        place.unlink(missing_ok=True)
    return {"shape": [m, n], "dtype": dtype.str, "cuts": cuts}


def _convert_dense(path: Path, header: Header, folder: Path, room: int) -> dict[str, Any]:
    """Write an array, whose columns come one after the other in the text."""
    if header.symmetry != b"general":
        raise FileError(
            f"{path}: half of a {header.symmetry.decode()} array cannot be read in parts; write "
            "all of it, as 'general'"
        )
    dtype = np.dtype(np.float64 if header.field in (b"real", b"double") else np.int64)
    with open(folder / DENSE, "wb") as file:
        about = {"descr": dtype.str, "fortran_order": True, "shape": header.shape}
        np.lib.format.write_array_header_1_0(file, about)
        for values in _entries(path, header):
            values.astype(dtype).tofile(file)
    return {"shape": [*header.shape], "dtype": dtype.str, "cuts": None}


def _entries(path: Path, header: Header) -> Iterator[Any]:
    """Give the entries of a file, some at a time: COO matrices, or values of an array."""
    from scipy.io import mmread

    count = 0
    for line, text in _texts(path, header):
        lines = sum(1 for line in text.splitlines() if line.strip())
        count += lines
        if count > header.entries:
            break
        shape = header.shape if header.sparse else (lines, 1)
        sizes = b"%d %d" % shape + (b" %d" % lines if header.sparse else b"")
        try:
            entries: Any = mmread(io.BytesIO(header.banner + sizes + b"\n" + text))
        except ValueError as error:  # lines are checked, but not where they point to
            said = str(error).rpartition(": ")[2]
            raise FileError(
                f"{path}: this is not a complete MatrixMarket file: {said}, from line {line} on"
            ) from error
        yield entries if header.sparse else np.ravel(entries)
    if count != header.entries:
        there = "more" if count > header.entries else str(count)
        raise FileError(
            f"{path}: this is not a complete MatrixMarket file: {header.entries} entries are "
            f"promised, but {there} are there"
        )


def _texts(path: Path, header: Header) -> Iterator[tuple[int, bytes]]:
    """Give the lines of a file, checked, some at a time, and the number of the first of them."""
    with open_bytes(path) as file:
        line = mtx_header(path, file).line
        while text := file.read(PIECE):
            text += file.readline()
            # SciPy's reader may go on beyond the last line if it has no end
            text = text if text.endswith(b"\n") else text + b"\n"
            check_entries(path, memoryview(text), header, line)
            if text.strip():
                yield line, text
            line += text.count(b"\n")
