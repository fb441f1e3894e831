"""A selection as plain lists and numbers, and as a JSON file; never a pickle."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..foundation.atomic import StrPath, atomic
from ..foundation.typing import Array

__all__ = ["dict_of", "parts_of", "read_json", "write_json_file"]

FORMAT = "colonnade-selection"
VERSION = 2
"""1 had no names of all columns, no coefficients, and no means of columns that were not centred."""

_ARRAYS = {"indices": 1, "weights": 1, "errors": 1, "embedding": 2}
_ARRAYS |= {"residuals": 1, "means": 1, "units": 1, "column_means": 1, "column_spreads": 1}
"""Which attributes are arrays, and of how many dimensions."""
_NAMES = ("candidates", "names")


def dict_of(selection: Any, *, embedding: bool = True) -> dict[str, Any]:
    """Return the attributes of a selection as plain values."""
    out: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    for item in dataclasses.fields(selection):
        value = getattr(selection, item.name)
        if isinstance(value, np.ndarray):
            out[item.name] = _plain(value)
        elif item.name in _NAMES:
            out[item.name] = None if value is None else list(value)
        else:
            out[item.name] = dict(value) if item.name == "info" else value
    W = selection.embedding
    if not embedding and W is not None:
        out["embedding"] = None
        out["triangle"] = _plain(W[:, selection.indices])
        out["coefficients"] = _plain(selection.coefficients)
    return out


def _plain(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "values": array.tolist()}


def parts_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a selection from what :func:`dict_of` made of it."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ValueError("this is not a selection: the key 'format' is missing or different")
    version = data.get("version")
    if version not in range(1, VERSION + 1) or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        cure = "; install a newer colonnade to read it" if newer else ""
        raise ValueError(
            f"version {version!r} is unknown; this reads versions 1 to {VERSION}{cure}"
        )
    count, total, info = data.get("n_candidates"), data.get("total"), data.get("info")
    if isinstance(count, bool) or not isinstance(count, int):
        raise ValueError(f"n_candidates must be a whole number, got {count!r}")
    if total is not None and not isinstance(total, int | float):
        raise ValueError(f"total must be a number, got {total!r}")
    if info is not None and not isinstance(info, Mapping):
        raise ValueError(f"info must be a dictionary, got {info!r}")
    if data.get("of") == "rows":  # the command line says so beside the selection
        info = {**(info or {}), "of": "rows"}
    arrays = {name: _array(name, data.get(name), ndim) for name, ndim in _ARRAYS.items()}
    if arrays["indices"] is None:
        raise ValueError("indices are missing")
    if arrays["embedding"] is None:
        arrays["embedding"] = _embedding(data)
    W = arrays["embedding"]
    if W is not None and W.size and W.shape[1] != count:
        raise ValueError(f"embedding has {W.shape[1]} columns, but there were {count}")
    names = {name: _names(name, data.get(name)) for name in _NAMES}
    return {"n_candidates": count, "total": total, "info": info or {}, **arrays, **names}


def _embedding(data: Mapping[str, Any]) -> Array | None:
    """Return the embedding from the chosen columns in it and the coefficients of all."""
    triangle = _array("triangle", data.get("triangle"), 2)
    coefficients = _array("coefficients", data.get("coefficients"), 2)
    if triangle is None or coefficients is None:
        return None
    if triangle.shape != 2 * coefficients.shape[:1]:
        raise ValueError(
            f"triangle has shape {triangle.shape}, but there are coefficients of "
            f"{len(coefficients)} chosen columns"
        )
    return np.asarray((triangle @ coefficients).astype(triangle.dtype))


def _names(what: str, data: Any) -> list[str] | None:
    if data is None:
        return None
    if not isinstance(data, list | tuple) or not all(isinstance(name, str) for name in data):
        raise ValueError(f"{what} must be a list of texts")
    return list(data)


def _array(name: str, data: Any, ndim: int) -> Array | None:
    """Return an array from its type and its values."""
    if data is None:
        return None
    if not isinstance(data, Mapping) or set(data) != {"dtype", "values"}:
        raise ValueError(f"{name} must have the keys 'dtype' and 'values'")
    dtype = data["dtype"]
    if dtype not in ("int64", "int32", "float64", "float32"):
        raise ValueError(f"{name} has dtype {dtype!r}; int64, int32, float64 and float32 are known")
    try:
        values = np.array(data["values"])
    except ValueError:  # lists of several lengths
        values = np.array(None)
    if values.dtype.kind not in "fiu" or (values.ndim != ndim and values.size):
        raise ValueError(f"the values of {name} must be numbers in {ndim} dimension(s)")
    with np.errstate(invalid="ignore"):  # too large for a whole number, which shows below
        out = values.astype(dtype)
    if out.dtype.kind == "i" and (out != values).any():
        raise ValueError(f"the values of {name} must be whole numbers, as their dtype {dtype}")
    return out


def write_json_file(path: StrPath, values: Mapping[str, Any]) -> None:
    """Write a line for each key; the file appears only when it is complete."""
    lines = [f" {json.dumps(key)}: {_line(key, value)}" for key, value in values.items()]
    with atomic(path) as file:
        file.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def _line(key: str, value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"{key} holds NaN or infinity, which JSON cannot hold") from error


def read_json(path: StrPath) -> Any:
    """Return what a JSON file holds; raise ValueError if it is none."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            "this is no JSON; pass what Selection.save or colonnade select --out wrote"
        ) from error
