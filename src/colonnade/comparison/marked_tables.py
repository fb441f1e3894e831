"""Tables in Markdown, in which the best groups of methods are marked."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["markdown_table", "marked"]

MARKS = {1: "**", 2: "_"}
"""How the best and the second best group of methods are marked."""


def marked(text: str, group: int) -> str:
    """Return a cell with the mark of its group, if that has one.

    Examples
    --------
    >>> from colonnade.comparison.marked_tables import marked
    >>> marked("0.9", 1), marked("0.8", 2), marked("0.1", 3)
    ('**0.9**', '_0.8_', '0.1')
    """
    sign = MARKS.get(group, "")
    return f"{sign}{text}{sign}"


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table.

    Examples
    --------
    >>> from colonnade.comparison.marked_tables import markdown_table
    >>> markdown_table(("a", "b"), [("1", "2|3")])
    ['| a | b |', '|---|---|', '| 1 | 2∣3 |']
    """
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return head + [f"| {' | '.join(cell.replace('|', '∣') for cell in row)} |" for row in rows]
