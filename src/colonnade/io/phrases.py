"""Words for messages: how options are spelled where the user gives them, counts and lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Spelling", "as_keyword", "counted", "is_integer", "listed"]

Spelling = Callable[[str, Any], str]
"""From an option of the reader and a value to what the user would write; ``drop`` is a list."""


def as_keyword(option: str, value: Any) -> str:
    """Return an option with its value as Python spells it.

    Examples
    --------
    >>> as_keyword("label", "kind"), as_keyword("drop", ("a", "b"))
    ("label='kind'", "drop=['a', 'b']")
    """
    return f"{option}={list(value) if isinstance(value, tuple) else value!r}"


def counted(count: int, noun: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def is_integer(field: str | int) -> bool:
    """Return whether a column is given by its number."""
    return re.fullmatch(r"\s*[+-]?\d+\s*", str(field)) is not None


def listed(names: Sequence[str], limit: int = 8) -> str:
    """Return names for a message, the first few if there are many."""
    more = f", ... ({len(names)} in all)" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
