"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "Debug",
    "Json",
    "Out",
    "Param",
    "Quiet",
    "SafeCsv",
    "Seed",
    "whole",
]


def whole(*names: str, low: int, high: int | None = None, **about: Any) -> Any:
    """Return an option that takes a whole number and says what is allowed.

    Parameters
    ----------
    *names : str
        The option, first as messages call it.
    low, high : int
        The bounds; there may be no upper one.
    **about
        For ``typer.Option``.
    """

    def check(value: str | None) -> int | None:
        from .input import parse_whole

        return None if value is None else parse_whole(names[0], value, low, high)

    callback: Callable[..., Any] = check
    return typer.Option(*names, parser=str, callback=callback, metavar="<int>", **about)


Param = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="A parameter of the method; repeatable."),
]
Seed = Annotated[int, whole("--seed", low=0, high=2**32 - 1, help="Random seed.")]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="Write the result (.csv, .parquet, .npz, ...).")
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put ' before names and labels that spreadsheets would take for formulas.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", help="Print the answer and errors; no progress, notes or warnings."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]
