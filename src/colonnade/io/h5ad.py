"""AnnData files, ``.h5ad``: cells by genes, of which no more is read than is asked for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..foundation.atomic import scratch_file
from ..foundation.typing import Array
from ..foundation.wording import did_you_mean
from .lazy_arrays import check_hdf5
from .limits import check_room
from .phrases import listed
from .settling import from_array
from .sparse_parts import from_parts
from .table import FileError, Options, Table, check_form

__all__ = [
    "about_cells",
    "chosen_matrix",
    "not_anndata",
    "opened_cells",
    "read_h5ad",
    "sparse_format",
    "sparse_shape",
    "write_h5ad",
]

OF_CELLS = "obs:"
"""How the name of a label begins that is an annotation of the cells and not a gene."""
_FORMATS = {"csr_matrix": b"csr", "csc_matrix": b"csc"}


def read_h5ad(path: Path, options: Options) -> Table:
    """Read ``X`` or a layer; genes are named by ``var_names``, cells by ``obs_names``."""
    with opened_cells(path) as file:
        X = _matrix(path, chosen_matrix(path, file, options))
        about = about_cells(path, file, X.shape, options)
    if about.labels is not None:
        options = replace(options, label=None)
    return from_array(
        path, X, options, about.genes, labels=about.labels, row_names=np.array(about.cells),
        label_name=None if about.labels is None else str(about.label),
    )  # fmt: skip


@contextmanager
def opened_cells(path: Path) -> Iterator[Any]:
    """Open an h5ad file; raise FileError if it is none."""
    h5py, _ = import_anndata()
    check_hdf5(path, h5py, "h5ad")
    with h5py.File(path, "r") as file:
        for name in ("obs", "var"):
            if not isinstance(file.get(name), h5py.Group):
                raise FileError(
                    f"{path}: there is no table {name!r} as AnnData writes it; open the file "
                    "with anndata.read_h5ad and write it again"
                )
        yield file


class Annotations(NamedTuple):
    """What a file says about its cells and genes; the label is one that is no gene."""

    genes: list[str]
    cells: list[str]
    labels: Array | None
    label: str | None


def about_cells(path: Path, file: Any, shape: tuple[int, int], options: Options) -> Annotations:
    """Return names of cells and genes, and labels, if an annotation of the cells holds them."""
    _, anndata = import_anndata()
    label, labels, name = options.label, None, None
    if isinstance(label, str) and label.startswith(OF_CELLS):
        labels = _annotation(path, file["obs"], label, shape[0], options, anndata)
        name = label.removeprefix(OF_CELLS)
    genes = _index(path, file["var"], shape[1], anndata)
    cells = _index(path, file["obs"], shape[0], anndata)
    known = [*file["obs"]]
    if labels is None and isinstance(label, str) and label in known and label not in genes:
        asked = options.spelled("label", label)
        way = options.spelled("label", f"{OF_CELLS}{label}")
        raise FileError(
            f"{path}: {asked}: no gene is called that, but there is such an annotation of the "
            f"cells; say {way}"
        )
    return Annotations(genes, cells, labels, name)


def chosen_matrix(path: Path, file: Any, options: Options) -> Any:
    """Return where the matrix is that is asked for."""
    if "layers" in file and hasattr(file["layers"], "shape"):
        raise FileError(f"{path}: /layers is an array, and should be a group; the file is damaged")
    layers = [*file["layers"]] if "layers" in file else []
    if options.layer is None:
        if "X" not in file:
            raise FileError(
                f"{path}: there is no X in this file; choose a layer with "
                f"{options.spelled('layer', layers[0] if layers else 'NAME')} (there are "
                f"{listed(layers) or 'none'})"
            )
        return file["X"]
    if options.layer not in layers:
        near = did_you_mean(options.layer, layers)
        raise FileError(
            f"{path}: {options.spelled('layer', options.layer)}: there is no such layer{near}; "
            + (f"there are {listed(layers)}" if layers else "the file has none, only X")
        )
    return file["layers"][options.layer]


class _Parts:
    """The arrays of a sparse matrix in a group of an HDF5 file."""

    def __init__(self, path: Path, group: Any, form: bytes):
        self._path, self._group = path, group
        self._said = {"format": np.array(form), "shape": sparse_shape(group)}
        self.keys = [*self._said, *group]

    def __getitem__(self, key: str) -> Array:
        if key in self._said:
            return self._said[key]
        return _array(self._path, self._group[key], key)


def sparse_shape(group: Any) -> Array:
    """Return what a sparse matrix says its shape is."""
    return np.asarray(group.attrs.get("shape", group.attrs.get("h5sparse_shape", [])))


def _array(path: Path, stored: Any, name: str) -> Array:
    if not hasattr(stored, "nbytes"):
        raise FileError(f"{path}: {name!r} is no array; the file is damaged")
    check_room(path, int(stored.nbytes), f"{name!r}, unpacked,")
    return np.asarray(stored[()])


def _matrix(path: Path, stored: Any) -> Any:
    """Return a dense or sparse matrix, after a look at its size."""
    if hasattr(stored, "shape"):
        check_form(path, stored.dtype, stored.shape)
        return _array(path, stored, stored.name)
    return from_parts(path, _Parts(path, stored, sparse_format(path, stored)))


def sparse_format(path: Path, stored: Any) -> bytes:
    """Return how a sparse matrix is stored; raise FileError for what is none."""
    key = "encoding-type" if "encoding-type" in stored.attrs else "h5sparse_format"
    form = _word(path, stored, key, "")
    form = form if form.endswith("_matrix") else f"{form}_matrix"
    if form not in _FORMATS:
        raise FileError(
            f"{path}: {stored.name} is stored as {form.removesuffix('_matrix')!r}, which is no "
            "matrix; choose another layer"
        )
    return _FORMATS[form]


def _word(path: Path, stored: Any, key: str, default: str) -> str:
    """Return an attribute that is one word."""
    words = _words(path, stored, key, [default])
    if len(words) != 1:
        raise FileError(
            f"{path}: the attribute {key!r} of {stored.name} should be one word, and holds "
            f"{len(words)}; the file is damaged"
        )
    return words[0]


def _words(path: Path, stored: Any, key: str, default: list[str]) -> list[str]:
    """Return an attribute that is text; without any, anndata writes an array of no numbers."""
    if key not in stored.attrs:
        return default
    words = np.ravel(np.asarray(stored.attrs[key], dtype=object)).tolist()
    words = [word.decode("utf-8", "replace") if isinstance(word, bytes) else word for word in words]
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise FileError(
            f"{path}: the attribute {key!r} of {stored.name} should be text, and holds "
            f"{wrong[0]}; the file is damaged"
        )
    return words


def _element(path: Path, stored: Any, count: int, anndata: Any) -> Any:
    """Return one value for each cell or gene, as anndata reads it."""
    try:
        values = anndata.io.read_elem(stored)
    except MemoryError:
        raise
    except Exception as error:  # whatever anndata, h5py and pandas raise on what they did not write
        said = str(error).partition("\n")[0]
        raise FileError(
            f"{path}: {stored.name} is not as AnnData writes it ({said}); the file is damaged"
        ) from error
    if np.ndim(values) != 1:
        raise FileError(f"{path}: {stored.name} is no list of values; the file is damaged")
    if len(values) != count:
        raise FileError(
            f"{path}: {stored.name} holds {len(values)} values, but the matrix has {count}; the "
            "file is damaged"
        )
    return values


def _index(path: Path, table: Any, count: int, anndata: Any) -> list[str]:
    """Return the names of the cells or the genes."""
    key = _word(path, table, "_index", "_index")
    if key not in table:
        raise FileError(f"{path}: {table.name} has no index {key!r}; the file is damaged")
    return [str(name) for name in np.asarray(_element(path, table[key], count, anndata))]


def _annotation(
    path: Path, table: Any, label: str, count: int, options: Options, anndata: Any
) -> Array:
    """Return an annotation of the cells; categories as what they are called, gaps as empty."""
    name = label.removeprefix(OF_CELLS)
    known = [key for key in _words(path, table, "column-order", [*table]) if key in table]
    if name not in known:
        raise FileError(
            f"{path}: {options.spelled('label', label)}: the cells have no annotation {name!r}"
            f"{did_you_mean(name, known)}; there are {listed(known) or 'none'}"
        )
    import pandas as pd

    values = pd.Series(_element(path, table[name], count, anndata))
    if values.dtype.kind in "fiub" and not isinstance(values.dtype, pd.CategoricalDtype):
        return values.to_numpy()
    return values.astype(object).where(values.notna(), "").astype(str).to_numpy(dtype=str)


def not_anndata(table: Table | None, selection: Mapping[str, Any] | None) -> str:
    """Return why a table cannot be written."""
    if table is not None and table.labels is not None and "/" in str(table.label_name):
        return (
            f"an annotation of cells cannot be called {table.label_name!r}, with a slash; rename it"
        )
    return ""


def write_h5ad(file: BinaryIO, table: Table, selection: Mapping[str, Any] | None) -> None:
    """Write an AnnData: names of columns and rows, and the label as an annotation of the rows."""
    _, anndata = import_anndata()
    import pandas as pd

    m = table.X.shape[0]
    rows = table.row_names if table.row_names is not None else np.arange(m)
    # text as Python's own: releases of anndata do not know every kind of text that pandas has
    obs = pd.DataFrame(index=pd.Index([str(name) for name in rows], dtype=object))
    if table.labels is not None:
        values = np.asarray(table.labels)
        if values.dtype.kind in "OU":
            words, codes = np.unique(values.astype(str), return_inverse=True)
            values = pd.Categorical.from_codes(codes, pd.Index(words.tolist(), dtype=object))
        obs[str(table.label_name)] = values
    var = pd.DataFrame(index=pd.Index(table.names, dtype=object))
    X = sp.csr_matrix(table.X) if sp.issparse(table.X) else np.asarray(table.X)
    with scratch_file() as (_, place):  # HDF5 wants a file of its own
        anndata.AnnData(X, obs=obs, var=var).write_h5ad(place)
        with place.open("rb") as made:
            shutil.copyfileobj(made, file)


def import_anndata() -> tuple[Any, Any]:
    """Return h5py and anndata; raise FileError with how to install them."""
    try:
        import anndata
        import anndata.io
        import h5py
    except ModuleNotFoundError as error:
        raise FileError(
            'h5ad files need anndata; install it with pip install "colonnade[bio]"'
        ) from error
    return h5py, anndata
