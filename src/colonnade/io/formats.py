"""One list of the kinds of file; a new kind is a new entry in :data:`FORMATS`."""

from __future__ import annotations

from . import arrays, binary, lists, text
from .table import FileError, Format, Options, Table

__all__ = ["FORMATS", "FileError", "Format", "Options", "Table"]

_TEXT_OPTIONS = ("label", "drop", "header", "delimiter")

FORMATS: tuple[Format, ...] = (
    Format(
        "CSV", (".csv", ".csv.gz", ".txt", ".txt.gz"), text.read_text, text.write_csv, _TEXT_OPTIONS
    ),
    Format("TSV", (".tsv", ".tsv.gz"), text.read_text, text.write_tsv, _TEXT_OPTIONS),
    Format("Parquet", (".parquet", ".pq"), binary.read_parquet, binary.write_parquet),
    Format("NPY", (".npy",), arrays.read_npy, arrays.write_npy),
    Format("NPZ", (".npz",), arrays.read_npz, arrays.write_npz, ("label", "drop", "key")),
    Format(
        "MatrixMarket",
        (".mtx", ".mtx.gz"),
        lists.read_mtx,
        lists.write_mtx,
        refusal=lists.not_numbers,
    ),
    Format(
        "svmlight",
        (".svmlight", ".libsvm", ".svm"),
        lists.read_svmlight,
        lists.write_svmlight,
        ("drop",),
        lists.not_svmlight,
    ),
    Format("JSON", (".json",), None, binary.write_json, refusal=binary.not_a_selection),
)
"""Every kind of file, with the extensions that name it."""
