"""What the command line shows: progress, tables and sentences."""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable
from rich.text import Text

from ..blocks import times_columns
from ..certify import Certificate
from ..formats import Table
from ..registry import Method
from ..selection import Selection

__all__ = [
    "Answer",
    "Reporter",
    "methods_table",
    "percent",
    "print_lines",
    "selection_table",
]


@dataclass(frozen=True)
class Answer:
    """A selection with all that is needed to speak about it."""

    source: str
    table: Table
    selection: Selection
    method: Method
    rows: bool
    max_error: float | None = None
    rescale: bool = True
    certificate: Certificate | None = None

    @property
    def unit(self) -> str:
        """What was chosen."""
        return "row" if self.rows else "column"

    @property
    def names(self) -> list[str]:
        """The names of the chosen, in the order of choice."""
        if not self.rows:
            known: Any = self.table.names
        elif self.table.row_names is not None:
            known = self.table.row_names
        else:
            known = range(self.selection.n_candidates)
        return [str(known[i]) for i in self.selection.indices]

    @property
    def labels(self) -> list[Any] | None:
        """The labels of the chosen rows."""
        if not self.rows or self.table.labels is None:
            return None
        return list(self.table.labels[self.selection.indices].tolist())

    @property
    def reduced(self) -> Table:
        """The chosen part of the data, in the order of the file, times the weights."""
        order = np.argsort(self.selection.indices)
        chosen = self.selection.indices[order].tolist()
        table = self.table.take(**{"rows" if self.rows else "columns": chosen})
        weights = self.selection.weights
        if weights is None or not self.rescale:
            return table
        X = table.X.T if self.rows else table.X
        X = times_columns(X, weights[order])
        return dataclasses.replace(table, X=X.T if self.rows else X)

    def lost(self) -> float:
        """Return the relative error that is left, computed from the data if it is not known."""
        errors = self.selection.relative_errors
        if errors is not None:
            return float(errors[-1]) if len(errors) else 1.0
        from ..metrics import reconstruction_error

        X = self.table.X.T if self.rows else self.table.X
        return float(reconstruction_error(X, self.selection))

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON shall hold; :meth:`Selection.from_dict` accepts it."""
        errors = self.selection.relative_errors
        return {
            **self.selection.replace(embedding=None).to_dict(),
            "source": self.source,
            "of": f"{self.unit}s",
            "method": self.selection.info.get("method", self.method.name),
            "names": self.names,
            "labels": self.labels,
            "relative_errors": None if errors is None else errors.tolist(),
            "relative_error": self.lost(),
            **({} if self.certificate is None else {"certificate": self.certificate.to_dict()}),
        }

    def certificate_lines(self) -> list[str]:
        """Return the certificate as lines of text, after an empty one."""
        return [] if self.certificate is None else ["", *str(self.certificate).splitlines()]

    def sentence(self) -> str:
        """Say how much was kept."""
        count, lost = len(self.selection), self.lost()
        whole = "the data"
        if self.method.supervised == "target":
            whole = f"the target {self.table.label_name!r}"
        unit = self.unit if self.selection.n_candidates == 1 else f"{self.unit}s"
        text = (
            f"{count} of {self.selection.n_candidates} {unit} {'keeps' if count == 1 else 'keep'} "
            f"{100 * (1 - lost):.1f} % of the squared size of {whole}; {percent(lost)} % is lost"
        )
        if self.max_error is not None and lost > self.max_error:
            text += f", more than the {percent(self.max_error)} % asked for"
        return text + "."


def percent(share: float) -> str:
    """Return a share in percent, with what is needed to tell a small one from nothing.

    Examples
    --------
    >>> percent(0.0691), percent(3e-7), percent(0.0)
    ('6.91', '3.0e-05', '0.00')
    """
    value = 100 * share
    return f"{value:.1e}" if 0 < value < 0.01 else f"{value:.2f}"


def print_lines(console: Console, *lines: str) -> None:
    """Print lines as they are."""
    for line in lines:
        # names of files and columns are no markup, and a path must survive being copied
        console.print(line, highlight=False, markup=False, emoji=False, soft_wrap=True)


def selection_table(answer: Answer) -> RichTable:
    """Return the choices, one in a line."""
    selection, errors = answer.selection, answer.selection.relative_errors
    columns: dict[str, list[Any]] = {"choice": list(range(1, len(selection) + 1))}
    if not answer.rows or answer.table.row_names is not None:
        columns[answer.unit] = answer.names
    columns["index"] = selection.indices.tolist()
    if answer.labels is not None:
        columns[answer.table.label_name] = answer.labels
    if selection.weights is not None:
        columns["weight"] = [f"{weight:.4g}" for weight in selection.weights]
    if errors is not None:
        columns["error left, %"] = [percent(error) for error in errors]
    table = RichTable()
    for title in columns:
        # names may hold anything, and must not be read as markup
        left = title == answer.unit
        table.add_column(Text(title), justify="left" if left else "right", overflow="fold")
    for values in zip(*columns.values(), strict=True):
        table.add_row(*(Text(str(value)) for value in values))
    return table


def methods_table(methods: Mapping[str, Method]) -> RichTable:
    """Return all methods, one in a line."""
    table = RichTable(show_lines=True)
    table.add_column("method", no_wrap=True)
    table.add_column("what it does, for an m × n matrix and l choices")
    for entry in methods.values():
        table.add_row(Text(entry.name, "bold"), Text("\n".join(_about(entry))))
    return table


def _about(entry: Method) -> list[str]:
    needs = [
        word
        for word, so in (("draws lots", entry.randomized), ("needs --label", entry.supervised))
        if so
    ]
    return [
        entry.title,
        f"cost: {entry.cost}",
        f"known: {entry.guarantee}",
        f"takes: {', '.join(entry.inputs)} data" + "".join(f"; {word}" for word in needs),
        f"from: {entry.document}",
    ]


class Reporter:
    """Shows on standard error what is going on, if it takes longer than a moment.

    A bar on a terminal, a line now and then otherwise. All of it happens in a thread of its own,
    so that it also moves while the work sits in compiled code.

    Attributes
    ----------
    delay : float
        Seconds of silence at the beginning.
    every : float
        Seconds between lines when there is no terminal.
    """

    delay = 1.0
    every = 10.0

    def __init__(self) -> None:
        self.what = "starting"
        self.count: int = 0
        self.wanted: int | None = None
        self.error: float | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def phase(self, what: str) -> None:
        """Say what begins now."""
        self.what, self.count, self.wanted, self.error = what, 0, None, None

    def __call__(self, count: int, wanted: int | None, error: float) -> None:
        """Take note of a choice."""
        self.count, self.wanted, self.error = count, wanted, error

    def _show(self) -> None:
        if self._done.wait(self.delay):
            return
        if sys.stderr.isatty():
            self._show_bar()
        else:
            self._show_lines()

    def _left(self) -> str:
        return "" if self.error is None else f"{percent(self.error)} % left"

    def _show_lines(self) -> None:
        while True:
            of = "" if self.wanted is None else f" of {self.wanted}"
            state = f": {self.count}{of}, {self._left()}" if self.count else ""
            print(f"colonnade: {self.what}{state}", file=sys.stderr, flush=True)
            if self._done.wait(self.every):
                return

    def _show_bar(self) -> None:
        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[left]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        with bar:
            task = bar.add_task(self.what, total=None, left="")
            while not self._done.wait(0.1):
                bar.update(
                    task,
                    description=self.what,
                    completed=self.count,
                    total=self.wanted,
                    left=self._left(),
                    refresh=True,
                )
