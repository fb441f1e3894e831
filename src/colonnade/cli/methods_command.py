"""``colonnade methods``: what there is to choose from."""

from __future__ import annotations

from .. import METHODS
from ..operands.chunked.array import MOST_PRODUCTS
from ..registry import Method
from .input import settable
from .options import Debug, Json, Quiet
from .screen import grid, print_grid, print_json

__all__ = ["command"]

TITLES = ("method", "what it does, for an m × n matrix and l choices")


def command(as_json: Json = False, quiet: Quiet = False, debug: Debug = False) -> None:
    """Run the command."""
    if as_json:
        about = ("title", "document", "cost", "guarantee", "inputs", "supervised", "randomized")
        print_json(
            {
                name: {**{k: getattr(entry, k) for k in about}, "parameters": settable(entry)}
                for name, entry in METHODS.items()
            }
        )
        return
    rows = [[entry.name, _lines(entry)] for entry in METHODS.values()]
    print_grid(grid(TITLES, rows, left=TITLES, whole=TITLES[:1], ruled=True))


def _lines(entry: Method) -> list[str]:
    needs = [
        word
        for word, so in (("random", entry.randomized), ("needs --label", entry.supervised))
        if so
    ]
    plain = [kind for kind in entry.inputs if not kind.endswith("dask")]
    return [
        entry.title,
        f"cost: {entry.cost}",
        f"known: {entry.guarantee}",
        f"takes: {', '.join(plain)} data" + "".join(f"; {word}" for word in needs),
        f"in parts (--memory): {_in_parts(entry)}",
        f"from: {entry.document}",
    ]


def _in_parts(entry: Method) -> str:
    """Return what a method chooses from files that are larger than memory."""
    tall = f"columns of tall data, up to {MOST_PRODUCTS:,}"
    if "wide dask" in entry.inputs:
        return "columns of tall and of wide data, and rows"
    return tall if "tall dask" in entry.inputs else "no"
