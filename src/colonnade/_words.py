"""Words that messages share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = ["did_you_mean"]


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return, in brackets, the known name that is nearest to one that is not; empty if none is.

    Examples
    --------
    >>> did_you_mean("gredy", ["greedy", "uniform"]), did_you_mean("x", ["greedy"])
    (" (did you mean 'greedy'?)", '')
    """
    close = difflib.get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return f" (did you mean {close[0]!r}?)" if close else ""
