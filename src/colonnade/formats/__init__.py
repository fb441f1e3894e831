"""One list of the kinds of file; a new kind is a new entry in :data:`FORMATS`."""

from __future__ import annotations

from . import binary, text
from .table import FileError, Format, Options, Table

__all__ = ["FORMATS", "FileError", "Format", "Options", "Table"]

_TEXT_OPTIONS = ("label", "drop", "header", "delimiter")

FORMATS: tuple[Format, ...] = (
    Format("CSV", (".csv", ".csv.gz", ".txt", ".txt.gz"), text.read, text.write, _TEXT_OPTIONS),
    Format("TSV", (".tsv", ".tsv.gz"), text.read, text.write_tabbed, _TEXT_OPTIONS),
    Format("Parquet", (".parquet", ".pq"), binary.read_parquet, binary.write_parquet),
    Format("NPY", (".npy",), binary.read_npy, binary.write_npy),
    Format("NPZ", (".npz",), binary.read_npz, binary.write_npz, ("label", "drop", "key")),
    Format(
        "MatrixMarket",
        (".mtx", ".mtx.gz"),
        binary.read_mtx,
        binary.write_mtx,
        refusal=binary.not_numbers,
    ),
    Format(
        "svmlight",
        (".svmlight", ".libsvm", ".svm"),
        binary.read_svmlight,
        binary.write_svmlight,
        ("drop",),
        binary.not_svmlight,
    ),
    Format("JSON", (".json",), None, binary.write_json, refusal=binary.not_a_selection),
)
"""Every kind of file, with the extensions that name it."""
