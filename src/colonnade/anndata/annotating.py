"""From AnnData to a matrix, and from a selection back to its annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..foundation.parameters import INTEGERS, REALS
from ..foundation.typing import Array, Floats, Indices
from ..foundation.wording import did_you_mean
from ..operands.entrance import check_matrix
from ..selection import Selection

__all__ = [
    "annotate",
    "batch_codes",
    "check_adata",
    "check_asked",
    "check_first_fit",
    "frame_of",
    "matrix_of",
    "ranks_of",
]


LONG = 100
"""Lists of more entries, such as one for each cell, are not written down as parameters."""
NAMED = ("must_include", "exclude")
"""Parameters that are written down however long they are: the choice cannot be told without."""
SAID_OTHERWISE = {
    "n_select": "n says how many {}",
    "axis": "{} are chosen",
    "names": "adata has the names of {}",
    "y": "{} are chosen without labels",
}
"""What :func:`colonnade.select` is told and functions of AnnData know by themselves."""


def check_adata(adata: Any) -> None:
    """Raise if this is no AnnData in memory, or the package is not there."""
    try:
        import anndata
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'colonnade.anndata needs anndata; install it with pip install "colonnade[bio]"'
        ) from error
    if not isinstance(adata, anndata.AnnData):
        raise TypeError(
            f"adata must be an AnnData, got {type(adata).__name__}; make one with "
            "anndata.AnnData(X), or use colonnade.select for other matrices"
        )
    if adata.isbacked:
        raise TypeError("adata is in a file (backed); pass adata.to_memory()")


def check_asked(key_added: Any, params: Mapping[str, Any], what: str) -> None:
    """Raise if results cannot have this name, or a parameter is said otherwise here."""
    if not isinstance(key_added, str):
        raise TypeError(f"key_added must be a str, got {key_added!r}")
    if not key_added or "/" in key_added or key_added == "_index":
        raise ValueError(
            f"key_added={key_added!r}; choose a name that a column of an h5ad file can have: not "
            "empty, without a slash, and not '_index'"
        )
    for name, why in SAID_OTHERWISE.items():
        if name in params:
            raise TypeError(
                f"{name}={params[name]!r} has no place here: {why.format(what)}; leave it out"
            )


def check_first_fit(first: Indices, n: Any, what: str) -> None:
    """Raise ValueError if more must be included than are asked for."""
    if isinstance(n, INTEGERS) and 1 <= n < len(first):
        raise ValueError(
            f"must_include holds {len(first)} {what} but n={n}; choose n at least {len(first)}, or "
            "leave some out"
        )


def _some(names: Any) -> str:
    shown = [repr(str(name)) for name in list(names)[:8]]
    return "there are " + ", ".join(shown) + " ..." * (len(names) > 8) if shown else "there is none"


def matrix_of(adata: Any, layer: str | None) -> tuple[Any, str]:
    """Return ``X`` or a layer, checked, and what messages call it; it is not copied."""
    if layer is None:
        if adata.X is None:
            raise ValueError(f"adata has no X; choose a layer, {_some(adata.layers.keys())}")
        return check_matrix(adata.X, "adata.X"), "adata.X"
    if layer not in adata.layers:
        near = did_you_mean(layer, adata.layers.keys())
        raise ValueError(
            f"layer={layer!r}: adata has no such layer{near}; {_some(adata.layers.keys())}; None "
            "takes adata.X"
        )
    where = f"adata.layers[{layer!r}]"
    return check_matrix(adata.layers[layer], where), where


def batch_codes(
    adata: Any, batch_key: str | None, name: str = "batch_key", what: str = "batch"
) -> Indices | None:
    """Return the number of the batch of each cell; None if batches are not looked at."""
    if batch_key is None:
        return None
    if batch_key not in adata.obs:
        near = did_you_mean(batch_key, adata.obs.columns)
        raise ValueError(
            f"{name}={batch_key!r}: adata.obs has no such column{near}; {_some(adata.obs.columns)}"
        )
    values = adata.obs[batch_key]
    gaps = int(values.isna().sum())
    if gaps:
        raise ValueError(
            f"{name}={batch_key!r}: {gaps} cells have no {what}; fill them in or leave these cells "
            "out"
        )
    return np.unique(np.asarray(values.astype(str)), return_inverse=True)[1].ravel()


def ranks_of(chosen: Indices, count: int) -> Floats:
    """Return the order of choice from 0, NaN for what is not chosen, as scanpy has it."""
    ranks = np.full(count, np.nan)
    ranks[chosen] = np.arange(len(chosen))
    return ranks


def frame_of(index: Any, key: str, ranks: Floats, more: Mapping[str, Array]) -> Any:
    """Return what would be written, as a frame."""
    import pandas as pd

    columns = {key: ~np.isnan(ranks), f"{key}_rank": ranks}
    columns |= {f"{key}_{name}": values for name, values in more.items()}
    return pd.DataFrame(columns, index=index)


def annotate(
    adata: Any,
    axis: str,
    key: str,
    frame: Any,
    selection: Selection,
    names: list[str],
    params: Mapping[str, Any],
) -> None:
    """Write a selection to ``var`` or ``obs`` and to ``uns``; nothing else is touched.

    Genes and cells may be chosen under one name, so that for cells the entry of ``uns`` is
    ``key + "_cells"``.

    Parameters
    ----------
    adata : AnnData
        Where to.
    axis : {"var", "obs"}
        Of what the selection is.
    key : str
        Under which name.
    frame : DataFrame
        The annotations.
    selection : Selection
        What was chosen.
    names : list of str
        What these are called, in the order of choice.
    params : dict
        How it was asked for. None, which HDF5 has no kind for, and long lists of other than
        names are left out; other objects are written as text.
    """
    table = getattr(adata, axis)
    for column in frame:
        table[column] = frame[column].to_numpy()
    plain = {name: _plain(value) for name, value in params.items() if not _left_out(name, value)}
    about: dict[str, Any] = {"names": np.array(names), "params": {**plain, "axis": axis}}
    if selection.relative_errors is not None:
        about["errors"] = np.asarray(selection.relative_errors, dtype=np.float64)
    for name in ("objective", "objective_of_random"):
        if name in selection.info:
            about[name] = float(selection.info[name])
    adata.uns[key if axis == "var" else f"{key}_cells"] = about


def _left_out(name: str, value: Any) -> bool:
    if value is None or not isinstance(value, list | tuple | np.ndarray):
        return value is None
    return len(value) == 0 if name in NAMED else len(value) > LONG


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, str, *REALS)):
        return value
    if isinstance(value, list | tuple | np.ndarray) and len(value):
        return np.array(value)
    return repr(value)
