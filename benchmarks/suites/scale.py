"""Data that is not in memory: time, memory, passes and bytes, beside references and plans.

Each case in a fresh process, and each row is printed as soon as it is there. What was measured is
kept until all of it is, so that a run that was interrupted goes on where it ended, as long as
nothing in the code has changed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import colonnade

from ..apart import measured_apart
from ..common import Options, Row, promised
from ..tables import show_line

TITLE = "Data in chunks: seconds, memory, passes and bytes"


def run(options: Options) -> Iterator[Row]:
    try:
        from ..scale import counts, others, rounds, tall, workers
    except ImportError as error:
        print(f'scale is left out: {error}; install ".[dask]"')
        return
    groups: dict[str, Callable[[Options, Any], Iterator[Row]]] = {
        "tall": tall.run,
        "zarr": tall.run_stored,
        "cells": counts.run,
        "rounds": rounds.run,
        "workers": workers.run,
        "others": others.run,
    }
    if options.only not in (None, *groups):
        raise ValueError(f"scale has no cases {options.only!r}; choose among {', '.join(groups)}")
    measure = Kept(options.out / "scale", options.quick)
    complete = True
    for name, group in groups.items():
        if options.only not in (None, name):
            complete = False
            continue
        try:
            for row in group(options, measure):
                show_line(row)
                yield row
        except RuntimeError as error:  # of one process; the other cases can do without
            complete = False
            print(error, flush=True)
            yield promised({"case": name}, "it can be measured", False)
    if complete:
        measure.forget()


class Kept:
    """Measures cases apart, and keeps what was found in a folder until it is told to forget."""

    def __init__(self, folder: Path, quick: bool):
        self.folder = folder
        self.about = {"code": _code(), "quick": quick}

    def __call__(self, group: str, what: str, **case: Any) -> Row:
        full = {"group": group, "what": what, **case}
        text = json.dumps(full | self.about, sort_keys=True)
        path = self.folder / f"{group}-{what}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))
        found = measured_apart("benchmarks.scale", full)
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".tmp")
        draft.write_text(json.dumps(found), encoding="utf-8")
        draft.replace(path)
        return found

    def forget(self) -> None:
        """Let the next run measure everything again."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _code() -> str:
    """Return what other code would not have."""
    found = hashlib.sha256()
    for folder in (Path(colonnade.__file__).parent, Path(__file__).parent.parent):
        for path in sorted(folder.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()
