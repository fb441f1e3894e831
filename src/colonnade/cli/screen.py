"""All that is printed.

Names of files, columns and rows may hold anything, also what a terminal or rich would obey. Nothing
else in the command line prints, so nothing gets past :func:`colonnade.foundation.wording.visible`.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from ..foundation.wording import visible

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text

__all__ = [
    "STANDARD_OUTPUT",
    "Styled",
    "be_quiet",
    "grid",
    "is_quiet",
    "note",
    "on_terminal",
    "print_grid",
    "print_json",
    "print_lines",
    "say",
    "say_lines",
]

STANDARD_OUTPUT = "standard output"
_quiet = False
LONGEST = 80
"""How many characters of a name a table shows."""


class Styled(str):
    """A cell that stands out.

    Attributes
    ----------
    style : str
        How, in the words of rich: "bold", "underline".
    """

    style: str

    def __new__(cls, text: str, style: str) -> Self:
        cell = super().__new__(cls, text)
        cell.style = style
        return cell


def say(message: str) -> None:
    """Print one line on standard error."""
    say_lines(f"colonnade: {' '.join(message.split())}")


def note(message: str) -> None:
    """Print one line on standard error, unless the user wants no more than the answer."""
    if not _quiet:
        say(message)


def be_quiet(wanted: bool) -> None:
    """Print no notes from here on, or again."""
    global _quiet
    _quiet = wanted


def is_quiet() -> bool:
    """Return whether only the answer is wanted."""
    return _quiet


def say_lines(text: str) -> None:
    """Print lines on standard error."""
    for line in text.splitlines():
        print(visible(line), file=sys.stderr, flush=True)


def print_lines(*lines: str) -> None:
    """Print lines as they are: a path must survive being copied."""
    with _answering():
        for line in lines:
            print(visible(line))


def print_json(values: Mapping[str, Any]) -> None:
    """Print JSON, whose strings say the same but show no more than text."""
    from ..io.binary import to_json

    with _answering():
        print(to_json(values), end="")


def grid(
    titles: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    left: Collection[str] = (),
    whole: Collection[str] = (),
    ruled: bool = False,
) -> RichTable:
    """Return a table.

    Parameters
    ----------
    titles : sequence of str
        One for each column.
    rows : iterable of sequences
        The cells; a list is a cell of several lines. Long names are shortened.
    left : collection of str
        Titles of columns that begin at the left; numbers end at the right.
    whole : collection of str
        Titles of columns that are bold, and not broken where there is little room.
    ruled : bool
        Whether there are lines between rows.
    """
    from rich.table import Table as RichTable

    table = RichTable(show_lines=ruled)
    for title in titles:
        table.add_column(
            _cell(title),
            style="bold" if title in whole else "",
            justify="left" if title in left else "right",
            no_wrap=title in whole,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(content: object) -> Text:
    """Return a cell; a list is several lines, and a text, unlike a string, is never markup."""
    from rich.text import Text

    lines = content if isinstance(content, list) else [_shortened(str(content))]
    style = content.style if isinstance(content, Styled) else ""
    return Text("\n".join(visible(line) for line in lines), style=style)


def _shortened(name: str) -> str:
    """Return a name with its beginning and its end, if all of it would take too much room."""
    keep = (LONGEST - 1) // 2
    return name if len(name) <= LONGEST else f"{name[:keep]}…{name[-keep:]}"


def on_terminal() -> bool:
    """Return whether styles of cells are seen by somebody."""
    from rich.console import Console

    return bool(Console().is_terminal)


def print_grid(table: RichTable) -> None:
    """Print a table."""
    from rich.console import Console

    with _answering():
        Console().print(table)


@contextmanager
def _answering() -> Iterator[None]:
    """Name standard output in the error if an answer cannot be printed."""
    try:
        yield
    except OSError as error:
        error.filename = STANDARD_OUTPUT
        raise
