"""Reading matrices from files and writing results, whole or not at all.

The extension of a file name says what it is; :data:`FORMATS` lists what is known.
"""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..foundation.atomic import StrPath, atomic
from .arrays import Archive, open_archive
from .formats import FORMATS, FileError, Format, Options, Table
from .kinds import READ_ONLY, check_source, kind_of, known_extensions, mode_of
from .settling import check_options
from .sources import opened
from .spreadsheets import without_formulas
from .unreadable import reading

__all__ = [
    "FORMATS",
    "FileError",
    "Format",
    "Options",
    "Table",
    "atomic",
    "check_content",
    "check_safe_csv",
    "check_target",
    "open_npz",
    "read",
    "read_with",
    "write",
]

_REASONS = {
    "label": ", which holds its labels itself",
    "header": ", which has no line of names",
    "delimiter": ", which is no text with fields",
    "key": ", which is one array",
    "sheet": ", which is no workbook",
    "layer": ", which has no layers",
}
"""Why an option of the reader is not for every kind of file."""

_BY_NAME = {form.name: form for form in FORMATS}


def read(
    path: StrPath,
    *,
    label: str | int | None = None,
    drop: Sequence[str | int] = (),
    header: bool | None = None,
    delimiter: str | None = None,
    key: str | None = None,
    sheet: str | int | None = None,
    layer: str | None = None,
    format: str | None = None,
    names: StrPath | Sequence[str] | None = None,
    row_names: str | int | None = None,
    numeric_only: bool = False,
    missing: str = "error",
    transform: str | None = None,
    min_df: int | float | None = None,
    max_df: int | float | None = None,
) -> Table:
    r"""Read a matrix; the extension of the file name says how.

    Parameters
    ----------
    path : str or path
        CSV, TSV or text (also compressed, ``.gz``), Parquet (also a folder of files), Feather,
        Excel (``.xlsx``), NPY, NPZ, Zarr (a folder, or ``.zarr.zip``), HDF5 (``.h5``, ``.hdf5``),
        AnnData (``.h5ad``), MatrixMarket or svmlight; ``-`` for standard input. Pickled
        objects are never loaded, and other streams, such as ``/dev/stdin``, are not read.
    label : str or int, optional
        A column, by name or by number from 0 (negative from the end), that is left out of the
        matrix and returned as labels. In an NPZ file also the name of an array, in
        AnnData ``obs:`` and the name of an annotation of the cells, such as ``obs:cell_type``.
    drop : sequence of str or int
        Columns to leave out altogether.
    header : bool, optional
        Whether the first line of a text file holds names. By default it does unless all of it
        (but for the columns left out) is numbers; a warning says so if these may be names.
    delimiter : str, optional
        What separates the fields of a text file; found out by default.
    key : str, optional
        Which array of an NPZ file is the matrix; by default ``X``, or the only one. In Zarr and
        HDF5 by default the only one with two dimensions.
    sheet : str or int, optional
        Which sheet of an Excel file to read, by name or by number from 0; by default the first.
    layer : str, optional
        Which layer of AnnData is the matrix; by default ``X``.
    format : str, optional
        An extension without its dot, such as "csv", or the name of a kind, such as "excel", in
        place of the extension of the file; for standard input "csv" by default.
    names : path or sequence of str, optional
        Names of the columns for a file that has none, or a text file with one in each line.
    row_names : str or int, optional
        A column that is left out of the matrix and names the rows.
    numeric_only : bool, default=False
        Whether to leave out, rather than to refuse, columns that hold text, dates, lists or no
        entry at all; and identifiers: whole numbers, different in each row, in a column that is
        called ``id`` or the like or counts the rows. ``Table.left_out`` names them.
    missing : {"error", "drop-rows", "drop-columns", "mean", "median", "pairwise"}
        What becomes of gaps. They are refused; or rows, or columns, that have some are left out;
        or they stay NaN in the table, for a method with the same parameter ``missing`` (columns
        without any entry are left out).
    transform : {"log1p", "tfidf"}, optional
        Take ``log(1 + x)`` of every entry, or scikit-learn's tf-idf of counts.
    min_df, max_df : int or float, optional
        Leave out columns that are not zero in fewer, or in more, than so many rows, or than such
        a share of them; before ``transform``.

    Returns
    -------
    Table
        Sparse files stay sparse.

    Raises
    ------
    FileError
        If the file cannot be read, or holds anything but finite real numbers that no option says
        what to do about; the message names all columns of that kind.

    Notes
    -----
    A first column whose name in the header is empty holds row names, as pandas and R write them.
    Labels and row names in text are numbers if all of them are, and else stay as they stand:
    ``007`` and ``NA`` are words. In text, empty fields and ``NA``, ``NaN``, ``null``, ``None``,
    ``n/a``, ``-`` and ``?`` are gaps, and ``true`` and ``false`` are the numbers 1 and 0.

    A file that asks for more than a GiB and a thousand times its own size, or for more memory than
    is free, is refused before anything is allocated.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from colonnade.io import read
    >>> path = pathlib.Path(tempfile.mkdtemp(), "data.csv")
    >>> _ = path.write_text("a,b,kind\n1,2,x\n3,4,y\n")
    >>> table = read(path, label="kind")
    >>> table.X
    array([[1, 2],
           [3, 4]])
    >>> table.columns
    ['a', 'b']
    """
    return read_with(
        path,
        Options(
            label,
            tuple(drop),
            header,
            delimiter,
            key,
            sheet,
            layer,
            format,
            names,
            row_names,
            numeric_only,
            missing,
            transform,
            min_df,
            max_df,
        ),
    )


