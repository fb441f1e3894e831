"""Data sets by name, wherever they come from."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..io import FileError, open_npz
from ..io.arrays import COLUMN_NAMES
from ..operands.containers import by_rows
from .dataset import Dataset
from .generators import GENERATORS, generate, summary

__all__ = ["DatasetError", "describe", "file_of", "load", "names"]

FOLDER = "COLONNADE_DATA"
EMBEDDED = {
    "iris": "150 flowers of three species, four lengths each.",
    "wine": "178 wines of three growers, 13 chemical measurements each.",
    "digits": "1797 handwritten digits of 8 × 8 pixels.",
    "breast_cancer": "569 tumours, malignant or benign, 30 measurements of cell nuclei each.",
    "diabetes": "442 patients, ten measurements each, and how far the disease went in a year.",
}


class DatasetError(ValueError):
    """The file of a data set cannot be read; the message names it and says why."""


def load(name: str, **params: Any) -> Dataset:
    """Load a data set, or make one.

    Parameters
    ----------
    name : str
        One of :func:`names`. A file that has the name of another set is not reached.
    **params
        For a generated set ``random_state`` (int, RandomState or None, default 0) and what
        its generator takes after ``rng`` (see ``colonnade.datasets.generators``). Other sets
        take none.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from colonnade import datasets
    >>> datasets.load("iris")
    Dataset('iris', 150 × 4, dense float64)
    >>> data = datasets.load("graded", n_samples=9, n_features=4, smallest=1e-6, random_state=7)
    >>> data
    Dataset('graded', 9 × 4, dense float64)
    >>> data.truth["singular_values"]
    array([1.e+00, 1.e-02, 1.e-04, 1.e-06])
    """
    files = _files()
    if name in GENERATORS:
        return generate(name, **params)
    if name not in EMBEDDED and name not in files:
        raise ValueError(_unknown(name))
    if params:
        raise TypeError(f"the data set {name!r} takes no parameters, but got {', '.join(params)}")
    return _embedded(name) if name in EMBEDDED else _read(files[name])


def names() -> list[str]:
    """Return the names of all sets that can be loaded now, sorted.

    Examples
    --------
    >>> from colonnade import datasets
    >>> {"iris", "planted"} <= set(datasets.names())
    True
    """
    return list(describe())


def describe() -> dict[str, str]:
    """Return, for each of :func:`names`, what it is and where it comes from.

    Examples
    --------
    >>> from colonnade import datasets
    >>> datasets.describe()["digits"]
    '1797 handwritten digits of 8 × 8 pixels. (scikit-learn)'
    """
    lines = {name: f"{path.name} (file in {FOLDER})" for name, path in _files().items()}
    lines |= {name: f"{text} (scikit-learn)" for name, text in EMBEDDED.items()}
    lines |= {name: f"{summary(make)} (generated)" for name, make in GENERATORS.items()}
    return dict(sorted(lines.items()))


def file_of(name: str) -> Path | None:
    """Return the file of a data set, None if it has none or there is no such set."""
    own = name in GENERATORS or name in EMBEDDED
    return None if own else _files().get(name)


def _embedded(name: str) -> Dataset:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    features, targets = _text(bunch.feature_names), _text(bunch.get("target_names"))
    return Dataset(bunch.data, name, EMBEDDED[name], bunch.target, features, targets)


def _files() -> dict[str, Path]:
    folder = os.environ.get(FOLDER)
    return {path.stem: path for path in Path(folder).glob("*.npz")} if folder else {}


def _unknown(name: str) -> str:
    folder, known = os.environ.get(FOLDER), names()
    close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    state = f"names {folder}" if folder else "(a folder of .npz files) is not set"
    if folder and not Path(folder).is_dir():
        state += ", which is no folder"
    looked = f"The environment variable {FOLDER} {state}"
    return f"no data set {name!r}{hint} {looked}. Available: {', '.join(known)}"


def _read(path: Path) -> Dataset:
    try:
        with open_npz(path) as archive:
            X = by_rows(archive.matrix())
            y = archive.one_for_each("row", X.shape[0], "y")
            features = archive.one_for_each("column", X.shape[1], *COLUMN_NAMES)
            targets = archive.text("classnames") if "classnames" in archive.keys else None
    except FileError as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise DatasetError(f"cannot load the data set {path}: {reason}") from error
    text = f"{X.shape[0]} × {X.shape[1]} of {X.dtype}, from the file {path.name}."
    return Dataset(X, path.stem, text, y, _text(features), _text(targets))


def _text(values: Any) -> list[str] | None:
    return None if values is None else [str(value) for value in np.ravel(values).tolist()]
