"""What a method returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .foundation.lapack import lstsq
from .foundation.typing import Array, Floats, Indices
from .operands.containers import take_columns, times_columns

__all__ = ["Selection"]


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """Columns chosen from a matrix, in the order of choice.

    Attributes
    ----------
    indices : ndarray of int
        The chosen columns, first choice first; no column appears twice.
    n_candidates : int
        How many columns there were to choose from.
    weights : ndarray of float or None
        A factor for each chosen column, for methods that rescale.
    errors : ndarray of float or None
        ``F(S_t)``, the squared Frobenius error after each of the choices (for a kernel the
        trace of what is left).
    total : float or None
        ``F(∅)``, the error with nothing chosen.
    embedding : ndarray of shape (len(indices), n_candidates) or None
        ``W = QᵀA``: all columns in an orthonormal basis of the chosen ones. ``WᵀW`` is the
        partial Cholesky (Nyström) approximation of the Gram matrix.
    residuals : ndarray of shape (n_candidates,) or None
        The squared norm of what is left of each column after the last choice.
    means, units : ndarray of shape (n_candidates,) or None
        What was subtracted from each column before the choice, and what it was divided by; the
        unit of a constant column is 0. None if the data was taken as it is.
    info : dict
        Plain values: the ``method``, whether ``errors_of`` is the data or a given target, and
        whatever else a method wants to say.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import select
    >>> X = np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    >>> s = select(X, 2)
    >>> s
    Selection('greedy', 2 of 3, indices=[0, 1], relative_error=0, weights=no)
    >>> s.indices
    array([0, 1])
    >>> s.relative_errors.round(3)
    array([0.286, 0.   ])
    >>> s.apply(X)
    array([[3., 0.],
           [0., 2.]])
    """

    indices: Indices
    n_candidates: int
    weights: Floats | None = None
    errors: Floats | None = None
    total: float | None = None
    embedding: Array | None = None
    residuals: Floats | None = None
    means: Floats | None = None
    units: Floats | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        indices = np.asarray(self.indices, dtype=np.intp)
        object.__setattr__(self, "indices", indices)
        if indices.ndim != 1:
            raise ValueError(f"indices must be one-dimensional, got shape {indices.shape}")
        if len(indices) and not (indices.min() >= 0 and indices.max() < self.n_candidates):
            raise ValueError(
                f"indices must lie in 0 to {self.n_candidates - 1}, "
                f"got {indices.min()} to {indices.max()}"
            )
        if len(np.unique(indices)) != len(indices):
            raise ValueError("a column may be chosen only once, but indices repeat")
        for name in ("weights", "errors", "embedding"):
            value = getattr(self, name)
            if value is not None and len(value) != len(indices):
                raise ValueError(f"{name} has length {len(value)}, indices {len(indices)}")
        for name in ("residuals", "means", "units"):
            value = getattr(self, name)
            if value is not None and np.shape(value) != (self.n_candidates,):
                raise ValueError(
                    f"{name} has shape {np.shape(value)}, but there are {self.n_candidates} columns"
                )

    def __repr__(self) -> str:
        method, errors = self.info.get("method"), self.relative_errors
        shown = list(map(str, self.indices if len(self) <= 10 else self.indices[:3]))
        if len(self) > 10:
            shown += ["...", *map(str, self.indices[-3:])]
        parts = [
            *([] if method is None else [repr(method)]),
            f"{len(self)} of {self.n_candidates}",
            f"indices=[{', '.join(shown)}]",
            *([] if errors is None or not len(errors) else [f"relative_error={errors[-1]:.4g}"]),
            f"weights={'no' if self.weights is None else 'yes'}",
        ]
        return f"Selection({', '.join(parts)})"

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def relative_errors(self) -> Floats | None:
        """The error path as a share of the error with nothing chosen, from 1 down to 0."""
        if self.errors is None or self.total is None:
            return None
        return self.errors / self.total if self.total > 0 else np.zeros_like(self.errors)

    @cached_property
    def coefficients(self) -> Floats | None:
        """How the chosen columns combine to all columns, ``len(indices) × n_candidates``.

        Of the columns as the method saw them, centred and scaled: ``A ≈ A_S C``, the least
        squares solution; of several the one of least norm. None without an embedding.
        """
        if self.embedding is None:
            return None
        W = self.embedding.astype(np.float64, copy=False)
        return np.asarray(lstsq(W[:, self.indices], W, rcond=None)[0])

    @property
    def factors(self) -> Floats | None:
        """What the chosen columns are multiplied by: weights are for columns in their units."""
        if self.weights is None or self.units is None:
            return self.weights
        return self.weights / self.units[self.indices]

    @property
    def mask(self) -> Array:
        """A boolean array over all candidates, true at the chosen ones."""
        mask = np.zeros(self.n_candidates, dtype=bool)
        mask[self.indices] = True
        return mask

    def apply(self, X: Any) -> Any:
        """Return the chosen columns of X in the order of choice, weights applied.

        Parameters
        ----------
        X : array-like, sparse matrix or frame (pandas, polars) with ``n_candidates`` columns

        Returns
        -------
        ndarray, sparse matrix or frame
        """
        X = X if hasattr(X, "shape") else np.asarray(X)
        if X.shape[1] != self.n_candidates:
            raise ValueError(
                f"X has {X.shape[1]} columns, but this selection is from {self.n_candidates}"
            )
        chosen = take_columns(X, self.indices)
        return chosen if self.factors is None else times_columns(chosen, self.factors)

    def replace(self, **changes: Any) -> Selection:
        """Return a copy with some attributes changed."""
        return dataclasses.replace(self, **changes)

    def with_info(self, **info: Any) -> Selection:
        """Return a copy with more to say in ``info``."""
        return self.replace(info={**self.info, **info})

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers that JSON can hold without loss.

        Examples
        --------
        >>> import json
        >>> from colonnade import Selection, select
        >>> s = select([[3.0, 0.0], [0.1, 2.0]], 1)
        >>> again = Selection.from_dict(json.loads(json.dumps(s.to_dict())))
        >>> bool((again.errors == s.errors).all())
        True
        """
        out: dict[str, Any] = {"format": "colonnade-selection", "version": 1}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                out[item.name] = {"dtype": value.dtype.name, "values": value.tolist()}
            else:
                out[item.name] = dict(value) if item.name == "info" else value
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Selection:
        """Rebuild a selection from :meth:`to_dict`; say what is wrong with any other data."""
        if not isinstance(data, Mapping) or data.get("format") != "colonnade-selection":
            raise ValueError("this is not a selection: the key 'format' is missing or different")
        if data.get("version") != 1:
            raise ValueError(f"version {data.get('version')!r} is unknown; this reads version 1")
        count, total, info = data.get("n_candidates"), data.get("total"), data.get("info")
        if isinstance(count, bool) or not isinstance(count, int):
            raise ValueError(f"n_candidates must be a whole number, got {count!r}")
        if total is not None and not isinstance(total, int | float):
            raise ValueError(f"total must be a number, got {total!r}")
        if info is not None and not isinstance(info, Mapping):
            raise ValueError(f"info must be a dictionary, got {info!r}")
        arrays = {name: _array(name, data.get(name), ndim) for name, ndim in _ARRAYS.items()}
        if arrays["indices"] is None:
            raise ValueError("indices are missing")
        W = arrays["embedding"]
        if W is not None and W.size and W.shape[1] != count:
            raise ValueError(f"embedding has {W.shape[1]} columns, but there were {count}")
        return cls(n_candidates=count, total=total, info=info or {}, **arrays)  # type: ignore[arg-type]


_ARRAYS = {"indices": 1, "weights": 1, "errors": 1, "embedding": 2}
_ARRAYS |= {"residuals": 1, "means": 1, "units": 1}
"""Which attributes are arrays, and of how many dimensions."""


def _array(name: str, data: Any, ndim: int) -> Array | None:
    """Return an array from its type and its values."""
    if data is None:
        return None
    if not isinstance(data, Mapping) or set(data) != {"dtype", "values"}:
        raise ValueError(f"{name} must have the keys 'dtype' and 'values'")
    dtype = data["dtype"]
    if dtype not in ("int64", "int32", "float64", "float32"):
        raise ValueError(f"{name} has dtype {dtype!r}; int64, int32, float64 and float32 are known")
    values = np.array(data["values"])
    if values.dtype.kind not in "fiu" or (values.ndim != ndim and values.size):
        raise ValueError(f"the values of {name} must be numbers in {ndim} dimension(s)")
    with np.errstate(invalid="ignore"):  # too large for a whole number, which shows below
        out = values.astype(dtype)
    if out.dtype.kind == "i" and (out != values).any():
        raise ValueError(f"the values of {name} must be whole numbers, as their dtype {dtype}")
    return out
