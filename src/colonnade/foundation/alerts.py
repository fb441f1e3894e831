"""Warnings that point at the line of the user's code, and errors that come from elsewhere."""

from __future__ import annotations

import sys
import warnings

__all__ = [
    "DataWarning",
    "ProcessesLostError",
    "RankReachedWarning",
    "warn_caller",
    "warn_rank",
]


class RankReachedWarning(UserWarning):
    """Fewer columns than asked for already reconstruct the data to working precision."""


class DataWarning(UserWarning):
    """Something about the data decides the answer, or was done to it: constants, units, means."""


class ProcessesLostError(RuntimeError):
    """Processes that did the work are gone; what to do is in the message."""


def warn_rank(message: str) -> None:
    """Say that the rank is reached, at the line of the user's code that led here."""
    warn_caller(message, RankReachedWarning)


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that led here."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_library(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level + 1)


def _is_library(module: str) -> bool:
    return module.split(".")[0] in ("colonnade", "sklearn", "joblib", "threading", "concurrent")
