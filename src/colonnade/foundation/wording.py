"""Words that messages share, and how they are shown."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

__all__ = ["did_you_mean", "listed", "visible"]

JOINERS = "\u200c\u200d"
"""Invisible letters of many languages, and of emoji, that do no harm."""


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return, in brackets, the known name that is nearest to one that is not; empty if none is.

    Examples
    --------
    >>> did_you_mean("gredy", ["greedy", "uniform"]), did_you_mean("x", ["greedy"])
    (" (did you mean 'greedy'?)", '')
    """
    close = difflib.get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return f" (did you mean {close[0]!r}?)" if close else ""


def listed(columns: Iterable[int], names: Sequence[str] | None, most: int = 5) -> str:
    """Return some columns by their names, or by their numbers, and how many more there are.

    Examples
    --------
    >>> listed([0, 2], ["a", "b", "c"]), listed(range(7), None)
    ("'a', 'c'", '0, 1, 2, 3, 4 and 2 more')
    """
    numbers = [int(j) for j in columns]
    shown = [repr(str(names[j])) if names is not None else str(j) for j in numbers[:most]]
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return ", ".join(shown) + more


def python_escape(character: str) -> str:
    r"""Return a character as Python writes it in a string.

    Examples
    --------
    >>> print(python_escape(chr(27)), python_escape(chr(0x202E)))
    \x1b \u202e
    """
    return character.encode("unicode_escape").decode("ascii")


def visible(text: str, escape: Callable[[str], str] = python_escape) -> str:
    r"""Return text in which whatever has no shape of its own is spelled out.

    Control characters move the cursor, recolour or retitle a terminal; others turn the direction
    of writing, or cannot be seen. A file may hold all of them in its name and in its names.

    Parameters
    ----------
    text : str
        From anywhere.
    escape : callable
        How to spell a character.

    Examples
    --------
    >>> print(visible("größe"), visible(chr(27) + "[31m"), visible("two" + chr(10) + "lines"))
    größe \x1b[31m two\nlines
    """
    if text.isprintable():
        return text
    return "".join(c if _harmless(c) else escape(c) for c in text)


def _harmless(character: str) -> bool:
    return (
        character.isprintable()
        or character in JOINERS
        or unicodedata.category(character) == "Zs"  # spaces of any width
    )
