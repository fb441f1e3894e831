"""Small tables for people: named columns as a frame, as CSV, as HTML."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from .wording import visible

__all__ = ["as_csv", "as_html", "framed"]

FRAMES = ("pandas", "polars", "dict")


def framed(columns: Mapping[str, Sequence[Any]], kind: str | None = None) -> Any:
    """Return named columns as a frame.

    Parameters
    ----------
    columns : dict of lists
        The columns, all of one length.
    kind : {"pandas", "polars", "dict"} or None
        What to return; None is a frame of pandas or, if that is not installed, a dict of lists.

    Examples
    --------
    >>> framed({"name": ["a", "b"]}, "dict")
    {'name': ['a', 'b']}
    """
    if kind is not None and kind not in FRAMES:
        raise ValueError(f"frame={kind!r} is unknown; choose one of {', '.join(FRAMES)}, or None")
    plain = {name: list(values) for name, values in columns.items()}
    if kind == "dict":
        return plain
    try:
        package = import_module(kind or "pandas")
    except ModuleNotFoundError as error:
        if kind is None:
            return plain
        raise ModuleNotFoundError(
            f"frame={kind!r} needs {kind}; install it with pip install {kind}, or choose "
            'frame="dict"'
        ) from error
    return package.DataFrame(plain)


def as_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    r"""Return named columns as CSV; None becomes an empty field.

    Examples
    --------
    >>> print(as_csv({"name": ["a, b"], "share": [0.5]}), end="")
    name,share
    "a, b",0.5
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def as_html(columns: Mapping[str, Sequence[Any]], caption: str = "", most: int = 20) -> str:
    """Return named columns as a small HTML table, in which nothing of the data is markup.

    Parameters
    ----------
    columns : dict of lists
        The columns; floats are shown with four digits.
    caption : str
        What stands above them.
    most : int
        How many rows are shown; the last row tells how many more there are.

    Examples
    --------
    >>> as_html({"name": ["<a>"]})
    '<table><thead><tr><th>name</th></tr></thead><tbody><tr><td>&lt;a&gt;</td></tr></tbody></table>'
    """
    rows = list(zip(*columns.values(), strict=True))
    lines = ["".join(_html_cell(value) for value in row) for row in rows[:most]]
    if len(rows) > most:
        lines.append(f'<td colspan="{len(columns)}">… and {len(rows) - most} more</td>')
    titles = "".join(f"<th>{html.escape(visible(title))}</th>" for title in columns)
    head = f"<caption>{html.escape(visible(caption))}</caption>" if caption else ""
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{head}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"<td>{html.escape(visible(text))}</td>"
