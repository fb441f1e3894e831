"""How signals end the process: at once, wherever it is, and without leaving files behind."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

__all__ = ["before_the_end", "cleanups", "end_at_once", "hear_no_more"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Ctrl-C, and what batch systems send."""

cleanups: list[Callable[[], None]] = []
"""What is to be done before the process ends, the last first."""


@contextmanager
def before_the_end(clean_up: Callable[[], None]) -> Iterator[None]:
    """Have something done if a signal ends the process meanwhile."""
    cleanups.append(clean_up)
    try:
        yield
    finally:
        cleanups.remove(clean_up)


def end_at_once() -> None:
    """Let signals end the process.

    An exception instead, as Python raises it, would show as a traceback, or be lost, when it
    comes while a module is imported or a callback runs.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for a process in the background
            signal.signal(number, _end)


def hear_no_more() -> None:
    """Let signals pass."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _end(number: int, _: object) -> NoReturn:
    hear_no_more()
    try:
        for clean_up in reversed(cleanups):
            with suppress(Exception):  # of one that fails, the others are done all the same
                clean_up()
        if number == signal.SIGINT:
            os.write(2, b"colonnade: interrupted\n")  # the streams of Python may be busy
    finally:
        os._exit(128 + number)
