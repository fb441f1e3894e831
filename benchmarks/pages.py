"""Fill the tables of docs/ with what was measured: ``python -m benchmarks.pages [bench.json ...]``.

A table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``; nobody types its numbers.
They come from results/benchmarks.json, the last run of each suite and of each case of scale.
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

from .common import MET, Row
from .suites.peers import reason

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).with_name("results") / "bench.json"
PAGE = ROOT / "docs" / "scale.md"
KEPT = ROOT / "results" / "benchmarks.json"
KEPT_PAGE = ROOT / "docs" / "benchmarks.md"

TIME = {
    "set": "data", "shape": "shape", "seconds": "seconds", "ratio": "× reference",
    "× reading": "× reading", "in memory, s": "in memory, s", "peak, GiB": "GiB, all",
    "error / exact": "error / exact",
}  # fmt: skip
MODEL = {
    "set": "data", "parts": "parts", "passes": "passes", "plan: passes": "planned",
    "read, GiB": "read, GiB", "plan: read": "planned", "sent, GiB": "sent, GiB",
    "plan: sent": "planned", "growth, GiB": "memory, GiB", "plan: GiB": "planned",
}  # fmt: skip

TABLES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "time": (("tall", "zarr"), TIME),
    "time of rounds": (("rounds",), TIME),
    "cells": (
        ("cells",),
        {
            "set": "data", "shape": "shape", "seconds": "seconds", "in memory, s": "in memory, s",
            "read, GiB": "read, GiB", "sent, GiB": "sent, GiB", "plan: sent": "planned",
            "growth, GiB": "memory, GiB", "plan: GiB": "planned", "error": "error",
            "error in memory": "in memory",
        },
    ),
    "model": (("tall", "zarr"), MODEL),
    "model of rounds": (("rounds",), MODEL),
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
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def filled(page: str, rows: Sequence[Row]) -> str:
    """Return a page with its tables made of rows; tables that lack a case stay as they are."""
    measured = {row["case"] for row in rows}
    for name, (cases, columns) in TABLES.items():
        if not measured.issuperset(cases):
            continue
        some = [row for case in cases for row in rows if row["case"] == case]
        if name.startswith("model"):
            some = [row for row in some if "plan: GiB" in row]
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


SPEED = {
    "set": "data", "shape": "shape", "picks": "picks", "input": "stored as",
    "reference, s": "Algorithm 4, s", "colonnade, s": "colonnade, s", "ratio": "× as fast",
    "ratio of medians": "by medians", "same picks": "same picks", "promise": "aim",
}  # fmt: skip
OVERHEAD = {
    "set": "data", "shape": "shape", "picks": "picks", "input": "stored as",
    "products, s": "products, s",
    "passes, s": "passes, s", "colonnade, s": "colonnade, s",
    "× products and passes": "× products and passes",
    "beyond, µs a choice": "beyond them, µs a choice",
    "reference, × products and passes": "Algorithm 4, × the same",
}  # fmt: skip
PEERS = {
    "problem": "problem", "set": "data", "size": "size", "ours": "ours", "peer": "peer",
    "quality": "quality", "our quality": "ours", "their quality": "theirs",
    "seconds": "ours, s", "time, × ours": "their time, × ours",
    "memory, × ours": "their memory, × ours",
}  # fmt: skip
BEHIND = {
    "problem": "problem", "set": "data", "peer": "peer", "note": "where ours is behind",
    "why": "why",
}  # fmt: skip
MISSED = {"set": "data", "shape": "shape", "input": "stored as", "peer": "peer", "promise": "aim"}
SCALE = "scale: "
"""How the names of runs of that suite begin, before the case."""
MACHINE = {
    "suite": "tables", "date": "date", "cores": "cores", "processor": "processor",
    "blas": "BLAS", "time": "time is that of", "load": "load before, after",
    "packages": "versions",
}  # fmt: skip


def runs_of(suites: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Return the rows of suites by what they are kept as: those of scale by their case."""
    runs = {suite: suites[suite] for suite in ("speed", "peers") if suite in suites}
    for row in suites.get("scale", []):
        runs.setdefault(f"{SCALE}{row['case']}", []).append(row)
    return runs


def kept_tables(kept: dict[str, Any]) -> dict[str, str]:
    """Return the tables of docs/benchmarks.md by name, made of the last run of each suite."""
    speed, peers = kept["speed"]["rows"], kept["peers"]["rows"]
    missed = [row for row in (*speed, *peers) if row.get("verdict", MET) != MET]
    return {
        "speed": table(speed, SPEED),
        "overhead": table([_beyond(row) for row in speed if "products, s" in row], OVERHEAD),
        "peers": table(peers, PEERS),
        "behind": table([{**row, "why": reason(row)} for row in peers if row["note"]], BEHIND),
        "missed": table(missed, MISSED),
        "machine": table([_machine(suite, kept[suite]) for suite in ("speed", "peers")], MACHINE),
    }


def _beyond(row: Row) -> Row:
    """Add how long a choice takes that is neither products nor a pass."""
    beyond = row["colonnade, s"] - row["products, s"] - row["passes, s"]
    return {**row, "beyond, µs a choice": 1e6 * beyond / row["picks"] if beyond > 0 else None}


def _machine(suite: str, run: dict[str, Any]) -> Row:
    blas = {f"{one['internal_api']} {one['version']} {one['architecture']}" for one in run["blas"]}
    packages = [f"{name} {version}" for name, version in run["packages"].items() if version]
    return {
        **run, "suite": suite, "blas": ", ".join(sorted(blas)),
        "time": "the processor, on one core" if run["one core"] else "the clock, on all cores",
        "load": f"{run['load before']:.1f}, {run['load after']:.1f}",
        "packages": ", ".join([f"Python {run['python']}", *packages]),
    }  # fmt: skip


def main(*results: Path) -> None:
    plans = paper()
    text = replaced(
        PAGE.read_text(encoding="utf-8"), "paper", table(plans, {k: k for k in plans[0]})
    )
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for path in results or [path for path in [RESULTS] if path.exists()]:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["quick"]:
            raise SystemExit(f"{path.name} is of a quick run; tables are made of full ones")
        if not content.get("real data", True):  # runs of before do not tell
            raise SystemExit(f"{path.name} is of made matrices; run it with COLONNADE_DATA")
        suites = content.pop("suites")
        about = {**content.pop("machine"), **content}
        kept |= {
            name: {**about, "seconds": about["seconds"][name.split(": ")[0]], "rows": rows}
            for name, rows in runs_of(suites).items()
        }
    text = filled(
        text, [row for name in kept if name.startswith(SCALE) for row in kept[name]["rows"]]
    )
    PAGE.write_text(text, encoding="utf-8")
    if not kept:
        return
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = KEPT_PAGE.read_text(encoding="utf-8")
    for name, filling in kept_tables(kept).items():
        text = replaced(text, name, filling)
    KEPT_PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
