"""How many there should be: what the rules propose, and what other sizes would give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .progress import explained_percent
from .screen import grid

if TYPE_CHECKING:
    from rich.table import Table as RichTable

__all__ = ["RULES", "proposal", "size_table"]

RULES = ("auto", "parallel", "elbow", "held-out")
"""What -n may say in place of a number."""
SAID = {
    "parallel": "parallel analysis, as long as columns explain more than independent ones would",
    "elbow": "the elbow of the curve",
    "held_out": "the error on held-out rows",
}
TITLES = {
    "explained": "explained, %",
    "bound": "best, %",
    "held_out": "held out, %",
    "random": "random, %",
}


def proposal(size: Mapping[str, Any], unit: str) -> str:
    """Return a sentence on the number that was proposed, and by what, and on the others."""
    rule, count = size["rule"], size["n_select"]
    others = [
        f"{SAID[name].partition(',')[0]} {size[name]}"
        for name in SAID
        if name != rule and size.get(name)
    ]
    also = f" (others would propose: {'; '.join(others)})" if others else ""
    units = unit if count == 1 else f"{unit}s"
    if rule == "parallel" and size["parallel"] == 0:
        return (
            f"parallel analysis finds no {unit} that explains more than independent ones would; "
            f"{count} is the least number{also}"
        )
    return f"{count} {units} proposed by {SAID[rule]}{also}"


def size_table(size: Mapping[str, Any], unit: str) -> RichTable:
    """Return what so many would explain, beside the best possible and random ones."""
    rows = size["table"]
    shown = [name for name in TITLES if any(row.get(name) is not None for row in rows)]
    lines = [
        [
            f"{row['n_select']}{' ◂' if row['n_select'] == size['n_select'] else ''}",
            *("" if row.get(name) is None else explained_percent(row[name]) for name in shown),
        ]
        for row in rows
    ]
    return grid([f"{unit}s", *(TITLES[name] for name in shown)], lines)
