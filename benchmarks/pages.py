"""Fill the tables of docs/ with what was measured: ``python -m benchmarks.pages [bench.json]``.

A table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``; nobody types its numbers.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from colonnade import plan
from colonnade.operands.chunked.resources import size_text

from .common import Row

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).with_name("results") / "bench.json"
PAGE = ROOT / "docs" / "scale.md"

TABLES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "time": (
        ("tall", "zarr", "cells", "rounds"),
        {
            "set": "data", "shape": "shape", "seconds": "seconds", "ratio": "× reference",
            "× reading": "× reading", "in memory, s": "in memory, s", "peak, GiB": "GiB, all",
            "error / exact": "error / exact",
        },
    ),
    "model": (
        ("tall", "zarr", "cells", "rounds"),
        {
            "set": "data", "parts": "parts", "passes": "passes", "plan: passes": "planned",
            "read, GiB": "read, GiB", "plan: read": "planned", "sent, GiB": "sent, GiB",
            "plan: sent": "planned", "growth, GiB": "memory, GiB", "plan: GiB": "planned",
        },
    ),
    "winners": (
        ("winners",),
        {
            "parts": "parts", "winners of each": "winners of each", "exchanges": "exchanges",
            "error / exact": "error / exact", "seconds": "seconds",
        },
    ),
    "workers": (
        ("workers",),
        {"set": "workers", "shape": "shape", "seconds": "seconds", "ratio": "ratio"},
    ),
    "blocks": (
        ("blocks",),
        {
            "set": "on", "blocks": "blocks", "seconds": "seconds",
            "ms per block": "ms per further block",
        },
    ),
    "others": (
        ("others",),
        {
            "set": "method", "seconds": "seconds", "peak, GiB": "GiB", "error": "error",
            "error / best of any": "error / best",
        },
    ),
}  # fmt: skip
"""For each table the cases of the suite scale, and its columns with their headings."""


def table(rows: Sequence[Row], columns: dict[str, str]) -> str:
    """Return rows as Markdown."""
    shown = [[_text(row.get(key)) for key in columns] for row in rows]
    head = ["| " + " | ".join(columns.values()) + " |", "|" + "---|" * len(columns)]
    return "\n".join(head + ["| " + " | ".join(line) + " |" for line in shown])


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def filled(page: str, rows: Sequence[Row]) -> str:
    """Return a page with its tables made of rows; tables without rows stay as they are."""
    for name, (cases, columns) in TABLES.items():
        some = [row for row in rows if row.get("case") in cases]
        if name == "model":
            some = [row for row in some if "plan: GiB" in row]
        if not some:
            continue
        page = replaced(page, name, table(some, columns))
    return page


PAPER = {
    "10⁹ × 100, 50 columns": (10**9, 100, 100_000, 100, 50, 1),
    "10⁹ × 1,000, 100 columns": (10**9, 1000, 10_000, 1000, 100, 1),
    "10⁹ × 100, 100 rows": (10**9, 100, 1_000_000, 100, 100, 0),
    "10,000 × 10⁶, 100 columns": (10**4, 10**6, 10**4, 1000, 100, 1),
    "1,000 × 10⁶, 100 columns": (10**3, 10**6, 10**3, 10**4, 100, 1),
}
"""Rows and columns, those of a block, choices and axis of plans for data that nobody makes."""


def paper(n_tasks: int = 32) -> list[Row]:
    """Return plans as rows of a table."""
    import dask
    import dask.array as da

    rows: list[Row] = []
    with dask.config.set(num_workers=n_tasks):
        for name, (m, n, height, width, n_select, axis) in PAPER.items():
            (found,) = plan(da.zeros((m, n), chunks=(height, width)), n_select, axis=axis)
            rows.append(
                {
                    "float64, choices": name,
                    "blocks": -(-m // height) * -(-n // width),
                    "passes": found.passes,
                    "read": size_text(found.bytes_read),
                    "sent": size_text(found.bytes_sent),
                    "memory of a task": size_text(found.task_bytes),
                    "where the call is made": size_text(found.client_bytes),
                    "in all": size_text(found.peak_bytes),
                }
            )
    return rows


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with a table put in its place."""
    between = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    page, count = between.subn(lambda found: f"{found[1]}{text}\n{found[2]}", page)
    if count != 1:
        raise ValueError(f"the page has {count} places for the table {name!r}, not 1")
    return page


def main(results: Path = RESULTS, page: Path = PAGE) -> None:
    plans = paper()
    text = replaced(
        page.read_text(encoding="utf-8"), "paper", table(plans, {k: k for k in plans[0]})
    )
    if results.exists():
        content = json.loads(results.read_text(encoding="utf-8"))
        if content["quick"]:
            raise SystemExit("these results are of a quick run; tables are made of full ones")
        text = filled(text, content["suites"].get("scale", []))
    else:
        print(f"there is no {results.name}: only plans are filled in")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
