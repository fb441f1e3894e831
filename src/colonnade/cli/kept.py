"""Selections that were kept in a file, and the columns of another file that they are about."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ..io.formats import Table
from ..selection import Selection
from ..selection.matching import found_by_name
from .errors import InputError

__all__ = ["ROWS", "matched", "read_selection"]

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
            raise InputError(
                f"{file}: {table.X.shape[1]} columns, but the selection is from "
                f"{selection.n_candidates} and has no names to find them by; give the file that it "
                "was made from, or choose again"
            )
        if wanted is not None:
            table = dataclasses.replace(table, columns=list(selection.candidates or table.names))
        places = range(selection.n_candidates) if everything else selection.indices.tolist()
        return table.take(columns=list(places))
    try:
        places = found_by_name(wanted, table.names, "column" if everything else "chosen column")
    except ValueError as error:
        raise InputError(f"{file}: {error}") from error
    return table.take(columns=places.tolist())
