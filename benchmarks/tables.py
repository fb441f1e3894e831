"""Print rows as tables and save them, with what is to be known about the machine."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from .common import MET, Row

PACKAGES = (
    "colonnade", "numpy", "scipy", "scikit-learn", "numba", "threadpoolctl", "dask", "distributed",
    "zarr", "apricot-select", "faiss-cpu", "fastcan", "geosketch", "kmedoids", "python-sensors",
    "scanpy", "skfeature-chappers", "skmatter", "submodlib-py",
)  # fmt: skip


def machine() -> dict[str, Any]:
    """Return what the figures depend on; nothing that names the machine."""
    return {
        "date": datetime.date.today().isoformat(),
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "blas": [
            {key: pool.get(key) for key in ("internal_api", "version", "architecture")}
            for pool in threadpool_info()
            if pool["user_api"] == "blas"
        ],
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def load_average() -> float | None:
    """Return how many processes want to run, where the system tells."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def show(title: str, rows: list[Row]) -> None:
    """Print one table, with rich if it is installed."""
    columns = list(dict.fromkeys(key for row in rows for key in row if not key.startswith("_")))
    columns = [key for key in columns if any(row.get(key) not in (None, "") for row in rows)]
    cells = [[_text(row.get(key)) for key in columns] for row in rows]
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        _show_plain(title, columns, cells)
        return
    table = Table(title=title, title_justify="left")
    for k, key in enumerate(columns):
        numeric = all(isinstance(row.get(key), int | float | None) for row in rows)
        table.add_column(
            key, justify="right" if numeric else "left", overflow="fold",
            min_width=min(9, max(len(line[k]) for line in cells)),
        )  # fmt: skip
    for row, line in zip(rows, cells, strict=True):
        missed = row.get("verdict", MET) != MET
        table.add_row(*line, style="bold red" if missed else None)
    console = Console()
    # a log has no edge to fold at
    Console(width=None if console.is_terminal else 250).print(table, markup=False)


def show_line(row: Row) -> None:
    """Print one row at once, for suites that take long."""
    shown = {key: _text(value) for key, value in row.items() if not key.startswith("_")}
    print("  ".join(f"{key}: {text}" for key, text in shown.items() if text), flush=True)


def _show_plain(title: str, columns: list[str], cells: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    print(f"\n{title}")
    for line in [columns, *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def save(path: Path, tables: Mapping[str, list[Row]], about: Mapping[str, Any]) -> None:
    """Write all rows, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    content = {**about, "suites": tables}
    draft.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    draft.replace(path)
