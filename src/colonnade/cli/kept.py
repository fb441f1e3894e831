"""Selections that were kept in a file, and the columns of another file that they are about."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..io.formats import Table
from ..operands.entrance import as_columns, as_operand
from ..selection import Selection
from ..selection.matching import far_columns, found_by_name, usual_values
from .errors import InputError

__all__ = ["ROWS", "matched", "read_selection", "warn_of_drift"]

ROWS = 10
"""How many lines of a long table are printed."""


def read_selection(path: Path, what: str) -> Selection:
    """Return the selection of columns that a file holds, or say why it holds none.

    Parameters
    ----------
    path : Path
        What ``colonnade select --out x.json`` wrote, or :meth:`Selection.save`.
    what : str
        The command, for the message.
    """
    try:
        selection = Selection.load(path)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory; name a file in it") from None
    except PermissionError:
        raise InputError(f"{path}: no permission to read this file") from None
    except ValueError as error:
        hint = "" if path.suffix.lower() == ".json" else f" (see colonnade {what} --help)"
        raise InputError(f"{error}{hint}") from error
    if selection.info.get("of") == "rows":
        raise InputError(
            f"{path}: rows were chosen here, and {what} is about columns, which other files have "
            "as well; choose columns with colonnade select, without --rows"
        )
    return selection


def matched(table: Table, selection: Selection, file: Path, *, everything: bool) -> Table:
    """Return the table with the chosen columns, or all that there were, in their old order.

    Parameters
    ----------
    table : Table
        What was read; columns are found by their names, others are left out.
    selection : Selection
        The choice.
    file : Path
        Where the table is from.
    everything : bool
        Whether all columns are needed that the choice was made from.
    """
    wanted = selection.candidates if everything else selection.names
    if wanted is None or (table.columns is None and table.X.shape[1] == selection.n_candidates):
        if table.X.shape[1] != selection.n_candidates:
            _check_left_out(table, list(table.left_out), file)
            raise InputError(
                f"{file}: {table.X.shape[1]} columns, but the selection is from "
                f"{selection.n_candidates} and has no names to find them by; give the file that it "
                "was made from, or choose again"
            )
        if wanted is not None:
            table = dataclasses.replace(table, columns=list(selection.candidates or table.names))
        places = range(selection.n_candidates) if everything else selection.indices.tolist()
        return table.take(columns=list(places))
    _check_left_out(table, wanted, file)
    try:
        places = found_by_name(wanted, table.names, "column" if everything else "chosen column")
    except ValueError as error:
        raise InputError(f"{file}: {error}") from error
    return table.take(columns=places.tolist())


def _check_left_out(table: Table, wanted: Sequence[str], file: Path) -> None:
    """Raise InputError if gaps made the reader leave out a column that is needed.

    Such a column is in the file, so nobody should look for its name.
    """
    gone = {name: table.left_out[name] for name in wanted if name in table.left_out}
    empty = [name for name, why in gone.items() if why == "all missing"]
    gappy = [name for name, why in gone.items() if why == "missing values"]
    if empty:
        what = "has no entry" if len(empty) == 1 else "have no entries"
        raise InputError(f"{file}: {_some(empty)} {what}; fill in what is missing, or choose again")
    if gappy:
        has, it = ("has", "it") if len(gappy) == 1 else ("have", "them")
        raise InputError(
            f"{file}: {_some(gappy)} {has} gaps, and --missing drop-columns left {it} out; choose "
            "--missing mean (or median, drop-rows)"
        )


def _some(names: Sequence[str], most: int = 8) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(map(repr, names[:most]))}{more}"


def warn_of_drift(chosen: Selection, reduced: Table) -> list[Any]:
    """Return the chosen columns that are far from what they were, and warn of them.

    Parameters
    ----------
    chosen : Selection
        The choice, with what its columns were.
    reduced : Table
        The chosen columns of another file, in the order of the choice; gaps do not count.
    """
    if chosen.column_means is None or chosen.column_spreads is None:
        return []  # a file of an older version
    now = usual_values(as_columns(as_operand(reduced.X, gaps=True)), np.arange(len(chosen)))
    out = far_columns(reduced.names, (chosen.column_means, chosen.column_spreads), now)
    if out:
        shown = [
            f"{c['name']!r} (mean {c['mean_now']:.4g}, was {c['mean_then']:.4g}; standard "
            f"deviation {c['spread_now']:.3g}, was {c['spread_then']:.3g})"
            for c in out[:5]
        ]
        more = f" and {len(out) - 5} more" if len(out) > 5 else ""
        what = "column is" if len(out) == 1 else "columns are"
        warnings.warn(
            f"{len(out)} chosen {what} far from the first file: {', '.join(shown)}{more}; check "
            "units and sensors, or choose again",
            stacklevel=2,
        )
    return out
