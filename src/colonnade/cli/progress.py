"""What is going on, shown while it takes its time."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Self

from ..foundation.wording import visible
from .ending import cleanups
from .screen import is_quiet

__all__ = ["Reporter", "explained_percent", "percent"]


ROUNDING = 1e-20
"""Smaller shares of squares are what rounding leaves."""


def percent(share: float) -> str:
    """Return a share in percent, with what is needed to tell a small one from nothing.

    Examples
    --------
    >>> percent(0.0691), percent(3e-7), percent(0.0)
    ('6.91', '3.0e-05', '0.00')
    """
    value = 100 * share
    return f"{value:.1e}" if ROUNDING < share < 1e-4 else f"{value:.2f}"


def explained_percent(share: float) -> str:
    """Return what is explained, in percent: not 100.0 for less than all.

    Examples
    --------
    >>> explained_percent(0.6462), explained_percent(0.99997), explained_percent(1.0)
    ('64.6', '99.997', '100.0')
    """
    value = 100 * share
    exact = f"{value:.6g}" if 99.95 <= value < 100 else ""
    return exact if exact and float(exact) < 100 else f"{value:.1f}"


class Reporter:
    """Shows on standard error what is going on, if it takes longer than a moment.

    A bar on a terminal, and nothing elsewhere. It moves in a thread of its own, also while the work
    sits in compiled code.

    Attributes
    ----------
    delay : float
        Seconds of silence at the beginning.
    """

    delay = 1.0

    def __init__(self) -> None:
        self.what = "starting"
        self.count: int = 0
        self.wanted: int | None = None
        self.error: float | None = None
        self.of_blocks = False
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        cleanups.append(self.close)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        cleanups.remove(self.close)
        self.close()

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._done.set()
        self._thread.join(timeout=1.0)

    def phase(self, what: str) -> None:
        """Show what begins now."""
        self.what, self.count, self.wanted, self.error = what, 0, None, None
        self.of_blocks = False

    def __call__(self, count: int, wanted: int | None, error: float) -> None:
        """Take note of a choice."""
        self.count, self.wanted, self.error = count, wanted, error

    def blocks(self, what: str, done: int, wanted: int) -> None:
        """Take note of blocks of the data that are done, in one of the passes over them."""
        self.what, self.count, self.wanted, self.error = what, done, wanted, None
        self.of_blocks = True

    def _show(self) -> None:
        if is_quiet() or not sys.stderr.isatty() or self._done.wait(self.delay):
            return
        self._show_bar()

    def _left(self) -> str:
        if self.of_blocks:
            return f"{self.count} of {self.wanted} done"
        return "" if self.error is None else f"{percent(self.error)} % left"

    def _show_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        task = bar.add_task("", total=None, left="")
        with bar:
            ended = False
            while not ended:  # what goes on is shown once at least
                bar.update(
                    task,
                    description=visible(self.what),
                    completed=self.count,
                    total=self.wanted,
                    left=self._left(),
                    refresh=True,
                )
                ended = self._done.wait(0.1)
