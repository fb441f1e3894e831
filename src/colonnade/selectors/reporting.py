"""Progress of a choice, printed where an estimator is verbose."""

from __future__ import annotations

import sys
import time

from ..pivoting.loop import Progress

__all__ = ["printer"]


def printer(label: str) -> Progress:
    """Return a progress callback that prints a line every second to standard error."""
    last = time.monotonic()

    def show(count: int, wanted: int | None, error: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 1.0 or count == wanted or count == 1:
            last = now
            of = "" if wanted is None else f" of {wanted}"
            print(f"[{label}] {count}{of} chosen, {error:.4%} of the error left", file=sys.stderr)

    return show
