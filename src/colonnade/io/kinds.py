"""What a file name says, known without any other package: kinds of file and their extensions."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..foundation.wording import did_you_mean
from .phrases import Spelling, as_keyword

__all__ = [
    "EXTENSIONS",
    "STANDARD_INPUT",
    "FileError",
    "check_source",
    "extension_for",
    "kind_of",
    "known_extensions",
    "mode_of",
]

EXTENSIONS = {
    "CSV": (".csv", ".csv.gz", ".txt", ".txt.gz"),
    "TSV": (".tsv", ".tsv.gz"),
    "Parquet": (".parquet", ".pq"),
    "Feather": (".feather", ".arrow"),
    "Excel": (".xlsx",),
    "NPY": (".npy",),
    "NPZ": (".npz",),
    "Zarr": (".zarr", ".zarr.zip"),
    "HDF5": (".h5", ".hdf5"),
    "h5ad": (".h5ad",),
    "MatrixMarket": (".mtx", ".mtx.gz"),
    "svmlight": (".svmlight", ".libsvm", ".svm"),
    "JSON": (".json",),
}
"""What file names of each kind end in."""
WRITTEN_ONLY = ("JSON",)
READ_ONLY = ("Zarr", "HDF5")
FOLDERS = ("Parquet", "Zarr")
"""What may be a folder of files."""
OTHER_SHEETS = (".xls", ".xlsb", ".xlsm", ".ods", ".numbers")
"""Spreadsheets that are not read."""
STANDARD_INPUT = "-"
"""The name that stands for standard input."""


class FileError(ValueError):
    """A file cannot be read or written; the message is one line and names the file."""


def kind_of(
    path: Path, form: str | None = None, *, reading: bool = False, spelled: Spelling = as_keyword
) -> str:
    """Return the kind of a file by its extension, or by what is said of its form.

    Parameters
    ----------
    path : Path
        The file.
    form : str, optional
        An extension or the name of a kind, in place of the extension of the file.
    reading : bool
        Whether the file is to be read, for the list of extensions that are known.
    spelled : callable
        How options are written where the user gives them.

    Examples
    --------
    >>> kind_of(Path("data.csv")), kind_of(Path("data.dat"), "tsv"), kind_of(Path("-"), "excel")
    ('CSV', 'TSV', 'Excel')
    """
    name = path.name.lower() if form is None else f"data{extension_for(form)}"
    for kind, extensions in EXTENSIONS.items():
        if any(name.endswith(extension) and name != extension for extension in extensions):
            return kind
    ending = path.suffix if form is None else extension_for(form)
    hint = ""
    if reading and ending.lower() in OTHER_SHEETS:
        hint = "; save the sheet as .xlsx or .csv first"
    elif reading and form is None:
        hint = f"; if the file is one of these under another name, say {spelled('format', 'csv')}"
    known = known_extensions(reading=reading)
    if form is not None:
        forms = [extension[1:] for extension in known.split(", ")]
        near = did_you_mean(ending[1:], [*forms, *(kind.lower() for kind in EXTENSIONS)])
        raise FileError(
            f"{shown_name(path)}: {spelled('format', form)}: unknown format{near}; known are "
            f"{', '.join(forms)}{hint}"
        )
    near = did_you_mean(ending, known.split(", "))
    raise FileError(
        f"{path}: unknown extension ({ending or 'no extension'}){near}; known are {known}{hint}"
    )


def extension_for(form: str) -> str:
    """Return the extension that a form stands for: itself, or the first of the kind it names.

    Examples
    --------
    >>> extension_for("csv"), extension_for(".CSV"), extension_for("Excel")
    ('.csv', '.csv', '.xlsx')
    """
    form = form.lower().removeprefix(".")
    named = {kind.lower(): extensions[0] for kind, extensions in EXTENSIONS.items()}
    return named.get(form, f".{form}")


def shown_name(path: Path) -> str:
    """Return what messages call a file."""
    return "standard input" if os.fspath(path) == STANDARD_INPUT else str(path)


def known_extensions(*, reading: bool) -> str:
    """Return the extensions that can be read, or written, for a message."""
    others = WRITTEN_ONLY if reading else READ_ONLY
    kinds = [kind for kind in EXTENSIONS if kind not in others]
    return ", ".join(extension for kind in kinds for extension in EXTENSIONS[kind])


def check_source(path: Path, form: str | None = None, spelled: Spelling = as_keyword) -> str:
    """Return the kind of a file that is to be read; raise FileError if there is none to read."""
    if os.fspath(path) == STANDARD_INPUT:
        return _readable(path, kind_of(path, form or "csv", reading=True, spelled=spelled))
    mode = mode_of(path, "read")
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FileError(
            f"{path}: this is no file but a stream, and files are read more than once; give - for "
            "standard input, or save it first, for example with cat > data.csv"
        )
    folder = stat.S_ISDIR(mode)
    kind = _kind_of_folder(path) if folder and form is None else None
    try:
        kind = kind or _readable(path, kind_of(path, form, reading=True, spelled=spelled))
    except FileError as error:
        if not folder or form is not None:
            raise
        raise FileError(
            f"{path}: this is a folder without data: there is no Zarr array and there are no "
            "Parquet files in it; name a file"
        ) from error
    if folder and kind in FOLDERS:
        return kind
    if folder:
        raise FileError(f"{path}: this is a directory; name a file in it")
    if not path.exists():
        raise FileError(f"{path}: there is no such file")
    if path.stat().st_size == 0:
        raise FileError(f"{path}: the file is empty")
    return kind


def _kind_of_folder(path: Path) -> str | None:
    """Return what a folder is by the files in it, whatever it is called; None if they tell not."""
    try:
        names = os.listdir(path)
    except OSError as error:
        raise FileError(f"{path}: this cannot be read ({error.strerror})") from error
    if {"zarr.json", ".zarray", ".zgroup"} & {*names}:
        return "Zarr"
    return "Parquet" if any(name.endswith(EXTENSIONS["Parquet"]) for name in names) else None


def _readable(path: Path, kind: str) -> str:
    if kind in WRITTEN_ONLY:
        raise FileError(
            f"{shown_name(path)}: {kind} can only be written; to read: "
            f"{known_extensions(reading=True)}"
        )
    return kind


def mode_of(path: Path, what: str) -> int:
    """Return the mode of what a path leads to; raise FileError if nothing can be there."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return stat.S_IFREG
    except OSError as error:  # such as a name that is too long
        raise FileError(f"{path}: this cannot be {what} ({error.strerror})") from error
