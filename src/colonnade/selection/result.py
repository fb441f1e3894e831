"""What a method returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..foundation.atomic import StrPath
from ..foundation.tabular import as_html, framed
from ..foundation.typing import Array, Floats, Indices
from .plain_files import dict_of, parts_of, read_json, write_json_file
from .reuse import Reuse

__all__ = ["Selection"]


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Reuse):
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
    candidates : tuple of str or None
        The names of all columns, if they have names.
    names : tuple of str or None
        The names of the chosen ones, in the order of choice.
    column_means, column_spreads : ndarray of shape (len(indices),) or None
        Mean and standard deviation of each chosen column as the data was given, by which
        :meth:`drift` knows other data.

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
    candidates: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    column_means: Floats | None = None
    column_spreads: Floats | None = None

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
        if self.candidates is not None:
            known = tuple(str(name) for name in self.candidates)
            object.__setattr__(self, "candidates", known)
            if len(known) != self.n_candidates:
                raise ValueError(
                    f"candidates holds {len(known)} names, but there are {self.n_candidates} "
                    "columns; give one for each"
                )
            object.__setattr__(self, "names", tuple(known[j] for j in indices))
        elif self.names is not None:
            object.__setattr__(self, "names", tuple(str(name) for name in self.names))
        for name in ("weights", "errors", "embedding", "names", "column_means", "column_spreads"):
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

    @property
    def mask(self) -> Array:
        """A boolean array over all candidates, true at the chosen ones."""
        mask = np.zeros(self.n_candidates, dtype=bool)
        mask[self.indices] = True
        return mask

    def table(self, frame: str | None = None) -> Any:
        """Return the choice as a table: a line for each chosen column, in the order of choice.

        Parameters
        ----------
        frame : {"pandas", "polars", "dict"} or None, default=None
            What to return; None is a frame of pandas or, without pandas, a dict of lists.

        Returns
        -------
        DataFrame or dict of lists
            ``choice`` from 1; ``name``, where columns have names; ``index``; ``weight``, where
            the method gave weights; ``explained``, the share that the choices so far explain; and
            ``gain``, by how much this one raised it.

        Examples
        --------
        >>> import pandas as pd
        >>> from colonnade import select
        >>> X = pd.DataFrame({"a": [3.0, 0.0], "b": [0.0, 2.0], "c": [1.0, 0.0]})
        >>> select(X, 2).table().round(3)
           choice name  index  explained   gain
        0       1    a      0      0.714  0.714
        1       2    b      1      1.000  0.286
        """
        return framed(self._lines(), frame)

    def _lines(self) -> dict[str, list[Any]]:
        lines: dict[str, list[Any]] = {"choice": list(range(1, len(self) + 1))}
        if self.names is not None:
            lines["name"] = list(self.names)
        lines["index"] = self.indices.tolist()
        if self.weights is not None:
            lines["weight"] = self.weights.tolist()
        errors = self.relative_errors
        if errors is not None:
            lines["explained"] = (1.0 - errors).tolist()
            lines["gain"] = (-np.diff(errors, prepend=1.0)).tolist()
        return lines

    def _repr_html_(self) -> str:
        """Return a small table, for notebooks."""
        method = self.info.get("method")
        caption = f"{len(self)} of {self.n_candidates}" + (f" by {method}" if method else "")
        return as_html(self._lines(), caption)

    def replace(self, **changes: Any) -> Selection:
        """Return a copy with some attributes changed."""
        return dataclasses.replace(self, **changes)

    def with_info(self, **info: Any) -> Selection:
        """Return a copy with more to say in ``info``."""
        return self.replace(info={**self.info, **info})

    def to_dict(self, *, embedding: bool = True) -> dict[str, Any]:
        """Return plain lists and numbers that JSON can hold without loss.

        Parameters
        ----------
        embedding : bool, default=True
            Whether the embedding is in it as it is. If not, the coefficients are, with the chosen
            columns in the basis of their span, from which it follows up to rounding.

        Examples
        --------
        >>> import json
        >>> from colonnade import Selection, select
        >>> s = select([[3.0, 0.0], [0.1, 2.0]], 1)
        >>> again = Selection.from_dict(json.loads(json.dumps(s.to_dict())))
        >>> bool((again.errors == s.errors).all())
        True
        """
        return dict_of(self, embedding=embedding)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Selection:
        """Rebuild a selection from :meth:`to_dict`; say what is wrong with any other data."""
        return cls(**parts_of(data))

    def save(self, path: StrPath) -> None:
        """Write a JSON file from which :meth:`load` makes the selection again.

        It holds what is needed to use the choice on other data, without the first: names, means
        and units, weights and coefficients. It is text that other programs can read, and nothing
        in it is ever run. The file appears only when it is complete.

        Parameters
        ----------
        path : str or path
            Where to; an existing file is replaced.

        Examples
        --------
        >>> import os, tempfile
        >>> from colonnade import Selection, select
        >>> s = select([[3.0, 0.0, 1.0], [0.1, 2.0, 0.5]], 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     s.save(os.path.join(folder, "chosen.json"))
        ...     again = Selection.load(os.path.join(folder, "chosen.json"))
        >>> again.reconstruct([[3.0, 0.0]]).round(6)
        array([[3., 0., 1.]])
        """
        write_json_file(path, self.to_dict(embedding=False))

    @classmethod
    def load(cls, path: StrPath) -> Selection:
        """Read what :meth:`save`, or ``colonnade select --out``, wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Selection
        """
        try:
            return cls.from_dict(read_json(path))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