def read_with(path: StrPath, options: Options) -> Table:
    """Read a matrix as :func:`read` does, with messages that spell options as the caller does.

    Parameters
    ----------
    path : str or path
        The file.
    options : Options
        The options of :func:`read`, and how they are spelled where the user gives them.

    Returns
    -------
    Table
    """
    path = Path(path)
    form = _BY_NAME[check_source(path, options.format, options.spelled)]
    for name in ("label", "drop", "header", "delimiter", "key", "sheet", "layer"):
        value = getattr(options, name)
        if value not in (None, ()) and name not in form.options:
            raise FileError(
                f"{path}: {options.spelled(name, value)} has no meaning for {form.name}"
                f"{_REASONS.get(name, '')}; leave it out"
            )
    check_options(path, options)
    assert form.read is not None, "there are no other sources"
    with opened(path, options.format, options.spelled) as source, reading(source, form.name):
        return form.read(source, options)


@contextmanager
def open_npz(path: StrPath) -> Iterator[Archive]:
    """Open an NPZ file, whose arrays are read when they are asked for.

    Parameters
    ----------
    path : str or path
        The file.

    Yields
    ------
    Archive
        Any error while it is read is raised as a FileError.
    """
    path = Path(path)
    check_source(path, "npz")
    with reading(path, "NPZ"), open_archive(path) as archive:
        yield archive


def write(
    path: StrPath,
    table: Table,
    *,
    selection: Mapping[str, Any] | None = None,
    safe_csv: bool = False,
) -> None:
    """Write a table, or for JSON a selection; the extension of the file name says how.

    The file appears only when it is complete; if anything fails, or the user interrupts, a file
    that was there before is left as it was.

    Parameters
    ----------
    path : str or path
        Where to; an existing file is replaced.
    table : Table
        What CSV, Parquet, NPZ and the other formats for data hold.
    selection : dict, optional
        What JSON holds, see :meth:`colonnade.Selection.to_dict`.
    safe_csv : bool
        For CSV and TSV: put a single quote before names and other text that begin with ``=``,
        ``+``, ``-`` or ``@``. Spreadsheets take these for formulas, which can do harm if the text
        is from somebody else. Numbers stay as they are. Readers other than spreadsheets, also
        :func:`read`, see the quote.
    """
    path = check_target(path)
    check_content(path, table, selection=selection)
    form = _format(path)
    if safe_csv:
        check_safe_csv(path)
        table = without_formulas(table)
    try:
        with atomic(path) as file:
            if path.name.lower().endswith(".gz"):
                # no name and no time inside, so that equal data gives equal files
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    form.write(cast(BinaryIO, packed), table, selection)
            else:
                form.write(file, table, selection)
    except FileError as error:
        raise FileError(f"{path}: {error}") from error


def check_content(
    path: StrPath, table: Table | None, *, selection: Mapping[str, Any] | None = None
) -> None:
    """Raise FileError if files of this kind cannot hold a result, before it is computed.

    Parameters
    ----------
    path : str or path
        Where a result is to be written.
    table : Table or None
        What :func:`write` will get, or a table with labels like it; None if there is none yet.
    selection : dict, optional
        What JSON is to hold; any will do.
    """
    path = Path(path)
    refusal = _format(path).refusal(table, selection)
    if refusal:
        raise FileError(f"{path}: {refusal}")


def check_safe_csv(path: StrPath, spelled: str = "safe_csv=True") -> None:
    """Raise FileError if a file is of a kind that no spreadsheet takes formulas from.

    Parameters
    ----------
    path : str or path
        Where a result is to be written.
    spelled : str
        How the user asked for it.
    """
    form = _format(Path(path))
    if form.name not in ("CSV", "TSV"):
        raise FileError(f"{path}: {spelled} is for CSV and TSV, not for {form.name}; leave it out")


def check_target(
    path: StrPath, *, sources: Sequence[StrPath] = (), extensions: Sequence[str] | None = None
) -> Path:
    """Raise FileError if a file cannot be written, before any work is done for it.

    Parameters
    ----------
    path : str or path
        Where a result is to be written.
    sources : sequence of str or path
        Files that must not be overwritten.
    extensions : sequence of str, optional
        What the name may end in; by default what :func:`write` knows.

    Returns
    -------
    Path
    """
    path = Path(path)
    if extensions is None:
        _format(path)
    elif not path.name.lower().endswith(tuple(extensions)):
        raise FileError(f"{path}: unknown extension; known are {', '.join(extensions)}")
    kind = mode_of(path, "written")
    if stat.S_ISDIR(kind):
        raise FileError(f"{path}: this is a directory; name a file in it")
    if not stat.S_ISREG(kind):
        raise FileError(f"{path}: this is no plain file but a device or a pipe; choose another")
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no directory {path.parent}; make it first")
    if not os.access(path.resolve().parent, os.W_OK):
        raise FileError(f"{path}: no permission to write in {path.parent}")
    for source in sources:
        # files, not names, are compared: a link is another name of the same file
        if path.exists() and os.path.exists(source) and path.samefile(source):
            raise FileError(f"{path}: this file is in use here already; choose another name")
    return path


def _format(path: Path) -> Format:
    """Return how a file is written."""
    kind = kind_of(path)
    if kind in READ_ONLY:
        raise FileError(
            f"{path}: {kind} can only be read; to write: {known_extensions(reading=False)}"
        )
    return _BY_NAME[kind]
