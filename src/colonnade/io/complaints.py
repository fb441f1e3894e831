"""Sentences on columns that cannot be used as they are, and on what to do about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .phrases import counted
from .table import Options, Refused, Where

__all__ = ["Bad", "complaint"]

MOST = 12
"""Up to how many columns a sentence names all of them."""
FEW = 5
"""How many it names if there are more."""


@dataclass(frozen=True)
class Bad:
    """A column of numbers with entries that are none: how many, and the row of the first."""

    name: str
    count: int
    row: int


def complaint(
    refused: Sequence[Refused],
    gaps: Sequence[Bad],
    infinite: Sequence[Bad],
    where: Where,
    options: Options,
    n: int,
) -> str:
    """Return a sentence on all columns that keep a file from being used.

    Parameters
    ----------
    refused : sequence of Refused
        Columns that hold no numbers.
    gaps, infinite : sequence of Bad
        Columns with entries that are missing, and that are infinite.
    where : callable
        From the number of a row to where it is.
    options : Options
        How the user spells what there is to do.
    n : int
        How many columns there are, with those that can be used: to leave out all is no advice.
    """
    found = {column.name for column in refused} | {bad.name for bad in (*gaps, *infinite)}
    droppable = len(found) < n  # to leave out one kind after the other must not leave out all
    parts = [
        *([_about_refused(refused, where)] if refused else []),
        *([_about_entries("missing (NaN)", gaps, where)] if gaps else []),
        *([_about_entries("infinite", infinite, where)] if infinite else []),
        *_cures(refused, gaps, n, droppable, options),
        *([_cure_of_infinite(infinite, droppable, options)] if infinite else []),
    ]
    return "; ".join(parts)


def _about_refused(refused: Sequence[Refused], where: Where) -> str:
    first = refused[0]
    if len(refused) == 1:
        shown = f"first {_shortened(first.value)!r} in {where(first.row)}"
        return f"column {first.name!r} holds {first.kind}, {shown}"

    def about(column: Refused) -> str:
        value = repr(_shortened(column.value))
        example = f"such as {value}"
        if column is first:  # where it is takes another look at the file
            example = f"first {value} in {where(column.row)}"
        return f"{column.name!r} ({column.kind}, {example})"

    return f"{len(refused)} columns hold no numbers: {_enumerated(refused, about)}"


def _about_entries(kind: str, columns: Sequence[Bad], where: Where) -> str:
    first = columns[0]
    if len(columns) == 1:
        return (
            f"column {first.name!r} has {counted(first.count, f'{kind} value')}, first in "
            f"{where(first.row)}"
        )

    def about(column: Bad) -> str:
        place = f", first in {where(column.row)}" if column is first else ""
        return f"{column.name!r} ({column.count}{place})"

    return f"{len(columns)} columns have {kind} values: {_enumerated(columns, about)}"


def _enumerated(columns: Sequence[Any], about: Callable[[Any], str]) -> str:
    shown = columns if len(columns) <= MOST else columns[:FEW]
    more = f" and {len(columns) - len(shown)} more" if len(columns) > len(shown) else ""
    return ", ".join(about(column) for column in shown) + more


def _cures(
    refused: Sequence[Refused], gaps: Sequence[Bad], n: int, droppable: bool, options: Options
) -> list[str]:
    if len(refused) == n:
        return [
            "no other column is left; perhaps the names stand in another row than the first: if "
            "so, delete the rows above it, and if not, encode the columns as numbers"
        ]
    # to leave out the columns with gaps is no way if all that hold numbers have some
    some_are_whole = len(refused) + len(gaps) < n
    if not refused or not gaps:
        cures = [_cure_of_refused(refused, droppable, options)] if refused else []
        return cures + ([_cure_of_gaps(gaps, some_are_whole, droppable, options)] if gaps else [])
    mean = options.spelled("missing", "mean")
    ways = "median, drop-rows" + (", drop-columns" if some_are_whole else "")
    both = f"{_numeric_only(options)} and {mean} (or {ways})"
    drop = _drop(
        [*(column.name for column in refused), *(bad.name for bad in gaps)], droppable, options
    )
    cures = [f"leave the former out and fill the gaps in the others with {both}"]
    cures[0] += f", or leave out all of these with {drop}" if drop else ""
    label = _possible_label(refused, options)
    which = "it" if len(refused) == 1 else "one"
    return [*cures, *([f"if {which} is the label, say so with {label}"] if label else [])]


def _possible_label(refused: Sequence[Refused], options: Options) -> str:
    """Return the option that makes a column the label; empty if there is one, or none can be."""
    possible = sorted(
        (column for column in refused if column.kind in ("text", "dates")),
        key=lambda column: column.kind != "text",
    )
    if options.label is not None or not possible:
        return ""
    return options.spelled("label", possible[0].name)


def _cure_of_refused(refused: Sequence[Refused], droppable: bool, options: Options) -> str:
    it = "it" if len(refused) == 1 else "them"
    drop, every = (
        _drop([column.name for column in refused], droppable, options),
        _numeric_only(options),
    )
    cure = f"leave {it} out with {drop or every} or encode {it} as numbers"
    cure += f" ({every} leaves out all such columns)" if drop else ""
    label = _possible_label(refused, options)
    if not label:
        return cure
    if len(refused) == 1:
        return f"if it is the label, say {label}; if not, {cure}"
    return f"{cure}; if one is the label, say so with {label}"


def _numeric_only(options: Options) -> str:
    return options.spelled("numeric_only", True)


def _cure_of_gaps(
    gaps: Sequence[Bad], some_are_whole: bool, droppable: bool, options: Options
) -> str:
    drop = _drop([column.name for column in gaps], droppable, options)
    rows, columns = (options.spelled("missing", way) for way in ("drop-rows", "drop-columns"))
    ways = [rows, *([columns] if some_are_whole else []), *([drop] if drop else [])]
    return (
        f"fill the gaps with {options.spelled('missing', 'mean')} (or median), or leave them out "
        f"with {' or '.join([*filter(None, [', '.join(ways[:-1])]), ways[-1]])}"
    )


def _cure_of_infinite(infinite: Sequence[Bad], droppable: bool, options: Options) -> str:
    drop = _drop([column.name for column in infinite], droppable, options)
    return "correct what is infinite" + (f", or leave it out with {drop}" if drop else "")


def _drop(names: Sequence[str], droppable: bool, options: Options) -> str:
    """Return the option that leaves columns out, to be pasted; empty if that is no way."""
    return options.spelled("drop", tuple(names)) if droppable and len(names) <= MOST else ""


def _shortened(value: str) -> str:
    return value if len(value) <= 40 else value[:37] + "..."
