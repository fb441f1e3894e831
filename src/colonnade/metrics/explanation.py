"""The answer to "what stands for what": tables of all columns and of the chosen ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..foundation.atomic import StrPath, atomic
from ..foundation.tabular import as_csv, as_html, framed
from ..foundation.typing import Array, Floats, Indices
from ..selection.plain_files import write_json_file

__all__ = ["Explanation"]

MAIN = 3
"""How many of the chosen columns are named for each column."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What chosen columns stand for, see :func:`colonnade.explain`.

    Attributes
    ----------
    indices : ndarray of int
        The chosen columns, in the order of choice.
    explained : ndarray of shape (n,)
        The share of each column that the chosen ones explain; NaN for columns without any size,
        such as constant ones of centred data.
    coefficients : ndarray of shape (len(indices), n)
        In the units of the data: ``x_j ≈ intercepts[j] + Σ_i coefficients[i, j] x_i``.
    intercepts : ndarray of shape (n,)
        The constants in that; zero for data that was not centred.
    contributions : ndarray of shape (len(indices), n)
        ``|coefficient| × spread`` of the chosen column, as a share of the spread of the column.
    losses : ndarray of shape (len(indices),)
        By how much the error rises, as a share of the total, if a chosen column is dropped.
    rivals : ndarray of int
        The column that could best take the place of each chosen one; −1 if there is none.
    exchange_costs : ndarray of float
        By how much the error rises then; negative if that would be the better choice.
    error : float
        The share of the total that is not explained.
    centered : bool
        Whether shares are of the variance, not of the squared size.
    names : tuple of str or None
        What the columns are called.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import explain
    >>> X = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 1.0], [2.0, 4.0, 1.0]])
    >>> explain(X, [1, 2]).table("dict")["explained"]
    [1.0, 1.0, 1.0]
    """

    indices: Indices
    explained: Floats
    coefficients: Floats
    intercepts: Floats
    contributions: Floats
    losses: Floats
    rivals: Indices
    exchange_costs: Floats
    error: float
    centered: bool
    names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"Explanation({len(self.indices)} of {len(self.explained)}, error={self.error:.4g})"

    def name_of(self, j: int) -> str:
        """Return what a column is called: ``x3`` and so on where columns have no names."""
        return f"x{j}" if self.names is None else self.names[j]

    @cached_property
    def support(self) -> Indices:
        """The chosen column, by its place in the choice, that contributes most to each column.

        A chosen one stands for itself; −1 for columns to which none contributes.
        """
        n = len(self.explained)
        if not len(self.indices):
            return np.full(n, -1)
        best = np.argmax(self.contributions, axis=0)
        out = np.where(self.contributions[best, np.arange(n)] > 0, best, -1)
        out[self.indices] = np.arange(len(self.indices))
        return out

    def stands_for(self, i: int) -> Indices:
        """Return the columns whose main support is the i-th choice, most dependent first."""
        held = self.support == i
        held[self.indices] = False
        j = np.flatnonzero(held)
        return j[np.argsort(-self.contributions[i, j], kind="stable")]

    def order(self) -> Indices:
        """Return all columns, the worst explained first; what has no size comes last."""
        return np.argsort(np.nan_to_num(self.explained, nan=2.0), kind="stable")

    def formula(self, j: int, most: int = MAIN) -> str:
        """Return a column as a sum of its main supports, in the units of the data.

        Examples
        --------
        >>> from colonnade import explain
        >>> explain([[1.0, 2.0], [2.0, 4.0]], [0]).formula(1)
        '2 x0'
        """
        rows = self._main(j, most)
        terms = [(self.coefficients[i, j], f" {self.name_of(self.indices[i])}") for i in rows]
        if self.intercepts[j] != 0:
            terms.insert(0, (self.intercepts[j], ""))
        text = ""
        for value, what in terms:
            sign = "-" if value < 0 else "+" if text else ""
            text += f" {sign} " if text else sign
            text += f"{abs(value):.3g}{what}"
        more = int((self.contributions[:, j] > 0).sum()) - len(rows)
        return (text or "0") + (f" + {more} more" if more > 0 else "")

    def _main(self, j: int, most: int = MAIN) -> list[int]:
        parts = self.contributions[:, j]
        order = np.argsort(-parts, kind="stable")[:most]
        return [int(i) for i in order if parts[i] > 0]

    def lines(self, most: int = MAIN) -> dict[str, list[Any]]:
        """Return what :meth:`table` shows, as plain lists."""
        order = self.order()
        chosen = np.isin(order, self.indices)
        out: dict[str, list[Any]] = {
            "name": [self.name_of(j) for j in order.tolist()],
            "index": order.tolist(),
            "explained": _plain(self.explained[order]),
            "chosen": chosen.tolist(),
            "intercept": self.intercepts[order].tolist(),
        }
        most = min(most, len(self.indices))
        for rank in range(most):
            out[f"support_{rank + 1}"] = []
            out[f"coefficient_{rank + 1}"] = []
        for j in order.tolist():
            main: list[int | None] = [*self._main(j, most)]
            for rank, i in enumerate(main + [None] * (most - len(main))):
                named = None if i is None else self.name_of(self.indices[i])
                value = None if i is None else float(self.coefficients[i, j])
                out[f"support_{rank + 1}"].append(named)
                out[f"coefficient_{rank + 1}"].append(value)
        return out

    def chosen_lines(self) -> dict[str, list[Any]]:
        """Return what :meth:`chosen_table` shows, as plain lists."""
        count = range(len(self.indices))
        has = self.rivals >= 0
        return {
            "choice": [i + 1 for i in count],
            "name": [self.name_of(j) for j in self.indices.tolist()],
            "index": self.indices.tolist(),
            "stands_for": [[self.name_of(j) for j in self.stands_for(i).tolist()] for i in count],
            "loss": self.losses.tolist(),
            "rival": [self.name_of(j) if j >= 0 else None for j in self.rivals.tolist()],
            "exchange_cost": [
                cost if there else None
                for cost, there in zip(self.exchange_costs.tolist(), has.tolist(), strict=True)
            ],
        }

    def table(self, frame: str | None = None) -> Any:
        """Return a line for each column of the data, the worst explained first.

        Parameters
        ----------
        frame : {"pandas", "polars", "dict"} or None, default=None
            What to return; None is a frame of pandas or, without pandas, a dict of lists.

        Returns
        -------
        DataFrame or dict of lists
            ``name``, ``index``, ``explained``, ``chosen``, ``intercept``, and up to three chosen
            columns that contribute most, ``support_1`` with ``coefficient_1`` and so on.
        """
        return framed(self.lines(), frame)

    def chosen_table(self, frame: str | None = None) -> Any:
        """Return a line for each chosen column, in the order of choice.

        Parameters
        ----------
        frame : {"pandas", "polars", "dict"} or None, default=None
            As for :meth:`table`.

        Returns
        -------
        DataFrame or dict of lists
            ``choice``, ``name``, ``index``; ``stands_for``, the other columns of which it is the
            main support; ``loss``, what dropping it would cost, as a share of the total; ``rival``
            and ``exchange_cost``, what could best take its place and what that would cost.
        """
        return framed(self.chosen_lines(), frame)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold: both tables by lines, and the error."""
        return {
            "error": self.error,
            "share_of": "variance" if self.centered else "squared size",
            "chosen": _records(self.chosen_lines()),
            "columns": _records(self.lines()),
        }

    def save(self, path: StrPath) -> None:
        """Write the table of all columns as CSV, or both tables as JSON, by the extension.

        Parameters
        ----------
        path : str or path
            Ends in ``.csv`` or ``.json``. The file appears only when it is complete.
        """
        ending = Path(path).suffix.lower()
        if ending not in (".csv", ".json"):
            raise ValueError(
                f"{path}: unknown extension ({ending or 'none'}); choose .csv or .json"
            )
        if ending == ".json":
            write_json_file(path, self.to_dict())
            return
        with atomic(path) as file:
            file.write(as_csv(self.lines()).encode())

    def _repr_html_(self) -> str:
        """Return both tables, for notebooks."""
        chosen = self.chosen_lines()
        chosen["stands_for"] = [", ".join(names[:5]) for names in chosen["stands_for"]]
        worst = {key: values[:10] for key, values in self.lines().items()}
        return as_html(chosen, "chosen columns") + as_html(worst, "worst explained columns")


def _plain(values: Array) -> list[float | None]:
    """Return floats, None for those that are not numbers."""
    return [None if value != value else value for value in values.tolist()]


def _records(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]
