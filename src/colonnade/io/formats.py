"""One list of the kinds of file; a new kind is a new entry in :data:`FORMATS`."""

from __future__ import annotations

from typing import Any

from . import arrays, binary, excel, h5ad, lazy_arrays, lists, text
from .kinds import EXTENSIONS
from .table import FileError, Format, Options, Table

__all__ = ["FORMATS", "FileError", "Format", "Options", "Table"]

_TEXT_OPTIONS = ("label", "drop", "header", "delimiter")


def _kind(name: str, *how: Any, **more: Any) -> Format:
    return Format(name, EXTENSIONS[name], *how, **more)


def _not_written(*_: Any) -> None:
    raise NotImplementedError  # such names are refused before anything is written


FORMATS: tuple[Format, ...] = (
    _kind("CSV", text.read_text, text.write_csv, _TEXT_OPTIONS),
    _kind("TSV", text.read_text, text.write_tsv, _TEXT_OPTIONS),
    _kind("Parquet", binary.read_parquet, binary.write_parquet),
    _kind("Feather", binary.read_feather, binary.write_feather),
    _kind("Excel", excel.read_excel, excel.write_excel, ("label", "drop", "header", "sheet")),
    _kind("NPY", arrays.read_npy, arrays.write_npy),
    _kind("NPZ", arrays.read_npz, arrays.write_npz, ("label", "drop", "key")),
    _kind("Zarr", lazy_arrays.read_zarr, _not_written, ("label", "drop", "key")),
    _kind("HDF5", lazy_arrays.read_hdf5, _not_written, ("label", "drop", "key")),
    _kind(
        "h5ad",
        h5ad.read_h5ad,
        h5ad.write_h5ad,
        ("label", "drop", "layer"),
        refusal=h5ad.not_anndata,
    ),
    _kind("MatrixMarket", lists.read_mtx, lists.write_mtx, refusal=lists.not_numbers),
    _kind(
        "svmlight",
        lists.read_svmlight,
        lists.write_svmlight,
        ("drop",),
        refusal=lists.not_svmlight,
    ),
    _kind("JSON", None, binary.write_json, refusal=binary.not_a_selection),
)
"""Every kind of file; :data:`colonnade.io.kinds.EXTENSIONS` has what names them."""
